/**
 * Why a range of dates has no option, and which date or party has one. Runs only for an empty page, with bounded work.
 */
import { Effect, Schema } from "effect"
import type { Package } from "../catalogue/Package.ts"
import {
  addDays,
  clockTimeOf,
  datesFrom,
  dayMinutes,
  type Instant,
  LocalDate,
  localDateOf,
  localMinutesOf,
  type Weekday,
  weekdays
} from "../../platform/time/LocalTime.ts"
import { type AddOnId, PackageId } from "../../platform/ids/Ids.ts"
import { WhenInWords } from "./BookingOption.ts"
import { leftOut, maxChildren, noneBecause, NoneBecause, partyProblem, withoutStock } from "./Availability.ts"
import { isOnWeekdays, keepsTo, type Opening, type Request, type SearchResult } from "./Openings.ts"
import { eachStart, openDay, window } from "./Starts.ts"

/** Why a range of dates has no option: a reason of a start or of the request. */
const NoOptionsBecause = Schema.Literals([
  ...NoneBecause.literals,
  "not_sold_on_these_days",
  "in_the_past",
  "outside_your_times"
])
type NoOptionsBecause = typeof NoOptionsBecause.Type

const Count = (description: string) => Schema.Int.annotate({ description })

/** The fields of an empty page. */
export const NoOptions = Schema.Struct({
  none_because: Schema.optionalKey(NoOptionsBecause.annotate({ description: "Why none." })),
  // The same literals as `none_because`. The schema doesn't list them again, to keep it short for models.
  also_because: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Of other starts." })),
  free_without: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Leave out." })),
  // Those of the argument, in the same way.
  sold_on: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "If not on these." })),
  waiting_list: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({ when: WhenInWords, url: Schema.String.annotate({ description: "To join." }) })
    ).annotate({ description: "Of these." })
  ),
  next_available_date: Schema.optionalKey(LocalDate.annotate({ description: "Next." })),
  last_bookable_date: Schema.optionalKey(LocalDate.annotate({ description: "Last." })),
  opening_hours_that_day: Schema.optionalKey(
    Schema.Struct({
      date: LocalDate.annotate({ description: "First." }),
      hours: Schema.Array(
        Schema.Struct({
          opens: Schema.String.annotate({ description: "HH:MM." }),
          closes: Schema.String.annotate({ description: "HH:MM; may be next day." })
        })
      ).annotate({ description: "Open." }),
      first_start: Schema.String.annotate({ description: "Free." })
    }).annotate({ description: "At other hours." })
  ),
  next_date_for_party: Schema.optionalKey(
    Schema.Struct({
      date: LocalDate.annotate({ description: "Date." }),
      package_id: PackageId.annotate({ description: "That takes it." })
    }).annotate({ description: "For this party." })
  ),
  party_limits: Schema.optionalKey(
    Schema.Struct({
      min_children: Count("Fewest."),
      max_children: Count("Most."),
      max_adults: Schema.optionalKey(Count("Most."))
    }).annotate({ description: "Whom they take." })
  )
})
export type NoOptions = typeof NoOptions.Type

/** An empty range of dates: the request, and why its starts can't be booked. */
interface EmptyRange {
  readonly request: Request
  readonly packages: ReadonlyArray<Package>
  readonly from: LocalDate
  readonly to: LocalDate
  readonly refusals: ReadonlySet<NoneBecause>
  readonly now: Instant
}

/** Searches dates for one opening, with bounded work. */
type SearchDates<E> = (
  request: Request,
  packages: ReadonlyArray<Package>,
  dates: { readonly from: LocalDate; readonly to: LocalDate },
  reasons: boolean
) => Effect.Effect<SearchResult, E>

const isOfParty = (reason: NoOptionsBecause): boolean => reason === "party_too_large" || reason === "party_too_small"

const isTimed = ({ end_before, start_after }: Request): boolean => start_after !== undefined || end_before !== undefined
const atAnyTime = (request: Request): Request => ({ ...request, start_after: undefined, end_before: undefined })

const maxIntervals = 10

/** The opening times of an opening's date, in local time, and its own start. */
const openOn = (
  date: LocalDate,
  { venue }: Request,
  opening: Opening
): NonNullable<NoOptions["opening_hours_that_day"]> => ({
  date,
  first_start: clockTimeOf(localMinutesOf(venue.playroom.time_zone, opening.start)),
  hours: openDay(venue.playroom, date)
    .intervals.slice(0, maxIntervals)
    .map(({ first, last }) => ({
      opens: clockTimeOf(Math.max(0, first)),
      closes: clockTimeOf(last > dayMinutes ? last - dayMinutes : last)
    }))
})

