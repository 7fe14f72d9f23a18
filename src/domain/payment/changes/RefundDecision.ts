/**
 * What a cancellation or a person gives back, of which payments, and what is said of it; and goodwill: an amount that
 * goes back at a person's word, while the booking stays. It is beside the price (`BookingTerms.goodwill`): no later
 * move or party counts it. Amounts are minor units.
 */
import { Result, Schema, Effect } from "effect"
import { BookingId } from "../../../platform/ids/Ids.ts"
import { display, Money, money } from "../../../platform/money/Money.ts"
import { type BookingRow, type HistoryFacts, refundByTerms } from "../../booking/Booking.ts"
import { underDispute } from "../refunds/Disputes.ts"
import {
  byHandOf,
  failedSoFar,
  ownPayments,
  refundable,
  refundParts,
  type RefundRow,
  owedSoFar
} from "../refunds/Refund.ts"
import { type Words, type Act, amountField, reasonField } from "./Act.ts"
import type { Situation, Told } from "./BookingChanges.ts"

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

/** Decides what of a booking's payments goes back. Pure. */
export const decideRefund = (
  { booking, disputes, now, owed, refunds: known, sessions: all }: Situation,
  choice: RefundChoice
): Result.Result<DecidedRefund, RefundTooLarge> => {
  const state = refundable(all, known)
  const { given_back, left } = state
  const due = refundByTerms(booking, state, now)
  const wanted = choice === "terms" ? due.amount : choice === "full" ? left : choice === "none" ? 0 : choice.amount
  if (typeof choice === "object" && wanted > left) {
    const { booking_id, currency } = booking
    return Result.fail(new RefundTooLarge({ booking_id, left: money(left, currency) }))
  }
  const parts = refundParts(wanted, all, known)
  const amount = sum(parts.map((part) => part.amount))
  // Goodwill is owed beside what the terms owe, and what a person chose beside what is owed so far.
  const byTerms = Math.min(booking.paid, due.owed + (booking.terms.goodwill ?? 0))
  return Result.succeed({
    known,
    parts,
    amount,
    refund_percent: due.refund_percent,
    by_terms: due.amount,
    owed: choice === "terms" ? byTerms : given_back + failedSoFar(all, known) + amount,
    // What a lost dispute took is not a part of an amount that a person chose.
    decided:
      choice === "terms" ? byTerms : choice === "full" ? given_back + amount : owedSoFar(all, known, owed) + amount,
    given_back,
    disputed: sum(ownPayments(all, known).map((session) => Math.min(session.amount, underDispute(session, disputes))))
  })
}

/** What the person is told that goes back, for `VersionToken.ts`. */
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

interface Remarked extends Pick<Told, "not_asked"> {
  readonly by_hand?: Money
  readonly given_back?: Money
  readonly disputed?: Money
  readonly blocked?: Money
}

/** What reduces a refund, and what it waits for: for staff, at the desk and by commands. */
export const refundRemarks = (
  { blocked, by_hand, disputed, given_back, not_asked }: Remarked,
  { m: { desk }, money }: Words
): ReadonlyArray<string> => {
  const of = (amount: Money | undefined, says: (shown: string) => string) =>
    amount === undefined || amount.amount === 0 ? [] : [says(money(amount))]
  return [
    ...of(by_hand, desk.back.byHand),
    ...of(given_back, desk.back.before),
    ...of(disputed, desk.back.disputed),
    ...of(blocked, desk.back.blocked),
    ...(not_asked === undefined ? [] : [desk.back.notAsked])
  ]
}

interface GoodwillWish {
  /** In addition to earlier refunds, in minor units. */
  readonly amount: number
  readonly reason: string
}

const amount = amountField("What goes back, in the booking's currency, like 20.00, beside what went back before")
const reason = reasonField(true)

/** Gives an amount back. */
export const goodwill: Act<GoodwillWish, DecidedRefund, GivenBack, RefundTooLarge> = {
  span: "Goodwill.give",
  step: "back",
  right: "give_back",
  fields: [amount, reason],
  wish: (read) => Result.all({ amount: read(amount), reason: read(reason) }),
  asks: true,
  closesPages: false,
  decide: (as, wish) => decideRefund(as, { amount: wish.amount }),
  outcome: refundOutcome,
  answer: ({ booking }, decided) => givenBackOf(booking, decided),
  apply: Effect.fnUntraced(function* ({ booking }, decided, wish, write) {
    const { goodwill: before = 0, ...terms } = booking.terms
    const given = { ...booking, terms: { ...terms, goodwill: before + decided.amount } }
    yield* write.changeDue(given)
    const after = yield* write.change(given, {
      payment: "refund_requested",
      note: true,
      event: "goodwill",
      detail: refundInHistory(booking, decided, { amount: wish.amount }, wish.reason),
      facts: refundFacts(decided, { amount: wish.amount }, wish.reason)
    })
    yield* write.refund(booking, decided, "goodwill")
    return { booking: after }
  }),
  isOffered: ({ booking }) => booking.paid > booking.refunded,
  words: ({ m: { desk } }) => ({ title: desk.back.title, confirm: desk.back.confirm, over: desk.back.nothing }),
  told: (done, words) => ({
    facts: [{ term: words.m.words.comesBack, is: words.money(done.refund), look: "main" }],
    sentences: [...refundRemarks(done, words), words.m.desk.back.stays]
  }),
  refused: ({ left }, { m, money }) => m.desk.back.tooMuch(money(left)),
  command: {
    name: "refund",
    description:
      "Give an amount back without cancelling, never more than is left: by the provider what was paid by link, by hand what was paid at the venue. It needs the code of a preview, so that nothing goes back twice",
    needsShown: () => "So that nothing goes back twice, see --preview first: it prints the code for --as-shown."
  }
}
