/** Whether what a package asks for can be charged at all: the payment provider takes nothing below a smallest amount. Pure. */
import { isTooSmall, smallestCharge } from "../kernel/ProviderAmount.ts"
import { display } from "../kernel/Money.ts"
import type { FilePlayroom, Issue } from "./CatalogueSchema.ts"
import { depositOf, possiblePrices, type PricedPackage, sizesUnderSameRules } from "../catalogue/Pricing.ts"

type FilePackage = PricedPackage & Pick<FilePlayroom["packages"][number], "payment">

/** How a total is asked for. All three never fall as the total rises. */
const partsOf = (pkg: FilePackage) => [
  { at: "pricing", what: "A visit could cost", of: (total: number) => total },
  { at: "payment", what: "When booking there could be due", of: (total: number) => depositOf(pkg, total) },
  { at: "payment", what: "There could be left a balance of", of: (total: number) => total - depositOf(pkg, total) }
]

/** The least amount above nothing that parties of `from` to `to` children, one of `sizesUnderSameRules`, are asked for. */
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
 * Amounts below the provider's smallest, as far as they are known before anyone books: of parties without adults and add-ons, with
 * the rules that always hold, and with each other rule beside them. Other combinations are refused when paying.
 */
export const chargeIssues = (
  path: string,
  playroom: Pick<FilePlayroom, "currency" | "tax">,
  pkg: FilePackage
): Array<Issue> => {
  const { currency, tax } = playroom
  const { max_children, min_children } = pkg
  if (min_children > max_children) return []
  const prices = possiblePrices(tax, pkg)
  const sizes = sizesUnderSameRules(pkg)
  const found = partsOf(pkg).flatMap(({ at, of, what }): ReadonlyArray<Issue> => {
    const small = prices
      .flatMap((price) => sizes.map(({ from, to }) => leastCharge((children) => of(price(children)), from, to)))
      .find((amount) => isTooSmall(amount, currency))
    if (small === undefined) return []
    const least = display(smallestCharge(currency), currency)
    return [
      {
        path: `${path}.${at}`,
        message: `${what} ${display(small, currency)}, and the payment provider charges no less than ${least}`
      }
    ]
  })
  // One fault is named once: a price that is too small makes its parts too small.
  return found.slice(0, 1)
}
