/**
 * The library's state: one table, shared by all nodes. Ids are stored as digests, so the table holds no usable code or
 * token. Each call of the library is one statement.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash, timingSafeEqual } from "node:crypto"
import type { Adapter, AdapterPayload } from "oidc-provider"
import { dayMs, type Instant, InstantFromDate } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"

/** How long a registered client that was never used is kept. */
export const unusedClientMs = dayMs
/** How long an unused grant lasts, and a client without an active grant. */
export const unusedGrantMs = 90 * dayMs

/** The digest of a code, a token or another id of the library. */
export const digestOf = (id: string): Buffer => createHash("sha256").update(id).digest()

const secretDigest = (secret: string): string => digestOf(secret).toString("base64url")

/** Written and read by the library alone. */
const Payload = Schema.declare(
  (value): value is AdapterPayload => typeof value === "object" && value !== null && !Array.isArray(value)
)
const rows = decodeRows(Schema.Array(Schema.Struct({ payload: Payload, consumed_at: Schema.NullOr(InstantFromDate) })))
const grantIds = decodeRows(Schema.Array(Schema.Struct({ grant_id: Schema.NullOr(Schema.String) })))

const seconds = (at: Instant): number => Math.floor(at / 1000)

/**
 * The stored part of a payload. Its own id is left out if that is a secret (each look-up brings it), and a client's
 * secret is replaced by its digest (see `secretMatches`).
 */
const stored = (kind: string, payload: AdapterPayload): AdapterPayload => ({
  ...payload,
  jti: undefined,
  ...(kind === "Client" && payload.client_secret !== undefined
    ? { client_secret: secretDigest(payload.client_secret) }
    : {})
})

/** Whether a client's secret matches the stored digest. */
export const secretMatches = (storedSecret: string | undefined, sent: string): boolean => {
  const [kept, given] = [Buffer.from(storedSecret ?? ""), Buffer.from(secretDigest(sent))]
  return kept.length === given.length && timingSafeEqual(kept, given)
}

/** Ends a grant with all its codes and tokens, and with a guest's key. Other grants of the same key stay. */
export const endGrant = Effect.fnUntraced(function* (grant_id: string) {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* Clock.currentTimeMillis)
  const ended = yield* sql`with ended as (
      update connect_grant set revoked_at = coalesce(revoked_at, ${now}) where grant_id = ${grant_id} returning key_id, sign_in),
    guest as (
      update api_key k set revoked_at = coalesce(k.revoked_at, ${now}) from ended e
      where e.sign_in = 'guest' and k.key_id = e.key_id),
    gone as (delete from connect_state where grant_id = ${grant_id})
    select key_id from ended`
  return ended.length > 0
})

/** Removes up to `limit` expired rows. Succeeds with their number. */
export const removeExpiredState = Effect.fnUntraced(function* (now: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const gone = yield* sql`delete from connect_state where (kind, id) in (
    select kind, id from connect_state where expires_at < ${new Date(now)} order by expires_at limit ${limit}) returning 1`
  return gone.length
})

type Run = <A>(effect: Effect.Effect<A, SqlError.SqlError | Error>) => Promise<A>

/**
 * The library's storage adapter, by the name of a model. `run` is the edge to promises; `usedTwice` makes the library's
 * error for a second use. This file imports only types of the library, so that ending grants does not load it.
 */
export const providerState = (
  sql: SqlClient.SqlClient,
  run: Run,
  usedTwice: () => Error
): ((kind: string) => Adapter) => {
  const onSql = Effect.provideService(SqlClient.SqlClient, sql)

  const upsert = Effect.fnUntraced(function* (
    kind: string,
    id: string,
    payload: AdapterPayload,
    expiresIn: number | undefined
  ) {
    const now = yield* Clock.currentTimeMillis
    const until = now + (expiresIn === undefined ? unusedClientMs : expiresIn * 1000)
    const grant_id = kind === "Grant" ? id : (payload.grantId ?? null)
    yield* sql`insert into connect_state (kind, id, grant_id, payload, created_at, expires_at)
      values (${kind}, ${digestOf(id)}, ${grant_id}, ${JSON.stringify(stored(kind, payload))}::json, ${new Date(now)}, ${new Date(until)})
      on conflict (kind, id) do update set payload = excluded.payload, expires_at = excluded.expires_at`
  })

  const find = (kind: string, id: string) =>
    Effect.map(
      rows(sql`select payload, consumed_at from connect_state where kind = ${kind} and id = ${digestOf(id)}`),
      ([row]): AdapterPayload | undefined =>
        row === undefined
          ? undefined
          : {
              ...row.payload,
              ...(kind === "Client" ? {} : { jti: id }),
              ...(row.consumed_at === null ? {} : { consumed: seconds(row.consumed_at) })
            }
    )

  /**
   * A code or refresh token can be used once. A second use, even at the same moment on another node, ends the grant.
   */
  const consume = Effect.fnUntraced(function* (kind: string, id: string) {
    const now = new Date(yield* Clock.currentTimeMillis)
    const used = yield* sql`update connect_state set consumed_at = ${now}
      where kind = ${kind} and id = ${digestOf(id)} and consumed_at is null returning 1`
    if (used.length > 0) return
    const [row] = yield* grantIds(sql`select grant_id from connect_state where kind = ${kind} and id = ${digestOf(id)}`)
    if (row?.grant_id != null) yield* onSql(endGrant(row.grant_id))
    return yield* Effect.fail(usedTwice())
  })

  const destroy = (kind: string, id: string) =>
    Effect.asVoid<unknown, SqlError.SqlError, never>(
      kind === "Grant"
        ? onSql(endGrant(id))
        : sql`delete from connect_state where kind = ${kind} and id = ${digestOf(id)}`
    )

  // There are no sessions: a person consents each time.
  const stateless: Adapter = {
    upsert: async () => {},
    find: async () => undefined,
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    consume: async () => {},
    destroy: async () => {},
    revokeByGrantId: async () => {}
  }

  return (kind) =>
    kind === "Session"
      ? stateless
      : {
          ...stateless,
          upsert: (id, payload, expiresIn) => run(upsert(kind, id, payload, expiresIn)),
          find: (id) => run(find(kind, id)),
          consume: (id) => run(consume(kind, id)),
          destroy: (id) => run(destroy(kind, id)),
          revokeByGrantId: (grant_id) =>
            run(Effect.asVoid(sql`delete from connect_state where kind = ${kind} and grant_id = ${grant_id}`))
        }
}
