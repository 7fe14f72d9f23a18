/** What commands print: a table or lines for people, JSON with `--json` for machines. */
import { Console, type Effect } from "effect"
import { Flag } from "effect/cli"
import { inUtc } from "../kernel/LocalTime.ts"
import { exponentOf } from "../kernel/Money.ts"

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON instead of a table"),
  Flag.withDefault(false)
)

/** External text on one line, without control characters, which could move the terminal's cursor. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, " ")

/** A table with headings; each column is as wide as its longest cell. */
export const table = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const lines = [headings, ...rows.map((row) => row.map(plain))]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

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

/** `name: value` lines, names aligned; undefined values are left out. */
export const fields = (entries: ReadonlyArray<readonly [string, string | number | undefined]>): string => {
  const shown = entries.filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${plain(String(value))}`).join("\n")
}

/** Instants on the command line are UTC (`inUtc`). */
export const instant = (at: number | undefined): string => (at === undefined ? "" : inUtc(at))

/** Prints `value` as JSON, or the text for people. */
export const print = (asJson: boolean, value: unknown, text: string): Effect.Effect<void> =>
  Console.log(asJson ? JSON.stringify(value, null, 2) : text)
