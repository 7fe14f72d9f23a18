/**
 * Conversion between our amounts and the payment provider's. Ours are ISO 4217 minor units. The provider's differ for a
 * few currencies (https://docs.stripe.com/currencies, "Zero-decimal", "Three-decimal" and "Special cases"):
 * - MGA has two decimals in ISO 4217 and none at the provider;
 * - ISK and UGX have none in ISO 4217 and two (always 00) at the provider;
 * - BHD, JOD, KWD, OMR and TND have three in both, and the provider requires the last digit to be 0;
 * - amounts have at most eight digits.
 * Amounts that the provider can't express are refused, never rounded: the payer pays the option's price.
 */
import { exponentOf } from "./Money.ts"

/**
 * The provider's minimum charges in minor units: https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts.
 * It publishes none for other currencies, where the minimum depends on the account and the day's rates. The catalogue
 * and the sandbox use this table.
 */
const minimumCharges: ReadonlyMap<string, number> = new Map([
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

/** The minimum charge in a currency (upper case), in minor units; 1 if the provider publishes none. */
export const minimumCharge = (currency: string): number => minimumCharges.get(currency) ?? 1

/** Whether an amount is due and below the provider's minimum charge. 0 is no charge. */
export const isBelowMinimumCharge = (amount: number, currency: string): boolean =>
  amount > 0 && amount < minimumCharge(currency)

const zeroDecimal = new Set("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split(" "))
const threeDecimal = new Set("BHD JOD KWD OMR TND".split(" "))
// The provider does not support these currencies, which have three or four decimals.
const unsupported = new Set("CLF IQD LYD UYI UYW".split(" "))

const providerExponent = (currency: string): number =>
  zeroDecimal.has(currency) ? 0 : threeDecimal.has(currency) ? 3 : 2

/** Largest amount of one payment, in the provider's minor units. */
export const maxProviderAmount = 99_999_999

/**
 * ISO 4217 minor units as the provider's; undefined if the provider can't express them (a fraction of an ariary, 1.234
 * KWD, an unsupported currency, more than eight digits).
 */
export const toProviderAmount = (amount: number, currency: string): number | undefined => {
  if (!Number.isSafeInteger(amount) || amount < 0 || unsupported.has(currency)) return undefined
  const shift = providerExponent(currency) - exponentOf(currency)
  const converted = shift >= 0 ? amount * 10 ** shift : amount / 10 ** -shift
  if (!Number.isInteger(converted) || converted > maxProviderAmount) return undefined
  return threeDecimal.has(currency) && converted % 10 !== 0 ? undefined : converted
}

/** Like `toProviderAmount`, but rounds down: our own fee is rounded in the operator's favour. */
export const toProviderFee = (fee: number, currency: string): number => {
  if (threeDecimal.has(currency)) return Math.floor(fee / 10) * 10
  const shift = providerExponent(currency) - exponentOf(currency)
  return shift >= 0 ? fee * 10 ** shift : Math.floor(fee / 10 ** -shift)
}

/**
 * The provider's minor units (`amount_total` of sessions and events) as ISO 4217 minor units; `currency` in either
 * case. A fraction of a minor unit (never seen) is kept, so that the result equals no amount of ours.
 */
export const fromProviderAmount = (amount: number, currency: string): number => {
  const code = currency.toUpperCase()
  const shift = providerExponent(code) - exponentOf(code)
  return shift >= 0 ? amount / 10 ** shift : amount * 10 ** -shift
}
