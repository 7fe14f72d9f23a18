/**
 * What a cancellation or a person gives back, of which payments, and what is said of it. Amounts are minor units. Pure.
 */
import { Result, Schema } from "effect"
import { type BookingRow, type HistoryFacts, refundByTerms } from "../../booking/Booking.ts"
import { BookingId } from "../../../platform/ids/Ids.ts"
import { display, Money, money } from "../../../platform/money/Money.ts"
import { underDispute } from "../refunds/Disputes.ts"
import { byHandOf, ownPayments, refundable, refundParts, type RefundRow, returnedOf } from "../refunds/Refund.ts"
import type { Situation } from "./Situation.ts"

/** The refund: by the terms, the whole rest, none, or an amount (minor units) in addition to earlier refunds. */
export type RefundChoice = "terms" | "full" | "none" | { readonly amount: number }

/** The chosen refund exceeds the rest of the booking's payments. */
export class RefundTooLarge extends Schema.TaggedError<RefundTooLarge>()("RefundTooLarge", {
  booking_id: BookingId,
  left: Money
}) {
  override get message(): string {
    return `Only ${this.left.display} is left of what was paid for ${this.booking_id}.`
  }
}

/** What goes back, or would go back. */
export interface GivenBack {
  readonly refund: Money
  /** The part of it that the venue gives back by hand: it was paid there. */
  readonly by_hand: Money
  /** Earlier refunds of the booking's own payments, settled or pending, from any source; lost disputes count. */
  readonly given_back: Money
  /** The amount under dispute. It is not refunded before the dispute is decided. */
  readonly disputed: Money
}

export interface DecidedRefund {
  readonly known: ReadonlyArray<RefundRow>
  readonly parts: ReturnType<typeof refundParts>
  readonly amount: number
  readonly refund_percent: number
  readonly by_terms: number
  /** What goes back in all. */
  readonly owed: number
  readonly decided: number
  readonly given_back: number
  readonly disputed: number
}

const sum = (amounts: ReadonlyArray<number>) => amounts.reduce((total, amount) => total + amount, 0)

/** Decides what of a booking's payments goes back. */
export const decideRefund = (
  { booking, disputes, now, refunds: known, sessions: all }: Situation,
  choice: RefundChoice
): Result.Result<DecidedRefund, RefundTooLarge> => {
  const { given_back, left } = refundable(all, known)
  const byRefunds = known.filter(({ cause }) => cause !== "dispute")
  const refunded = refundable(
    all.map((session) => ({ ...session, refunded: returnedOf(session, byRefunds) })),
    known
  ).given_back
  const due = refundByTerms(booking, { given_back, left }, now)
  const wanted = choice === "terms" ? due.amount : choice === "full" ? left : choice === "none" ? 0 : choice.amount
  if (typeof choice === "object" && wanted > left) {
    const { booking_id, currency } = booking
    return Result.fail(new RefundTooLarge({ booking_id, left: money(left, currency) }))
  }
  const parts = refundParts(wanted, all, known)
  const amount = sum(parts.map((part) => part.amount))
  return Result.succeed({
    known,
    parts,
    amount,
    refund_percent: due.refund_percent,
    by_terms: due.amount,
    owed: choice === "terms" ? due.owed : given_back + amount,
    // What a lost dispute took is not a part of an amount that a person chose.
    decided: choice === "terms" ? due.owed : choice === "full" ? given_back + amount : refunded + amount,
    given_back,
    disputed: sum(ownPayments(all, known).map((session) => Math.min(session.amount, underDispute(session, disputes))))
  })
}

/** What the person is told that goes back, for `ShownState.ts`. */
export const refundOutcome = ({ amount, disputed, given_back }: DecidedRefund) => ({
  refund: amount,
  given_back,
  disputed
})

/** What was decided, for people. */
export const givenBackOf = ({ currency }: BookingRow, decided: DecidedRefund): GivenBack => ({
  refund: money(decided.amount, currency),
  by_hand: money(byHandOf(decided.parts), currency),
  given_back: money(decided.given_back, currency),
  disputed: money(decided.disputed, currency)
})

/** The history's text: who decided, and the amount. */
export const refundInHistory = (
  booking: BookingRow,
  decided: DecidedRefund,
  choice: RefundChoice,
  reason: string | undefined
) => {
  const back =
    decided.amount > 0 ? `${display(decided.amount, booking.currency)} will be refunded` : "nothing is refunded"
  const byTerms = display(decided.by_terms, booking.currency)
  const by = choice === "terms" ? "" : ` at a person's word, not by the terms (${byTerms})`
  return `${reason === undefined || reason === "" ? "" : `${reason}; `}${back}${by}`
}

/** The same in parts. `reason`: in a person's words. */
export const refundFacts = (decided: DecidedRefund, choice: RefundChoice, reason: string): HistoryFacts => ({
  refund: decided.amount,
  ...(choice === "terms" ? {} : { by_terms: decided.by_terms }),
  ...(reason === "" ? {} : { reason })
})
