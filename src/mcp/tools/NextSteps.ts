/**
 * What an assistant should do next with a booking or a payment page: a sentence or two for every state, which it can follow word by
 * word, like the fixes of `ToolErrors.ts`. They never contain texts that operators wrote.
 */
import { Schema } from "effect"
import type { BookingRow, BookingView, PaymentSessionView } from "../../booking/Booking.ts"
import { type PaymentSummary, toView } from "../../booking/BookingViews.ts"
import { freeMoveUntil } from "../../booking/Move.ts"
import { format, type Instant } from "../../kernel/LocalTime.ts"

/** The field of an answer that holds these sentences. */
export const nextStepField = Schema.String.annotate({ description: "What to do next." })

const bookAnew =
  "To book anew, call get_booking_options, then create_booking with a new idempotency_key: the old one stands for this booking."

/** The fields of the answer that have the operator's contact. */
const operatorAt = ({ operator }: BookingView): string =>
  operator.email === undefined ? "booking.operator, at the venue (booking.address)" : "booking.operator"

/** `free_until`: until when the person may move the visit, where that is not over. */
const changes = (booking: BookingView, free_until: Instant | undefined, now: Instant): string => {
  const contact = `tell the person the contact in ${operatorAt(booking)}.`
  if (Date.parse(booking.start) <= now) {
    return `Give them page_url, their own page of the booking. Changes go to the operator: ${contact}`
  }
  const move =
    free_until === undefined
      ? ""
      : `move it to another time that costs no more, until ${format(booking.time_zone, free_until)}, and `
  return `Give them page_url, their own page of the booking: there they ${move}cancel it, after reading what comes back. Other changes go to the operator: ${contact}`
}
const questions = (booking: BookingView): string => `Questions go to the operator: ${operatorAt(booking)}.`

const pay = (amount: string, { expires_at, expires_in }: PaymentSessionView): string =>
  `they pay ${amount} there before ${expires_at} (${expires_in ?? "soon"})`

/** What has gone back of the money that was paid, and what will; empty where nothing has or will. */
const moneyBack = ({ refund_on_its_way, refunded }: BookingView): string =>
  [
    ...(refund_on_its_way === undefined
      ? []
      : [`${refund_on_its_way.display} is on its way back to the payer, which may take days.`]),
    ...(refunded === undefined ? [] : [`${refunded.display} was paid back.`])
  ].join(" ")

const sentences = (...parts: ReadonlyArray<string>): string => parts.filter((part) => part !== "").join(" ")

const afterHold = (booking: BookingView): string => {
  const { due_now, hold_expires_at, hold_expires_in, payment_session: session, payment_status } = booking
  const page = session?.purpose === "due_now" ? session.status : undefined
  if (payment_status === "processing" || page === "processing") {
    return "The payment is being processed, and the places stay held: tell the person that this can take from minutes to days, and call get_booking later to see whether it arrived."
  }
  if (page === "paid") return "A payment has arrived and is being booked: call get_booking in a minute."
  if (hold_expires_in === undefined) {
    return "The hold's time is up, but a payment may still be on its way: call get_booking in a minute to see whether it arrived."
  }
  if (session?.expires_in !== undefined) {
    return `Give the person the url in payment_session: ${pay(due_now.display, session)}; the places are held until then. Then call get_booking to see whether the payment arrived.`
  }
  const until = `The places are held until ${hold_expires_at} (${hold_expires_in})`
  if (payment_status === "failed") {
    return `The payment failed and nothing was charged. ${until}: call create_payment_session with a new idempotency_key and give the person its url to try again.`
  }
  if (session === undefined) {
    return `${until}: call create_payment_session with this booking_id before then and give the person its url to pay ${due_now.display}. Give them page_url, too: their own page of the booking.`
  }
  return page === "open"
    ? `The payment page's time is up, and whether it was paid at the last moment is not known yet. ${until}: call create_payment_session with a new idempotency_key, which gives another page only if it was not paid, and give the person its url.`
    : `The payment page is closed and nothing was paid on it. ${until}: call create_payment_session with a new idempotency_key and give the person its url.`
}

