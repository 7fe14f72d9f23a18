/** A socket that several processes listen on, as systemd gives one to services (`sd_listen_fds(3)`). */
import { Effect } from "effect"
import { BoundSocket } from "node:net"
import { freePort } from "./freePort.ts"

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
