/**
 * The only calculator of amounts: the price of a party at a start, and bounds of its price at any time. Pure. Amounts
 * are whole minor units of the playroom's currency, and can be charged: prices, deposits and balances are multiples of
 * the currency's charge step, and none is below its minimum charge (`kernel/Charge.ts`). `SearchFacts.ts` computes the lowest bookable price: the minimum of
 * these amounts over all starts.
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
import { downToStep, isBelowMinimumCharge, percentOf, taxInside } from "../kernel/Charge.ts"
import { display } from "../kernel/Money.ts"
import type { AddOn, Package, PriceRule } from "./Package.ts"
import type { Playroom, Venue } from "./Playroom.ts"
import type { AddOnChoice, LineKind, Party, Price } from "./Price.ts"
import type { Deposit } from "./Terms.ts"

/**
 * A price, and the part of a payment that no cancellation refunds, in minor units. `deposit` is present if it matters:
 * a part is due now, or is kept. `balance_due_at` is the price's.
 */
export interface Quote {
  readonly price: Price
  readonly non_refundable: number
  readonly deposit: Deposit | undefined
  readonly balance_due_at: Instant | undefined
}

/** The parts of a playroom that determine amounts. */
export type PricedPlayroom = Pick<Playroom, "currency" | "tax">

/** The parts of a venue that determine amounts. */
interface PricedVenue {
  readonly playroom: PricedPlayroom
  readonly add_ons: ReadonlyArray<AddOn>
}

/**
 * The parts of a package that determine amounts: its prices, start days, party sizes, and its name for a price line.
 */
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

/** The charged quantity of an add-on: one per booking, one per child, or the chosen quantity. */
const quantityOf = (addOn: AddOn, choice: AddOnChoice, children: number): number =>
  addOn.unit === "per_booking" ? 1 : addOn.unit === "per_child" ? children : choice.quantity

/** The children that the base price does not include. `billed`: the children who come, or the minimum charged. */
const childrenLine = (children: number, billed: number, included: number, unit_amount: number): Line => {
  const more = billed > children
  const words = more ? ` (billed as ${billed})` : ""
  const charged = Math.max(0, billed - included)
  const made =
    included === 0
      ? line("children", `Children${words}`, charged, unit_amount)
      : line("extra_children", `Extra children${words}`, charged, unit_amount)
  return more ? { ...made, billed_children: billed } : made
}

/** Base, children, adults, add-ons. A free item has no line, unless everything is free. */
const partyLines = ({ add_ons, playroom }: PricedVenue, pkg: PricedPackage, party: Party): Array<Line> => {
  const { included_children, included_adults = 0, min_billed_children = 0 } = pkg.pricing
  // An import refuses amounts off the charge step. Older rows may have them.
  const each = (amount: number) => downToStep(amount, playroom.currency)
  const [base, extra_child, adult] = [each(pkg.pricing.base), each(pkg.pricing.extra_child), each(pkg.pricing.adult)]
  const billed = Math.max(party.children, min_billed_children)
  const adults = Math.max(0, party.adults - included_adults)
  const lines = [
    line("package", pkg.name, 1, base),
    childrenLine(party.children, billed, included_children, extra_child),
    included_adults === 0
      ? line("adults", "Adults", adults, adult)
      : line("extra_adults", "Extra adults", adults, adult)
  ]
  // In a fixed order, however they were chosen: the digest of an option covers its lines.
  for (const choice of party.add_ons.toSorted((a, b) => (a.add_on_id < b.add_on_id ? -1 : 1))) {
    const addOn = add_ons.find(({ add_on_id }) => add_on_id === choice.add_on_id)
    if (addOn !== undefined)
      lines.push(line("add_on", addOn.name, quantityOf(addOn, choice, party.children), each(addOn.unit_amount)))
  }
  const paid = lines.filter(({ amount }) => amount !== 0)
  return paid.length > 0 ? paid : lines.slice(0, 1)
}

