/**
 * Decides whether a visit may be booked now, on these terms. Pure, except `readVisits`, which reads the visit of
 * an option id. Options are made with parts of the decision. A booking needs the whole decision, with the current
 * calendar and clock.
 */
import { Data, Effect, Result, Struct } from "effect"
import type { SqlError } from "effect/sql"
import { Catalogue, type Reading } from "../catalogue/Catalogue.ts"
import { lastSale, sells } from "../catalogue/Operator.ts"
import type { Package } from "../catalogue/Package.ts"
import { OperatorUnavailable, type Venue } from "../catalogue/Playroom.ts"
import { pricedAges } from "../catalogue/ChildPrices.ts"
import { codeIn, type Party, quote, type Quote, totalAt } from "../catalogue/Pricing.ts"
import { waitPath } from "../../platform/access/LinkTokens.ts"
import type { Settings } from "../../platform/config/AppConfig.ts"
import { InvalidArguments } from "../../platform/errors/InvalidArguments.ts"
import { type Instant, minuteMs } from "../../platform/time/LocalTime.ts"
import { addOnIssues, bookable, bookableParty, type Calendar, type NoneBecause, type Taking } from "./Availability.ts"
import { type CodeProblem, offer, OptionInvalid, PriceChanged } from "./BookingOption.ts"
import { sellableUntil } from "./Starts.ts"
import { agesCheck, changedParts, codeCheck, digestOf, resolveAddOns, unpack } from "./OptionId.ts"

/**
 * A request to book: a package on sale at its venue, the party, the start, and the digest of the agreed terms.
 * `ages_check`: of the ages by which the option is priced, which it does not name (`ofAges`); `code_check`: of the code
 * that makes it cheaper, which the party gives unless its package no longer has it.
 */
export interface VisitRequest {
  readonly venue: Venue
  readonly pkg: Package
  readonly party: Party
  readonly start: Instant
  readonly agreed: string
  readonly ages_check?: number | undefined
  readonly code_check?: number | undefined
}

/** This party can't book the start. */
export class Unbookable extends Data.TaggedError("Unbookable")<{ readonly because: NoneBecause }> {
  override get message(): string {
    return `The start can't be booked: ${this.because}.`
  }
}

/** Why a visit may not be booked. The first reason that applies. */
export type Refusal = OptionInvalid | OperatorUnavailable | Unbookable | PriceChanged

/**
 * The visit may be booked for this price. The decision holds until `until`, unless the catalogue or the calendar
 * changes.
 */
export interface Approval {
  readonly quote: Quote
  readonly until: Instant
}

/** Why nothing at all can be booked here with these add-ons, for any package and start. */
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

const saleProblem = (venue: Venue, party: Party, now: Instant): OptionInvalid | OperatorUnavailable | undefined => {
  const problem = venueProblem(venue, party, now)
  return problem?._tag === "InvalidArguments" ? new OptionInvalid({ reason: "add_ons" }) : problem
}

/**
 * Decides at `now`. The calendar must cover the visit, including set-up and clean-up. `refused`: why the party can't have
 * the option's code.
 */
export const decide = (
  { agreed, code_check, party: wanted, pkg, start, venue }: VisitRequest,
  calendar: Calendar,
  now: Instant,
  refused?: CodeProblem
): Result.Result<Approval, Refusal> => {
  const party = refused === undefined ? wanted : Struct.omit(wanted, ["code"])
  if (sellableUntil(venue, start) <= now) return Result.fail(new OptionInvalid({ reason: "start_passed" }))
  const problem = saleProblem(venue, party, now)
  if (problem !== undefined) return Result.fail(problem)
  const answer = bookable(venue, pkg, party, start, calendar, now)
  if (!answer.ok) return Result.fail(new Unbookable({ because: answer.because }))
  const quoted = quote(venue, pkg, party, start, now)
  const { time_zone } = venue.playroom
  const digest = digestOf({ pkg, start, time_zone, add_ons: party.add_ons, quote: quoted })
  if (digest !== agreed) {
    const option = offer(venue, party, { pkg, start, places_left: answer.places_left }, now)
    const lost = code_check !== undefined && codeIn(quoted.price) === undefined
    const code = lost ? { code: refused ?? ("gone" as const) } : {}
    return Result.fail(new PriceChanged({ option, changed: changedParts(agreed, digest), ...code }))
  }
  // Time alone changes the decision if the start gets too near, the balance falls due, or the operator's subscription
  // ends.
  const until = Math.min(
    start - venue.playroom.lead_time_minutes * minuteMs,
    sellableUntil(venue, start) - 1,
    (quoted.balance_due_at ?? Infinity) - 1,
    lastSale(venue.operator)
  )
  return Result.succeed({ quote: quoted, until })
}

/**
 * Decides on another party for a booking, which keeps its start and its `time` (set-up and clean-up included). The
 * calendar leaves the booking's own places out. `has_all`: the booking has all that the party takes. Then only the least
 * headcount counts: what is taken off needs no room, no open door and no sale.
 */
