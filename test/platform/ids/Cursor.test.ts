import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { decodeCursor, encodeCursor } from "../../../src/platform/ids/Ids.ts"
import { runs } from "../../support/runs.ts"
import { slipsOf, withSlips } from "../../support/slips.ts"

const positions = fc.array(fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string()), {
  maxLength: 4
})
const lists = fc.record({ city: fc.string(), children: fc.nat(20) })

describe("A cursor", () => {
  it("gives back its position in its own list, and in no other", () => {
    fc.assert(
      fc.property(lists, lists, positions, (scope, other, position) => {
        const cursor = encodeCursor(scope, position)
        // JSON has one zero.
        assert.deepStrictEqual(
          decodeCursor(scope, cursor),
          position.map((part) => (part === 0 ? 0 : part))
        )
        if (JSON.stringify(scope) !== JSON.stringify(other)) assert.isUndefined(decodeCursor(other, cursor))
      }),
      { numRuns: runs(250) }
    )
  })

  it("copied wrongly is none, in one letter or in two", () => {
    const place = [Date.UTC(2026, 11, 5, 10), 2]
    const cursor = encodeCursor({ city: "Leeds" }, place)
    for (const slip of slipsOf(cursor)) assert.isUndefined(decodeCursor({ city: "Leeds" }, slip), slip)
    fc.assert(
      fc.property(withSlips(cursor), (slip) => {
        if (slip !== cursor) assert.isUndefined(decodeCursor({ city: "Leeds" }, slip), slip)
      }),
      { numRuns: runs(2000) }
    )
  })

  it("has one spelling", () => {
    const cursor = encodeCursor({}, [1000, "a"])
    const json = Buffer.from(cursor, "base64url").toString()
    for (const other of [json.replace("1000", "1e3"), json.replace(",", ", "), json.replace('"a"', '"\\u0061"')]) {
      assert.notStrictEqual(other, json)
      assert.isUndefined(decodeCursor({}, Buffer.from(other).toString("base64url")), other)
    }
    assert.deepStrictEqual(decodeCursor({}, cursor), [1000, "a"])
  })
})
