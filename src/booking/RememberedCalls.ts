/** Finding what a call to book has come to before: by its idempotency key (the table `idempotency`), or by its wish. */
import { Clock, Effect, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Principal } from "../access/ApiKey.ts"
import { decoded } from "../kernel/Rows.ts"
import { BookingRow, IdempotencyConflict } from "./Booking.ts"
import { BookingRecords, columns } from "./BookingRecords.ts"
import type { BookingRequest } from "./BookingRequest.ts"
import { Claims } from "./Claims.ts"
import { asOf, hasLapsed } from "./Lifecycle.ts"
import { Beside, type CallMemory, mostBeside } from "./Wishes.ts"

const rowsOf = decoded(Schema.Array(BookingRow))
const rememberedOf = decoded(Schema.Array(Schema.Struct({ fingerprint: Schema.Uint8Array, result_id: Schema.String })))
const besideOf = decoded(Schema.Tuple([Schema.Struct({ beside: Schema.Array(Beside) })]))

/** The memory of calls. */
export const rememberedCalls = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const records = yield* BookingRecords
  const claims = yield* Claims
  const all = sql.literal(columns)

  const byKey = Effect.fnUntraced(function* (key_id: string, idempotency_key: string, fingerprint: Uint8Array) {
    const [found] = yield* rememberedOf(sql`select fingerprint, result_id from idempotency
      where key_id = ${key_id} and operation = 'create_booking' and idempotency_key = ${idempotency_key}`)
    if (found === undefined) return Option.none()
    if (Buffer.compare(found.fingerprint, fingerprint) !== 0) return yield* new IdempotencyConflict()
    return yield* records.byId(found.result_id)
  })

  const remember = (
    key_id: string,
    idempotency_key: string,
    { fingerprint }: CallMemory,
    booking_id: string,
    now: number
  ) =>
    sql`insert into idempotency (key_id, operation, idempotency_key, fingerprint, result_id, created_at)
      values (${key_id}, 'create_booking', ${idempotency_key}, ${fingerprint}, ${booking_id}, ${new Date(now)})
      on conflict do nothing`

  const byWish = ({ another, retry_key }: CallMemory, name: string) =>
    Effect.map(
      rowsOf(sql`select ${all} from booking
        where retry_key = ${retry_key} and status in ('held', 'confirmed') and wish_name(contact_name) = wish_name(${name})
          and (${another}::text is null or another = ${another})
        order by created_at, booking_id limit 1`),
      ([found]) => Option.fromUndefinedOr(found)
    )

  const alive = Effect.fnUntraced(function* (memory: CallMemory, name: string, now: number) {
    const found = yield* byWish(memory, name)
    if (Option.isNone(found) || !hasLapsed(found.value, now)) return found
    // A hold whose time is up is not alive, even where nobody has needed its places yet.
    yield* claims.releaseLapsed([found.value.booking_id], now)
    return yield* byWish(memory, name)
  })

  /** The booking that answers this call already, if there is one; its idempotency key stands for that booking from now on. */
  const earlier: (
    principal: Principal,
    request: BookingRequest,
    memory: CallMemory
  ) => Effect.Effect<Option.Option<BookingRow>, IdempotencyConflict | SqlError.SqlError> = Effect.fnUntraced(function* (
    { key_id },
    { contact, idempotency_key },
    memory
  ) {
    const now = yield* Clock.currentTimeMillis
    const own =
      idempotency_key === undefined ? Option.none() : yield* byKey(key_id, idempotency_key, memory.fingerprint)
    if (Option.isSome(own)) return Option.some(asOf(own.value, now))
    const found = yield* alive(memory, contact.name, now)
    if (Option.isNone(found) || idempotency_key === undefined) return found
    yield* remember(key_id, idempotency_key, memory, found.value.booking_id, now)
    // Another call with this key may have been faster.
    return yield* byKey(key_id, idempotency_key, memory.fingerprint)
  })

  /** What else is alive of this person: bookings of the same option, and holds of the same e-mail address. */
  const beside = Effect.fnUntraced(function* (
    { key_id }: Principal,
    { contact }: BookingRequest,
    { retry_key }: CallMemory,
    besides: string
  ) {
    const now = new Date(yield* Clock.currentTimeMillis)
    const [found] = yield* besideOf(
      sql`select bookings_beside(${retry_key}, ${key_id}, ${contact.email.trim()}, ${besides}, ${now}, ${mostBeside}::int) as beside`
    )
    return found.beside
  })

  return { earlier, beside }
})
