/**
 * Why a search finds nothing, and what it would find a little changed. Asked only of an empty page: a bounded look for each of its
 * filters, as the search itself looks.
 */
import { Effect, Struct } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type Candidate, candidatesOf } from "./Candidates.ts"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import type { readCity } from "./CityNames.ts"
import type { EmptySearch, Excluding, Known, Near } from "./EmptySearch.ts"
import { knownValues } from "./KnownValues.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import { type SearchQuery, searchIssues } from "./SearchQuery.ts"
import type { readWords, Words } from "./SearchWords.ts"
import { addDays, datesFrom, format, type Instant, type LocalDate, localDateOf } from "../kernel/LocalTime.ts"
import type { Occupancy } from "../booking/Occupancy.ts"
import { asksPrice } from "./PartyPrices.ts"
import { type Fit, fittingIn, firstStart, spanOf } from "./SearchFits.ts"
import { changeOf, goneWith, type Part, partsOf } from "./SearchParts.ts"

/** Rows of the ranking that a look goes over, playrooms that are counted, and those of them whose times and prices are looked at. */
const [longestLook, mostCounted, mostChecked] = [1000, 100, 6]
/** Playrooms that are told as those that would fit; days of so many are searched for a free one. */
const [mostNear, mostDays, mostSearched] = [3, 14, 3]
const widestKm = 500

interface Found {
  /** Of those that fit, the first ones. */
  readonly fits: ReadonlyArray<Fit>
  readonly candidates: ReadonlyArray<Candidate>
  /** How many fit, `more` at least. */
  readonly count: number
  readonly more: boolean
}

/** Whether rows alone do not say who fits: starts, prices and adults are looked at one playroom after the other. */
const needsLook = ({ adults, date, max_total }: SearchQuery): boolean =>
  date !== undefined || adults !== undefined || max_total !== undefined

type Looked = Part & { readonly found: Found }

/** A search for the cities alone that a text names: any of its other words would have been enough for a playroom to be found. */
const citiesOnly = (text: string, cities: ReadonlyArray<string>): ReadonlyArray<SearchQuery> => {
  const names = cities.join(" ")
  return names === "" || names === text ? [] : [{ query: names }]
}

