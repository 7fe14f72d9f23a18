/**
 * Grants: a person lets a client act as an API key. A grant made with a pasted key acts as that key and ends with it. A
 * guest's grant has a key of its own, which ends with the grant and whose secret nobody knows.
 */
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import {
  ApiKeyInvalid,
  type Principal,
  type RateLimited,
  Scope,
  ApiKeys,
  KeyCacheMs,
  keyDigest,
  type LookUpGuard,
  unguarded
} from "../../platform/access/ApiKeys.ts"
import { AccessTokens } from "../../platform/access/Authentication.ts"
import { bucketOf } from "../../platform/access/ClientAddress.ts"
import { outsideTransaction } from "../../platform/concurrency/SharedReads.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import type { SignIn } from "../../platform/config/Variables.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { GrantId, newId } from "../../platform/ids/Ids.ts"
import { monotonicMs } from "../../platform/time/Elapsed.ts"
import { type Instant, InstantFromDate, minuteMs } from "../../platform/time/LocalTime.ts"
import { toolsPath, type ConnectAnswer } from "./OAuthExchange.ts"
import { digestOf, endGrant, unusedGrantMs } from "./OAuthState.ts"

// What anybody may take without a key, an hour: sign-ins of guests, and registrations of clients. Each network has some
// of its own, whatever others took; beyond these, a share of what the others leave (`within_share` in `sql/`). So a
// flood costs the network that it comes from, and no newcomer from elsewhere is refused for it.
//
// Counted by network, never by host: anybody can claim to come through any host, or publish documents at many. The
// table of what was taken is `admission`.

/**
 * `own`: what a network has in any case. `available`: what all share beyond that, of which one has a third while nobody
 * else takes any: 200 sign-ins are a school or a mobile network behind one address. Hosts register from few addresses,
 * some of them for each person.
 */
export const signInShares = {
  sign_in: { own: 10, available: 600 },
  registration: { own: 20, available: 3000 }
} as const

/** Whose share is used up: that of an IPv4 address or a /64 of IPv6 (`address`), or of a /48 (`network`). */
const Refused = Schema.Struct({
  per: Schema.Literals(["address", "network"]),
  retry_after_seconds: Schema.Int
})
const refusals = decodeRows(Schema.Tuple([Schema.Struct({ refused: Schema.NullOr(Refused) })]))

/** Counts one more of the sender with this address, unless its share is used up: then the refusal. */
export const takeShare = Effect.fn("takeShare")(function* (kind: keyof typeof signInShares, address: string) {
  const sql = yield* SqlClient.SqlClient
  const { available, own } = signInShares[kind]
  const now = new Date(yield* Clock.currentTimeMillis)
  const [{ refused }] = yield* refusals(sql`select
    admit(${kind}, ${bucketOf(address)}, ${own}::int, ${available}::int, ${now}::timestamptz) as refused`)
  return refused ?? undefined
})

/** The answer to a client whose registration was refused. */
export const shareUsedUp = ({ per, retry_after_seconds }: typeof Refused.Type): ConnectAnswer => ({
  status: 429,
  headers: {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "retry-after": String(retry_after_seconds)
  },
  cookies: [],
  body: JSON.stringify({
    error: "temporarily_unavailable",
    error_description: `this ${per === "network" ? "network (an IPv6 /48)" : "address"} has registered as many clients within the last hour as it may: register again in ${retry_after_seconds} s, keep the client_id, or publish a client-id document`
  })
})

/** Removes up to `limit` that no longer count. Succeeds with their number. */
export const forgetTakenShares = Effect.fnUntraced(function* (before: number, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const gone = yield* sql`delete from admission where ctid in (
    select ctid from admission where at < ${new Date(before)} limit ${limit}) returning 1`
  return gone.length
})

/** The scopes that a client can be granted: all except `admin`, which sees every key's bookings. */
export const grantable = ["bookings:read", "bookings:write", "payments:write"] as const satisfies ReadonlyArray<Scope>

