/** What can be booked in a playroom, by whom, when, and for how much. */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { Catalogue } from "../catalogue/Catalogue.ts"
import type { Package } from "../catalogue/Package.ts"
import {
  InvalidArguments,
  type OperatorUnavailable,
  PackageNotFound,
  type PlayroomNotFound,
  type Venue
} from "../catalogue/Playroom.ts"
import { clockIssues } from "../catalogue/SearchQuery.ts"
import { decodeCursor, encodeCursor, foreignCursor } from "../kernel/Cursor.ts"
import { PackageId, PlayroomId } from "../kernel/Ids.ts"
import {
  addDays,
  ClockTime,
  clockTimeOf,
  ClosingTime,
  datesFrom,
  dayMs,
  dayRange,
  daysBetween,
  type Instant,
  LocalDate,
  localDateOf,
  localMinutesOf
} from "../kernel/LocalTime.ts"
import { noneBecause } from "./Availability.ts"
import { AddOnChoice, type BookingOption, type BookingOptionPage, type NoneBecause } from "./BookingOption.ts"
import { venueProblem } from "./Decision.ts"
import { Occupancy } from "./Occupancy.ts"
import { margin, nearestOpenings, offer, openingsOn, type Opening, packageOf, type Request } from "./Offers.ts"
import type { Party } from "./Pricing.ts"
import { window } from "./Starts.ts"

/** What `get_booking_options` asks. Dates and times are local to the playroom. */
export const BookingOptionsQuery = Schema.Struct({
  playroom_id: PlayroomId,
  date: LocalDate,
  date_to: Schema.optionalKey(LocalDate),
  children: Schema.Int,
  adults: Schema.optionalKey(Schema.Int),
  package_id: Schema.optionalKey(PackageId),
  add_ons: Schema.optionalKey(Schema.Array(AddOnChoice)),
  start_after: Schema.optionalKey(ClockTime),
  end_before: Schema.optionalKey(ClosingTime),
  limit: Schema.optionalKey(Schema.Int),
  cursor: Schema.optionalKey(Schema.String)
})
export type BookingOptionsQuery = typeof BookingOptionsQuery.Type

const longestRangeDays = 31
/** How many days around a start alternatives are looked for. */
const nearbyDays = 14
const mostAlternatives = 5

/** Where a page ended: the last option's start, and the place of its package among the venue's. */
const Position = Schema.Tuple([Schema.Int, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))])
const positionIn = Schema.decodeUnknownOption(Position)

/** The position in a cursor; none where it is not ours, or points outside the days that are asked for. */
const positionOf = (scope: unknown, cursor: string, zone: string, from: LocalDate, to: LocalDate) =>
  Option.filter(
    positionIn(decodeCursor(scope, cursor)),
    ([start]) => dayRange(zone, from).start <= start && start < dayRange(zone, to).end
  )

const rangeIssues = (query: BookingOptionsQuery) => {
  const to = query.date_to ?? query.date
  const days = daysBetween(query.date, to)
  return days < 0 || days > longestRangeDays
    ? [{ path: "date_to", message: `Expected a date from ${query.date} to ${addDays(query.date, longestRangeDays)}` }]
    : []
}

export class BookingOptions extends Context.Service<
  BookingOptions,
  {
    /** The options of a range of days, in order of start; why there are none, and the next date that has one. */
    readonly list: (
      query: BookingOptionsQuery
    ) => Effect.Effect<
      BookingOptionPage,
      PlayroomNotFound | PackageNotFound | InvalidArguments | OperatorUnavailable | SqlError.SqlError
    >
    /** Up to five bookable options of the same package (then of the playroom's others) nearest to a start that is taken. */
    readonly nearest: (
      venue: Venue,
      pkg: Package,
      party: Party,
      start: Instant
    ) => Effect.Effect<ReadonlyArray<BookingOption>, SqlError.SqlError>
  }
