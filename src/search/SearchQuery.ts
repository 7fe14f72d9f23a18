/** What `search_playrooms` asks, and what of it can be wrong although each part is well formed. */
import { addDays, hourMs, type Instant } from "../kernel/LocalTime.ts"
import type { Mode } from "../catalogue/Package.ts"
import { longestAdvanceDays } from "../catalogue/Playroom.ts"
import { clockIssues } from "../booking/AskedTimes.ts"

/** All filters combine. Dates and clock times are local to each playroom; amounts are minor units. */
export interface SearchQuery {
  /** Words to find in name, city, address, amenities and texts; accents, case and a typo are forgiven. */
  readonly query?: string
  readonly city?: string
  /** ISO 3166-1 alpha-2. */
  readonly country?: string
  readonly near?: { readonly latitude: number; readonly longitude: number; readonly radius_km?: number }
  /** Only playrooms with a bookable start on that day that fits all else. */
  readonly date?: string
  readonly start_after?: string
  readonly end_before?: string
  readonly children?: number
  /** Count in prices, not in places. */
  readonly adults?: number
  readonly child_ages?: ReadonlyArray<number>
  /** Exactly this long. */
  readonly duration_minutes?: number
  readonly amenities?: ReadonlyArray<string>
  readonly mode?: Mode
  readonly max_total?: { readonly amount: number; readonly currency: string }
  /**
   * `best_match` (default): by how well the words fit, then oldest first; without words, nearest first where `near` is given.
   * `price`: by `from_price`, one currency after the other, and within a page by what the party pays. `distance` needs `near`.
   */
  readonly sort?: "best_match" | "distance" | "price"
  /** 1 to 50, default 10. A page may hold fewer, so that it stays short. */
  readonly limit?: number
  readonly cursor?: string
}

export const defaultRadiusKm = 25

/** How many children come, as far as the query says. */
export const childrenOf = ({ children, child_ages }: SearchQuery): number | undefined =>
  children ?? (child_ages === undefined || child_ages.length === 0 ? undefined : child_ages.length)

/** So many of something, in words. */
export const counted = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`

/** Who comes, where the query says something of it. */
export const partyIn = (query: SearchQuery): string | undefined => {
  const { adults, child_ages = [] } = query
  const children = childrenOf(query)
  const said = [
    ...(children === undefined ? [] : [counted(children, "child", "children")]),
    ...(adults === undefined ? [] : [counted(adults, "adult", "adults")]),
    ...(child_ages.length === 0
      ? []
      : [
          `${counted(child_ages.length, "age", "ages")} given: ${Math.min(...child_ages)} to ${Math.max(...child_ages)}`
        ])
  ]
  return said.length === 0 ? undefined : said.join(", ")
}

/** A date that is over wherever a playroom can be, or that none takes bookings for yet. Clocks are 12 hours behind UTC to 14 ahead. */
const dateIssue = (date: string, now: Instant): string | undefined => {
  const dateAt = (instant: Instant) => new Date(instant).toISOString().slice(0, 10)
  const first = dateAt(now - 12 * hourMs)
  const last = addDays(dateAt(now + 14 * hourMs), longestAdvanceDays)
  return date < first
    ? `This date is past: expected ${first} or later`
    : date > last
      ? `No playroom takes bookings so far ahead: expected ${last} or earlier`
      : undefined
}

/** What is wrong with a query that is asked at `now`. */
export const searchIssues = (
  query: SearchQuery,
  now: Instant
): ReadonlyArray<{ readonly path: string; readonly message: string }> => {
  const issues: Array<{ readonly path: string; readonly message: string }> = []
  const ofDate = query.date === undefined ? undefined : dateIssue(query.date, now)
  if (ofDate !== undefined) issues.push({ path: "date", message: ofDate })
  if (query.sort === "distance" && query.near === undefined)
    issues.push({
      path: "near",
      message: "Sorting by distance needs near: give near with latitude and longitude, or leave sort out"
    })
  for (const path of ["start_after", "end_before"] as const) {
    if (query[path] !== undefined && query.date === undefined)
      issues.push({ path, message: `Expected only together with date: give date too, or leave ${path} out` })
  }
  issues.push(...clockIssues(query))
  if (query.children !== undefined && (query.child_ages?.length ?? 0) > query.children)
    issues.push({ path: "child_ages", message: `Expected at most one age for each of the ${query.children} children` })
  return issues
}

/** As the database can take it, and as operators' texts are: without NUL, in NFC. */
const plain = (text: string): string => text.replaceAll("\0", " ").normalize("NFC")

// Codes that people write for a country, and that ISO 3166 reserves so that no other country gets them.
const reserved = new Map([
  ["UK", "GB"],
  ["EL", "GR"]
])

/** Whether a text says nothing: models send "" for a field that they leave out. */
const blank = (text: string): boolean => !/[\p{L}\p{N}]/u.test(text)

/** The same query with its texts in plain form, and without those that say nothing. */
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
