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
import { WorkerProcesses } from "./WorkerProcesses.ts"

outliveLostOutput()

const main = Effect.gen(function* () {
  const { events, killAll } = yield* WorkerProcesses
  onStopSignals(
    () => Queue.offerUnsafe(events, { _tag: "Stop" }),
    () => {
      killAll()
      process.exit(1)
    }
  )
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

Effect.runFork(main).addObserver((exit) => process.exit(Exit.isSuccess(exit) ? exit.value : 1))
