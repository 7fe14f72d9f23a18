/** The filters of a search in SQL: those of the playroom, and those of the visits that it can offer. */
import type { SqlClient, Statement } from "effect/sql"
import { dayMs, hourMs, type Instant, minuteMs, minutesOf, weekdayOf, weekdays } from "../kernel/LocalTime.ts"
import { namesOf } from "./AmenityNames.ts"
import { childrenOf, type SearchQuery } from "./SearchQuery.ts"

type Fragment = Statement.Fragment

/** That a playroom is in one of the cities; where none is known, in the one that is written so. */
const inCity = (sql: SqlClient.SqlClient, city: string, [first, ...others]: ReadonlyArray<string>): Fragment =>
  first === undefined
    ? sql`p.city_key = search_fold(${city}::text)`
    : others.length === 0
      ? sql`p.city_key = ${first}`
      : sql`p.city_key = any(${[first, ...others]}::text[])`

/** What a playroom is by itself, as far as an index answers it; `cities` are what the query's city stands for. */
export const ownFilters = (
  sql: SqlClient.SqlClient,
  query: SearchQuery,
  cities: ReadonlyArray<string>
): ReadonlyArray<Fragment> => [
  ...(query.city === undefined ? [] : [inCity(sql, query.city, cities)]),
  ...(query.country === undefined ? [] : [sql`p.country = ${query.country.toUpperCase()}`]),
  ...(query.amenities ?? []).map((amenity) => sql`p.amenity_keys && search_fold(${namesOf(amenity)}::text[])`),
  ...(query.max_total === undefined || query.sort !== "price" ? [] : [sql`p.currency = ${query.max_total.currency}`])
]

/**
 * That a package can offer such a visit at all, as far as its row `v` of `search_visit` tells; empty where any will do. Today is
 * another date in another zone: whatever can be so in one of them is let through.
 */
export const visitFilters = (sql: SqlClient.SqlClient, query: SearchQuery, now: Instant): ReadonlyArray<Fragment> => {
  const { mode, duration_minutes, date, start_after, end_before, max_total } = query
  const ages = query.child_ages ?? []
  const children = childrenOf(query)
  const filters = [
    ...(mode === undefined ? [] : [sql`v.mode = ${mode}`]),
    ...(duration_minutes === undefined ? [] : [sql`v.duration_minutes = ${duration_minutes}::int`]),
    ...(children === undefined ? [] : [sql`v.children @> ${children}::int`]),
    ...(ages.length === 0
      ? []
      : [sql`v.ages @> int4range(${Math.min(...ages)}::int, ${Math.max(...ages)}::int, '[]')`]),
    ...(max_total === undefined
      ? []
      : [sql`v.currency = ${max_total.currency} and v.least_total <= ${max_total.amount}::int`]),
    ...(max_total === undefined || children === undefined
      ? []
      : [sql`v.least_per_child <= ${Math.floor(max_total.amount / children)}::int`])
  ]
  if (date === undefined) return filters
  const midnight = Date.parse(`${date}T00:00:00Z`)
  // Clocks are 12 hours behind UTC to 14 ahead.
  const furthest = new Date(now + 14 * hourMs).toISOString().slice(0, 10)
  const minutesLeft = Math.floor((midnight + dayMs + 12 * hourMs - now) / minuteMs)
  return [
    ...filters,
    sql`v.weekdays @> ${weekdays.indexOf(weekdayOf(date))}::int and v.dates @> ${date}::date`,
    sql`v.advance_days >= ${date}::date - ${furthest}::date and v.lead_minutes <= ${minutesLeft}::int`,
    ...(start_after === undefined ? [] : [sql`v.last_start >= ${minutesOf(start_after)}::int`]),
    ...(end_before === undefined ? [] : [sql`v.first_end <= ${minutesOf(end_before)}::int`]),
    ...(start_after === undefined || end_before === undefined
      ? []
      : [sql`v.duration_minutes <= ${longestBetween(start_after, end_before)}::int`])
  ]
}

/** How long a visit between two clock times can be: longer by two hours where the clocks may be put back in between. */
const longestBetween = (from: string, to: string): number =>
  minutesOf(to) - minutesOf(from) + (from < "05:00" || to > "21:00" ? 120 : 0)
