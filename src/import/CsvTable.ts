/** A CSV text as spreadsheets write it: its header and its rows, each with the line on which it begins. */
import { parse } from "csv-parse/sync"
import { Effect, Predicate, Schema } from "effect"

export interface CsvRow {
  readonly line: number
  /** The cells that are not empty, by the name in their column's header. */
  readonly cells: ReadonlyMap<string, string>
}

export interface CsvTable {
  readonly header: ReadonlyArray<string>
  readonly rows: ReadonlyArray<CsvRow>
}

/** A text that is no CSV, or whose rows do not fit its header. The message begins where the file's name stands before it. */
export class CsvUnreadable extends Schema.TaggedError<CsvUnreadable>()("CsvUnreadable", { message: Schema.String }) {}

/** What a file may have, in bytes, and a row of it in characters. No row that is valid is as long. */
export const mostCsv = 50_000_000
const mostRow = 100_000

const Records = Schema.Array(
  Schema.Struct({
    record: Schema.Array(Schema.String),
    /** Lines and empty lines read so far, this record included. */
    info: Schema.Struct({ lines: Schema.Int, empty_lines: Schema.Int })
  })
)
const decodeRecords = Schema.decodeUnknownEffect(Records)

/** Spreadsheets of many countries put semicolons between cells; the header says which it is. */
const delimiterOf = (text: string): string => {
  const end = text.search(/[\r\n]/)
  const header = (end < 0 ? text : text.slice(0, end)).slice(0, mostRow).replaceAll(/"[^"]*"/g, "")
  const count = (delimiter: string) => header.split(delimiter).length
  return [",", ";", "\t"].reduce((most, next) => (count(next) > count(most) ? next : most))
}

/** The letters of a column in a spreadsheet: A, B, … Z, AA. */
export const columnLetters = (index: number): string =>
  (index < 26 ? "" : columnLetters(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))

const faultOf = (error: unknown): string => {
  const line = Predicate.hasProperty(error, "lines") ? ` line ${String(error.lines)}:` : ""
  const code = Predicate.hasProperty(error, "code") ? error.code : undefined
  switch (code) {
    case "CSV_MAX_RECORD_SIZE":
      return `${line} a row has more than ${mostRow} characters; perhaps a quotation mark is not closed`
    case "CSV_QUOTE_NOT_CLOSED":
      return `${line} a quotation mark is not closed`
    case "CSV_INVALID_CLOSING_QUOTE":
    case "INVALID_OPENING_QUOTE":
      return `${line} a quotation mark stands within a cell; there it is written twice, and the whole cell between quotation marks`
    default:
      return `${line} ${Predicate.hasProperty(error, "message") ? String(error.message) : String(error)}`
  }
}

export const readCsv = Effect.fnUntraced(function* (text: string): Effect.fn.Return<CsvTable, CsvUnreadable> {
  const refuse = (message: string) => new CsvUnreadable({ message })
  // Where bytes are no UTF-8, reading them left this character.
  if (text.includes("\uFFFD") || text.includes("\0"))
    return yield* refuse('is not UTF-8. Save it as "CSV UTF-8" in the spreadsheet.')
  const parsed = yield* Effect.try({
    try: (): unknown =>
      parse(text, {
        bom: true,
        delimiter: delimiterOf(text),
        info: true,
        max_record_size: mostRow,
        relax_column_count: true,
        skip_empty_lines: true,
        trim: true
      }),
    catch: (error) => refuse(`can't be read:${faultOf(error)}.`)
  })
  const [first, ...others] = yield* Effect.orDie(decodeRecords(parsed))
  if (first === undefined) return yield* refuse("is empty: it has no header.")
  const header = first.record
  const twice = header.find((name, i) => name !== "" && header.indexOf(name) !== i)
  if (twice !== undefined) return yield* refuse(`has two columns ${twice}.`)
  const rows: Array<CsvRow> = []
  let before = first.info
  for (const { info, record } of others) {
    // Empty lines come before the row that is read next.
    const line = before.lines + 1 + info.empty_lines - before.empty_lines
    before = info
    const cells = new Map<string, string>()
    for (const [i, cell] of record.entries()) {
      if (cell === "") continue
      const name = header[i] ?? ""
      if (name === "")
        return yield* refuse(`line ${line}, column ${columnLetters(i)}: this cell has no name in the header.`)
      cells.set(name, cell)
    }
    if (cells.size > 0) rows.push({ line, cells })
  }
  return { header, rows }
})
