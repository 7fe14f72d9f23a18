/** Who speaks next among several that go on at the same time: one at a time, by chance, so that a seed repeats it. */
import { Effect } from "effect"
import type { Chance } from "../../fuzz/Chance.ts"

export interface Turns {
  /** Waits until all others wait or have left, and it is one's turn. */
  readonly take: Effect.Effect<void>
  readonly leave: Effect.Effect<void>
}

export const turnsOf = (chance: Chance, count: number): Turns => {
  const waiting: Array<() => void> = []
  let live = count
  const next = () => {
    if (live > 0 && waiting.length === live) waiting.splice(chance.below(live), 1)[0]?.()
  }
  return {
    take: Effect.callback<void>((resume) => {
      waiting.push(() => resume(Effect.void))
      next()
    }),
    leave: Effect.sync(() => {
      live--
      next()
    })
  }
}
