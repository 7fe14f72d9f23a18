/**
 * Changes what is booked: another start, package or room of the same operator, or another party. The booking exchanges its
 * places, or nothing changes. An overpayment is refunded; a shortfall becomes the balance.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Calendar, claimsFor, unitsOf } from "../../availability/Availability.ts"
import type { OptionInvalid, PricedOption } from "../../availability/BookingOption.ts"
import { BookingOptions } from "../../availability/BookingOptions.ts"
import { type Approval, decide, decideParty, Unbookable } from "../../availability/Decision.ts"
import { Occupancy } from "../../availability/Occupancy.ts"
import { SlotUnavailable } from "../../availability/OptionPage.ts"
import { type BookingRow, KeepsChanging } from "../../booking/Booking.ts"
import { BookingMutex } from "../../booking/BookingMutex.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { changedBooking, changeOf, planChange, timeOf } from "../../booking/ChangePlan.ts"
import { CatalogueChanged, Claims, LostRace, orLostRace } from "../../booking/Claims.ts"
import { type AlternativeStart, otherVisits, partyAfter, type WantedVisit } from "../../booking/OtherVisits.ts"
import { keysOf, PlayroomSemaphore } from "../../booking/PlayroomSemaphore.ts"
import {
  type ChangedBooking,
  type ChangeKind,
  type ChangeProblem,
  changeRefusal,
  ChangeRefused,
  isOwnCurrency,
  isSameParty,
  isSameVisit,
  kindOf,
  limitsOf,
  type PartyLimits,
  partyOf,
  type RoomPackage,
  type VisitChangeError,
  type VisitChangeRequest
} from "../../booking/VisitChange.ts"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import type { AddOn } from "../../catalogue/Package.ts"
import type { Playroom } from "../../catalogue/Playroom.ts"
import { addOnsAt } from "../../catalogue/PriceRules.ts"
import { maximumCharge } from "../../kernel/Charge.ts"
import { faultPoint } from "../../kernel/FaultPoint.ts"
import type { Instant, LocalDate } from "../../kernel/LocalTime.ts"
import { providerTimeout, ProviderRefunds } from "../refunds/ProviderRefunds.ts"
import { refundable, refundParts } from "../refunds/Refund.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { Refunds } from "../refunds/Refunds.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { PaymentInquiry } from "../settlement/PaymentInquiry.ts"
import { detailChanges } from "./DetailChanges.ts"
import { checkBooking, checkPlan, checkVisit, detailsIn, refuse } from "./VisitChangeChecks.ts"
import { changingPayments, type Paid, refusalOf, settledOf } from "./VisitChangePayments.ts"

/** Maximum retries after a lost race for capacity, and after a change of the catalogue. */
const maxAttempts = 8
/** The sizes and add-ons that a booking's party may have, as its package sells them today. */
interface PartyOffer {
  readonly refusal?: ChangeProblem
  readonly limits: PartyLimits
  readonly add_ons: ReadonlyArray<AddOn>
}

