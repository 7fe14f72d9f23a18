/** The workers as processes, which inherit the sockets of the service's ports. */
import { Context, Deferred, Effect, Layer, Queue, Schema } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { unending } from "../kernel/Recurring.ts"
import { bindPorts, type SharedPorts } from "./SharedPorts.ts"
import { type Dismissal, FromWorker, type ToWorker, type WorkerStart, workerVariable } from "./WorkerMessages.ts"
import { makeTotals, ownSeries, type Series } from "./MetricSeries.ts"
import type { Event } from "./Supervision.ts"
import { hindranceOfAll, isSilent, type WorkerSaid } from "./WorkersReady.ts"

/** How long a read of the metrics waits for workers; they take at most two seconds. */
const readWithin = "2500 millis"

/** How often each worker is asked whether it is ready, so that it is known whether it answers. */
const beatEvery = "1 second"

/** How often, and how many milliseconds apart, the channel of an ended worker is checked. */
const channelChecks = 50
const channelCheckMs = 20

/** Settings that a worker must not have: the supervisor owns the management port and the number of workers. */
const workerSettings = { WORKERS: "", MANAGEMENT_PORT: "" }

const decode = Schema.decodeUnknownOption(FromWorker)

interface Running extends WorkerSaid {
  readonly worker: ChildProcess
  listens: boolean
  dismissed: boolean
  unanswered: number
  said: WorkerSaid["said"]
  /** Whether it was asked if it is ready, and has not said it yet. */
  asked: boolean
  /** Readers that wait for its metrics. */
  readers: ReadonlyArray<Deferred.Deferred<void>>
}

/** Standard streams and the channel come first. */
const firstGiven = 4

const forkWorker = (id: number, { sandbox, service }: SharedPorts): ChildProcess => {
  const [program = "", ...args] = process.argv.slice(1)
  const given = [...service, ...sandbox].map((_, n) => firstGiven + n)
  const start: typeof WorkerStart.Type = {
    id,
    service: given.slice(0, service.length),
    sandbox: given.slice(service.length)
  }
  return fork(program, args, {
    env: { ...process.env, ...workerSettings, [workerVariable]: JSON.stringify(start) },
    stdio: ["inherit", "inherit", "inherit", "ipc", ...[...service, ...sandbox].map(({ fd }) => fd)],
    // JSON would turn NaN, a gauge that could not be read, into null.
    serialization: "advanced"
  })
}

export class WorkerProcesses extends Context.Service<
  WorkerProcesses,
  {
    /** What happens to workers, and requests from outside. */
    readonly events: Queue.Queue<Event>
    readonly start: (id: number) => Effect.Effect<void>
    readonly dismiss: (id: number, why: Dismissal) => Effect.Effect<void>
    readonly kill: (id: number) => Effect.Effect<void>
    /** Kills all of them. */
    readonly killAll: () => void
    /** The metrics of all workers and of this process, added up. */
    readonly metrics: Effect.Effect<ReadonlyArray<Series>>
    /** Why the service is not ready, by what the workers said last; undefined if it is. */
    readonly hindrance: Effect.Effect<string | undefined>
  }
