/**
 * Asks the provider about everything that lacks an event: lapsed holds, overdue sessions, slow payments, unsettled
 * refunds and subscriptions that run out. A lost event therefore only causes a delay. Every node runs it; nodes claim
 * rows in the database, so that only one of them asks.
 *
 * Some payments never end. A payment is processing, and its capacity is kept, until the payer's bank has decided. If
 * the operator's account is disconnected, no answer comes: a person gives the payment up, or it ends after
 * `processingForMs`. Money that arrives later is handled like any late payment.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { BookingRow } from "../../booking/Booking.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { DueBookings } from "../../booking/DueBookings.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { holdMayEnd } from "../../booking/Lifecycle.ts"
import { Operators } from "../../catalogue/Operators.ts"
import { dayMs, hourMs, type Instant, minuteMs, forkRecurring } from "../../../platform/time/LocalTime.ts"
import { failpoint } from "../../../platform/concurrency/Failpoint.ts"
import { BookingChanges } from "../changes/BookingChanges.ts"
import { releaseUnpaid } from "../changes/Cancellations.ts"
import type { AccountUnavailable } from "../provider/PaymentGateway.ts"
import { type PaymentSessionRow, processingCheckMs, processingForMs, type Purpose } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { ProviderHealth } from "../provider/ProviderHealth.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import { VoucherSales } from "../settlement/VoucherSales.ts"
import { PaymentInquiry } from "../settlement/PaymentInquiry.ts"
import { ProviderRefunds } from "../refunds/ProviderRefunds.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { balanceOnline, makeSessionCreation } from "../checkout/SessionRequest.ts"
import { makeAccountCheck, makeSubscriptionCheck } from "../events/Events.ts"

/** Rows of a kind per run. */
const batchSize = 50
/** Minimum time between two checks of a row. It leaves time for calls in flight. */
const minCheckIntervalMs = minuteMs
const requestedRefundCheckMs = 2 * minuteMs
const pendingRefundCheckMs = 10 * minuteMs
/** After this long, the provider is no longer asked about an overdue session. */
const maxOverdueMs = 7 * dayMs

/** A payment that is processing this long is reported to a person, even if the provider answers. */
const processingSuspiciousMs = 16 * dayMs
/** An account that is unresponsive this long is reported to a person. */
const unresponsiveMs = hourMs
/** No node is working on a session that is `creating` this long. */
const maxCreatingMs = hourMs

/** A session that has waited too long. */
interface StuckPayment {
  readonly session: PaymentSessionRow
  readonly since: Instant
  /** When its capacity is released automatically; undefined if it keeps none. */
  readonly ends_at: Instant | undefined
}

