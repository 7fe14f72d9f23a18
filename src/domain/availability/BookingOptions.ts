/** Bookable options of a playroom for a party: starts and prices. */
import { Clock, Context, Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { pricesByAge } from "../catalogue/ChildPrices.ts"
import { answerTo, codeOf, codeRulesAt, codeText, ruleOf, usable } from "../catalogue/Codes.ts"
import { Mode, type Package } from "../catalogue/Package.ts"
import {
  type OperatorUnavailable,
  PackageNotFound,
  packageOf,
  type Playroom,
  type PlayroomNotFound,
  type Venue
} from "../catalogue/Playroom.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { ApiKeyInvalid, type LookUpGuard, unguarded } from "../../platform/access/ApiKeys.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { responseBudgets, fitPage } from "../../platform/text/ResponseBudget.ts"
import { boundedInt, boundedList, boundedText, InvalidArguments } from "../../platform/errors/InvalidArguments.ts"
import {
  Cursor,
  decodeCursor,
  encodeCursor,
  invalidCursor,
  type BookingId,
  PackageId,
  PlayroomId
} from "../../platform/ids/Ids.ts"
import {
  addDays,
  ClockTime,
  ClosingTime,
  dayMs,
  dayRange,
  daysBetween,
  type Instant,
  LocalDate,
  localDateOf
} from "../../platform/time/LocalTime.ts"
import { AddOnChoice, type Party } from "../catalogue/Pricing.ts"
import { dateRangeFields, lastDateOf, rangeIssues } from "./DateRange.ts"
import { type PricedOption, priceOption } from "./BookingOption.ts"
import { hasWaitingList, venueProblem, waitAddress, waitingHold } from "./Decision.ts"
import { Occupancy } from "./Occupancy.ts"
import {
  clockIssues,
  inSlices,
  margin,
  nearestOpenings,
  type Opening,
  type Request,
  searchDays,
  startsPerPrice,
  takenStarts
} from "./Openings.ts"
import { type BookingOptionPage, foldedPage, type OptionsFound } from "./OptionPage.ts"
import {
  AdultCount,
  ageIssues,
  bookable,
  ChildAges,
  ChildCount,
  isTaken,
  leftOut,
  otherAges,
  withoutStock
} from "./Availability.ts"
import { window } from "./Starts.ts"
import { explainNoOptions } from "./NoOptions.ts"

/** Arguments of `get_booking_options`. Dates and times are local to the playroom. `limit` defaults to 20. */
export const BookingOptionsQuery = Schema.Struct({
  playroom_id: PlayroomId,
  date: LocalDate,
  children: ChildCount,
  ...dateRangeFields,
  adults: Schema.optionalKey(AdultCount),
  child_ages: Schema.optionalKey(ChildAges),
  mode: Schema.optionalKey(Mode),
  package_id: Schema.optionalKey(PackageId),
  add_ons: Schema.optionalKey(boundedList(AddOnChoice, 50)),
  code: Schema.optionalKey(boundedText(100)),
  start_after: Schema.optionalKey(ClockTime),
  end_before: Schema.optionalKey(ClosingTime),
  limit: Schema.optionalKey(boundedInt(1, 100)),
  cursor: Schema.optionalKey(Cursor)
})
export type BookingOptionsQuery = typeof BookingOptionsQuery.Type

/** Alternatives are at most this many days away from the requested start. */
const nearbyDays = 14
const maxAlternatives = 5

/**
 * Where nothing is free that near, `nearestOfPackage` looks this many days away: a closure of some weeks lies between.
 */
const farDays = 62

/** The most starts of an empty page that are told with their waiting lists, and the most characters of these. */
const [mostWaitingLists, waitingListsLength] = [3, 1500]

/** Maximum days of `starts`. */
const maxStartDays = 31
/** Limits of the search for other dates from an empty page: about the work of a month in the largest catalogue. */
export const nextDateLimits = { starts: 40_000, rows: 20_000 }

/** The end of a page: the last option's start, and the position of its package among the venue's packages. */
const Position = Schema.Tuple([Schema.Int, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))])
const positionIn = Schema.decodeUnknownOption(Position)

/**
 * The position in a cursor; none if `encodeCursor` did not make it for this query, or if it lies outside the query's
 * days.
 */
