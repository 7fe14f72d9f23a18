/** What helps an assistant beyond what a field accepts: the value that was meant, whom to ask, what today is. */
import { isJsonObject } from "./Json.ts"

/** Words that models send for a value of an enumeration; the fields' enumerations have no value in common. */
const meant: ReadonlyMap<string, string> = new Map(
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

/** The value of an enumeration that a word stands for, where that is known. */
export const meantBy = (given: unknown, accepted: ReadonlyArray<unknown>): string => {
  if (typeof given !== "string" || given.length > 60) return ""
  const word = plain(given)
  const value = accepted.includes(word) ? word : meant.get(word)
  return value !== undefined && accepted.includes(value) ? `: send ${JSON.stringify(value)}` : ""
}

/** What only the person knows, and what to do where they have not said it. */
const fromThePerson: ReadonlyMap<string, string> = new Map([
  ["contact", ": ask the person for them, never make them up"],
  ["contact.name", ": ask the person for it, never make it up"],
  ["contact.email", ": ask the person for it, never make it up"]
])

/** Whom to ask for a field, in words. */
export const whomToAsk = (path: string): string => fromThePerson.get(path) ?? ""

/** How to leave out what may be left out. Nobody has to have told it. */
export const orLeaveOut = (field: string | undefined): string =>
  field === undefined
    ? ""
    : `, or leave ${field} out${field === "contact.phone" || field === "child_ages" ? " if the person gave none" : ""}`

/** What today is, where a message is about a date: who only knows a day and a month does not know the year. */
export const todayIn = (message: string, now: number | undefined): string =>
  now !== undefined && /a date|YYYY-MM-DD/.test(message)
    ? `; today is ${new Date(now).toISOString().slice(0, 10)} in UTC`
    : ""

/** The value at a path of raw arguments. */
export const valueAt = (raw: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)]
    return isJsonObject(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined
  }, raw)
