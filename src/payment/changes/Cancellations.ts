/**
 * A booking is cancelled: its places become free, and what its terms give back is refunded, once. An operator may decide on another
 * amount, as where a venue closes; a family cancels what it was shown, or nothing. Before that, the provider is asked what went back
 * already, and that is counted.
 */
import { Cache, Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingCancelled, BookingNotFound, type BookingRow, HoldExpired } from "../../booking/Booking.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { refundByTerms } from "../../booking/Cancellation.ts"
import { asOf } from "../../booking/Lifecycle.ts"
import { BookingId } from "../../kernel/Ids.ts"
import { display, Money, money } from "../../kernel/Money.ts"
import { Disputes, underDispute } from "../refunds/Disputes.ts"
import { faultPoint } from "../../kernel/FaultPoint.ts"
import { providerTimeout, ProviderRefunds } from "../refunds/ProviderRefunds.ts"
import { leftOf, ownPayments, refundable } from "../refunds/Refund.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { Refunds } from "../refunds/Refunds.ts"
import { PaymentInquiry } from "../settlement/PaymentInquiry.ts"

/** What to refund: what the terms owe, all that is left, nothing, or an amount (minor units) in addition to what went back before. */
export type RefundChoice = "terms" | "full" | "none" | { readonly amount: number }

/** What a cancellation does, or would do: the booking after it (before it, where previewed), and what is refunded. */
export interface Cancellation {
  readonly booking: BookingRow
  /** What the terms give back at this time, of what is refundable. */
  readonly refund_percent: number
  /** What they then give back, whatever was chosen. */
  readonly by_terms: Money
  readonly refund: Money
  /** What of the booking's own payments went back before, or is on its way, whoever sent it; lost disputes count. */
  readonly given_back: Money
  /** What payers dispute at the moment: no refund of it is sent before the dispute is decided. */
  readonly disputed: Money
  /** Why the provider could not be asked what went back before: it is asked before the refund is sent, which may then be less. */
  readonly not_asked?: string
}

/** More was to be refunded than is left of the booking's payments. */
export class RefundTooLarge extends Schema.TaggedError<RefundTooLarge>()("RefundTooLarge", {
  booking_id: BookingId,
  left: Money
}) {
  override get message(): string {
    return `No more than ${this.left.display} of what was paid for ${this.booking_id} is left to be refunded.`
  }
}

/** What a family was shown of a booking before it cancelled it, amounts in minor units. */
export const ShownCancellation = Schema.Struct({
  refund: Schema.Int,
  paid: Schema.Int,
  starts_at: Schema.Int
})
export type ShownCancellation = typeof ShownCancellation.Type

/** What was shown is not so any more: paid, refunded or moved meanwhile, or a deadline of the terms has passed. */
export class ShownOtherwise extends Schema.TaggedError<ShownOtherwise>()("ShownOtherwise", { booking_id: BookingId }) {
  override get message(): string {
    return `${this.booking_id} has changed since its cancellation was shown: look at it anew.`
  }
}
/** A family can't cancel a visit that has begun. */
export class VisitBegun extends Schema.TaggedError<VisitBegun>()("VisitBegun", { booking_id: BookingId }) {
  override get message(): string {
    return `The visit of ${this.booking_id} has begun: only the operator can cancel it.`
  }
}

/** A family that looks again and again is answered for so long without asking the provider again. */
const previewAsksEvery = "5 seconds"
const mostPreviews = 1000

/** Divides a refund (minor units) over payments: the latest payment first, never more than is left of it. */
export const splitRefund = (
  amount: number,
  paid: ReadonlyArray<{ readonly session: PaymentSessionRow; readonly left: number }>
): ReadonlyArray<{ readonly session: PaymentSessionRow; readonly amount: number }> => {
  let rest = amount
  return paid.toReversed().flatMap(({ left, session }) => {
    const part = Math.min(rest, Math.max(0, left))
    rest -= part
    return part === 0 ? [] : [{ session, amount: part }]
  })
}

const sum = (amounts: ReadonlyArray<number>) => amounts.reduce((total, amount) => total + amount, 0)

