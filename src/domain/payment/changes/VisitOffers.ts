/** What a booking may change to, for the pages and commands that offer it. The change itself stands in `VisitChanges.ts`. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { OptionInvalid, PricedOption } from "../../availability/BookingOption.ts"
import { BookingOptions } from "../../availability/BookingOptions.ts"
import { Occupancy } from "../../availability/Occupancy.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import { type AlternativeStart, otherVisits } from "../../booking/OtherVisits.ts"
import {
  type ChangeKind,
  type ChangeProblem,
  changeRefusal,
  isOwnCurrency,
  limitsOf,
  type PartyLimits,
  partyOf,
  type RoomPackage
} from "../../booking/VisitChange.ts"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import type { AddOn } from "../../catalogue/Package.ts"
import type { Playroom } from "../../catalogue/Playroom.ts"
import { addOnsAt } from "../../catalogue/PriceRules.ts"
import type { LocalDate } from "../../../platform/time/LocalTime.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { refusalOf } from "./VisitChanges.ts"

/** The sizes and add-ons that a booking's party may have, as its package sells them today. */
interface PartyOffer {
  readonly refusal?: ChangeProblem
  readonly limits: PartyLimits
  readonly add_ons: ReadonlyArray<AddOn>
  /** Which the room takes. */
  readonly ages: Pick<Playroom, "age_max" | "age_min">
}

export class VisitOffers extends Context.Service<
  VisitOffers,
  {
    /** Why a family can't change its booking in this way now, whatever the visit in its playroom; undefined if it can. */
    readonly refusal: (
      booking: BookingRow,
      kind: ChangeKind,
      playroom: Pick<Playroom, "currency"> | undefined
    ) => Effect.Effect<ChangeProblem | undefined, SqlError.SqlError>
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
>()("playroom/payment/changes/VisitOffers") {
  static readonly layer = Layer.effect(
    VisitOffers,
    Effect.gen(function* () {
      const sessions = yield* PaymentSessions
      const refunds = yield* RefundRecords
      const {
        ages,
        alternatives: alternativesOf,
        optionAt,
        packages,
        soldAsBooked,
        starts: startsOf
      } = yield* otherVisits

      const refusal: VisitOffers["Service"]["refusal"] = Effect.fn("VisitOffers.refusal")(
        function* (booking, kind, playroom) {
          const as = {
            booking,
            sessions: yield* sessions.ofBooking(booking.booking_id),
            refunds: yield* refunds.ofBooking(booking),
            now: yield* Clock.currentTimeMillis
          }
          const problem = refusalOf(as, kind, "family")
          if (problem !== undefined || playroom === undefined || isOwnCurrency(booking, playroom.currency))
            return problem
          return "other_currency"
        }
      )

      const starts: VisitOffers["Service"]["starts"] = Effect.fn("VisitOffers.starts")(function* (
        booking,
        dates,
        who = { by: "family" }
      ) {
        const now = yield* Clock.currentTimeMillis
        if (changeRefusal(booking, "move", who.by, now) !== undefined) return Option.some([])
        return yield* startsOf(booking, dates, who.by === "family" ? undefined : who.package_id)
      })

      const alternatives: VisitOffers["Service"]["alternatives"] = Effect.fn("VisitOffers.alternatives")(
        function* (booking) {
          const now = yield* Clock.currentTimeMillis
          return changeRefusal(booking, "move", "operator", now) === undefined ? yield* alternativesOf(booking) : []
        }
      )

      const partyOffer = Effect.fn("VisitOffers.partyOffer")(function* (booking: BookingRow) {
        const sold = yield* soldAsBooked(booking)
        const problem = yield* refusal(booking, "party", Option.getOrUndefined(sold)?.venue.playroom)
        if (Option.isNone(sold)) {
          const refusal = problem ?? ("not_sold" as const)
          return { refusal, limits: {}, add_ons: [], ages: yield* ages(booking.playroom_id) }
        }
        const { pkg, venue } = sold.value
        const limits = limitsOf({ party: partyOf(booking), pkg, start: booking.starts_at, venue })
        const add_ons = addOnsAt(venue.add_ons, venue.playroom.time_zone, booking.starts_at)
        return { ...(problem === undefined ? {} : { refusal: problem }), limits, add_ons, ages: venue.playroom }
      })

      return VisitOffers.of({ refusal, starts, alternatives, partyOffer, packages, optionAt })
    })
  ).pipe(
    Layer.provide([BookingOptions.layer, Catalogue.layer, Occupancy.layer, PaymentSessions.layer, RefundRecords.layer])
  )
}
