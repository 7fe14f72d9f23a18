/**
 * Changes of what is booked: another start, package or room of the same operator, another party, or other details. The
 * booking exchanges its places, or nothing changes. An overpayment is refunded; a shortfall becomes the balance.
 */
import { Effect, Result, Clock, Context, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { InvalidArguments } from "../../../platform/errors/InvalidArguments.ts"
import { maximumCharge } from "../../../platform/money/Charge.ts"
import type { Instant, LocalDate } from "../../../platform/time/LocalTime.ts"
import { ageIssues, claimsFor, unitsOf } from "../../availability/Availability.ts"
import { OptionInvalid, type PriceChanged, type PricedOption } from "../../availability/BookingOption.ts"
import { BookingOptions } from "../../availability/BookingOptions.ts"
import type { ClaimableCalendar } from "../../availability/CalendarRows.ts"
import { decide, decideParty } from "../../availability/Decision.ts"
import { type Exception, partyExceptions, settingAside } from "../../availability/Exceptions.ts"
import { Occupancy } from "../../availability/Occupancy.ts"
import { SlotUnavailable } from "../../availability/OptionPage.ts"
import type { Place } from "../../availability/Units.ts"
import { type BookingCancelled, type BookingRow, type HoldExpired, KeepsChanging } from "../../booking/Booking.ts"
import {
  changedBooking,
  changeOf,
  changeOutcome,
  type ChangePlan,
  changeText,
  planChange,
  planDetails,
  timeOf,
  canChangeDetails,
  type ChangedBooking,
  type ChangedBy,
  type ChangeKind,
  type ChangeProblem,
  changeRefusal,
  ChangeRefused,
  isFree,
  isOwnCurrency,
  isSameParty,
  isSameVisit,
  hasParty,
  isVisitOf,
  keepingVisit,
  kindOf,
  limitsOf,
  type PartyChange,
  partyOf,
  type Settled,
  shrinksAgainstTerms,
  type PartyLimits,
  type RoomPackage
} from "../../booking/ChangePlan.ts"
import { CatalogueChanged } from "../../booking/Claims.ts"
import {
  type OtherVisits,
  type OwnChanges,
  exceptionsTo,
  partyAfter,
  type WantedVisit,
  type AlternativeStart,
  otherVisits
} from "../../booking/OtherVisits.ts"
import { keysOf } from "../../booking/PlayroomSemaphore.ts"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import { pricesByAge, sameChildRules } from "../../catalogue/ChildPrices.ts"
import type { AddOn } from "../../catalogue/Package.ts"
import { type OperatorUnavailable, packageOf, type Playroom } from "../../catalogue/Playroom.ts"
import { addOnsAt } from "../../catalogue/PriceRules.ts"
import type { DeskRight } from "../../people/staff/StaffMember.ts"
import {
  byHandOf,
  countsForBooking,
  isBalancePaid,
  isUnsettled,
  ownPayments,
  refundable,
  refundParts
} from "../refunds/Refund.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { isLive, isUnresolved } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import {
  type PreparedChange,
  type Stage,
  type Unchanged,
  type WithoutPlaces,
  type WithPlaces,
  type Writes,
  alive,
  type Situation
} from "./BookingChanges.ts"

/** Why a booking does not move, or its party does not change. */
export type VisitRefusal =
  | BookingCancelled
  | HoldExpired
  | ChangeRefused
  | InvalidArguments
  | OptionInvalid
  | OperatorUnavailable
  | PriceChanged
  | SlotUnavailable
  | KeepsChanging
/** Every error of such a change. */
export type VisitChangeError = VisitRefusal | Unchanged

/** Why it is changed, for the history. Empty if nobody says it: only what its terms give needs no reason. */
interface Why {
  readonly reason: string
  /** The venue may set its own rules aside (`Exceptions.ts`): the preview tells which. */
  readonly exception?: boolean
}
/** Another start, package or room: the option of it. */
type MoveWish = Why & { readonly option_id: string }
/** Another party at its own start, or other details. */
type PartyWish = Why & { readonly party: PartyChange }

