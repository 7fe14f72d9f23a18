/** What commands print: a table or lines for people, JSON with `--json` for machines. */
import { Console, type Effect } from "effect"
import { Flag } from "effect/cli"
import { format, type Instant, inUtc } from "../../platform/time/LocalTime.ts"

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

/** `name: value` lines, names aligned; undefined values are left out. */
export const fields = (entries: ReadonlyArray<readonly [string, string | number | undefined]>): string => {
  const shown = entries.filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${plain(String(value))}`).join("\n")
}

/** Instants on the command line are UTC (`inUtc`). */
export const instant = (at: number | undefined): string => (at === undefined ? "" : inUtc(at))

/** An instant by the clock of its place: `2026-12-05 14:00`. */
export const localTime = (zone: string, at: Instant): string => format(zone, at).slice(0, 16).replace("T", " ")

/** Prints `value` as JSON, or the text for people. */
export const print = (asJson: boolean, value: unknown, text: string): Effect.Effect<void> =>
  Console.log(asJson ? JSON.stringify(value, null, 2) : text)
