/** Whether the service is stopping: `/readyz` says so while requests in flight are finished. */
import { Context, Effect, Layer, Ref } from "effect"

export class Draining extends Context.Service<
  Draining,
  { readonly begun: Effect.Effect<boolean>; readonly begin: Effect.Effect<void> }
>()("playroom/http/Draining") {
  static readonly layer = Layer.effect(
    Draining,
    Effect.map(Ref.make(false), (ref) => Draining.of({ begun: Ref.get(ref), begin: Ref.set(ref, true) }))
  )
}
