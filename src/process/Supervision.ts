/**
 * The supervisor's decisions: a pure function from a state and an event to the next state and orders. `Supervisor.ts`
 * executes them.
 */
import type { Dismissal } from "./WorkerMessages.ts"

/** A worker that listened at least this long was healthy: its end says nothing about the next one. */
const healthyAfterMs = 60_000
/** The service ends after this many unhealthy workers in a row, if none is listening. */
const maxFailures = 8
const maxPauseMs = 30_000
/** How often the log mentions a worker that is still starting. It may be migrating the database, without a limit. */
const startNoticeMs = 60_000

/** The pause before the next worker, after a number of unhealthy ones in a row: none, 1 s, 2 s, 4 s, … */
const pauseMs = (failures: number): number =>
  failures <= 1 ? 0 : Math.min(maxPauseMs, 1000 * 2 ** Math.min(failures - 2, 10))

/**
 * The pause between two silent workers that are killed: 10 s, 20 s, … up to 160 s, and 10 s again after ten minutes
 * without one. Where many are silent at once, the machine may be at fault: those that work hard get time to answer.
 */
const silencePauseMs = (kills: number): number => (kills === 0 ? 0 : Math.min(160_000, 10_000 * 2 ** (kills - 1)))
const silenceForgottenMs = 600_000

interface Worker {
  readonly id: number
  /** `silent`: it did not answer, and is killed. `leaving`: it was dismissed. */
  readonly stage: "starting" | "listening" | "silent" | "leaving"
  readonly since: number
}

/** A restart of all workers, one by one. */
interface Renewal {
  /** The worker that is starting, and the one that it replaces. */
  readonly starts: number
  readonly replaces: number
  /** The workers still to be replaced. */
  readonly left: ReadonlyArray<number>
}

export interface Supervision {
  readonly wanted: number
  /** Milliseconds between a worker's dismissal and the moment it is killed. */
  readonly endsWithinMs: Readonly<Record<Dismissal, number>>
  readonly nextId: number
  readonly workers: ReadonlyMap<number, Worker>
  /** Whether the first worker has listened. Until then it runs alone, so that a fault is reported once. */
  readonly up: boolean
  /** Workers that ended unasked in a row. */
  readonly failures: number
  /** Those that ended by themselves, and those that were killed because they were silent; in total. */
  readonly allFailures: number
  readonly allSilent: number
  /** Silent workers that were killed lately, and when the last one was. */
  readonly silences: { readonly kills: number; readonly lastAt: number }
  readonly renewal: Renewal | undefined
  /** Whether another restart was requested during this one: the code may have changed since. */
  readonly renewAgain: boolean
  /** The exit code, once the service is stopping. */
  readonly ending: number | undefined
}

export type Event =
  | { readonly _tag: "Listening"; readonly worker: number }
  /** `code` is null if a signal ended it. */
  | { readonly _tag: "Ended"; readonly worker: number; readonly code: number | null; readonly signal: string | null }
  /** These workers do not answer. Raised again as long as they don't. */
  | { readonly _tag: "Silent"; readonly workers: ReadonlyArray<number> }
  /** The pause before a new worker is over. */
  | { readonly _tag: "Due" }
  /** A worker should have started by now. */
  | { readonly _tag: "Unstarted"; readonly worker: number }
  /** `worker` should have ended by now; undefined: all of them. */
  | { readonly _tag: "Overdue"; readonly worker: number | undefined }
  /** A restart of all workers was requested. */
  | { readonly _tag: "Renew" }
  | { readonly _tag: "Stop" }

type Level = "Info" | "Warn" | "Error"
type Fields = Readonly<Record<string, unknown>>

export type Order =
  | { readonly _tag: "Start"; readonly worker: number }
  | { readonly _tag: "Dismiss"; readonly worker: number; readonly why: Dismissal }
  | { readonly _tag: "Kill"; readonly worker: number }
  /** Raise this event later. */
  | { readonly _tag: "Wake"; readonly afterMs: number; readonly event: Event }
  | { readonly _tag: "Log"; readonly level: Level; readonly text: string; readonly fields: Fields }
  /** All workers have ended: exit with this code. */
  | { readonly _tag: "End"; readonly code: number }

interface Step {
  readonly next: Supervision
  readonly orders: ReadonlyArray<Order>
}

/** The state before the first step. */
export const initially = (options: Pick<Supervision, "wanted" | "endsWithinMs">): Supervision => ({
  ...options,
  nextId: 1,
  workers: new Map(),
  up: false,
  failures: 0,
  allFailures: 0,
  allSilent: 0,
  silences: { kills: 0, lastAt: Number.NEGATIVE_INFINITY },
  renewal: undefined,
  renewAgain: false,
  ending: undefined
})

