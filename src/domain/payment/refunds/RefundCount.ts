/**
 * What went back of a booking's payments, counted from all its refunds whenever one of them changes, so that the order of
 * the provider's answers does not matter. After less went back than before, what is owed is requested again.
 */
import { Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { BookingRow } from "../../booking/Booking.ts"
import type { Change } from "../../booking/BookingChange.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { newId } from "../../../platform/ids/Ids.ts"
import { display } from "../../../platform/money/Money.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import { isAtVenue, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import {
  countsForBooking,
  failedToGoBack,
  isSentBack,
  missingRefunds,
  type OwnCause,
  refundedSoFar,
  type RefundRow,
  requestOf,
  returnedOf
} from "./Refund.ts"
import { RefundRecords } from "./RefundRecords.ts"

/** The functions of `Refunds.ts` that request refunds and count them, each in the caller's transaction. */
export const makeRefundCount = Effect.gen(function* () {
  const bookings = yield* BookingRecords
  const tasks = yield* ProviderTasks
  const random = yield* SecureRandom.SecureRandom
  const records = yield* RefundRecords
  const payments = yield* PaymentSessions
  const newRefundId = Effect.provideService(newId.refund, SecureRandom.SecureRandom, random)

  /** Of a payment at the venue: it waits there, and nothing is sent to the provider. */
  const request = Effect.fn("Refunds.request")(function* (
    session: PaymentSessionRow,
    amount: number,
    cause: OwnCause,
    owed?: number,
    before: ReadonlyArray<RefundRow> = []
  ) {
    const { payment_session_id } = session
    const refund_id = yield* newRefundId
    const at_venue = isAtVenue(session)
    const known = at_venue || session.payment_intent_id !== null
    const inserted = yield* records.insert({
      refund_id,
      session,
      cause,
      amount,
      ...(owed === undefined ? {} : { owed }),
      turn: before.filter((one) => one.payment_session_id === payment_session_id && one.cause === cause).length,
      ...(at_venue ? { at_venue } : {}),
      request: requestOf(session, refund_id, amount),
      ...(known ? { status: "requested" } : { status: "failed", failure: "the provider named no payment to refund" })
    })
    if (Option.isSome(inserted) && known && !at_venue) yield* tasks.offer({ _tag: "refund", refund_id })
    return inserted
  })

  /** Asks for what is owed after less went back than before. Returns the sum, in minor units. */
  const requestMissing = Effect.fnUntraced(function* (
    booking: BookingRow,
    sessions: ReadonlyArray<PaymentSessionRow>,
    all: ReadonlyArray<RefundRow>
  ) {
    const missing = missingRefunds(booking, sessions, all, yield* records.decided(booking.booking_id))
    for (const { amount, cause, owed, session } of missing) yield* request(session, amount, cause, owed, all)
    return missing.reduce((sum, { amount }) => sum + amount, 0)
  })

  /**
   * Sets what went back of a booking's payments, and its payment status, to what its refunds say, in the caller's
   * transaction, which holds the booking's lock. If less went back than before, or less than was on its way
   * or had failed (`less`), asks for what is owed then.
   */
  const recount = Effect.fnUntraced(function* (
    booking: BookingRow,
    told: Pick<Change, "detail" | "done_by" | "event" | "note">,
    less = false
  ) {
    const all = yield* records.ofBooking(booking)
    const before = yield* payments.ofBooking(booking.booking_id)
    const sessions = before.map((session) => ({ ...session, refunded: returnedOf(session, all) }))
    let missing = 0
    for (const [i, session] of sessions.entries()) {
      if (session.refunded !== before[i]?.refunded) yield* records.setRefunded(session, session.refunded)
    }
    if (less || sessions.some(({ refunded }, i) => refunded < (before[i]?.refunded ?? 0)))
      missing = yield* requestMissing(booking, sessions, all)
    const { payment, refunded } = refundedSoFar(
      booking,
      sessions,
      missing > 0 ? yield* records.ofBooking(booking) : all
    )
    return yield* bookings.change(booking, {
      ...told,
      ...(missing === 0
        ? {}
        : { detail: `${told.detail ?? told.event}; ${display(missing, booking.currency)} is owed and goes back` }),
      refunded: refunded - booking.refunded,
      ...(payment && { payment })
    })
  })

  /** Counts a refund that succeeded; `less`: with a smaller amount than it had while it was on its way, or when it had failed. */
  const recountRefunded = Effect.fnUntraced(function* (
    booking: BookingRow,
    refund: RefundRow,
    detail: string,
    less = false,
    done_by?: string
  ) {
    const all = yield* records.ofBooking(booking)
    const told = countsForBooking(refund, all)
      ? { detail, event: "refunded" }
      : {
          detail,
          event: isSentBack(refund, all) ? "misfit_payment_refunded" : "duplicate_payment_refunded",
          note: true as const
        }
    return yield* recount(booking, { ...told, ...(done_by === undefined ? {} : { done_by }) }, less)
  })

  /** A refund that failed, with no more than what the operator has not given back by hand before; any other as it is. */
  const asOwed = Effect.fnUntraced(function* (refund: RefundRow) {
    if (refund.status !== "failed" || refund.request.payment_intent_id === "") return refund
    const left = failedToGoBack(
      yield* payments.ofBooking(refund.booking_id),
      yield* records.ofBooking(refund),
      yield* records.decided(refund.booking_id)
    )
    return { ...refund, amount: Math.min(refund.amount, left) }
  })

  return { asOwed, request, recount, recountRefunded }
})
