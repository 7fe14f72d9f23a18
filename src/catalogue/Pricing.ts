/**
 * The one calculator of amounts: what a party pays at a start, and between which bounds it pays at any time. Pure; all amounts are
 * whole minor units of the playroom's currency. The lowest price that can be booked is the least of these amounts over all starts:
 * `LowestPrices.ts`.
 */
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
import type { AddOnChoice, Party, Price } from "./Price.ts"
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
interface Seller {
  readonly playroom: { readonly tax: TaxTerms }
  readonly add_ons: ReadonlyArray<AddOn>
}

/** What of a package makes amounts, its lines named by it; with the days on which it starts; with the parties that it takes. */
type Priced = Pick<Package, "name" | "pricing">
type Scheduled = Priced & Pick<Package, "schedule">
type Sized = Priced & Pick<Package, "min_children" | "max_children">

type Line = Price["lines"][number]

const line = (label: string, quantity: number, unit_amount: number): Line => ({
  label,
  quantity,
  unit_amount,
  amount: quantity * unit_amount
})

const sumOf = (lines: ReadonlyArray<Line>): number => lines.reduce((sum, { amount }) => sum + amount, 0)

/** How many of an add-on are paid: once a booking, for every child who comes, or as many as were chosen. */
const quantityOf = (addOn: AddOn, choice: AddOnChoice, children: number): number =>
  addOn.unit === "per_booking" ? 1 : addOn.unit === "per_child" ? children : choice.quantity

/** Base, children, adults, add-ons. What costs nothing has no line, unless nothing costs anything. */
const partyLines = (addOns: ReadonlyArray<AddOn>, pkg: Priced, party: Party): Array<Line> => {
  const { base, included_children, extra_child, adult, included_adults = 0, min_billed_children = 0 } = pkg.pricing
  const billed = Math.max(party.children, min_billed_children)
  const children =
    (included_children === 0 ? "Children" : "Extra children") +
    (billed > party.children ? ` (billed as ${billed})` : "")
  const lines = [
    line(pkg.name, 1, base),
    line(children, Math.max(0, billed - included_children), extra_child),
    line(included_adults === 0 ? "Adults" : "Extra adults", Math.max(0, party.adults - included_adults), adult)
  ]
  // In one order, whatever order they were chosen in: the digest of an option covers its lines.
  for (const choice of party.add_ons.toSorted((a, b) => (a.add_on_id < b.add_on_id ? -1 : 1))) {
    const addOn = addOns.find(({ add_on_id }) => add_on_id === choice.add_on_id)
    if (addOn !== undefined) lines.push(line(addOn.name, quantityOf(addOn, choice, party.children), addOn.unit_amount))
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
    lines.push(line(label, 1, amount))
    sum += amount
  }
}

/** All that a party pays but the tax on top, with those rules of the package that are given. */
const netLines = (
  addOns: ReadonlyArray<AddOn>,
  pkg: Priced,
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
  { add_ons, playroom }: Seller,
  pkg: Priced,
  party: Party,
  rules: ReadonlyArray<PriceRule>
): number => {
  const net = sumOf(netLines(add_ons, pkg, party, rules))
  return net + taxOnTop(net, playroom.tax)
}

/** The rules of a package that hold at a start: by the playroom's weekday, date and clock. */
const rulesAt = ({ pricing: { rules } }: Priced, zone: string, start: Instant): ReadonlyArray<PriceRule> => {
  if (rules.length === 0) return rules
  const date = localDateOf(zone, start)
  const minutes = localMinutesOf(zone, start)
  return rules.filter(
    ({ weekdays, from, until, date_from, date_to }) =>
      (weekdays === undefined || weekdays.includes(weekdayOf(date))) &&
      (from === undefined || minutesOf(from) <= minutes) &&
      (until === undefined || minutes < minutesOf(until)) &&
      (date_from === undefined || date_from <= date) &&
      (date_to === undefined || date <= date_to)
  )
}

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
      lines: onTop === 0 ? lines : [...lines, line(`Tax (${rate_percent} %)`, 1, onTop)],
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

