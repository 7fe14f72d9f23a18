/** Commands as they are typed, beside a running service: with its settings and on its database as in a process of their own, without one. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import { Console, Effect, Exit, Layer } from "effect"
import { App } from "../../src/App.ts"
import { AppConfig, fromEnv } from "../../src/AppConfig.ts"
import { cli } from "../../src/cli/Cli.ts"
import { describeCause } from "../../src/cli/Failure.ts"
import { Observability } from "../../src/Observability.ts"
import type { Service } from "./Service.ts"

/** The words of a line; what stands in double quotes is one. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, "$1"))

/** Types `playroom …` and answers what it printed. `refused` expects a failure, and answers what that says. */
export const typedCommands = ({ env }: Pick<Service, "env">) => {
  const settings = Layer.effect(AppConfig, Effect.fromResult(fromEnv(env)))
  const run = cli({
    serve: Effect.void,
    services: App.commands.pipe(Layer.provide(Observability.quiet), Layer.provideMerge(settings)),
    setup: App.setup.pipe(Layer.provide(Observability.quiet), Layer.provideMerge(settings))
  })
  const typed = Effect.fnUntraced(function* (line: string) {
    const [command, ...args] = wordsOf(line)
    assert.strictEqual(command, "playroom")
    const printed: Array<string> = []
    const print = (...parts: ReadonlyArray<unknown>) => void printed.push(parts.map(String).join(" "))
    const exit = yield* run(args).pipe(
      Effect.provide(NodeServices.layer),
      Effect.provideService(Console.Console, { ...globalThis.console, log: print, error: print }),
      Effect.exit
    )
    return { out: printed.join("\n"), failure: Exit.isFailure(exit) ? describeCause(exit.cause) : undefined }
  })
  return {
    playroom: (line: string) =>
      Effect.map(typed(line), ({ failure, out }) => {
        assert.isUndefined(failure, `${line}: ${failure}`)
        return out
      }),
    refused: (line: string) => Effect.map(typed(line), ({ failure, out }) => failure ?? assert.fail(`${line}: ${out}`))
  }
}
