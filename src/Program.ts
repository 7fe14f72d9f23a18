/** The `playroom` command: it runs what its arguments say, and ends with what they came to. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Layer } from "effect"
import { CliError } from "effect/cli"
import { App } from "./App.ts"
import { AppConfig, SettingsInvalid } from "./platform/config/AppConfig.ts"
import { misspeltNames } from "./platform/config/Variables.ts"
import { cli } from "./surfaces/cli/Cli.ts"
import { exitCodeOf, unfinishedExitCode } from "./surfaces/cli/Failure.ts"
import { describeCause } from "./platform/telemetry/LogLines.ts"
import { announce } from "./surfaces/cli/Welcome.ts"
import { CurrentInheritedSocket, inheritedSockets, outliveLostOutput, watchEnding } from "./surfaces/http/Ending.ts"
import { collectGarbageWhenIdle } from "./ops/process/EventLoop.ts"
import { serves } from "./ops/process/NodeOptions.ts"
import { tellServiceManager } from "./ops/process/ServiceManager.ts"

const say = (text: string | undefined): void => {
  if (text !== undefined) console.error(`playroom: ${text}`)
}

const service = serves(process.argv.slice(2))
const lostOutput = outliveLostOutput()
const [socket, ...furtherSockets] = inheritedSockets(process.env, process.pid)
const ending = watchEnding({ handsOver: service && socket !== undefined })
if (service) for (const text of misspeltNames(Object.keys(process.env))) say(text)

/** Once it listens. */
const started = Effect.gen(function* () {
  yield* ending.tellByLog
  yield* announce
  yield* tellServiceManager
  yield* Effect.forkScoped(collectGarbageWhenIdle)
})

const serve = Effect.gen(function* () {
  if (furtherSockets.length > 0)
    return yield* new SettingsInvalid({
      faults: ["The socket unit hands over several sockets: give it one ListenStream ([::]:PORT takes IPv4, too)."]
    })
  ending.drainsFor((yield* AppConfig).drainSeconds)
  yield* Layer.launch(Layer.effectDiscard(started).pipe(Layer.provide(App.serve)))
}).pipe(ending.untilHandedOver, Effect.provideService(CurrentInheritedSocket, socket), Effect.provide(AppConfig.layer))

const run = cli({
  serve,
  services: Layer.provideMerge(App.commands, AppConfig.layer),
  database: Layer.provideMerge(App.database, AppConfig.layer),
  setup: Layer.provideMerge(App.setup, AppConfig.layerBeforeSecrets)
})

/** Whether the CLI framework has printed the error already (usage errors). */
const isShown = <E>(cause: Cause.Cause<E>): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && CliError.isCliError(reason.error))

const main = Effect.raceFirst(run(process.argv.slice(2)), ending.thrown).pipe(
  Effect.tapCause((cause) =>
    Cause.hasInterruptsOnly(cause) || isShown(cause) ? Effect.void : Console.error(`playroom: ${describeCause(cause)}`)
  ),
  Effect.provide(NodeServices.layer)
)

let finished = false
process.on("exit", (exitCode) => {
  // If a library exits the process (the embedded database does), the command has failed.
  if (finished || ending.begun()) return
  const { code, says } = unfinishedExitCode(exitCode)
  process.exitCode = code
  say(says)
})

NodeRuntime.runMain(main, {
  disableErrorReporting: true,
  teardown: (exit, onExit) => {
    finished = true
    ending.finish()
    const { code, says } = exitCodeOf(exit, ending.begun() && service)
    say(says)
    // That the last output is lost is known in the next turn. A service has lost lines of its log, and goes on until it
    // is stopped.
    setImmediate(() => {
      const lost = service ? undefined : lostOutput()
      say(lost)
      onExit(lost === undefined ? code : 1)
    })
  }
})
