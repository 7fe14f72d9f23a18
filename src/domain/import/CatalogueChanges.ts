/**
 * The difference between a catalogue file and the stored catalogue: which things and fields change, with old and new
 * values, and amounts as money. An import writes only what differs.
 */

import { Clock, Effect, Predicate, Schema, Array, Option, Struct } from "effect"
import type { SqlClient } from "effect/sql"
import { decodeRows } from "../../platform/database/Rows.ts"
import { display } from "../../platform/money/Money.ts"
import { localDateOf } from "../../platform/time/LocalTime.ts"
import { OpeningHours } from "../catalogue/Playroom.ts"
import { playroomIssues } from "./CatalogueChecks.ts"
import {
  type IdentifiedCatalogue,
  type IdentifiedPlayroom,
  type IdentifiedPackage,
  outOfOrderBy,
  type Reading
} from "./CatalogueIds.ts"
import {
  closureRange,
  closureTexts,
  openingHoursText,
  FileAddOn,
  FilePackage,
  FilePlayroom,
  type Issue,
  type Keep
} from "./CatalogueSchema.ts"
import type { IndexedPlayroom } from "./Imported.ts"
import { addOnColumns, playroomColumns, addOnRows, detailsOf, modesOf, packageRows } from "./CatalogueUpserts.ts"

const FieldChange = Schema.Struct({
  /** As in the catalogue file, like `pricing.extra_child`. */
  field: Schema.String,
  /** Absent if the field had no value, or no longer has one. */
  was: Schema.optionalKey(Schema.String),
  becomes: Schema.optionalKey(Schema.String)
})
type FieldChange = typeof FieldChange.Type

/** One thing that an import changes. A part that went off sale comes back if the file has it again. */
export const CatalogueChange = Schema.Struct({
  change: Schema.Literals(["added", "changed", "off_sale", "removed"]),
  kind: Schema.Literals(["operator", "playroom", "package", "add_on", "closure"]),
  /** Absent if a dry run adds something: it may get its id from the import. */
  id: Schema.optionalKey(Schema.String),
  name: Schema.String,
  /** The name of its playroom. */
  playroom: Schema.optionalKey(Schema.String),
  fields: Schema.Array(FieldChange)
})
export type CatalogueChange = typeof CatalogueChange.Type

const nothing = (value: unknown): value is null | undefined => value === null || value === undefined

/** Whether two JSON values are equal. A null or undefined member equals an absent one. */
export const sameJson = (a: unknown, b: unknown): boolean => {
  if (nothing(a) || nothing(b)) return nothing(a) && nothing(b)
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]))
  if (!Predicate.isObject(a) || !Predicate.isObject(b) || Array.isArray(b)) return a === b
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => sameJson(member(a, key), member(b, key)))
}

const member = (value: object, key: string): unknown => (Predicate.hasProperty(value, key) ? value[key] : undefined)

/** Fields whose number is an amount in the playroom's currency. */
const isAmount = (field: string): boolean => /(^|\.)(base|extra_child|adult|amount|unit_amount)$/.test(field)

const weeklyFields: ReadonlySet<string> = new Set(["opening_hours", "quiet_hours"])
const isOpeningHours = Schema.is(Schema.Array(OpeningHours))

const textOf = (field: string, value: unknown, currency: string | undefined): string => {
  if (typeof value === "number" && currency !== undefined && isAmount(field)) return display(value, currency)
  if (weeklyFields.has(field) && isOpeningHours(value)) return openingHoursText(value)
  if (Array.isArray(value)) return value.map(String).join(", ")
  return String(value)
}

const isLeaf = (field: string, value: unknown): boolean =>
  weeklyFields.has(field) ||
  (Array.isArray(value) ? value.every((item) => !Predicate.isObject(item)) : !Predicate.isObject(value))

/** The values of a JSON value by field. A list of texts is one value, and so are hours of a week. */
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

/**
 * The fields in which two JSON objects differ, with their values as text. `currencies` are those of the amounts on
 * either side.
 */
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

const Stored = Schema.Struct({
  playroom_id: Schema.String,
  name: Schema.String,
  currency: Schema.String,
  time_zone: Schema.String,
  row: Schema.Record(Schema.String, Schema.Unknown),
  details: Schema.Record(Schema.String, Schema.Unknown),
  modes: Schema.Array(Schema.String),
  packages: Schema.Array(
    Schema.Struct({
      package_id: Schema.String,
      position: Schema.Int,
      on_sale: Schema.Boolean,
      terms: Schema.Record(Schema.String, Schema.Unknown)
    })
  ),
  add_ons: Schema.Array(
    Schema.Struct({
      add_on_id: Schema.String,
      position: Schema.Int,
      on_sale: Schema.Boolean,
      name: Schema.String,
      unit: Schema.String,
      unit_amount: Schema.Int,
      tax: Schema.NullOr(Schema.Unknown),
      max_quantity: Schema.Int,
      rules: Schema.Array(Schema.Unknown),
      stock: Schema.NullOr(Schema.Int),
      uses: Schema.NullOr(Schema.String)
    })
  ),
  /** Those of the file; instants in milliseconds. With the add-on and its units: what is out of order. */
  closures: Schema.Array(
    Schema.Struct({
      closure_id: Schema.String,
      add_on: Schema.optionalKey(Schema.String),
      units: Schema.optionalKey(Schema.Int),
      start: Schema.Finite,
      end: Schema.Finite,
      reason: Schema.String
    })
  )
})
export type StoredPlayroom = typeof Stored.Type

