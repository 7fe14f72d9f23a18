/** What a cancellation or a person gives back, of which payments, and what is said of it. Amounts are minor units. */
import { Clock, Effect, Schema } from "effect"
import type { BookingRow } from "../../booking/Booking.ts"
import { refundByTerms } from "../../booking/Cancellation.ts"
import { stateShown } from "../../booking/ShownState.ts"
import { BookingId } from "../../kernel/Ids.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
import { display, Money, money } from "../../kernel/Money.ts"
import { type DisputeRow, Disputes, underDispute } from "../refunds/Disputes.ts"
import { byHandOf, ownPayments, refundable, refundParts, type RefundRow, returnedOf } from "../refunds/Refund.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { Refunds } from "../refunds/Refunds.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"

/** The refund: by the terms, the whole rest, none, or an amount (minor units) in addition to earlier refunds. */
export type RefundChoice = "terms" | "full" | "none" | { readonly amount: number }

/** The chosen refund exceeds the rest of the booking's payments. */
export class RefundTooLarge extends Schema.TaggedError<RefundTooLarge>()("RefundTooLarge", {
  booking_id: BookingId,
  left: Money
}) {
  override get message(): string {
    return `No more than ${this.left.display} of what was paid for ${this.booking_id} is left to be refunded.`
  }
}

/** A booking's payments, with what is known of refunds and disputes of them. */
interface PaymentsSoFar {
  readonly all: ReadonlyArray<PaymentSessionRow>
  readonly known: ReadonlyArray<RefundRow>
  readonly disputed: ReadonlyArray<DisputeRow>
}

/** What goes back, or would go back. A preview has the booking as it is before. */
export interface GivenBack {
  readonly booking: BookingRow
  readonly refund: Money
  /** The part of it that the venue gives back by hand: it was paid there. */
  readonly by_hand: Money
  /** Earlier refunds of the booking's own payments, settled or pending, from any source; lost disputes count. */
  readonly given_back: Money
  /** The amount under dispute. It is not refunded before the dispute is decided. */
  readonly disputed: Money
  /** The state before, and what is done, for the form or command that does it (`ShownState.ts`). */
  readonly shown: string
  /**
   * Why the provider could not be asked for earlier refunds. It is asked before the refund is sent, so the refund may
   * be less.
   */
  readonly not_asked?: string
}

const sum = (amounts: ReadonlyArray<number>) => amounts.reduce((total, amount) => total + amount, 0)

/** Decides what of a booking's payments goes back at `now`. */
const decideRefund = Effect.fnUntraced(function* (
  booking: BookingRow,
  { all, disputed, known }: PaymentsSoFar,
  choice: RefundChoice,
  now: Instant
) {
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
    return yield* new RefundTooLarge({ booking_id, left: money(left, currency) })
  }
  const parts = refundParts(wanted, all, known)
  const amount = sum(parts.map((part) => part.amount))
  return {
    all,
    known,
    parts,
    amount,
    refund_percent: due.refund_percent,
    by_terms: due.amount,
    owed: choice === "terms" ? due.owed : given_back + amount,
    // What a lost dispute took is not a part of an amount that a person chose.
    decided: choice === "terms" ? due.owed : choice === "full" ? given_back + amount : refunded + amount,
    given_back,
    disputed: sum(ownPayments(all, known).map((session) => Math.min(session.amount, underDispute(session, disputed))))
  }
})
export type DecidedRefund = Effect.Success<ReturnType<typeof decideRefund>>

/** What the person is told that the cancellation does, for `ShownState.ts`. */
export const refundOutcome = ({ amount, disputed, given_back }: DecidedRefund) => ({
  refund: amount,
  given_back,
  disputed
})

/** The functions that decide what goes back now, by what is stored, and that request it. */
export const makeRefundDecisions = Effect.gen(function* () {
  const sessions = yield* PaymentSessions
  const disputes = yield* Disputes
  const records = yield* RefundRecords
  const refunds = yield* Refunds

  const decide = Effect.fnUntraced(function* (booking: BookingRow, choice: RefundChoice) {
    const now = yield* Clock.currentTimeMillis
    const all = yield* sessions.ofBooking(booking.booking_id)
    const known = yield* records.ofBooking(booking)
    const disputed = yield* disputes.ofBooking(booking)
    return yield* decideRefund(booking, { all, known, disputed }, choice, now)
  })

  /** In the caller's transaction, which holds the booking's lock. */
  const request = Effect.fnUntraced(function* (
    { booking_id }: Pick<BookingRow, "booking_id">,
    { decided, known, owed, parts }: DecidedRefund,
    cause: "cancellation" | "goodwill"
  ) {
    for (const { amount, session } of parts) yield* refunds.request(session, amount, cause, owed, known)
    yield* records.decide(booking_id, decided)
    // A refund that is on its way may be the whole rest, and grows no smaller by this decision. It shrinks if the operator
    // refunds by hand meanwhile.
    yield* records.raiseOwed(booking_id, owed)
  })

  return { decide, request }
})

/** What was decided, for people. `from`: the booking before that. */
export const givenBackOf = (
  booking: BookingRow,
  decided: DecidedRefund,
  not_asked: string | undefined,
  from = booking
): GivenBack => {
  const { currency } = booking
  return {
    booking,
    refund: money(decided.amount, currency),
    by_hand: money(byHandOf(decided.parts), currency),
    given_back: money(decided.given_back, currency),
    disputed: money(decided.disputed, currency),
    shown: stateShown(from, refundOutcome(decided)),
    ...(not_asked === undefined ? {} : { not_asked })
  }
}

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
  return `${reason === undefined ? "" : `${reason}; `}${back}${by}`
}
