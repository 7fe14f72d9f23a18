/** Finds the booking of an earlier, equal request: by idempotency key, or by option, e-mail address and name. */
import { Clock, Effect, Option, Result, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Principal } from "../access/ApiKey.ts"
import { BookingId } from "../kernel/Ids.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { BookingRow, type IdempotencyConflict, LiveBooking } from "./Booking.ts"
import { BookingRecords, columns, maxOthers } from "./BookingRecords.ts"
import type { BookingRequest, RequestIdentity } from "./BookingRequest.ts"
import { Claims } from "./Claims.ts"
import { idempotencyKeys } from "./Idempotency.ts"
import { asOf, hasLapsed } from "./Lifecycle.ts"

const foundOf = decodeRows(Schema.Array(Schema.Struct({ ...BookingRow.fields, same: Schema.Boolean })))
const othersOf = decodeRows(Schema.Tuple([Schema.Struct({ others: Schema.Array(LiveBooking) })]))

/** `find`: the booking of an earlier, equal request. `others`: the other live bookings of the same person. */
export const earlierBookings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const records = yield* BookingRecords
  const claims = yield* Claims
  const keys = yield* idempotencyKeys("create_booking", BookingId)
  const all = sql.literal(columns)

  const bookingOf = (id: Option.Option<BookingId>) =>
    Option.match(id, { onNone: () => Effect.succeedNone, onSome: records.byId })

  /**
   * The live bookings of the same option and e-mail address. `same`: name and `another` are equal, too; these come
   * first. Then oldest first.
   */
  const ofOption = ({ another, retry_key }: RequestIdentity, name: string) =>
    foundOf(sql`select ${all}, normalized_name(contact_name) = normalized_name(${name}) and (${another}::text is null or another is not distinct from ${another}) as same
      from booking where retry_key = ${retry_key} and status in ('held', 'confirmed')
      order by same desc, created_at, booking_id limit ${maxOthers}::int`)

  const live = Effect.fnUntraced(function* (identity: RequestIdentity, name: string, now: number) {
    const found = yield* ofOption(identity, name)
    const lapsed = found.filter((row) => hasLapsed(row, now)).map(({ booking_id }) => booking_id)
    if (lapsed.length === 0) return found
    // A lapsed hold is not live, even if its places have not been released yet.
    yield* claims.releaseLapsed(lapsed)
    return yield* ofOption(identity, name)
  })

  /**
   * The booking of an equal, earlier request; the request's idempotency key is stored for it. The failure lists the
   * references of other live bookings of the same option and e-mail address.
   */
  const find: (
    principal: Principal,
    request: BookingRequest,
    identity: RequestIdentity
  ) => Effect.Effect<Result.Result<BookingRow, ReadonlyArray<string>>, IdempotencyConflict | SqlError.SqlError> =
    Effect.fnUntraced(function* (principal, { contact, idempotency_key }, identity) {
      const now = yield* Clock.currentTimeMillis
      const call = { principal, idempotency_key, fingerprint: identity.fingerprint }
      const before = yield* bookingOf(yield* keys.recall(call))
      if (Option.isSome(before)) return Result.succeed(asOf(before.value, now))
      const found = yield* live(identity, contact.name, now)
      const own = found.find(({ same }) => same)
      if (own === undefined) return Result.fail(found.map(({ reference }) => reference))
      if (idempotency_key === undefined) return Result.succeed(own)
      const first = yield* records.byId(yield* keys.remember(call, own.booking_id, now))
      return Result.succeed(Option.getOrElse(first, () => own))
    })

  /** The person's other live bookings: of the same option, and all holds of the e-mail address. */
  const others = Effect.fnUntraced(function* (
    { key_id }: Principal,
    { contact }: BookingRequest,
    { retry_key }: RequestIdentity,
    except: string
  ) {
    const now = new Date(yield* Clock.currentTimeMillis)
    const [found] = yield* othersOf(
      sql`select other_bookings(${retry_key}, ${key_id}, ${contact.email.trim()}, ${except}, ${now}, ${maxOthers}::int) as others`
    )
    return found.others
  })

  return { find, others }
})
