/**
 * Explains an empty search: it runs again without one filter at a time, until three changes are known that help. If no
 * filter alone is to blame, the most important filters are kept that some playroom meets together. One statement asks
 * first which playrooms meet each filter alone, where they are few: a search for what none of them meets together is
 * not run. A filter costs a bounded number of searches for a few playrooms each, and all of them a bounded time.
 */
import { Effect, Schema, Struct } from "effect"
import type { SqlError } from "effect/sql"
import { maxChildren } from "../availability/Availability.ts"
import { lastDateOf } from "../availability/DateRange.ts"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import { PlayroomId } from "../../platform/ids/Ids.ts"
import {
  addDays,
  format,
  type Instant,
  type LocalDate,
  localDateOf,
  whenInWords
} from "../../platform/time/LocalTime.ts"
import { display, maxMinorUnits } from "../../platform/money/Money.ts"
import { packagesFor } from "./SearchFits.ts"
import { foundInWords, type findWords } from "./FoundWords.ts"
import type { CityNames, knownValues } from "./KnownValues.ts"
import { type FoundPage, nothingFound, type PageFit } from "./SearchPages.ts"
import { childrenOf, datesAsked, hasRange, searchIssues, type SearchQuery } from "./SearchQuery.ts"
import { isFoundNowhere, type Words } from "./SearchWords.ts"

/** A filter, and the number of playrooms that fit all other filters but not this one. */
const Exclusion = Schema.Struct({
  filter: Schema.String.annotate({ description: "Argument." }),
  value: Schema.optionalKey(Schema.String.annotate({ description: "Entry of a list." })),
  excluded: Schema.Int.annotate({ description: "Fitting all else." }),
  or_more: Schema.optionalKey(Schema.Boolean.annotate({ description: "At least." })),
  text: Schema.optionalKey(Schema.String.annotate({ description: "For the person." }))
})
type Exclusion = typeof Exclusion.Type

/** A playroom that would fit a changed search. Without `without`, it has the words but not what can't be changed. */
const NearMiss = Schema.Struct({
  without: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Leave out." })),
  instead: Schema.optionalKey(Schema.String.annotate({ description: "Then add these (JSON)." })),
  lacks: Schema.Array(Schema.String).annotate({ description: "Why not." }),
  playroom_id: PlayroomId.annotate({ description: "Then fits." }),
  name: Schema.String.annotate({ description: "Name." }),
  city: Schema.String.annotate({ description: "City." }),
  next_start: Schema.optionalKey(Schema.String.annotate({ description: "First start." })),
  when: Schema.optionalKey(Schema.String.annotate({ description: "It in words." })),
  from_price: Schema.optionalKey(Schema.String.annotate({ description: "Party's lowest." }))
})
type NearMiss = typeof NearMiss.Type

/** Possible values of a filter. */
const FilterValues = Schema.Struct({
  filter: Schema.String.annotate({ description: "Argument." }),
  values: Schema.Array(Schema.String).annotate({ description: "Some or all." })
})

/** The fields of an empty page. */
export const emptySearchFields = {
  none_because: Schema.optionalKey(Schema.Array(Exclusion).annotate({ description: "If empty: what excludes most." })),
  nearest: Schema.optionalKey(Schema.Array(NearMiss).annotate({ description: "If empty: what would fit." })),
  known_values: Schema.optionalKey(Schema.Array(FilterValues).annotate({ description: "If empty: what there is." }))
}
const EmptySearch = Schema.Struct(emptySearchFields)
export type EmptySearch = typeof EmptySearch.Type

/** A search as it was understood: its words, and the spellings of its city. */
export interface Understood {
  readonly query: SearchQuery
  readonly words: Words | undefined
  readonly cities: ReadonlyArray<string>
}

/** A filter of a search: a field, or one entry of a list. */
interface Filter {
  readonly name: keyof SearchQuery
  /** The entry, if the list has several. */
  readonly value?: string
}

