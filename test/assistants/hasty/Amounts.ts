/** Amounts of money in sentences, read back as minor units. */

const currencies: ReadonlyArray<readonly [pattern: string, currency: string]> = [
  ["£", "GBP"],
  ["€", "EUR"],
  ["A\\$", "AUD"],
  ["US\\$", "USD"],
  ["SEK\\s?", "SEK"],
  ["JP¥", "JPY"]
]
// A booking's reference may begin as an amount does: SEK6-FX3Y.
const notReference = "(?![0-9A-Z]{0,3}-[0-9A-Z]{4})"
const amount = new RegExp(
  `(${currencies.map(([pattern]) => pattern).join("|")})${notReference}(\\d[\\d,]*(?:\\.\\d{1,2})?)`,
  "gu"
)

export interface Amount {
  readonly text: string
  readonly minor: number
}

/** All amounts in a text, in the order in which they stand. */
export const amountsIn = (text: string): ReadonlyArray<Amount> =>
  [...text.matchAll(amount)].map(([all, sign = "", digits = ""]) => ({
    text: all,
    minor: Math.round(Number(digits.replaceAll(",", "")) * (sign.includes("¥") ? 1 : 100))
  }))

/** The first amount in a text. */
export const amountIn = (text: string): number | undefined => amountsIn(text)[0]?.minor
