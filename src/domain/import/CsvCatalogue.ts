/**
 * A catalogue file made of CSV files from a spreadsheet, one for each kind of thing. Faults are reported by file, line
 * and column.
 */
import { parse } from "csv-parse/sync"
import { Effect, Option, Predicate, Result, Schema } from "effect"
import { CatalogueInvalid, type Issue, maxPlayrooms } from "./CatalogueSchema.ts"
import { columnsOf, type CsvKind, csvKinds } from "./CsvColumns.ts"
import { parseCatalogue } from "./ParseCatalogue.ts"
import { codeOf } from "../../platform/errors/ErrorCode.ts"

interface CsvRow {
  readonly line: number
  /** The cells that are not empty, by column name. */
  readonly cells: ReadonlyMap<string, string>
}

interface CsvTable {
  readonly header: ReadonlyArray<string>
  readonly rows: ReadonlyArray<CsvRow>
}

/** A text that is no CSV, or whose rows do not fit its header. The message continues the file's name. */
class CsvUnreadable extends Schema.TaggedError<CsvUnreadable>()("CsvUnreadable", { message: Schema.String }) {}

/** Limits of a file in bytes, and of a row in characters. No valid row is as long. */
export const maxCsvBytes = 50_000_000
const maxRowLength = 100_000
/** Rows of a file: three packages of each playroom that there may be. */
const maxRows = 3 * maxPlayrooms

const Records = Schema.Array(
  Schema.Struct({
    record: Schema.Array(Schema.String),
    /** Lines and empty lines read so far, this record included. */
    info: Schema.Struct({ lines: Schema.Int, empty_lines: Schema.Int })
  })
)
const decodeRecords = Schema.decodeUnknownEffect(Records)

/** Spreadsheets in many countries separate cells by semicolons; the header decides. */
const delimiterOf = (text: string): string => {
  const end = text.search(/[\r\n]/)
  const header = (end < 0 ? text : text.slice(0, end)).slice(0, maxRowLength).replaceAll(/"[^"]*"/g, "")
  const count = (delimiter: string) => header.split(delimiter).length
  return [",", ";", "\t"].reduce((most, next) => (count(next) > count(most) ? next : most))
}

/** The letters of a column in a spreadsheet: A, B, … Z, AA. */
export const columnLetters = (index: number): string =>
  (index < 26 ? "" : columnLetters(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))

