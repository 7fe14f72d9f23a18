import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { pageBudget, fitPage } from "../../../src/platform/text/ResponseBudget.ts"
import { runs } from "../../support/runs.ts"

interface Page {
  readonly head: string
  readonly entries: ReadonlyArray<string>
  readonly next?: number
}

const lengthOf = (page: Page): number => JSON.stringify(page).length

/** A page of a list that goes on by position, and how often it was made. */
const reading = (list: ReadonlyArray<string>, from: number, limit: number | undefined, head = "") => {
  const read = list.slice(from, from + (limit ?? 20))
  let made = 0
  const pageOf = (count: number): Page => {
    made++
    const next = from + count
    return { head, entries: read.slice(0, count), ...(next < list.length ? { next } : {}) }
  }
  const page = fitPage(pageBudget(limit), read.length, pageOf)
  return {
    page,
    made,
    most: pageBudget(limit),
    pageOf,
    read: read.length
  }
}

describe("a page", () => {
  it("is the longest that is short enough, with one entry at least, and all pages hold each entry once, in order", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("a", '"', "\\", "\n", "é", "🎈"), fc.nat(3000)), {
          maxLength: 120
        }),
        fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
        fc.nat(2500),
        (shapes, limit, headLength) => {
          const list = shapes.map(([text, times], i) => `${i} ${text.repeat(text === "a" ? times : times / 4)}`)
          const seen: Array<string> = []
          for (let from: number | undefined = 0; from !== undefined;) {
            const { made, most, page, pageOf, read } = reading(list, from, limit, "h".repeat(headLength))
            const { length } = page.entries
            assert.isTrue(lengthOf(page) <= most || length === 1)
            // One more is too many.
            if (length < read) assert.isTrue(lengthOf(pageOf(length + 1)) > most)
            assert.isAtMost(made, 110)
            seen.push(...page.entries)
            from = page.next
          }
          assert.deepStrictEqual(seen, list)
        }
      ),
      { numRuns: runs(60) }
    )
  })

  it("is made a few times, and once if it is short", () => {
    const list = (each: number) => Array.from({ length: 100 }, (_, i) => `${i} `.padEnd(each, "x"))
    assert.strictEqual(reading(list(30), 0, 100).made, 1)
    for (const each of [100, 200, 300, 400, 800])
      for (const limit of [undefined, 50, 100]) assert.isAtMost(reading(list(each), 0, limit, "h".repeat(1000)).made, 8)
  })

  it("is longer for who names a limit", () => {
    const list = Array.from({ length: 100 }, () => "x".repeat(390))
    assert.deepStrictEqual(
      [undefined, 100].map((limit) => reading(list, 0, limit).page.entries.length),
      [10, 30]
    )
  })
})
