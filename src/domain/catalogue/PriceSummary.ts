/**
 * Prices that are told without a date: for whom, and when. Pure. They are derived at import and again as the calendar
 * advances, since they depend on which starts can be booked.
 */
import { Schema } from "effect"
import { lessByAge } from "./ChildPrices.ts"
import type { AddOn, Package } from "./Package.ts"
import { type Party, addOnAmount, type PricedPackage, type PricedPlayroom, totalWith } from "./Pricing.ts"
import {
  firstUncovered,
  listPrice,
  minPrice,
  amountsAt,
  besideLowest,
  type BookableTimes,
  lowestIn,
  rangeText,
  type TimedAmounts,
  whenLowest
} from "./PriceTimes.ts"
import { addOnAmounts, priceDependsOnStart } from "./PriceRules.ts"
import { ratesBetween } from "./Tax.ts"
import type { LocalDate } from "../../platform/time/LocalTime.ts"
import type { Venue } from "./Playroom.ts"

/** The lowest price of a package, and its words. */
const PackageSummary = Schema.Struct({
  /** Minor units. */
  price_from: Schema.Int,
  /** The starts that cost so much, and what others cost. */
  when: Schema.String,
  each_further_child: Schema.optionalKey(Schema.String)
})
type PackageSummary = typeof PackageSummary.Type

/** The price of one unit of an add-on without special prices, and its range if it depends on package or time. */
const AddOnSummary = Schema.Struct({ amount: Schema.Int, range: Schema.optionalKey(Schema.String) })
type AddOnSummary = typeof AddOnSummary.Type

/** All of a playroom, by their ids. */
export const PriceSummary = Schema.Struct({
  packages: Schema.Record(Schema.String, PackageSummary),
  add_ons: Schema.Record(Schema.String, AddOnSummary)
})
export type PriceSummary = typeof PriceSummary.Type

/** The price of a party at every bookable start. */
export const partyAmounts = (
  venue: Pick<Venue, "playroom" | "add_ons">,
  pkg: PricedPackage,
  party: Party,
  times: BookableTimes
): TimedAmounts => amountsAt(times, (rules) => totalWith(venue, pkg, party, rules))

/**
 * What further children add, from the first whom the lowest price does not cover; "" if nothing. `prices`:
 * the lowest price at every start.
 */
const furtherChildText = (
  playroom: PricedPlayroom,
  pkg: PricedPackage,
  times: BookableTimes,
  prices: TimedAmounts
): string => {
  const first = firstUncovered(pkg)
  if (first === undefined) return ""
  const { currency } = playroom
  const total = (children: number, rules: BookableTimes["groups"][number]["rules"]) =>
    totalWith({ playroom, add_ons: [] }, pkg, { children, adults: 0, add_ons: [] }, rules)
  const added = amountsAt(times, (rules) => Math.max(0, total(first, rules) - total(first - 1, rules)))
  const amounts = added.amounts.map(({ amount }) => amount)
  if (amounts.length === 0 || Math.max(...amounts) === 0) return ""
  const count = pkg.max_children - first + 1
  const uneven = times.groups.flatMap(({ rules }, i) => {
    const each = amounts[i] ?? 0
    const isEvenInAll = total(pkg.max_children, rules) - total(first - 1, rules) === each * count
    // With percentages, what one child adds too much by rounding another may add too little.
    const isRounded = !playroom.tax.included || rules.some(({ change }) => "percent" in change)
    if (isEvenInAll && !isRounded) return []
    let [least, most, before] = [each, each, total(first - 1, rules)]
    for (let children = first; children <= pkg.max_children; children++) {
      const all = total(children, rules)
      const step = Math.max(0, all - before)
      ;[least, most, before] = [Math.min(least, step), Math.max(most, step), all]
    }
    return least === most ? [] : [least, most]
  })
  // Rounding, or a rule that makes the smallest parties free.
  if (uneven.length > 0) {
    const all = [...amounts, ...uneven]
    return `${rangeText(all, currency)}, by party and time`
  }
  return besideLowest(added, prices, currency)
}

/** A package's lowest price at the starts that can be booked from `today` on, for children of any age. */
export const summarizePackage = (
  playroom: PricedPlayroom,
  pkg: PricedPackage,
  times: BookableTimes,
  today: LocalDate
): PackageSummary => {
  const party = { children: pkg.min_children, adults: 0, add_ons: [] }
  const prices = amountsAt(times, (rules) => totalWith({ playroom, add_ons: [] }, pkg, party, rules))
  const price_from = lowestIn(prices)
  if (price_from === undefined)
    return {
      price_from: minPrice(playroom, pkg, pkg.min_children, today),
      when: "but no time can be booked at present"
    }
  const further = furtherChildText(playroom, pkg, times, prices)
  const less = lessByAge(pkg, playroom.currency)
  return {
    price_from,
    when: `${whenLowest(prices, playroom.currency)}${less === "" ? "" : `; less by age: ${less}`}`,
    ...(further === "" ? {} : { each_further_child: further })
  }
}

/** The list price, while the lowest one is derived anew. */
export const listedPackage = (playroom: PricedPlayroom, pkg: Package): PackageSummary => ({
  price_from: listPrice(playroom, pkg),
  when: priceDependsOnStart(playroom, pkg) ? "when no special price applies" : "any time"
})

/** What one unit of an add-on costs with any of the packages, at the starts that can be booked on some dates. */
export const summarizeAddOn = (
  playroom: PricedPlayroom,
  addOn: AddOn,
  packages: ReadonlyArray<{ readonly times: BookableTimes }>,
  between?: readonly [from: LocalDate, to: LocalDate]
): AddOnSummary => {
  const rates = playroom.tax.included ? [0] : ratesBetween(addOn.tax ?? playroom.tax, between)
  const own = rates.flatMap((rate_percent) =>
    addOnAmounts(addOn, between).map((unit_amount) => ({ rate_percent, unit_amount }))
  )
  const [first = { rate_percent: 0, unit_amount: addOn.unit_amount }] = own
  const amount = addOnAmount(playroom, first, [])
  const amounts = own.flatMap((each) =>
    packages.length === 0
      ? [addOnAmount(playroom, each, [])]
      : packages.flatMap(({ times }) => times.groups.map(({ rules }) => addOnAmount(playroom, each, rules)))
  )
  return amounts.every((one) => one === amount) ? { amount } : { amount, range: rangeText(amounts, playroom.currency) }
}
