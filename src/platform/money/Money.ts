/** Money in integer minor units, never floats. `Charge.ts` has the one rounding rule. */
import { Result, Schema } from "effect"
import { folded } from "../text/Text.ts"
import { endedCurrencies } from "./EndedCurrencies.ts"

/**
 * Currencies whose minor unit is not a hundredth, by ISO 4217 (list one,
 * https://www.six-group.com/en/products-services/financial-information/data-standards.html). The runtime's digits are
 * CLDR's, which differ (HUF, IDR, MGA … 0).
 */
const exponents: Readonly<Record<string, ReadonlyArray<string>>> = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(" "),
  3: "BHD IQD JOD KWD LYD OMR TND".split(" "),
  4: ["CLF", "UYW"]
}
const exponentByCode = new Map(
  Object.entries(exponents).flatMap(([exponent, codes]) => codes.map((code) => [code, Number(exponent)] as const))
)

/** The decimals of all currencies that have not two. */
export const unusualDecimals: Readonly<Record<string, number>> = Object.fromEntries(exponentByCode)

/** Decimals of a currency by ISO 4217: GBP 2, JPY 0, KWD 3. */
export const exponentOf = (currency: string): number => exponentByCode.get(currency) ?? 2

/** Codes of ISO 4217 that the runtime does not list (Node 24.21): units of account, and what CLDR has no name for. */
const unlisted = "BOV CHE CHW CLF COU MXV USN UYI UYW VED".split(" ")

// What has ended stays known, whichever release of the runtime forgets it: bookings were made in it.
const supported = new Set([...Intl.supportedValuesOf("currency"), ...unlisted, ...Object.keys(endedCurrencies)])

/** ISO 4217 code in upper case. */
export const Currency = Schema.String.check(
  Schema.isPattern(/^[A-Z]{3}$/u, { message: "Expected an ISO 4217 currency code in upper case, like GBP" }),
  Schema.makeFilter(
    (code: string) => supported.has(code) || "Expected a currency code that ISO 4217 has, like GBP",
    // Without it, a description put on this schema would not reach the JSON Schema.
    { toJsonSchema: () => ({}) }
  )
)

/** The largest amount: the payment provider's limit for one charge (eight digits), well inside the tables' `int`. */
export const maxMinorUnits = 99_999_999

/** An amount in the currency's minor units (pence, cents, yen): a whole number. */
export const MinorUnits = Schema.Number.check(
  Schema.isInt({ message: "Expected a whole number of minor units (pence, cents, yen): 1250 for 12.50" }),
  Schema.isBetween(
    { minimum: 0, maximum: maxMinorUnits },
    {
      message: "Expected a whole number of minor units (pence, cents, yen) from 0 to 99999999"
    }
  )
)

/** Money in responses: minor units, currency, and a text for people. */
export const Money = Schema.Struct({
  amount: MinorUnits.annotate({ description: "Minor units." }),
  currency: Currency.annotate({ description: "ISO 4217." }),
  display: Schema.String.annotate({ description: "Text." })
})
export type Money = typeof Money.Type

interface Formatter {
  readonly format: (value: number) => string
  readonly decimals: number
  /** Cached texts by amount: a page of options repeats the same few amounts, and formatting takes microseconds. */
  readonly texts: Map<number, string>
}
const formatters = new Map<string, Formatter>()
const maxTexts = 1000

const formatterOf = (currency: string): Formatter => {
  let formatter = formatters.get(currency)
  if (formatter === undefined) {
    const decimals = exponentOf(currency)
    const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
    // An account at the provider may also hold what ISO 4217 has no code for, like the stablecoin USDC.
    const format = /^[A-Z]{3}$/u.test(currency)
      ? new Intl.NumberFormat("en-GB", { ...digits, style: "currency", currency }).format
      : (value: number) => `${currency} ${value.toFixed(decimals)}`
    formatter = { format, decimals, texts: new Map() }
    formatters.set(currency, formatter)
  }
  return formatter
}

/** The amount as people write it: `display(24000, "GBP")` is `£240.00`. */
export const display = (amount: number, currency: string): string => {
  const { decimals, format, texts } = formatterOf(currency)
  let text = texts.get(amount)
  if (text === undefined) {
    text = format(amount / 10 ** decimals)
    if (texts.size >= maxTexts) texts.clear()
    texts.set(amount, text)
  }
  return text
}

