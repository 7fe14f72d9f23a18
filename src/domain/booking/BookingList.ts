/** The operators' list of bookings, by start. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlError, type Statement } from "effect/sql"
import { BookingId, OperatorId, PlayroomId, Reference } from "../../platform/ids/Ids.ts"
import { type Instant, InstantFromDate, type LocalDate, dayRange } from "../../platform/time/LocalTime.ts"
import { AddOnChoice } from "../catalogue/Pricing.ts"
import { columnsOf, decodeRows } from "../../platform/database/Rows.ts"
import { BookingStatus, PaymentStatus } from "./Booking.ts"
import { type PlannedClosure, closedOver, isOverbooked, outOfOrder, plannedRows } from "./ClosedTime.ts"
import { Extra, extrasOf } from "./BookingRequest.ts"

/** How long those who write may take, and how often it is looked whether they are done; milliseconds. */
const longestMs = 5000
const pauseMs = 20

const writesGoOn = new SqlError.SqlError({
  reason: new SqlError.LockTimeoutError({
    cause: new Error(`A transaction that writes history did not end within ${longestMs} ms`),
    message: "A booking is being changed for too long",
    operation: "committedThrough"
  })
})

/**
 * Answers the number of a line once all lines up to it are committed or rolled back: whoever reads after that has seen
 * them, and what is changed later has a later line. Not for use inside a transaction, which might wait for itself.
 */
export const committedThrough = Effect.fn("committedThrough")(function* (sql: SqlClient.SqlClient) {
  // First the number, then who writes: whoever has a number up to it held this lock before.
  const [latest] = yield* sql<{ line: number }>`
    select (case when is_called then last_value else 0 end)::float8 as line from booking_history_seq_seq`
  const writing = (among?: ReadonlyArray<string>) => sql<{ writer: string }>`
    select virtualtransaction as writer from pg_locks
    where locktype = 'relation' and relation = 'booking_history'::regclass and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())
      ${among === undefined ? sql`` : sql`and virtualtransaction = any(${among}::text[])`}`
  const writers = (yield* writing()).map(({ writer }) => writer)
  for (let waited = 0; writers.length > 0 && (yield* writing(writers)).length > 0; waited += pauseMs) {
    if (waited >= longestMs) return yield* writesGoOn
    yield* Effect.sleep(pauseMs)
  }
  return latest?.line ?? 0
})

/** A line of the list. Instants are milliseconds, amounts minor units of `currency`. */
export const ListedBooking = Schema.Struct({
  booking_id: BookingId,
  reference: Reference,
  status: BookingStatus,
  payment_status: PaymentStatus,
  operator_id: OperatorId,
  playroom_id: PlayroomId,
  playroom_name: Schema.String,
  package_name: Schema.String,
  time_zone: Schema.String,
  starts_at: InstantFromDate,
  ends_at: InstantFromDate,
  children: Schema.Int,
  adults: Schema.Int,
  /** In years; empty if the person gave none. */
  child_ages: Schema.Array(Schema.Int),
  extras: Schema.Array(Extra),
  contact_name: Schema.String,
  contact_email: Schema.String,
  contact_phone: Schema.NullOr(Schema.String),
  notes: Schema.NullOr(Schema.String),
  currency: Schema.String,
  total: Schema.Int,
  due_now: Schema.Int,
  paid: Schema.Int,
  refunded: Schema.Int,
  /** When the latest payment came in. */
  last_paid_at: Schema.NullOr(InstantFromDate),
  hold_expires_at: Schema.NullOr(InstantFromDate),
  /** When the balance is due, if there is one: RFC 3339. */
  balance_due_at: Schema.NullOr(Schema.String),
  balance_at_venue: Schema.Boolean
})
export type ListedBooking = typeof ListedBooking.Type

/** A booking that can't take place as things stand: in closed time, or with more than there is. */
export const AffectedBooking = Schema.Struct({
  ...ListedBooking.fields,
  /** The reason of the closure; null if it is in none. */
  closed_because: Schema.NullOr(Schema.String),
  /** Of what it has more than there is now, and how many there are, if it is in no closure. */
  overbooked: Schema.NullOr(
    Schema.Struct({
      of: Schema.String,
      units: Schema.Int,
      /** Why some of it is out of order; absent if there is less of it for good. */
      because: Schema.optionalKey(Schema.String),
      /** If it is stock: the booking's add-ons that take from it, and its others. */
      add_ons: Schema.optionalKey(
        Schema.Struct({ lacking: Schema.Array(AddOnChoice), rest: Schema.Array(AddOnChoice) })
      )
    })
  ),
  /** The latest line of its history (`seq`): a later change of the booking has a higher one. */
  changed: Schema.Int
})
export type AffectedBooking = typeof AffectedBooking.Type

