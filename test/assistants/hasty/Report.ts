/** What came of many conversations, in figures, with the words that misled and the way to repeat one of them. */
import type { Outcome } from "./Conversations.ts"
import { habits } from "./Habits.ts"
import type { Question } from "./Talk.ts"
import type { Tally } from "./Verdicts.ts"
import { goals } from "./Wishes.ts"

const tableOf = (rows: ReadonlyArray<ReadonlyArray<string | number>>): string => {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => String(row[i]).length))) ?? []
  return rows.map((row) => row.map((cell, i) => String(cell).padEnd(widths[i] ?? 0)).join("  ")).join("\n")
}

const withoutIds = (line: string): string =>
  line
    .replace(/[a-z]+_01[a-z0-9]+/g, "…")
    .replace(/\d{4}-\d{2}-\d{2}/g, "DATE")
    .slice(0, 300)

const frequent = (all: ReadonlyArray<string>, most: number): string => {
  const counts = new Map<string, number>()
  for (const line of all.map(withoutIds)) counts.set(line, (counts.get(line) ?? 0) + 1)
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  return sorted
    .slice(0, most)
    .map(([line, times]) => `${times} × ${line}`)
    .join("\n")
}

/** The figures of a run. */
export const figuresOf = (outcomes: ReadonlyArray<Outcome>) => {
  const wrong = outcomes.flatMap((one) => one.wrong ?? [])
  const twice = outcomes.flatMap((one) => one.twice ?? [])
  const promised = outcomes.filter((one) => one.promised.length > 0)
  const asked = (question: Question) => {
    const due = outcomes.filter(({ asking }) => asking[question].due)
    return `${due.filter(({ asking }) => asking[question].asked).length} of ${due.length} that an answer told to`
  }
  return {
    conversations: outcomes.length,
    /** Of those, which reached their goal or an honest end. */
    reached: outcomes.filter(({ missed }) => missed === undefined).length,
    asked_for_adults: asked("adults"),
    asked_for_the_time: asked("time"),
    /** Of bookings where adults cost nothing, too. */
    adults_not_counted: outcomes.filter(({ uncounted }) => uncounted).length,
    /** A wish of money in the notes was told as agreed. */
    promised: promised.length,
    /** And the answer did not begin with that it is not. */
    promised_never_denied: promised.filter((one) => one.promised.some(({ denied }) => !denied)).length,
    honest_ends: outcomes.filter(({ honest, missed }) => honest && missed === undefined).length,
    wrong_paid: wrong.length,
    /** The person paid without having seen what is wrong: answers could have prevented it. */
    wrong_never_shown: wrong.filter(({ shown }) => !shown).length,
    /** No answer said it. */
    wrong_never_said: wrong.filter(({ said }) => !said).length,
    paid_twice: twice.length,
    paid_twice_never_said: twice.filter(({ said }) => !said).length,
    seen_by_another: outcomes.filter(({ leaks }) => leaks.length > 0).length,
    false_sentences: outcomes.reduce((sum, { falsehoods }) => sum + falsehoods.length, 0)
  }
}

/** How many conversations that failed are told in full. */
const trails = Number(process.env["ASSISTANT_TRAILS"] ?? 3)

/** An answer said something false, or not what the person should have seen. */
const couldBePrevented = ({ falsehoods, wrong }: Outcome): boolean => falsehoods.length > 0 || wrong?.shown === false

export const reportOf = (outcomes: ReadonlyArray<Outcome>, tally: Tally, seed: number): string => {
  const byGoal = goals.map((goal) => {
    const all = outcomes.filter((one) => one.goal === goal)
    const count = (of: (one: Outcome) => boolean) => all.filter(of).length
    return [
      goal,
      all.length,
      count(({ missed }) => missed === undefined),
      count(({ honest }) => honest),
      count(({ wrong }) => wrong !== undefined),
      count(({ twice }) => twice !== undefined),
      (all.reduce((sum, one) => sum + one.calls, 0) / Math.max(1, all.length)).toFixed(1)
    ]
  })
  const byHabit = Object.entries(habits).map(([habit, [often, step]]) => {
    const all = outcomes.filter(({ acted }) => [...acted.keys()].some((one) => one === habit))
    const times = all.flatMap(({ acted }) => [...acted].flatMap(([one, count]) => (one === habit ? [count] : [])))
    return [
      habit,
      `${often} %`,
      `${step} %`,
      all.length,
      times.reduce((sum, count) => sum + count, 0),
      all.filter(({ missed }) => missed === undefined).length,
      all.filter(({ wrong }) => wrong !== undefined).length
    ]
  })
  const failed = outcomes.filter(
    ({ falsehoods, leaks, missed }) => missed !== undefined || leaks.length > 0 || falsehoods.length > 0
  )
  const misses = failed.flatMap(({ goal, missed }) => (missed === undefined ? [] : [`${goal}: ${missed}`]))
  return [
    JSON.stringify(figuresOf(outcomes), null, 2),
    tableOf([["goal", "conversations", "reached", "honest ends", "wrong", "twice", "calls"], ...byGoal]),
    tableOf([["habit", "of conversations", "of steps", "acted in", "times", "reached", "wrong"], ...byHabit]),
    tableOf([
      ["statement", "true", "false", "not told"],
      ...[...tally.counts].map(([kind, of]) => [kind, of.true, of.false, of.untold])
    ]),
    `missed:\n${frequent(misses, 40)}`,
    `false:\n${frequent(
      outcomes.flatMap(({ falsehoods }) => falsehoods),
      40
    )}`,
    `of another family:\n${frequent(
      outcomes.flatMap(({ leaks }) => leaks),
      10
    )}`,
    // First those that answers could have prevented.
    ...failed
      .toSorted((one, other) => Number(couldBePrevented(other)) - Number(couldBePrevented(one)))
      .slice(0, trails)
      .map(
        ({ falsehoods, goal, missed, pair, trail }) =>
          `ASSISTANT_SEED=${seed} ASSISTANT_PAIR=${pair} (${goal}): ${missed ?? falsehoods[0] ?? "seen"}\n${trail.join("\n")}`
      )
  ].join("\n\n")
}