export class Cancellations extends Context.Service<
  Cancellations,
  {
    /**
     * With `preview`, says what would be refunded now, and changes nothing. `booking_id` may also be a reference. A refund that is
     * not by the terms is written down with its `reason`.
     */
    readonly cancel: (
      booking_id: string,
      options: { readonly preview: boolean; readonly refund?: RefundChoice; readonly reason?: string }
    ) => Effect.Effect<
      Cancellation,
      BookingNotFound | BookingCancelled | HoldExpired | RefundTooLarge | SqlError.SqlError
    >
    /** What a family's cancellation would refund now, by the terms; changes nothing. */
    readonly previewForFamily: (
      booking_id: BookingId
    ) => Effect.Effect<Cancellation, BookingNotFound | BookingCancelled | HoldExpired | VisitBegun | SqlError.SqlError>
    /** Cancels by the terms what a family was shown. Where it is not so any more, nothing is cancelled. */
    readonly cancelByFamily: (
      booking_id: BookingId,
      shown: ShownCancellation
    ) => Effect.Effect<
      Cancellation,
      BookingNotFound | BookingCancelled | HoldExpired | VisitBegun | ShownOtherwise | SqlError.SqlError
    >
  }
>()("playroom/payment/Cancellations") {
  static readonly layer = Layer.effect(
    Cancellations,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* Bookings
      const bookingRecords = yield* BookingRecords
      const sessions = yield* PaymentSessions
      const refunds = yield* Refunds
      const refundRecords = yield* RefundRecords
      const disputes = yield* Disputes
      const tasks = yield* ProviderTasks
      const providerRefunds = yield* ProviderRefunds
      const inquiry = yield* PaymentInquiry

      const cancellable = Effect.fnUntraced(function* ({ booking_id, status }: BookingRow) {
        if (status === "cancelled") return yield* new BookingCancelled({ booking_id })
        if (status === "expired") return yield* new HoldExpired({ booking_id })
      })

      const notBegun = Effect.fnUntraced(function* ({ booking_id, starts_at }: BookingRow) {
        if (starts_at <= (yield* Clock.currentTimeMillis)) return yield* new VisitBegun({ booking_id })
        return undefined
      })

      const decide = Effect.fnUntraced(function* (booking: BookingRow, choice: RefundChoice) {
        yield* cancellable(booking)
        const now = yield* Clock.currentTimeMillis
        const all = yield* sessions.ofBooking(booking.booking_id)
        const known = yield* refundRecords.ofBooking(booking)
        const disputed = yield* disputes.ofBooking(booking)
        // Oldest first.
        const own = ownPayments(all, known)
        const { given_back, left } = refundable(all, known)
        const paid = own.map((session) => ({ session, left: leftOf(session, known) }))
        const due = refundByTerms(booking, { given_back, left }, now)
        const wanted =
          choice === "terms" ? due.amount : choice === "full" ? left : choice === "none" ? 0 : choice.amount
        if (typeof choice === "object" && wanted > left) {
          const { booking_id, currency } = booking
          return yield* new RefundTooLarge({ booking_id, left: money(left, currency) })
        }
        const parts = splitRefund(wanted, paid)
        const amount = sum(parts.map((part) => part.amount))
        return {
          all,
          parts,
          amount,
          refund_percent: due.refund_percent,
          by_terms: due.amount,
          owed: choice === "terms" ? due.owed : given_back + amount,
          given_back,
          disputed: sum(own.map((session) => Math.min(session.amount, underDispute(session, disputed))))
        }
      })
      type Decided = Effect.Success<ReturnType<typeof decide>>

      const answer = (booking: BookingRow, decided: Decided, not_asked: string | undefined): Cancellation => ({
        booking,
        refund_percent: decided.refund_percent,
        by_terms: money(decided.by_terms, booking.currency),
        refund: money(decided.amount, booking.currency),
        given_back: money(decided.given_back, booking.currency),
        disputed: money(decided.disputed, booking.currency),
        ...(not_asked === undefined ? {} : { not_asked })
      })

      /** The history's sentence: who decided, and how much. */
      const historyDetail = (
        booking: BookingRow,
        decided: Decided,
        choice: RefundChoice,
        reason: string | undefined
      ) => {
        const back =
          decided.amount > 0 ? `${display(decided.amount, booking.currency)} will be refunded` : "nothing is refunded"
        const byTerms = display(decided.by_terms, booking.currency)
        const by = choice === "terms" ? "" : ` at a person's word, not by the terms (${byTerms})`
        return `${reason === undefined ? "" : `${reason}; `}${back}${by}`
      }

      /** Cancels under the booking's lock. `check` sees the booking and what was decided, and may refuse. */
      const perform = <E>(
        booking_id: string,
        choice: RefundChoice,
        reason: string | undefined,
        not_asked: string | undefined,
        check: (booking: BookingRow, decided: Decided) => Effect.Effect<void, E>
      ) =>
        sql.withTransaction(
          Effect.gen(function* () {
            const booking = yield* Effect.flatMap(
              bookingRecords.lock(booking_id),
              Option.match({ onNone: () => Effect.fail(new BookingNotFound()), onSome: Effect.succeed })
            )
            const decided = yield* decide(booking, choice)
            yield* check(booking, decided)
            const cancelled = yield* bookingRecords.change(booking, {
              transition: "cancelled",
              ...(decided.amount > 0 ? { payment: "refund_requested" } : {}),
              awaiting_provider: false,
              event: "cancelled",
              detail: historyDetail(booking, decided, choice, reason)
            })
            for (const part of decided.parts) {
              yield* refunds.request(part.session, part.amount, "cancellation", decided.owed)
            }
            // What is on its way may be all that is left, and shrinks where the operator gives back by hand meanwhile.
            yield* refundRecords.raiseOwed(booking.booking_id, decided.owed)
            // A page that is still open is closed, so that nobody pays on it; a payment that comes all the same is refunded in full.
            for (const { payment_session_id, status } of decided.all) {
              if (status === "open") yield* tasks.offer({ _tag: "expire_session", payment_session_id })
            }
            yield* faultPoint("cancellation decided, not committed")
            return answer(cancelled, decided, not_asked)
          })
        )

      const cancel = Effect.fn("Cancellations.cancel")(function* (
        booking_id: string,
        {
          preview,
          reason,
          refund: choice = "terms"
        }: { readonly preview: boolean; readonly refund?: RefundChoice; readonly reason?: string }
      ) {
        const found = yield* bookings.get(booking_id)
        yield* cancellable(found)
        const not_asked = yield* providerRefunds.tryCheckBooking(found.booking_id, providerTimeout.operator)
        if (!preview) return yield* perform(found.booking_id, choice, reason, not_asked, () => Effect.void)
        const booking = yield* bookings.get(found.booking_id)
        return answer(booking, yield* decide(booking, choice), not_asked)
      })

      const previewChecks = yield* Cache.makeWith(
        (booking_id: BookingId) => providerRefunds.tryCheckBooking(booking_id, providerTimeout.family),
        {
          capacity: mostPreviews,
          timeToLive: ({ _tag }) => (_tag === "Success" ? previewAsksEvery : 0)
        }
      )

      /** By the terms, before the visit. Only an amount that is given can be too large. */
      const decideForFamily = (booking: BookingRow) =>
        Effect.gen(function* () {
          yield* cancellable(booking)
          yield* notBegun(booking)
          return yield* decide(booking, "terms")
        }).pipe(Effect.catchTag("RefundTooLarge", Effect.die))

      /** The booking as it is now, after the provider was asked about payments that may have been made meanwhile. */
      const inquired = Effect.fnUntraced(function* (booking_id: BookingId) {
        const booking = yield* bookings.get(booking_id)
        const answered = yield* inquiry.askForReader(booking, yield* sessions.ofBooking(booking_id))
        return asOf(answered ? yield* bookings.get(booking_id) : booking, yield* Clock.currentTimeMillis)
      })

      const previewForFamily = Effect.fn("Cancellations.previewForFamily")(function* (booking_id: BookingId) {
        yield* decideForFamily(yield* inquired(booking_id))
        const not_asked = yield* Cache.get(previewChecks, booking_id)
        const booking = yield* bookings.get(booking_id)
        return answer(booking, yield* decideForFamily(booking), not_asked)
      })

      const cancelByFamily = Effect.fn("Cancellations.cancelByFamily")(function* (
        booking_id: BookingId,
        shown: ShownCancellation
      ) {
        const check = Effect.fnUntraced(function* (booking: BookingRow, { amount }: Decided) {
          yield* notBegun(booking)
          if (booking.paid !== shown.paid || booking.starts_at !== shown.starts_at || amount !== shown.refund)
            return yield* new ShownOtherwise({ booking_id })
          return undefined
        })
        // What differs already by our own rows costs the provider no question.
        const booking = yield* inquired(booking_id)
        yield* check(booking, yield* decideForFamily(booking))
        const not_asked = yield* providerRefunds.tryCheckBooking(booking_id, providerTimeout.family)
        return yield* perform(booking_id, "terms", "by the family, on its page", not_asked, check).pipe(
          Effect.catchTag("RefundTooLarge", Effect.die)
        )
      })

      return Cancellations.of({ cancel, previewForFamily, cancelByFamily })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      Bookings.layer,
      Disputes.layer,
      PaymentInquiry.layer,
      PaymentSessions.layer,
      ProviderRefunds.layer,
      ProviderTasks.layer,
      RefundRecords.layer,
      Refunds.layer
    ])
  )
}
