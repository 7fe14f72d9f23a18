/**
 * The other live bookings of the same e-mail address under the same API key (`other_bookings` in `sql/`): those that start
 * on the visit's day, then holds of other days. One of them may be for the same visit, so they are told before money moves.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { dayRange, type Instant, localDateOf } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { type BookingRow, LiveBooking } from "./Booking.ts"

/** The most of them in an answer. */
const maxOthers = 10

/** The start of a visit, and the time zone of its playroom. */
export interface VisitStart {
  readonly starts_at: Instant
  readonly time_zone: string
}

/** The last argument of `other_bookings`; without a visit, its day is that of the booking whose others they are. */
export const othersOf = (visit: VisitStart | undefined): string => {
  if (visit === undefined) return JSON.stringify({ most: maxOthers })
  const { starts_at, time_zone } = visit
  const { end, start } = dayRange(time_zone, localDateOf(time_zone, starts_at))
  return JSON.stringify({ most: maxOthers, from: new Date(start), to: new Date(end) })
}

const othersIn = decodeRows(Schema.Tuple([Schema.Struct({ others: Schema.Array(LiveBooking) })]))

/** Reads the others of a booking that this key made. Another key's are nobody's to know. */
export const otherBookings = Effect.fn("otherBookings")(function* (
  key_id: string,
  { booking_id, contact_email, starts_at, terms: { time_zone } }: BookingRow
) {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* Clock.currentTimeMillis)
  const [{ others }] = yield* othersIn(sql`select other_bookings(${key_id}, ${contact_email}, ${booking_id},
    ${othersOf({ starts_at, time_zone })}::jsonb, ${now}::timestamptz) as others`)
  return others
})
