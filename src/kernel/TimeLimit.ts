/** A limit on how long work may take. One look at all that runs tells what is over, so work needs no timer of its own. */
import { type Context, Duration, Effect, Exit, Fiber, Latch, Option, type Scope } from "effect"
import { monotonicMs } from "./Elapsed.ts"
import { unending } from "./Recurring.ts"

interface Running {
  /** Until it ends: an outgrown table of the set keeps its entries until a full collection. */
  end: (() => void) | undefined
  readonly since: number
}

/** How often it is looked while something runs, as a share of the limit: work ends by so much later. */
const lookShare = 0.05

export interface TimeLimit {
  /** Runs work; none if it took longer, and has then been interrupted. */
  readonly within: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
  /** Calls `end` once it has lasted longer `since` then (`monotonicMs`). Returns what takes that back. */
  readonly watch: (since: number, end: () => void) => () => void
}

/** Makes a limit for all work of a kind. */
export const makeTimeLimit = (limit: Duration.Input): Effect.Effect<TimeLimit, never, Scope.Scope> =>
  Effect.gen(function* () {
    const ms = Duration.toMillis(limit)
    /** In the order of time. */
    const running = new Set<Running>()
    const some = yield* Latch.make()

    const look = Effect.map(monotonicMs, (now) => {
      for (const one of running) {
        if (now - one.since < ms) break
        running.delete(one)
        one.end?.()
      }
      if (running.size === 0) some.closeUnsafe()
    })
    const looking = some.await.pipe(Effect.andThen(Effect.sleep(Duration.millis(ms * lookShare))), Effect.andThen(look))
    yield* Effect.forkScoped(unending(looking, "Work that takes too long was not ended"))

    const watch: TimeLimit["watch"] = (since, end) => {
      const one: Running = { end, since }
      running.add(one)
      some.openUnsafe()
      return () => {
        one.end = undefined
        running.delete(one)
      }
    }

    const within = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.contextWith((context: Context.Context<R>) =>
        Effect.flatMap(monotonicMs, (since) =>
          Effect.callback<Option.Option<A>, E>((resume) => {
            const fiber = Effect.runForkWith(context)(work)
            let isOver = false
            const ended = watch(since, () => {
              isOver = true
              fiber.interruptUnsafe()
            })
            fiber.addObserver((exit) => {
              ended()
              resume(isOver && Exit.hasInterrupts(exit) ? Effect.succeedNone : Exit.map(exit, Option.some))
            })
            return Fiber.interrupt(fiber)
          })
        )
      )
    return { within, watch }
  })
