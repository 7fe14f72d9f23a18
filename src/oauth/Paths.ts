/** Where things are for those who sign in; below `BASE_URL`. */

/** The tools, which are the one resource that tokens are for. */
export const toolsPath = "/mcp/connect"

/** The resource's metadata, where RFC 9728 (3.1) puts those of a resource with a path. */
export const resourceMetadataPath = `/.well-known/oauth-protected-resource${toolsPath}`

/** The authorization server: the path of its issuer. */
export const issuerPath = "/connect"

/** The server's own addresses, below the issuer. */
export const paths = {
  authorization: "/authorize",
  token: "/token",
  registration: "/register",
  revocation: "/revoke",
  jwks: "/jwks",
  consent: "/consent"
} as const

/** Where the library itself has the server's metadata. */
export const metadataPath = "/.well-known/oauth-authorization-server"

/** Where clients look for the metadata of an issuer with a path: RFC 8414 (3.1), and OpenID Connect Discovery in two ways. */
export const serverMetadataPaths = [
  `/.well-known/oauth-authorization-server${issuerPath}`,
  `/.well-known/openid-configuration${issuerPath}`,
  `${issuerPath}/.well-known/openid-configuration`,
  `${issuerPath}/.well-known/oauth-authorization-server`
] as const

/** The addresses that are counted each by itself; those with a parameter are not. */
export const countedPaths: ReadonlyArray<string> = [
  toolsPath,
  ...[paths.authorization, paths.token, paths.registration, paths.revocation].map((path) => issuerPath + path)
]
