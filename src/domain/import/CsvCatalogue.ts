/**
 * A catalogue file made of CSV files from a spreadsheet, one for each kind of thing. Faults are reported by file, line
 * and column.
 */

import { parse } from "csv-parse/sync"
import { Effect, Option, Predicate, Result, Schema, Struct } from "effect"
import { codeOf } from "../../platform/errors/InvalidArguments.ts"
import { parseAmount, decimalText } from "../../platform/money/Money.ts"
import { itemsIn } from "../../platform/text/Text.ts"
import { CatalogueInvalid, type Issue, maxPlayrooms, openingHoursFrom, weekdaysFrom } from "./CatalogueSchema.ts"
import { parseCatalogue } from "./ParseCatalogue.ts"

// The columns of the CSV files for a catalogue. Their names are those of the catalogue file's fields.

/** Reads a cell. The failure says what is expected. The currency is that of the row's playroom. */
type ReadCell = (text: string, currency: string) => Result.Result<unknown, string>

interface Column {
  readonly read: ReadCell
  readonly required: boolean
  readonly example: string
}

const text: ReadCell = Result.succeed

const number: ReadCell = (cell) =>
  /^-?\d+(\.\d+)?$/.test(cell)
    ? Result.succeed(Number(cell))
    : Result.fail(`Expected a number${cell.includes(",") ? " with a point, like 51.5," : ""} and not "${cell}"`)

const decimalPercent = (part: number): string => String(Math.round(part * 1_000_000) / 10_000)

/**
 * Spreadsheets keep 20% as 0.2, and some write it like that (Gnumeric 1.12.55): a part of one percent needs its sign.
 */
const percent: ReadCell = (cell, currency) => {
  const [, signed] = /^(\d+(?:\.\d+)?)\s*%$/.exec(cell) ?? []
  if (signed !== undefined) return Result.succeed(Number(signed))
  return Result.flatMap(number(cell, currency), (value) =>
    typeof value === "number" && value > 0 && value < 1
      ? Result.fail(
          `Expected 20 for 20 %; "${cell}" may be ${cell} % or ${decimalPercent(value)} %: write which, with its sign`
        )
      : Result.succeed(value)
  )
}

/** A date, also as Gnumeric 1.12.55 writes it: 2026/12/25. */
const date: ReadCell = (cell) => Result.succeed(cell.replace(/^(\d{4})\/(\d\d)\/(\d\d)$/, "$1-$2-$3"))

/** Clock times, also as Gnumeric 1.12.55 writes one that stands alone: 10:00:00. */
const clockTimes: ReadCell = (cell) =>
  Result.succeed(itemsIn(cell, ";").map((time) => time.replace(/^(\d\d:\d\d):00$/, "$1")))

const yesOrNo: ReadCell = (cell) => {
  const word = cell.toLowerCase()
  if (["yes", "true", "1"].includes(word)) return Result.succeed(true)
  if (["no", "false", "0"].includes(word)) return Result.succeed(false)
  return Result.fail(`Expected yes or no, and not "${cell}"`)
}

const list: ReadCell = (cell) => Result.succeed(itemsIn(cell, ";"))

/** A list whose items have parts. */
const partsBy =
  (item: RegExp, partsOf: (found: RegExpExecArray) => object, expected: string): ReadCell =>
  (cell) => {
    const found = itemsIn(cell, ";").map((one) => item.exec(one))
    return found.every((one) => one !== null)
      ? Result.succeed(found.map(partsOf))
      : Result.fail(`Expected ${expected}, and not "${cell}"`)
  }

const money: ReadCell = (cell, currency) => {
  const amount = parseAmount(cell, currency)
  if (amount !== undefined) return Result.succeed(amount)
  return Result.fail(
    `Expected an amount of ${currency} like ${decimalText(1234, currency)}, with a point and no other sign, and not "${cell}"`
  )
}

const tiers = partsBy(
  /^(\d+) ?h:? (\d+(?:\.\d+)?) ?%$/,
  ([, hours, percent]) => ({ hours_before: Number(hours), refund_percent: Number(percent) }),
  'what comes back by when it is cancelled, like "72h 100%; 24h 50%"'
)

const rates = partsBy(
  /^(\d{4}-\d{2}-\d{2}):? (\d+(?:\.\d+)?) ?%$/,
  ([, from, percent]) => ({ from, rate_percent: Number(percent) }),
  'from which day on the tax is another, like "2027-01-01 21%"'
)

const stock = partsBy(
  /^(\d+) ?x? (\S+)$/,
  ([, units, slug]) => ({ slug, units: Number(units) }),
  'how many there are of what, like "2 bubble-machines; 20 highchairs"'
)

const column = (read: ReadCell, example = "", required = false): Column => ({ read, required, example })
const required = (read: ReadCell, example: string): Column => column(read, example, true)