>()("playroom/process/WorkerProcesses") {
  static readonly layer = Layer.effect(
    WorkerProcesses,
    Effect.gen(function* () {
      const events = yield* Queue.unbounded<Event>()
      const running = new Map<number, Running>()
      const totals = makeTotals()
      const ports = yield* bindPorts

      const happened = (event: Event): void => void Queue.offerUnsafe(events, event)
      const say = (worker: ChildProcess, message: ToWorker): void => {
        // If it is gone, its end is reported separately.
        worker.send(message, () => {})
      }
      const ended = (id: number, code: number | null, signal: string | null): void => {
        const gone = running.get(id)
        if (gone === undefined) return
        running.delete(id)
        totals.end(id)
        for (const reader of gone.readers) Deferred.doneUnsafe(reader, Effect.void)
        happened({ _tag: "Ended", worker: id, code, signal })
      }
      const heard = (id: number, one: Running, message: unknown): void => {
        // Its last metrics are counted with those of workers that have ended: counted again, they would stay twice.
        if (running.get(id) !== one) return
        const decoded = decode(message)
        if (decoded._tag === "None") {
          // It runs the code of another release, which this supervisor does not know how to look after.
          one.worker.kill("SIGKILL")
          return
        }
        one.unanswered = 0
        if (decoded.value._tag === "Listening") {
          one.listens = true
          happened({ _tag: "Listening", worker: id })
          return
        }
        if (decoded.value._tag === "Ready") {
          one.asked = false
          one.said = { hindrance: decoded.value.hindrance }
          return
        }
        totals.tell(id, decoded.value.series)
        const { readers } = one
        one.readers = []
        for (const reader of readers) Deferred.doneUnsafe(reader, Effect.void)
      }

      const start = (id: number) =>
        Effect.sync(() => {
          const worker = forkWorker(id, ports)
          const one: Running = {
            worker,
            listens: false,
            dismissed: false,
            unanswered: 0,
            said: undefined,
            asked: false,
            readers: []
          }
          running.set(id, one)
          worker.on("message", (message: unknown) => heard(id, one, message))
          worker.once("exit", (code: number | null, signal: string | null) => {
            // What it said last may not have been read yet. Node says that a channel has ended only where nothing is on
            // its way.
            const look = (looks: number): void => {
              if (worker.connected && looks > 0) return void setTimeout(look, channelCheckMs, looks - 1)
              ended(id, code, signal)
            }
            look(channelChecks)
          })
          worker.on("error", () => {
            // A process that could not be started has no exit.
            if (worker.pid === undefined) ended(id, 1, null)
          })
        }).pipe(
          Effect.catchDefect((error) =>
            Effect.andThen(
              Effect.logError("A worker could not be started", error),
              Effect.sync(() => happened({ _tag: "Ended", worker: id, code: 1, signal: null }))
            )
          )
        )

      const ask = Effect.fnUntraced(function* (one: Running) {
        const reader = yield* Deferred.make<void>()
        one.readers = [...one.readers, reader]
        say(one.worker, { _tag: "ReadMetrics" })
        // Nobody waits for a worker that hangs.
        yield* Effect.ensuring(
          Deferred.await(reader),
          Effect.sync(() => {
            one.readers = one.readers.filter((other) => other !== reader)
          })
        )
      })
      const metrics = Effect.gen(function* () {
        const current = new Set<number>()
        const asked = [...running].filter(([, { dismissed, listens }]) => listens && !dismissed)
        yield* Effect.forEach(
          asked,
          ([id, one]) =>
            ask(one).pipe(Effect.andThen(Effect.sync(() => current.add(id))), Effect.timeoutOption(readWithin)),
          { concurrency: "unbounded", discard: true }
        )
        return totals.read(current, ownSeries())
      })

      const beat = Effect.sync(() => {
        const serving = [...running].filter(([, { dismissed, listens }]) => listens && !dismissed)
        const silent = serving.flatMap(([id, one]) => (isSilent(one) ? [id] : []))
        if (silent.length > 0) happened({ _tag: "Silent", workers: silent })
        for (const [, one] of serving) {
          one.unanswered += 1
          // One that is stopped reads nothing: questions would pile up.
          if (one.asked) continue
          one.asked = true
          say(one.worker, { _tag: "AskReady" })
        }
      })
      yield* Effect.forkScoped(
        unending(Effect.andThen(beat, Effect.sleep(beatEvery)), "The workers were not asked whether they are ready")
      )

      const withWorker = (id: number, act: (one: Running) => void) =>
        Effect.sync(() => {
          const one = running.get(id)
          if (one !== undefined) act(one)
        })
      return WorkerProcesses.of({
        events,
        start,
        dismiss: (id, why) =>
          withWorker(id, (one) => {
            // Who comes when no worker listens any more is refused, and does not wait for one.
            if (why === "stop") ports.close()
            one.dismissed = true
            say(one.worker, { _tag: "Dismissed", why })
          }),
        kill: (id) => withWorker(id, ({ worker }) => void worker.kill("SIGKILL")),
        killAll: () => {
          for (const { worker } of running.values()) worker.kill("SIGKILL")
        },
        metrics,
        hindrance: Effect.sync(() => hindranceOfAll(running.values()))
      })
    })
  )
}
