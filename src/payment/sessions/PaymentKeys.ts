/** Idempotency keys of `create_payment_session`, in the caller's transaction: the same key answers the same session. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Principal } from "../../access/ApiKey.ts"
import { IdempotencyConflict } from "../../booking/Booking.ts"
import { PaymentSessionId } from "../../kernel/Ids.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
import { decoded } from "../../kernel/Rows.ts"

/** A call: whose, under which key (none: nothing is remembered), and the SHA-256 of its arguments. */
export interface KeyedCall {
  readonly principal: Principal
  readonly key: string | undefined
  readonly fingerprint: Uint8Array
}

const operation = "create_payment_session"
const rows = decoded(Schema.Array(Schema.Struct({ fingerprint: Schema.Uint8Array, result_id: PaymentSessionId })))

export class PaymentKeys extends Context.Service<
  PaymentKeys,
  {
    /** The session that a call with this key made before. */
    readonly recall: (
      call: KeyedCall
    ) => Effect.Effect<Option.Option<PaymentSessionId>, IdempotencyConflict | SqlError.SqlError>
    /** Notes the session that this key now stands for. */
    readonly remember: (
      call: KeyedCall,
      result: PaymentSessionId,
      now: Instant
    ) => Effect.Effect<void, IdempotencyConflict | SqlError.SqlError>
  }
>()("playroom/payment/PaymentKeys") {
  static readonly layer = Layer.effect(
    PaymentKeys,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const recall = Effect.fnUntraced(function* ({ fingerprint, key, principal }: KeyedCall) {
        if (key === undefined) return Option.none<PaymentSessionId>()
        const [row] = yield* rows(sql`select fingerprint, result_id from idempotency
          where key_id = ${principal.key_id} and operation = ${operation} and idempotency_key = ${key}`)
        if (row === undefined) return Option.none<PaymentSessionId>()
        if (Buffer.compare(row.fingerprint, fingerprint) !== 0) return yield* new IdempotencyConflict()
        return Option.some(row.result_id)
      })

      const remember = Effect.fnUntraced(function* (call: KeyedCall, result: PaymentSessionId, now: Instant) {
        if (call.key === undefined) return
        // Another booking's call may have taken the key a moment ago: then the arguments differ, and nothing is updated.
        const noted = yield* sql`
          insert into idempotency (key_id, operation, idempotency_key, fingerprint, result_id, created_at)
          values (${call.principal.key_id}, ${operation}, ${call.key}, ${call.fingerprint}::bytea, ${result}, ${new Date(now)})
          on conflict (key_id, operation, idempotency_key) do update set result_id = excluded.result_id
            where idempotency.fingerprint = excluded.fingerprint
          returning result_id`
        if (noted.length === 0) return yield* new IdempotencyConflict()
      })

      return PaymentKeys.of({ recall, remember })
    })
  )
}
