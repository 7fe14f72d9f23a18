import { Effect } from "effect"
import { randomInt } from "node:crypto"
import { BoundSocket, createServer } from "node:net"

const given = new Set<number>()

// A service listens only seconds after its port was found free: each of Vitest's workers has ports of its own.
const first = 10_081
const ports = 2700
const share = first + ports * (Number(process.env["VITEST_POOL_ID"] ?? 0) % 8)

/**
 * A port that was free a moment ago and that no test of this run was given before, above those to which `fetch` refuses
 * to go (https://fetch.spec.whatwg.org/#port-blocking, the last is 10080), and below those that systems give to outgoing
 * connections: a flood has taken hundreds of them.
 */
export const freePort: Effect.Effect<number> = Effect.callback<number | undefined>((resume) => {
  const port = randomInt(share, share + ports)
  if (given.has(port)) return resume(Effect.succeed(undefined))
  given.add(port)
  const server = createServer()
    .once("error", () => resume(Effect.succeed(undefined)))
    .listen(port, "127.0.0.1", () => void server.close(() => resume(Effect.succeed(port))))
}).pipe(Effect.flatMap((port) => (port === undefined ? freePort : Effect.succeed(port))))

// A socket that several processes listen on, as systemd gives one to services (`sd_listen_fds(3)`).

export interface SharedSocket {
  readonly fd: number
  readonly port: number
}

/** A socket for the scope, on which nobody listens yet. */
export const sharedSocket = Effect.map(
  Effect.acquireRelease(
    Effect.map(freePort, (port) => new BoundSocket({ host: "127.0.0.1", port })),
    (bound) => Effect.sync(() => bound[Symbol.dispose]())
  ),
  (bound): SharedSocket => ({ fd: bound.fd(), port: bound.address().port })
)

/** What a shell does before it becomes a process that has the socket as its fourth file. */
export const inheritingShell = "export LISTEN_PID=$$ LISTEN_FDS=1"
