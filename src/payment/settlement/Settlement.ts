/**
 * Applies the provider's facts about a payment session to the session and its booking, in one transaction. Facts may
 * arrive late, twice and in any order, from events or inquiries: the end state is the same (`SessionFacts.ts`). A
 * payment pays the booking, confirms an expired booking if its places are still free, or is refunded. Nothing here
 * calls the provider; calls to it become provider tasks.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AppConfig } from "../../config/AppConfig.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { Claims } from "../../booking/Claims.ts"
import { isErased } from "../../booking/ErasedPerson.ts"
import { faultPoint } from "../../kernel/FaultPoint.ts"
import { minuteMs } from "../../kernel/LocalTime.ts"
import { display } from "../../kernel/Money.ts"
import type { ProviderSession } from "../provider/PaymentGateway.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import { ownPayments } from "../refunds/Refund.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { Refunds } from "../refunds/Refunds.ts"
import { isForBalance, isLive, pagesUsedUp, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { counted, makeCounting, onlyCounted, paymentEvent, type Reported, sessionChange } from "./CountedPayment.ts"
import { type Fact, factOf, mismatch, newAttempt, nextSessionStatus } from "./SessionFacts.ts"

/** The result of a fact. `rejected`: it contradicts our request; nothing changed, and a person has to look. */
export interface Outcome {
  readonly status: "applied" | "ignored" | "rejected"
  readonly text: string
}

const applied = (text: string): Outcome => ({ status: "applied", text })

/** Payment statuses in which the amount due is unpaid and can still be paid. */
const payable = new Set<BookingRow["payment_status"]>(["unpaid", "processing", "failed"])

/** Payment statuses of a booking whose balance is unpaid, and of which nothing went back. */
const stillPaid = new Set<BookingRow["payment_status"]>(["deposit_paid", "not_required"])

type SessionIds = Reported["session"]

/** The other sessions of a booking, oldest first, under its lock. */
type Others = ReadonlyArray<PaymentSessionRow>

// A session that ends unpaid changes the booking only if no other session of its purpose is live.
const liveOf = (others: Others, { purpose }: PaymentSessionRow): PaymentSessionRow | undefined =>
  others.find((one) => one.purpose === purpose && isLive(one))

export class Settlement extends Context.Service<
  Settlement,
  {
    /**
     * Applies the provider's state of a session, in the caller's transaction if there is one. `fact`: the fact of an
     * event, if it says more than the session itself.
     */
    readonly settle: (
      session: SessionIds,
      answer: ProviderSession,
      fact?: Fact
    ) => Effect.Effect<Outcome, SqlError.SqlError>
    /**
     * Counts payments of different bookings, in the caller's transaction and by few statements: those that only have to
     * be counted. The others have no outcome and changed nothing; `settle` them one by one, after this transaction. It
     * waits for no booking's lock.
     */
    readonly countAll: (
      payments: ReadonlyArray<Reported>
    ) => Effect.Effect<ReadonlyMap<Reported, Outcome>, SqlError.SqlError>
    /** Flags the session's money as not accounted for, with the reason, and logs a warning. Nothing else changes. */
    readonly flag: (session: PaymentSessionRow, why: string) => Effect.Effect<Outcome, SqlError.SqlError>
  }
