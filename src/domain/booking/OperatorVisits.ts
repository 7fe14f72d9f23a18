/** The visits in all playrooms of one operator: by day, as counts of a week, by search, and for a calendar feed. */
import { Clock, Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { normalizeReference, PlayroomId, Reference } from "../../platform/ids/Ids.ts"
import {
  addDays,
  clockTimeOf,
  ClockTime,
  datesFrom,
  dayMs,
  dayRange,
  type Instant,
  instantAt,
  InstantFromDate,
  LocalDate,
  localDateOf
} from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { BookingRow, BookingStatus } from "./Booking.ts"
import { digitsToFind, noEmail } from "../../platform/text/Contact.ts"
import { erasedContact } from "./BookingRecords.ts"
import { Blocked, blockedBy } from "./ClosedTime.ts"
import { Extra, extrasOf, extrasUsed } from "./BookingRequest.ts"
import { Question } from "../catalogue/Questions.ts"

const {
  answers,
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
  answers,
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
  attendance: BookingRow.fields.attendance,
  hold_expires_at: BookingRow.fields.hold_expires_at,
  /** When the balance is due, if there is one: RFC 3339. */
  balance_due_at: Schema.NullOr(Schema.String),
  balance_at_venue: Schema.Boolean,
  /** Why it can't take place as things stand, if it can't. */
  blocked: Schema.NullOr(Blocked),
  /** The reference of another visit of the same family at the same time, if there is one. */
  also: Schema.NullOr(Schema.String),
  /** What its package asks today. */
  questions: Schema.NullOr(Schema.Array(Question))
})
export type DayVisit = typeof DayVisit.Type

/** The reference of another visit that the family of `b` has at the operator's at the same time, by its e-mail address. */
export const alsoBooked = (sql: SqlClient.SqlClient, now: Instant): Statement.Fragment =>
  sql`(select o.reference from booking o where folded(o.contact_email) = folded(b.contact_email)
        and b.contact_email not in (${erasedContact.email}, ${noEmail}) and o.operator_id = b.operator_id and o.booking_id <> b.booking_id and b.status in ('held', 'confirmed')
        and o.status in ('held', 'confirmed') and not has_lapsed(o, ${new Date(now)}::timestamptz)
        and o.starts_at < b.ends_at and o.ends_at > b.starts_at order by o.starts_at, o.booking_id limit 1)`

/** A visit for a calendar feed. `changes`: the number of its history lines. */
export const CalendarVisit = Schema.Struct({
  ...visit,
  address: Schema.String,
  changes: Schema.Int,
  updated_at: InstantFromDate
})
export type CalendarVisit = typeof CalendarVisit.Type

/**
 * The number of visits of a day, by status, of their children, and of those visits that can't take place as things
 * stand.
 */
export interface DayCount {
  readonly date: LocalDate
  readonly confirmed: number
  readonly held: number
  readonly children: number
  readonly blocked: number
}

/** The counts of a day without visits. */
export const noVisits = (date: LocalDate): DayCount => ({ date, confirmed: 0, held: 0, children: 0, blocked: 0 })

/** The children of confirmed and held visits in an hour of the day, which begins at this local clock time. */
export const HourCount = Schema.Struct({ hour: ClockTime, children: Schema.Int })
export type HourCount = typeof HourCount.Type

/** How many of an extra visits have from one time to another. */
type ExtraUse = Extra & {
  readonly time_zone: string
  readonly starts_at: Instant
  readonly ends_at: Instant
}

/** An extra of a day. With stock, visits have it one after another: `quantity` is the most at once, `uses` says when. */
export interface Preparation extends Extra {
  readonly uses: ReadonlyArray<ExtraUse>
}

/** The cursor of a day's visits: the page begins after this visit. */
export interface Position {
  readonly starts_at: Instant
  readonly booking_id: string
}

/** Instants of a zone, and what its clocks or calendars call them: an hour, or a date. */
interface LocalTimes {
  readonly name: string
  readonly start: Instant
  /** Excluded. */
  readonly end: Instant
}

/** No time zone is further from UTC. */
const maxUtcOffsetMs = 14 * 3_600_000

