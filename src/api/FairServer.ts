/**
 * Node's HTTP server, shared fairly: connections by `ConnectionShares.ts`, work by `SenderTurns.ts`. The requests of one
 * connection are handled one after the other.
 */
import type { NetAddress } from "effect/net"
import { IncomingMessage, Server, type ServerOptions, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { bucketOf, clientAddress, ipAddressOf, siteOf } from "../access/ClientAddress.ts"
import type { LoopTurn } from "../kernel/LoopTurn.ts"
import { resourceMetadataPath, serverMetadataPaths } from "../oauth/Paths.ts"
import { type Connection, ConnectionShares, type Exchange } from "./ConnectionShares.ts"
import { type ProblemCode, problems, problemType } from "./Problem.ts"
import { SenderTurns, turnLimits } from "./SenderTurns.ts"

/** Why a connection was cut, or a request refused before work began. */
export type Cut = "crowded" | "pipelined"
export type Refusal = "share" | "crowded"

export interface FairServerOptions {
  /** Connections at once. */
  readonly connections: number
  readonly isTrusted: (address: NetAddress.IpAddress) => boolean
  /** Whether a sender (`bucketOf`) was told to wait a moment ago. */
  readonly isOver: (sender: string) => boolean
  /** The turns of the event loop that its requests share. */
  readonly turn: LoopTurn
}

/** Requests of one connection that may wait for its first one. */
const maxPipelined = 8

/** `probe`: answered even if there is no place. `page`: needs no database. */
type Kind = "probe" | "page" | "other"

/** What load balancers and hosts ask, and what people read first, by path. */
const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...(["/healthz", "/readyz"] as const).map((path) => [path, "probe"] as const),
  ...["/", "/docs", "/openapi.json", resourceMetadataPath, ...serverMetadataPaths].map(
    (path) => [path, "page"] as const
  )
])

