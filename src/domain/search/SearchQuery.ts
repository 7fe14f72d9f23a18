/** The arguments of `search_playrooms`, and their checks across fields. */

import { Schema, Context, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { decodeRows } from "../../platform/database/Rows.ts"
import {
  type ArgumentIssue,
  boundedInt,
  boundedList,
  boundedNumber,
  boundedText
} from "../../platform/errors/InvalidArguments.ts"
import { Cursor } from "../../platform/ids/Ids.ts"
import { Currency, MinorUnits } from "../../platform/money/Money.ts"
import { childrenText, counted } from "../../platform/text/Text.ts"
import { addDays, ClockTime, ClosingTime, hourMs, type Instant, LocalDate } from "../../platform/time/LocalTime.ts"
import { AdultCount, ChildAges, ChildCount } from "../availability/Availability.ts"
import { type DateRange, dateRangeFields, rangeIssues } from "../availability/DateRange.ts"
import { clockIssues } from "../availability/Openings.ts"
import { Mode } from "../catalogue/Package.ts"
import { maxAdvanceDays } from "../catalogue/Playroom.ts"
import type { CityNames } from "./KnownValues.ts"

export const defaultRadiusKm = 25

/** A point in degrees. Playrooms within `radius_km` of it fit; the default is `defaultRadiusKm`. */
const NearPoint = Schema.Struct({
  latitude: boundedNumber(-90, 90, "Expected a number from -90 to 90; perhaps it is the longitude"),
  longitude: boundedNumber(-180, 180),
  radius_km: Schema.optionalKey(boundedNumber(0.1, 500, "Expected kilometres from 0.1 to 500"))
})

/**
 * Arguments of `search_playrooms`. All filters combine. Dates and clock times are local to each playroom. Amounts are
 * minor units.
 */
export const SearchQuery = Schema.Struct({
  /**
   * Words to find in name, city, address, amenities and texts, and needs to be met. Ignores accents, case and a typo.
   */
  query: Schema.optionalKey(boundedText(200)),
  city: Schema.optionalKey(boundedText(100)),
  country: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[A-Z]{2}$/, { message: "Expected an ISO 3166-1 alpha-2 country code, like GB" })
    )
  ),
  near: Schema.optionalKey(NearPoint),
  /** Only playrooms with a bookable start on that day, or on one of these days, that fits all other filters. */
  date: Schema.optionalKey(LocalDate),
  ...dateRangeFields,
  start_after: Schema.optionalKey(ClockTime),
  end_before: Schema.optionalKey(ClosingTime),
  children: Schema.optionalKey(ChildCount),
  /** Adults count in prices, not in places. */
  adults: Schema.optionalKey(AdultCount),
  child_ages: Schema.optionalKey(ChildAges),
  /** Exactly this long. */
  duration_minutes: Schema.optionalKey(boundedInt(5, 1440)),
  amenities: Schema.optionalKey(boundedList(boundedText(60, 1), 20)),
  mode: Schema.optionalKey(Mode),
  max_total: Schema.optionalKey(Schema.Struct({ amount: MinorUnits, currency: Currency })),
  /**
   * `best_match` (default): by how well the words match, then oldest first; without words, nearest first if `near` is
   * given. `price`: over all pages by the price for the party on the days asked, with a date that of the cheapest
   * start, and without a party by `from_price`; free ones first, then one currency after the other. `distance` needs
   * `near`.
   */
  sort: Schema.optionalKey(Schema.Literals(["best_match", "distance", "price"])),
  /** Default 10. A page may hold fewer, to stay short. */
  limit: Schema.optionalKey(boundedInt(1, 50)),
  cursor: Schema.optionalKey(Cursor)
})
export type SearchQuery = typeof SearchQuery.Type

/** A search of some days. */
export type DatedQuery = SearchQuery & DateRange

/** Whether it may ask for more days than one. */
export const hasRange = ({ date_to, weekdays }: SearchQuery): boolean => date_to !== undefined || weekdays !== undefined

export const datesAsked = (query: SearchQuery): query is DatedQuery => query.date !== undefined

/** The number of children, if the query says so. */
export const childrenOf = ({ children, child_ages }: SearchQuery): number | undefined =>
  children ?? (child_ages === undefined || child_ages.length === 0 ? undefined : child_ages.length)

/** The party in words, if the query says anything about it. */
export const partyIn = (query: SearchQuery): string | undefined => {
  const { adults, child_ages = [] } = query
  const children = childrenOf(query)
  const said = [
    ...(children === undefined ? [] : [childrenText(children)]),
    ...(adults === undefined ? [] : [counted(adults, "adult")]),
    ...(children === undefined && adults !== undefined
      ? ["no children: every visit needs at least one child, so say how many for prices"]
      : []),
    ...(child_ages.length === 0
      ? []
      : [`${counted(child_ages.length, "age")} given: ${Math.min(...child_ages)} to ${Math.max(...child_ages)}`])
  ]
  return said.length === 0 ? undefined : said.join(", ")
}

