/**
 * The configuration of `oidc-provider`: OAuth 2.1 for clients that are not known beforehand, for one resource, with a
 * person's consent each time.
 */
import { type Configuration, errors, interactionPolicy, Provider, type ClientMetadata } from "oidc-provider"
import type { DocumentRequest } from "../../platform/access/PublicDocuments.ts"
import { plainText, isLoopback, webAddress, withoutInvisible } from "../../platform/text/Text.ts"
import type { ConnectKey } from "./ConnectKeys.ts"
import { grantable, appHost, ownDevice } from "./Grants.ts"
import { type ProviderState, secretMatches, unusedGrantMs } from "./OAuthState.ts"
import { issuerPath, metadataPath, type OwnResource, paths, ownResource } from "./OAuthExchange.ts"

// How a client is shown to the person who is to agree to it: its name and host are its own word, and may be meant to
// mislead.

const longestName = 80

/** A client's name, safe to show: invisible characters and direction marks could make it misleading. */
export const shownName = (text: string): string | undefined => {
  const shown = withoutInvisible(plainText(text, 1000).normalize("NFC"))
    .replaceAll(/(\p{M}{3})\p{M}+/gu, "$1")
    .replaceAll(/\s+/gu, " ")
    .trim()
  if (shown === "") return undefined
  return shown.length <= longestName ? shown : `${shown.slice(0, longestName - 1).toWellFormed()}…`
}

/** A host, short enough to show. A long one keeps its end, which says whose it is. */
export const shownHost = (host: string): string =>
  host.length <= longestName ? host : `…${host.slice(host.length - longestName + 1)}`

/**
 * The host of an address, as people know it. A program on the person's device has none: its address is `localhost`, or
 * `app` with a scheme that may look like anybody's host.
 */
export const hostOf = (address: string): string => {
  const url = URL.parse(address)
  if (url === null) return ""
  if (url.protocol !== "https:" && url.protocol !== "http:") return appHost(url.protocol.slice(0, -1))
  return isLoopback(url.hostname) ? ownDevice : url.hostname
}

// The rules for client metadata, registered or published.

const mostRedirects = 20
const longestRedirect = 2000

const grantTypes = ["authorization_code", "refresh_token"]

/** How a client proves itself at the token's address. */
const authMethods = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"] as const

const refuse = (why: string): never => {
  throw new errors.InvalidClientMetadata(why)
}

/** Schemes of programs that registered before they had names of their own. */
const knownApps = new Set([
  "claude",
  "cursor",
  "goose",
  "raycast",
  "vscode",
  "vscode-insiders",
  "vscodium",
  "warp",
  "windsurf",
  "zed"
])

/**
 * Whether a scheme leads to a program on the person's device: one with a domain's name in it (RFC 8252, 7.1), or of a
 * known program. Others lead to file servers, mail programs and whatever else has claimed them.
 */
const isAppScheme = (scheme: string): boolean => scheme.includes(".") || knownApps.has(scheme)
const appSchemeWanted =
  "redirect_uris must be https, http on the person's own machine, or a scheme of the app's own domain, like com.example.app:/callback (RFC 8252, 7.1)"

const redirectsOf = (metadata: ClientMetadata): ReadonlyArray<URL> => {
  const redirects: unknown = metadata.redirect_uris
  if (!Array.isArray(redirects) || redirects.length === 0 || redirects.length > mostRedirects)
    return refuse(`redirect_uris must be a list of 1 to ${mostRedirects} addresses`)
  return redirects.map((text: unknown) => {
    const url = typeof text === "string" && text.length <= longestRedirect ? URL.parse(text) : null
    if (url === null) return refuse("redirect_uris must only contain valid uris")
    if (url.username !== "" || url.password !== "") return refuse("redirect_uris must not hold a name or a password")
    if (url.protocol !== "https:" && url.protocol !== "http:")
      return isAppScheme(url.protocol.slice(0, -1)) ? url : refuse(appSchemeWanted)
    if (webAddress(String(text)) === undefined) return refuse("redirect_uris must only contain valid uris")
    if (url.protocol === "http:" && !isLoopback(url.hostname))
      return refuse("redirect_uris must be https, or http on the person's own machine (RFC 8252, 7.3)")
    return url
  })
}

/**
 * Checks a client's redirect addresses and removes metadata that this server does not use. The library then checks the
 * rest. Changes `metadata` in place, as the library requires.
 *
 * - Many native clients do not declare themselves as such. A loopback or app redirect address shows it. Their loopback
 *   ports may vary (RFC 8252, 7.3).
 * - Scopes are what a person agrees to, so a client is not bound to the scopes of its registration.
 * - What this server does not have is replaced by what it has (RFC 7591, 2): grant and response types, algorithms,
 *   ways of a client to prove itself. A client without a secret proves itself by nothing.
 * - What is null or empty counts as absent.
 */
