/**
 * Bounds on what connections hold in memory: answers that clients do not read, bodies that never end, idle connections.
 * A request is only noted when it comes; twice a second all open ones are checked.
 */
import { Clock, Effect, Metric, Schedule } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { makeThrottle } from "../kernel/Throttle.ts"

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

/** Node's own bounds on how long a request may take to arrive, and how often it checks; milliseconds. */
export const arrivalBounds = {
  keepAliveTimeout: 65_000,
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5000
} as const

/** How many seconds a stop waits for requests in flight, once no new connections come. */
export const finishSeconds = 10

/** The seconds clients have to end a connection that they may keep: as its last answer promised, and one more. */
export const keptSeconds = arrivalBounds.keepAliveTimeout / 1000 + 1

const checkEvery = "500 millis"

/** A request and its answer, until the answer is sent. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Bytes that the connection had read before this request. */
  readonly readBefore: number
  /** When the answer was found complete and not yet read by the client; milliseconds since 1970. */
  waitsSince: number | undefined
}

const reasons = ["unread", "large", "full"] as const
type Reason = (typeof reasons)[number]

const endedCounter = Metric.counter("http_connections_cut_total", {
  description: "Connections ended because of what they held",
  incremental: true
})
const count = (why: Reason, more: number) => Metric.update(Metric.withAttributes(endedCounter, { why }), more)

/** Which connections are to be ended at `now`, and why. */
const excessive = (
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
      exchange.waitsSince ??= now
      if (now - exchange.waitsSince >= bounds.answerMs) ended.set(socket, "unread")
    }
    const body = request.complete ? 0 : socket.bytesRead - readBefore
    // Answers on one connection are sent in order; one that waits for its turn has no socket yet.
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
  // From 0, so that the first is an increase.
  for (const why of reasons) yield* count(why, 0)
  server.maxConnections = bounds.connections
  // A worker ends a connection that is too much, too: else its supervisor would offer it to all of them again and
  // again. (The types do not have it.)
  Object.assign(server, { dropMaxConnection: true })
  const note = (request: IncomingMessage, response: ServerResponse): void => {
    const exchange: Exchange = { request, response, readBefore: request.socket.bytesRead, waitsSince: undefined }
    exchanges.add(exchange)
    response.once("close", () => exchanges.delete(exchange))
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => server.prependListener("request", note)),
    () => Effect.sync(() => server.removeListener("request", note))
  )
  const check = Effect.gen(function* () {
    if (exchanges.size === 0) return
    // An answer that waits for its turn gets no event when its connection ends.
    for (const exchange of exchanges) if (exchange.request.socket.destroyed) exchanges.delete(exchange)
    const ended = excessive(exchanges, yield* Clock.currentTimeMillis, bounds)
    if (ended.size === 0) return
    for (const [socket, why] of ended) {
      socket.destroy()
      yield* count(why, 1)
    }
    yield* warn(
      Effect.logWarning("Connections were ended: they held more, or longer, than they may", [...ended.values()])
    )
  })
  // Sockets go by the machine's clock, whatever clock a test has.
  const onRealClock = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
  yield* Effect.forkScoped(onRealClock(Effect.repeat(check, Schedule.spaced(checkEvery))))
})
