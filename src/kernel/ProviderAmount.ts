/**
 * Amounts as the provider writes them. We keep ISO 4217 minor units; the provider's minor units are the same but for a few
 * currencies (https://docs.stripe.com/currencies, "Zero-decimal", "Three-decimal" and "Special cases"):
 * - MGA has hundredths by ISO 4217 and none at the provider;
 * - ISK and UGX have none by ISO 4217, and are written with two decimals (always 00) at the provider;
 * - BHD, JOD, KWD, OMR and TND have three decimals in both, and the provider wants the last digit to be 0;
 * - amounts are at most eight digits.
 * Amounts that the provider can't say are refused, never rounded: the payer pays what the option said.
 */
import { exponentOf } from "./Money.ts"

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
