/** A booking as the tools show it, and how it is made of a row. Pure. */
import { noEmail } from "../../platform/text/Contact.ts"
import { Schema, Struct } from "effect"
import { WhenInWords } from "../availability/BookingOption.ts"
import { VenueContact } from "../catalogue/Operator.ts"
import { Mode } from "../catalogue/Package.ts"
import { ToBring } from "../catalogue/Playroom.ts"
import { openQuestions, type Question } from "../catalogue/Questions.ts"
import { TermsView, shownDeposit } from "../catalogue/Terms.ts"
import { BookingId, PackageId, PlayroomId, Reference } from "../../platform/ids/Ids.ts"
import { format, until, whenInWords } from "../../platform/time/LocalTime.ts"
import { Money, display, money } from "../../platform/money/Money.ts"
import {
  type BookingRow,
  BookingStatus,
  PaymentSessionView,
  PaymentStatus,
  type RefundState,
  goodwillIn,
  refundByTerms
} from "./Booking.ts"
import { AddOnChoice, ShownPrice, shownPrice } from "../catalogue/Pricing.ts"
import { isLiveBooking } from "./Lifecycle.ts"
import {
  type PaymentFacts,
  type Standing,
  amountsToPay,
  isOver,
  laterPayment,
  nextActor,
  openPage,
  payBefore,
  standingOf
} from "./Standing.ts"
import { type TermsFacts, type VisitMoney, termsFacts, visitTerms } from "../catalogue/VisitTerms.ts"
import { childrenText, counted } from "../../platform/text/Text.ts"

/** The room or the places, and the party: `the whole room, 12 children and 2 adults`. Nobody misses what is not told. */
export const placesInWords = ({
  adults,
  children,
  terms: { mode }
}: Pick<BookingRow, "adults" | "children" | "terms">): string => {
  const room = mode === "exclusive" ? "the whole room" : "places in open play, beside other families"
  return `${room}, ${childrenText(children)}${adults === 0 ? ", no adults counted" : ` and ${counted(adults, "adult")}`}`
}

/** The price as agreed. `due_now` is in it until that is paid. */
const BookedPrice = Schema.Struct({
  ...Struct.omit(ShownPrice.fields, ["display_due_now", "display_balance_due"]),
  due_now: Schema.optionalKey(ShownPrice.fields.due_now)
})

/** Who runs the playroom, and can change or cancel a booking. */
export const OperatorContact = Schema.Struct({
  name: Schema.String.annotate({ description: "The business." }),
  ...VenueContact.fields
})
export type OperatorContact = typeof OperatorContact.Type

/** What is paid later, and how. */
const Balance = Schema.Struct({
  amount: Money.annotate({ description: "To pay later." }),
  due_at: Schema.String.annotate({ description: "RFC 3339." }),
  online: Schema.Boolean.annotate({ description: "By link." }),
  how: Schema.String.annotate({ description: "How." })
})

/** An unsuccessful try to pay (`Standing.ts`). */
const LastAttempt = Schema.Struct({
  at: Schema.String.annotate({ description: "RFC 3339." }),
  outcome: Schema.Literals(["declined", "failed"]).annotate({ description: "Result." })
})

/** The address of the family's page of a booking. */
export const PageUrl = Schema.String.annotate({ description: "Family's page." })

/**
 * Another booking beside the one that is shown: one shape, as hosts choke on alternatives. One that was made together
 * with it has its ids, and `due_now` while it is held; of any other of the same e-mail address less is told
 * (`LiveOther`).
 */
export const OtherBooking = Schema.Struct({
  booking_id: Schema.optionalKey(BookingId.annotate({ description: "Of it." })),
  reference: Schema.optionalKey(Reference.annotate({ description: "Of it." })),
  playroom_name: Schema.optionalKey(Schema.String.annotate({ description: "Playroom." })),
  status: Schema.optionalKey(Schema.String.annotate({ description: "Of it." })),
  when: Schema.optionalKey(WhenInWords),
  start: Schema.optionalKey(Schema.String.annotate({ description: "RFC 3339." })),
  due_now: Schema.optionalKey(Schema.String.annotate({ description: "Unpaid." })),
  other_name: Schema.optionalKey(Schema.Boolean.annotate({ description: "No more." })),
  same_playroom: Schema.optionalKey(Schema.Boolean.annotate({ description: "That day." }))
})
export type OtherBooking = typeof OtherBooking.Type

/** The bookings that were made together with another one, as the tools show them beside it. */
const bookedTogether = (rows: ReadonlyArray<BookingRow>): ReadonlyArray<OtherBooking> =>
  rows.map(({ booking_id, currency, due_now, ends_at, reference, starts_at, status, terms }) => ({
    booking_id,
    reference,
    playroom_name: terms.playroom_name,
    status,
    when: whenInWords(terms.time_zone, starts_at, ends_at),
    start: format(terms.time_zone, starts_at),
    ...(status === "held" ? { due_now: display(due_now, currency) } : {})
  }))

