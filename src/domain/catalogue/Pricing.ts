/**
 * The only calculator of amounts: the price of a party at a start. Pure. Amounts are whole minor units of the
 * playroom's currency, and can be charged: prices, deposits and balances are multiples of the currency's charge step,
 * and none is below its minimum charge (`platform/money/Charge.ts`). `PriceTimes.ts` has bounds of these amounts, and
 * says when the lowest holds.
 */

import { Schema } from "effect"
import { AddOnId } from "../../platform/ids/Ids.ts"
import { downToStep, isBelowMinimumCharge, percentOf, taxInside } from "../../platform/money/Charge.ts"
import { display } from "../../platform/money/Money.ts"
import { format, hourMs, type Instant } from "../../platform/time/LocalTime.ts"
import type { AddOn, Package, PriceRule } from "./Package.ts"
import type { Playroom, Venue } from "./Playroom.ts"
import { addOnsAt, amountsWith, rulesAt } from "./PriceRules.ts"
import type { Deposit } from "./Terms.ts"

// A party's request, and its price.

/** An add-on chosen by the caller. */
export const AddOnChoice = Schema.Struct({
  add_on_id: AddOnId.annotate({ description: "From get_playroom." }),
  quantity: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })).annotate({
    description: "1, unless per_item."
  })
})
export type AddOnChoice = typeof AddOnChoice.Type

/** The party and its add-ons. */
export interface Party {
  readonly children: number
  readonly adults: number
  readonly add_ons: ReadonlyArray<AddOnChoice>
}

/** The kind of a price line. A `rule` raises or lowers the sum so far. */
export const LineKind = Schema.Literals([
  "package",
  "children",
  "extra_children",
  "adults",
  "extra_adults",
  "add_on",
  "rule",
  "tax"
])
export type LineKind = typeof LineKind.Type

const Minor = (description: string) => Schema.Int.annotate({ description })

/** Amounts are integers in `currency`'s minor units. Lines sum to the total; `due_now + balance_due = total`. */
export const Price = Schema.Struct({
  currency: Schema.String.annotate({ description: "ISO 4217, minor units." }),
  lines: Schema.Array(
    Schema.Struct({
      kind: LineKind.annotate({ description: "What for." }),
      label: Schema.String.annotate({ description: "In words." }),
      quantity: Minor("How many."),
      unit_amount: Minor("Each."),
      amount: Minor("quantity x each."),
      billed_children: Schema.optionalKey(Minor("Charged for, if more.")),
      waived: Schema.optionalKey(Schema.Literal(true).annotate({ description: "Too little to charge." })),
      agreed: Schema.optionalKey(Schema.Literal(true).annotate({ description: "Agreed before." })),
      display: Schema.optionalKey(Schema.String.annotate({ description: "For people." }))
    })
  ).annotate({ description: "Sum to the total." }),
  total: Minor("All of it."),
  tax: Schema.Struct({
    rate_percent: Schema.Finite.annotate({ description: "Rate." }),
    amount: Minor("In total."),
    display: Schema.optionalKey(Schema.String.annotate({ description: "For people." })),
    included: Schema.Boolean.annotate({ description: "In the lines." })
  }).annotate({ description: "Tax." }),
  due_now: Minor("When booking."),
  balance_due: Schema.optionalKey(Minor("To pay later.")),
  balance_due_at: Schema.optionalKey(Schema.String.annotate({ description: "Until when." })),
  display_total: Schema.String.annotate({ description: "For people." }),
  display_due_now: Schema.String.annotate({ description: "For people." }),
  display_balance_due: Schema.optionalKey(Schema.String.annotate({ description: "For people." }))
})
export type Price = typeof Price.Type

/** What of a price is waived, because it is too little to be charged. */
export const waivedIn = ({ lines }: Pick<Price, "lines">): number =>
  lines.reduce((sum, line) => (line.waived === true ? sum - line.amount : sum), 0)

const lineText = ({ amount, quantity, unit_amount }: Price["lines"][number], currency: string): string =>
  `${quantity === 1 ? "" : `${quantity} × ${display(unit_amount, currency)} = `}${display(amount, currency)}`

