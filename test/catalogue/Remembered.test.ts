import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import { remembered, sameValue } from "../../src/catalogue/Remembered.ts"

describe("what was made of a row", () => {
  it.effect("is given again while the row is the same, and made anew when anything in it changes", () =>
    Effect.gen(function* () {
      let made = 0
      const from = remembered((row) => Effect.sync(() => ({ row, serial: ++made })))
      const row = (price: number, closed = false) => ({
        playroom_id: "a",
        packages: [{ name: "Party", price }],
        updated: new Date(5),
        ...(closed ? { closures: [] } : {})
      })
      const first = yield* from(row(1))
      assert.strictEqual(yield* from(row(1)), first)
      assert.strictEqual((yield* from({ ...row(1), playroom_id: "b" })).serial, 2)
      assert.strictEqual((yield* from(row(2))).serial, 3)
      assert.strictEqual((yield* from(row(2, true))).serial, 4)
      assert.strictEqual((yield* from(row(2))).serial, 5)
    })
  )

  it.effect("is forgotten for the playroom that was made longest ago, beyond the most that are kept", () =>
    Effect.gen(function* () {
      const made: Array<string> = []
      const from = remembered(({ playroom_id }) => Effect.sync(() => made.push(playroom_id)), 2)
      for (const playroom_id of ["a", "b", "a", "c", "b", "c", "a"]) yield* from({ playroom_id })
      assert.deepStrictEqual(made, ["a", "b", "c", "a"])
    })
  )

  it.effect("is not kept where making it failed", () =>
    Effect.gen(function* () {
      let tries = 0
      const from = remembered(() => (++tries === 1 ? Effect.fail("no" as const) : Effect.succeed(tries)))
      assert.strictEqual(yield* Effect.flip(from({ playroom_id: "a" })), "no")
      assert.strictEqual(yield* from({ playroom_id: "a" }), 2)
    })
  )

  it("compares JSON and dates as deeply as they go", () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(0, 1, "", "a", true, false, null),
        tie("list"),
        tie("record"),
        tie("date")
      ),
      list: fc.array(tie("value"), { maxLength: 3 }),
      record: fc.dictionary(fc.constantFrom("a", "b", "length", "0"), tie("value")),
      date: fc.integer({ min: 0, max: 1 }).map((ms) => new Date(ms))
    })).value
    fc.assert(
      fc.property(value, value, (a, b) => {
        assert.isTrue(sameValue(a, structuredClone(a)))
        assert.strictEqual(sameValue(a, b), isDeepStrictEqual(plain(a), plain(b)))
      }),
      { numRuns: 2000 }
    )
  })
})

/** Without the prototypes that the generator gives its records. */
const plain = (value: unknown): unknown => structuredClone(value)
