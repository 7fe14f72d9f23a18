/**
 * What is true, for comparison with what tools say: rows by SQL, availability and prices by the oracles. It shares no
 * code with what stands behind the tools.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Calendar } from "../../../src/domain/availability/Availability.ts"
import type { Party } from "../../../src/domain/catalogue/Pricing.ts"
import { AddOn, Package } from "../../../src/domain/catalogue/Package.ts"
import { Answers } from "../../../src/domain/catalogue/Questions.ts"
import { Playroom, type Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { ClosureId, OperatorId } from "../../../src/platform/ids/Ids.ts"
import { judgeByHand, startsByWatching, type Verdict } from "../../support/oracle/Availability.ts"
import { clockOf, dateOf, dayAfter, midnightOf, wallOf, weekdayOf } from "../../support/oracle/Clock.ts"

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

const Venues = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      playroom: Schema.Struct(Playroom.fields),
      operator: Schema.Struct({
        operator_id: OperatorId,
        name: Schema.String,
        application_fee_percent: Schema.Finite
      }),
      packages: Schema.Array(Package),
      add_ons: Schema.Array(AddOn)
    })
  )
)

/** Every playroom with what it sells. */
export const readVenues = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return Venues(
    yield* sql`select to_jsonb(p) || p.details as playroom, to_jsonb(o) as operator,
      (select jsonb_agg(k.terms order by k.position) from package k where k.playroom_id = p.playroom_id and k.on_sale) as packages,
      (select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(a)) order by a.position), '[]') from add_on a
        where a.playroom_id = p.playroom_id and a.on_sale) as add_ons
      from playroom p join operator o using (operator_id) where p.listed order by p.playroom_id`
  )
})

const Spans = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      resource_id: Schema.String,
      closure_id: Schema.NullOr(ClosureId),
      units: Schema.Array(Schema.Tuple([Schema.Int, Schema.Int])),
      start: Schema.Finite,
      end: Schema.Finite
    })
  )
)

/**
 * What is in the way at a playroom at a moment: closures, and places that are taken by bookings whose time is not up.
 * `except`: a booking whose own places count as free.
 */
export const readCalendar = Effect.fn("readCalendar")(function* (
  { playroom, add_ons }: Venue,
  now: number,
  except: string | null = null
) {
  const sql = yield* SqlClient.SqlClient
  const rows = Spans(
    yield* sql`select o.resource_id, o.closure_id,
      (select jsonb_agg(jsonb_build_array(lower(u), upper(u))) from unnest(o.units) u) as units,
      (extract(epoch from lower(o.during)) * 1000)::float8 as start, (extract(epoch from upper(o.during)) * 1000)::float8 as end
      from occupancy o left join booking b using (booking_id)
      where o.resource_id = any(${[playroom.playroom_id, ...add_ons.map(({ add_on_id }) => add_on_id)]}::text[])
        and (${except}::text is null or o.booking_id is distinct from ${except})
        and (b.status is distinct from 'held' or b.hold_expires_at > ${new Date(now)} or b.awaiting_provider)`
  )
  const taken = new Map<string, Array<(typeof rows)[number]>>()
  for (const row of rows) {
    if (row.closure_id !== null) continue
    taken.set(row.resource_id, [...(taken.get(row.resource_id) ?? []), row])
  }
  const closures = rows.flatMap(({ closure_id, end, start }) =>
    closure_id === null ? [] : [{ closure_id, start, end, reason: "" }]
  )
  return { closures, taken } satisfies Calendar
})

/** The starts of a package on a local date, in milliseconds, whatever is taken. */
export const startsOf = (venue: Venue, pkg: Package, date: string): ReadonlyArray<number> =>
  startsByWatching(venue, pkg, date).map((minute) => minute * minuteMs)

/** The local date and the minutes since midnight of an instant, by the clock on the wall. */
export const onTheWall = (zone: string, instant: number): { readonly date: string; readonly minutes: number } => {
  const wall = wallOf(zone, Math.floor(instant / minuteMs))
  const date = dateOf(wall)
  return { date, minutes: wall - midnightOf(date) }
}

export interface Question {
  readonly venue: Venue
  readonly packages: ReadonlyArray<Package>
  readonly party: Party
  readonly start_after?: string | undefined
  readonly end_before?: string | undefined
  /** Empty: any. */
  readonly weekdays?: ReadonlyArray<unknown>
}

const within = ({ end_before, start_after, venue }: Question, pkg: Package, start: number, date: string): boolean => {
  const zone = venue.playroom.time_zone
  const end = wallOf(zone, Math.floor(start / minuteMs) + pkg.duration_minutes) - midnightOf(date)
  return (
    (start_after === undefined || onTheWall(zone, start).minutes >= clockOf(start_after)) &&
    (end_before === undefined || end <= clockOf(end_before))
  )
}

export interface Look extends Verdict {
  readonly pkg: Package
  readonly start: number
  readonly date: string
  /** Inside the clock times that were asked for. */
  readonly within: boolean
}

const isAsked = ({ weekdays = [] }: Question, date: string): boolean =>
  weekdays.length === 0 || weekdays.includes(weekdayOf(date))

