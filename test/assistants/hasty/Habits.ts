/**
 * How a hasty assistant spoils the arguments of a call that it knows better: blanks for what it leaves out, numbers as text, names for
 * ids, invented values and fields, day and month swapped, coordinates swapped, another case.
 */
import type { Chance } from "../../fuzz/Chance.ts"
import { isJsonObject, type JsonObject } from "../../../src/mcp/transport/JsonRpc.ts"
import { listedTools } from "../../../src/mcp/tools/ToolList.ts"
import { isToolName } from "../../../src/mcp/tools/Tools.ts"

export type Input = Readonly<Record<string, unknown>>

/** The input fields of a tool as the list of tools describes them. */
export const fieldsOf = (tool: string): JsonObject => {
  const schema = listedTools.find(({ name }) => name === tool)?.inputSchema
  return isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {}
}

const requiredOf = (tool: string): ReadonlyArray<unknown> => {
  const schema = listedTools.find(({ name }) => name === tool)?.inputSchema
  return isJsonObject(schema) && Array.isArray(schema.required) ? schema.required : []
}

/** What is known besides the arguments: names that a model puts where ids belong. */
export interface Names {
  readonly playroom?: string | undefined
  readonly package?: string | undefined
}

type Habit = (tool: string, input: Input, chance: Chance, names: Names) => Input

const pick = (chance: Chance, list: ReadonlyArray<string>): string | undefined => list[chance.below(list.length)]

const blanks: Habit = (tool, input, chance) => {
  const free = Object.keys(fieldsOf(tool)).filter((field) => !(field in input) && !requiredOf(tool).includes(field))
  const chosen = free.filter(() => chance.once(2))
  return { ...input, ...Object.fromEntries(chosen.map((field) => [field, chance.once(2) ? "" : null])) }
}

const numbersAsText: Habit = (_tool, input, chance) => {
  const field = pick(
    chance,
    Object.keys(input).filter((key) => typeof input[key] === "number")
  )
  return field === undefined ? input : { ...input, [field]: String(input[field]) }
}

const namesForIds: Habit = (_tool, input, _chance, { playroom, package: pkg }) => ({
  ...input,
  ...("playroom_id" in input && playroom !== undefined ? { playroom_id: playroom } : {}),
  ...("package_id" in input && pkg !== undefined ? { package_id: pkg } : {})
})

const invented: Readonly<Record<string, ReadonlyArray<string>>> = {
  mode: ["private", "party", "open_play"],
  sort: ["cheapest", "rating"],
  purpose: ["deposit", "full"]
}
const inventedValues: Habit = (tool, input, chance) => {
  const field = pick(
    chance,
    Object.keys(invented).filter((key) => key in fieldsOf(tool))
  )
  return field === undefined ? input : { ...input, [field]: pick(chance, invented[field] ?? []) }
}

const inventedFields: Habit = (_tool, input, chance) => ({
  ...input,
  [pick(chance, ["language", "guests", "currency", "budget", "time"]) ?? "language"]: chance.once(2) ? "en" : 8
})

const swappedDate: Habit = (_tool, input, chance) => {
  const { date } = input
  if (typeof date !== "string") return input
  const [year = "", month = "", day = ""] = date.split("-")
  if (chance.once(3)) return { ...input, date: `${Number(day)}/${Number(month)}/${year}` }
  // 12/5 for 5/12: only where that is a date at all.
  return Number(day) <= 12 ? { ...input, date: `${year}-${day}-${month}` } : input
}

const swappedPoint: Habit = (_tool, input) =>
  isJsonObject(input.near)
    ? { ...input, near: { ...input.near, latitude: input.near.longitude, longitude: input.near.latitude } }
    : input

const timesWithoutDate: Habit = (tool, input) =>
  tool === "search_playrooms" && !("date" in input) ? { ...input, start_after: "10:00" } : input

const contactNoise: Habit = (_tool, input, chance) =>
  isJsonObject(input.contact)
    ? {
        ...input,
        notes: null,
        contact: { ...input.contact, phone: pick(chance, ["", "unknown", "n/a", "-"]) }
      }
    : input

const bookingByMail: Habit = (tool, input, chance) => {
  if (tool !== "get_booking") return input
  return chance.once(2) ? { email: "someone@example.com" } : { ...input, reference: "K7M2-9QXD" }
}

const habits: ReadonlyArray<Habit> = [
  blanks,
  blanks,
  numbersAsText,
  namesForIds,
  inventedValues,
  inventedFields,
  swappedDate,
  swappedPoint,
  timesWithoutDate,
  contactNoise,
  bookingByMail
]

/** The arguments as a hasty assistant sends them: about half of the calls are spoilt in one or two ways. */
export const spoilt = (tool: string, input: Input, chance: Chance, names: Names): Input => {
  if (!isToolName(tool) || chance.once(2)) return input
  let sent = input
  for (let left = 1 + chance.below(2); left > 0; left--) {
    sent = habits[chance.below(habits.length)]?.(tool, sent, chance, names) ?? sent
  }
  return sent
}

/** The same address in another case. */
export const otherCase = (email: string): string => email.toUpperCase()
