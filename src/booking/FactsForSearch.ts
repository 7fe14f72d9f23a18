/** What search knows a playroom by, derived from the same starts and prices that bookings are made of. Pure. */
import { Layer } from "effect"
import type { Package } from "../catalogue/Package.ts"
import type { Playroom } from "../catalogue/Playroom.ts"
import {
  coveredChildren,
  coveredPartyText,
  furtherChildListPrice,
  hasFixedPrice,
  leastPrice
} from "../catalogue/Pricing.ts"
import { type Facts, SearchFacts, type SearchVisit, type Sold } from "../catalogue/SearchFacts.ts"
import {
  addDays,
  datesFrom,
  dayMs,
  dayRange,
  type Instant,
  type LocalDate,
  localDateOf,
  localMinutesOf,
  minuteMs,
  offsetAt,
  startOfDay,
  weekdayOf,
  weekdays
} from "../kernel/LocalTime.ts"
import { LowestPrices } from "./LowestPrices.ts"
import { startsOn } from "./Starts.ts"

/** How long facts stay sound: changes of clocks are looked for so far beyond the horizon. */
const soundForDays = 400
/** How often they are derived anew all the same: seasons come into view, and rules of zones change. */
const deriveEveryDays = 30

/** The earliest end and the latest start of a day's visits. */
interface Bounds {
  readonly last_start: number
  readonly first_end: number
}

const same = (a: Bounds | undefined, b: Bounds | undefined): boolean =>
  a?.last_start === b?.last_start && a?.first_end === b?.first_end

/** A Monday, and a zone in which the clocks never change: with these, days are as the weekly hours say. */
const someMonday = "2001-01-01"
const plainZone = "UTC"

const boundsOn = (playroom: Playroom, pkg: Package, date: LocalDate): Bounds | undefined => {
  const starts = startsOn({ playroom }, pkg, date)
  if (starts.length === 0) return undefined
  const zone = playroom.time_zone
  const day = dayRange(zone, date)
  // A visit that ends on the next day keeps to no latest end.
  const ends = starts.map((start) => {
    const end = start + pkg.duration_minutes * minuteMs
    return end < day.end ? localMinutesOf(zone, end) : end === day.end ? 1440 : 2880
  })
  return {
    last_start: Math.max(...starts.map((start) => localMinutesOf(zone, start))),
    first_end: Math.min(...ends)
  }
}

const changes = new Map<string, ReadonlyArray<LocalDate>>()

/** Dates of the zone, of so many from one on, on which its clocks change, or the day before or after. */
const changesOf = (zone: string, from: LocalDate, days: number): ReadonlyArray<LocalDate> => {
  const key = `${zone} ${from} ${days}`
  let dates = changes.get(key)
  if (dates === undefined) {
    const first = Date.parse(`${from}T00:00:00Z`)
    const changed = Array.from({ length: days }, (_, i) => first + i * dayMs).filter(
      (at) => offsetAt(zone, at) !== offsetAt(zone, at + dayMs)
    )
    dates = changed.flatMap((at) => [-1, 0, 1, 2].map((n) => localDateOf("UTC", at + n * dayMs)))
    if (changes.size > 500) changes.clear()
    changes.set(key, dates)
  }
  return dates
}

/** Whether an opening time lies so near to the hours in which clocks change that its visits may notice. */
const late = ({ opens, closes }: { readonly opens: string; readonly closes: string }): boolean =>
  opens < "05:00" || closes > "21:00" || closes <= opens

/** Dates whose visits may differ from those of their weekday. */
const oddDates = (playroom: Playroom, today: LocalDate): ReadonlyArray<LocalDate> => {
  const { opening_hours, overrides, max_advance_days, time_zone } = playroom
  const first = addDays(today, -2)
  const overridden = overrides.flatMap(({ date }) => [-2, -1, 0, 1].map((n) => addDays(date, n)))
  const changing = [...opening_hours, ...overrides.flatMap(({ intervals }) => intervals)].some(late)
    ? changesOf(time_zone, first, max_advance_days + soundForDays)
    : []
  return [...new Set([...overridden, ...changing])].filter((date) => date >= first).sort()
}

const multirange = (days: Iterable<number>): string => `{${[...days].map((day) => `[${day},${day + 1})`).join(",")}}`

/** Party sizes at whose prices a bound is taken: every one of small parties, ever fewer of large ones. */
const sizes = function* (min: number, max: number) {
  for (let from = min; from <= max;) {
    const next = from < 64 ? from + 1 : Math.ceil(from * 1.1)
    yield { from, to: Math.min(max, next - 1) }
    from = next
  }
}

/** Bounds below of what parties of a package pay from a date on. A larger party never pays less. */
const leastOf = (pkg: Package, playroom: Playroom, today: LocalDate) => {
  const price = (children: number) => leastPrice(playroom.tax, pkg, children, today)
  let least_per_child = Infinity
  for (const { from, to } of sizes(pkg.min_children, pkg.max_children))
    least_per_child = Math.min(least_per_child, Math.floor(price(from) / to))
  return { least_total: price(pkg.min_children), least_per_child }
}

