/**
 * Turns by name, in this process. A rush on one start would otherwise hold every connection of the pool, each waiting for the same
 * lock, and every other booking would wait with it.
 */
import { Effect, Semaphore } from "effect"

interface Turn {
  readonly semaphore: Semaphore.Semaphore
  users: number
}

/** At most `atOnce` effects of a name run together. */
export const makeTurns = (atOnce: number) => {
  const turns = new Map<string, Turn>()
  return <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const turn = turns.get(name) ?? { semaphore: Semaphore.makeUnsafe(atOnce), users: 0 }
      turns.set(name, turn)
      turn.users++
      const leave = Effect.sync(() => {
        turn.users--
        if (turn.users === 0) turns.delete(name)
      })
      return Effect.ensuring(turn.semaphore.withPermit(effect), leave)
    })
}
