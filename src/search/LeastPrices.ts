/** The lowest prices of a playroom by the size of a party. The order by price reads playrooms in their order. Pure. */
import type { Package } from "../catalogue/Package.ts"
import type { Playroom } from "../catalogue/Playroom.ts"
import { minPrice } from "../catalogue/PriceBounds.ts"
import { amountsAt, type BookableTimes, lowestIn } from "../catalogue/PriceTimes.ts"
import { totalWith } from "../catalogue/Pricing.ts"
import { maxMinorUnits } from "../kernel/Money.ts"
import type { LocalDate } from "../kernel/LocalTime.ts"

/** Each size holds for larger parties, too, up to the next. The database has an index for each (`playroom_least_1` …). */
const sizes = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20]

/** The place of a party's size among `leastByChildren`, from 1. */
export const sizeOf = (children: number): number => sizes.filter((size) => size <= children).length

/** A package, and when it can be booked. */
interface Offered {
  readonly pkg: Package
  readonly times: BookableTimes
}

/**
 * The lowest price of a party from each size up to the next, without adults and add-ons; the largest amount where no
 * package takes such a party. No larger party pays less.
 */
export const leastByChildren = (
  playroom: Playroom,
  offered: ReadonlyArray<Offered>,
  today: LocalDate
): ReadonlyArray<number> =>
  sizes.map((size, i) => {
    const prices = offered.flatMap(({ pkg, times }) => {
      const children = Math.max(size, pkg.min_children)
      if (children > pkg.max_children || children >= (sizes[i + 1] ?? Infinity)) return []
      const party = { children, adults: 0, add_ons: [] }
      const amounts = amountsAt(times, (rules) => totalWith({ playroom, add_ons: [] }, pkg, party, rules))
      return [lowestIn(amounts) ?? minPrice(playroom, pkg, children, today)]
    })
    return Math.min(maxMinorUnits, ...prices)
  })