const holdsAlways = ({ weekdays, from, until, date_from, date_to }: PriceRule): boolean =>
  [weekdays, from, until, date_from, date_to].every((condition) => condition === undefined)

/** Whether a rule can hold on a weekday on which the package starts. */
const meetsSchedule = (rule: PriceRule, { schedule }: Scheduled): boolean => {
  const days = schedule.weekdays
  return rule.weekdays === undefined || days === undefined || rule.weekdays.some((day) => days.includes(day))
}

/** Whether a visit costs the same at whatever time. */
export const hasFixedPrice = ({ pricing: { rules } }: Priced): boolean => rules.every(holdsAlways)

/** The most that a party could pay at any time: every rule that makes it dearer, and no other. Its bound is `maxMinorUnits`. */
export const mostPrice = (seller: Seller, pkg: Priced, party: Party): number =>
  totalWith(
    seller,
    pkg,
    party,
    pkg.pricing.rules.filter((rule) => changeOf(rule) > 0)
  )

/** What children alone pay in all, with those rules of the package that are given. */
const childrenTotal = (tax: TaxTerms, pkg: Priced, children: number, rules: ReadonlyArray<PriceRule>): number =>
  totalWith({ playroom: { tax }, add_ons: [] }, pkg, { children, adults: 0, add_ons: [] }, rules)

/**
 * A bound below: no party of `children` pays less from `today` on, whenever it comes. Counts every discount that may still
 * hold and no surcharge but those that always do.
 */
export const leastPrice = (tax: TaxTerms, pkg: Scheduled, children: number, today: LocalDate): number =>
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
 * can meet the schedule beside them. Each of these prices never falls as the party grows.
 */
export const possiblePrices = (tax: TaxTerms, pkg: Scheduled): ReadonlyArray<(children: number) => number> => {
  const { rules } = pkg.pricing
  const sometimes = rules.filter((rule) => !holdsAlways(rule) && meetsSchedule(rule, pkg))
  return [undefined, ...sometimes].map((one) => {
    const holding = rules.filter((rule) => rule === one || holdsAlways(rule))
    return (children) => childrenTotal(tax, pkg, children, holding)
  })
}

/** The price of so many children, without adults and add-ons, before rules that hold only at some times. */
const listPriceOf = (tax: TaxTerms, pkg: Priced, children: number): number =>
  childrenTotal(tax, pkg, children, pkg.pricing.rules.filter(holdsAlways))

/** Minor units for the smallest party, without adults and add-ons, before rules that hold only at some times; with tax that comes on top. */
export const listPrice = (tax: TaxTerms, pkg: Sized): number => listPriceOf(tax, pkg, pkg.min_children)

/** The most children that pay no more than the smallest party, rules aside. */
export const coveredChildren = ({ min_children, max_children, pricing }: Sized): number =>
  pricing.extra_child === 0
    ? max_children
    : Math.min(max_children, Math.max(min_children, pricing.included_children, pricing.min_billed_children ?? 0))

/** What the first child adds that the list price does not cover; 0 where the package takes no more. */
export const furtherChildListPrice = (tax: TaxTerms, pkg: Sized): number => {
  const covered = coveredChildren(pkg)
  return covered === pkg.max_children ? 0 : listPriceOf(tax, pkg, covered + 1) - listPriceOf(tax, pkg, covered)
}

/** Whom the price of the smallest party is for, in words: "4 to 10 children". */
export const coveredPartyText = (pkg: Sized): string => {
  const { adult, included_adults = 0 } = pkg.pricing
  const [from, to] = [pkg.min_children, coveredChildren(pkg)]
  const children = from < to ? `${from} to ${to} children` : from === 1 ? "1 child" : `${from} children`
  const adults = adult === 0 ? "" : included_adults === 0 ? ", no adults" : `, up to ${included_adults} adults`
  return children + adults
}
