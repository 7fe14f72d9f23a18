/** The addresses of signing in, below `BASE_URL`. */

/** The tools: the one resource that tokens are for. */
export const toolsPath = "/mcp/connect"

/** The resource's metadata, at the address that RFC 9728 (3.1) defines for a resource with a path. */
export const resourceMetadataPath = `/.well-known/oauth-protected-resource${toolsPath}`

/** The authorization server: the path of its issuer. */
export const issuerPath = "/connect"

/** The server's addresses, below the issuer. */
export const paths = {
  authorization: "/authorize",
  token: "/token",
  registration: "/register",
  revocation: "/revoke",
  jwks: "/jwks",
  consent: "/consent"
} as const

/** The library's own path of the server's metadata. */
export const metadataPath = "/.well-known/oauth-authorization-server"

/**
 * Where clients look for the metadata of an issuer with a path: RFC 8414 (3.1) and two variants of OpenID Connect
 * Discovery.
 */
export const serverMetadataPaths = [
  `/.well-known/oauth-authorization-server${issuerPath}`,
  `/.well-known/openid-configuration${issuerPath}`,
  `${issuerPath}/.well-known/openid-configuration`,
  `${issuerPath}/.well-known/oauth-authorization-server`
] as const