export class VisitChanges extends Context.Service<
  VisitChanges,
  {
    /** Why a family can't change its booking in this way now, whatever the visit in its playroom; undefined if it can. */
    readonly refusal: (
      booking: BookingRow,
      kind: ChangeKind,
      playroom: Pick<Playroom, "currency"> | undefined
    ) => Effect.Effect<ChangeProblem | undefined, SqlError.SqlError>
    /** Changes a booking, or says what that would do. `booking_id` may also be a reference. */
    readonly change: (
      booking_id: string,
      request: VisitChangeRequest
    ) => Effect.Effect<ChangedBooking, VisitChangeError>
    /**
     * The options that a booking may move to, in order of start, on at most `maxStartDays` days: of its own package, or
     * for its operator of another one. Empty if it can't be moved now, as by a family whose terms allow no free move; none
     * if such visits are not sold.
     */
    readonly starts: (
      booking: BookingRow,
      dates: { readonly from: LocalDate; readonly to: LocalDate },
      who?: { readonly by: "family" } | { readonly by: "operator"; readonly package_id: string }
    ) => Effect.Effect<Option.Option<ReadonlyArray<PricedOption>>, SqlError.SqlError>
    /** The available starts nearest to a booking's own, also of equal rooms, to which its operator may move it now. */
    readonly alternatives: (booking: BookingRow) => Effect.Effect<ReadonlyArray<AlternativeStart>, SqlError.SqlError>
    /** What the party of a booking may change to; `refusal`: why a family can't change it now. */
    readonly partyOffer: (booking: BookingRow) => Effect.Effect<PartyOffer, SqlError.SqlError>
    /** The packages that its operator may move a booking to, of all rooms or of one: those that take its party. */
    readonly packages: (
      booking: BookingRow,
      playroom_id?: string
    ) => Effect.Effect<ReadonlyArray<RoomPackage>, SqlError.SqlError>
    /**
     * The id of the option with the booking's party and add-ons at a local start, in its own package or another one of its
     * operator. It may be unavailable. Add-ons that another room does not sell are left out.
     */
    readonly optionAt: (
      booking: BookingRow,
      date: LocalDate,
      time: string,
      package_id?: string
    ) => Effect.Effect<string, OptionInvalid | SqlError.SqlError>
  }
