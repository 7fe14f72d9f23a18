/**
 * Amounts as the provider takes and writes them. We keep ISO 4217 minor units; the provider's minor units are the same but for a few
 * currencies (https://docs.stripe.com/currencies, "Zero-decimal", "Three-decimal" and "Special cases"):
 * - MGA has hundredths by ISO 4217 and none at the provider;
 * - ISK and UGX have none by ISO 4217, and are written with two decimals (always 00) at the provider;
 * - BHD, JOD, KWD, OMR and TND have three decimals in both, and the provider wants the last digit to be 0;
 * - amounts are at most eight digits.
 * Amounts that the provider can't say are refused, never rounded: the payer pays what the option said.
 */
import { exponentOf } from "./Money.ts"

/**
 * The smallest amounts that the payment provider charges, in minor units:
 * https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts. For other currencies it
 * publishes none (the minimum then depends on the account and the day's rates). The catalogue and the sandbox both use this table.
 */
const smallest: ReadonlyMap<string, number> = new Map([
  ["AED", 200],
  ["ARS", 50],
  ["AUD", 50],
  ["BRL", 50],
  ["CAD", 50],
  ["CHF", 50],
  ["COP", 50],
  ["CZK", 1500],
  ["DKK", 250],
  ["EUR", 50],
  ["GBP", 30],
  ["HKD", 400],
  ["HUF", 17_500],
  ["IDR", 50],
  ["ILS", 50],
  ["INR", 50],
  ["JPY", 50],
  ["KRW", 50],
  ["MXN", 1000],
  ["MYR", 200],
  ["NOK", 300],
  ["NZD", 50],
  ["PHP", 50],
  ["PLN", 200],
  ["RON", 200],
  ["RUB", 50],
  ["SEK", 300],
  ["SGD", 50],
  ["THB", 1000],
  ["USD", 50],
  ["ZAR", 50]
])

/** The smallest charge in a currency (upper case), in its minor units; 1 where the provider tells none. */
export const smallestCharge = (currency: string): number => smallest.get(currency) ?? 1

/** Whether an amount is due and too small for the provider. Nothing due is no charge. */
export const isTooSmall = (amount: number, currency: string): boolean => amount > 0 && amount < smallestCharge(currency)

const zeroDecimal = new Set("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split(" "))
const threeDecimal = new Set("BHD JOD KWD OMR TND".split(" "))
// ISO 4217 gives these three or four decimals, and the provider has no rule for them: it does not take them.
const notTaken = new Set("CLF IQD LYD UYI UYW".split(" "))

const providerExponent = (currency: string): number =>
  zeroDecimal.has(currency) ? 0 : threeDecimal.has(currency) ? 3 : 2

/** Largest amount of one payment, in the provider's minor units. */
export const maxProviderAmount = 99_999_999

/**
 * ISO 4217 minor units as the provider's, or undefined where the provider can't express them (a fraction of an ariary, 1.234
 * KWD, a currency it does not take, more than eight digits).
 */
export const toProviderAmount = (amount: number, currency: string): number | undefined => {
  if (!Number.isSafeInteger(amount) || amount < 0 || notTaken.has(currency)) return undefined
  const shift = providerExponent(currency) - exponentOf(currency)
  const converted = shift >= 0 ? amount * 10 ** shift : amount / 10 ** -shift
  if (!Number.isInteger(converted) || converted > maxProviderAmount) return undefined
  return threeDecimal.has(currency) && converted % 10 !== 0 ? undefined : converted
}

/** Like `toProviderAmount`, but rounds down to what the provider can express: for our own fee, in the operator's favour. */
export const toProviderFee = (fee: number, currency: string): number => {
  if (threeDecimal.has(currency)) return Math.floor(fee / 10) * 10
  const shift = providerExponent(currency) - exponentOf(currency)
  return shift >= 0 ? fee * 10 ** shift : Math.floor(fee / 10 ** -shift)
}

/**
 * The provider's minor units (`amount_total` of sessions and events) as ISO 4217 minor units; `currency` in either case.
 * An amount that is no whole number of ours (never seen) keeps its fraction, so that it equals no amount of ours.
 */
export const fromProviderAmount = (amount: number, currency: string): number => {
  const code = currency.toUpperCase()
  const shift = providerExponent(code) - exponentOf(code)
  return shift >= 0 ? amount / 10 ** shift : amount * 10 ** -shift
}
