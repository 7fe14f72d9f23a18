/** Commands as they are typed, beside a running service: with its settings and on its database as in a process of their own, without one. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import { Console, Effect, Exit, Layer } from "effect"
import { App } from "../../src/App.ts"
import { AppConfig, fromEnv } from "../../src/platform/config/AppConfig.ts"
import { cli } from "../../src/surfaces/cli/Cli.ts"
import { exitCodeOf } from "../../src/surfaces/cli/Failure.ts"
import { describeCause } from "../../src/platform/telemetry/LogLines.ts"
import { Observability } from "../../src/platform/telemetry/Observability.ts"
import type { Service } from "./Service.ts"

/** The words of a line; what stands in double quotes is one. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, "$1"))

/** What a command printed, and the code that its process would have ended with. */
export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `playroom …` with these settings. */
export const commandsWith = (env: NodeJS.ProcessEnv) => {
  const settings = Layer.effect(AppConfig, Effect.fromResult(fromEnv(env)))
  const run = cli({
    serve: Effect.void,
    services: App.commands.pipe(Layer.provide(Observability.quiet), Layer.provideMerge(settings)),
    setup: App.setup.pipe(Layer.provide(Observability.quiet), Layer.provideMerge(settings))
  })
  return Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const printed = { log: "", error: "" }
    const print =
      (to: keyof typeof printed) =>
      (...parts: ReadonlyArray<unknown>) =>
        void (printed[to] += `${parts.map(String).join(" ")}\n`)
    const exit = yield* run(args).pipe(
      Effect.provide(NodeServices.layer),
      Effect.provideService(Console.Console, { ...globalThis.console, log: print("log"), error: print("error") }),
      Effect.exit
    )
    if (Exit.isFailure(exit)) print("error")(`playroom: ${describeCause(exit.cause)}`)
    const result: CommandResult = { code: exitCodeOf(exit, false).code, stdout: printed.log, stderr: printed.error }
    return result
  })
}

/** Types `playroom …` and answers what it printed. `refused` expects a failure, and answers what that says. */
export const typedCommands = ({ playroom }: Pick<Service, "playroom">) => {
  const typed = (line: string) => {
    const [command, ...args] = wordsOf(line)
    assert.strictEqual(command, "playroom")
    return playroom(...args)
  }
  return {
    playroom: (line: string) =>
      Effect.map(typed(line), ({ code, stderr, stdout }) => {
        assert.strictEqual(code, 0, `${line}: ${stderr}`)
        return stdout + stderr
      }),
    refused: (line: string) =>
      Effect.map(typed(line), ({ code, stderr, stdout }) => {
        assert.notStrictEqual(code, 0, `${line}: ${stdout}`)
        return stderr
      })
  }
}