/**
 * The issue of a date that is past in every time zone, or beyond every booking horizon. Clocks are 12 hours behind UTC
 * to 14 ahead.
 */
const dateIssue = (date: string, now: Instant): string | undefined => {
  const dateAt = (instant: Instant) => new Date(instant).toISOString().slice(0, 10)
  const first = dateAt(now - 12 * hourMs)
  const last = addDays(dateAt(now + 14 * hourMs), maxAdvanceDays)
  return date < first
    ? `This date is past: expected ${first} or later`
    : date > last
      ? `No playroom takes bookings so far ahead: expected ${last} or earlier`
      : undefined
}

/** The issues of a query at `now`. */
export const searchIssues = (query: SearchQuery, now: Instant): ReadonlyArray<ArgumentIssue> => {
  const issues: Array<ArgumentIssue> = []
  const ofDate = query.date === undefined ? undefined : dateIssue(query.date, now)
  if (ofDate !== undefined) issues.push({ path: "date", message: ofDate })
  if (query.sort === "distance" && query.near === undefined)
    issues.push({
      path: "near",
      message: "Sorting by distance needs near: give near with latitude and longitude, or leave sort out"
    })
  if (datesAsked(query)) issues.push(...rangeIssues(query))
  for (const path of ["date_to", "weekdays", "start_after", "end_before"] as const) {
    if (query[path] !== undefined && query.date === undefined)
      issues.push({ path, message: `Expected only together with date: give date too, or leave ${path} out` })
  }
  issues.push(...clockIssues(query))
  if (query.children !== undefined && (query.child_ages?.length ?? 0) > query.children)
    issues.push({ path: "child_ages", message: `Expected at most one age for each of the ${query.children} children` })
  return issues
}

/** In the form that the database accepts and operators' texts have: without NUL, in NFC. */
const plain = (text: string): string => text.replaceAll("\0", " ").normalize("NFC")

// Codes that people write for a country. ISO 3166 reserves them, so that no other country gets them.
const reserved = new Map([
  ["UK", "GB"],
  ["EL", "GR"]
])

/** Whether a text is empty in effect: models send "" for a field that they leave out. */
const blank = (text: string): boolean => !/[\p{L}\p{N}]/u.test(text)

/** The same query with its texts in plain form, and without blank ones. */
export const plainQuery = ({ query, city, country, amenities, cursor, ...rest }: SearchQuery): SearchQuery => {
  const said = (text: string | undefined) => (text === undefined || blank(text) ? undefined : plain(text))
  const [words, place] = [said(query), said(city)]
  const wanted = amenities?.filter((amenity) => !blank(amenity)).map(plain) ?? []
  return {
    ...rest,
    ...(words === undefined ? {} : { query: words }),
    ...(place === undefined ? {} : { city: place }),
    ...(country === undefined || blank(country) ? {} : { country: reserved.get(country) ?? country }),
    ...(wanted.length === 0 ? {} : { amenities: wanted }),
    ...(cursor === undefined || cursor === "" ? {} : { cursor })
  }
}

// The city that a host says its person is in. Nothing is searched by it: a person may be looking for another place, and
// hosts guess it from network addresses. A search for no place names it, so that the assistant can ask.

/** A city as a host names it. `country` is ISO 3166-1 alpha-2: without it, too many cities have one name. */
export const PersonPlace = Schema.Struct({
  city: Schema.Trim.check(Schema.isMinLength(1), Schema.isMaxLength(100)),
  country: Schema.String.check(Schema.isPattern(/^[A-Za-z]{2}$/))
})
export type PersonPlace = typeof PersonPlace.Type

/** The place of the person for whom a search runs; undefined if the host says none. It is used for this answer only. */
export const CurrentPlace = Context.Reference<PersonPlace | undefined>("playroom/search/CurrentPlace", {
  defaultValue: () => undefined
})

const rows = decodeRows(Schema.Array(Schema.Struct({ city: Schema.String, country: Schema.String })))

/** Makes the sentence about the person's city for a search without a place, if a playroom of the catalogue is there. */
export const makePlaceHint = (sql: SqlClient.SqlClient, cities: CityNames) =>
  Effect.fn("PersonCity.hint")(function* ({ city, country, cursor, near, query }: SearchQuery) {
    const place = yield* CurrentPlace
    if (place === undefined || (city ?? country ?? near ?? cursor) !== undefined) return undefined
    const keys = yield* cities.keys(place.city)
    if (keys.length === 0) return undefined
    if (query !== undefined && (yield* cities.namedIn(query)).length > 0) return undefined
    // The catalogue's own spelling: the host's text is not repeated.
    const [found] = yield* rows(
      sql`select city, country from playroom p where p.listed and p.city_key = any(${keys}::text[]) and p.country = ${place.country.toUpperCase()}::text limit 1`
    )
    return found === undefined
      ? undefined
      : `No place was asked for, so these are from everywhere. The person's app places them in ${found.city} (${found.country}), which may be wrong: ask where they want to go, then search with city or near.`
  })
