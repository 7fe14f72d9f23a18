/** What needs a person of operators' subscriptions. */
import { implausiblePaidAheadMs, lastSale, type Operator } from "../../domain/catalogue/Operator.ts"
import { Operators } from "../../domain/catalogue/Operators.ts"
import type { Instant } from "../../platform/time/LocalTime.ts"
import { at, kind, limit } from "./Finding.ts"

const subscription = (operator: Operator, now: Instant) => {
  const { operator_id: id, name, paid_through } = operator
  const set = `playroom operator paid-through ${id} DATE --reason …`
  if (paid_through !== undefined && paid_through > now + implausiblePaidAheadMs) {
    return {
      what: "subscription paid beyond reason" as const,
      id,
      detail: `${name} is paid through ${at(paid_through)}`,
      fix: `look at its invoices in the provider's dashboard, then ${set}; whom you do not bill needs no billing_customer_id`
    }
  }
  const over = now > lastSale(operator)
  const paid = paid_through === undefined ? "has never paid" : `has paid through ${at(paid_through)}`
  return {
    what: over ? ("subscription lapsed" as const) : ("subscription about to lapse" as const),
    id,
    detail: `${name} ${paid}, and ${over ? "sells nothing" : `sells until ${at(lastSale(operator))}`}`,
    fix: `look at ${operator.billing_customer_id ?? "its invoices"} in the provider's dashboard; where it paid, ${set}; where it will not, playroom operator suspend ${id}`
  }
}

/** In the order in which they are reported. */
export const subscriptionFindings = [
  kind({
    codes: ["subscription paid beyond reason", "subscription lapsed", "subscription about to lapse"],
    rows: (now) => Operators.use((operators) => operators.lapsing(now, limit)),
    of: subscription
  })
]
