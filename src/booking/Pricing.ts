/** `package + party + add-ons + calendar → price`. Pure; all amounts are whole minor units of the playroom's currency. */
import type { AddOn, Package, PriceRule } from "../catalogue/Package.ts"
import type { TaxTerms, Venue } from "../catalogue/Playroom.ts"
import { format, hourMs, type Instant, localDateOf, localMinutesOf, minutesOf, weekdayOf } from "../kernel/LocalTime.ts"
import { display, percentOf, taxInside } from "../kernel/Money.ts"
import type { Deposit } from "../catalogue/Terms.ts"
import type { AddOnChoice, Price } from "./BookingOption.ts"

/** Who comes and what they add. */
export interface Party {
  readonly children: number
  readonly adults: number
  readonly add_ons: ReadonlyArray<AddOnChoice>
}

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
const partyLines = (
  addOns: ReadonlyArray<AddOn>,
  pkg: Pick<Package, "name" | "pricing">,
  party: Party
): Array<Line> => {
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

/** Adds the tax where it comes on top, and says how much there is in the total. */
const applyTax = (lines: Array<Line>, { rate_percent, included }: TaxTerms): Price["tax"] => {
  const net = sumOf(lines)
  if (included) return { rate_percent, amount: taxInside(net, rate_percent), included }
  const amount = percentOf(net, rate_percent)
  if (amount !== 0) lines.push(line(`Tax (${rate_percent} %)`, 1, amount))
  return { rate_percent, amount, included }
}

/** Whether a rule holds at a start: by the playroom's weekday, date and clock. */
const holdsAt = (rule: PriceRule, zone: string, start: Instant): boolean => {
  const date = localDateOf(zone, start)
  const minutes = localMinutesOf(zone, start)
  return (
    (rule.weekdays === undefined || rule.weekdays.includes(weekdayOf(date))) &&
    (rule.from === undefined || minutesOf(rule.from) <= minutes) &&
    (rule.until === undefined || minutes < minutesOf(rule.until)) &&
    (rule.date_from === undefined || rule.date_from <= date) &&
    (rule.date_to === undefined || date <= rule.date_to)
  )
}

/** The package's deposit, at most the total; the total where all is due when booking. */
const depositOf = ({ payment }: Pick<Package, "payment">, total: number): number => {
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
  const { currency, tax: taxTerms, time_zone } = venue.playroom
  const lines = partyLines(venue.add_ons, pkg, party)
  applyRules(
    lines,
    pkg.pricing.rules.filter((rule) => holdsAt(rule, time_zone, start))
  )
  const tax = applyTax(lines, taxTerms)
  const total = sumOf(lines)
  const deposit = depositOf(pkg, total)
  const { payment } = pkg
  const dueAt = payment.kind === "deposit" ? start - payment.balance_due_hours_before * hourMs : now
  const due_now = dueAt <= now ? total : deposit
  const balance = total - due_now
  const refundable = payment.kind === "full" || payment.refundable
  return {
    price: {
      currency,
      lines,
      total,
      tax,
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

const lineInWords = ({ amount, quantity, unit_amount }: Line, currency: string): string =>
  `${quantity === 1 ? "" : `${quantity} × ${display(unit_amount, currency)} = `}${display(amount, currency)}`

/** A price as the tools show it: with texts for people, which are no part of what is agreed. */
export const shownPrice = (price: Price): Price => ({
  ...price,
  lines: price.lines.map((line) => ({ ...line, display: lineInWords(line, price.currency) })),
  tax: { ...price.tax, display: display(price.tax.amount, price.currency) },
  ...(price.balance_due === undefined ? {} : { display_balance_due: display(price.balance_due, price.currency) })
})

/** The most that a party could pay at any time: every rule that makes it dearer, and no other. Its bound is `maxMinorUnits`. */
export const dearestPrice = (venue: Pick<Venue, "playroom" | "add_ons">, pkg: Package, party: Party): number => {
  const lines = partyLines(venue.add_ons, pkg, party)
  applyRules(
    lines,
    pkg.pricing.rules.filter(({ change }) => ("percent" in change ? change.percent : change.amount) > 0)
  )
  applyTax(lines, venue.playroom.tax)
  return sumOf(lines)
}