export const decideParty = (
  { venue, pkg, party, start }: Omit<VisitRequest, "agreed">,
  { has_all, time }: { readonly has_all: boolean; readonly time: Taking },
  calendar: Calendar,
  now: Instant
): Result.Result<Pick<Approval, "quote">, Refusal> => {
  if (has_all && party.children >= pkg.min_children)
    return Result.succeed({ quote: quote(venue, pkg, party, start, now) })
  const problem = saleProblem(venue, party, now)
  if (problem !== undefined) return Result.fail(problem)
  const answer = bookableParty(venue, pkg, party, time, calendar)
  return answer.ok
    ? Result.succeed({ quote: quote(venue, pkg, party, start, now) })
    : Result.fail(new Unbookable({ because: answer.because }))
}

/** Whether a playroom has a waiting list: the venue wants one, and letters tell of the places that come back. */
export const hasWaitingList = (
  { letters }: Pick<Settings, "letters">,
  { playroom }: Pick<Venue, "playroom">
): boolean => letters.kind !== "off" && playroom.waiting_list_minutes !== undefined

/**
 * Until when places that come back at `now` are held for a family that waits for this visit. Undefined: nobody waits for
 * it. The venue has no waiting list (`hasWaitingList`); the visit is so near that less than any hold is left; or nothing
 * is due for it when it is booked, so that nothing would say whether the family still wants it.
 */
export const waitingHold = (
  settings: Pick<Settings, "holdMinutes" | "letters">,
  { party, pkg, start, venue }: Omit<VisitRequest, "agreed">,
  now: Instant
): Instant | undefined => {
  const { lead_time_minutes, waiting_list_minutes = 0 } = venue.playroom
  if (!hasWaitingList(settings, venue)) return undefined
  const until = Math.min(now + waiting_list_minutes * minuteMs, start - lead_time_minutes * minuteMs)
  if (until < now + settings.holdMinutes * minuteMs) return undefined
  return quote(venue, pkg, party, start, now).price.due_now > 0 ? until : undefined
}

/** The address where a family puts itself on the waiting list of an option. It is no secret. */
export const waitAddress = (
  { baseUrl }: Pick<Settings, "baseUrl">,
  option_id: string,
  child_ages: ReadonlyArray<number> = []
): string => `${baseUrl}${waitPath}${option_id}${child_ages.length === 0 ? "" : `?ages=${child_ages.join("-")}`}`

/** What to do about ages that are not those of an option. */
const agesIssue = (message: string): InvalidArguments =>
  new InvalidArguments({ issues: [{ path: "child_ages", message }] })

/**
 * The visit of an option with the children's ages, as they are told again. They must be those by which the option is
 * priced. Of one that was priced without any, none may make it cheaper: nobody pays more for an age that they told.
 */
export const ofAges = (
  visit: VisitRequest,
  child_ages: ReadonlyArray<number> | undefined
): Result.Result<VisitRequest, InvalidArguments> => {
  const { ages_check, pkg, start, venue } = visit
  const aged = { ...visit, party: { ...visit.party, child_ages: child_ages ?? [] } }
  if (ages_check !== undefined)
    return ages_check === agesCheck(aged.party.child_ages)
      ? Result.succeed(aged)
      : Result.fail(
          agesIssue(
            `The price of this option is for the ages that get_booking_options was given: expected ${child_ages === undefined ? "child_ages with them" : "them again, not others"}; for other ages call get_booking_options with these child_ages, and book an option of its answer`
          )
        )
  if (pricedAges(pkg, aged.party) === undefined) return Result.succeed(visit)
  const [told, cheaper] = [visit, aged].map(({ party }) => totalAt(venue, pkg, party, start))
  return told === cheaper
    ? Result.succeed(visit)
    : Result.fail(
        agesIssue(
          "At these ages the visit costs less than this option: call get_booking_options with child_ages, and book an option of its answer"
        )
      )
}

/** The visit of an option, and the read of the catalogue that it comes from. */
export interface VisitReading {
  readonly visit: VisitRequest
  readonly reading: Reading
}

/** Reads the visit of an option id by today's catalogue, or as a booking's own venue has it. */
export const readVisits = Effect.gen(function* () {
  const catalogue = yield* Catalogue
  return Effect.fnUntraced(function* (
    option_id: string,
    own?: Pick<VisitReading, "reading"> & { readonly venue: Venue }
  ): Effect.fn.Return<VisitReading, OptionInvalid | SqlError.SqlError> {
    const unpacked = unpack(option_id)
    if (unpacked === undefined) return yield* new OptionInvalid({ reason: "malformed" })
    const { add_ons: wanted, adults, ages_check, children, code_check, digest, package_id, start } = unpacked
    const unknown = new OptionInvalid({ reason: "unknown" })
    const { reading, venue } =
      own ??
      (yield* Effect.catchTag(catalogue.venueOfPackage(package_id), "PackageNotFound", () => Effect.fail(unknown)))
    const pkg = venue.packages.find((one) => one.package_id === package_id)
    const add_ons = resolveAddOns(venue.add_ons, wanted)
    if (pkg === undefined || add_ons === undefined) return yield* unknown
    const coded = (pkg.pricing.codes ?? []).find(({ code }) => codeCheck(code) === code_check)
    const party = { children, adults, add_ons, ...(coded === undefined ? {} : { code: coded.code }) }
    return { visit: { venue, pkg, party, start, agreed: digest, ages_check, code_check }, reading }
  })
})