const positionOf = (scope: unknown, cursor: string, zone: string, from: LocalDate, to: LocalDate) =>
  Option.filter(
    positionIn(decodeCursor(scope, cursor)),
    ([start]) => dayRange(zone, from).start <= start && start < dayRange(zone, to).end
  )

/** The cursor after an option in the list of a query. */
const cursorAfter = (query: BookingOptionsQuery, { packages }: Venue, { package_id, start }: PricedOption): string => {
  const place = packages.findIndex((pkg) => pkg.package_id === package_id)
  return encodeCursor(Struct.omit(query, ["cursor", "limit"]), [Date.parse(start), place])
}

/** The page of a query with its first options only, and the cursor after them. */
export const firstOptions = (query: BookingOptionsQuery, found: OptionsFound, count: number): OptionsFound => {
  const options = found.options.slice(0, count)
  const last = options.at(-1)
  return last === undefined || count >= found.options.length
    ? found
    : { ...found, options, next_cursor: cursorAfter(query, found.venue, last) }
}

/** The packages that a query asks for. */
const packagesFor = Effect.fnUntraced(function* (
  venue: Venue,
  { mode, package_id }: Pick<BookingOptionsQuery, "mode" | "package_id">
): Effect.fn.Return<ReadonlyArray<Package>, PackageNotFound | InvalidArguments> {
  const named =
    package_id === undefined
      ? venue.packages
      : yield* Effect.fromOption(packageOf(venue, package_id)).pipe(
          Effect.mapBoth({ onSuccess: (pkg) => [pkg], onFailure: () => new PackageNotFound({ package_id }) })
        )
  const packages = named.filter((pkg) => mode === undefined || pkg.mode === mode)
  if (packages.length > 0 || mode === undefined) return packages
  const other = mode === "exclusive" ? "places in open play (shared)" : "the whole room (exclusive)"
  const what = package_id === undefined ? "This playroom sells" : "This package is for"
  const message = `${what} ${other} only: tell the person so, and leave mode out, or find another playroom with search_playrooms and mode ${mode}`
  return yield* new InvalidArguments({ issues: [{ path: "mode", message }] })
})

/**
 * The API key of a caller for whom a key is optional. Undefined if the caller sent none, or none that is valid. It is
 * an effect, so that the key is looked up only if the answer depends on it.
 */
export const CallerKey = Context.Reference<Effect.Effect<string | undefined> | undefined>(
  "playroom/availability/CallerKey",
  {
    defaultValue: () => undefined
  }
)

/**
 * Whether the caller's key has live holds at a playroom whose visits start on these dates, so that a person does not
 * mistake their own hold for another person's. It tells no more: the key may serve other families, too.
 */
const ownHolds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return Effect.fn("ownHolds")(function* (
    { playroom_id, time_zone }: Playroom,
    from: LocalDate,
    to: LocalDate,
    now: Instant
  ) {
    const caller = yield* CallerKey
    const key_id = caller === undefined ? undefined : yield* caller
    if (key_id === undefined) return false
    const held = yield* sql`select from booking b
      where key_id = ${key_id} and status = 'held' and playroom_id = ${playroom_id}
        and starts_at >= ${new Date(dayRange(time_zone, from).start)} and starts_at < ${new Date(dayRange(time_zone, to).end)}
        and not has_lapsed(b, ${new Date(now)})
      limit 1`
    return held.length > 0
  })
})

/** Guards the look-ups of codes that the caller gives: a wrong one is a guess, as a wrong key is. */
export const CodeGuard = Context.Reference<LookUpGuard>("playroom/availability/CodeGuard", {
  defaultValue: () => unguarded
})

const usesOf = decodeRows(Schema.Tuple([Schema.Struct({ uses: Schema.Int })]))

