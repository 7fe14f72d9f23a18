/**
 * Moves a confirmed booking to another visit in the same playroom. It exchanges its capacity, or nothing changes. An
 * overpayment is refunded; a shortfall becomes the balance.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { claimsFor, unitsOf } from "../../availability/Availability.ts"
import {
  BookingCancelled,
  BookingNotFound,
  type BookingRow,
  HoldExpired,
  KeepsChanging
} from "../../booking/Booking.ts"
import type { OptionInvalid, PricedOption } from "../../availability/BookingOption.ts"
import { SlotUnavailable } from "../../availability/OptionPage.ts"
import { Catalogue, type Reading } from "../../catalogue/Catalogue.ts"
import { waivedIn } from "../../catalogue/Price.ts"
import { Occupancy } from "../../availability/Occupancy.ts"
import { BookingOptions } from "../../availability/BookingOptions.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { Claims, LostRace, orLostRace } from "../../booking/Claims.ts"
import { type Approval, decide, Unbookable, type VisitRequest, visitsOfOptions } from "../../availability/Decision.ts"
import {
  isFree,
  isSameParty,
  moveHistory,
  moveOutcome,
  planReschedule,
  type Rescheduled,
  type RescheduleError,
  type ReschedulePlan,
  type RescheduleProblem,
  rescheduleRefusal,
  RescheduleRefused,
  type RescheduleRequest,
  rescheduleText
} from "../../booking/Reschedule.ts"
import { BookingMutex } from "../../booking/BookingMutex.ts"
import { PlayroomSemaphore } from "../../booking/PlayroomSemaphore.ts"
import { rescheduleStarts } from "../../booking/RescheduleStarts.ts"
import { requireAsShown, stateShown } from "../../booking/ShownState.ts"
import { faultPoint } from "../../kernel/FaultPoint.ts"
import { addDays, daysBetween, type Instant, type LocalDate } from "../../kernel/LocalTime.ts"
import { money } from "../../kernel/Money.ts"
import { providerTimeout, ProviderRefunds } from "../refunds/ProviderRefunds.ts"
import { refundable, refundParts } from "../refunds/Refund.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { Refunds } from "../refunds/Refunds.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { PaymentInquiry } from "../settlement/PaymentInquiry.ts"
import { isLiveBalance, type Paid, refusalOf, settledOf } from "./ReschedulePayments.ts"

/** Maximum retries after a lost race for capacity, and after a change of the catalogue. */
const maxAttempts = 8
/** Maximum days of `starts`. */
export const maxRescheduleDays = 31

export class Reschedules extends Context.Service<
  Reschedules,
  {
    /** Why a family can't reschedule its booking now, whatever the visit; undefined if it can. */
    readonly refusal: (booking: BookingRow) => Effect.Effect<RescheduleProblem | undefined, SqlError.SqlError>
    /** Moves a booking, or says what that would do. `booking_id` may also be a reference. */
    readonly reschedule: (booking_id: string, request: RescheduleRequest) => Effect.Effect<Rescheduled, RescheduleError>
    /**
     * The options that a family may move its booking to, in order of start, on at most `maxRescheduleDays` days. Empty
     * if the terms allow no free move now; none if such visits are no longer sold.
     */
    readonly starts: (
      booking: BookingRow,
      dates: { readonly from: LocalDate; readonly to: LocalDate }
    ) => Effect.Effect<Option.Option<ReadonlyArray<PricedOption>>, SqlError.SqlError>
    /** The id of the option with the booking's package, party and add-ons at a local start. It may be unavailable. */
    readonly optionAt: (
      booking: BookingRow,
      date: LocalDate,
      time: string
    ) => Effect.Effect<string, OptionInvalid | SqlError.SqlError>
  }
