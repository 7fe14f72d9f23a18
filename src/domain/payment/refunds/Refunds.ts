/**
 * Refunds and their effect on a booking. A transaction decides a refund (`request`), `ProviderRefunds.ts` sends it, and
 * the provider's answer settles it, now or later. No answer is final: the provider may correct it. After each change,
 * what went back is counted again from all refunds, so the order of answers does not matter. Every
 * transaction locks the booking first, then the refund.
 */

import { Clock, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { failpoint } from "../../../platform/concurrency/Failpoint.ts"
import { type RefundId, newId } from "../../../platform/ids/Ids.ts"
import { display } from "../../../platform/money/Money.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import { BookingRecords, type Change } from "../../booking/BookingRecords.ts"
import type { ProviderRefund } from "../provider/PaymentGateway.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import { type PaymentSessionRow, type WayWithoutProvider, wayInWords, isAtVenue } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import {
  inAnotherCurrency,
  isOpen,
  isOwed,
  type OwnCause,
  paidBackElsewhere,
  type RefundRow,
  settledByDashboard,
  statusOf,
  countsForBooking,
  failedToGoBack,
  isSentBack,
  missingRefunds,
  ownPayments,
  refundedSoFar,
  requestOf,
  returnedOf
} from "./Refund.ts"
import { RefundRecords } from "./RefundRecords.ts"

// What went back of a booking's payments, counted from all its refunds whenever one of them changes, so that the order
// of the provider's answers does not matter. After less went back than before, what is owed is requested again.

/** The functions of `Refunds.ts` that request refunds and count them, each in the caller's transaction. */
const makeRefundCount = Effect.gen(function* () {
  const bookings = yield* BookingRecords
  const tasks = yield* ProviderTasks
  const random = yield* SecureRandom.SecureRandom
  const records = yield* RefundRecords
  const payments = yield* PaymentSessions
  const newRefundId = Effect.provideService(newId.refund, SecureRandom.SecureRandom, random)

  /**
   * Of a payment at the venue: it waits there, and nothing is sent to the provider. One with a voucher waits no longer
   * than until it goes back onto that (`ProviderRefunds.ts`).
   */
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
    const by_itself = !at_venue || session.way === "voucher"
    if (Option.isSome(inserted) && known && by_itself) yield* tasks.offer({ _tag: "refund", refund_id })
    return inserted
  })

  /** Asks for what is owed after less went back than before. Returns each amount, for people. */
  const requestMissing = Effect.fnUntraced(function* (
    booking: BookingRow,
    sessions: ReadonlyArray<PaymentSessionRow>,
    all: ReadonlyArray<RefundRow>
  ) {
    const missing = missingRefunds(booking, sessions, all, yield* records.decided(booking.booking_id))
    for (const { amount, cause, owed, session } of missing) yield* request(session, amount, cause, owed, all)
    return missing.map(({ amount, session }) => display(amount, session.currency))
  })

  /**
   * Sets what went back of a booking's payments, and its payment status, to what its refunds say, in the caller's
   * transaction, which holds the booking's lock. If less went back than before, or less than was on its way
   * or had failed (`less`), asks for what is owed then.
   */
  const recount = Effect.fnUntraced(function* (
    booking: BookingRow,
    { facts, ...told }: Pick<Change, "detail" | "done_by" | "event" | "facts" | "note">,
    less = false
  ) {
    const all = yield* records.ofBooking(booking)
    const before = yield* payments.ofBooking(booking.booking_id)
    const sessions = before.map((session) => ({ ...session, refunded: returnedOf(session, all) }))
    let missing: ReadonlyArray<string> = []
    for (const [i, session] of sessions.entries()) {
      if (session.refunded !== before[i]?.refunded) yield* records.setRefunded(session, session.refunded)
    }
    if (less || sessions.some(({ refunded }, i) => refunded < (before[i]?.refunded ?? 0)))
      missing = yield* requestMissing(booking, sessions, all)
    const { payment, refunded } = refundedSoFar(
      booking,
      sessions,
      missing.length > 0 ? yield* records.ofBooking(booking) : all
    )
    return yield* bookings.change(booking, {
      ...told,
      ...(missing.length > 0
        ? { detail: `${told.detail ?? told.event}; ${missing.join(" and ")} is owed and goes back` }
        : facts === undefined
          ? {}
          : { facts }),
      refunded: refunded - booking.refunded,
      ...(payment && { payment })
    })
  })

  /**
   * Counts a refund that succeeded; `less`: with a smaller amount than it had while it was on its way, or when it had
   * failed.
   */
  const recountRefunded = Effect.fnUntraced(function* (
    booking: BookingRow,
    refund: RefundRow,
    detail: string,
    less = false,
    more: Pick<Change, "done_by" | "facts"> = {}
  ) {
    const all = yield* records.ofBooking(booking)
    const told = countsForBooking(refund, all)
      ? { detail, event: "refunded" }
      : {
          detail,
          event: isSentBack(refund, all) ? "misfit_payment_refunded" : "duplicate_payment_refunded",
          note: true as const
        }
    return yield* recount(booking, { ...told, ...more }, less)
  })

  /**
   * A refund that failed, with no more than what the operator has not given back by hand before; any other as it is.
   */
  const asOwed = Effect.fnUntraced(function* (refund: RefundRow) {
    if (refund.status !== "failed" || refund.request.payment_intent_id === "") return refund
    const all = yield* records.ofBooking(refund)
    const sessions = yield* payments.ofBooking(refund.booking_id)
    const own = ownPayments(sessions, all)
    const isOf = (one: PaymentSessionRow) => one.payment_session_id === refund.payment_session_id
    // One of a payment that the booking never kept is owed by itself.
    const bounds = own.some(isOf) ? own : sessions.filter(isOf)
    const left = failedToGoBack(bounds, all, yield* records.decided(refund.booking_id))
    return { ...refund, amount: Math.min(refund.amount, left) }
  })

  return { asOwed, request, recount, recountRefunded }
})