export class Reconciliation extends Context.Service<
  Reconciliation,
  {
    /** Runs everything once. It continues if the provider is unavailable or a row fails. */
    readonly runOnce: Effect.Effect<void, SqlError.SqlError>
    /** The part that runs every few seconds: lapsed holds and overdue sessions. */
    readonly runDue: Effect.Effect<void, SqlError.SqlError>
    /** Asks the provider about payments, refunds and subscriptions whose state it has not told. */
    readonly runChecks: Effect.Effect<void, SqlError.SqlError>
    /** Payments that need a person, oldest first: creating or processing for too long, or without an answer. */
    readonly stuck: Effect.Effect<ReadonlyArray<StuckPayment>, SqlError.SqlError>
    /** Gives up a stuck payment that, a person confirms, was not paid; false if it is not stuck. */
    readonly giveUp: (id: string) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/payment/workers/Reconciliation") {
  static readonly layer = Layer.effect(
    Reconciliation,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* Bookings
      const bookingRecords = yield* BookingRecords
      const due = yield* DueBookings
      const sessions = yield* PaymentSessions
      const creation = yield* makeSessionCreation
      const changes = yield* BookingChanges
      const refunds = yield* RefundRecords
      const providerRefunds = yield* ProviderRefunds
      const inquiry = yield* PaymentInquiry
      const operators = yield* Operators
      const checkSubscription = yield* makeSubscriptionCheck
      const checkAccount = yield* makeAccountCheck
      const sales = yield* VoucherSales

      /** Runs for every row. A failure is logged, and its row is left to a later run. */
      const forEachRow = Effect.fnUntraced(function* <A, E>(
        rows: ReadonlyArray<A>,
        run: (row: A) => Effect.Effect<unknown, E>
      ) {
        for (const row of rows) {
          const result = yield* Effect.exit(run(row))
          yield* Effect.yieldNow
          if (Exit.isSuccess(result)) continue
          if (Cause.hasInterruptsOnly(result.cause)) return yield* Effect.interrupt
          yield* Effect.logWarning("Reconciliation of a row has to wait", result.cause)
        }
      })

      /**
       * Releases a hold's capacity if it is still lapsed. Who has locked it decides about it, as another node that
       * releases it and waits for the room itself: it is left to them, and to the next run.
       */
      const release = Effect.fnUntraced(function* (booking_id: BookingRow["booking_id"]) {
        const now = yield* Clock.currentTimeMillis
        const locked = yield* bookingRecords.tryLock(booking_id)
        if (Option.isNone(locked)) return
        const booking = locked.value
        if (!holdMayEnd(booking, now)) return
        yield* bookingRecords.change(booking, {
          transition: "hold_lapsed",
          awaiting_provider: false,
          event: "hold_expired"
        })
        yield* failpoint("hold released, not committed")
      }, sql.withTransaction)

      /** Retries don't help: the operator has to fix its account, or a person has to look (`playroom doctor`). */
      const logAccountUnavailable =
        ({ operator_id, payment_session_id }: PaymentSessionRow) =>
        (error: AccountUnavailable) =>
          Effect.andThen(
            operators.closeAccount(error.account, error.reason),
            Effect.logWarning("The operator's account can't be asked about a payment session", {
              payment_session_id,
              operator_id,
              error
            })
          )

      /** Asks the provider about each of these sessions. */
      const askAbout = (rows: ReadonlyArray<PaymentSessionRow>) =>
        forEachRow(rows, (session) =>
          Effect.catchTag(inquiry.ask(session), "AccountUnavailable", logAccountUnavailable(session))
        )

      /**
       * Ends a lapsed hold, or a booking whose balance has been unpaid for too long. First the provider closes the
       * page, and its answer decides: closed → released; paid or processing → kept. If the provider is unavailable, the
       * hold ends anyway: its page has expired by then. Money that arrives later is a late payment.
       */
      const endUnpaid = Effect.fnUntraced(function* <A, E>(
        booking: BookingRow,
        purpose: Purpose,
        release: Effect.Effect<A, E>,
        now: Instant
      ) {
        const live = yield* sessions.live(booking.booking_id, purpose)
        if (Option.isSome(live) && live.value.status === "open") {
          const { payment_session_id } = live.value
          if (!(yield* sessions.claimOne(payment_session_id, now - minCheckIntervalMs / 2, now))) return
          yield* inquiry.expire(live.value).pipe(
            Effect.catchTag("ProviderUnavailable", (error) =>
              Effect.logWarning("What is unpaid ends while the provider is away", {
                booking_id: booking.booking_id,
                error
              })
            ),
            Effect.catchTag("AccountUnavailable", logAccountUnavailable(live.value))
          )
        }
        yield* failpoint("hold asked about, not released")
        yield* release
      })

      /** Releases the places of an unpaid balance. One that nobody can pay online is paid at the playroom: it stays. */
      const endUnpaidBalance = Effect.fnUntraced(function* (booking: BookingRow, now: Instant) {
        const operator = yield* operators.get(booking.operator_id)
        if (!(yield* balanceOnline(booking, operator, false, now))) return
        yield* endUnpaid(booking, "balance", releaseUnpaid(changes, booking.booking_id), now)
      })

      /** The page that pays a hold with others may have been paid, as its own may. */
      const endHold = Effect.fnUntraced(function* (booking: BookingRow, now: Instant) {
        const { booking_id } = booking
        yield* sales.askOf(booking_id).pipe(
          Effect.catchIf(
            (error) => error._tag !== "SqlError",
            (error) => Effect.logWarning("A hold ends while the provider is away", { booking_id, error })
          )
        )
        yield* endUnpaid(booking, "due_now", release(booking_id), now)
      })

      const runDue = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const unchecked_since = now - minCheckIntervalMs
        yield* forEachRow(yield* due.lapsed(now, batchSize), (booking) => endHold(booking, now))
        yield* forEachRow(yield* due.releasable(now, batchSize), (booking) => endUnpaidBalance(booking, now))
        const creating = yield* sessions.claim({
          status: "creating",
          due: unchecked_since,
          unchecked_since,
          now,
          limit: batchSize
        })
        yield* forEachRow(creating, (session) => finishOrAbandon(session, now))
        const overdue = yield* sessions.claim({
          status: "open",
          due: now,
          after: now - maxOverdueMs,
          unchecked_since,
          now,
          limit: batchSize
        })
        yield* askAbout(overdue)
      })

      /**
       * Handles a call that got no answer: sends the same bytes again while the booking can use them, otherwise gives
       * up.
       */
      const finishOrAbandon = Effect.fnUntraced(function* (session: PaymentSessionRow, now: Instant) {
        if (session.expires_at <= now) return yield* creation.abandon(session)
        const booking = yield* Effect.catchTag(bookings.get(session.booking_id), "BookingNotFound", Effect.die)
        const expected = session.purpose === "due_now" ? "held" : "confirmed"
        return yield* booking.status === expected ? creation.finish(session) : creation.abandon(session)
      })

      /** Checks what went back of a payment, after a claim at `claimed`. If that fails, it is due again soon. */
      const checkRefunds = Effect.fnUntraced(function* (session: PaymentSessionRow, claimed: Instant) {
        const { payment_session_id, status } = session
        // An event of a refund may come before the one of its payment.
        if (status !== "paid") yield* inquiry.ask(session)
        const known = status === "paid" ? Option.some(session) : yield* sessions.find(payment_session_id)
        const paid = Option.filter(known, (one) => one.status === "paid")
        const open = Option.isSome(paid) && (yield* providerRefunds.checkPayment(paid.value))
        yield* sessions.finishRefundCheck(payment_session_id, claimed, open)
      })

      const stuck = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const rows = yield* sessions.stuck({
          created_by: now - maxCreatingMs,
          unresponsive_since: now - unresponsiveMs,
          processing_since: now - processingSuspiciousMs
        })
        return rows.map((session): StuckPayment => {
          const since = session.processing_since ?? session.created_at
          const ends = session.status === "processing" && session.purpose === "due_now"
          return { session, since, ends_at: ends ? since + processingForMs : undefined }
        })
      })

      /** Ends a processing payment; false if the provider's answer came first. */
      const endProcessing = Effect.fnUntraced(function* (
        { booking_id, payment_session_id }: PaymentSessionRow,
        { detail, flagged }: { readonly detail: string; readonly flagged?: string }
      ) {
        const now = yield* Clock.currentTimeMillis
        const locked = yield* bookingRecords.lockWith(booking_id, sessions.lock(payment_session_id))
        if (Option.isNone(locked)) return false
        const [booking, session] = locked.value
        if (Option.isNone(session) || session.value.status !== "processing") return false
        yield* sessions.change(
          payment_session_id,
          { status: "failed", ...(flagged === undefined ? {} : { flagged }) },
          now
        )
        const due = session.value.purpose === "due_now"
        yield* bookingRecords.change(booking, {
          ...(due ? { payment: "payment_failed" } : {}),
          ...(due && booking.status === "held" ? { transition: "hold_lapsed", awaiting_provider: false } : {}),
          note: true,
          event: due ? "payment_given_up" : "balance_payment_given_up",
          detail
        })
        return true
      }, sql.withTransaction)

      const days = Math.round(processingForMs / dayMs)
      const giveUpOverdue = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        for (const session of yield* sessions.processingSince(now - processingForMs, batchSize)) {
          const flagged = `given up after ${days} days of processing; see whether the provider has the money`
          const done = yield* endProcessing(session, { detail: `the provider gave no result in ${days} days`, flagged })
          if (!done) continue
          yield* Effect.logError("A payment was given up after processing for too long", {
            payment_session_id: session.payment_session_id,
            booking_id: session.booking_id,
            account: session.account
          })
        }
      }).pipe(Effect.withSpan("Reconciliation.giveUpOverdue"))

      const giveUp = Effect.fn("Reconciliation.giveUp")(function* (id: string) {
        const found = (yield* stuck).find(({ session }) => session.payment_session_id === id)
        if (found === undefined) return false
        if (found.session.status === "processing")
          return yield* endProcessing(found.session, { detail: "a person settled it" })
        return (yield* creation.abandon(found.session)).status === "failed"
      })

      const runChecks = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const slow = now - processingCheckMs
        const processing = yield* sessions.claim({
          status: "processing",
          due: slow,
          unchecked_since: slow,
          now,
          limit: batchSize
        })
        yield* askAbout(processing)
        // Only now: the provider has just been asked about these payments again.
        yield* giveUpOverdue
        const requested = yield* refunds.claim("requested", now - requestedRefundCheckMs, batchSize)
        yield* forEachRow(requested, ({ refund_id }) => providerRefunds.send(refund_id))
        const pending = yield* refunds.claim("pending", now - pendingRefundCheckMs, batchSize)
        yield* forEachRow(pending, providerRefunds.ask)
        const toCheck = yield* sessions.claimForRefundCheck(now, batchSize)
        yield* forEachRow(toCheck, (session) => checkRefunds(session, now))
        yield* sales.runDue
        yield* forEachRow(yield* operators.leaseSubscriptionChecks(batchSize), checkSubscription)
        yield* forEachRow(yield* operators.leaseAccountChecks(batchSize), (account) =>
          Effect.flatten(checkAccount(account))
        )
      })

      return Reconciliation.of({ runOnce: Effect.andThen(runDue, runChecks), runDue, runChecks, stuck, giveUp })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      Bookings.layer,
      BookingChanges.layer,
      DueBookings.layer,
      Operators.layer,
      PaymentInquiry.layer,
      PaymentSessions.layer,
      ProviderRefunds.layer,
      RefundRecords.layer,
      ProviderHealth.layer,
      ProviderTasks.layer,
      VoucherSales.layer
    ])
  )

  /**
   * Runs what is due every five seconds and the checks every minute, for the layer's lifetime. They don't wait for each
   * other: a provider that is slow to answer checks holds no places.
   */
  static readonly worker = Layer.effectDiscard(
    Effect.gen(function* () {
      const reconciliation = yield* Reconciliation
      const failed = "Reconciliation failed; it runs again soon"
      yield* forkRecurring(reconciliation.runDue, { every: "5 seconds", failed })
      yield* forkRecurring(reconciliation.runChecks, { every: "1 minute", failed })
    })
  )
}