interface Planned extends ChangePlan {
  readonly places?: ReadonlyArray<Place>
}
interface VisitChange<Wish> extends PreparedChange<Wish, Planned, ChangedBooking, VisitRefusal> {
  readonly right: DeskRight
}

const refused = ({ booking_id }: BookingRow, reason: ChangeProblem) => new ChangeRefused({ booking_id, reason })

/** What was paid of a booking, before it changes. */
const settledOf = ({ booking, refunds: known, sessions: all }: Situation): Settled => ({
  ...refundable(all, known),
  settled: isBalancePaid(booking, all, known) ? booking.total : booking.due_now,
  sessions: ownPayments(all, known).map(({ payment_session_id }) => payment_session_id),
  byHand: (refund) => byHandOf(refundParts(refund, all, known))
})

/**
 * Why a booking can't be changed in this way now, whatever the visit; undefined if it can, once open pages are
 * closed.
 */
const refusalOf = (
  { booking, now, refunds: known, sessions: all }: Pick<Situation, "booking" | "now" | "refunds" | "sessions">,
  kind: ChangeKind,
  by: ChangedBy
): ChangeProblem | undefined => {
  const refusal = changeRefusal(booking, kind, by, now)
  if (refusal !== undefined) return refusal
  if (all.some(isUnresolved)) return "payment_processing"
  return known.some((refund) => isUnsettled(refund) && countsForBooking(refund, known)) ? "refund_pending" : undefined
}

const agesProblem = (
  playroom: Pick<Playroom, "age_max" | "age_min">,
  children: number,
  ages: ReadonlyArray<number> | undefined
): InvalidArguments | undefined => {
  const issues = ageIssues(playroom, children, ages)
  return issues.length === 0 ? undefined : new InvalidArguments({ issues })
}

/** Why a booking can't be changed now to that visit, for a party of that size and age. */
const bookingProblem = (
  as: Situation,
  kind: ChangeKind,
  to: WantedVisit["visit"],
  by: ChangedBy,
  reason: string,
  stage: Stage
): ChangeRefused | undefined => {
  const { booking, now, sessions } = as
  const problem = refusalOf(as, kind, by)
  if (problem !== undefined) return refused(booking, problem)
  const shrinks = shrinksAgainstTerms(booking, to)
  if (shrinks && by === "family" && kind === "party") return refused(booking, "only_grows")
  // A page of the desk asks for it before it says what happens.
  const asked = stage !== "told" || by === "staff"
  const isFreeNow = isFree(booking, kind, now) && !shrinks
  if (asked && !isFreeNow && reason.trim() === "") return refused(booking, "reason_needed")
  const payable = sessions.some((session) => session.purpose === "balance" && isLive(session))
  return stage === "made" && payable ? refused(booking, "payment_open") : undefined
}

/** Why a visit or a party is none that a booking may change to. */
const visitProblem = (
  booking: BookingRow,
  { visit }: WantedVisit,
  by: ChangedBy,
  { child_ages: ages }: PartyChange
): ChangeRefused | InvalidArguments | OptionInvalid | undefined => {
  const { party, pkg, venue } = visit
  const { playroom } = venue
  // As if it did not exist.
  if (venue.operator.operator_id !== booking.operator_id) return new OptionInvalid({ reason: "unknown" })
  const elsewhere = playroom.playroom_id !== booking.playroom_id
  if (by === "family" && elsewhere) return refused(booking, "other_playroom")
  if (!isOwnCurrency(booking, playroom.currency)) return refused(booking, "other_currency")
  const keeps = pkg.package_id === booking.package_id && isSameParty(partyOf(booking), party)
  if (by === "family" && kindOf(booking, visit) === "move" && !keeps) return refused(booking, "other_party")
  const { child_ages } = booking
  // Its own room has taken these ages.
  const own = elsewhere ? agesProblem(playroom, child_ages.length, child_ages) : undefined
  return own ?? agesProblem(playroom, party.children, ages)
}

