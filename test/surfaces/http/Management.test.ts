/** The management port: metrics, and probes that say at once what was known before. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { zoneRules } from "../../../src/platform/time/LocalTime.ts"
import { lastSaid, management } from "../../../src/surfaces/http/Management.ts"
import { AppConfig } from "../../../src/platform/config/AppConfig.ts"
import { freePort } from "../../support/freePort.ts"
import { rawConnection } from "../../support/rawConnections.ts"
import { testSettings } from "../../support/testSettings.ts"

const serving = (hindrance: Effect.Effect<string | undefined>) =>
  Effect.gen(function* () {
    const managementPort = yield* freePort
    yield* Layer.build(
      management({
        text: Effect.never,
        hindrance: lastSaid(hindrance, "The service is starting.")
      }).pipe(Layer.provide(Layer.succeed(AppConfig, testSettings({ managementPort }))))
    )
    return (path: string) =>
      Effect.promise(async () => {
        const response = await fetch(`http://127.0.0.1:${managementPort}${path}`)
        return { status: response.status, type: response.headers.get("content-type"), text: await response.text() }
      })
  })

describe("the management port", () => {
  it.live("says whether the process is alive, and whether it is ready, as it changes", () =>
    Effect.gen(function* () {
      const now = yield* Ref.make<string | undefined>("The database can't be reached.")
      const ask = yield* serving(Ref.get(now))
      assert.deepInclude(yield* ask("/healthz"), { status: 200, text: '{"status":"ok"}' })
      let seen = yield* ask("/readyz")
      assert.strictEqual(seen.status, 503)
      assert.match(seen.type ?? "", /application\/problem\+json/)
      while (!(yield* ask("/readyz")).text.includes("The database can't be reached.")) yield* Effect.sleep("50 millis")
      yield* Ref.set(now, undefined)
      while ((seen = yield* ask("/readyz")).status !== 200) yield* Effect.sleep("50 millis")
      assert.deepStrictEqual(JSON.parse(seen.text), { status: "ready", time_zone_rules: zoneRules().release })
    }).pipe(Effect.scoped)
  )

  it.live("S9: answers nobody who came by another name", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      yield* Layer.build(
        management({ text: Effect.succeed("up 1"), hindrance: Effect.succeed(Effect.succeed(undefined)) }).pipe(
          Layer.provide(Layer.succeed(AppConfig, testSettings({ managementPort: port })))
        )
      )
      for (const [host, status] of [
        [`127.0.0.1:${port}`, 200],
        [`localhost:${port}`, 200],
        [`[::1]:${port}`, 200],
        ["metrics.evil.example", 421],
        [`127.0.0.1.evil.example:${port}`, 421]
      ] as const) {
        const connection = yield* rawConnection(
          `http://127.0.0.1:${port}`,
          ["GET /metrics HTTP/1.1", `host: ${host}`, "connection: close", "", ""].join("\r\n")
        )
        assert.match(yield* connection.ended, new RegExp(`^HTTP/1\\.1 ${status} `), host)
      }
    }).pipe(Effect.scoped)
  )

  it.live("answers probes while what they are about hangs, and while all metrics are being read", () =>
    Effect.gen(function* () {
      const ask = yield* serving(Effect.never)
      const metrics = Array.from({ length: 5 }, () => Effect.runFork(Effect.ignore(ask("/metrics"))))
      const began = performance.now()
      for (let i = 0; i < 20; i++) {
        assert.strictEqual((yield* ask("/healthz")).status, 200)
        const { text } = yield* ask("/readyz")
        for (const said of ['"code":"not_ready"', '"detail":"The service is starting."']) assert.include(text, said)
      }
      // Wide: the machine is shared.
      assert.isBelow(performance.now() - began, 10_000)
      assert.lengthOf(metrics, 5)
    }).pipe(Effect.scoped)
  )
})
