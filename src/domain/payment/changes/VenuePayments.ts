/**
 * Payments that a person took at the venue: in cash, by card, by transfer. Each is a paid session that the provider knows
 * nothing of, so that it counts, and goes back, as any other. It closes the pages on which the same could be paid. A
 * payment by link that arrives all the same is more than is owed, and goes back (`Settlement.ts`).
 */
import { Effect, Result, Schema } from "effect"
import { type BookingCancelled, HoldExpired } from "../../booking/Booking.ts"
import { holdRuns } from "../../booking/Lifecycle.ts"
import { amountsToPay } from "../../booking/Standing.ts"
import { BookingId, type PaymentSessionId } from "../../../platform/ids/Ids.ts"
import { display, Money, money } from "../../../platform/money/Money.ts"
import { isBalancePaid, ownPayments } from "../refunds/Refund.ts"
import { withDue } from "../settlement/PaidAmount.ts"
import { isUnresolved, VenueWay, wayInWords } from "../sessions/PaymentSession.ts"
import { type Act, amountField, choiceField } from "./Act.ts"
import { alive, type Situation } from "./Situation.ts"

/**
 * Why a payment can't be recorded. `more_than_owed`: `owed` says how much is. `less_than_due`: places that are only held
 * take at least what is due now. `processing`: a payment by link is under way.
 */
export class VenuePaymentRefused extends Schema.TaggedError<VenuePaymentRefused>()("VenuePaymentRefused", {
  booking_id: BookingId,
  reason: Schema.Literals(["more_than_owed", "less_than_due", "processing"]),
  owed: Money
}) {
  override get message(): string {
    switch (this.reason) {
      case "more_than_owed":
        return this.owed.amount === 0
          ? `Nothing is owed for ${this.booking_id}.`
          : `No more than ${this.owed.display} is owed for ${this.booking_id}.`
      case "less_than_due":
        return `${this.booking_id} is only held: at least ${this.owed.display} is due now.`
      case "processing":
        return `A payment by link is being processed for ${this.booking_id}. If it fails, ${this.owed.display} is owed again.`
    }
  }
}

/** A recorded payment, or what recording it would do. */
export interface RecordedPayment {
  readonly payment_session_id?: PaymentSessionId
  readonly amount: Money
  readonly way: VenueWay
  /** What is owed after it. */
  readonly left: Money
  /** Whether places that were only held are then confirmed. */
  readonly confirms: boolean
}

/** What is owed, whatever is due now. */
const outstanding = ({ booking, refunds, sessions }: Situation): number =>
  amountsToPay(booking, { balance_paid: isBalancePaid(booking, sessions, refunds) }).outstanding

interface PaidWish {
  /** In minor units. */
  readonly amount: number
  readonly way: VenueWay
}

const amountPaid = amountField(
  "What was paid, in the booking's currency, like 45.00; all that is owed, or a part of it",
  outstanding
)
const wayPaid = choiceField(
  "way",
  VenueWay.literals,
  ({ m }) => m.desk.pay.way,
  ({ m }, way) => m.receipt.paidBy[way],
  "How: cash, card or transfer"
)

/** What is owed after it. */
type Left = number

/** Records a payment at the venue. */
export const payAtVenue: Act<PaidWish, Left, RecordedPayment, VenuePaymentRefused | BookingCancelled | HoldExpired> = {
  span: "VenuePayments.record",
  step: "pay",
  right: "take_payment",
  fields: [amountPaid, wayPaid],
  wish: (read) => Result.all({ amount: read(amountPaid), way: read(wayPaid) }),
  asks: false,
  closesPages: true,
  open: (as) => {
    const { booking, now } = as
    const { booking_id, status } = booking
    const over = status === "held" && !holdRuns(booking, now)
    return Result.andThen(alive(as), over ? Result.fail(new HoldExpired({ booking_id })) : Result.void)
  },
  decide: (as, { amount }) => {
    const { booking_id, currency, due_now, status } = as.booking
    const owed = outstanding(as)
    const refuse = (reason: VenuePaymentRefused["reason"], minor: number) =>
      Result.fail(new VenuePaymentRefused({ booking_id, reason, owed: money(minor, currency) }))
    if (as.sessions.some(isUnresolved)) return refuse("processing", owed)
    if (amount > owed) return refuse("more_than_owed", owed)
    if (status === "held" && amount < due_now) return refuse("less_than_due", due_now)
    return Result.succeed(owed - amount)
  },
  outcome: (left, { amount, way }) => ({ amount, way, left }),
  answer: ({ booking: { currency, status } }, left, { amount, way }) => ({
    amount: money(amount, currency),
    way,
    left: money(left, currency),
    confirms: status === "held"
  }),
  apply: Effect.fnUntraced(function* ({ booking, refunds, sessions }, left, { amount, way }, write) {
    const { currency, due_now, payment_status, total } = booking
    const held = booking.status === "held"
    const payment_session_id = yield* write.take(booking, { purpose: held ? "due_now" : "balance", amount, way })
    const asked = held ? due_now : total - due_now
    const settled = ownPayments(sessions, refunds).map((one) => one.payment_session_id)
    const counted =
      amount === asked ? booking : withDue(booking, held ? amount : due_now + amount, [...settled, payment_session_id])
    const inPart = held || payment_status === "not_required" || payment_status === "refunded"
    const paid = yield* write.change(counted, {
      ...(held ? { transition: "due_paid", awaiting_provider: false } : {}),
      ...(left === 0 ? { payment: "all_paid" } : inPart ? { payment: "deposit_paid" } : {}),
      paid: amount,
      event: "paid_at_venue",
      detail: `${display(amount, currency)} ${wayInWords[way]}${left === 0 ? "" : `; ${display(left, currency)} is still to be paid`}`,
      facts: { paid: amount, left }
    })
    if (counted !== booking) yield* write.changeDue(paid)
    return { booking: paid, payment_session_id }
  }),
  isOffered: (as) => outstanding(as) > 0 && (as.booking.status !== "held" || holdRuns(as.booking, as.now)),
  words: ({ m: { desk } }) => ({ title: desk.pay.title, confirm: desk.pay.confirm, over: desk.pay.nothing }),
  told: ({ amount, confirms, left, way }, { m, money }) => ({
    facts: [
      { term: m.receipt.paidBy[way], is: money(amount), look: "main" },
      { term: m.desk.pay.left, is: money(left) }
    ],
    sentences: [...(confirms ? [m.desk.pay.confirms] : []), m.desk.pay.pages]
  }),
  refused: (error, { m, money }) => {
    const { pay } = m.desk
    // It was paid, here or online, or ended, since the form was opened.
    if (error._tag !== "VenuePaymentRefused" || error.owed.amount === 0) return pay.nothing
    const owed = money(error.owed)
    return { more_than_owed: pay.more(owed), less_than_due: pay.less(owed), processing: pay.processing }[error.reason]
  },
  command: {
    name: "record",
    description: "Record what was paid at the venue; the pages that ask for it are closed",
    needsShown: ({ amount, left, shown }) =>
      left.amount === 0
        ? undefined
        : `${amount.display} is a part: ${left.display} would be left. So that no part is recorded twice, say it as --preview shows it: --as-shown ${shown}`
  }
}
