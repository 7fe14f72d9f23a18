/**
 * What a small model does wrong, as it was seen in conversations: each habit belongs to some assistants, and acts at
 * some steps. Where the person objects, the assistant gives up the habit that misled it.
 */
import type { Chance } from "../../fuzz/Chance.ts"
import { isJsonObject, type JsonObject } from "../../../src/surfaces/mcp/transport/JsonRpc.ts"
import { listedTools, isToolName } from "../../../src/surfaces/mcp/tools/ToolList.ts"

export type Input = Readonly<Record<string, unknown>>

/** In so many of 100 conversations, and then at so many of 100 steps. */
export const habits = {
  first_result: [60, 100],
  first_option: [60, 100],
  mode_ignored: [50, 100],
  weekday_wrong: [50, 100],
  blanks: [50, 50],
  values_invented: [40, 25],
  contact_invented: [20, 100],
  named_field_dropped: [50, 50],
  ids_mixed: [30, 15],
  answer_lost: [50, 25],
  option_untold: [60, 60],
  next_step_ignored: [100, 50],
  payment_unchecked: [30, 100],
  // Of the third review, section H: an answer is read for so many characters as `skimmed`, what it says to ask is not
  // asked, adults are nobody, lists are filled because they are there, ids are typed anew, minor units are pounds,
  // and what a note wishes for is told as agreed.
  skims: [50, 40],
  question_unasked: [70, 60],
  adults_left_out: [70, 100],
  lists_padded: [40, 30],
  id_misspelt: [30, 15],
  whole_units: [50, 100],
  notes_promised: [50, 100],
  null_texts: [30, 25],
  dates_in_words: [30, 25]
} as const satisfies Readonly<Record<string, readonly [number, number]>>
export type Habit = keyof typeof habits

const isHabit = (name: string): name is Habit => name in habits

/** The habits of one assistant. */
export const habitsOf = (chance: Chance): Set<Habit> =>
  new Set(
    Object.entries(habits).flatMap(([name, [often]]) => (isHabit(name) && chance.below(100) < often ? [name] : []))
  )

/** So much of an answer is read by who skims it. */
export const skimmed = 300

/** Who has habits. `acted`: how often each of them has acted. */
export interface Hasty {
  readonly habits: ReadonlySet<Habit>
  readonly chance: Chance
  readonly acted: Map<Habit, number>
}

/** Whether a habit acts at this step. */
export const acts = ({ acted, chance, habits: own }: Hasty, habit: Habit): boolean => {
  const does = own.has(habit) && chance.below(100) < habits[habit][1]
  if (does) acted.set(habit, (acted.get(habit) ?? 0) + 1)
  return does
}

const schemaOf = (tool: string): JsonObject => {
  const schema = listedTools.find(({ name }) => name === tool)?.inputSchema
  return isJsonObject(schema) ? schema : {}
}

/** The input fields of a tool as the list of tools describes them. */
export const fieldsOf = (tool: string): JsonObject => {
  const { properties } = schemaOf(tool)
  return isJsonObject(properties) ? properties : {}
}

export const isRequired = (tool: string, field: string): boolean => {
  const { required } = schemaOf(tool)
  return Array.isArray(required) && required.includes(field)
}

/** Ids that were told in this conversation, of whatever playroom. */
export interface KnownIds {
  readonly playroom_id: Array<string>
  readonly package_id: Array<string>
  readonly option_id: Array<string>
}

type Spoiling = (tool: string, input: Input, chance: Chance) => Input

const pick = (chance: Chance, list: ReadonlyArray<string>): string | undefined => list[chance.below(list.length)]

const blanks: Spoiling = (tool, input, chance) => {
  const free = Object.keys(fieldsOf(tool)).filter((field) => !(field in input) && !isRequired(tool, field))
  const chosen = free.filter(() => chance.once(2))
  return { ...input, ...Object.fromEntries(chosen.map((field) => [field, chance.once(2) ? "" : null])) }
}

const numberAsText: Spoiling = (_tool, input, chance) => {
  const field = pick(
    chance,
    Object.keys(input).filter((key) => typeof input[key] === "number")
  )
  return field === undefined ? input : { ...input, [field]: String(input[field]) }
}

const invented: Readonly<Record<string, ReadonlyArray<string>>> = {
  mode: ["private", "party", "open_play"],
  sort: ["cheapest", "rating"],
  purpose: ["deposit", "full"]
}
const inventedValue: Spoiling = (tool, input, chance) => {
  const field = pick(
    chance,
    Object.keys(invented).filter((key) => key in fieldsOf(tool))
  )
  return field === undefined ? input : { ...input, [field]: pick(chance, invented[field] ?? []) }
}

