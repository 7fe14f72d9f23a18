/**
 * The issued API keys, and the one of the settings: whose they are, what they allow. The table keeps SHA-256 digests, never the
 * secrets.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { Clock, Context, Effect, type FileSystem, Layer, type PlatformError, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { AppConfig } from "../config/AppConfig.ts"
import { KeyId, newId, OperatorId } from "../kernel/Ids.ts"
import { type Instant, InstantFromDate, minuteMs } from "../kernel/LocalTime.ts"
import { ApiKeyInvalid, ApiKeyScope, type Principal, type RateLimited, Scope } from "./ApiKey.ts"
import { developmentKey, newSecret } from "./DevelopmentKey.ts"
import { decodeRows } from "../kernel/Rows.ts"

/** A key as it is listed: all but the secret. Instants are milliseconds. */
export const ApiKeyRow = Schema.Struct({
  key_id: KeyId,
  label: Schema.String,
  scopes: Schema.Array(Scope),
  operator_id: Schema.NullOr(OperatorId),
  created_at: InstantFromDate,
  expires_at: Schema.NullOr(InstantFromDate),
  last_used_at: Schema.NullOr(InstantFromDate),
  revoked_at: Schema.NullOr(InstantFromDate)
})
export type ApiKeyRow = typeof ApiKeyRow.Type

export interface NewApiKey {
  readonly label: string
  readonly scopes: ReadonlyArray<Scope>
  readonly operator_id?: string
  readonly expires_at?: Instant
}

const allScopes: ReadonlySet<Scope> = new Set(Scope.literals)

/** How long a valid key is cached, in milliseconds: a revocation counts on every node within this time. 2 seconds by default. */
export const KeyCacheMs = Context.Reference<number>("playroom/access/KeyCacheMs", { defaultValue: () => 2000 })

/** Whether the key may do what `scope` names; `admin` may do everything. */
export const requireScope = (principal: Principal, scope: Scope): Effect.Effect<void, ApiKeyScope> =>
  principal.scopes.has(scope) || principal.scopes.has("admin") ? Effect.void : Effect.fail(new ApiKeyScope({ scope }))

/** The digest by which a key is known: its SHA-256. */
export const keyDigest = (secret: string): Buffer => createHash("sha256").update(secret).digest()

interface CachedKey {
  readonly principal: Principal
  readonly until: Instant
}

