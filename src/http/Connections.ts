/**
 * Bounds on what connections hold of the process: answers that nobody reads, bodies that never end, connections that only stay.
 * Nothing is done on a request's way but to note it; twice a second all that are open are looked through.
 */
import { Clock, Effect, Metric, Schedule } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { makeThrottle } from "../Throttle.ts"

/** What connections may hold. */
export interface ConnectionBounds {
  /** Time for a client to take an answer, in milliseconds. */
  readonly answerMs: number
  /** Bytes held by one connection: answers that wait to be read, and the part of a body that has come. */
  readonly heldByOne: number
  /** The same of all connections together. */
  readonly heldByAll: number
  /** Connections at a time. */
  readonly connections: number
}

const MiB = 1024 * 1024

export const connectionBounds: ConnectionBounds = {
  answerMs: 30_000,
  heldByOne: 4 * MiB,
  heldByAll: 64 * MiB,
  connections: 5000
}

/** Node's own bounds on how long a request may take to arrive, and how often it looks. */
export const arrivalBounds = {
  keepAliveTimeout: 65_000,
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5000
} as const

const lookEvery = "500 millis"

/** A request and its answer, until the answer is out. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** What the connection had read before. */
  readonly readBefore: number
  /** Since when the answer is complete and waits to be read. */
  waitsSince: number | undefined
}

type Why = "unread" | "large" | "full"

const cut = Metric.counter("http_connections_cut_total", {
  description: "Connections ended because of what they held",
  incremental: true
})

/** Which connections are to be ended at `now`, and why. */
const excessive = (exchanges: Iterable<Exchange>, now: number, bounds: ConnectionBounds): ReadonlyMap<Socket, Why> => {
  const ended = new Map<Socket, Why>()
  const held = new Map<Socket, number>()
  for (const exchange of exchanges) {
    const { readBefore, request, response } = exchange
    const { socket } = request
    if (response.writableEnded) {
      exchange.waitsSince ??= now
      if (now - exchange.waitsSince >= bounds.answerMs) ended.set(socket, "unread")
    }
    const body = request.complete ? 0 : socket.bytesRead - readBefore
    // Until it is an answer's turn on its connection, it waits beside it.
    const queued = response.socket === null ? response.writableLength : 0
    held.set(socket, (held.get(socket) ?? socket.writableLength) + body + queued)
  }
  let all = 0
  for (const [socket, bytes] of held) {
    if (bytes > bounds.heldByOne && !ended.has(socket)) ended.set(socket, "large")
    if (!ended.has(socket)) all += bytes
  }
  if (all <= bounds.heldByAll) return ended
  for (const [socket, bytes] of [...held].sort(([, one], [, other]) => other - one)) {
    if (ended.has(socket)) continue
    ended.set(socket, "full")
    all -= bytes
    if (all <= bounds.heldByAll) break
  }
  return ended
}

/** Holds a server's connections to the bounds, as long as the scope is open. */
export const boundConnections = Effect.fnUntraced(function* (server: Server, bounds: ConnectionBounds) {
  const exchanges = new Set<Exchange>()
  const warn = makeThrottle("1 minute")
  server.maxConnections = bounds.connections
  const note = (request: IncomingMessage, response: ServerResponse): void => {
    const exchange: Exchange = { request, response, readBefore: request.socket.bytesRead, waitsSince: undefined }
    exchanges.add(exchange)
    response.once("close", () => exchanges.delete(exchange))
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => server.prependListener("request", note)),
    () => Effect.sync(() => server.removeListener("request", note))
  )
  const look = Effect.gen(function* () {
    if (exchanges.size === 0) return
    // An answer that never had its turn is not told of the end of its connection.
    for (const exchange of exchanges) if (exchange.request.socket.destroyed) exchanges.delete(exchange)
    const ended = excessive(exchanges, yield* Clock.currentTimeMillis, bounds)
    if (ended.size === 0) return
    for (const [socket, why] of ended) {
      socket.destroy()
      yield* Metric.update(Metric.withAttributes(cut, { why }), 1)
    }
    yield* warn(
      Effect.logWarning("Connections were ended: they held more, or longer, than they may", [...ended.values()])
    )
  })
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(lookEvery)))
})
