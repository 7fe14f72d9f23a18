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
