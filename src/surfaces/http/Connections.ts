/**
 * Bounds on the memory of connections: unread answers, endless bodies, idle connections. Checked twice a
 * second.
 */
import { Clock, Effect, Metric } from "effect"
import type { Socket } from "node:net"
import { monotonicMs, makeThrottle } from "../../platform/time/Elapsed.ts"
import { connectionsWithin, openFiles } from "../../platform/files/OwnFolder.ts"
import { unending } from "../../platform/time/LocalTime.ts"
import type { Exchange } from "./ConnectionShares.ts"
import type { FairServer } from "./FairServer.ts"
import type { Refusal } from "./Problem.ts"

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

/**
 * Connections that the system keeps until they are accepted, if its own limit (`net.core.somaxconn`) allows. With
 * Node's 511, a burst fills the queue, and clients whose packet is dropped try again only after a second.
 */
export const backlog = 4096

/** As `connectionsWithin` of this process; the log says if they are fewer. */
export const fittingConnections = Effect.fnUntraced(function* (wanted: number) {
  const files = openFiles()
  const connections = connectionsWithin(wanted, files)
  if (connections < wanted) {
    yield* Effect.logWarning(
      "This process keeps fewer connections than it could, because the system lets it open few files (ulimit -n)",
      { connections, instead_of: wanted, open_files: files }
    )
  }
  return connections
})

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

const reasons = ["unread", "large", "full", "crowded", "pipelined"] as const
type Reason = (typeof reasons)[number]

const endedCounter = Metric.counter("http_connections_cut_total", {
  description: "Connections ended because of what they held, or for others",
  incremental: true
})
/** Counts connections that were ended. */
const countCut = (why: Reason, more: number) => Metric.update(Metric.withAttributes(endedCounter, { why }), more)

const refusedCounter = Metric.counter("http_requests_refused_total", {
  description:
    "Requests refused before work began: too many of their sender waited, no connection was free, or there was more to do than can be done in time",
  incremental: true
})
const refusals = ["share", "crowded", "overload"] as const satisfies ReadonlyArray<Refusal>
const countRefusals = (why: Refusal, more: number) =>
  Metric.update(Metric.withAttributes(refusedCounter, { why }), more)

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
    // Nobody reads the body of a request that waits.
    const body = request.complete ? request.readableLength : socket.bytesRead - readBefore
    held.set(socket, (held.get(socket) ?? socket.writableLength) + body)
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
export const boundConnections = Effect.fnUntraced(function* (server: FairServer, bounds: ConnectionBounds) {
  const warn = makeThrottle("1 minute")
  const warnOfShares = makeThrottle("1 minute")
  const warnOfOverload = makeThrottle("1 minute")
  // Start at 0, so that the first count is an increase.
  for (const why of reasons) yield* countCut(why, 0)
  for (const why of refusals) yield* countRefusals(why, 0)
  const check = Effect.gen(function* () {
    const ended = findExcessive(server.exchanges(), yield* monotonicMs, bounds)
    for (const socket of ended.keys()) socket.destroy()
    const taken = server.takeCounts()
    for (const why of ended.values()) yield* countCut(why, 1)
    for (const [why, times] of taken.cuts) yield* countCut(why, times)
    for (const [why, times] of taken.refusals) yield* countRefusals(why, times)
    if (ended.size > 0) {
      yield* warn(
        Effect.logWarning("Connections were ended: they held more, or longer, than they may", [...ended.values()])
      )
    }
    const { overload, ...shares } = Object.fromEntries(taken.refusals)
    if (overload !== undefined) {
      yield* warnOfOverload(
        Effect.logWarning("There is more to do than can be done in time: requests were refused", { requests: overload })
      )
    }
    if (taken.cuts.size > 0 || Object.keys(shares).length > 0) {
      yield* warnOfShares(
        Effect.logWarning("Some senders ask for more than their share: connections were ended, or requests refused", {
          connections: Object.fromEntries(taken.cuts),
          requests: shares
        })
      )
    }
  })
  // Sockets follow the real clock, whatever clock a test provides.
  const onRealClock = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
  const checking = unending(
    Effect.andThen(check, Effect.sleep(checkInterval)),
    "The bounds of connections were not checked"
  )
  yield* Effect.forkScoped(onRealClock(checking))
})
