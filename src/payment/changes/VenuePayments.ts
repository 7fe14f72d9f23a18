/**
 * Payments that a person took at the venue: in cash, by card, by transfer. Each is a paid session that the provider knows
 * nothing of, so that it counts, and goes back, as any other. It closes the pages on which the same could be paid. A
 * payment by link that arrives all the same is more than is owed, and goes back (`Settlement.ts`).
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingCancelled, BookingNotFound, type BookingRow, HoldExpired } from "../../booking/Booking.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { holdRuns } from "../../booking/Lifecycle.ts"
import { PlayroomSemaphore } from "../../booking/PlayroomSemaphore.ts"
import { type ChangedSinceShown, requireAsShown, stateShown } from "../../booking/ShownState.ts"
import { amountsToPay } from "../../booking/Standing.ts"
import { BookingId, newId, type PaymentSessionId } from "../../kernel/Ids.ts"
import { display, Money, money } from "../../kernel/Money.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import { isBalancePaid, ownPayments, type RefundRow } from "../refunds/Refund.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { withDue } from "../settlement/PaidAmount.ts"
import { type PaymentSessionRow, type VenueWay, wayInWords } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"

/**
 * Why a payment can't be recorded. `more_than_owed`: `owed` says how much is. `less_than_due`: places that are only held
 * take at least what is due now. `processing`: a payment by link is under way.
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
        return `A payment by link is being processed for ${this.booking_id}. If it fails, ${this.owed.display} is owed again.`
    }
  }
}

/** A payment that a person takes. */
export interface VenuePayment {
  /** Minor units. */
  readonly amount: number
  readonly way: VenueWay
  /** Who takes it. */
  readonly done_by?: string
}

/** A recorded payment, or what recording it would do. A preview has the booking as it is before. */
export interface RecordedPayment {
  readonly booking: BookingRow
  readonly payment_session_id?: PaymentSessionId
  readonly amount: Money
  readonly way: VenueWay
  /** What is owed after it. */
  readonly left: Money
  /** Whether places that were only held are then confirmed. */
  readonly confirms: boolean
  /** The state before, and what this does, for the form or command that records it (`ShownState.ts`). */
  readonly shown: string
}

type Refusal = VenuePaymentRefused | BookingCancelled | HoldExpired

/** What a booking owes, whatever is due now. */
const owedFor = (booking: BookingRow, all: ReadonlyArray<PaymentSessionRow>, known: ReadonlyArray<RefundRow>): number =>
  amountsToPay(booking, { balance_paid: isBalancePaid(booking, all, known) }).outstanding

export class VenuePayments extends Context.Service<
  VenuePayments,
  {
    /**
     * Records a payment, or previews that without a change. `booking_id` may also be a reference. With `shown`, it does
     * what that preview showed, or nothing.
     */
    readonly record: (
      booking_id: string,
      payment: VenuePayment,
      options: { readonly preview: boolean; readonly shown?: string }
    ) => Effect.Effect<RecordedPayment, Refusal | BookingNotFound | ChangedSinceShown | SqlError.SqlError>
  }
