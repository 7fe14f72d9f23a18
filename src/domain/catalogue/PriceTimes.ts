/**
 * When the lowest of a package's prices holds, in words: "weekdays until 12:00; otherwise £7.50". A price without a
 * date is told with these words only. Pure.
 */

import { type Array as Arr, Struct } from "effect"
import { chargeStep } from "../../platform/money/Charge.ts"
import { display } from "../../platform/money/Money.ts"
import { childrenText, counted } from "../../platform/text/Text.ts"
import {
  addDays,
  clockTimeOf,
  shortDate,
  weekdays as allWeekdays,
  type LocalDate
} from "../../platform/time/LocalTime.ts"
import { asForCheapestAges } from "./ChildPrices.ts"
import type { PackageAmounts } from "./Package.ts"
import {
  type TimeCell,
  type TimeGrid,
  addOnAmounts,
  changeOf,
  type DatedRule,
  holdsAlways,
  leastValue,
  mayHoldFrom,
  meetsSchedule,
  pricingRules,
  valuesOf
} from "./PriceRules.ts"
import {
  type Party,
  askedWith,
  type PricedPackage,
  type PricedPlayroom,
  type PricedVenue,
  totalWith
} from "./Pricing.ts"
import { ratesBetween, ratesFrom } from "./Tax.ts"

// Bounds of prices at any time, and the list price. Pure. Amounts are those of `Pricing.ts`.

/**
 * The party sizes of a package, in ranges. At one start the same rules apply to all parties of a range, so a larger
 * party of the range never pays less. It is one range as long as no rule depends on the party. Use these ranges to
 * derive the prices of many sizes from a few.
 */
export const sizesUnderSameRules = ({
  max_children,
  min_children
}: PricedPackage): Arr.NonEmptyReadonlyArray<{ readonly from: number; readonly to: number }> => [
  { from: min_children, to: max_children }
]

/** The package with each amount as `of` says. Rules that set amounts must not be applied to it. */
const withAmounts = (pkg: PricedPackage, of: (name: keyof PackageAmounts) => number): PricedPackage => ({
  ...pkg,
  pricing: { ...pkg.pricing, base: of("base"), extra_child: of("extra_child"), adult: of("adult") }
})

/**
 * The highest possible price of a party, whatever its ages are: with the highest amounts, every rule that raises it,
 * and no other. It must not exceed `maxMinorUnits`.
 */
export const maxPrice = ({ add_ons, playroom }: PricedVenue, pkg: PricedPackage, party: Party): number => {
  const rated = [playroom, pkg, ...add_ons].flatMap(({ tax }) => tax ?? [])
  const tax = { rate_percent: Math.max(...rated.flatMap((rates) => ratesBetween(rates))) }
  // Each rate's tax on top is rounded by itself.
  const rounded = playroom.tax.included || rated.length === 1 ? 0 : party.add_ons.length * chargeStep(playroom.currency)
  const total = totalWith(
    { playroom, add_ons: add_ons.map((addOn) => ({ ...addOn, tax, unit_amount: Math.max(...addOnAmounts(addOn)) })) },
    { ...withAmounts(pkg, (name) => Math.max(...valuesOf(pkg, name))), tax },
    Struct.omit(party, ["child_ages"]),
    pkg.pricing.rules.filter((rule) => changeOf(rule) > 0)
  )
  return total + rounded
}

const onlyChildren = (children: number): Party => ({ children, adults: 0, add_ons: [] })

/** The total of a party of children only, with the given rules of the package. */
const childrenTotal = (
  playroom: PricedPlayroom,
  pkg: PricedPackage,
  children: number,
  rules: ReadonlyArray<DatedRule>
): number => totalWith({ playroom, add_ons: [] }, pkg, onlyChildren(children), rules)

/**
 * A lower bound: no party of `children` pays less from `today` on, at any start and of any ages. Counts the least
 * amounts, the lowest rate of tax and every discount that may still apply, and only surcharges that always apply.
 */
export const minPrice = (playroom: PricedPlayroom, pkg: PricedPackage, children: number, today: LocalDate): number =>
  childrenTotal(
    playroom,
    {
      ...asForCheapestAges(withAmounts(pkg, (name) => leastValue(pkg, name, today))),
      tax: { rate_percent: Math.min(...ratesFrom(pkg.tax ?? playroom.tax, today)) }
    },
    children,
    pkg.pricing.rules.filter(
      (rule) => !("prices" in rule.change) && (changeOf(rule) < 0 ? mayHoldFrom(rule, pkg, today) : holdsAlways(rule))
    )
  )

