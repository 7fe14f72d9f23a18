/**
 * Keeps resources and closures in step with occupancy during an import. A closure occupies every unit of its playroom,
 * so the one constraint of occupancy refuses a booking in it. Booked units are never taken away: conflicting bookings
 * are reported. What the venue closed itself stays as it is.
 */
import { Effect, Schema } from "effect"
import { lockingInOrder } from "../availability/Occupancy.ts"
import type { Claims } from "../booking/Claims.ts"
import { isOverbooked, keepClosurePlaces, localTimesOf, renewSharing } from "../booking/ClosedTime.ts"
import type { SqlClient } from "effect/sql"
import { BookingId } from "../../platform/ids/Ids.ts"
import { type Instant, InstantFromDate } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { type IdentifiedPlayroom, outOfOrderBy } from "./CatalogueIds.ts"
import { closureRange } from "./CatalogueSchema.ts"

/** A booking that overlaps a new closure, or has more units than are left. Instants are milliseconds. */
export const BookingInTheWay = Schema.Struct({
  booking_id: BookingId,
  reference: Schema.String,
  status: Schema.String,
  starts_at: InstantFromDate,
  ends_at: InstantFromDate,
  time_zone: Schema.String,
  children: Schema.Int,
  adults: Schema.Int,
  contact_name: Schema.String,
  contact_email: Schema.String,
  contact_phone: Schema.NullOr(Schema.String),
  currency: Schema.String,
  /** What was paid and has not gone back, in minor units. */
  paid: Schema.Int,
  why: Schema.String
})
export type BookingInTheWay = typeof BookingInTheWay.Type

/** Its columns of the booking `b`, but for `why`. */
const bookingColumns = `b.booking_id, b.reference, b.status, b.starts_at, b.ends_at, b.terms ->> 'time_zone' as time_zone, b.children,
  b.adults, b.contact_name, b.contact_email, b.contact_phone, b.currency, b.paid - b.refunded as paid`

const bookingRows = decodeRows(Schema.Array(BookingInTheWay))
const closureRows = decodeRows(
  Schema.Array(
    Schema.Struct({
      closure_id: Schema.String,
      playroom_id: Schema.String,
      start: InstantFromDate,
      end: InstantFromDate,
      reason: Schema.String
    })
  )
)
const spellRows = decodeRows(
  Schema.Array(
    Schema.Struct({ resource_id: Schema.String, units: Schema.Int, start: InstantFromDate, end: InstantFromDate })
  )
)
const unitRows = decodeRows(Schema.Array(Schema.Struct({ resource_id: Schema.String, units: Schema.Int })))
const lapsedRows = decodeRows(Schema.Array(Schema.Struct({ booking_id: Schema.String })))
const resourceRows = decodeRows(Schema.Array(Schema.Struct({ resource_id: Schema.String })))

const resourcesOf = (playroom: IdentifiedPlayroom) => {
  const { name, operator_id, playroom_id } = playroom
  return [
    { resource_id: String(playroom_id), operator_id, playroom_id, units: playroom.capacity, what: name },
    ...playroom.add_ons.flatMap((it) =>
      it.stock === undefined || it.uses !== undefined
        ? []
        : [
            {
              resource_id: String(it.add_on_id),
              operator_id,
              playroom_id,
              units: it.stock,
              what: `${it.name} of ${name}`
            }
          ]
    )
  ]
}
type ResourceOfFile = ReturnType<typeof resourcesOf>[number]

/**
 * A resource that may have fewer units than are booked of it, and why. With `start` and `end`: in this time, with what
 * is out of order. Shared stock is of no playroom.
 */
interface Shrunk extends Pick<ResourceOfFile, "resource_id" | "units"> {
  readonly playroom_id: string | null
  readonly why: string
  readonly start?: Instant
  readonly end?: Instant
}

/** Why a booking of a resource that is smaller now is in the way. */
export const onlyNow = (what: string, units: number): string => `${what} has only ${units} now`

/** The file's own words: the id of a new closure is lost if the import is refused. */
const wordsOf = ({ from, reason, to }: IdentifiedPlayroom["closures"][number]): Record<"days" | "reason", string> => ({
  days: from === to ? from : `${from} to ${to}`,
  reason
})