interface Locked {
  readonly booking: BookingRow
  readonly refund: RefundRow
}

/** The result of sending a failed refund again. `settled`: the operator made it in the provider's dashboard. */
export type ResendResult = "sent" | "settled" | "not_failed" | "no_payment"

type Done<A> = Effect.Effect<A, SqlError.SqlError>

export class Refunds extends Context.Service<
  Refunds,
  {
    /**
     * Decides a refund of `amount` (minor units) of a session, in the caller's transaction: stores the row and the task
     * to send it. None if the payment already has a refund for this cause. `owed`: the limit of all refunds of the
     * booking's own payments, including this and earlier ones; without it, the payment is the limit. `before`: the
     * booking's refunds so far, if the payment may have several for this cause.
     */
    readonly request: (
      session: PaymentSessionRow,
      amount: number,
      cause: OwnCause,
      owed?: number,
      before?: ReadonlyArray<RefundRow>
    ) => Done<Option.Option<RefundRow>>
    /** Locks the booking, then the refund, in the caller's transaction. */
    readonly lock: (refund_id: RefundId) => Done<Locked | undefined>
    /** Stores the provider's state of one of our refunds, and updates the booking's money. */
    readonly settle: (refund_id: RefundId, answer: ProviderRefund) => Done<void>
    /** The provider refused the refund for good. */
    readonly fail: (refund_id: RefundId, failure: string) => Done<void>
    /**
     * Compares the provider's refunds of a session with our rows. Records refunds that this service did not make, and
     * follows settled ones that the provider has corrected: failed after they had succeeded or the reverse, or of
     * another amount. A refund in another currency than the payment is stored and flagged, and does not count.
     */
    readonly reconcile: (session: PaymentSessionRow, answers: ReadonlyArray<ProviderRefund>) => Done<void>
    /**
     * Records how much of a payment a dispute has given to the payer (minor units; 0: nothing), in the caller's
     * transaction, which holds the booking's lock. Returns the booking as it then is.
     */
    readonly recordDispute: (
      booking: BookingRow,
      session: PaymentSessionRow,
      dispute: { readonly dispute_id: string; readonly amount: number }
    ) => Done<BookingRow>
    /** Refunds that failed, oldest first, each with what of it is still owed; with `operator_id`, of this operator. */
    readonly failed: (operator_id?: string) => Done<ReadonlyArray<RefundRow>>
    /** Sends a finally failed refund again, under a new idempotency key. */
    readonly requestAgain: (refund_id: RefundId) => Done<ResendResult>
    /**
     * A person has paid it back in another way, `as` if it is known how, or knows that the payer has the money. None if
     * it is not owed.
     */
    readonly markPaidBack: (
      refund_id: RefundId,
      as?: WayWithoutProvider,
      done_by?: string
    ) => Done<Option.Option<RefundRow>>
  }
