/** The `playroom` command. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Layer } from "effect"
import { CliError } from "effect/cli"
import { App } from "./App.ts"
import { AppConfig } from "./config/AppConfig.ts"
import { misspeltNames } from "./config/Variables.ts"
import { cli } from "./cli/Cli.ts"
import { exitCodeOf, unfinishedExitCode } from "./cli/Failure.ts"
import { describeCause } from "./telemetry/FailureText.ts"
import { announce } from "./cli/Welcome.ts"
import { serves } from "./process/NodeOptions.ts"
import { collectAtRest } from "./process/Rest.ts"
import { Observability } from "./telemetry/Observability.ts"
import { outliveLostOutput } from "./process/StandardOutput.ts"
import { ignoreSignals, onHangUp, onStopSignals } from "./process/Signals.ts"
import { handOverSeconds, stopSeconds } from "./process/StopTimes.ts"
import { watchUncaught } from "./process/Uncaught.ts"
import { asWorker, makeWorkerLink, runWorker } from "./process/WorkerLink.ts"

const service = serves(process.argv.slice(2))
const lostOutput = outliveLostOutput()

/** Whether `main` has ended. */
let finished = false

/** Kills the process if a stop takes too long. */
const stopped = { drainSeconds: 0, asked: false }
const stopWithin = (seconds: number): void => {
  stopped.asked = true
  setTimeout(() => process.exit(1), seconds * 1000).unref()
}

const uncaught = watchUncaught(() => {
  if (finished) process.exit(1)
  stopWithin(stopSeconds(stopped.drainSeconds))
})

const link = service
  ? makeWorkerLink((why) => stopWithin(why === "stop" ? stopSeconds(stopped.drainSeconds) : handOverSeconds))
  : undefined

const allowForDraining = Effect.map(AppConfig, ({ drainSeconds }) => {
  stopped.drainSeconds = drainSeconds
})

/** Only worker 1 announces. */
const started = Effect.gen(function* () {
  yield* uncaught.tellByLog
  yield* link === undefined || link.id === 1 ? announce : Effect.void
  yield* link?.listens ?? Effect.void
  yield* Effect.forkScoped(collectAtRest)
})

const serve = Effect.andThen(
  allowForDraining,
  Layer.launch(Layer.effectDiscard(started).pipe(Layer.provide(App.serve)))
).pipe(Effect.provide(AppConfig.layer))

const run = cli({
  serve: link === undefined ? serve : asWorker(link, serve),
  services: App.commands.pipe(Layer.provide(Observability.quiet), Layer.provideMerge(AppConfig.layer)),
  setup: App.setup.pipe(Layer.provide(Observability.quiet), Layer.provideMerge(AppConfig.layerBeforeSecrets))
})

/** Whether the CLI framework has printed the error already (usage errors). */
const isShown = <E>(cause: Cause.Cause<E>): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && CliError.isCliError(reason.error))

const main = Effect.raceFirst(run(process.argv.slice(2)), uncaught.awaited).pipe(
  Effect.tapCause((cause) =>
    Cause.hasInterruptsOnly(cause) || isShown(cause) ? Effect.void : Console.error(`playroom: ${describeCause(cause)}`)
  ),
  Effect.provide(NodeServices.layer)
)

const say = (text: string | undefined): void => {
  if (text !== undefined) console.error(`playroom: ${text}`)
}

if (service && (link === undefined || link.id === 1))
  for (const text of misspeltNames(Object.keys(process.env))) say(text)

if (link !== undefined) ignoreSignals()
else {
  onStopSignals(
    () => stopWithin(stopSeconds(stopped.drainSeconds)),
    () => process.exit(1)
  )
  if (service)
    onHangUp(() => say("It was asked to restart (SIGHUP), and goes on: for that it needs WORKERS of 2 or more."))
}

process.on("exit", (exitCode) => {
  // If a library exits the process (the embedded database does), the command has failed.
  if (finished || stopped.asked || link !== undefined) return
  const { code, says } = unfinishedExitCode(exitCode)
  process.exitCode = code
  say(says)
})

const runMain = link === undefined ? NodeRuntime.runMain : runWorker(link)
runMain(main, {
  disableErrorReporting: true,
  teardown: (exit, onExit) => {
    finished = true
    const { code, says } = exitCodeOf(exit, stopped.asked && service)
    say(says)
    // That the last output is lost is known in the next turn. A service has lost lines of its log, and goes on until it is stopped.
    setImmediate(() => {
      const lost = service ? undefined : lostOutput()
      say(lost)
      onExit(lost === undefined ? code : 1)
    })
  }
})