/** Decides whether a key may be looked up that this node has not found valid before. */
export type LookUpGuard = <A, E, R>(lookUp: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RateLimited, R>
export const unguarded: LookUpGuard = (lookUp) => lookUp

const keyRows = decodeRows(Schema.Array(ApiKeyRow))

const make = Effect.gen(function* () {
  const settings = yield* AppConfig
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const scope = yield* Effect.scope
  const keyCacheMs = yield* KeyCacheMs

  const development =
    settings.apiKey === undefined && settings.database.kind === "embedded" && !settings.production
      ? yield* developmentKey(settings.dataDir)
      : undefined
  const own = settings.apiKey ?? development
  const ownDigest = own === undefined ? undefined : keyDigest(Redacted.value(own))
  // Its name stays when the secret is replaced, so that its bookings stay its own.
  const ownPrincipal: Principal = {
    key_id: development === undefined ? "key_environment" : "key_development",
    scopes: allScopes
  }

  /** Valid keys by their digest. One that is too old is looked up again, but stays known as a key that was valid here. */
  const cache = new Map<string, CachedKey>()
  const lastUse = new Map<string, Instant>()

  const noteUse = (key_id: string, now: Instant): Effect.Effect<void> => {
    if (now - (lastUse.get(key_id) ?? Number.NEGATIVE_INFINITY) < minuteMs) return Effect.void
    if (lastUse.size > 10_000) lastUse.clear()
    lastUse.set(key_id, now)
    return sql`update api_key set last_used_at = ${new Date(now)}
        where key_id = ${key_id} and (last_used_at is null or last_used_at < ${new Date(now - minuteMs + 1)})`.pipe(
      Effect.catch((error) => Effect.logWarning("The last use of an API key was not noted", error)),
      Effect.forkIn(scope),
      Effect.asVoid
    )
  }

  const lookUp = Effect.fnUntraced(function* (hash: Buffer, now: Instant) {
    const [row] =
      yield* keyRows(sql`select key_id, label, scopes, operator_id, created_at, expires_at, last_used_at, revoked_at
      from api_key where hash = ${hash}`)
    if (row === undefined || row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= now)) {
      cache.delete(hash.toString("base64"))
      return yield* new ApiKeyInvalid()
    }
    const principal: Principal = {
      key_id: row.key_id,
      scopes: new Set(row.scopes),
      ...(row.operator_id === null ? {} : { operator_id: row.operator_id })
    }
    if (cache.size > 10_000) cache.clear()
    cache.set(hash.toString("base64"), {
      principal,
      until: Math.min(now + keyCacheMs, row.expires_at ?? Number.POSITIVE_INFINITY)
    })
    return principal
  })

  const isOwn = (hash: Uint8Array): boolean => ownDigest !== undefined && timingSafeEqual(hash, ownDigest)

  type LookedUp = ReturnType<typeof lookUp>
  /** The principal of a key of the table. `first` looks up a key that this node does not know. */
  const issued = Effect.fnUntraced(function* <E>(
    hash: Buffer,
    first: (found: LookedUp) => Effect.Effect<Principal, E>
  ) {
    const now = yield* Clock.currentTimeMillis
    const known = cache.get(hash.toString("base64"))
    // A key that was valid here before needs no guard: wrong keys from the same address must not keep it out.
    const principal =
      known === undefined
        ? yield* first(lookUp(hash, now))
        : known.until > now
          ? known.principal
          : yield* lookUp(hash, now)
    yield* noteUse(principal.key_id, now)
    return principal
  })

  const authenticate = Effect.fnUntraced(function* (key: string, guard: LookUpGuard = unguarded) {
    const hash = keyDigest(key)
    if (isOwn(hash)) return ownPrincipal
    // Every key in the table begins so.
    if (!key.startsWith("playroom_key_")) return yield* new ApiKeyInvalid()
    return yield* issued(hash, guard)
  })

  const byDigest = (hash: Uint8Array) =>
    isOwn(hash) ? Effect.succeed(ownPrincipal) : issued(Buffer.from(hash), (found) => found)

  const create = Effect.fn("ApiKeys.create")(
    function* (key: NewApiKey) {
      const key_id = yield* newId.key
      const secret = yield* newSecret
      const now = yield* Clock.currentTimeMillis
      yield* sql`insert into api_key (key_id, label, hash, scopes, operator_id, created_at, expires_at) values (
      ${key_id}, ${key.label}, ${keyDigest(Redacted.value(secret))}, ${[...new Set(key.scopes)]}::text[],
      ${key.operator_id ?? null}, ${new Date(now)}, ${key.expires_at === undefined ? null : new Date(key.expires_at)})`
      return { key_id, secret }
    },
    Effect.provideService(SecureRandom.SecureRandom, random)
  )

  const list = keyRows(sql`select key_id, label, scopes, operator_id, created_at, expires_at, last_used_at, revoked_at
    from api_key order by key_id`).pipe(Effect.withSpan("ApiKeys.list"))

  const revoke = Effect.fn("ApiKeys.revoke")(function* (key_id: string) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql`update api_key set revoked_at = coalesce(revoked_at, ${new Date(now)})
      where key_id = ${key_id} returning key_id`
    // At once here; elsewhere within `KeyCacheMs`.
    cache.clear()
    return rows.length > 0
  })

  return ApiKeys.of({ authenticate, byDigest, create, list, revoke, development })
})

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** The principal of a key. `guard` decides about the look-up of a key that this node does not know. */
    readonly authenticate: (
      key: string,
      guard?: LookUpGuard
    ) => Effect.Effect<Principal, ApiKeyInvalid | RateLimited | SqlError.SqlError>
    /** The principal of the key with this digest, for what acts as a key without knowing it; see `keyDigest`. */
    readonly byDigest: (hash: Uint8Array) => Effect.Effect<Principal, ApiKeyInvalid | SqlError.SqlError>
    /** Makes a key. Its secret is given here and never again. */
    readonly create: (
      key: NewApiKey
    ) => Effect.Effect<{ readonly key_id: KeyId; readonly secret: Redacted.Redacted }, SqlError.SqlError>
    /** All keys, oldest first, revoked ones too. */
    readonly list: Effect.Effect<ReadonlyArray<ApiKeyRow>, SqlError.SqlError>
    /** Ends a key for good, on every node within `KeyCacheMs`; false if there is none of that id. */
    readonly revoke: (key_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** The key of the embedded default without `API_KEY`, to be shown at start; none in production. */
    readonly development: Redacted.Redacted | undefined
  }
>()("playroom/access/ApiKeys") {
  static readonly layer: Layer.Layer<
    ApiKeys,
    PlatformError.PlatformError,
    AppConfig | SqlClient.SqlClient | SecureRandom.SecureRandom | FileSystem.FileSystem
  > = Layer.effect(ApiKeys, make)
}
