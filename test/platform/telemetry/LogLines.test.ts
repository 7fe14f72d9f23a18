import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger, Redacted } from "effect"
import { jsonLines, logfmtLines } from "../../../src/platform/telemetry/LogLines.ts"
import { ProviderUnavailable } from "../../../src/domain/payment/provider/PaymentGateway.ts"

/** The lines that an effect logs. */
const logged = (effect: Effect.Effect<unknown>, format = jsonLines) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const collecting = Logger.make((entry) => void lines.push(format.log(entry)))
    return Effect.as(Effect.provide(effect, Logger.layer([collecting])), lines)
  })

const one = (effect: Effect.Effect<unknown>) =>
  Effect.map(logged(effect), ([line = ""]): Record<string, unknown> => JSON.parse(line))

const away = new ProviderUnavailable({ operation: "getSession", kind: "network", reason: "ECONNREFUSED" })

describe("a log line for machines", () => {
  it.effect("has one text, and the fields beside it", () =>
    Effect.gen(function* () {
      const line = yield* one(Effect.logInfo("Listening", { mcp: "http://localhost/mcp", payments: "sandbox" }))
      assert.deepInclude(line, {
        level: "INFO",
        message: "Listening",
        mcp: "http://localhost/mcp",
        payments: "sandbox"
      })
      assert.match(String(line["timestamp"]), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      const annotated = yield* one(
        Effect.annotateLogs(Effect.logInfo("tool call"), { tool: "get_booking", duration_ms: 1.5 })
      )
      assert.deepInclude(annotated, { message: "tool call", tool: "get_booking", duration_ms: 1.5 })
    })
  )

  it.effect("has a text of its cause or error where it was given none", () =>
    Effect.gen(function* () {
      const failed = yield* one(Effect.logWarning(Cause.fail(away)))
      assert.include(failed["message"], "ProviderUnavailable: The payment provider did not do getSession: ECONNREFUSED")
      assert.include(failed["cause"], "ECONNREFUSED")
      assert.include((yield* one(Effect.logError(new Error("broken"))))["message"], "Error: broken")
      for (const empty of [Effect.logInfo(), Effect.logInfo(""), Effect.logInfo({ n: 1 }), Effect.logInfo(undefined)]) {
        assert.strictEqual((yield* one(empty))["message"], "(no message)")
      }
    })
  )

  it.effect("tells an error by its name, its message and its fields, and a list under a name", () =>
    Effect.gen(function* () {
      const line = yield* one(
        Effect.logWarning("A hold ends", { booking_id: "booking_1", error: away }, Cause.die("bug"))
      )
      assert.deepInclude(line["error"], { kind: "network", reason: "ECONNREFUSED", message: away.message })
      assert.strictEqual(line["booking_id"], "booking_1")
      assert.include(line["cause"], "bug")
      assert.deepInclude(yield* one(Effect.logWarning("Cut", ["large", "full"])), { details: ["large", "full"] })
      assert.deepInclude(yield* one(Effect.logWarning("Not kept", away)), { message: "Not kept" })
    })
  )

  it.effect("keeps its own names, hides secrets, and is one line whatever it is given", () =>
    Effect.gen(function* () {
      const circular: Record<string, unknown> = { n: 1n }
      circular["self"] = circular
      const lines = yield* logged(
        Effect.logInfo("two\nlines", { message: "theirs", level: 3, key: Redacted.make("secret"), circular })
      )
      assert.lengthOf(lines, 1)
      assert.notMatch(lines.join(), /\n|"secret"/)
      assert.deepInclude(JSON.parse(lines[0] ?? ""), {
        message: "two\nlines",
        message_: "theirs",
        level: "INFO",
        level_: 3
      })
    })
  )

  it.effect("is the same as pairs", () =>
    Effect.gen(function* () {
      const [line] = yield* logged(
        Effect.logInfo("tool call", { tool: "get_booking", note: 'a "b"', n: 2 }),
        logfmtLines
      )
      assert.match(line ?? "", /level=INFO message="tool call" fiberId=#\d+ tool=get_booking note="a \\"b\\"" n=2$/)
    })
  )
})
