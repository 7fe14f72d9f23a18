/**
 * Whether our rows say the same as the provider's record of an account, line by line. A refund that is under way here has
 * left the balance there; one that failed has come back; an open dispute is held.
 */
import { Schema } from "effect"
import { type AccountLine, type OwnLine, platformFee, platformFeeBack } from "./AccountLine.ts"
import { fromProviderAmount } from "../../../platform/money/Charge.ts"
import type { BalanceTransaction } from "../provider/PaymentGateway.ts"
import { statusesWithPayer } from "../refunds/Disputes.ts"

/** Our row of a payment. */
export const OwnPayment = Schema.Struct({
  payment_session_id: Schema.String,
  status: Schema.String,
  amount: Schema.Int,
  currency: Schema.String,
  application_fee: Schema.Int
})
/** Our row of a refund. `before`: what earlier refunds gave back of the payment. */
export const OwnRefund = Schema.Struct({
  refund_id: Schema.String,
  provider_refund_id: Schema.NullOr(Schema.String),
  status: Schema.String,
  cause: Schema.String,
  amount: Schema.Int,
  currency: Schema.String,
  before: Schema.Int
})
/** Our row of a dispute. `counted`: it counts as money that went back. */
export const OwnDispute = Schema.Struct({
  dispute_id: Schema.String,
  status: Schema.String,
  amount: Schema.Int,
  currency: Schema.String,
  counted: Schema.Boolean
})

/** Our rows about one change of the balance. */
interface OwnRows {
  readonly payment: typeof OwnPayment.Type | undefined
  readonly refund: typeof OwnRefund.Type | undefined
  readonly dispute: typeof OwnDispute.Type | undefined
}

/**
 * `missing`: we have it, the provider does not. `unknown`: the provider has it, we do not. `amount`, `platform_fee`: the
 * amounts differ. `status`: one says that the money moved, the other that it did not. Minor units; signed.
 */
export interface Difference {
  readonly kind: "missing" | "unknown" | "amount" | "platform_fee" | "status"
  readonly provider_id: string
  readonly ours: number
  readonly theirs: number
  readonly currency: string
  readonly reference: string | null
}
type Found = Omit<Difference, "reference">

interface Compared {
  /** Our amount for the line, signed; absent if there is nothing of ours to compare. */
  readonly own?: number
  /** It is about a payment that this service did not make. */
  readonly foreign?: true
  readonly differences: ReadonlyArray<Found>
}

const nothing: Compared = { differences: [] }
const foreign: Compared = { foreign: true, differences: [] }

const failed = (status: string | undefined): boolean => status === "failed" || status === "canceled"

/** Compares one change of the balance with our rows about it. */
export const compareLine = (kind: AccountLine["kind"], transaction: BalanceTransaction, own: OwnRows): Compared => {
  const { category, platform_fee, source } = transaction
  const { dispute, payment, refund } = own
  if (source === undefined || (kind !== "payment" && kind !== "refund" && kind !== "dispute")) {
    return kind === "payout" || kind === "fee" ? nothing : foreign
  }
  const sign = Math.sign(transaction.amount)
  const theirs = sign * source.amount
  const differs = (found: Found["kind"], ours: number, them = theirs, currency = source.currency): Found => ({
    kind: found,
    provider_id: kind === "payment" && source.payment_intent_id !== "" ? source.payment_intent_id : source.id,
    ours,
    theirs: them,
    currency
  })
  const unknown: Compared = { own: 0, differences: [differs("unknown", 0)] }
  /** The fee can be compared only in the payment's own currency. */
  const feeOf = (ours: number, tolerated: number): ReadonlyArray<Found> =>
    transaction.currency !== source.currency || Math.abs(ours - platform_fee) <= tolerated
      ? []
      : [differs("platform_fee", ours, platform_fee)]
  const sameAmount = (row: { readonly amount: number; readonly currency: string }): ReadonlyArray<Found> =>
    row.amount === source.amount && row.currency === source.currency
      ? []
      : [differs("amount", sign * row.amount, theirs)]

  if (kind === "payment") {
    if (payment === undefined) return source.payment_session_id === undefined ? foreign : unknown
    if (payment.status !== "paid") return { own: 0, differences: [differs("status", 0)] }
    const fee = category === "charge" ? feeOf(platformFee(payment.application_fee, payment.currency), 0) : []
    return { own: sign * payment.amount, differences: [...sameAmount(payment), ...fee] }
  }
  if (kind === "dispute") {
    if (dispute === undefined) return payment === undefined ? foreign : unknown
    const status = source.status ?? dispute.status
    const agrees = dispute.status === status && dispute.counted === statusesWithPayer.includes(status)
    const differences = agrees ? sameAmount(dispute) : [differs("status", sign * dispute.amount)]
    return { own: sign * dispute.amount, differences }
  }
  const ended = failed(source.status)
  if (refund === undefined) {
    if (payment === undefined) return source.refund_id === undefined ? foreign : unknown
    // It was sent again under another id, or was never counted: all in all nothing went back.
    return ended ? { own: theirs, differences: [] } : unknown
  }
  const isThis = refund.provider_refund_id === source.id
  if (ended) {
    const differences = isThis && refund.status === "succeeded" ? [differs("status", theirs)] : []
    return { own: theirs, differences }
  }
  if (!isThis && refund.provider_refund_id !== null) return unknown
  if (isThis && refund.status === "failed") return { own: 0, differences: [differs("status", 0)] }
  // The provider does not publish how it rounds a part of the fee: it may differ by its smallest unit.
  const unit = Math.max(1, fromProviderAmount(1, source.currency))
  const gives = payment !== undefined && refund.cause !== "dashboard" && category === "refund"
  const back = gives
    ? platformFeeBack({
        application_fee: payment.application_fee,
        paid: payment.amount,
        before: refund.before,
        amount: refund.amount,
        currency: payment.currency
      })
    : 0
  return {
    own: sign * refund.amount,
    differences: [...sameAmount(refund), ...(gives ? feeOf(-back, unit) : [])]
  }
}

/**
 * Whether the provider has nothing of one of our lines. What began before `since`, from where on the provider was asked,
 * is in an earlier month there.
 */
export const isMissing = (
  { id, made_at, provider_id, way }: OwnLine,
  known: ReadonlySet<string>,
  since: number
): boolean => way === "link" && made_at >= since && !known.has(provider_id ?? id)