/** Collects the orders of one step. */
class Draft {
  readonly orders: Array<Order> = []
  state: Supervision
  /** Milliseconds of a clock that never steps. */
  readonly now: number
  constructor(state: Supervision, now: number) {
    this.state = state
    this.now = now
  }
  set(changes: Partial<Supervision>): void {
    this.state = { ...this.state, ...changes }
  }
  put(worker: Worker): void {
    this.set({ workers: new Map(this.state.workers).set(worker.id, worker) })
  }
  take(id: number): Worker | undefined {
    const workers = new Map(this.state.workers)
    const worker = workers.get(id)
    workers.delete(id)
    this.set({ workers })
    return worker
  }
  log(level: Level, text: string, fields: Fields = {}): void {
    this.orders.push({ _tag: "Log", level, text, fields })
  }
  wake(afterMs: number, event: Event): void {
    this.orders.push({ _tag: "Wake", afterMs, event })
  }
  start(): number {
    const id = this.state.nextId
    this.set({ nextId: id + 1 })
    this.put({ id, stage: "starting", since: this.now })
    this.orders.push({ _tag: "Start", worker: id })
    this.wake(startNoticeMs, { _tag: "Unstarted", worker: id })
    return id
  }
  dismiss(worker: Worker, why: Dismissal): void {
    this.put({ ...worker, stage: "leaving" })
    this.orders.push({ _tag: "Dismiss", worker: worker.id, why })
  }
  kill(id: number): void {
    this.orders.push({ _tag: "Kill", worker: id })
  }
  /** Ends the service: at once if no worker is left, otherwise when the last one has ended. */
  end(code: number): void {
    this.set({ ending: Math.max(code, this.state.ending ?? 0), renewal: undefined })
    if (this.state.workers.size === 0) this.orders.push({ _tag: "End", code: this.state.ending ?? code })
  }
  get listening(): number {
    return [...this.state.workers.values()].filter(({ stage }) => stage === "listening").length
  }
  /** Starts the replacement of the next worker. */
  renewNext(left: ReadonlyArray<number>): void {
    const [replaces, ...later] = left.filter((id) => {
      const stage = this.state.workers.get(id)?.stage
      return stage === "starting" || stage === "listening"
    })
    if (replaces !== undefined) {
      this.set({ renewal: { starts: this.start(), replaces, left: later } })
      return
    }
    this.set({ renewal: undefined })
    this.log("Info", "All workers were replaced", { workers: this.listening })
    if (this.state.renewAgain) this.renew()
  }
  renew(): void {
    this.set({ renewAgain: false })
    this.log("Info", "Replacing the workers, one after the other")
    this.renewNext([...this.state.workers.keys()])
  }
}

const onListening = (draft: Draft, id: number): void => {
  const { ending, renewal, up, wanted, workers } = draft.state
  const worker = workers.get(id)
  if (worker?.stage !== "starting" || ending !== undefined) return
  draft.put({ ...worker, stage: "listening", since: draft.now })
  if (!up) {
    draft.set({ up: true })
    for (let more = 1; more < wanted; more += 1) draft.start()
    // The others start after the request, so only this one is replaced.
    if (draft.state.renewAgain) {
      draft.set({ renewAgain: false })
      draft.renewNext([id])
    }
    return
  }
  draft.log("Info", "A worker listens", { worker: id })
  if (renewal?.starts !== id) return
  const replaced = workers.get(renewal.replaces)
  if (replaced === undefined) return draft.renewNext(renewal.left)
  draft.dismiss(replaced, "hand over")
  draft.wake(draft.state.endsWithinMs["hand over"], { _tag: "Overdue", worker: replaced.id })
}

/** Kills one silent worker, if the last one was long enough ago. The port stays open: who connects meanwhile waits. */
const onSilent = (draft: Draft, ids: ReadonlyArray<number>): void => {
  const { allSilent, ending, silences, workers } = draft.state
  const ago = draft.now - silences.lastAt
  const kills = ago < silenceForgottenMs ? silences.kills : 0
  if (ending !== undefined || ago < silencePauseMs(kills)) return
  const worker = [...workers.values()].find(({ id, stage }) => stage === "listening" && ids.includes(id))
  if (worker === undefined) return
  draft.put({ ...worker, stage: "silent" })
  draft.set({ allSilent: allSilent + 1, silences: { kills: kills + 1, lastAt: draft.now } })
  draft.kill(worker.id)
}

const endOf = ({ stage }: Worker): string =>
  stage === "silent" ? "A worker did not answer, and was killed" : "A worker ended by itself"

