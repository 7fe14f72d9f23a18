/**
 * Cancels a booking: its capacity is released, and the refund by its terms is requested, once. An operator may refund
 * another amount, for example if a venue closes. A family's cancellation goes through only if its preview still holds.
 * Before that, the provider is asked for earlier refunds, and they are counted.
 */
import { Cache, Clock, Context, Data, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingCancelled, type BookingNotFound, type BookingRow, HoldExpired } from "../../booking/Booking.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { BookingMutex, type ChangeUnderWay } from "../../booking/BookingMutex.ts"
import { PlayroomSemaphore } from "../../booking/PlayroomSemaphore.ts"
import { asOf, balanceMayLapse } from "../../booking/Lifecycle.ts"
import { type ChangedSinceShown, requireAsShown } from "../../booking/ShownState.ts"
import { onDatedClock, onSteadyClock } from "../../kernel/Elapsed.ts"
import { BookingId } from "../../kernel/Ids.ts"
import { hourMs, type Instant } from "../../kernel/LocalTime.ts"
import { type Money, money } from "../../kernel/Money.ts"
import { Disputes } from "../refunds/Disputes.ts"
import { faultPoint } from "../../kernel/FaultPoint.ts"
import { providerTimeout, ProviderRefunds } from "../refunds/ProviderRefunds.ts"
import { isBalancePaid } from "../refunds/Refund.ts"
import { graceMs, isLive, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { Refunds } from "../refunds/Refunds.ts"
import { PaymentInquiry } from "../settlement/PaymentInquiry.ts"
import {
  type DecidedRefund,
  type GivenBack,
  givenBackOf,
  makeRefundDecisions,
  type RefundChoice,
  refundInHistory,
  refundOutcome,
  type RefundTooLarge
} from "./CancellationRefund.ts"

/** The result or preview of a cancellation. A preview has the booking as it is before. */
export interface Cancellation extends GivenBack {
  /** The share of the refundable amount that the terms give back now. */
  readonly refund_percent: number
  /** The refund by the terms, even if another was chosen. */
  readonly by_terms: Money
}

/** A family can't cancel a visit that has begun. */
class VisitBegun extends Schema.TaggedError<VisitBegun>()("VisitBegun", { booking_id: BookingId }) {
  override get message(): string {
    return `The visit of ${this.booking_id} has begun: only the operator can cancel it.`
  }
}

/** An unpaid balance releases nothing now. */
class BalanceStands extends Data.TaggedError("BalanceStands") {
  override get message(): string {
    return "The balance is paid, or may still be paid."
  }
}

/** Whether money may still come from a session. A page past its end and the grace has been asked about. */
const mayPay = (session: PaymentSessionRow, now: Instant): boolean =>
  session.purpose === "balance" &&
  isLive(session) &&
  (session.status === "processing" || now < session.expires_at + graceMs)

/** Minimum time between two questions to the provider for a family's previews of a booking. */
const previewCheckInterval = "5 seconds"
const maxPreviews = 1000

/** When the first payment of what was due became known; `-Infinity` if nothing was due. */
const confirmedAt = (sessions: ReadonlyArray<PaymentSessionRow>): Instant => {
  const times = sessions.flatMap(({ paid_at, purpose }) => (purpose === "due_now" && paid_at !== null ? [paid_at] : []))
  return times.length === 0 ? -Infinity : Math.min(...times)
}

interface CancelOptions {
  readonly preview: boolean
  readonly refund?: RefundChoice
  readonly reason?: string
  readonly shown?: string
  /** Whether a preview asks the provider for earlier refunds, as it does by default. The cancellation itself does. */
  readonly ask?: boolean
  /** Who cancels it, for the history. */
  readonly done_by?: string
}

export class Cancellations extends Context.Service<
  Cancellations,
  {
    /**
     * Cancels a booking, or previews that without a change. `booking_id` may also be a reference. The history has the
     * `reason`. With `shown`, it does what that preview showed, or nothing.
     */
    readonly cancel: (
      booking_id: string,
      options: CancelOptions
    ) => Effect.Effect<
      Cancellation,
      | BookingNotFound
      | BookingCancelled
      | HoldExpired
      | RefundTooLarge
      | ChangedSinceShown
      | ChangeUnderWay
      | SqlError.SqlError
    >
    /** Previews a family's cancellation, by the terms; changes nothing. */
    readonly previewForFamily: (
      booking_id: BookingId
    ) => Effect.Effect<Cancellation, BookingNotFound | BookingCancelled | HoldExpired | VisitBegun | SqlError.SqlError>
    /** Cancels by the terms, as the family's preview showed. Cancels nothing if the preview is stale. */
    readonly cancelByFamily: (
      booking_id: BookingId,
      shown: string
    ) => Effect.Effect<
      Cancellation,
      | BookingNotFound
      | BookingCancelled
      | HoldExpired
      | VisitBegun
      | ChangedSinceShown
      | ChangeUnderWay
      | SqlError.SqlError
    >
    /**
     * Releases the places of a booking whose balance has been unpaid for as long as its terms say, with what they give
     * back. False if it stands: it is paid, a payment is under way, its page may still be paid, or it was moved.
     */
    readonly releaseUnpaid: (booking_id: BookingId) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/payment/changes/Cancellations") {
  static readonly layer = Layer.effect(
    Cancellations,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* Bookings
      const bookingRecords = yield* BookingRecords
      const sessions = yield* PaymentSessions
      const decisions = yield* makeRefundDecisions
      const tasks = yield* ProviderTasks
      const providerRefunds = yield* ProviderRefunds
      const inquiry = yield* PaymentInquiry
      const { exclusively } = yield* BookingMutex
      const { withPermit } = yield* PlayroomSemaphore

      const requireCancellable = Effect.fnUntraced(function* ({ booking_id, status }: BookingRow) {
        if (status === "cancelled") return yield* new BookingCancelled({ booking_id })
        if (status === "expired") return yield* new HoldExpired({ booking_id })
      })

      const requireNotBegun = Effect.fnUntraced(function* ({ booking_id, starts_at }: BookingRow) {
        if (starts_at <= (yield* Clock.currentTimeMillis)) return yield* new VisitBegun({ booking_id })
        return undefined
      })

      const decide = Effect.fnUntraced(function* (booking: BookingRow, choice: RefundChoice) {
        yield* requireCancellable(booking)
        return yield* decisions.decide(booking, choice)
      })

      const answer = (booking: BookingRow, decided: DecidedRefund, not_asked: string | undefined): Cancellation => ({
        ...givenBackOf(booking, decided, not_asked),
        refund_percent: decided.refund_percent,
        by_terms: money(decided.by_terms, booking.currency)
      })

      /** Cancels under the booking's lock. `check` gets the booking and the decision, and may fail. */
      const perform = <E>(
        { booking_id, playroom_id }: Pick<BookingRow, "booking_id" | "playroom_id">,
        choice: RefundChoice,
        reason: string | undefined,
        not_asked: string | undefined,
        check: (booking: BookingRow, decided: DecidedRefund) => Effect.Effect<void, E>,
        end: "cancelled" | "balance_lapsed" = "cancelled",
        done_by?: string
      ) =>
        Effect.gen(function* () {
          const booking = yield* bookings.lock(booking_id)
          const decided = yield* decide(booking, choice)
          yield* check(booking, decided)
          const ending = end === "cancelled" ? booking : yield* bookingRecords.markReleased(booking)
          const cancelled = yield* bookingRecords.change(ending, {
            transition: end,
            ...(decided.amount > 0 ? { payment: "refund_requested" } : {}),
            awaiting_provider: false,
            ...(done_by === undefined ? {} : { done_by }),
            event: end,
            detail: refundInHistory(booking, decided, choice, reason)
          })
          yield* decisions.request(booking, decided, "cancellation")
          // Close open pages, so that nobody pays on them. A payment that arrives anyway is refunded in full.
          for (const { payment_session_id, status } of decided.all) {
            if (status === "open") yield* tasks.offer({ _tag: "expire_session", payment_session_id })
          }
          yield* faultPoint("cancellation decided, not committed")
          return answer(cancelled, decided, not_asked)
        }).pipe(sql.withTransaction, (work) => withPermit(playroom_id, work))

      const cancel = Effect.fn("Cancellations.cancel")(function* (
        id: string,
        { ask = true, done_by, preview, reason, refund: choice = "terms", shown }: CancelOptions
      ) {
        const { booking_id, playroom_id } = yield* bookings.get(id)
        const check = (booking: BookingRow, decided: DecidedRefund) =>
          requireAsShown(booking, refundOutcome(decided), shown)
        const before = Effect.gen(function* () {
          const found = yield* bookings.get(booking_id)
          yield* requireCancellable(found)
          // What was shown is compared with our own rows first, before the provider is asked.
          if (!preview && shown !== undefined) yield* check(found, yield* decide(found, choice))
          return preview && !ask
            ? undefined
            : yield* providerRefunds.tryCheckBooking(booking_id, providerTimeout.operator)
        })
        if (!preview) {
          const work = Effect.flatMap(before, (not_asked) =>
            perform({ booking_id, playroom_id }, choice, reason, not_asked, check, "cancelled", done_by)
          )
          return yield* exclusively(booking_id, work)
        }
        const not_asked = yield* before
        const booking = yield* bookings.get(booking_id)
        return answer(booking, yield* decide(booking, choice), not_asked)
      })

      const previewChecks = yield* Cache.makeWith(
        (booking_id: BookingId) => onDatedClock(providerRefunds.tryCheckBooking(booking_id, providerTimeout.family)),
        {
          capacity: maxPreviews,
          timeToLive: ({ _tag }) => (_tag === "Success" ? previewCheckInterval : 0)
        }
      )

      /** By the terms, before the visit. `RefundTooLarge` can't occur: no amount is given. */
      const decideForFamily = (booking: BookingRow) =>
        Effect.gen(function* () {
          yield* requireCancellable(booking)
          yield* requireNotBegun(booking)
          return yield* decide(booking, "terms")
        }).pipe(Effect.catchTag("RefundTooLarge", Effect.die))

      /** The current booking, after the provider was asked about recent payments. */
      const currentBooking = Effect.fnUntraced(function* (booking_id: BookingId) {
        const booking = yield* bookings.get(booking_id)
        const answered = yield* inquiry.askForReader(booking, yield* sessions.ofBooking(booking_id))
        return asOf(answered ? yield* bookings.get(booking_id) : booking, yield* Clock.currentTimeMillis)
      })

      const previewForFamily = Effect.fn("Cancellations.previewForFamily")(function* (booking_id: BookingId) {
        yield* decideForFamily(yield* currentBooking(booking_id))
        const not_asked = yield* onSteadyClock(Cache.get(previewChecks, booking_id))
        const booking = yield* bookings.get(booking_id)
        return answer(booking, yield* decideForFamily(booking), not_asked)
      })

      const cancelByFamily = Effect.fn("Cancellations.cancelByFamily")((booking_id: BookingId, shown: string) => {
        const check = Effect.fnUntraced(function* (booking: BookingRow, decided: DecidedRefund) {
          yield* requireNotBegun(booking)
          return yield* requireAsShown(booking, refundOutcome(decided), shown)
        })
        const work = Effect.gen(function* () {
          // Check our own rows first, before the provider is asked.
          const booking = yield* currentBooking(booking_id)
          yield* check(booking, yield* decideForFamily(booking))
          const not_asked = yield* providerRefunds.tryCheckBooking(booking_id, providerTimeout.family)
          return yield* perform(booking, "terms", "by the family, on its page", not_asked, check).pipe(
            Effect.catchTag("RefundTooLarge", Effect.die)
          )
        })
        return exclusively(booking_id, work)
      })

      const releaseUnpaid = Effect.fn("Cancellations.releaseUnpaid")(function* (booking_id: BookingId) {
        const check = Effect.fnUntraced(function* (booking: BookingRow, { all, known }: DecidedRefund) {
          const now = yield* Clock.currentTimeMillis
          // Whoever is confirmed late, because the news of the payment was, has as long to pay the balance.
          const hours = booking.terms.release_unpaid_after_hours ?? 0
          const confirmedLate = confirmedAt(all) + hours * hourMs > now
          const stays =
            confirmedLate ||
            !balanceMayLapse(booking, now) ||
            isBalancePaid(booking, all, known) ||
            all.some((one) => mayPay(one, now))
          return stays ? yield* new BalanceStands() : undefined
        })
        const why = "the balance was not paid in time, as its terms say"
        const work = Effect.gen(function* () {
          // Our own rows first: a payment may be under way for weeks.
          const found = yield* bookings.get(booking_id)
          yield* check(found, yield* decide(found, "terms"))
          const not_asked = yield* providerRefunds.tryCheckBooking(booking_id, providerTimeout.operator)
          return yield* perform(found, "terms", why, not_asked, check, "balance_lapsed")
        })
        return yield* exclusively(booking_id, work).pipe(
          Effect.as(true),
          Effect.catchTag("RefundTooLarge", Effect.die),
          Effect.catchTag(
            ["BalanceStands", "BookingNotFound", "BookingCancelled", "HoldExpired", "ChangeUnderWay"],
            () => Effect.succeed(false)
          )
        )
      })

      return Cancellations.of({ cancel, previewForFamily, cancelByFamily, releaseUnpaid })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      Bookings.layer,
      BookingMutex.layer,
      PlayroomSemaphore.layer,
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
