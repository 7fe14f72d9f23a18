/**
 * The only calculator of amounts: the price of a party at a start. Pure. Amounts are whole minor units of the
 * playroom's currency, and can be charged: prices, deposits and balances are multiples of the currency's charge step,
 * and none is below its minimum charge (`platform/money/Charge.ts`). `PriceTimes.ts` has bounds of these amounts, and
 * says when the lowest holds.
 */

import { Schema, Struct } from "effect"
import { AddOnId } from "../../platform/ids/Ids.ts"
import { downToStep, isBelowMinimumCharge, percentOf, shareOut, taxInside } from "../../platform/money/Charge.ts"
import { display } from "../../platform/money/Money.ts"
import { format, hourMs, type Instant, localDateOf } from "../../platform/time/LocalTime.ts"
import type { AddOn, Package } from "./Package.ts"
import type { Playroom, Venue } from "./Playroom.ts"
import { chargedChildren } from "./ChildPrices.ts"
import { codeRulesAt } from "./Codes.ts"
import { addOnsAt, amountsWith, type DatedRule, datedRules, pricingRules, rulesAt } from "./PriceRules.ts"
import { rateOn, type TaxRates } from "./Tax.ts"
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

/**
 * The party and its add-ons. `child_ages`: in years, one for each child. Without them, or if some are missing, nobody
 * pays less for an age, so that no price rises once they are told. `code`: as it is compared (`Codes.ts`).
 */
export interface Party {
  readonly children: number
  readonly adults: number
  readonly child_ages?: ReadonlyArray<number>
  readonly add_ons: ReadonlyArray<AddOnChoice>
  readonly code?: string
}

/** The kind of a price line. A `rule` raises or lowers the sum so far. */
const LineKind = Schema.Literals([
  "package",
  "children",
  "extra_children",
  "adults",
  "extra_adults",
  "add_on",
  "rule",
  "tax"
])
type LineKind = typeof LineKind.Type

const Minor = (description: string) => Schema.Int.annotate({ description })

const ShownLine = Schema.Struct({
  kind: LineKind.annotate({ description: "What for." }),
  label: Schema.String.annotate({ description: "Text." }),
  quantity: Minor("How many."),
  unit_amount: Minor("Each."),
  amount: Minor("Of all."),
  billed_children: Schema.optionalKey(Minor("Billed.")),
  waived: Schema.optionalKey(Schema.Literal(true).annotate({ description: "Too little." })),
  agreed: Schema.optionalKey(Schema.Literal(true).annotate({ description: "Agreed before." })),
  display: Schema.optionalKey(Schema.String.annotate({ description: "Text." }))
})

/** A price as the tools show it. Rates of its parts are in its texts. */
export const ShownPrice = Schema.Struct({
  currency: Schema.String.annotate({ description: "ISO 4217, minor units." }),
  lines: Schema.Array(ShownLine).annotate({ description: "Sum to total." }),
  total: Minor("All of it."),
  tax: Schema.Struct({
    rate_percent: Schema.Finite.annotate({ description: "Rate." }),
    amount: Minor("In total."),
    display: Schema.optionalKey(Schema.String.annotate({ description: "Text." })),
    included: Schema.Boolean.annotate({ description: "In the lines." })
  }).annotate({ description: "Tax." }),
  due_now: Minor("When booking."),
  balance_due: Schema.optionalKey(Minor("To pay later.")),
  balance_due_at: Schema.optionalKey(Schema.String.annotate({ description: "Until when." })),
  display_total: Schema.String.annotate({ description: "Text." }),
  display_due_now: Schema.String.annotate({ description: "Text." }),
  display_balance_due: Schema.optionalKey(Schema.String.annotate({ description: "Text." }))
})
export type ShownPrice = typeof ShownPrice.Type

/** What of a total is of one rate, and the tax in it. */
const RatedAmount = Schema.Struct({ rate_percent: Schema.Finite, gross: Schema.Int, tax: Schema.Int })

/**
 * Amounts are integers in `currency`'s minor units. Lines sum to the total; `due_now + balance_due = total`. If its
 * parts have several rates of tax, each line is of one, `tax_percent`; the lines of a rate sum to its `gross`, and
 * `tax.rate_percent` is the package's rate. `rule`: the label of the rule by which these children cost so much.
 * `code`: for which so much is taken off.
 */
