/**
 * How much guests may book without paying: nobody knows who they are, and a click makes another one. Free bookings count like holds,
 * so that nobody fills a playroom for nothing.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Principal } from "../access/ApiKey.ts"
import type { Instant } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { type BookingRow, TooManyHolds } from "./Booking.ts"

/**
 * Bookings of which nothing is paid, at a time: of one guest, of all from one network address, of all who use one host, and of all in one
 * playroom. Addresses and hosts are cheap for whoever wants many, so the last one is what keeps places free for those who pay.
 */
export const guestLimits = { perGuest: 2, perAddress: 6, perHost: 100, perPlayroom: 30 } as const

const counted = decodeRows(
  Schema.Tuple([
    Schema.Struct({
      of_guest: Schema.Int,
      from_address: Schema.Int,
      through_host: Schema.Int,
      in_playroom: Schema.Int
    })
  ])
)

/**
 * Fails where a guest's new booking is one too many. It belongs into the transaction that wrote the booking, after it: a call that is
 * repeated gets the booking that it made before, and counts nothing.
 */
export const refuseTooMany = Effect.fnUntraced(function* (
  { guest, key_id }: Principal,
  { booking_id, playroom_id }: Pick<BookingRow, "booking_id" | "playroom_id">
) {
  if (guest === undefined) return
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* Clock.currentTimeMillis)
  const [{ from_address, in_playroom, of_guest, through_host }] = yield* counted(
    sql`select * from add_guest_booking(${booking_id}, ${key_id}, ${guest.address}, ${guest.host}, ${playroom_id}, ${now})`
  )
  if (of_guest > guestLimits.perGuest) return yield* new TooManyHolds({ per: "guest", limit: guestLimits.perGuest })
  if (from_address > guestLimits.perAddress)
    return yield* new TooManyHolds({ per: "guest_address", limit: guestLimits.perAddress })
  if (through_host > guestLimits.perHost)
    return yield* new TooManyHolds({ per: "guest_host", limit: guestLimits.perHost })
  if (in_playroom > guestLimits.perPlayroom)
    return yield* new TooManyHolds({ per: "guest_playroom", limit: guestLimits.perPlayroom })
})

/** Forgets up to `limit` bookings of guests that count no more: paid, lapsed, cancelled or over; answers how many. */
export const forgetSettled = Effect.fnUntraced(function* (now: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const gone = yield* sql`delete from guest_booking where booking_id in (
    select g.booking_id from guest_booking g join booking b using (booking_id)
    where not is_unpaid(b, ${new Date(now)}) limit ${limit} for update of g skip locked) returning 1`
  return gone.length
})
