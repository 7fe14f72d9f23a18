/** When the price rules of packages and add-ons hold, and the amounts that they set. Pure. */
import { Struct } from "effect"
import {
  addDays,
  type Instant,
  type LocalDate,
  localDateOf,
  localMinutesOf,
  minutesOf,
  type Weekday,
  weekdayOf,
  weekdays
} from "../../platform/time/LocalTime.ts"
import type { AddOn, Package, PackageAmounts, PriceCode, PriceRule, RuleTimes } from "./Package.ts"
import type { Playroom } from "./Playroom.ts"

/** A change of a package's tax by date, which holds like a price rule. */
interface TaxRule extends RuleTimes {
  readonly change: { readonly tax_percent: number }
}

/** What holds at some starts of a package: its price rules, the changes of its tax, and the code that a party gave. */
export type DatedRule = PriceRule | PriceCode | TaxRule

type Taxed = Pick<Playroom, "tax">

/** The start of a visit by the playroom's calendar and clock. `minutes` since midnight. */
interface LocalStart {
  readonly date: LocalDate
  readonly weekday: Weekday
  readonly minutes: number
}

type ConditionName = Exclude<keyof RuleTimes, "label">

/** The first date and the first minute of a day from which a condition holds, or holds no longer. */
interface Cut {
  readonly date?: LocalDate
  readonly minutes?: number
}

/**
 * Every condition of a price rule: whether a start meets it, and where it divides dates or days. All depend on the
 * start alone. For a condition on the party, `sizesUnderSameRules` would split parties by it, and callers of `rulesAt`
 * and `holdsAlways` would have to pass the party; what depends on each child alone is a `ChildRule`.
 */
const conditions: Readonly<
  Record<
    ConditionName,
    {
      readonly meets: (rule: RuleTimes, start: LocalStart) => boolean
      readonly cut: (rule: RuleTimes) => Cut | undefined
    }
  >
> = {
  weekdays: {
    meets: (rule, { weekday }) => rule.weekdays === undefined || rule.weekdays.includes(weekday),
    cut: () => undefined
  },
  from: {
    meets: ({ from }, { minutes }) => from === undefined || minutesOf(from) <= minutes,
    cut: ({ from }) => (from === undefined ? undefined : { minutes: minutesOf(from) })
  },
  until: {
    meets: ({ until }, { minutes }) => until === undefined || minutes < minutesOf(until),
    cut: ({ until }) => (until === undefined ? undefined : { minutes: minutesOf(until) })
  },
  date_from: {
    meets: ({ date_from }, { date }) => date_from === undefined || date_from <= date,
    cut: ({ date_from }) => (date_from === undefined ? undefined : { date: date_from })
  },
  date_to: {
    meets: ({ date_to }, { date }) => date_to === undefined || date <= date_to,
    cut: ({ date_to }) => (date_to === undefined ? undefined : { date: addDays(date_to, 1) })
  }
}
const conditionNames = Struct.keys(conditions)

/** Whether a rule applies at every start. */
export const holdsAlways = (rule: RuleTimes): boolean => conditionNames.every((name) => rule[name] === undefined)

/** Whether a rule applies at every start from `today` on. */
const holdsFrom = (rule: RuleTimes, today: LocalDate): boolean =>
  conditionNames.every((name) => rule[name] === undefined || (name === "date_from" && (rule.date_from ?? "") <= today))

/** Whether a rule can apply at some start from `today` on. */
export const mayHoldFrom = (rule: RuleTimes, pkg: Pick<Package, "schedule">, today: LocalDate): boolean =>
  meetsSchedule(rule, pkg) && (rule.date_to === undefined || rule.date_to >= today)

const rulesOf = <R extends RuleTimes>(rules: ReadonlyArray<R>, start: LocalStart): ReadonlyArray<R> =>
  rules.filter((rule) => conditionNames.every((name) => conditions[name].meets(rule, start)))

/** Those of some rules that apply at a start, by the playroom's weekday, date and clock. */
export const rulesAt = <R extends RuleTimes>(
  rules: ReadonlyArray<R>,
  zone: string,
  start: Instant
): ReadonlyArray<R> => {
  if (rules.length === 0) return rules
  const date = localDateOf(zone, start)
  return rulesOf(rules, { date, weekday: weekdayOf(date), minutes: localMinutesOf(zone, start) })
}

/** All that holds at some starts of a package only. */
export const datedRules = (
  { tax }: Taxed,
  { pricing: { rules }, tax: own = tax }: Pick<Package, "pricing" | "tax">
): ReadonlyArray<DatedRule> =>
  own.changes === undefined
    ? rules
    : [
        ...rules,
        ...own.changes.map(({ from, rate_percent }): TaxRule => ({
          label: "Tax",
          date_from: from,
          change: { tax_percent: rate_percent }
        }))
      ]

/** Those of them that what a party pays depends on: tax that prices include changes none. */
export const pricingRules = (playroom: Taxed, pkg: Pick<Package, "pricing" | "tax">): ReadonlyArray<DatedRule> =>
  playroom.tax.included ? pkg.pricing.rules : datedRules(playroom, pkg)

/** How rules divide time. At starts of the same period, weekday and part of the day, the same rules apply. */
export interface TimeGrid {
  /** The first date of each period but the first. */
  readonly dates: ReadonlyArray<LocalDate>
  /** The first minute of each part of a day but the first. */
  readonly minutes: ReadonlyArray<number>
}

