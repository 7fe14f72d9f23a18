/** The `playroom` command. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Layer } from "effect"
import { CliError } from "effect/cli"
import { App } from "./App.ts"
import { AppConfig } from "./AppConfig.ts"
import { cli } from "./cli/Cli.ts"
import { exitCodeOf, unfinishedExitCode } from "./cli/ExitCode.ts"
import { describeCause } from "./cli/Failure.ts"
import { announce } from "./cli/Welcome.ts"
import { serves } from "./NodeOptions.ts"
import { Observability } from "./Observability.ts"

/** The longest that a stop may take, in milliseconds. It is more than requests in flight get to finish. */
const stop = { withinMs: 20_000 }

const allowForDraining = Effect.map(AppConfig, ({ drainSeconds }) => {
  stop.withinMs += drainSeconds * 1000
})

const run = cli({
  serve: Effect.andThen(
    allowForDraining,
    Layer.launch(Layer.effectDiscard(announce).pipe(Layer.provide(App.serve)))
  ).pipe(Effect.provide(AppConfig.layer)),
  services: App.commands.pipe(Layer.provide(Observability.quiet), Layer.provideMerge(AppConfig.layer)),
  setup: App.setup.pipe(Layer.provide(Observability.quiet), Layer.provideMerge(AppConfig.layerBeforeSecrets))
})

/** Whether the command line has shown the error already: a usage error. */
const isShown = <E>(cause: Cause.Cause<E>): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && CliError.isCliError(reason.error))

const main = run(process.argv.slice(2)).pipe(
  Effect.tapCause((cause) =>
    Cause.hasInterruptsOnly(cause) || isShown(cause) ? Effect.void : Console.error(`playroom: ${describeCause(cause)}`)
  ),
  Effect.provide(NodeServices.layer)
)

// A terminal or a service manager signals the whole process group, and npm signals its child again: that counts as one signal.
const sameWithinMs = 250
let askedAt: number | undefined
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    const now = performance.now()
    if (askedAt !== undefined) {
      // The second signal ends the process at once.
      if (now - askedAt > sameWithinMs) process.exit(1)
      return
    }
    askedAt = now
    setTimeout(() => process.exit(1), stop.withinMs).unref()
  })
}

const say = (text: string | undefined): void => {
  if (text !== undefined) console.error(`playroom: ${text}`)
}

let finished = false
process.on("exit", (exitCode) => {
  // Where a library ends the process (the embedded database does), the command has not succeeded.
  if (finished || askedAt !== undefined) return
  const { code, says } = unfinishedExitCode(exitCode)
  process.exitCode = code
  say(says)
})

NodeRuntime.runMain(main, {
  disableErrorReporting: true,
  teardown: (exit, onExit) => {
    finished = true
    const { code, says } = exitCodeOf(exit, askedAt !== undefined && serves(process.argv.slice(2)))
    say(says)
    onExit(code)
  }
})
