/**
 * Conversion between our amounts and the payment provider's. Ours are ISO 4217 minor units. The provider's differ for a
 * few currencies (https://docs.stripe.com/currencies, "Zero-decimal", "Three-decimal" and "Special cases"):
 * - MGA has two decimals in ISO 4217 and none at the provider;
 * - ISK and UGX have none in ISO 4217 and two (always 00) at the provider;
 * - BHD, JOD, KWD, OMR and TND have three in both, and the provider requires the last digit to be 0;
 * - amounts have at most eight digits.
 * Amounts that the provider can't express are refused here. `Charge.ts` rounds, before an amount is promised.
 */
import { exponentOf } from "./Money.ts"

const zeroDecimal = new Set("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split(" "))
const threeDecimal = new Set("BHD JOD KWD OMR TND".split(" "))
/**
 * The currencies that the provider takes payments in (https://docs.stripe.com/currencies#presentment-currencies). What
 * an account can take depends on its country, too.
 */
export const providerCurrencies: ReadonlySet<string> = new Set(
  `USD AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CLP
  CNY COP CRC CVE CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR
  ISK JMD JOD JPY KES KGS KHR KMF KRW KWD KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MUR MVR MWK MXN MYR
  MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SEK SGD SHP SLE SOS SRD
  STD SZL THB TJS TND TOP TRY TTD TWD TZS UAH UGX UYU UZS VND VUV WST XAF XCD XOF XPF YER ZAR ZMW`.split(/\s+/u)
)

const providerExponent = (currency: string): number =>
  zeroDecimal.has(currency) ? 0 : threeDecimal.has(currency) ? 3 : 2

/** Largest amount of one payment, in the provider's minor units. */
export const maxProviderAmount = 99_999_999

/**
 * ISO 4217 minor units as the provider's; undefined if the provider can't express them (a fraction of an ariary, 1.234
 * KWD, an unsupported currency, more than eight digits).
 */
export const toProviderAmount = (amount: number, currency: string): number | undefined => {
  if (!Number.isSafeInteger(amount) || amount < 0 || !providerCurrencies.has(currency)) return undefined
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
 * What refunds of a payment give back of the platform's fee together: in proportion to what went back of the payment,
 * to the nearest minor unit of the provider's. After a refund it is this, less what was given back before, so that a
 * payment that went back whole has all of its fee back. All amounts in the provider's minor units.
 */
export const feeGivenBack = (fee: number, refunded: number, paid: number): number =>
  paid === 0 ? 0 : Number((2n * BigInt(fee) * BigInt(refunded) + BigInt(paid)) / (2n * BigInt(paid)))

/**
 * The provider's minor units (`amount_total` of sessions and events) as ISO 4217 minor units; `currency` in either
 * case. A fraction of a minor unit (never seen) is kept, so that the result equals no amount of ours.
 */
export const fromProviderAmount = (amount: number, currency: string): number => {
  const code = currency.toUpperCase()
  const shift = providerExponent(code) - exponentOf(code)
  return shift >= 0 ? amount / 10 ** shift : amount * 10 ** -shift
}