/** The grid of a package's rules. */
export const timeGrid = (rules: ReadonlyArray<RuleTimes>): TimeGrid => {
  const cuts = rules.flatMap((rule) => conditionNames.flatMap((name) => conditions[name].cut(rule) ?? []))
  const dates = cuts.flatMap(({ date }) => date ?? [])
  const minutes = cuts.flatMap((cut) => cut.minutes ?? [])
  return { dates: [...new Set(dates)].sort(), minutes: [...new Set(minutes)].sort((a, b) => a - b) }
}

/** The period of a date, or the part of the day of a minute. */
export const placeIn = <A extends LocalDate | number>(cuts: ReadonlyArray<A>, value: A): number =>
  cuts.filter((cut) => cut <= value).length

/** A cell of the grid. `weekday` counts from Monday. */
export interface TimeCell {
  readonly period: number
  readonly weekday: number
  readonly part: number
}

/** The rules that apply at the starts of a cell. */
export const rulesIn = <R extends RuleTimes>(
  rules: ReadonlyArray<R>,
  { dates, minutes }: TimeGrid,
  { part, period, weekday }: TimeCell
): ReadonlyArray<R> =>
  rulesOf(rules, {
    date: dates[period - 1] ?? "0001-01-01",
    weekday: weekdays[weekday] ?? "monday",
    minutes: minutes[part - 1] ?? 0
  })

/** By how much a rule changes the sum: a percentage, or minor units; 0 if it sets amounts or a rate instead. */
export const changeOf = ({ change }: DatedRule): number =>
  "percent" in change ? change.percent : "amount" in change ? change.amount : 0

const setBy = ({ change }: PriceRule, name: keyof PackageAmounts): number | undefined =>
  "prices" in change ? change.prices[name] : undefined

/** Amounts with what rules set in their place: the last one that sets an amount counts. */
const amountsSet = <Amounts extends object>(amounts: Amounts, sets: ReadonlyArray<Partial<Amounts>>): Amounts => {
  const changed = { ...amounts }
  for (const set of sets) Object.assign(changed, set)
  return changed
}

/** The amounts of a package at starts at which these of its rules apply. */
export const amountsWith = (
  { adult, base, extra_child, rules: all }: Package["pricing"],
  rules: ReadonlyArray<DatedRule>
): PackageAmounts => {
  const amounts = { base, extra_child, adult }
  return all.length === 0
    ? amounts
    : amountsSet<PackageAmounts>(
        amounts,
        rules.flatMap(({ change }) => ("prices" in change ? [change.prices] : []))
      )
}

/** Add-ons with the price that they have at a start. */
export const addOnsAt = (add_ons: ReadonlyArray<AddOn>, zone: string, start: Instant): ReadonlyArray<AddOn> =>
  add_ons.every(({ rules = [] }) => rules.length === 0)
    ? add_ons
    : add_ons.map(({ rules = [], ...addOn }) => {
        const { unit_amount } = amountsSet(
          { unit_amount: addOn.unit_amount },
          rulesAt(rules, zone, start).map(({ change }) => change.prices)
        )
        return { ...addOn, unit_amount }
      })

/** Every price that an add-on may have, the usual one first. With `between`, at starts on these dates. */
export const addOnAmounts = (
  { rules = [], unit_amount }: Pick<AddOn, "rules" | "unit_amount">,
  between?: readonly [from: LocalDate, to: LocalDate]
): ReadonlyArray<number> => {
  const [from, to] = between ?? []
  const met = rules.filter(
    ({ date_from, date_to }) =>
      (from === undefined || date_to === undefined || date_to >= from) &&
      (to === undefined || date_from === undefined || date_from <= to)
  )
  const amounts = met.map(({ change }) => change.prices.unit_amount)
  // A rule that holds at all of these starts leaves none of the prices before it.
  const last = from === undefined ? -1 : met.findLastIndex((rule) => holdsFrom(rule, from))
  return last === -1 ? [unit_amount, ...amounts] : amounts.slice(last)
}

/** Every value that an amount of a package may have. */
export const valuesOf = ({ pricing }: Pick<Package, "pricing">, name: keyof PackageAmounts): ReadonlyArray<number> => [
  pricing[name],
  ...pricing.rules.flatMap((rule) => setBy(rule, name) ?? [])
]

/** The least that an amount of a package may be from `today` on. */
export const leastValue = (
  pkg: Pick<Package, "pricing" | "schedule">,
  name: keyof PackageAmounts,
  today: LocalDate
): number =>
  pkg.pricing.rules.reduce((least, rule) => {
    const value = setBy(rule, name)
    if (value === undefined || !mayHoldFrom(rule, pkg, today)) return least
    return holdsFrom(rule, today) ? value : Math.min(least, value)
  }, pkg.pricing[name])

/** Whether a rule can apply on a weekday on which the package starts. */
export const meetsSchedule = (rule: RuleTimes, { schedule }: Pick<Package, "schedule">): boolean => {
  const days = schedule.weekdays
  return rule.weekdays === undefined || days === undefined || rule.weekdays.some((day) => days.includes(day))
}

/** Whether the price of a visit depends on when it starts. */
export const priceDependsOnStart = (playroom: Taxed, pkg: Pick<Package, "pricing" | "tax">): boolean =>
  pricingRules(playroom, pkg).some((rule) => !holdsAlways(rule))
