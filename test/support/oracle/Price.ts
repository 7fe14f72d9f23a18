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

/** A tax as the catalogue writes it: a rate, and others from some days on. */
interface Taxed {
  readonly rate_percent: number
  readonly changes?: ReadonlyArray<{ readonly from: string; readonly rate_percent: number }>
}

/** What is sold at one rate. */
interface Pot {
  readonly rate: number
  sum: bigint
}

/**
 * Gives each pot its part of an amount, step by step of what can be charged: first whole parts, then one step more to
 * those that lack most of their exact part. `sums`: what the parts are in proportion to.
 */
const divided = (amount: bigint, pots: ReadonlyArray<Pot>, step: bigint): ReadonlyArray<bigint> => {
  const all = pots.reduce((sum, pot) => sum + pot.sum, 0n)
  if (all === 0n) return pots.map((_, i) => (i === 0 ? amount : 0n))
  const parts = pots.map((pot) => ((amount * pot.sum) / (all * step)) * step)
  const lacks = pots.map((pot, i) => amount * pot.sum - (parts[i] ?? 0n) * all)
  let left = amount - parts.reduce((sum, part) => sum + part, 0n)
  while (left > 0n) {
    let most = 0
    for (const [i, lack] of lacks.entries()) if (lack > (lacks[most] ?? 0n)) most = i
    parts[most] = (parts[most] ?? 0n) + step
    lacks[most] = -1n
    left -= step
  }
  return parts
}

/** What of a price is of one rate of tax. */
interface OfRate {
  readonly rate_percent: number
  readonly gross: number
  readonly tax: number
}

interface Reckoning {
  readonly total: number
  readonly tax: number
  /** What of the total is of each rate, the highest rate first; undefined if all is of one. */
  readonly rates: ReadonlyArray<OfRate> | undefined
  readonly due_now: number
  readonly non_refundable: number
  /** When the rest is due, in milliseconds; undefined where nothing is left. */
  readonly balance_due_at: number | undefined
}

type Visit = readonly [venue: Venue, pkg: Package, party: Party, start: number, now: number]

/** What a visit costs, and what of it is due, at a moment (milliseconds). */
export const priceByHand = (...of: Visit): Reckoning => reckoned(...of).price

/** What of its price is of each rate of tax, the highest rate first. */
export const ratesByHand = (...of: Visit): ReadonlyArray<OfRate> => reckoned(...of).by_rate

