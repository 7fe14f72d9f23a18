/** What changes when a payment counts, and the payments that only have to be counted: they are counted together. */
import { Clock, Effect } from "effect"
import type { BookingRow } from "../../booking/Booking.ts"
import type { Change } from "../../booking/BookingChange.ts"
import type { BookingRecords } from "../../booking/BookingRecords.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
import { display } from "../../kernel/Money.ts"
import type { ProviderSession } from "../provider/PaymentGateway.ts"
import {
  firstRefundCheckMs,
  type PaymentSessionRow,
  type SessionStatus,
  type StoredAttempt
} from "../sessions/PaymentSession.ts"
import type { PaymentSessions, SessionChange } from "../sessions/PaymentSessions.ts"
import { type Fact, mismatch } from "./SessionFacts.ts"

/** A fact about a payment session, and the provider's state of the session that told it. */
export interface Reported {
  readonly session: Pick<PaymentSessionRow, "payment_session_id" | "booking_id">
  readonly answer: ProviderSession
  readonly fact: Fact
}

/** The change of a session that comes to the status `next`. `attempt`: an unsuccessful try that it tells. */
export const sessionChange = (
  session: PaymentSessionRow,
  next: SessionStatus,
  answer: ProviderSession,
  attempt: StoredAttempt | undefined,
  now: Instant
): SessionChange => ({
  status: next,
  ...(attempt === undefined ? {} : { failed_attempt: attempt }),
  provider_session_id: answer.id,
  url: session.url ?? answer.url ?? "",
  ...(answer.payment_intent_id === undefined ? {} : { payment_intent_id: answer.payment_intent_id }),
  ...(answer.presented === undefined ? {} : { presented: answer.presented }),
  ...(next === "paid" ? { paid_at: now, refund_check_at: now + firstRefundCheckMs } : {})
})

/** The booking event that a payment raises. */
export const paymentEvent = (booking: BookingRow, session: PaymentSessionRow) =>
  session.purpose === "balance" || booking.due_now === booking.total ? "all_paid" : "deposit_paid"

/** The same if `left` is still to be paid; undefined: the payment status says so already. */
const partEvent = (booking: BookingRow, session: PaymentSessionRow, left: number) => {
  if (left === 0) return paymentEvent(booking, session)
  const first = session.purpose === "due_now" || booking.payment_status !== "deposit_paid"
  return first ? ("deposit_paid" as const) : undefined
}

/**
 * The change of a booking that gets `amount` (minor units; 0 if nothing had to be paid), and the result in words.
 * `left`: what is still to be paid of what was asked for.
 */
export const counted = (
  booking: BookingRow,
  session: PaymentSessionRow,
  amount: number,
  left = 0
): { readonly change: Change; readonly text: string } => {
  const due = session.purpose === "due_now"
  // A refunded booking stays refunded if nothing had to be paid.
  const unchanged = amount === 0 && booking.payment_status === "refunded"
  const payment = partEvent(booking, session, left)
  return {
    change: {
      ...(due ? { transition: "due_paid", awaiting_provider: false } : {}),
      ...(unchanged || payment === undefined ? {} : { payment }),
      paid: amount,
      event: due ? "paid" : "balance_paid",
      detail: display(amount, session.currency)
    },
    text: due ? "paid: confirmed" : "the balance is paid"
  }
}

/** A payment that only has to be counted. */
interface CountedPayment {
  readonly booking: BookingRow
  readonly session: PaymentSessionRow
  readonly answer: ProviderSession
}

/**
 * The payment, if it only has to be counted: the booking is held and waits for it, its page is open, and no other
 * session of the booking is paid or can be. Nothing else has to be read, written or told then.
 */
export const onlyCounted = (
  booking: BookingRow,
  sessions: ReadonlyArray<PaymentSessionRow>,
  { answer, fact, session: { payment_session_id } }: Reported,
  livemode: boolean
): CountedPayment | undefined => {
  const session = sessions.find((one) => one.payment_session_id === payment_session_id)
  const plain =
    session !== undefined &&
    fact === "paid" &&
    booking.status === "held" &&
    session.purpose === "due_now" &&
    session.status === "open" &&
    mismatch(session, fact, answer, livemode) === undefined &&
    sessions.every((one) => one === session || one.status === "expired" || one.status === "failed")
  return plain ? { booking, session, answer } : undefined
}

/** Counts payments, in the caller's transaction and by few statements. */
export const makeCounting = (
  bookings: BookingRecords["Service"],
  sessions: PaymentSessions["Service"],
  livemode: boolean
) => {
  /** Counts payments of different bookings; returns the results in words. The caller has locked what they belong to. */
  const count = Effect.fnUntraced(function* (payments: ReadonlyArray<CountedPayment>) {
    if (payments.length === 0) return []
    const now = yield* Clock.currentTimeMillis
    const all = payments.map(({ booking, session }) => ({ booking, ...counted(booking, session, session.amount) }))
    yield* sessions.changeAll(
      payments.map(({ answer, session }) => [
        session.payment_session_id,
        sessionChange(session, "paid", answer, undefined, now)
      ]),
      now
    )
    yield* bookings.changeAll(all.map(({ booking, change }) => [booking, change]))
    return all.map(({ text }) => text)
  })

  /**
   * Locks the bookings of these facts, one of each, and counts those that only have to be counted; returns their results
   * in words. It waits for no booking's lock: what is locked is left out.
   */
  const those = Effect.fnUntraced(function* (all: ReadonlyArray<Reported>) {
    if (all.length === 0) return new Map<Reported, string>()
    const free = yield* bookings.lockThoseFree(all.map(({ session }) => session.booking_id))
    const sessionsOf = yield* sessions.lockOfBookings(free.map(({ booking_id }) => booking_id))
    const locked = new Map(free.map((booking) => [booking.booking_id, booking]))
    const found = all.flatMap((reported) => {
      const { booking_id } = reported.session
      const booking = locked.get(booking_id)
      const payment = booking && onlyCounted(booking, sessionsOf.get(booking_id) ?? [], reported, livemode)
      return payment === undefined ? [] : [{ reported, payment }]
    })
    const texts = yield* count(found.map(({ payment }) => payment))
    return new Map(found.map(({ reported }, i) => [reported, texts[i] ?? ""]))
  })

  return { count, those }
}
