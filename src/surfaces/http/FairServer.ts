/**
 * Node's HTTP server, shared fairly: connections by `ConnectionShares.ts`, work by `SenderQueues` there, and as much of
 * it as can be answered in time by `Admission.ts`. The requests of one connection are handled one after the other.
 */
import type { NetAddress } from "effect/net"
import { IncomingMessage, Server, type ServerOptions, ServerResponse } from "node:http"
import { Server as NetServer, Socket } from "node:net"
import { bucketOf, clientAddress, ipAddressOf, siteOf } from "../../platform/access/ClientAddress.ts"
import type { LoopSlice } from "../../platform/concurrency/LoopSlice.ts"
import { resourceMetadataPath, serverMetadataPaths } from "../../domain/oauth/OAuthExchange.ts"
import { type Admission, ranks, rankOf } from "./Admission.ts"
import {
  type Connection,
  ConnectionShares,
  type Exchange,
  isExpendable,
  eventLimits,
  SenderQueues,
  turnLimits
} from "./ConnectionShares.ts"
import { receiverPaths } from "../../domain/payment/provider/Receivers.ts"
import { type Refusal, type RefusalPages, refusalOf } from "./Problem.ts"

/** Why a connection was cut. */
type Cut = "crowded" | "pipelined"

interface FairServerOptions {
  /** Connections at once. */
  readonly connections: number
  readonly isTrusted: (address: NetAddress.IpAddress) => boolean
  /** Whether a sender (`bucketOf`) was told to wait a moment ago, with calls or with pages. */
  readonly isOver: (sender: string, what: "calls" | "pages") => boolean
  /** The turns of the event loop that its requests share. */
  readonly turn: LoopSlice
  /** How much may be under way at once. */
  readonly admission: Admission
}

/** Requests of one connection that may wait for its first one. */
const maxPipelined = 8

/**
 * Requests of one connection, after which it ends: whoever goes on opens another, which the worker or node takes that
 * has time. Those that were opened together may all be with one of them, and do not end together.
 */
const maxRequests = (connection: number): number => 200 + (connection % 100)

/** `probe`: answered even if there is no place. `page`: hardly ever waits for the database. `event`: a delivery of the provider's. */
type Kind = "probe" | "page" | "event" | "other"

/** What load balancers and hosts ask, what people read first, and what the provider tells, by path. */
const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...(["/healthz", "/readyz"] as const).map((path) => [path, "probe"] as const),
  ...["/", "/docs", "/openapi.json", resourceMetadataPath, ...serverMetadataPaths].map(
    (path) => [path, "page"] as const
  ),
  ...Object.values(receiverPaths).map((path) => [path, "event"] as const)
])

