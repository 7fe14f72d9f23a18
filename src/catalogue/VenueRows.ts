/** Venues as one row each: the playroom, its operator, and what is on sale, joined by the database. */
import { Schema, Struct } from "effect"
import type { SqlClient } from "effect/sql"
import { ClosureId, OperatorId } from "../kernel/Ids.ts"
import { type Instant, InstantFromDate } from "../kernel/LocalTime.ts"
import type { Operator } from "./Operator.ts"
import { AddOn, Package } from "./Package.ts"
import { ToldPrices } from "./ToldPrices.ts"
import { Playroom, PlayroomDetails, type Venue } from "./Playroom.ts"

const columns = Struct.omit(Playroom.fields, Struct.keys(PlayroomDetails.fields))

const NullOr = Schema.NullOr

const OperatorJson = Schema.Struct({
  operator_id: OperatorId,
  name: Schema.String,
  support_email: NullOr(Schema.String),
  phone: NullOr(Schema.String),
  legal_name: NullOr(Schema.String),
  tax_number: NullOr(Schema.String),
  connected_account_id: NullOr(Schema.String),
  billing_customer_id: NullOr(Schema.String),
  application_fee_percent: Schema.Finite,
  /** Milliseconds. */
  paid_through: NullOr(Schema.Finite),
  suspended_at: NullOr(Schema.Finite)
})

/** An operator alone, from `operatorColumn`. */
export const OperatorRow = Schema.Struct({ operator: OperatorJson })

const fields = {
  ...columns,
  details: PlayroomDetails,
  packages: Schema.Array(Package),
  add_ons: Schema.Array(AddOn),
  operator: OperatorJson
}

export const VenueRow = Schema.Struct(fields)
type VenueRow = typeof VenueRow.Type

export const ClosureRow = Schema.Struct({
  closure_id: ClosureId,
  start: InstantFromDate,
  end: InstantFromDate,
  reason: Schema.String
})

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
export const operatorColumn = `jsonb_build_object('operator_id', o.operator_id, 'name', o.name, 'support_email', o.support_email, 'phone', o.phone,
  'legal_name', o.legal_name, 'tax_number', o.tax_number,
  'connected_account_id', o.connected_account_id, 'billing_customer_id', o.billing_customer_id,
  'application_fee_percent', o.application_fee_percent, 'paid_through', floor(extract(epoch from o.paid_through) * 1000),
  'suspended_at', floor(extract(epoch from o.suspended_at) * 1000)) as operator`

/** What to select `from playroom p join operator o` for a `VenueRow`. */
export const venueColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`
p.playroom_id, p.operator_id, p.name, p.summary, p.description, p.address, p.city, p.country, p.latitude, p.longitude, p.time_zone,
p.currency, p.capacity, p.age_min, p.age_max, p.amenities, p.details,
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

export const operatorOf = ({ operator }: Pick<VenueRow, "operator">): Operator => ({
  operator_id: operator.operator_id,
  name: operator.name,
  application_fee_percent: operator.application_fee_percent,
  ...(operator.support_email === null ? {} : { support_email: operator.support_email }),
  ...(operator.phone === null ? {} : { phone: operator.phone }),
  ...(operator.legal_name === null ? {} : { legal_name: operator.legal_name }),
  ...(operator.tax_number === null ? {} : { tax_number: operator.tax_number }),
  ...(operator.connected_account_id === null ? {} : { connected_account_id: operator.connected_account_id }),
  ...(operator.billing_customer_id === null ? {} : { billing_customer_id: operator.billing_customer_id }),
  ...(operator.paid_through === null ? {} : { paid_through: operator.paid_through }),
  ...(operator.suspended_at === null ? {} : { suspended_at: operator.suspended_at })
})

const playroomOf = ({ details, ...row }: Omit<VenueRow, "operator" | "packages" | "add_ons">): Playroom => ({
  playroom_id: row.playroom_id,
  operator_id: row.operator_id,
  name: row.name,
  summary: row.summary,
  description: row.description,
  address: row.address,
  city: row.city,
  country: row.country,
  latitude: row.latitude,
  longitude: row.longitude,
  time_zone: row.time_zone,
  currency: row.currency,
  capacity: row.capacity,
  age_min: row.age_min,
  age_max: row.age_max,
  amenities: row.amenities,
  ...details
})

export const venueOf = (row: VenueRow): Venue => ({
  playroom: playroomOf(row),
  operator: operatorOf(row),
  packages: row.packages,
  add_ons: row.add_ons
})