>()("playroom/booking/BookingOptions") {
  static readonly layer = Layer.effect(
    BookingOptions,
    Effect.gen(function* () {
      const catalogue = yield* Catalogue
      const occupancy = yield* Occupancy

      const calendarOf = (
        { venue }: Request,
        packages: ReadonlyArray<Package>,
        from: LocalDate,
        to: LocalDate,
        now: Instant
      ) => {
        const { time_zone, playroom_id } = venue.playroom
        const slack = margin(packages)
        const [start, end] = [dayRange(time_zone, from).start - slack, dayRange(time_zone, to).end + slack]
        return occupancy.calendar(playroom_id, start, end, now)
      }

      /** What a range of days has, with one look at the calendar. */
      const search = Effect.fnUntraced(function* (
        request: Request,
        packages: ReadonlyArray<Package>,
        from: LocalDate,
        to: LocalDate,
        now: Instant
      ) {
        const calendar = yield* calendarOf(request, packages, from, to, now)
        const days = datesFrom(from, to).map((date) => openingsOn(request, packages, date, calendar, now))
        return {
          openings: days.flatMap(({ openings }) => openings),
          refusals: days.flatMap(({ refusals }) => refusals)
        }
      })

      /** Why what comes from a start on, to the end of a range of days, can't be booked: what a cursor promised may be gone. */
      const refusalsFrom = Effect.fnUntraced(function* (
        request: Request,
        packages: ReadonlyArray<Package>,
        start: Instant,
        to: LocalDate,
        now: Instant
      ) {
        const { time_zone } = request.venue.playroom
        const day = localDateOf(time_zone, start)
        const start_after = clockTimeOf(localMinutesOf(time_zone, start))
        const onTheDay = yield* search({ ...request, start_after }, packages, day, day, now)
        const later = yield* search(request, packages, addDays(day, 1), to, now)
        return [...onTheDay.refusals, ...later.refusals]
      })

      /** The first date after `from` with an opening, up to the venue's horizon. */
      const nextAvailable = Effect.fnUntraced(function* (
        request: Request,
        packages: ReadonlyArray<Package>,
        after: LocalDate,
        now: Instant
      ) {
        const { time_zone } = request.venue.playroom
        const { earliest, lastDate } = window(request.venue, now)
        const soonest = localDateOf(time_zone, earliest)
        let from = after < soonest ? soonest : addDays(after, 1)
        while (from <= lastDate) {
          const upTo = addDays(from, longestRangeDays)
          const to = upTo < lastDate ? upTo : lastDate
          const { openings } = yield* search(request, packages, from, to, now)
          const [first] = openings
          if (first !== undefined) return localDateOf(time_zone, first.start)
          from = addDays(to, 1)
        }
        return undefined
      })

      const none = Effect.fnUntraced(function* (
        request: Request,
        packages: ReadonlyArray<Package>,
        refusals: ReadonlyArray<NoneBecause>,
        to: LocalDate,
        now: Instant
      ) {
        const because = noneBecause(refusals)
        const hopeless = because === "party_too_large" || because === "party_too_small"
        const next = hopeless ? undefined : yield* nextAvailable(request, packages, to, now)
        return { none_because: because, ...(next === undefined ? {} : { next_available_date: next }) }
      })

      const list = Effect.fn("BookingOptions.list")(function* (query: BookingOptionsQuery) {
        const now = yield* Clock.currentTimeMillis
        const venue = yield* catalogue.venue(query.playroom_id)
        const { cursor, limit = 20, ...scope } = query
        const party: Party = { children: query.children, adults: query.adults ?? 0, add_ons: query.add_ons ?? [] }
        const { time_zone } = venue.playroom
        const to = query.date_to ?? query.date
        const after =
          cursor === undefined ? undefined : Option.getOrNull(positionOf(scope, cursor, time_zone, query.date, to))
        const problem = venueProblem(venue, party, now)
        const issues = [
          ...rangeIssues(query),
          ...clockIssues(query),
          ...(problem?._tag === "InvalidArguments" ? problem.issues : []),
          ...(after === null ? [foreignCursor] : [])
        ]
        if (issues.length > 0 || after === null) return yield* new InvalidArguments({ issues })
        if (problem !== undefined) return yield* problem
        const packages =
          query.package_id === undefined
            ? venue.packages
            : yield* Effect.fromOption(packageOf(venue, query.package_id)).pipe(
                Effect.mapBoth({
                  onSuccess: (pkg) => [pkg],
                  onFailure: () => new PackageNotFound({ package_id: query.package_id ?? "" })
                })
              )
        const request = { venue, party, start_after: query.start_after, end_before: query.end_before }
        const { openings, refusals } = yield* search(request, packages, query.date, to, now)
        const position = ({ start, pkg }: Opening) => [start, venue.packages.indexOf(pkg)] as const
        const rest =
          after === undefined
            ? openings
            : openings.filter((opening) => {
                const [start, place] = position(opening)
                return start > after[0] || (start === after[0] && place > after[1])
              })
        const page = rest.slice(0, limit)
        const last = page.at(-1)
        return {
          playroom_id: venue.playroom.playroom_id,
          time_zone,
          options: page.map((opening) => offer(venue, party, opening, now)),
          ...(last !== undefined && rest.length > page.length
            ? { next_cursor: encodeCursor(scope, position(last)) }
            : {}),
          ...(page.length > 0
            ? {}
            : yield* none(
                request,
                packages,
                after === undefined ? refusals : yield* refusalsFrom(request, packages, after[0], to, now),
                to,
                now
              ))
        }
      })

      const nearest = Effect.fn("BookingOptions.nearest")(function* (
        venue: Venue,
        pkg: Package,
        party: Party,
        start: Instant
      ) {
        const now = yield* Clock.currentTimeMillis
        const zone = venue.playroom.time_zone
        const { earliest, lastDate } = window(venue, now)
        // Of a start that nobody can book yet, or any more, the nearest are at the edge of what can be booked.
        const around = Math.min(Math.max(start, earliest), dayRange(zone, lastDate).end)
        const between = {
          from: localDateOf(zone, Math.max(now, around - nearbyDays * dayMs)),
          to: localDateOf(zone, around + nearbyDays * dayMs)
        }
        const request = { venue, party }
        const calendar = yield* calendarOf(request, venue.packages, between.from, between.to, now)
        const near = (packages: ReadonlyArray<Package>, most: number) =>
          nearestOpenings(request, packages, around, between, calendar, now, most)
        const same = near([pkg], mostAlternatives)
        const others = venue.packages.filter(({ package_id }) => package_id !== pkg.package_id)
        const rest = same.length < mostAlternatives ? near(others, mostAlternatives - same.length) : []
        return [...same, ...rest].map((opening) => offer(venue, party, opening, now))
      })

      return BookingOptions.of({ list, nearest })
    })
  )
}
