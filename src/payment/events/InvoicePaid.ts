/**
 * `invoice.paid` of the platform account: an operator has paid its subscription. The subscription is named in
 * `parent.subscription_details` (older API versions: `subscription`), the paid period is on the lines
 * (https://docs.stripe.com/api/invoices/object).
 */
import { Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Operators } from "../../catalogue/Operators.ts"
import type { Outcome } from "../Settlement.ts"

export const invoicePaidEvent = "invoice.paid"

/** An id, or the object where the provider expanded it. */
const Reference = Schema.NullOr(Schema.Union([Schema.String, Schema.Struct({ id: Schema.String })]))
const idOf = (reference: typeof Reference.Type | undefined): string | undefined =>
  typeof reference === "string" ? reference : reference?.id

/** Seconds since 1970, up to the year 9999. */
const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 253_402_300_799 }))

const Invoice = Schema.Struct({
  customer: Schema.optionalKey(Reference),
  subscription: Schema.optionalKey(Reference),
  parent: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        subscription_details: Schema.optionalKey(
          Schema.NullOr(Schema.Struct({ subscription: Schema.optionalKey(Reference) }))
        )
      })
    )
  ),
  lines: Schema.Struct({ data: Schema.Array(Schema.Struct({ period: Schema.Struct({ end: Seconds }) })) })
})

const decode = Schema.decodeUnknownOption(Invoice)

const ignored = (text: string): Outcome => ({ status: "ignored", text })

/** Extends the operator's `paid_through` to the latest line period; never back. */
export const applyInvoicePaid = Effect.fn("applyInvoicePaid")(function* (
  operators: Operators["Service"],
  object: unknown
): Effect.fn.Return<Outcome, SqlError.SqlError> {
  const read = decode(object)
  if (Option.isNone(read)) return ignored("the object is no invoice that we understand")
  const invoice = read.value
  const subscription = idOf(invoice.parent?.subscription_details?.subscription) ?? idOf(invoice.subscription)
  if (subscription === undefined) return ignored("the invoice is not for a subscription")
  const customer = idOf(invoice.customer)
  const operator = customer === undefined ? Option.none() : yield* operators.byBillingCustomer(customer)
  if (Option.isNone(operator)) return ignored(`customer ${customer ?? "(none)"} is not an operator of ours`)
  const until = Math.max(...invoice.lines.data.map(({ period }) => period.end)) * 1000
  if (!Number.isFinite(until)) return ignored("the invoice has no lines")
  const moved = yield* operators.extendPaidThrough(operator.value.operator_id, until)
  const day = new Date(until).toISOString()
  return { status: "applied", text: moved ? `paid through ${day}` : `nothing to change: paid beyond ${day} already` }
})
