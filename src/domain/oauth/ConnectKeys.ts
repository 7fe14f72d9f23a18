/**
 * The keys of the authorization server: a secret that signs its cookies and forms, and a private key that signs ID
 * tokens. They are created at the first start, kept in the database and shared by all nodes. A rotation adds a
 * generation. The previous one is accepted until everything that it signed has expired.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { generateKeyPair } from "node:crypto"
import { monotonicMs } from "../../platform/time/Elapsed.ts"
import { dayMs, type Instant, InstantFromDate, minuteMs } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"

/** How long keys are used. A month before the end, `playroom doctor` asks for a rotation. */
export const keyLifeMs = 365 * dayMs
/** How often every node reads the keys, at least. */
const readEveryMs = minuteMs
/** A new generation signs once every node has read it. */
const signsAfterMs = 2 * readEveryMs
/** Nothing signed lives longer: interactions last half an hour, ID tokens an hour. */
const acceptedAfterMs = dayMs

const secretLength = 32

const PrivateJwk = Schema.Struct({
  kty: Schema.Literal("RSA"),
  kid: Schema.String,
  use: Schema.Literal("sig"),
  alg: Schema.Literal("RS256"),
  n: Schema.String,
  e: Schema.String,
  d: Schema.String,
  p: Schema.String,
  q: Schema.String,
  dp: Schema.String,
  dq: Schema.String,
  qi: Schema.String
})

/** One generation of keys. */
export const ConnectKey = Schema.Struct({
  generation: Schema.Int,
  cookie_secret: Schema.Uint8Array,
  signing_key: PrivateJwk,
  created_at: InstantFromDate
})
export type ConnectKey = typeof ConnectKey.Type

/**
 * The active keys of a list (newest first) at an instant: first the signing key, then the accepted ones. A generation
 * signs once all nodes know it. It is accepted from its creation until a day after the next one was created.
 */
export const activeKeys = (newestFirst: ReadonlyArray<ConnectKey>, now: Instant): ReadonlyArray<ConnectKey> => {
  const accepted = newestFirst.filter((_, i) => {
    const next = newestFirst[i - 1]
    return next === undefined || next.created_at > now - acceptedAfterMs
  })
  const signing = accepted.find(({ created_at }) => created_at <= now - signsAfterMs) ?? accepted.at(-1)
  return signing === undefined ? [] : [signing, ...accepted.filter((key) => key !== signing)]
}

const keyRows = decodeRows(Schema.Array(ConnectKey))
const decodeJwk = Schema.decodeUnknownEffect(PrivateJwk)

const newSigningKey = Effect.callback<unknown>((resume) =>
  generateKeyPair("rsa", { modulusLength: 2048 }, (error, _publicKey, privateKey) =>
    resume(error === null ? Effect.sync(() => privateKey.export({ format: "jwk" })) : Effect.die(error))
  )
)

const newestFirst = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  keyRows(
    sql`select generation, cookie_secret, signing_key, created_at from connect_key order by generation desc limit 10`
  )
)

/** Removes generations that are no longer active. Succeeds with their number. */
export const removeOldKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const counting = activeKeys(yield* newestFirst, yield* Clock.currentTimeMillis)
  if (counting.length === 0) return 0
  const oldest = Math.min(...counting.map(({ generation }) => generation))
  return (yield* sql`delete from connect_key where generation < ${oldest} returning 1`).length
})

export class ConnectKeys extends Context.Service<
  ConnectKeys,
  {
    /**
     * The active keys (see `activeKeys`), read from the database at least once a minute and created if there are none.
     */
    readonly current: Effect.Effect<ReadonlyArray<ConnectKey>, SqlError.SqlError>
    /** When the newest generation was created; undefined if there is none yet. */
    readonly newest: Effect.Effect<Instant | undefined, SqlError.SqlError>
    /** Adds a generation. Every node signs with it within minutes. */
    readonly rotate: Effect.Effect<void, SqlError.SqlError>
  }
>()("playroom/oauth/ConnectKeys") {
  static readonly layer = Layer.effect(
    ConnectKeys,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      let read: { readonly keys: ReadonlyArray<ConnectKey>; readonly at: number } | undefined

      const all = Effect.provideService(newestFirst, SqlClient.SqlClient, sql)

      /** Adds a generation. If several nodes add the same one, one of them succeeds. */
      const add = Effect.fnUntraced(function* (generation: number) {
        const kid = Buffer.from(yield* random.randomBytes(12)).toString("base64url")
        const secret = yield* random.randomBytes(secretLength)
        const made = yield* newSigningKey
        const jwk = yield* Effect.orDie(decodeJwk(Object.assign({}, made, { kid, use: "sig", alg: "RS256" })))
        yield* sql`insert into connect_key (generation, cookie_secret, signing_key, created_at)
          values (${generation}, ${secret}::bytea, ${JSON.stringify(jwk)}::jsonb, ${new Date(yield* Clock.currentTimeMillis)})
          on conflict do nothing`
        read = undefined
      })

      const current = Effect.gen(function* () {
        const now = yield* monotonicMs
        if (read === undefined || now - read.at >= readEveryMs) {
          let keys = yield* all
          if (keys.length === 0) {
            yield* add(1)
            keys = yield* all
          }
          read = { keys, at: now }
        }
        return activeKeys(read.keys, yield* Clock.currentTimeMillis)
      })

      return ConnectKeys.of({
        current,
        newest: Effect.map(all, ([key]) => key?.created_at),
        rotate: Effect.flatMap(all, ([key]) => add((key?.generation ?? 0) + 1))
      })
    })
  )
}