/** The order in which people give up filters: details first, the place last. Nobody's children get other ages. */
const order: ReadonlyArray<keyof SearchQuery> = [
  "duration_minutes",
  "amenities",
  "start_after",
  "end_before",
  "max_total",
  "adults",
  "mode",
  "weekdays",
  "date",
  "near",
  "city",
  "children",
  "country",
  "query",
  "child_ages"
]
/** The most entries of a list to leave out one by one: of a longer list, all are left out. */
const maxEntries = 4

/** The filters that depend on `date`. */
const ofDates = ["date_to", "weekdays", "start_after", "end_before"] as const

const isAges = ({ name }: Filter): boolean => name === "child_ages"

const filtersOf = (query: SearchQuery): ReadonlyArray<Filter> =>
  order.flatMap((name): ReadonlyArray<Filter> => {
    if (query[name] === undefined) return []
    const { amenities = [] } = query
    return name === "amenities" && amenities.length > 1 && amenities.length <= maxEntries
      ? amenities.map((value) => ({ name, value }))
      : [{ name }]
  })

/** Without the filter, and without filters that depend on it. Without ages there are still as many children. */
const without = (query: SearchQuery, { name, value }: Filter): SearchQuery => {
  if (name === "date") return Struct.omit(query, ["date", ...ofDates])
  if (name === "weekdays" && datesAsked(query)) return { ...Struct.omit(query, [name]), date_to: lastDateOf(query) }
  const amenities = (query.amenities ?? []).filter((amenity) => amenity !== value)
  if (name === "amenities" && value !== undefined && amenities.length > 0) return { ...query, amenities }
  const children = name === "child_ages" ? childrenOf(query) : undefined
  return { ...Struct.omit(query, [name]), ...(children === undefined ? {} : { children }) }
}

/** The arguments that say what a filter asks for: of ages, the number of children, too, if it is given. */
const argumentsOf = (name: keyof SearchQuery): ReadonlyArray<keyof SearchQuery> =>
  name === "child_ages" ? ["child_ages", "children"] : [name]

/** The filter alone, with what it needs to be valid: of dates, all from the first to the last. */
const alone = (query: SearchQuery, { name, value }: Filter): SearchQuery => ({
  ...Struct.pick(query, argumentsOf(name)),
  ...(name === "amenities" && value !== undefined ? { amenities: [value] } : {}),
  ...(datesAsked(query) && (name === "date" || ofDates.some((one) => one === name))
    ? { date: query.date, date_to: lastDateOf(query) }
    : {})
})

/** Whether a changed search has the filter as it was. */
const asks = (search: SearchQuery, query: SearchQuery, { name, value }: Filter): boolean =>
  value === undefined
    ? argumentsOf(name).every((one) => search[one] === query[one])
    : search.amenities?.includes(value) === true

/** The arguments to leave out with a filter, so that the rest is valid. */
const argumentsToOmit = ({ name }: Filter, asked: SearchQuery): ReadonlyArray<string> => [
  name,
  ...(name === "date" ? ofDates.filter((one) => asked[one] !== undefined) : []),
  ...(name === "near" && asked.sort === "distance" ? ["sort"] : [])
]

/** The most near misses, and the most playrooms to look at without a filter. */
const [maxNearMisses, maxCounted] = [3, 5]
/** The time after which an empty search is told with the reasons that are known by then. */
const timeLimit = "3 seconds"
/** The widest circle that can be asked for, and one around the Earth. */
const [widestKm, everywhereKm] = [500, 20_040]
/** The days after the requested ones, or before the last bookable one, on which a free start is looked for. */
const otherDays = 14

const range = (first: number, last: number): string => (first === last ? `${first}` : `${first} to ${last}`)
const agesTaken = ({ candidate: { row } }: PageFit): string => range(row.age_min, row.age_max)

/** That the playrooms which fit all else don't take these ages, and which they take. */
const agesText = (ages: ReadonlyArray<number>, fits: ReadonlyArray<PageFit>): string => {
  const [first, last] = [Math.min(...ages), Math.max(...ages)]
  const asked = first === last ? `age ${first}` : `all ages from ${first} to ${last}`
  return `No playroom that fits all else takes ${asked}. The nearest take ages ${[...new Set(fits.map(agesTaken))].join(", or ")}.`
}

