/** Who has the address of the service: the stages of a stop, what balancers and clients are told, and who takes over. */
import { Context, Effect, Layer, Ref } from "effect"

/**
 * `leaving`: `/readyz` answers 503, so that load balancers stop sending requests. `handing over`: other processes take
 * new connections, so the address stays ready. In both stages answers tell clients to close their connections.
 */
type Stage = "serving" | "handing over" | "leaving"

export class Draining extends Context.Service<
  Draining,
  {
    readonly stage: Effect.Effect<Stage>
    readonly enter: (stage: Exclude<Stage, "serving">) => Effect.Effect<void>
  }
>()("playroom/api/Draining") {
  static readonly layer = Layer.effect(
    Draining,
    Effect.map(Ref.make<Stage>("serving"), (ref) =>
      Draining.of({ stage: Ref.get(ref), enter: (stage) => Ref.set(ref, stage) })
    )
  )
}

/**
 * Why this process does not take requests now; undefined if it does. `database`: why its database does not let it.
 */
export const hindranceWith = <R>(database: Effect.Effect<string | undefined, never, R>) =>
  Effect.flatMap(
    Draining.use(({ stage }) => stage),
    (stage) => (stage === "leaving" ? Effect.succeed("The service is stopping.") : database)
  )

/** Whether other processes serve this address when this one stops. By default none do. */
export const Succession = Context.Reference<{
  /** Evaluated when the process stops. */
  readonly handsOver: Effect.Effect<boolean>
  /** Completes when the others stop, too, which ends the handover. */
  readonly cutShort: Effect.Effect<void>
}>("playroom/api/Succession", {
  defaultValue: () => ({ handsOver: Effect.succeed(false), cutShort: Effect.never })
})

// Sockets that whoever started this process listens on for it: systemd's socket activation (`sd_listen_fds(3)`). They outlive the process,
// and several processes may have the same: what nobody has accepted yet waits in the system's queue.

/** The first number that systemd gives to an open file. */
const firstInherited = 3

/** The numbers of the sockets that these variables give to the process with this id. */
export const inheritedSockets = (
  { LISTEN_FDS, LISTEN_PID }: Readonly<Record<string, string | undefined>>,
  pid: number
): ReadonlyArray<number> =>
  LISTEN_PID === String(pid) ? Array.from({ length: Number(LISTEN_FDS) }, (_, n) => firstInherited + n) : []

/** The socket to listen on. Default: none, and the process opens its own. */
export const CurrentInheritedSocket = Context.Reference<number | undefined>("playroom/kernel/InheritedSocket", {
  defaultValue: () => undefined
})
