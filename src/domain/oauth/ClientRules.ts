/** The rules for client metadata, registered or published. */
import { type ClientMetadata, errors } from "oidc-provider"
import { isLoopback, webAddress } from "../../platform/text/WebAddress.ts"

const mostRedirects = 20
const longestRedirect = 2000

const grantTypes = ["authorization_code", "refresh_token"]

const refuse = (why: string): never => {
  throw new errors.InvalidClientMetadata(why)
}

const redirectsOf = (metadata: ClientMetadata): ReadonlyArray<URL> => {
  const redirects: unknown = metadata.redirect_uris
  if (!Array.isArray(redirects) || redirects.length === 0 || redirects.length > mostRedirects)
    return refuse(`redirect_uris must be a list of 1 to ${mostRedirects} addresses`)
  return redirects.map((text: unknown) => {
    const url = typeof text === "string" && text.length <= longestRedirect ? URL.parse(text) : null
    if (url === null) return refuse("redirect_uris must only contain valid uris")
    if (url.username !== "" || url.password !== "") return refuse("redirect_uris must not hold a name or a password")
    if (url.protocol !== "https:" && url.protocol !== "http:") return url
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
 * - Grant and response types that this server does not have are removed (RFC 7591, 2).
 */
export const applyClientRules = (metadata: ClientMetadata): void => {
  const redirects = redirectsOf(metadata)
  if (redirects.some(({ protocol }) => protocol !== "https:")) metadata.application_type = "native"
  if (Array.isArray(metadata.grant_types)) {
    const known = metadata.grant_types.filter((type) => grantTypes.includes(type))
    metadata.grant_types = known.includes("authorization_code") ? known : grantTypes
  }
  metadata.response_types = ["code"]
  delete metadata.scope
  delete metadata.default_acr_values
  delete metadata.default_max_age
  delete metadata.require_auth_time
}