const counts = decodeRows(
  Schema.Array(
    Schema.Struct({
      date: LocalDate,
      confirmed: Schema.Int,
      held: Schema.Int,
      children: Schema.Int,
      blocked: Schema.Int
    })
  )
)
/** Limit on the rows read to find the next date: visits before it, in other time zones, come first. */
const maxNextDateRows = 1000
const startRows = decodeRows(Schema.Array(Schema.Struct({ time_zone: Schema.String, starts_at })))
const zoneRows = decodeRows(Schema.Array(Schema.Struct({ time_zone: Schema.String })))
const visitRows = decodeRows(Schema.Array(DayVisit))
const calendarRows = decodeRows(Schema.Array(CalendarVisit))
const useRows = decodeRows(
  Schema.Array(
    Schema.Struct({
      ...Extra.fields,
      stocked: Schema.Boolean,
      time_zone: Schema.String,
      starts_at,
      ends_at
    })
  )
)
const hourRows = decodeRows(Schema.Array(HourCount))

/** The maximum number of visits on one page of a day. */
export const maxVisits = 100

/**
 * Limits of an operator's calendar. Cancelled visits stay for `cancelledDays`, so that subscribed calendars remove
 * them.
 */
export const calendarBounds = { daysBack: 30, daysAhead: 400, cancelledDays: 30, visits: 2000 } as const

/** The visits among which one search looks for names and telephones. */
const searched = 10_000
/** Fewer digits name no telephone. */
const leastDigits = 4

