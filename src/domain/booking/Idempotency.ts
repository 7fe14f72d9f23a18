/**
 * Idempotency keys of callers (the table `idempotency`). A call with the same key and arguments gets the same result.
 * Keys are scoped to an API key and an operation.
 */
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Principal } from "../../platform/access/ApiKeys.ts"
import type { Instant } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { IdempotencyConflict } from "./Booking.ts"

/** A call with its idempotency key (undefined: nothing is stored). `fingerprint`: the SHA-256 of its arguments. */
interface KeyedCall {
  readonly principal: Pick<Principal, "key_id">
  readonly idempotency_key: string | undefined
  readonly fingerprint: Uint8Array
}

/**
 * The keys of one operation, whose result ids `ResultId` decodes; in the caller's transaction. Fails with
 * `IdempotencyConflict` if the key was used with other arguments.
 */
export const idempotencyKeys = <Id extends string>(
  operation: "create_booking" | "create_payment_session",
  ResultId: Schema.Codec<Id, string>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = decodeRows(Schema.Array(Schema.Struct({ same: Schema.Boolean, result_id: ResultId })))

    /** The stored result of this key. */
    const recall = Effect.fnUntraced(function* ({ fingerprint, idempotency_key, principal }: KeyedCall) {
      if (idempotency_key === undefined) return Option.none<Id>()
      const [row] = yield* rows(sql`select same, result_id from
        earlier_result(${principal.key_id}, ${operation}, ${idempotency_key}, ${fingerprint}::bytea, null)`)
      if (row !== undefined && !row.same) return yield* new IdempotencyConflict()
      return Option.map(Option.fromUndefinedOr(row), ({ result_id }) => result_id)
    })

    /** Stores the result, replacing an earlier one of the same call. */
    const replace = Effect.fnUntraced(function* (call: KeyedCall, result: Id, now: Instant) {
      if (call.idempotency_key === undefined) return
      // If another call has just taken the key, the arguments differ and nothing is updated.
      const { fingerprint, idempotency_key, principal } = call
      const stored = yield* sql`insert into idempotency
        (key_id, operation, idempotency_key, fingerprint, result_id, created_at)
        values (${principal.key_id}, ${operation}, ${idempotency_key}, ${fingerprint}::bytea, ${result}, ${new Date(now)})
        on conflict (key_id, operation, idempotency_key) do update set result_id = excluded.result_id
          where idempotency.fingerprint = excluded.fingerprint
        returning result_id`
      if (stored.length === 0) return yield* new IdempotencyConflict()
    })

    return { recall, replace }
  })

/** Removes up to `limit` keys created before `before`, of all operations. Returns how many. */
export const forgetKeys = Effect.fnUntraced(function* (before: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const removed = yield* sql`delete from idempotency where (key_id, operation, idempotency_key) in (
    select key_id, operation, idempotency_key from idempotency where created_at < ${new Date(before)}
    order by created_at limit ${limit}::int for update skip locked) returning 1`
  return removed.length
})