/** Explains empty searches. */
export const nothingFound = (
  sql: SqlClient.SqlClient,
  catalogue: Catalogue["Service"],
  occupancy: Occupancy["Service"],
  citiesOf: ReturnType<typeof readCity>,
  wordsOf: ReturnType<typeof readWords>
) => {
  const fitting = fittingIn(catalogue, occupancy)
  const known = knownValues(sql)

  return Effect.fn("PlayroomSearch.nothingFound")(function* (
    whole: SearchQuery,
    words: Words | undefined,
    now: Instant
  ): Effect.fn.Return<EmptySearch, SqlError.SqlError> {
    const query: SearchQuery = Struct.omit(whole, ["cursor", "limit", "sort"])
    const candidatesFor = Effect.fnUntraced(function* (
      asked: SearchQuery
    ): Effect.fn.Return<ReturnType<typeof candidatesOf>, SqlError.SqlError> {
      const cities = asked.city === undefined ? undefined : yield* citiesOf(asked.city)
      const asWords =
        asked.query === undefined ? undefined : asked.query === query.query ? words : yield* wordsOf(asked.query)
      return candidatesOf(sql, asked, asWords, now, cities)
    })
    /** Playrooms that fit a search; where rows do not say it, only the first ones are looked at. */
    const look = Effect.fnUntraced(function* (
      asked: SearchQuery,
      counted = mostCounted
    ): Effect.fn.Return<Found, SqlError.SqlError> {
      const looks = needsLook(asked)
      const candidates = yield* candidatesFor(asked)
      const stretch = yield* candidates.next(undefined, looks ? mostChecked : counted, longestLook, true)
      const all = stretch?.candidates ?? []
      const fits = yield* fitting(asked, asksPrice(asked) ? all.slice(0, mostChecked) : all, now)
      return {
        fits,
        candidates: all,
        count: looks ? fits.length : all.length,
        more: stretch?.end !== undefined
      }
    })

    const some = (asked: SearchQuery) => look(asked, mostChecked)
    const parts = partsOf(query)
    const looked = yield* Effect.forEach(parts, (part) =>
      Effect.map(look(part.others), (found) => ({ ...part, found }))
    )

    const excluding = ({ filter, value }: Part, excluded: number, more: boolean): Excluding => ({
      filter,
      ...(value === undefined ? {} : { value }),
      excluded,
      ...(more ? { or_more: true } : {})
    })
    const most = (all: ReadonlyArray<Excluding>) =>
      all.filter(({ excluded }) => excluded > 0).toSorted((a, b) => b.excluded - a.excluded)

    /**
     * What each filter excludes of all playrooms: where no filter alone is to blame. Counted among the first ones of one order, the
     * same for all filters, so that there are these at least.
     */
    const ofAll = Effect.gen(function* () {
      const first = Effect.fnUntraced(function* (asked: SearchQuery) {
        const candidates = yield* candidatesFor({ ...asked, sort: "price" })
        return yield* candidates.next(undefined, mostCounted, longestLook, true)
      })
      const all = yield* first({})
      const ids = new Set(all?.candidates.map(({ row }) => row.playroom_id))
      return yield* Effect.forEach(
        parts,
        Effect.fnUntraced(function* (part) {
          const able = ((yield* first(part.alone))?.candidates ?? []).filter(({ row }) => ids.has(row.playroom_id))
          const checked = needsLook(part.alone) ? able.slice(0, mostChecked) : able
          const fits = needsLook(part.alone) ? yield* fitting(part.alone, checked, now) : checked
          const excluded = ids.size - able.length + checked.length - fits.length
          return excluding(part, excluded, all?.end !== undefined || checked.length < able.length)
        })
      )
    })

    /** The first day with a free start, of those after the one that was asked for, or of the last ones that can be booked. */
    const freeDate = Effect.fnUntraced(function* (
      venues: ReadonlyMap<string, Venue>
    ): Effect.fn.Return<LocalDate | undefined, SqlError.SqlError> {
      const { date } = query
      if (date === undefined || venues.size === 0) return undefined
      const last = [...venues.values()]
        .map(({ playroom }) => addDays(localDateOf(playroom.time_zone, now), playroom.max_advance_days))
        .toSorted()
        .at(-1)
      const tooFar = last !== undefined && date > last
      const first = tooFar ? addDays(last, -mostDays) : addDays(date, 1)
      const days = datesFrom(first, addDays(first, mostDays))
      const { from, to } = spanOf(venues.values(), first, addDays(first, mostDays))
      const calendars = yield* occupancy.calendars([...venues.keys()], from, to, now)
      for (const day of tooFar ? days.toReversed() : days) {
        const free = [...venues].some(([id, venue]) => {
          const calendar = calendars.get(id)
          return calendar !== undefined && firstStart({ ...query, date: day }, venue, calendar, now) !== undefined
        })
        if (free) return day
        // A busy catalogue has much to look at in a day.
        yield* Effect.yieldNow
      }
      return undefined
    })

    /** What could be asked in a filter's place. */
    const change = Effect.fnUntraced(function* (
      part: Looked
    ): Effect.fn.Return<ReadonlyArray<SearchQuery>, SqlError.SqlError> {
      const { city, near } = query
      if (part.filter === "near" && near !== undefined) {
        const { latitude, longitude } = near
        const swapped = Math.abs(longitude) <= 90 ? [{ ...near, latitude: longitude, longitude: latitude }] : []
        return [...swapped, { ...near, radius_km: widestKm }, ...(yield* known.closest(near))].map((other) => ({
          near: other
        }))
      }
      if (part.filter === "city" && city !== undefined) {
        const { cities, meant } = yield* known.cities(city)
        return meant ? cities.slice(0, 1).map((other) => ({ city: other })) : []
      }
      if (part.filter === "query" && query.query !== undefined)
        return citiesOnly(query.query, yield* known.citiesIn(query.query))
      if (part.filter === "amenities" && part.others.amenities?.length !== 0)
        return [{ amenities: part.others.amenities ?? [] }]
      const ids = part.found.candidates.slice(0, mostChecked).map(({ row }) => row.playroom_id)
      const venues = yield* catalogue.venues(part.filter === "date" ? ids.slice(0, mostSearched) : ids)
      if (part.filter === "date") {
        const date = yield* freeDate(venues)
        return date === undefined ? [] : [{ date }]
      }
      const other = changeOf(part, query, part.found.fits, [...venues.values()])
      return other === undefined ? [] : [other]
    })

    const near = (part: Part, { candidate: { row }, next_start, price }: Fit, instead?: SearchQuery): Near => ({
      without: instead === undefined ? goneWith(part, whole) : [part.filter],
      ...(instead === undefined ? {} : { instead: JSON.stringify(instead) }),
      playroom_id: row.playroom_id,
      name: row.name,
      city: row.city,
      ...(next_start === undefined ? {} : { next_start: format(row.time_zone, next_start) }),
      ...(price === undefined ? {} : { price: price.display })
    })

    const nearest: Array<Near> = []
    for (const part of looked) {
      if (nearest.length === mostNear) break
      // A wrong place can also be put right where nothing fits without it.
      if (part.found.fits.length === 0 && part.filter !== "near" && part.filter !== "city") continue
      let told = false
      for (const other of yield* change(part)) {
        const asked = { ...query, ...other }
        if (searchIssues(asked, now).length > 0) continue
        const [fit] = (yield* some(asked)).fits
        if (fit === undefined) continue
        nearest.push(near(part, fit, other))
        told = true
        break
      }
      const [fit] = part.found.fits
      if (!told && fit !== undefined) nearest.push(near(part, fit))
    }

    /** Values that no playroom has by itself, and the lengths that are offered to this party. */
    const values = Effect.fnUntraced(function* (
      part: Looked
    ): Effect.fn.Return<ReadonlyArray<string> | undefined, SqlError.SqlError> {
      const { filter } = part
      const unknown = (asked: SearchQuery) => Effect.map(some(asked), ({ fits }) => fits.length === 0)
      if (filter === "city") {
        return query.city !== undefined && (yield* citiesOf(query.city)).length === 0
          ? (yield* known.cities(query.city)).cities
          : undefined
      }
      if (filter === "country") return (yield* unknown(part.alone)) ? yield* known.countries : undefined
      if (filter === "amenities")
        return (yield* known.hasAmenity(part.alone.amenities?.[0] ?? "")) ? undefined : yield* known.amenities
      if (filter === "max_total") {
        const currencies = yield* known.currencies
        return currencies.includes(query.max_total?.currency ?? "") ? undefined : currencies
      }
      return filter === "duration_minutes" && (yield* unknown(part.alone)) ? yield* known.lengths : undefined
    })

    const known_values: Array<Known> = []
    for (const part of looked) {
      if (known_values.some(({ filter }) => filter === part.filter)) continue
      const can = yield* values(part)
      if (can !== undefined && can.length > 0) known_values.push({ filter: part.filter, values: can })
    }

    const alone = most(looked.map((part) => excluding(part, part.found.count, part.found.more)))
    const none_because = alone.length > 0 || parts.length === 0 ? alone : most(yield* ofAll)
    return {
      ...(none_because.length === 0 ? {} : { none_because }),
      ...(nearest.length === 0 ? {} : { nearest }),
      ...(known_values.length === 0 ? {} : { known_values })
    }
  })
}
