/**
 * Why a search finds nothing, and what it would find a little changed. Asked only of an empty page: a bounded look for each of its
 * filters, as the search itself looks.
 */
import { Effect, Struct } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type Candidate, candidatesOf } from "../catalogue/Candidates.ts"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import type { readCity } from "../catalogue/CityNames.ts"
import type { EmptySearch, Excluding, Known, Near } from "../catalogue/EmptySearch.ts"
import { knownValues } from "../catalogue/KnownValues.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import type { SearchQuery } from "../catalogue/SearchQuery.ts"
import type { Words } from "../catalogue/SearchWords.ts"
import { addDays, datesFrom, format, type Instant, type LocalDate, localDateOf } from "../kernel/LocalTime.ts"
import type { Occupancy } from "./Occupancy.ts"
import { asksPrice } from "./PartyPrices.ts"
import { type Fit, fittingIn, firstStart, spanOf } from "./SearchFits.ts"
import { changeOf, type Part, partsOf } from "./SearchParts.ts"

/** Rows of the ranking that a look goes over, playrooms that are counted, and those of them whose times and prices are looked at. */
const [longestLook, mostCounted, mostChecked] = [1000, 100, 6]
/** Playrooms that are told as those that would fit; days of so many are searched for a free one. */
const [mostNear, mostDays, mostSearched] = [3, 14, 3]
const widestKm = 500

interface Found {
  readonly fits: ReadonlyArray<Fit>
  readonly candidates: ReadonlyArray<Candidate>
  readonly more: boolean
}

type Looked = Part & { readonly found: Found }

/** Explains empty searches. `words` are those of the query. */
export const nothingFound = (
  sql: SqlClient.SqlClient,
  catalogue: Catalogue["Service"],
  occupancy: Occupancy["Service"],
  citiesOf: ReturnType<typeof readCity>
) => {
  const fitting = fittingIn(catalogue, occupancy)
  const known = knownValues(sql)

  return Effect.fn("PlayroomSearch.nothingFound")(function* (
    whole: SearchQuery,
    words: Words | undefined,
    now: Instant
  ): Effect.fn.Return<EmptySearch, SqlError.SqlError> {
    const query: SearchQuery = Struct.omit(whole, ["cursor", "limit", "sort"])
    /** Playrooms that fit a search; where it asks for times or prices, only the first ones are looked at. */
    const look = Effect.fnUntraced(function* (
      asked: SearchQuery,
      counted = mostCounted
    ): Effect.fn.Return<Found, SqlError.SqlError> {
      const cities = asked.city === undefined ? undefined : yield* citiesOf(asked.city)
      const candidates = candidatesOf(sql, asked, asked.query === undefined ? undefined : words, now, cities)
      const checks = asked.date !== undefined || asksPrice(asked)
      const most = checks ? mostChecked : counted
      const stretch = yield* candidates.next(undefined, most, longestLook, true)
      const all = stretch?.candidates ?? []
      return { fits: yield* fitting(asked, all, now), candidates: all, more: stretch?.end !== undefined }
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

    /** What each filter excludes of all playrooms: where no filter alone is to blame. */
    const ofAll = Effect.gen(function* () {
      const all = yield* look({})
      const fitted = yield* Effect.forEach(parts, (part) => look(part.alone))
      return parts.map((part, i) =>
        excluding(part, Math.max(0, all.fits.length - (fitted[i]?.fits.length ?? 0)), all.more)
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
      const ids = part.found.candidates.slice(0, mostChecked).map(({ row }) => row.playroom_id)
      const venues = yield* catalogue.venues(part.filter === "date" ? ids.slice(0, mostSearched) : ids)
      if (part.filter === "date") {
        const date = yield* freeDate(venues)
        return date === undefined ? [] : [{ date }]
      }
      const other = changeOf(part, query, part.found.fits, [...venues.values()])
      return other === undefined ? [] : [other]
    })

    const near = (filter: string, { candidate: { row }, next_start, price }: Fit, instead?: SearchQuery): Near => ({
      without: filter,
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
        const [fit] = (yield* some({ ...query, ...other })).fits
        if (fit === undefined) continue
        nearest.push(near(part.filter, fit, other))
        told = true
        break
      }
      const [fit] = part.found.fits
      if (!told && fit !== undefined) nearest.push(near(part.filter, fit))
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

    const alone = most(looked.map((part) => excluding(part, part.found.fits.length, part.found.more)))
    const none_because = alone.length > 0 || parts.length === 0 ? alone : most(yield* ofAll)
    return {
      ...(none_because.length === 0 ? {} : { none_because }),
      ...(nearest.length === 0 ? {} : { nearest }),
      ...(known_values.length === 0 ? {} : { known_values })
    }
  })
}