const kindOf = (url = ""): Kind => {
  const end = url.search(/[?#]/)
  return kinds.get(end === -1 ? url : url.slice(0, end)) ?? "other"
}

type NamedSender = Connection["sender"]

const senderOf = (address: string): NamedSender => ({ key: bucketOf(address), site: siteOf(address) })

const end = ({ place, turn }: Exchange): void => {
  turn?.end()
  place?.end()
}

export class FairServer extends Server {
  readonly #connections = new Map<Socket, Connection>()
  #accepted = 0
  readonly #shares: ConnectionShares
  /** Each kind has turns of its own, so that it waits for others of its sender and kind only. */
  readonly #turns: Readonly<Record<Kind, SenderQueues>>
  readonly #turn: LoopSlice
  readonly #isTrusted: FairServerOptions["isTrusted"]
  readonly #isOver: FairServerOptions["isOver"]
  readonly #admission: Admission
  #cuts = new Map<Cut, number>()
  #refusals = new Map<Refusal, number>()
  #pages: RefusalPages = () => undefined

  constructor(options: ServerOptions, { admission, connections, isOver, isTrusted, turn }: FairServerOptions) {
    // An upgraded connection would be outside of all bounds, and nothing here is upgraded.
    super({ ...options, shouldUpgradeCallback: () => false })
    this.#isTrusted = isTrusted
    this.#isOver = isOver
    this.#admission = admission
    this.#shares = new ConnectionShares(connections)
    this.#turn = turn
    const turns = (limits = turnLimits) => new SenderQueues(limits, turn)
    this.#turns = { probe: turns(), page: turns(), event: turns(eventLimits), other: turns() }
  }

  /** People get these pages instead of problem documents. */
  explainRefusals(pages: RefusalPages): void {
    this.#pages = pages
  }

  /** Refuses new connections; calls `ended` once the others have ended. Clients may use them until then. */
  stopListening(ended: () => void): void {
    // Node's HTTP server would end idle connections.
    NetServer.prototype.close.call(this, ended)
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
      requestsLeft: maxRequests(this.#accepted++),
      surplus: false
    }
    this.#connections.set(socket, connection)
    socket.once("close", () => this.#disconnect(connection))
    const ended = this.#shares.enter(connection)
    if (ended !== undefined) this.#dismiss(ended)
  }

  #disconnect(connection: Connection): void {
    this.#connections.delete(connection.socket)
    this.#shares.leave(connection)
    for (const exchange of connection.exchanges.splice(0)) {
      end(exchange)
      // Node would end each with an error and format its stack trace, which costs more than parsing the request.
      if (exchange.turn === undefined) exchange.request.destroy()
    }
  }

  /**
   * Ends a connection that makes place, once what it has sent until now is read: a request that is not in work by then
   * hears of it.
   */
  #dismiss(connection: Connection): void {
    connection.surplus = true
    const [before] = connection.exchanges
    const end = (): void => {
      const [first] = connection.exchanges
      if (connection.socket.destroyed) return
      if (first?.turn?.waits() === true) {
        first.turn.end()
        this.#refuseSurplus(first)
      } else if (first === undefined || (first === before && isExpendable(connection)))
        this.#cut(connection.socket, "crowded")
      else first.response.shouldKeepAlive = false
    }
    setImmediate(() => setImmediate(end))
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
    const exchange: Exchange = {
      request,
      response,
      readBefore,
      begin,
      turn: undefined,
      place: undefined,
      unreadSince: undefined
    }
    exchanges.push(exchange)
    connection.requestsLeft -= 1
    response.once("close", () => this.#answered(connection, exchange))
    if (exchanges.length > 1) return
    this.#shares.busy(connection)
    this.#next(connection, exchange)
  }

  #answered(connection: Connection, exchange: Exchange): void {
    end(exchange)
    const { exchanges, socket } = connection
    if (exchanges[0] !== exchange || socket.destroyed) return
    // The connection ends with this answer. Nothing is begun that could not be answered.
    if (!exchange.response.shouldKeepAlive) return
    exchanges.shift()
    const [next] = exchanges
    if (next === undefined) this.#shares.idle(connection)
    else this.#next(connection, next)
  }

  #next(connection: Connection, exchange: Exchange): void {
    const { request } = exchange
    const kind = kindOf(request.url)
    if (connection.surplus && kind !== "probe") {
      this.#refuseSurplus(exchange)
      return
    }
    if (connection.surplus || connection.requestsLeft <= 0) exchange.response.shouldKeepAlive = false
    const sender = this.#senderOf(connection, request)
    if (kind === "probe") this.#take(exchange, kind, sender)
    else this.#admit(exchange, kind, sender)
  }

  /** A request's rank is looked for only where it decides. */
  #admit(exchange: Exchange, kind: Kind, sender: NamedSender): void {
    exchange.place =
      this.#admission.enter(sender.key, ranks.read) ?? this.#admission.enter(sender.key, rankOf(exchange.request))
    if (exchange.place === undefined) this.#refuse(exchange, "overload")
    else this.#take(exchange, kind, sender)
  }

  #take(exchange: Exchange, kind: Kind, sender: NamedSender): void {
    // What is beyond a limit costs only what the limit counts.
    const isOver = kind !== "probe" && this.#isOver(sender.key, kind === "page" ? "pages" : "calls")
    exchange.turn = this.#turns[kind].take({ ...sender, isOver }, exchange.begin, () => this.#refuse(exchange, "share"))
  }

  #senderOf({ address, proxied, sender }: Connection, { headers }: IncomingMessage) {
    if (!proxied) return sender
    const forwarded = headers["x-forwarded-for"]
    return senderOf(
      clientAddress(address, typeof forwarded === "string" ? forwarded : forwarded?.join(","), this.#isTrusted)
    )
  }

  #refuseSurplus(exchange: Exchange): void {
    exchange.response.shouldKeepAlive = false
    this.#refuse(exchange, "crowded")
  }

  #refuse({ request, response }: Exchange, why: Refusal): void {
    this.#refusals.set(why, (this.#refusals.get(why) ?? 0) + 1)
    const { body, headers, status } = refusalOf(why, request, this.#pages)
    response.writeHead(status, headers)
    response.end(body)
    // What was looked at is taken off the connection only if it is read.
    request.resume()
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
