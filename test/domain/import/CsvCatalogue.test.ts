import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { parse } from "csv-parse/sync"
import { type Cell, writeXlsx } from "hucre/xlsx"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { parseCatalogue } from "../../../src/domain/import/ParseCatalogue.ts"
import {
  catalogueFromCsv,
  columnsOf,
  columnLetters,
  type CsvFile,
  readCsv,
  readWorkbook,
  type CsvKind,
  csvKinds,
  csvTemplate
} from "../../../src/domain/import/CsvCatalogue.ts"
import { importOnly, setClock } from "../../support/BookingWorld.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const read = (name: string, kind: CsvKind, text: string) =>
  Effect.map(readCsv(text, kind), (table): CsvFile => ({ name, table }))

/** The templates, some of them with other text. */
const filesWith = Effect.fnUntraced(function* (others: Partial<Record<CsvKind, string>> = {}) {
  const files = yield* Effect.forEach(csvKinds, (kind) =>
    Effect.map(read(`${kind}.csv`, kind, others[kind] ?? csvTemplate(kind)), (file) => [kind, file] as const)
  )
  return Object.fromEntries(files)
})

const edited = (kind: CsvKind, ...changes: ReadonlyArray<readonly [from: string, to: string]>): string =>
  changes.reduce((text, [from, to]) => {
    assert.include(text, from)
    return text.replace(from, to)
  }, csvTemplate(kind))

/** The template with a text in a column. */
const withCell = (kind: CsvKind, name: string, text: string): string => {
  const [names = [], ...rows] = parse(csvTemplate(kind))
  return [names, ...rows.map((row) => row.map((cell, i) => (names[i] === name ? text : cell)))]
    .map((row) => row.map((cell) => `"${cell}"`).join())
    .join("\n")
}

const faults = (others: Partial<Record<CsvKind, string>>) =>
  Effect.flatMap(filesWith(others), catalogueFromCsv).pipe(
    Effect.flip,
    Effect.map((fault) =>
      fault._tag === "CatalogueInvalid"
        ? fault.issues.map(({ message, path }) => `${path}: ${message}`)
        : [fault.message]
    )
  )
const unreadable = (text: string) => Effect.map(Effect.flip(readCsv(text, "operators")), ({ message }) => message)