const applyClientRules = (metadata: ClientMetadata): void => {
  for (const [name, value] of Object.entries(metadata)) if (value === null || value === "") delete metadata[name]
  const redirects = redirectsOf(metadata)
  if (redirects.some(({ protocol }) => protocol !== "https:")) metadata.application_type = "native"
  if (Array.isArray(metadata.grant_types)) {
    const known = metadata.grant_types.filter((type) => grantTypes.includes(type))
    metadata.grant_types = known.includes("authorization_code") ? known : grantTypes
  }
  metadata.response_types = ["code"]
  if (!authMethods.some((method) => method === metadata.token_endpoint_auth_method))
    metadata.token_endpoint_auth_method = metadata.client_secret === undefined ? "none" : "client_secret_basic"
  delete metadata.subject_type
  delete metadata.id_token_signed_response_alg
  delete metadata.scope
  delete metadata.default_acr_values
  delete metadata.default_max_age
  delete metadata.require_auth_time
}

// How a client's metadata document (OAuth Client ID Metadata Document,
// https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/) and its public keys are fetched.

/** The largest document, in bytes. The specification recommends 5 KiB; many redirect addresses need more. */
export const largestDocument = 16 * 1024

export const documentRequest = (accept: string): DocumentRequest => ({
  accept,
  largest: largestDocument,
  within: "3 seconds"
})

/** Lifetimes in seconds. */
const lifetimes = {
  accessToken: 60 * 60,
  authorizationCode: 60,
  refreshToken: unusedGrantMs / 1000,
  /** The time to decide on a consent. */
  interaction: 30 * 60,
  // A grant ends when it is revoked or unused (`endUnusedGrants`), but the library needs a number.
  grant: 10 * 365 * 24 * 60 * 60
}

/** The draft that the library's support for client-id documents follows; it changes with the library. */
const clientDocumentDraft = "draft-02"

const { Check, Prompt } = interactionPolicy

/** A client that requests no scope gets all of them (RFC 6749, 3.3). */
const defaultScope = grantable.join(" ")

/** The redirect carries the code in the address's query. */
const onlyResponseMode = "query"

/** The tools' scopes among the requested ones. */
export const askedScopes = (scope: unknown): ReadonlyArray<(typeof grantable)[number]> => {
  const named = new Set(typeof scope === "string" ? scope.split(" ") : [])
  return grantable.filter((one) => named.has(one))
}

/** A person consents each time: no earlier consent and no session replaces the click. */
const policy = [
  new Prompt(
    { name: "login", requestable: true },
    new Check("agrees_each_time", "a person has to agree", ({ oidc }) => {
      if (askedScopes(oidc.params?.scope).length === 0)
        throw new errors.InvalidScope("none of the requested scopes is known", String(oidc.params?.scope))
      return oidc.result?.consent === undefined
    })
  ),
  new Prompt({ name: "consent", requestable: true })
]

/** What the server needs from its surroundings. */
interface Surroundings {
  /** The issuer: an address without a slash at the end. */
  readonly issuer: string
  /** The one resource: the address of the tools. */
  readonly own: OwnResource
  readonly documentation: string
  readonly languages: ReadonlyArray<string>
  /** The active keys, the signing one first. */
  readonly keys: ReadonlyArray<ConnectKey>
  readonly state: ProviderState
  readonly fetch: NonNullable<Configuration["fetch"]>
  /** Whether a grant is active. */
  readonly grantCounts: (grant_id: string) => Promise<boolean>
}

