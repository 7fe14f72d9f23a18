import { assert, describe, it } from "@effect/vitest"
import { reportPicture } from "../bench/support/TablePicture.ts"

const picture = (rows: ReadonlyArray<ReadonlyArray<string | number | ReadonlyArray<number>>>) =>
  reportPicture({
    bench: "mcp",
    about: "calls & answers",
    commit: "abc1234",
    machine: "a machine",
    rounds: 3,
    tables: [{ title: "a < b", head: ["", "calls/s"], rows }]
  })

const bars = (svg: string) => [...svg.matchAll(/width="([\d.]+)" height="13"/g)].map(([, width]) => Number(width))

describe("the report's picture", () => {
  it("draws each figure of a column by one scale, with its least and most, and nothing for words", () => {
    const svg = picture([
      ["ours", [90, 100, 110]],
      ["theirs", 50],
      ["none", ""],
      ["unknown", Number.NaN]
    ])
    const [ours = 0, theirs = 0, ...more] = bars(svg)
    assert.deepStrictEqual(more, [])
    assert.strictEqual(theirs * 2, ours)
    assert.include(svg, "100 (90–110)")
  })

  it("stays SVG whatever names have in them, and says the machine and the commit", () => {
    const svg = picture([["<b>&", 0]])
    assert.include(svg, "mcp: calls &amp; answers")
    assert.include(svg, "a &lt; b")
    assert.include(svg, "&lt;b>&amp;")
    assert.include(svg, "a machine; commit abc1234; 3 rounds")
  })
})