/** Whether a booking has these details already. */
const hasDetails = (booking: BookingRow, details: PartyChange = {}): boolean =>
  changeText(booking, { ...booking, ...details }) === ""

/** What a change is, and what is written of it; `details`: whether it names any. */
const partsOf = (by: ChangedBy, { reason }: Why, details: boolean) =>
  ({
    outcome: (plan: Planned) => changeOutcome(plan, details),
    answer: ({ now }: Situation, plan: Planned): ChangedBooking => ({
      ...changedBooking(plan, now),
      ...(plan.places === undefined ? {} : { places: plan.places })
    }),
    store: (plan: Planned, write: Writes) => write.changeVisit(plan.from, plan.row, changeOf(plan, { by, reason }))
  }) as const

/** Another visit, or another party, of which the places are exchanged. */
const toVisit = (
  before: BookingRow,
  found: WantedVisit,
  wish: Why,
  by: ChangedBy,
  visits: OtherVisits,
  details?: PartyChange
): WithPlaces<unknown, Planned, ChangedBooking, VisitRefusal> => {
  const { exceptions, option_id, reading, visit, without } = found
  const { party, pkg, start, venue } = visit
  const kind = kindOf(before, visit)
  const { store, ...parts } = partsOf(by, wish, details !== undefined)
  /**
   * Another party keeps the booking's time. One that takes no more finds its places where the room or a stock is less
   * than it was, too: only the whole room is counted by its size.
   */
  const wanted = (booking: BookingRow) => {
    const time = kind === "party" ? timeOf(booking) : undefined
    const has_all = time !== undefined && hasParty(booking, party)
    const claims = claimsFor(venue, pkg, party, start, time)
    return {
      playroom: venue.playroom,
      start,
      claims,
      reading,
      units: (resource_id: string) =>
        has_all && claims.some((one) => one.resource_id === resource_id && !one.whole)
          ? Infinity
          : unitsOf(venue, resource_id),
      decide: (calendar: ClaimableCalendar, at: Instant) =>
        time === undefined ? decide(visit, calendar, at) : decideParty(visit, { time, has_all }, calendar, at)
    }
  }
  return {
    ...parts,
    keys: [before.playroom_id, ...keysOf(visit)],
    asks: ({ from, row }) => row.total < from.paid,
    closesPages: "first",
    stopsAt: "move decided, not committed",
    open: (as, _, stage) => {
      const { booking } = as
      const problem =
        isVisitOf(booking, visit) && hasDetails(booking, details)
          ? refused(booking, "same_visit")
          : (bookingProblem(as, kind, visit, by, wish.reason, stage) ?? visitProblem(booking, found, by, details ?? {}))
      return Result.andThen(alive(as), problem === undefined ? Result.void : Result.fail(problem))
    },
    decide: Effect.fnUntraced(function* (as, claim) {
      const { booking, now } = as
      // What is not asked for, and the extras that a move loses, were read of the booking before.
      if (!isSameVisit(before, booking)) return yield* new CatalogueChanged()
      const { places, quote } = yield* claim(wanted(booking))
      const plan = planChange(
        booking,
        { ...visit, quote },
        option_id,
        settledOf(as),
        by,
        now,
        without,
        details,
        exceptions
      )
      if (plan.row.total > maximumCharge(booking.currency))
        return yield* new ChangeRefused({ ...booking, reason: "party_size", limits: limitsOf(visit) })
      return { ...plan, ...(places === undefined ? {} : { places }) }
    }),
    apply: Effect.fnUntraced(function* ({ booking, refunds: known, sessions: all }, plan, _, write) {
      const { refund, row } = plan
      const after = yield* store(plan, write)
      const beyond = booking.paid - row.total
      const decided = beyond + (booking.terms.goodwill ?? 0)
      const owed = refundable(all, known).given_back + refund
      if (beyond > 0)
        yield* write.refund(booking, { decided, known, owed, parts: refundParts(refund, all, known) }, "move")
      return { booking: after }
    }),
    instead: Effect.fnUntraced(function* (booking, why) {
      if (why._tag === "TooManyHolds") return yield* refused(booking, "too_many_unpaid")
      const because = why._tag === "LostRace" ? "fully_booked" : why.because
      if (kind === "move") {
        const nearest = yield* visits.nearest(visit)
        return yield* new SlotUnavailable({ reason: because, nearest, booked_before: false })
      }
      if (because === "party_too_large" || because === "party_too_small")
        return yield* new ChangeRefused({ ...booking, reason: "party_size", limits: limitsOf(visit) })
      if (because !== "fully_booked" && because !== "add_ons_taken") return yield* refused(booking, "closed")
      const limits = yield* visits.left(booking, wanted(booking).claims, found)
      return yield* new ChangeRefused({ ...booking, reason: "no_room", limits })
    })
  }
}

