/** Who calls: the port from a request's credentials to the principal, and the adapter for API keys and access tokens. */
import { Context, Data, Effect, Layer, Redacted } from "effect"
import type { SqlError } from "effect/sql"
import { type ApiKeyInvalid, ApiKeyMissing, ApiKeysDiffer, type Principal, type RateLimited } from "./ApiKey.ts"
import { ApiKeys, type LookUpGuard } from "./ApiKeys.ts"
import { RateLimits } from "./RateLimits.ts"

/**
 * What a request shows of its caller. To add a kind: its case here, its header in `credentialHeaders`, how it is found in
 * `credentialsOf` (`/mcp` takes what that finds; `/mcp/connect` what `accessTokenCredentials` finds), and its branch in `Authentication.layer`. A kind that is looked up by what the caller sent goes through
 * `RateLimits.guessGuard`, which counts the look-ups that fail with `ApiKeyInvalid` as guesses: so a wrong credential has to fail
 * with that. A kind that is compared in memory needs no guard.
 */
export type Credentials = Data.TaggedEnum<{
  /** The request has no API key. */
  None: {}
  /** The request has one API key, in one header or the same in both. */
  ApiKey: { readonly key: Redacted.Redacted }
  /** The request has two API keys that differ. */
  DifferingApiKeys: {}
  /** The request has an access token, which the authorization server of `/mcp/connect` issued, or so it says. */
  AccessToken: { readonly token: Redacted.Redacted }
}>
export const Credentials = Data.taggedEnum<Credentials>()

const noCredentials = Credentials.None()
const differingApiKeys = Credentials.DifferingApiKeys()

/**
 * The headers of credentials: `credentialsOf` reads no others. Pages of allowed origins may send them (`mcp/Guards.ts`), and errors
 * name them (`mcp/ToolErrors.ts`). `api/Api.ts` declares each of them, as a test demands.
 */
export const credentialHeaders = ["X-API-Key", "Authorization"] as const

/** With names in lower case, as requests have them. */
type CredentialHeaders = { readonly [Name in Lowercase<(typeof credentialHeaders)[number]>]?: string | undefined }

// The scheme is case-insensitive, and one or more spaces follow it (RFC 9110, 11.1 and 11.4).
const bearer = /^bearer +(.+)$/i

/**
 * The credentials of a request to `/mcp`: its API key, in `X-API-Key`, or in `Authorization` as a bearer token. An empty header, and
 * an `Authorization` of another scheme (a proxy's `Basic`, say), count as no key. `headers` have names in lower case.
 */
export const credentialsOf = (headers: Readonly<Record<string, string | undefined>>): Credentials => {
  // This type has the listed headers only, so that reading any other does not compile.
  const shown: CredentialHeaders = headers
  const ownHeader = shown["x-api-key"]?.trim() || undefined
  const bearerToken = bearer.exec(shown.authorization?.trim() ?? "")?.[1]
  if (ownHeader !== undefined && bearerToken !== undefined && ownHeader !== bearerToken) return differingApiKeys
  const key = ownHeader ?? bearerToken
  return key === undefined ? noCredentials : Credentials.ApiKey({ key: Redacted.make(key, { label: "API key" }) })
}

/** The access token of a request: a bearer token in `Authorization` (RFC 6750, 2.1), and nowhere else. */
export const accessTokenCredentials = (headers: Readonly<Record<string, string | undefined>>): Credentials => {
  const token = bearer.exec(headers.authorization?.trim() ?? "")?.[1]
  return token === undefined
    ? noCredentials
    : Credentials.AccessToken({ token: Redacted.make(token, { label: "access token" }) })
}

/** Whom an access token stands for. Whoever issues them answers (`oauth/Grants.ts`). */
export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    readonly authenticate: (
      token: string,
      guard: LookUpGuard
    ) => Effect.Effect<Principal, ApiKeyInvalid | RateLimited | SqlError.SqlError>
  }
>()("playroom/access/AccessTokens") {}

export class Authentication extends Context.Service<
  Authentication,
  {
    /**
     * The principal that these credentials stand for. `address` is the sender's: wrong keys are counted by it, and beyond as many in a
     * minute as it has calls, unknown keys are refused without a look-up. An error that is not listed here needs a line in
     * `mcp/ToolErrors.ts`, too.
     */
    readonly authenticate: (
      credentials: Credentials,
      address: string
    ) => Effect.Effect<Principal, ApiKeyMissing | ApiKeyInvalid | ApiKeysDiffer | RateLimited | SqlError.SqlError>
  }
>()("playroom/access/Authentication") {
  /** By API keys, the one of the settings and those in the table, and by access tokens, which stand for such a key. */
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
