/** A worker's side of what ties it to its supervisor. */
import { Context, Deferred, Effect, Exit, Layer, Option, Queue, Runtime, Schema } from "effect"
import { Gauges } from "../attention/Gauges.ts"
import { Succession } from "../api/Draining.ts"
import { lastSaid } from "../api/Management.ts"
import { CurrentGivenSockets, type GivenSockets } from "../kernel/GivenSockets.ts"
import { unending } from "../kernel/Recurring.ts"
import { type Dismissal, type FromWorker, ToWorker, WorkerStart, workerVariable } from "./WorkerMessages.ts"
import { ownSeries } from "./MetricSeries.ts"

interface WorkerLink {
  /** 1: the first worker of its supervisor, which speaks for all. */
  readonly id: number
  readonly sockets: GivenSockets
  /** Ends when the supervisor wants this process to end. */
  readonly dismissed: Effect.Effect<Dismissal>
  readonly succession: Context.Service.Shape<typeof Succession>
  /** Says that this worker listens. */
  readonly listens: Effect.Effect<void>
  /** Ends when the supervisor asks for metrics. */
  readonly askedMetrics: Effect.Effect<void>
  readonly tellMetrics: Effect.Effect<void>
  /** Takes what answers, at once, why this worker is not ready; undefined if it is. */
  readonly tellsReady: (hindrance: Effect.Effect<string | undefined>) => Effect.Effect<void>
  /** Tells the metrics a last time, and ends the process. */
  readonly leave: (code: number) => void
}

/**
 * The link of this process; undefined where it has no supervisor, which is the default. `Program.ts` makes it, for a
 * worker.
 */
export const CurrentWorkerLink = Context.Reference<WorkerLink | undefined>("playroom/process/WorkerLink", {
  defaultValue: () => undefined
})

const decode = Schema.decodeUnknownOption(ToWorker)
const startOf = Schema.decodeUnknownOption(Schema.fromJsonString(WorkerStart))

const starting = "The service is starting."

/**
 * Makes the link of a worker; undefined in a process of its own. `onDismissed` is called each time that the supervisor
 * says so.
 */
export const makeWorkerLink = (onDismissed: (why: Dismissal) => void): WorkerLink | undefined => {
  const start = Option.getOrUndefined(startOf(process.env[workerVariable]))
  if (start === undefined || !process.connected) return undefined
  const { id, sandbox, service } = start
  // Without a supervisor nobody would replace or stop it.
  process.once("disconnect", () => process.exit(0))
  const say = (message: FromWorker, then: () => void = () => {}): void => {
    if (process.connected) process.send?.(message, then)
    else then()
  }
  const first = Deferred.makeUnsafe<Dismissal>()
  const stopping = Deferred.makeUnsafe<void>()
  // One answer serves all earlier requests.
  const askedMetrics = Effect.runSync(Queue.sliding<void>(1))
  let ready: Effect.Effect<string | undefined> = Effect.succeed(starting)
  process.on("message", (message: unknown) => {
    const decoded = Option.getOrUndefined(decode(message))
    if (decoded === undefined) return
    if (decoded._tag === "ReadMetrics") return void Queue.offerUnsafe(askedMetrics, undefined)
    if (decoded._tag === "AskReady") {
      // Not from a fiber: those wait for each other under load.
      const hindrance = Effect.runSync(ready)
      say({ _tag: "Ready", ...(hindrance === undefined ? {} : { hindrance }) })
      return
    }
    onDismissed(decoded.why)
    if (decoded.why === "stop") Deferred.doneUnsafe(stopping, Exit.void)
    Deferred.doneUnsafe(first, Exit.succeed(decoded.why))
  })
  const handsOver = Effect.sync(() => Deferred.isDoneUnsafe(first) && !Deferred.isDoneUnsafe(stopping))
  const tellMetrics = (then?: () => void): void => say({ _tag: "Metrics", series: ownSeries() }, then)
  return {
    id,
    sockets: { service, sandbox, isFirst: id === 1 },
    dismissed: Deferred.await(first),
    succession: { handsOver, cutShort: Deferred.await(stopping) },
    listens: Effect.sync(() => say({ _tag: "Listening" })),
    askedMetrics: Queue.take(askedMetrics),
    tellMetrics: Effect.sync(() => tellMetrics()),
    tellsReady: (hindrance) =>
      Effect.sync(() => {
        ready = hindrance
      }),
    leave: (code) => tellMetrics(() => process.exit(code))
  }
}

/**
 * Answers the supervisor's questions: metrics with fresh gauges; and why this worker is not ready, if it was not when
 * `hindrance` was last read.
 */
export const answerSupervisor = <R>(
  { askedMetrics, tellMetrics, tellsReady }: WorkerLink,
  hindrance: Effect.Effect<string | undefined, never, R>
): Layer.Layer<never, never, Gauges | R> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { refresh } = yield* Gauges
      yield* Effect.flatMap(lastSaid(hindrance, starting), tellsReady)
      const answering = Effect.andThen(askedMetrics, Effect.andThen(refresh, tellMetrics))
      yield* Effect.forkScoped(unending(answering, "The supervisor was not told the metrics"))
    })
  )

/** Runs the service as a worker: until its dismissal, with its id in every log line. */
export const asWorker = <E, R>(link: WorkerLink, serve: Effect.Effect<void, E, R>): Effect.Effect<void, E, R> =>
  Effect.raceFirst(serve, link.dismissed).pipe(
    Effect.asVoid,
    Effect.annotateLogs({ worker: link.id }),
    Effect.provideService(Succession, link.succession),
    Effect.provideService(CurrentGivenSockets, link.sockets),
    Effect.provideService(CurrentWorkerLink, link)
  )

/** Runs a worker's main effect. Signals do not interrupt it: the supervisor decides when it ends. */
export const runWorker = (link: WorkerLink) =>
  Runtime.makeRunMain(({ fiber, teardown }) => fiber.addObserver((exit) => teardown(exit, link.leave)))
