/**
 * The rows of operators, playrooms, packages and add-ons that an import writes. Which of them differ from what is stored, `changesOf` says;
 * an import never changes what belongs to another operator or playroom.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { PlayroomDetails } from "../catalogue/Playroom.ts"
import type { Instant } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { type PlayroomFacts, timestamp } from "../search/SearchFactRows.ts"
import type { IdentifiedCatalogue, IdentifiedPlayroom } from "./CatalogueIds.ts"
import type { Issue } from "./CatalogueSchema.ts"

export const ownerRows = decodeRows(Schema.Array(Schema.Struct({ id: Schema.String, owner: Schema.String })))

/** Ids in the file that belong to another operator or playroom in the database. */
export const ownershipIssues = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { operators, playrooms }: IdentifiedCatalogue
) {
  type Part = { readonly id: string; readonly owner: string; readonly path: string; readonly what: string }
  const parts: Array<Part> = playrooms.flatMap((playroom, i) => {
    const within = (id: string, name: string, j: number) => ({
      id,
      owner: playroom.playroom_id,
      path: `playrooms[${i}].${name}[${j}]`,
      what: `${id} belongs to another playroom`
    })
    return [
      {
        id: playroom.playroom_id,
        owner: playroom.operator_id,
        path: `playrooms[${i}].operator_id`,
        what: `${playroom.playroom_id} belongs to another operator`
      },
      ...playroom.packages.map(({ package_id }, j) => within(package_id, "packages", j)),
      ...playroom.add_ons.map(({ add_on_id }, j) => within(add_on_id, "add_ons", j)),
      ...playroom.closures.map(({ closure_id }, j) => within(closure_id, "closures", j))
    ]
  })
  const accounts: Array<Part> = operators.flatMap((operator, i) =>
    (["connected_account_id", "billing_customer_id"] as const).flatMap((field) => {
      const id = operator[field]
      return id === undefined
        ? []
        : [{ id, owner: operator.operator_id, path: `operators[${i}].${field}`, what: `${id} is another operator's` }]
    })
  )
  const ids = parts.map(({ id }) => id)
  const of = (kind: string) => ids.filter((id) => id.startsWith(`${kind}_`))
  const accountIds = accounts.map(({ id }) => id)
  const owners = yield* ownerRows(sql`
    select playroom_id as id, operator_id as owner from playroom where playroom_id = any(${of("playroom")}::text[])
    union all select package_id, playroom_id from package where package_id = any(${of("package")}::text[])
    union all select add_on_id, playroom_id from add_on where add_on_id = any(${of("addon")}::text[])
    union all select closure_id, playroom_id from closure where closure_id = any(${of("closure")}::text[])
    union all select connected_account_id, operator_id from operator where connected_account_id = any(${accountIds}::text[])
    union all select billing_customer_id, operator_id from operator where billing_customer_id = any(${accountIds}::text[])`)
  const ownerOf = new Map(owners.map(({ id, owner }) => [id, owner]))
  const named = [...new Set(playrooms.map(({ operator_id }) => operator_id))]
  const stored = yield* ownerRows(
    sql`select operator_id as id, operator_id as owner from operator where operator_id = any(${named}::text[])`
  )
  const known = new Set<string>([...stored.map(({ id }) => id), ...operators.map(({ operator_id }) => operator_id)])
  return [
    ...playrooms.flatMap(({ operator_id }, i): ReadonlyArray<Issue> =>
      known.has(operator_id)
        ? []
        : [{ path: `playrooms[${i}].operator_id`, message: `No operator ${operator_id} in the file or the database` }]
    ),
    ...[...parts, ...accounts].flatMap(({ id, owner, path, what }): ReadonlyArray<Issue> =>
      (ownerOf.get(id) ?? owner) === owner ? [] : [{ path, message: what }]
    )
  ]
})

/** What the `details` column holds of a playroom. */
export const detailsOf = Schema.encodeSync(PlayroomDetails)

const operatorRow = (operator: IdentifiedCatalogue["operators"][number]) => ({
  ...operator,
  paid_through: operator.paid_through === undefined ? null : new Date(operator.paid_through).toISOString(),
  suspended_at: operator.suspended_at === undefined ? null : new Date(operator.suspended_at).toISOString()
})

