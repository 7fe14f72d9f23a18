/**
 * Issues and checks API keys: those in the table and the configured one. The table stores SHA-256 digests, not secrets.
 */
import { Clock, Context, Effect, FileSystem, Layer, type PlatformError, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash, timingSafeEqual } from "node:crypto"
import { AppConfig } from "../config/AppConfig.ts"
import { outsideTransaction } from "../concurrency/SharedReads.ts"
import { decodeRows, columnsOf } from "../database/Rows.ts"
import { KeyId, newId, OperatorId } from "../ids/Ids.ts"
import { monotonicMs } from "../time/Elapsed.ts"
import { type Instant, InstantFromDate, minuteMs } from "../time/LocalTime.ts"

// The key that the embedded default generates, so that a newcomer has one to copy.

/** A new secret: `playroom_key_` and 32 random bytes in url-safe base 64. */
const newSecret: Effect.Effect<Redacted.Redacted, never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom.use((random) => random.randomBytes(32)),
  (bytes) => Redacted.make(`playroom_key_${Buffer.from(bytes).toString("base64url")}`, { label: "API key" })
)

const developmentKeyFile = (dataDir: string): string => `${dataDir}/development-key`

/** The development key in `dataDir`; "" if there is none. */
const storedDevelopmentKey = Effect.fnUntraced(function* (dataDir: string) {
  const files = yield* FileSystem.FileSystem
  return yield* files.readFileString(developmentKeyFile(dataDir)).pipe(
    Effect.map((text) => text.trim()),
    Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed(""))
  )
})

/**
 * The development key in `dataDir` (file `development-key`, mode 0600). The first call creates it; a blank file is
 * replaced.
 */
export const developmentKey = (
  dataDir: string
): Effect.Effect<Redacted.Redacted, PlatformError.PlatformError, FileSystem.FileSystem | SecureRandom.SecureRandom> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = developmentKeyFile(dataDir)
    const stored = yield* storedDevelopmentKey(dataDir)
    if (stored !== "") return Redacted.make(stored, { label: "API key" })
    const secret = yield* newSecret
    yield* files.makeDirectory(dataDir, { recursive: true, mode: 0o700 })
    yield* files.writeFileString(path, `${Redacted.value(secret)}\n`, { mode: 0o600 })
    // The mode above applies only to a new file.
    yield* files.chmod(path, 0o600)
    return secret
  })

// What an API key allows, and the errors of calls without a sufficient key.

export const Scope = Schema.Literals(["bookings:read", "bookings:write", "payments:write", "admin"])
export type Scope = typeof Scope.Type

/** The caller: its scopes, and the one operator whose playrooms it may book (absent: all operators). */
export interface Principal {
  readonly key_id: string
  readonly scopes: ReadonlySet<Scope>
  readonly operator_id?: string
  /** Set for a person without an API key. Holds are limited by guest (`domain/oauth/Grants.ts`). */
  readonly guest?: Guest
  /** Who at the venue acts, as the bookings' history names them. */
  readonly done_by?: string
  /** It is the venue itself. */
  readonly by_venue?: true
}

/**
 * The venue itself, at its desk or by command: what it books counts as made with one key, of its own playrooms alone.
 */
export const venuePrincipal = (operator_id: string, done_by: string | undefined): Principal => ({
  key_id: operator_id,
  scopes: new Set(),
  operator_id,
  by_venue: true,
  ...(done_by === undefined ? {} : { done_by })
})

/** The waiting lists of a playroom: what they hold for families counts as made with one key. */
export const waitingPrincipal = (playroom_id: string): Principal => ({ key_id: playroom_id, scopes: new Set() })

/** A guest's network address (IPv6: the /64 network) and the host of their client. */
export interface Guest {
  readonly address: string
  readonly host: string
}

export class ApiKeyMissing extends Schema.TaggedError<ApiKeyMissing>()("ApiKeyMissing", {}) {
  override readonly message = "The call needs an API key, and had none."
}
/** The two headers of a request hold different keys. */
export class ApiKeysDiffer extends Schema.TaggedError<ApiKeysDiffer>()("ApiKeysDiffer", {}) {
  override readonly message = "The X-API-Key and Authorization headers hold different API keys."
}
/** The key is wrong, expired or revoked; the caller does not learn which. */
export class ApiKeyInvalid extends Schema.TaggedError<ApiKeyInvalid>()("ApiKeyInvalid", {}) {
  override readonly message = "The API key is wrong, expired or revoked."
}
export class ApiKeyScope extends Schema.TaggedError<ApiKeyScope>()("ApiKeyScope", { scope: Scope }) {
  override get message(): string {
    return `The API key lacks the scope ${this.scope}.`
  }
}
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  /** Whose calls were too many: those of an API key, or those without a valid key of a network address. */
  per: Schema.Literals(["key", "address"]),
  retry_after_seconds: Schema.Int
}) {
  override get message(): string {
    return `Too many calls: the next may come in ${this.retry_after_seconds} s.`
  }
}