/** A code that was given at a venue: the venue with what of it can still be used, and how many bookings have it. */
const lookUpCode = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return Effect.fn("lookUpCode")(function* (venue: Venue, code: string, now: Instant) {
    const rules = venue.packages.flatMap((pkg) => ruleOf(pkg, code) ?? [])
    const guard = yield* CodeGuard
    const looked = yield* guard(rules.length === 0 ? Effect.fail(new ApiKeyInvalid()) : Effect.void).pipe(
      Effect.as(true),
      // Wrong, which costs a guess; or not looked at, after too many that were.
      Effect.catchTags({ ApiKeyInvalid: () => Effect.succeed(true), RateLimited: () => Effect.succeed(false) })
    )
    const most = Math.max(0, ...rules.map(({ max_uses = 0 }) => max_uses))
    if (!looked || most === 0) return { looked, used: 0, venue }
    const [{ uses }] = yield* usesOf(
      sql`select code_uses(${venue.operator.operator_id}, ${code}, ${most}::int, ${new Date(now)}::timestamptz) as uses`
    )
    return { looked, used: uses, venue: usable(venue, code, uses) }
  })
})

export class BookingOptions extends Context.Service<
  BookingOptions,
  {
    /**
     * The options of a range of days, in order of start. If there are none: why, and which dates or parties have some.
     * `foldedPage` formats them.
     */
    readonly list: (
      query: BookingOptionsQuery
    ) => Effect.Effect<
      OptionsFound,
      PlayroomNotFound | PackageNotFound | InvalidArguments | OperatorUnavailable | SqlError.SqlError
    >
    /**
     * Up to five bookable options nearest to a start that is taken, of the same package first, then of the playroom's
     * others; fewer if they are long to read, undefined if there are none. If only add-ons are taken then, these are
     * options without them (`free_without`), from that start on.
     */
    readonly nearest: (
      venue: Venue,
      pkg: Package,
      party: Party,
      start: Instant
    ) => Effect.Effect<BookingOptionPage | undefined, SqlError.SqlError>
    /**
     * All options of one package for a party, in order of start, on at most `maxStartDays` days; none if the venue
     * sells nothing for it now. `except`: a booking whose own places count as free.
     */
    readonly starts: (
      wanted: { readonly venue: Venue; readonly pkg: Package; readonly party: Party },
      dates: { readonly from: LocalDate; readonly to: LocalDate },
      except?: BookingId
    ) => Effect.Effect<Option.Option<ReadonlyArray<PricedOption>>, SqlError.SqlError>
    /** The options of one package for a party that are nearest to a start: at most `most`, as in `starts`. */
    readonly nearestOfPackage: (
      wanted: { readonly venue: Venue; readonly pkg: Package; readonly party: Party },
      start: Instant,
      most: number,
      except?: BookingId
    ) => Effect.Effect<ReadonlyArray<PricedOption>, SqlError.SqlError>
  }