/** The ways in which its packages are sold, in order. */
export const modesOf = ({ packages }: Pick<IdentifiedPlayroom, "packages">) =>
  [...new Set(packages.map(({ mode }) => mode))].sort()

const playroomRow = ({ playroom, facts }: PlayroomFacts<IdentifiedPlayroom>) => ({
  ...playroom,
  from_price: facts.from_price,
  from_price_for: facts.from_price_for,
  from_price_until: timestamp(facts.from_price_until),
  derived_until: timestamp(facts.derived_until),
  modes: modesOf(playroom),
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

type PackageRow = ReturnType<typeof packageRows>[number]

export const addOnRows = (playroom: IdentifiedPlayroom) =>
  playroom.add_ons.map((addOn, position) => ({
    ...addOn,
    operator_id: playroom.operator_id,
    playroom_id: playroom.playroom_id,
    position
  }))
type AddOnRow = ReturnType<typeof addOnRows>[number]

/**
 * Statements of one import at `now`, for rows that are new or differ. Run them inside its transaction, operators first. Existing operators
 * keep their `paid_through` and `suspended_at` (payments and commands move those) and, where the file names none, their accounts.
 */
export const upserts = (sql: SqlClient.SqlClient, now: Instant) => ({
  operators: (operators: IdentifiedCatalogue["operators"]) => sql`
insert into operator (operator_id, name, support_email, connected_account_id, billing_customer_id, application_fee_percent,
  paid_through, suspended_at, created_at, updated_at)
select x.*, ${new Date(now)}::timestamptz, ${new Date(now)}::timestamptz
from jsonb_to_recordset(${JSON.stringify(operators.map(operatorRow))}::jsonb) as x (operator_id text, name text, support_email text,
  connected_account_id text, billing_customer_id text, application_fee_percent numeric, paid_through timestamptz, suspended_at timestamptz)
on conflict (operator_id) do update set name = excluded.name, support_email = excluded.support_email,
  connected_account_id = coalesce(excluded.connected_account_id, operator.connected_account_id),
  billing_customer_id = coalesce(excluded.billing_customer_id, operator.billing_customer_id),
  application_fee_percent = excluded.application_fee_percent, updated_at = excluded.updated_at`,

  /** `writeFacts` writes what is derived of playrooms that exist already: the file does not hold it. */
  playrooms: (playrooms: ReadonlyArray<PlayroomFacts<IdentifiedPlayroom>>) => sql`
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
  modes = excluded.modes, listed = excluded.listed, details = excluded.details, updated_at = excluded.updated_at`,

  packages: (rows: ReadonlyArray<PackageRow>) => sql`
insert into package (package_id, operator_id, playroom_id, position, mode, duration_minutes, min_children, max_children, terms)
select x.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (package_id text, operator_id text, playroom_id text,
  position int, mode text, duration_minutes int, min_children int, max_children int, terms jsonb)
on conflict (package_id) do update set position = excluded.position, on_sale = true, mode = excluded.mode,
  duration_minutes = excluded.duration_minutes, min_children = excluded.min_children, max_children = excluded.max_children,
  terms = excluded.terms`,

  addOns: (rows: ReadonlyArray<AddOnRow>) => sql`
insert into add_on (add_on_id, operator_id, playroom_id, position, name, unit, unit_amount, max_quantity, stock)
select x.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (add_on_id text, operator_id text, playroom_id text,
  position int, name text, unit text, unit_amount int, max_quantity int, stock int)
on conflict (add_on_id) do update set position = excluded.position, on_sale = true, name = excluded.name, unit = excluded.unit,
  unit_amount = excluded.unit_amount, max_quantity = excluded.max_quantity, stock = excluded.stock`,

  /** Takes packages and add-ons off sale; their bookings stay. */
  offSale: Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    if (ids.length === 0) return
    yield* sql`update package set on_sale = false where package_id = any(${ids}::text[])`
    yield* sql`update add_on set on_sale = false where add_on_id = any(${ids}::text[])`
  })
})