/**
 * Possible prices of parties without adults and add-ons, by their children: with the rules that always apply, alone and
 * with each other rule that the schedule allows. They may be below the minimum charge. Within one of
 * `sizesUnderSameRules`, none of these prices falls as the party grows.
 */
export const possiblePrices = (
  playroom: PricedPlayroom,
  pkg: PricedPackage
): ReadonlyArray<(children: number) => number> => {
  const rules = pricingRules(playroom, pkg)
  const sometimes = rules.filter((rule) => !holdsAlways(rule) && meetsSchedule(rule, pkg))
  return [undefined, ...sometimes].map((one) => {
    const holding = rules.filter((rule) => rule === one || holdsAlways(rule))
    return (children) => askedWith({ playroom, add_ons: [] }, pkg, onlyChildren(children), holding)
  })
}

/**
 * The list price for the smallest party, without adults and add-ons, before rules that apply only at some times. In
 * minor units, including tax on top.
 */
export const listPrice = (playroom: PricedPlayroom, pkg: PricedPackage): number =>
  childrenTotal(playroom, pkg, pkg.min_children, pkg.pricing.rules.filter(holdsAlways))

/** The largest party that pays no more than the smallest one, at any start at which the same rules apply to both. */
const coveredChildren = (pkg: PricedPackage): number => {
  const { included_children, min_billed_children = 0 } = pkg.pricing
  const [{ from, to }] = sizesUnderSameRules(pkg)
  return valuesOf(pkg, "extra_child").every((amount) => amount === 0)
    ? to
    : Math.min(to, Math.max(from, included_children, min_billed_children))
}

/** The smallest party that the lowest price does not cover; undefined if it covers all. */
export const firstUncovered = (pkg: PricedPackage): number | undefined => {
  const covered = coveredChildren(pkg)
  return covered === pkg.max_children ? undefined : covered + 1
}

/** Whether adults cost something, at some time. */
export const asksForAdults = (pkg: PricedPackage): boolean => valuesOf(pkg, "adult").some((amount) => amount > 0)

/** The party that the lowest price covers: children from `least` to `most`, and adults, of whom any number if undefined. */
export const coveredParty = (
  pkg: PricedPackage
): { readonly least: number; readonly most: number; readonly adults: number | undefined } => ({
  least: pkg.min_children,
  most: coveredChildren(pkg),
  adults: asksForAdults(pkg) ? (pkg.pricing.included_adults ?? 0) : undefined
})

/** The same in words: "4 to 10 children". */
export const coveredPartyText = (pkg: PricedPackage): string => {
  const { adults, least, most } = coveredParty(pkg)
  const children = childrenText(least, most)
  return adults === undefined
    ? children
    : `${children}, ${adults === 0 ? "no adults" : `up to ${counted(adults, "adult")}`}`
}

/**
 * When a package can be booked, as far as its rules tell starts apart. The same rules apply in all cells of a group.
 */
export interface BookableTimes {
  readonly grid: TimeGrid
  readonly groups: ReadonlyArray<{
    readonly rules: ReadonlyArray<DatedRule>
    readonly cells: ReadonlyArray<TimeCell>
  }>
}

/** An amount, and the cells in which it is that. */
interface TimedAmount {
  readonly amount: number
  readonly cells: ReadonlyArray<TimeCell>
}

/** An amount at every bookable start of a package. */
export interface TimedAmounts {
  readonly grid: TimeGrid
  readonly amounts: ReadonlyArray<TimedAmount>
}

/** The amounts that depend on nothing but the rules that apply. */
export const amountsAt = (
  { grid, groups }: BookableTimes,
  amountOf: (rules: ReadonlyArray<DatedRule>) => number
): TimedAmounts => ({ grid, amounts: groups.map(({ cells, rules }) => ({ amount: amountOf(rules), cells })) })

/** The lowest amount; undefined if nothing can be booked. */
export const lowestIn = ({ amounts }: TimedAmounts): number | undefined =>
  amounts.length === 0 ? undefined : Math.min(...amounts.map(({ amount }) => amount))

/** Neighbouring periods or parts of the day, in which the lowest amount holds on the same conditions. */
type Stretch = ReadonlyArray<number>

/** Some stretches of periods (from `periods[0]` to `periods[1]`, or all others), weekdays, and stretches of the day. */
interface Window {
  readonly others: boolean
  readonly periods: readonly [from: number, to: number]
  readonly weekdays: ReadonlyArray<number>
  readonly parts: readonly [from: number, to: number]
}

