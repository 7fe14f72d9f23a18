/** Looks for what needs a person now (`NeedsPerson.ts`). */
import { Clock, Effect } from "effect"
import { doneOf } from "../../platform/concurrency/Outcomes.ts"
import { unchecked } from "./Finding.ts"
import { needsPerson } from "./NeedsPerson.ts"

/** What an operator is told now of its own bookings. */
export const noticesOf = Effect.fn("noticesOf")(function* (operator_id: string) {
  const now = yield* Clock.currentTimeMillis
  const told = needsPerson.flatMap((entry) => ("notices" in entry ? [entry.notices(operator_id, now)] : []))
  return (yield* Effect.all(told)).flat()
})

/** All that needs a person now. A kind that can't be looked for hides no other. */
export const findings = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const outcomes = yield* Effect.all(needsPerson.map(({ find }) => find(now)))
  return [...doneOf(outcomes).flatMap(({ value }) => value), ...unchecked(outcomes)]
})
