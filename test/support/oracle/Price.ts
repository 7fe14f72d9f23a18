/**
 * An oracle for prices, written from the words of the domain: whole amounts and exact fractions, one child, one adult
 * and one cake after the other. It shares no code with the service.
 */
import type { Party } from "../../../src/domain/catalogue/Pricing.ts"
import type { Package, RuleTimes } from "../../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { clockOf, dateOf, midnightOf, wallOf, weekdayOf } from "./Clock.ts"

/** A percentage with up to three decimals, as it is written, in thousandths: "7.125" is 7125. */
const thousandthsOf = (percent: number): bigint => {
  const [, sign = "", whole = "0", decimals = ""] = /^(-?)(\d+)(?:\.(\d{1,3}))?$/.exec(percent.toFixed(3)) ?? []
  const size = BigInt(whole) * 1000n + BigInt(decimals.padEnd(3, "0"))
  return sign === "-" ? -size : size
}

const percentOf = (amount: bigint, percent: number, step: bigint): bigint =>
  nearest(amount * thousandthsOf(percent), 100_000n, step)

export interface Reckoning {
  readonly total: number
  readonly tax: number
  readonly due_now: number
  readonly non_refundable: number
  /** When the rest is due, in milliseconds; undefined where nothing is left. */
  readonly balance_due_at: number | undefined
}

/** What a visit costs, and what of it is due, at a moment (milliseconds). */
export const priceByHand = (venue: Venue, pkg: Package, party: Party, start: number, now: number): Reckoning => {
  const { pricing, payment } = pkg
  const { currency, time_zone, tax } = venue.playroom
  const step = BigInt(stepByHand(currency))
  const smallest = BigInt(smallestByHand(currency))
  // Nobody pays the part of an amount that can't be charged.
  const whole = (amount: number) => BigInt(amount) - (BigInt(amount) % step)
  const tooLittle = (amount: bigint) => amount > 0n && amount < smallest
  const wall = wallOf(time_zone, Math.floor(start / 60_000))
  const date = dateOf(wall)
  const clock = wall - midnightOf(date)
  const holds = (rule: RuleTimes): boolean =>
    (rule.weekdays ?? [weekdayOf(date)]).some((weekday) => weekday === weekdayOf(date)) &&
    clock >= clockOf(rule.from ?? "00:00") &&
    clock < clockOf(rule.until ?? "24:00") &&
    date >= (rule.date_from ?? "0000-01-01") &&
    date <= (rule.date_to ?? "9999-12-31")
  const holding = pricing.rules.filter(holds)
  let { base, extra_child, adult: each_adult } = pricing
  for (const { change } of holding) {
    if (!("prices" in change)) continue
    base = change.prices.base ?? base
    extra_child = change.prices.extra_child ?? extra_child
    each_adult = change.prices.adult ?? each_adult
  }
  let sum = whole(base)
  const billed = Math.max(party.children, pricing.min_billed_children ?? 0)
  for (let child = 1; child <= billed; child++) if (child > pricing.included_children) sum += whole(extra_child)
  for (let adult = 1; adult <= party.adults; adult++)
    if (adult > (pricing.included_adults ?? 0)) sum += whole(each_adult)
  for (const { add_on_id, quantity } of party.add_ons) {
    for (const { rules, unit, unit_amount } of venue.add_ons.filter((it) => it.add_on_id === add_on_id)) {
      let each = unit_amount
      for (const rule of rules ?? []) if (holds(rule)) each = rule.change.prices.unit_amount
      const times = unit === "per_booking" ? 1 : unit === "per_child" ? party.children : quantity
      for (let i = 0; i < times; i++) sum += whole(each)
    }
  }
  for (const { change } of holding) {
    if ("prices" in change) continue
    sum += "percent" in change ? percentOf(sum, change.percent, step) : whole(change.amount)
    if (sum < 0n) sum = 0n
  }
  const rate = thousandthsOf(tax.rate_percent)
  let taxed = tax.included ? nearest(sum * rate, 100_000n + rate, step) : percentOf(sum, tax.rate_percent, step)
  let total = tax.included ? sum : sum + taxed
  // A visit that costs too little to be charged is free.
  if (tooLittle(total)) total = taxed = 0n
  let deposit = total
  let dueAt = now
  if (payment.kind === "deposit") {
    const asked =
      "percent" in payment.deposit ? percentOf(total, payment.deposit.percent, step) : whole(payment.deposit.amount)
    deposit = asked < total ? asked : total
    if (tooLittle(deposit)) deposit = 0n
    dueAt = start - payment.balance_due_hours_before * 3_600_000
  }
  const due = dueAt <= now || tooLittle(total - deposit) ? total : deposit
  return {
    total: Number(total),
    tax: Number(taxed),
    due_now: Number(due),
    non_refundable: payment.kind === "deposit" && !payment.refundable ? Number(deposit) : 0,
    balance_due_at: due < total ? dueAt : undefined
  }
}

/**
 * What can be charged, from the words of the provider's page (https://docs.stripe.com/currencies): three-decimal
 * amounts end in 0, an ariary has no parts, and the rest is charged to the last minor unit. Shares no code with the
 * service.
 */
export const stepByHand = (currency: string): number =>
  ["BHD", "JOD", "KWD", "OMR", "TND"].includes(currency) ? 10 : currency === "MGA" ? 100 : 1

/** The smallest charges that the page publishes, in minor units of the currencies that the tests sell in. */
const published: Readonly<Record<string, number>> = { GBP: 30, EUR: 50, USD: 50, JPY: 50, HUF: 17_500 }
export const smallestByHand = (currency: string): number => published[currency] ?? stepByHand(currency)

/** A fraction as the nearest multiple of a step; a half goes away from zero. */
export const nearest = (numerator: bigint, denominator: bigint, step = 1n): bigint => {
  const size = numerator < 0n ? -numerator : numerator
  const divisor = denominator * step
  const whole = size / divisor
  const rest = size % divisor
  const rounded = (rest * 2n >= divisor ? whole + 1n : whole) * step
  return numerator < 0n ? -rounded : rounded
}
