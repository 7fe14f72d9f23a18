/**
 * The ports of the service, bound once for all workers. Each worker inherits the sockets and accepts from them by itself: whoever is
 * idle takes the next connection, and what none has taken waits in the system's queue, whatever becomes of a worker. The supervisor
 * keeps the sockets open and accepts nothing.
 */
import { Effect, type Scope } from "effect"
import { HttpServerError } from "effect/http"
import { lookup } from "node:dns/promises"
import net, { type BoundSocket } from "node:net"
import { listeningSockets } from "../api/Connections.ts"
import { AppConfig } from "../config/AppConfig.ts"

export interface SharedPorts {
  readonly service: ReadonlyArray<BoundSocket>
  readonly sandbox: ReadonlyArray<BoundSocket>
  /** Lets go of them. They close with the last worker that listens. */
  readonly close: () => void
}

/** So many sockets of one port. Whether somebody else listens there is found out by the first worker. */
const bind = (host: string, port: number, sockets: number): ReadonlyArray<BoundSocket> => {
  // nixpkgs may have an earlier Node 24.
  if (!Reflect.has(net, "BoundSocket"))
    throw new Error(`WORKERS needs Node 24.19 or newer, and this is ${process.version}`)
  const made: Array<BoundSocket> = []
  try {
    for (let n = 0; n < sockets; n++)
      made.push(new net.BoundSocket({ host, port: made[0]?.address().port ?? port, reusePort: sockets > 1 }))
    return made
  } catch (cause) {
    for (const one of made) one.close()
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
  for (const one of sockets) one[Symbol.dispose]()
}
