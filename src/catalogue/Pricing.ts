/**
 * The one calculator of amounts: what a party pays at a start, and between which bounds it pays at any time. Pure; all amounts are
 * whole minor units of the playroom's currency. The lowest price that can be booked is the least of these amounts over all starts:
 * `SearchFacts.ts`.
 */
import { type Array, Struct } from "effect"
import {
  format,
  hourMs,
  type Instant,
  type LocalDate,
  localDateOf,
  localMinutesOf,
  minutesOf,
  weekdayOf
} from "../kernel/LocalTime.ts"
import { display, percentOf, taxInside } from "../kernel/Money.ts"
import type { AddOn, Package, PriceRule } from "./Package.ts"
import type { TaxTerms, Venue } from "./Playroom.ts"
import type { AddOnChoice, LineKind, Party, Price } from "./Price.ts"
import type { Deposit } from "./Terms.ts"

/**
 * A price, and of what is paid the minor units that no cancellation refunds. `deposit` is there where it means something: a part
 * is due now, or is kept. `balance_due_at` as in the price.
 */
export interface Quote {
  readonly price: Price
  readonly non_refundable: number
  readonly deposit: Deposit | undefined
  readonly balance_due_at: Instant | undefined
}

/** What of a venue makes amounts. */
interface PricedVenue {
  readonly playroom: { readonly tax: TaxTerms }
  readonly add_ons: ReadonlyArray<AddOn>
}

/** What of a package makes amounts: its prices, the days on which it starts, the parties that it takes, and its name for a line. */
export type PricedPackage = Pick<Package, "name" | "pricing" | "schedule" | "min_children" | "max_children">

type Line = Price["lines"][number]

const line = (kind: LineKind, label: string, quantity: number, unit_amount: number): Line => ({
  kind,
  label,
  quantity,
  unit_amount,
  amount: quantity * unit_amount
})

const sumOf = (lines: ReadonlyArray<Line>): number => lines.reduce((sum, { amount }) => sum + amount, 0)

/** How many of an add-on are paid: once a booking, for every child who comes, or as many as were chosen. */
const quantityOf = (addOn: AddOn, choice: AddOnChoice, children: number): number =>
  addOn.unit === "per_booking" ? 1 : addOn.unit === "per_child" ? children : choice.quantity

/** The children that the base does not include. `billed`: those who come, or as many as are charged at least. */
const childrenLine = (children: number, billed: number, included: number, unit_amount: number): Line => {
  const more = billed > children
  const words = more ? ` (billed as ${billed})` : ""
  const counted = Math.max(0, billed - included)
  const made =
    included === 0
      ? line("children", `Children${words}`, counted, unit_amount)
      : line("extra_children", `Extra children${words}`, counted, unit_amount)
  return more ? { ...made, billed_children: billed } : made
}

/** Base, children, adults, add-ons. What costs nothing has no line, unless nothing costs anything. */
const partyLines = (addOns: ReadonlyArray<AddOn>, pkg: PricedPackage, party: Party): Array<Line> => {
  const { base, included_children, extra_child, adult, included_adults = 0, min_billed_children = 0 } = pkg.pricing
  const billed = Math.max(party.children, min_billed_children)
  const adults = Math.max(0, party.adults - included_adults)
  const lines = [
    line("package", pkg.name, 1, base),
    childrenLine(party.children, billed, included_children, extra_child),
    included_adults === 0
      ? line("adults", "Adults", adults, adult)
      : line("extra_adults", "Extra adults", adults, adult)
  ]
  // In one order, whatever order they were chosen in: the digest of an option covers its lines.
  for (const choice of party.add_ons.toSorted((a, b) => (a.add_on_id < b.add_on_id ? -1 : 1))) {
    const addOn = addOns.find(({ add_on_id }) => add_on_id === choice.add_on_id)
    if (addOn !== undefined)
      lines.push(line("add_on", addOn.name, quantityOf(addOn, choice, party.children), addOn.unit_amount))
  }
  const paid = lines.filter(({ amount }) => amount !== 0)
  return paid.length > 0 ? paid : lines.slice(0, 1)
}