const storedRows = decodeRows(Schema.Array(Stored))

/** Playrooms that one statement reads or writes. */
export const batchSize = 100

/** These playrooms as they are stored, listed or not, including parts that are off sale. */
export const readStored = (
  sql: SqlClient.SqlClient,
  playrooms: ReadonlyArray<Pick<IdentifiedPlayroom, "playroom_id">>
) =>
  Effect.map(
    storedRows(sql`
select p.playroom_id, p.name, p.currency, p.time_zone, p.details, p.modes,
  jsonb_build_object(${sql.literal(playroomColumns.map((column) => `'${column}', p.${column}`).join(", "))}) as row,
  (select coalesce(jsonb_agg(jsonb_build_object('package_id', k.package_id, 'position', k.position, 'on_sale', k.on_sale, 'terms', k.terms)
    order by k.position, k.package_id), '[]') from package k where k.playroom_id = p.playroom_id) as packages,
  (select coalesce(jsonb_agg(jsonb_build_object('add_on_id', a.add_on_id, 'position', a.position, 'on_sale', a.on_sale, 'name', a.name,
    'unit', a.unit, 'unit_amount', a.unit_amount, 'tax', a.tax, 'max_quantity', a.max_quantity, 'rules', a.rules, 'stock', a.stock,
    'uses', (select r.slug from resource r where r.resource_id = a.uses)) order by a.position, a.add_on_id), '[]')
    from add_on a where a.playroom_id = p.playroom_id) as add_ons,
  (select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('closure_id', c.closure_id, 'add_on', c.add_on_id, 'units', c.units,
    'start', floor(extract(epoch from lower(c.during)) * 1000), 'end', floor(extract(epoch from upper(c.during)) * 1000),
    'reason', c.reason)) order by lower(c.during), c.closure_id), '[]') from (
      select closure_id, null as add_on_id, null as units, during, reason from closure
        where playroom_id = p.playroom_id and made_by is null
      union all select s.closure_id, s.add_on_id, s.units, s.during, s.reason from out_of_order s join add_on a using (add_on_id)
        where a.playroom_id = p.playroom_id) c) as closures
from playroom p where p.playroom_id = any(${playrooms.map(({ playroom_id }) => playroom_id)}::text[])`),
    (rows) => new Map(rows.map((row) => [row.playroom_id, row]))
  )

const pick = (from: object, keys: ReadonlyArray<string>): object =>
  Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)))

/** A playroom's own fields, as in the file. */
const ownFields = (playroom: IdentifiedPlayroom): object => ({
  ...pick(playroom, playroomColumns),
  ...detailsOf(playroom)
})

const closureFields = (
  zone: string,
  { end, start, ...fields }: Omit<StoredPlayroom["closures"][number], "closure_id">
) => ({ ...closureTexts(zone, { start, end }, (instant) => localDateOf(zone, instant)), ...fields })

/**
 * The changes by the import of a playroom, starting with the playroom itself; empty if the file equals the stored one.
 */
