/** What a search's party pays in a venue: by which of its packages, and for whom that is said to be. Pure. */
import type { Package } from "../catalogue/Package.ts"
import type { PriceForParty, Venue } from "../catalogue/Playroom.ts"
import type { Party } from "../catalogue/Price.ts"
import { coveredPartyText, totalAt } from "../catalogue/Pricing.ts"
import { childrenOf, counted, type SearchQuery } from "./SearchQuery.ts"
import { type Instant, type LocalDate, localDateOf } from "../kernel/LocalTime.ts"
import { display, money } from "../kernel/Money.ts"
import { LowestPrices } from "../booking/LowestPrices.ts"

/** The party that comes; of a search that names no children, the smallest that the package takes. */
export const partyFor = (query: SearchQuery, pkg: Package): Party => ({
  children: childrenOf(query) ?? pkg.min_children,
  adults: query.adults ?? 0,
  add_ons: []
})

/** The packages of a venue that have the mode, the length and room for the party. */
export const packagesFor = (query: SearchQuery, { packages }: Venue): ReadonlyArray<Package> =>
  packages.filter((pkg) => {
    const { adults, children } = partyFor(query, pkg)
    return (
      (query.mode === undefined || pkg.mode === query.mode) &&
      (query.duration_minutes === undefined || pkg.duration_minutes === query.duration_minutes) &&
      pkg.min_children <= children &&
      children <= pkg.max_children &&
      (pkg.max_adults === undefined || adults <= pkg.max_adults)
    )
  })

/** Whether a search says enough of who comes, or to what, to be told a price. */
export const asksPrice = (query: SearchQuery): boolean =>
  childrenOf(query) !== undefined ||
  query.adults !== undefined ||
  query.mode !== undefined ||
  query.max_total !== undefined

/** A package, and what the party pays for it. */
export interface Priced {
  readonly pkg: Package
  readonly total: number
}

const cheapest = (all: ReadonlyArray<Priced>): Priced | undefined =>
  all.reduce<Priced | undefined>(
    (least, one) => (least === undefined || one.total < least.total ? one : least),
    undefined
  )

const lowest = new WeakMap<Venue, Map<string, number | undefined>>()
// So many parties of a venue that stays as it is; then they are counted anew.
const mostKept = 200

/** The lowest price of a package from a day on, reckoned once for each venue as it stands: it may take a look at years of days. */
const lowestTotal = (venue: Venue, pkg: Package, party: Party, today: LocalDate): number | undefined => {
  const kept = lowest.get(venue) ?? new Map<string, number | undefined>()
  lowest.set(venue, kept)
  const key = `${pkg.package_id} ${party.children} ${party.adults} ${today}`
  if (!kept.has(key)) {
    if (kept.size >= mostKept) kept.clear()
    kept.set(key, new LowestPrices(venue, pkg, party).from(today))
  }
  return kept.get(key)
}

/** The lowest price that the party can book in the venue from now on; undefined where none of its packages has a start to come. */
export const lowestFor = (query: SearchQuery, venue: Venue, now: Instant): Priced | undefined => {
  const today = localDateOf(venue.playroom.time_zone, now)
  return cheapest(
    packagesFor(query, venue).flatMap((pkg) => {
      const total = lowestTotal(venue, pkg, partyFor(query, pkg), today)
      return total === undefined ? [] : [{ pkg, total }]
    })
  )
}

/** What the party pays at a start, by the cheapest of some packages. */
export const lowestAt = (
  query: SearchQuery,
  venue: Venue,
  packages: ReadonlyArray<Package>,
  start: Instant
): Priced | undefined =>
  cheapest(packages.map((pkg) => ({ pkg, total: totalAt(venue, pkg, partyFor(query, pkg), start) })))

/** Whom the price is for, in words. */
const whom = (query: SearchQuery, pkg: Package): string => {
  const { adults, children } = partyFor(query, pkg)
  if (childrenOf(query) === undefined && adults === 0) return coveredPartyText(pkg)
  const billed = Math.max(children, pkg.pricing.min_billed_children ?? 0)
  return [
    `${counted(children, "child", "children")}${billed > children ? ` (billed as ${billed})` : ""}`,
    ...(adults > 0 ? [counted(adults, "adult", "adults")] : pkg.pricing.adult > 0 ? ["no adults counted"] : [])
  ].join(", ")
}

/** The price as a search tells it. `per_child` is there where nothing but the children makes it. */
export const priceForParty = (query: SearchQuery, { playroom }: Venue, { pkg, total }: Priced): PriceForParty => {
  const { adults, children } = partyFor(query, pkg)
  const { adult, base, extra_child, included_adults = 0, included_children, min_billed_children = 0 } = pkg.pricing
  const billed = Math.max(children, min_billed_children)
  const byTheChild =
    base === 0 &&
    included_children === 0 &&
    extra_child > 0 &&
    (adult === 0 || adults <= included_adults) &&
    total > 0 &&
    total % billed === 0
  return {
    ...money(total, playroom.currency),
    for: whom(query, pkg),
    ...(byTheChild ? { per_child: display(total / billed, playroom.currency) } : {}),
    package_name: pkg.name,
    mode: pkg.mode
  }
}