export const Price = Schema.Struct({
  ...ShownPrice.fields,
  lines: Schema.Array(
    Schema.Struct({
      ...ShownLine.fields,
      tax_percent: Schema.optionalKey(Schema.Finite),
      rule: Schema.optionalKey(Schema.String),
      code: Schema.optionalKey(Schema.String)
    })
  ),
  tax: Schema.Struct({ ...ShownPrice.fields.tax.fields, rates: Schema.optionalKey(Schema.Array(RatedAmount)) })
})
export type Price = typeof Price.Type

/** What of a price is waived, because it is too little to be charged. */
export const waivedIn = ({ lines }: Pick<Price, "lines">): number =>
  lines.reduce((sum, line) => (line.waived === true ? sum - line.amount : sum), 0)

/** What a code takes off a price, and which: in minor units; undefined if none does. */
export const codeIn = ({
  lines
}: Pick<Price, "lines">): { readonly code: string; readonly amount: number } | undefined => {
  const code = lines.find((line) => line.code !== undefined)?.code
  return code === undefined
    ? undefined
    : { code, amount: lines.reduce((sum, line) => (line.code === code ? sum - line.amount : sum), 0) }
}

const lineText = ({ amount, quantity, tax_percent, unit_amount }: Line, currency: string): string => {
  const text = `${quantity === 1 ? "" : `${quantity} × ${display(unit_amount, currency)} = `}${display(amount, currency)}`
  return tax_percent === undefined ? text : `${text} (${tax_percent} % tax)`
}

/** The tax of a price: of several rates, each. */
const taxText = ({ amount, rates = [] }: Price["tax"], currency: string): string => {
  const each = rates.map(({ rate_percent, tax }) => `${display(tax, currency)} at ${rate_percent} %`)
  return [display(amount, currency), ...(each.length === 0 ? [] : [each.join(", ")])].join(": ")
}

