/** How staff and families act: a page says what would be done, and a press of its button does that, or nothing. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"

/** A preview; or the act, with what its preview showed. */
export interface Pressed {
  readonly preview: boolean
  readonly shown?: string
}

/** On a busy machine a change may wait for another one until it is told to come again. It does. */
export const comingAgain = <A, E extends { readonly _tag: string }, R>(change: Effect.Effect<A, E, R>) =>
  Effect.retry(change, { times: 20, while: ({ _tag }) => _tag === "ChangeUnderWay" })

/** Reads the page and presses its button, `times` times at once. It is done once at most. */
export const press = <A extends { readonly shown: string }, E extends { readonly _tag: string }, R>(
  run: (how: Pressed) => Effect.Effect<A, E, R>,
  times: number
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const { shown } = yield* run({ preview: true })
    const again = Array.from({ length: times - 1 }, () => Effect.result(run({ preview: false, shown })))
    const [first, ...others] = yield* Effect.all([Effect.result(run({ preview: false, shown })), ...again], {
      concurrency: "unbounded"
    })
    const done = [first, ...others].filter(Result.isSuccess)
    assert.isAtMost(done.length, 1, "one page, pressed twice, did it twice")
    return yield* Effect.fromResult(done[0] ?? first)
  }).pipe(comingAgain)