/** The most children that a package takes with the party's adults and add-ons; 0 if it takes none. */
const mostChildren = ({ party, venue }: Request, pkg: Package): number => {
  const adults = Math.min(party.adults, pkg.max_adults ?? party.adults)
  const isTaken = (children: number) => partyProblem(venue, pkg, { ...party, adults, children }) === undefined
  let [most, tooMany] = [pkg.min_children - 1, maxChildren(venue, pkg) + 1]
  while (tooMany - most > 1) {
    const middle = (most + tooMany) >>> 1
    if (isTaken(middle)) most = middle
    else tooMany = middle
  }
  return most < pkg.min_children ? 0 : most
}

/** Whom the packages take that refuse the party for this reason. */
const limitsOf = (
  request: Request,
  packages: ReadonlyArray<Package>,
  because: NoOptionsBecause
): NonNullable<NoOptions["party_limits"]> => {
  const refusing = packages.filter((pkg) => partyProblem(request.venue, pkg, request.party) === because)
  const adults = refusing.flatMap(({ max_adults }) => max_adults ?? [])
  return {
    min_children: Math.min(...refusing.map(({ min_children }) => min_children)),
    max_children: Math.max(...refusing.map((pkg) => mostChildren(request, pkg))),
    ...(adults.length === 0 || adults.length < refusing.length ? {} : { max_adults: Math.max(...adults) })
  }
}

const dateOf = ({ venue }: Request, { start }: Opening): LocalDate => localDateOf(venue.playroom.time_zone, start)

/** The first opening after a date, up to the venue's horizon, among the packages that take the party. */
const nextOpening = Effect.fnUntraced(function* <E>(
  request: Request,
  packages: ReadonlyArray<Package>,
  from: LocalDate,
  now: Instant,
  searchDates: SearchDates<E>
): Effect.fn.Return<Opening | undefined, E> {
  const { party, venue } = request
  const possible = packages.filter((pkg) => partyProblem(venue, pkg, party) === undefined)
  if (possible.length === 0) return undefined
  const { earliest, lastDate } = window(venue, now)
  const soonest = localDateOf(venue.playroom.time_zone, earliest)
  const { openings } = yield* searchDates(
    request,
    possible,
    { from: from < soonest ? soonest : from, to: lastDate },
    false
  )
  return openings[0]
})

/** Whether a package starts on a date after an instant and at the requested times. */
const hasStart = (request: Request, packages: ReadonlyArray<Package>, date: LocalDate, after: Instant): boolean => {
  const day = openDay(request.venue.playroom, date)
  return packages.some((pkg) => {
    let found = false
    eachStart(day, pkg, (start) => {
      found ||= start > after && keepsTo(request, pkg, start)
      return !found
    })
    return found
  })
}

/** The weekdays on which the playroom opens as a rule and one of these packages is sold. */
const soldOn = ({ venue }: Request, packages: ReadonlyArray<Package>): ReadonlyArray<Weekday> =>
  weekdays.filter(
    (weekday) =>
      venue.playroom.opening_hours.some((hours) => hours.weekday === weekday) &&
      packages.some(({ schedule }) => schedule.weekdays?.includes(weekday) ?? true)
  )

/** Whether a weekday was asked for; any is if none was named. */
const isAskedWeekday = ({ weekdays = [] }: Request, weekday: Weekday): boolean =>
  weekdays.length === 0 || weekdays.includes(weekday)

