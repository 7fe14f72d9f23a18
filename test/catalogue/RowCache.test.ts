import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cacheByPlayroom } from "../../src/catalogue/Catalogue.ts"

describe("what was made of a row", () => {
  it.effect("is given again while the row is the same, and made anew when anything in it changes", () =>
    Effect.gen(function* () {
      let made = 0
      const from = cacheByPlayroom((text) => Effect.sync(() => ({ text, serial: ++made })))
      const row = (price: number, playroom_id = "a") => ({ playroom_id, text: JSON.stringify({ price }) })
      const first = yield* from(row(1))
      assert.strictEqual(yield* from(row(1)), first)
      assert.strictEqual((yield* from(row(1, "b"))).serial, 2)
      assert.strictEqual((yield* from(row(2))).serial, 3)
      assert.deepStrictEqual(yield* from(row(1)), { ...first, serial: 4 })
    })
  )

  it.effect("is forgotten for the playroom that was made longest ago, beyond the most that are kept", () =>
    Effect.gen(function* () {
      const made: Array<string> = []
      const from = cacheByPlayroom((text) => Effect.sync(() => made.push(text)), 2)
      for (const id of ["a", "b", "a", "c", "b", "c", "a"]) yield* from({ playroom_id: id, text: `of ${id}` })
      assert.deepStrictEqual(made, ["of a", "of b", "of c", "of a"])
    })
  )

  it.effect("is not kept where making it failed", () =>
    Effect.gen(function* () {
      let tries = 0
      const from = cacheByPlayroom(() => (++tries === 1 ? Effect.fail("no" as const) : Effect.succeed(tries)))
      const row = { playroom_id: "a", text: "" }
      assert.strictEqual(yield* Effect.flip(from(row)), "no")
      assert.strictEqual(yield* from(row), 2)
    })
  )
})
