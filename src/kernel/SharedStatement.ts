/**
 * A statement for all who ask at about the same time. What arrives while one is under way shares the next one, and so does
 * what comes as long as each turn of the event loop brings more: under load a statement takes many. What arrives alone
 * waits for one turn.
 */
import { Array, Context, Effect, Exit, Option, Tracer } from "effect"
import { monotonicMs } from "./Elapsed.ts"
import type { TimeLimit } from "./TimeLimit.ts"

/** Somebody who waits for an answer. */
interface Asker<A, B, E> {
  readonly request: A
  readonly context: Context.Context<never>
  readonly answer: (exit: Exit.Exit<B, E>) => void
}

/** Links to the spans of all who share a statement. */
const linksTo = (contexts: ReadonlyArray<Context.Context<never>>): ReadonlyArray<Tracer.SpanLink> => {
  const spans = contexts.flatMap((context) => Option.toArray(Context.getOption(context, Tracer.ParentSpan)))
  return [...new Set(spans)].map((span) => ({ span, attributes: {} }))
}

interface SharedStatementOptions<E> {
  /** The name of its span, which is in the trace of who asked first, with links to the others. */
  readonly name: string
  /** How many requests share it. */
  readonly most: number
  /** Who waits longer fails with the error, and the statement is no longer sent for it. Without a limit nobody fails so. */
  readonly limit?: { readonly time: TimeLimit; readonly error: () => E }
}

/**
 * Returns what answers a request by a statement that several share. There is one statement at a time. `run` returns the answers
 * in the order of the requests; if it fails, it fails for each of them.
 */
export const sharedStatement = <A, B, E>(
  { limit, most, name }: SharedStatementOptions<E>,
  run: (requests: Array.NonEmptyReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Exit.Exit<B, E>>, E>
): ((request: A) => Effect.Effect<B, E>) => {
  const waiting: Array<Asker<A, B, E>> = []
  let isUnderWay = false

  const statement = Effect.gen(function* () {
    for (let before = 0; before < waiting.length && waiting.length < most;) {
      before = waiting.length
      yield* Effect.yieldNow
    }
    const askers = waiting.splice(0, most)
    const requests = askers.map(({ request }) => request)
    const exit = Array.isReadonlyArrayNonEmpty(requests)
      ? yield* run(requests).pipe(
          Effect.withSpan(
            name,
            {
              attributes: { batchSize: requests.length },
              links: linksTo(askers.map(({ context }) => context))
            },
            { captureStackTrace: false }
          ),
          Effect.exit
        )
      : Exit.succeed([])
    // The next one is under way while these are answered.
    isUnderWay = false
    start()
    for (const [n, { answer }] of askers.entries())
      answer(
        Exit.isSuccess(exit)
          ? (exit.value[n] ?? Exit.die(new Error(`${name} left a request out`)))
          : Exit.failCause(exit.cause)
      )
  })

  const start = (): void => {
    const [first] = waiting
    if (isUnderWay || first === undefined) return
    isUnderWay = true
    Effect.runForkWith(first.context)(statement)
  }

  const ask = (request: A, context: Context.Context<never>, since: number) =>
    Effect.callback<B, E>((resume) => {
      const asker: Asker<A, B, E> = {
        request,
        context,
        answer: (exit) => {
          stopWatching?.()
          resume(exit)
        }
      }
      const leave = (): void => {
        const at = waiting.indexOf(asker)
        if (at !== -1) waiting.splice(at, 1)
      }
      const stopWatching = limit?.time.watch(since, () => {
        leave()
        resume(Effect.fail(limit.error()))
      })
      waiting.push(asker)
      start()
      return Effect.sync(() => {
        stopWatching?.()
        leave()
      })
    })
  return (request) =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.flatMap(monotonicMs, (since) => ask(request, context, since))
    )
}
