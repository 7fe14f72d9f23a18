import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { conversations } from "./hasty/Conversations.ts"
import { figuresOf } from "./hasty/Report.ts"
import { assistantWorld, listening } from "./hasty/World.ts"

// `ASSISTANT_CONVERSATIONS=2000 ASSISTANT_SEED=7 ASSISTANT_VERBOSE=1` for a long run of other ones, with its figures;
// `ASSISTANT_SEED=7 ASSISTANT_PAIR=12` for the two conversations of one pair again.
const env = (name: string): number | undefined =>
  process.env[name] === undefined ? undefined : Number(process.env[name])
const pair = env("ASSISTANT_PAIR")
const count = pair === undefined ? (env("ASSISTANT_CONVERSATIONS") ?? 56) : 2
const seed = env("ASSISTANT_SEED") ?? 20_261_121

const leastReached = 0.97

layer(assistantWorld)("a hasty assistant", (it) => {
  it.effect(
    "gets the person what they want, once, or says truly why not; what it books wrongly the person had read",
    () =>
      Effect.gen(function* () {
        const { outcomes, report } = yield* conversations(yield* listening, count, seed, pair)
        if (process.env["ASSISTANT_VERBOSE"] !== undefined) console.log(report)
        const figures = figuresOf(outcomes)
        const { false_sentences, paid_twice_never_said, seen_by_another, wrong_never_shown } = figures
        assert.deepStrictEqual(
          { false_sentences, paid_twice_never_said, seen_by_another, wrong_never_shown },
          { false_sentences: 0, paid_twice_never_said: 0, seen_by_another: 0, wrong_never_shown: 0 },
          report
        )
        assert.isAtLeast(figures.reached / figures.conversations, leastReached, report)
      }).pipe(Effect.scoped),
    120_000 + count * 3_000
  )
})
