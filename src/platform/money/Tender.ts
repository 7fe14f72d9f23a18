/** Until when currencies are tender, and what people pay with instead. Pure. The dates: `EndedCurrencies.ts`. */
import { providerCurrencies } from "./Charge.ts"
import { endedCurrencies } from "./EndedCurrencies.ts"

/** The end of a currency. Dates are `YYYY-MM-DD`. */
interface EndOfTender {
  readonly currency: string
  /** The last day on which it is tender somewhere. */
  readonly until: string
  /** What is tender there now, and since when: the newest first. */
  readonly instead: ReadonlyArray<readonly [currency: string, since: string]>
}

/** The end of a currency, past or to come; undefined if none is known. */
export const endOfTender = (currency: string): EndOfTender | undefined => {
  const end = Object.hasOwn(endedCurrencies, currency) ? endedCurrencies[currency] : undefined
  return end === undefined ? undefined : { currency, until: end.until, instead: Object.entries(end.instead) }
}

/** All known ends up to a day. */
export const endsUntil = (day: string): ReadonlyArray<EndOfTender> =>
  Object.keys(endedCurrencies).flatMap((currency) => {
    const end = endOfTender(currency)
    return end !== undefined && end.until <= day ? [end] : []
  })

/** Whether a currency's last day is over. `today` is a date. */
export const isOver = ({ until }: EndOfTender, today: string): boolean => until < today

/** The ends to come of the currencies among these, with how many have each. `today` is a date. */
export const endsAhead = (
  currencies: ReadonlyArray<string>,
  today: string
): ReadonlyArray<EndOfTender & { readonly playrooms: number }> =>
  [...Map.groupBy(currencies, (currency) => currency)].flatMap(([currency, its]) => {
    const end = endOfTender(currency)
    return end === undefined || isOver(end, today) ? [] : [{ ...end, playrooms: its.length }]
  })

/**
 * What to write instead: `EUR (since 2026-01-01)`. What the payment provider takes comes first, and the rest says so.
 */
export const insteadText = ({ instead }: EndOfTender): string => {
  const taken = instead.filter(([currency]) => providerCurrencies.has(currency))
  return (taken.length > 0 ? taken : instead)
    .map(
      ([currency, since]) =>
        `${currency} (since ${since}${taken.length > 0 ? "" : ", but the payment provider takes no payments in it"})`
    )
    .join(" or ")
}
