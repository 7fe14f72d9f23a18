/**
 * The slice of an event-loop turn that work may take. Within one turn, everything that has arrived is processed before
 * new requests are read: work that arrives together shares one slice, and the rest waits for the next turn. Node
 * accepts one connection of each listening socket a turn: while some wait, turns are left to them, for one slice at
 * most.
 */
import { Context, Effect, Semaphore } from "effect"

/**
 * The time for the work of one turn, and for turns that only accept connections; milliseconds. A newcomer's call needs
 * several turns (accept, read, one for each statement), so beside a flood it takes several times as long as this.
 */
const turnMs = 4

/** What a turn is made of; tests provide their own. */
interface Loop {
  /** A clock that never steps back, in milliseconds. */
  readonly now: () => number
  /** Runs a task in the next turn. */
  readonly nextTurn: (task: () => void) => void
  /** Runs a task after the turns of others; in the next one, if it is left out. */
  readonly afterRest?: (task: () => void) => void
}

/** How long work in steps rests after each slice: most of the time is left to others, however much of it there is. */
const restMs = 5 * turnMs

const nodeLoop: Loop = {
  now: () => performance.now(),
  nextTurn: (task) => void setImmediate(task),
  afterRest: (task) => void setTimeout(task, restMs)
}

/** Tells when the work of the current turn should stop. */
export class LoopSlice {
  readonly #loop: Loop
  readonly #ms: number
  #since: number | undefined
  /** When the first connection came of those that came turn after turn. */
  #acceptingSince: number | undefined
  /** Whether one came in this turn. */
  #accepted = false
  /** How long work in steps took since its last rest, and when it ended. */
  #worked = 0
  #workedAt = -Infinity

  constructor(loop: Loop = nodeLoop, ms = turnMs) {
    this.#loop = loop
    this.#ms = ms
  }

  /** Whether the time of this turn is over. It begins with the first question of a turn. */
  isOver(): boolean {
    const now = this.#loop.now()
    if (this.#isAccepting(now)) return true
    if (this.#since !== undefined) return now - this.#since >= this.#ms
    this.#since = now
    this.#loop.nextTurn(this.#end)
    return false
  }

  /** Runs a task in the next turn that is not left to new connections. */
  next(task: () => void): void {
    this.#loop.nextTurn(() => {
      if (this.#isAccepting(this.#loop.now())) this.next(task)
      else task()
    })
  }

  /**
   * Does work in slices with rests between them, until `work` returns what follows it. It begins with a rest if the
   * work before it took a turn's time and did not rest since: much short work is as much as one that is long.
   */
  slice(work: () => (() => void) | undefined): void {
    const now = this.#loop.now()
    if (now - this.#workedAt >= restMs) this.#worked = 0
    if (this.#worked >= this.#ms) return this.#rest(work)
    const then = work()
    this.#workedAt = this.#loop.now()
    this.#worked += this.#workedAt - now
    if (then === undefined) this.#rest(work)
    else then()
  }

  #rest(work: () => (() => void) | undefined): void {
    this.#worked = 0
    const { afterRest = this.#loop.nextTurn } = this.#loop
    afterRest(() => this.next(() => this.slice(work)))
  }

  /** A connection was accepted. */
  accepted(): void {
    this.#accepted = true
    if (this.#acceptingSince !== undefined) return
    this.#acceptingSince = this.#loop.now()
    this.#loop.nextTurn(this.#lookForMore)
  }

  #isAccepting(now: number): boolean {
    return this.#acceptingSince !== undefined && now - this.#acceptingSince < this.#ms
  }

  readonly #end = (): void => {
    this.#since = undefined
  }

  /** Goes on while each turn brings a connection, and makes place for work after its time. */
  readonly #lookForMore = (): void => {
    if (this.#accepted && this.#isAccepting(this.#loop.now())) this.#loop.nextTurn(this.#lookForMore)
    else this.#acceptingSince = undefined
    this.#accepted = false
  }
}

/** The turns of this process's event loop. */
export const CurrentLoopSlice = Context.Reference<LoopSlice>("playroom/kernel/CurrentLoopSlice", {
  defaultValue: () => processSlice
})

/** The same, for code outside Effect. */
export const processSlice = new LoopSlice()

/** Work in steps: it may be left for later wherever it yields. A step should take less than a turn's time. */
export type Steps<A> = Generator<void, A>

const oneAtATime = Semaphore.makeUnsafe(1)

/**
 * Does work in steps, as many as one turn's time allows, and rests. One such work at a time goes on in a process: others
 * wait for one turn's work, now and then, however much of it there is. For what outside files make long.
 */
export const inTurns = <A>(work: () => Steps<A>): Effect.Effect<A> =>
  Effect.flatMap(CurrentLoopSlice, (turn) =>
    oneAtATime.withPermit(
      Effect.callback<A>((resume) => {
        const steps = work()
        let stopped = false
        turn.slice(() => {
          if (stopped) return () => {}
          try {
            do {
              const { done, value } = steps.next()
              if (done === true) return () => resume(Effect.succeed(value))
            } while (!turn.isOver())
            return undefined
          } catch (defect) {
            return () => resume(Effect.die(defect))
          }
        })
        return Effect.sync(() => {
          stopped = true
        })
      })
    )
  )
