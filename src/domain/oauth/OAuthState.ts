/**
 * The library's state: one table, shared by all nodes. Ids are stored as digests, so the table holds no usable code or
 * token. Each call of the library is one statement.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { SecureRandom } from "effect/crypto"
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import type { Adapter, AdapterPayload } from "oidc-provider"
import { dayMs, type Instant, InstantFromDate, minuteMs } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"

/** How long a registered client that was never used is kept. */
const unusedClientMs = dayMs
/** How long an unused grant lasts, and a client without an active grant. */
export const unusedGrantMs = 90 * dayMs
/**
 * How long a used refresh token gives its successor again, and a decided consent its redirect. Hosts refresh in
 * parallel, answers get lost, and people press twice.
 *
 * What it costs: within this time after its owner's use, a stolen refresh token gets tokens, too. Its thief and its
 * owner then hold the same successor. Whoever uses that one later than the grace after the other ends the grant.
 */
export const graceMs = minuteMs

/** The digest of a code, a token or another id of the library. */
export const digestOf = (id: string): Buffer => createHash("sha256").update(id).digest()

const secretDigest = (secret: string): string => digestOf(secret).toString("base64url")

/** Written and read by the library alone. */
const Payload = Schema.declare(
  (value): value is AdapterPayload => typeof value === "object" && value !== null && !Array.isArray(value)
)
const rows = decodeRows(
  Schema.Array(Schema.Struct({ payload: Payload, consumed_at: Schema.NullOr(InstantFromDate), again: Schema.Boolean }))
)
const salts = decodeRows(
  Schema.Array(Schema.Struct({ consumed_at: InstantFromDate, successor_salt: Schema.NullOr(Schema.Uint8Array) }))
)
const grantIds = decodeRows(Schema.Array(Schema.Struct({ grant_id: Schema.NullOr(Schema.String) })))

/**
 * Whether a row that was used at `at` still serves. If the clock was set back by more than the grace, it does not: how
 * long ago it was used is then unknown.
 */
const withinGrace = (at: Instant, now: Instant): boolean => Math.abs(now - at) <= graceMs

/**
 * The successor of a refresh token. Derived from both, so that the table holds no usable token, and whoever has a token
 * can't foresee the next one.
 */
const successorOf = (token: string, salt: Uint8Array): string =>
  createHmac("sha256", token).update(salt).digest("base64url")

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

/** Removes up to `limit` salts that have served. Succeeds with their number. */
export const removeUsedSalts = Effect.fnUntraced(function* (now: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const gone = yield* sql`update connect_state set successor_salt = null where (kind, id) in (
    select kind, id from connect_state where successor_salt is not null and consumed_at < ${new Date(now - 2 * graceMs)}
    limit ${limit}) returning 1`
  return gone.length
})

type Run = <A>(effect: Effect.Effect<A, SqlError.SqlError | Error>) => Promise<A>

/** The library's state. */
export interface ProviderState {
  /** Its storage adapter, by the name of a model. */
  readonly adapter: (kind: string) => Adapter
  /**
   * Uses a refresh token. Succeeds with its successor, which is the same one on every node during the grace. A later
   * use ends the grant.
   */
  readonly rotate: (refresh_token: string) => Promise<string>
  /** Whether a consent was decided, and its browser was sent back to the client. */
  readonly isFinished: (id: string) => Effect.Effect<boolean, SqlError.SqlError>
}

/**
 * Makes the library's state. `run` is the edge to promises; `usedTwice` makes the library's error for a second use.
 * This file imports only types of the library, so that ending grants does not load it.
 */
export const providerState = (
  sql: SqlClient.SqlClient,
  random: SecureRandom.SecureRandom["Service"],
  run: Run,
  usedTwice: () => Error
): ProviderState => {
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

  const find = Effect.fnUntraced(function* (kind: string, id: string) {
    const [row] =
      yield* rows(sql`select payload, consumed_at, kind = 'Interaction' or successor_salt is not null as again
      from connect_state where kind = ${kind} and id = ${digestOf(id)}`)
    if (row === undefined) return undefined
    const used =
      row.consumed_at !== null && !(row.again && withinGrace(row.consumed_at, yield* Clock.currentTimeMillis))
    if (used && kind === "Interaction") return undefined
    const payload: AdapterPayload = {
      ...row.payload,
      ...(kind === "Client" ? {} : { jti: id }),
      ...(used && row.consumed_at !== null ? { consumed: seconds(row.consumed_at) } : {})
    }
    return payload
  })

  const endFamily = Effect.fnUntraced(function* (kind: string, id: string) {
    const [row] = yield* grantIds(sql`select grant_id from connect_state where kind = ${kind} and id = ${digestOf(id)}`)
    if (row?.grant_id != null) yield* onSql(endGrant(row.grant_id))
    return yield* Effect.fail(usedTwice())
  })

  const rotate = Effect.fnUntraced(function* (refresh_token: string) {
    const now = yield* Clock.currentTimeMillis
    const salt = yield* random.randomBytes(32)
    // Two uses at once, on any nodes, wait for each other here; the second gets the salt of the first.
    const [row] = yield* salts(sql`update connect_state
      set successor_salt = case when consumed_at is null then ${salt}::bytea else successor_salt end,
        consumed_at = coalesce(consumed_at, ${new Date(now)})
      where kind = 'RefreshToken' and id = ${digestOf(refresh_token)} returning consumed_at, successor_salt`)
    if (row === undefined) return yield* Effect.fail(usedTwice())
    const { consumed_at, successor_salt } = row
    if (successor_salt === null || !withinGrace(consumed_at, now))
      return yield* endFamily("RefreshToken", refresh_token)
    return successorOf(refresh_token, successor_salt)
  })

  /** A code can be used once. A second use, even at the same moment on another node, ends the grant. */
  const consume = Effect.fnUntraced(function* (kind: string, id: string) {
    const now = new Date(yield* Clock.currentTimeMillis)
    const used = yield* sql`update connect_state set consumed_at = ${now}
      where kind = ${kind} and id = ${digestOf(id)} and consumed_at is null returning 1`
    if (used.length === 0) return yield* endFamily(kind, id)
    return undefined
  })

  const remove = (kind: string, id: string) =>
    sql`delete from connect_state where kind = ${kind} and id = ${digestOf(id)}`

  const destroy = Effect.fnUntraced(function* (kind: string, id: string) {
    if (kind === "Grant") yield* onSql(endGrant(id))
    // A person who pressed twice arrives again: the consent stays, and says that it was decided.
    else if (kind === "Interaction") yield* finish(id)
    else yield* remove(kind, id)
  })

  const finish = Effect.fnUntraced(function* (id: string) {
    const now = new Date(yield* Clock.currentTimeMillis)
    yield* sql`update connect_state set consumed_at = coalesce(consumed_at, ${now})
      where kind = 'Interaction' and id = ${digestOf(id)}`
  })

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

  const adapter = (kind: string): Adapter =>
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
  const isFinished = (id: string) =>
    Effect.map(
      sql`select 1 from connect_state where kind = 'Interaction' and id = ${digestOf(id)} and consumed_at is not null`,
      (finished) => finished.length > 0
    )

  return { adapter, rotate: (refresh_token) => run(rotate(refresh_token)), isFinished }
}
