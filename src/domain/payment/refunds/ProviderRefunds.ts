/**
 * Refunds at the provider: checks and sends them. Each send first asks the provider for the refunds made so far, by
 * anyone, so that it never refunds more than is still owed. A refund that the provider can't make yet waits; each
 * attempt has a new idempotency key. Nothing here may be called inside a transaction.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { Operators } from "../../catalogue/Operators.ts"
import type { BookingId, RefundId } from "../../../platform/ids/Ids.ts"
import { dayMs, hourMs, type Instant, minuteMs } from "../../../platform/time/LocalTime.ts"
import { display } from "../../../platform/money/Money.ts"
import { Disputes, isUnderWay } from "./Disputes.ts"
import { failpoint } from "../../../platform/concurrency/Failpoint.ts"
import {
  type GatewayError,
  PaymentGateway,
  type ProviderRefund,
  type ProviderRefused,
  ProviderUnavailable,
  type RetryableError
} from "../provider/PaymentGateway.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { endedOf, Vouchers } from "../sessions/Vouchers.ts"
import { isOpen, type RefundRow, settledByDashboard, statusOf, type WaitsFor } from "./Refund.ts"
import { RefundRecords } from "./RefundRecords.ts"
import { Refunds, type ResendResult } from "./Refunds.ts"
import { stillOwed } from "./BookingLedger.ts"

/**
 * How long a refund is retried while the operator's balance is too small: after `minBalanceIntervalMs` first, then less
 * often, up to `maxBalanceIntervalMs`.
 */
const maxBalanceWaitMs = 7 * dayMs
const minBalanceIntervalMs = 10 * minuteMs
const maxBalanceIntervalMs = 6 * hourMs
/**
 * The retry interval for a refund of a disputed payment. It is also retried as soon as the dispute is known to be over.
 */
const disputeIntervalMs = 12 * hourMs
/** How long an earlier call may be under way at the provider. Until then no refund of another amount is sent. */
const maxCallMs = 2 * minuteMs
/**
 * How long a decision waits for the provider to report earlier refunds. After that, the decision is made without the
 * answer. The desk decides as the operator: its page has eight seconds (`surfaces/web/frame/PageTable.ts`).
 */
export const providerTimeout = { operator: "6 seconds", family: "4 seconds" } as const
/** How many times one run sends a refund. It sends a lower amount again if more went back in the meantime. */
const maxAttempts = 3

/** When a waiting refund is retried. */
const retryAt = (waits_for: WaitsFor, since: Instant, now: Instant): Instant =>
  waits_for === "dispute"
    ? now + disputeIntervalMs
    : now + Math.min(maxBalanceIntervalMs, Math.max(minBalanceIntervalMs, now - since))

/** What a refund waits for after a failure with this code; undefined if the failure is final. */
const waitsFor = (code: string | undefined): WaitsFor | undefined => {
  if (code === "balance_insufficient" || code === "insufficient_funds") return "balance"
  return code === "charge_disputed" || code === "charge_for_pending_refund_disputed" ? "dispute" : undefined
}

type Retryable = RetryableError | SqlError.SqlError

export class ProviderRefunds extends Context.Service<
  ProviderRefunds,
  {
    /** Sends a requested refund. A failure means: retry later. */
    readonly send: (refund_id: RefundId) => Effect.Effect<void, Retryable>
    /**
     * Sends a finally failed refund again, or makes a waiting one due now. Does nothing if the operator has made it at
     * the provider.
     */
    readonly resend: (refund_id: RefundId) => Effect.Effect<ResendResult, Retryable>
    /** Asks the provider for the state of a pending refund, and settles it. */
    readonly ask: (refund: RefundRow) => Effect.Effect<void, Retryable>
    /**
     * Asks the provider for a payment's refunds and disputes, and stores them. Returns whether a dispute of it is still
     * to be decided.
     */
    readonly checkPayment: (session: PaymentSessionRow) => Effect.Effect<boolean, Retryable>
    /** Checks every payment of a booking, with the provider's refusals as errors. Returns all refunds. */
    readonly checkBooking: (
      booking_id: BookingId
    ) => Effect.Effect<ReadonlyArray<ProviderRefund>, GatewayError | SqlError.SqlError>
    /**
     * Like `checkBooking`, for decisions that can do without the provider. Returns why it did not answer; undefined if
     * it did.
     */
    readonly tryCheckBooking: (
      booking_id: BookingId,
      within: (typeof providerTimeout)[keyof typeof providerTimeout]
    ) => Effect.Effect<string | undefined, SqlError.SqlError>
  }
