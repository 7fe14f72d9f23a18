/** Rates of tax: that of a playroom, a package or an add-on, and the dates from which others hold. Pure. */
import { Schema } from "effect"
import { LocalDate } from "../../platform/time/LocalTime.ts"

const RatePercent = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 })).annotateKey({
  meaning: "Percent, with up to three decimals."
})

/** So many changes at most: decades of them. */
const maxChanges = 20

/** A rate, and others for visits from some dates on, in order of date. The day of the visit counts. */
export const TaxRates = Schema.Struct({
  rate_percent: RatePercent,
  changes: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        from: LocalDate.annotateKey({ meaning: "The first day of visits that have this rate." }),
        rate_percent: RatePercent
      })
    ).check(Schema.isMaxLength(maxChanges, { message: `Expected at most ${maxChanges} changes` }))
  ).annotateKey({
    meaning:
      "Other rates for visits from a day on, in order of the days, whenever they are booked. Left out: none. What was paid keeps the rate at which it came; a booking that a family changes has the rates of its day."
  })
})
export type TaxRates = typeof TaxRates.Type

/** The rate for visits on a date. */
export const rateOn = ({ changes = [], rate_percent }: TaxRates, date: LocalDate): number =>
  changes.findLast(({ from }) => from <= date)?.rate_percent ?? rate_percent

/** Every rate for visits on some dates, the first one first; without dates, every rate. */
export const ratesBetween = (
  { changes = [], rate_percent }: TaxRates,
  between?: readonly [from: LocalDate, to: LocalDate]
): ReadonlyArray<number> => {
  if (between === undefined) return [rate_percent, ...changes.map((change) => change.rate_percent)]
  const [first, last] = between
  const later = changes.filter(({ from }) => first < from && from <= last)
  return [rateOn({ changes, rate_percent }, first), ...later.map((change) => change.rate_percent)]
}

/** Every rate from a date on. */
export const ratesFrom = (rates: TaxRates, date: LocalDate): ReadonlyArray<number> =>
  ratesBetween(rates, [date, "9999-12-31"])
