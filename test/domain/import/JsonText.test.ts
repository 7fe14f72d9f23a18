import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import {
  readCatalogueText,
  type JsonText,
  jsonPlaces,
  jsonTextFault
} from "../../../src/domain/import/CatalogueText.ts"
import { runs } from "../../support/runs.ts"

const bounds = { parts: 100_000, values: 1_000_000, depth: 1_000_000 }
const faultOf = (text: string): JsonText | undefined => jsonTextFault(text, bounds)

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
      const message = Effect.runSync(Effect.flip(readCatalogueText("a.json", text))).message
      assert.include(message, `is not JSON: line ${line}, column ${column}: there should be ${expected}`)
    })
  }

  it("is found in a string of millions of escapes", () => {
    const escapes = "\\n".repeat(10_000_000)
    assert.isUndefined(faultOf(`["${escapes}"]`))
    const [fault, at] = [faultOf(`["${escapes}\\q"]`), 2 + escapes.length]
    assert.deepInclude(fault, { kind: "syntax", at })
  })

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
        assert.strictEqual(faultOf(one)?.kind !== "syntax", isJson(one), one)
      }),
      { numRuns: runs(750) }
    )
  })

  it("is found however deep it lies", () => {
    assert.isUndefined(faultOf("[".repeat(200_000) + "]".repeat(200_000)))
    assert.strictEqual(faultOf("[".repeat(200_000))?.at, 200_000)
  })
})

/** All paths of a value, with what stands there. */
const partsOf = (
  value: unknown,
  path: ReadonlyArray<string | number> = []
): ReadonlyArray<readonly [ReadonlyArray<string | number>, unknown]> => [
  [path, value],
  ...(Array.isArray(value)
    ? value.flatMap((item, i) => partsOf(item, [...path, i]))
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, item]) => partsOf(item, [...path, name]))
      : [])
]

describe("the places of a JSON text", () => {
  it("are where each value begins, behind its name, however it is written", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.nat(3), (json, indent) => {
        const value: unknown = JSON.parse(json)
        const text = JSON.stringify(value, null, indent)
        const parts = partsOf(value)
        const places = jsonPlaces(
          text,
          parts.map(([path]) => path)
        )
        for (const [i, [path, part]] of parts.entries()) {
          const place = places[i]
          assert(place !== undefined)
          // Indentation grows with depth, so that a part alone is written as it begins here.
          const begins = JSON.stringify(part, null, indent).split("\n")[0] ?? ""
          assert.isTrue(text.startsWith(begins, place.value), `${path.join()} at ${place.value} in ${text}`)
          const step = path.at(-1)
          if (typeof step === "string")
            assert.isTrue(place.name !== undefined && text.startsWith(JSON.stringify(step), place.name))
          else assert.isUndefined(place.name)
        }
      })
    )
  })

  it("are those of what is around a part that is missing", () => {
    const text = '{"a": [1, {"b": 2}]}'
    assert.deepStrictEqual(jsonPlaces(text, [["a", 1, "c"], ["x"], ["a", 7, "b"], []]), [
      { name: undefined, value: 10 },
      { name: undefined, value: 0 },
      { name: 1, value: 6 },
      { name: undefined, value: 0 }
    ])
  })

  it("are found in a deep text, and among escapes", () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000)
    assert.strictEqual(jsonPlaces(deep, [[0, 0, 0]])[0]?.value, 3)
    const text = String.raw`{"a\\":"\"}","b":"\\\\","c":1}`
    assert.strictEqual(jsonPlaces(text, [["c"]])[0]?.name, text.indexOf('"c"'))
    assert.strictEqual(jsonPlaces(text, [["a\\"]])[0]?.name, 1)
  })
})

describe("a name that stands twice in an object", () => {
  it("is found, also written in another way, and not where objects differ", () => {
    assert.deepInclude(faultOf('{"a": {"b": 1}, "b": {"b": 2}, "a": 3}'), { kind: "repeated", name: "a", at: 31 })
    assert.deepInclude(faultOf(String.raw`[{"\u0061": 1, "a": 2}]`), { kind: "repeated", name: "a", at: 15 })
    assert.isUndefined(faultOf('[{"a": 1}, {"a": 2}, "a", "a"]'))
    assert.isUndefined(faultOf('{"a": ["a", "b"], "b": "a"}'))
  })
})

describe("a JSON text that has too much", () => {
  it("is told by its first bound, at the place, and is looked at no further", () => {
    const few = { parts: 3, values: 10, depth: 4 }
    for (const [text, kind, at] of [
      ['{"a": [1, 2, 3, 4, x', "parts", 1],
      ["[[1, 2, 3], [1, 2, 3], [1, 2, x", "values", 24],
      ["[[[[[x", "depth", 4]
    ] as const)
      assert.deepStrictEqual(jsonTextFault(text, few), { kind, at })
    assert.isUndefined(jsonTextFault("[[[[1, 2, 3]]], [1, 2]]", few))
  })
})