const closuresOf = ({ name, operator_id, playroom_id, time_zone, closures }: IdentifiedPlayroom) =>
  closures.flatMap((closure) => {
    if (closure.add_on !== undefined) return []
    const { days, reason } = wordsOf(closure)
    const closure_id = String(closure.closure_id)
    const what = `closure ${days} of ${name}, ${reason}`
    const range = closureRange(time_zone, closure)
    const local_times = localTimesOf(time_zone, range, true)
    return [{ closure_id, operator_id, playroom_id, ...range, local_times, reason, what }]
  })
type ClosureOfFile = ReturnType<typeof closuresOf>[number]

/** What is out of order, by the playroom's add-ons. */
const spellsOf = (playroom: IdentifiedPlayroom) =>
  playroom.closures.flatMap((closure) => {
    const broken = outOfOrderBy(playroom, closure)
    if (broken === undefined) return []
    const { days, reason } = wordsOf(closure)
    const { operator_id, name, time_zone } = playroom
    const closure_id = String(closure.closure_id)
    const why = `${broken.units} × ${broken.name} of ${name}, out of order ${days}: ${reason}`
    const range = closureRange(time_zone, closure)
    const local_times = localTimesOf(time_zone, range, true)
    return [{ ...broken, closure_id, operator_id, ...range, local_times, reason, why }]
  })

const times = (closures: ReadonlyArray<{ readonly start?: Instant; readonly end?: Instant }>): string =>
  JSON.stringify(
    closures.map(({ end, start, ...it }) => ({
      ...it,
      ...(start !== undefined && { start: new Date(start).toISOString() }),
      ...(end !== undefined && { end: new Date(end).toISOString() })
    }))
  )

/** Bookings that overlap these closures, or have units beyond what there is of these resources now. */
const conflictingBookings = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  moved: ReadonlyArray<ClosureOfFile>,
  shrunk: ReadonlyArray<Shrunk>,
  now: Instant
) {
  const inClosures =
    moved.length === 0
      ? []
      : yield* bookingRows(sql`
select distinct ${sql.literal(bookingColumns)}, c.what as why
from jsonb_to_recordset(${times(moved)}::jsonb) as c (closure_id text, playroom_id text, start timestamptz, "end" timestamptz, what text)
join occupancy o on o.resource_id = c.playroom_id and o.during && tstzrange(c.start, c."end")
join booking b on b.booking_id = o.booking_id
where upper(o.during) > ${new Date(now)}::timestamptz order by b.starts_at, b.booking_id`)
  const overbooked =
    shrunk.length === 0
      ? []
      : yield* bookingRows(sql`
select distinct ${sql.literal(bookingColumns)}, r.why
from jsonb_to_recordset(${times(shrunk)}::jsonb)
  as r (resource_id text, playroom_id text, units int, why text, start timestamptz, "end" timestamptz)
join occupancy o on o.resource_id = r.resource_id and (r.start is null or o.during && tstzrange(r.start, r."end"))
join booking b on b.booking_id = o.booking_id
where upper(o.during) > ${new Date(now)}::timestamptz
  and ${isOverbooked(sql, undefined, sql`(select * from out_of_order where r.start is not null)`)}
order by b.starts_at, b.booking_id`)
  return [...inClosures, ...overbooked]
})

/** Holds whose time is up, and that still have places of these resources. */
const lapsedIn = (sql: SqlClient.SqlClient, shrunk: ReadonlyArray<Shrunk>, now: Instant) =>
  lapsedRows(sql`select distinct b.booking_id from occupancy o join booking b on b.booking_id = o.booking_id
    where o.resource_id = any(${shrunk.map(({ resource_id }) => resource_id)}::text[])
      and upper(o.during) > ${new Date(now)}::timestamptz and has_lapsed(b, ${new Date(now)}::timestamptz)`)

/** The same, once lapsed holds among them, and beside them, are released. */
export const conflictsOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  moved: ReadonlyArray<ClosureOfFile>,
  shrunk: ReadonlyArray<Shrunk>,
  claims: Claims["Service"],
  now: Instant
) {
  const find = conflictingBookings(sql, moved, shrunk, now)
  const conflicts = yield* find
  if (conflicts.length === 0) return conflicts
  const lapsed = shrunk.length === 0 ? [] : yield* lapsedIn(sql, shrunk, now)
  yield* claims.releaseUnlocked(
    [...conflicts, ...lapsed].map(({ booking_id }) => booking_id),
    now
  )
  return yield* find
})

/**
 * Creates and deletes the resources of add-ons, as the file gives them stock or not. From then on, the units of live
 * bookings are counted, including those sold without a limit. Succeeds with the stock of which bookings were counted.
 */
