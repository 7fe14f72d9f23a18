/**
 * A payment at the venue that was recorded by mistake is undone: the money was never there, or belongs to another booking.
 * It is no refund. The booking owes again what it owed without it. In the books the payment stays on its day, and its
 * opposite stands on the day on which it was undone, so no month that was told changes.
 */
import { Effect, Result, Schema } from "effect"
import { attendanceWindow } from "../../booking/Attendance.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import { dateTimeIn } from "../../../words/Localized.ts"
import type { PaymentSessionId } from "../../../platform/ids/Ids.ts"
import { dayMs, format, type Instant } from "../../../platform/time/LocalTime.ts"
import { display, type Money, money } from "../../../platform/money/Money.ts"
import { isBalancePaid, ownPayments } from "../refunds/Refund.ts"
import {
  isAtVenue,
  isForBalance,
  isUnresolved,
  type PaymentSessionRow,
  wayInWords
} from "../sessions/PaymentSession.ts"
import { withDue } from "../settlement/PaidAmount.ts"
import { type Act, foundField, type Words } from "./Act.ts"
import type { Situation } from "./Situation.ts"

/**
 * Why a payment can't be undone. `not_recorded`: it was not taken at the venue, or is undone already. `ended`: its booking
 * is not confirmed. `given_back`: something of what was paid for the booking went back, or is to. `processing`: a payment by
 * link is under way.
 */
const UndoProblem = Schema.Literals(["not_recorded", "ended", "given_back", "processing", "too_late"])
type UndoProblem = typeof UndoProblem.Type

export class UndoRefused extends Schema.TaggedError<UndoRefused>()("UndoRefused", {
  payment_session_id: Schema.String,
  reason: UndoProblem
}) {
  override get message(): string {
    const why: Record<UndoProblem, string> = {
      not_recorded: "it is no payment that was recorded at the venue, or it is undone already.",
      ended: "its booking is no longer confirmed.",
      given_back: "money of its booking went back, or is to: playroom booking show says what.",
      processing: "a payment by link is being processed for its booking. Try again when that has arrived or failed.",
      too_late: `its visit was over more than ${attendanceWindow.lateMs / dayMs} days ago.`
    }
    return `${this.payment_session_id} is not undone: ${why[this.reason]}`
  }
}

type Sessions = ReadonlyArray<PaymentSessionRow>

/** Why a payment can't be undone now; undefined if it can. Pure. */
const undoProblem = (
  session: PaymentSessionRow,
  { booking, now, refunds: known, sessions: all }: Situation
): UndoProblem | undefined => {
  if (!isAtVenue(session) || session.status !== "paid") return "not_recorded"
  if (booking.status !== "confirmed") return "ended"
  if (booking.refunded > 0 || known.length > 0) return "given_back"
  if (all.some(isUnresolved)) return "processing"
  return now >= booking.ends_at + attendanceWindow.lateMs ? "too_late" : undefined
}

/** The booking without a payment: what else is paid is due, and the rest is the balance. Who pays it has time from now. */
const without = (booking: BookingRow, session: PaymentSessionRow, all: Sessions, now: Instant): BookingRow => {
  const { starts_at, terms, total } = booking
  const paid_due = isBalancePaid(booking, all, []) ? total : booking.due_now
  const due_now = Math.max(0, paid_due - session.amount)
  const was = terms.price.balance_due_at === undefined ? starts_at : Date.parse(terms.price.balance_due_at)
  const due_at = Math.max(was, Math.min(now, starts_at))
  // The deposit's payment stays what it is.
  const settled = ownPayments(all, []).flatMap((one) => (one === session ? [] : [one.payment_session_id]))
  const whole = isForBalance(session, booking) && due_now === booking.due_now
  const { most_paid } = terms
  if (whole && due_at === was && terms.price.balance_due_at !== undefined && most_paid === undefined) return booking
  const { terms: next, ...row } = withDue(booking, due_now, settled, format(terms.time_zone, due_at))
  // Nothing has gone back yet, so the next move finds anew how much was ever paid.
  return { ...row, terms: most_paid === undefined ? next : { ...next, most_paid: 0 } }
}

