import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { runs } from "../support/runs.ts"
import { conversations } from "./hasty/Conversations.ts"
import { figuresOf } from "./hasty/Report.ts"
import { askingWorld, listening, Through } from "./hasty/World.ts"

// `ASSISTANT_CONVERSATIONS=2000 ASSISTANT_SEED=7 ASSISTANT_VERBOSE=1` for a long run of other ones, with its figures;
// `ASSISTANT_SEED=7 ASSISTANT_PAIR=12` for the two conversations of one pair again.
const env = (name: string): number | undefined =>
  process.env[name] === undefined ? undefined : Number(process.env[name])
const pair = env("ASSISTANT_PAIR")
const count = pair === undefined ? (env("ASSISTANT_CONVERSATIONS") ?? runs(100)) : 2
const seed = env("ASSISTANT_SEED") ?? 20_261_121

/** `ASSISTANT_THROUGH=200` for more conversations through the client library. */
const throughClient = env("ASSISTANT_THROUGH") ?? runs(8)

const leastReached = 0.97
const mostWrong = 0.01

layer(askingWorld)("a hasty assistant", (it) => {
  it.effect(
    "gets the person what they want, once, or says truly why not; what it books wrongly the person had read",
    () =>
      Effect.gen(function* () {
        const { outcomes, report } = yield* conversations(yield* listening, count, seed, pair)
        if (process.env["ASSISTANT_VERBOSE"] !== undefined) console.log(report)
        const figures = figuresOf(outcomes)
        const { false_sentences, paid_twice_never_said, promised_never_denied, seen_by_another, wrong_never_shown } =
          figures
        assert.deepStrictEqual(
          { false_sentences, paid_twice_never_said, promised_never_denied, seen_by_another, wrong_never_shown },
          {
            false_sentences: 0,
            paid_twice_never_said: 0,
            promised_never_denied: 0,
            seen_by_another: 0,
            wrong_never_shown: 0
          },
          report
        )
        assert.isAtMost(figures.wrong_paid, Math.ceil(figures.conversations * mostWrong), report)
        // One more of the few of a short run.
        assert.isAtMost(
          figures.conversations - figures.reached,
          Math.ceil(figures.conversations * (1 - leastReached)) + 1,
          report
        )
      }).pipe(Effect.scoped),
    120_000 + count * 3_000
  )

  it.effect(
    "comes to the same through the client library that hosts are built on",
    () =>
      Effect.gen(function* () {
        const url = yield* listening
        const run = conversations(url, throughClient, seed)
        const plain = yield* run
        const library = yield* Effect.provideService(run, Through, "v2 auto")
        const told = ({ outcomes }: typeof plain) =>
          outcomes.map(({ calls, goal, honest, missed, pair }) => ({ pair, goal, calls, honest, missed }))
        assert.deepStrictEqual(told(library), told(plain))
        assert.deepStrictEqual(figuresOf(library.outcomes), figuresOf(plain.outcomes))
        assert.isAtLeast(
          library.outcomes.reduce((sum, { calls }) => sum + calls, 0),
          3 * throughClient
        )
      }).pipe(Effect.scoped),
    120_000 + throughClient * 6_000
  )
})