/** The files, each with its columns in the order of its template. */
const csvColumns = {
  operators: {
    slug: required(text, "sunny-side"),
    operator_id: column(text),
    name: required(text, "Sunny Side Play"),
    support_email: column(text, "hello@sunnyside.example"),
    phone: column(text, "+44 20 7946 0018"),
    legal_name: column(text, "Sunny Side Play Ltd"),
    tax_number: column(text, "GB 123 4567 89"),
    connected_account_id: column(text),
    billing_customer_id: column(text),
    application_fee_percent: column(percent, "5"),
    stock: column(stock, "2 bubble-machines; 20 highchairs")
  },
  playrooms: {
    slug: required(text, "clapham"),
    playroom_id: column(text),
    operator: required(text, "sunny-side"),
    name: required(text, "Sunny Side Clapham"),
    summary: column(text, "Soft play on three floors."),
    description: column(text, "A play frame with slides, a ball pool and a quiet corner for babies."),
    address: required(text, "12 Clapham Common South Side, London SW4 7AA"),
    city: required(text, "London"),
    city_aliases: column(list, "Londres; Londra"),
    country: required(text, "GB"),
    latitude: required(number, "51.4607"),
    longitude: required(number, "-0.1386"),
    time_zone: required(text, "Europe/London"),
    currency: required(text, "GBP"),
    capacity: required(number, "25"),
    age_min: required(number, "0"),
    age_max: required(number, "11"),
    amenities: column(list, "soft play; ball pool; cafe"),
    opening_hours: required(openingHoursFrom, "mon-fri 09:00-18:00; sat 10:00-16:00"),
    quiet_hours: column(openingHoursFrom, "sat 10:00-11:00"),
    house_rules: column(text, "Socks on the play frames, please."),
    bring: column(text, "Socks for everyone on the play frames."),
    accessibility: column(text, "Step-free entrance."),
    accessibility_features: column(list, "step_free_access; accessible_toilet; quiet_hours"),
    accessibility_lacks: column(list),
    "photos[0].url": column(text),
    "photos[0].alt": column(text),
    grid_minutes: required(number, "30"),
    lead_time_minutes: required(number, "120"),
    max_advance_days: required(number, "180"),
    "tax.rate_percent": required(percent, "20"),
    "tax.included": required(yesOrNo, "yes"),
    "tax.changes": column(rates),
    listed: column(yesOrNo)
  },
  packages: {
    playroom: required(text, "clapham"),
    slug: required(text, "party"),
    package_id: column(text),
    name: required(text, "Party"),
    description: column(text, "Two hours with the whole place to yourselves."),
    mode: required(text, "exclusive"),
    duration_minutes: required(number, "120"),
    setup_minutes: column(number, "15"),
    cleanup_minutes: column(number, "15"),
    min_children: required(number, "4"),
    max_children: required(number, "25"),
    max_adults: column(number, "40"),
    "schedule.weekdays": column(weekdaysFrom, "sat-sun"),
    "schedule.times": column(clockTimes, "10:00; 13:00"),
    "schedule.from": column(date),
    "schedule.until": column(date),
    "pricing.base": column(money, "220.00"),
    "pricing.included_children": column(number, "10"),
    "pricing.extra_child": column(money, "18.50"),
    "pricing.adult": column(money, "0"),
    "pricing.included_adults": column(number),
    "pricing.min_billed_children": column(number),
    "payment.deposit.amount": column(money, "50.00"),
    "payment.deposit.percent": column(percent),
    "payment.balance_due_hours_before": column(number, "0"),
    "payment.refundable": column(yesOrNo, "no"),
    "payment.release_unpaid_after_hours": column(number),
    "payment.balance": column(text),
    cancellation: column(tiers, "336h 100%; 72h 50%"),
    final_headcount_hours_before: column(number, "48"),
    party_may_shrink: column(yesOrNo),
    free_reschedule_hours_before: column(number, "336"),
    "tax.rate_percent": column(percent),
    "tax.changes": column(rates)
  },
  "add-ons": {
    playroom: required(text, "clapham"),
    slug: required(text, "cake"),
    add_on_id: column(text),
    name: required(text, "Birthday cake"),
    unit: required(text, "per_item"),
    unit_amount: required(money, "35.00"),
    max_quantity: required(number, "3"),
    stock: column(number),
    uses: column(text),
    "tax.rate_percent": column(percent, "0"),
    "tax.changes": column(rates)
  },
  closures: {
    playroom: required(text, "clapham"),
    slug: column(text),
    closure_id: column(text),
    from: required(date, "2026-12-25"),
    to: required(date, "2026-12-26"),
    reason: required(text, "Christmas")
  }
} satisfies Readonly<Record<string, Readonly<Record<string, Column>>>>

export type CsvKind = keyof typeof csvColumns

export const csvKinds: ReadonlyArray<CsvKind> = Struct.keys(csvColumns)

/** The columns of a file by their names. */
export const columnsOf = (kind: CsvKind): ReadonlyMap<string, Column> => new Map(Object.entries(csvColumns[kind]))

const quoted = (cell: string): string => (/[",;\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** A file to begin with: the header and one row. The rows of all five fit together. */
export const csvTemplate = (kind: CsvKind): string => {
  const columns = [...columnsOf(kind)]
  return `${columns.map(([name]) => name).join(",")}\n${columns.map(([, { example }]) => quoted(example)).join(",")}\n`
}

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