/** Adds a line for each rule, in their order, on the sum so far. A rule that would make the sum negative is capped. */
const applyRules = (lines: Array<Line>, rules: ReadonlyArray<PriceRule>): void => {
  let sum = sumOf(lines)
  for (const { label, change } of rules) {
    const amount = Math.max(-sum, "percent" in change ? percentOf(sum, change.percent) : change.amount)
    if (amount === 0) continue
    lines.push(line("rule", label, 1, amount))
    sum += amount
  }
}

/** All that a party pays but the tax on top, with those rules of the package that are given. */
const netLines = (
  addOns: ReadonlyArray<AddOn>,
  pkg: PricedPackage,
  party: Party,
  rules: ReadonlyArray<PriceRule>
): ReadonlyArray<Line> => {
  const lines = partyLines(addOns, pkg, party)
  applyRules(lines, rules)
  return lines
}

/** The tax that a sum of lines does not have in it yet. */
const taxOnTop = (net: number, { included, rate_percent }: TaxTerms): number =>
  included ? 0 : percentOf(net, rate_percent)

/** What a party pays in all, with those rules of the package that are given. */
const totalWith = (
  { add_ons, playroom }: PricedVenue,
  pkg: PricedPackage,
  party: Party,
  rules: ReadonlyArray<PriceRule>
): number => {
  const net = sumOf(netLines(add_ons, pkg, party, rules))
  return net + taxOnTop(net, playroom.tax)
}

/** When a visit starts, by the playroom's calendar and clock; `minutes` since midnight. */
interface LocalStart {
  readonly date: LocalDate
  readonly minutes: number
}

/** What a condition of a price rule goes by. */
type ConditionKind = "weekday" | "date" | "clock"

type ConditionName = Exclude<keyof PriceRule, "label" | "change">

/**
 * Every condition of a price rule: what it goes by, and whether a start meets it. All go by the start alone. A condition on the
 * party is a kind of its own: it divides the parties in `sizesUnderSameRules`, and whoever picks rules by `rulesAt` or `holdsAlways` has
 * to say for which party.
 */
const conditions: Readonly<
  Record<
    ConditionName,
    { readonly kind: ConditionKind; readonly meets: (rule: PriceRule, start: LocalStart) => boolean }
  >
> = {
  weekdays: {
    kind: "weekday",
    meets: ({ weekdays }, { date }) => weekdays === undefined || weekdays.includes(weekdayOf(date))
  },
  from: { kind: "clock", meets: ({ from }, { minutes }) => from === undefined || minutesOf(from) <= minutes },
  until: { kind: "clock", meets: ({ until }, { minutes }) => until === undefined || minutes < minutesOf(until) },
  date_from: { kind: "date", meets: ({ date_from }, { date }) => date_from === undefined || date_from <= date },
  date_to: { kind: "date", meets: ({ date_to }, { date }) => date_to === undefined || date <= date_to }
}
const conditionNames = Struct.keys(conditions)

/** Whether a rule has a condition of a kind. */
export const dependsOn = (rule: PriceRule, kind: ConditionKind): boolean =>
  conditionNames.some((name) => conditions[name].kind === kind && rule[name] !== undefined)

/** Whether a date meets those conditions of a rule that go by dates. */
export const meetsDate = (rule: PriceRule, date: LocalDate): boolean =>
  conditionNames.every((name) => conditions[name].kind !== "date" || conditions[name].meets(rule, { date, minutes: 0 }))

const holdsAlways = (rule: PriceRule): boolean => conditionNames.every((name) => rule[name] === undefined)

