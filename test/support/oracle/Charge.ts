/**
 * What can be charged, from the words of the provider's page (https://docs.stripe.com/currencies): three-decimal amounts
 * end in 0, an ariary has no parts, and the rest is charged to the last minor unit. Shares no code with the service.
 */
export const stepByHand = (currency: string): number =>
  ["BHD", "JOD", "KWD", "OMR", "TND"].includes(currency) ? 10 : currency === "MGA" ? 100 : 1

/** The smallest charges that the page publishes, in minor units of the currencies that the tests sell in. */
const published: Readonly<Record<string, number>> = { GBP: 30, EUR: 50, USD: 50, JPY: 50, HUF: 17_500 }
export const smallestByHand = (currency: string): number => published[currency] ?? stepByHand(currency)

/** A fraction as the nearest multiple of a step; a half goes away from zero. */
export const nearest = (numerator: bigint, denominator: bigint, step = 1n): bigint => {
  const size = numerator < 0n ? -numerator : numerator
  const divisor = denominator * step
  const whole = size / divisor
  const rest = size % divisor
  const rounded = (rest * 2n >= divisor ? whole + 1n : whole) * step
  return numerator < 0n ? -rounded : rounded
}
