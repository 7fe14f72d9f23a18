/** What an import changes, for people: which fields, from what to what, amounts as money. Pure. */
import { Predicate, Schema } from "effect"
import { display } from "../kernel/Money.ts"
import { OpeningHours } from "../catalogue/Playroom.ts"
import { openingHoursText } from "./OpeningHoursText.ts"

const FieldChange = Schema.Struct({
  /** As in the catalogue file, like `pricing.extra_child`. */
  field: Schema.String,
  /** Absent where there was nothing, or is nothing any more. */
  was: Schema.optionalKey(Schema.String),
  becomes: Schema.optionalKey(Schema.String)
})
type FieldChange = typeof FieldChange.Type

/** One thing that an import changes. What went off sale comes back where the file has it again. */
export const CatalogueChange = Schema.Struct({
  change: Schema.Literals(["added", "changed", "off_sale", "removed"]),
  kind: Schema.Literals(["operator", "playroom", "package", "add_on", "closure"]),
  /** Absent in a dry run where something is added: it may get its id from the import. */
  id: Schema.optionalKey(Schema.String),
  name: Schema.String,
  /** The name of the playroom that it belongs to. */
  playroom: Schema.optionalKey(Schema.String),
  fields: Schema.Array(FieldChange)
})
export type CatalogueChange = typeof CatalogueChange.Type

const nothing = (value: unknown): value is null | undefined => value === null || value === undefined

/** Whether two JSON values are equal; a member that is null or undefined is as good as absent. */
export const sameJson = (a: unknown, b: unknown): boolean => {
  if (nothing(a) || nothing(b)) return nothing(a) && nothing(b)
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]))
  if (!Predicate.isObject(a) || !Predicate.isObject(b) || Array.isArray(b)) return a === b
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => sameJson(member(a, key), member(b, key)))
}

const member = (value: object, key: string): unknown => (Predicate.hasProperty(value, key) ? value[key] : undefined)

/** Fields whose number is an amount in the playroom's currency. */
const isAmount = (field: string): boolean => /(^|\.)(base|extra_child|adult|amount|unit_amount)$/.test(field)

const isOpeningHours = Schema.is(Schema.Array(OpeningHours))

const textOf = (field: string, value: unknown, currency: string | undefined): string => {
  if (typeof value === "number" && currency !== undefined && isAmount(field)) return display(value, currency)
  if (field === "opening_hours" && isOpeningHours(value)) return openingHoursText(value)
  if (Array.isArray(value)) return value.map(String).join(", ")
  return String(value)
}

const isLeaf = (field: string, value: unknown): boolean =>
  field === "opening_hours" ||
  (Array.isArray(value) ? value.every((item) => !Predicate.isObject(item)) : !Predicate.isObject(value))

/** The values of a JSON value by their fields. Lists of texts and opening hours are one value. */
const leaves = (value: unknown, currency: string | undefined): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const walk = (field: string, at: unknown): void => {
    if (nothing(at) || (Array.isArray(at) && at.length === 0)) return
    if (isLeaf(field, at)) found.set(field, textOf(field, at, currency))
    else if (Array.isArray(at)) at.forEach((item, i) => walk(`${field}[${i}]`, item))
    else if (Predicate.isObject(at)) {
      for (const [key, item] of Object.entries(at)) walk(field === "" ? key : `${field}.${key}`, item)
    }
  }
  walk("", value)
  return found
}

/** The fields in which two JSON objects differ, each in a text. The currencies are those of the amounts on either side. */
export const changedFields = (
  was: object,
  becomes: object,
  currencies: readonly [was: string | undefined, becomes: string | undefined] = [undefined, undefined]
): ReadonlyArray<FieldChange> => {
  if (sameJson(was, becomes)) return []
  const before = leaves(was, currencies[0])
  const after = leaves(becomes, currencies[1])
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field): ReadonlyArray<FieldChange> => {
    const [old, fresh] = [before.get(field), after.get(field)]
    if (old === fresh) return []
    return [{ field, ...(old === undefined ? {} : { was: old }), ...(fresh === undefined ? {} : { becomes: fresh }) }]
  })
}
