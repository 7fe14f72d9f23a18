/**
 * Spreadsheets as LibreOffice writes them where its owner lives: the catalogue's files come back as they were meant,
 * and amounts that are exported are numbers there. Left out where it is not installed.
 */
import { assert, describe, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import {
  catalogueFromCsv,
  type CsvFile,
  type CsvKind,
  csvKinds,
  csvTemplate,
  readCsv,
  readWorkbook
} from "../../../src/domain/import/CsvCatalogue.ts"
import { xlsx } from "../../../src/platform/files/Spreadsheet.ts"

const isInstalled = (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, "soffice")))
const run = promisify(execFile)

const locales = [
  { locale: "es-ES", code: 3082, day: "$3/$2/$1" },
  { locale: "de-DE", code: 1031, day: "$3.$2.$1" },
  { locale: "fr-FR", code: 1036, day: "$3/$2/$1" },
  { locale: "pl-PL", code: 1045, day: "$3.$2.$1" }
] as const

/** LibreOffice with a profile of its own, for whom numbers and dates are as in this locale; and its folder. */
const office = (locale: string) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-office-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    mkdirSync(join(folder, "profile/user"), { recursive: true })
    writeFileSync(
      join(folder, "profile/user/registrymodifications.xcu"),
      `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>${locale}</value></prop></item></oor:items>`
    )
    const profile = `-env:UserInstallation=file://${join(folder, "profile")}`
    const convert = (files: ReadonlyArray<string>, ...options: ReadonlyArray<string>) =>
      Effect.promise(() =>
        run("soffice", [
          profile,
          "--headless",
          ...options,
          "--outdir",
          folder,
          ...files.map((one) => join(folder, one))
        ])
      )
    return { at: (name: string) => join(folder, name), convert }
  })

const all = (read: (kind: CsvKind) => Effect.Effect<CsvFile, { readonly message: string }>) =>
  Effect.forEach(csvKinds, (kind) => Effect.map(read(kind), (file) => [kind, file] as const)).pipe(
    Effect.flatMap((files) => catalogueFromCsv(Object.fromEntries(files)))
  )
const fromText = (textOf: (kind: CsvKind) => string) =>
  all((kind) => Effect.map(readCsv(textOf(kind), kind), (table) => ({ name: kind, table })))

describe.skipIf(!isInstalled)("spreadsheets that LibreOffice writes", () => {
  it.live.each(locales)("V6, S3: come back from its $locale, and amounts are numbers there", ({ code, day, locale }) =>
    Effect.gen(function* () {
      const { at, convert } = yield* office(locale)
      const typed = (name: string, cell: string) => {
        if (cell !== "" && name.endsWith("rate_percent")) return `${cell}%`
        return /^-?\d+\.\d+$/.test(cell) ? cell.replace(".", ",") : cell.replace(/^(\d{4})-(\d\d)-(\d\d)$/, day)
      }
      for (const kind of csvKinds) {
        const [names = [], ...rows] = parse(csvTemplate(kind))
        const local = [names, ...rows.map((row) => row.map((cell, i) => typed(names[i] ?? "", cell)))]
        writeFileSync(at(`${kind}.csv`), local.map((row) => row.map((cell) => `"${cell}"`).join(";")).join("\n"))
      }
      const sums = yield* xlsx("2027-01", [["amount", (cell) => cell]], [{ number: "1234.50" }])
      writeFileSync(at("sums.xlsx"), sums)
      yield* convert(
        csvKinds.map((kind) => `${kind}.csv`),
        `--infilter=CSV:59,34,76,1,,${code},false,true`,
        "--convert-to",
        "xlsx"
      )
      yield* convert(
        [...csvKinds, "sums"].map((name) => `${name}.xlsx`),
        "--convert-to",
        "csv:Text - txt - csv (StarCalc):59,34,76,1,,0,false,true"
      )
      const meant = yield* fromText(csvTemplate)
      assert.deepStrictEqual(yield* fromText((kind) => readFileSync(at(`${kind}.csv`), "utf8")), meant)
      const workbook = (kind: CsvKind) => readWorkbook(readFileSync(at(`${kind}.xlsx`)), kind)
      assert.deepStrictEqual(
        yield* all((kind) => Effect.map(workbook(kind), ({ sheet, table }) => ({ name: sheet, table }))),
        meant
      )
      assert.match(readFileSync(at("sums.csv"), "utf8"), /^amount\s+1[^\d]?234,50\s*$/)
    }).pipe(Effect.scoped)
  )
})