/** Why it can't take place, for its history and for commands. */
export const whyAffected = ({
  closed_because,
  overbooked
}: Pick<AffectedBooking, "overbooked" | "closed_because">): string =>
  overbooked === null
    ? (closed_because ?? "")
    : overbooked.because === undefined
      ? `${overbooked.of}: only ${overbooked.units} now`
      : `${overbooked.of}, out of order: ${overbooked.because}`

/** The maximum number of these on one page of the desk. */
export const maxAffectedShown = 100

/** Which of them, by start. Conditions are joined by "and". */
export interface AffectedQuery {
  readonly operator_id?: string
  readonly playroom_id?: string
  readonly booking_id?: string
  /** Only those after this one. */
  readonly after?: Pick<ListedBooking, "booking_id" | "starts_at">
  /** Only those in closures that somebody is about to make. */
  readonly planned?: ReadonlyArray<PlannedClosure>
  readonly limit: number
}

/** Conditions, joined by "and". */
interface ListQuery {
  /** Visits that start at `from` or later, or on a date in their playroom's time zone. */
  readonly when: { readonly from: Instant } | { readonly day: LocalDate }
  readonly statuses: ReadonlyArray<BookingStatus>
  readonly operator_id?: string
  readonly playroom_id?: string
  /** The contact's e-mail address, however it is spelt (`folded` in `sql/`). */
  readonly email?: string
  readonly limit: number
}

export class BookingList extends Context.Service<
  BookingList,
  {
    /** At most `limit` bookings, by start. */
    readonly find: (query: ListQuery) => Effect.Effect<ReadonlyArray<ListedBooking>, SqlError.SqlError>
    /** The live bookings to come that can't take place as things stand (`ClosedTime.ts`), by start; at most `limit`. */
    readonly affected: (query: AffectedQuery) => Effect.Effect<ReadonlyArray<AffectedBooking>, SqlError.SqlError>
    /**
     * To be asked before a plan for many bookings reads them: what has a later line in the history has changed since.
     */
    readonly committedThrough: Effect.Effect<number, SqlError.SqlError>
  }