>()("playroom/payment/refunds/ProviderRefunds") {
  static readonly layer = Layer.effect(
    ProviderRefunds,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* BookingRecords
      const gateway = yield* PaymentGateway
      const sessions = yield* PaymentSessions
      const records = yield* RefundRecords
      const refunds = yield* Refunds
      const disputes = yield* Disputes
      const vouchers = yield* Vouchers
      const operators = yield* Operators

      /** Reads and stores a payment's refunds and disputes; `open` is the result of `checkPayment`. */
      const check = Effect.fn("ProviderRefunds.check")(function* (session: PaymentSessionRow) {
        if (session.payment_intent_id === null) return { answers: [], open: false }
        const answers = yield* gateway.listRefunds(session.account, session.payment_intent_id)
        const disputed = yield* gateway.listDisputes(session.account, session.payment_intent_id)
        const pending = (yield* records.ofBooking(session)).filter(({ status }) => status === "pending")
        for (const answer of answers) {
          const refund = pending.find(({ provider_refund_id }) => provider_refund_id === answer.id)
          if (refund !== undefined) yield* settle(refund, answer)
        }
        yield* refunds.reconcile(session, answers)
        yield* disputes.reconcile(session, disputed)
        return { answers, open: disputed.some(({ status }) => isUnderWay(status)) }
      })

      const checkPayment = (session: PaymentSessionRow): Effect.Effect<boolean, Retryable> =>
        check(session).pipe(
          Effect.map(({ open }) => open),
          Effect.catchTag(["ProviderRefused", "ProviderKeyReused"], (error) =>
            Effect.as(
              Effect.logWarning("The provider does not say what of a payment went back", {
                payment_session_id: session.payment_session_id,
                reason: error.message
              }),
              false
            )
          )
        )

      const checkBooking = Effect.fn("ProviderRefunds.checkBooking")(function* (booking_id: BookingId) {
        const paid = (yield* sessions.ofBooking(booking_id)).filter(({ status }) => status === "paid")
        return (yield* Effect.forEach(paid, check)).flatMap(({ answers }) => answers)
      })

      const tryCheckBooking = (booking_id: BookingId, within: (typeof providerTimeout)[keyof typeof providerTimeout]) =>
        checkBooking(booking_id).pipe(
          Effect.as(undefined),
          Effect.catchTags({
            ProviderUnavailable: ({ reason }) => Effect.succeed(reason),
            AccountUnavailable: ({ reason }) => Effect.succeed(reason),
            ProviderRefused: ({ message }) => Effect.succeed(message),
            ProviderKeyReused: ({ message }) => Effect.succeed(message)
          }),
          Effect.timeoutOrElse({ duration: within, orElse: () => Effect.succeed(`no answer in ${within}`) })
        )

      /**
       * Postpones a refund. The next attempt has a new key, because the provider stored its answer under the old one.
       */
      const wait = Effect.fn("ProviderRefunds.wait")(function* (
        refund_id: RefundId,
        reason: WaitsFor,
        failure: string
      ) {
        const locked = yield* refunds.lock(refund_id)
        if (locked === undefined || !isOpen(locked.refund)) return
        const { booking, refund } = locked
        const now = yield* Clock.currentTimeMillis
        const since = refund.waits_for === reason && refund.waits_since !== null ? refund.waits_since : now
        if (reason === "balance" && now - since >= maxBalanceWaitMs) {
          return yield* refunds.fail(refund_id, `${failure}, for ${maxBalanceWaitMs / dayMs} days`)
        }
        yield* records.wait(refund_id, {
          waits_for: reason,
          since,
          retry_at: retryAt(reason, since, now),
          failure,
          idempotency_key: `${refund_id}_${now}`
        })
        if (refund.waits_for === reason) return
        const why = reason === "balance" ? "the operator's balance is too small" : "a dispute is not decided yet"
        yield* bookings.change(booking, {
          note: true,
          event: "refund_waits",
          detail: `${display(refund.amount, refund.currency)}: ${why}`
        })
      }, sql.withTransaction)

      /** Settles a refund by the provider's answer, or postpones it. */
      const settle = Effect.fn("ProviderRefunds.settle")(function* (refund: RefundRow, answer: ProviderRefund) {
        const reason = statusOf(answer) === "failed" ? waitsFor(answer.failure_reason) : undefined
        return yield* reason === undefined
          ? refunds.settle(refund.refund_id, answer)
          : wait(refund.refund_id, reason, answer.failure_reason ?? reason)
      })

      /**
       * Prepares a refund for sending, under the booking's lock: lowers it to the amount still owed. None if nothing is
       * to be sent now.
       */
      const ready = Effect.fn("ProviderRefunds.ready")(function* (refund_id: RefundId) {
        const locked = yield* refunds.lock(refund_id)
        if (locked?.refund.status !== "requested") return Option.none<RefundRow>()
        const { booking, refund } = locked
        const now = yield* Clock.currentTimeMillis
        const { amount, disputed } = stillOwed({
          refund,
          sessions: yield* sessions.ofBooking(booking.booking_id),
          refunds: yield* records.ofBooking(booking),
          disputes: yield* disputes.ofBooking(booking),
          decided: yield* records.decided(booking.booking_id)
        })
        if (amount < refund.amount && refund.sent_at !== null && now - refund.sent_at < maxCallMs) {
          return yield* new ProviderUnavailable({
            operation: "createRefund",
            reason: "an earlier call for another amount may still be under way"
          })
        }
        if (amount === 0) {
          yield* refunds.fail(refund_id, settledByDashboard)
          return Option.none<RefundRow>()
        }
        if (disputed) {
          yield* wait(refund_id, "dispute", "the payment is under dispute")
          return Option.none<RefundRow>()
        }
        if (amount < refund.amount) {
          yield* bookings.change(booking, {
            note: true,
            event: "refund_lowered",
            detail: `${display(amount, refund.currency)} instead of ${display(refund.amount, refund.currency)}: the rest went back already`
          })
        }
        return Option.some(yield* records.markSending(refund_id, amount))
      }, sql.withTransaction)

      const refused = Effect.fnUntraced(function* (
        refund: RefundRow,
        error: ProviderRefused,
        attempt: number
      ): Effect.fn.Return<void, Retryable> {
        yield* records.clearSent(refund.refund_id)
        if (waitsFor(error.code) === "balance") return yield* wait(refund.refund_id, "balance", error.code)
        // A disputed payment waits only while the dispute is open. After a lost one the provider refuses for good.
        const failure = `${error.code}: ${error.message}`
        // The operator or another node may have refunded in the meantime: less is owed, or nothing.
        if (yield* isDone(refund)) return
        const again = yield* ready(refund.refund_id)
        if (Option.isNone(again)) return
        yield* again.value.amount < refund.amount && attempt < maxAttempts
          ? make(again.value, attempt + 1)
          : refunds.fail(refund.refund_id, failure)
      })

      const make = (refund: RefundRow, attempt: number): Effect.Effect<void, Retryable> =>
        gateway.createRefund(refund.request, refund.currency).pipe(
          Effect.tap(() => failpoint("refund made at the provider, answer not stored")),
          Effect.flatMap((answer) => settle(refund, answer)),
          // The next attempt first asks the provider whether it made the refund after all.
          Effect.tapError((error) =>
            error._tag === "ProviderUnavailable" && error.kept === true
              ? records.renewKey(refund.refund_id)
              : Effect.void
          ),
          Effect.catchTag("ProviderRefused", (error) => refused(refund, error, attempt)),
          Effect.catchTag("ProviderKeyReused", () =>
            refunds.fail(refund.refund_id, "the idempotency key was used with other parameters")
          )
        )

      /** Checks the booking's payments. True if this refund was made, or the provider refuses to answer. */
      const isDone = (refund: RefundRow): Effect.Effect<boolean, Retryable> =>
        checkBooking(refund.booking_id).pipe(
          Effect.flatMap((answers) => {
            const made = answers.find(
              (answer) => answer.refund_id === refund.refund_id && statusOf(answer) !== "failed"
            )
            return made === undefined ? Effect.succeed(false) : Effect.as(settle(refund, made), true)
          }),
          Effect.catchTag(["ProviderRefused", "ProviderKeyReused"], ({ message }) =>
            Effect.as(
              refunds.fail(refund.refund_id, `the provider does not say what went back before: ${message}`),
              true
            )
          )
        )

      /**
       * Gives a refund back onto the voucher that paid. Onto one that has ended nothing goes: the venue gives it back,
       * as it does what was paid there in another way.
       */
      const ontoVoucher = Effect.fnUntraced(function* ({ payment_session_id, refund_id }: RefundRow) {
        const paid = yield* sessions.find(payment_session_id)
        const id = Option.getOrUndefined(paid)?.voucher_id ?? undefined
        const voucher = id === undefined ? Option.none() : yield* vouchers.find(id)
        if (Option.isNone(voucher) || endedOf(voucher.value, yield* Clock.currentTimeMillis) !== undefined) return
        yield* sql.withTransaction(
          Effect.andThen(refunds.markPaidBack(refund_id, "voucher"), vouchers.lookSoon(voucher.value.voucher_id))
        )
        yield* failpoint("refund settled, task not done")
      })

      const sendNow = Effect.fnUntraced(function* (refund_id: RefundId) {
        const found = yield* records.find(refund_id)
        if (Option.isNone(found) || found.value.status !== "requested") return
        if (found.value.waits_for === "venue") return yield* ontoVoucher(found.value)
        const now = yield* Clock.currentTimeMillis
        if (found.value.retry_at !== null && found.value.retry_at > now) return
        yield* failpoint("refund decided, provider not asked")

        if (yield* isDone(found.value)) return
        const refund = yield* ready(refund_id)
        if (Option.isSome(refund)) yield* make(refund.value, 1)
        yield* failpoint("refund settled, task not done")
      })

      // The family reads then that it goes back once the account is open again.
      const send = Effect.fn("ProviderRefunds.send")((refund_id: RefundId) =>
        Effect.tapErrorTag(sendNow(refund_id), "AccountUnavailable", ({ account, reason }) =>
          operators.closeAccount(account, reason)
        )
      )

      const resend = Effect.fn("ProviderRefunds.resend")(function* (refund_id: RefundId) {
        if (yield* records.retryOneNow(refund_id)) return "sent" as const
        const refund = yield* records.find(refund_id)
        if (Option.isNone(refund)) return "not_failed" as const
        const session = yield* sessions.find(refund.value.payment_session_id)
        if (Option.isSome(session)) yield* checkPayment(session.value)
        return yield* refunds.requestAgain(refund_id)
      })

      const ask = Effect.fn("ProviderRefunds.ask")(function* (refund: RefundRow) {
        if (refund.provider_refund_id === null) return
        yield* gateway.getRefund(refund.request.account, refund.provider_refund_id).pipe(
          Effect.flatMap((answer) => settle(refund, answer)),
          Effect.catchTag(["ProviderRefused", "ProviderKeyReused"], (error) =>
            Effect.logWarning("The provider does not answer for a refund", {
              refund_id: refund.refund_id,
              reason: error.message
            })
          )
        )
      })

      return ProviderRefunds.of({ send, resend, ask, checkPayment, checkBooking, tryCheckBooking })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      Disputes.layer,
      Operators.layer,
      PaymentSessions.layer,
      RefundRecords.layer,
      Refunds.layer,
      Vouchers.layer
    ])
  )
}