const semicolons = (text: string) => text.replaceAll(/("[^"]*")|,/g, (all, cell) => (cell === undefined ? ";" : all))

describe("a catalogue made of CSV files", () => {
  it.effect("has amounts in the playroom's currency, hours of a line, lists, and defaults for what is left out", () =>
    Effect.gen(function* () {
      const { operators, playrooms } = yield* parseCatalogue(yield* catalogueFromCsv(yield* filesWith()))
      assert.deepStrictEqual(operators, [
        {
          slug: "sunny-side",
          name: "Sunny Side Play",
          support_email: "hello@sunnyside.example",
          phone: "+44 20 7946 0018",
          legal_name: "Sunny Side Play Ltd",
          tax_number: "GB 123 4567 89",
          vouchers: { currency: "GBP", min_amount: 1000, max_amount: 25_000, valid_months: 36 },
          application_fee_percent: 5,
          stock: [
            { slug: "bubble-machines", units: 2 },
            { slug: "highchairs", units: 20 }
          ]
        }
      ])
      const [room] = playrooms
      assert.deepInclude(room, {
        operator: "sunny-side",
        city_aliases: ["Londres", "Londra"],
        amenities: ["soft play", "ball pool", "cafe"],
        bring: "Socks for everyone on the play frames.",
        quiet_hours: [{ weekday: "saturday", opens: "10:00", closes: "11:00" }],
        photos: [],
        overrides: [],
        tax: { rate_percent: 20, included: true },
        closures: [{ from: "2026-12-25", to: "2026-12-26", reason: "Christmas" }]
      })
      assert.deepStrictEqual(room?.opening_hours.at(-1), { weekday: "saturday", opens: "10:00", closes: "16:00" })
      assert.deepStrictEqual(room?.packages[0]?.pricing, {
        base: 22_000,
        included_children: 10,
        extra_child: 1850,
        adult: 0,
        rules: []
      })
      assert.deepInclude(room?.packages[0], {
        schedule: { weekdays: ["saturday", "sunday"], times: ["10:00", "13:00"] },
        payment: { kind: "deposit", deposit: { amount: 5000 }, balance_due_hours_before: 0, refundable: false },
        cancellation: [
          { hours_before: 336, refund_percent: 100 },
          { hours_before: 72, refund_percent: 50 }
        ]
      })
      assert.strictEqual(room?.add_ons[0]?.unit_amount, 3500)
      const yen = yield* filesWith({
        playrooms: edited("playrooms", ["GBP", "JPY"]),
        packages: edited("packages", ["220.00", "22000"], ["18.50", "1850"], ["50.00", "5000"]),
        "add-ons": edited("add-ons", ["35.00", "3500"])
      })
      const [tokyo] = (yield* parseCatalogue(yield* catalogueFromCsv(yen))).playrooms
      assert.strictEqual(tokyo?.packages[0]?.pricing.base, 22_000)
    })
  )

  it.effect("has who costs less, by age or as a sibling, in one cell", () =>
    Effect.gen(function* () {
      const withRules = (cell: string) => ({ packages: withCell("packages", "pricing.child_rules", cell) })
      const cell =
        "Babies: age 0-1 0.00; Toddlers: ages 2-3 -50%; Teens: age 12+ 10.50; One: age 5 child 3+ 1.00; Siblings: child 2+ -12.5 %"
      const { playrooms } = yield* parseCatalogue(yield* catalogueFromCsv(yield* filesWith(withRules(cell))))
      assert.deepStrictEqual(playrooms[0]?.packages[0]?.pricing.child_rules, [
        { label: "Babies", age_from: 0, age_to: 1, change: { price: 0 } },
        { label: "Toddlers", age_from: 2, age_to: 3, change: { percent: -50 } },
        { label: "Teens", age_from: 12, change: { price: 1050 } },
        { label: "One", age_from: 5, age_to: 5, child_from: 3, change: { price: 100 } },
        { label: "Siblings", child_from: 2, change: { percent: -12.5 } }
      ])
      for (const wrong of ["free babies", "Babies: 0.00", "Babies: age 0-1", "Babies: age 0-1 cheap", ": age 1 1.00"])
        assert.match((yield* faults(withRules(wrong))).join(), /pricing.child_rules.*Expected which children cost/)
      assert.match(
        (yield* faults(withRules("Babies: age 3-1 0.00"))).join(),
        /pricing.child_rules.*Expected at least age_from, 3/
      )
      // Without a cell, every child costs the same.
      const plain = (yield* parseCatalogue(yield* catalogueFromCsv(yield* filesWith()))).playrooms
      assert.isUndefined(plain[0]?.packages[0]?.pricing.child_rules)
    })
  )

  it.effect("D4: has rates of tax of playrooms, packages and add-ons, and the days from which others hold", () =>
    Effect.gen(function* () {
      const columnsAfter = (kind: CsvKind, cells: Readonly<Record<string, string>>) => {
        const [header = "", row = ""] = csvTemplate(kind).split("\n")
        const names = header.split(",")
        // The columns of tax are the last ones, and no cell of them is quoted.
        const values = row.split(",")
        const at = (name: string) => values.length - names.length + names.indexOf(name)
        for (const [name, cell] of Object.entries(cells)) values[at(name)] = cell
        return `${header}\n${values.join(",")}\n`
      }
      const files = yield* filesWith({
        playrooms: columnsAfter("playrooms", { "tax.changes": "2027-01-01 21%; 2028-07-01: 21.5 %" }),
        packages: columnsAfter("packages", { "tax.rate_percent": "10", "tax.changes": "2027-01-01 12%" })
      })
      const [room] = (yield* parseCatalogue(yield* catalogueFromCsv(files))).playrooms
      assert.deepStrictEqual(room?.tax, {
        rate_percent: 20,
        included: true,
        changes: [
          { from: "2027-01-01", rate_percent: 21 },
          { from: "2028-07-01", rate_percent: 21.5 }
        ]
      })
      assert.deepStrictEqual(room?.packages[0]?.tax, {
        rate_percent: 10,
        changes: [{ from: "2027-01-01", rate_percent: 12 }]
      })
      assert.deepStrictEqual(room?.add_ons[0]?.tax, { rate_percent: 0 })
      const [fault] = yield* faults({ packages: columnsAfter("packages", { "tax.changes": "21 from 2027" }) })
      assert.include(fault ?? "", "Expected from which day on the tax is another")
    })
  )

  it.effect(
    "reads what spreadsheets write: byte order mark, semicolons, tabs, Windows line ends, quoted line breaks",
    () =>
      Effect.gen(function* () {
        const expected = yield* catalogueFromCsv(yield* filesWith())
        for (const spell of [
          (text: string) => `\uFEFF${text.replaceAll("\n", "\r\n")}`,
          (text: string) => semicolons(text).replaceAll("\n", "\r\n"),
          (text: string) =>
            `${semicolons(text).replaceAll(/("[^"]*")|;/g, (all, cell) => (cell === undefined ? "\t" : all))}\n\n`,
          (text: string) => text.trimEnd().replaceAll(/$/gm, ",,").trimEnd()
        ]) {
          const others = Object.fromEntries(csvKinds.map((kind) => [kind, spell(csvTemplate(kind))]))
          assert.deepStrictEqual(yield* catalogueFromCsv(yield* filesWith(others)), expected)
        }
        const { rows } = yield* readCsv('a,b\n"one\n\ntwo ""2""",x\n\n\nlast,y\n', "operators")
        assert.deepStrictEqual(
          rows.map(({ cells, line }) => [line, cells.get("a")]),
          [
            [2, 'one\n\ntwo "2"'],
            [7, "last"]
          ]
        )
      })
  )

  it.effect("reads dates, times and ranges as programs write them that had the file in between", () =>
    Effect.gen(function* () {
      const expected = yield* catalogueFromCsv(
        yield* filesWith({ packages: edited("packages", ["10:00; 13:00", "10:00"], ["336h", "337h"]) })
      )
      const written = {
        // Gnumeric 1.12.55: the template, saved as a workbook and as CSV again.
        closures: edited("closures", ["2026-12-25", "2026/12/25"], ["2026-12-26", "2026/12/26"]),
        packages: edited("packages", ["10:00; 13:00", "10:00:00"], ["336h", "337h"]),
        // Intl.DateTimeFormat.formatRange, ICU 78.3, and percentages with their sign.
        playrooms: edited(
          "playrooms",
          ["mon-fri 09:00-18:00", "Mon\u2013Fri 09:00\u2009\u2013\u200918:00"],
          [",20,", ",20%,"]
        )
      }
      assert.deepStrictEqual(yield* catalogueFromCsv(yield* filesWith(written)), expected)
    })
  )

  it.effect("doesn't guess whether 0.2 is 20 % or a fifth of a percent", () =>
    Effect.gen(function* () {
      // Gnumeric 1.12.55 writes a cell of 20% as 0.2.
      assert.deepStrictEqual(yield* faults({ playrooms: edited("playrooms", [",20,", ",0.2,"]) }), [
        'playrooms.csv, line 2, column AE (tax.rate_percent): Expected 20 for 20 %; "0.2" may be 0.2 % or 20 %: write which, with its sign'
      ])
      const fee = yield* catalogueFromCsv(yield* filesWith({ operators: edited("operators", [",5,", ",0.5 %,"]) }))
      assert.strictEqual((yield* parseCatalogue(fee)).operators[0]?.application_fee_percent, 0.5)
    })
  )

  it.effect("E1: tells each fault by file, line and column", () =>
    Effect.gen(function* () {
      for (const [others, says] of [
        [
          { packages: edited("packages", ["220.00", "€ 220"]) },
          'packages.csv, line 2, column Q (pricing.base): Expected an amount of GBP like 12.34, and not "€ 220"'
        ],
        [
          { playrooms: edited("playrooms", ["51.4607", "51° N"]) },
          'playrooms.csv, line 2, column K (latitude): Expected a number and not "51° N"'
        ],
        [
          { operators: edited("operators", ["+44 20 7946 0018", "4.42079E+11"]) },
          'operators.csv, line 2, column E (phone): "4.42079E+11" is what a spreadsheet left of a number: format the column as text, and type it again'
        ],
        [
          { playrooms: edited("playrooms", ["mon-fri 09:00-18:00", "mon-fri 9-18"]) },
          'playrooms.csv, line 2, column S (opening_hours): Expected times like "mon-fri 09:00-18:00; sat 10:00-16:00", and not "9-18"'
        ],
        [
          { playrooms: edited("playrooms", ["Europe/London", "London"]) },
          "playrooms.csv, line 2, column M (time_zone): Expected an IANA time zone of GB: Europe/London"
        ],
        [
          { packages: edited("packages", ["\nclapham", "\ncroydon"]) },
          "packages.csv, line 2, column A (playroom): There is no playroom croydon in playrooms.csv"
        ],
        [
          { packages: edited("packages", [",Party,", ",,"]) },
          "packages.csv, line 2, column D (name): This cell is empty"
        ],
        [
          { packages: edited("packages", ["10:00; 13:00", "10:00; 23:00"]) },
          "packages.csv, line 2, column N (schedule.times): A visit of 120 minutes from 23:00 is outside the opening hours of its days"
        ],
        [
          { packages: edited("packages", ["50.00,,0,no", "50.00,10,0,no"]) },
          "packages.csv, line 2, column X (payment.deposit.percent): Expected this or payment.deposit.amount, not both"
        ],
        [
          { closures: edited("closures", ["2026-12-26", "Boxing Day"]) },
          "closures.csv, line 2, column E (to): Expected a date"
        ],
        [
          { playrooms: `${csvTemplate("playrooms")}${csvTemplate("playrooms").split("\n")[1]}\n` },
          "playrooms.csv, line 3, column A (slug): Playroom clapham is already at playrooms.csv, line 2, column A (slug)"
        ],
        [
          { "add-ons": edited("add-ons", ["unit_amount", "price"]) },
          "add-ons.csv, line 1, column F (price): There is no such column; `playroom catalogue from-csv --template add-ons` prints those that there are"
        ],
        [
          { operators: edited("operators", ["slug,", ""], ["sunny-side,", ""]) },
          "operators.csv, line 1: The column slug is missing"
        ]
      ] as const) {
        const found = yield* faults(others)
        assert(
          found.some((fault) => fault.startsWith(says)),
          `${says}\n${found.join("\n")}`
        )
      }
    })
  )

  it.effect("V6: tells all faults of all files at once, each at its place and once", () =>
    Effect.gen(function* () {
      const found = yield* faults({
        playrooms: edited(
          "playrooms",
          ["51.4607", "north"],
          ["mon-fri 09:00-18:00", "Do 9:00-18:00"],
          ["grid_minutes,", "grid,"]
        ),
        packages: edited("packages", [",Party,", ",,"], ["220.00", "lots"], ["exclusive", "alone"]),
        closures: edited("closures", ["2026-12-26", "Boxing Day"], ["Christmas", ""])
      })
      assert.deepStrictEqual(
        found.map((fault) => fault.replace(/: .*/, "")),
        [
          "playrooms.csv, line 1, column AB (grid)",
          "playrooms.csv, line 1",
          "playrooms.csv, line 2, column K (latitude)",
          "playrooms.csv, line 2, column S (opening_hours)",
          "packages.csv, line 2, column D (name)",
          "packages.csv, line 2, column Q (pricing.base)",
          "closures.csv, line 2, column F (reason)",
          "packages.csv, line 2, column F (mode)",
          "closures.csv, line 2, column E (to)"
        ]
      )
      assert.include(found[3], 'Expected thursday or sunday, since "Do" may be either')
    })
  )

  it.effect("V6, E1: finds the header below titles and empty rows, at the separator that a file names", () =>
    Effect.gen(function* () {
      const expected = yield* catalogueFromCsv(yield* filesWith())
      const under = (kind: CsvKind) =>
        `sep=;\r\nOur rooms, 2027;;\r\n;;;\r\n${semicolons(csvTemplate(kind)).replaceAll("\n", "\r\n;;;\r\n")}`
      const others = Object.fromEntries(csvKinds.map((kind) => [kind, under(kind)]))
      assert.deepStrictEqual(yield* catalogueFromCsv(yield* filesWith(others)), expected)
      const broken = under("closures").replace("2026-12-26", "x")
      assert.include((yield* faults({ closures: broken }))[0], "closures.csv, line 6, column E (to): ")
    })
  )

  it.effect("V6: reads a workbook: each kind from its own sheet, with dates, percentages and truths as cells", () =>
    Effect.gen(function* () {
      const expected = yield* catalogueFromCsv(
        yield* filesWith({
          packages: withCell(
            "packages",
            "pricing.child_rules",
            "Babies: age 0-1 0.00; Siblings: child 2+ -50%"
          ).replace("10:00; 13:00", "10:00")
        })
      )
      const typed = (name: string, text: string) => {
        if (name === "schedule.times") return new Date("1899-12-31T10:00Z")
        if (name === "tax.rate_percent") return Number(text) / 100
        if (name === "tax.included") return true
        if (name === "pricing.child_rules") return "Babies: age 0-1 0.00; Siblings: child 2+ -50%"
        return /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : /^[\d.]+$/.test(text) ? Number(text) : text
      }
      const bytes = yield* Effect.promise(() =>
        writeXlsx({
          sheets: csvKinds.map((kind) => {
            const columns = [...columnsOf(kind)]
            const cells = columns.map(([name, { example }]) =>
              example === "" && name !== "pricing.child_rules" ? null : typed(name, example)
            )
            return {
              name: `Our ${kind}`,
              rows: [["Castle Play"], [], columns.map(([name]) => name), [], cells],
              cells: new Map<string, Partial<Cell>>(
                columns.map(([name], i) => {
                  const numFmt = { "tax.rate_percent": "0%", "schedule.times": "hh:mm" }[name]
                  return [`4,${i}`, numFmt === undefined ? {} : { style: { numFmt } }]
                })
              )
            }
          })
        })
      )
      const files = yield* Effect.forEach(csvKinds, (kind) =>
        Effect.map(readWorkbook(bytes, kind), ({ sheet, table }) => {
          assert.strictEqual(sheet, `Our ${kind}`)
          assert.strictEqual(table.rows[0]?.line, 5)
          return [kind, { name: sheet, table }] as const
        })
      )
      assert.deepStrictEqual(yield* catalogueFromCsv(Object.fromEntries(files)), expected)
      const { message } = yield* Effect.flip(readWorkbook(bytes.subarray(0, 500), "packages"))
      assert.include(message, "can't be read as XLSX")
    })
  )

  it.effect("refuses texts that are no CSV, with what to do, however large a cell is", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* unreadable("\n\n"), "is empty: it has no header.")
      assert.strictEqual(yield* unreadable("slug,name,slug\n"), "has two columns slug.")
      assert.strictEqual(
        yield* unreadable("slug,name\na,b,c\n"),
        "line 2, column C: this cell has no name in the header."
      )
      assert.include(yield* unreadable('slug,name\na,"b\n'), "a quotation mark is not closed")
      assert.include(yield* unreadable('slug,name\na,b "quoted" c\n'), "a quotation mark stands within a cell")
      const large = "x".repeat(10_000_000)
      assert.include(yield* unreadable(`slug,name\na,${large}\n`), "more than 100000 characters")
      assert.include(yield* unreadable(`slug,name\na,"${large}`), "more than 100000 characters")
      assert.deepStrictEqual([0, 25, 26, 701, 702].map(columnLetters), ["A", "Z", "AA", "ZZ", "AAA"])
    })
  )
})

