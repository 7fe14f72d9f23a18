/** What the database has of a file's playrooms: an import writes only those that differ, and says how. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { decodeRows } from "../kernel/Rows.ts"
import { changedFields, type CatalogueChange, sameJson } from "./CatalogueChanges.ts"
import { addOnRows, detailsOf, packageRows } from "./CatalogueUpserts.ts"
import type { IdentifiedCatalogue, IdentifiedPlayroom } from "./CatalogueIds.ts"
import { closureRange, closureTexts } from "./CatalogueSchema.ts"
import { localDateOf } from "../kernel/LocalTime.ts"

const Stored = Schema.Struct({
  playroom_id: Schema.String,
  name: Schema.String,
  currency: Schema.String,
  time_zone: Schema.String,
  row: Schema.Record(Schema.String, Schema.Unknown),
  details: Schema.Record(Schema.String, Schema.Unknown),
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
      max_quantity: Schema.Int,
      stock: Schema.NullOr(Schema.Int)
    })
  ),
  /** Instants in milliseconds. */
  closures: Schema.Array(
    Schema.Struct({ closure_id: Schema.String, start: Schema.Finite, end: Schema.Finite, reason: Schema.String })
  )
})
export type StoredPlayroom = typeof Stored.Type

/** A playroom's columns that come from the file as they are. */
const columns = [
  "operator_id",
  "name",
  "summary",
  "description",
  "address",
  "city",
  "country",
  "latitude",
  "longitude",
  "time_zone",
  "currency",
  "capacity",
  "age_min",
  "age_max",
  "amenities",
  "listed"
] as const satisfies ReadonlyArray<keyof IdentifiedPlayroom>

const storedRows = decodeRows(Schema.Array(Stored))

/** What is stored of these playrooms, listed or not, with what is off sale too. */
export const readStored = (sql: SqlClient.SqlClient, playroom_ids: ReadonlyArray<string>) =>
  Effect.map(
    storedRows(sql`
select p.playroom_id, p.name, p.currency, p.time_zone, p.details,
  jsonb_build_object(${sql.literal(columns.map((column) => `'${column}', p.${column}`).join(", "))}) as row,
  (select coalesce(jsonb_agg(jsonb_build_object('package_id', k.package_id, 'position', k.position, 'on_sale', k.on_sale, 'terms', k.terms)
    order by k.position, k.package_id), '[]') from package k where k.playroom_id = p.playroom_id) as packages,
  (select coalesce(jsonb_agg(jsonb_build_object('add_on_id', a.add_on_id, 'position', a.position, 'on_sale', a.on_sale, 'name', a.name,
    'unit', a.unit, 'unit_amount', a.unit_amount, 'max_quantity', a.max_quantity, 'stock', a.stock) order by a.position, a.add_on_id), '[]')
    from add_on a where a.playroom_id = p.playroom_id) as add_ons,
  (select coalesce(jsonb_agg(jsonb_build_object('closure_id', c.closure_id, 'start', floor(extract(epoch from lower(c.during)) * 1000),
    'end', floor(extract(epoch from upper(c.during)) * 1000), 'reason', c.reason) order by lower(c.during)), '[]')
    from closure c where c.playroom_id = p.playroom_id) as closures
from playroom p where p.playroom_id = any(${playroom_ids}::text[])`),
    (rows) => new Map(rows.map((row) => [row.playroom_id, row]))
  )

type Line = CatalogueChange

const pick = (from: object, keys: ReadonlyArray<string>): object =>
  Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)))

/** A playroom's own fields, as in the file. */
const ownFields = (playroom: IdentifiedPlayroom): object => ({ ...pick(playroom, columns), ...detailsOf(playroom) })

const closureFields = (
  zone: string,
  { end, reason, start }: Omit<StoredPlayroom["closures"][number], "closure_id">
) => ({
  ...closureTexts(zone, { start, end }, (instant) => localDateOf(zone, instant)),
  reason
})

