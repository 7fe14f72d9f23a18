import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { editDistance } from "../../../src/platform/text/Text.ts"

describe("the distance between words", () => {
  it("counts what typists do: miss, add, mistake a letter, swap two", () => {
    const cases = [
      ["london", "london", 0],
      ["londn", "london", 1],
      ["lonndon", "london", 1],
      ["lomdon", "london", 1],
      ["lodnon", "london", 1],
      ["", "abc", 3],
      ["trampolne", "trampoline", 1]
    ] as const
    for (const [a, b, distance] of cases) assert.strictEqual(editDistance(a, b), distance, `${a} ${b}`)
  })

  it("is symmetric, and zero only for the same word", () => {
    const word = fc.string({ maxLength: 8, unit: fc.constantFrom("a", "b", "c") })
    fc.assert(
      fc.property(word, word, (a, b) => {
        assert.strictEqual(editDistance(a, b), editDistance(b, a))
        assert.strictEqual(editDistance(a, b) === 0, a === b)
        assert.isAtMost(editDistance(a, b), Math.max(a.length, b.length))
      })
    )
  })
})