layer(Layer.provideMerge(Layer.mergeAll(importOnly, Catalogue.layer), TestDatabase.layer))("CSV files", (it) => {
  it.effect("are imported as a catalogue file, and an edited cell is all that the next import changes", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const file = yield* CatalogueFile
      const first = yield* file.importFile(yield* catalogueFromCsv(yield* filesWith()))
      assert.deepInclude(first.playrooms, { added: 1 })
      assert.deepInclude(first.packages, { added: 1 })
      const next = yield* catalogueFromCsv(yield* filesWith({ packages: edited("packages", ["18.50", "19.00"]) }))
      const { changes } = yield* file.importFile(next, { dryRun: true })
      assert.deepStrictEqual(
        changes.map(({ fields, name }) => [name, fields]),
        [["Party", [{ field: "pricing.extra_child", was: "£18.50", becomes: "£19.00" }]]]
      )
    })
  )

  it.effect(
    "take nothing away that they have no columns for: price rules, questions, single days and pictures of a YAML file stay",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const file = yield* CatalogueFile
        const made = yield* parseCatalogue(yield* catalogueFromCsv(yield* filesWith()))
        const [room] = made.playrooms
        const [pkg] = room?.packages ?? []
        if (room === undefined || pkg === undefined) return assert.fail("no playroom with a package")
        const rules = [{ label: "Weekend", weekdays: ["saturday", "sunday"], change: { amount: 4000 } }] as const
        const questions = [{ slug: "child", text: "Whose birthday is it?" }]
        const set = {
          photos: [1, 2].map((n) => ({ url: `https://pictures.example/${n}.jpg`, alt: "Slides" })),
          overrides: [{ date: "2026-12-24", intervals: [{ opens: "09:00", closes: "12:00" }] }]
        }
        const { keep: _, ...whole } = made
        const inYaml = {
          ...whole,
          playrooms: [{ ...room, ...set, packages: [{ ...pkg, questions, pricing: { ...pkg.pricing, rules } }] }]
        }
        yield* file.importFile(inYaml)
        const edit = catalogueFromCsv(yield* filesWith({ packages: edited("packages", ["18.50", "19.00"]) }))
        const { changes } = yield* file.importFile(yield* edit)
        assert.deepStrictEqual(
          changes.map(({ fields, name }) => [name, fields.map(({ field }) => field)]),
          [["Party", ["pricing.extra_child"]]]
        )
        const exported = yield* parseCatalogue(yield* file.exportFile)
        const stored = exported.playrooms.find(({ slug }) => slug === "clapham")
        assert.deepInclude(stored, set)
        assert.deepStrictEqual(stored?.packages[0]?.pricing.rules, rules)
        assert.deepStrictEqual(stored?.packages[0]?.questions, questions)
        // What is kept is checked with what is new: the rule would leave less than can be paid.
        yield* file.importFile({
          ...inYaml,
          playrooms: inYaml.playrooms.map((it) => ({
            ...it,
            packages: it.packages.map((one) => ({
              ...one,
              pricing: { ...one.pricing, rules: [{ label: "Less", change: { amount: -9990 } }] }
            }))
          }))
        })
        const cheap = yield* catalogueFromCsv(yield* filesWith({ packages: edited("packages", ["220.00", "100.00"]) }))
        const refused = yield* Effect.flip(file.importFile(cheap))
        assert.include("message" in refused ? refused.message : "", "with what is kept of it as it is stored")
        // A file that does not say so is the whole, as ever.
        yield* file.importFile(whole)
        const after = yield* parseCatalogue(yield* file.exportFile)
        assert.deepStrictEqual(after.playrooms.find(({ slug }) => slug === "clapham")?.packages[0]?.pricing.rules, [])
        return undefined
      })
  )
})