const nearestTo = (wish: number, numbers: ReadonlyArray<number>): number | undefined =>
  numbers.toSorted((a, b) => Math.abs(a - wish) - Math.abs(b - wish) || a - b)[0]

const lengthsOf = (query: SearchQuery, venues: ReadonlyArray<Venue>): ReadonlyArray<number> => [
  ...new Set(venues.flatMap((venue) => packagesFor(query, venue)).map((pkg) => pkg.duration_minutes))
]

/** The lowest price that a fit shows: without a party, that of the smallest one. */
const leastOf = ({ candidate: { row }, price }: PageFit) =>
  price ?? (row.from_price_holds ? { amount: row.from_price, currency: row.currency } : undefined)

/**
 * Another value for a filter of the party or the visit, from playrooms that fit without it; undefined if there is none.
 */
const otherValue = ({ name }: Filter, query: SearchQuery, rest: SearchQuery, venues: ReadonlyArray<Venue>) => {
  const offers = venues.flatMap((venue) => packagesFor(rest, venue).map((pkg) => ({ pkg, venue })))
  switch (name) {
    case "duration_minutes": {
      const duration_minutes = nearestTo(query.duration_minutes ?? 0, lengthsOf(rest, venues))
      return duration_minutes === undefined ? undefined : { duration_minutes }
    }
    case "children": {
      const wish = childrenOf(query) ?? 1
      const children = nearestTo(
        wish,
        offers.map(({ pkg, venue }) => Math.min(maxChildren(venue, pkg), Math.max(pkg.min_children, wish)))
      )
      return children === undefined ? undefined : { children }
    }
    case "adults": {
      const most = Math.max(...offers.map(({ pkg }) => pkg.max_adults ?? 0))
      return offers.length === 0 || most >= (query.adults ?? 0) ? undefined : { adults: most }
    }
    case "mode":
      return { mode: query.mode === "exclusive" ? ("shared" as const) : ("exclusive" as const) }
    default:
      return undefined
  }
}

/** What a playroom that fits without a filter says against it, in words. */
const lackOf = ({ name, value }: Filter, query: SearchQuery, fit: PageFit, venue: Venue | undefined): string => {
  const { row } = fit.candidate
  const { max_total } = query
  const packages = venue === undefined ? [] : packagesFor(without(query, { name }), venue)
  switch (name) {
    case "duration_minutes":
      return `visits of ${lengthsOf(without(query, { name }), venue === undefined ? [] : [venue]).join(" or ")} minutes`
    case "amenities":
      return `no ${value ?? query.amenities?.join(", ")}`
    case "start_after":
      return `no free start from ${query.start_after} on`
    case "end_before":
      return `no free visit that ends by ${query.end_before}`
    case "max_total": {
      const least = leastOf(fit)
      const price = least === undefined ? "costs more" : `costs from ${display(least.amount, least.currency)}`
      return max_total === undefined ? price : `${price}, not at most ${display(max_total.amount, max_total.currency)}`
    }
    case "adults":
      return `at most ${Math.max(0, ...packages.map((pkg) => pkg.max_adults ?? 0))} adults`
    case "mode":
      return query.mode === "exclusive" ? "only places in open play" : "only the whole room"
    case "weekdays":
      return `no free start on ${query.weekdays?.join(" or ")}`
    case "date":
      return datesAsked(query) && hasRange(query)
        ? `no free start from ${query.date} to ${lastDateOf(query)}`
        : `no free start on ${query.date}`
    case "near":
      return row.distance_km === null ? `in ${row.city}` : `${Math.round(row.distance_km)} km away`
    case "city":
      return `in ${row.city}`
    case "country":
      return `in ${row.country}`
    case "children": {
      const sizes = venue === undefined ? [] : packages.flatMap((pkg) => [pkg.min_children, maxChildren(venue, pkg)])
      return `takes ${range(Math.min(...sizes, row.capacity), Math.max(...sizes))} children`
    }
    default:
      return `takes ages ${agesTaken(fit)}`
  }
}

