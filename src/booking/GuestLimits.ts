/**
 * How much guests may book without paying: nobody knows who they are, and a click makes another one. Free bookings count like holds,
 * so that nobody fills a playroom for nothing.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Principal } from "../access/ApiKey.ts"
import type { Instant } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { TooManyHolds } from "./Booking.ts"

/** Bookings of which nothing is paid, at a time: of one guest, of all from one network address, and of all who use one host. */
export const guestLimits = { perGuest: 2, perAddress: 6, perHost: 100 } as const

const most = Math.max(guestLimits.perAddress, guestLimits.perHost) + 1

const counted = decodeRows(
  Schema.Tuple([Schema.Struct({ of_guest: Schema.Int, of_network: Schema.Int, of_client: Schema.Int })])
)

/**
 * Fails where a guest's new booking is one too many. It belongs into the transaction that wrote the booking, after it: a call that is
 * repeated gets the booking that it made before, and counts nothing.
 */
export const refuseTooMany = Effect.fnUntraced(function* ({ guest, key_id }: Principal, now: Instant) {
  if (guest === undefined) return
  const sql = yield* SqlClient.SqlClient
  const [{ of_client, of_guest, of_network }] = yield* counted(
    sql`select * from count_unpaid_of_guests(${key_id}, ${guest.address}, ${guest.host}, ${new Date(now)}, ${most})`
  )
  if (of_guest > guestLimits.perGuest) return yield* new TooManyHolds({ per: "guest", limit: guestLimits.perGuest })
  if (of_network > guestLimits.perAddress)
    return yield* new TooManyHolds({ per: "guest_address", limit: guestLimits.perAddress })
  if (of_client > guestLimits.perHost) return yield* new TooManyHolds({ per: "guest_host", limit: guestLimits.perHost })
})