/** Reads the visits of an operator, for its pages and its calendar. */
export const makeOperatorVisits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const ofOperator = (operator_id: string, from: Instant, to: Instant | "open") =>
    Effect.map(
      Clock.currentTimeMillis,
      (now) => sql`b.operator_id = ${operator_id} and b.status <> 'expired'
            and b.starts_at >= ${new Date(from)}::timestamptz and b.starts_at < ${to === "open" ? "infinity" : new Date(to)}::timestamptz
            and not has_lapsed(b, ${new Date(now)})`
    )

  /**
   * A `from` item: the operator's visits `b` that start on dates from `first` to `last`, each with all times `z` of its
   * time zone. Dates have other instants in each zone.
   */
  const withTimes = Effect.fnUntraced(function* (
    operator_id: string,
    [first, last]: readonly [first: LocalDate, last: LocalDate],
    timesIn: (time_zone: string) => ReadonlyArray<LocalTimes>
  ) {
    const earliest = Date.parse(first) - maxUtcOffsetMs
    const latest = Date.parse(last) + dayMs + maxUtcOffsetMs
    const visits = yield* ofOperator(operator_id, earliest, latest)
    const zones = yield* zoneRows(
      sql`select distinct b.terms ->> 'time_zone' as time_zone from booking b where ${visits}`
    )
    const times = zones.flatMap(({ time_zone }) => timesIn(time_zone).map((its) => ({ time_zone, ...its })))
    const instants = (texts: ReadonlyArray<Instant>) => texts.map((at) => new Date(at).toISOString())
    return sql`booking b
          join unnest(${times.map(({ time_zone }) => time_zone)}::text[], ${times.map(({ name }) => name)}::text[],
            ${instants(times.map(({ start }) => start))}::timestamptz[], ${instants(times.map(({ end }) => end))}::timestamptz[])
            z(time_zone, name, first, beyond)
          on z.time_zone = b.terms ->> 'time_zone' and ${visits}`
  })

  /** A `from` item: the operator's visits `b` that start on dates, with their date as `z.name`. */
  const onDates = (operator_id: string, dates: ReadonlyArray<LocalDate>) =>
    Effect.map(
      withTimes(operator_id, [dates[0] ?? "", dates.at(-1) ?? ""], (time_zone) =>
        dates.map((date) => ({ name: date, ...dayRange(time_zone, date) }))
      ),
      (visits) => sql`${visits} and b.starts_at >= z.first and b.starts_at < z.beyond`
    )

  const columns: Statement.Fragment = sql`b.booking_id, b.reference, b.status, b.playroom_id, p.name as playroom_name,
        b.terms ->> 'package_name' as package_name, b.terms ->> 'time_zone' as time_zone, b.starts_at, b.ends_at, b.children, b.adults,
        b.child_ages, b.contact_name, b.contact_email, b.contact_phone, b.notes, b.answers,
        ${extrasOf(sql)} as extras`

  const dayColumns = (
    now: Instant
  ): Statement.Fragment => sql`${columns}, b.payment_status, b.currency, b.total, b.due_now, b.paid, b.refunded,
        b.kept_refunded, b.attendance, b.hold_expires_at, b.terms -> 'price' ->> 'balance_due_at' as balance_due_at,
        coalesce((b.terms ->> 'balance_at_venue')::boolean, false) as balance_at_venue, ${blockedBy(sql, now)} as blocked, ${alsoBooked(sql, now)} as also,
        (select k.terms -> 'questions' from package k where k.package_id = b.package_id) as questions`

  // Skip holds that were never confirmed.
  const wasConfirmed = sql`exists (select from booking_history h where h.booking_id = b.booking_id and h.to_status = 'confirmed')`

  /**
   * The visits that start on a date in their playroom's time zone, by time: confirmed, held, and cancelled after
   * being confirmed. At most `limit`, after `after`.
   */
  const day = Effect.fn("OperatorVisits.day")(function* (
    operator_id: string,
    date: LocalDate,
    { after, limit }: { readonly limit: number; readonly after?: Position }
  ) {
    const now = yield* Clock.currentTimeMillis
    const visits = yield* onDates(operator_id, [date])
    const beyond =
      after === undefined
        ? sql`true`
        : sql`(b.starts_at, b.booking_id) > (${new Date(after.starts_at)}::timestamptz, ${after.booking_id}::text)`
    return yield* visitRows(sql`select ${dayColumns(now)} from ${visits} join playroom p on p.playroom_id = b.playroom_id
where (b.status <> 'cancelled' or ${wasConfirmed}) and ${beyond}
order by b.starts_at, b.booking_id limit ${limit}::int`)
  })

  /**
   * The children of confirmed and held visits by hour of a date, for hours that have some. Those of the evening before
   * count after midnight, too. An hour that the clock shows twice is one hour.
   */
  const hours = Effect.fn("OperatorVisits.hours")(function* (operator_id: string, date: LocalDate) {
    const visits = yield* withTimes(operator_id, [addDays(date, -1), date], (time_zone) =>
      Array.from({ length: 24 }, (_, hour) => ({
        name: clockTimeOf(hour * 60),
        start: instantAt(time_zone, date, hour * 60),
        end: instantAt(time_zone, date, (hour + 1) * 60)
      })).filter(({ end, start }) => start < end)
    )
    return yield* hourRows(sql`
select z.name as hour, sum(b.children)::int as children
from ${visits} and b.starts_at < z.beyond and b.ends_at > z.first
where b.status in ('held', 'confirmed') group by 1 order by 1`)
  })

  /**
   * The visits that words find, at most `limit`: those to come by time, then those that are over, the latest first. Of
   * any time by their reference or e-mail address; by parts of the name or the address and by telephone among the
   * latest (`among`) that start before `before`. `since`: where that ends; absent if there are none before.
   */
  const search = Effect.fn("OperatorVisits.search")(function* (
    operator_id: string,
    words: string,
    { among = searched, before, limit }: { readonly limit: number; readonly before?: Instant; readonly among?: number }
  ) {
    const now = yield* Clock.currentTimeMillis
    const all = words.split(/\s+/).filter((word) => word !== "")
    const digits = digitsToFind(words) ?? ""
    const isNumber = digits.length >= leastDigits
    const visits = yield* ofOperator(operator_id, 0, before ?? "open")
    const rows = yield* sql<{ readonly booking_id: string | null; readonly since: Date | null }>`
with latest as (select b.booking_id, b.contact_name, b.contact_email, b.contact_phone, b.starts_at from booking b where ${visits}
  order by b.starts_at desc limit ${among}::int),
matching as (select booking_id from latest where
    (${isNumber}::boolean and strpos(regexp_replace(contact_phone, '[^0-9]', '', 'g'), ${digits}::text) > 0)
    or (select coalesce(bool_and(strpos(folded(contact_name || ' ' || contact_email), folded(word)) > 0), false)
      from unnest(${all}::text[]) word)
  union select b.booking_id from booking b where b.reference = ${normalizeReference(words)} and ${before === undefined}::boolean
  union select b.booking_id from booking b
    where folded(b.contact_email) = folded(${words}::text) and b.operator_id = ${operator_id} and ${before === undefined}::boolean)
select v.*, ended.since from (select case when count(*) = ${among}::int then min(starts_at) end as since from latest) ended
left join (select ${dayColumns(now)} from booking b join matching using (booking_id) join playroom p on p.playroom_id = b.playroom_id
  where ${visits} and (b.status <> 'cancelled' or ${wasConfirmed})) v on true
order by v.ends_at <= ${new Date(now)}::timestamptz, abs(extract(epoch from v.starts_at - ${new Date(now)}::timestamptz)), v.booking_id
limit ${limit}::int`
    const since = rows[0]?.since ?? undefined
    const found = yield* visitRows(Effect.succeed(rows.filter(({ booking_id }) => booking_id !== null)))
    return { visits: found, ...(since === undefined ? {} : { since: since.getTime() }) }
  })

  /** What to prepare for a date's confirmed and held visits, by name. What has no stock is used up, and summed. */
  const extras = Effect.fn("OperatorVisits.extras")(function* (operator_id: string, date: LocalDate) {
    const visits = yield* onDates(operator_id, [date])
    const rows = yield* useRows(sql`
select coalesce(a.name, u.add_on_id) as name, coalesce(a.stock is not null, false) as stocked, z.time_zone, b.starts_at, b.ends_at,
  sum(u.quantity)::int as quantity
from ${visits} cross join lateral ${extrasUsed(sql)}
where b.status in ('held', 'confirmed') group by 1, 2, 3, 4, 5 order by 1, 2, 4, 5, 3`)
    return Array.from(Map.groupBy(rows, ({ name, stocked }) => `${stocked} ${name}`).values(), (uses): Preparation => {
      const [{ name, stocked } = { name: "", stocked: false }] = uses
      const sum = (of: typeof uses) => of.reduce((all, { quantity }) => all + quantity, 0)
      if (!stocked) return { name, quantity: sum(uses), uses: [] }
      const most = uses.map((one) =>
        sum(uses.filter(({ ends_at, starts_at }) => starts_at <= one.starts_at && ends_at > one.starts_at))
      )
      return { name, quantity: Math.max(...most), uses }
    })
  })

  /** The first date after `date` with a confirmed or held visit. */
  const nextDate = Effect.fn("OperatorVisits.nextDate")(function* (operator_id: string, date: LocalDate) {
    // Other time zones may still have `date` on the next day.
    const visits = yield* ofOperator(operator_id, Date.parse(date) + dayMs - maxUtcOffsetMs, "open")
    const found = yield* startRows(sql`
select b.terms ->> 'time_zone' as time_zone, b.starts_at from booking b
where ${visits} and b.status in ('held', 'confirmed') order by b.starts_at limit ${maxNextDateRows}::int`)
    return found.map(({ starts_at, time_zone }) => localDateOf(time_zone, starts_at)).find((one) => one > date)
  })

  /** The counts of the seven dates from `from`. */
  const week = Effect.fn("OperatorVisits.week")(function* (operator_id: string, from: LocalDate) {
    const now = yield* Clock.currentTimeMillis
    const dates = datesFrom(from, addDays(from, 6))
    const visits = yield* onDates(operator_id, dates)
    const found = yield* counts(sql`
select z.name as date, (count(*) filter (where b.status = 'confirmed'))::int as confirmed,
  (count(*) filter (where b.status = 'held'))::int as held, sum(b.children)::int as children,
  (count(*) filter (where ${blockedBy(sql, now)} is not null))::int as blocked
from ${visits} where b.status in ('held', 'confirmed') group by z.name`)
    return dates.map((date) => found.find((one) => one.date === date) ?? noVisits(date))
  })

  /**
   * The visits that start in [from, to), by start, at most `limit`: confirmed, held, and cancelled since
   * `cancelled_since` after being confirmed.
   */
  const calendar = Effect.fn("OperatorVisits.calendar")(function* (
    operator_id: string,
    {
      cancelled_since,
      from,
      limit,
      to
    }: { readonly from: Instant; readonly to: Instant; readonly cancelled_since: Instant; readonly limit: number }
  ) {
    return yield* calendarRows(sql`
select ${columns}, b.terms ->> 'address' as address, b.updated_at,
  (select count(*)::int from booking_history h where h.booking_id = b.booking_id) as changes
from booking b join playroom p on p.playroom_id = b.playroom_id
where ${yield* ofOperator(operator_id, from, to)}
  and (b.status <> 'cancelled' or (b.updated_at >= ${new Date(cancelled_since)}::timestamptz and ${wasConfirmed}))
order by b.starts_at, b.booking_id limit ${limit}::int`)
  })

  return { day, extras, hours, search, nextDate, week, calendar }
})
