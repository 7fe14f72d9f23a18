/**
 * What each child of a party costs beyond the base price: by age, and as a sibling. Pure. No rule makes a child dearer,
 * and rules by age hold only once all ages are told. So no party pays more for telling its ages, and one whose children
 * are all of the cheapest age pays least.
 */
import { Struct } from "effect"
import { downToStep, percentOf } from "../../platform/money/Charge.ts"
import { display } from "../../platform/money/Money.ts"
import type { ChildRule, Package } from "./Package.ts"

type PricedChildren = Pick<Package["pricing"], "child_rules">

/** The number of children, and their ages in years. */
interface Children {
  readonly children: number
  readonly child_ages?: ReadonlyArray<number>
}

const isByAge = ({ age_from, age_to }: ChildRule): boolean => age_from !== undefined || age_to !== undefined

/** Whether a package's price depends on how old the children are. */
export const pricesByAge = ({ pricing: { child_rules = [] } }: { readonly pricing: PricedChildren }): boolean =>
  child_rules.some(isByAge)

/** The ages of a party, the eldest first; none unless all are told. */
const agesOf = ({ child_ages = [], children }: Children): ReadonlyArray<number> =>
  child_ages.length === children ? child_ages.toSorted((a, b) => b - a) : []

/** The ages that a party's price for a package depends on; undefined where it depends on none, or if some are missing. */
export const pricedAges = (
  pkg: { readonly pricing: PricedChildren },
  party: Children
): ReadonlyArray<number> | undefined => {
  const ages = pricesByAge(pkg) ? agesOf(party) : []
  return ages.length === 0 ? undefined : ages
}

const holds = (rule: ChildRule, place: number, age: number | undefined): boolean =>
  place >= (rule.child_from ?? 1) &&
  (!isByAge(rule) || (age !== undefined && age >= (rule.age_from ?? 0) && age <= (rule.age_to ?? age)))

/** The rules that hold for each child, from the eldest on. Who does not come, but is billed, has no age. */
const rulesOfEach = ({ child_rules = [] }: PricedChildren, party: Children, billed: number) => {
  const ages = agesOf(party)
  return Array.from({ length: billed }, (_, i) => child_rules.filter((rule) => holds(rule, i + 1, ages[i])))
}

/** Whether two parties of as many children pay the same for them, whatever each costs. */
export const sameChildRules = (pricing: PricedChildren, one: Children, other: Children): boolean => {
  const [a, b] = [one, other].map((party) => JSON.stringify(rulesOfEach(pricing, party, party.children)))
  return a === b
}

/** What a child costs, and the label of the last rule that made it cheaper. */
interface ChildPrice {
  readonly amount: number
  readonly rule: string | undefined
}

/** So many children who cost the same by the same rule. */
interface ChargedChildren extends ChildPrice {
  readonly count: number
}

/**
 * What the children cost of whom the base price includes `included`, the dearest ones; `billed` of them, even if fewer
 * come. `usual`: what a child costs without any rule.
 */
export const chargedChildren = (
  pricing: PricedChildren,
  party: Children,
  { billed, included, usual }: { readonly billed: number; readonly included: number; readonly usual: number },
  currency: string
): ReadonlyArray<ChargedChildren> => {
  const count = Math.max(0, billed - included)
  const unchanged: ChildPrice = { amount: usual, rule: undefined }
  if (count === 0) return []
  if ((pricing.child_rules ?? []).length === 0) return [{ ...unchanged, count }]
  const each = rulesOfEach(pricing, party, billed).map((rules) =>
    rules.reduce<ChildPrice>((price, { change, label }) => {
      const amount =
        "price" in change
          ? downToStep(change.price, currency)
          : price.amount + percentOf(price.amount, change.percent, currency)
      return amount < price.amount ? { amount, rule: label } : price
    }, unchanged)
  )
  const charged = each.toSorted((a, b) => b.amount - a.amount).slice(included)
  const groups = Map.groupBy(charged, ({ amount, rule }) => `${amount} ${rule ?? ""}`)
  return [...groups.values()].flatMap((its) => its.slice(0, 1).map((one) => ({ ...one, count: its.length })))
}

/** A package with the rules by age for every child: no party pays less, whatever its ages are. */
export const asForCheapestAges = <P extends { readonly pricing: PricedChildren }>(pkg: P): P =>
  pricesByAge(pkg)
    ? {
        ...pkg,
        pricing: {
          ...pkg.pricing,
          child_rules: (pkg.pricing.child_rules ?? []).map(Struct.omit(["age_from", "age_to"]))
        }
      }
    : pkg

const agesText = ({ age_from, age_to }: ChildRule): string =>
  age_to === undefined
    ? `${age_from ?? 0} and older`
    : (age_from ?? 0) === age_to
      ? `${age_to}`
      : `${age_from ?? 0} to ${age_to}`

/** What costs less by age, in words of our own: "aged 0 to 1 £0.00, aged 2 to 3 -50 %"; "" if nothing does. */
export const lessByAge = ({ pricing: { child_rules = [] } }: { readonly pricing: PricedChildren }, currency: string) =>
  child_rules
    .filter(isByAge)
    .map((rule) => {
      const { change, child_from } = rule
      const from = child_from === undefined ? "" : ` from child ${child_from} on`
      const what = "price" in change ? display(change.price, currency) : `${change.percent} %`
      return `aged ${agesText(rule)}${from} ${what}`
    })
    .join(", ")
