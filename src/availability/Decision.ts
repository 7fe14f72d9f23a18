/**
 * The decision whether a visit may be booked now, on these terms. Pure. Options are made by its parts; a booking is made only where
 * the whole decision allows it, with the calendar and the clock of that moment.
 */
import { Data, Result } from "effect"
import { lastSale, sells } from "../catalogue/Operator.ts"
import type { Package } from "../catalogue/Package.ts"
import { OperatorUnavailable, type Venue } from "../catalogue/Playroom.ts"
import { InvalidArguments } from "../kernel/InvalidArguments.ts"
import { type Instant, minuteMs } from "../kernel/LocalTime.ts"
import { addOnIssues, bookable, type Calendar } from "./Availability.ts"
import { type NoneBecause, OptionInvalid, PriceChanged } from "./BookingOption.ts"
import { offer } from "./Offers.ts"
import { digestOf } from "./OptionId.ts"
import type { Party } from "../catalogue/Price.ts"
import { quote, type Quote } from "../catalogue/Pricing.ts"

/** What a request asks to book: a package on sale at its venue, the party, the start, and the digest of the terms that were agreed to. */
export interface VisitRequest {
  readonly venue: Venue
  readonly pkg: Package
  readonly party: Party
  readonly start: Instant
  readonly agreed: string
}

/** The start can't be booked by this party. */
export class Unbookable extends Data.TaggedError("Unbookable")<{ readonly because: NoneBecause }> {
  override get message(): string {
    return `The start can't be booked: ${this.because}.`
  }
}

/** Why a visit may not be booked: the first of these that applies. */
export type Refusal = OptionInvalid | OperatorUnavailable | Unbookable | PriceChanged

/** It may be booked, for this price. The decision stays the same until `until`, unless the catalogue or the calendar changes. */
export interface Agreed {
  readonly quote: Quote
  readonly until: Instant
}

/** Why nothing at all can be booked here with these add-ons, whatever the package and the start. */
export const venueProblem = (
  venue: Venue,
  party: Party,
  now: Instant
): InvalidArguments | OperatorUnavailable | undefined => {
  const issues = addOnIssues(venue, party)
  if (issues.length > 0) return new InvalidArguments({ issues })
  const { operator_id } = venue.operator
  return sells(venue.operator, now) ? undefined : new OperatorUnavailable({ operator_id })
}

/** Decides at `now`. The calendar must cover the visit, with set-up and clean-up. */
export const decide = (
  { venue, pkg, party, start, agreed }: VisitRequest,
  calendar: Calendar,
  now: Instant
): Result.Result<Agreed, Refusal> => {
  if (start <= now) return Result.fail(new OptionInvalid({ reason: "start_passed" }))
  const problem = venueProblem(venue, party, now)
  if (problem !== undefined) {
    return Result.fail(problem._tag === "InvalidArguments" ? new OptionInvalid({ reason: "add_ons" }) : problem)
  }
  const answer = bookable(venue, pkg, party, start, calendar, now)
  if (!answer.ok) return Result.fail(new Unbookable({ because: answer.because }))
  const quoted = quote(venue, pkg, party, start, now)
  if (digestOf({ pkg, add_ons: party.add_ons, quote: quoted }) !== agreed) {
    const option = offer(venue, party, { pkg, start, places_left: answer.places_left }, now)
    return Result.fail(new PriceChanged({ option }))
  }
  // Time alone changes the decision where the start comes too near, the balance falls due, or the operator's subscription ends.
  const until = Math.min(
    start - venue.playroom.lead_time_minutes * minuteMs,
    start - 1,
    (quoted.balance_due_at ?? Infinity) - 1,
    lastSale(venue.operator)
  )
  return Result.succeed({ quote: quoted, until })
}