/** Adds a line for each rule, in order, on the sum so far. A rule that would make the sum negative is capped. */
const applyRules = (lines: Array<Line>, rules: ReadonlyArray<PriceRule>, currency: string): void => {
  let sum = sumOf(lines)
  for (const { label, change } of rules) {
    const asked = "percent" in change ? percentOf(sum, change.percent, currency) : downToStep(change.amount, currency)
    const amount = Math.max(-sum, asked)
    if (amount === 0) continue
    lines.push(line("rule", label, 1, amount))
    sum += amount
  }
}

/** The price lines of a party without the tax on top, with the given rules of the package. */
const netLines = (
  venue: PricedVenue,
  pkg: PricedPackage,
  party: Party,
  rules: ReadonlyArray<PriceRule>
): ReadonlyArray<Line> => {
  const lines = partyLines(venue, pkg, party)
  applyRules(lines, rules, venue.playroom.currency)
  return lines
}

/** The tax to be added to a sum of lines. */
const taxOnTop = (net: number, { currency, tax: { included, rate_percent } }: PricedPlayroom): number =>
  included ? 0 : percentOf(net, rate_percent, currency)

/** What a party's lines sum to with the given rules of the package, even if it is too little to be charged. */
const askedWith = (venue: PricedVenue, pkg: PricedPackage, party: Party, rules: ReadonlyArray<PriceRule>): number => {
  const net = sumOf(netLines(venue, pkg, party, rules))
  return net + taxOnTop(net, venue.playroom)
}

/** 0 for an amount below the minimum charge, which is waived; else the amount. */
const chargedOf = (amount: number, currency: string): number => (isBelowMinimumCharge(amount, currency) ? 0 : amount)

/** The total of a party, with the given rules of the package. */
const totalWith = (venue: PricedVenue, pkg: PricedPackage, party: Party, rules: ReadonlyArray<PriceRule>): number =>
  chargedOf(askedWith(venue, pkg, party, rules), venue.playroom.currency)

/**
 * A price without `waived` of its total, an amount below the minimum charge: with a line that says so. The lines still
 * sum to the total.
 */
export const waive = <P extends Pick<Price, "currency" | "lines" | "tax" | "total" | "display_total">>(
  price: P,
  waived: number
): P => {
  if (waived === 0) return price
  const total = price.total - waived
  const label = "Waived: too little to be charged"
  return {
    ...price,
    lines: [...price.lines, { ...line("rule", label, 1, -waived), waived: true }],
    total,
    tax: { ...price.tax, amount: taxInside(total, price.tax.rate_percent, price.currency) },
    display_total: display(total, price.currency)
  }
}

/** The start of a visit by the playroom's calendar and clock. `minutes` since midnight. */
interface LocalStart {
  readonly date: LocalDate
  readonly minutes: number
}

/** The kinds of conditions of a price rule. */
type ConditionKind = "weekday" | "date" | "clock"

type ConditionName = Exclude<keyof PriceRule, "label" | "change">

/**
 * Every condition of a price rule: its kind, and whether a start meets it. All depend on the start alone. A condition
 * on the party would need its own kind: `sizesUnderSameRules` would split parties by it, and callers of `rulesAt` and
 * `holdsAlways` would have to pass the party.
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

/** Whether a date meets a rule's conditions on dates. */
export const meetsDate = (rule: PriceRule, date: LocalDate): boolean =>
  conditionNames.every((name) => conditions[name].kind !== "date" || conditions[name].meets(rule, { date, minutes: 0 }))

const holdsAlways = (rule: PriceRule): boolean => conditionNames.every((name) => rule[name] === undefined)

