/** What a package costs "from". Search filters and sorts by it; the price of a visit is the booking's own (`Pricing.ts`). */
import type { LocalDate, Weekday } from "../kernel/LocalTime.ts"
import { percentOf } from "../kernel/Money.ts"
import type { Package, PriceRule } from "./Package.ts"
import type { TaxTerms } from "./Playroom.ts"

type Priced = Pick<Package, "pricing" | "min_children" | "max_children" | "schedule">

const priceWith = (
  pkg: Priced,
  tax: TaxTerms,
  children: number,
  rules: ReadonlyArray<PriceRule>,
  adults = 0
): number => {
  const { base, included_children, extra_child, adult, included_adults = 0, min_billed_children = 0 } = pkg.pricing
  const extra = Math.max(0, Math.max(children, min_billed_children) - included_children)
  let sum = base + extra * extra_child + Math.max(0, adults - included_adults) * adult
  for (const { change } of rules) {
    sum += Math.max(-sum, "percent" in change ? percentOf(sum, change.percent) : change.amount)
  }
  return tax.included ? sum : sum + percentOf(sum, tax.rate_percent)
}

const isDiscount = ({ change }: PriceRule): boolean => ("percent" in change ? change.percent : change.amount) < 0

const holdsAlways = ({ weekdays, from, until, date_from, date_to }: PriceRule): boolean =>
  [weekdays, from, until, date_from, date_to].every((condition) => condition === undefined)

const share = (a: ReadonlyArray<Weekday> | undefined, b: ReadonlyArray<Weekday> | undefined): boolean =>
  a === undefined || b === undefined || a.some((day) => b.includes(day))

/** Minor units for the smallest party, without adults and add-ons, before rules that hold only at some times; with tax that comes on top. */
export const priceFrom = (pkg: Priced, tax: TaxTerms): number =>
  priceWith(pkg, tax, pkg.min_children, pkg.pricing.rules.filter(holdsAlways))

/** The largest party that pays no more than the smallest, rules aside. */
export const largestAtPriceFrom = ({ min_children, max_children, pricing }: Priced): number =>
  pricing.extra_child === 0
    ? max_children
    : Math.min(max_children, Math.max(min_children, pricing.included_children, pricing.min_billed_children ?? 0))

/** What a child adds to that price who comes beside those that it covers, before rules that hold only at some times; 0 where nobody may. */
export const furtherChild = (pkg: Priced, tax: TaxTerms): number => {
  const covered = largestAtPriceFrom(pkg)
  const rules = pkg.pricing.rules.filter(holdsAlways)
  return covered === pkg.max_children
    ? 0
    : priceWith(pkg, tax, covered + 1, rules) - priceWith(pkg, tax, covered, rules)
}

/** Whether a visit costs the same at whatever time. */
export const costsTheSame = (pkg: Priced): boolean => pkg.pricing.rules.every(holdsAlways)

/** Whom the price of the smallest party is for, in words: "4 to 10 children". */
export const priceCovers = (pkg: Priced): string => {
  const { adult, included_adults = 0 } = pkg.pricing
  const [from, to] = [pkg.min_children, largestAtPriceFrom(pkg)]
  const children = from < to ? `${from} to ${to} children` : from === 1 ? "1 child" : `${from} children`
  const adults = adult === 0 ? "" : included_adults === 0 ? ", no adults" : `, up to ${included_adults} adults`
  return children + adults
}

/**
 * A bound below: no party of `children` pays less from `today` on, whenever it comes. Counts every discount that may still
 * hold and no surcharge but those that always do.
 */
export const leastPrice = (pkg: Priced, tax: TaxTerms, children: number, today: LocalDate): number =>
  priceWith(
    pkg,
    tax,
    children,
    pkg.pricing.rules.filter((rule) =>
      isDiscount(rule)
        ? share(rule.weekdays, pkg.schedule.weekdays) && (rule.date_to === undefined || rule.date_to >= today)
        : holdsAlways(rule)
    )
  )

/** A bound above for the largest party with `adults`, add-ons apart: every surcharge and no discount. */
export const mostPrice = (pkg: Priced, tax: TaxTerms, adults: number): number =>
  priceWith(
    pkg,
    tax,
    pkg.max_children,
    pkg.pricing.rules.filter((rule) => !isDiscount(rule)),
    adults
  )

/**
 * What parties without adults and add-ons pay, by their children: with the rules that always hold, and with each other rule that can
 * meet the schedule beside them. A price never falls as the party grows.
 */
export const pricesAtSomeTime = (pkg: Priced, tax: TaxTerms): ReadonlyArray<(children: number) => number> => {
  const { rules } = pkg.pricing
  const sometimes = rules.filter((rule) => !holdsAlways(rule) && share(rule.weekdays, pkg.schedule.weekdays))
  return [undefined, ...sometimes].map((one) => {
    const holding = rules.filter((rule) => rule === one || holdsAlways(rule))
    return (children) => priceWith(pkg, tax, children, holding)
  })
}