const reckoned = (...[venue, pkg, party, start, now]: Visit) => {
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
  const rateOf = ({ changes = [], rate_percent }: Taxed): number => {
    let rate = rate_percent
    for (const change of changes) if (change.from <= date) rate = change.rate_percent
    return rate
  }
  const own = rateOf(pkg.tax ?? tax)
  /** Whatever is paid for, by its rate. */
  const pots: Array<Pot> = []
  const potOf = (rate: number): Pot => {
    const found = pots.find((pot) => pot.rate === rate)
    if (found !== undefined) return found
    const made = { rate, sum: 0n }
    pots.push(made)
    return made
  }
  const sell = (rate: number, amount: bigint) => {
    if (amount > 0n) potOf(rate).sum += amount
  }
  sell(own, whole(base))
  const billed = Math.max(party.children, pricing.min_billed_children ?? 0)
  const told = party.child_ages ?? []
  // Who is not there has no age, and where one age is missing, nobody has.
  const eldestFirst = told.length === party.children ? [...told].sort((a, b) => b - a) : []
  const each: Array<bigint> = []
  for (let child = 1; child <= billed; child++) {
    const age = eldestFirst[child - 1]
    let costs = whole(extra_child)
    for (const { age_from, age_to, change, child_from = 1 } of pricing.child_rules ?? []) {
      const anyAge = age_from === undefined && age_to === undefined
      const ofThatAge = age !== undefined && age >= (age_from ?? -1) && age <= (age_to ?? 99)
      if (child < child_from || !(anyAge || ofThatAge)) continue
      const less = "price" in change ? whole(change.price) : costs + percentOf(costs, change.percent, step)
      if (less < costs) costs = less
    }
    each.push(costs)
  }
  // The base is for the dearest of them.
  for (let covered = 0; covered < pricing.included_children && each.length > 0; covered++) {
    let dearest = 0
    for (const [i, costs] of each.entries()) if (costs > (each[dearest] ?? 0n)) dearest = i
    each.splice(dearest, 1)
  }
  for (const costs of each) sell(own, costs)
  for (let adult = 1; adult <= party.adults; adult++)
    if (adult > (pricing.included_adults ?? 0)) sell(own, whole(each_adult))
  for (const { add_on_id, quantity } of party.add_ons) {
    for (const { rules, tax: of = tax, unit, unit_amount } of venue.add_ons.filter(
      (it) => it.add_on_id === add_on_id
    )) {
      let each = unit_amount
      for (const rule of rules ?? []) if (holds(rule)) each = rule.change.prices.unit_amount
      const times = unit === "per_booking" ? 1 : unit === "per_child" ? party.children : quantity
      for (let i = 0; i < times; i++) sell(rateOf(of), whole(each))
    }
  }
  // Where nothing costs anything, the visit has its rate.
  if (pots.length === 0) potOf(own)
  // Last of all, what a code takes off for whoever gave it.
  const given = (pricing.codes ?? []).filter((rule) => rule.code === party.code && holds(rule))
  for (const { change } of [...holding, ...given]) {
    if ("prices" in change) continue
    const sum = pots.reduce((all, pot) => all + pot.sum, 0n)
    const asked = "percent" in change ? percentOf(sum, change.percent, step) : whole(change.amount)
    // What is added in all is for the visit; a part of everything, and what is taken off, concerns everything.
    if ("amount" in change && asked > 0n) potOf(own).sum += asked
    else {
      const sign = asked < 0n ? -1n : 1n
      const size = asked < 0n ? (-asked > sum ? sum : -asked) : asked
      pots.sort((a, b) => b.rate - a.rate)
      const parts = divided(size, pots, step)
      for (const [i, pot] of pots.entries()) pot.sum += sign * (parts[i] ?? 0n)
    }
  }
  pots.sort((a, b) => b.rate - a.rate)
  const several = pots.length > 1
  let [total, taxed] = [0n, 0n]
  const rates = pots.map(({ rate: percent, sum }) => {
    const rate = thousandthsOf(percent)
    const its = tax.included ? nearest(sum * rate, 100_000n + rate, step) : percentOf(sum, percent, step)
    const gross = tax.included ? sum : sum + its
    total += gross
    taxed += its
    return { rate_percent: percent, gross: Number(gross), tax: Number(its) }
  })
  // A visit that costs too little to be charged is free.
  const free = tooLittle(total)
  if (free) total = taxed = 0n
  let deposit = total
  let dueAt = now
  if (payment.kind === "deposit") {
    const asked =
      "percent" in payment.deposit ? percentOf(total, payment.deposit.percent, step) : whole(payment.deposit.amount)
    deposit = asked < total ? asked : total
    if (tooLittle(deposit)) deposit = 0n
    dueAt = start - payment.balance_due_hours_before * 3_600_000
  }
  const by_rate = free ? rates.map((one) => ({ ...one, gross: 0, tax: 0 })) : rates
  const due = dueAt <= now || tooLittle(total - deposit) ? total : deposit
  const price: Reckoning = {
    total: Number(total),
    tax: Number(taxed),
    rates: several ? by_rate : undefined,
    due_now: Number(due),
    non_refundable: payment.kind === "deposit" && !payment.refundable ? Number(deposit) : 0,
    balance_due_at: due < total ? dueAt : undefined
  }
  return { price, by_rate }
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
const smallestByHand = (currency: string): number => published[currency] ?? stepByHand(currency)

/** A fraction as the nearest multiple of a step; a half goes away from zero. */
export const nearest = (numerator: bigint, denominator: bigint, step = 1n): bigint => {
  const size = numerator < 0n ? -numerator : numerator
  const divisor = denominator * step
  const whole = size / divisor
  const rest = size % divisor
  const rounded = (rest * 2n >= divisor ? whole + 1n : whole) * step
  return numerator < 0n ? -rounded : rounded
}
