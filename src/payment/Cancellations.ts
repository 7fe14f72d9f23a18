/**
 * An operator cancels a booking: its places become free, and what its terms give back is refunded, once; or the amount that a person
 * decides, as where a venue closes. Before that, the provider is asked what went back already, and that is counted.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingCancelled, BookingNotFound, type BookingRow, HoldExpired } from "../booking/Booking.ts"
import { BookingRecords } from "../booking/BookingRecords.ts"
import { Bookings } from "../booking/Bookings.ts"
import { refundByTerms } from "../booking/Cancellation.ts"
import { BookingId } from "../kernel/Ids.ts"
import { display, Money, money } from "../kernel/Money.ts"
import { Disputes, underDispute } from "./refunds/Disputes.ts"
import { faultPoint } from "../FaultPoint.ts"
import { ProviderRefunds } from "./refunds/ProviderRefunds.ts"
import { leftOf, ownPayments, refundable } from "./refunds/Refund.ts"
import type { PaymentSessionRow } from "./sessions/PaymentSession.ts"
import { PaymentSessions } from "./sessions/PaymentSessions.ts"
import { ProviderTasks } from "./provider/ProviderTasks.ts"
import { RefundRecords } from "./refunds/RefundRecords.ts"
import { Refunds } from "./refunds/Refunds.ts"

/** What to refund: what the terms owe, all that is left, nothing, or an amount (minor units) in addition to what went back before. */
export type RefundChoice = "terms" | "full" | "none" | { readonly amount: number }

/** What a cancellation does, or would do: the booking after it (before it, where previewed), and what is refunded. */
export interface Cancellation {
  readonly booking: BookingRow
  /** What the terms give back at this time, of what is refundable. */
  readonly refund_percent: number
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

/** How long a cancellation waits for the provider: after that, places are freed and the refund is decided without it. */
const askFor = "10 seconds"

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

      const cancellable = Effect.fnUntraced(function* ({ booking_id, status }: BookingRow) {
        if (status === "cancelled") return yield* new BookingCancelled({ booking_id })
        if (status === "expired") return yield* new HoldExpired({ booking_id })
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
          owed: choice === "terms" ? due.owed : given_back + amount,
          given_back,
          disputed: sum(own.map((session) => Math.min(session.amount, underDispute(session, disputed))))
        }
      })
      type Decided = Effect.Success<ReturnType<typeof decide>>

      const answer = (booking: BookingRow, decided: Decided, not_asked: string | undefined): Cancellation => ({
        booking,
        refund_percent: decided.refund_percent,
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
        const by = choice === "terms" ? "" : ` at a person's word, not by the terms (${decided.refund_percent} %)`
        return `${reason === undefined ? "" : `${reason}; `}${back}${by}`
      }

      const perform = Effect.fnUntraced(function* (
        booking_id: string,
        choice: RefundChoice,
        reason: string | undefined,
        not_asked: string | undefined
      ) {
        const booking = yield* Effect.flatMap(
          bookingRecords.lock(booking_id),
          Option.match({ onNone: () => Effect.fail(new BookingNotFound()), onSome: Effect.succeed })
        )
        const decided = yield* decide(booking, choice)
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
        // A page that is still open is closed, so that nobody pays on it; a payment that comes all the same is refunded in full.
        for (const { payment_session_id, status } of decided.all) {
          if (status === "open") yield* tasks.offer({ _tag: "expire_session", payment_session_id })
        }
        yield* faultPoint("cancellation decided, not committed")
        return answer(cancelled, decided, not_asked)
      }, sql.withTransaction)

      /** Asks the provider what went back before, and writes it down; answers why that failed, if it did. */
      const checkBooking = (booking: BookingRow) =>
        providerRefunds.checkBooking(booking.booking_id).pipe(
          Effect.as(undefined),
          Effect.catchTags({
            ProviderUnavailable: ({ reason }) => Effect.succeed(reason),
            AccountUnavailable: ({ reason }) => Effect.succeed(reason),
            ProviderRefused: ({ message }) => Effect.succeed(message),
            ProviderKeyReused: ({ message }) => Effect.succeed(message)
          }),
          Effect.timeoutOrElse({ duration: askFor, orElse: () => Effect.succeed(`no answer in ${askFor}`) })
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
        const not_asked = yield* checkBooking(found)
        if (!preview) return yield* perform(found.booking_id, choice, reason, not_asked)
        const booking = yield* bookings.get(found.booking_id)
        return answer(booking, yield* decide(booking, choice), not_asked)
      })

      return Cancellations.of({ cancel })
    })
  )
}
