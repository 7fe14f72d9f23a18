/**
 * The library is an application for Node's HTTP server. This file turns it into a function from a request to an answer,
 * so that it shares the limits, headers, metrics and draining of every other address.
 */
import { Schema } from "effect"
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import type { Provider } from "oidc-provider"
import { isLoopback, webAddress } from "../../platform/text/Text.ts"

// The addresses of signing in, below `BASE_URL`.

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

// Requests for tokens as hosts send them, written as the library reads them.

const withoutSlash = (path: string): string => path.replace(/\/$/, "")

/** The one resource, and the hosts under which it may be asked for. */
export interface OwnResource {
  readonly resource: string
  readonly allowedHosts: ReadonlyArray<string>
}

/** Whether a `Host` is one of these. An entry without a port matches any port. */
export const isHostOf = (allowedHosts: ReadonlyArray<string>, host: string): boolean => {
  const url = URL.parse(`http://${host}`)
  return (
    url !== null && url.pathname === "/" && [host.toLowerCase(), url.hostname].some((one) => allowedHosts.includes(one))
  )
}

/** Whether people know the service by this host, too. Those of this machine stand for `BASE_URL`. */
const isFurtherHost = (allowedHosts: ReadonlyArray<string>, host: string): boolean =>
  isHostOf(allowedHosts, host) && !isLoopback(URL.parse(`http://${host}`)?.hostname ?? "")

/**
 * The service's address as who asks names it: clients refuse metadata of another host than the one that they asked
 * (RFC 9728, 3.3). `baseUrl` for a host that is none of the service's.
 */
export const addressAsked = (
  { allowedHosts, baseUrl }: { readonly allowedHosts: ReadonlyArray<string>; readonly baseUrl: string },
  host = ""
): string => (isFurtherHost(allowedHosts, host) ? `${new URL(baseUrl).protocol}//${host.toLowerCase()}` : baseUrl)

/**
 * `resource`, if `text` is its address under one of its hosts: the case of scheme and host, the default port and a slash
 * at the end make no difference. Undefined if it is another address, or none.
 */
export const ownResource = (text: string, { allowedHosts, resource }: OwnResource): string | undefined => {
  const [sent, own] = [webAddress(text), new URL(resource)]
  const same =
    sent !== undefined &&
    sent.protocol === own.protocol &&
    (sent.host === own.host || isFurtherHost(allowedHosts, sent.host)) &&
    withoutSlash(sent.pathname) === withoutSlash(own.pathname) &&
    sent.search === "" &&
    !text.includes("#")
  return same ? resource : undefined
}

/**
 * The body of a request for a token, with the resource as the library knows it; undefined if it names another one. The
 * library itself would compare after it has used up the refresh token.
 */
export const withOwnResource = (body: string, own: OwnResource): string | undefined => {
  const form = new URLSearchParams(body)
  const sent = form.getAll("resource").filter((one) => one !== "")
  if (sent.length === 0) return body
  if (sent.some((one) => ownResource(one, own) === undefined)) return undefined
  form.set("resource", own.resource)
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

/**
 * The request of a client that names itself by `Basic` with an empty secret, which is none (RFC 6749, 2.3.1): by its id
 * in the body. The library would look for a secret.
 */
export const withoutEmptySecret = (request: ConnectRequest): ConnectRequest => {
  const [, encoded = ""] = /^Basic +([\w+/=-]+)$/i.exec(request.headers["authorization"] ?? "") ?? []
  const [, id] = /^([^:]+):$/.exec(Buffer.from(encoded, "base64").toString()) ?? []
  if (id === undefined) return request
  const form = new URLSearchParams(request.body)
  if (!form.has("client_id")) form.set("client_id", new URLSearchParams(`id=${id}`).get("id") ?? "")
  return { ...request, headers: { ...request.headers, authorization: undefined }, body: form.toString() }
}

/**
 * A token's answer that names those of `scopes` that are no tool's, too, if they were granted: clients compare its scope
 * with what they asked for.
 */
export const withAllScopes = (answer: ConnectAnswer, scopes: ReadonlyArray<string>): ConnectAnswer => {
  const others = scopes.filter((one) => one === "openid" || one === "offline_access")
  if (answer.status !== 200 || others.length === 0) return answer
  const body = Schema.decodeUnknownSync(TokenAnswer)(answer.body)
  return { ...answer, body: JSON.stringify({ ...body, scope: [body.scope ?? [], others].flat().join(" ") }) }
}

const TokenAnswer = Schema.fromJsonString(
  Schema.StructWithRest(Schema.Struct({ scope: Schema.optionalKey(Schema.String) }), [
    Schema.Record(Schema.String, Schema.Unknown)
  ])
)

/** A request to the authorization server. Header names are in lower case. */
export interface ConnectRequest {
  readonly method: string
  /** Path and query below the issuer's path: `/token`, `/authorize?…`. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** The sender's network address. */
  readonly address: string
}

export interface ConnectAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Whole `Set-Cookie` lines. */
  readonly cookies: ReadonlyArray<string>
  readonly body: string
}

/** The request headers that the library reads. */
const readHeaders = ["accept", "authorization", "content-type", "cookie"]

/**
 * The request as Node would have parsed it. Its host and scheme are always the issuer's: the library builds addresses
 * from them, which a sender must not influence.
 */
export const messageOf = (issuer: URL, { body, headers, method, target }: ConnectRequest): IncomingMessage => {
  const socket = Object.assign(new Socket(), { encrypted: issuer.protocol === "https:" })
  const message = new IncomingMessage(socket)
  message.method = method
  message.url = target
  message.headers.host = issuer.host
  for (const name of readHeaders) {
    const value = headers[name]
    if (value !== undefined) message.headers[name] = value
  }
  const bytes = Buffer.from(body)
  if (method === "POST") message.headers["content-length"] = String(bytes.length)
  message.push(bytes)
  message.push(null)
  return Object.assign(message, { baseUrl: issuer.pathname })
}

/** Collects what is written instead of sending it. */
export class KeptResponse extends ServerResponse {
  readonly chunks: Array<Buffer> = []
  done: () => void = () => {}

  #keep(chunk: unknown): void {
    if (typeof chunk === "string") this.chunks.push(Buffer.from(chunk))
    else if (chunk instanceof Uint8Array) this.chunks.push(Buffer.from(chunk))
  }

  override write(chunk: unknown): boolean {
    this.#keep(chunk)
    return true
  }

  override end(chunk?: unknown): this {
    this.#keep(chunk)
    this.done()
    return this
  }

  get answer(): ConnectAnswer {
    const headers: Record<string, string> = {}
    let cookies: ReadonlyArray<string> = []
    for (const [name, value] of Object.entries(this.getHeaders())) {
      if (value === undefined || name === "content-length") continue
      if (name === "set-cookie") cookies = Array.isArray(value) ? value : [String(value)]
      else headers[name] = String(value)
    }
    return { status: this.statusCode, headers, cookies, body: Buffer.concat(this.chunks).toString() }
  }
}

/** Lets the library answer a request. Never rejects: the library turns every failure into an answer. */
export const exchange = (provider: Provider, issuer: URL, request: ConnectRequest): Promise<ConnectAnswer> =>
  new Promise((resolve) => {
    const message = messageOf(issuer, request)
    const response = new KeptResponse(message)
    response.done = () => resolve(response.answer)
    void provider.callback()(message, response)
  })
