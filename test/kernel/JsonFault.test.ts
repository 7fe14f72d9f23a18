import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { jsonFault } from "../../src/kernel/JsonFault.ts"

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe("a fault in a JSON text", () => {
  for (const [what, text, line, column, expected] of [
    ["a value that lacks", '{"a": 1,\n "b": }', 2, 7, "a value"],
    ["a comma too many in an object", '{\n  "a": 1,\n}', 3, 1, "a name in double quotes"],
    ["a comma too many in a list", "[1,\n 2,\n]", 3, 1, "a value"],
    ["a comma that lacks", '{"a": 1\r\n "b": 2}', 2, 2, '"," or "}"'],
    ["a name without quotes", "{a: 1}", 1, 2, 'a name in double quotes, or "}"'],
    ["a colon that lacks", '{"a" 1}', 1, 6, '":"'],
    ["an end that lacks", '{"a": [1', 1, 9, '"," or "]"'],
    ["nothing at all", "", 1, 1, "a value"],
    ["a second value", "{}\n{}", 2, 1, "the end of the file"],
    ["a comment", "{ // note\n}", 1, 3, 'a name in double quotes, or "}"'],
    ["a wrong escape, after characters of two units", '["\u{1F388}\\q"]', 1, 4, "a known escape"],
    ["a string over two lines", '{"a": "one\ntwo"}', 1, 11, "the closing quote"],
    ["a string without an end", '{"a":\n "one', 2, 2, "an end of the string that begins here"],
    ["a number that is none", "[01]", 1, 3, '"," or "]"']
  ] as const) {
    it(`is found at its line and column: ${what}`, () => {
      const fault = jsonFault(text)
      assert.deepInclude(fault, { line, column })
      assert.include(fault?.expected, expected)
    })
  }

  it("is found where the language's own parser finds one, and nowhere else", () => {
    const text = fc.json().chain((whole) =>
      fc
        .record({
          at: fc.nat(whole.length),
          gone: fc.nat(2),
          put: fc.constantFrom(
            "",
            "",
            ",",
            "}",
            "]",
            "{",
            "[",
            '"',
            ":",
            "\\",
            "-",
            ".",
            "e",
            "0",
            "\n",
            "\u0001",
            "null"
          )
        })
        .map(({ at, gone, put }) => whole.slice(0, at) + put + whole.slice(at + gone))
    )
    fc.assert(
      fc.property(text, (one) => {
        assert.strictEqual(jsonFault(one) === undefined, isJson(one), one)
      }),
      { numRuns: 3000 }
    )
  })

  it("is found however deep it lies", () => {
    assert.isUndefined(jsonFault("[".repeat(200_000) + "]".repeat(200_000)))
    assert.strictEqual(jsonFault("[".repeat(200_000))?.column, 200_001)
  })
})
