/**
 * Payments that a person took at the venue: in cash, by card, by transfer; and payments with a gift voucher, there or on
 * the family's page. Each is a paid session that the provider knows nothing of, so that it counts, and goes back, as
 * any other. It closes the pages on which the same could be paid. A payment by link that arrives all the same is more
 * than is owed, and goes back (`Settlement.ts`).
 */
import { Effect, Option, Result, Schema } from "effect"
import { BookingId, type PaymentSessionId } from "../../../platform/ids/Ids.ts"
import { display, Money, money } from "../../../platform/money/Money.ts"
import { dayMs, format, type Instant } from "../../../platform/time/LocalTime.ts"
import { dateTimeIn } from "../../../words/Localized.ts"
import { attendanceWindow, holdRuns } from "../../booking/Lifecycle.ts"
import { type BookingCancelled, HoldExpired, type BookingRow } from "../../booking/Booking.ts"
import { amountsToPay } from "../../booking/Standing.ts"
import { isBalancePaid, ownPayments } from "../refunds/Refund.ts"
import {
  isUnresolved,
  OfflinePaymentMethod,
  wayInWords,
  isForBalance,
  isPaidOnline,
  type PaymentSessionRow
} from "../sessions/PaymentSession.ts"
import type { TakenPayment } from "../sessions/PaymentSessions.ts"
import { endedOf, readCode, type Voucher } from "../sessions/Vouchers.ts"
import { withDue } from "../settlement/Settlement.ts"
import { type Act, amountField, choiceField, codeField, foundField, type Words } from "./Act.ts"
import { alive, type Situation, type Writes } from "./BookingChanges.ts"

/**
 * Why a payment can't be recorded. `more_than_owed`: `owed` says how much is. `less_than_due`: places that are only
 * held take at least what is due now. `processing`: a payment by link is under way.
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
        return (
          `A payment by link is being processed for ${this.booking_id}. If it fails, ${this.owed.display} ` +
          "is owed again."
        )
    }
  }
}

/** A recorded payment, or what recording it would do. */
interface RecordedPayment {
  readonly payment_session_id?: PaymentSessionId
  readonly amount: Money
  readonly way: OfflinePaymentMethod
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
  readonly way: OfflinePaymentMethod
}

const amountPaid = amountField(
  "What was paid, in the booking's currency, like 45.00; all that is owed, or a part of it",
  outstanding
)
const wayPaid = choiceField(
  "way",
  OfflinePaymentMethod.literals,
  ({ m }) => m.desk.pay.way,
  ({ m }, way) => m.receipt.paidBy[way],
  "How: cash, card or transfer"
)

const notOver = (as: Situation): Result.Result<void, BookingCancelled | HoldExpired> => {
  const { booking, now } = as
  const { booking_id, status } = booking
  const over = status === "held" && !holdRuns(booking, now)
  return Result.andThen(alive(as), over ? Result.fail(new HoldExpired({ booking_id })) : Result.void)
}

/** Whether there is anything to pay. */
const isOwing = (as: Situation): boolean =>
  outstanding(as) > 0 && (as.booking.status !== "held" || holdRuns(as.booking, as.now))

/**
 * Writes a payment of which `left` is owed afterwards. `settled`: the payments before it. What is paid of a hold
 * confirms it.
 */
const recorded = Effect.fnUntraced(function* (
  booking: BookingRow,
  settled: ReadonlyArray<PaymentSessionId>,
  left: number,
  payment: Pick<TakenPayment, "amount" | "voucher_id" | "way">,
  write: Writes
) {
  const { currency, due_now, payment_status, starts_at, terms, total } = booking
  const { amount, way } = payment
  const held = booking.status === "held"
  const payment_session_id = yield* write.take(booking, { purpose: held ? "due_now" : "balance", ...payment })
  const asked = held ? due_now : total - due_now
  // What a hold still lacks is due at the visit.
  const due_at = held ? (terms.price.balance_due_at ?? format(terms.time_zone, starts_at)) : undefined
  const counted =
    amount === asked
      ? booking
      : withDue(booking, held ? amount : due_now + amount, [...settled, payment_session_id], due_at)
  const inPart = held || payment_status === "not_required" || payment_status === "refunded"
  const paid = yield* write.change(counted, {
    ...(held ? { transition: "due_paid", awaiting_provider: false } : {}),
    ...(left === 0 ? { payment: "all_paid" } : inPart ? { payment: "deposit_paid" } : {}),
    paid: amount,
    event: way === "voucher" ? "paid_by_voucher" : "paid_at_venue",
    detail: `${display(amount, currency)} ${wayInWords[way]}${left === 0 ? "" : `; ${display(left, currency)} is still to be paid`}`,
    facts: { paid: amount, way, left, ...(write.by === "family" ? { by: "family" } : {}) }
  })
  if (counted !== booking) yield* write.changeDue(paid)
  return { booking: paid, payment_session_id }
})