const balanceStep = ({ balance, payment_session: session }: BookingView, now: Instant): string => {
  if (balance === undefined) return "Nothing more is to be paid."
  const { amount, due_at } = balance
  if (session?.purpose === "balance" && session.status === "processing") {
    return `The payment of the balance of ${amount.display} is being processed: call get_booking later to see whether it arrived.`
  }
  if (session?.purpose === "balance" && session.expires_in !== undefined) {
    return `For the balance, give the person the url in payment_session: ${pay(amount.display, session)}.`
  }
  const due = Date.parse(due_at) <= now ? `has been due since ${due_at}` : `is due by ${due_at}`
  return balance.how.startsWith("By link")
    ? `The balance of ${amount.display} ${due}: call create_payment_session with purpose balance when the person wants to pay it.`
    : `The balance of ${amount.display} ${due}; it is paid at the venue.`
}

/** What to do next with a booking; `now` in milliseconds. */
const afterBooking = (booking: BookingView, free_until: Instant | undefined, now: Instant): string => {
  const { due_now, outstanding, paid, payment_status, reference, status } = booking
  if (status === "held") return afterHold(booking)
  if (status === "expired") {
    if (payment_status === "processing") {
      return "The hold has expired while a payment was being processed: tell the person that it either confirms the booking when it arrives, or goes back, and call get_booking later."
    }
    const money = paid.amount === 0 ? "nothing was charged" : "what was paid goes back"
    return sentences(
      `The hold has expired, and ${money}: tell the person.`,
      moneyBack(booking),
      bookAnew,
      questions(booking)
    )
  }
  if (status === "cancelled") {
    const money = moneyBack(booking)
    return sentences(
      "The booking is cancelled: tell the person.",
      money === "" ? (paid.amount === 0 ? "Nothing was paid." : "By its terms nothing comes back.") : money,
      bookAnew,
      questions(booking)
    )
  }
  const money = moneyBack(booking)
  if (Date.parse(booking.end) <= now) {
    return sentences(
      `The visit is over${outstanding.amount + due_now.amount === 0 ? ", and there is nothing to do" : ""}.`,
      outstanding.amount === 0 ? "" : balanceStep(booking, now),
      money,
      `Tell the person that questions go to the operator: ${operatorAt(booking)}.`
    )
  }
  return sentences(
    `The booking is confirmed: tell the person the reference ${reference}.`,
    balanceStep(booking, now),
    money,
    changes(booking, free_until, now)
  )
}

/** A booking as the tools show it, and what comes next with it. */
export const bookingWithNextStep = (row: BookingRow, summary: PaymentSummary) => {
  const booking = toView(row, summary)
  const { now } = summary
  const until = freeMoveUntil(row)
  const free_until = until !== undefined && now <= until ? until : undefined
  return { booking, next_step: afterBooking(booking, free_until, now) }
}

/** What to do next with a payment session. */
export const afterSession = (session: PaymentSessionView): string => {
  const { amount, expires_in, purpose, status } = session
  if (status === "open" && expires_in !== undefined) {
    const held =
      purpose === "due_now" ? "; the places are now held until then, whatever was said before, and lapse after it" : ""
    return `Give the person the url: ${pay(amount.display, session)}${held}. Then call get_booking to see whether the payment arrived.`
  }
  if (status === "open") return "The page's time is up: call get_booking to see whether it was paid."
  if (status === "processing")
    return "The payment is being processed: tell the person that this can take from minutes to days, and call get_booking later to see whether it arrived."
  if (status === "paid") return "It is paid: call get_booking to see the confirmed booking."
  return "This page can't be paid on any more: call create_payment_session with a new idempotency_key, or get_booking to see the booking."
}