/** A worker ended unasked. */
const onFailure = (draft: Draft, worker: Worker, how: Fields): void => {
  const { allFailures, renewal } = draft.state
  if (worker.stage !== "silent") draft.set({ allFailures: allFailures + 1 })
  const fields = { worker: worker.id, ...how }
  if (renewal?.starts === worker.id && worker.stage === "starting") {
    draft.set({ renewal: undefined })
    draft.log("Error", "A new worker ended before it listened: the others are not replaced, and serve on", fields)
    // If the worker it was to replace is gone too, this is a vacancy.
    if (!draft.state.workers.has(renewal.replaces)) onVacancy(draft, worker, fields)
    if (draft.state.renewAgain && draft.state.ending === undefined) draft.renew()
  } else if (renewal?.replaces === worker.id) {
    draft.log("Error", `${endOf(worker)}; one that takes its place is starting already`, fields)
  } else onVacancy(draft, worker, fields)
}

/** Starts another worker after a pause, or gives up. */
const onVacancy = (draft: Draft, worker: Worker, fields: Fields): void => {
  const healthy = worker.stage !== "starting" && draft.now - worker.since >= healthyAfterMs
  const failures = healthy ? 1 : draft.state.failures + 1
  draft.set({ failures })
  if (failures >= maxFailures && draft.listening === 0) {
    draft.log("Error", "No worker stays up: the service ends", { ...fields, in_a_row: failures })
    for (const id of draft.state.workers.keys()) draft.kill(id)
    return draft.end(1)
  }
  const pause = pauseMs(failures)
  draft.log("Error", endOf(worker), { ...fields, next_in_seconds: pause / 1000 })
  draft.wake(pause, { _tag: "Due" })
}

const onEnded = (draft: Draft, { code, signal, worker: id }: Event & { readonly _tag: "Ended" }): void => {
  const worker = draft.take(id)
  if (worker === undefined) return
  const { ending, renewal, up } = draft.state
  const how = signal === null ? { exit_code: code } : { signal }
  if (ending !== undefined) {
    if (code !== 0) draft.log("Warn", "A worker did not stop as it should", { worker: id, ...how })
    return draft.end(code === 0 ? 0 : 1)
  }
  if (!up) {
    // It has reported the fault itself, unless it was killed.
    if (signal !== null) draft.log("Error", "The first worker ended before it listened", how)
    return draft.end(code ?? 1)
  }
  if (worker.stage !== "leaving") return onFailure(draft, worker, how)
  if (code !== 0) draft.log("Warn", "A worker did not hand over as it should", { worker: id, ...how })
  if (renewal?.replaces === id) draft.renewNext(renewal.left)
}

const onOverdue = (draft: Draft, id: number | undefined): void => {
  const late = [...draft.state.workers.keys()].filter((one) => id === undefined || one === id)
  for (const worker of late) {
    draft.log("Warn", "A worker takes too long to end, and is killed", { worker })
    draft.kill(worker)
  }
}

const onRenew = (draft: Draft): void => {
  const { ending, renewal, up } = draft.state
  if (ending !== undefined) return
  if (up && renewal === undefined) return draft.renew()
  draft.log("Info", "The workers are replaced once more when this is done")
  draft.set({ renewAgain: true })
}

const onStop = (draft: Draft): void => {
  if (draft.state.ending !== undefined) return
  for (const worker of draft.state.workers.values()) draft.dismiss(worker, "stop")
  draft.wake(draft.state.endsWithinMs.stop, { _tag: "Overdue", worker: undefined })
  draft.end(0)
}

const onUnstarted = (draft: Draft, id: number): void => {
  const worker = draft.state.workers.get(id)
  if (worker?.stage !== "starting") return
  const seconds = Math.round((draft.now - worker.since) / 1000)
  draft.log("Warn", "A worker is still starting: does it migrate the database, or wait for it?", {
    worker: id,
    seconds
  })
  draft.wake(startNoticeMs, { _tag: "Unstarted", worker: id })
}

/** The first step: one worker, which migrates the database and reports faults. */
export const begin = (state: Supervision, now: number): Step => {
  const draft = new Draft(state, now)
  draft.start()
  return { next: draft.state, orders: draft.orders }
}

/** The step that follows an event. `now`: milliseconds of a clock that never steps. */
export const step = (state: Supervision, event: Event, now: number): Step => {
  const draft = new Draft(state, now)
  switch (event._tag) {
    case "Listening":
      onListening(draft, event.worker)
      break
    case "Ended":
      onEnded(draft, event)
      break
    case "Silent":
      onSilent(draft, event.workers)
      break
    case "Due":
      if (state.ending === undefined) draft.start()
      break
    case "Overdue":
      onOverdue(draft, event.worker)
      break
    case "Unstarted":
      onUnstarted(draft, event.worker)
      break
    case "Renew":
      onRenew(draft)
      break
    case "Stop":
      onStop(draft)
      break
  }
  return { next: draft.state, orders: draft.orders }
}
