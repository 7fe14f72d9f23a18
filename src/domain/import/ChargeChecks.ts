/** Checks that every amount of a catalogue file can be charged in its currency (`platform/money/Charge.ts`). Pure. */
import { maxPrice, possiblePrices, sizesUnderSameRules } from "../catalogue/PriceBounds.ts"
import { depositAmount, type PricedPackage, type PricedPlayroom } from "../catalogue/Pricing.ts"
import { isBelowMinimumCharge, isOnStep, maximumCharge, minimumCharge, stepText } from "../../platform/money/Charge.ts"
import { display } from "../../platform/money/Money.ts"
import type { FilePackage, Issue } from "./CatalogueSchema.ts"

type PaidPackage = PricedPackage & Pick<FilePackage, "payment">

/** The ways to charge a total. No amount of these three falls as the total rises. */
const partsOf = (pkg: PaidPackage, currency: string) => [
  { at: "pricing", what: "A visit could cost", of: (total: number) => total },
  {
    at: "payment",
    what: "When booking there could be due",
    of: (total: number) => depositAmount(pkg, total, currency)
  },
  {
    at: "payment",
    what: "There could be left a balance of",
    of: (total: number) => total - depositAmount(pkg, total, currency)
  }
]

/** The smallest positive amount charged to parties of `from` to `to` children, one of `sizesUnderSameRules`. */
const leastCharge = (amount: (children: number) => number, from: number, to: number): number => {
  let low = from
  let high = to
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (amount(middle) > 0) high = middle
    else low = middle + 1
  }
  return amount(low)
}

/**
 * Amounts below the provider's minimum, as far as they are known before a booking: for parties without adults and
 * add-ons, with the rules that always apply, alone and with each other rule. Other combinations are folded or waived
 * (`quote`).
 */
export const chargeIssues = (path: string, playroom: PricedPlayroom, pkg: PaidPackage): Array<Issue> => {
  const { currency } = playroom
  const { max_children, min_children } = pkg
  if (min_children > max_children) return []
  const prices = possiblePrices(playroom, pkg)
  const sizes = sizesUnderSameRules(pkg)
  const found = partsOf(pkg, currency).flatMap(({ at, of, what }): ReadonlyArray<Issue> => {
    const small = prices
      .flatMap((price) => sizes.map(({ from, to }) => leastCharge((children) => of(price(children)), from, to)))
      .find((amount) => isBelowMinimumCharge(amount, currency))
    if (small === undefined) return []
    const least = display(minimumCharge(currency), currency)
    return [
      {
        path: `${path}.${at}`,
        message: `${what} ${display(small, currency)}, and the payment provider charges no less than ${least}`
      }
    ]
  })
  // Report one fault once: a price that is too small makes its parts too small.
  return found.slice(0, 1)
}

/** Amounts off the charge step of their currency. Prices made of them could not be charged as they are told. */
export const stepIssues = (
  currency: string,
  amounts: ReadonlyArray<readonly [path: string, amount: number]>
): Array<Issue> =>
  amounts.flatMap(([path, amount]) =>
    isOnStep(amount, currency)
      ? []
      : [
          {
            path,
            message: `${display(amount, currency)} can't be charged: the payment provider takes ${currency} in steps of ${stepText(currency)}`
          }
        ]
  )

/** Prices above the largest charge. It is 0 in a currency that the provider does not take. */
export const largestChargeIssues = (
  path: string,
  playroom: PricedPlayroom,
  pkg: PricedPackage & Pick<FilePackage, "max_adults">
): Array<Issue> => {
  const { currency } = playroom
  const largest = { children: pkg.max_children, adults: pkg.max_adults ?? 0, add_ons: [] }
  const most = maxPrice({ playroom, add_ons: [] }, pkg, largest)
  const limit = maximumCharge(currency)
  if (most <= limit) return []
  const message =
    limit === 0
      ? `The payment provider takes no payments in ${currency}`
      : `A largest party could cost ${display(most, currency)}, more than can be charged`
  return [{ path: `${path}.pricing`, message }]
}