>()("playroom/payment/refunds/Refunds") {
  static readonly layer = Layer.effect(
    Refunds,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* BookingRecords
      const tasks = yield* ProviderTasks
      const records = yield* RefundRecords
      const payments = yield* PaymentSessions
      const { asOwed, recount, recountRefunded, request } = yield* makeRefundCount

      const lock = Effect.fnUntraced(function* (refund_id: RefundId) {
        const found = yield* records.find(refund_id)
        if (Option.isNone(found)) return undefined
        const locked = yield* bookings.lockWith(found.value.booking_id, records.lock(refund_id))
        if (Option.isNone(locked)) return undefined
        const [booking, refund] = locked.value
        return Option.isNone(refund) ? undefined : { booking, refund: refund.value }
      })

      /** Like `lock`, if the refund is not settled yet. */
      const lockOpen = Effect.fnUntraced(function* (refund_id: RefundId) {
        const locked = yield* lock(refund_id)
        return locked !== undefined && isOpen(locked.refund) ? locked : undefined
      })

      /** The provider corrects what it said of a settled refund, perhaps weeks later. */
      const follow = Effect.fnUntraced(function* (booking: BookingRow, refund: RefundRow, answer: ProviderRefund) {
        // It is reported already: no amount of another currency counts.
        if (inAnotherCurrency(refund.currency, answer) !== undefined) return
        const status = statusOf(answer)
        // A failed refund of ours stays owed as it was decided; one by hand, as the operator corrected it.
        const stays = status === "failed" && (refund.cause !== "dashboard" || refund.failure === settledByDashboard)
        if (status === refund.status && (stays || answer.amount === refund.amount)) return
        const { currency, refund_id } = refund
        const failure = status === "failed" ? (answer.failure_reason ?? `the refund is ${answer.status}`) : undefined
        if (failure !== undefined) {
          yield* Effect.logError("A refund that had succeeded failed; money is owed", { refund_id, failure })
        }
        yield* records.update(refund_id, {
          status,
          amount: answer.amount,
          provider_refund_id: answer.id,
          ...(failure === undefined ? {} : { failure: failure.slice(0, 500) })
        })
        const shown = display(answer.amount, currency)
        const less = answer.amount < refund.amount
        if (failure !== undefined)
          yield* recount(booking, { note: true, event: "refund_failed", detail: failure.slice(0, 200) }, less)
        else if (status === "pending")
          yield* recount(
            booking,
            { note: true, event: "refund_corrected", detail: `${shown} is on its way again` },
            less
          )
        else if (refund.status === "succeeded") {
          const detail = `${shown} went back instead of ${display(refund.amount, currency)}`
          yield* recount(booking, { note: true, event: "refund_corrected", detail })
        } else yield* recountRefunded(booking, refund, `${shown} reached the payer after all`, less)
        yield* failpoint("refund corrected, not committed")
      })

      const fail = Effect.fn("Refunds.fail")(function* (refund_id: RefundId, failure: string, answer?: ProviderRefund) {
        const locked = yield* lockOpen(refund_id)
        if (locked === undefined) return
        // The operator may have corrected a refund by hand before it failed. What we decided stays owed.
        const corrected = locked.refund.cause === "dashboard" && answer !== undefined
        yield* records.update(refund_id, {
          status: "failed",
          failure: failure.slice(0, 500),
          ...(corrected ? { amount: answer.amount } : {})
        })
        if (failure === settledByDashboard) {
          yield* recount(locked.booking, { event: "refunded", detail: failure })
          return
        }
        yield* Effect.logError("A refund failed; money is owed", { refund_id, failure })
        const less = corrected && answer.amount < locked.refund.amount
        yield* recount(locked.booking, { note: true, event: "refund_failed", detail: failure.slice(0, 200) }, less)
      }, sql.withTransaction)

      const settle = Effect.fn("Refunds.settle")(function* (refund_id: RefundId, answer: ProviderRefund) {
        const locked = yield* lockOpen(refund_id)
        if (locked === undefined) return
        const status = statusOf(answer)
        const wrong = inAnotherCurrency(locked.refund.currency, answer)
        if (wrong !== undefined) return yield* fail(refund_id, wrong)
        if (status === "failed")
          return yield* fail(refund_id, answer.failure_reason ?? `the refund is ${answer.status}`, answer)
        const { booking, refund } = locked
        yield* records.update(refund_id, { status, provider_refund_id: answer.id, amount: answer.amount })
        const less = answer.amount < refund.amount
        const shown = display(answer.amount, refund.currency)
        if (status === "succeeded") {
          yield* recountRefunded(booking, refund, `${shown} went back to the payer`, less)
        } else if (less) {
          const detail = `${shown} is on its way instead of ${display(refund.amount, refund.currency)}`
          yield* recount(booking, { note: true, event: "refund_corrected", detail }, less)
        }
        yield* failpoint("refund settled, not committed")
      }, sql.withTransaction)

      const recordDispute = Effect.fn("Refunds.recordDispute")(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        { amount, dispute_id }: { readonly dispute_id: string; readonly amount: number }
      ) {
        const found = yield* records.lockByProviderId(dispute_id)
        const known = Option.getOrUndefined(found)
        if (amount === (known?.amount ?? 0)) return booking
        const shown = display(amount, session.currency)
        if (known === undefined) {
          const made = yield* records.insertForeign(session, {
            cause: "dispute",
            status: "succeeded",
            amount,
            provider_refund_id: dispute_id
          })
          yield* records.settleCovered(session)
          if (Option.isNone(made)) return booking
          return yield* recountRefunded(booking, made.value, `${shown} by dispute ${dispute_id}, which was lost`)
        }
        if (amount === 0) {
          yield* records.remove(known.refund_id)
          const detail = `${display(known.amount, session.currency)} of dispute ${dispute_id} is with the operator again`
          return yield* recount(booking, { note: true, event: "refund_returned", detail })
        }
        yield* records.update(known.refund_id, { status: "succeeded", amount })
        return yield* recount(booking, {
          note: true,
          event: "refund_corrected",
          detail: `${shown} by dispute ${dispute_id} instead of ${display(known.amount, session.currency)}`
        })
      })

      const reconcile = Effect.fn("Refunds.reconcile")(function* (
        session: PaymentSessionRow,
        answers: ReadonlyArray<ProviderRefund>
      ) {
        for (const answer of answers) {
          const status = statusOf(answer)
          const locked = yield* bookings.lockWith(session.booking_id, records.lockByProviderId(answer.id))
          if (Option.isNone(locked)) continue
          const [booking, known] = locked.value
          if (Option.isSome(known)) {
            // One that is still open is settled, or sent, by `ProviderRefunds.ts`.
            if (!isOpen(known.value) && known.value.currency === session.currency)
              yield* follow(booking, known.value, answer)
            continue
          }
          if (status === "failed") continue
          const all = yield* records.ofBooking(session)
          const ours = all.find(({ refund_id }) => refund_id === answer.refund_id)
          const unknown = ours?.provider_refund_id === null
          // One of ours, sent a moment ago: its own row settles it.
          if (unknown && isOpen(ours)) continue
          if (unknown && ours.status === "failed") {
            yield* follow(booking, ours, answer)
            continue
          }
          const { amount, currency, id: provider_refund_id } = answer
          const shown = display(amount, currency)
          const foreign = { cause: "dashboard", status, amount, currency, provider_refund_id } as const
          const made = yield* records.insertForeign(session, foreign)
          if (Option.isNone(made)) continue
          const wrong = inAnotherCurrency(session.currency, answer)
          if (wrong !== undefined) {
            yield* bookings.change(booking, { note: true, event: "refund_mismatch", detail: wrong })
            yield* payments.change(session.payment_session_id, { flagged: wrong }, yield* Clock.currentTimeMillis)
            continue
          }
          const forgotten = answer.refund_id !== undefined
          const why = forgotten ? ", by a decision of this service that is not stored here" : " by the operator"
          if (status === "succeeded") {
            // A refund that the provider refused us is no longer owed if the payer has the money.
            yield* records.settleCovered(session)
            yield* recountRefunded(booking, made.value, `${shown}${why}`)
          } else {
            // Decisions count it already, so whoever was shown one has to see that the booking has changed.
            const detail = `${shown} is on its way${why}`
            yield* bookings.change(booking, { note: true, event: "refund_pending", detail })
          }
          if (ours !== undefined) {
            yield* bookings.flag(
              session.booking_id,
              `${shown} went back twice: ${provider_refund_id} was made after all, and ${ours.refund_id} in another way`
            )
          } else if (forgotten) {
            // The decision behind it is lost as well: the booking still has its older state.
            const why = `${shown} went back (${provider_refund_id}) by a decision of this service that is not stored here: cancelled, moved, changed, or an amount given back after the backup?`
            yield* bookings.flag(session.booking_id, why)
          }
        }
      }, sql.withTransaction)

      const markPaidBack = Effect.fn("Refunds.markPaidBack")(function* (
        refund_id: RefundId,
        as?: WayWithoutProvider,
        done_by?: string
      ) {
        const locked = yield* lock(refund_id)
        if (locked === undefined || !isOwed(locked.refund)) return Option.none<RefundRow>()
        const { booking } = locked
        const refund = yield* asOwed(locked.refund)
        const by = done_by === undefined ? {} : { done_by }
        const paid = yield* payments.find(refund.payment_session_id)
        // What was paid together goes back to the payer by `VoucherSales.ts`: nobody has a voucher in hand.
        const together = Option.isSome(paid) && paid.value.together
        if (refund.amount === 0) {
          yield* records.update(refund_id, { status: "failed", failure: settledByDashboard })
          yield* recount(booking, { event: "refunded", detail: settledByDashboard, ...by })
          return Option.some(refund)
        }
        yield* records.update(refund_id, {
          status: "succeeded",
          amount: refund.amount,
          elsewhere: true,
          failure: paidBackElsewhere,
          ...(as === undefined ? {} : { way: as })
        })
        const amount = display(refund.amount, refund.currency)
        yield* recountRefunded(
          booking,
          refund,
          as === undefined
            ? `${amount} was paid back in another way`
            : `${amount} was given back ${together ? "online" : wayInWords[as]}`,
          false,
          { ...by, facts: { refund: refund.amount, ...(as === undefined || together ? {} : { way: as }) } }
        )
        return Option.some(refund)
      }, sql.withTransaction)

      const requestAgain = Effect.fn("Refunds.requestAgain")(function* (
        refund_id: RefundId
      ): Effect.fn.Return<ResendResult, SqlError.SqlError> {
        const locked = yield* lock(refund_id)
        if (locked?.refund.status !== "failed") return "not_failed"
        if (locked.refund.failure === settledByDashboard) return "settled"
        if (locked.refund.request.payment_intent_id === "") return "no_payment"
        const now = yield* Clock.currentTimeMillis
        const key = `${refund_id}_${now}`
        yield* records.requestAgain(refund_id, key)
        yield* tasks.offer({ _tag: "refund", refund_id, again: key })
        yield* bookings.change(locked.booking, { note: true, event: "refund_sent_again" })
        yield* failpoint("refund sent again, not committed")
        return "sent"
      }, sql.withTransaction)

      const failed: Refunds["Service"]["failed"] = Effect.fn("Refunds.failed")(function* (operator_id) {
        return yield* Effect.forEach(yield* records.failed(operator_id), asOwed)
      })

      return Refunds.of({ failed, request, lock, settle, fail, reconcile, recordDispute, requestAgain, markPaidBack })
    })
  ).pipe(Layer.provide([BookingRecords.layer, PaymentSessions.layer, ProviderTasks.layer, RefundRecords.layer]))
}
