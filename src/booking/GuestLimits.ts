/**
 * Limits on guests' unpaid bookings. Guests are anonymous and free to create. Free bookings count like holds, so nobody
 * can fill a playroom without paying.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Principal } from "../access/ApiKey.ts"
import type { Instant } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { type BookingRow, TooManyHolds } from "./Booking.ts"

/**
 * Maximum unpaid bookings of one guest, one network address, one host and one playroom. Addresses and hosts are cheap,
 * so the last limit is the one that keeps places free for paying customers.
 */
export const guestLimits = { perGuest: 2, perAddress: 6, perHost: 100, perPlayroom: 30 } as const

const decodeCounts = decodeRows(
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
 * Fails if a guest's new booking exceeds a limit. Call it after the write, in the same transaction: a retry gets its
 * earlier booking and does not count.
 */
export const refuseTooMany = Effect.fnUntraced(function* (
  { guest, key_id }: Principal,
  { booking_id, playroom_id }: Pick<BookingRow, "booking_id" | "playroom_id">
) {
  if (guest === undefined) return
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* Clock.currentTimeMillis)
  const [{ from_address, in_playroom, of_guest, through_host }] = yield* decodeCounts(
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

/** Removes up to `limit` guest bookings that no longer count (paid, lapsed, cancelled or over). Returns how many. */
export const forgetSettled = Effect.fnUntraced(function* (now: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const removed = yield* sql`delete from guest_booking where booking_id in (
    select g.booking_id from guest_booking g join booking b using (booking_id)
    where not is_unpaid(b, ${new Date(now)}) limit ${limit} for update of g skip locked) returning 1`
  return removed.length
})