/** So many stretches are looked through for a window; with more, the words would be no help. */
const mostPeriods = 8
const mostParts = 10

/** Merges neighbours that look alike. `look`: what holds in a period or part, as text. */
const stretchesOf = (places: Iterable<number>, look: (place: number) => string): ReadonlyArray<Stretch> => {
  const stretches: Array<{ readonly look: string; readonly places: Array<number> }> = []
  for (const place of [...new Set(places)].sort((a, b) => a - b)) {
    const last = stretches.at(-1)
    if (last !== undefined && last.look === look(place)) last.places.push(place)
    else stretches.push({ look: look(place), places: [place] })
  }
  return stretches.map(({ places: merged }) => merged)
}

/** Every run of neighbours among so many, the longest first. */
const runsOf = (count: number): ReadonlyArray<readonly [from: number, to: number]> =>
  Array.from({ length: count }, (_, from) =>
    Array.from({ length: count - from }, (__, more) => [from, from + more] as const)
  )
    .flat()
    .sort(([a, b], [c, d]) => d - c - (b - a))

const isInside = ([from, to]: readonly [number, number], place: number): boolean => from <= place && place <= to

/** The cells of the lowest amount and all others, by stretches. */
class Chart {
  readonly periods: ReadonlyArray<Stretch>
  readonly parts: ReadonlyArray<Stretch>
  readonly sold: ReadonlyArray<number>
  readonly #cells: ReadonlyArray<TimeCell & { readonly lowest: boolean }>

  constructor({ amounts }: TimedAmounts, lowest: number) {
    const cells = amounts.flatMap((one) => one.cells.map((cell) => ({ ...cell, lowest: one.amount === lowest })))
    const looks = (key: (cell: TimeCell) => number, rest: (cell: TimeCell) => number) => {
      const by = new Map<number, Array<string>>()
      for (const cell of cells) {
        const its = by.get(key(cell)) ?? []
        by.set(key(cell), its)
        its.push(`${cell.weekday} ${rest(cell)} ${cell.lowest}`)
      }
      const texts = new Map([...by].map(([place, its]) => [place, its.sort().join()]))
      return stretchesOf(by.keys(), (place) => texts.get(place) ?? "")
    }
    this.#cells = cells
    this.periods = looks(
      ({ period }) => period,
      ({ part }) => part
    )
    this.parts = looks(
      ({ part }) => part,
      ({ period }) => period
    )
    this.sold = allWeekdays.map((_, day) => day).filter((day) => cells.some(({ weekday }) => weekday === day))
  }

  /** Whether a cell lies in a window. */
  isIn({ others, parts, periods, weekdays }: Window): (cell: TimeCell) => boolean {
    const period = this.periods.map((_, i) => isInside(periods, i) !== others)
    const inside = new Set(this.periods.flatMap((stretch, i) => (period[i] === true ? stretch : [])))
    const clock = new Set(this.parts.flatMap((stretch, i) => (isInside(parts, i) ? stretch : [])))
    return (cell) => inside.has(cell.period) && clock.has(cell.part) && weekdays.includes(cell.weekday)
  }

  /**
   * The window with the most cells of the lowest amount and no others; of several, the one with the fewest conditions.
   */
  widest(): Window | undefined {
    if (this.periods.length > mostPeriods || this.parts.length > mostParts) return undefined
    const [periods, parts] = [runsOf(this.periods.length), runsOf(this.parts.length)]
    const spans = [
      ...periods.map((span) => ({ others: false, periods: span })),
      ...periods
        .filter(([from, to]) => from > 0 && to < this.periods.length - 1)
        .map((span) => ({ others: true, periods: span }))
    ]
    let best: { readonly window: Window; readonly held: number } | undefined
    for (const span of spans) {
      for (const part of parts) {
        const within = this.#cells.filter(this.isIn({ ...span, parts: part, weekdays: this.sold }))
        const dear = new Set(within.flatMap(({ lowest, weekday }) => (lowest ? [] : [weekday])))
        const held = within.filter(({ weekday }) => !dear.has(weekday)).length
        if (held <= (best?.held ?? 0)) continue
        best = { window: { ...span, parts: part, weekdays: this.sold.filter((day) => !dear.has(day)) }, held }
      }
    }
    return best?.window
  }
}

const dayName = (day: number): string => {
  const name = allWeekdays[day] ?? ""
  return `${name.charAt(0).toUpperCase()}${name.slice(1, 3)}`
}

const weekend = [5, 6]

