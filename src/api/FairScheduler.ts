/**
 * Divides the event loop between the senders of requests. Answers of the database that arrive together would continue
 * all their requests at once, while nobody else is read. Here a turn of the loop has a time (`LoopTurn`): fibers that
 * would start or go on after it wait in a queue, in which senders take turns.
 */
import { Scheduler } from "effect"
import type { Fiber } from "effect"
import type { LoopTurn } from "../kernel/LoopTurn.ts"

interface Waiting {
  readonly run: () => void
  /** The turn in which it was added. It runs in a later one. */
  readonly added: number
  cancelled: boolean
}

/** Tasks that wait for a later turn, by sender. */
class Senders {
  readonly #turn: LoopTurn
  /** The order of the map is the order of the senders' turns. */
  readonly #waiting = new Map<string, Array<Waiting>>()
  #count = 0
  #scheduled = false
  #resuming = false

  constructor(turn: LoopTurn) {
    this.#turn = turn
  }

  add(sender: string, run: () => void): () => void {
    const task: Waiting = { run, added: this.#count, cancelled: false }
    const tasks = this.#waiting.get(sender)
    if (tasks === undefined) this.#waiting.set(sender, [task])
    else tasks.push(task)
    this.#schedule()
    return () => {
      task.cancelled = true
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.size === 0) return
    this.#scheduled = true
    this.#turn.next(this.#run)
  }

  readonly #run = (): void => {
    const count = ++this.#count
    // A sender that is set again comes last, also in this loop.
    for (const [sender, tasks] of this.#waiting) {
      const [task] = tasks
      if (task === undefined || task.added === count) continue
      tasks.shift()
      this.#waiting.delete(sender)
      if (tasks.length > 0) this.#waiting.set(sender, tasks)
      this.#resuming = !task.cancelled
      if (!task.cancelled) task.run()
      if (this.#turn.isOver()) break
    }
    this.#resuming = false
    this.#scheduled = false
    this.#schedule()
  }

  /** Whether a fiber goes on because its turn has come: true once for each task that runs. */
  takeResuming(): boolean {
    const resuming = this.#resuming
    this.#resuming = false
    return resuming
  }
}

/** The tasks of one fiber: itself when it yields, and the fibers that it forks. */
class FiberTasks implements Scheduler.SchedulerDispatcher {
  readonly #inner: Scheduler.SchedulerDispatcher
  sender = ""

  constructor(senders: Senders) {
    this.#inner = new Scheduler.MixedScheduler("async", (run) => senders.add(this.sender, run)).makeDispatcher()
  }

  scheduleTask(task: () => void, priority: number): void {
    this.#inner.scheduleTask(task, priority)
  }

  flush(): void {
    this.#inner.flush()
  }
}

/**
 * Whether a fiber has been interrupted. Interrupted before its start, it would forget that if it yielded: its start, which
 * is scheduled already, would begin it in place of the interruption.
 */
const isInterrupted = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  Reflect.get(fiber, "_interruptedCause") !== undefined

/** The scheduler of fibers that answer requests; `senderOf` names the sender of a fiber's request. */
export class FairScheduler implements Scheduler.Scheduler {
  readonly executionMode = "async"
  readonly #senders: Senders
  readonly #turn: LoopTurn
  readonly #senderOf: (fiber: Fiber.Fiber<unknown, unknown>) => string

  constructor(turn: LoopTurn, senderOf: (fiber: Fiber.Fiber<unknown, unknown>) => string) {
    this.#turn = turn
    this.#senders = new Senders(turn)
    this.#senderOf = senderOf
  }

  shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    // The count is 1 if the fiber starts, or goes on with what it waited for.
    const starts = fiber.currentOpCount === 1
    // What the turn began with goes on in any case, and nothing else that it resumes.
    const resumed = starts && this.#senders.takeResuming()
    const yields = starts
      ? this.#turn.isOver() && !resumed && !isInterrupted(fiber)
      : fiber.currentOpCount >= fiber.cache.maxOpsBeforeYield
    if (yields) {
      const tasks = fiber.currentDispatcher
      if (tasks instanceof FiberTasks) tasks.sender = this.#senderOf(fiber)
    }
    return yields
  }

  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return new FiberTasks(this.#senders)
  }
}
