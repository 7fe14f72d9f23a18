/**
 * The authorization server's library is an application for Node's HTTP server. Here it is a function from a request to an answer, so that
 * limits, headers, counting and stopping are those of every other address of this service.
 */
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import type { Provider } from "oidc-provider"

/** A request to the authorization server; names of headers are in lower case. */
export interface ConnectRequest {
  readonly method: string
  /** Path and query, below the issuer's own path: `/token`, `/authorize?…`. */
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

/** What the library reads of a request's headers. */
const readHeaders = ["accept", "authorization", "content-type", "cookie"]

const addresses = new WeakMap<IncomingMessage, string>()

/** The network address behind a request that `messageOf` made. */
export const addressOf = (message: object): string | undefined =>
  message instanceof IncomingMessage ? addresses.get(message) : undefined

/**
 * The request as Node would have parsed it. It always names the issuer's own host and scheme: the library makes addresses from them,
 * and what a sender names must not come into those.
 */
export const messageOf = (issuer: URL, { address, body, headers, method, target }: ConnectRequest): IncomingMessage => {
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
  addresses.set(message, address)
  return Object.assign(message, { baseUrl: issuer.pathname })
}

/** Keeps what is written instead of sending it. */
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

/** Has the library answer a request. It never rejects: the library turns every failure into an answer. */
export const exchange = (provider: Provider, issuer: URL, request: ConnectRequest): Promise<ConnectAnswer> =>
  new Promise((resolve) => {
    const message = messageOf(issuer, request)
    const response = new KeptResponse(message)
    response.done = () => resolve(response.answer)
    void provider.callback()(message, response)
  })