/** The id of the development key, under which its bookings and grants are. */
const developmentKeyId = "key_development"

/** A key in listings, without its secret. Instants are milliseconds. */
export const ApiKeyRow = Schema.Struct({
  key_id: Schema.Union([KeyId, Schema.Literal(developmentKeyId)]),
  label: Schema.String,
  scopes: Schema.Array(Scope),
  operator_id: Schema.NullOr(OperatorId),
  created_at: InstantFromDate,
  expires_at: Schema.NullOr(InstantFromDate),
  last_used_at: Schema.NullOr(InstantFromDate),
  revoked_at: Schema.NullOr(InstantFromDate)
})
export type ApiKeyRow = typeof ApiKeyRow.Type

interface NewApiKey {
  readonly label: string
  readonly scopes: ReadonlyArray<Scope>
  readonly operator_id?: string
  readonly expires_at?: Instant
}

const allScopes: ReadonlySet<Scope> = new Set(Scope.literals)

/**
 * Cache time of a valid key in milliseconds, 2 seconds by default. A revocation takes effect on every node within it.
 */
export const KeyCacheMs = Context.Reference<number>("playroom/access/KeyCacheMs", { defaultValue: () => 2000 })

/** Fails unless the principal has the scope. `admin` includes every scope. */
export const requireScope = (principal: Principal, scope: Scope): Effect.Effect<void, ApiKeyScope> =>
  principal.scopes.has(scope) || principal.scopes.has("admin") ? Effect.void : Effect.fail(new ApiKeyScope({ scope }))

/** The SHA-256 digest that identifies a key. */
export const keyDigest = (secret: string): Buffer => createHash("sha256").update(secret).digest()

/**
 * Makes the development key of `dataDir` an issued one of a server's database, which has no development key: it goes on
 * working there, with its bookings and grants. False: there is none.
 */
export const issueDevelopmentKey = Effect.fn("ApiKeys.issueDevelopmentKey")(function* (
  sql: SqlClient.SqlClient,
  dataDir: string
) {
  const secret = yield* storedDevelopmentKey(dataDir)
  if (secret === "") return false
  yield* sql`insert into api_key (key_id, label, hash, scopes, created_at) values (${developmentKeyId}, 'Development key',
    ${keyDigest(secret)}, ${[...allScopes]}::text[], ${new Date(yield* Clock.currentTimeMillis)}) on conflict do nothing`
  return true
})

interface CachedKey {
  readonly principal: Principal
  /** When the key itself expires, if it does. */
  readonly expires_at: Instant | null
  /** Until when this is believed; `monotonicMs`. */
  readonly until: number
}

