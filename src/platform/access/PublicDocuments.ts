/**
 * Fetches documents from addresses that others choose: what an OAuth client publishes about itself, and calendars. So
 * only https on the public internet is used, at exactly the addresses that were checked, without following redirects,
 * and with limits of size and time.
 */
import * as NodeDns from "@effect/platform-node/NodeDns"
import { Context, Data, type Duration, Effect, Layer } from "effect"
import { NetAddress } from "effect/net"
import type { IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP } from "node:net"
import { isPublicAddress } from "./ClientAddress.ts"

/** How a document is asked for. */
export interface DocumentRequest {
  /** The media types for the `accept` header. */
  readonly accept: string
  /** Further headers, like `if-none-match`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The largest body, in bytes. */
  readonly largest: number
  /** The time limit from the name look-up to the last byte. */
  readonly within: Duration.Input
}

/** Why a document was not fetched, in words for whoever publishes it. */
export class DocumentRefused extends Data.TaggedError("DocumentRefused")<{ readonly why: string }> {
  override get message(): string {
    return this.why
  }
}

/** The network; tests have a smaller one. */
export interface Network {
  /** All IP addresses of a host name. */
  readonly resolve: (host: string) => Effect.Effect<ReadonlyArray<string>, DocumentRefused>
  readonly allowed: (address: string) => boolean
  /** PEM certificates to trust in addition to the system's. */
  readonly authorities?: ReadonlyArray<string>
  readonly port: number
}

/** Asks name servers only: `Dns.lookup` would read this machine's hosts file, which may name internal machines. */
const resolveByDns = Effect.fnUntraced(function* (host: string) {
  const dns = yield* Effect.orDie(NodeDns.make({ timeout: "1 second", tries: 2 }))
  const ask = (type: "A" | "AAAA") => Effect.orElseSucceed(dns.resolve(host, type), () => [])
  const found = yield* Effect.all([ask("A"), ask("AAAA")], { concurrency: "unbounded" })
  return found.flat().map(({ address }) => NetAddress.formatIp(address))
}, Effect.scoped)

export const publicInternet: Network = { resolve: resolveByDns, allowed: isPublicAddress, port: 443 }

const refuse = (why: string) => Effect.fail(new DocumentRefused({ why }))

const httpsUrl = (text: string, port: number): Effect.Effect<URL, DocumentRefused> => {
  const url = URL.parse(text)
  if (url === null || url.protocol !== "https:") return refuse("the address is no https address")
  if (url.username !== "" || url.password !== "") return refuse("the address holds a name or a password")
  if (Number(url.port || 443) !== port) return refuse("the address names another port than that of https")
  return Effect.succeed(url)
}

/** The address to connect to. All of the host's addresses must be allowed. */
const pinnedAddress = Effect.fnUntraced(function* ({ hostname }: URL, network: Network) {
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  const addresses = isIP(host) === 0 ? yield* network.resolve(host) : [host]
  const [address] = addresses
  if (address === undefined) return yield* refuse("the host has no address")
  if (!addresses.every(network.allowed)) return yield* refuse("the host is not on the public internet")
  return address
})

/** One GET request to a checked address. */
const get = (
  url: URL,
  address: string,
  { accept, headers, largest }: DocumentRequest,
  { authorities, port }: Network
) =>
  Effect.callback<{ readonly response: IncomingMessage; readonly body: Buffer }, DocumentRefused>((resume) => {
    const fail = (why: string) => resume(refuse(why))
    const family = isIP(address)
    const request = httpsRequest(
      {
        hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
        port,
        path: `${url.pathname}${url.search}`,
        headers: { ...headers, host: url.host, accept, "accept-encoding": "identity", connection: "close" },
        agent: false,
        lookup: (_host, options, found) =>
          options.all === true ? found(null, [{ address, family }]) : found(null, address, family),
        ...(authorities === undefined ? {} : { ca: [...authorities] })
      },
      (response) => {
        const chunks: Array<Buffer> = []
        let length = 0
        response.on("data", (chunk: Buffer) => {
          length += chunk.length
          if (length <= largest) return chunks.push(chunk)
          fail(`the document is larger than ${largest} bytes`)
          return request.destroy()
        })
        response.once("end", () => resume(Effect.succeed({ response, body: Buffer.concat(chunks) })))
        response.once("error", (error) => fail(`the answer broke off (${error.message})`))
      }
    )
    request.once("error", (error) => fail(`the host could not be asked (${error.message})`))
    request.end()
    return Effect.sync(() => request.destroy())
  })

const bodiless = new Set([101, 204, 205, 304])

/** Headers of a response that its readers need. */
const keptHeaders = ["content-type", "cache-control", "expires", "etag", "last-modified", "location"]

export class PublicDocuments extends Context.Service<
  PublicDocuments,
  {
    /** The response of an address. A redirect is a response and is not followed. */
    readonly fetch: (address: string, request: DocumentRequest) => Effect.Effect<Response, DocumentRefused>
  }
>()("playroom/access/PublicDocuments") {
  static readonly layerOn = (network: Network): Layer.Layer<PublicDocuments> =>
    Layer.succeed(PublicDocuments, {
      fetch: (address, asked) =>
        Effect.gen(function* () {
          const url = yield* httpsUrl(address, network.port)
          const pinned = yield* pinnedAddress(url, network)
          const { body, response } = yield* get(url, pinned, asked, network)
          const status = response.statusCode ?? 0
          if (status < 200 || status > 599) return yield* refuse(`the host answered with ${status}`)
          // Not unpacked: who publishes it would decide how large it becomes.
          const coding = response.headers["content-encoding"] ?? "identity"
          if (status === 200 && coding !== "identity" && coding !== "")
            return yield* refuse(`the answer is compressed (${coding}), although it was asked for plainly`)
          const headers = new Headers()
          for (const name of keptHeaders) {
            const value = response.headers[name]
            if (typeof value === "string") headers.set(name, value)
          }
          return new Response(bodiless.has(status) ? null : new Uint8Array(body), { status, headers })
        }).pipe(
          Effect.timeoutOrElse({
            duration: asked.within,
            orElse: () => refuse("the host did not answer in time")
          }),
          Effect.withSpan("PublicDocuments.fetch")
        )
    })
  static readonly layer: Layer.Layer<PublicDocuments> = PublicDocuments.layerOn(publicInternet)
}
