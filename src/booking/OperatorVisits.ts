/** The visits in all playrooms of one operator: by day, as counts of a week, and for a calendar feed. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { PlayroomId, Reference } from "../kernel/Ids.ts"
import {
  addDays,
  datesFrom,
  dayMs,
  dayRange,
  type Instant,
  InstantFromDate,
  LocalDate,
  localDateOf
} from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { BookingRow, BookingStatus } from "./Booking.ts"
import { Extra, extrasOf, extrasUsed } from "./Extras.ts"

const {
  booking_id,
  children,
  adults,
  child_ages,
  contact_email,
  contact_name,
  contact_phone,
  ends_at,
  notes,
  starts_at
} = BookingRow.fields

/** The fields of every visit. Instants are milliseconds. */
const visit = {
  booking_id,
  reference: Reference,
  status: BookingStatus,
  playroom_id: PlayroomId,
  playroom_name: Schema.String,
  package_name: Schema.String,
  time_zone: Schema.String,
  starts_at,
  ends_at,
  children,
  adults,
  child_ages,
  contact_name,
  contact_email,
  contact_phone,
  notes,
  extras: Schema.Array(Extra)
}

/** A visit of a day, with its money in minor units of `currency`. */
export const DayVisit = Schema.Struct({
  ...visit,
  payment_status: BookingRow.fields.payment_status,
  currency: Schema.String,
  total: Schema.Int,
  due_now: Schema.Int,
  paid: Schema.Int,
  refunded: Schema.Int,
  kept_refunded: Schema.NullOr(Schema.Int),
  hold_expires_at: BookingRow.fields.hold_expires_at,
  /** When the balance is due, if there is one: RFC 3339. */
  balance_due_at: Schema.NullOr(Schema.String)
})
export type DayVisit = typeof DayVisit.Type

/** A visit for a calendar feed. `changes`: the number of its history lines. */
export const CalendarVisit = Schema.Struct({
  ...visit,
  address: Schema.String,
  changes: Schema.Int,
  updated_at: InstantFromDate
})
export type CalendarVisit = typeof CalendarVisit.Type

/** The number of visits of a day, by status, and of their children. */
export interface DayCount {
  readonly date: LocalDate
  readonly confirmed: number
  readonly held: number
  readonly children: number
}

/** The cursor of a day's visits: the page begins after this visit. */
export interface Position {
  readonly playroom_name: string
  readonly playroom_id: string
  readonly starts_at: Instant
  readonly booking_id: string
}

/** No time zone is further from UTC. */
const maxUtcOffsetMs = 14 * 3_600_000

const counts = decodeRows(
  Schema.Array(Schema.Struct({ date: LocalDate, confirmed: Schema.Int, held: Schema.Int, children: Schema.Int }))
)
/** Limit on the rows read to find the next date: visits before it, in other time zones, come first. */
const maxNextDateRows = 1000
const startRows = decodeRows(Schema.Array(Schema.Struct({ time_zone: Schema.String, starts_at })))
const zoneRows = decodeRows(Schema.Array(Schema.Struct({ time_zone: Schema.String })))
const visitRows = decodeRows(Schema.Array(DayVisit))
const calendarRows = decodeRows(Schema.Array(CalendarVisit))
const extraRows = decodeRows(Schema.Array(Extra))

/** The maximum number of visits on one page of a day. */
export const maxVisits = 100

/**
 * Limits of an operator's calendar. Cancelled visits stay for `cancelledDays`, so that subscribed calendars remove
 * them.
 */
export const calendarBounds = { daysBack: 30, daysAhead: 400, cancelledDays: 30, visits: 2000 } as const

export class OperatorVisits extends Context.Service<
  OperatorVisits,
  {
    /**
     * The visits that start on a date in their playroom's time zone, by playroom and time: confirmed, held, and
     * cancelled after being confirmed. At most `limit`, after `after`.
     */
    readonly day: (
      operator_id: string,
      date: LocalDate,
      page: { readonly limit: number; readonly after?: Position }
    ) => Effect.Effect<ReadonlyArray<DayVisit>, SqlError.SqlError>
    /** The extras of a date's confirmed and held visits, summed by name. */
    readonly extras: (operator_id: string, date: LocalDate) => Effect.Effect<ReadonlyArray<Extra>, SqlError.SqlError>
    /** The first date after `date` with a confirmed or held visit. */
    readonly nextDate: (operator_id: string, date: LocalDate) => Effect.Effect<LocalDate | undefined, SqlError.SqlError>
    /** The counts of the seven dates from `from`. */
    readonly week: (operator_id: string, from: LocalDate) => Effect.Effect<ReadonlyArray<DayCount>, SqlError.SqlError>
    /**
     * The visits that start in [from, to), by start, at most `limit`: confirmed, held, and cancelled since
     * `cancelled_since` after being confirmed.
     */
    readonly calendar: (
      operator_id: string,
      within: {
        readonly from: Instant
        readonly to: Instant
        readonly cancelled_since: Instant
        readonly limit: number
      }
    ) => Effect.Effect<ReadonlyArray<CalendarVisit>, SqlError.SqlError>
  }