/** Why these dates have no option: the main reason, and other reasons of some of the dates. */
const reasonsOf = Effect.fnUntraced(function* <E>(
  { request, packages, from, to, refusals, now }: EmptyRange,
  searchDates: SearchDates<E>
): Effect.fn.Return<
  { readonly reasons: ReadonlyArray<NoOptionsBecause>; readonly elsewhere?: Opening | undefined },
  E
> {
  const { venue } = request
  const today = localDateOf(venue.playroom.time_zone, now)
  const first = from < today ? today : from
  if (to < today) return { reasons: ["in_the_past"] }
  if (window(venue, now).lastDate < from) return { reasons: ["too_far_ahead"] }
  const anyTime = atAnyTime(request)
  const other = isTimed(request) ? yield* searchDates(anyTime, packages, { from: first, to }, true) : undefined
  const elsewhere = other?.openings[0]
  const ofStarts = [...refusals].some((reason) => !isOfParty(reason))
  const main: NoOptionsBecause =
    elsewhere !== undefined && !ofStarts
      ? "outside_your_times"
      : noneBecause(ofStarts ? refusals : new Set([...refusals, ...(other?.refusals ?? [])]))
  const asked = datesFrom(first, to).filter((date) => isOnWeekdays(request, date))
  if (asked.length === 0) return { reasons: ["in_the_past"] }
  const startless = asked.filter((date) => !hasStart(anyTime, packages, date, -Infinity))
  const isOpen = (date: LocalDate) => openDay(venue.playroom, date).intervals.length > 0
  const withoutStart: ReadonlyArray<NoOptionsBecause> = [
    ...(startless.some(isOpen) ? (["not_sold_on_these_days"] as const) : []),
    ...(startless.every(isOpen) ? [] : (["closed"] as const))
  ]
  const isClosed = refusals.has("closed") || other?.refusals.has("closed") === true
  const unpassed = main === "closed" && !isClosed ? (withoutStart[0] ?? main) : main
  const passed = main === "too_soon" && !asked.some((date) => hasStart(request, packages, date, now))
  const also: ReadonlyArray<NoOptionsBecause> = [
    ...refusals,
    ...(elsewhere === undefined ? [] : ["outside_your_times" as const]),
    ...withoutStart
  ]
  // The party's size is a reason only if no other start gives one.
  const others = also.filter((one) => one !== unpassed && (isOfParty(main) || !isOfParty(one)))
  return { reasons: [passed ? "in_the_past" : unpassed, ...new Set(others)], elsewhere }
})

/** Add-ons without which these dates have an option; none if that does not help. */
const freeWithout = Effect.fnUntraced(function* <E>(
  { from, packages, request, to }: EmptyRange,
  searchDates: SearchDates<E>
): Effect.fn.Return<ReadonlyArray<AddOnId>, E> {
  const { party, venue } = request
  for (const less of withoutStock(venue, party)) {
    const { openings } = yield* searchDates({ ...request, party: less }, packages, { from, to }, false)
    if (openings.length > 0) return leftOut(party, less)
  }
  return []
})

/** The reasons for an empty page, and the nearest dates with options. */
export const explainNoOptions = Effect.fnUntraced(function* <E>(
  empty: EmptyRange,
  searchDates: SearchDates<E>
): Effect.fn.Return<NoOptions, E> {
  const { request, packages, from, to, now } = empty
  const { venue } = request
  const {
    reasons: [because = "closed", ...also],
    elsewhere
  } = yield* reasonsOf(empty, searchDates)
  const sold = soldOn(request, packages)
  // If nothing is sold on the weekdays asked for, the next date is on another one, and those are told.
  const onOthers = sold.length > 0 && !sold.some((weekday) => isAskedWeekday(request, weekday))
  const next = onOthers
    ? yield* nextOpening({ ...request, weekdays: undefined }, packages, from, now, searchDates)
    : yield* nextOpening(request, packages, addDays(to, 1), now, searchDates)
  const ofParty = isOfParty(because)
  const without = because === "add_ons_taken" ? yield* freeWithout(empty, searchDates) : []
  const taking = ofParty ? yield* nextOpening(request, venue.packages, from, now, searchDates) : undefined
  // The packages that take the party may never start at those times.
  const outside =
    next === undefined && taking === undefined && elsewhere === undefined && isTimed(request)
      ? yield* nextOpening(atAnyTime(request), venue.packages, from, now, searchDates)
      : elsewhere
  return {
    none_because: because,
    ...(also.length === 0 ? {} : { also_because: also }),
    ...(without.length === 0 ? {} : { free_without: without }),
    ...(onOthers || [because, ...also].includes("not_sold_on_these_days") ? { sold_on: sold } : {}),
    ...(next === undefined ? {} : { next_available_date: dateOf(request, next) }),
    ...(because === "too_far_ahead" || also.includes("too_far_ahead")
      ? { last_bookable_date: window(venue, now).lastDate }
      : {}),
    ...(outside === undefined ? {} : { opening_hours_that_day: openOn(dateOf(request, outside), request, outside) }),
    ...(taking === undefined
      ? {}
      : { next_date_for_party: { date: dateOf(request, taking), package_id: taking.pkg.package_id } }),
    ...(ofParty ? { party_limits: limitsOf(request, packages, because) } : {})
  }
})
