/**
 * The lowest price at which a party can book a package from a day on: the least total (`totalAt`) of all starts up to the horizon. It takes
 * no account of closures and of what is sold already.
 */
import type { Package, PriceRule } from "../catalogue/Package.ts"
import type { Playroom, Venue } from "../catalogue/Playroom.ts"
import type { Party } from "../catalogue/Price.ts"
import { goesBy, meetsDate, totalAt } from "../catalogue/Pricing.ts"
import { addDays, datesFrom, type LocalDate, weekdayOf, weekdays } from "../kernel/LocalTime.ts"
import { startsOn } from "../availability/Starts.ts"

const dayMinutes = 24 * 60

/** The lowest prices of one package for one party. Days with the same starts and rules have the same prices, so a horizon of years costs a few totals. */
export class LowestPrices {
  /** Whether `from` answers the same on every day to come. */
  readonly lasting: boolean
  /** In a zone whose clocks never change: prices go by clock times alone. */
  readonly #playroom: Playroom
  readonly #overridden: ReadonlySet<LocalDate>
  readonly #dated: ReadonlyArray<PriceRule>
  readonly #prices = new Map<string, number | undefined>()
  readonly #days = new Map<LocalDate, number | undefined>()
  readonly #venue: Pick<Venue, "add_ons">
  readonly #pkg: Package
  readonly #party: Party

  constructor({ playroom, add_ons }: Pick<Venue, "playroom" | "add_ons">, pkg: Package, party: Party) {
    this.#playroom = { ...playroom, time_zone: "UTC" }
    this.#venue = { add_ons }
    this.#pkg = pkg
    this.#party = party
    // An override may reach into the days beside it.
    this.#overridden = new Set(playroom.overrides.flatMap(({ date }) => [-2, -1, 0, 1].map((n) => addDays(date, n))))
    this.#dated = pkg.pricing.rules.filter((rule) => goesBy(rule, "date"))
    this.lasting =
      this.#dated.length === 0 &&
      playroom.overrides.length === 0 &&
      playroom.max_advance_days - Math.ceil(playroom.lead_time_minutes / dayMinutes) >= weekdays.length
  }

  #priceOf(date: LocalDate): number | undefined {
    const starts = startsOn({ playroom: this.#playroom }, this.#pkg, date)
    const byClock = this.#pkg.pricing.rules.some((rule) => goesBy(rule, "clock"))
    const prices = (byClock ? starts : starts.slice(0, 1)).map((start) =>
      totalAt({ ...this.#venue, playroom: this.#playroom }, this.#pkg, this.#party, start)
    )
    return prices.length === 0 ? undefined : Math.min(...prices)
  }

  /** The lowest price of visits on a day; undefined where it has none. */
  on(date: LocalDate): number | undefined {
    if (this.#days.has(date)) return this.#days.get(date)
    const holding = this.#dated.map((rule) => meetsDate(rule, date))
    const day = this.#overridden.has(date) ? date : weekdayOf(date)
    const key = `${day} ${holding.map(Number).join("")}`
    if (!this.#prices.has(key)) this.#prices.set(key, this.#priceOf(date))
    const price = this.#prices.get(key)
    this.#days.set(date, price)
    return price
  }

  /** The lowest price that can be booked on a day: of the days from the lead time to the horizon; undefined where none has a visit. */
  from(today: LocalDate): number | undefined {
    const { lead_time_minutes, max_advance_days } = this.#playroom
    const first = addDays(today, Math.floor(lead_time_minutes / dayMinutes))
    const last = addDays(today, this.lasting ? Math.floor(lead_time_minutes / dayMinutes) + 6 : max_advance_days)
    let least: number | undefined
    for (const date of datesFrom(first, last)) {
      const price = this.on(date)
      if (price !== undefined && (least === undefined || price < least)) least = price
    }
    return least
  }
}