/** Contact, wishes, ages: they cost nothing and need no places. */
const toDetails = (
  before: BookingRow,
  details: PartyChange,
  playroom: Pick<Playroom, "age_max" | "age_min">,
  exceptions: ReadonlyArray<Exception>,
  wish: Why,
  by: ChangedBy
): WithoutPlaces<unknown, Planned, ChangedBooking, VisitRefusal> => {
  const { store, ...parts } = partsOf(by, wish, true)
  return {
    ...parts,
    keys: [before.playroom_id],
    asks: () => false,
    closesPages: false,
    open: (as) => {
      const { booking, now } = as
      const isOpen = canChangeDetails(booking, details, now)
      const problem = !isOpen
        ? refused(booking, "begun")
        : hasDetails(booking, details)
          ? refused(booking, "same_visit")
          : agesProblem(playroom, booking.children, details.child_ages)
      return Result.andThen(
        isOpen ? Result.void : alive(as),
        problem === undefined ? Result.void : Result.fail(problem)
      )
    },
    decide: Effect.fnUntraced(function* (as) {
      const { booking } = as
      // It was one for details alone because of the party before.
      if (!isSameVisit(before, booking)) return yield* new CatalogueChanged()
      return planDetails(booking, settledOf(as), details, exceptions)
    }),
    apply: (_, plan, __, write) => Effect.map(store(plan, write), (booking) => ({ booking }))
  }
}

const maySetAside = ({ exception = false }: Why, by: ChangedBy): boolean => exception && by !== "family"

/** Moves a booking. */
export const moveVisit: VisitChange<MoveWish> = {
  span: "VisitChanges.move",
  right: "move",
  forFamilies: true,
  keepsChanging: new KeepsChanging(),
  prepare: (booking, wish, by, visits) =>
    Effect.map(visits.ofOption(booking, wish.option_id, maySetAside(wish, by)), (found) =>
      toVisit(booking, found, wish, by, visits)
    )
}

/** Changes the party of a booking, or its details alone. Ages are of the party where its price goes by them. */
export const changeParty: VisitChange<PartyWish> = {
  span: "VisitChanges.changeParty",
  right: "change_party",
  forFamilies: true,
  keepsChanging: new KeepsChanging(),
  prepare: Effect.fnUntraced(function* (booking, wish, by, visits) {
    const [after, before] = [partyAfter(booking, wish.party), partyOf(booking)]
    const may = maySetAside(wish, by)
    const sold = isSameParty(after, before) ? yield* visits.sold(booking) : undefined
    if (sold === undefined || !sameChildRules(sold.pkg.pricing, after, before)) {
      const found = yield* visits.ofParty(booking, wish.party, may)
      return toVisit(booking, found, wish, by, visits, wish.party)
    }
    const found = may ? exceptionsTo(sold, before, wish.party.child_ages) : []
    const exceptions = found.filter((one) => one === "ages")
    const { playroom } = settingAside(sold.venue, exceptions)
    return toDetails(booking, wish.party, playroom, exceptions, wish, by)
  })
}

