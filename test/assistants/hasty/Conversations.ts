/**
 * Many conversations, two families at a time on one key, each pair with nothing booked before; and what came of them.
 */
import { Cause, Effect, Exit, Option } from "effect"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { chanceFrom } from "../../fuzz/Chance.ts"
import { newKey } from "../../support/ToolWorld.ts"
import { habitsOf } from "./Habits.ts"
import { conversation } from "./HastyAssistant.ts"
import { type Judgement, judged } from "./Judge.ts"
import { deliverLate } from "./Paying.ts"
import { reportOf } from "./Report.ts"
import { statementsOf } from "./Statements.ts"
import { Stuck, type Talk } from "./Talk.ts"
import { minuteMs, readVenues } from "./Truth.ts"
import { turnsOf } from "./Turns.ts"
import { emptyTally, type Tally, verdictsInto } from "./Verdicts.ts"
import { type Goal, goals, type Wish, wishFor } from "./Wishes.ts"
import { allergies, type Answer, begin, firstMoment, say } from "./World.ts"

const spanMinutes = 14 * 24 * 60

/** What is asked of a page's parties, answered. */
const answersOf = (answer: Answer): object =>
  JSON.stringify(answer).includes('"asks"') ? { answers: [`${allergies.slug}: none`] } : {}

/** Other families take all of a day, as far as they are let. */
const sellOut = Effect.fn("sellOut")(function* (url: string, wish: Wish) {
  const key = yield* newKey()
  const playroom_id = wish.venue?.playroom.playroom_id
  for (let n = 0; n < 12; n++) {
    const asked = { playroom_id, date: wish.first, children: wish.children, limit: 1 }
    const answer = yield* say(url, key, "get_booking_options", asked)
    const list = answer.kind === "result" ? answer.result.options : undefined
    const [option]: ReadonlyArray<unknown> = Array.isArray(list) ? list : []
    if (typeof option !== "object" || option === null || !("option_id" in option)) return
    const contact = { name: "Rival", email: `rival${n}@example.com` }
    yield* say(url, key, "create_booking", { option_id: option.option_id, contact, ...answersOf(answer) })
  }
})

/** One family's conversation, judged. */
export interface Outcome extends Judgement {
  readonly goal: Goal
  readonly pair: number
  readonly calls: number
  readonly acted: Talk["acted"]
  readonly asking: Talk["asking"]
  readonly promised: Talk["promised"]
  readonly leaks: ReadonlyArray<string>
  readonly falsehoods: ReadonlyArray<string>
  readonly trail: ReadonlyArray<string>
}

const whyOf = (exit: Exit.Exit<string | undefined, unknown>): string | undefined =>
  Exit.match(exit, {
    onSuccess: (ended) => ended,
    onFailure: (cause) =>
      Option.match(Cause.findErrorOption(cause), {
        onNone: () => Cause.pretty(cause),
        onSome: (error) => (error instanceof Stuck ? error.why : String(error))
      })
  })

/** Two conversations at the same time; the same for the same seed and number. */
const pairOf = Effect.fn("pairOf")(function* (
  url: string,
  venues: ReadonlyArray<Venue>,
  pair: number,
  seed: number,
  tally: Tally
) {
  const chance = chanceFrom(Math.imul(seed ^ Math.imul(pair + 1, 0x9e3779b1), 0x85ebca6b))
  const now = firstMoment + chance.below(spanMinutes) * minuteMs
  yield* begin(now)
  const goal = goals[pair % goals.length] ?? "birthday"
  const first = wishFor(goal, chance, venues, now, `${pair}a`)
  const other = goals[chance.below(goals.length)] ?? "birthday"
  // Two parents of one family have one wish, and do not know of each other's chat.
  const parents = goal === "second_parent"
  const second: Wish = parents
    ? { ...first, name: `Kim ${pair}a` }
    : wishFor(other === "second_parent" ? "birthday" : other, chance, venues, now, `${pair}b`)
  const [key, rivalKey] = [yield* newKey(), yield* newKey()]
  const turns = turnsOf(chance, 2)
  const ends: ReadonlyArray<Talk["end"]> = [{ paid: 0 }, { paid: 0 }]
  const secrets = [first, second].map((wish) => new Set(parents ? [] : [wish.name, wish.email, wish.notes]))
  const talks = [first, second].map((wish, i): Talk & { readonly falsehoods: ReadonlyArray<string> } => {
    const own = emptyTally(tally)
    return {
      url,
      key,
      rivalKey,
      wish,
      venues,
      chance: chanceFrom(chance.below(2 ** 31)),
      habits: habitsOf(chance),
      acted: new Map(),
      knows: { adults: chance.once(2), time: chance.once(2) },
      asking: { adults: { due: false, asked: false }, time: { due: false, asked: false } },
      promised: [],
      ids: { playroom_id: [], package_id: [], option_id: [] },
      statements: statementsOf(parents ? [first.name, second.name] : [wish.name], venues, verdictsInto(own)),
      verdicts: verdictsInto(own),
      falsehoods: own.falsehoods,
      trail: [`${new Date(now).toISOString()} ${JSON.stringify({ ...wish, venue: wish.venue?.playroom.name })}`],
      shown: [],
      said: [],
      refused: [],
      secrets: secrets[i] ?? new Set(),
      others: { secrets: parents ? new Set() : (secrets[1 - i] ?? new Set()), leaks: [] },
      yields: parents && i === 1,
      family: parents ? ends : [],
      turn: turns.take,
      count: { calls: 0 },
      late: [],
      end: ends[i] ?? { paid: 0 }
    }
  })
  for (const { wish } of talks) if (wish.full) yield* sellOut(url, wish)
  const exits = yield* Effect.forEach(talks, (talk) => Effect.ensuring(Effect.exit(conversation(talk)), turns.leave), {
    concurrency: 2
  })
  for (const talk of talks) yield* deliverLate(talk)
  return yield* Effect.forEach(talks, (talk, i) =>
    Effect.gen(function* () {
      const exit = exits[i]
      const ended = exit === undefined ? undefined : whyOf(exit)
      const outcome: Outcome = {
        ...(yield* judged(talk, parents ? talks : [talk], ended)),
        goal: talk.wish.goal,
        pair,
        calls: talk.count.calls,
        acted: talk.acted,
        asking: talk.asking,
        promised: talk.promised,
        leaks: talk.others.leaks,
        falsehoods: talk.falsehoods,
        trail: [...talk.trail, `habits left: ${[...talk.habits].join(", ")}`]
      }
      return outcome
    })
  )
})

/** Runs so many conversations from a seed, towards each goal in turn; or the two of one pair alone. */
export const conversations = Effect.fn("conversations")(function* (
  url: string,
  count: number,
  seed: number,
  only?: number
) {
  const venues = yield* readVenues
  const tally = emptyTally()
  const outcomes: Array<Outcome> = []
  const pairs = only === undefined ? Array.from({ length: Math.ceil(count / 2) }, (_, i) => i) : [only]
  for (const pair of pairs) outcomes.push(...(yield* pairOf(url, venues, pair, seed, tally)))
  return { outcomes, report: reportOf(outcomes, tally, seed) }
})
