/** The lines of a month's accounts, and which belong to a month. Minor units; what went back or left is negative. */
import { Schema } from "effect"
import { OperatorId } from "../../../platform/ids/Ids.ts"
import { dayMs, format, type Instant, InstantFromDate } from "../../../platform/time/LocalTime.ts"
import {
  fromProviderAmount,
  feeGivenBack,
  toProviderAmount,
  toProviderFee
} from "../../../platform/money/ProviderAmount.ts"
import { VenueWay } from "../sessions/PaymentSession.ts"

/** What the provider's record says of a line; amounts in the currency of the account's balance. */
const BalancePart = Schema.Struct({
  /** The provider's id of the change of the balance. */
  transaction_id: Schema.String,
  currency: Schema.String,
  provider_fee: Schema.Finite,
  /** What the balance changed by: the amount without both fees. */
  net: Schema.Finite,
  /** The payout that contains it; absent before there is one, and of payouts by hand. */
  payout: Schema.optionalKey(Schema.String)
})

/** One amount that came in, went back, or left the provider's balance. */
export const AccountLine = Schema.Struct({
  at: InstantFromDate,
  /** `payout`: to the operator's bank. `fee`: the provider's, for nothing that was booked. `other`: not of this service. */
  kind: Schema.Literals(["payment", "refund", "dispute", "payout", "fee", "other"]),
  /** `link`: at the provider. Of a refund that a person made in an unknown way: `other`. */
  way: Schema.Literals(["link", ...VenueWay.literals, "other"]),
  amount: Schema.Finite,
  currency: Schema.String,
  /**
   * The platform's part of a payment by link; of a refund, the part that is given back with it. In the currency of the
   * balance if the provider told it.
   */
  application_fee: Schema.Finite,
  /** The tax's rate of the booking, in percent: a part of the amount, included in it. 0 without a booking. */
  tax_percent: Schema.Finite,
  /** Why it went back, or the provider's word for what it is; null for a payment. */
  cause: Schema.NullOr(Schema.String),
  operator_id: OperatorId,
  operator_name: Schema.String,
  booking_id: Schema.NullOr(Schema.String),
  reference: Schema.NullOr(Schema.String),
  time_zone: Schema.String,
  /** Our own id of the payment or refund. */
  id: Schema.NullOr(Schema.String),
  /** The provider's id of the payment, refund, dispute or payout; null at the venue. */
  provider_id: Schema.NullOr(Schema.String),
  balance: Schema.optionalKey(BalancePart)
})
export type AccountLine = typeof AccountLine.Type

/** Where a page of lines ends. */
interface Position {
  readonly at: Instant
  readonly id: string
}

/** Between two instants, of one operator or of all. */
export interface LineRange {
  readonly from: Instant
  readonly until: Instant
  readonly operator_id?: string
}

/** Which lines of our own rows, and how many at once. */
export interface AccountQuery extends LineRange {
  /** Only what was paid, or went back, outside the provider. */
  readonly at_venue?: true
  /** Only what was paid on, or went back from, this account at the provider. */
  readonly account?: string
  readonly after?: Position
  readonly limit: number
}

/** A month (`2027-01`), of one operator or of all. */
export interface MonthQuery {
  readonly month: string
  readonly operator_id?: string
}

/**
 * An account at the provider, with the operator that takes payments on it, or who did last: what is of no booking is its.
 */
export const OperatorAccount = Schema.Struct({
  account: Schema.String,
  /** Whose payments and refunds are on it: several if it passed from one operator to another. */
  operators: Schema.Array(OperatorId),
  operator_id: OperatorId,
  operator_name: Schema.String,
  /** That of most of its playrooms. */
  time_zone: Schema.String
})
export type OperatorAccount = typeof OperatorAccount.Type

const { balance: _, ...ownFields } = AccountLine.fields

/** A line of our own rows. */
export const OwnLine = Schema.Struct({
  ...ownFields,
  id: Schema.String,
  /** When our row was made. */
  made_at: InstantFromDate,
  /** Of a refund that gives the platform's fee back: what was paid, and what went back before. */
  paid: Schema.NullOr(Schema.Int),
  before: Schema.NullOr(Schema.Int)
})
export type OwnLine = typeof OwnLine.Type

/** Clocks differ from UTC by less. */
const maxOffsetMs = dayMs

/** Instants that contain a month (`2027-01`) on every clock. */
export const monthRange = (month: string): { readonly from: Instant; readonly until: Instant } => {
  const [year = 0, number = 0] = month.split("-").map(Number)
  return { from: Date.UTC(year, number - 1) - maxOffsetMs, until: Date.UTC(year, number) + maxOffsetMs }
}

/** Whether a line is of a month, by its playroom's own clock. */
export const isInMonth = (month: string, { at, time_zone }: Pick<AccountLine, "at" | "time_zone">): boolean =>
  format(time_zone, at).startsWith(month)

/** What the provider takes of a payment for the platform. */
export const platformFee = (application_fee: number, currency: string): number =>
  fromProviderAmount(toProviderFee(application_fee, currency), currency)

/** Of it, what a refund gives back; `before`: what went back of the payment by earlier refunds. */
export const platformFeeBack = (payment: {
  readonly application_fee: number
  readonly paid: number
  readonly before: number
  readonly amount: number
  readonly currency: string
}): number => {
  const { amount, before, currency } = payment
  const [fee, paid, first, last] = [
    toProviderFee(payment.application_fee, currency),
    toProviderAmount(payment.paid, currency) ?? 0,
    toProviderAmount(before, currency) ?? 0,
    toProviderAmount(before + amount, currency) ?? 0
  ]
  const together = (refunded: number) => feeGivenBack(fee, Math.min(refunded, paid), paid)
  return fromProviderAmount(together(last) - together(first), currency)
}
