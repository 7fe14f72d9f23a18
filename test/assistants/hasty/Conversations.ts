/** Many conversations one after the other, each with nothing booked before, and what came of them. */
import { Cause, Clock, Effect, Exit, Option } from "effect"
import type { Venue } from "../../../src/catalogue/Playroom.ts"
import { chanceFrom } from "../../fuzz/Chance.ts"
import { newKey } from "../../support/ToolWorld.ts"
import { conversation } from "./HastyAssistant.ts"
import { statementsOf } from "./Statements.ts"
import { emptyTally, type Tally, verdictsInto } from "./Verdicts.ts"
import { Stuck, type Talk } from "./Talk.ts"
import { bookingsOf, minuteMs, readVenues, statusOf } from "./Truth.ts"
import { type Goal, goals, unfulfilled, type Wish, wishFor } from "./Wishes.ts"
import { begin, firstMoment, say } from "./World.ts"

const spanMs = 14 * 24 * 60 * minuteMs

/** Other families take all of a day, as far as they are let. */
const sellOut = Effect.fn("sellOut")(function* (url: string, wish: Wish) {
  const key = yield* newKey()
  const playroom_id = wish.venue?.playroom.playroom_id
  for (let n = 0; n < 12; n++) {
    const answer = yield* say(url, key, "get_booking_options", {
      playroom_id,
      date: wish.first,
      children: wish.children,
      limit: 1
    })
    const list = answer.kind === "result" ? answer.result.options : undefined
    const [option]: ReadonlyArray<unknown> = Array.isArray(list) ? list : []
    if (typeof option !== "object" || option === null || !("option_id" in option)) return
    yield* say(url, key, "create_booking", {
      option_id: option.option_id,
      contact: { name: "Rival", email: `rival${n}@example.com` }
    })
  }
})

interface Outcome {
  readonly goal: Goal
  /** Why the goal was not reached. */
  readonly missed: string | undefined
  readonly twice: boolean
  readonly calls: number
  readonly trail: ReadonlyArray<string>
}

const judged = Effect.fn("judged")(function* (wish: Wish, venues: ReadonlyArray<Venue>) {
  const rows = yield* bookingsOf(wish.email)
  const now = yield* Clock.currentTimeMillis
  const alive = rows.map((row) => statusOf(row, now)).filter((status) => status === "held" || status === "confirmed")
  const confirmed = rows.filter(({ status }) => status === "confirmed")
  const faults = confirmed.map((row) => {
    const venue = venues.find(({ playroom }) => playroom.playroom_id === row.playroom_id)
    const pkg = venue?.packages.find(({ package_id }) => package_id === row.package_id)
    if (venue === undefined || pkg === undefined) return "of no playroom"
    const owes = wish.balance && row.received !== row.total ? "the balance is not paid" : undefined
    return unfulfilled(wish, venue, { ...row, mode: pkg.mode }) ?? owes
  })
  const missed = confirmed.length === 0 ? "nothing is booked and paid" : faults.find((fault) => fault !== undefined)
  return { twice: alive.length > 1, missed }
})

const one = Effect.fn("one")(function* (
  url: string,
  venues: ReadonlyArray<Venue>,
  serial: number,
  of: { readonly count: number; readonly seed: number },
  tally: Tally
) {
  const chance = chanceFrom(Math.imul(of.seed ^ Math.imul(serial + 1, 0x9e3779b1), 0x85ebca6b))
  const now =
    firstMoment + Math.floor(((serial + chance.below(1000) / 1000) / of.count) * (spanMs / minuteMs)) * minuteMs
  yield* begin(now)
  const goal = goals[serial % goals.length] ?? "saturday_party"
  const wish = wishFor(goal, chance, venues, now, serial)
  if (wish.full) yield* sellOut(url, wish)
  const talk: Talk = {
    url,
    key: yield* newKey(),
    rivalKey: yield* newKey(),
    chance,
    wish,
    statements: statementsOf(wish.email, venues, verdictsInto(tally)),
    trail: [],
    names: {}
  }
  const exit = yield* Effect.exit(conversation(talk))
  const { missed, twice } = yield* judged(wish, venues)
  const why = Exit.isFailure(exit)
    ? Option.match(Cause.findErrorOption(exit.cause), {
        onNone: () => Cause.pretty(exit.cause),
        onSome: (error) => (error instanceof Stuck ? error.why : String(error))
      })
    : undefined
  const outcome: Outcome = {
    goal,
    missed: missed === undefined ? undefined : `${missed} (${why ?? "it believed so"})`,
    twice,
    calls: talk.trail.length,
    trail: [
      `${new Date(now).toISOString()} ${goal} ${JSON.stringify({ ...wish, venue: wish.venue?.playroom.name })}`,
      ...talk.trail
    ]
  }
  return outcome
})

const tableOf = (rows: ReadonlyArray<ReadonlyArray<string | number>>): string => {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => String(row[i]).length))) ?? []
  return rows.map((row) => row.map((cell, i) => String(cell).padEnd(widths[i] ?? 0)).join("  ")).join("\n")
}

const frequent = (all: ReadonlyArray<string>, most: number): string => {
  const counts = new Map<string, number>()
  for (const line of all) counts.set(line.slice(0, 300), (counts.get(line.slice(0, 300)) ?? 0) + 1)
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([line, times]) => `${times} × ${line}`)
    .join("\n")
}

const digitless = (line: string): string =>
  line.replace(/[a-z]+_01[a-z0-9]+/g, "…").replace(/\d{4}-\d{2}-\d{2}/g, "DATE")

const reportOf = (outcomes: ReadonlyArray<Outcome>, tally: Tally): string => {
  const byGoal = goals.map((goal) => {
    const all = outcomes.filter((one) => one.goal === goal)
    const calls = all.reduce((sum, one) => sum + one.calls, 0)
    const reached = all.filter(({ missed }) => missed === undefined).length
    return [
      goal,
      all.length,
      reached,
      all.filter(({ twice }) => twice).length,
      (calls / Math.max(1, all.length)).toFixed(1)
    ]
  })
  const kinds = [...tally.counts].map(([kind, of]) => [kind, of.true, of.false, of.untold])
  const failed = outcomes.filter(({ missed }) => missed !== undefined)
  return [
    tableOf([["goal", "conversations", "reached", "booked twice", "calls"], ...byGoal]),
    tableOf([["statement", "true", "false", "not told"], ...kinds]),
    `missed:\n${frequent(
      failed.map(({ goal, missed }) => digitless(`${goal}: ${missed}`)),
      30
    )}`,
    `false:\n${frequent(tally.falsehoods.map(digitless), 30)}`,
    ...failed
      .slice(0, Number(process.env["ASSISTANT_TRAILS"] ?? 3))
      .map(({ missed, trail }) => `${missed}\n${trail.join("\n")}`)
  ].join("\n\n")
}

/** Runs so many conversations from a seed, towards each goal in turn. */
export const conversations = Effect.fn("conversations")(function* (url: string, count: number, seed: number) {
  const venues = yield* readVenues
  const tally = emptyTally()
  const outcomes: Array<Outcome> = []
  for (let serial = 0; serial < count; serial++) {
    outcomes.push(yield* one(url, venues, serial, { count, seed }, tally))
  }
  return {
    reached: outcomes.filter(({ missed }) => missed === undefined).length,
    twice: outcomes.filter(({ twice }) => twice).length,
    falsehoods: tally.falsehoods,
    report: reportOf(outcomes, tally)
  }
})