/** The rules of a package that hold at a start: by the playroom's weekday, date and clock. */
const rulesAt = ({ pricing: { rules } }: PricedPackage, zone: string, start: Instant): ReadonlyArray<PriceRule> => {
  if (rules.length === 0) return rules
  const local = { date: localDateOf(zone, start), minutes: localMinutesOf(zone, start) }
  return rules.filter((rule) => conditionNames.every((name) => conditions[name].meets(rule, local)))
}

/**
 * The party sizes that a package takes, in ranges: at one start the same rules hold for all parties of a range, so that within it a
 * party with more children never pays less. It is one range as long as no condition of a rule goes by the party. Whoever infers the
 * prices of many sizes from a few goes by these ranges.
 */
export const sizesUnderSameRules = ({
  max_children,
  min_children
}: PricedPackage): Array.NonEmptyReadonlyArray<{ readonly from: number; readonly to: number }> => [
  { from: min_children, to: max_children }
]

/** What of a total is due when booking by a package's own terms: its deposit, at most the total; the total where it has none. */
export const depositOf = ({ payment }: Pick<Package, "payment">, total: number): number => {
  if (payment.kind === "full") return total
  const { deposit } = payment
  return Math.min(total, "percent" in deposit ? percentOf(total, deposit.percent) : deposit.amount)
}

/**
 * The price of a visit that starts at `start`, asked for at `now`. The lines sum to the total and
 * `due_now + balance_due = total`, exactly. A balance whose time has come is due now. Choices of add-ons that the venue
 * does not sell are left out: refuse them first (`addOnIssues`).
 */
export const quote = (
  venue: Pick<Venue, "playroom" | "add_ons">,
  pkg: Package,
  party: Party,
  start: Instant,
  now: Instant
): Quote => {
  const { currency, tax, time_zone } = venue.playroom
  const { included, rate_percent } = tax
  const lines = netLines(venue.add_ons, pkg, party, rulesAt(pkg, time_zone, start))
  const net = sumOf(lines)
  const onTop = taxOnTop(net, tax)
  const total = net + onTop
  const deposit = depositOf(pkg, total)
  const { payment } = pkg
  const dueAt = payment.kind === "deposit" ? start - payment.balance_due_hours_before * hourMs : now
  const due_now = dueAt <= now ? total : deposit
  const balance = total - due_now
  const refundable = payment.kind === "full" || payment.refundable
  return {
    price: {
      currency,
      lines: onTop === 0 ? lines : [...lines, line("tax", `Tax (${rate_percent} %)`, 1, onTop)],
      total,
      tax: { rate_percent, amount: included ? taxInside(net, rate_percent) : onTop, included },
      due_now,
      ...(balance > 0 && { balance_due: balance, balance_due_at: format(time_zone, dueAt) }),
      display_total: display(total, currency),
      display_due_now: display(due_now, currency)
    },
    non_refundable: refundable ? 0 : deposit,
    deposit: deposit > 0 && (balance > 0 || !refundable) ? { amount: deposit, refundable } : undefined,
    balance_due_at: balance > 0 ? dueAt : undefined
  }
}

/** The total that `quote` says, without its texts: for those who compare the prices of many starts. */
export const totalAt = (
  venue: Pick<Venue, "playroom" | "add_ons">,
  pkg: Package,
  party: Party,
  start: Instant
): number => totalWith(venue, pkg, party, rulesAt(pkg, venue.playroom.time_zone, start))

const changeOf = ({ change }: PriceRule): number => ("percent" in change ? change.percent : change.amount)

/** Whether a rule can hold on a weekday on which the package starts. */
const meetsSchedule = (rule: PriceRule, { schedule }: PricedPackage): boolean => {
  const days = schedule.weekdays
  return rule.weekdays === undefined || days === undefined || rule.weekdays.some((day) => days.includes(day))
}

/** Whether the price of a visit depends on when it starts. */
export const priceDependsOnStart = ({ pricing: { rules } }: PricedPackage): boolean =>
  rules.some((rule) => !holdsAlways(rule))