const configurationOf = (surroundings: Surroundings): Configuration => {
  const { documentation, fetch, grantCounts, keys, languages, state } = surroundings
  const { resource } = surroundings.own
  return {
    adapter: state.adapter,
    fetch,
    routes: {
      authorization: paths.authorization,
      token: paths.token,
      registration: paths.registration,
      revocation: paths.revocation,
      jwks: paths.jwks
    },
    scopes: ["openid", "offline_access"],
    responseTypes: ["code"],
    clientAuthMethods: [...authMethods],
    clientDefaults: { grant_types: ["authorization_code", "refresh_token"] },
    // The library calls the rules once for each listed name; they check all metadata, so one name is enough.
    extraClientMetadata: {
      properties: ["software_id"],
      validator: (_context, _name, _value, metadata) => applyClientRules(metadata)
    },
    allowOmittingSingleRegisteredRedirectUri: false,
    sectorIdentifierUriValidate: () => false,
    pkce: { required: () => true },
    // No answer depends on a cookie: whoever has the code or token may read it from any page.
    clientBasedCORS: () => true,
    cookies: {
      keys: keys.map(({ cookie_secret }) => Buffer.from(cookie_secret)),
      names: { session: "connect_session", interaction: "connect_consent", resume: "connect_resume" },
      short: { httpOnly: true, sameSite: "lax" },
      long: { httpOnly: true, sameSite: "lax" }
    },
    jwks: { keys: keys.map(({ signing_key }) => ({ ...signing_key })) },
    interactions: {
      policy,
      url: (_context, { uid }) => `${issuerPath}${paths.consent}/${uid}`
    },
    discovery: { service_documentation: documentation, ui_locales_supported: [...languages] },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      revocation: { enabled: true, allowedPolicy: (_context, client, token) => client.clientId === token.clientId },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      clientIdMetadataDocument: {
        enabled: true,
        ack: clientDocumentDraft
      },
      resourceIndicators: {
        enabled: true,
        // There is one resource, so a client that names none means this one.
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, indicator) => {
          if (indicator !== resource) throw new errors.InvalidTarget(`the only resource here is ${resource}`)
          return {
            scope: defaultScope,
            audience: resource,
            accessTokenTTL: lifetimes.accessToken,
            accessTokenFormat: "opaque"
          }
        }
      }
    },
    fetchResponseBodyLimits: {
      "client_id metadata document": largestDocument,
      jwks_uri: largestDocument,
      sector_identifier_uri: largestDocument
    },
    // Most hosts never request `offline_access`. Without a refresh token people would have to consent every hour.
    issueRefreshToken: (_context, client) => client.grantTypeAllowed("refresh_token"),
    expiresWithSession: () => false,
    rotateRefreshToken: () => true,
    revokeGrantPolicy: () => true,
    ttl: {
      AccessToken: lifetimes.accessToken,
      AuthorizationCode: lifetimes.authorizationCode,
      RefreshToken: lifetimes.refreshToken,
      Interaction: lifetimes.interaction,
      Grant: lifetimes.grant,
      IdToken: lifetimes.accessToken,
      Session: lifetimes.interaction
    },
    findAccount: async (_context, accountId, token) => {
      const grant_id = token !== undefined && "grantId" in token ? token.grantId : undefined
      if (typeof grant_id === "string" && !(await grantCounts(grant_id))) return undefined
      return { accountId, claims: () => ({ sub: accountId }) }
    },
    // JSON: requests for a page get one of ours.
    renderError: (context, out) => {
      context.body = out
    }
  }
}

type RefreshToken = InstanceType<Provider["RefreshToken"]>

/**
 * A refresh token's successor is the one that the state knows (`ProviderState.rotate`), and not a new one each time.
 */
const giveSuccessors = (provider: Provider, { rotate }: ProviderState): void => {
  const successors = new WeakMap<object, string>()
  const { save } = provider.RefreshToken.prototype
  Object.assign(provider.RefreshToken.prototype, {
    async consume(this: RefreshToken): Promise<void> {
      successors.set(this, await rotate(this.jti))
      this.emit("consumed")
    },
    async save(this: RefreshToken): Promise<string> {
      const used = Provider.ctx?.oidc.entities.RotatedRefreshToken
      const jti = used === undefined ? undefined : successors.get(used)
      return Reflect.apply(save, jti === undefined ? this : Object.assign(this, { jti }), [])
    }
  })
}

/**
 * The resources that a request names. Addresses that are the tools' in another spelling are written as the library
 * knows them.
 */
const named = (sent: string | ReadonlyArray<string>, own: OwnResource): string | Array<string> => {
  const [first, ...others] = [...new Set([sent].flat().map((one) => ownResource(one, own) ?? one))]
  return first === undefined || others.length > 0 ? [first ?? "", ...others] : first
}

const withConsent = (prompt: string | ReadonlyArray<string> | undefined): string | Array<string> => {
  if (prompt === undefined || prompt === "") return "consent"
  if (typeof prompt !== "string") return [...prompt]
  return prompt.split(" ").includes("consent") ? prompt : `${prompt} consent`
}

export const makeProvider = (surroundings: Surroundings): Provider => {
  const provider = new Provider(surroundings.issuer, configurationOf(surroundings))
  // Only the digest of a client's secret is stored.
  Object.assign(provider.Client.prototype, {
    compareClientSecret(this: { readonly clientSecret?: string }, sent: string): boolean {
      return secretMatches(this.clientSecret, sent)
    }
  })
  giveSuccessors(provider, surroundings.state)
  provider.use(async (context, next) => {
    if (context.method === "GET" && context.path === paths.authorization) {
      const { prompt, resource, response_mode, scope } = context.query
      context.query = {
        ...context.query,
        ...(resource === undefined ? {} : { resource: named(resource, surroundings.own) }),
        // A person consents each time, and without this word the library drops `offline_access`.
        ...(prompt === "none" ? {} : { prompt: withConsent(prompt) }),
        ...(scope === undefined || scope === "" ? { scope: defaultScope } : {}),
        // The library's other response modes are pages with scripts, or reveal the code to the target page.
        ...(response_mode === undefined || response_mode === onlyResponseMode ? {} : { response_mode: "unsupported" })
      }
    }
    await next()
    if (context.path === metadataPath && typeof context.body === "object") {
      context.body = {
        ...context.body,
        scopes_supported: [...grantable, "offline_access", "openid"],
        response_modes_supported: [onlyResponseMode]
      }
    }
  })
  // No browser state is kept between two requests, so no session cookie is needed.
  provider.on("authorization.success", (context) => {
    const { session } = context.oidc
    if (session !== undefined) Object.assign(session, { destroyed: true })
  })
  return provider
}