>()("playroom/payment/changes/VisitChanges") {
  static readonly layer = Layer.effect(
    VisitChanges,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* Bookings
      const records = yield* BookingRecords
      const claims = yield* Claims
      const options = yield* BookingOptions
      const refunds = yield* Refunds
      const refundRecords = yield* RefundRecords
      const providerRefunds = yield* ProviderRefunds
      const { closeBalancePages, paymentsOf } = yield* changingPayments
      const changeDetails = yield* detailChanges
      const { exclusively } = yield* BookingMutex
      const { withPermits } = yield* PlayroomSemaphore
      const {
        alternatives: alternativesOf,
        left,
        optionAt,
        packages,
        soldAsBooked,
        starts: startsOf,
        wanted
      } = yield* otherVisits

      const refusal: VisitChanges["Service"]["refusal"] = Effect.fn("VisitChanges.refusal")(
        function* (booking, kind, playroom) {
          const now = yield* Clock.currentTimeMillis
          const problem = refusalOf(booking, yield* paymentsOf(booking), kind, "family", now)
          if (problem !== undefined || playroom === undefined || isOwnCurrency(booking, playroom.currency))
            return problem
          return "other_currency"
        }
      )

      /** The booking after the change. */
      const planOf = Effect.fnUntraced(function* (
        booking: BookingRow,
        payments: Paid,
        { option_id, visit, without }: WantedVisit,
        { quote }: Pick<Approval, "quote">,
        request: VisitChangeRequest
      ) {
        const now = yield* Clock.currentTimeMillis
        const settled = settledOf(booking, payments)
        const plan = planChange(
          booking,
          { ...visit, quote },
          option_id,
          settled,
          request.by,
          now,
          without,
          detailsIn(request)
        )
        yield* checkPlan(booking, plan, request)
        if (plan.row.total > maximumCharge(booking.currency))
          return yield* new ChangeRefused({ ...booking, reason: "party_size", limits: limitsOf(visit) })
        return plan
      })

      /** The places of the new visit. Another party keeps the booking's time. */
      const newVisit = (
        booking: BookingRow,
        { reading, visit }: WantedVisit,
        { by, planned }: Pick<VisitChangeRequest, "by" | "planned">
      ) => {
        const { party, pkg, start, venue } = visit
        const time = kindOf(booking, visit) === "party" ? timeOf(booking) : undefined
        return {
          playroom: venue.playroom,
          start,
          limited: by === "family",
          planned,
          claims: claimsFor(venue, pkg, party, start, time),
          reading,
          units: (resource_id: string) => unitsOf(venue, resource_id),
          decide: (calendar: Calendar, now: Instant) =>
            time === undefined ? decide(visit, calendar, now) : decideParty(visit, time, calendar, now)
        }
      }

      /** Plans the change of the current booking, without locks. */
      const preview = Effect.fnUntraced(function* (
        booking: BookingRow,
        found: WantedVisit,
        request: VisitChangeRequest
      ) {
        const payments = yield* paymentsOf(booking)
        yield* checkBooking(booking, payments, kindOf(booking, found.visit), request, true)
        yield* checkVisit(booking, found, request)
        const agreed = yield* claims.check(booking, newVisit(booking, found, request))
        return { ...(yield* planOf(booking, payments, found, agreed, request)), places: agreed.places }
      })

      const perform = Effect.fnUntraced(function* (
        before: BookingRow,
        found: WantedVisit,
        request: VisitChangeRequest,
        asked: Pick<ChangedBooking, "not_asked">
      ) {
        const booking = yield* bookings.lock(before.booking_id)
        // What a request leaves out, and the extras that a move loses, were read from the booking before.
        if (!isSameVisit(before, booking)) return yield* new CatalogueChanged()
        const payments = yield* paymentsOf(booking)
        yield* checkBooking(booking, payments, kindOf(booking, found.visit), request, false)
        yield* checkVisit(booking, found, request)
        const agreed = yield* claims.exchange(booking, newVisit(booking, found, request))
        const plan = yield* planOf(booking, payments, found, agreed, request)
        const after = yield* records.changeVisit(plan.row, changeOf(booking, plan, request))
        const { all, known } = payments
        const { given_back } = refundable(all, known)
        if (booking.paid > plan.row.total)
          yield* refundRecords.decide(booking.booking_id, booking.paid - plan.row.total)
        for (const { amount, session } of refundParts(plan.refund, all, known)) {
          yield* refunds.request(session, amount, "move", given_back + plan.refund)
        }
        yield* faultPoint("move decided, not committed")
        return { ...changedBooking(booking, plan, request, yield* Clock.currentTimeMillis, after), ...asked }
      }, sql.withTransaction)

      const performWithRetry = (...args: Parameters<typeof perform>) =>
        withPermits([args[0].playroom_id, ...keysOf(args[1].visit)], perform(...args)).pipe(
          Effect.catchReason("SqlError", "UniqueViolation", () => Effect.fail(new LostRace({ lapsed: [] }))),
          Effect.catchTag("SqlError", orLostRace),
          Effect.tapErrorTag("LostRace", ({ lapsed }) => claims.releaseLapsed(lapsed)),
          Effect.retry({ times: maxAttempts, while: ({ _tag }) => _tag === "LostRace" }),
          Effect.catchTag("LostRace", () => Effect.fail(new Unbookable({ because: "fully_booked" })))
        )

      /** Why the visit can't be had. */
      const unbookable = Effect.fnUntraced(function* (
        booking: BookingRow,
        found: WantedVisit,
        { because }: Unbookable
      ) {
        const { party, pkg, start, venue } = found.visit
        if (kindOf(booking, found.visit) === "move") {
          const nearest = yield* options.nearest(venue, pkg, party, start)
          return yield* new SlotUnavailable({ reason: because, nearest, booked_before: false })
        }
        if (because === "party_too_large" || because === "party_too_small")
          return yield* new ChangeRefused({ ...booking, reason: "party_size", limits: limitsOf(found.visit) })
        if (because !== "fully_booked") return yield* refuse(booking, "closed")
        const limits = yield* left(booking, newVisit(booking, found, { by: "operator" }).claims, found)
        return yield* new ChangeRefused({ ...booking, reason: "no_room", limits })
      })

      const changeBooking = Effect.fnUntraced(function* (found: BookingRow, request: VisitChangeRequest) {
        const visit = yield* wanted(found, request)
        const work = Effect.gen(function* () {
          const plan = yield* preview(found, visit, request)
          /** If money would be refunded, asks for earlier refunds. */
          const ask = Effect.fnUntraced(function* ({ booking_id, paid }: BookingRow) {
            if (plan.row.total >= paid) return {}
            const not_asked = yield* providerRefunds.tryCheckBooking(booking_id, providerTimeout[request.by])
            return not_asked === undefined ? {} : { not_asked }
          })
          if (request.preview) {
            const now = yield* Clock.currentTimeMillis
            // A family's preview, and that of one move among many, doesn't ask the provider. The change itself does, and fails if its refund differs.
            if (request.by === "family" || request.ask === false)
              return {
                ...changedBooking(found, plan, request, now),
                ...(request.planned === undefined ? {} : { places: plan.places })
              }
            const asked = yield* ask(found)
            const booking = yield* bookings.get(found.booking_id)
            const again = yield* preview(booking, visit, request)
            return { ...changedBooking(booking, again, request, now), ...asked }
          }
          yield* closeBalancePages(found, providerTimeout[request.by])
          // A page may have been paid before it was closed.
          const asked = yield* ask(yield* bookings.get(found.booking_id))
          return yield* performWithRetry(found, visit, request, asked)
        })
        return yield* Effect.catchTags(work, {
          TooManyHolds: () => refuse(found, "too_many_unpaid"),
          Unbookable: (refusal) => unbookable(found, visit, refusal)
        })
      })

      const change = Effect.fn("VisitChanges.change")(function* (
        id: string,
        request: VisitChangeRequest
      ): Effect.fn.Return<ChangedBooking, VisitChangeError> {
        const { booking_id } = yield* bookings.get(id)
        const attempt = (found: BookingRow) =>
          "party" in request && isSameParty(partyAfter(found, request.party), partyOf(found))
            ? changeDetails(found, request)
            : changeBooking(found, request)
        const work = Effect.flatMap(bookings.get(booking_id), attempt).pipe(
          Effect.retry({ times: maxAttempts, while: ({ _tag }) => _tag === "CatalogueChanged" }),
          Effect.catchTag("CatalogueChanged", () => Effect.fail(new KeepsChanging()))
        )
        return yield* request.preview ? work : exclusively(booking_id, work)
      })

      const starts = Effect.fn("VisitChanges.starts")(function* (
        booking: BookingRow,
        dates: { readonly from: LocalDate; readonly to: LocalDate },
        who: { readonly by: "family" } | { readonly by: "operator"; readonly package_id: string } = { by: "family" }
      ) {
        const now = yield* Clock.currentTimeMillis
        if (changeRefusal(booking, "move", who.by, now) !== undefined) return Option.some([])
        return yield* startsOf(booking, dates, who.by === "family" ? undefined : who.package_id)
      })

      const alternatives: VisitChanges["Service"]["alternatives"] = Effect.fn("VisitChanges.alternatives")(
        function* (booking) {
          const now = yield* Clock.currentTimeMillis
          return changeRefusal(booking, "move", "operator", now) === undefined ? yield* alternativesOf(booking) : []
        }
      )

      const partyOffer = Effect.fn("VisitChanges.partyOffer")(function* (booking: BookingRow) {
        const sold = yield* soldAsBooked(booking)
        const problem = yield* refusal(booking, "party", Option.getOrUndefined(sold)?.venue.playroom)
        if (Option.isNone(sold)) return { refusal: problem ?? ("not_sold" as const), limits: {}, add_ons: [] }
        const { pkg, venue } = sold.value
        const limits = limitsOf({ party: partyOf(booking), pkg, start: booking.starts_at, venue })
        const add_ons = addOnsAt(venue.add_ons, venue.playroom.time_zone, booking.starts_at)
        return { ...(problem === undefined ? {} : { refusal: problem }), limits, add_ons }
      })

      return VisitChanges.of({ refusal, change, starts, alternatives, partyOffer, packages, optionAt })
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
