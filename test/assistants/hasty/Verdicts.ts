/** Statements, each true, false, or not made where a person needs it. */

type Verdict = "true" | "false" | "untold"

/** How often each kind of statement was true, false, or not made; and the false ones in words. */
export interface Tally {
  readonly counts: Map<string, Record<Verdict, number>>
  readonly falsehoods: Array<string>
}
/** A tally of its own; `within`: its counts are those of a larger one. */
export const emptyTally = (within?: Tally): Tally => ({ counts: within?.counts ?? new Map(), falsehoods: [] })

export interface Verdicts {
  readonly say: (kind: string, holds: boolean, words: string) => void
  /** Told and the same, told and another, or not told. */
  readonly compare: (kind: string, told: unknown, fact: unknown) => void
  /** Told at all, or not. */
  readonly told: (kind: string, is: boolean) => void
}

export const verdictsInto = (tally: Tally): Verdicts => {
  const count = (kind: string, verdict: Verdict, words: string) => {
    const counts = tally.counts.get(kind) ?? { true: 0, false: 0, untold: 0 }
    counts[verdict]++
    tally.counts.set(kind, counts)
    if (verdict === "false") tally.falsehoods.push(`${kind}: ${words}`)
  }
  return {
    say: (kind, holds, words) => count(kind, holds ? "true" : "false", words),
    compare: (kind, told, fact) =>
      told === undefined
        ? count(kind, "untold", "")
        : count(kind, told === fact ? "true" : "false", `${String(told)}, and it is ${String(fact)}`),
    told: (kind, is) => count(kind, is ? "true" : "untold", "")
  }
}