/** A grant in a list. Instants are milliseconds. */
export const GrantRow = Schema.Struct({
  grant_id: GrantId,
  sign_in: Schema.Literals(["key", "guest"]),
  key_id: Schema.String,
  scopes: Schema.Array(Scope),
  client_id: Schema.String,
  client_name: Schema.NullOr(Schema.String),
  host: Schema.String,
  proven: Schema.Boolean,
  created_at: InstantFromDate,
  last_used_at: Schema.NullOr(InstantFromDate),
  revoked_at: Schema.NullOr(InstantFromDate)
})
export type GrantRow = typeof GrantRow.Type

/** The hosts of programs on a person's own device, which have none. No host name has a space. */
export const ownDevice = "localhost"
export const appHost = (scheme: string): string => `app ${scheme}`
export const isOnDevice = (host: string): boolean => host === ownDevice || host.startsWith(appHost(""))

/** An agreement, to be stored as a grant. */
interface NewGrant {
  /** The consent that the person was shown. One consent makes one grant. */
  readonly consent: string
  readonly scopes: ReadonlyArray<Scope>
  readonly client_id: string
  readonly client_name: string | undefined
  /** The client's host, as shown to the person. */
  readonly host: string
  /** Whether the client's document is published at that host. Anybody can register a client with any host's address. */
  readonly proven: boolean
  /** The person's network address. */
  readonly address: string
  /** The pasted key; undefined: the person is a guest. */
  readonly key: Redacted.Redacted | undefined
}

/** The share of sign-ins of the guest's address, or of its network, is used up (`takeShare`). */
export class TooManyGuests extends Schema.TaggedError<TooManyGuests>()("TooManyGuests", {
  per: Schema.Literals(["address", "network"])
}) {
  override get message(): string {
    return `Too many guests signed in from the same ${this.per} within the last hour.`
  }
}
/** The pasted key has none of the requested scopes. */
export class KeyAllowsNothing extends Schema.TaggedError<KeyAllowsNothing>()("KeyAllowsNothing", {}) {
  override readonly message = "The API key allows nothing of what the client asks for."
}

const columns =
  "grant_id, sign_in, key_id, scopes, client_id, client_name, host, proven, created_at, last_used_at, revoked_at"

const TokenRow = Schema.Struct({
  grant_id: GrantId,
  sign_in: Schema.Literals(["key", "guest"]),
  key_hash: Schema.Uint8Array,
  client_id: Schema.String,
  host: Schema.String,
  proven: Schema.Boolean,
  address: Schema.String,
  scope: Schema.NullOr(Schema.String),
  expires_at: InstantFromDate
})
type TokenRow = typeof TokenRow.Type

const grantRows = decodeRows(Schema.Array(GrantRow))
const MadeGrant = Schema.Struct({ grant_id: GrantId, key_id: Schema.String, scopes: Schema.Array(Scope) })
const madeGrants = decodeRows(Schema.Array(MadeGrant))
const tokenRows = decodeRows(Schema.Array(TokenRow))
const keyHashes = decodeRows(Schema.Array(Schema.Struct({ key_hash: Schema.Uint8Array })))

const mostCached = 10_000
/** How long ended grants stay listed. */
const keepEndedMs = unusedGrantMs

/**
 * The key that guests are counted by. Clients with a published document count apart from clients that only claim their
 * host, so that nobody can exhaust another host's limit.
 */
const countedHost = ({ host, proven }: { readonly host: string; readonly proven: boolean }): string =>
  proven ? host : `${host} (unconfirmed)`

/** The scopes that both the token and the key allow. */
const principalOf = (key: Principal, row: TokenRow): Principal => {
  const granted = new Set((row.scope ?? "").split(" "))
  const scopes = grantable.filter((one) => granted.has(one) && (key.scopes.has(one) || key.scopes.has("admin")))
  return {
    ...key,
    scopes: new Set(scopes),
    ...(row.sign_in === "guest" ? { guest: { address: row.address, host: countedHost(row) } } : {})
  }
}

