import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"
import { playroom_id } from "../../../support/Assistant.ts"
import { callTool, newKey, toolWorld } from "../../../support/ToolWorld.ts"

const Options = Schema.decodeUnknownSync(
  Schema.Struct({ options: Schema.Array(Schema.Struct({ option_id: Schema.String })) })
)
const Made = Schema.decodeUnknownSync(
  Schema.Struct({ booking: Schema.Struct({ booking_id: Schema.String, status: Schema.String }) })
)
const Opened = Schema.decodeUnknownSync(
  Schema.Struct({ payment_session: Schema.Struct({ payment_session_id: Schema.String, url: Schema.String }) })
)

const resultOf = Effect.fnUntraced(function* (name: Parameters<typeof callTool>[0], input: unknown, key?: string) {
  const told = yield* callTool(name, input, { key })
  return "result" in told ? told.result : assert.fail(JSON.stringify(told.fault))
})

layer(toolWorld)("get_booking", (it) => {
  it.effect("finds in seconds that a page was paid whose event was lost, and asks for nobody who may not see it", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const key = yield* newKey()
      const stranger = yield* newKey()
      const { options } = Options(
        yield* resultOf("get_booking_options", { playroom_id, date: "2026-12-05", children: 8 })
      )
      const option_id = options[0]?.option_id ?? assert.fail("nothing to book")
      const contact = { name: "Ana Lima", email: "ana@example.com" }
      const { booking } = Made(yield* resultOf("create_booking", { option_id, contact }, key))
      const { payment_session } = Opened(
        yield* resultOf("create_payment_session", { booking_id: booking.booking_id }, key)
      )
      const { booking_id } = booking
      const asked = () => provider.callsOf("getSession").length
      const status = Effect.map(resultOf("get_booking", { booking_id }, key), (answer) => Made(answer).booking.status)

      assert.strictEqual(yield* status, "held")
      assert.strictEqual(asked(), 1)
      provider.act(new URL(payment_session.url).pathname.slice(1), "pay")
      yield* TestClock.adjust("6 seconds")
      const told = yield* callTool("get_booking", { booking_id }, { key: stranger })
      assert.strictEqual("fault" in told ? told.fault.code : "shown", "booking_not_found")
      assert.strictEqual(asked(), 1)
      assert.strictEqual(yield* status, "confirmed")
      assert.strictEqual(yield* status, "confirmed")
      // What is paid is not asked about again.
      yield* TestClock.adjust("1 minute")
      yield* status
      assert.strictEqual(asked(), 2)
    })
  )
})
