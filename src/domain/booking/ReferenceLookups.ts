/**
 * Looking a booking up by its reference and e-mail address (`find_booking` in `sql/`). A reference alone opens nothing:
 * one API key may serve many families. Look-ups that find nothing are counted for each sender.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Principal } from "../../platform/access/ApiKeys.ts"
import { BookingId } from "../../platform/ids/Ids.ts"
import { type Instant, InstantFromDate, secondMs } from "../../platform/time/LocalTime.ts"
import { locking } from "../../platform/database/Transactions.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { notFoundBy, TooManyLookups } from "./Booking.ts"

/**
 * Look-ups within an hour that find nothing: of an API key about one reference; of a guest in all, and of all guests of
 * one network address about one reference. All guests of a /48 have three times as many about one reference. A key's
 * other families lose no other reference by them.
 */
export const maxFailedLookups = 10

const foundOf = decodeRows(
  Schema.Tuple([
    Schema.Struct({
      found: Schema.Union([
        Schema.Struct({ outcome: Schema.Literal("found"), booking_id: BookingId }),
        Schema.Struct({ outcome: Schema.Literal("not_found") }),
        Schema.Struct({ outcome: Schema.Literal("too_many"), again_at: Schema.Int })
      ])
    })
  ])
)

const tooManyUntil = (again_at: Instant, now: Instant) =>
  new TooManyLookups({ retry_after_seconds: Math.max(1, Math.ceil((again_at - now) / secondMs)) })

/**
 * The id of the booking with this reference and e-mail address, if the caller may read it: a key reads those that it
 * made, a guest also those of other guests, which the guest reaches by id from then on.
 */
export const lookUpReference = Effect.fn("lookUpReference")(function* (
  { guest, key_id, operator_id }: Principal,
  reference: string,
  email: string,
  now: Instant
) {
  const sql = yield* SqlClient.SqlClient
  const caller = JSON.stringify({ key_id, operator_id, guest: guest?.address })
  const [{ found }] = yield* foundOf(
    sql`select find_booking(${reference}, ${email}, ${caller}::jsonb, ${maxFailedLookups}::int, ${new Date(now)}::timestamptz) as found`
  )
  if (found.outcome === "found") return found.booking_id
  if (found.outcome === "too_many") return yield* tooManyUntil(found.again_at, now)
  return yield* notFoundBy({ guest })
})

const countedOf = decodeRows(Schema.Tuple([Schema.Struct({ again_at: Schema.NullOr(InstantFromDate) })]))

/**
 * Counts a look-up whose result nobody is told, by a network address about one reference. It counts whether it finds
 * something or not, so that no count tells which.
 */
export const countLookup = Effect.fn("countLookup")(function* (sender: string, reference: string, now: Instant) {
  const sql = yield* SqlClient.SqlClient
  const at = new Date(now)
  const [{ again_at }] = yield* countedOf(
    locking(
      sql,
      sql`with about as (select digest_of(${`reference ${reference}`}) as digest),
    again as materialized (
      select digest, guest_lookup_again_at(${sender}, digest, ${maxFailedLookups}::int, ${at}::timestamptz) as at from about)
    select at as again_at, case when at is null
      then note_failed_guest_lookup(${sender}, digest, ${at}::timestamptz)::text end as counted from again`
    )
  )
  if (again_at !== null) return yield* tooManyUntil(again_at, now)
})

/** Removes up to `limit` counts of failed look-ups that no longer count. Returns how many. */
export const forgetFailedLookups = Effect.fnUntraced(function* (before: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const removed = yield* sql`delete from failed_lookup where (sender, about) in (
    select sender, about from failed_lookup where since <= ${new Date(before)} limit ${limit} for update skip locked) returning 1`
  return removed.length
})