/** Every start on those of some days that are asked for, each with all that is in its way. */
export const looks = (
  question: Question,
  dates: ReadonlyArray<string>,
  calendar: Calendar,
  now: number
): ReadonlyArray<Look> =>
  dates
    .filter((date) => isAsked(question, date))
    .flatMap((date) =>
      question.packages.flatMap((pkg) =>
        startsOf(question.venue, pkg, date).map((start) => ({
          ...judgeByHand(question.venue, pkg, question.party, start, calendar, now),
          pkg,
          start,
          date,
          within: within(question, pkg, start, date)
        }))
      )
    )

const isFree = ({ reasons, within }: Look): boolean => within && reasons.size === 0

/** The first date from one on with a start that can be booked, up to so many days on. */
export const firstFree = (question: Question, from: string, days: number, calendar: Calendar, now: number) => {
  for (let i = 0; i <= days; i++) {
    const date = dayAfter(from, i)
    if (looks(question, [date], calendar, now).some(isFree)) return date
  }
  return undefined
}

export const datesBetween = (from: string, to: string): ReadonlyArray<string> => {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / dayMs)
  return Array.from({ length: Math.max(0, Math.min(31, count)) + 1 }, (_, i) => dayAfter(from, i))
}

/** So many dates from one on. */
export const datesFrom = (date: string, days: number): ReadonlyArray<string> =>
  Array.from({ length: days }, (_, i) => dayAfter(date, i))

const BookingRows = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      booking_id: Schema.String,
      reference: Schema.String,
      contact_email: Schema.String,
      mode: Schema.String,
      zone: Schema.String,
      /** Hours before the start at which the headcount is final, and moving is free no more. */
      hours: Schema.Array(Schema.Finite),
      balance_due: Schema.NullOr(Schema.Finite),
      playroom_id: Schema.String,
      package_id: Schema.String,
      status: Schema.String,
      payment_status: Schema.String,
      children: Schema.Int,
      adults: Schema.Int,
      total: Schema.Int,
      due_now: Schema.Int,
      refunded: Schema.Int,
      currency: Schema.String,
      start: Schema.Finite,
      end: Schema.Finite,
      hold_end: Schema.NullOr(Schema.Finite),
      /** A payment page is open: the hold does not end by itself. */
      awaiting: Schema.Boolean,
      /** Summed over the payment sessions that are paid. */
      received: Schema.Int,
      /** What is left to be paid, and the deposit as agreed. */
      balance: Schema.Int,
      deposit: Schema.Int,
      cancellation: Schema.Array(Schema.Struct({ hours_before: Schema.Finite, refund_percent: Schema.Finite })),
      kept: Schema.Int,
      notes: Schema.NullOr(Schema.String),
      ages: Schema.Array(Schema.Int),
      code: Schema.NullOr(Schema.String),
      answers: Answers,
      order_id: Schema.NullOr(Schema.String)
    })
  )
)
export type Booked = ReturnType<typeof BookingRows>[number]

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`

/** The bookings in some names, in the order in which they were made. */
export const bookingsOf = Effect.fn("bookingsOf")(function* (...names: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return BookingRows(
    yield* sql`select booking_id, reference, contact_email, playroom_id, package_id, status, payment_status, children, adults, total, due_now, refunded, currency,
      ${sql.literal(ms("starts_at"))} as start, ${sql.literal(ms("ends_at"))} as end, ${sql.literal(ms("hold_expires_at"))} as hold_end, awaiting_provider as awaiting,
      (select coalesce(sum(s.amount), 0)::int from payment_session s where s.booking_id = b.booking_id and s.status = 'paid') as received,
      terms -> 'cancellation' as cancellation, (terms ->> 'non_refundable')::int as kept, terms ->> 'mode' as mode, terms ->> 'time_zone' as zone,
      to_jsonb(array_remove(array[(terms ->> 'final_headcount_hours_before')::int, (terms ->> 'free_reschedule_hours_before')::int], null)) as hours,
      (extract(epoch from (terms -> 'price' ->> 'balance_due_at')::timestamptz) * 1000)::float8 as balance_due,
      total - (select coalesce(sum(s.amount), 0)::int from payment_session s where s.booking_id = b.booking_id and s.status = 'paid') as balance,
      coalesce((terms -> 'deposit' ->> 'amount')::int, 0) as deposit, notes, child_ages as ages,
      terms -> 'code' ->> 'code' as code, answers, order_id
      from booking b where contact_name = any(${names}) order by created_at, booking_id`
  )
})

/** Where a booking stands at a moment: a hold whose time is up, with no payment page open, is none any more. */
export const statusOf = ({ awaiting, hold_end, status }: Booked, now: number): string =>
  status === "held" && !awaiting && hold_end !== null && hold_end <= now ? "expired" : status

/**
 * What a cancellation at a moment gives back: of the tiers whose time has not come, the one furthest ahead of the start
 * counts.
 */
export const refundByHand = (
  {
    cancellation,
    kept,
    received,
    refunded,
    start
  }: Pick<Booked, "cancellation" | "kept" | "received" | "refunded" | "start">,
  now: number
): number => {
  const open = cancellation.filter(({ hours_before }) => now <= start - hours_before * hourMs)
  const furthest = Math.max(...open.map(({ hours_before }) => hours_before))
  const percent = Math.max(
    0,
    ...open.flatMap(({ hours_before, refund_percent }) => (hours_before === furthest ? [refund_percent] : []))
  )
  return Math.max(0, Math.round(((received - kept > 0 ? received - kept : 0) * percent) / 100) - refunded)
}
