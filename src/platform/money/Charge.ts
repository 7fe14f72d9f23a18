/**
 * The amounts that can be charged and refunded in a currency, and the one rounding rule: every amount that is computed
 * goes through `percentOf`, `taxInside` or `downToStep`, so that what is promised can be paid.
 *
 * A percentage is the nearest multiple of the currency's charge step, halves away from zero, for prices, taxes, deposits
 * and refunds alike. Sums of such amounts need no rounding. A refund is never more than its payment, and 100 % of a
 * payment is all of it. Amounts are minor units.
 */
import { maxMinorUnits, decimalText } from "./Money.ts"
import { maxProviderAmount, providerCurrencies, toProviderAmount } from "./ProviderAmount.ts"

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
