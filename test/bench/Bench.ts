/** What the runner knows of a bench. */
import type { Effect, Scope } from "effect"
import type { Reactivity } from "effect/reactivity"

export interface Options {
  /** How often each competitor has its turn. */
  readonly rounds: number
  /** Seconds of each turn, where turns are timed. */
  readonly seconds: number
  /** Print query plans too. */
  readonly explain: boolean
  /** Another checkout of this project, installed, to compare with. */
  readonly before: string | undefined
  /** How large a catalogue is. */
  readonly playrooms: number
}

export interface Bench {
  readonly about: string
  readonly run: (options: Options) => Effect.Effect<void, unknown, Scope.Scope | Reactivity.Reactivity>
}
