/**
 * A turn of the event loop. Within one turn, everything that has arrived is processed before new requests are read, so
 * work that arrives together shares one short time and the rest waits for the next turn.
 */
import { Context } from "effect"

/** The time for the work of one turn, in milliseconds. */
const turnMs = 10

/** What a turn is made of; tests provide their own. */
interface Loop {
  /** A clock that never steps back, in milliseconds. */
  readonly now: () => number
  /** Runs a task in the next turn. */
  readonly nextTurn: (task: () => void) => void
}

const nodeLoop: Loop = { now: () => performance.now(), nextTurn: (task) => void setImmediate(task) }

/** Tells when the work of the current turn should stop. */
export class LoopTurn {
  readonly #loop: Loop
  readonly #ms: number
  #since: number | undefined
  readonly #end = (): void => {
    this.#since = undefined
  }

  constructor(loop: Loop = nodeLoop, ms = turnMs) {
    this.#loop = loop
    this.#ms = ms
  }

  /** Whether the time of this turn is over. It begins with the first question of a turn. */
  isOver(): boolean {
    const now = this.#loop.now()
    if (this.#since !== undefined) return now - this.#since >= this.#ms
    this.#since = now
    this.#loop.nextTurn(this.#end)
    return false
  }

  /** Runs a task in the next turn. */
  next(task: () => void): void {
    this.#loop.nextTurn(task)
  }
}

/** The turns of this process's event loop. */
export const CurrentLoopTurn = Context.Reference<LoopTurn>("playroom/kernel/CurrentLoopTurn", {
  defaultValue: () => processTurn
})

/** The same, for code outside Effect. */
export const processTurn = new LoopTurn()
