/** The import's writes to operators, playrooms, packages and add-ons: rows that equal the file are not written. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Instant } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import type { IdentifiedCatalogue, IdentifiedPlayroom } from "./CatalogueIds.ts"
import { PlayroomDetails } from "../catalogue/Playroom.ts"
import { type PlayroomFacts, timestamp } from "../search/SearchFactRows.ts"

/** How many rows an import added, changed, and found as they were. */
export const Changes = Schema.Struct({ added: Schema.Int, changed: Schema.Int, unchanged: Schema.Int })
export type Changes = typeof Changes.Type

const Written = Schema.Array(Schema.Struct({ added: Schema.Boolean }))
const Ids = Schema.Array(Schema.Struct({ id: Schema.String }))

const writtenRows = decodeRows(Written)
const idRows = decodeRows(Ids)

const changes = (total: number, statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
  Effect.map(writtenRows(statement), (rows): Changes => {
    const added = rows.filter((row) => row.added).length
    return { added, changed: rows.length - added, unchanged: total - rows.length }
  })

/** What the `details` column holds of a playroom. */
export const detailsOf = Schema.encodeSync(PlayroomDetails)

const operatorRow = (operator: IdentifiedCatalogue["operators"][number]) => ({
  ...operator,
  paid_through: operator.paid_through === undefined ? null : new Date(operator.paid_through).toISOString(),
  suspended_at: operator.suspended_at === undefined ? null : new Date(operator.suspended_at).toISOString()
})

const playroomRow = ({ playroom, facts }: PlayroomFacts<IdentifiedPlayroom>) => ({
  ...playroom,
  from_price: facts.from_price,
  from_price_for: facts.from_price_for,
  from_price_until: timestamp(facts.from_price_until),
  derived_until: timestamp(facts.derived_until),
  modes: [...new Set(playroom.packages.map(({ mode }) => mode))].sort(),
  details: detailsOf(playroom)
})

export const packageRows = (playroom: IdentifiedPlayroom) =>
  playroom.packages.map((pkg, position) => ({
    ...pkg,
    operator_id: playroom.operator_id,
    playroom_id: playroom.playroom_id,
    position,
    terms: pkg
  }))

export const addOnRows = (playroom: IdentifiedPlayroom) =>
  playroom.add_ons.map((addOn, position) => ({
    ...addOn,
    operator_id: playroom.operator_id,
    playroom_id: playroom.playroom_id,
    position
  }))

/**
 * Statements of one import at `now`; run them inside its transaction, operators first. Existing operators keep their
 * `paid_through` and `suspended_at` (payments and commands move those) and, where the file names none, their accounts.
 */
export const upserts = (sql: SqlClient.SqlClient, now: Instant) => ({
  operators: (operators: IdentifiedCatalogue["operators"]) =>
    changes(
      operators.length,
      sql`
insert into operator (operator_id, name, support_email, connected_account_id, billing_customer_id, application_fee_percent,
  paid_through, suspended_at, created_at, updated_at)
select x.*, ${new Date(now)}::timestamptz, ${new Date(now)}::timestamptz
from jsonb_to_recordset(${JSON.stringify(operators.map(operatorRow))}::jsonb) as x (operator_id text, name text, support_email text,
  connected_account_id text, billing_customer_id text, application_fee_percent numeric, paid_through timestamptz, suspended_at timestamptz)
on conflict (operator_id) do update set name = excluded.name, support_email = excluded.support_email,
  connected_account_id = coalesce(excluded.connected_account_id, operator.connected_account_id),
  billing_customer_id = coalesce(excluded.billing_customer_id, operator.billing_customer_id),
  application_fee_percent = excluded.application_fee_percent, updated_at = excluded.updated_at
where (operator.name, operator.support_email, operator.connected_account_id, operator.billing_customer_id, operator.application_fee_percent)
  is distinct from (excluded.name, excluded.support_email, coalesce(excluded.connected_account_id, operator.connected_account_id),
  coalesce(excluded.billing_customer_id, operator.billing_customer_id), excluded.application_fee_percent)
returning xmax = 0 as added`
    ),

  /** `writeFacts` writes what is derived of playrooms that exist already: the file does not hold it. */
  playrooms: (playrooms: ReadonlyArray<PlayroomFacts<IdentifiedPlayroom>>) =>
    changes(
      playrooms.length,
      sql`
insert into playroom (playroom_id, operator_id, name, summary, description, address, city, country, latitude, longitude, time_zone,
  currency, capacity, age_min, age_max, amenities, from_price, from_price_for, modes, listed, details, from_price_until, derived_until, created_at, updated_at)
select x.*, ${new Date(now)}::timestamptz, ${new Date(now)}::timestamptz
from jsonb_to_recordset(${JSON.stringify(playrooms.map(playroomRow))}::jsonb) as x (playroom_id text,
  operator_id text, name text, summary text, description text, address text, city text, country text, latitude float8,
  longitude float8, time_zone text, currency text, capacity int, age_min int, age_max int, amenities text[], from_price int, from_price_for text,
  modes text[], listed boolean, details jsonb, from_price_until timestamptz, derived_until timestamptz)
on conflict (playroom_id) do update set name = excluded.name, summary = excluded.summary, description = excluded.description,
  address = excluded.address, city = excluded.city, country = excluded.country, latitude = excluded.latitude,
  longitude = excluded.longitude, time_zone = excluded.time_zone, currency = excluded.currency, capacity = excluded.capacity,
  age_min = excluded.age_min, age_max = excluded.age_max, amenities = excluded.amenities,
  modes = excluded.modes, listed = excluded.listed, details = excluded.details, updated_at = excluded.updated_at
where (playroom.name, playroom.summary, playroom.description, playroom.address, playroom.city, playroom.country, playroom.latitude,
  playroom.longitude, playroom.time_zone, playroom.currency, playroom.capacity, playroom.age_min, playroom.age_max,
  playroom.amenities, playroom.modes, playroom.listed, playroom.details)
  is distinct from (excluded.name, excluded.summary, excluded.description, excluded.address, excluded.city, excluded.country,
  excluded.latitude, excluded.longitude, excluded.time_zone, excluded.currency, excluded.capacity, excluded.age_min,
  excluded.age_max, excluded.amenities, excluded.modes, excluded.listed, excluded.details)
returning xmax = 0 as added`
    ),

  packages: (playrooms: ReadonlyArray<IdentifiedPlayroom>) => {
    const rows = playrooms.flatMap(packageRows)
    return changes(
      rows.length,
      sql`
insert into package (package_id, operator_id, playroom_id, position, mode, duration_minutes, min_children, max_children, terms)
select x.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (package_id text, operator_id text, playroom_id text,
  position int, mode text, duration_minutes int, min_children int, max_children int, terms jsonb)
on conflict (package_id) do update set position = excluded.position, on_sale = true, mode = excluded.mode,
  duration_minutes = excluded.duration_minutes, min_children = excluded.min_children, max_children = excluded.max_children,
  terms = excluded.terms
where (package.position, package.on_sale, package.terms) is distinct from (excluded.position, true, excluded.terms)
returning xmax = 0 as added`
    )
  },

  addOns: (playrooms: ReadonlyArray<IdentifiedPlayroom>) => {
    const rows = playrooms.flatMap(addOnRows)
    return changes(
      rows.length,
      sql`
insert into add_on (add_on_id, operator_id, playroom_id, position, name, unit, unit_amount, max_quantity, stock)
select x.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (add_on_id text, operator_id text, playroom_id text,
  position int, name text, unit text, unit_amount int, max_quantity int, stock int)
on conflict (add_on_id) do update set position = excluded.position, on_sale = true, name = excluded.name, unit = excluded.unit,
  unit_amount = excluded.unit_amount, max_quantity = excluded.max_quantity, stock = excluded.stock
where (add_on.position, add_on.on_sale, add_on.name, add_on.unit, add_on.unit_amount, add_on.max_quantity, add_on.stock)
  is distinct from (excluded.position, true, excluded.name, excluded.unit, excluded.unit_amount, excluded.max_quantity, excluded.stock)
returning xmax = 0 as added`
    )
  },

  /** Packages and add-ons of these playrooms that the file no longer has go off sale; their bookings stay. Answers their ids. */
  offSale: Effect.fnUntraced(function* (playrooms: ReadonlyArray<IdentifiedPlayroom>) {
    const of = playrooms.map(({ playroom_id }) => playroom_id)
    const packages = playrooms.flatMap((playroom) => playroom.packages.map(({ package_id }) => package_id))
    const addOns = playrooms.flatMap((playroom) => playroom.add_ons.map(({ add_on_id }) => add_on_id))
    return {
      packages: yield* idRows(sql`update package set on_sale = false where on_sale and playroom_id = any(${of}::text[])
        and not package_id = any(${packages}::text[]) returning package_id as id`),
      addOns: yield* idRows(sql`update add_on set on_sale = false where on_sale and playroom_id = any(${of}::text[])
        and not add_on_id = any(${addOns}::text[]) returning add_on_id as id`)
    }
  })
})