/** A booking as the tools show it. */
export const BookingView = Schema.Struct({
  booking_id: BookingId.annotate({ description: "For the tools." }),
  reference: Reference.annotate({ description: "For people." }),
  status: BookingStatus.annotate({
    description: "held: until hold_expires_at."
  }),
  payment_status: PaymentStatus.annotate({ description: "Money." }),
  /** The kind of the booking's standing (`Standing.ts`), for cards. A text, since its cases are many. */
  standing: Schema.String.annotate({ description: "Its kind." }),
  playroom_id: PlayroomId.annotate({ description: "Playroom." }),
  playroom_name: Schema.String.annotate({ description: "Its name." }),
  address: Schema.String.annotate({ description: "Where to go." }),
  package_id: PackageId.annotate({ description: "Package." }),
  package_name: Schema.String.annotate({ description: "Its name." }),
  mode: Mode.annotate({ description: "Room or places." }),
  when: WhenInWords,
  start: Schema.String.annotate({ description: "RFC 3339." }),
  end: Schema.String.annotate({ description: "RFC 3339." }),
  time_zone: Schema.String.annotate({ description: "IANA." }),
  children: Schema.Int.annotate({ description: "Children." }),
  adults: Schema.Int.annotate({ description: "Adults." }),
  add_ons: Schema.Array(AddOnChoice).annotate({ description: "Add-ons." }),
  contact: Schema.Struct({
    name: Schema.String.annotate({ description: "Full name." }),
    email: Schema.optionalKey(Schema.String.annotate({ description: "E-mail." })),
    phone: Schema.optionalKey(Schema.String.annotate({ description: "Telephone." }))
  }).annotate({ description: "For whom." }),
  child_ages: Schema.optionalKey(Schema.Array(Schema.Int).annotate({ description: "Their ages." })),
  notes: Schema.optionalKey(Schema.String.annotate({ description: "To the operator." })),
  bring: Schema.optionalKey(ToBring),
  price: BookedPrice.annotate({ description: "As agreed." }),
  paid: Money.annotate({ description: "Paid so far." }),
  refunded: Schema.optionalKey(Money.annotate({ description: "Paid back." })),
  refund_on_its_way: Schema.optionalKey(Money.annotate({ description: "Going back." })),
  refund_by_venue: Schema.optionalKey(Money.annotate({ description: "By the venue." })),
  outstanding: Money.annotate({ description: "Unpaid." }),
  due_now: Money.annotate({ description: "To pay now." }),
  balance: Schema.optionalKey(Balance.annotate({ description: "To pay later." })),
  refund_if_cancelled_now: Schema.optionalKey(Money.annotate({ description: "Would come back." })),
  operator: OperatorContact.annotate({ description: "Whom to ask." }),
  terms: TermsView.annotate({ description: "As of now." }),
  last_attempt: Schema.optionalKey(LastAttempt.annotate({ description: "If paying failed." })),
  hold_expires_at: Schema.optionalKey(Schema.String.annotate({ description: "Pay before." })),
  hold_expires_in: Schema.optionalKey(Schema.String.annotate({ description: "Text." })),
  payment_session: Schema.optionalKey(PaymentSessionView.annotate({ description: "The latest." })),
  page_url: Schema.optionalKey(PageUrl),
  booked_together: Schema.optionalKey(Schema.Array(OtherBooking).annotate({ description: "Made with it." })),
  created_at: Schema.String.annotate({ description: "RFC 3339." })
})
export type BookingView = typeof BookingView.Type

/** The same for a long answer: what each step of the terms gives back stands in their text, too. */
export const withoutStepTexts = <B extends Pick<BookingView, "terms">>(booking: B): B => {
  const { refunds } = booking.terms
  if (refunds === undefined) return booking
  return { ...booking, terms: { ...booking.terms, refunds: refunds.map((step) => Struct.omit(step, ["text"])) } }
}

/** The same with the bookings that were made together with it. */
export const withTogether = <B extends BookingView>(booking: B, rows: ReadonlyArray<BookingRow>): B =>
  rows.length === 0 ? booking : { ...booking, booked_together: bookedTogether(rows) }

/** The same for a long answer: `when` has the start of each, too. */
export const withoutOtherStarts = <B extends Pick<BookingView, "booked_together">>(booking: B): B =>
  booking.booked_together === undefined
    ? booking
    : { ...booking, booked_together: booking.booked_together.map((other) => Struct.omit(other, ["start"])) }