export const changesOf = (
  playroom: IdentifiedPlayroom,
  stored: StoredPlayroom | undefined
): ReadonlyArray<CatalogueChange> => {
  const { currency, name, time_zone } = playroom
  const currencies = [stored?.currency, currency] as const
  const part = (
    change: CatalogueChange["change"],
    kind: CatalogueChange["kind"],
    id: string,
    its: string,
    fields: CatalogueChange["fields"] = []
  ): CatalogueChange => ({
    change,
    kind,
    id,
    name: its,
    playroom: name,
    fields
  })
  /** A line for a part of the file: added, changed, or none. */
  const compared = (
    kind: CatalogueChange["kind"],
    id: string,
    its: string,
    was: object | undefined,
    becomes: object
  ): Array<CatalogueChange> =>
    was === undefined
      ? [part("added", kind, id, its)]
      : sameJson(was, becomes)
        ? []
        : [part("changed", kind, id, its, changedFields(was, becomes, currencies))]

  const lines: Array<CatalogueChange> = []
  if (stored === undefined) {
    lines.push({ change: "added", kind: "playroom", id: playroom.playroom_id, name, fields: [] })
  } else {
    const [was, becomes] = [{ ...stored.row, ...stored.details }, ownFields(playroom)]
    if (!sameJson(was, becomes))
      lines.push({
        change: "changed",
        kind: "playroom",
        id: playroom.playroom_id,
        name,
        fields: changedFields(was, becomes, currencies)
      })
  }

  const packages = new Map((stored?.packages ?? []).map((it) => [it.package_id, it]))
  for (const { on_sale, package_id, position, terms } of packageRows(playroom)) {
    const old = packages.get(package_id)
    packages.delete(package_id)
    const was = old && { position: old.position, on_sale: old.on_sale, ...old.terms }
    lines.push(...compared("package", package_id, terms.name, was, { position, on_sale, ...terms }))
  }
  for (const { package_id, on_sale, terms } of packages.values()) {
    if (on_sale) lines.push(part("off_sale", "package", package_id, String(terms["name"])))
  }

  const addOns = new Map((stored?.add_ons ?? []).map((it) => [it.add_on_id, it]))
  for (const row of addOnRows(playroom)) {
    const old = addOns.get(row.add_on_id)
    addOns.delete(row.add_on_id)
    const becomes = pick(row, addOnColumns)
    const { add_on_id: _id, ...was } = old ?? { add_on_id: row.add_on_id }
    lines.push(...compared("add_on", row.add_on_id, row.name, old && was, becomes))
  }
  for (const { add_on_id, name: its, on_sale } of addOns.values()) {
    if (on_sale) lines.push(part("off_sale", "add_on", add_on_id, its))
  }

  const closures = new Map((stored?.closures ?? []).map((it) => [it.closure_id, it]))
  const names = new Map([...(stored?.add_ons ?? []), ...playroom.add_ons].map((it) => [String(it.add_on_id), it.name]))
  const labelOf = ({ add_on, from, reason, to, units }: ReturnType<typeof closureFields>): string =>
    `${add_on === undefined ? "" : `${units} × ${names.get(add_on)}, `}${from} to ${to}, ${reason}`
  for (const closure of playroom.closures) {
    const { closure_id, reason } = closure
    const old = closures.get(closure_id)
    closures.delete(closure_id)
    const broken = outOfOrderBy(playroom, closure)
    const range = {
      ...closureRange(time_zone, closure),
      reason,
      ...(broken && { add_on: broken.add_on_id, units: broken.units })
    }
    const becomes = closureFields(time_zone, range)
    if (old === undefined) lines.push(part("added", "closure", closure_id, labelOf(becomes)))
    else if (!sameJson(old, { closure_id, ...range })) {
      const was = closureFields(stored?.time_zone ?? time_zone, Struct.omit(old, ["closure_id"]))
      lines.push(part("changed", "closure", closure_id, labelOf(becomes), changedFields(was, becomes)))
    }
  }
  for (const { closure_id, ...closure } of closures.values())
    lines.push(part("removed", "closure", closure_id, labelOf(closureFields(stored?.time_zone ?? time_zone, closure))))
  return lines
}

/** Whether a playroom's own row must be written. Also true if its packages' modes have changed. */
export const rowDiffers = (
  playroom: IdentifiedPlayroom,
  stored: StoredPlayroom | undefined,
  changes: ReadonlyArray<CatalogueChange>
): boolean => changes.some(({ kind }) => kind === "playroom") || !sameJson(stored?.modes, modesOf(playroom))

const StoredOperator = Schema.Struct({
  operator_id: Schema.String,
  row: Schema.Record(Schema.String, Schema.Unknown)
})
const operatorRows = decodeRows(Schema.Array(StoredOperator))

/**
 * The changes by the import of operators. It never removes an account, and never changes what payments and commands
 * set.
 */
export const operatorChanges = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  operators: IdentifiedCatalogue["operators"]
) {
  const rows =
    yield* operatorRows(sql`select operator_id, jsonb_build_object('name', name, 'support_email', support_email, 'phone', phone,
    'legal_name', legal_name, 'tax_number', tax_number, 'vouchers', vouchers,
    'connected_account_id', connected_account_id, 'billing_customer_id', billing_customer_id,
    'application_fee_percent', application_fee_percent, 'stock', (select jsonb_object_agg(r.slug, r.units) from resource r
      where r.operator_id = operator.operator_id and r.slug is not null)) as row from operator
    where operator_id = any(${operators.map(({ operator_id }) => operator_id)}::text[])`)
  const stored = new Map(rows.map(({ operator_id, row }) => [operator_id, row]))
  return operators.flatMap((operator): ReadonlyArray<CatalogueChange> => {
    const { operator_id, name, support_email, phone, legal_name, tax_number, vouchers, application_fee_percent } =
      operator
    const line = { kind: "operator", id: operator_id, name } as const
    const was = stored.get(operator_id)
    if (was === undefined) return [{ ...line, change: "added", fields: [] }]
    const becomes = {
      name,
      support_email,
      phone,
      legal_name,
      tax_number,
      vouchers,
      application_fee_percent,
      stock:
        operator.stock.length === 0
          ? undefined
          : Object.fromEntries(operator.stock.map(({ slug, units }) => [slug, units])),
      connected_account_id: operator.connected_account_id ?? was["connected_account_id"],
      billing_customer_id: operator.billing_customer_id ?? was["billing_customer_id"]
    }
    return sameJson(was, becomes) ? [] : [{ ...line, change: "changed", fields: changedFields(was, becomes) }]
  })
})

