/**
 * Asks the provider what operators have paid for their subscriptions, so that a lost `invoice.paid` changes nothing but when the
 * truth arrives. What is found is applied as the event would have been.
 */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { Operators, type ToAsk } from "../../catalogue/Operators.ts"
import { extendSubscription } from "../events/InvoicePaid.ts"
import { type GatewayError, PaymentGateway } from "../provider/PaymentGateway.ts"

export class Subscriptions extends Context.Service<
  Subscriptions,
  {
    /** Takes up to `limit` operators whose paid period ends or has ended; of several nodes one gets each. */
    readonly claim: (limit: number) => Effect.Effect<ReadonlyArray<ToAsk>, SqlError.SqlError>
    /** Asks for the operator's paid invoices, and applies the one that pays the furthest. */
    readonly ask: (asked: ToAsk) => Effect.Effect<void, GatewayError | SqlError.SqlError>
  }
>()("playroom/payment/Subscriptions") {
  static readonly layer = Layer.effect(
    Subscriptions,
    Effect.gen(function* () {
      const operators = yield* Operators
      const gateway = yield* PaymentGateway

      const ask = Effect.fn("Subscriptions.ask")(function* ({ operator, since = 0 }: ToAsk) {
        const customer = operator.billing_customer_id
        if (customer === undefined) return
        // Where a person has said since what is paid, older payments have no say.
        const invoices = (yield* gateway.paidInvoices(customer)).filter(({ paid_at = 0 }) => paid_at * 1000 >= since)
        const furthest = invoices
          .filter(({ period_ends, subscription }) => subscription !== undefined && period_ends.length > 0)
          .sort((a, b) => Math.max(...b.period_ends) - Math.max(...a.period_ends))
        for (const invoice of furthest) {
          const outcome = yield* extendSubscription(operators, invoice, "asked at the provider")
          if (outcome.status !== "rejected") return
          yield* Effect.logWarning("An operator's invoice is not believed", { outcome: outcome.text })
        }
      })

      return Subscriptions.of({ claim: operators.claimToAsk, ask })
    })
  )
}