/** Rows that between them hold every visit of a package. One that has none at all still has a row, which no date is in. */
const visitsOf = (playroom: Playroom, pkg: Package, odd: ReadonlyArray<LocalDate>, today: LocalDate) => {
  const weekly = { ...playroom, time_zone: plainZone, overrides: [] }
  const rows = new Map<string, Bounds & { readonly dates: string; readonly days: Set<number> }>()
  const add = (bounds: Bounds | undefined, dates: string, day: number) => {
    if (bounds === undefined) return
    const key = `${dates} ${bounds.last_start} ${bounds.first_end}`
    const row = rows.get(key)
    if (row === undefined) rows.set(key, { ...bounds, dates, days: new Set([day]) })
    else row.days.add(day)
  }
  const usual = weekdays.map((_, day) => boundsOn(weekly, pkg, addDays(someMonday, day)))
  const onOddDates = odd.map((date) => [date, boundsOn(playroom, pkg, date)] as const)
  for (const [day, ofWeekday] of usual.entries()) {
    // From each date on, week by week, until the next: the odd ones, and those that go back to what is usual.
    const turns: Array<readonly [from: LocalDate | "", bounds: Bounds | undefined]> = [["", ofWeekday]]
    for (const [date, bounds] of onOddDates) {
      if (weekdays[day] !== weekdayOf(date) || same(bounds, turns.at(-1)?.[1])) continue
      if (turns.at(-1)?.[0] === date) turns.pop()
      if (!same(bounds, turns.at(-1)?.[1])) turns.push([date, bounds])
      turns.push([addDays(date, 7), ofWeekday])
    }
    for (const [i, [from, bounds]] of turns.entries()) add(bounds, `[${from},${turns[i + 1]?.[0] ?? ""})`, day)
  }
  if (rows.size === 0) add({ last_start: 0, first_end: 2880 }, "empty", 0)
  const least = leastOf(pkg, playroom, today)
  return [...rows.values()].map(({ days, ...row }): SearchVisit => ({
    package_id: pkg.package_id,
    weekdays: multirange([...days].sort()),
    ...row,
    ...least
  }))
}

/** What a child adds to the lowest price who comes beside those that it covers; 0 where nobody may. */
const furtherOf = (sold: Sold, pkg: Package, price_from: number, today: LocalDate): number => {
  const covered = coveredChildren(pkg)
  if (covered === pkg.max_children) return 0
  if (hasFixedPrice(pkg)) return furtherChildListPrice(sold.playroom.tax, pkg)
  const one_more = new LowestPrices(sold, pkg, { children: covered + 1, adults: 0, add_ons: [] }).from(today)
  return one_more === undefined ? furtherChildListPrice(sold.playroom.tax, pkg) : Math.max(0, one_more - price_from)
}

/** What search knows a playroom by at `now`. Sound for `soundForDays`, prices until `from_price_until`. */
export const factsOf = (sold: Sold, now: Instant): Facts => {
  const { playroom, packages } = sold
  const zone = playroom.time_zone
  const today = localDateOf(zone, now)
  const odd = oddDates(playroom, today)
  const lowest = packages.map(
    (pkg) => new LowestPrices(sold, pkg, { children: pkg.min_children, adults: 0, add_ons: [] })
  )
  const pricesOn = (date: LocalDate) => lowest.map((prices) => prices.from(date))
  const ofToday = pricesOn(today)
  const changed = lowest.every((prices) => prices.lasting)
    ? undefined
    : (datesFrom(addDays(today, 1), addDays(today, deriveEveryDays)).find((date) =>
        pricesOn(date).some((price, i) => price !== ofToday[i])
      ) ?? addDays(today, deriveEveryDays))
  const from_price_until = changed === undefined ? undefined : startOfDay(zone, changed)
  const prices = packages.map((pkg, i) => {
    const price_from = ofToday[i] ?? leastPrice(playroom.tax, pkg, pkg.min_children, today)
    return { package_id: pkg.package_id, price_from, further_child: furtherOf(sold, pkg, price_from, today) }
  })
  const bookable = ofToday.filter((price) => price !== undefined)
  const from_price = Math.min(...(bookable.length === 0 ? prices.map(({ price_from }) => price_from) : bookable))
  const at = packages.findIndex((_, i) => (bookable.length === 0 ? prices[i]?.price_from : ofToday[i]) === from_price)
  const cheapest = packages[at]
  return {
    from_price,
    from_price_for: cheapest === undefined ? "" : `${coveredPartyText(cheapest)}, ${cheapest.mode}`,
    price_from: prices,
    from_price_until,
    derived_until: from_price_until ?? now + deriveEveryDays * dayMs,
    visits: packages.flatMap((pkg) => visitsOf(playroom, pkg, odd, today))
  }
}

export const factsForSearch = Layer.succeed(SearchFacts, { of: factsOf })