/**
 * Parses an amount as people write it, with a point before the decimals: `parseAmount("45.00", "GBP")` and
 * `parseAmount("4500", "JPY")` are 4500. Undefined if it is no amount, is too large, or has more decimals than the
 * currency.
 */
export const parseAmount = (text: string, currency: string): number | undefined => {
  const [, whole, decimals = ""] = /^(\d{1,8})(?:\.(\d+))?$/.exec(text.trim()) ?? []
  const digits = exponentOf(currency)
  if (whole === undefined || decimals.length > digits) return undefined
  const amount = Number(whole + decimals.padEnd(digits, "0"))
  return amount <= maxMinorUnits ? amount : undefined
}

/** The languages in which people write amounts here. */
const written = ["en", "en-GB", "de", "es", "fr", "ja", "pl"]

const symbols = new Map<string, ReadonlySet<string>>()

/** How a currency is written beside an amount: `€`, `EUR`, `euros`. */
const symbolsOf = (currency: string): ReadonlySet<string> => {
  const known = symbols.get(currency)
  if (known !== undefined) return known
  const texts = written.flatMap((language) =>
    (["symbol", "narrowSymbol", "code", "name"] as const).flatMap((currencyDisplay) =>
      new Intl.NumberFormat(language, { style: "currency", currency, currencyDisplay })
        .formatToParts(5)
        .flatMap(({ type, value }) => (type === "currency" ? [folded(value)] : []))
    )
  )
  const found = new Set(texts)
  symbols.set(currency, found)
  return found
}

/**
 * An amount with its currency and with marks of thousands: `€ 12,50`, `1.234,50 €`, `1 234,50 zł`. A single mark before
 * three digits is one of thousands, unless the currency has three decimals and it is a point.
 */
export const amountText = (cell: string, currency: string): Result.Result<string, string> => {
  const text = cell.normalize("NFKC").trim()
  const [, before = "", number = "", after = ""] = /^([^\d-]*)(-?\d[\d.,'’\s]*?)\s*([^\d]*)$/u.exec(text) ?? []
  const beside = [before, after].map(folded).filter((one) => one !== "")
  if (number === "" || (beside.length > 0 && !/^[A-Z]{3}$/.test(currency))) return Result.succeed(cell)
  if (!beside.every((one) => symbolsOf(currency).has(one))) return Result.succeed(cell)
  const digits = number.replaceAll(/['’\s](?=\d{3}(?!\d))/gu, "")
  const last = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","))
  if (last < 0) return Result.succeed(digits)
  const [head, tail, sign] = [digits.slice(0, last), digits.slice(last + 1), digits[last] ?? ""]
  const thousands = (text: string, by: string): boolean =>
    text
      .split(by)
      .every((group, i, all) => (i === 0 ? /^-?\d{1,3}$/.test(group) || all.length === 1 : /^\d{3}$/.test(group)))
  const other = sign === "," ? "." : ","
  if (head.includes(sign) || (tail.length === 3 && exponentOf(currency) < 3 && !head.includes(other) && head !== "0"))
    return Result.succeed(thousands(digits, sign) ? digits.replaceAll(sign, "") : cell)
  if (tail.length === 3 && sign === "," && !head.includes(other))
    return Result.fail(`Expected ${head}.${tail} or ${head}${tail}, since "${cell}" may be either`)
  return Result.succeed(thousands(head, other) ? `${head.replaceAll(other, "")}.${tail}` : cell)
}

/** An amount as a decimal number, as `parseAmount` takes it: `decimalText(4500, "GBP")` is "45.00". */
export const decimalText = (amount: number, currency: string): string => {
  const digits = exponentOf(currency)
  return (amount / 10 ** digits).toFixed(digits)
}

/** The sums of amounts in each currency, but for those that are nothing. */
export const sumsByCurrency = (
  amounts: ReadonlyArray<Pick<Money, "amount" | "currency">>
): ReadonlyArray<Pick<Money, "amount" | "currency">> => {
  const sums = new Map<string, number>()
  for (const { amount, currency } of amounts) sums.set(currency, (sums.get(currency) ?? 0) + amount)
  return Array.from(sums, ([currency, amount]) => ({ amount, currency })).filter(({ amount }) => amount !== 0)
}

export const money = (amount: number, currency: string): Money => ({
  amount,
  currency,
  display: display(amount, currency)
})

/** Whether a percentage has at most three decimals, which is the precision of `percentOf`. */
export const isExactPercent = (percent: number): boolean => Math.round(percent * 1000) / 1000 === percent