>()("playroom/booking/OperatorVisits") {
  static readonly layer = Layer.effect(
    OperatorVisits,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const ofOperator = (operator_id: string, from: Instant, to: Instant | "open") =>
        Effect.map(
          Clock.currentTimeMillis,
          (now) => sql`b.operator_id = ${operator_id} and b.status <> 'expired'
            and b.starts_at >= ${new Date(from)}::timestamptz and b.starts_at < ${to === "open" ? "infinity" : new Date(to)}::timestamptz
            and not has_lapsed(b, ${new Date(now)})`
        )

      /**
       * A `from` item: the operator's visits `b` on dates, with `z.date`. A day has other instants in each time zone.
       */
      const onDates = Effect.fnUntraced(function* (operator_id: string, dates: ReadonlyArray<LocalDate>) {
        const [first = "", last = ""] = [dates[0], dates.at(-1)]
        const earliest = Date.parse(first) - maxUtcOffsetMs
        const latest = Date.parse(last) + dayMs + maxUtcOffsetMs
        const visits = yield* ofOperator(operator_id, earliest, latest)
        const zones = yield* zoneRows(
          sql`select distinct b.terms ->> 'time_zone' as time_zone from booking b where ${visits}`
        )
        const days = zones.flatMap(({ time_zone }) =>
          dates.map((date) => ({ time_zone, date, ...dayRange(time_zone, date) }))
        )
        const instants = (texts: ReadonlyArray<Instant>) => texts.map((at) => new Date(at).toISOString())
        return sql`booking b
          join unnest(${days.map(({ time_zone }) => time_zone)}::text[], ${days.map(({ date }) => date)}::text[],
            ${instants(days.map(({ start }) => start))}::timestamptz[], ${instants(days.map(({ end }) => end))}::timestamptz[])
            z(time_zone, date, day_start, day_end)
          on z.time_zone = b.terms ->> 'time_zone' and b.starts_at >= z.day_start and b.starts_at < z.day_end and ${visits}`
      })

      const columns: Statement.Fragment = sql`b.booking_id, b.reference, b.status, b.playroom_id, p.name as playroom_name,
        b.terms ->> 'package_name' as package_name, b.terms ->> 'time_zone' as time_zone, b.starts_at, b.ends_at, b.children, b.adults,
        b.child_ages, b.contact_name, b.contact_email, b.contact_phone, b.notes,
        ${extrasOf(sql)} as extras`

      // Skip holds that were never confirmed.
      const wasConfirmed = sql`exists (select from booking_history h where h.booking_id = b.booking_id and h.to_status = 'confirmed')`

      const day = Effect.fn("OperatorVisits.day")(function* (
        operator_id: string,
        date: LocalDate,
        { after, limit }: { readonly limit: number; readonly after?: Position }
      ) {
        const visits = yield* onDates(operator_id, [date])
        const beyond =
          after === undefined
            ? sql`true`
            : sql`(p.name collate "C", b.playroom_id, b.starts_at, b.booking_id) >
                (${after.playroom_name}::text, ${after.playroom_id}::text, ${new Date(after.starts_at)}::timestamptz, ${after.booking_id}::text)`
        return yield* visitRows(sql`
select ${columns}, b.payment_status, b.currency, b.total, b.due_now, b.paid, b.refunded, b.kept_refunded, b.hold_expires_at,
  b.terms -> 'price' ->> 'balance_due_at' as balance_due_at
from ${visits} join playroom p on p.playroom_id = b.playroom_id
where (b.status <> 'cancelled' or ${wasConfirmed}) and ${beyond}
order by p.name collate "C", b.playroom_id, b.starts_at, b.booking_id limit ${limit}::int`)
      })

      const extras = Effect.fn("OperatorVisits.extras")(function* (operator_id: string, date: LocalDate) {
        const visits = yield* onDates(operator_id, [date])
        return yield* extraRows(sql`
select coalesce(a.name, u.add_on_id) as name, sum(u.quantity)::int as quantity
from ${visits} cross join lateral ${extrasUsed(sql)}
where b.status in ('held', 'confirmed') group by 1 order by 1`)
      })

      const nextDate = Effect.fn("OperatorVisits.nextDate")(function* (operator_id: string, date: LocalDate) {
        // Other time zones may still have `date` on the next day.
        const visits = yield* ofOperator(operator_id, Date.parse(date) + dayMs - maxUtcOffsetMs, "open")
        const found = yield* startRows(sql`
select b.terms ->> 'time_zone' as time_zone, b.starts_at from booking b
where ${visits} and b.status in ('held', 'confirmed') order by b.starts_at limit ${maxNextDateRows}::int`)
        return found.map(({ starts_at, time_zone }) => localDateOf(time_zone, starts_at)).find((one) => one > date)
      })

      const week = Effect.fn("OperatorVisits.week")(function* (operator_id: string, from: LocalDate) {
        const dates = datesFrom(from, addDays(from, 6))
        const visits = yield* onDates(operator_id, dates)
        const found = yield* counts(sql`
select z.date, (count(*) filter (where b.status = 'confirmed'))::int as confirmed,
  (count(*) filter (where b.status = 'held'))::int as held, sum(b.children)::int as children
from ${visits} where b.status in ('held', 'confirmed') group by z.date`)
        return dates.map(
          (date) => found.find((one) => one.date === date) ?? { date, confirmed: 0, held: 0, children: 0 }
        )
      })

      const calendar: OperatorVisits["Service"]["calendar"] = Effect.fn("OperatorVisits.calendar")(function* (
        operator_id,
        { cancelled_since, from, limit, to }
      ) {
        return yield* calendarRows(sql`
select ${columns}, b.terms ->> 'address' as address, b.updated_at,
  (select count(*)::int from booking_history h where h.booking_id = b.booking_id) as changes
from booking b join playroom p on p.playroom_id = b.playroom_id
where ${yield* ofOperator(operator_id, from, to)}
  and (b.status <> 'cancelled' or (b.updated_at >= ${new Date(cancelled_since)}::timestamptz and ${wasConfirmed}))
order by b.starts_at, b.booking_id limit ${limit}::int`)
      })

      return OperatorVisits.of({ day, extras, nextDate, week, calendar })
    })
  )
}