/** What a payer paid in a currency of their own, and what of the booking it paid. Minor units of each currency. */
export interface Presentment {
  readonly amount: number
  readonly currency: string
  readonly paid: number
}

/** A booking's payments and refunds at `now` (minor units), and its operator: the rest of its view. */
export interface PaymentSummary extends PaymentFacts, RefundState {
  readonly operator: OperatorContact
  /** What the family must bring or sign, as the playroom says today. */
  readonly bring?: string
  /** What the venue asks, as the package says today. Absent: nothing. */
  readonly questions?: ReadonlyArray<Question>
  /** The part of `refund_on_its_way` that was paid at the venue, which gives it back by hand. */
  readonly refund_by_hand?: number
  /** The part of `refund_on_its_way` that is sent only once the payer's bank has decided about a dispute. */
  readonly refund_disputed?: number
  /** The part of `refund_on_its_way` that is sent only once the operator's account takes payments again. */
  readonly refund_blocked?: number
  /** The operator's account, on which it was paid, takes no payments: no refund can be sent now. */
  readonly account_closed?: true
  /** The payer's bank has still to decide about a dispute of a payment: until then nothing is refunded. */
  readonly disputed?: true
  /** What is owed besides: sent, and it did not reach the payer. */
  readonly refund_failed?: number
  readonly session?: PaymentSessionView
  /** Payments that the payer made in a currency of their own. They are told, and never counted. */
  readonly presented?: ReadonlyArray<Presentment>
  /** The operator is suspended: it is not listed, and sells nothing. */
  readonly suspended?: true
  /** The operator sells gift vouchers online. */
  readonly sells_vouchers?: true
  /** The family's page. */
  readonly page_url: string
}

/**
 * What a venue has to know of a booking and was not told: the questions whose answers it needs. None of a booking that
 * has ended.
 */
export const missingAnswers = (
  questions: ReadonlyArray<Question>,
  booking: Pick<BookingRow, "answers" | "status">
): ReadonlyArray<Question> =>
  isLiveBooking(booking) ? openQuestions(questions, booking.answers).filter(({ required }) => required === true) : []

/** The same for a caller; without the family's page if they may only read and pay. */
export type ShownSummary = Omit<PaymentSummary, "page_url"> & Partial<Pick<PaymentSummary, "page_url">>

type MoneyState = Pick<PaymentSummary, "now" | "given_back" | "goodwill_failed" | "left" | "balance_paid">

const visitMoney = (row: BookingRow, summary: MoneyState): VisitMoney => {
  const { currency, paid, starts_at, terms, total } = row
  const { outstanding } = amountsToPay(row, summary)
  const due_now = row.status === "held" ? row.due_now : 0
  const goodwill = goodwillIn(terms, summary)
  return { ...terms, ...summary, goodwill, currency, total, due_now, outstanding, paid, starts_at }
}

/** The agreed terms at `summary.now` as data; undefined for an expired or cancelled booking. */
export const bookedTermsFacts = (row: BookingRow, summary: MoneyState): TermsFacts | undefined =>
  isLiveBooking(row) ? termsFacts(visitMoney(row, summary), summary.now) : undefined

/** All that goes back and has not arrived. Minor units. */
export const outstandingRefund = ({
  refund_failed = 0,
  refund_on_its_way
}: Pick<PaymentSummary, "refund_failed" | "refund_on_its_way">): number => refund_on_its_way + refund_failed

/** What of it is on its way now: what waits for a bank's decision, or for an account, is not. Minor units. */
export const pendingRefund = ({
  refund_blocked = 0,
  refund_disputed = 0,
  refund_on_its_way
}: Pick<PaymentSummary, "refund_blocked" | "refund_disputed" | "refund_on_its_way">): number =>
  refund_on_its_way - refund_disputed - refund_blocked

/** The agreed terms with their current dates and amounts. */
export const bookedTerms = (
  row: BookingRow,
  summary: MoneyState & Pick<PaymentSummary, "refund_failed" | "refund_on_its_way">
): TermsView => {
  const { currency, paid } = row
  const { deposit } = row.terms
  if (!isLiveBooking(row)) {
    const gone = row.refunded + outstandingRefund(summary)
    return {
      ...(deposit === undefined ? {} : { deposit: shownDeposit(deposit, currency) }),
      text: `The booking is over. ${paid === 0 ? "Nothing was paid." : `Of the ${display(paid, currency)} paid, ${display(gone, currency)} went back or is still to go back.`}`
    }
  }
  return visitTerms(visitMoney(row, summary), summary.now)
}

