/** The service with `WORKERS` of 2 or more: this process starts the others, and answers no request itself. */
import { Cause, Console, Effect, Exit, Layer, Queue } from "effect"
import { AppConfig } from "../config/AppConfig.ts"
import { describeCause } from "../telemetry/FailureText.ts"
import { EventLoop } from "./EventLoop.ts"
import { Observability } from "../telemetry/Observability.ts"
import { collectAtRest } from "./Rest.ts"
import { onHangUp, onStopSignals } from "./Signals.ts"
import { outliveLostOutput } from "./StandardOutput.ts"
import { managementOfAll, supervise } from "./Supervisor.ts"
import { watchUncaught } from "./Uncaught.ts"
import { WorkerProcesses } from "./WorkerProcesses.ts"

outliveLostOutput()

/** Has the workers stop, once there are any. */
let stop: (() => void) | undefined
const uncaught = watchUncaught((cause) => {
  if (stop !== undefined) return stop()
  console.error(`playroom: ${describeCause(cause)}`)
  process.exit(1)
})

const main = Effect.gen(function* () {
  const { events, killAll } = yield* WorkerProcesses
  stop = () => void Queue.offerUnsafe(events, { _tag: "Stop" })
  yield* uncaught.tellByLog
  onStopSignals(stop, () => {
    killAll()
    process.exit(1)
  })
  onHangUp(() => Queue.offerUnsafe(events, { _tag: "Renew" }))
  yield* Effect.forkScoped(collectAtRest)
  return yield* supervise
}).pipe(
  Effect.provide(
    Layer.mergeAll(managementOfAll, EventLoop.layer).pipe(
      Layer.provideMerge(WorkerProcesses.layer),
      Layer.provideMerge(Observability.layer),
      Layer.provideMerge(AppConfig.layer)
    )
  ),
  Effect.scoped,
  Effect.tapCause((cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(`playroom: ${describeCause(cause)}`)
  )
)

Effect.runFork(main).addObserver((exit) => process.exit(Exit.isSuccess(exit) && !uncaught.happened() ? exit.value : 1))
