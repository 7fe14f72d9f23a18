/** Writes CSV (RFC 4180) for spreadsheets. Pure. */

/** What stands in a cell of CSV: a text, or a number of ours (`decimalText` of `Money.ts`), which may be negative. */
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
