/**
 * What a small model does wrong, as it was seen in conversations: each habit belongs to some assistants, and acts at
 * some steps. Where the person objects, the assistant gives up the habit that misled it.
 */
import type { Chance } from "../../fuzz/Chance.ts"
import { isJsonObject, type JsonObject } from "../../../src/surfaces/mcp/transport/JsonRpc.ts"
import { listedTools, isToolName } from "../../../src/surfaces/mcp/tools/ToolList.ts"

export type Input = Readonly<Record<string, unknown>>

/** In so many of 100 conversations, and then at so many of 100 steps. */
const habits = {
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
  payment_unchecked: [30, 100]
} as const satisfies Readonly<Record<string, readonly [number, number]>>
export type Habit = keyof typeof habits

const isHabit = (name: string): name is Habit => name in habits

/** The habits of one assistant. */
export const habitsOf = (chance: Chance): Set<Habit> =>
  new Set(
    Object.entries(habits).flatMap(([name, [often]]) => (isHabit(name) && chance.below(100) < often ? [name] : []))
  )

/** Whether a habit acts at this step. */
export const acts = (of: { readonly habits: ReadonlySet<Habit>; readonly chance: Chance }, habit: Habit): boolean =>
  of.habits.has(habit) && of.chance.below(100) < habits[habit][1]

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
export const spoilt = (
  tool: string,
  input: Input,
  of: { readonly habits: ReadonlySet<Habit>; readonly chance: Chance; readonly ids: KnownIds }
): Input => {
  if (!isToolName(tool)) return input
  const { chance, ids } = of
  let sent = acts(of, "ids_mixed") ? mixed(input, ids, chance) : input
  if (acts(of, "values_invented")) sent = chance.one(inventing)(tool, sent, chance)
  return acts(of, "blanks") ? blanks(tool, sent, chance) : sent
}
