import { assert, describe, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { Effect } from "effect"
import { readXlsx } from "hucre/xlsx"
import { type Cell, type Columns, csvText, xlsx } from "../../../src/platform/files/Spreadsheet.ts"
import { csvRows } from "../../support/CommandLine.ts"

type Pair = readonly [Cell, Cell]
const columns: Columns<Pair> = [
  ["a", ([a]) => a],
  ["b", ([, b]) => b]
]

const written = (rows: ReadonlyArray<Pair>) =>
  Effect.gen(function* () {
    const bytes = yield* xlsx("2027-01", columns, rows)
    const { sheets } = yield* Effect.promise(() => readXlsx(bytes, { readStyles: true }))
    const [sheet, ...more] = sheets
    assert.lengthOf(more, 0)
    assert.strictEqual(sheet?.name, "2027-01")
    const format = (row: number, column: number) => sheet?.cells?.get(`${row},${column}`)?.style?.numFmt
    return { rows: sheet?.rows ?? [], format }
  })

describe("a table as CSV", () => {
  it("S3: comes back as it was, but for an apostrophe before a formula, at whatever a spreadsheet splits", () => {
    const cells = [
      ["plain", "plain"],
      ["", ""],
      [" spaced ", " spaced "],
      ['"', '"'],
      ["a,b", "a,b"],
      ["a\r\nb", "a \nb"],
      ["=1+1", "'=1+1"],
      ["+1", "'+1"],
      ["-1", "'-1"],
      ["@x", "'@x"],
      ["\t=1", "'\t=1"],
      ["\r=1", "' =1"],
      ["  =1", "'  =1"],
      ["\n=1", "'\n=1"],
      ["＝1", "'＝1"],
      ["a=1", "a=1"],
      ["\u001b[2J", " [2J"],
      ["🎈", "🎈"]
    ] as const
    const text = csvText(
      columns,
      cells.map(([cell]) => [cell, cell]),
      "\n"
    )
    for (const separator of [";", "\t"]) {
      const row = csvText([["a", (cell: string) => cell]], [`Ada${separator}=1+1\r\n=2`], "\n")
      const other = parse(row, { delimiter: separator, bom: true })
      assert.deepStrictEqual(other, [["a"], [`Ada${separator}=1+1 \n=2`]])
    }
    assert.deepStrictEqual(
      csvRows(text).map(({ a, b }) => [a, b]),
      cells.map(([, back]) => [back, back])
    )
  })
})

describe("a table as XLSX", () => {
  it.effect("S3: has texts as they are, and none of them is a formula or a number", () =>
    Effect.gen(function* () {
      const texts = [
        "123E-0045",
        "07700900123",
        "+44 20 7946 0123",
        "=1+1",
        "-1",
        "@x",
        "1/2",
        "24/12/2026",
        "TRUE",
        " spaced ",
        "two\nlines",
        '<a b="c">&amp;</a>',
        "_x0041_ _X000d_",
        "🎈"
      ]
      const { format, rows } = yield* written(texts.map((text) => [text, ""]))
      assert.deepStrictEqual(
        rows.slice(1).map(([a, b]) => [a, b ?? null]),
        texts.map((text) => [text, null])
      )
      // A text that somebody edits stays one, too.
      texts.forEach((_, i) => assert.strictEqual(format(i + 1, 0), "@"))
      const odd = yield* written([["a\u0000\u001b\uFFFE\uD800b\r\nc", "x".repeat(40_000)]])
      assert.deepStrictEqual(odd.rows[1], ["a   \uFFFDb \nc", "x".repeat(32_767)])
    })
  )

  it.effect("S3: has amounts as numbers with their currency's decimals, and dates and times as such", () =>
    Effect.gen(function* () {
      const { format, rows } = yield* written([
        [{ number: "1234.50" }, { at: "2027-01-05" }],
        [{ number: "-5000" }, { at: "2027-03-28 02:30" }],
        [{ number: "123.310" }, { at: "2027-12-31 23:59" }],
        [{ number: "0.00" }, ""]
      ])
      assert.deepStrictEqual(rows, [
        ["a", "b"],
        [1234.5, new Date("2027-01-05T00:00Z")],
        [-5000, new Date("2027-03-28T02:30Z")],
        [123.31, new Date("2027-12-31T23:59Z")],
        [0, null]
      ])
      assert.deepStrictEqual(
        [1, 2, 3, 4].map((row) => [format(row, 0), format(row, 1)]),
        [
          ["#,##0.00", "yyyy-mm-dd"],
          ["#,##0", "yyyy-mm-dd hh:mm"],
          ["#,##0.000", "yyyy-mm-dd hh:mm"],
          ["#,##0.00", "@"]
        ]
      )
    })
  )

  it.effect("lets the node go on meanwhile, however long the table is", () =>
    Effect.gen(function* () {
      let turns = 0
      let writing = true
      const turn = (): void => {
        turns += 1
        if (writing) setImmediate(turn)
      }
      setImmediate(turn)
      const { rows } = yield* written(
        Array.from({ length: 10_000 }, (_, i): Pair => [`row ${i}`, { number: `${i}.00` }])
      )
      writing = false
      assert.lengthOf(rows, 10_001)
      assert.isAbove(turns, 20)
    })
  )
})