const countAddOns = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  playrooms: ReadonlyArray<IdentifiedPlayroom>,
  shared: boolean,
  now: Instant
) {
  const addOns = playrooms.flatMap(({ add_ons }) => add_ons)
  const unlimited = addOns.flatMap((addOn) =>
    addOn.stock === undefined || addOn.uses !== undefined ? [String(addOn.add_on_id)] : []
  )
  if (unlimited.length > 0) {
    yield* sql`delete from occupancy where resource_id = any(${unlimited}::text[])`
    yield* sql`delete from resource where resource_id = any(${unlimited}::text[])`
  }
  if (unlimited.length === addOns.length && !shared) return new Set<string>()
  const limited = playrooms.flatMap(resourcesOf).filter(({ playroom_id, resource_id }) => resource_id !== playroom_id)
  // A new playroom has no bookings, and its resources are created with it.
  yield* sql`
insert into resource (resource_id, operator_id, playroom_id, units)
select x.* from jsonb_to_recordset(${JSON.stringify(limited)}::jsonb) as x (resource_id text, operator_id text, playroom_id text, units int)
where exists (select from playroom p where p.playroom_id = x.playroom_id) on conflict (resource_id) do nothing`
  const ids = playrooms.map(({ playroom_id }) => playroom_id)
  const counted = yield* resourceRows(
    sql`select distinct count_stock(${ids}::text[], ${new Date(now)}::timestamptz) as resource_id`
  )
  return new Set(counted.map(({ resource_id }) => resource_id))
})

/** Locks the resources of some playrooms, as claims of places do. Succeeds with their units. */
export const lockPlaces = (sql: SqlClient.SqlClient, playrooms: ReadonlyArray<IdentifiedPlayroom>) =>
  Effect.map(
    unitRows(
      sql`select resource_id, units from resource where playroom_id = any(${playrooms.map(({ playroom_id }) => playroom_id)}::text[])
        ${sql.literal(lockingInOrder)}`
    ),
    (rows) => new Map(rows.map(({ resource_id, units }) => [resource_id, units]))
  )

/**
 * The changes that an import of some playrooms would make to resources and closures. It has locked the resources and
 * written the add-ons. Conflicting holds that lapsed are released by then, and the add-on units of bookings are
 * counted. `shared`: whether add-ons of theirs use shared stock, or did.
 */
export const planPlaces = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  playrooms: ReadonlyArray<IdentifiedPlayroom>,
  unitsBefore: ReadonlyMap<string, number>,
  shared: boolean,
  claims: Claims["Service"],
  now: Instant
) {
  const ids = playrooms.map(({ playroom_id }) => playroom_id)
  const known =
    yield* closureRows(sql`select closure_id, playroom_id, lower(during) as start, upper(during) as "end", reason
    from closure where playroom_id = any(${ids}::text[]) and made_by is null`)
  const closuresBefore = new Map(known.map((closure) => [closure.closure_id, closure]))
  const resources = playrooms.flatMap(resourcesOf)
  const closures = playrooms.flatMap(closuresOf)
  const moved = closures.filter(({ closure_id, start, end }) => {
    const old = closuresBefore.get(closure_id)
    return old === undefined || old.start !== start || old.end !== end
  })
  const resized = resources.filter(({ resource_id, units }) => (unitsBefore.get(resource_id) ?? units) !== units)
  const counted = yield* countAddOns(sql, playrooms, shared, now)
  const shrunk = resources
    .filter(({ resource_id, units }) => (unitsBefore.get(resource_id) ?? 0) > units || counted.has(resource_id))
    .map((one) => ({ ...one, why: onlyNow(one.what, one.units) }))
  const kept = new Set(closures.map(({ closure_id }) => closure_id))

  return {
    resources,
    closures,
    moved,
    resized,
    counted,
    conflicts: yield* conflictsOf(sql, moved, shrunk, claims, now),
    added: closures.filter(({ closure_id }) => !closuresBefore.has(closure_id)),
    changed: closures.filter(({ closure_id, reason }) => {
      const old = closuresBefore.get(closure_id)
      return old !== undefined && (old.reason !== reason || moved.some((it) => it.closure_id === closure_id))
    }),
    removed: known.filter(({ closure_id }) => !kept.has(closure_id))
  }
})
type Plan = Effect.Success<ReturnType<typeof planPlaces>>