>()("playroom/payment/settlement/Settlement") {
  static readonly layer = Layer.effect(
    Settlement,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const settings = yield* AppConfig
      const bookings = yield* BookingRecords
      const claims = yield* Claims
      const sessions = yield* PaymentSessions
      const refunds = yield* Refunds
      const refundRecords = yield* RefundRecords
      const tasks = yield* ProviderTasks
      const counting = makeCounting(bookings, sessions)

      const flag = Effect.fn("Settlement.flag")(function* (session: PaymentSessionRow, why: string) {
        const now = yield* Clock.currentTimeMillis
        yield* Effect.logWarning("A payment session contradicts what was asked for", {
          payment_session_id: session.payment_session_id,
          booking_id: session.booking_id,
          why
        })
        yield* sessions.change(session.payment_session_id, { flagged: why }, now)
        return { status: "rejected", text: why } satisfies Outcome
      })

      /**
       * Whether another session has paid for the same purpose without being refunded as late or duplicate, or a move
       * has changed the balance since this page was created. A booking is confirmed once: what was due for that is asked
       * for no more, also if the payment at the venue that confirmed it was undone since.
       */
      const isAlreadyPaid = Effect.fnUntraced(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        others: Others
      ) {
        const { due_now, status, terms, total } = booking
        if (status === "confirmed" && session.purpose === "due_now") return true
        const moved = terms.settled_sessions !== undefined
        if (moved && session.purpose === "balance" && session.amount !== total - due_now) return true
        if (!others.some(({ status }) => status === "paid")) return false
        return ownPayments(others, yield* refundRecords.ofBooking(session)).some((other) =>
          session.purpose === "balance" ? isForBalance(other, booking) : other.purpose === session.purpose
        )
      })

      /** The booking is over: counts the money as the booking's, and refunds it in full. */
      const refundLatePayment = Effect.fnUntraced(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        amount: number,
        why: string
      ) {
        if (amount === 0) {
          yield* bookings.change(booking, { note: true, event: "paid_late", detail: why })
          return `${why}; nothing was paid`
        }
        yield* bookings.change(booking, {
          paid: amount,
          payment: "refund_requested",
          event: "paid_late",
          detail: `${why}: ${display(amount, session.currency)} goes back to the payer`
        })
        yield* refunds.request(session, amount, "late_payment")
        return `${why}; refund requested`
      })

      /** Counts `amount` (minor units; 0 if nothing had to be paid). Returns a description of the result. */
      const settlePaid = Effect.fn("Settlement.settlePaid")(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        others: Others,
        amount: number
      ) {
        const detail = display(amount, session.currency)
        if (booking.status === "cancelled") {
          return yield* refundLatePayment(booking, session, amount, "paid after the booking was cancelled")
        }
        if (yield* isAlreadyPaid(booking, session, others)) {
          // A duplicate does not count as the booking's money.
          yield* bookings.change(booking, {
            note: true,
            event: "duplicate_payment",
            detail: `${detail} goes back to the payer`
          })
          if (amount > 0) yield* refunds.request(session, amount, "duplicate_payment")
          return "paid before; refund requested"
        }
        if (booking.status === "expired") {
          const now = yield* Clock.currentTimeMillis
          // An erased booking has no known owner.
          // Released for an unpaid balance: the balance completes what was paid, if nothing of that went back.
          const released = booking.terms.released_at !== undefined
          const missing = released ? stillPaid.has(booking.payment_status) : payable.has(booking.payment_status)
          const wanted = session.purpose === (released ? "balance" : "due_now")
          const revivable = missing && wanted && booking.starts_at > now && !isErased(booking)
          if (!revivable || !(yield* claims.retake(booking))) {
            return yield* refundLatePayment(
              booking,
              session,
              amount,
              released
                ? "paid after the places had been released"
                : "paid after the hold had ended and the places were gone"
            )
          }
          yield* bookings.change(booking, {
            transition: "paid_late_places_free",
            payment: paymentEvent(booking, session),
            paid: amount,
            awaiting_provider: false,
            event: "paid_late",
            detail: `${detail}, after the ${released ? "places had been released" : "hold had ended"}; the places were still free`
          })
          return "paid late, the places were still free: confirmed"
        }
        const { change, text } = counted(booking, session, amount)
        yield* bookings.change(booking, change)
        return text
      })

      const settleFailed = Effect.fnUntraced(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        others: Others
      ) {
        if (session.purpose === "balance") {
          yield* bookings.change(booking, { note: true, event: "balance_payment_failed" })
          return
        }
        const now = yield* Clock.currentTimeMillis
        const last = liveOf(others, session) === undefined
        const another = !pagesUsedUp([...others, session])
        const hold_expires_at = another ? now + settings.holdMinutes * minuteMs : now
        const fresh = { hold_expires_at, awaiting_provider: false }
        yield* bookings.change(booking, {
          ...(last ? { payment: "payment_failed" } : {}),
          ...(last && booking.status === "held" ? fresh : {}),
          note: true,
          event: "payment_failed"
        })
      })

      const settleExpired = Effect.fnUntraced(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        others: Others
      ) {
        // The hold lasts until its own end: until then the booking may get a new session, if it has one left.
        const now = yield* Clock.currentTimeMillis
        const freed =
          session.purpose === "due_now" && booking.status === "held" && liveOf(others, session) === undefined
        const over = freed && pagesUsedUp([...others, session])
        yield* bookings.change(booking, {
          ...(freed ? { payment: "session_closed", awaiting_provider: false } : {}),
          ...(over ? { hold_expires_at: now } : {}),
          note: true,
          event: "payment_session_expired"
        })
      })

      const settleProcessing = Effect.fnUntraced(function* (booking: BookingRow, session: PaymentSessionRow) {
        const due = session.purpose === "due_now"
        yield* bookings.change(booking, {
          ...(due ? { payment: "payment_processing" } : {}),
          ...(due && booking.status === "held" ? { awaiting_provider: true } : {}),
          note: true,
          event: due ? "payment_processing" : "balance_payment_processing"
        })
      })

      const noteDeclined = (booking: BookingRow, { purpose }: PaymentSessionRow) =>
        bookings.change(booking, {
          note: true,
          event: purpose === "due_now" ? "payment_declined" : "balance_payment_declined",
          detail: "nothing was charged"
        })

      const noSuchSession: Outcome = { status: "ignored", text: "no such payment session" }

      const settleFact = Effect.fnUntraced(function* (
        reported: Reported
      ): Effect.fn.Return<Outcome, SqlError.SqlError> {
        const { answer, fact } = reported
        const { booking_id, payment_session_id } = reported.session
        const locked = yield* bookings.lockWith(booking_id, sessions.lockOfBooking(booking_id))
        if (Option.isNone(locked)) return noSuchSession
        const [booking, all] = locked.value
        const payment = onlyCounted(booking, all, reported)
        if (payment !== undefined) return applied((yield* counting.count([payment])).join())
        const session = all.find((one) => one.payment_session_id === payment_session_id)
        if (session === undefined) return noSuchSession
        const others = all.filter((one) => one !== session)
        if (fact === "unknown") {
          return { status: "ignored", text: `not understood: ${answer.status}, ${answer.payment_status}` }
        }
        const why = mismatch(session, fact, answer)
        if (why !== undefined) return yield* flag(session, why)
        const next = nextSessionStatus(session.status, fact)
        const now = yield* Clock.currentTimeMillis
        const attempt = newAttempt(session, next, answer, now)
        if (attempt?.outcome === "declined") yield* noteDeclined(booking, session)
        if (next === undefined) {
          if (attempt === undefined) return applied(`nothing to change: the session is ${session.status}`)
          yield* sessions.change(payment_session_id, { failed_attempt: attempt }, now)
          return applied("the payer's try was declined; the page is open")
        }
        if (next === "processing" && session.status === "expired") {
          // Only one session per purpose may be live, and a newer one is. A payment of this one counts when it arrives.
          if (liveOf(others, session) !== undefined) return applied("nothing to change: a newer session is open")
        }
        const change = sessionChange(session, next, answer, attempt, now)
        const moved = yield* sessions.change(payment_session_id, change, now)
        switch (next) {
          case "creating":
          case "open":
            break
          case "paid": {
            const text = yield* settlePaid(booking, moved, others, fact === "free" ? 0 : moved.amount)
            // Close the other page for the same purpose.
            const other = liveOf(others, session)
            if (other !== undefined) {
              yield* tasks.offer({ _tag: "expire_session", payment_session_id: other.payment_session_id })
            }
            return applied(text)
          }
          case "processing":
            yield* settleProcessing(booking, moved)
            break
          case "failed":
            yield* settleFailed(booking, moved, others)
            break
          case "expired":
            yield* settleExpired(booking, moved, others)
            break
        }
        return applied(`the session of ${display(session.amount, session.currency)} is ${next}`)
      })

      const settle = Effect.fn("Settlement.settle")(
        (session: SessionIds, answer: ProviderSession, fact: Fact = factOf(answer)) =>
          settleFact({ session, answer, fact }).pipe(
            Effect.tap(() => faultPoint("session fact applied, not committed")),
            sql.withTransaction
          )
      )

      const countAll = Effect.fn("Settlement.countAll")(function* (all: ReadonlyArray<Reported>) {
        const texts = yield* counting.those(all)
        yield* faultPoint("session fact applied, not committed")
        return new Map([...texts].map(([reported, text]) => [reported, applied(text)]))
      })

      return Settlement.of({ settle, countAll, flag })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      Claims.layer,
      PaymentSessions.layer,
      ProviderTasks.layer,
      RefundRecords.layer,
      Refunds.layer
    ])
  )
}
