/**
 * Bounds on the memory of connections: unread answers, endless bodies, idle connections. Requests are tracked as they
 * arrive and checked twice a second.
 */
import { Clock, Effect, Metric, Schedule } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { makeThrottle } from "../kernel/Throttle.ts"

/** Limits of connections. */
export interface ConnectionBounds {
  /** Time for a client to read an answer, in milliseconds. */
  readonly answerTimeoutMs: number
  /** Bytes buffered for one connection: unread answers and the received part of a body. */
  readonly maxBytesPerConnection: number
  /** Bytes buffered for all connections together. */
  readonly maxBytes: number
  /** Simultaneous connections. */
  readonly connections: number
}

const MiB = 1024 * 1024

export const connectionBounds: ConnectionBounds = {
  answerTimeoutMs: 30_000,
  maxBytesPerConnection: 4 * MiB,
  maxBytes: 64 * MiB,
  connections: 5000
}

/** Node's timeouts for an arriving request, and how often it checks them; milliseconds. */
export const arrivalBounds = {
  keepAliveTimeout: 65_000,
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5000
} as const

/** Seconds that a stop waits for requests in flight, after it refuses new connections. */
export const finishSeconds = 10

/** Seconds for clients to end a kept-alive connection: the keep-alive timeout they were promised, plus latency. */
export const keepAliveSeconds = arrivalBounds.keepAliveTimeout / 1000 + 1

const checkInterval = "500 millis"

/** A request whose answer is not sent yet. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Bytes that the connection had received before this request. */
  readonly readBefore: number
  /** When a check first found the answer complete but unread; milliseconds since 1970. */
  unreadSince: number | undefined
}

const reasons = ["unread", "large", "full"] as const
type Reason = (typeof reasons)[number]

const endedCounter = Metric.counter("http_connections_cut_total", {
  description: "Connections ended because of what they held",
  incremental: true
})
const count = (why: Reason, more: number) => Metric.update(Metric.withAttributes(endedCounter, { why }), more)

/** The connections to end at `now`, with the reason. */
const findExcessive = (
  exchanges: Iterable<Exchange>,
  now: number,
  bounds: ConnectionBounds
): ReadonlyMap<Socket, Reason> => {
  const ended = new Map<Socket, Reason>()
  const held = new Map<Socket, number>()
  for (const exchange of exchanges) {
    const { readBefore, request, response } = exchange
    const { socket } = request
    if (response.writableEnded) {
      exchange.unreadSince ??= now
      if (now - exchange.unreadSince >= bounds.answerTimeoutMs) ended.set(socket, "unread")
    }
    const body = request.complete ? 0 : socket.bytesRead - readBefore
    // Answers on one connection are sent in order. A queued one has no socket yet.
    const queued = response.socket === null ? response.writableLength : 0
    held.set(socket, (held.get(socket) ?? socket.writableLength) + body + queued)
  }
  let total = 0
  for (const [socket, bytes] of held) {
    if (bytes > bounds.maxBytesPerConnection && !ended.has(socket)) ended.set(socket, "large")
    if (!ended.has(socket)) total += bytes
  }
  if (total <= bounds.maxBytes) return ended
  for (const [socket, bytes] of [...held].sort(([, one], [, other]) => other - one)) {
    if (ended.has(socket)) continue
    ended.set(socket, "full")
    total -= bytes
    if (total <= bounds.maxBytes) break
  }
  return ended
}

/** Enforces the bounds on a server's connections while the scope is open. */
export const boundConnections = Effect.fnUntraced(function* (server: Server, bounds: ConnectionBounds) {
  const exchanges = new Set<Exchange>()
  const warn = makeThrottle("1 minute")
  // Start at 0, so that the first count is an increase.
  for (const why of reasons) yield* count(why, 0)
  server.maxConnections = bounds.connections
  // A worker drops surplus connections, too. Otherwise its supervisor would offer them to all workers again and again.
  // The types lack this option.
  Object.assign(server, { dropMaxConnection: true })
  const track = (request: IncomingMessage, response: ServerResponse): void => {
    const exchange: Exchange = { request, response, readBefore: request.socket.bytesRead, unreadSince: undefined }
    exchanges.add(exchange)
    response.once("close", () => exchanges.delete(exchange))
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => server.prependListener("request", track)),
    () => Effect.sync(() => server.removeListener("request", track))
  )
  const check = Effect.gen(function* () {
    if (exchanges.size === 0) return
    // A queued answer gets no `close` event when its connection ends.
    for (const exchange of exchanges) if (exchange.request.socket.destroyed) exchanges.delete(exchange)
    const ended = findExcessive(exchanges, yield* Clock.currentTimeMillis, bounds)
    if (ended.size === 0) return
    for (const [socket, why] of ended) {
      socket.destroy()
      yield* count(why, 1)
    }
    yield* warn(
      Effect.logWarning("Connections were ended: they held more, or longer, than they may", [...ended.values()])
    )
  })
  // Sockets follow the real clock, whatever clock a test provides.
  const onRealClock = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
  yield* Effect.forkScoped(onRealClock(Effect.repeat(check, Schedule.spaced(checkInterval))))
})