/** The sizes and add-ons that a booking's party may have, as its package sells them today. */
interface PartyOffer {
  readonly refusal?: ChangeProblem
  readonly limits: PartyLimits
  readonly add_ons: ReadonlyArray<AddOn>
  /** Which the room takes. */
  readonly ages: Pick<Playroom, "age_max" | "age_min">
  /** Whether the price goes by them. */
  readonly by_age: boolean
}

/** What a booking may change to, for the pages and commands that offer it. */
export class VisitOffers extends Context.Service<
  VisitOffers,
  {
    /**
     * Why a family can't change its booking in this way now, whatever the visit in its playroom; undefined if it can.
     */
    readonly refusal: (
      booking: BookingRow,
      kind: ChangeKind,
      playroom: Pick<Playroom, "currency"> | undefined
    ) => Effect.Effect<ChangeProblem | undefined, SqlError.SqlError>
    /**
     * The options that a booking may move to, in order of start, on at most `maxStartDays` days: of its own package,
     * or for its operator of another one. Empty if it can't be moved now, as by a family whose terms allow no free
     * move; none if such visits are not sold.
     */
    readonly starts: (
      booking: BookingRow,
      dates: { readonly from: LocalDate; readonly to: LocalDate },
      who?: { readonly by: "family" } | { readonly by: "operator"; readonly package_id: string }
    ) => Effect.Effect<Option.Option<ReadonlyArray<PricedOption>>, SqlError.SqlError>
    /** What a family may change of its booking by itself now, in short. */
    readonly ownChanges: (booking: BookingRow) => Effect.Effect<OwnChanges, SqlError.SqlError>
    /** The available starts nearest to a booking's own, also of equal rooms, to which its operator may move it now. */
    readonly alternatives: (booking: BookingRow) => Effect.Effect<ReadonlyArray<AlternativeStart>, SqlError.SqlError>
    /**
     * What the party of a booking may change to; `refusal`: why a family can't change it now. The venue may set its own
     * rules aside.
     */
    readonly partyOffer: (booking: BookingRow, by?: ChangedBy) => Effect.Effect<PartyOffer, SqlError.SqlError>
    /** The packages that its operator may move a booking to, of all rooms or of one: those that take its party. */
    readonly packages: (
      booking: BookingRow,
      playroom_id?: string
    ) => Effect.Effect<ReadonlyArray<RoomPackage>, SqlError.SqlError>
    /**
     * The id of the option with the booking's party and add-ons at a local start, in its own package or another one of
     * its operator. It may be unavailable. Add-ons that another room does not sell are left out.
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
        alternatives: alternativesOf,
        optionAt,
        ownChanges,
        packages,
        sold,
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

      const partyOffer = Effect.fn("VisitOffers.partyOffer")(function* (booking: BookingRow, by: ChangedBy = "family") {
        const own = yield* sold(booking)
        const venue = by === "family" ? own.venue : settingAside(own.venue, partyExceptions)
        const pkg = Option.getOrElse(packageOf(venue, booking.package_id), () => own.pkg)
        const { playroom } = venue
        const party = partyOf(booking)
        const problem = yield* refusal(booking, "party", playroom)
        const limits = limitsOf({ party, pkg: keepingVisit(booking, pkg), start: booking.starts_at, venue })
        const most_children = Math.max(party.children, limits.most_children ?? 0)
        return {
          ...(problem === undefined ? {} : { refusal: problem }),
          limits: { ...limits, most_children },
          add_ons: addOnsAt(venue.add_ons, playroom.time_zone, booking.starts_at),
          ages: playroom,
          by_age: pricesByAge(pkg)
        }
      })

      return VisitOffers.of({ refusal, starts, ownChanges, alternatives, partyOffer, packages, optionAt })
    })
  ).pipe(
    Layer.provide([BookingOptions.layer, Catalogue.layer, Occupancy.layer, PaymentSessions.layer, RefundRecords.layer])
  )
}
