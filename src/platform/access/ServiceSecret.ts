/** Secrets of the service: created when they are first needed, kept in the database and shared by all nodes. */
import { Clock, Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { decodeRows } from "../database/Rows.ts"

const secretBytes = 32

const rows = decodeRows(Schema.Array(Schema.Struct({ secret: Schema.Uint8Array })))

/** Reads a secret once for this process. Don't read it in a transaction: the first reader stores it. */
export const makeServiceSecret = Effect.fnUntraced(function* (
  name: string
): Effect.fn.Return<
  Effect.Effect<Uint8Array, SqlError.SqlError>,
  never,
  SqlClient.SqlClient | SecureRandom.SecureRandom
> {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  let cached: Uint8Array | undefined
  return Effect.gen(function* () {
    if (cached !== undefined) return cached
    const now = new Date(yield* Clock.currentTimeMillis)
    const fresh = yield* random.randomBytes(secretBytes)
    // If several nodes start together, the first secret wins.
    yield* sql`insert into service_secret (name, secret, created_at) values (${name}, ${fresh}::bytea, ${now}) on conflict do nothing`
    const [stored] = yield* rows(sql`select secret from service_secret where name = ${name}`)
    cached = (yield* Effect.orDie(Effect.fromNullishOr(stored))).secret
    return cached
  })
})