/** A price as the tools show it, with texts for people. The texts are not part of the agreement. */
export const shownPrice = (price: Price): Price => ({
  ...price,
  lines: price.lines.map((line) => ({ ...line, display: lineText(line, price.currency) })),
  tax: { ...price.tax, display: display(price.tax.amount, price.currency) },
  ...(price.balance_due === undefined ? {} : { display_balance_due: display(price.balance_due, price.currency) })
})

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
export interface PricedVenue {
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
const partyLines = (
  { add_ons, playroom }: PricedVenue,
  pkg: PricedPackage,
  party: Party,
  rules: ReadonlyArray<PriceRule>
): Array<Line> => {
  const { included_children, included_adults = 0, min_billed_children = 0 } = pkg.pricing
  // An import refuses amounts off the charge step. Older rows may have them.
  const each = (amount: number) => downToStep(amount, playroom.currency)
  const amounts = amountsWith(pkg.pricing, rules)
  const [base, extra_child, adult] = [each(amounts.base), each(amounts.extra_child), each(amounts.adult)]
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
    if ("prices" in change) continue
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
  const lines = partyLines(venue, pkg, party, rules)
  applyRules(lines, rules, venue.playroom.currency)
  return lines
}

/** The tax to be added to a sum of lines. */
const taxOnTop = (net: number, { currency, tax: { included, rate_percent } }: PricedPlayroom): number =>
  included ? 0 : percentOf(net, rate_percent, currency)

/** What a party's lines sum to with the given rules of the package, even if it is too little to be charged. */
export const askedWith = (
  venue: PricedVenue,
  pkg: PricedPackage,
  party: Party,
  rules: ReadonlyArray<PriceRule>
): number => {
  const net = sumOf(netLines(venue, pkg, party, rules))
  return net + taxOnTop(net, venue.playroom)
}

/** 0 for an amount below the minimum charge, which is waived; else the amount. */
const chargedOf = (amount: number, currency: string): number => (isBelowMinimumCharge(amount, currency) ? 0 : amount)

/** The total of a party, with the given rules of the package. */
export const totalWith = (
  venue: PricedVenue,
  pkg: PricedPackage,
  party: Party,
  rules: ReadonlyArray<PriceRule>
): number => chargedOf(askedWith(venue, pkg, party, rules), venue.playroom.currency)

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

/** What a price comes to before anything is waived, and the lines of that. */
const unwaived = (price: Pick<Price, "lines" | "total">) => ({
  lines: price.lines.filter(({ waived }) => waived !== true),
  total: price.total + waivedIn(price)
})

/**
 * The price of a booking whose party changes: what was agreed, and the difference between today's prices of the party
 * before and after. So nothing that was agreed is priced anew. The lines are today's; if they come to more or less than
 * the price, a line says so. Nothing is waived yet: what was waived before counts, so that many small changes cost what
 * one large one does. Never negative: if what leaves costs more today than all that was agreed, the rest is free, and
 * `credit` is what is beyond that. It counts at the next change, so that a change and its reverse cost nothing.
 */
export const changedPrice = (
  agreed: { readonly price: Price; readonly credit?: number | undefined },
  before: Price,
  after: Price
): { readonly price: Price; readonly credit: number } => {
  const today = unwaived(after)
  const sum = unwaived(agreed.price).total - (agreed.credit ?? 0) + today.total - unwaived(before).total
  const total = Math.max(0, sum)
  const more = total - today.total
  const { currency, tax } = after
  const isToday = more === 0 && today.total === after.total
  return {
    credit: total - sum,
    price: {
      ...after,
      lines:
        more === 0 ? today.lines : [...today.lines, { ...line("rule", "As agreed before", 1, more), agreed: true }],
      total,
      tax: isToday ? tax : { ...tax, amount: taxInside(total, tax.rate_percent, currency) },
      display_total: display(total, currency)
    }
  }
}

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
  const at = { playroom: venue.playroom, add_ons: addOnsAt(venue.add_ons, time_zone, start) }
  const lines = netLines(at, pkg, party, rulesAt(pkg.pricing.rules, time_zone, start))
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
): number => {
  const { playroom } = venue
  const add_ons = addOnsAt(venue.add_ons, playroom.time_zone, start)
  return totalWith({ playroom, add_ons }, pkg, party, rulesAt(pkg.pricing.rules, playroom.time_zone, start))
}

/** What one unit of an add-on adds to a price with the given rules of a package, and tax on top. */
export const addOnAmount = (
  playroom: PricedPlayroom,
  { unit_amount }: Pick<AddOn, "unit_amount">,
  rules: ReadonlyArray<PriceRule>
): number => {
  const { currency } = playroom
  const net = rules.reduce(
    (sum, { change }) => ("percent" in change ? sum + percentOf(sum, change.percent, currency) : sum),
    downToStep(unit_amount, currency)
  )
  return net + taxOnTop(net, playroom)
}