const inventedField: Spoiling = (_tool, input, chance) => ({
  ...input,
  [pick(chance, ["language", "guests", "currency", "time"]) ?? "language"]: chance.once(2) ? "en" : 8
})

const noise: Spoiling = (_tool, input, chance) =>
  isJsonObject(input.contact)
    ? { ...input, notes: null, contact: { ...input.contact, phone: pick(chance, ["", "unknown", "n/a", "-"]) } }
    : input

const padding: Readonly<Record<string, unknown>> = { child_ages: 5, weekdays: "saturday", amenities: "toys" }
const padded: Spoiling = (tool, input, chance) => {
  const lists = Object.entries(fieldsOf(tool)).filter(([, schema]) => isJsonObject(schema) && schema.type === "array")
  const filled = lists.flatMap(([field]) => {
    if (!chance.once(2)) return []
    const own: unknown = input[field]
    const blank = chance.one([[], [""], [null], ["null"], field in padding ? [padding[field]] : []])
    return [[field, [...(Array.isArray(own) ? own : []), ...blank]] as const]
  })
  return { ...input, ...Object.fromEntries(filled) }
}

const isYen = (money: JsonObject): boolean => money.currency === "JPY"
const wholeUnits = (input: Input): Input => {
  const budget = input.max_total
  return isJsonObject(budget) && typeof budget.amount === "number" && !isYen(budget)
    ? { ...input, max_total: { ...budget, amount: Math.round(budget.amount / 100) } }
    : input
}

/** Where "null" is what somebody wrote. */
const freeTexts = new Set(["query", "notes"])
const nullTexts: Spoiling = (tool, input, chance) => {
  const sent = Object.entries(input).map(([field, value]) => [
    field,
    typeof value === "object" && value !== null && chance.once(2) ? JSON.stringify(value) : value
  ])
  const free = Object.keys(fieldsOf(tool)).filter(
    (field) => !(field in input) && !freeTexts.has(field) && !isRequired(tool, field) && chance.once(2)
  )
  const nulls = free.map((field) => [field, chance.once(3) ? ["null"] : "null"])
  return { ...Object.fromEntries(sent), ...Object.fromEntries(nulls) }
}

const datesInWords: Spoiling = (_tool, input, chance) => {
  if (typeof input.date !== "string") return input
  const [year, month, day] = input.date.split("-")
  const words = new Date(`${input.date}T12:00:00Z`).toUTCString().slice(0, 16)
  return { ...input, date: chance.one([words, `${day}/${month}/${year}`, "next Saturday"]) }
}

/** The same with another letter in one id; undefined where it has none. */
export const misspelt = (input: Input, chance: Chance): Input | undefined => {
  const ids = Object.entries(input).flatMap(([name, value]) =>
    name.endsWith("_id") && typeof value === "string" && value !== "" ? [[name, value] as const] : []
  )
  const [name, id] = ids[chance.below(Math.max(1, ids.length))] ?? []
  if (name === undefined || id === undefined) return undefined
  const at = chance.below(id.length)
  const others = [..."abcdefghjkmnpqrstvwxyz0123456789"].filter((letter) => letter !== id[at])
  return { ...input, [name]: `${id.slice(0, at)}${pick(chance, others)}${id.slice(at + 1)}` }
}

const inventing = [numberAsText, inventedValue, inventedField, noise] as const

/** An id of the same kind that was told of something else. */
const mixed = (input: Input, ids: KnownIds, chance: Chance): Input => {
  const kinds = (["playroom_id", "package_id", "option_id"] as const).filter((kind) => kind in input)
  const kind = kinds[chance.below(Math.max(1, kinds.length))]
  if (kind === undefined) return input
  const others = ids[kind].filter((id) => id !== input[kind])
  return { ...input, [kind]: pick(chance, others) ?? input[kind] }
}

/** The arguments as a hasty assistant sends them. */
export const spoilt = (tool: string, input: Input, of: Hasty & { readonly ids: KnownIds }): Input => {
  if (!isToolName(tool)) return input
  const { chance, ids } = of
  let sent = acts(of, "ids_mixed") ? mixed(input, ids, chance) : input
  if ("max_total" in sent && acts(of, "whole_units")) sent = wholeUnits(sent)
  if ("answers" in sent && acts(of, "question_unasked")) {
    const { answers: _, ...rest } = sent
    sent = rest
  }
  if (acts(of, "values_invented")) sent = chance.one(inventing)(tool, sent, chance)
  if (acts(of, "lists_padded")) sent = padded(tool, sent, chance)
  if ("date" in sent && acts(of, "dates_in_words")) sent = datesInWords(tool, sent, chance)
  if (acts(of, "blanks")) sent = blanks(tool, sent, chance)
  return acts(of, "null_texts") ? nullTexts(tool, sent, chance) : sent
}
