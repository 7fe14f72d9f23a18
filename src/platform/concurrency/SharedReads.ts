/**
 * One read for all who want the same. Who asks while it runs gets the next one, with all who ask until that begins, so
 * nobody gets what was read before they asked. Not for transactions: each has to read for itself.
 */
import { Deferred, Effect, Exit } from "effect"

/** A read for all who asked before it began. Its result is undefined if who reads for them was interrupted. */
interface Turn<A, E> {
  readonly result: Deferred.Deferred<Exit.Exit<A, E> | undefined>
  /** Who waits for this turn's end, to read for all who ask meanwhile. */
  next?: Turn<A, E> | undefined
}

/** Reads by key: all who ask with one key want the same. */
export const makeSharedReads = <A, E>() => {
  /** Of each key, the turn that began last. */
  const begun = new Map<string, Turn<A, E>>()

  const end = (key: string, turn: Turn<A, E>, exit: Exit.Exit<A, E>) => {
    const last = begun.get(key)
    // Interrupted before it began.
    if (last !== undefined && last !== turn) last.next = undefined
    Deferred.doneUnsafe(turn.result, Effect.succeed(Exit.hasInterrupts(exit) ? undefined : exit))
    if (last !== undefined && last.next === undefined && Deferred.isDoneUnsafe(last.result)) begun.delete(key)
  }

  const ask = (key: string, read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.uninterruptibleMask((restore) => {
      const last = begun.get(key)
      if (last?.next !== undefined)
        return Effect.flatMap(restore(Deferred.await(last.next.result)), (told) => told ?? restore(ask(key, read)))
      const turn: Turn<A, E> = { result: Deferred.makeUnsafe() }
      const begin = Effect.suspend(() => {
        begun.set(key, turn)
        return restore(read)
      })
      if (last !== undefined) last.next = turn
      const work = last === undefined ? begin : Effect.andThen(restore(Deferred.await(last.result)), begin)
      return Effect.onExit(work, (exit) => Effect.sync(() => end(key, turn, exit)))
    })
  return ask
}
