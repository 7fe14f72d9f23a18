/** Finding what a call to book has come to before: by its idempotency key (the table `idempotency`), or by its wish. */
import { Clock, Effect, Option, Result, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Principal } from "../access/ApiKey.ts"
import { BookingId } from "../kernel/Ids.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { BookingRow, type IdempotencyConflict } from "./Booking.ts"
import { BookingRecords, columns } from "./BookingRecords.ts"
import type { BookingRequest } from "./BookingRequest.ts"
import { Claims } from "./Claims.ts"
import { idempotencyKeys } from "./Idempotency.ts"
import { asOf, hasLapsed } from "./Lifecycle.ts"
import { Beside, type CallMemory, mostBeside } from "./Wishes.ts"

const foundOf = decodeRows(Schema.Array(Schema.Struct({ ...BookingRow.fields, same: Schema.Boolean })))
const besideOf = decodeRows(Schema.Tuple([Schema.Struct({ beside: Schema.Array(Beside) })]))

/** The memory of calls. */
export const rememberedCalls = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const records = yield* BookingRecords
  const claims = yield* Claims
  const keys = yield* idempotencyKeys("create_booking", BookingId)
  const all = sql.literal(columns)

  const bookingOf = (id: Option.Option<BookingId>) =>
    Option.match(id, { onNone: () => Effect.succeedNone, onSome: records.byId })

  /** What is alive of the same option and e-mail address; `same` is of the same wish, too. Those come first, then the older ones. */
  const ofOption = ({ another, retry_key }: CallMemory, name: string) =>
    foundOf(sql`select ${all}, wish_name(contact_name) = wish_name(${name}) and (${another}::text is null or another is not distinct from ${another}) as same
      from booking where retry_key = ${retry_key} and status in ('held', 'confirmed')
      order by same desc, created_at, booking_id limit ${mostBeside}::int`)

  const alive = Effect.fnUntraced(function* (memory: CallMemory, name: string, now: number) {
    const found = yield* ofOption(memory, name)
    const lapsed = found.filter((row) => hasLapsed(row, now)).map(({ booking_id }) => booking_id)
    if (lapsed.length === 0) return found
    // A hold whose time is up is not alive, even where nobody has needed its places yet.
    yield* claims.releaseLapsed(lapsed, now)
    return yield* ofOption(memory, name)
  })

  /**
   * The booking that answers this call already, if there is one; its idempotency key stands for that booking from now on. Where
   * there is none: the references of what is alive of the same option and e-mail address otherwise.
   */
  const earlier: (
    principal: Principal,
    request: BookingRequest,
    memory: CallMemory
  ) => Effect.Effect<Result.Result<BookingRow, ReadonlyArray<string>>, IdempotencyConflict | SqlError.SqlError> =
    Effect.fnUntraced(function* (principal, { contact, idempotency_key }, memory) {
      const now = yield* Clock.currentTimeMillis
      const call = { principal, idempotency_key, fingerprint: memory.fingerprint }
      const before = yield* bookingOf(yield* keys.recall(call))
      if (Option.isSome(before)) return Result.succeed(asOf(before.value, now))
      const found = yield* alive(memory, contact.name, now)
      const own = found.find(({ same }) => same)
      if (own === undefined) return Result.fail(found.map(({ reference }) => reference))
      if (idempotency_key === undefined) return Result.succeed(own)
      const first = yield* records.byId(yield* keys.remember(call, own.booking_id, now))
      return Result.succeed(Option.getOrElse(first, () => own))
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
