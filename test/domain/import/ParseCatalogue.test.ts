import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { parseCatalogue } from "../../../src/domain/import/ParseCatalogue.ts"
import { catalogueJson, manyPlayrooms, playroomJson } from "../../support/catalogues.ts"

describe("reading a catalogue file", () => {
  it.effect("lets others have their turn while a large one is read", () =>
    Effect.gen(function* () {
      let turns = 0
      const other = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.sync(() => turns++),
            Effect.yieldNow
          )
        ),
        { startImmediately: true }
      )
      const { playrooms } = yield* parseCatalogue(manyPlayrooms(500))
      yield* Fiber.interrupt(other)
      assert.strictEqual(playrooms.length, 500)
      // Read and checked, some playrooms at a time.
      assert.isAtLeast(turns, 10)
    })
  )

  it.effect("names as many faults as there are", () =>
    Effect.gen(function* () {
      const operators = Array.from({ length: 150_000 }, () => ({ slug: "same", name: "Same" }))
      const { issues, message } = yield* Effect.flip(parseCatalogue({ version: 1, operators, playrooms: [] }))
      assert.lengthOf(issues, 149_999)
      assert.include(message, "… and 149949 more.")
      assert.isBelow(message.length, 10_000)
      const { issues: empty } = yield* Effect.flip(parseCatalogue(null))
      assert.deepStrictEqual(empty, [
        { path: "file", message: "Expected a catalogue: `version`, `operators` and `playrooms`" }
      ])
    })
  )

  it.effect("names faults of its frame and of its playrooms at once, each by its place", () =>
    Effect.gen(function* () {
      const pathsOf = (json: unknown) =>
        Effect.map(Effect.flip(parseCatalogue(json)), ({ issues }) => issues.map(({ path }) => path))
      const { operators } = catalogueJson([])
      assert.deepStrictEqual(
        yield* pathsOf({
          version: 2,
          operators,
          playrooms: [playroomJson(1), { ...playroomJson(2), capacity: 0 }, 7],
          more: 1
        }),
        ["more", "version", "playrooms[1].capacity", "playrooms[2]"]
      )
      assert.deepStrictEqual(yield* pathsOf({ version: 1, operators }), ["playrooms"])
      assert.deepStrictEqual(yield* pathsOf({ version: 1, operators, playrooms: "none" }), ["playrooms"])
      assert.deepStrictEqual(yield* pathsOf([]), ["file"])
    })
  )
})
