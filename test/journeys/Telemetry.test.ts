import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { readFileSync } from "node:fs"
import { book, planRush, sure, tool } from "../support/Rush.ts"
import { freePort } from "../support/freePort.ts"
import { type Service, startService } from "../support/Service.ts"

const secret = "whsec_telemetry"

class World extends Context.Service<World, { readonly service: Service; readonly metrics: Effect.Effect<string> }>()(
  "test/Telemetry"
) {
  static readonly layer = Layer.effect(
    World,
    Effect.gen(function* () {
      const port = yield* freePort
      const service = yield* startService({
        MANAGEMENT_PORT: String(port),
        LOG_LEVEL: "debug",
        PAYMENT_WEBHOOK_SECRETS: secret,
        PAYMENT_CONNECT_WEBHOOK_SECRETS: secret
      })
      const metrics = Effect.promise(() => fetch(`http://127.0.0.1:${port}/metrics`).then((answer) => answer.text()))
      return { service, metrics }
    })
  )
}

const Session = Schema.Struct({ payment_session: Schema.Struct({ url: Schema.String }) })
const Status = Schema.Struct({ booking: Schema.Struct({ status: Schema.String, payment_status: Schema.String }) })

const form = (url: string, fields: Record<string, string>) =>
  Effect.promise(() => fetch(url, { method: "POST", redirect: "manual", body: new URLSearchParams(fields) }))

/** The value of a sample, by its name and labels as they are written; undefined where there is none. */
const sample = (text: string, name: string): number | undefined => {
  const line = text.split("\n").find((one) => one.startsWith(`playroom_${name} `))
  return line === undefined ? undefined : Number(line.split(" ")[1])
}

layer(World.layer, { excludeTestServices: true })("a service that is watched", (it) => {
  it.effect("counts what happens to bookings, payments and refunds, and tells what waits", () =>
    Effect.gen(function* () {
      const { metrics, service } = yield* World
      const { contested, wishes } = yield* planRush(service, 0)
      const wish = wishes.find(({ option_id }) => option_id === contested.option_id) ?? assert.fail()
      const other = wishes.find(({ option_id }) => option_id !== contested.option_id) ?? assert.fail()
      const answer = yield* book(service, wish)
      const booking_id = "booking" in answer ? answer.booking.booking_id : assert.fail(answer.refused)
      yield* book(service, other)
      // The provider fails at first.
      yield* form(`${service.sandboxUrl}/sandbox/faults`, { api: "error_500", api_times: "3" })
      assert.property(yield* tool(service, Session, "create_payment_session", { booking_id }), "refused")
      assert.isAbove(
        sample(yield* metrics, 'provider_calls_total{operation="createSession",outcome="failing"}') ?? 0,
        0
      )
      const asked = sure(yield* tool(service, Session, "create_payment_session", { booking_id }))
      yield* form(asked.payment_session.url, { outcome: "pay" })
      const status = Effect.map(tool(service, Status, "get_booking", { booking_id }), (now) => sure(now).booking.status)
      while ((yield* status) !== "confirmed") yield* Effect.sleep("100 millis")
      const cancelled = yield* service.playroom("booking", "cancel", booking_id)
      assert.strictEqual(cancelled.code, 0, cancelled.stderr)
      const settled = [
        ['refunds_total{status="succeeded"}', 1],
        ['booking_events_total{event="held"}', 2],
        ['payment_sessions_total{status="open"}', 1],
        ['payment_sessions_total{status="paid"}', 1],
        ["database_up", 1],
        ["holds_live", 1],
        ['webhook_events{status="waiting"}', 0],
        ['webhook_events{status="rejected"}', 0],
        ['webhook_events{status="dead"}', 0],
        ["webhook_oldest_event_seconds", 0],
        ["provider_tasks_dead", 0],
        ["letters_dead", 0],
        ["calendars_failing", 0],
        ["clocks_off", 0],
        ["deliveries_refused", 0],
        ["balances_overdue", 0],
        ['refunds_unsettled{status="waiting"}', 0],
        ['refunds_unsettled{status="failed"}', 0],
        ['provider_failing_seconds{kind="failing"}', 0],
        ['provider_failing_seconds{kind="network"}', 0],
        ['database_transactions{state="waiting"}', 0]
      ] as const
      // The refund's own events come after it, and what waits is counted by statements of its own.
      const read = Effect.tap(metrics, () => Effect.sleep("100 millis"))
      const text = yield* Effect.repeat(read, {
        until: (told) => settled.every(([name, value]) => sample(told, name) === value),
        times: 300
      })
      for (const [name, value] of settled) assert.strictEqual(sample(text, name), value, `${name}\n${text}`)
      for (const name of [
        "database_answer_seconds",
        'database_transactions{state="open"}',
        'event_loop_delay_seconds{quantile="0.99"}',
        'provider_calls_total{operation="createRefund",outcome="answered"}'
      ]) {
        assert.isDefined(sample(text, name), name)
      }
      // No audit was made.
      const unread = text.split("\n").filter((line) => line.endsWith(" NaN"))
      assert.deepStrictEqual(
        unread.filter((line) => !line.startsWith("playroom_audit_")),
        []
      )
    })
  )

  it.effect(
    "tells each family with help and type, in names as Prometheus wants them, and each is in docs/observability",
    () =>
      Effect.gen(function* () {
        const { metrics } = yield* World
        const page = readFileSync(new URL("../../docs/observability/README.md", import.meta.url), "utf8")
        const families = [...(yield* metrics).matchAll(/^# TYPE (\S+) (\w+)$/gm)]
        assert.isAbove(families.length, 12)
        for (const [, name = "", type] of families) {
          assert.match(name, /^playroom_[a-z][a-z0-9_]*$/)
          assert.strictEqual(name.endsWith("_total"), type === "counter", name)
          assert.include(page, `\`${name.replace(/^playroom_/, "")}`, name)
        }
      })
  )

  it.effect("logs lines that are one JSON object each, with one text as its message", () =>
    Effect.gen(function* () {
      const { service } = yield* World
      yield* Effect.promise(() => fetch(`${service.baseUrl}/api/PaymentWebhook/Handle`, { method: "POST", body: "{}" }))
      assert.strictEqual(yield* service.stop("SIGTERM"), 0)
      const lines = service
        .output()
        .split("\n")
        .filter((line) => line !== "")
      assert.isAbove(lines.length, 10)
      const messages = lines.map((line) => {
        const entry: Record<string, unknown> = JSON.parse(line)
        assert.isString(entry["message"], line)
        assert.notStrictEqual(entry["message"], "(no message)", line)
        assert.match(String(entry["level"]), /^[A-Z]+$/, line)
        assert.isString(entry["timestamp"], line)
        assert.notProperty(entry, "annotations", line)
        return entry["message"]
      })
      assert.include(messages, "Listening")
      assert.include(messages, "tool call")
    })
  )
})
