/** Maps a request's credentials to its principal, by API key or access token. */
import { Context, Data, Effect, Layer, Redacted } from "effect"
import type { SqlError } from "effect/sql"
import {
  type ApiKeyInvalid,
  ApiKeyMissing,
  ApiKeysDiffer,
  type Principal,
  type RateLimited,
  ApiKeys,
  type LookUpGuard
} from "./ApiKeys.ts"
import { RateLimits } from "./RateLimits.ts"

/**
 * The credentials of a request. A new kind needs a case here, its header in `credentialHeaders`, its parsing in
 * `credentialsOf` (for `/mcp`; `accessTokenCredentials` is for `/mcp/connect`), and a branch in `Authentication.layer`.
 * If it is looked up, wrap the look-up in `RateLimits.guessGuard` and fail with `ApiKeyInvalid` for a wrong one: the
 * guard counts that as a guess. A kind compared in memory needs no guard.
 */
type Credentials = Data.TaggedEnum<{
  /** The request has no API key. */
  None: {}
  /** The request has one API key: in one header, or the same key in both. */
  ApiKey: { readonly key: Redacted.Redacted }
  /** The request has two API keys that differ. */
  DifferingApiKeys: {}
  /** The request has a bearer token, to be checked as an access token of `/mcp/connect`. */
  AccessToken: { readonly token: Redacted.Redacted }
}>
const Credentials = Data.taggedEnum<Credentials>()

const noCredentials = Credentials.None()
const differingApiKeys = Credentials.DifferingApiKeys()

/**
 * The headers of credentials: `credentialsOf` reads no others. Pages of allowed origins may send them
 * (`surfaces/mcp/transport/McpEndpoint.ts`), and errors name them (`surfaces/mcp/tools/ToolErrors.ts`). A test checks
 * that `surfaces/http/McpApi.ts` declares each.
 */
export const credentialHeaders = ["X-API-Key", "Authorization"] as const

/** Header names in lower case, as in requests. */
type CredentialHeaders = { readonly [Name in Lowercase<(typeof credentialHeaders)[number]>]?: string | undefined }

// The scheme is case-insensitive, and one or more spaces follow it (RFC 9110, 11.1 and 11.4).
const bearer = /^bearer +(.+)$/i

/**
 * The credentials of a request to `/mcp`: its API key, in `X-API-Key` or as a bearer token in `Authorization`. An empty
 * header and another scheme (a proxy's `Basic`, say) count as no key. `headers` have names in lower case.
 */
export const credentialsOf = (headers: Readonly<Record<string, string | undefined>>): Credentials => {
  // This type has only the listed headers, so reading another one does not compile.
  const listed: CredentialHeaders = headers
  const ownHeader = listed["x-api-key"]?.trim() || undefined
  const bearerToken = bearer.exec(listed.authorization?.trim() ?? "")?.[1]
  if (ownHeader !== undefined && bearerToken !== undefined && ownHeader !== bearerToken) return differingApiKeys
  const key = ownHeader ?? bearerToken
  return key === undefined ? noCredentials : Credentials.ApiKey({ key: Redacted.make(key, { label: "API key" }) })
}

/** The access token of a request: only a bearer token in `Authorization` (RFC 6750, 2.1). */
export const accessTokenCredentials = (headers: Readonly<Record<string, string | undefined>>): Credentials => {
  const token = bearer.exec(headers.authorization?.trim() ?? "")?.[1]
  return token === undefined
    ? noCredentials
    : Credentials.AccessToken({ token: Redacted.make(token, { label: "access token" }) })
}

/** The principal of an access token. `domain/oauth/Grants.ts` implements it. */
export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    readonly authenticate: (
      token: string,
      guard: LookUpGuard
    ) => Effect.Effect<Principal, ApiKeyInvalid | RateLimited | SqlError.SqlError>
  }
>()("playroom/access/AccessTokens") {}

/** Why a request has no principal. A new reason needs a line in `surfaces/mcp/tools/ToolErrors.ts`, too. */
type Unauthenticated = ApiKeyMissing | ApiKeyInvalid | ApiKeysDiffer | RateLimited | SqlError.SqlError

/** Who sends a request. */
export interface Caller {
  /** The sender's network address. */
  readonly address: string
  /** Whether it says who it is, rightly or not. */
  readonly named: boolean
  /** Whether it came through a sign-in: its public calls count for its key, since families share addresses. */
  readonly signedIn: boolean
  /** Looked up when this runs: most calls need none. */
  readonly principal: Effect.Effect<Principal, Unauthenticated>
}

/** The caller with these credentials. */
export const callerOf = (
  { authenticate }: Pick<Authentication["Service"], "authenticate">,
  credentials: Credentials,
  address: string
): Caller => ({
  address,
  named: credentials._tag !== "None",
  signedIn: credentials._tag === "AccessToken",
  principal: authenticate(credentials, address)
})

export class Authentication extends Context.Service<
  Authentication,
  {
    /**
     * The principal of these credentials. `address` is the sender's. It may try as many wrong keys a minute as it has
     * calls; then unknown keys fail without a look-up.
     */
    readonly authenticate: (credentials: Credentials, address: string) => Effect.Effect<Principal, Unauthenticated>
  }
>()("playroom/access/Authentication") {
  /** Accepts API keys (the configured one and those in the table) and access tokens. */
  static readonly layer = Layer.effect(
    Authentication,
    Effect.gen(function* () {
      const apiKeys = yield* ApiKeys
      const tokens = yield* AccessTokens
      const limits = yield* RateLimits
      return Authentication.of({
        authenticate: (credentials, address) => {
          switch (credentials._tag) {
            case "None":
              return Effect.fail(new ApiKeyMissing())
            case "DifferingApiKeys":
              return Effect.fail(new ApiKeysDiffer())
            case "ApiKey":
              return apiKeys.authenticate(Redacted.value(credentials.key), limits.guessGuard(address))
            case "AccessToken":
              return tokens.authenticate(Redacted.value(credentials.token), limits.guessGuard(address))
          }
        }
      })
    })
  ).pipe(Layer.provide(ApiKeys.layer))
}