>()("playroom/payment/changes/Reschedules") {
  static readonly layer = Layer.effect(
    Reschedules,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* Bookings
      const records = yield* BookingRecords
      const claims = yield* Claims
      const options = yield* BookingOptions
      const sessions = yield* PaymentSessions
      const refunds = yield* Refunds
      const refundRecords = yield* RefundRecords
      const providerRefunds = yield* ProviderRefunds
      const inquiry = yield* PaymentInquiry
      const { exclusively } = yield* BookingMutex
      const { withPermit } = yield* PlayroomSemaphore
      const { read: visitOf } = yield* visitsOfOptions
      const { atNoHigherPrice, optionAt } = yield* rescheduleStarts

      const paymentsOf = (booking: BookingRow) =>
        Effect.all({ all: sessions.ofBooking(booking.booking_id), known: refundRecords.ofBooking(booking) })

      const fail = ({ booking_id }: BookingRow, reason: RescheduleProblem) =>
        Effect.fail(new RescheduleRefused({ booking_id, reason }))

      const refusal = Effect.fn("Reschedules.refusal")(function* (booking: BookingRow) {
        return refusalOf(booking, yield* paymentsOf(booking), "family", yield* Clock.currentTimeMillis)
      })

      /** Fails if the booking can't be moved, whatever the visit. */
      const checkBooking = Effect.fnUntraced(function* (
        booking: BookingRow,
        payments: Paid,
        { by, preview, reason }: RescheduleRequest,
        pagesMayBeOpen: boolean
      ) {
        const { booking_id, status } = booking
        const now = yield* Clock.currentTimeMillis
        if (status === "cancelled") return yield* new BookingCancelled({ booking_id })
        if (status === "expired") return yield* new HoldExpired({ booking_id })
        const problem = refusalOf(booking, payments, by, now)
        if (problem !== undefined) return yield* fail(booking, problem)
        if (!preview && !isFree(booking, now) && (reason ?? "").trim() === "")
          return yield* fail(booking, "reason_needed")
        if (!pagesMayBeOpen && payments.all.some(isLiveBalance)) return yield* fail(booking, "payment_open")
        return undefined
      })

      const checkVisit = Effect.fnUntraced(function* (
        booking: BookingRow,
        visit: VisitRequest,
        by: RescheduleRequest["by"]
      ) {
        const { currency, playroom_id } = visit.venue.playroom
        if (playroom_id !== booking.playroom_id) return yield* fail(booking, "other_playroom")
        if (currency !== booking.currency) return yield* fail(booking, "other_currency")
        if (by === "family" && !isSameParty(booking, visit)) return yield* fail(booking, "other_party")
        return undefined
      })

      /** The booking after the move. */
      const planOf = Effect.fnUntraced(function* (
        booking: BookingRow,
        payments: Paid,
        visit: VisitRequest,
        { quote }: Approval,
        { by, option_id, shown }: RescheduleRequest
      ) {
        const now = yield* Clock.currentTimeMillis
        const moved = planReschedule(booking, { ...visit, quote }, option_id, settledOf(booking, payments), now)
        if (rescheduleText(booking, moved.row) === "") return yield* fail(booking, "same_visit")
        yield* requireAsShown(booking, moveOutcome(moved), shown)
        if (by === "family" && moved.row.total > booking.total) return yield* fail(booking, "costs_more")
        return moved
      })

      const answer = (
        from: BookingRow,
        booking: BookingRow,
        plan: ReschedulePlan,
        now: Instant,
        not_asked?: string
      ) => ({
        from,
        booking,
        shown: stateShown(from, moveOutcome(plan)),
        difference: booking.total - from.total,
        refund: money(plan.refund, from.currency),
        balance: money(booking.total - booking.due_now, from.currency),
        waived: money(waivedIn(booking.terms.price), from.currency),
        free: isFree(from, now),
        ...(not_asked === undefined ? {} : { not_asked })
      })

      const newVisit = (visit: VisitRequest, reading: Reading, by: RescheduleRequest["by"]) => ({
        playroom: visit.venue.playroom,
        start: visit.start,
        limited: by === "family",
        claims: claimsFor(visit.venue, visit.pkg, visit.party, visit.start),
        reading,
        units: (resource_id: string) => unitsOf(visit.venue, resource_id),
        decide: (calendar: Parameters<typeof decide>[1], now: Instant) => decide(visit, calendar, now)
      })

      /** Plans the move of the current booking, without locks. */
      const preview = Effect.fnUntraced(function* (
        booking: BookingRow,
        visit: VisitRequest,
        reading: Reading,
        request: RescheduleRequest
      ) {
        const payments = yield* paymentsOf(booking)
        yield* checkBooking(booking, payments, request, true)
        yield* checkVisit(booking, visit, request.by)
        const agreed = yield* claims.check(booking, newVisit(visit, reading, request.by))
        return yield* planOf(booking, payments, visit, agreed, request)
      })

      const perform = Effect.fnUntraced(function* (
        booking_id: string,
        visit: VisitRequest,
        reading: Reading,
        request: RescheduleRequest,
        not_asked: string | undefined
      ) {
        const booking = yield* Effect.flatMap(
          records.lock(booking_id),
          Option.match({ onNone: () => Effect.fail(new BookingNotFound()), onSome: Effect.succeed })
        )
        const payments = yield* paymentsOf(booking)
        yield* checkBooking(booking, payments, request, false)
        yield* checkVisit(booking, visit, request.by)
        const agreed = yield* claims.exchange(booking, newVisit(visit, reading, request.by))
        const moved = yield* planOf(booking, payments, visit, agreed, request)
        yield* records.move(moved.row)
        const after = yield* records.change(moved.row, {
          ...(moved.payment === undefined ? {} : { payment: moved.payment }),
          note: true,
          event: "moved",
          detail: moveHistory(booking, moved, request)
        })
        const { all, known } = payments
        const { given_back } = refundable(all, known)
        if (booking.paid > moved.row.total)
          yield* refundRecords.decide(booking.booking_id, booking.paid - moved.row.total)
        for (const { amount, session } of refundParts(moved.refund, all, known)) {
          yield* refunds.request(session, amount, "move", given_back + moved.refund)
        }
        yield* faultPoint("move decided, not committed")
        return answer(booking, after, moved, yield* Clock.currentTimeMillis, not_asked)
      }, sql.withTransaction)

      const performWithRetry = (...args: Parameters<typeof perform>) =>
        withPermit(args[1].venue.playroom.playroom_id, perform(...args)).pipe(
          Effect.catchReason("SqlError", "UniqueViolation", () => Effect.fail(new LostRace({ lapsed: [] }))),
          Effect.catchTag("SqlError", orLostRace),
          Effect.tapErrorTag("LostRace", ({ lapsed }) => claims.releaseLapsed(lapsed)),
          Effect.retry({ times: maxAttempts, while: ({ _tag }) => _tag === "LostRace" }),
          Effect.catchTag("LostRace", () => Effect.fail(new Unbookable({ because: "fully_booked" })))
        )

      /** Closes the balance's payment pages. A page that the provider can't close now stays open. */
      const closePages = Effect.fnUntraced(function* (booking: BookingRow, within: "4 seconds" | "10 seconds") {
        const all = yield* sessions.ofBooking(booking.booking_id)
        const open = all.filter(({ purpose, status }) => purpose === "balance" && status === "open")
        for (const session of open) {
          yield* inquiry.expire(session).pipe(
            Effect.timeoutOrElse({ duration: within, orElse: () => Effect.void }),
            Effect.catchTag(["ProviderUnavailable", "AccountUnavailable"], (error) =>
              Effect.logWarning("A payment page stays open, and its booking is not moved", {
                payment_session_id: session.payment_session_id,
                reason: error.reason
              })
            )
          )
        }
      })

      const attempt = Effect.fnUntraced(function* (found: BookingRow, request: RescheduleRequest) {
        const { reading, visit } = yield* visitOf(request.option_id)
        const work = Effect.gen(function* () {
          const plan = yield* preview(found, visit, reading, request)
          /** If money would be refunded, asks for earlier refunds. */
          const ask = ({ booking_id, paid }: BookingRow) =>
            plan.row.total < paid
              ? providerRefunds.tryCheckBooking(booking_id, providerTimeout[request.by])
              : Effect.succeed(undefined)
          if (request.preview) {
            const shown = (row: BookingRow, now: ReschedulePlan, not_asked?: string) =>
              Effect.map(Clock.currentTimeMillis, (at) => answer(row, now.row, now, at, not_asked))
            // A family's preview doesn't ask the provider. The move itself does, and fails if its refund differs.
            if (request.by === "family") return yield* shown(found, plan)
            const not_asked = yield* ask(found)
            const booking = yield* bookings.get(found.booking_id)
            return yield* shown(booking, yield* preview(booking, visit, reading, request), not_asked)
          }
          yield* closePages(found, providerTimeout[request.by])
          // A page may have been paid before it was closed.
          const not_asked = yield* ask(yield* bookings.get(found.booking_id))
          return yield* performWithRetry(found.booking_id, visit, reading, request, not_asked)
        })
        return yield* Effect.catchTags(work, {
          TooManyHolds: () => fail(found, "too_many_unpaid"),
          Unbookable: ({ because }) =>
            Effect.flatMap(options.nearest(visit.venue, visit.pkg, visit.party, visit.start), (nearest) =>
              Effect.fail(new SlotUnavailable({ reason: because, nearest, booked_before: false }))
            )
        })
      })

      const reschedule = Effect.fn("Reschedules.reschedule")(function* (
        id: string,
        request: RescheduleRequest
      ): Effect.fn.Return<Rescheduled, RescheduleError> {
        const { booking_id } = yield* bookings.get(id)
        const work = Effect.flatMap(bookings.get(booking_id), (found) => attempt(found, request)).pipe(
          Effect.retry({ times: maxAttempts, while: ({ _tag }) => _tag === "CatalogueChanged" }),
          Effect.catchTag("CatalogueChanged", () => Effect.fail(new KeepsChanging()))
        )
        return yield* request.preview ? work : exclusively(booking_id, work)
      })

      const starts = Effect.fn("Reschedules.starts")(function* (
        booking: BookingRow,
        { from, to }: { readonly from: LocalDate; readonly to: LocalDate }
      ) {
        const now = yield* Clock.currentTimeMillis
        if (rescheduleRefusal(booking, "family", now) !== undefined) return Option.some([])
        const last = daysBetween(from, to) < maxRescheduleDays ? to : addDays(from, maxRescheduleDays - 1)
        return yield* atNoHigherPrice(booking, { from, to: last })
      })

      return Reschedules.of({ refusal, reschedule, starts, optionAt })
    })
  ).pipe(
    Layer.provide([
      BookingOptions.layer,
      Catalogue.layer,
      Occupancy.layer,
      BookingRecords.layer,
      Bookings.layer,
      BookingMutex.layer,
      PlayroomSemaphore.layer,
      Claims.layer,
      PaymentInquiry.layer,
      PaymentSessions.layer,
      ProviderRefunds.layer,
      RefundRecords.layer,
      Refunds.layer
    ])
  )
}