const settledBy = ({ refunds, sessions }: Situation): ReadonlyArray<PaymentSessionId> =>
  ownPayments(sessions, refunds).map((one) => one.payment_session_id)

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
  open: notOver,
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
  apply: (as, left, payment, write) => recorded(as.booking, settledBy(as), left, payment, write),
  isOffered: isOwing,
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
    description:
      "Record what was paid at the venue: it counts like a payment by link, confirms a hold, and closes the pages that ask for it. More than is owed is refused; a part needs the code of a preview",
    // What is due now confirms the booking, so that it can't be recorded a second time.
    needsShown: ({ amount, booking, confirms, left, shown }) =>
      left.amount === 0 || (confirms && amount.amount === booking.due_now)
        ? undefined
        : `${amount.display} is a part: ${left.display} would be left. So that no part is recorded twice, say it ` +
          `as --preview shows it: --as-shown ${shown}`
  }
}

/*
 * A payment with a gift voucher: all that is left of it, or all that is owed. What a hold needs besides is paid with it
 * at the venue.
 */

/**
 * Why a voucher pays nothing. `slip`: its code was not copied exactly. `unknown`: the venue has no such voucher; another
 * venue's is not told from none. `less_than_due`: places that are only held take at least what is due now.
 * `processing`: a payment by link is under way. `amount`: what is left of the voucher, or owed.
 */
export class VoucherRefused extends Schema.TaggedError<VoucherRefused>()("VoucherRefused", {
  booking_id: BookingId,
  reason: Schema.Literals([
    "slip",
    "unknown",
    "voided",
    "expired",
    "used_up",
    "other_currency",
    "nothing_owed",
    "less_than_due",
    "processing"
  ]),
  amount: Money
}) {
  override get message(): string {
    switch (this.reason) {
      case "slip":
        return "The code of the voucher was not copied exactly: it has 16 letters and digits."
      case "unknown":
        return "The venue has sold no voucher with this code."
      case "voided":
        return "The voucher is not valid: its sale was undone."
      case "expired":
        return "The voucher has expired."
      case "used_up":
        return "Nothing is left of the voucher."
      case "other_currency":
        return `The voucher is in another currency: ${this.amount.display} is left of it.`
      case "nothing_owed":
        return `Nothing is owed for ${this.booking_id}.`
      case "less_than_due":
        return `${this.booking_id} is only held, and ${this.amount.display} would still be due now: say how that is paid.`
      case "processing":
        return `A payment by link is being processed for ${this.booking_id}.`
    }
  }
}

/** How the rest is paid: not now, or at the venue. */
const Rest = Schema.Literals(["later", ...OfflinePaymentMethod.literals])
type Rest = typeof Rest.Type

interface VoucherWish {
  /** As it was typed. */
  readonly code: string
  readonly rest: Rest
}

/** What is paid. Minor units. */
interface DecidedVoucher {
  readonly voucher: Voucher
  readonly amount: number
  /** What is paid with it in another way. */
  readonly besides: number
  readonly left: number
}

/** A payment with a voucher, or what it would pay. */
export interface VoucherPayment {
  readonly amount: Money
  /** What is paid at the venue with it, and how. */
  readonly besides: Money
  readonly rest: Rest
  /** What is owed after it, and what is left of the voucher. */
  readonly left: Money
  readonly left_of_voucher: Money
  readonly confirms: boolean
}

const voucherCode = codeField("The voucher's code")
const restPaid = choiceField(
  "rest",
  Rest.literals,
  ({ m }) => m.desk.voucher.rest,
  ({ m }, way) => (way === "later" ? m.desk.voucher.later : m.receipt.paidBy[way]),
  "How the rest is paid: later, cash, card or transfer"
)

/** Pays with a voucher. */
export const payByVoucher: Act<
  VoucherWish,
  DecidedVoucher,
  VoucherPayment,
  VoucherRefused | BookingCancelled | HoldExpired
