/** The command line on a test's services, without a process. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Context, Effect, Exit, Layer, Predicate } from "effect"
import { SecureRandom } from "effect/crypto"
import { ApiKeys } from "../../src/access/ApiKeys.ts"
import { AppConfig } from "../../src/AppConfig.ts"
import { BookingList } from "../../src/booking/BookingList.ts"
import { cli, type CommandServices } from "../../src/cli/Cli.ts"
import { describeCause } from "../../src/cli/Failure.ts"
import { Migrations } from "../../src/database/Migrations.ts"
import { paymentWorld } from "./PaymentWorld.ts"
import { testSettings } from "./testSettings.ts"

/** Runs `playroom …`: what it printed, what it complained of, and the message where it failed. */
export const playroom = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const lines: Array<string> = []
  const complaints: Array<string> = []
  const into =
    (list: Array<string>) =>
    (...parts: ReadonlyArray<unknown>) => {
      list.push(parts.map(String).join(" "))
    }
  const services = yield* Effect.context<CommandServices>()
  const run = cli({
    serve: Effect.sync(() => into(lines)("serving")),
    services: Layer.succeedContext(Context.omit(Console.Console)(services))
  })
  const exit = yield* run(args).pipe(
    Effect.provide(NodeServices.layer),
    Effect.provideService(Console.Console, { ...globalThis.console, log: into(lines), error: into(complaints) }),
    Effect.exit
  )
  return {
    out: lines.join("\n"),
    complaints: complaints.join("\n"),
    failure: Exit.isFailure(exit) ? describeCause(exit.cause) : undefined,
    cause: Exit.isFailure(exit) ? exit.cause : Cause.empty
  }
})

export const parsed = (text: string): unknown => JSON.parse(text)
export const member = (value: unknown, name: string): unknown =>
  Predicate.hasProperty(value, name) ? value[name] : undefined

/** What the commands call, on a database of its own with the venues of `PaymentWorld`. */
export const commandWorld = Layer.mergeAll(ApiKeys.layer, BookingList.layer, Migrations.layer).pipe(
  Layer.provideMerge(paymentWorld()),
  Layer.provideMerge(
    Layer.mergeAll(SecureRandom.layerWebCrypto, NodeServices.layer, Layer.succeed(AppConfig, testSettings()))
  )
)