>()("playroom/payment/changes/VenuePayments") {
  static readonly layer = Layer.effect(
    VenuePayments,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* Bookings
      const records = yield* BookingRecords
      const sessions = yield* PaymentSessions
      const refunds = yield* RefundRecords
      const tasks = yield* ProviderTasks
      const random = yield* SecureRandom.SecureRandom
      const { withPermit } = yield* PlayroomSemaphore

      /** Fails if this payment can't be taken now; returns what is owed after it. */
      const check = Effect.fnUntraced(function* (
        booking: BookingRow,
        { amount }: VenuePayment,
        all: ReadonlyArray<PaymentSessionRow>,
        known: ReadonlyArray<RefundRow>
      ): Effect.fn.Return<number, Refusal> {
        const { booking_id, currency, due_now, status } = booking
        const now = yield* Clock.currentTimeMillis
        if (status === "cancelled") return yield* new BookingCancelled({ booking_id })
        if (status === "expired" || (status === "held" && !holdRuns(booking, now)))
          return yield* new HoldExpired({ booking_id })
        const owed = owedFor(booking, all, known)
        const refuse = (reason: VenuePaymentRefused["reason"], minor: number) =>
          new VenuePaymentRefused({ booking_id, reason, owed: money(minor, currency) })
        if (all.some((one) => one.status === "processing" || one.misfit !== null))
          return yield* refuse("processing", owed)
        if (amount > owed) return yield* refuse("more_than_owed", owed)
        if (status === "held" && amount < due_now) return yield* refuse("less_than_due", due_now)
        return owed - amount
      })

      const outcome = ({ amount, way }: VenuePayment, left: number) => ({ amount, way, left })

      const answer = (booking: BookingRow, from: BookingRow, payment: VenuePayment, left: number): RecordedPayment => ({
        booking,
        amount: money(payment.amount, booking.currency),
        way: payment.way,
        left: money(left, booking.currency),
        confirms: from.status === "held",
        shown: stateShown(from, outcome(payment, left))
      })

      /** Counts the payment, under the booking's lock. */
      const take = Effect.fnUntraced(function* (
        booking: BookingRow,
        payment: VenuePayment,
        all: ReadonlyArray<PaymentSessionRow>,
        known: ReadonlyArray<RefundRow>,
        left: number
      ) {
        const { amount, done_by, way } = payment
        const { booking_id, currency, due_now, operator_id, payment_status, total } = booking
        const held = booking.status === "held"
        const now = yield* Clock.currentTimeMillis
        const payment_session_id = yield* Effect.provideService(newId.payment, SecureRandom.SecureRandom, random)
        const purpose = held ? "due_now" : "balance"
        yield* sessions.insertTaken({
          payment_session_id,
          operator_id,
          booking_id,
          purpose,
          amount,
          currency,
          way,
          taken_by: done_by,
          now
        })
        const asked = held ? due_now : total - due_now
        const settled = ownPayments(all, known).map((one) => one.payment_session_id)
        const counted =
          amount === asked
            ? booking
            : withDue(booking, held ? amount : due_now + amount, [...settled, payment_session_id])
        const inPart = held || payment_status === "not_required" || payment_status === "refunded"
        const paid = yield* records.change(counted, {
          ...(held ? { transition: "due_paid", awaiting_provider: false } : {}),
          ...(left === 0 ? { payment: "all_paid" } : inPart ? { payment: "deposit_paid" } : {}),
          paid: amount,
          ...(done_by === undefined ? {} : { done_by }),
          event: "paid_at_venue",
          detail: `${display(amount, currency)} ${wayInWords[way]}${left === 0 ? "" : `; ${display(left, currency)} is still to be paid`}`
        })
        if (counted !== booking) yield* records.changeDue(paid)
        // What is open asks for an amount that is not owed any more.
        for (const one of all) {
          if (one.status === "open")
            yield* tasks.offer({ _tag: "expire_session", payment_session_id: one.payment_session_id })
        }
        return { ...answer(paid, booking, payment, left), payment_session_id }
      })

      const record = Effect.fn("VenuePayments.record")(function* (
        id: string,
        payment: VenuePayment,
        { preview, shown }: { readonly preview: boolean; readonly shown?: string }
      ) {
        const found = yield* bookings.get(id)
        const { booking_id } = found
        if (preview) {
          const all = yield* sessions.ofBooking(booking_id)
          return answer(found, found, payment, yield* check(found, payment, all, yield* refunds.ofBooking(found)))
        }
        const work = Effect.gen(function* () {
          const locked = yield* records.lockWith(booking_id, sessions.lockOfBooking(booking_id))
          if (Option.isNone(locked)) return yield* new BookingNotFound()
          const [booking, all] = locked.value
          const known = yield* refunds.ofBooking(booking)
          // A repeat is told that the booking has changed since, and not that nothing is owed.
          const owed = owedFor(booking, all, known)
          yield* requireAsShown(booking, outcome(payment, owed - payment.amount), shown)
          const left = yield* check(booking, payment, all, known)
          return yield* take(booking, payment, all, known, left)
        })
        return yield* withPermit(found.playroom_id, sql.withTransaction(work))
      })

      return VenuePayments.of({ record })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      Bookings.layer,
      PaymentSessions.layer,
      PlayroomSemaphore.layer,
      ProviderTasks.layer,
      RefundRecords.layer
    ])
  )
}