>()("playroom/booking/BookingList") {
  static readonly layer = Layer.effect(
    BookingList,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = decodeRows(Schema.Array(ListedBooking))
      const columns = sql.literal(columnsOf(ListedBooking, "f"))
      const affectedRows = decodeRows(Schema.Array(AffectedBooking))
      const zoneRows = decodeRows(Schema.Array(Schema.Struct({ time_zone: Schema.String })))

      /** Matching playrooms as `p`, joined with their range of starts as `z`: a day differs by time zone. */
      const playrooms = Effect.fnUntraced(function* ({ when, operator_id, playroom_id }: ListQuery) {
        const matches = sql.and([
          ...(operator_id === undefined ? [] : [sql`p.operator_id = ${operator_id}`]),
          ...(playroom_id === undefined ? [] : [sql`p.playroom_id = ${playroom_id}`]),
          sql`true`
        ])
        if ("from" in when) {
          return sql`playroom p join (select ${new Date(when.from)}::timestamptz, 'infinity'::timestamptz) z(first, beyond) on ${matches}`
        }
        const zones = yield* zoneRows(sql`select distinct p.time_zone from playroom p where ${matches}`)
        const days = zones.map(({ time_zone }) => ({ time_zone, ...dayRange(time_zone, when.day) }))
        const instants = (all: ReadonlyArray<Instant>) => all.map((at) => new Date(at).toISOString())
        return sql`playroom p join unnest(${days.map(({ time_zone }) => time_zone)}::text[],
            ${instants(days.map(({ start }) => start))}::timestamptz[], ${instants(days.map(({ end }) => end))}::timestamptz[])
          z(time_zone, first, beyond) on z.time_zone = p.time_zone and ${matches}`
      })

      /** The columns of a `ListedBooking` of the booking `b`. */
      const listed: Statement.Fragment = sql`booking_id, reference, status, payment_status, operator_id, playroom_id,
    terms ->> 'playroom_name' as playroom_name, terms ->> 'package_name' as package_name, terms ->> 'time_zone' as time_zone,
    starts_at, ends_at, children, adults, child_ages, ${extrasOf(sql)} as extras, contact_name, contact_email, contact_phone,
    notes, currency, total, due_now, paid, refunded, hold_expires_at,
    (select max(s.paid_at) from payment_session s where s.booking_id = b.booking_id and s.status = 'paid') as last_paid_at,
    terms -> 'price' ->> 'balance_due_at' as balance_due_at,
    coalesce((terms ->> 'balance_at_venue')::boolean, false) as balance_at_venue`

      return BookingList.of({
        committedThrough: committedThrough(sql),
        affected: Effect.fn("BookingList.affected")(function* (query: AffectedQuery) {
          const { after, booking_id, limit, operator_id, planned, playroom_id } = query
          const instant = yield* Clock.currentTimeMillis
          const now = new Date(instant)
          const which = sql.and([
            ...(playroom_id === undefined ? [] : [sql`b.playroom_id = ${playroom_id}`]),
            ...(booking_id === undefined ? [] : [sql`b.booking_id = ${booking_id}`]),
            ...(after === undefined
              ? []
              : [
                  sql`(b.starts_at, b.booking_id) > (${new Date(after.starts_at)}::timestamptz, ${after.booking_id}::text)`
                ]),
            sql`upper(o.during) > ${now}::timestamptz and not has_lapsed(b, ${now}::timestamptz)`
          ])
          const ofOperator = (table: "c" | "r") =>
            operator_id === undefined ? sql`true` : sql`${sql.literal(table)}.operator_id = ${operator_id}`
          const inRoom = playroom_id === undefined ? sql`true` : sql`c.playroom_id = ${playroom_id}`
          const stock = (planned ?? []).flatMap((one) => one.stock?.resource_id ?? [])
          const spells = outOfOrder(sql, planned)
          const ofStock = planned === undefined ? sql`true` : sql`r.resource_id = any(${stock}::text[])`
          const inStock = sql`exists (select from add_on n where n.add_on_id = e ->> 'add_on_id'
            and coalesce(n.uses, n.add_on_id) = r.resource_id)`
          const tooMuch = sql`union all
  select b.starts_at, b.booking_id, 'infinity'::timestamptz, null,
    jsonb_strip_nulls(jsonb_build_object('of', coalesce(p.name, a.name, case when s.because is not null then
      (select min(n.name) from add_on n where n.uses = r.resource_id and n.playroom_id = b.playroom_id) end, r.slug), 'units', greatest(0, r.units - coalesce(s.units, 0)),
      'because', s.because, 'add_ons', case when p.playroom_id is null then (
        select jsonb_build_object('lacking', coalesce(jsonb_agg(e) filter (where ${inStock}), '[]'),
          'rest', coalesce(jsonb_agg(e) filter (where not ${inStock}), '[]'))
        from jsonb_array_elements(b.terms -> 'add_ons') e) end))
  from resource r join occupancy o on o.resource_id = r.resource_id join booking b on b.booking_id = o.booking_id
    left join playroom p on p.playroom_id = r.resource_id left join add_on a on a.add_on_id = r.resource_id
    left join lateral (select sum(s.units)::int as units, string_agg(distinct s.reason, ', ') as because from ${spells} s
      where s.resource_id = r.resource_id and s.during && o.during) s on true
  where ${which} and ${ofOperator("r")} and ${ofStock} and ${isOverbooked(sql, instant, spells)}`
          return yield* affectedRows(sql`
select ${columns}, i.closed_because, i.overbooked,
  (select max(h.seq)::float8 from booking_history h where h.booking_id = f.booking_id) as changed
from (select distinct on (w.starts_at, w.booking_id) w.* from (
  select b.starts_at, b.booking_id, lower(c.during) as since, c.reason as closed_because, null::jsonb as overbooked
  from ${planned === undefined ? sql`closure` : plannedRows(sql, planned)} c join occupancy o on ${closedOver(sql)} join booking b on b.booking_id = o.booking_id
  where ${which} and ${ofOperator("c")} and ${inRoom} and upper(c.during) > ${now}::timestamptz
  ${planned === undefined || stock.length > 0 ? tooMuch : sql``}) w
  order by w.starts_at, w.booking_id, w.since limit ${limit}::int) i
cross join lateral (select ${listed} from booking b where b.booking_id = i.booking_id) f
order by f.starts_at, f.booking_id`)
        }),
        find: Effect.fn("BookingList.find")(function* (query: ListQuery) {
          const { email, limit, statuses } = query
          const byEmail = email === undefined ? sql`true` : sql`folded(contact_email) = folded(${email}::text)`
          // One lateral query per playroom uses the index on (playroom_id, starts_at).
          return yield* rows(sql`
select ${columns} from ${yield* playrooms(query)} cross join lateral (
  select ${listed}
  from booking b where playroom_id = p.playroom_id and starts_at >= z.first and starts_at < z.beyond
    and status = any(${statuses}::text[]) and ${byEmail}
  order by starts_at limit ${limit}) f
order by f.starts_at, f.booking_id limit ${limit}`)
        })
      })
    })
  )
}
