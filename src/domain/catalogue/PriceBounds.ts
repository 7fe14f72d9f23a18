/** Bounds of prices at any time, and the list price. Pure. Amounts are those of `Pricing.ts`. */
import type { Array } from "effect"
import type { LocalDate } from "../../platform/time/LocalTime.ts"
import type { Party } from "./Price.ts"
import { addOnAmounts, changeOf, holdsAlways, leastValue, mayHoldFrom, meetsSchedule, valuesOf } from "./PriceRules.ts"
import { askedWith, type PricedPackage, type PricedPlayroom, type PricedVenue, totalWith } from "./Pricing.ts"
import type { PackageAmounts, PriceRule } from "./Package.ts"
import { childrenText, counted } from "../../platform/text/Text.ts"

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

/** The package with each amount as `of` says. Rules that set amounts must not be applied to it. */
const withAmounts = (pkg: PricedPackage, of: (name: keyof PackageAmounts) => number): PricedPackage => ({
  ...pkg,
  pricing: { ...pkg.pricing, base: of("base"), extra_child: of("extra_child"), adult: of("adult") }
})

/**
 * The highest possible price of a party: with the highest amounts, every rule that raises it, and no other. It must not exceed
 * `maxMinorUnits`.
 */
export const maxPrice = (venue: PricedVenue, pkg: PricedPackage, party: Party): number =>
  totalWith(
    {
      playroom: venue.playroom,
      add_ons: venue.add_ons.map((addOn) => ({ ...addOn, unit_amount: Math.max(...addOnAmounts(addOn)) }))
    },
    withAmounts(pkg, (name) => Math.max(...valuesOf(pkg, name))),
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
 * A lower bound: no party of `children` pays less from `today` on, at any start. Counts the least amounts and
 * every discount that may still apply, and only surcharges that always apply.
 */
export const minPrice = (playroom: PricedPlayroom, pkg: PricedPackage, children: number, today: LocalDate): number =>
  childrenTotal(
    playroom,
    withAmounts(pkg, (name) => leastValue(pkg, name, today)),
    children,
    pkg.pricing.rules.filter(
      (rule) => !("prices" in rule.change) && (changeOf(rule) < 0 ? mayHoldFrom(rule, pkg, today) : holdsAlways(rule))
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

/**
 * The list price for the smallest party, without adults and add-ons, before rules that apply only at some times. In
 * minor units, including tax on top.
 */
export const listPrice = (playroom: PricedPlayroom, pkg: PricedPackage): number =>
  childrenTotal(playroom, pkg, pkg.min_children, pkg.pricing.rules.filter(holdsAlways))

/** The largest party that pays no more than the smallest one, at any start at which the same rules apply to both. */
const coveredChildren = (pkg: PricedPackage): number => {
  const { included_children, min_billed_children = 0 } = pkg.pricing
  const [{ from, to }] = sizesUnderSameRules(pkg)
  return valuesOf(pkg, "extra_child").every((amount) => amount === 0)
    ? to
    : Math.min(to, Math.max(from, included_children, min_billed_children))
}

/** The smallest party that the lowest price does not cover; undefined if it covers all. */
export const firstUncovered = (pkg: PricedPackage): number | undefined => {
  const covered = coveredChildren(pkg)
  return covered === pkg.max_children ? undefined : covered + 1
}

/** Whether adults cost something, at some time. */
export const asksForAdults = (pkg: PricedPackage): boolean => valuesOf(pkg, "adult").some((amount) => amount > 0)

/** The party that the lowest price covers, in words: "4 to 10 children". */
export const coveredPartyText = (pkg: PricedPackage): string => {
  const { included_adults = 0 } = pkg.pricing
  const children = childrenText(pkg.min_children, coveredChildren(pkg))
  const adults = !asksForAdults(pkg)
    ? ""
    : included_adults === 0
      ? ", no adults"
      : `, up to ${counted(included_adults, "adult")}`
  return children + adults
}