// What a catalogue file leaves as it is stored.

const decodeTerms = Schema.decodeUnknownOption(
  Schema.Struct({ pricing: FilePackage.fields.pricing, questions: FilePackage.fields.questions })
)
const decodeAddOn = Schema.decodeUnknownOption(Schema.Struct({ rules: FileAddOn.fields.rules }))
const { overrides, photos } = FilePlayroom.fields
const decodeDetails = Schema.decodeUnknownOption(Schema.Struct({ overrides, photos }))

const keptPackage = (pkg: IdentifiedPackage, stored: StoredPlayroom, keep: Keep): IdentifiedPackage => {
  const terms = stored.packages.find(({ package_id }) => package_id === pkg.package_id)?.terms
  const before = Option.getOrUndefined(decodeTerms(terms))
  if (before === undefined) return pkg
  const { pricing, questions = [] } = pkg
  const keepsRules = keep.includes("rules") && pricing.rules.length === 0
  const codes = keep.includes("rules") && pricing.codes === undefined ? before.pricing.codes : undefined
  const kept = keep.includes("questions") && questions.length === 0 ? before.questions : undefined
  return {
    ...pkg,
    pricing: {
      ...pricing,
      ...(keepsRules ? { rules: before.pricing.rules } : {}),
      ...(codes === undefined ? {} : { codes })
    },
    ...(kept === undefined ? {} : { questions: kept })
  }
}

type FileAddOns = IdentifiedPlayroom["add_ons"]

const keptAddOn = (addOn: FileAddOns[number], stored: StoredPlayroom): FileAddOns[number] => {
  const before = stored.add_ons.find(({ add_on_id }) => add_on_id === addOn.add_on_id)
  if (before === undefined || addOn.rules.length > 0) return addOn
  return Option.match(decodeAddOn(before), { onNone: () => addOn, onSome: ({ rules }) => ({ ...addOn, rules }) })
}

const keptPlayroom = (playroom: IdentifiedPlayroom, stored: StoredPlayroom, keep: Keep): IdentifiedPlayroom => {
  const details = Option.getOrUndefined(decodeDetails(stored.details))
  const of = <K extends "overrides" | "photos">(name: K) =>
    keep.includes(name) && playroom[name].length === 0 ? (details?.[name] ?? []) : playroom[name]
  return {
    ...playroom,
    overrides: of("overrides"),
    photos: of("photos"),
    ...((keep.includes("rules") || keep.includes("questions")) && {
      packages: playroom.packages.map((pkg) => keptPackage(pkg, stored, keep))
    }),
    ...(keep.includes("rules") && { add_ons: playroom.add_ons.map((addOn) => keptAddOn(addOn, stored)) })
  }
}

/**
 * The playrooms of a file with the stored parts that it keeps: price rules, codes, questions, overrides and pictures, if it has
 * none of its own. Files from spreadsheets, which have no columns for them, set `keep`. Issues are what can't be in one
 * playroom with what is kept.
 */
export const withKept = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { size, together }: Reading,
  playrooms: ReadonlyArray<IndexedPlayroom>,
  keep: Keep
) {
  const today = localDateOf("UTC", yield* Clock.currentTimeMillis)
  const filled: Array<IdentifiedPlayroom> = []
  const issues: Array<Issue> = []
  for (const batch of Array.chunksOf(playrooms, size)) {
    const stored = yield* together(
      readStored(
        sql,
        batch.map(({ playroom }) => playroom)
      )
    )
    for (const { index, playroom } of batch) {
      const before = stored.get(playroom.playroom_id)
      const kept = before === undefined ? playroom : keptPlayroom(playroom, before, keep)
      // One by one: the number of arguments of a call is limited.
      if (before !== undefined)
        for (const { message, path } of playroomIssues(`playrooms[${index}]`, kept, today))
          issues.push({ path, message: `${message} (with what is kept of it as it is stored)` })
      filled.push(kept)
    }
  }
  return { playrooms: filled, issues }
})