/** The rules of a package that apply at a start, by the playroom's weekday, date and clock. */
const rulesAt = ({ pricing: { rules } }: PricedPackage, zone: string, start: Instant): ReadonlyArray<PriceRule> => {
  if (rules.length === 0) return rules
  const local = { date: localDateOf(zone, start), minutes: localMinutesOf(zone, start) }
  return rules.filter((rule) => conditionNames.every((name) => conditions[name].meets(rule, local)))
}

/**
 * The party sizes of a package, in ranges. At one start the same rules apply to all parties of a range, so a larger
 * party of the range never pays less. It is one range as long as no rule depends on the party. Use these ranges to
 * derive the prices of many sizes from a few.
 */
export const sizesUnderSameRules = ({
  max_children,
  min_children
}: PricedPackage): Array.NonEmptyReadonlyArray<{ readonly from: number; readonly to: number }> => [
  { from: min_children, to: max_children }
]

/**
 * The amount of a total due when booking by a package's own terms: its deposit, at most the total; the total without a
 * deposit. It may be below the minimum charge.
 */
export const depositAmount = ({ payment }: Pick<Package, "payment">, total: number, currency: string): number => {
  if (payment.kind === "full") return total
  const { deposit } = payment
  const asked =
    "percent" in deposit ? percentOf(total, deposit.percent, currency) : downToStep(deposit.amount, currency)
  return Math.min(total, asked)
}

/**
 * The price at `now` of a visit that starts at `start`. The lines sum to the total and `due_now + balance_due = total`,
 * exactly. An overdue balance is due now. What can't be charged alone joins the other part: a deposit below the minimum
 * charge the balance, such a balance the deposit. Such a total is waived. Add-ons that the venue does not sell are left
 * out: refuse them first (`addOnIssues`).
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
  const lines = netLines(venue, pkg, party, rulesAt(pkg, time_zone, start))
  const net = sumOf(lines)
  const onTop = taxOnTop(net, venue.playroom)
  const asked = net + onTop
  const total = chargedOf(asked, currency)
  const deposit = chargedOf(depositAmount(pkg, total, currency), currency)
  const { payment } = pkg
  const dueAt = payment.kind === "deposit" ? start - payment.balance_due_hours_before * hourMs : now
  const due_now = dueAt <= now || isBelowMinimumCharge(total - deposit, currency) ? total : deposit
  const balance = total - due_now
  const refundable = payment.kind === "full" || payment.refundable
  return {
    price: {
      ...waive(
        {
          currency,
          lines: onTop === 0 ? lines : [...lines, line("tax", `Tax (${rate_percent} %)`, 1, onTop)],
          total: asked,
          tax: { rate_percent, amount: included ? taxInside(net, rate_percent, currency) : onTop, included },
          display_total: display(asked, currency)
        },
        asked - total
      ),
      due_now,
      ...(balance > 0 && { balance_due: balance, balance_due_at: format(time_zone, dueAt) }),
      display_due_now: display(due_now, currency)
    },
    non_refundable: refundable ? 0 : deposit,
    deposit: deposit > 0 && (balance > 0 || !refundable) ? { amount: deposit, refundable } : undefined,
    balance_due_at: balance > 0 ? dueAt : undefined
  }
}

/** The total of `quote` without its texts, for comparing the prices of many starts. */
export const totalAt = (
  venue: Pick<Venue, "playroom" | "add_ons">,
  pkg: Package,
  party: Party,
  start: Instant
): number => totalWith(venue, pkg, party, rulesAt(pkg, venue.playroom.time_zone, start))

const changeOf = ({ change }: PriceRule): number => ("percent" in change ? change.percent : change.amount)

/** Whether a rule can apply on a weekday on which the package starts. */
const meetsSchedule = (rule: PriceRule, { schedule }: PricedPackage): boolean => {
  const days = schedule.weekdays
  return rule.weekdays === undefined || days === undefined || rule.weekdays.some((day) => days.includes(day))
}

/** Whether the price of a visit depends on when it starts. */
export const priceDependsOnStart = ({ pricing: { rules } }: PricedPackage): boolean =>
  rules.some((rule) => !holdsAlways(rule))