const nearMissOf = (
  { candidate: { row }, next_start, price }: PageFit,
  lacks: ReadonlyArray<string>,
  left_out: ReadonlyArray<string> | undefined,
  instead?: SearchQuery
): NearMiss => ({
  ...(left_out === undefined ? {} : { without: left_out }),
  ...(instead === undefined ? {} : { instead: JSON.stringify(instead) }),
  lacks,
  playroom_id: row.playroom_id,
  name: row.name,
  city: row.city,
  ...(next_start === undefined
    ? {}
    : { next_start: format(row.time_zone, next_start), when: whenInWords(row.time_zone, next_start) }),
  ...(price === undefined ? {} : { from_price: price.display })
})

/** What is known of the reasons so far. */
interface Told {
  readonly none_because: Array<Exclusion>
  readonly nearest: Array<NearMiss>
  known_values: ReadonlyArray<typeof FilterValues.Type>
}

/** What the explanation uses of the search. */
interface Search {
  readonly catalogue: Catalogue["Service"]
  readonly cities: CityNames
  readonly known: ReturnType<typeof knownValues>
  readonly wordsAt: ReturnType<typeof findWords>
  /** For each search the only playrooms that can fit; undefined if there may be many. One statement. */
  readonly fewMeeting: (
    asked: ReadonlyArray<Understood>,
    now: Instant
  ) => Effect.Effect<ReadonlyArray<ReadonlySet<string> | undefined>, SqlError.SqlError>
  /** A search like another: what both have is not read again. */
  readonly understand: (query: SearchQuery, like: Understood) => Effect.Effect<Understood, SqlError.SqlError>
  /** The first playrooms that fit. */
  readonly look: (
    asked: Understood,
    limit: number,
    now: Instant
  ) => Effect.Effect<FoundPage | undefined, SqlError.SqlError>
}