const balanceHow = (row: BookingRow, due_at: string, summary: ShownSummary, standing: Standing): string => {
  if (nextActor(standing) === "service") return "A payment for it is being checked by a person: nothing is to be done."
  if (standing.kind === "balance_processing") return "Its payment is being processed: nothing is to be done."
  if (isOver(standing)) return "The visit is over: ask the operator."
  if (row.terms.balance_at_venue === true) return "At the venue, when the visit starts; not by link."
  if (!summary.balance_online) {
    return "At the venue, on the day of the visit or before: ask the operator. It can't be paid by link."
  }
  const atVenue = Date.parse(due_at) >= row.starts_at ? "; or at the venue, when the visit starts" : ""
  return row.status === "held"
    ? `By link, once what is due now is paid: create_payment_session with purpose balance${atVenue}.`
    : `By link, from now on: create_payment_session with purpose balance${atVenue}.`
}

const balanceOf = (row: BookingRow, summary: ShownSummary, standing: Standing): BookingView["balance"] => {
  const later = laterPayment(row, summary)
  if (later === undefined) return undefined
  return {
    amount: money(later.amount, row.currency),
    due_at: later.due_at,
    online: summary.balance_online && !isOver(standing) && nextActor(standing) !== "service",
    how: balanceHow(row, later.due_at, summary, standing)
  }
}

/** The agreed price. Omits `due_now` once it is paid: readers would take it as still due. */
const priceOf = (row: BookingRow): BookingView["price"] => {
  // The booking's own `due_now` and `balance` have these.
  const { display_balance_due: _balance, display_due_now: _due, ...shown } = shownPrice(row.terms.price)
  if (row.status === "held") return shown
  const { balance_due: _, balance_due_at: _at, due_now: _now, ...price } = shown
  return price
}

/** The payment session; with its address and its end only while the payer can pay there. */
const shownSession = (session: PaymentSessionView, standing: Standing): PaymentSessionView =>
  openPage(standing) === session.purpose ? session : Struct.omit(session, ["url", "expires_at", "expires_in"])

/** The tools' view of a booking at `summary.now`. */
export const toView = (row: BookingRow, summary: ShownSummary): BookingView => {
  const { terms } = row
  const { bring, now, operator, page_url, refund_by_hand = 0, session } = summary
  // The next step tells of the rest.
  const on_its_way = pendingRefund(summary)
  const at = (instant: number) => format(terms.time_zone, instant)
  const shownMoney = (amount: number) => money(amount, row.currency)
  const toPay = amountsToPay(row, summary)
  const standing = standingOf(row, summary)
  const balance = balanceOf(row, summary, standing)
  const pay_before = payBefore(standing)
  const attempt = nextActor(standing) === "payer" ? summary.last_attempt : undefined
  return {
    booking_id: row.booking_id,
    reference: row.reference,
    status: row.status,
    payment_status: row.payment_status,
    standing: standing.kind,
    playroom_id: row.playroom_id,
    playroom_name: terms.playroom_name,
    address: terms.address,
    package_id: row.package_id,
    package_name: terms.package_name,
    mode: terms.mode,
    when: whenInWords(terms.time_zone, row.starts_at, row.ends_at),
    start: at(row.starts_at),
    end: at(row.ends_at),
    time_zone: terms.time_zone,
    children: row.children,
    adults: row.adults,
    add_ons: terms.add_ons,
    contact: {
      name: row.contact_name,
      ...(row.contact_email === noEmail ? {} : { email: row.contact_email }),
      ...(row.contact_phone === null ? {} : { phone: row.contact_phone })
    },
    ...(row.child_ages.length === 0 ? {} : { child_ages: row.child_ages }),
    ...(row.notes === null ? {} : { notes: row.notes }),
    ...(bring === undefined || !isLiveBooking(row) ? {} : { bring }),
    price: priceOf(row),
    paid: shownMoney(row.paid),
    ...(row.refunded === 0 ? {} : { refunded: shownMoney(row.refunded) }),
    ...(on_its_way === 0 ? {} : { refund_on_its_way: shownMoney(on_its_way) }),
    ...(refund_by_hand === 0 ? {} : { refund_by_venue: shownMoney(refund_by_hand) }),
    outstanding: shownMoney(toPay.outstanding),
    due_now: shownMoney(toPay.due_now),
    ...(balance === undefined ? {} : { balance }),
    ...(isLiveBooking(row) ? { refund_if_cancelled_now: shownMoney(refundByTerms(row, summary, now).amount) } : {}),
    operator,
    terms: bookedTerms(row, summary),
    ...(attempt === undefined ? {} : { last_attempt: { at: at(attempt.at), outcome: attempt.outcome } }),
    ...(pay_before === undefined ? {} : { hold_expires_at: at(pay_before), hold_expires_in: until(pay_before, now) }),
    ...(session === undefined ? {} : { payment_session: shownSession(session, standing) }),
    ...(page_url === undefined ? {} : { page_url }),
    created_at: at(row.created_at)
  }
}
