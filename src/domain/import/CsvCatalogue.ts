/**
 * A catalogue file made of spreadsheets, XLSX or CSV, one for each kind of thing. All faults are reported at once, by
 * file, line and column.
 */

import { parse } from "csv-parse/sync"
import { Effect, Option, Predicate, Result, Schema, Struct } from "effect"
import { codeOf } from "../../platform/errors/InvalidArguments.ts"
import { amountText, parseAmount, decimalText } from "../../platform/money/Money.ts"
import { readSheets } from "../../platform/files/Spreadsheet.ts"
import { itemsIn } from "../../platform/text/Text.ts"
import { clockText, dateText, decimalComma, hoursText, weekdaysText, yesNoText } from "./CellText.ts"
import { CatalogueInvalid, type Issue, maxPlayrooms, openingHoursFrom, weekdaysFrom } from "./CatalogueSchema.ts"
import { parseCatalogue } from "./ParseCatalogue.ts"

// The columns of the CSV files for a catalogue. Their names are those of the catalogue file's fields.

/** Of the row's playroom. */
interface Local {
  readonly currency: string
  readonly country: string
}

/** Reads a cell. The failure says what is expected. */
type ReadCell = (text: string, local: Local) => Result.Result<unknown, string>

interface Column {
  readonly read: ReadCell
  readonly required: boolean
  readonly example: string
}

/** Excel and LibreOffice save a long number as narrow columns show it: telephones and tax numbers lose their digits. */
const text: ReadCell = (cell) =>
  /^\d(?:[.,]\d+)?E\+\d+$/i.test(cell)
    ? Result.fail(`"${cell}" is what a spreadsheet left of a number: format the column as text, and type it again`)
    : Result.succeed(cell)

const number: ReadCell = (cell) =>
  /^-?\d+(\.\d+)?$/.test(decimalComma(cell))
    ? Result.succeed(Number(decimalComma(cell)))
    : Result.fail(`Expected a number and not "${cell}"`)

const decimalPercent = (part: number): string => String(Math.round(part * 1_000_000) / 10_000)

/**
 * Spreadsheets keep 20% as 0.2, and some write it like that (Gnumeric 1.12.55): a part of one percent needs its sign.
 */
const percent: ReadCell = (cell, local) => {
  const [, signed] = /^(\d+(?:\.\d+)?)\s*%$/.exec(decimalComma(cell)) ?? []
  if (signed !== undefined) return Result.succeed(Number(signed))
  return Result.flatMap(number(cell, local), (value) =>
    typeof value === "number" && value > 0 && value < 1
      ? Result.fail(
          `Expected 20 for 20 %; "${cell}" may be ${cell} % or ${decimalPercent(value)} %: write which, with its sign`
        )
      : Result.succeed(value)
  )
}

const date: ReadCell = (cell, { country }) => dateText(cell, country)

const clockTimes: ReadCell = (cell) => Result.succeed(itemsIn(cell, ";").map(clockText))

const hours: ReadCell = (cell) => Result.flatMap(hoursText(cell), openingHoursFrom)
const days: ReadCell = (cell) => Result.flatMap(weekdaysText(cell), weekdaysFrom)

