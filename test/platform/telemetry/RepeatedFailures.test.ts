import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { ProviderUnavailable } from "../../../src/domain/payment/provider/PaymentGateway.ts"
import { jsonLines } from "../../../src/platform/telemetry/LogLines.ts"
import { withoutRepeats } from "../../../src/platform/telemetry/Observability.ts"

const sqlError = (code: string) =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({ cause: Object.assign(new Error("could not extend file"), { code }) })
  })
const diskFull = sqlError("53100")
const failed = (error: unknown = diskFull, tool = "create_booking") =>
  Effect.logError(`The tool ${tool} failed`, Cause.fail(error))

/** Runs an effect; answers its lines so far. */
const collecting = <E>(test: (lines: ReadonlyArray<Record<string, unknown>>) => Effect.Effect<void, E>) =>
  Effect.suspend(() => {
    const lines: Array<Record<string, unknown>> = []
    const logger = withoutRepeats(Logger.make((entry) => void lines.push(JSON.parse(jsonLines.log(entry)))))
    return Effect.provide(test(lines), Logger.layer([logger]))
  })

describe("a failure of what the service stands on", () => {
  it.effect("is told whole once, and then once a minute with how many there were, while other lines go on", () =>
    collecting((lines) =>
      Effect.gen(function* () {
        for (let call = 0; call < 500; call++) yield* Effect.annotateLogs(failed(), "trace_id", `trace-${call}`)
        assert.lengthOf(lines, 1)
        assert.include(String(lines[0]?.["cause"]), "SqlError")
        yield* Effect.logInfo("tool call")
        assert.lengthOf(lines, 2)

        yield* TestClock.adjust("59 seconds")
        yield* failed()
        assert.lengthOf(lines, 2)
        yield* TestClock.adjust("1 second")
        // Whatever is told next.
        yield* Effect.logInfo("tool call")
        assert.lengthOf(lines, 4)
        const [, , told] = lines
        assert.deepInclude(told, { level: "ERROR", message: "The tool create_booking failed", repeated: 500 })
        assert.deepInclude(told, { failure: "SqlError UnknownError 53100" })
        assert.notProperty(told, "cause")

        // It goes on: one short line a minute.
        for (let minute = 0; minute < 10; minute++) {
          for (let call = 0; call < 30; call++) yield* failed()
          yield* TestClock.adjust("1 minute")
          yield* Effect.logDebug("anything")
        }
        yield* failed()
        assert.isAtMost(lines.length, 4 + 11)
        assert.strictEqual(
          lines.slice(4).reduce((sum, { repeated }) => sum + Number(repeated ?? 0), 0),
          300
        )
        assert.isTrue(lines.slice(4).every((line) => !Object.hasOwn(line, "cause")))

        // After a quiet minute the next one is told whole again.
        yield* TestClock.adjust("2 minutes")
        yield* Effect.logInfo("tool call")
        yield* TestClock.adjust("2 minutes")
        const before = lines.length
        yield* failed()
        assert.property(lines[before], "cause")
      })
    )
  )

  it.effect("is told by its reason, and by what it is about", () =>
    collecting((lines) =>
      Effect.gen(function* () {
        const away = new ProviderUnavailable({ operation: "getSession", kind: "network", reason: "ECONNREFUSED" })
        const all = [
          failed(),
          failed(sqlError("57P03")),
          failed(away),
          failed(diskFull, "search_playrooms"),
          // As the rate limits' store hands it on, and as a defect.
          Effect.logWarning("Rate limits can't be kept", { _tag: "RateLimitStoreError", cause: diskFull }),
          Effect.logError("A request failed", { route: "/mcp" }, Cause.die(diskFull)),
          Effect.logError("A request failed", { route: "/docs" }, Cause.die(diskFull)),
          Effect.logWarning("A provider task failed", { refund_id: "refund_1" }, Cause.fail(away)),
          Effect.logWarning("A provider task failed", { refund_id: "refund_2" }, Cause.fail(away))
        ]
        for (let round = 0; round < 3; round++) for (const line of all) yield* line
        assert.lengthOf(lines, all.length)
      })
    )
  )

  it.effect("hides no fault of the service itself, and nothing that is only told", () =>
    collecting((lines) =>
      Effect.gen(function* () {
        for (let call = 0; call < 3; call++) {
          yield* failed(new TypeError("x is not a function"))
          // A statement that breaks a rule is a fault, too.
          yield* failed(sqlError("23514"))
          yield* Effect.logWarning("An operator's invoice is rejected", { outcome: "unknown" })
          yield* Effect.logInfo("The provider could not be asked", diskFull)
        }
        assert.lengthOf(lines, 12)
      })
    )
  )

  it.effect("is remembered for a bounded number of subjects", () =>
    collecting((lines) =>
      Effect.gen(function* () {
        for (let id = 0; id < 1000; id++) yield* Effect.logWarning("A task failed", { id }, Cause.fail(diskFull))
        assert.lengthOf(lines, 1000)
        yield* Effect.logWarning("A task failed", { id: 999 }, Cause.fail(diskFull))
        assert.lengthOf(lines, 1000)
        yield* Effect.logWarning("A task failed", { id: 0 }, Cause.fail(diskFull))
        assert.lengthOf(lines, 1001)
      })
    )
  )
})