const faultOf = (error: unknown): string => {
  const line = Predicate.hasProperty(error, "lines") ? ` line ${String(error.lines)}:` : ""
  switch (codeOf(error)) {
    case "CSV_MAX_RECORD_SIZE":
      return `${line} a row has more than ${maxRowLength} characters; perhaps a quotation mark is not closed`
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
  const parsed = yield* Effect.try({
    try: (): unknown =>
      parse(text, {
        delimiter: delimiterOf(text),
        info: true,
        max_record_size: maxRowLength,
        relax_column_count: true,
        skip_empty_lines: true,
        to: maxRows + 2,
        trim: true
      }),
    catch: (error) => refuse(`can't be read:${faultOf(error)}.`)
  })
  const [first, ...others] = yield* Effect.orDie(decodeRecords(parsed))
  if (others.length > maxRows)
    return yield* refuse(
      `is too large: it has more than ${maxRows} rows. Split it, each playroom with all its packages.`
    )
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

/** A CSV file, with its name for messages. */
export interface CsvFile {
  readonly name: string
  readonly table: CsvTable
}
type CsvFiles = { readonly [Kind in CsvKind]?: CsvFile | undefined }

type Entry = readonly [steps: ReadonlyArray<string>, value: unknown]

const stepsOf = (field: string): ReadonlyArray<string> => field.split(/[.[\]]+/).filter((step) => step !== "")

/** `[["tax", "included"], true]` as `{ tax: { included: true } }`. Steps that are numbers are list positions. */
const nested = (entries: ReadonlyArray<Entry>): unknown => {
  const [first] = entries
  if (first !== undefined && first[0].length === 0) return first[1]
  const groups = Map.groupBy(entries, ([[step = ""]]) => step)
  const members = [...groups].map(
    ([step, its]) => [step, nested(its.map(([steps, value]) => [steps.slice(1), value]))] as const
  )
  return members.every(([step]) => /^\d+$/.test(step)) ? members.map(([, value]) => value) : Object.fromEntries(members)
}

/** The values of a row for empty cells. */
const defaults: { readonly [Kind in CsvKind]: ReadonlyArray<readonly [field: string, value: unknown]> } = {
  operators: [],
  playrooms: [
    ["summary", ""],
    ["description", ""],
    ["amenities", []],
    ["photos", []],
    ["house_rules", ""],
    ["accessibility", ""],
    ["overrides", []]
  ],
  packages: [
    ["description", ""],
    ["setup_minutes", 0],
    ["cleanup_minutes", 0],
    ["schedule", {}],
    ["pricing.base", 0],
    ["pricing.included_children", 0],
    ["pricing.extra_child", 0],
    ["pricing.adult", 0],
    ["pricing.rules", []],
    ["cancellation", []]
  ],
  "add-ons": [],
  closures: []
}

/** A place in the files: file, line and column. */
const placeOf = ({ name, table }: CsvFile, line: number, column?: string): string => {
  const at = column === undefined ? -1 : table.header.indexOf(column)
  if (column === undefined) return `${name}, line ${line}`
  return at < 0 ? `${name}, line ${line}, ${column}` : `${name}, line ${line}, column ${columnLetters(at)} (${column})`
}

/** Faults of a header: unknown and missing columns. */
const headerIssues = (kind: CsvKind, file: CsvFile): Array<Issue> => {
  const columns = columnsOf(kind)
  const { header } = file.table
  const unknown = header.filter((name) => name !== "" && !columns.has(name))
  const missing = [...columns].filter(([name, { required }]) => required && !header.includes(name))
  return [
    ...unknown.map((name) => ({
      path: placeOf(file, 1, name),
      message: `There is no such column; \`playroom catalogue from-csv --template ${kind}\` prints those that there are`
    })),
    ...missing.map(([name]) => ({ path: placeOf(file, 1), message: `The column ${name} is missing` }))
  ]
}

/** A row as a part of the catalogue file, without the name of its playroom. Adds its faults to `issues`. */
const partOf = (kind: CsvKind, file: CsvFile, row: CsvRow, currency: string, issues: Array<Issue>): object => {
  const entries: Array<Entry> = []
  for (const [name, { read, required }] of columnsOf(kind)) {
    const cell = row.cells.get(name)
    if (cell === undefined) {
      if (required) issues.push({ path: placeOf(file, row.line, name), message: "This cell is empty" })
      continue
    }
    if (name === "playroom") continue
    const value = read(cell, currency)
    if (Result.isFailure(value)) issues.push({ path: placeOf(file, row.line, name), message: value.failure })
    else entries.push([stepsOf(name), value.success])
  }
  const given = (field: string) => entries.some(([steps]) => steps.join(".").startsWith(field))
  const twice = ["payment.deposit.amount", "payment.deposit.percent"]
  if (twice.every((name) => row.cells.has(name)))
    issues.push({ path: placeOf(file, row.line, twice[1]), message: `Expected this or ${twice[0]}, not both` })
  if (kind === "packages") entries.push([["payment", "kind"], given("payment.deposit") ? "deposit" : "full"])
  for (const [field, value] of defaults[kind]) if (!given(field)) entries.push([stepsOf(field), value])
  const part = nested(entries)
  return typeof part === "object" && part !== null ? part : {}
}

/** The column of a fault in a catalogue field: the field's own, or the first of those that make up the field. */
const columnFor = (kind: CsvKind, field: string): string | undefined => {
  const names = [...columnsOf(kind).keys()]
  const within = (inner: string, outer: string) =>
    inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`)
  return names.find((name) => within(field, name)) ?? names.find((name) => within(name, field))
}

interface Place {
  readonly kind: CsvKind
  readonly file: CsvFile
  readonly line: number
}

/** A path of the catalogue file as the place in the CSV files that it came from. */
const csvPlace = (places: ReadonlyMap<string, Place>, path: string): Option.Option<string> => {
  const [part] = /^(operators|playrooms)\[\d+\](\.(packages|add_ons|closures)\[\d+\])?/.exec(path) ?? []
  const place = part === undefined ? undefined : places.get(part)
  if (part === undefined || place === undefined) return Option.none()
  const field = path.slice(part.length + 1)
  if (field === "") return Option.some(placeOf(place.file, place.line))
  return Option.some(placeOf(place.file, place.line, columnFor(place.kind, field) ?? field))
}

/** The content of a catalogue file, checked as far as possible without the database. */
export const catalogueFromCsv = Effect.fnUntraced(function* (
  files: CsvFiles
): Effect.fn.Return<object, CatalogueInvalid> {
  const issues: Array<Issue> = csvKinds.flatMap((kind) => {
    const file = files[kind]
    return file === undefined ? [] : headerIssues(kind, file)
  })
  if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
  const rowsOf = (kind: CsvKind) => {
    const file = files[kind]
    return file === undefined ? [] : file.table.rows.map((row) => ({ kind, file, row }))
  }
  const playroomRows = rowsOf("playrooms")
  const currencies = new Map(playroomRows.map(({ row: { cells } }) => [cells.get("slug"), cells.get("currency") ?? ""]))
  const within = (kind: CsvKind) =>
    Map.groupBy(
      rowsOf(kind).filter(({ file, row }) => {
        const slug = row.cells.get("playroom")
        if (slug === undefined || currencies.has(slug)) return true
        issues.push({
          path: placeOf(file, row.line, "playroom"),
          message: `There is no playroom ${slug} in ${files.playrooms?.name ?? "the playrooms' file"}`
        })
        return false
      }),
      ({ row }) => row.cells.get("playroom")
    )
  const places = new Map<string, Place>()
  const part = (path: string, { file, kind, row }: ReturnType<typeof rowsOf>[number], currency: string) => {
    places.set(path, { kind, file, line: row.line })
    return partOf(kind, file, row, currency, issues)
  }
  const [packages, addOns, closures] = [within("packages"), within("add-ons"), within("closures")]
  const content = {
    version: 1,
    // Spreadsheets have no columns for them, or too few, so the stored ones from a YAML file stay.
    keep: ["rules", "overrides", "photos"],
    operators: rowsOf("operators").map((row, i) => part(`operators[${i}]`, row, "")),
    playrooms: playroomRows.map((row, i) => {
      const path = `playrooms[${i}]`
      const slug = row.row.cells.get("slug")
      const currency = row.row.cells.get("currency") ?? ""
      const parts = (rows: typeof packages, name: string) =>
        (rows.get(slug) ?? []).map((its, j) => part(`${path}.${name}[${j}]`, its, currency))
      return {
        ...part(path, row, currency),
        packages: parts(packages, "packages"),
        add_ons: parts(addOns, "add_ons"),
        closures: parts(closures, "closures")
      }
    })
  }
  // An invalid cell would be reported twice: as the cell, and as a missing field.
  if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
  const told = (path: string) => Option.getOrElse(csvPlace(places, path), () => path)
  yield* parseCatalogue(content).pipe(
    Effect.mapError(
      (fault) =>
        new CatalogueInvalid({
          issues: fault.issues.map(({ message, path }) => ({
            path: told(path),
            message: message.replaceAll(/(?:operators|playrooms)\[\d+\][\w.[\]]*/g, told)
          }))
        })
    )
  )
  return content
})
