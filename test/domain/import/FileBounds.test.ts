/** Files of a million lines: what they cost, and what their author is told. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readCatalogueText } from "../../../src/domain/import/CatalogueText.ts"
import { readCsv } from "../../../src/domain/import/CsvCatalogue.ts"
import { parseCatalogue } from "../../../src/domain/import/ParseCatalogue.ts"

const lines = 1_000_000
const million = (line: (n: number) => string): string => Array.from({ length: lines }, (_, i) => line(i)).join("")
const split = "A file may have 20000 playrooms. Split it: playrooms that a file does not name stay as they are."
const yamlEnd =
  /^is too large: of YAML, only what stands up to line \d+ could be read .*Larger files are read as JSON\./
const entries = (line: number) => `is too large: line ${line}: this has more than 20000 entries. ${split}`

const files: ReadonlyArray<readonly [what: string, name: string, text: () => string, says: string | RegExp]> = [
  ["names in YAML", "a.yaml", () => million((i) => `${(i + 36 ** 4).toString(36)}: 1\n`).slice(0, 8e6), yamlEnd],
  ["items in YAML", "a.yaml", () => `a:\n${million(() => "- x\n")}`, yamlEnd],
  ["playrooms in YAML", "a.yaml", () => `playrooms:\n${million(() => "- {}\n")}`, yamlEnd],
  ["empty lines", "a.yaml", () => `${million(() => "\n")}version: 1\n`, yamlEnd],
  ["comments", "a.yaml", () => `${million(() => "# c\n")}version: 1\n`, yamlEnd],
  ["anchors", "a.yaml", () => million((i) => `- &${i % 10} x\n`), yamlEnd],
  ["aliases", "a.yaml", () => `- &a x\n${million(() => "- *a\n")}`, yamlEnd],
  [
    "brackets in YAML",
    "a.yaml",
    () => million(() => "[\n"),
    "is not YAML: line 101, column 1: this is nested too deeply"
  ],
  ["lines of one text", "a.yaml", () => `a: |\n${million(() => "  x\n")}`, yamlEnd],
  ["names in JSON", "a.json", () => `{${million((i) => `"k${i}": 1,\n`)}"k": 1}`, entries(1)],
  ["playrooms in JSON", "a.json", () => `{\n"playrooms": [${million(() => "{},\n")}{}]}`, entries(2)],
  ["brackets in JSON", "a.json", () => million(() => "[\n"), "line 101, column 1: this is nested too deeply"],
  [
    "values in JSON",
    "a.json",
    () =>
      `[${million(() => "0,\n")
        .repeat(3)
        .match(/(?:0,\n){15000}/g)
        ?.map((some) => `[${some}0]`)
        .join()}]`,
    `is too large: it has more than 2000000 values (up to line 1999`
  ]
]

describe("a file of a million lines", () => {
  for (const [what, name, text, says] of files) {
    it.effect(`of ${what} is refused for what is true of it, within ten seconds`, () =>
      Effect.gen(function* () {
        const written = text()
        const before = process.cpuUsage()
        const { message } = yield* readCatalogueText(name, written).pipe(
          Effect.flatMap(({ content, placed }) => Effect.mapError(parseCatalogue(content), placed)),
          Effect.flip
        )
        const { system, user } = process.cpuUsage(before)
        if (typeof says === "string") assert.include(message, says)
        else assert.match(message, says)
        assert.isBelow((user + system) / 1e6, 10)
      })
    )
  }

  it.effect("of rows is refused for their number", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(readCsv(`slug,name\n${million(() => "a,b\n")}`, "operators"))
      assert.strictEqual(
        message,
        "is too large: it has more than 60000 rows. Split it, each playroom with all its packages."
      )
    })
  )

  it.effect("has at most as many faults as are worth looking for", () =>
    Effect.gen(function* () {
      const playrooms = Array.from({ length: 20_000 }, () => ({}))
      const { issues } = yield* Effect.flip(parseCatalogue({ version: 1, operators: [], playrooms }))
      assert.isBelow(issues.length, 2100)
      const more = yield* Effect.flip(parseCatalogue({ version: 1, operators: [], playrooms: [...playrooms, {}] }))
      assert.include(more.message, "playrooms: Expected at most 20000 playrooms in a file")
    })
  )
})
