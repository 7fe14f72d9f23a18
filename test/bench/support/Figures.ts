/**
 * Figures and tables. Machines are noisy: competitors take turns, and ratios are taken pair by pair, within a round.
 */
import { Console, Context, Effect } from "effect"

export const median = (samples: ReadonlyArray<number>): number => quantile(samples, 0.5)

/** The sample that a share `q` of the samples do not exceed; the mean of two where it falls between them. */
export const quantile = (samples: ReadonlyArray<number>, q: number): number => {
  const sorted = [...samples].sort((a, b) => a - b)
  const at = (sorted.length - 1) * q
  const [below, above] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN]
  return below + (above - below) * (at - Math.floor(at))
}

/** Three significant digits, and no fractions above 100. */
export const number = (value: number): string =>
  !Number.isFinite(value)
    ? "–"
    : Math.abs(value) >= 100
      ? Math.round(value).toLocaleString("en-GB")
      : String(Number(value.toPrecision(3)))

/** `median (min–max)`. */
const spread = (samples: ReadonlyArray<number>): string =>
  samples.length === 1
    ? number(samples[0] ?? Number.NaN)
    : `${number(median(samples))} (${number(Math.min(...samples))}–${number(Math.max(...samples))})`

/** Each of `a` over the one of `b` from the same round. */
export const ratios = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): ReadonlyArray<number> =>
  a.flatMap((value, i) => (b[i] === undefined || b[i] === 0 ? [] : [value / b[i]]))

/** A cell of a table: words, a figure, or a figure of each round. */
export type Cell = string | number | ReadonlyArray<number>

export interface Table {
  readonly title: string
  readonly head: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<Cell>>
}

/** The tables of a bench so far, for its report. */
export const Tables = Context.Reference<Array<Table>>("bench/Tables", { defaultValue: () => [] })

/** A cell as it is printed. */
export const cellText = (cell: Cell): string => {
  if (typeof cell === "string") return cell
  return typeof cell === "number" ? number(cell) : spread(cell)
}

/** Prints rows under headings, the first column to the left and figures to the right, and keeps them for the report. */
export const table = Effect.fnUntraced(function* (title: string, head: Table["head"], rows: Table["rows"]) {
  const tables = yield* Tables
  tables.push({ title, head, rows })
  const texts = rows.map((row) => row.map(cellText))
  const widths = head.map((cell, i) => Math.max(cell.length, ...texts.map((row) => (row[i] ?? "").length)))
  const line = (cells: ReadonlyArray<string>) =>
    widths
      .map((width, i) => (i === 0 ? (cells[i] ?? "").padEnd(width) : (cells[i] ?? "").padStart(width)))
      .join("  ")
      .trimEnd()
  const rule = widths.map((width) => "-".repeat(width)).join("  ")
  return yield* Console.log(["", title, "", line(head), rule, ...texts.map(line), ""].join("\n"))
})

/**
 * Measures every competitor once a round, in turns; answers each one's samples, round by round. Every second round goes
 * backwards: what one leaves behind, a collection or a warm processor, is not always the same other's.
 */
export const takeTurns = Effect.fnUntraced(function* <K extends string, A, E, R>(
  rounds: number,
  competitors: ReadonlyArray<readonly [name: K, measure: (round: number) => Effect.Effect<A, E, R>]>
) {
  const samples = new Map<K, Array<A>>(competitors.map(([name]) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const inOrder = round % 2 === 0 ? competitors : competitors.toReversed()
    for (const [name, measure] of inOrder) samples.get(name)?.push(yield* measure(round))
  }
  return (name: K): ReadonlyArray<A> => samples.get(name) ?? []
})

/** How long an effect takes, in milliseconds, and its answer. */
export const timed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<readonly [ms: number, A], E, R> =>
  Effect.suspend(() => {
    const started = performance.now()
    return Effect.map(effect, (answer) => [performance.now() - started, answer] as const)
  })
