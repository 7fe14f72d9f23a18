/**
 * Access to `/mcp/connect`. Hosts start the sign-in when they get status 401 (RFC 6750, 3; the protocol's authorization
 * specification). A request without a token gets it if it calls a tool that needs one, or with `CONNECT_SIGN_IN=first`
 * whatever it asks. A token that is sent must be valid, also for public tools, so that the host refreshes it.
 */
import { Effect } from "effect"
import type { AppConfig } from "../../../platform/config/AppConfig.ts"
import type { Principal, RateLimited, Scope } from "../../../platform/access/ApiKeys.ts"
import {
  accessTokenCredentials,
  type Authentication,
  type Caller,
  callerOf
} from "../../../platform/access/Authentication.ts"
import { addressAsked, resourceMetadataPath } from "../../../domain/oauth/OAuthExchange.ts"
import { grantable } from "../../../domain/oauth/Grants.ts"
import type { RateLimits } from "../../../platform/access/RateLimits.ts"
import { codes, idOf, isJsonObject, refusal, type Reply, paramsOf, tooManyRequests } from "./JsonRpc.ts"
import { scopeOf } from "../tools/ToolList.ts"

/** An admitted caller, with the checks that need the body. */
export interface Admitted {
  readonly caller: Caller
  /** Takes a rate limit token for a message that no tool charges. */
  readonly take: Effect.Effect<void, RateLimited>
  /**
   * The refusal of a body that calls a tool outside the caller's scopes; otherwise undefined. A batch is refused as a
   * whole, before any of it runs: it has one HTTP status, and the host sends it again after the sign-in.
   */
  readonly forbids: (body: unknown) => Reply | undefined
}

/** Admits a caller before the body is read, or refuses with a `Reply`. */
type Admit = (headers: Readonly<Record<string, string | undefined>>, address: string) => Effect.Effect<Admitted | Reply>

/** The scopes of the tools that a body calls. The body is a message or a batch. */
const neededScopes = (body: unknown): ReadonlyArray<Scope> =>
  (Array.isArray(body) ? body : [body]).flatMap((message: unknown) =>
    isJsonObject(message) && message.method === "tools/call" ? (scopeOf(paramsOf(message)?.name) ?? []) : []
  )

/** A `WWW-Authenticate` challenge. All values are ours and contain no quotes. */
const challenge = (parameters: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  "www-authenticate": `Bearer ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(", ")}`
})

const all = grantable.join(" ")

export const makeConnectAccess = (
  settings: AppConfig["Service"],
  authentication: Authentication["Service"],
  limits: RateLimits["Service"]
): Admit => {
  const { connectSignIn } = settings
  // All scopes, so that a person is asked once and not again for each tool.
  const tokenMissing = (resource_metadata: string, what: "address" | "tool", id: string | number | null): Reply =>
    refusal(401, codes.server, `Sign in: this ${what} needs an access token`, id, {
      ...challenge({ resource_metadata, scope: all })
    })
  const error_description = "the access token is wrong or expired, or was ended"
  const tokenInvalid = (resource_metadata: string): Reply =>
    refusal(401, codes.server, "Sign in again: the access token does not count", null, {
      ...challenge({ error: "invalid_token", error_description, resource_metadata, scope: all })
    })
  const unavailable = refusal(503, codes.server, "The service can't answer for a moment", null, { "retry-after": "5" })

  const forbidsFor =
    ({ scopes }: Principal, resource_metadata: string) =>
    (body: unknown): Reply | undefined => {
      const lacking = neededScopes(body).filter((scope) => !scopes.has(scope))
      if (lacking.length === 0) return undefined
      // Include the scopes that the token has, so that the host's next token keeps them.
      const scope = grantable.filter((one) => scopes.has(one) || lacking.includes(one)).join(" ")
      const description = `the access token lacks ${[...new Set(lacking)].join(", ")}`
      return refusal(403, codes.server, `Not allowed: ${description}`, idOf(body), {
        ...challenge({ error: "insufficient_scope", scope, resource_metadata, error_description: description })
      })
    }

  /** Requests without a valid token count against the address. */
  const countAndReply = (reply: Reply, address: string): Effect.Effect<Reply> =>
    Effect.match(limits.takeForAddress(address), {
      onSuccess: () => reply,
      onFailure: (limited) => tooManyRequests(limited)
    })

  return (headers, address) => {
    const metadata = addressAsked(settings, headers.host) + resourceMetadataPath
    const caller = callerOf(authentication, accessTokenCredentials(headers), address)
    if (!caller.named && connectSignIn === "needed") {
      return Effect.succeed({
        caller,
        take: limits.takeForAddress(address),
        forbids: (body) => (neededScopes(body).length === 0 ? undefined : tokenMissing(metadata, "tool", idOf(body)))
      })
    }
    return caller.principal.pipe(
      Effect.map((principal): Admitted => ({
        caller: { ...caller, principal: Effect.succeed(principal) },
        take: limits.takeForKey(principal.key_id),
        forbids: forbidsFor(principal, metadata)
      })),
      Effect.catchTags({
        ApiKeyMissing: () => countAndReply(tokenMissing(metadata, "address", null), address),
        ApiKeyInvalid: () => countAndReply(tokenInvalid(metadata), address),
        ApiKeysDiffer: () => countAndReply(tokenInvalid(metadata), address),
        RateLimited: (error) => Effect.succeed(tooManyRequests(error)),
        SqlError: (error) => Effect.as(Effect.logWarning("An access token could not be looked up", error), unavailable)
      })
    )
  }
}