>()("playroom/availability/BookingOptions") {
  static readonly layer = Layer.effect(
    BookingOptions,
    Effect.gen(function* () {
      const settings = yield* AppConfig
      const catalogue = yield* Catalogue
      const occupancy = yield* Occupancy
      const heldByKey = yield* ownHolds
      const lookUp = yield* lookUpCode

      const calendarOf = (
        { venue }: Pick<Request, "venue">,
        packages: ReadonlyArray<Package>,
        from: LocalDate,
        to: LocalDate,
        now: Instant,
        except?: BookingId
      ) => {
        const { time_zone, playroom_id } = venue.playroom
        const slack = margin(packages)
        const [start, end] = [dayRange(time_zone, from).start - slack, dayRange(time_zone, to).end + slack]
        return occupancy.calendar(playroom_id, start, end, now, except)
      }

      /** The waiting lists of starts that others have, of days on which nothing is free; none if there are none. */
      const waitingLists = Effect.fnUntraced(function* (
        request: Request,
        packages: ReadonlyArray<Package>,
        dates: { readonly from: LocalDate; readonly to: LocalDate },
        child_ages: ReadonlyArray<number> | undefined,
        now: Instant
      ): Effect.fn.Return<Pick<OptionsFound, "waiting_list">, SqlError.SqlError> {
        const { party, venue } = request
        if (!hasWaitingList(settings, venue)) return {}
        const calendar = yield* calendarOf(request, packages, dates.from, dates.to, now)
        const isWaitedFor = (opening: Opening) => waitingHold(settings, { venue, party, ...opening }, now) !== undefined
        const found = yield* inSlices(
          takenStarts(request, packages, dates, calendar, now, isWaitedFor, mostWaitingLists)
        )
        const all = found.map((opening) => {
          const { option_id, when } = priceOption(venue, party, opening, now)
          return { when, url: waitAddress(settings, option_id, child_ages) }
        })
        return all.length === 0
          ? {}
          : { waiting_list: fitPage(waitingListsLength, all.length, (count) => all.slice(0, count)) }
      })

      const list = Effect.fn("BookingOptions.list")(function* (query: BookingOptionsQuery) {
        const now = yield* Clock.currentTimeMillis
        const sold = yield* catalogue.venue(query.playroom_id)
        const code = codeOf(query.code ?? "")
        const asked = code === "" ? undefined : yield* lookUp(sold, code, now)
        const { venue } = asked ?? { venue: sold }
        const { cursor, limit = 20, ...scope } = query
        const { add_ons = [], adults = 0, child_ages, children } = query
        const told = child_ages !== undefined && child_ages.length > 0 && venue.packages.some(pricesByAge)
        const party: Party = {
          children,
          adults,
          ...(told ? { child_ages } : {}),
          add_ons,
          ...(asked?.looked === true ? { code } : {})
        }
        const { time_zone } = venue.playroom
        const to = lastDateOf(query)
        const after =
          cursor === undefined ? undefined : Option.getOrNull(positionOf(scope, cursor, time_zone, query.date, to))
        const problem = venueProblem(venue, party, now)
        const issues = [
          ...rangeIssues(query),
          ...clockIssues(query),
          ...ageIssues(venue.playroom, children, child_ages, otherAges),
          ...(problem?._tag === "InvalidArguments" ? problem.issues : []),
          ...(after === null ? [invalidCursor] : [])
        ]
        if (issues.length > 0 || after === null) return yield* new InvalidArguments({ issues })
        if (problem !== undefined) return yield* problem
        const packages = yield* packagesFor(venue, query)
        const { start_after, end_before, weekdays } = query
        const request: Request = { venue, party, start_after, end_before, weekdays, not_before: after?.[0] }
        const place = ({ pkg }: Opening) => venue.packages.indexOf(pkg)
        const isNew = (opening: Opening) => after === undefined || opening.start > after[0] || place(opening) > after[1]
        const today = localDateOf(time_zone, now)
        const from = after === undefined ? query.date : localDateOf(time_zone, after[0])
        const dates = { from: from < today ? today : from, to }
        const { openings, refusals } = yield* searchDays(
          request,
          packages,
          dates,
          (first, last) => calendarOf(request, packages, first, last, now),
          now,
          // Read the previous page's options of the first start too, and one more than the page: it decides whether
          // there is a cursor.
          { enough: ({ length }) => length > limit + packages.length, reasons: true }
        )
        const rest = openings.filter(isNew)
        const shown = rest.slice(0, limit)
        const page = shown.map((opening) => priceOption(venue, party, opening, now))
        const codes = shown.flatMap(({ pkg, start }) => codeRulesAt(pkg, party, time_zone, start))
        const answer =
          asked === undefined
            ? undefined
            : asked.looked
              ? answerTo(code, sold, yield* packagesFor(sold, query), {
                  holds: codes.length > 0,
                  now,
                  used: asked.used
                })
              : "unsaid"
        const last = page.at(-1)
        const held = cursor === undefined && (yield* heldByKey(venue.playroom, query.date, to, now))
        return {
          venue,
          party,
          options: page,
          ...(answer === undefined
            ? {}
            : {
                code_said: codeText(
                  answer,
                  codes.some((rule) => rule.first_booking === true)
                )
              }),
          ...(held ? { held_by_you: true as const } : {}),
          ...(last !== undefined && rest.length > page.length ? { next_cursor: cursorAfter(query, venue, last) } : {}),
          ...(last === undefined
            ? yield* explainNoOptions({ request, packages, from, to, refusals, now }, (other, of, dates, reasons) =>
                searchDays(other, of, dates, (first, last) => calendarOf(other, of, first, last, now), now, {
                  enough: ({ length }) => length > 0,
                  reasons,
                  limits: nextDateLimits
                })
              )
            : {}),
          ...(last === undefined && [...refusals].some(isTaken)
            ? yield* waitingLists(request, packages, dates, child_ages, now)
            : {})
        }
      })

      /** The days around a start. If it is outside the bookable dates, these are the days at their edge. */
      const daysAround = (venue: Venue, start: Instant, now: Instant, days: number) => {
        const zone = venue.playroom.time_zone
        const { earliest, lastDate } = window(venue, now)
        const around = Math.min(Math.max(start, earliest), dayRange(zone, lastDate).end)
        const between = {
          from: localDateOf(zone, Math.max(now, around - days * dayMs)),
          to: localDateOf(zone, around + days * dayMs)
        }
        return { around, between }
      }

      const nearest = Effect.fn("BookingOptions.nearest")(function* (
        venue: Venue,
        pkg: Package,
        wanted: Party,
        start: Instant
      ) {
        const now = yield* Clock.currentTimeMillis
        const { around, between } = daysAround(venue, start, now, nearbyDays)
        const calendar = yield* calendarOf({ venue }, venue.packages, between.from, between.to, now)
        const answer = bookable(venue, pkg, wanted, start, calendar, now)
        const party =
          answer.ok || answer.because !== "add_ons_taken"
            ? wanted
            : (withoutStock(venue, wanted).find((less) => bookable(venue, pkg, less, start, calendar, now).ok) ??
              wanted)
        const free_without = leftOut(wanted, party)
        const request = { venue, party }
        const nearOf = (packages: ReadonlyArray<Package>, most: number) =>
          inSlices(nearestOpenings(request, packages, around, between, calendar, now, most))
        const same = yield* nearOf([pkg], maxAlternatives)
        const others = venue.packages.filter(({ package_id }) => package_id !== pkg.package_id)
        const rest = same.length < maxAlternatives ? yield* nearOf(others, maxAlternatives - same.length) : []
        const options = [...same, ...rest].map((opening) => priceOption(venue, party, opening, now))
        return options.length === 0
          ? undefined
          : fitPage(responseBudgets.alternatives, options.length, (count) =>
              foldedPage({
                venue,
                party,
                options: options.slice(0, count),
                ...(free_without.length === 0 ? {} : { free_without })
              })
            )
      })

      const starts: BookingOptions["Service"]["starts"] = Effect.fn("BookingOptions.starts")(function* (
        { party, pkg, venue },
        { from, to },
        except
      ) {
        const now = yield* Clock.currentTimeMillis
        if (venueProblem(venue, party, now) !== undefined) return Option.none()
        const { time_zone } = venue.playroom
        const { earliest, lastDate } = window(venue, now)
        const today = localDateOf(time_zone, Math.min(now, earliest))
        const last = daysBetween(from, to) < maxStartDays ? to : addDays(from, maxStartDays - 1)
        const { openings } = yield* searchDays(
          { venue, party },
          [pkg],
          { from: from < today ? today : from, to: last > lastDate ? lastDate : last },
          (first, end) => calendarOf({ venue }, [pkg], first, end, now, except),
          now,
          { enough: () => false, reasons: false, limits: nextDateLimits }
        )
        const priced = function* () {
          const options: Array<PricedOption> = []
          for (const opening of openings) {
            options.push(priceOption(venue, party, opening, now))
            yield startsPerPrice
          }
          return options
        }
        return Option.some<ReadonlyArray<PricedOption>>(yield* inSlices(priced()))
      })

      const nearestOfPackage: BookingOptions["Service"]["nearestOfPackage"] = Effect.fn(
        "BookingOptions.nearestOfPackage"
      )(function* ({ party, pkg, venue }, start, most, except) {
        const now = yield* Clock.currentTimeMillis
        if (venueProblem(venue, party, now) !== undefined) return []
        const request = { venue, party }
        for (const days of [nearbyDays, farDays]) {
          const { around, between } = daysAround(venue, start, now, days)
          const calendar = yield* calendarOf(request, [pkg], between.from, between.to, now, except)
          const found = yield* inSlices(nearestOpenings(request, [pkg], around, between, calendar, now, most))
          if (found.length > 0) return found.map((opening) => priceOption(venue, party, opening, now))
        }
        return []
      })

      return BookingOptions.of({ list, nearest, starts, nearestOfPackage })
    })
  ).pipe(Layer.provide([Catalogue.layer, Occupancy.layer]))
}