const yesOrNo: ReadCell = (cell) => {
  const word = yesNoText(cell)
  if (word === "yes" || word === "no") return Result.succeed(word === "yes")
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

const money: ReadCell = (cell, { currency }) =>
  Result.flatMap(amountText(cell, currency), (text) => {
    const amount = parseAmount(text, currency)
    return amount === undefined
      ? Result.fail(`Expected an amount of ${currency} like ${decimalText(1234, currency)}, and not "${cell}"`)
      : Result.succeed(amount)
  })

const tiers = partsBy(
  /^(\d+) ?h:? (\d+(?:\.\d+)?) ?%$/,
  ([, hours, percent]) => ({ hours_before: Number(hours), refund_percent: Number(percent) }),
  'what comes back by when it is cancelled, like "72h 100%; 24h 50%"'
)

const childRule =
  /^([^:]+): ?(?:ages? ?(\d+)(?:-(\d+)|(\+))? ?)?(?:child ?(\d+)\+ ?)?(?:(-\d+(?:\.\d+)?|-?0) ?%|(\S.*))$/i

/** "Babies: age 0-1 0.00; Toddlers: age 2-3 -50%; Siblings: child 2+ -25%": who costs how much less. */
const childRules: ReadCell = (cell, local) => {
  const rules: Array<unknown> = []
  for (const item of itemsIn(cell, ";")) {
    const [, label = "", from, to, older, child, percent, price = ""] = childRule.exec(item) ?? []
    const amount = percent === undefined ? money(price, local) : undefined
    if (
      label === "" ||
      (from === undefined && child === undefined) ||
      (amount !== undefined && Result.isFailure(amount))
    )
      return Result.fail(
        `Expected which children cost how much less, like "Babies: age 0-1 ${decimalText(0, local.currency)}; Siblings: child 2+ -25%", and not "${item}"`
      )
    rules.push({
      label: label.trim(),
      ...(from === undefined ? {} : { age_from: Number(from) }),
      ...(from === undefined || older !== undefined ? {} : { age_to: Number(to ?? from) }),
      ...(child === undefined ? {} : { child_from: Number(child) }),
      change: amount === undefined ? { percent: Number(percent) } : { price: amount.success }
    })
  }
  return Result.succeed(rules)
}

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

/** "GBP 10.00-250.00; 36 months": the smallest and the largest voucher, and how long each is valid. */
const voucherOffer: ReadCell = (cell, local) => {
  const [, currency = "", least = "", most = "", months] =
    /^([A-Z]{3}) ?([\d.,]+) ?[-\u2013] ?([\d.,]+)(?:[;,]? ?(\d+) months?)?$/.exec(cell.trim()) ?? []
  const [min, max] = [least, most].map((amount) => money(amount, { ...local, currency }))
  if (currency === "" || min === undefined || max === undefined || Result.isFailure(min) || Result.isFailure(max))
    return Result.fail(
      `Expected the smallest and the largest voucher and how long one is valid, like "GBP 10.00-250.00; 36 months", and not "${cell}"`
    )
  return Result.succeed({
    currency,
    min_amount: min.success,
    max_amount: max.success,
    ...(months === undefined ? {} : { valid_months: Number(months) })
  })
}

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
    vouchers: column(voucherOffer, "GBP 10.00-250.00; 36 months"),
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
    opening_hours: required(hours, "mon-fri 09:00-18:00; sat 10:00-16:00"),
    quiet_hours: column(hours, "sat 10:00-11:00"),
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
    listed: column(yesOrNo),
    waiting_list_minutes: column(number)
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
    "schedule.weekdays": column(days, "sat-sun"),
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
    "tax.changes": column(rates),
    "pricing.child_rules": column(childRules)
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
    reason: required(text, "Christmas"),
    add_on: column(text),
    units: column(number)
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
  readonly headerLine: number
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

/** Titles may stand above the header, but not more than so many lines. */
const maxTitles = 20

/** How many of these cells are names of columns. */
const namesIn = (kind: CsvKind, cells: ReadonlyArray<string>): number =>
  cells.filter((cell) => columnsOf(kind).has(cell)).length

/** Spreadsheets in many countries separate cells by semicolons, and some say so (`sep=;`); else the header decides. */
const delimiterOf = (text: string, kind: CsvKind): string => {
  const lines = text.slice(0, maxRowLength).split(/\r\n|\n|\r/, maxTitles)
  const [, named] = /^sep=(.)$/.exec(lines[0] ?? "") ?? []
  if (named !== undefined) return named
  const names = (delimiter: string) =>
    Math.max(
      ...lines.map((line) =>
        namesIn(
          kind,
          line
            .replaceAll('"', "")
            .split(delimiter)
            .map((cell) => cell.trim())
        )
      )
    )
  const header = (lines.find((line) => line.trim() !== "") ?? "").replaceAll(/"[^"]*"/g, "")
  const score = (delimiter: string) => names(delimiter) * maxRowLength + header.split(delimiter).length
  return [",", ";", "\t"].reduce((most, next) => (score(next) > score(most) ? next : most))
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

interface CsvRecord {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

const refuse = (message: string) => new CsvUnreadable({ message })

/** A table of records: the header is the first line that names columns as no other of the first lines does. */
const tableOf = Effect.fnUntraced(function* (
  kind: CsvKind,
  records: ReadonlyArray<CsvRecord>
): Effect.fn.Return<CsvTable, CsvUnreadable> {
  const filled = records.filter(({ cells }) => cells.some((cell) => cell !== ""))
  const names = filled.slice(0, maxTitles).map(({ cells }) => namesIn(kind, cells))
  const at = Math.max(0, names.indexOf(Math.max(...names)))
  const first = filled[at]
  const others = filled.slice(at + 1)
  if (first === undefined) return yield* refuse("is empty: it has no header.")
  if (others.length > maxRows)
    return yield* refuse(
      `is too large: it has more than ${maxRows} rows. Split it, each playroom with all its packages.`
    )
  const header = first.cells
  const twice = header.find((name, i) => name !== "" && header.indexOf(name) !== i)
  if (twice !== undefined) return yield* refuse(`has two columns ${twice}.`)
  const rows: Array<CsvRow> = []
  for (const { cells: record, line } of others) {
    const cells = new Map<string, string>()
    for (const [i, cell] of record.entries()) {
      if (cell === "") continue
      const name = header[i] ?? ""
      if (name === "")
        return yield* refuse(`line ${line}, column ${columnLetters(i)}: this cell has no name in the header.`)
      cells.set(name, cell)
    }
    rows.push({ line, cells })
  }
  return { header, headerLine: first.line, rows }
})

export const readCsv = Effect.fnUntraced(function* (
  text: string,
  kind: CsvKind
): Effect.fn.Return<CsvTable, CsvUnreadable> {
  const parsed = yield* Effect.try({
    try: (): unknown =>
      parse(text, {
        delimiter: delimiterOf(text, kind),
        info: true,
        max_record_size: maxRowLength,
        relax_column_count: true,
        skip_empty_lines: true,
        to: maxRows + maxTitles + 1,
        trim: true
      }),
    catch: (error) => refuse(`can't be read:${faultOf(error)}.`)
  })
  let before = { lines: 0, empty_lines: 0 }
  const records = (yield* Effect.orDie(decodeRecords(parsed))).map(({ info, record }): CsvRecord => {
    // Empty lines come before the row that is read next.
    const line = before.lines + 1 + info.empty_lines - before.empty_lines
    before = info
    return { line, cells: record }
  })
  return yield* tableOf(kind, records[0]?.cells[0]?.startsWith("sep=") === true ? records.slice(1) : records)
})

/** Reads the sheet of an XLSX file that has these columns: several kinds may stand in one file. */
export const readWorkbook = Effect.fnUntraced(function* (bytes: Uint8Array, kind: CsvKind) {
  const sheets = yield* Effect.mapError(readSheets(bytes, maxRows + maxTitles + 1), refuse)
  const recordsOf = ({ rows }: (typeof sheets)[number]) =>
    rows.map((cells, i): CsvRecord => ({ line: i + 1, cells: cells.map((cell) => cell.trim()) }))
  const best = (rows: ReadonlyArray<CsvRecord>) =>
    Math.max(0, ...rows.slice(0, maxTitles).map(({ cells }) => namesIn(kind, cells)))
  const named = sheets.map((sheet) => ({ sheet: sheet.name, records: recordsOf(sheet) }))
  const [first] = named.toSorted((a, b) => best(b.records) - best(a.records))
  if (first === undefined) return yield* refuse("has no sheet.")
  return { sheet: first.sheet, table: yield* tableOf(kind, first.records) }
})

/** A file or a sheet of one, with its name for messages. */
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
      path: placeOf(file, file.table.headerLine, name),
      message: `There is no such column; \`playroom catalogue from-csv --template ${kind}\` prints those that there are`
    })),
    ...missing.map(([name]) => ({
      path: placeOf(file, file.table.headerLine),
      message: `The column ${name} is missing`
    }))
  ]
}