const kindOf = (url = ""): Kind => {
  const end = url.search(/[?#]/)
  return kinds.get(end === -1 ? url : url.slice(0, end)) ?? "other"
}

const retryAfterSeconds = 2

const senderOf = (address: string) => ({ key: bucketOf(address), site: siteOf(address) })

export class FairServer extends Server {
  readonly #connections = new Map<Socket, Connection>()
  readonly #shares: ConnectionShares
  /** Each kind has turns of its own, so that it waits for others of its sender and kind only. */
  readonly #turns: Readonly<Record<Kind, SenderTurns>>
  readonly #turn: LoopTurn
  readonly #isTrusted: FairServerOptions["isTrusted"]
  readonly #isOver: FairServerOptions["isOver"]
  #cuts = new Map<Cut, number>()
  #refusals = new Map<Refusal, number>()

  constructor(options: ServerOptions, { connections, isOver, isTrusted, turn }: FairServerOptions) {
    // An upgraded connection would be outside of all bounds, and nothing here is upgraded.
    super({ ...options, shouldUpgradeCallback: () => false })
    this.#isTrusted = isTrusted
    this.#isOver = isOver
    this.#shares = new ConnectionShares(connections)
    this.#turn = turn
    const turns = () => new SenderTurns(turnLimits, turn)
    this.#turns = { probe: turns(), page: turns(), other: turns() }
  }

  /** Requests that are not answered yet. */
  *exchanges(): Iterable<Exchange> {
    for (const { exchanges } of this.#connections.values()) yield* exchanges
  }

  /** What was cut and refused since the last call. */
  takeCounts(): { readonly cuts: ReadonlyMap<Cut, number>; readonly refusals: ReadonlyMap<Refusal, number> } {
    const counts = { cuts: this.#cuts, refusals: this.#refusals }
    this.#cuts = new Map()
    this.#refusals = new Map()
    return counts
  }

  // Node emits the events of requests that came together while it parses them. A listener could not defer the others.
  override emit(event: string, ...args: ReadonlyArray<unknown>): boolean {
    const [first, second] = args
    if (event === "connection" && first instanceof Socket) this.#connect(first)
    if (
      (event === "request" || event === "checkContinue") &&
      first instanceof IncomingMessage &&
      second instanceof ServerResponse
    ) {
      const connection = this.#connections.get(first.socket)
      if (connection !== undefined) {
        this.#arrive(connection, first, second, () => void super.emit(event, first, second))
        return true
      }
    }
    return super.emit(event, ...args)
  }

  #connect(socket: Socket): void {
    this.#turn.accepted()
    const address = ipAddressOf(socket.remoteAddress ?? "")
    const text = socket.remoteAddress ?? ""
    const connection: Connection = {
      socket,
      address: text,
      sender: senderOf(text),
      proxied: address._tag === "Some" && this.#isTrusted(address.value),
      exchanges: [],
      surplus: false
    }
    this.#connections.set(socket, connection)
    socket.once("close", () => this.#disconnect(connection))
    const ended = this.#shares.enter(connection)
    if (ended !== undefined) this.#cut(ended.socket, "crowded")
  }

  #disconnect(connection: Connection): void {
    this.#connections.delete(connection.socket)
    this.#shares.leave(connection)
    for (const { turn } of connection.exchanges.splice(0)) turn?.end()
  }

  #cut(socket: Socket, why: Cut): void {
    this.#cuts.set(why, (this.#cuts.get(why) ?? 0) + 1)
    socket.destroy()
  }

  #arrive(connection: Connection, request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    const { exchanges, socket } = connection
    if (exchanges.length > maxPipelined) {
      stopParsing(socket)
      if (!socket.destroyed) this.#cut(socket, "pipelined")
      return
    }
    const readBefore = socket.bytesRead
    const exchange: Exchange = { request, response, readBefore, begin, turn: undefined, unreadSince: undefined }
    exchanges.push(exchange)
    response.once("close", () => this.#answered(connection, exchange))
    if (exchanges.length > 1) return
    this.#shares.busy(connection)
    this.#next(connection, exchange)
  }

  #answered(connection: Connection, exchange: Exchange): void {
    exchange.turn?.end()
    const { exchanges, socket } = connection
    if (exchanges[0] !== exchange || socket.destroyed) return
    exchanges.shift()
    const [next] = exchanges
    if (next === undefined) this.#shares.idle(connection)
    else this.#next(connection, next)
  }

  #next(connection: Connection, exchange: Exchange): void {
    const { request } = exchange
    const kind = kindOf(request.url)
    if (connection.surplus) {
      exchange.response.shouldKeepAlive = false
      if (kind !== "probe") {
        this.#refuse(exchange, "crowded")
        return
      }
    }
    const sender = this.#senderOf(connection, request)
    // What is beyond a limit costs only what the limit counts.
    const isOver = kind === "other" && this.#isOver(sender.key)
    exchange.turn = this.#turns[kind].take({ ...sender, isOver }, exchange.begin, () => this.#refuse(exchange, "share"))
  }

  #senderOf({ address, proxied, sender }: Connection, { headers }: IncomingMessage) {
    if (!proxied) return sender
    const forwarded = headers["x-forwarded-for"]
    return senderOf(
      clientAddress(address, typeof forwarded === "string" ? forwarded : forwarded?.join(","), this.#isTrusted)
    )
  }

  #refuse({ request, response }: Exchange, why: Refusal): void {
    this.#refusals.set(why, (this.#refusals.get(why) ?? 0) + 1)
    const { code, detail } = refusals[why]
    const { status, title } = problems[code]
    const isRpc = request.url?.startsWith("/mcp") === true
    const body = isRpc
      ? { jsonrpc: "2.0", id: null, error: { code: -32000, message: detail } }
      : { type: problemType(code), status, title, code, detail }
    response.writeHead(status, {
      ...refusalHeaders,
      "content-type": isRpc ? "application/json" : "application/problem+json"
    })
    response.end(JSON.stringify(body))
  }
}

const refusalHeaders = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "retry-after": String(retryAfterSeconds),
  "x-content-type-options": "nosniff"
}

const refusals: Readonly<Record<Refusal, { readonly code: ProblemCode; readonly detail: string }>> = {
  share: {
    code: "rate_limited",
    detail: `Too many requests of this address are waiting. Others are served: try again in ${retryAfterSeconds} seconds, with fewer at once.`
  },
  crowded: {
    code: "service_unavailable",
    detail: `All connections are in use. Try again in ${retryAfterSeconds} seconds.`
  }
}

/**
 * Ends the parsing of what has been received, which Node would otherwise finish for a destroyed connection, too: one
 * packet holds up to 2,500 requests. No-op on other Node versions.
 */
const stopParsing = (socket: Socket): void => {
  const parser: unknown = Reflect.get(socket, "parser")
  // 2: as after an upgrade, what follows is no HTTP.
  if (typeof parser === "object" && parser !== null) Reflect.set(parser, "onIncoming", () => 2)
}
