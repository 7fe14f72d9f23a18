/**
 * Search facts of a playroom besides its own columns: the lowest bookable prices, the visits that its packages can
 * offer, and the needs that it meets. Derived from the same starts and prices as bookings. Pure.
 */
import { startsOn } from "../availability/Starts.ts"
import type { Package, PriceRule } from "../catalogue/Package.ts"
import type { Playroom, Venue } from "../catalogue/Playroom.ts"
import type { Party } from "../catalogue/Price.ts"
import {
  coveredPartyText,
  firstUncovered,
  furtherChildListPrice,
  dependsOn,
  minPrice,
  meetsDate,
  priceDependsOnStart,
  sizesUnderSameRules,
  totalAt
} from "../catalogue/Pricing.ts"
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
  weekdays,
  dayMinutes
} from "../kernel/LocalTime.ts"
import type { Need } from "./AmenityNames.ts"
import { needsMetBy } from "./Needs.ts"
import { plainZone, weeklyStarts } from "./WeeklyStarts.ts"

/**
 * The lowest prices at which a party can book a package: the minimum total (`totalAt`) of all starts up to the horizon,
 * without regard to closures and bookings. Days with the same starts and rules have the same prices, so a horizon of
 * years costs a few totals.
 */
export class LowestPrices {
  /** Whether `from` is the same on all future days. */
  readonly lasting: boolean
  /** In a zone whose clocks never change: prices depend on clock times alone. */
  readonly #playroom: Playroom
  readonly #overridden: ReadonlySet<LocalDate>
  readonly #dated: ReadonlyArray<PriceRule>
  readonly #prices = new Map<string, number | undefined>()
  readonly #days = new Map<LocalDate, number | undefined>()
  readonly #venue: Pick<Venue, "add_ons">
  readonly #pkg: Package
  readonly #party: Party
  /** By weekday, from Monday. */
  readonly #weekly: ReadonlyArray<ReadonlyArray<number>>
  /** The price at every start, if it is the same. */
  #anytime: number | undefined

  constructor({ playroom, add_ons }: Pick<Venue, "playroom" | "add_ons">, pkg: Package, party: Party) {
    this.#playroom = { ...playroom, time_zone: plainZone }
    this.#weekly = weeklyStarts(playroom, pkg)
    this.#venue = { add_ons }
    this.#pkg = pkg
    this.#party = party
    // An override may reach into the neighbouring days.
    this.#overridden = new Set(playroom.overrides.flatMap(({ date }) => [-2, -1, 0, 1].map((n) => addDays(date, n))))
    this.#dated = pkg.pricing.rules.filter((rule) => dependsOn(rule, "date"))
    this.lasting =
      this.#dated.length === 0 &&
      playroom.overrides.length === 0 &&
      playroom.max_advance_days - Math.ceil(playroom.lead_time_minutes / dayMinutes) >= weekdays.length
  }

