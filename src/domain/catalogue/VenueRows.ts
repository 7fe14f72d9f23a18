/** Venues as one row each: the playroom, its operator, and what is on sale, joined by the database. */
import { Schema, Struct } from "effect"
import type { SqlClient } from "effect/sql"
import { ClosureId } from "../../platform/ids/Ids.ts"
import type { Instant } from "../../platform/time/LocalTime.ts"
import { Operator } from "./Operator.ts"
import { AddOn, Package } from "./Package.ts"
import { ToldPrices } from "./ToldPrices.ts"
import { PlayroomDetails, type Venue, PlayroomColumns } from "./Playroom.ts"
import { columnsOf } from "../../platform/database/Rows.ts"

const columnNames = Struct.keys(PlayroomColumns.fields)

const NullOr = Schema.NullOr

/** An operator alone, from `operatorColumn`. */
export const OperatorRow = Schema.Struct({ operator: Operator })

const fields = {
  ...PlayroomColumns.fields,
  details: PlayroomDetails,
  packages: Schema.Array(Package),
  add_ons: Schema.Array(AddOn),
  operator: Operator
}

export const VenueRow = Schema.Struct(fields)
type VenueRow = typeof VenueRow.Type

/** The same with closures and lowest prices, for `get_playroom`. */
export const ViewRow = Schema.Struct({
  ...fields,
  /** The lowest price of all, and those of packages and add-ons; null while they are derived anew. */
  from_price: NullOr(Schema.Int),
  from_price_for: NullOr(Schema.String),
  prices_told: NullOr(ToldPrices),
  closures: Schema.Array(
    Schema.Struct({ closure_id: ClosureId, start: Schema.Finite, end: Schema.Finite, reason: Schema.String })
  )
})

/** What to select `from operator o` for an `OperatorRow`. */
export const operatorColumn = `jsonb_strip_nulls(jsonb_build_object('operator_id', o.operator_id, 'name', o.name, 'support_email', o.support_email, 'phone', o.phone,
  'legal_name', o.legal_name, 'tax_number', o.tax_number,
  'connected_account_id', o.connected_account_id, 'billing_customer_id', o.billing_customer_id,
  'application_fee_percent', o.application_fee_percent, 'paid_through', floor(extract(epoch from o.paid_through) * 1000),
  'suspended_at', floor(extract(epoch from o.suspended_at) * 1000))) as operator`

/** What to select `from playroom p join operator o` for a `VenueRow`. */
export const venueColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`
${columnsOf(PlayroomColumns, "p")}, p.details,
(select coalesce(json_agg(k.terms order by k.position, k.package_id), '[]') from package k
  where k.playroom_id = p.playroom_id and k.on_sale) as packages,
(select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('add_on_id', a.add_on_id, 'name', a.name, 'unit', a.unit,
  'unit_amount', a.unit_amount, 'max_quantity', a.max_quantity, 'stock', a.stock, 'uses', a.uses,
  'rules', nullif(a.rules, '[]'))) order by a.position, a.add_on_id), '[]') from add_on a
  where a.playroom_id = p.playroom_id and a.on_sale) as add_ons,
${operatorColumn}`)

/** The next ten closures that have not ended at `now`, within the booking horizon of a playroom `p`. */
const nextClosures = (sql: SqlClient.SqlClient, now: Instant) => sql`
  (select closure_id, during, reason, xmin from closure where playroom_id = p.playroom_id and during && tstzrange(${new Date(now)}::timestamptz,
      ${new Date(now)}::timestamptz + ((p.details ->> 'max_advance_days')::int + 2) * interval '1 day')
    order by lower(during) limit 10) c`

/** These in order, for a `ViewRow`. */
export const closureColumn = (sql: SqlClient.SqlClient, now: Instant) => sql`
(select coalesce(jsonb_agg(jsonb_build_object('closure_id', c.closure_id, 'start', floor(extract(epoch from lower(c.during)) * 1000),
  'end', floor(extract(epoch from upper(c.during)) * 1000), 'reason', c.reason) order by lower(c.during)), '[]')
  from ${nextClosures(sql, now)}) as closures`

/** Whether the lowest prices of a playroom `p`, and their words, are right at `now`. */
export const pricesHold = (sql: SqlClient.SqlClient, now: Instant) =>
  sql`(p.from_price_until > ${new Date(now)}::timestamptz and p.told_until is not distinct from p.derived_until)`

/** The lowest prices valid at `now`, for a `ViewRow`. */
export const priceColumns = (sql: SqlClient.SqlClient, now: Instant) => {
  const holding = pricesHold(sql, now)
  return sql`case when ${holding} then p.from_price end as from_price, p.from_price_for,
case when ${holding} then p.prices_told end as prices_told`
}

/** The version of a `ViewRow` of a playroom `p` at `now`: of the venue, the closures, and whether the lowest prices hold. */
export const viewVersion = (
  sql: SqlClient.SqlClient,
  now: Instant
) => sql`concat_ws(' ', catalogue_version(p.playroom_id),
  (select string_agg(concat_ws(' ', c.closure_id, c.xmin), ' ' order by lower(c.during)) from ${nextClosures(sql, now)}),
  ${pricesHold(sql, now)})`

export const venueOf = (row: VenueRow): Venue => ({
  playroom: { ...Struct.pick(row, columnNames), ...row.details },
  operator: row.operator,
  packages: row.packages,
  add_ons: row.add_ons
})
