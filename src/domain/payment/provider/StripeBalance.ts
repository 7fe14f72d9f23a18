/**
 * The calls about an account's balance. Field names and meanings are the provider's
 * (https://docs.stripe.com/api/balance_transactions, https://docs.stripe.com/api/payouts).
 */
import { Effect, Option, Schema } from "effect"
import type { Stripe } from "stripe"
import { fromProviderAmount } from "../../../platform/money/Charge.ts"
import type { PaymentGateway } from "./PaymentGateway.ts"
import type { BalanceSource, BalanceTransaction, ProviderPayout, Stretch } from "./ProviderBalance.ts"
import { ProviderCode, ProviderId } from "./ProviderSchema.ts"
import type { Lists } from "./StripeLists.ts"
import { readObject, readPaymentOf } from "./StripeMessages.ts"

const Transaction = Schema.decodeUnknownOption(
  Schema.Struct({
    id: ProviderId,
    object: Schema.Literal("balance_transaction"),
    created: Schema.Int,
    reporting_category: ProviderCode,
    amount: Schema.Int,
    currency: ProviderCode,
    fee: Schema.Int,
    fee_details: Schema.Array(Schema.Struct({ amount: Schema.Int, type: ProviderCode })),
    net: Schema.Int,
    source: Schema.optionalKey(Schema.Unknown)
  })
)

const Source = Schema.decodeUnknownOption(
  Schema.Struct({
    id: ProviderId,
    object: ProviderCode,
    amount: Schema.optionalKey(Schema.Int),
    currency: Schema.optionalKey(ProviderCode),
    status: Schema.optionalKey(Schema.NullOr(ProviderCode)),
    metadata: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.String)))
  })
)

/** Reads an expanded source; none of an object without an amount, like one that was not expanded. */
const readSource = (answer: unknown): Option.Option<BalanceSource> =>
  Option.flatMap(Source(answer), ({ amount, currency, id, metadata, object, status }) => {
    if (amount === undefined || currency === undefined) return Option.none()
    const own = metadata?.[object === "refund" ? "refund_id" : "payment_session_id"]
    return Option.some({
      id,
      payment_intent_id: Option.getOrElse(readPaymentOf(answer), () => ""),
      amount: fromProviderAmount(amount, currency),
      currency: currency.toUpperCase(),
      ...(typeof status === "string" ? { status } : {}),
      ...(own === undefined ? {} : object === "refund" ? { refund_id: own } : { payment_session_id: own })
    })
  })

/** Reads a change of the balance. The provider's part is what the details do not name as the platform's. */
const readTransaction = (answer: unknown): Option.Option<BalanceTransaction> =>
  Option.map(Transaction(answer), (found) => {
    const inOurs = (amount: number) => fromProviderAmount(amount, found.currency)
    const platform = found.fee_details
      .filter(({ type }) => type === "application_fee")
      .reduce((sum, { amount }) => sum + amount, 0)
    const source = Option.getOrUndefined(readSource(found.source))
    return {
      id: found.id,
      created: found.created,
      category: found.reporting_category,
      amount: inOurs(found.amount),
      currency: found.currency.toUpperCase(),
      provider_fee: inOurs(found.fee - platform),
      platform_fee: inOurs(platform),
      net: inOurs(found.net),
      ...(source === undefined ? {} : { source })
    }
  })

const Payout = Schema.decodeUnknownOption(
  Schema.Struct({
    id: ProviderId,
    object: Schema.Literal("payout"),
    created: Schema.Int,
    automatic: Schema.Boolean,
    reconciliation_status: Schema.optionalKey(ProviderCode)
  })
)

const readPayout = (answer: unknown): Option.Option<ProviderPayout> =>
  Option.map(Payout(answer), ({ automatic, created, id, reconciliation_status }) => ({
    id,
    created,
    itemised: automatic && reconciliation_status !== "not_applicable" && reconciliation_status !== "in_progress"
  }))

const createdIn = ({ before, since }: Stretch) => ({ gte: since, lt: before })

/** The calls of the port that read an account's balance. */
export const balanceCalls = (
  stripe: Stripe,
  listAll: Lists["listAll"]
): Pick<PaymentGateway["Service"], "balanceTransactions" | "payouts" | "transactionsOfPayout"> => ({
  balanceTransactions: Effect.fn("PaymentGateway.balanceTransactions")((account: string, stretch: Stretch) =>
    listAll("balanceTransactions", account, readTransaction, (page) =>
      stripe.balanceTransactions.list(
        { ...page, created: createdIn(stretch), expand: ["data.source"] },
        { stripeAccount: account }
      )
    )
  ),

  payouts: Effect.fn("PaymentGateway.payouts")((account: string, stretch: Stretch) =>
    listAll("payouts", account, readPayout, (page) =>
      stripe.payouts.list({ ...page, created: createdIn(stretch) }, { stripeAccount: account })
    )
  ),

  transactionsOfPayout: Effect.fn("PaymentGateway.transactionsOfPayout")((account: string, payout: string) =>
    listAll("transactionsOfPayout", account, readObject("balance_transaction"), (page) =>
      stripe.balanceTransactions.list({ ...page, payout }, { stripeAccount: account })
    )
  )
})
