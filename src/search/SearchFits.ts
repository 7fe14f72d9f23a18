/** Which of a search's candidates fit all of it: with a date, those that can then be booked. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Candidate } from "./Candidates.ts"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import type { PriceForParty, Venue } from "../catalogue/Playroom.ts"
import type { SearchQuery } from "./SearchQuery.ts"
import { dayRange, type Instant } from "../kernel/LocalTime.ts"
import type { Calendar } from "../booking/Availability.ts"
import type { Occupancy } from "../booking/Occupancy.ts"
import { margin, openingsOn } from "../booking/Offers.ts"
import { asksPrice, lowestAt, lowestFor, packagesFor, partyFor, type Priced, priceForParty } from "./PartyPrices.ts"
import { totalAt } from "../catalogue/Pricing.ts"

/** A playroom that fits. */
export interface Fit {
  readonly candidate: Candidate
  /** With a date. */
  readonly next_start?: Instant
  /** What the party pays, where the search says enough of it. */
  readonly price?: PriceForParty
}

/** A search of one day. */
export type Dated = SearchQuery & { readonly date: string }

/**
 * The first start on the day that can be booked and fits all filters, the price that it then has included. The price is that of the
 * cheapest package which then starts.
 */
export const firstStart = (
  query: Dated,
  venue: Venue,
  calendar: Calendar,
  now: Instant
): { readonly start: Instant; readonly price: Priced | undefined } | undefined => {
  const { date, start_after, end_before, max_total } = query
  const starts = packagesFor(query, venue).flatMap((pkg) => {
    const party = partyFor(query, pkg)
    const { openings } = openingsOn({ venue, party, start_after, end_before }, [pkg], date, calendar, now)
    const fits = openings.find(
      ({ start }) => max_total === undefined || totalAt(venue, pkg, party, start) <= max_total.amount
    )
    return fits === undefined ? [] : [fits]
  })
  if (starts.length === 0) return undefined
  const start = Math.min(...starts.map((opening) => opening.start))
  const then = starts.filter((opening) => opening.start === start).map(({ pkg }) => pkg)
  return { start, price: asksPrice(query) ? lowestAt(query, venue, then, start) : undefined }
}

/** From the first moment of a day in any of the venues' zones to the last of another, with room for set-up and clean-up. */
export const spanOf = (
  venues: Iterable<Venue>,
  first: string,
  last: string
): { readonly from: Instant; readonly to: Instant } => {
  let [from, to, slack] = [Infinity, -Infinity, 0]
  for (const { playroom, packages } of venues) {
    from = Math.min(from, dayRange(playroom.time_zone, first).start)
    to = Math.max(to, dayRange(playroom.time_zone, last).end)
    slack = Math.max(slack, margin(packages))
  }
  return { from: from - slack, to: to + slack }
}

/** Those of a batch that fit at `now`, in its order: two queries at most, however many there are. */
export const fittingIn = (catalogue: Catalogue["Service"], occupancy: Occupancy["Service"]) =>
  Effect.fnUntraced(function* (
    query: SearchQuery,
    batch: ReadonlyArray<Candidate>,
    now: Instant
  ): Effect.fn.Return<ReadonlyArray<Fit>, SqlError.SqlError> {
    const { date, max_total } = query
    if (batch.length === 0 || (date === undefined && !asksPrice(query)))
      return batch.map((candidate) => ({ candidate }))
    const venues = yield* catalogue.venues(batch.map(({ row }) => row.playroom_id))
    const priced = (venue: Venue, price: Priced | undefined) =>
      price === undefined ? {} : { price: priceForParty(query, venue, price) }
    if (date === undefined || venues.size === 0)
      return batch.flatMap((candidate): ReadonlyArray<Fit> => {
        const venue = venues.get(candidate.row.playroom_id)
        if (venue === undefined || packagesFor(query, venue).length === 0) return []
        const lowest = lowestFor(query, venue, now)
        return max_total === undefined || (lowest !== undefined && lowest.total <= max_total.amount)
          ? [{ candidate, ...priced(venue, lowest) }]
          : []
      })
    const { from, to } = spanOf(venues.values(), date, date)
    const calendars = yield* occupancy.calendars([...venues.keys()], from, to, now)
    return batch.flatMap((candidate): ReadonlyArray<Fit> => {
      const venue = venues.get(candidate.row.playroom_id)
      const calendar = calendars.get(candidate.row.playroom_id)
      if (venue === undefined || calendar === undefined) return []
      const first = firstStart({ ...query, date }, venue, calendar, now)
      return first === undefined ? [] : [{ candidate, next_start: first.start, ...priced(venue, first.price) }]
    })
  })
