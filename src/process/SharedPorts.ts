/**
 * The ports of the service, bound once for all workers. Each worker inherits the sockets and accepts from them by itself: whoever is
 * idle takes the next connection, and what none has taken waits in the system's queue, whatever becomes of a worker. The supervisor
 * keeps the sockets open and accepts nothing.
 */
import { Effect, type Scope } from "effect"
import { HttpServerError } from "effect/http"
import { lookup } from "node:dns/promises"
import net, { isIPv6 } from "node:net"
import { getSystemErrorName } from "node:util"
import { listeningSockets } from "../api/Connections.ts"
import { AppConfig } from "../config/AppConfig.ts"

/** A socket that has a port, and on which this process does not listen. */
interface BoundSocket {
  /** Its open file. */
  readonly fd: number
  readonly port: number
  readonly close: () => void
}

export interface SharedPorts {
  readonly service: ReadonlyArray<BoundSocket>
  readonly sandbox: ReadonlyArray<BoundSocket>
  /** Lets go of them. They close with the last worker that listens. */
  readonly close: () => void
}

/** What Node's own cluster binds with. */
interface BoundHandle {
  readonly fd: number
  readonly close: () => void
  readonly getsockname: (into: object) => number
}
const isHandle = (value: unknown): value is BoundHandle =>
  typeof value === "object" &&
  value !== null &&
  ["close", "getsockname"].every((name) => typeof Reflect.get(value, name) === "function")
/** libuv's `UV_TCP_REUSEPORT`. */
const reusePortFlag = 2

const bindOne = (host: string, port: number, reusePort: boolean): BoundSocket => {
  // Since Node 24.19; nixpkgs may have an earlier one.
  if (Reflect.has(net, "BoundSocket")) {
    const socket = new net.BoundSocket({ host, port, reusePort })
    return { fd: socket.fd(), port: socket.address().port, close: () => socket[Symbol.dispose]() }
  }
  const make: unknown = Reflect.get(net, "_createServerHandle")
  const handle: unknown =
    typeof make === "function"
      ? Reflect.apply(make, net, [host, port, isIPv6(host) ? 6 : 4, -1, reusePort ? reusePortFlag : 0])
      : undefined
  if (!isHandle(handle)) {
    const why = typeof handle === "number" ? getSystemErrorName(handle) : `Node ${process.version} cannot bind it`
    throw new Error(`bind ${why} ${host}:${port}`)
  }
  const name = { port }
  handle.getsockname(name)
  return { fd: handle.fd, port: name.port, close: () => handle.close() }
}

/** So many sockets of one port. Whether somebody else listens there is found out by the first worker. */
const bind = (host: string, port: number, sockets: number): ReadonlyArray<BoundSocket> => {
  const made: Array<BoundSocket> = []
  try {
    for (let n = 0; n < sockets; n++) made.push(bindOne(host, made[0]?.port ?? port, sockets > 1))
    return made
  } catch (cause) {
    close(made)
    throw cause
  }
}

/** Binds the ports until the scope ends. */
export const bindPorts: Effect.Effect<SharedPorts, HttpServerError.ServeError, AppConfig | Scope.Scope> = Effect.gen(
  function* () {
    const { host, port, provider, sandboxPort } = yield* AppConfig
    const failed = (cause: unknown) => new HttpServerError.ServeError({ cause })
    const { address } = yield* Effect.tryPromise({ try: () => lookup(host), catch: failed })
    const bound = (on: string, at: number, sockets: number) =>
      Effect.acquireRelease(Effect.try({ try: () => bind(on, at, sockets), catch: failed }), (made) =>
        Effect.sync(() => close(made))
      )
    const service = yield* bound(address, port, listeningSockets())
    const sandbox = provider.kind === "sandbox" ? yield* bound("127.0.0.1", sandboxPort, 1) : []
    return { service, sandbox, close: () => close([...service, ...sandbox]) }
  }
)

/** Those that are closed already stay so. */
const close = (sockets: ReadonlyArray<BoundSocket>): void => {
  for (const one of sockets) one.close()
}