/** Guards the look-up of a key that this node has not found valid before. */
export type LookUpGuard = <A, E, R>(lookUp: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RateLimited, R>
export const unguarded: LookUpGuard = (lookUp) => lookUp

const keyRows = decodeRows(Schema.Array(ApiKeyRow))

const make = Effect.gen(function* () {
  const settings = yield* AppConfig
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(columnsOf(ApiKeyRow))
  const random = yield* SecureRandom.SecureRandom
  const scope = yield* Effect.scope
  const keyCacheMs = yield* KeyCacheMs

  const development =
    settings.apiKey === undefined && settings.database.kind === "embedded" && !settings.production
      ? yield* developmentKey(settings.dataDir)
      : undefined
  const configured = settings.apiKey ?? development
  const configuredDigest = configured === undefined ? undefined : keyDigest(Redacted.value(configured))
  // The id stays when the secret is replaced, so that the key keeps its bookings.
  const configuredPrincipal: Principal = {
    key_id: development === undefined ? "key_environment" : developmentKeyId,
    scopes: allScopes
  }

  /** Valid keys by digest. An expired entry is looked up again without a guard: the key was valid here. */
  const cache = new Map<string, CachedKey>()
  const lastUse = new Map<string, number>()

  const recordUse = (key_id: string, now: Instant, at: number): Effect.Effect<void> => {
    if (at - (lastUse.get(key_id) ?? Number.NEGATIVE_INFINITY) < minuteMs) return Effect.void
    if (lastUse.size > 10_000) lastUse.clear()
    lastUse.set(key_id, at)
    return sql`update api_key set last_used_at = ${new Date(now)}
        where key_id = ${key_id} and (last_used_at is null or last_used_at < ${new Date(now - minuteMs + 1)})`.pipe(
      Effect.catch((error) => Effect.logWarning("The last use of an API key was not noted", error)),
      outsideTransaction(sql),
      Effect.forkIn(scope),
      Effect.asVoid
    )
  }

  const lookUp = Effect.fnUntraced(function* (hash: Buffer, now: Instant, at: number) {
    const [row] = yield* keyRows(sql`select ${columns} from api_key where hash = ${hash}`)
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
    cache.set(hash.toString("base64"), { principal, expires_at: row.expires_at, until: at + keyCacheMs })
    return principal
  })

  const isConfigured = (hash: Uint8Array): boolean =>
    configuredDigest !== undefined && timingSafeEqual(hash, configuredDigest)

  type LookedUp = ReturnType<typeof lookUp>
  /** The principal of a key in the table. `guard` wraps the look-up of a key that this node does not know. */
  const issued = Effect.fnUntraced(function* <E>(
    hash: Buffer,
    guard: (lookUp: LookedUp) => Effect.Effect<Principal, E>
  ) {
    const now = yield* Clock.currentTimeMillis
    const at = yield* monotonicMs
    const known = cache.get(hash.toString("base64"))
    // A cached key needs no guard: wrong keys from the same address must not lock it out.
    const principal =
      known === undefined
        ? yield* guard(lookUp(hash, now, at))
        : known.until > at && (known.expires_at === null || known.expires_at > now)
          ? known.principal
          : yield* lookUp(hash, now, at)
    yield* recordUse(principal.key_id, now, at)
    return principal
  })

  const authenticate = Effect.fnUntraced(function* (key: string, guard: LookUpGuard = unguarded) {
    const hash = keyDigest(key)
    if (isConfigured(hash)) return configuredPrincipal
    // Every issued key has this prefix.
    if (!key.startsWith("playroom_key_")) return yield* new ApiKeyInvalid()
    return yield* issued(hash, guard)
  })

  const byDigest = (hash: Uint8Array) =>
    isConfigured(hash) ? Effect.succeed(configuredPrincipal) : issued(Buffer.from(hash), (lookUp) => lookUp)

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

  const list = keyRows(sql`select ${columns} from api_key order by key_id`).pipe(Effect.withSpan("ApiKeys.list"))

  const revoke = Effect.fn("ApiKeys.revoke")(function* (key_id: string) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql`update api_key set revoked_at = coalesce(revoked_at, ${new Date(now)})
      where key_id = ${key_id} returning key_id`
    // Immediate on this node; on others within `KeyCacheMs`.
    cache.clear()
    return rows.length > 0
  })

  return ApiKeys.of({ authenticate, byDigest, create, list, revoke, development })
})

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** The principal of a key. `guard` wraps the look-up of a key that this node does not know. */
    readonly authenticate: (
      key: string,
      guard?: LookUpGuard
    ) => Effect.Effect<Principal, ApiKeyInvalid | RateLimited | SqlError.SqlError>
    /** The principal of the key with this `keyDigest`, for callers that act for a key without knowing it. */
    readonly byDigest: (hash: Uint8Array) => Effect.Effect<Principal, ApiKeyInvalid | SqlError.SqlError>
    /** Creates a key. Only this call returns its secret. */
    readonly create: (
      key: NewApiKey
    ) => Effect.Effect<{ readonly key_id: KeyId; readonly secret: Redacted.Redacted }, SqlError.SqlError>
    /** All keys, oldest first, including revoked ones. */
    readonly list: Effect.Effect<ReadonlyArray<ApiKeyRow>, SqlError.SqlError>
    /** Revokes a key, on every node within `KeyCacheMs`; false if the id is unknown. */
    readonly revoke: (key_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** The development key, shown at start: with the embedded database and without `API_KEY`, never in production. */
    readonly development: Redacted.Redacted | undefined
  }
>()("playroom/access/ApiKeys") {
  static readonly layer: Layer.Layer<
    ApiKeys,
    PlatformError.PlatformError,
    AppConfig | SqlClient.SqlClient | SecureRandom.SecureRandom | FileSystem.FileSystem
  > = Layer.effect(ApiKeys, make)
}
