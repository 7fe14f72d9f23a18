import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { conversations } from "./hasty/Conversations.ts"
import { assistantWorld, listening } from "./hasty/World.ts"

// `ASSISTANT_CONVERSATIONS=2000 ASSISTANT_SEED=7 ASSISTANT_VERBOSE=1` for a long run of other ones, with its counts.
const count = Number(process.env["ASSISTANT_CONVERSATIONS"] ?? 25)
const seed = Number(process.env["ASSISTANT_SEED"] ?? 20_261_121)

const leastReached = 0.98

layer(assistantWorld)("a hasty assistant", (it) => {
  it.effect(
    "reaches what its person wanted by what the answers say, books once, and is told the truth",
    () =>
      Effect.gen(function* () {
        const url = yield* listening
        const { report, reached, twice, falsehoods } = yield* conversations(url, count, seed)
        if (process.env["ASSISTANT_VERBOSE"] !== undefined) console.log(report)
        assert.deepStrictEqual(falsehoods, [], report)
        assert.strictEqual(twice, 0, report)
        assert.isAtLeast(reached / count, leastReached, report)
      }).pipe(Effect.scoped),
    120_000 + count * 3_000
  )
})