/** A payment that was undone, or what undoing it would do. */
export interface UndonePayment {
  readonly payment_session_id: PaymentSessionId
  readonly amount: Money
  readonly way: PaymentSessionRow["way"]
  readonly taken_by: string | null
  /** What is owed after it. */
  readonly left: Money
}

/** A payment in words: how much, how, when and by whom. */
const labelOf = (
  { m, money: shown, language }: Words,
  { amount, currency, paid_at, taken_by, way }: PaymentSessionRow,
  { terms: { time_zone } }: BookingRow
): string =>
  [
    shown(money(amount, currency)),
    way === "link" ? "" : m.receipt.paidBy[way],
    ...(paid_at === null ? [] : [dateTimeIn(language, time_zone, paid_at)]),
    ...(taken_by === null ? [] : [taken_by])
  ].join(" · ")

/** The payments of a booking that can be undone now, oldest first. */
const undoable = (as: Situation): Sessions => as.sessions.filter((one) => undoProblem(one, as) === undefined)

/** The payment to undo. */
export const undoneField = foundField(
  "payment",
  (words, as) => undoable(as).map((one) => ({ value: one.payment_session_id, label: labelOf(words, one, as.booking) })),
  ({ m }) => m.desk.undoPay.which,
  "payment_…, as `booking show` prints it: taken at the venue"
)

interface Undoing {
  readonly session: PaymentSessionRow
  readonly after: BookingRow
}

/** Undoes a payment at the venue. `payment`: its id. */
export const undoPayment: Act<{ readonly payment: string }, Undoing, UndonePayment, UndoRefused> = {
  span: "UndonePayments.undo",
  step: "unpay",
  right: "undo_payment",
  fields: [undoneField],
  wish: (read) => Result.all({ payment: read(undoneField) }),
  asks: false,
  closesPages: true,
  decide: (as, { payment }) => {
    const session = as.sessions.find(({ payment_session_id }) => payment_session_id === payment)
    const reason = session === undefined ? "not_recorded" : undoProblem(session, as)
    return session === undefined || reason !== undefined
      ? Result.fail(new UndoRefused({ payment_session_id: payment, reason: reason ?? "not_recorded" }))
      : Result.succeed({ session, after: without(as.booking, session, as.sessions, as.now) })
  },
  outcome: ({ after, session }) => ({ undone: session.payment_session_id, left: after.total - after.due_now }),
  answer: (_, { after, session }) => ({
    payment_session_id: session.payment_session_id,
    amount: money(session.amount, session.currency),
    way: session.way,
    taken_by: session.taken_by,
    left: money(after.total - after.due_now, after.currency)
  }),
  apply: Effect.fnUntraced(function* ({ booking }, { after, session }, _, write) {
    const { amount, currency, payment_session_id, taken_by, way } = session
    yield* write.undo(payment_session_id)
    const by = taken_by === null ? "" : `, taken by ${taken_by}`
    // First: what is due says which payment status a confirmed booking may have.
    if (after !== booking) yield* write.changeDue(after)
    const changed = yield* write.change(after, {
      payment: after.due_now === 0 ? "undone_in_full" : "undone_in_part",
      paid: -amount,
      note: true,
      event: "payment_undone",
      detail: `${display(amount, currency)} ${way === "link" ? "" : wayInWords[way]}${by} was recorded by mistake; ${display(after.total - after.due_now, currency)} is still to be paid`,
      facts: { paid: -amount, left: after.total - after.due_now }
    })
    return { booking: changed }
  }),
  isOffered: (as) => undoable(as).length > 0,
  words: ({ m: { desk } }) => ({
    title: desk.undoPay.title,
    confirm: desk.undoPay.confirm,
    over: desk.undoPay.nothing
  }),
  told: ({ amount, left, way }, { m: { desk, receipt }, money: shown }) => ({
    facts: [
      { term: way === "link" ? desk.undoPay.title : receipt.paidBy[way], is: shown(amount), look: "gone" },
      { term: desk.pay.left, is: shown(left), look: "main" }
    ],
    sentences: [desk.undoPay.noRefund, desk.undoPay.books]
  }),
  refused: ({ reason }, { m: { desk } }) => (reason === "processing" ? desk.pay.processing : desk.undoPay.nothing),
  command: {
    name: "undo",
    description: "Undo a payment at the venue that was recorded by mistake: nothing is given back"
  }
}
