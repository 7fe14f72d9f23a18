/**
 * The decision whether a visit may be booked now, on these terms: pure. Options are made by its parts; a booking is made only where
 * the whole decision allows it, with the calendar and the clock of that moment. Only `visitsOfOptions` reads: what an option id means today.
 */
import { Data, Effect, Result } from "effect"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { lastSale, sells } from "../catalogue/Operator.ts"
import type { Package } from "../catalogue/Package.ts"
import { OperatorUnavailable, type Venue } from "../catalogue/Playroom.ts"
import type { Party } from "../catalogue/Price.ts"
import { quote, type Quote } from "../catalogue/Pricing.ts"
import { InvalidArguments } from "../kernel/InvalidArguments.ts"
import { type Instant, minuteMs } from "../kernel/LocalTime.ts"
import { addOnIssues, bookable, type Calendar, type NoneBecause } from "./Availability.ts"
import { offer, OptionInvalid, PriceChanged } from "./BookingOption.ts"
import { digestOf, resolveAddOns, unpack } from "./OptionId.ts"

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

/** Finds the visit of an option id, and the version of the catalogue that it was read from. */
export const visitsOfOptions = Effect.gen(function* () {
  const catalogue = yield* Catalogue
  return Effect.fnUntraced(function* (option_id: string) {
    const unpacked = unpack(option_id)
    if (unpacked === undefined) return yield* new OptionInvalid({ reason: "malformed" })
    const { venue, reading } = yield* catalogue
      .venueOfPackage(unpacked.package_id)
      .pipe(Effect.catchTag("PackageNotFound", () => Effect.fail(new OptionInvalid({ reason: "unknown" }))))
    const pkg = venue.packages.find(({ package_id }) => package_id === unpacked.package_id)
    const add_ons = resolveAddOns(venue.add_ons, unpacked.add_ons)
    if (pkg === undefined || add_ons === undefined) return yield* new OptionInvalid({ reason: "unknown" })
    const { start, children, adults, digest } = unpacked
    const visit: VisitRequest = { venue, pkg, party: { children, adults, add_ons }, start, agreed: digest }
    return { visit, reading }
  })
})
