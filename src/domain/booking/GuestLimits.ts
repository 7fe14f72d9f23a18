/**
 * Limits on guests' bookings of which nothing is paid (`guest_limit` in `sql/`), which hold when they are made and when
 * their families change them. Guests are anonymous and free to create, so their networks have shares of a playroom's
 * day: nobody can fill it without paying.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Guest } from "../../platform/access/ApiKey.ts"
import { mergeSpans, openingOn, shiftSpan } from "../availability/OpeningTimes.ts"
import type { Place } from "../availability/Places.ts"
import type { Playroom } from "../catalogue/Playroom.ts"
import { addDays, dayMinutes, dayRange, type Instant, localDateOf } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { type BookingRow, TooManyHolds } from "./Booking.ts"

/**
 * The most bookings of which nothing is paid: of one guest (`guest`), of those that cost nothing (`guest_free`), and of
 * one person on one day of a playroom (`guest_day`). `guest_network_own`: what a network has of a playroom's day in any
 * case; beyond it, a third of what others leave.
 */
export const guestLimits = { guest: 2, guest_free: 20, guest_day: 3, guest_network_own: 2 } as const

/** A playroom's day, as RFC 3339, and for how many minutes the playroom is open then. */
interface VisitDay {
  readonly from: string
  readonly to: string
  readonly open_minutes: number
}

/** The day on which a visit starts. */
const visitDay = (playroom: Playroom, start: Instant): VisitDay => {
  const date = localDateOf(playroom.time_zone, start)
  const day = dayRange(playroom.time_zone, date)
  const open = mergeSpans([
    ...openingOn(playroom, addDays(date, -1)).map((span) => shiftSpan(span, -1)),
    ...openingOn(playroom, date)
  ])
  return {
    from: new Date(day.start).toISOString(),
    to: new Date(day.end).toISOString(),
    open_minutes: open.reduce(
      (sum, { first, last }) => sum + Math.max(0, Math.min(last, dayMinutes) - Math.max(first, 0)),
      0
    )
  }
}

const visitOf = (row: BookingRow, places: ReadonlyArray<Place>, playroom: Playroom) => ({
  email: row.contact_email,
  free: row.total === 0,
  room: places.find(({ resource_id }) => resource_id === row.playroom_id),
  day: visitDay(playroom, row.starts_at)
})

/** A guest's booking, as `guest_limit` in `sql/` reads it. */
export const guestVisit = (guest: Guest, ...visit: Parameters<typeof visitOf>) => ({ ...guest, ...visitOf(...visit) })

/** A change leaves the number of bookings as it is, so that only the day on which it is then is counted. */
const limitsOfChange = { ...guestLimits, guest: 2 ** 31 - 1, guest_free: 2 ** 31 - 1 }

const refusals = decodeRows(
  Schema.Array(
    Schema.Struct({
      refused: Schema.NullOr(Schema.Struct({ per: TooManyHolds.fields.per, limit: TooManyHolds.fields.limit }))
    })
  )
)

/**
 * Holds a guest's unpaid booking that changes to another day, or to more places, to the limits of a new booking there.
 * Other bookings have none. `to`: the booking after the change, which has `places`. The booking's own places must not be
 * among those taken on that day.
 */
export const checkChange = Effect.fn("checkChange")(function* (
  from: BookingRow,
  to: BookingRow,
  places: ReadonlyArray<Place>,
  playroom: Playroom,
  now: Instant
) {
  const sql = yield* SqlClient.SqlClient
  const at = new Date(now)
  const visit = JSON.stringify(visitOf(to, places, playroom))
  const [found] =
    yield* refusals(sql`select guest_limit(g.key_id, jsonb_build_object('address', g.address) || ${visit}::jsonb,
      b.playroom_id, ${JSON.stringify(limitsOfChange)}::jsonb, ${at}::timestamptz) as refused
    from guest_booking g join booking b using (booking_id) where b.booking_id = ${from.booking_id} and is_unpaid(b, ${at})`)
  if (found?.refused) yield* new TooManyHolds(found.refused)
})

/** Removes up to `limit` guest bookings that no longer count (paid, lapsed, cancelled or over). Returns how many. */
export const forgetSettled = Effect.fnUntraced(function* (now: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const removed = yield* sql`delete from guest_booking where booking_id in (
    select g.booking_id from guest_booking g join booking b using (booking_id)
    where not is_unpaid(b, ${new Date(now)}) limit ${limit} for update of g skip locked) returning 1`
  return removed.length
})
