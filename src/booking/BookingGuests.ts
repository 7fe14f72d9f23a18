/**
 * Guests who reach a booking that another guest made (table `booking_guest`). Each sign-in makes a new guest, so a
 * person who signs in again is another guest than the one who booked.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Instant } from "../kernel/LocalTime.ts"

/**
 * Lets the guest with this key reach a booking from now on. `may_change`: with all rights of the guest who made it,
 * because the person had the link of the booking's page; otherwise to read it and to pay. A right is never taken away.
 */
export const letReach = Effect.fn("letReach")(function* (
  guest: { readonly key_id: string; readonly booking_id: string; readonly may_change: boolean },
  now: Instant
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into booking_guest as g (key_id, booking_id, may_change, created_at)
    values (${guest.key_id}, ${guest.booking_id}, ${guest.may_change}::boolean, ${new Date(now)})
    on conflict (key_id, booking_id) do update set may_change = g.may_change or excluded.may_change`
})

/**
 * Whether a guest who may only read and pay has found the booking. Such a guest may have the address of its payment
 * page, and from there the one that payers return to.
 */
export const wasFound = Effect.fn("wasFound")(function* (booking_id: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`select from booking_guest where booking_id = ${booking_id} and not may_change limit 1`
  return found.length > 0
})