/** Ends at most `limit` grants that were not used for `unusedGrantMs`. Succeeds with their number. */
export const endUnusedGrants = Effect.fnUntraced(function* (now: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const unused = yield* grantRows(sql`select ${sql.literal(columns)} from connect_grant
    where revoked_at is null and coalesce(last_used_at, created_at) < ${new Date(now - unusedGrantMs)} limit ${limit}`)
  yield* Effect.forEach(unused, ({ grant_id }) => endGrant(grant_id), { discard: true })
  return unused.length
})

/** Removes at most `limit` grants, with guests' keys, that ended `listedFor` ago. Succeeds with their number. */
export const removeEndedGrants = Effect.fnUntraced(function* (now: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const gone = yield* sql`with gone as (
      delete from connect_grant where grant_id in (
        select grant_id from connect_grant where revoked_at < ${new Date(now - keepEndedMs)} order by revoked_at limit ${limit})
      returning key_id, sign_in),
    keys as (delete from api_key k using gone g where g.sign_in = 'guest' and k.key_id = g.key_id)
    select 1 from gone`
  return gone.length
})

/**
 * Ends the grants of the guests with these keys and erases their network addresses. Succeeds with their number.
 */
export const forgetGuests = Effect.fn("forgetGuests")(function* (key_ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const theirs = yield* grantRows(sql`with counted as (
      delete from admission where address in (
        select address from connect_grant where sign_in = 'guest' and key_id = any(${key_ids}::text[])))
    update connect_grant set address = 'erased' where sign_in = 'guest' and key_id = any(${key_ids}::text[]) returning ${sql.literal(columns)}`)
  yield* Effect.forEach(theirs, ({ grant_id }) => endGrant(grant_id), { discard: true })
  return theirs.length
})

