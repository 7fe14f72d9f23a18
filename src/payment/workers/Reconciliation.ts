/**
 * Asks the provider about everything of which no event came: holds whose time is up, sessions past due, payments that take long,
 * refunds that are not settled, subscriptions that run out. So a lost event only delays what is known. Every node runs it; rows are
 * claimed in the database, so that of several nodes one asks.
 *
 * Some payments do not end. The provider calls a payment processing until the payer's bank has decided; until then the places are kept.
 * If the operator's account was disconnected, no answer ever comes: a person gives the payment up, or it ends after
 * `processingForMs`. Money that arrives later is handled as any late payment.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { BookingRow } from "../../booking/Booking.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { holdMayEnd } from "../../booking/Lifecycle.ts"
import { Operators } from "../../catalogue/Operators.ts"
import { dayMs, hourMs, type Instant, minuteMs } from "../../kernel/LocalTime.ts"
import { faultPoint } from "../../kernel/FaultPoint.ts"
import { forkRecurring } from "../../kernel/Recurring.ts"
import type { AccountUnavailable } from "../provider/PaymentGateway.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { PaymentInquiry } from "../settlement/PaymentInquiry.ts"
import { ProviderRefunds } from "../refunds/ProviderRefunds.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { SessionCreation } from "../checkout/SessionCreation.ts"
import { makeSubscriptionCheck } from "../events/InvoicePaid.ts"

/** How many rows of a kind one run takes. */
const batch = 50
/** How long a row is left to the node that asks about it, or to a call in flight, before it is asked about again. */
const askAgainMs = minuteMs
const processingMs = 10 * minuteMs
const refundMs = 2 * minuteMs
const pendingRefundMs = 10 * minuteMs
/** When the refunds of a paid session are checked again where the provider did not answer. */
const lookLaterMs = 10 * minuteMs
/** A page that closed longer ago, and of which the provider says nothing, is not asked about any more. */
const overdueForMs = 7 * dayMs

/**
 * How long a payment may be processing. The slowest way to pay is a direct debit, of which the provider knows after up to 14 business
 * days (https://docs.stripe.com/payments/sepa-debit), about 20 days.
 */
export const processingForMs = 21 * dayMs
/** A payment that is processing for so long is named to a person, whether the provider answers or not. */
const processingSuspiciousMs = 16 * dayMs
/** An account that does not answer for so long needs a person. */
const silentMs = hourMs
/** A session that is `creating` for so long is not being worked on by any node. */
const creatingMs = hourMs

/** A session that waits for too long, and since when. */
export interface StuckPayment {
  readonly session: PaymentSessionRow
  readonly since: Instant
  /** When the places are released without a person; undefined where the session keeps no places. */
  readonly ends_at: Instant | undefined
}

/** What a run did, by kind. */
export interface Report {
  readonly released: number
  readonly asked: number
  readonly refunds: number
}