/** The days of a window among those on which the package is sold; "" for all of them. */
const weekdayText = (days: ReadonlyArray<number>, sold: ReadonlyArray<number>): string => {
  const same = (some: ReadonlyArray<number>) =>
    days.join() === sold.filter((day) => some.includes(day)).join() && days.length > 1
  if (days.length === sold.length) return ""
  if (same([0, 1, 2, 3, 4])) return "weekdays"
  if (same(weekend)) return "weekends"
  const [first = 0] = days
  const last = days.at(-1) ?? first
  return days.length > 2 && last - first === days.length - 1
    ? `${dayName(first)} to ${dayName(last)}`
    : days.map(dayName).join(" and ")
}

const clockText = ({ parts: [from, to] }: Window, { parts }: Chart, { minutes }: TimeGrid): string => {
  const [first = 0, last = 0] = [parts[from]?.[0], parts[to]?.at(-1)]
  const opens = from === 0 ? "" : `from ${clockTimeOf(minutes[first - 1] ?? 0)}`
  const closes = to === parts.length - 1 ? "" : `until ${clockTimeOf(minutes[last] ?? 0)}`
  return [opens, closes].filter((text) => text !== "").join(" ")
}

const dateText = ({ others, periods: [from, to] }: Window, { periods }: Chart, { dates }: TimeGrid): string => {
  const [first = 0, last = 0] = [periods[from]?.[0], periods[to]?.at(-1)]
  const begins = dates[first - 1]
  const next = dates[last]
  const [opens, closes] = [
    from === 0 || begins === undefined ? "" : shortDate(begins),
    to === periods.length - 1 || next === undefined ? "" : shortDate(addDays(next, -1))
  ]
  if (opens === "" && closes === "") return ""
  if (opens === closes) return others ? `except ${opens}` : `on ${opens}`
  if (others) return `except ${opens} to ${closes}`
  return opens === "" ? `until ${closes}` : closes === "" ? `from ${opens}` : `${opens} to ${closes}`
}

const windowText = (window: Window, chart: Chart, grid: TimeGrid): string =>
  [
    [weekdayText(window.weekdays, chart.sold), clockText(window, chart, grid)].filter((text) => text !== "").join(" "),
    dateText(window, chart, grid)
  ]
    .filter((text) => text !== "")
    .join(", ")

/** When the lowest amount holds, and what it is at other times. */
interface LowestTimes {
  readonly times: string
  readonly otherwise?: string
}

/** "£3.75 to £7.50", or one amount. */
export const rangeText = (amounts: ReadonlyArray<number>, currency: string): string => {
  const [least, most] = [Math.min(...amounts), Math.max(...amounts)]
  return least === most ? display(least, currency) : `${display(least, currency)} to ${display(most, currency)}`
}

const lowestTimes = (timed: TimedAmounts, currency: string): LowestTimes => {
  const { amounts, grid } = timed
  const lowest = lowestIn(timed)
  if (lowest === undefined || amounts.every(({ amount }) => amount === lowest)) return { times: "any time" }
  const chart = new Chart(timed, lowest)
  const window = chart.widest()
  if (window === undefined) {
    const most = Math.max(...amounts.map(({ amount }) => amount))
    return { times: "at some times", otherwise: `up to ${display(most, currency)}` }
  }
  const inside = chart.isIn(window)
  const rest = amounts.filter(({ cells }) => !cells.every(inside)).map(({ amount }) => amount)
  return { times: windowText(window, chart, grid), otherwise: rangeText(rest, currency) }
}

const textOf = ({ otherwise, times }: LowestTimes): string =>
  otherwise === undefined ? times : `${times}; otherwise ${otherwise}`

/**
 * When the lowest amount holds, and what it is at other times, in words. A start within the times has exactly that
 * amount; `until` and `from` are clock times of starts, `until` excluded, and dates are included.
 */
export const whenLowest = (timed: TimedAmounts, currency: string): string => textOf(lowestTimes(timed, currency))

/** An amount beside a price, and when it is that: "£3.75 then; otherwise £7.50", if at the same times as the price. */
export const besideLowest = (beside: TimedAmounts, price: TimedAmounts, currency: string): string => {
  const lowest = display(lowestIn(beside) ?? 0, currency)
  const told = lowestTimes(beside, currency)
  if (told.otherwise === undefined) return lowest
  return told.times === lowestTimes(price, currency).times
    ? `${lowest} ${textOf({ ...told, times: "then" })}`
    : `${lowest}, ${textOf(told)}`
}