/** A price as the tools show it, with texts for people. The texts are not part of the agreement. */
export const shownPrice = ({ lines, tax: { rates, ...tax }, ...price }: Price): ShownPrice => ({
  ...price,
  lines: lines.map(({ tax_percent, ...line }) => ({
    ...Struct.omit(line, ["rule", "code"]),
    display: lineText(tax_percent === undefined ? line : { ...line, tax_percent }, price.currency)
  })),
  tax: { ...tax, display: taxText(rates === undefined ? tax : { ...tax, rates }, price.currency) },
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
 * The parts of a package that determine amounts: its prices, start days, party sizes, tax, and its name for a price
 * line.
 */
export type PricedPackage = Pick<Package, "name" | "pricing" | "schedule" | "min_children" | "max_children" | "tax">

type Line = Price["lines"][number]

const line = (kind: LineKind, label: string, quantity: number, unit_amount: number): Line => ({
  kind,
  label,
  quantity,
  unit_amount,
  amount: quantity * unit_amount
})

const sumOf = (lines: ReadonlyArray<Line>): number => lines.reduce((sum, { amount }) => sum + amount, 0)

/** What lines of several rates sum to by rate, the highest rate first. */
const sumsByRate = (lines: ReadonlyArray<Line>): ReadonlyArray<readonly [rate: number, sum: number]> => {
  const sums = new Map<number, number>()
  for (const { amount, tax_percent = 0 } of lines) sums.set(tax_percent, (sums.get(tax_percent) ?? 0) + amount)
  return [...sums].sort(([a], [b]) => b - a)
}

/** Whether lines are of several rates. All of them have a rate then. */
const haveRates = ([first]: ReadonlyArray<Line>): boolean => first?.tax_percent !== undefined

/**
 * Lines for an amount that concerns all lines before: one, or a part of each rate, in proportion to what that comes to.
 */
const sharedLines = (lines: ReadonlyArray<Line>, made: Line, currency: string): ReadonlyArray<Line> => {
  if (!haveRates(lines)) return [made]
  const sums = sumsByRate(lines)
  const shares = shareOut(
    Math.abs(made.amount),
    sums.map(([, sum]) => sum),
    currency
  )
  return sums.flatMap(([tax_percent], i) => {
    const amount = Math.sign(made.amount) * (shares[i] ?? 0)
    return amount === 0 ? [] : [{ ...made, unit_amount: amount, amount, tax_percent }]
  })
}

/** The charged quantity of an add-on: one per booking, one per child, or the chosen quantity. */
const quantityOf = (addOn: AddOn, choice: AddOnChoice, children: number): number =>
  addOn.unit === "per_booking" ? 1 : addOn.unit === "per_child" ? children : choice.quantity

/**
 * The children that the base price does not include: a line for all who cost the same by the same rule, which names it.
 * At least the minimum is charged.
 */
const childrenLines = (
  pricing: PricedPackage["pricing"],
  party: Party,
  extra_child: number,
  currency: string
): ReadonlyArray<Line> => {
  const { included_children, min_billed_children = 0 } = pricing
  const billed = Math.max(party.children, min_billed_children)
  const more = billed > party.children
  const [kind, words] =
    included_children === 0 ? (["children", "Children"] as const) : (["extra_children", "Extra children"] as const)
  const counts = { billed, included: included_children, usual: extra_child }
  return chargedChildren(pricing, party, counts, currency).map(({ amount, count, rule }, i) => {
    const label = rule === undefined ? words : `${words} (${rule})`
    const named = more && i === 0 ? `${label} (billed as ${billed})` : label
    return {
      ...line(kind, named, count, amount),
      ...(rule === undefined ? {} : { rule }),
      ...(more && i === 0 ? { billed_children: billed } : {})
    }
  })
}

/** The rate of a package at starts at which these rules hold. */
const packageRate = (
  { tax }: PricedPlayroom,
  { tax: own = tax }: Pick<PricedPackage, "tax">,
  rules: ReadonlyArray<DatedRule>
): number =>
  own.changes === undefined
    ? own.rate_percent
    : rules.reduce((rate, { change }) => ("tax_percent" in change ? change.tax_percent : rate), own.rate_percent)

/** Whether what is chosen may have several rates. */
const mayHaveRates = ({ add_ons }: PricedVenue, pkg: PricedPackage, party: Party): boolean =>
  party.add_ons.length > 0 && (pkg.tax !== undefined || add_ons.some(({ tax }) => tax !== undefined))

/** Add-ons with the rate that each has at a start, if not all are of the playroom's one rate. */
const ratesAt = (
  add_ons: ReadonlyArray<AddOn>,
  { tax, time_zone }: PricedPlayroom & Pick<Playroom, "time_zone">,
  start: Instant
): ReadonlyArray<AddOn> => {
  if (tax.changes === undefined && add_ons.every((addOn) => addOn.tax?.changes === undefined)) return add_ons
  const date = localDateOf(time_zone, start)
  return add_ons.map((addOn) => ({ ...addOn, tax: { rate_percent: rateOn(addOn.tax ?? tax, date) } }))
}

/** Base, children, adults, add-ons. A free item has no line, unless a rule makes it free, or everything is free. */
const partyLines = (
  { add_ons, playroom }: PricedVenue,
  pkg: PricedPackage,
  party: Party,
  rules: ReadonlyArray<DatedRule>,
  tax_percent: number | undefined
): Array<Line> => {
  const { included_adults = 0 } = pkg.pricing
  // An import refuses amounts off the charge step. Older rows may have them.
  const each = (amount: number) => downToStep(amount, playroom.currency)
  const amounts = amountsWith(pkg.pricing, rules)
  const [base, extra_child, adult] = [each(amounts.base), each(amounts.extra_child), each(amounts.adult)]
  const adults = Math.max(0, party.adults - included_adults)
  const visit = [
    line("package", pkg.name, 1, base),
    ...childrenLines(pkg.pricing, party, extra_child, playroom.currency),
    included_adults === 0
      ? line("adults", "Adults", adults, adult)
      : line("extra_adults", "Extra adults", adults, adult)
  ]
  const lines = tax_percent === undefined ? visit : visit.map((one) => ({ ...one, tax_percent }))
  // In a fixed order, however they were chosen: the digest of an option covers its lines.
  for (const choice of party.add_ons.toSorted((a, b) => (a.add_on_id < b.add_on_id ? -1 : 1))) {
    const addOn = add_ons.find(({ add_on_id }) => add_on_id === choice.add_on_id)
    if (addOn === undefined) continue
    const made = line("add_on", addOn.name, quantityOf(addOn, choice, party.children), each(addOn.unit_amount))
    const { rate_percent } = addOn.tax ?? playroom.tax
    lines.push(tax_percent === undefined ? made : { ...made, tax_percent: rate_percent })
  }
  const paid = lines.filter(({ amount, rule }) => amount !== 0 || rule !== undefined)
  return paid.length > 0 ? paid : lines.slice(0, 1)
}

/**
 * Adds lines for each rule, in order, on the sum so far. A rule that would make the sum negative is capped. Where there
 * are several rates, an amount that is added is for the visit, of its rate; discounts and percentages are shared.
 */
const applyRules = (
  lines: Array<Line>,
  rules: ReadonlyArray<DatedRule>,
  currency: string,
  tax_percent: number | undefined
): void => {
  let sum = sumOf(lines)
  for (const rule of rules) {
    const { label, change } = rule
    if ("prices" in change || "tax_percent" in change) continue
    const asked = "percent" in change ? percentOf(sum, change.percent, currency) : downToStep(change.amount, currency)
    const amount = Math.max(-sum, asked)
    if (amount === 0) continue
    const made =
      "code" in rule
        ? { ...line("rule", `${label} (${rule.code})`, 1, amount), code: rule.code }
        : line("rule", label, 1, amount)
    if (tax_percent === undefined) lines.push(made)
    else if ("amount" in change && amount > 0) lines.push({ ...made, tax_percent })
    else lines.push(...sharedLines(lines, made, currency))
    sum += amount
  }
}

/** The price lines of a party without the tax on top, with the given rules of the package, all of the same rate. */
const unratedLines = (
  venue: PricedVenue,
  pkg: PricedPackage,
  party: Party,
  rules: ReadonlyArray<DatedRule>
): ReadonlyArray<Line> => {
  const lines = partyLines(venue, pkg, party, rules, undefined)
  applyRules(lines, rules, venue.playroom.currency, undefined)
  return lines
}

/** The same with their rates: one for all lines, which is not in them, or one in each line. */
const ratedLines = (
  venue: PricedVenue,
  pkg: PricedPackage,
  party: Party,
  rules: ReadonlyArray<DatedRule>
): { readonly lines: ReadonlyArray<Line>; readonly rate_percent: number } => {
  const rate_percent = packageRate(venue.playroom, pkg, rules)
  if (!mayHaveRates(venue, pkg, party)) return { lines: unratedLines(venue, pkg, party, rules), rate_percent }
  const lines = partyLines(venue, pkg, party, rules, rate_percent)
  applyRules(lines, rules, venue.playroom.currency, rate_percent)
  const [first = rate_percent, ...others] = new Set(lines.map(({ tax_percent = rate_percent }) => tax_percent))
  return others.length > 0
    ? { lines, rate_percent }
    : { lines: lines.map((one) => Struct.omit(one, ["tax_percent"])), rate_percent: first }
}

const none: ReadonlyArray<Line> = []

/** The taxes to be added to a sum of lines, each with its rate if there are several. */
const taxLines = (
  lines: ReadonlyArray<Line>,
  rate_percent: number,
  { currency, tax: { included } }: PricedPlayroom
): ReadonlyArray<Line> => {
  if (included) return none
  const made = (rate: number, net: number) => line("tax", `Tax (${rate} %)`, 1, percentOf(net, rate, currency))
  const taxes = haveRates(lines)
    ? sumsByRate(lines).map(([tax_percent, net]) => ({ ...made(tax_percent, net), tax_percent }))
    : [made(rate_percent, sumOf(lines))]
  return taxes.filter(({ amount }) => amount !== 0)
}

/** What a party's lines sum to with the given rules of the package, even if it is too little to be charged. */
export const askedWith = (
  venue: PricedVenue,
  pkg: PricedPackage,
  party: Party,
  rules: ReadonlyArray<DatedRule>
): number => {
  // Whatever the rates are, prices that include tax come to the same.
  if (venue.playroom.tax.included) return sumOf(unratedLines(venue, pkg, party, rules))
  const { lines, rate_percent } = ratedLines(venue, pkg, party, rules)
  return sumOf(lines) + sumOf(taxLines(lines, rate_percent, venue.playroom))
}

/** 0 for an amount below the minimum charge, which is waived; else the amount. */
const chargedOf = (amount: number, currency: string): number => (isBelowMinimumCharge(amount, currency) ? 0 : amount)

/** The total of a party, with the given rules of the package. */
export const totalWith = (
  venue: PricedVenue,
  pkg: PricedPackage,
  party: Party,
  rules: ReadonlyArray<DatedRule>
): number => chargedOf(askedWith(venue, pkg, party, rules), venue.playroom.currency)

/** The tax that is inside of what lines sum to, by their rates if these are several. */
const taxInLines = (of: Price["tax"], lines: ReadonlyArray<Line>, currency: string): Price["tax"] => {
  const tax = Struct.omit(of, ["rates"])
  if (!haveRates(lines)) return { ...tax, amount: taxInside(sumOf(lines), tax.rate_percent, currency) }
  const rates = sumsByRate(lines).map(([rate_percent, gross]) => ({
    rate_percent,
    gross,
    tax: taxInside(gross, rate_percent, currency)
  }))
  return { ...tax, amount: rates.reduce((sum, rate) => sum + rate.tax, 0), rates }
}

/** The tax of lines as they are sold, with their taxes on top. */
const taxOf = (
  lines: ReadonlyArray<Line>,
  taxes: ReadonlyArray<Line>,
  rate_percent: number,
  { currency, tax: { included } }: PricedPlayroom
): Price["tax"] => {
  if (!haveRates(lines)) {
    const amount = included ? taxInside(sumOf(lines), rate_percent, currency) : sumOf(taxes)
    return { rate_percent, amount, included }
  }
  const rates = sumsByRate(lines).map(([rate, sum]) => {
    if (included) return { rate_percent: rate, gross: sum, tax: taxInside(sum, rate, currency) }
    const tax = sumOf(taxes.filter(({ tax_percent }) => tax_percent === rate))
    return { rate_percent: rate, gross: sum + tax, tax }
  })
  return { rate_percent, amount: rates.reduce((sum, { tax }) => sum + tax, 0), included, rates }
}

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
  const lines = [
    ...price.lines,
    ...sharedLines(price.lines, { ...line("rule", label, 1, -waived), waived: true }, price.currency)
  ]
  return {
    ...price,
    lines,
    total,
    tax: taxInLines(price.tax, lines, price.currency),
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
 * the price, a line says so, or one of each rate, in proportion to today's price. Nothing is waived yet: what was
 * waived before counts, so that many small changes cost what one large one does. Never negative: if what leaves costs
 * more today than all that was agreed, the rest is free, and `credit` is what is beyond that. It counts at the next
 * change, so that a change and its reverse cost nothing.
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
  const agreedBefore: Line = { ...line("rule", "As agreed before", 1, more), agreed: true }
  const lines = more === 0 ? today.lines : [...today.lines, ...sharedLines(today.lines, agreedBefore, currency)]
  return {
    credit: total - sum,
    price: {
      ...after,
      lines,
      total,
      tax: isToday ? tax : taxInLines(tax, lines, currency),
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
  const { playroom } = venue
  const { currency, time_zone } = playroom
  const at = { playroom, add_ons: ratesAt(addOnsAt(venue.add_ons, time_zone, start), playroom, start) }
  const rules = [...rulesAt(datedRules(playroom, pkg), time_zone, start), ...codeRulesAt(pkg, party, time_zone, start)]
  const { lines: net, rate_percent } = ratedLines(at, pkg, party, rules)
  const taxes = taxLines(net, rate_percent, playroom)
  const lines = taxes.length === 0 ? net : [...net, ...taxes]
  const asked = sumOf(lines)
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
          lines,
          total: asked,
          tax: taxOf(net, taxes, rate_percent, playroom),
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
  const { time_zone } = playroom
  const add_ons = ratesAt(addOnsAt(venue.add_ons, time_zone, start), playroom, start)
  return totalWith({ playroom, add_ons }, pkg, party, [
    ...rulesAt(pricingRules(playroom, pkg), time_zone, start),
    ...codeRulesAt(pkg, party, time_zone, start)
  ])
}

/** What one unit of an add-on adds to a price with the given rules of a package, and tax on top at its rate. */
export const addOnAmount = (
  { currency, tax: { included } }: PricedPlayroom,
  { rate_percent, unit_amount }: Pick<AddOn, "unit_amount"> & Pick<TaxRates, "rate_percent">,
  rules: ReadonlyArray<DatedRule>
): number => {
  const net = rules.reduce(
    (sum, { change }) => ("percent" in change ? sum + percentOf(sum, change.percent, currency) : sum),
    downToStep(unit_amount, currency)
  )
  return included ? net : net + percentOf(net, rate_percent, currency)
}
