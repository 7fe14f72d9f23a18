/** Looks for what needs a person now (`NeedsPerson.ts`). */
import { Clock, Effect } from "effect"
import { doneOf, type Outcome } from "../kernel/Outcomes.ts"
import { describeCause } from "../telemetry/FailureText.ts"
import type { Finding } from "./Finding.ts"
import { needsPerson } from "./NeedsPerson.ts"

/** What an operator is told now of its own bookings. */
export const noticesOf = Effect.fn("noticesOf")(function* (operator_id: string) {
  const now = yield* Clock.currentTimeMillis
  const told = needsPerson.flatMap((entry) => ("notices" in entry ? [entry.notices(operator_id, now)] : []))
  return (yield* Effect.all(told)).flat()
})

/** What can't be looked at is a finding, too: the kinds that it hides, by the reason. */
const unchecked = (outcomes: ReadonlyArray<Outcome<string>>): ReadonlyArray<Finding> => {
  const failed = outcomes.flatMap((one) =>
    one.outcome === "failed" ? [{ kinds: one.item, reason: describeCause(one.cause) }] : []
  )
  return [...Map.groupBy(failed, ({ reason }) => reason)].map(([detail, kinds]) => ({
    what: notChecked,
    id: kinds.map((one) => one.kinds).join(", "),
    detail,
    fix: "mend that, and run playroom doctor again: until then nobody knows whether there is any of these"
  }))
}

/** The code of kinds of findings that could not be looked for. */
export const notChecked = "not checked"

/** All that needs a person now. A kind that can't be looked for hides no other. */
export const findings = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const outcomes = yield* Effect.all(needsPerson.map(({ find }) => find(now)))
  return [...doneOf(outcomes).flatMap(({ value }) => value), ...unchecked(outcomes)]
})