> = {
  span: "VoucherPayments.pay",
  step: "voucher",
  right: "take_payment",
  forFamilies: true,
  // What is paid at the venue, staff alone take.
  needs: ({ rest }) => (rest === "later" ? undefined : "take_payment"),
  fields: [voucherCode, restPaid],
  wish: (read) => Result.all({ code: read(voucherCode), rest: read(restPaid) }),
  voucher: ({ code }) => readCode(code),
  asks: false,
  closesPages: true,
  open: notOver,
  decide: (as, { code, rest }) => {
    const { booking, now, voucher } = as
    const { booking_id, currency, due_now, status } = booking
    const owed = outstanding(as)
    const refuse = (reason: VoucherRefused["reason"], amount = owed, of = currency) =>
      Result.fail(new VoucherRefused({ booking_id, reason, amount: money(amount, of) }))
    if (Option.isNone(readCode(code))) return refuse("slip")
    if (voucher === undefined) return refuse("unknown")
    const ended = endedOf(voucher, now)
    if (ended !== undefined) return refuse(ended)
    if (voucher.currency !== currency) return refuse("other_currency", voucher.left, voucher.currency)
    if (as.sessions.some(isUnresolved)) return refuse("processing")
    if (owed === 0) return refuse("nothing_owed")
    const amount = Math.min(voucher.left, owed)
    if (amount === 0) return refuse("used_up")
    const missing = status === "held" ? Math.max(0, due_now - amount) : 0
    if (missing > 0 && rest === "later") return refuse("less_than_due", missing)
    const besides = rest === "later" ? 0 : status === "held" ? missing : owed - amount
    return Result.succeed({ voucher, amount, besides, left: owed - amount - besides })
  },
  outcome: ({ amount, besides, left, voucher }, { rest }) => ({
    amount,
    besides,
    left,
    rest,
    voucher: voucher.voucher_id,
    before: voucher.left
  }),
  answer: ({ booking: { currency, status } }, { amount, besides, left, voucher }, { rest }) => ({
    amount: money(amount, currency),
    besides: money(besides, currency),
    rest,
    left: money(left, currency),
    left_of_voucher: money(voucher.left - amount, currency),
    confirms: status === "held"
  }),
  apply: Effect.fnUntraced(function* (as, { amount, besides, left, voucher }, { rest }, write) {
    const { voucher_id } = voucher
    const settled = settledBy(as)
    const paid = yield* recorded(as.booking, settled, left + besides, { amount, way: "voucher", voucher_id }, write)
    if (besides === 0 || rest === "later") return { booking: paid.booking }
    const payment = { amount: besides, way: rest }
    return yield* recorded(paid.booking, [...settled, paid.payment_session_id], left, payment, write)
  }),
  isOffered: isOwing,
  words: ({ m: { desk } }) => ({
    title: desk.voucher.pay,
    confirm: desk.pay.confirm,
    over: desk.pay.nothing
  }),
  told: ({ amount, besides, confirms, left, left_of_voucher, rest }, { m, money }) => ({
    facts: [
      { term: m.receipt.paidBy.voucher, is: money(amount), look: "main" },
      ...(besides.amount === 0 || rest === "later" ? [] : [{ term: m.receipt.paidBy[rest], is: money(besides) }]),
      { term: m.desk.pay.left, is: money(left) },
      { term: m.voucher.left, is: money(left_of_voucher) }
    ],
    sentences: [...(confirms ? [m.desk.pay.confirms] : []), m.desk.pay.pages]
  }),
  refused: (error, { m, money }) => {
    if (error._tag !== "VoucherRefused") return m.desk.pay.nothing
    return error.reason === "less_than_due"
      ? m.desk.voucher.less(money(error.amount))
      : voucherRefusal(error.reason, { m })
  },
  command: {
    name: "voucher",
    description: "Pay with a gift voucher: all that is left of it, or all that is owed",
    needsShown: ({ left, shown }) =>
      left.amount === 0
        ? undefined
        : `${left.display} would be left. So that no voucher pays twice, say it as --preview shows it: ` +
          `--as-shown ${shown}`
  }
}

/** Why a voucher pays nothing, for families and staff. */
export const voucherRefusal = (
  reason: Exclude<VoucherRefused["reason"], "less_than_due">,
  { m }: Pick<Words, "m">
): string => {
  if (reason === "nothing_owed") return m.desk.pay.nothing
  return reason === "processing" ? m.desk.pay.processing : m.voucher.refused[reason]
}

/*
 * A payment at the venue that was recorded by mistake is undone: the money was never there, or belongs to another
 * booking. It is no refund. The booking owes again what it owed without it. In the books the payment stays on its day,
 * and its opposite stands on the day on which it was undone, so no month that was told changes.
 */

/**
 * Why a payment can't be undone. `not_recorded`: it was not taken at the venue, or is undone already. `ended`: its
 * booking is not confirmed. `given_back`: something of what was paid for the booking went back, or is to.
 * `processing`: a payment by link is under way.
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
  if (isPaidOnline(session) || session.status !== "paid") return "not_recorded"
  if (booking.status !== "confirmed") return "ended"
  if (booking.refunded > 0 || known.length > 0) return "given_back"
  if (all.some(isUnresolved)) return "processing"
  return now >= booking.ends_at + attendanceWindow.lateMs ? "too_late" : undefined
}

/**
 * The booking without a payment: what else is paid is due, and the rest is the balance. Who pays it has time from
 * now.
 */
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
interface UndonePayment {
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
      detail:
        `${display(amount, currency)} ${way === "link" ? "" : wayInWords[way]}${by} was recorded by ` +
        `mistake; ${display(after.total - after.due_now, currency)} is still to be paid`,
      facts: { paid: -amount, ...(way === "link" ? {} : { way }), left: after.total - after.due_now }
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
    description:
      "Undo a payment recorded by mistake, until 31 days after the visit, unless money of that booking went back: nothing is given back, and the booking owes it again. The accounts have its opposite on the day of the undoing"
  }
}
