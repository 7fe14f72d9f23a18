/** Chance that a seed repeats. */
export interface Chance {
  /** A whole number from 0 to `below` - 1. */
  readonly below: (below: number) => number
  readonly one: <A>(list: readonly [A, ...ReadonlyArray<A>]) => A
  /** True about once in `times`. */
  readonly once: (times: number) => boolean
  /** Mostly small, sometimes as large as `most`. */
  readonly size: (most: number) => number
}

/** Marsaglia's xorshift with 32 bits of state: good enough to choose with, and the same on every machine. */
export const chanceFrom = (seed: number): Chance => {
  let state = (seed | 0) === 0 ? 1 : seed | 0
  const below = (bound: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % bound
  }
  for (let i = 0; i < 20; i++) below(2)
  return {
    below,
    one: (list) => list[below(list.length)] ?? list[0],
    once: (times) => below(times) === 0,
    size: (most) => {
      const kind = below(8)
      return kind < 6 ? below(Math.min(most, 8) + 1) : kind === 6 ? below(most + 1) : most
    }
  }
}
