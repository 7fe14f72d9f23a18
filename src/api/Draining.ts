/** The stages of a stop: what load balancers and clients are told, and whether other processes take over. */
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
