/** What commands print: a table or lines for people, JSON with `--json` for machines. */
import { Console, type Effect } from "effect"
import { Flag } from "effect/cli"
import { inUtc } from "../kernel/LocalTime.ts"

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON instead of a table"),
  Flag.withDefault(false)
)

/** Text from outside on one line: a control character in it must not move the reader's cursor. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, " ")

/** Rows of text under their headings, columns as wide as their widest entry. */
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

const csvCell = (text: string): string => {
  // A spreadsheet would run what begins like this as a formula, also where somebody else wrote it: a name, a note.
  const defused = (/^\s*[=+\-@＝＋－＠\t\r]/.test(text) ? `'${text}` : text).replace(/[^\P{Cc}\n\t]/gu, " ")
  return /[",\n]/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused
}

/** Rows of text under their headings as CSV (RFC 4180). */
export const csvText = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [headings, ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n")

/** `name: value` lines, names aligned; undefined values are left out. */
export const fields = (entries: ReadonlyArray<readonly [string, string | number | undefined]>): string => {
  const shown = entries.filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${plain(String(value))}`).join("\n")
}

/** Instants on the command line are UTC (`inUtc`). */
export const instant = (at: number | undefined): string => (at === undefined ? "" : inUtc(at))

/** Prints `value` as JSON where asked for, else the text for people. */
export const print = (asJson: boolean, value: unknown, text: string): Effect.Effect<void> =>
  Console.log(asJson ? JSON.stringify(value, null, 2) : text)
