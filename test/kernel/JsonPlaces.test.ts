import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { jsonPlaces, repeatedName } from "../../src/kernel/JsonPlaces.ts"

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
    assert.deepStrictEqual(repeatedName('{"a": {"b": 1}, "b": {"b": 2}, "a": 3}'), { name: "a", at: 31 })
    assert.deepStrictEqual(repeatedName(String.raw`[{"\u0061": 1, "a": 2}]`), { name: "a", at: 15 })
    assert.isUndefined(repeatedName('[{"a": 1}, {"a": 2}, "a", "a"]'))
    assert.isUndefined(repeatedName('{"a": ["a", "b"], "b": "a"}'))
  })
})