export class Grants extends Context.Service<
  Grants,
  {
    /**
     * Stores a grant and creates a guest's key. A consent that made a grant gets the same one again. Succeeds with the
     * ids of grant and key.
     */
    readonly agree: (
      grant: NewGrant,
      guard: LookUpGuard
    ) => Effect.Effect<
      { readonly grant_id: GrantId; readonly key_id: string; readonly scopes: ReadonlyArray<Scope> },
      ApiKeyInvalid | KeyAllowsNothing | TooManyGuests | RateLimited | SqlError.SqlError
    >
    /**
     * The principal of an access token: its grant's key, with the scopes that both have. Fails as for a key. `guard`
     * decides whether to look up a token that this node does not know. Every node notices the end of a token, grant or
     * key within `KeyCacheMs`.
     */
    readonly authenticate: (
      token: string,
      guard?: LookUpGuard
    ) => Effect.Effect<Principal, ApiKeyInvalid | RateLimited | SqlError.SqlError>
    /** Whether neither a grant nor its key has ended. */
    readonly counts: (grant_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** All grants, oldest first, including ended ones until they are removed. */
    readonly list: Effect.Effect<ReadonlyArray<GrantRow>, SqlError.SqlError>
    /** The grants of the guests with these keys, ended or not. `revoked_at` includes the key's end. */
    readonly ofGuests: (key_ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<GrantRow>, SqlError.SqlError>
    /** Ends a grant, on every node within `KeyCacheMs`; false if the id is unknown. */
    readonly revoke: (grant_id: string) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/oauth/Grants") {
  static readonly layer = Layer.effect(
    Grants,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const keys = yield* ApiKeys
      const resource = (yield* AppConfig).baseUrl + toolsPath
      const keyCacheMs = yield* KeyCacheMs
      const scope = yield* Effect.scope
      /** Rows of tokens, each until `monotonicMs`. */
      const cache = new Map<string, { readonly row: TokenRow; readonly until: number }>()
      const lastUse = new Map<string, number>()
      const onSql = Effect.provideService(SqlClient.SqlClient, sql)

      /** The principal of a grant. */
      interface Holder {
        readonly key_id: string
        readonly hash: Uint8Array
        readonly scopes: ReadonlyArray<Scope>
      }

      const keyHolder = Effect.fnUntraced(function* (key: Redacted.Redacted, { scopes }: NewGrant, guard: LookUpGuard) {
        const principal = yield* keys.authenticate(Redacted.value(key), guard)
        const allowed = scopes.filter((one) => principal.scopes.has(one) || principal.scopes.has("admin"))
        if (allowed.length === 0) return yield* new KeyAllowsNothing()
        return { key_id: principal.key_id, hash: keyDigest(Redacted.value(key)), scopes: allowed }
      })

      /** The grant that a consent has already made. */
      const madeBy = ({ consent }: NewGrant) =>
        Effect.map(
          madeGrants(sql`select grant_id, key_id, scopes from connect_grant where consent = ${digestOf(consent)}`),
          ([made]) => made
        )

      const write = Effect.fnUntraced(function* (sign_in: SignIn, grant: NewGrant, { hash, key_id, scopes }: Holder) {
        const now = yield* Clock.currentTimeMillis
        const grant_id = yield* Effect.provideService(newId.grant, SecureRandom.SecureRandom, random)
        // From here on the client's registration lasts as long as the grant.
        yield* sql`with client as (
            update connect_state set expires_at = ${new Date(now + unusedGrantMs)}
            where kind = 'Client' and id = ${digestOf(grant.client_id)})
          insert into connect_grant
            (grant_id, consent, sign_in, key_id, key_hash, scopes, client_id, client_name, host, proven, address, created_at)
          values (${grant_id}, ${digestOf(grant.consent)}, ${sign_in}, ${key_id}, ${hash}::bytea, ${[...scopes]}::text[], ${grant.client_id},
            ${grant.client_name ?? null}, ${grant.host}, ${grant.proven}, ${bucketOf(grant.address)}, ${new Date(now)})
          on conflict (consent) do nothing`
        return (yield* madeBy(grant)) ?? { grant_id, key_id, scopes }
      })

      const admitGuest = Effect.fnUntraced(function* (grant: NewGrant) {
        const now = yield* Clock.currentTimeMillis
        yield* sql`select pg_advisory_xact_lock(hashtextextended(${`consent ${grant.consent}`}, 0))`
        const made = yield* madeBy(grant)
        if (made !== undefined) return made
        const refused = yield* onSql(takeShare("sign_in", grant.address))
        if (refused !== undefined) return yield* new TooManyGuests({ per: refused.per })
        const { scopes } = grant
        const label = `guest via ${grant.host}`
        const { key_id, secret } = yield* keys.create({ label, scopes, expires_at: now + unusedGrantMs })
        // Nobody gets the secret.
        return yield* write("guest", grant, { key_id, hash: keyDigest(Redacted.value(secret)), scopes })
      }, sql.withTransaction)

      const agree = Effect.fn("Grants.agree")(function* (grant: NewGrant, guard: LookUpGuard) {
        if (grant.key === undefined) return yield* admitGuest(grant)
        return yield* write("key", grant, yield* keyHolder(grant.key, grant, guard))
      })

      /**
       * Records the use of a grant, once a minute. A guest's key and the client's registration last while it is used.
       */
      const noteUse = ({ client_id, grant_id }: TokenRow, now: Instant, at: number): Effect.Effect<void> => {
        if (at - (lastUse.get(grant_id) ?? Number.NEGATIVE_INFINITY) < minuteMs) return Effect.void
        if (lastUse.size >= mostCached) lastUse.clear()
        lastUse.set(grant_id, at)
        const until = new Date(now + unusedGrantMs)
        return sql`with used as (
            update connect_grant set last_used_at = ${new Date(now)} where grant_id = ${grant_id} returning key_id, sign_in),
          client as (
            update connect_state set expires_at = ${until} where kind = 'Client' and id = ${digestOf(client_id)})
          update api_key k set expires_at = ${until} from used u where u.sign_in = 'guest' and k.key_id = u.key_id`.pipe(
          Effect.catch((error) => Effect.logWarning("The last use of a grant was not noted", error)),
          outsideTransaction(sql),
          Effect.forkIn(scope),
          Effect.asVoid
        )
      }

      const lookUp = Effect.fnUntraced(function* (token: string, now: Instant, at: number) {
        const id = digestOf(token)
        const [row] =
          yield* tokenRows(sql`select g.grant_id, g.sign_in, g.key_hash, g.client_id, g.host, g.proven, g.address,
            t.payload ->> 'scope' as scope, t.expires_at
          from connect_state t join connect_grant g on g.grant_id = t.grant_id
          where t.kind = 'AccessToken' and t.id = ${id} and t.payload ->> 'aud' = ${resource} and g.revoked_at is null`)
        if (row === undefined || row.expires_at <= now) {
          cache.delete(id.toString("base64"))
          return yield* new ApiKeyInvalid()
        }
        if (cache.size >= mostCached) cache.clear()
        cache.set(id.toString("base64"), { row, until: at + keyCacheMs })
        return row
      })

      const authenticate = Effect.fnUntraced(function* (token: string, guard: LookUpGuard = unguarded) {
        const now = yield* Clock.currentTimeMillis
        const at = yield* monotonicMs
        const known = cache.get(digestOf(token).toString("base64"))
        // A token that was valid a moment ago is looked up again, whatever others at its address guess.
        const row =
          known === undefined
            ? yield* guard(lookUp(token, now, at))
            : known.until > at && known.row.expires_at > now
              ? known.row
              : yield* lookUp(token, now, at)
        const key = yield* keys.byDigest(row.key_hash)
        yield* noteUse(row, now, at)
        return principalOf(key, row)
      })

      const isCounted = Effect.fnUntraced(function* (grant_id: string) {
        const [row] = yield* keyHashes(
          sql`select key_hash from connect_grant where grant_id = ${grant_id} and revoked_at is null`
        )
        if (row === undefined) return false
        return yield* keys.byDigest(row.key_hash).pipe(
          Effect.as(true),
          Effect.catchTag("ApiKeyInvalid", () => Effect.succeed(false))
        )
      })

      const ofGuests = Effect.fn("Grants.ofGuests")(function* (key_ids: ReadonlyArray<string>) {
        const now = new Date(yield* Clock.currentTimeMillis)
        return yield* grantRows(sql`select g.grant_id, g.sign_in, g.key_id, g.scopes, g.client_id, g.client_name, g.host, g.proven,
            g.created_at, g.last_used_at,
            coalesce(g.revoked_at, k.revoked_at, case when k.expires_at <= ${now} then k.expires_at end) as revoked_at
          from connect_grant g join api_key k on k.key_id = g.key_id
          where g.key_id = any(${key_ids}::text[]) and g.sign_in = 'guest'`)
      })

      return Grants.of({
        agree,
        authenticate,
        counts: isCounted,
        ofGuests,
        list: grantRows(sql`select ${sql.literal(columns)} from connect_grant order by grant_id`).pipe(
          Effect.withSpan("Grants.list")
        ),
        revoke: Effect.fn("Grants.revoke")((grant_id: string) =>
          Effect.tap(onSql(endGrant(grant_id)), () => Effect.sync(() => cache.clear()))
        )
      })
    })
  ).pipe(Layer.provide([ApiKeys.layer]))

  /** Whom the access tokens of grants stand for. */
  static readonly accessTokens = Layer.effect(
    AccessTokens,
    Effect.map(Grants, ({ authenticate }) => AccessTokens.of({ authenticate }))
  ).pipe(Layer.provide(this.layer))
}
