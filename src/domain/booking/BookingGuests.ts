/**
 * Guests who reach a booking that another guest made (table `booking_guest`). Each sign-in makes a new guest, so a
 * person who signs in again is another guest than the one who booked.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { KeyId } from "../../platform/ids/Ids.ts"
import { type Instant, InstantFromDate } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import type { BookingRow } from "./Booking.ts"

/**
 * Lets the guest with this key reach a booking from now on. `may_change`: with all rights of the guest who made it,
 * because the person had the link of the booking's page; otherwise to read it and to pay. A further call takes no right
 * away; `endReach` does.
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

const isIssuedKey = Schema.is(KeyId)

/**
 * Lets guests find a booking that is made anew after a restored backup, if its key is gone: it is that of a guest who signed in
 * since the backup, as a rule. (It may be an API key that was issued since. Nobody reaches the booking by it any more.)
 */
export const letGuestsFind = Effect.fn("letGuestsFind")(function* ({
  booking_id,
  key_id
}: Pick<BookingRow, "booking_id" | "key_id">) {
  const sql = yield* SqlClient.SqlClient
  // The key of the settings and those of a desk are in no table.
  if (!isIssuedKey(key_id)) return
  yield* sql`update booking set by_guest = true where booking_id = ${booking_id}
    and not exists (select from api_key where key_id = ${key_id})`
})

/** The most guests of one booking that are listed. */
const maxListed = 20

/** A guest who reaches a booking, and since when. */
export const BookingGuest = Schema.Struct({
  key_id: Schema.String,
  may_change: Schema.Boolean,
  created_at: InstantFromDate
})
export type BookingGuest = typeof BookingGuest.Type

const guests = decodeRows(Schema.Array(BookingGuest))

/** The guests who reach a booking now beside the one who made it: those who may change it first, then the latest. */
export const guestsOf = Effect.fn("guestsOf")(function* (booking_id: string, now: Instant) {
  const sql = yield* SqlClient.SqlClient
  return yield* guests(sql`select g.key_id, g.may_change, g.created_at
    from booking_guest g join api_key k on k.key_id = g.key_id
    where g.booking_id = ${booking_id} and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${new Date(now)})
    order by g.may_change desc, g.created_at desc, g.key_id limit ${maxListed}`)
})

/** Ends a guest's reach of a booking. The guest's own bookings stay. */
export const endReach = Effect.fn("endReach")(function* (booking_id: string, key_id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from booking_guest where booking_id = ${booking_id} and key_id = ${key_id}`
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