/** The most that a party could pay at any time: every rule that makes it dearer, and no other. Its bound is `maxMinorUnits`. */
export const mostPrice = (venue: PricedVenue, pkg: PricedPackage, party: Party): number =>
  totalWith(
    venue,
    pkg,
    party,
    pkg.pricing.rules.filter((rule) => changeOf(rule) > 0)
  )

/** What children alone pay in all, with those rules of the package that are given. */
const childrenTotal = (tax: TaxTerms, pkg: PricedPackage, children: number, rules: ReadonlyArray<PriceRule>): number =>
  totalWith({ playroom: { tax }, add_ons: [] }, pkg, { children, adults: 0, add_ons: [] }, rules)

/**
 * A bound below: no party of `children` pays less from `today` on, whenever it comes. Counts every discount that may still
 * hold and no surcharge but those that always do.
 */
export const leastPrice = (tax: TaxTerms, pkg: PricedPackage, children: number, today: LocalDate): number =>
  childrenTotal(
    tax,
    pkg,
    children,
    pkg.pricing.rules.filter((rule) =>
      changeOf(rule) < 0
        ? meetsSchedule(rule, pkg) && (rule.date_to === undefined || rule.date_to >= today)
        : holdsAlways(rule)
    )
  )

/**
 * What parties without adults and add-ons can pay, by their children: with the rules that always hold, and with each other rule that
 * can meet the schedule beside them. Within one of `sizesUnderSameRules` none of these prices falls as the party grows.
 */
export const possiblePrices = (tax: TaxTerms, pkg: PricedPackage): ReadonlyArray<(children: number) => number> => {
  const { rules } = pkg.pricing
  const sometimes = rules.filter((rule) => !holdsAlways(rule) && meetsSchedule(rule, pkg))
  return [undefined, ...sometimes].map((one) => {
    const holding = rules.filter((rule) => rule === one || holdsAlways(rule))
    return (children) => childrenTotal(tax, pkg, children, holding)
  })
}

/** The price of so many children, without adults and add-ons, before rules that hold only at some times. */
const listPriceOf = (tax: TaxTerms, pkg: PricedPackage, children: number): number =>
  childrenTotal(tax, pkg, children, pkg.pricing.rules.filter(holdsAlways))

/** Minor units for the smallest party, without adults and add-ons, before rules that hold only at some times; with tax that comes on top. */
export const listPrice = (tax: TaxTerms, pkg: PricedPackage): number => listPriceOf(tax, pkg, pkg.min_children)

/** The most children that pay no more than the smallest party, at any start at which the same rules hold for both. */
const coveredChildren = (pkg: PricedPackage): number => {
  const { extra_child, included_children, min_billed_children = 0 } = pkg.pricing
  const [{ from, to }] = sizesUnderSameRules(pkg)
  return extra_child === 0 ? to : Math.min(to, Math.max(from, included_children, min_billed_children))
}

/** The children of the smallest party that the price of the smallest one does not cover; undefined where it covers all. */
export const firstUncovered = (pkg: PricedPackage): number | undefined => {
  const covered = coveredChildren(pkg)
  return covered === pkg.max_children ? undefined : covered + 1
}

/** What the first child adds that the list price does not cover; 0 where it covers all. */
export const furtherChildListPrice = (tax: TaxTerms, pkg: PricedPackage): number => {
  const children = firstUncovered(pkg)
  return children === undefined ? 0 : Math.max(0, listPriceOf(tax, pkg, children) - listPrice(tax, pkg))
}

/** Whom the price of the smallest party is for, in words: "4 to 10 children". */
export const coveredPartyText = (pkg: PricedPackage): string => {
  const { adult, included_adults = 0 } = pkg.pricing
  const [from, to] = [pkg.min_children, coveredChildren(pkg)]
  const children = from < to ? `${from} to ${to} children` : from === 1 ? "1 child" : `${from} children`
  const adults = adult === 0 ? "" : included_adults === 0 ? ", no adults" : `, up to ${included_adults} adults`
  return children + adults
}
