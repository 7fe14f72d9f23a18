/** Tables for spreadsheets: columns are described once, and written as CSV (RFC 4180) or XLSX (ISO/IEC 29500). */
import { Effect } from "effect"

/**
 * What stands in a cell: a text, a number of ours (`decimalText` of `Money.ts`), or a date or time by the clock of its
 * place (`2027-01-05`, `2027-01-05 14:00`).
 */
export type Cell = string | { readonly number: string } | { readonly at: string }

/** The columns of a table, each with its heading. */
export type Columns<Row> = ReadonlyArray<readonly [heading: string, cell: (row: Row) => Cell]>

// What no spreadsheet shows, and XML can't hold.
const plainText = (text: string): string => text.toWellFormed().replace(/[^\P{Cc}\n\t]|[\uFFFE\uFFFF]/gu, " ")

const csvCell = (cell: Cell): string => {
  if (typeof cell !== "string") return "number" in cell ? cell.number : `"${cell.at}"`
  const text = plainText(cell)
  // A spreadsheet would run a cell like this as a formula, even in text from strangers: a name, a note.
  const defused = /^\s*[=+\-@＝＋－＠\t]/.test(text) ? `'${text}` : text
  // In quotes, since half of the world's spreadsheets also end a cell at `;` or TAB, and a formula could follow.
  return `"${defused.replaceAll('"', '""')}"`
}

const csvLine = (cells: ReadonlyArray<Cell>): string => cells.map(csvCell).join(",")

/** The first line of CSV, without its end; its mark tells spreadsheets that the file is UTF-8. */
export const csvHead = <Row>(columns: Columns<Row>): string => `\uFEFF${csvLine(columns.map(([heading]) => heading))}`

/** A row as a line of CSV, without its end. */
export const csvRow = <Row>(columns: Columns<Row>, row: Row): string => csvLine(columns.map(([, cell]) => cell(row)))

/** A table as a file of CSV. */
export const csvText = <Row>(columns: Columns<Row>, rows: ReadonlyArray<Row>, lineEnd: string): string =>
  [csvHead(columns), ...rows.map((row) => csvRow(columns, row)), ""].join(lineEnd)

// So many UTF-16 units fit into a cell; with more, Excel calls the file damaged.
const maxCell = 32_767

const xlsxValue = (cell: Cell): string | number | Date | null => {
  // What looks like an escape is itself escaped (ISO/IEC 29500-1, 22.9.2.19), which the library leaves to us.
  if (typeof cell === "string")
    return cell === ""
      ? null
      : plainText(cell)
          .replace(/_(?=x[0-9a-f]{4}_)/gi, "_x005F_")
          .slice(0, maxCell)
  if ("number" in cell) return Number(cell.number)
  return new Date(`${cell.at.replace(" ", "T")}${cell.at.includes(" ") ? "Z" : ""}`)
}

// Text stays text when somebody edits the cell; numbers keep their decimals; a date is the same in any language.
const formatOf = (cell: Cell): string => {
  if (typeof cell === "string") return "@"
  if ("at" in cell) return cell.at.includes(" ") ? "yyyy-mm-dd hh:mm" : "yyyy-mm-dd"
  return `#,##0${cell.number.replace(/^[^.]*/, "").replaceAll(/\d/g, "0")}`
}

/** A date with its time, so that spreadsheets show no `####`. */
const width = 18

/** The media type of XLSX. */
export const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

/** A table as the bytes of an XLSX file with one sheet, whose name has at most 31 characters. */
export const xlsx = <Row>(sheet: string, columns: Columns<Row>, rows: Iterable<Row>): Effect.Effect<Uint8Array> =>
  Effect.promise(async () => {
    const { writeXlsxStream } = await import("hucre/xlsx")
    // A column may have amounts of several currencies: its format is that of the row which is being written.
    let row: ReadonlyArray<Cell> = []
    const values = function* () {
      for (const one of rows) {
        row = columns.map(([, cell]) => cell(one))
        yield row.map(xlsxValue)
      }
    }
    const stream = writeXlsxStream(values(), {
      name: sheet,
      columns: columns.map(([header], i) => ({
        header,
        width,
        get numFmt() {
          return formatOf(row[i] ?? "")
        }
      })),
      freezePane: { rows: 1 }
    })
    const chunks: Array<Uint8Array> = []
    for await (const chunk of stream) chunks.push(chunk)
    return Buffer.concat(chunks)
  })

/** A sheet's cells as text, by row from the first on. */
export interface SheetText {
  readonly name: string
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

const cellText = (value: string | number | boolean | Date | null, format = ""): string => {
  if (value === null) return ""
  if (value instanceof Date) {
    const [day = "", time = ""] = value.toISOString().slice(0, 16).split("T")
    // A time without a date is a part of the first day that there is.
    if (day < "1900-01-02") return time
    return time === "00:00" ? day : `${day} ${time}`
  }
  if (typeof value !== "number") return String(value)
  // Binary fractions are not what was typed: 0.21 times a hundred is 21.
  const rounded = (number: number): string => String(Number(number.toPrecision(12)))
  return format.includes("%") ? `${rounded(value * 100)}%` : rounded(value)
}

/** The visible sheets of an XLSX file, each with `maxRows` at most. The failure continues the file's name. */
export const readSheets = (bytes: Uint8Array, maxRows: number): Effect.Effect<ReadonlyArray<SheetText>, string> =>
  Effect.tryPromise({
    try: async () => {
      const { readXlsx } = await import("hucre/xlsx")
      const { sheets } = await readXlsx(bytes, { readStyles: true, maxRows, sheets: ({ hidden }) => hidden !== true })
      return sheets.map(({ cells, name, rows }) => ({
        name,
        rows: rows.map((row, i) =>
          row.map((value, column) => cellText(value, cells?.get(`${i},${column}`)?.style?.numFmt))
        )
      }))
    },
    catch: () => "can't be read as XLSX: save it as an Excel workbook (.xlsx), without a password, or as CSV UTF-8."
  })
