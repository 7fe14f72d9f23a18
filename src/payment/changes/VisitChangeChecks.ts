/** What must hold before a booking is changed. Reads nothing but the clock. */
import { Clock, Effect } from "effect"
import { ageIssues } from "../../availability/Availability.ts"
import { OptionInvalid } from "../../availability/BookingOption.ts"
import { BookingCancelled, type BookingRow, HoldExpired } from "../../booking/Booking.ts"
import { changeOutcome, type ChangePlan, changeText } from "../../booking/ChangePlan.ts"
import type { WantedVisit } from "../../booking/OtherVisits.ts"
import { requireAsShown } from "../../booking/ShownState.ts"
import {
  type ChangeKind,
  type ChangeProblem,
  ChangeRefused,
  isFree,
  isOwnCurrency,
  isSameParty,
  kindOf,
  type PartyChange,
  partyOf,
  type VisitChangeRequest
} from "../../booking/VisitChange.ts"
import type { Playroom } from "../../catalogue/Playroom.ts"
import { InvalidArguments } from "../../kernel/InvalidArguments.ts"
import { isLiveBalance, type Paid, refusalOf } from "./VisitChangePayments.ts"

/** Fails for this reason. */
export const refuse = ({ booking_id }: BookingRow, reason: ChangeProblem) =>
  Effect.fail(new ChangeRefused({ booking_id, reason }))

/** The details that a request changes. */
export const detailsIn = (request: VisitChangeRequest): PartyChange => ("party" in request ? request.party : {})

/** Fails if ages do not fit the children, or the playroom. */
const checkThese = (
  playroom: Pick<Playroom, "age_max" | "age_min">,
  children: number,
  ages: ReadonlyArray<number> | undefined
) => {
  const issues = ageIssues(playroom, children, ages)
  return issues.length === 0 ? Effect.void : Effect.fail(new InvalidArguments({ issues }))
}

/** The same for the ages that a request gives. */
export const checkAges = (
  playroom: Pick<Playroom, "age_max" | "age_min">,
  children: number,
  request: VisitChangeRequest
) => checkThese(playroom, children, detailsIn(request).child_ages)

/** Fails if a change is none, or not what was shown. */
export const checkPlan = (booking: BookingRow, plan: ChangePlan, request: VisitChangeRequest) =>
  changeText(booking, plan.row) === ""
    ? Effect.fail(new ChangeRefused({ ...booking, reason: "same_visit" }))
    : requireAsShown(booking, changeOutcome(booking, plan, request), request.shown)

/** Fails if the booking has ended without a visit. */
export const checkAlive = ({ booking_id, status }: BookingRow): Effect.Effect<void, BookingCancelled | HoldExpired> => {
  if (status === "cancelled") return Effect.fail(new BookingCancelled({ booking_id }))
  return status === "expired" ? Effect.fail(new HoldExpired({ booking_id })) : Effect.void
}

/** Fails if the booking can't be changed in this way, whatever the visit. */
export const checkBooking = Effect.fnUntraced(function* (
  booking: BookingRow,
  payments: Paid,
  kind: ChangeKind,
  { by, preview, reason }: VisitChangeRequest,
  pagesMayBeOpen: boolean
) {
  const now = yield* Clock.currentTimeMillis
  yield* checkAlive(booking)
  const problem = refusalOf(booking, payments, kind, by, now)
  if (problem !== undefined) return yield* refuse(booking, problem)
  if (!preview && !isFree(booking, kind, now) && (reason ?? "").trim() === "")
    return yield* refuse(booking, "reason_needed")
  if (!pagesMayBeOpen && payments.all.some(isLiveBalance)) return yield* refuse(booking, "payment_open")
  return undefined
})

/** Fails if the visit or the party is none that the booking may change to. */
export const checkVisit = Effect.fnUntraced(function* (
  booking: BookingRow,
  { visit }: WantedVisit,
  request: VisitChangeRequest
) {
  const { party, pkg, venue } = visit
  const { currency, playroom_id } = venue.playroom
  // As if it did not exist.
  if (venue.operator.operator_id !== booking.operator_id) return yield* new OptionInvalid({ reason: "unknown" })
  if (request.by === "family" && playroom_id !== booking.playroom_id) return yield* refuse(booking, "other_playroom")
  if (!isOwnCurrency(booking, currency)) return yield* refuse(booking, "other_currency")
  const keeps = pkg.package_id === booking.package_id && isSameParty(partyOf(booking), party)
  if (request.by === "family" && kindOf(booking, visit) === "move" && !keeps)
    return yield* refuse(booking, "other_party")
  const { child_ages } = booking
  // Its own room has taken these ages.
  if (playroom_id !== booking.playroom_id) yield* checkThese(venue.playroom, child_ages.length, child_ages)
  return yield* checkAges(venue.playroom, party.children, request)
})