interface Faults {
  readonly issues: Array<Issue>
  /** Places that have a fault already, or whose column is missing. */
  readonly told: Set<string>
}

/** A row as a part of the catalogue file, without the name of its playroom. Adds its faults. */
const partOf = (kind: CsvKind, file: CsvFile, row: CsvRow, local: Local, { issues, told }: Faults): object => {
  const entries: Array<Entry> = []
  for (const [name, { read, required }] of columnsOf(kind)) {
    const cell = row.cells.get(name)
    if (cell === undefined) {
      if (required && file.table.header.includes(name))
        issues.push({ path: placeOf(file, row.line, name), message: "This cell is empty" })
      if (required) told.add(placeOf(file, row.line, name))
      continue
    }
    if (name === "playroom") continue
    const value = read(cell, local)
    if (Result.isFailure(value)) {
      issues.push({ path: placeOf(file, row.line, name), message: value.failure })
      told.add(placeOf(file, row.line, name))
    } else entries.push([stepsOf(name), value.success])
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
  const rowsOf = (kind: CsvKind) => {
    const file = files[kind]
    return file === undefined ? [] : file.table.rows.map((row) => ({ kind, file, row }))
  }
  const playroomRows = rowsOf("playrooms")
  const localOf = ({ cells }: CsvRow): Local => ({
    currency: cells.get("currency") ?? "",
    country: cells.get("country") ?? ""
  })
  const slugs = new Set(playroomRows.map(({ row }) => row.cells.get("slug")))
  const within = (kind: CsvKind) =>
    Map.groupBy(
      rowsOf(kind).filter(({ file, row }) => {
        const slug = row.cells.get("playroom")
        if (slug === undefined || slugs.has(slug)) return true
        issues.push({
          path: placeOf(file, row.line, "playroom"),
          message: `There is no playroom ${slug} in ${files.playrooms?.name ?? "the playrooms' file"}`
        })
        return false
      }),
      ({ row }) => row.cells.get("playroom")
    )
  const places = new Map<string, Place>()
  const told = new Set<string>()
  const part = (path: string, { file, kind, row }: ReturnType<typeof rowsOf>[number], local: Local) => {
    places.set(path, { kind, file, line: row.line })
    return partOf(kind, file, row, local, { issues, told })
  }
  const [packages, addOns, closures] = [within("packages"), within("add-ons"), within("closures")]
  const content = {
    version: 1,
    // Spreadsheets have no columns for them, or too few, so the stored ones from a YAML file stay.
    keep: ["rules", "questions", "overrides", "photos"],
    operators: rowsOf("operators").map((row, i) => part(`operators[${i}]`, row, { currency: "", country: "" })),
    playrooms: playroomRows.map((row, i) => {
      const path = `playrooms[${i}]`
      const slug = row.row.cells.get("slug")
      const local = localOf(row.row)
      const parts = (rows: typeof packages, name: string) =>
        (rows.get(slug) ?? []).map((its, j) => part(`${path}.${name}[${j}]`, its, local))
      return {
        ...part(path, row, local),
        packages: parts(packages, "packages"),
        add_ons: parts(addOns, "add_ons"),
        closures: parts(closures, "closures")
      }
    })
  }
  const placeIn = (path: string) => Option.getOrElse(csvPlace(places, path), () => path)
  const found = yield* Effect.result(parseCatalogue(content))
  // What a faulty cell leaves out is missing in the content, too.
  if (Result.isFailure(found))
    for (const { message, path } of found.failure.issues) {
      const at = placeIn(path)
      if (!told.has(at))
        issues.push({ path: at, message: message.replaceAll(/(?:operators|playrooms)\[\d+\][\w.[\]]*/g, placeIn) })
    }
  if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
  return content
})
