import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Logger, Option, Tracer } from "effect"
import { SqlError } from "effect/sql"
import { describe as describeFailure, jsonLines, logfmtLines } from "../../../src/platform/telemetry/LogLines.ts"
import { privateLogger, privateTracer } from "../../../src/platform/telemetry/TelemetryPrivacy.ts"
import { recordingTracer } from "../../support/recordedSpans.ts"

const value = "canary@leak.example"

/** An error of the database, as the driver makes it. */
const refused = (code: string) =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({
      cause: Object.assign(new Error(`invalid input: "${value}"`), {
        severity: "ERROR",
        code,
        detail: `Key (contact_email)=(${value})`,
        hint: value,
        where: value,
        internalQuery: value,
        table: "booking"
      }),
      message: "Query failed",
      operation: "execute"
    })
  })

const logged = (effect: Effect.Effect<unknown>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const keep = (format: Logger.Logger<unknown, string>) =>
      privateLogger(Logger.make((entry) => void lines.push(format.log(entry))))
    const loggers = [jsonLines, logfmtLines, Logger.formatStructured, Logger.formatLogFmt].map((format) =>
      keep(Logger.make((entry) => JSON.stringify(format.log(entry))))
    )
    return Effect.as(Effect.provide(effect, Logger.layer(loggers)), lines)
  })

describe("what logs and traces are told", () => {
  it.effect("holds no value that the database refused, wherever its error stands in a call", () =>
    Effect.gen(function* () {
      for (const code of ["22P02", "23505", "P0001"]) {
        const error = refused(code)
        for (const call of [
          Effect.logError("It failed", Cause.fail(error)),
          Effect.logError("It failed", Cause.die(error)),
          Effect.logError(Cause.fail(new Error("around it", { cause: error }))),
          Effect.logError("It failed", error),
          Effect.logError(error),
          Effect.logError("It failed", { booking_id: "booking_1", error })
        ]) {
          const lines = yield* logged(call)
          assert.strictEqual(lines.length, 4)
          for (const line of lines) assert.notInclude(line, value)
          for (const line of lines.slice(0, 2)) {
            assert.include(line, `a value was refused (${code}, table booking)`)
          }
        }
        assert.notInclude(describeFailure(error), value)
        assert.include(describeFailure(error), code)
      }
    })
  )

  it.effect("keeps the database's words where they name tables and settings, without the details", () =>
    Effect.gen(function* () {
      const error = refused("42501")
      Object.assign(error.reason.cause ?? {}, { message: "permission denied for table booking" })
      for (const line of (yield* logged(Effect.logError("It failed", error))).slice(0, 2)) {
        assert.include(line, "permission denied for table booking (42501, table booking)")
        assert.notInclude(line, value)
      }
    })
  )

  it.effect("keeps other errors as they are, with the spans that they came through", () =>
    Effect.gen(function* () {
      const cause = yield* Effect.fail(new Error("broken")).pipe(
        Effect.withSpan("Outer.span"),
        Effect.sandbox,
        Effect.flip
      )
      for (const line of (yield* logged(Effect.logError("It failed", cause))).slice(0, 2)) {
        assert.include(line, "broken")
        assert.include(line, "Outer.span")
      }
    })
  )

  it.effect("holds of a request its route and not its address, and of an error its name and not its words", () =>
    Effect.gen(function* () {
      const { spans, tracer } = recordingTracer()
      const failing = Effect.fail(refused("23505")).pipe(
        Effect.withSpan("request", {
          attributes: { "http.route": "/b/:token", "url.full": value, "url.path": value, "url.query": value }
        }),
        Effect.provideService(Tracer.Tracer, privateTracer(tracer))
      )
      assert.isTrue(Exit.isFailure(yield* Effect.exit(failing)))
      const [span] = spans
      assert.deepStrictEqual([...(span?.attributes ?? [])], [["http.route", "/b/:token"]])
      assert(span?.status._tag === "Ended" && Exit.isFailure(span.status.exit))
      const told = Cause.pretty(span.status.exit.cause)
      assert.notInclude(told, value)
      assert.include(told, "SqlError")
      assert.isTrue(Option.isSome(Exit.findErrorOption(yield* Effect.exit(failing))))
    })
  )
})
