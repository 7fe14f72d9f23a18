/**
 * Limits on guests' unpaid bookings, which `make_booking` in `sql/` applies. Guests are anonymous and free to create. Free
 * bookings count like holds, so nobody can fill a playroom without paying.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Instant } from "../kernel/LocalTime.ts"

/**
 * Maximum unpaid bookings of one guest, one network address, one host and one playroom. Addresses and hosts are cheap,
 * so the last limit is the one that keeps places free for paying customers.
 */
export const guestLimits = { guest: 2, guest_address: 6, guest_host: 100, guest_playroom: 30 } as const

/** Removes up to `limit` guest bookings that no longer count (paid, lapsed, cancelled or over). Returns how many. */
export const forgetSettled = Effect.fnUntraced(function* (now: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const removed = yield* sql`delete from guest_booking where booking_id in (
    select g.booking_id from guest_booking g join booking b using (booking_id)
    where not is_unpaid(b, ${new Date(now)}) limit ${limit} for update of g skip locked) returning 1`
  return removed.length
})