  #startsOn(date: LocalDate): ReadonlyArray<Instant> {
    if (this.#overridden.has(date)) return startsOn({ playroom: this.#playroom }, this.#pkg, date)
    const midnight = startOfDay(plainZone, date)
    return (this.#weekly[weekdays.indexOf(weekdayOf(date))] ?? []).map((minutes) => midnight + minutes * minuteMs)
  }

  #priceOf(date: LocalDate): number | undefined {
    const starts = this.#startsOn(date)
    const [first] = starts
    if (first === undefined) return undefined
    const at = (start: Instant) => totalAt({ ...this.#venue, playroom: this.#playroom }, this.#pkg, this.#party, start)
    if (!priceDependsOnStart(this.#pkg)) return (this.#anytime ??= at(first))
    const byClock = this.#pkg.pricing.rules.some((rule) => dependsOn(rule, "clock"))
    return Math.min(...(byClock ? starts : [first]).map(at))
  }

  /** The lowest price of visits on a day; undefined without visits. */
  on(date: LocalDate): number | undefined {
    if (this.#days.has(date)) return this.#days.get(date)
    const holding = this.#dated.map((rule) => meetsDate(rule, date))
    const day = this.#overridden.has(date) ? date : weekdayOf(date)
    const key = `${day} ${holding.map(Number).join("")}`
    if (!this.#prices.has(key)) this.#prices.set(key, this.#priceOf(date))
    const price = this.#prices.get(key)
    this.#days.set(date, price)
    return price
  }

  /** The lowest price bookable on a day, for visits from the lead time to the horizon; undefined without visits. */
  from(today: LocalDate): number | undefined {
    const { lead_time_minutes, max_advance_days } = this.#playroom
    const first = addDays(today, Math.floor(lead_time_minutes / dayMinutes))
    const last = addDays(today, this.lasting ? Math.floor(lead_time_minutes / dayMinutes) + 6 : max_advance_days)
    let least: number | undefined
    for (const date of datesFrom(first, last)) {
      const price = this.on(date)
      if (price !== undefined && (least === undefined || price < least)) least = price
    }
    return least
  }
}

/**
 * Visits of one package on some days, as bounds that may be too wide but never too narrow. Clock times are minutes
 * since the midnight of the day on which a visit starts. Amounts are minor units of the playroom's currency.
 */
interface SearchVisit {
  readonly package_id: string
  /** As an `int4multirange`; 0 is Monday. */
  readonly weekdays: string
  /** As a `daterange`. */
  readonly dates: string
  readonly last_start: number
  readonly first_end: number
  /** A lower bound of the price of any party. */
  readonly least_total: number
  /** A lower bound of any party's price per child. */
  readonly least_per_child: number
}

/** Search facts of a playroom besides its own columns. */
export interface SearchFacts {
  /** The lowest price between now and the horizon: of the smallest party of the cheapest package. */
  readonly from_price: number
  /** The party of that price, in words. */
  readonly from_price_for: string
  /** The same for each package, and the price of a further child. */
  readonly price_from: ReadonlyArray<{
    readonly package_id: string
    readonly price_from: number
    readonly further_child: number
  }>
  /** When the calendar alone may change the prices; undefined: never. */
  readonly from_price_until: Instant | undefined
  /** When to recompute all facts. */
  readonly derived_until: Instant
  readonly visits: ReadonlyArray<SearchVisit>
  /** The needs that its texts say it meets. */
  readonly needs: ReadonlyArray<Need>
}

/** For how many days facts stay right: clock changes are looked up this far beyond the horizon. */
const validForDays = 400
/** They are recomputed earlier, after this many days: seasons come into the horizon, and the rules of zones change. */
const deriveEveryDays = 30

/** The earliest end and the latest start of a day's visits. */
interface Bounds {
  readonly last_start: number
  readonly first_end: number
}

const sameBounds = (a: Bounds | undefined, b: Bounds | undefined): boolean =>
  a?.last_start === b?.last_start && a?.first_end === b?.first_end

/** The same on a weekday with the weekly hours, from its starts as minutes. */
const weeklyBounds = (starts: ReadonlyArray<number>, { duration_minutes }: Package): Bounds | undefined => {
  const [first] = starts
  if (first === undefined) return undefined
  const end = first + duration_minutes
  // A visit that ends on the next day fits no latest end.
  return { last_start: Math.max(...starts), first_end: end > dayMinutes ? 2880 : end }
}

/** The bounds of a package's visits on a date; undefined without visits. */
const boundsOn = (playroom: Playroom, pkg: Package, date: LocalDate): Bounds | undefined => {
  const starts = startsOn({ playroom }, pkg, date)
  if (starts.length === 0) return undefined
  const zone = playroom.time_zone
  const day = dayRange(zone, date)
  // A visit that ends on the next day fits no latest end.
  const ends = starts.map((start) => {
    const end = start + pkg.duration_minutes * minuteMs
    return end < day.end ? localMinutesOf(zone, end) : end === day.end ? 1440 : 2880
  })
  return {
    last_start: Math.max(...starts.map((start) => localMinutesOf(zone, start))),
    first_end: Math.min(...ends)
  }
}

/** Results of `clockChanges`, by its arguments. */
const knownChanges = new Map<string, ReadonlyArray<LocalDate>>()

/**
 * The dates in a range of `days` dates on which the zone's clocks change, each with the day before and the two days
 * after.
 */
const clockChanges = (zone: string, from: LocalDate, days: number): ReadonlyArray<LocalDate> => {
  const key = `${zone} ${from} ${days}`
  let dates = knownChanges.get(key)
  if (dates === undefined) {
    const first = Date.parse(`${from}T00:00:00Z`)
    const changed = Array.from({ length: days }, (_, i) => first + i * dayMs).filter(
      (at) => offsetAt(zone, at) !== offsetAt(zone, at + dayMs)
    )
    dates = changed.flatMap((at) => [-1, 0, 1, 2].map((n) => localDateOf("UTC", at + n * dayMs)))
    if (knownChanges.size > 500) knownChanges.clear()
    knownChanges.set(key, dates)
  }
  return dates
}

/** Whether opening hours are so close to clock changes that a change can move visits. */
const meetsClockChanges = ({ opens, closes }: { readonly opens: string; readonly closes: string }): boolean =>
  opens < "05:00" || closes > "21:00" || closes <= opens

/** Dates whose visits may differ from those of their weekday. */
const irregularDates = (playroom: Playroom, today: LocalDate): ReadonlyArray<LocalDate> => {
  const { opening_hours, overrides, max_advance_days, time_zone } = playroom
  const first = addDays(today, -2)
  const overridden = overrides.flatMap(({ date }) => [-2, -1, 0, 1].map((n) => addDays(date, n)))
  const changing = [...opening_hours, ...overrides.flatMap(({ intervals }) => intervals)].some(meetsClockChanges)
    ? clockChanges(time_zone, first, max_advance_days + validForDays)
    : []
  return [...new Set([...overridden, ...changing])].filter((date) => date >= first).sort()
}

const multirange = (days: Iterable<number>): string => `{${[...days].map((day) => `[${day},${day + 1})`).join(",")}}`

/**
 * Ranges of party sizes. The smallest party of each pays least. Small sizes have a range each; for large ones the
 * ranges get wider.
 */
const sizeRanges = function* (pkg: Package) {
  for (const { from: min, to: max } of sizesUnderSameRules(pkg)) {
    for (let from = min; from <= max;) {
      const next = from < 64 ? from + 1 : Math.ceil(from * 1.1)
      yield { from, to: Math.min(max, next - 1) }
      from = next
    }
  }
}

/** Lower bounds of the prices of a package's parties from a date on. */
const leastAmounts = (pkg: Package, playroom: Playroom, today: LocalDate) => {
  const price = (children: number) => minPrice(playroom, pkg, children, today)
  let least_total = Infinity
  let least_per_child = Infinity
  for (const { from, to } of sizeRanges(pkg)) {
    const total = price(from)
    least_total = Math.min(least_total, total)
    least_per_child = Math.min(least_per_child, Math.floor(total / to))
  }
  return { least_total, least_per_child }
}

/** Rows that together hold every visit of a package. A package without visits still has a row, without any date. */
const visitsOf = (playroom: Playroom, pkg: Package, irregular: ReadonlyArray<LocalDate>, today: LocalDate) => {
  const rows = new Map<string, Bounds & { readonly dates: string; readonly days: Set<number> }>()
  const add = (bounds: Bounds | undefined, dates: string, day: number) => {
    if (bounds === undefined) return
    const key = `${dates} ${bounds.last_start} ${bounds.first_end}`
    const row = rows.get(key)
    if (row === undefined) rows.set(key, { ...bounds, dates, days: new Set([day]) })
    else row.days.add(day)
  }
  const usual = weeklyStarts(playroom, pkg).map((starts) => weeklyBounds(starts, pkg))
  const onIrregularDates = irregular.map((date) => [date, boundsOn(playroom, pkg, date)] as const)
  for (const [day, ofWeekday] of usual.entries()) {
    // Each period begins on a date and ends at the next. An irregular date is a period of a week; the usual bounds
    // follow.
    const periods: Array<readonly [from: LocalDate | "", bounds: Bounds | undefined]> = [["", ofWeekday]]
    for (const [date, bounds] of onIrregularDates) {
      if (weekdays[day] !== weekdayOf(date) || sameBounds(bounds, periods.at(-1)?.[1])) continue
      if (periods.at(-1)?.[0] === date) periods.pop()
      if (!sameBounds(bounds, periods.at(-1)?.[1])) periods.push([date, bounds])
      periods.push([addDays(date, 7), ofWeekday])
    }
    for (const [i, [from, bounds]] of periods.entries()) add(bounds, `[${from},${periods[i + 1]?.[0] ?? ""})`, day)
  }
  if (rows.size === 0) add({ last_start: 0, first_end: 2880 }, "empty", 0)
  const least = leastAmounts(pkg, playroom, today)
  return [...rows.values()].map(({ days, ...row }): SearchVisit => ({
    package_id: pkg.package_id,
    weekdays: multirange([...days].sort()),
    ...row,
    ...least
  }))
}

/** The price of the first child whom the lowest price does not cover; 0 if the package takes no more. */
const furtherChildPrice = (
  venue: Pick<Venue, "playroom" | "add_ons">,
  pkg: Package,
  price_from: number,
  today: LocalDate
): number => {
  const children = firstUncovered(pkg)
  if (children === undefined) return 0
  const one_more = priceDependsOnStart(pkg)
    ? new LowestPrices(venue, pkg, { children, adults: 0, add_ons: [] }).from(today)
    : undefined
  return one_more === undefined ? furtherChildListPrice(venue.playroom, pkg) : Math.max(0, one_more - price_from)
}

/** The search facts of a playroom at `now`. Right for `validForDays` days, the prices until `from_price_until`. */
export const searchFactsOf = (venue: Omit<Venue, "operator">, now: Instant): SearchFacts => {
  const { playroom, packages } = venue
  const zone = playroom.time_zone
  const today = localDateOf(zone, now)
  const irregular = irregularDates(playroom, today)
  const lowest = packages.map(
    (pkg) => new LowestPrices(venue, pkg, { children: pkg.min_children, adults: 0, add_ons: [] })
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
    const price_from = ofToday[i] ?? minPrice(playroom, pkg, pkg.min_children, today)
    return { package_id: pkg.package_id, price_from, further_child: furtherChildPrice(venue, pkg, price_from, today) }
  })
  const bookable = ofToday.filter((price) => price !== undefined)
  const from_price = Math.min(...(bookable.length === 0 ? prices.map(({ price_from }) => price_from) : bookable))
  const cheapest = packages.find((_, i) => (bookable.length === 0 ? prices[i]?.price_from : ofToday[i]) === from_price)
  return {
    from_price,
    from_price_for: cheapest === undefined ? "" : `${coveredPartyText(cheapest)}, ${cheapest.mode}`,
    price_from: prices,
    from_price_until,
    derived_until: from_price_until ?? now + deriveEveryDays * dayMs,
    visits: packages.flatMap((pkg) => visitsOf(playroom, pkg, irregular, today)),
    needs: needsMetBy(playroom)
  }
}
