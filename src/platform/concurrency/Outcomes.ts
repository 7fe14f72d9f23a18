/**
 * What came of each item of a work that has several. A failed item does not hide the others, and none is forgotten:
 * `surfaces/cli/Output.ts` tells all of them.
 */
import { Cause, Effect, Exit } from "effect"

/** `not_tried`: an item before it failed, without which it can't be done. */
export type Outcome<Item, A = unknown, E = unknown> = { readonly item: Item } & (
  | { readonly outcome: "done"; readonly value: A }
  | { readonly outcome: "failed"; readonly cause: Cause.Cause<E> }
  | { readonly outcome: "not_tried" }
)

/** Does one item. A failure or a defect becomes its outcome; an interruption ends the whole work. */
export const attempt = <Item, A, E, R>(
  item: Item,
  work: Effect.Effect<A, E, R>
): Effect.Effect<Outcome<Item, A, E>, never, R> =>
  Effect.flatMap(Effect.exit(work), (exit): Effect.Effect<Outcome<Item, A, E>> => {
    if (Exit.isSuccess(exit)) return Effect.succeed({ item, outcome: "done", value: exit.value })
    if (Cause.hasInterruptsOnly(exit.cause)) return Effect.interrupt
    return Effect.succeed({ item, outcome: "failed", cause: exit.cause })
  })

/** Does one item of background work. A failure is logged, so that it hides no other, and gives `otherwise`. */
export const attemptOrLog = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  log: { readonly failed: string; readonly about: Record<string, string>; readonly otherwise: A }
): Effect.Effect<A, never, R> =>
  Effect.flatMap(attempt(log.about, work), (one) =>
    one.outcome === "done"
      ? Effect.succeed(one.value)
      : Effect.as(
          Effect.logWarning(log.failed, log.about, ...(one.outcome === "failed" ? [one.cause] : [])),
          log.otherwise
        )
  )

/** The items that were done, with what each gave. */
export const doneOf = <Item, A, E>(
  outcomes: ReadonlyArray<Outcome<Item, A, E>>
): ReadonlyArray<{ readonly item: Item; readonly value: A }> =>
  outcomes.flatMap((one) => (one.outcome === "done" ? [{ item: one.item, value: one.value }] : []))
