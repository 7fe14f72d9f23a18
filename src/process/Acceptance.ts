/**
 * Bounds the connections that the supervisor has accepted and no worker has taken. Node's cluster keeps them all while
 * workers are busy, until no file is left to open: then newcomers are closed unanswered, and the management port fails.
 * Here the cluster is given as many as it has workers, and the others wait, bounded (`WaitingConnections.ts`). No-op on
 * other Node versions.
 */
import cluster from "node:cluster"
import { subscribe } from "node:diagnostics_channel"
import { Server } from "node:net"
import { WaitingConnections } from "../api/WaitingConnections.ts"

/** A connection as Node's listener gives it. */
interface Accepted {
  close: (...args: ReadonlyArray<unknown>) => unknown
  readonly getpeername: (into: object) => unknown
}
const isAccepted = (value: unknown): value is Accepted =>
  typeof value === "object" &&
  value !== null &&
  typeof Reflect.get(value, "close") === "function" &&
  typeof Reflect.get(value, "getpeername") === "function"

const addressOf = (connection: Accepted): string => {
  const peer = { address: "" }
  connection.getpeername(peer)
  return peer.address
}

interface AcceptanceOptions {
  /** Connections that may wait. */
  readonly limit: number
  readonly trustedProxies: ReadonlyArray<string>
  /** Called for each connection that was closed for another. */
  readonly onCut: () => void
}

/** Bounds the connections of all ports on which workers listen from now on. */
export const boundAccepted = ({ limit, onCut, trustedProxies }: AcceptanceOptions): void => {
  const waiting = new WaitingConnections<Accepted>(limit, trustedProxies)
  /** How the cluster is given each of those that wait, and the listener that accepted it. */
  const ways = new Map<Accepted, { readonly give: () => unknown; readonly listener: object }>()
  /** Those that the cluster has, with their listeners: it closes each once a worker has it. */
  const given = new Map<Accepted, object>()
  /** A listener ends with the last worker that listens. What the cluster is given for it afterwards, it keeps for ever. */
  const endedListeners = new WeakSet<object>()

  /** Gives the cluster the one that waits for longest, if it may have one more. Returns whether there may be others. */
  const giveOne = (): boolean => {
    const workers = Object.values(cluster.workers ?? {}).filter((one) => one?.isConnected() === true).length
    const connection = workers === 0 || given.size < workers ? waiting.take() : undefined
    if (connection === undefined) return false
    const way = ways.get(connection)
    ways.delete(connection)
    if (way === undefined || workers === 0 || endedListeners.has(way.listener)) {
      connection.close()
      return true
    }
    const { close } = connection
    connection.close = (...args) => {
      const closed = Reflect.apply(close, connection, args)
      if (given.delete(connection)) next()
      return closed
    }
    given.set(connection, way.listener)
    way.give()
    return true
  }
  const next = (): void => {
    let more = true
    while (more) more = giveOne()
  }

  const watch = (listener: object): void => {
    const distribute: unknown = Reflect.get(listener, "onconnection")
    const end: unknown = Reflect.get(listener, "close")
    if (typeof distribute !== "function" || typeof end !== "function") return
    Reflect.set(listener, "close", (...args: ReadonlyArray<unknown>) => {
      endedListeners.add(listener)
      const closed: unknown = Reflect.apply(end, listener, args)
      // Those on their way to the worker that has ended, too.
      for (const [connection, of] of given) if (of === listener) connection.close()
      next()
      return closed
    })
    Reflect.set(listener, "onconnection", (error: unknown, connection: unknown) => {
      const give = (): unknown => Reflect.apply(distribute, listener, [error, connection])
      if (!isAccepted(connection)) return give()
      ways.set(connection, { give, listener })
      const ended = waiting.enter(connection, addressOf(connection))
      if (ended !== undefined) {
        ways.delete(ended)
        ended.close()
        onCut()
      }
      return next()
    })
  }

  subscribe("tracing:net.server.listen:asyncEnd", (message) => {
    const server: unknown = typeof message === "object" && message !== null ? Reflect.get(message, "server") : undefined
    const listener: unknown = server instanceof Server ? Reflect.get(server, "_handle") : undefined
    if (!(server instanceof Server) || typeof listener !== "object" || listener === null) return
    // The cluster takes the listener away from its server. The supervisor's own ports keep theirs.
    server.once("listening", () => {
      setImmediate(() => {
        if (Reflect.get(server, "_handle") === null) watch(listener)
      })
    })
  })
}
