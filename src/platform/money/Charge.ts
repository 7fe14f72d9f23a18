/**
 * The amounts that can be charged and refunded in a currency, and the one rounding rule: every amount that is computed
 * goes through `percentOf`, `taxInside` or `downToStep`, so that what is promised can be paid.
 *
 * A percentage is the nearest multiple of the currency's charge step, halves away from zero, for prices, taxes,
 * deposits and refunds alike. Sums of such amounts need no rounding. A refund is never more than its payment, and 100 %
 * of a payment is all of it. Amounts are minor units.
 */

import { maxMinorUnits, decimalText, exponentOf } from "./Money.ts"

// Conversion between our amounts and the payment provider's. Ours are ISO 4217 minor units. The provider's differ for a
// few currencies (https://docs.stripe.com/currencies, "Zero-decimal", "Three-decimal" and "Special cases"):
// - MGA has two decimals in ISO 4217 and none at the provider;
// - ISK and UGX have none in ISO 4217 and two (always 00) at the provider;
// - BHD, JOD, KWD, OMR and TND have three in both, and the provider requires the last digit to be 0;
// - amounts have at most eight digits.
// Amounts that the provider can't express are refused here. `Charge.ts` rounds, before an amount is promised.

const zeroDecimal = new Set("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split(" "))
const threeDecimal = new Set("BHD JOD KWD OMR TND".split(" "))
/**
 * The currencies that the provider takes payments in (https://docs.stripe.com/currencies#presentment-currencies). What
 * an account can take depends on its country, too. Those that ended stay: what was paid in them goes back in them.
 */
export const providerCurrencies: ReadonlySet<string> = new Set(
  `USD AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CLP
  CNY COP CRC CVE CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR
  ISK JMD JOD JPY KES KGS KHR KMF KRW KWD KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MUR MVR MWK MXN MYR
  MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SEK SGD SHP SLE SOS SRD
  STD SZL THB TJS TND TOP TRY TTD TWD TZS UAH UGX UYU UZS VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW`.split(/\s+/u)
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

interface Charges {
  readonly step: number
  readonly smallest: number
  readonly largest: number
}

// Both follow from the conversion, so that they can't differ from it.
const chargesOf = (currency: string): Charges => {
  const step = [1, 10, 100].find((amount) => toProviderAmount(amount, currency) !== undefined) ?? 1
  const inOne = toProviderAmount(step, currency) ?? Infinity
  const largest = Math.min(Math.floor(maxProviderAmount / inOne) * step, maxMinorUnits - (maxMinorUnits % step))
  return { step, smallest: Math.max(step, minimumCharges.get(currency) ?? 0), largest }
}

// A fixed number of currencies: nothing that a caller sends makes this grow.
const known = new Map([...providerCurrencies].map((currency) => [currency, chargesOf(currency)]))
const noCharge: Charges = { step: 1, smallest: 1, largest: 0 }

/** The charge step of a currency: every charge and refund is a multiple of it. 1 for most; 10 for KWD, 100 for MGA. */
export const chargeStep = (currency: string): number => (known.get(currency) ?? noCharge).step

/** The minimum charge in a currency (upper case): the step if the provider publishes none. */
export const minimumCharge = (currency: string): number => (known.get(currency) ?? noCharge).smallest

/** The largest charge in a currency; 0 if the provider takes no payments in it. */
export const maximumCharge = (currency: string): number => (known.get(currency) ?? noCharge).largest

/** Whether an amount is due and below the provider's minimum charge. 0 is no charge. */
export const isBelowMinimumCharge = (amount: number, currency: string): boolean =>
  amount > 0 && amount < minimumCharge(currency)

/** Whether the provider can refund an amount. Refunds have a step, and no minimum. */
export const isOnStep = (amount: number, currency: string): boolean => amount % chargeStep(currency) === 0

/** The largest amount on the charge step that is no more than `amount`; for negative amounts, no less. */
export const downToStep = (amount: number, currency: string): number => amount - (amount % chargeStep(currency))

/** The charge step for people: "0.010" in KWD. */
export const stepText = (currency: string): string => decimalText(chargeStep(currency), currency)

/** `amount × percent / 100` by the rounding rule. `percent` may have up to three decimals. */
export const percentOf = (amount: number, percent: number, currency: string): number => {
  const step = chargeStep(currency)
  const divisor = 100_000n * BigInt(step)
  const thousandths = BigInt(Math.round(percent * 1000)) * BigInt(amount)
  const magnitude = thousandths < 0n ? -thousandths : thousandths
  const rounded = (magnitude + divisor / 2n) / divisor
  return Number(thousandths < 0n ? -rounded : rounded) * step
}

/** The tax included in a gross amount: gross − gross × 100 / (100 + percent), by the rounding rule. */
export const taxInside = (gross: number, percent: number, currency: string): number => {
  const step = BigInt(chargeStep(currency))
  const rate = BigInt(Math.round(percent * 1000))
  const divisor = (100_000n + rate) * step
  return Number(((BigInt(gross) * rate * 2n + divisor) / (divisor * 2n)) * step)
}

/**
 * An amount divided in proportion to weights, by the charge step: the largest fractions are rounded up, of equal ones
 * the first. The shares sum to the amount, and none is more than its weight if the amount is no more than all. Neither
 * the amount nor a weight is below 0; without any weight the first has all.
 */
export const shareOut = (amount: number, weights: ReadonlyArray<number>, currency: string): ReadonlyArray<number> => {
  const step = chargeStep(currency)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  if (total === 0) return weights.map((_, i) => (i === 0 ? amount : 0))
  const divisor = BigInt(total) * BigInt(step)
  const exact = weights.map((weight, i) => {
    const product = BigInt(amount) * BigInt(weight)
    return { i, steps: Number(product / divisor), rest: product % divisor }
  })
  const down = exact.reduce((sum, { steps }) => sum + steps * step, 0)
  const up = new Set(
    exact
      .toSorted((a, b) => (a.rest === b.rest ? a.i - b.i : a.rest > b.rest ? -1 : 1))
      .slice(0, Math.round((amount - down) / step))
      .map(({ i }) => i)
  )
  return exact.map(({ i, steps }) => (steps + (up.has(i) ? 1 : 0)) * step)
}