/** What the import of a playroom changes, first of the playroom itself; empty where the file equals what is stored. */
export const changesOf = (playroom: IdentifiedPlayroom, stored: StoredPlayroom | undefined): ReadonlyArray<Line> => {
  const { currency, name, time_zone } = playroom
  const currencies = [stored?.currency, currency] as const
  const part = (
    change: Line["change"],
    kind: Line["kind"],
    id: string,
    its: string,
    fields: Line["fields"] = []
  ): Line => ({
    change,
    kind,
    id,
    name: its,
    playroom: name,
    fields
  })
  /** A line for what is in the file: added, changed, or none. */
  const compared = (
    kind: Line["kind"],
    id: string,
    its: string,
    was: object | undefined,
    becomes: object
  ): Array<Line> =>
    was === undefined
      ? [part("added", kind, id, its)]
      : sameJson(was, becomes)
        ? []
        : [part("changed", kind, id, its, changedFields(was, becomes, currencies))]

  const lines: Array<Line> = []
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
  for (const { package_id, position, terms } of packageRows(playroom)) {
    const old = packages.get(package_id)
    packages.delete(package_id)
    const was = old && { position: old.position, on_sale: old.on_sale, ...old.terms }
    lines.push(...compared("package", package_id, terms.name, was, { position, on_sale: true, ...terms }))
  }
  for (const { package_id, on_sale, terms } of packages.values()) {
    if (on_sale) lines.push(part("off_sale", "package", package_id, String(terms["name"])))
  }

  const addOns = new Map((stored?.add_ons ?? []).map((it) => [it.add_on_id, it]))
  for (const row of addOnRows(playroom)) {
    const old = addOns.get(row.add_on_id)
    addOns.delete(row.add_on_id)
    const becomes = pick({ ...row, on_sale: true }, [
      "position",
      "on_sale",
      "name",
      "unit",
      "unit_amount",
      "max_quantity",
      "stock"
    ])
    const { add_on_id: _id, ...was } = old ?? { add_on_id: row.add_on_id }
    lines.push(...compared("add_on", row.add_on_id, row.name, old && was, becomes))
  }
  for (const { add_on_id, name: its, on_sale } of addOns.values()) {
    if (on_sale) lines.push(part("off_sale", "add_on", add_on_id, its))
  }

  const closures = new Map((stored?.closures ?? []).map((it) => [it.closure_id, it]))
  for (const { closure_id, reason, ...days } of playroom.closures) {
    const old = closures.get(closure_id)
    closures.delete(closure_id)
    const range = { reason, ...closureRange(time_zone, days) }
    const becomes = closureFields(time_zone, range)
    const label = `${becomes.from} to ${becomes.to}, ${reason}`
    if (old === undefined) lines.push(part("added", "closure", closure_id, label))
    else if (old.start !== range.start || old.end !== range.end || old.reason !== reason) {
      const was = closureFields(stored?.time_zone ?? time_zone, old)
      lines.push(part("changed", "closure", closure_id, label, changedFields(was, becomes)))
    }
  }
  for (const closure of closures.values()) {
    const { from, reason, to } = closureFields(stored?.time_zone ?? time_zone, closure)
    lines.push(part("removed", "closure", closure.closure_id, `${from} to ${to}, ${reason}`))
  }
  return lines
}

const StoredOperator = Schema.Struct({
  operator_id: Schema.String,
  row: Schema.Record(Schema.String, Schema.Unknown)
})
const operatorRows = decodeRows(Schema.Array(StoredOperator))

/** What the import of operators changes. It never takes an account away, and leaves alone what payments and commands decide. */
export const operatorChanges = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  operators: IdentifiedCatalogue["operators"]
) {
  const rows =
    yield* operatorRows(sql`select operator_id, jsonb_build_object('name', name, 'support_email', support_email,
    'connected_account_id', connected_account_id, 'billing_customer_id', billing_customer_id,
    'application_fee_percent', application_fee_percent) as row from operator
    where operator_id = any(${operators.map(({ operator_id }) => operator_id)}::text[])`)
  const stored = new Map(rows.map(({ operator_id, row }) => [operator_id, row]))
  return operators.flatMap((operator): ReadonlyArray<CatalogueChange> => {
    const { operator_id, name, support_email, application_fee_percent } = operator
    const line = { kind: "operator", id: operator_id, name } as const
    const was = stored.get(operator_id)
    if (was === undefined) return [{ ...line, change: "added", fields: [] }]
    const becomes = {
      name,
      support_email,
      application_fee_percent,
      connected_account_id: operator.connected_account_id ?? was["connected_account_id"],
      billing_customer_id: operator.billing_customer_id ?? was["billing_customer_id"]
    }
    return sameJson(was, becomes) ? [] : [{ ...line, change: "changed", fields: changedFields(was, becomes) }]
  })
})