/** Writes the plan of `planPlaces`. Playrooms and add-ons must be written already. */
export const applyPlaces = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, plan: Plan, now: Instant) {
  if (plan.removed.length > 0) {
    const gone = plan.removed.map(({ closure_id }) => closure_id)
    yield* sql`delete from occupancy where closure_id = any(${gone}::text[])`
    yield* sql`delete from closure where closure_id = any(${gone}::text[])`
  }
  yield* sql`
insert into resource (resource_id, operator_id, playroom_id, units)
select x.* from jsonb_to_recordset(${JSON.stringify(plan.resources)}::jsonb) as x (resource_id text, operator_id text, playroom_id text, units int)
on conflict (resource_id) do update set units = excluded.units where resource.units <> excluded.units`
  if (plan.resized.length > 0) {
    // A booking of the whole room gets the new units too: otherwise they would be sold into a private party.
    yield* sql`
update occupancy o set units = int4multirange(int4range(lower(o.units), lower(o.units) + r.units))
from jsonb_to_recordset(${JSON.stringify(plan.resized)}::jsonb) as r (resource_id text, playroom_id text, units int), booking b
where r.resource_id = r.playroom_id and o.resource_id = r.resource_id and b.booking_id = o.booking_id
  and b.terms ->> 'mode' = 'exclusive' and upper(o.during) > ${new Date(now)}::timestamptz`
  }
  const written = [...plan.added, ...plan.changed]
  if (written.length > 0) {
    yield* sql`
insert into closure (closure_id, operator_id, playroom_id, during, local_times, reason, created_at)
select c.closure_id, c.operator_id, c.playroom_id, tstzrange(c.start, c."end"), c.local_times, c.reason, ${new Date(now)}::timestamptz
from jsonb_to_recordset(${times(written)}::jsonb) as c (closure_id text, operator_id text, playroom_id text, start timestamptz, "end" timestamptz, local_times jsonb, reason text)
on conflict (closure_id) do update set during = excluded.during, local_times = excluded.local_times, reason = excluded.reason`
  }
  const rooms = plan.resized.filter(({ playroom_id, resource_id }) => playroom_id === resource_id)
  const touched = [...plan.moved, ...plan.removed, ...rooms].map(({ playroom_id }) => String(playroom_id))
  yield* keepClosurePlaces(sql, [...new Set(touched)], now)
})

/**
 * Puts out of order what the file says of these playrooms' add-ons, in the place of what it said before, once all
 * playrooms are written. Succeeds with the bookings that have what is newly out of order.
 */
export const keepOutOfOrder = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  playrooms: ReadonlyArray<IdentifiedPlayroom>,
  claims: Claims["Service"],
  now: Instant
) {
  const spells = playrooms.flatMap(spellsOf)
  // New playrooms that are added in steps may use what others have locked.
  yield* sql`select from resource where resource_id = any(${spells.map(({ resource_id }) => resource_id)}::text[])
    ${sql.literal(lockingInOrder)}`
  const gone = yield* spellRows(sql`delete from out_of_order s using add_on a
    where a.add_on_id = s.add_on_id and a.playroom_id = any(${playrooms.map(({ playroom_id }) => playroom_id)}::text[])
    returning s.resource_id, s.units, lower(s.during) as start, upper(s.during) as "end"`)
  if (gone.length + spells.length === 0) return []
  yield* sql`insert into out_of_order (closure_id, operator_id, resource_id, add_on_id, units, during, local_times, reason, created_at)
    select x.closure_id, x.operator_id, x.resource_id, x.add_on_id, x.units, tstzrange(x.start, x."end"), x.local_times, x.reason,
      ${new Date(now)}::timestamptz
    from jsonb_to_recordset(${times(spells)}::jsonb) as x (closure_id text, operator_id text, resource_id text, add_on_id text,
      units int, start timestamptz, "end" timestamptz, local_times jsonb, reason text)`
  const key = (one: (typeof gone)[number]) => [one.resource_id, one.units, one.start, one.end].join(" ")
  const before = new Set(gone.map(key))
  const fresh = spells.filter((one) => !before.has(key(one)))
  yield* renewSharing(sql, [...new Set([...spells, ...gone].map(({ resource_id }) => resource_id))])
  return yield* conflictsOf(
    sql,
    [],
    fresh.map(({ end, resource_id, start, stock, why }) => ({
      resource_id,
      playroom_id: null,
      units: stock,
      why,
      start,
      end
    })),
    claims,
    now
  )
})