/** Explains searches without results. */
export const explainEmptySearch = ({ catalogue, cities, fewMeeting, known, look, understand, wordsAt }: Search) => {
  /** Fills `told` step by step, so that what is known counts if the time is over. */
  const explain = Effect.fn("PlayroomSearch.explainEmpty")(function* (
    understood: Understood,
    now: Instant,
    told: Told
  ): Effect.fn.Return<void, SqlError.SqlError> {
    const query: SearchQuery = Struct.omit(understood.query, ["cursor", "limit", "sort"])
    const filters = filtersOf(query)
    const nearestCities = yield* Effect.cached(cities.nearest(query.city ?? ""))

    const meeting = yield* fewMeeting(
      yield* Effect.forEach(filters, (filter) => understand(alone(query, filter), understood)),
      now
    )
    /** Whether no playroom meets all filters of a search by itself, so that nothing can be found. */
    const isFruitless = (search: SearchQuery): boolean => {
      const [first, ...others] = filters.flatMap((filter, i) => (asks(search, query, filter) ? (meeting[i] ?? []) : []))
      return first !== undefined && ![...first].some((id) => others.every((other) => other.has(id)))
    }

    const lookFor = Effect.fnUntraced(function* (search: SearchQuery, limit: number) {
      const page = isFruitless(search)
        ? nothingFound
        : ((yield* look(yield* understand(search, understood), limit, now)) ?? nothingFound)
      const fits = page.fits.slice(0, limit)
      return { fits, more: page.after(fits.length) !== undefined }
    })
    /** Each search runs once. */
    const firsts = new Map<string, PageFit | undefined>()
    const firstOf = Effect.fnUntraced(function* (search: SearchQuery) {
      const key = JSON.stringify(search)
      if (!firsts.has(key)) firsts.set(key, (yield* lookFor(search, 1)).fits[0])
      return firsts.get(key)
    })

    /** Why a playroom does not fit, by the filters that it does not meet. */
    const lacksOf = Effect.fnUntraced(function* (fit: PageFit, unmet: ReadonlyArray<Filter>) {
      const { playroom_id } = fit.candidate.row
      const venue = (yield* catalogue.venues([playroom_id])).get(playroom_id)
      const lacks = unmet.flatMap((filter) => (filter.name === "query" ? [] : [lackOf(filter, query, fit, venue)]))
      if (understood.words === undefined || !unmet.some(({ name }) => name === "query")) return lacks
      const found = (yield* wordsAt(understood.words, [playroom_id])).get(playroom_id)
      const { unmatched = [] } = found === undefined ? {} : foundInWords(found)
      return [...unmatched.map((word) => `no mention of ${word}`), ...lacks]
    })

    /** The first free day after the requested ones, or among the last bookable ones, and who has it. */
    const freeDay = Effect.fnUntraced(function* (venues: ReadonlyArray<Venue>) {
      const last = venues
        .map(({ playroom }) => addDays(localDateOf(playroom.time_zone, now), playroom.max_advance_days))
        .toSorted()
        .at(-1)
      if (!datesAsked(query) || last === undefined) return undefined
      const asked = lastDateOf(query)
      const date: LocalDate = asked < last ? addDays(asked, 1) : addDays(last, 1 - otherDays)
      const { fits } = yield* lookFor({ ...query, date, date_to: addDays(date, otherDays - 1) }, maxCounted)
      const [fit] = fits.toSorted((a, b) => (a.next_start ?? 0) - (b.next_start ?? 0))
      if (fit?.next_start === undefined) return undefined
      const day = localDateOf(fit.candidate.row.time_zone, fit.next_start)
      return { fit, instead: { date: day, ...(hasRange(query) ? { date_to: day } : {}) } }
    })

    /** A wider circle, or a circle around the closest playroom. */
    const nearby = (fit: PageFit) => {
      const { distance_km, latitude, longitude } = fit.candidate.row
      return {
        fit,
        instead:
          query.near !== undefined && (distance_km ?? Infinity) <= widestKm
            ? { near: { ...query.near, radius_km: widestKm } }
            : { near: { latitude, longitude } }
      }
    }

    /** The least that some playroom costs, in the currency of the budget if there is one. */
    const leastTotal = Effect.fnUntraced(function* (rest: SearchQuery) {
      const max_total = query.max_total && { ...query.max_total, amount: maxMinorUnits }
      const same = yield* firstOf({ ...rest, ...(max_total === undefined ? {} : { max_total }), sort: "price" })
      const fit = same ?? (yield* firstOf({ ...rest, sort: "price" }))
      const least = fit === undefined ? undefined : leastOf(fit)
      return least === undefined ? [] : [{ max_total: { amount: least.amount, currency: least.currency } }]
    })

    /** Other values for a filter, the best first. */
    const proposals = Effect.fnUntraced(function* (
      filter: Filter,
      rest: SearchQuery,
      venues: ReadonlyArray<Venue>
    ): Effect.fn.Return<ReadonlyArray<SearchQuery>, SqlError.SqlError> {
      const { city, near, query: text } = query
      switch (filter.name) {
        case "near":
          // People mistake the one coordinate for the other.
          return near === undefined || Math.abs(near.longitude) > 90
            ? []
            : [{ near: { ...near, latitude: near.longitude, longitude: near.latitude } }]
        case "city": {
          const nearest = city === undefined || understood.cities.length > 0 ? undefined : yield* nearestCities
          const [other] = nearest?.isMisspelt === true ? nearest.cities : []
          return other === undefined ? [] : [{ city: other }]
        }
        case "query": {
          const names = text === undefined ? "" : (yield* cities.namedIn(text)).join(" ")
          return names === "" || names === text ? [] : [{ query: names }]
        }
        case "max_total":
          return yield* leastTotal(rest)
        default: {
          const other = otherValue(filter, query, rest, venues)
          return other === undefined ? [] : [other]
        }
      }
    })

    /** A playroom that fits with another value of the filter, or without the filter. */
    const nearMiss = Effect.fnUntraced(function* (
      filter: Filter,
      rest: SearchQuery,
      fits: ReadonlyArray<PageFit>
    ): Effect.fn.Return<{ readonly fit: PageFit; readonly instead?: SearchQuery } | undefined, SqlError.SqlError> {
      const ids = fits.map(({ candidate: { row } }) => row.playroom_id)
      const venues = [...(yield* catalogue.venues(ids)).values()]
      for (const instead of yield* proposals(filter, rest, venues)) {
        const changed = { ...query, ...instead }
        const fit = searchIssues(changed, now).length > 0 ? undefined : yield* firstOf(changed)
        if (fit !== undefined) return { fit, instead }
      }
      const [first] = fits
      if (first === undefined) return undefined
      if (filter.name === "near") return nearby(first)
      if (filter.name === "amenities" && rest.amenities !== undefined)
        return { fit: first, instead: { amenities: rest.amenities } }
      return (filter.name === "date" ? yield* freeDay(venues) : undefined) ?? { fit: first }
    })

    const textOf = ({ name }: Filter, fits: ReadonlyArray<PageFit>, instead: SearchQuery = {}) => {
      const { child_ages = [], max_total } = query
      if (name === "child_ages") return agesText(child_ages, fits)
      if (name !== "max_total" || max_total === undefined) return undefined
      const least = instead.max_total
      const cheapest =
        least === undefined ? "" : ` The cheapest that fits all else costs ${display(least.amount, least.currency)}.`
      return `The budget is at most ${display(max_total.amount, max_total.currency)} in all.${cheapest}`
    }

    /** What fits without a filter. Around a point, the closest playrooms of a wider circle, or of all. */
    const fitsWithout = Effect.fnUntraced(function* (filter: Filter, rest: SearchQuery) {
      const { near } = query
      if (filter.name !== "near" || near === undefined) return yield* lookFor(rest, maxCounted)
      const within = (radius_km: number) =>
        lookFor({ ...query, near: { ...near, radius_km }, sort: "distance" }, maxCounted)
      const found = yield* within(widestKm)
      return found.fits.length > 0 ? found : yield* within(everywhereKm)
    })

    /** Tells what fits without a filter. */
    const leaveOut = Effect.fnUntraced(function* (filter: Filter) {
      const rest = without(query, filter)
      const { fits, more } = yield* fitsWithout(filter, rest)
      if (fits.length === 0) return
      const miss = isAges(filter) ? undefined : yield* nearMiss(filter, rest, fits)
      const text = textOf(filter, fits, miss?.instead)
      told.none_because.push({
        filter: filter.name,
        ...(filter.value === undefined ? {} : { value: filter.value }),
        excluded: fits.length,
        ...(more ? { or_more: true } : {}),
        ...(text === undefined ? {} : { text })
      })
      if (miss === undefined) return
      const { fit, instead } = miss
      const left_out = instead === undefined ? argumentsToOmit(filter, understood.query) : [filter.name]
      told.nearest.push(nearMissOf(fit, yield* lacksOf(fit, [filter]), left_out, instead))
    })

    /**
     * Filters that some playroom meets together: of those in this order, each that can be kept with those before it.
     * Those that have playrooms in common are tried together; where nothing fits all, the first that is too much is
     * found by halving.
     */
    const keepMost = Effect.fnUntraced(function* (inOrder: ReadonlyArray<Filter>) {
      const keeping = (kept: ReadonlyArray<Filter>) =>
        inOrder.filter((filter) => !kept.includes(filter)).reduce(without, query)
      let kept: ReadonlyArray<Filter> = []
      let fit: PageFit | undefined
      let left = inOrder
      while (left.length > 0) {
        const most = [...kept]
        for (const one of left) if (!isFruitless(keeping([...most, one]))) most.push(one)
        let tooMany = most.length + 1
        for (let count = most.length; count > kept.length; count = Math.floor((kept.length + tooMany) / 2)) {
          const some = most.slice(0, count)
          const found = yield* firstOf(keeping(some))
          if (found === undefined) tooMany = count
          else [kept, fit] = [some, found]
        }
        left = left.slice(left.findIndex((one) => one === most[tooMany - 1]) + 1 || left.length)
      }
      return { unmet: filters.filter((filter) => !kept.includes(filter)), fit }
    })
    const tellKept = Effect.fnUntraced(function* (
      { fit, unmet }: Effect.Success<ReturnType<typeof keepMost>>,
      evenIfAges: boolean
    ) {
      const ofAges = unmet.some(isAges)
      if (fit === undefined || (ofAges && !evenIfAges)) return
      told.nearest.push(
        nearMissOf(
          fit,
          yield* lacksOf(fit, unmet),
          ofAges ? undefined : [...new Set(unmet.flatMap((filter) => argumentsToOmit(filter, understood.query)))]
        )
      )
    })

    const important = filters.toReversed()
    // The ages come first: whether they are the reason is always told.
    for (const filter of filters.toSorted((a, b) => Number(isAges(b)) - Number(isAges(a)))) {
      if (told.nearest.length >= maxNearMisses) break
      yield* leaveOut(filter)
    }
    told.none_because.sort((a, b) => b.excluded - a.excluded)
    if (told.none_because.length === 0 && told.nearest.length === 0) {
      const kept = yield* keepMost(important)
      for (const { name, value } of kept.unmet) {
        const others = kept.unmet
          .filter((one) => one.name !== name || one.value !== value)
          .map((one) => one.value ?? one.name)
          .join(", ")
        // Other filters may help together as well: of these it is only known that something fits without them.
        told.none_because.push({
          filter: name,
          ...(value === undefined ? {} : { value }),
          excluded: 0,
          ...(others === ""
            ? {}
            : {
                text:
                  kept.fit === undefined
                    ? `Nothing fits unless ${others} is left out, too.`
                    : `Something fits if ${others} is left out, too.`
              })
        })
      }
      yield* tellKept(kept, false)
    }

    // The playroom that has the words, and why it does not fit.
    const { words } = understood
    const isNamed = told.nearest.some(({ without: left_out }) => left_out?.includes("query") === false)
    if (words !== undefined && !isFoundNowhere(words) && !isNamed && filters.length > 1) {
      const rank = ({ name }: Filter) => (name === "query" ? 0 : name === "child_ages" ? 2 : 1)
      const kept = yield* keepMost(important.toSorted((a, b) => rank(a) - rank(b)))
      if (!kept.unmet.some(({ name }) => name === "query")) {
        told.nearest.splice(maxNearMisses - 1)
        yield* tellKept(kept, true)
      }
    }

    /** What there is of a filter whose value no playroom has. */
    const valuesOf = Effect.fnUntraced(function* ({
      name,
      value
    }: Filter): Effect.fn.Return<ReadonlyArray<string>, SqlError.SqlError> {
      const unlessIn = (values: ReadonlyArray<string>, asked: unknown) => (values.includes(String(asked)) ? [] : values)
      const { amenities, city, country, duration_minutes, max_total } = query
      switch (name) {
        case "city":
          return city === undefined || understood.cities.length > 0 ? [] : (yield* nearestCities).cities
        case "country":
          return unlessIn(yield* known.countries, country)
        case "amenities": {
          const alone = { amenities: value === undefined ? (amenities ?? []) : [value] }
          return (yield* firstOf(alone)) === undefined ? yield* known.amenities : []
        }
        case "query":
          return (yield* firstOf(Struct.pick(query, ["query"]))) === undefined ? yield* known.amenities : []
        case "max_total":
          return unlessIn(yield* known.currencies, max_total?.currency)
        case "duration_minutes":
          return unlessIn(yield* known.lengths, duration_minutes)
        default:
          return []
      }
    })
    const all = yield* Effect.forEach(filters, (filter) =>
      Effect.map(valuesOf(filter), (values) => ({ filter: filter.name, values }))
    )
    told.known_values = [...Map.groupBy(all, ({ filter }) => filter).values()].flatMap(
      (ofFilter) => ofFilter.find(({ values }) => values.length > 0) ?? []
    )
  })

  /** The reasons are optional: if finding them fails, the page is empty without them. */
  return Effect.fnUntraced(function* (understood: Understood, now: Instant): Effect.fn.Return<EmptySearch> {
    const told: Told = { none_because: [], nearest: [], known_values: [] }
    return yield* explain(understood, now, told).pipe(
      Effect.timeoutOption(timeLimit),
      Effect.map((): EmptySearch => ({
        ...(told.none_because.length === 0 ? {} : { none_because: told.none_because }),
        ...(told.nearest.length === 0 ? {} : { nearest: told.nearest }),
        ...(told.known_values.length === 0 ? {} : { known_values: told.known_values })
      })),
      Effect.catchTag("SqlError", (error) =>
        Effect.as(Effect.logWarning("An empty search was not explained", error), {})
      )
    )
  })
}
