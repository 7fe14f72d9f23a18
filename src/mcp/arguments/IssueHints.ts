/** What an error says beside what a field accepts: which value was probably meant, that the person has to be asked, what today is. */
import { isJsonObject } from "../transport/Json.ts"

/** Words that models send for a value of an enumeration. No two fields have a value in common, so one table serves all. */
const synonyms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    exclusive: ["private", "private_hire", "private_party", "whole", "whole_room", "full_room", "party", "hire"],
    shared: ["public", "open", "open_play", "drop_in", "group", "play", "places", "non_exclusive"],
    price: ["cheapest", "cheap", "lowest_price", "price_asc", "price_low_to_high", "cost", "budget"],
    distance: ["nearest", "closest", "near", "proximity", "nearby", "location"],
    best_match: ["relevance", "relevant", "best", "recommended", "popularity", "rating", "default", "match"],
    due_now: ["deposit", "full", "now", "payment", "booking", "initial", "total", "due"],
    balance: ["rest", "remaining", "remainder", "final", "outstanding", "balance_due"]
  }).flatMap(([value, words]) => words.map((word) => [word, value] as const))
)

const plain = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_")

/** An instruction to send the accepted value that a word stands for; "" where none is known. */
export const suggestionFor = (given: unknown, accepted: ReadonlyArray<unknown>): string => {
  if (typeof given !== "string" || given.length > 60) return ""
  const word = plain(given)
  const value = accepted.includes(word) ? word : synonyms.get(word)
  return value !== undefined && accepted.includes(value) ? `: send ${JSON.stringify(value)}` : ""
}

/** Fields whose values only the person knows. */
const askThePerson: ReadonlyMap<string, string> = new Map([
  ["contact", ": ask the person for them, never make them up"],
  ["contact.name", ": ask the person for it, never make it up"],
  ["contact.email", ": ask the person for it, never make it up"]
])

/** An instruction to ask the person for a field that only they know; "" for all others. */
export const askPersonHint = (path: string): string => askThePerson.get(path) ?? ""

/** An instruction to leave an optional field out; "" where there is none. */
export const leaveOutHint = (field: string | undefined): string =>
  field === undefined
    ? ""
    : `, or leave ${field} out${field === "contact.phone" || field === "child_ages" ? " if the person gave none" : ""}`

/** Today's date, where a message is about a date: an assistant that was given a day and a month may not know the year. */
export const todayHint = (message: string, now: number | undefined): string =>
  now !== undefined && /a date|YYYY-MM-DD/.test(message)
    ? `; today is ${new Date(now).toISOString().slice(0, 10)} in UTC`
    : ""

/** The value at a path of raw arguments. */
export const valueAt = (raw: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)]
    return isJsonObject(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined
  }, raw)
