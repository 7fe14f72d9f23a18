/** CSV (RFC 4180) for spreadsheets. */
import { exponentOf } from "./Money.ts"

/** An amount of minor units as a decimal number, for spreadsheets. */
export const decimalText = (amount: number, currency: string): string => {
  const digits = exponentOf(currency)
  return (amount / 10 ** digits).toFixed(digits)
}

/** What stands in a cell of CSV: a text, or a number of ours (`decimalText`), which may be negative. */
export type CsvCell = string | { readonly number: string }

const csvCell = (text: CsvCell): string => {
  if (typeof text !== "string") return text.number
  // A spreadsheet would run a cell like this as a formula, even in text from strangers: a name, a note.
  const defused = (/^\s*[=+\-@＝＋－＠\t\r]/.test(text) ? `'${text}` : text).replace(/[^\P{Cc}\n\t]/gu, " ")
  return /[",\n]/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused
}

/** A line of CSV (RFC 4180), without its end. */
export const csvLine = (cells: ReadonlyArray<CsvCell>): string => cells.map(csvCell).join(",")

/** The same table as CSV. */
export const csvText = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [headings, ...rows].map(csvLine).join("\r\n")
