/**
 * Asks the provider what an operator has paid for its subscription, so that a lost `invoice.paid` only delays what is known. What is
 * found is applied as the event would have been.
 */
import { Effect } from "effect"
import { Operators, type SubscriptionCheck } from "../../catalogue/Operators.ts"
import { extendSubscription } from "../events/InvoicePaid.ts"
import { PaymentGateway } from "../provider/PaymentGateway.ts"

/** Makes the check: it asks for the operator's paid invoices, and applies the one that pays the furthest. */
export const makeSubscriptionCheck = Effect.gen(function* () {
  const operators = yield* Operators
  const gateway = yield* PaymentGateway

  return Effect.fn("checkSubscription")(function* ({ operator, since = 0 }: SubscriptionCheck) {
    const customer = operator.billing_customer_id
    if (customer === undefined) return
    // A person may have said since what is paid: older payments do not count then.
    const invoices = (yield* gateway.paidInvoices(customer)).filter(({ paid_at = 0 }) => paid_at * 1000 >= since)
    const furthestFirst = invoices
      .filter(({ period_ends, subscription }) => subscription !== undefined && period_ends.length > 0)
      .sort((a, b) => Math.max(...b.period_ends) - Math.max(...a.period_ends))
    for (const invoice of furthestFirst) {
      const outcome = yield* extendSubscription(operators, invoice, "asked at the provider")
      if (outcome.status !== "rejected") return
      yield* Effect.logWarning("An operator's invoice is rejected", { outcome: outcome.text })
    }
  })
})
