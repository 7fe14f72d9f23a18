/** Money in the person's language. */
import { numberAt, textAt } from "./values.js"

/**
 * An amount in minor units. `currency` is "" if the answer does not name it; then there is only the server's text.
 *
 * @typedef {{ readonly amount: number, readonly currency: string, readonly display: string }} Money
 */

/**
 * The decimals of currencies that have not two. The browser's own differ for some (HUF, IDR).
 *
 * @type {Readonly<Record<string, number>>}
 */
const unusualDecimals = JSON.parse(document.querySelector("#decimals")?.textContent ?? "{}")

/**
 * @param {unknown} of
 * @param {ReadonlyArray<string>} path of a Money
 * @returns {Money}
 */
export const moneyAt = (of, ...path) => ({
  amount: numberAt(of, ...path, "amount"),
  currency: textAt(of, ...path, "currency"),
  display: textAt(of, ...path, "display")
})

/**
 * @param {string} locale
 * @param {Money} money
 * @returns {string} like "£240.00", "240,00 £"
 */
export const moneyText = (locale, { amount, currency, display }) => {
  const digits = (Object.hasOwn(unusualDecimals, currency) ? unusualDecimals[currency] : undefined) ?? 2
  try {
    const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
    return new Intl.NumberFormat(locale, { style: "currency", currency, ...options }).format(amount / 10 ** digits)
  } catch {
    // Not a currency.
    return display
  }
}

/**
 * @param {string} locale
 * @param {Money} money
 * @returns {string} "" if the amount is 0
 */
export const moneyUnlessNone = (locale, money) => (money.amount === 0 ? "" : moneyText(locale, money))