export class Reconciliation extends Context.Service<
  Reconciliation,
  {
    /** One round of everything. It goes on where the provider is away, or where one row fails. */
    readonly runOnce: Effect.Effect<Report, SqlError.SqlError>
    /** The part that is due every few seconds: holds and sessions whose time is up. */
    readonly runDue: Effect.Effect<Report, SqlError.SqlError>
    /** Payments that need a person, oldest first: sessions creating, and payments processing, for too long or without an answer. */
    readonly stuck: Effect.Effect<ReadonlyArray<StuckPayment>, SqlError.SqlError>
    /** Gives up one of `stuck`, of which a person says that it was not paid; false if it is not among them. */
    readonly giveUp: (id: string) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/payment/Reconciliation") {
  static readonly layer = Layer.effect(
    Reconciliation,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* Bookings
      const bookingRecords = yield* BookingRecords
      const sessions = yield* PaymentSessions
      const creation = yield* SessionCreation
      const refunds = yield* RefundRecords
      const providerRefunds = yield* ProviderRefunds
      const inquiry = yield* PaymentInquiry
      const operators = yield* Operators
      const checkSubscription = yield* makeSubscriptionCheck

      /** Runs for every row; answers how many succeeded. The failure of a row is logged, and the row left to a later round. */
      const forEachRow = Effect.fnUntraced(function* <A, E>(
        rows: ReadonlyArray<A>,
        run: (row: A) => Effect.Effect<unknown, E>
      ) {
        let done = 0
        for (const row of rows) {
          const result = yield* Effect.exit(run(row))
          yield* Effect.yieldNow
          if (Exit.isSuccess(result)) done++
          else if (Cause.hasInterruptsOnly(result.cause)) return yield* Effect.interrupt
          else yield* Effect.logWarning("Reconciliation of a row has to wait", result.cause)
        }
        return done
      })

      /** Gives the hold's places back, if it is still one whose time is up. */
      const release = Effect.fnUntraced(function* (booking_id: BookingRow["booking_id"]) {
        const now = yield* Clock.currentTimeMillis
        const locked = yield* bookingRecords.lock(booking_id)
        if (Option.isNone(locked)) return
        const booking = locked.value
        if (!holdMayEnd(booking, now)) return
        yield* bookingRecords.change(booking, {
          transition: "hold_lapsed",
          awaiting_provider: false,
          event: "hold_expired"
        })
        yield* faultPoint("hold released, not committed")
      }, sql.withTransaction)

      /** Waiting does not help: the operator has to put its account right, or a person to look (`playroom doctor`). */
      const logAccountUnavailable =
        ({ operator_id, payment_session_id }: PaymentSessionRow) =>
        (error: AccountUnavailable) =>
          Effect.logWarning("The operator's account can't be asked about a payment session", {
            payment_session_id,
            operator_id,
            error
          })

      /**
       * Ends a hold whose time is up. First the provider closes the page, and its answer decides: closed → released; paid, or being
       * paid → kept. Where the provider is away the hold ends all the same, as its page has expired by then. Money that comes later is
       * a late payment.
       */
      const endHold = Effect.fnUntraced(function* (booking: BookingRow, now: Instant) {
        const live = yield* sessions.live(booking.booking_id, "due_now")
        if (Option.isSome(live) && live.value.status === "open") {
          const { payment_session_id } = live.value
          if (!(yield* sessions.claimOne(payment_session_id, now - askAgainMs / 2, now))) return
          yield* inquiry.expire(live.value).pipe(
            Effect.catchTag("ProviderUnavailable", (error) =>
              Effect.logWarning("A hold ends while the provider is away", { booking_id: booking.booking_id, error })
            ),
            Effect.catchTag("AccountUnavailable", logAccountUnavailable(live.value))
          )
        }
        yield* faultPoint("hold asked about, not released")
        yield* release(booking.booking_id)
      })

      const runDue = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const unchecked_since = now - askAgainMs
        const released = yield* forEachRow(yield* bookingRecords.lapsed(now, batch), (booking) => endHold(booking, now))
        const creating = yield* sessions.claim({
          status: "creating",
          due: now - askAgainMs,
          unchecked_since,
          now,
          limit: batch
        })
        const finished = yield* forEachRow(creating, (session) => finishOrAbandon(session, now))
        const overdue = yield* sessions.claim({
          status: "open",
          due: now,
          after: now - overdueForMs,
          unchecked_since,
          now,
          limit: batch
        })
        const asked = yield* forEachRow(overdue, (session) =>
          Effect.catchTag(inquiry.ask(session), "AccountUnavailable", logAccountUnavailable(session))
        )
        return { released, asked: finished + asked, refunds: 0 } satisfies Report
      })

      /** Of a call whose answer never came: sends it again with the same bytes while the booking can use it, later gives it up. */
      const finishOrAbandon = Effect.fnUntraced(function* (session: PaymentSessionRow, now: Instant) {
        if (session.expires_at <= now) return yield* creation.abandon(session)
        const booking = yield* Effect.orDie(bookings.get(session.booking_id))
        const wanted = session.purpose === "due_now" ? "held" : "confirmed"
        return yield* booking.status === wanted ? creation.finish(session) : creation.abandon(session)
      })

      const stuck = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const rows = yield* sessions.stuck({
          created_by: now - creatingMs,
          unresponsive_since: now - silentMs,
          processing_since: now - processingSuspiciousMs
        })
        return rows.map((session): StuckPayment => {
          const since = session.processing_since ?? session.created_at
          const ends = session.status === "processing" && session.purpose === "due_now"
          return { session, since, ends_at: ends ? since + processingForMs : undefined }
        })
      })

      /** False where the provider's answer came first. */
      const end = Effect.fnUntraced(function* (
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
      const giveUpOverdue = Effect.fn("Reconciliation.giveUpOverdue")(function* (limit: number) {
        const now = yield* Clock.currentTimeMillis
        let ended = 0
        for (const session of yield* sessions.processingSince(now - processingForMs, limit)) {
          const flagged = `given up after ${days} days of processing; see whether the provider has the money`
          const done = yield* end(session, { detail: `the provider gave no result in ${days} days`, flagged })
          if (!done) continue
          ended++
          yield* Effect.logError("A payment was given up after processing for too long", {
            payment_session_id: session.payment_session_id,
            booking_id: session.booking_id,
            account: session.account
          })
        }
        return ended
      })

      const giveUp = Effect.fn("Reconciliation.giveUp")(function* (id: string) {
        const found = (yield* stuck).find(({ session }) => session.payment_session_id === id)
        if (found === undefined) return false
        if (found.session.status === "processing") return yield* end(found.session, { detail: "a person settled it" })
        return (yield* creation.abandon(found.session)).status === "failed"
      })

      const runOnce = Effect.gen(function* () {
        const due = yield* runDue
        const now = yield* Clock.currentTimeMillis
        const slow = now - processingMs
        const processing = yield* sessions.claim({
          status: "processing",
          due: slow,
          unchecked_since: slow,
          now,
          limit: batch
        })
        const asked = yield* forEachRow(processing, (session) =>
          Effect.catchTag(inquiry.ask(session), "AccountUnavailable", logAccountUnavailable(session))
        )
        // Only now: the provider has just been asked about these payments once more.
        yield* giveUpOverdue(batch)
        const requested = yield* refunds.claim("requested", now - refundMs, batch)
        const sent = yield* forEachRow(requested, ({ refund_id }) => providerRefunds.send(refund_id))
        const pending = yield* refunds.claim("pending", now - pendingRefundMs, batch)
        const settled = yield* forEachRow(pending, providerRefunds.ask)
        const paid = yield* sessions.claimForRefundCheck(now, batch)
        const looked = yield* forEachRow(paid, (session) =>
          providerRefunds
            .checkPayment(session)
            .pipe(Effect.tapError(() => sessions.scheduleRefundCheck(session.payment_session_id, now + lookLaterMs)))
        )
        const billed = yield* forEachRow(yield* operators.leaseSubscriptionChecks(batch), checkSubscription)
        return {
          released: due.released,
          asked: due.asked + asked + looked + billed,
          refunds: sent + settled
        } satisfies Report
      })

      return Reconciliation.of({ runOnce, runDue, stuck, giveUp })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      Bookings.layer,
      Operators.layer,
      PaymentInquiry.layer,
      PaymentSessions.layer,
      ProviderRefunds.layer,
      RefundRecords.layer,
      SessionCreation.layer
    ])
  )

  /** Holds and sessions every five seconds, everything else every minute, for as long as the layer lives. */
  static readonly worker = Layer.effectDiscard(
    Effect.gen(function* () {
      const reconciliation = yield* Reconciliation
      const failed = "Reconciliation failed; it runs again soon"
      yield* forkRecurring(reconciliation.runDue, { every: "5 seconds", failed })
      yield* forkRecurring(reconciliation.runOnce, { every: "1 minute", failed })
    })
  )
}
