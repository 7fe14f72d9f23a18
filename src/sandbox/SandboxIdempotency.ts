/**
 * Idempotency keys as the provider keeps them (https://docs.stripe.com/api/idempotent_requests): per account, for 24 hours;
 * the same parameters get the first answer again, others are refused. Answers to parameters that failed their checks are
 * not kept. Two calls at once under one key: the second waits for the first, and gets its answer.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { dayMs } from "../kernel/LocalTime.ts"
import { SandboxRefusal } from "./SandboxRefusal.ts"

/** An answer of the API: a status and the text of its JSON. */
export interface Answer {
  readonly status: number
  readonly body: string
  readonly replayed: boolean
}

const Kept = Schema.Array(Schema.Struct({ request_hash: Schema.String, status: Schema.Int, body: Schema.String }))

/** A call's parameters in a form that does not depend on their order. */
export const requestHash = (path: string, encoded: string): string =>
  createHash("sha256")
    .update(JSON.stringify([path, Array.from(new URLSearchParams(encoded)).sort(([a], [b]) => (a < b ? -1 : 1))]))
    .digest("hex")

/** Runs `act` at most once for each key; without a key, always. */
export const withIdempotencyKey = Effect.fnUntraced(function* (
  call: { readonly account: string; readonly key: string | undefined; readonly hash: string },
  act: Effect.Effect<Omit<Answer, "replayed">, SandboxRefusal | SqlError.SqlError>
): Effect.fn.Return<Answer, SandboxRefusal | SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const { account, hash, key } = call
  if (key === undefined) return { ...(yield* sql.withTransaction(act)), replayed: false }
  if (key.length > 255) {
    return yield* new SandboxRefusal({
      status: 400,
      type: "idempotency_error",
      text: "Idempotency keys are at most 255 characters."
    })
  }
  const now = yield* Clock.currentTimeMillis
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`delete from sandbox_idempotency where created_at <= ${new Date(now - dayMs)}`
      // A second call waits here until the first has committed; should the first fail, the second acts.
      const inserted = yield* sql`insert into sandbox_idempotency (account, idempotency_key, request_hash, created_at)
        values (${account}, ${key}, ${hash}, ${new Date(now)}) on conflict do nothing returning idempotency_key`
      if (inserted.length === 0) {
        const [kept] = yield* Effect.orDie(
          Schema.decodeUnknownEffect(Kept)(
            yield* sql`select request_hash, status, body from sandbox_idempotency
              where account = ${account} and idempotency_key = ${key}`
          )
        )
        if (kept === undefined) return yield* Effect.die("an idempotency key that is taken has no row")
        if (kept.request_hash !== hash) {
          return yield* new SandboxRefusal({
            status: 400,
            type: "idempotency_error",
            text: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`
          })
        }
        return { status: kept.status, body: kept.body, replayed: true }
      }
      const answer = yield* act
      yield* sql`update sandbox_idempotency set status = ${answer.status}, body = ${answer.body}
        where account = ${account} and idempotency_key = ${key}`
      return { ...answer, replayed: false }
    })
  )
})
