/** The `playroom` command. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Layer } from "effect"
import { CliError } from "effect/cli"
import { App } from "./App.ts"
import { AppConfig } from "./AppConfig.ts"
import { cli } from "./cli/Cli.ts"
import { describeCause } from "./cli/Failure.ts"
import { announce } from "./cli/Welcome.ts"
import { Observability } from "./Observability.ts"

// Longer than requests in flight get to finish; a stop that hangs must not hang for ever.
const stopWithinMs = 20_000

const run = cli({
  serve: Layer.launch(Layer.effectDiscard(announce).pipe(Layer.provide(App.serve))).pipe(
    Effect.provide(AppConfig.layer)
  ),
  services: App.commands.pipe(Layer.provide(Observability.quiet), Layer.provide(AppConfig.layer))
})

/** A usage error has been shown already. */
const isShown = <E>(cause: Cause.Cause<E>): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && CliError.isCliError(reason.error))

const main = run(process.argv.slice(2)).pipe(
  Effect.tapCause((cause) =>
    Cause.hasInterruptsOnly(cause) || isShown(cause) ? Effect.void : Console.error(`playroom: ${describeCause(cause)}`)
  ),
  Effect.provide(NodeServices.layer)
)

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    setTimeout(() => process.exit(1), stopWithinMs).unref()
    // Asked twice: now.
    process.once(signal, () => process.exit(1))
  })
}

NodeRuntime.runMain(main, {
  disableErrorReporting: true,
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
})
