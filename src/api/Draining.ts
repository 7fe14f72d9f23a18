/** How the service stops serving: what it tells balancers and clients, and whether others serve on in its place. */
import { Context, Effect, Layer, Ref } from "effect"

/**
 * `leaving`: `/readyz` says so, that balancers send nothing more. `handing over`: other processes take the new
 * connections of this address, which is as ready as before. In both, answers tell clients to end their connections.
 */
export type Stage = "serving" | "handing over" | "leaving"

export class Draining extends Context.Service<
  Draining,
  {
    readonly stage: Effect.Effect<Stage>
    readonly enter: (stage: Exclude<Stage, "serving">) => Effect.Effect<void>
  }
>()("playroom/http/Draining") {
  static readonly layer = Layer.effect(
    Draining,
    Effect.map(Ref.make<Stage>("serving"), (ref) =>
      Draining.of({ stage: Ref.get(ref), enter: (stage) => Ref.set(ref, stage) })
    )
  )
}

/** Whether other processes serve this address when this one stops. By default this process is the only one. */
export const Succession = Context.Reference<{
  /** Asked when the process stops. */
  readonly handsOver: Effect.Effect<boolean>
  /** Ends when the others stop, too, so that there is no more time for handing over. */
  readonly cutShort: Effect.Effect<void>
}>("playroom/http/Succession", {
  defaultValue: () => ({ handsOver: Effect.succeed(false), cutShort: Effect.never })
})
