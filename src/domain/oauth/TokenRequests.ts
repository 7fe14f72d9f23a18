/** Requests for tokens as hosts send them, written as the library reads them. */
import { webAddress } from "../../platform/text/WebAddress.ts"

const withoutSlash = (path: string): string => path.replace(/\/$/, "")

/**
 * `resource`, if `text` is its address: the case of scheme and host, the default port and a slash at the end make no
 * difference. Undefined if it is another address, or none.
 */
export const ownResource = (text: string, resource: string): string | undefined => {
  const [sent, own] = [webAddress(text), new URL(resource)]
  const same =
    sent?.origin === own.origin &&
    withoutSlash(sent.pathname) === withoutSlash(own.pathname) &&
    sent.search === "" &&
    !text.includes("#")
  return same ? resource : undefined
}

/**
 * The body of a request for a token, with the resource as the library knows it; undefined if it names another one. The
 * library itself would compare after it has used up the refresh token.
 */
export const withOwnResource = (body: string, resource: string): string | undefined => {
  const form = new URLSearchParams(body)
  const sent = form.getAll("resource").filter((one) => one !== "")
  if (sent.length === 0) return body
  if (sent.some((one) => ownResource(one, resource) === undefined)) return undefined
  form.set("resource", resource)
  return form.toString()
}

/** The refresh token and the scopes of a request that refreshes a token and names scopes; otherwise undefined. */
export const namedScopes = (
  body: string
): { readonly refresh_token: string; readonly scopes: ReadonlyArray<string> } | undefined => {
  const form = new URLSearchParams(body)
  const scope = form.getAll("scope")
  const refresh_token = form.get("refresh_token")
  if (form.get("grant_type") !== "refresh_token" || refresh_token === null || scope.length !== 1) return undefined
  return { refresh_token, scopes: (scope[0] ?? "").split(" ").filter((one) => one !== "") }
}

/**
 * The body with those of its scopes that were granted. Hosts repeat what they asked for, and a person's key may allow
 * less. If none of them was granted, the body stays as it is, for the library to refuse.
 */
export const withGrantedScopes = (body: string, granted: ReadonlySet<string>): string => {
  const scopes = namedScopes(body)?.scopes.filter((one) => granted.has(one)) ?? []
  if (scopes.length === 0) return body
  const form = new URLSearchParams(body)
  form.set("scope", scopes.join(" "))
  return form.toString()
}
