/** `invoice.paid` of the platform account: an operator paid its subscription. */
import { Clock, Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { maxPaidAheadMs } from "../../catalogue/Operator.ts"
import { Operators, type SubscriptionCheck } from "../../catalogue/Operators.ts"
import { dayMs } from "../../../platform/time/LocalTime.ts"
import { PaymentGateway, type ProviderInvoice } from "../provider/PaymentGateway.ts"
import { ProviderId } from "../provider/ProviderSchema.ts"
import { readInvoice } from "../provider/StripeMessages.ts"
import { type EventHandler, type EventOutcome, type EventToApply, ignored } from "./EventHandler.ts"

const Identified = Schema.decodeUnknownOption(Schema.Struct({ id: ProviderId }))

/**
 * Extends the operator's `paid_through` to the end of the latest period that a paid invoice's lines pay; never shortens
 * it. For events and for fetched invoices. A period beyond `maxPaidAheadMs` changes nothing: a person has to check it.
 */
const extendSubscription = Effect.fn("extendSubscription")(function* (
  operators: Operators["Service"],
  { customer, id, period_ends, subscription }: ProviderInvoice,
  who: string
): Effect.fn.Return<EventOutcome, SqlError.SqlError> {
  if (subscription === undefined) return ignored("the invoice is not for a subscription")
  const operator = customer === undefined ? Option.none() : yield* operators.byBillingCustomer(customer)
  if (Option.isNone(operator)) return ignored(`customer ${customer ?? "(none)"} is not an operator of ours`)
  const { operator_id } = operator.value
  const until = Math.max(...period_ends) * 1000
  if (!Number.isFinite(until)) return ignored("no line of the invoice pays a period")
  const now = yield* Clock.currentTimeMillis
  if (until > now + maxPaidAheadMs) {
    const years = Math.floor((until - now) / (365 * dayMs))
    return { status: "rejected", text: `${operator_id}: invoice ${id} pays ${years} years ahead; nothing was changed` }
  }
  const extended = yield* operators.extendPaidThrough(operator_id, until, { who, reason: `invoice ${id}` })
  const day = new Date(until).toISOString()
  const text = extended ? `paid through ${day}` : `nothing to change: paid beyond ${day} already`
  return { status: "applied", text: `${operator_id}: ${text}` }
})

/** The handler of `invoice.paid`. */
export const invoicePaid = Effect.gen(function* () {
  const gateway = yield* PaymentGateway
  const operators = yield* Operators

  const apply = ({ object }: EventToApply) =>
    Option.match(readInvoice(object), {
      onNone: () => Effect.succeed(ignored("the object is no invoice that we understand")),
      onSome: ({ invoice }) => extendSubscription(operators, invoice, "invoice.paid")
    })

  // An event has ten lines at most (https://docs.stripe.com/api/invoices/object, `lines`): the others are fetched.
  const identify = (object: unknown) => ({ fetch: Option.exists(readInvoice(object), ({ cut }) => cut) })

  const fetch: EventHandler["fetch"] = Effect.fn("InvoicePaid.fetch")(function* ({ object }) {
    const named = Identified(object)
    if (Option.isNone(named)) return Effect.succeed(ignored("the event names no invoice"))
    const invoice = yield* gateway.getInvoice(named.value.id)
    if (invoice.status !== "paid") return Effect.succeed(ignored(`invoice ${named.value.id} is ${invoice.status}`))
    return extendSubscription(operators, invoice, "invoice.paid")
  })

  return { identify, apply, fetch } satisfies EventHandler
})

/**
 * Makes the check of a subscription: it fetches the operator's paid invoices and applies the one with the latest
 * period. A lost `invoice.paid` therefore only causes a delay.
 */
export const makeSubscriptionCheck = Effect.gen(function* () {
  const operators = yield* Operators
  const gateway = yield* PaymentGateway

  return Effect.fn("checkSubscription")(function* ({ operator, since = 0 }: SubscriptionCheck) {
    const customer = operator.billing_customer_id
    if (customer === undefined) return
    // A person may have set the paid period since; older payments don't count then.
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