/**
 * The highest possible price of a party: with every rule that raises it, and no other. It must not exceed
 * `maxMinorUnits`.
 */
export const maxPrice = (venue: PricedVenue, pkg: PricedPackage, party: Party): number =>
  totalWith(
    venue,
    pkg,
    party,
    pkg.pricing.rules.filter((rule) => changeOf(rule) > 0)
  )

const onlyChildren = (children: number): Party => ({ children, adults: 0, add_ons: [] })

/** The total of a party of children only, with the given rules of the package. */
const childrenTotal = (
  playroom: PricedPlayroom,
  pkg: PricedPackage,
  children: number,
  rules: ReadonlyArray<PriceRule>
): number => totalWith({ playroom, add_ons: [] }, pkg, onlyChildren(children), rules)

/**
 * A lower bound: no party of `children` pays less from `today` on, at any start. Counts every discount that may still
 * apply, and only surcharges that always apply.
 */
export const minPrice = (playroom: PricedPlayroom, pkg: PricedPackage, children: number, today: LocalDate): number =>
  childrenTotal(
    playroom,
    pkg,
    children,
    pkg.pricing.rules.filter((rule) =>
      changeOf(rule) < 0
        ? meetsSchedule(rule, pkg) && (rule.date_to === undefined || rule.date_to >= today)
        : holdsAlways(rule)
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
  const { rules } = pkg.pricing
  const sometimes = rules.filter((rule) => !holdsAlways(rule) && meetsSchedule(rule, pkg))
  return [undefined, ...sometimes].map((one) => {
    const holding = rules.filter((rule) => rule === one || holdsAlways(rule))
    return (children) => askedWith({ playroom, add_ons: [] }, pkg, onlyChildren(children), holding)
  })
}

/** The price of a number of children, without adults and add-ons, before rules that apply only at some times. */
const listPriceOf = (playroom: PricedPlayroom, pkg: PricedPackage, children: number): number =>
  childrenTotal(playroom, pkg, children, pkg.pricing.rules.filter(holdsAlways))

/**
 * The list price for the smallest party, without adults and add-ons, before rules that apply only at some times. In
 * minor units, including tax on top.
 */
export const listPrice = (playroom: PricedPlayroom, pkg: PricedPackage): number =>
  listPriceOf(playroom, pkg, pkg.min_children)

/** The largest party that pays no more than the smallest one, at any start at which the same rules apply to both. */
const coveredChildren = (pkg: PricedPackage): number => {
  const { extra_child, included_children, min_billed_children = 0 } = pkg.pricing
  const [{ from, to }] = sizesUnderSameRules(pkg)
  return extra_child === 0 ? to : Math.min(to, Math.max(from, included_children, min_billed_children))
}

/** The smallest party that the lowest price does not cover; undefined if it covers all. */
export const firstUncovered = (pkg: PricedPackage): number | undefined => {
  const covered = coveredChildren(pkg)
  return covered === pkg.max_children ? undefined : covered + 1
}

/** The amount that the first child beyond the list price adds; 0 if it covers all. */
export const furtherChildListPrice = (playroom: PricedPlayroom, pkg: PricedPackage): number => {
  const children = firstUncovered(pkg)
  return children === undefined ? 0 : Math.max(0, listPriceOf(playroom, pkg, children) - listPrice(playroom, pkg))
}

/** The party that the lowest price covers, in words: "4 to 10 children". */
export const coveredPartyText = (pkg: PricedPackage): string => {
  const { adult, included_adults = 0 } = pkg.pricing
  const [from, to] = [pkg.min_children, coveredChildren(pkg)]
  const children = from < to ? `${from} to ${to} children` : from === 1 ? "1 child" : `${from} children`
  const adults = adult === 0 ? "" : included_adults === 0 ? ", no adults" : `, up to ${included_adults} adults`
  return children + adults
}
