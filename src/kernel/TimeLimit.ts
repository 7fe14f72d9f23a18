/** A limit on how long work may take. One look at all that runs tells what is over, so work needs no timer of its own. */
import { Duration, Effect, Exit, Fiber, Latch, Option, type Scope } from "effect"
import { monotonicMs } from "./Elapsed.ts"

interface Running {
  /** Until it ends: an outgrown table of the set keeps its entries until a full collection. */
  fiber: Fiber.Fiber<unknown, unknown> | undefined
  readonly since: number
  isOver: boolean
}

/** How often it is looked while something runs, as a share of the limit: work ends by so much later. */
const lookShare = 0.05

/** Runs work; none if it took longer, and has then been interrupted. */
type Within = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>

/** What runs work within the limit. */
export const makeTimeLimit = (limit: Duration.Input): Effect.Effect<Within, never, Scope.Scope> =>
  Effect.gen(function* () {
    const ms = Duration.toMillis(limit)
    /** In the order of time. */
    const running = new Set<Running>()
    const some = yield* Latch.make()

    const look = Effect.map(monotonicMs, (now) => {
      for (const one of running) {
        if (now - one.since < ms) break
        running.delete(one)
        one.isOver = true
        one.fiber?.interruptUnsafe()
      }
      if (running.size === 0) some.closeUnsafe()
    })
    yield* some.await.pipe(
      Effect.andThen(Effect.sleep(Duration.millis(ms * lookShare))),
      Effect.andThen(look),
      Effect.forever,
      Effect.forkScoped
    )

    return (work) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const since = yield* monotonicMs
          const fiber = yield* Effect.forkChild(restore(work), { startImmediately: true })
          const one: Running = { fiber, since, isOver: false }
          running.add(one)
          some.openUnsafe()
          const exit = yield* restore(Fiber.await(fiber)).pipe(
            Effect.onInterrupt(() => Fiber.interrupt(fiber)),
            Effect.ensuring(
              Effect.sync(() => {
                one.fiber = undefined
                running.delete(one)
              })
            )
          )
          return one.isOver && Exit.hasInterrupts(exit) ? Option.none() : Option.some(yield* exit)
        })
      )
  })
