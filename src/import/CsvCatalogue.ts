/** A catalogue file made of CSV files, one for each kind of thing. What is wrong with it is told by file, line and column. */
import { Effect, Option, Result } from "effect"
import { parseCatalogue } from "./ParseCatalogue.ts"
import { CatalogueInvalid, type Issue } from "./CatalogueSchema.ts"
import { columnsOf, type CsvKind, csvKinds } from "./CsvColumns.ts"
import { columnLetters, type CsvRow, type CsvTable } from "./CsvTable.ts"

/** A CSV file and the name by which its faults are told. */
export interface CsvFile {
  readonly name: string
  readonly table: CsvTable
}
export type CsvFiles = { readonly [Kind in CsvKind]?: CsvFile | undefined }

type Entry = readonly [steps: ReadonlyArray<string>, value: unknown]

const stepsOf = (field: string): ReadonlyArray<string> => field.split(/[.[\]]+/).filter((step) => step !== "")

/** `[["tax", "included"], true]` as `{ tax: { included: true } }`; steps that are numbers are those of a list. */
const nested = (entries: ReadonlyArray<Entry>): unknown => {
  const [first] = entries
  if (first !== undefined && first[0].length === 0) return first[1]
  const groups = Map.groupBy(entries, ([[step = ""]]) => step)
  const members = [...groups].map(
    ([step, its]) => [step, nested(its.map(([steps, value]) => [steps.slice(1), value]))] as const
  )
  return members.every(([step]) => /^\d+$/.test(step)) ? members.map(([, value]) => value) : Object.fromEntries(members)
}

/** What a row has where its cell is empty. */
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

/** Where something stands: in which file, on which line, and in which of its columns. */
const placeOf = ({ name, table }: CsvFile, line: number, column?: string): string => {
  const at = column === undefined ? -1 : table.header.indexOf(column)
  if (column === undefined) return `${name}, line ${line}`
  return at < 0 ? `${name}, line ${line}, ${column}` : `${name}, line ${line}, column ${columnLetters(at)} (${column})`
}

/** Faults of a header: names that mean nothing, and columns that are missing. */
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

/** A row as a part of the catalogue file, without the name of its playroom; its faults go into `issues`. */
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

/** The column that a fault of the catalogue's field is about: its own, or the first of those that the field is made of. */
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

/** A path of the catalogue file as the place in the CSV files that it was made of. */
const csvPlace = (places: ReadonlyMap<string, Place>, path: string): Option.Option<string> => {
  const [part] = /^(operators|playrooms)\[\d+\](\.(packages|add_ons|closures)\[\d+\])?/.exec(path) ?? []
  const place = part === undefined ? undefined : places.get(part)
  if (part === undefined || place === undefined) return Option.none()
  const field = path.slice(part.length + 1)
  if (field === "") return Option.some(placeOf(place.file, place.line))
  return Option.some(placeOf(place.file, place.line, columnFor(place.kind, field) ?? field))
}

/** The content of a catalogue file, checked as far as it can be without the database. */
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
    // Spreadsheets have no columns for them, or too few: what a YAML file has set stays.
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
  // A cell without a value would be named twice: by the cell, and as a field that is missing.
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
