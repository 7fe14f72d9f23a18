import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"
import { ask, inside, payingPackage, playroom_id } from "../../../support/Assistant.ts"
import { callTool, newKey, toolWorld } from "../../../support/ToolWorld.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { now } from "../../../support/PaymentWorld.ts"
import { recordingTracer } from "../../../support/recordedSpans.ts"

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

const shownIn = (answer: unknown): unknown =>
  typeof answer === "object" && answer !== null && "booking" in answer ? answer.booking : undefined

layer(toolWorld)("a booking that was just made", (it) => {
  it.effect("is answered with what get_booking would say, without a read of payments that it can't have", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const key = yield* newKey()
      const options = yield* ask(
        "get_booking_options",
        { playroom_id, date: "2026-12-05", children: 8, package_id: payingPackage.package_id },
        {}
      )
      const wish = {
        option_id: inside(options, "options", 0, "option_id"),
        contact: { name: "Ana Lima", email: "ana@example.com" }
      }
      const { statements, tracer } = recordingTracer()
      const made = yield* Effect.withTracer(ask("create_booking", wish, { key }), tracer)
      const run = statements().map(String)
      assert.deepStrictEqual(
        run.filter((text) => /from (payment_session|refund|operator)\b/.test(text)),
        [],
        run.join("\n")
      )
      const booking_id = inside(made, "booking", "booking_id")
      assert.deepStrictEqual(shownIn(made), shownIn(yield* ask("get_booking", { booking_id }, { key })))
      // A repeat may be answered long afterwards, so its payments are read.
      const repeat = recordingTracer()
      const again = yield* Effect.withTracer(ask("create_booking", wish, { key }), repeat.tracer)
      assert.deepStrictEqual(shownIn(again), shownIn(made))
      assert.isTrue(repeat.statements().some((text) => String(text).includes("from payment_session")))
    })
  )

  it.effect(
    "asks the database three times once its key is known: for the venue, for its calendar, and to write it",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const key = yield* newKey()
        const asked = { playroom_id, children: 8, package_id: payingPackage.package_id }
        const counts: Array<number> = []
        for (const date of ["2026-12-06", "2026-12-07"]) {
          const options = yield* ask("get_booking_options", { ...asked, date }, {})
          const { statements, tracer } = recordingTracer()
          const wish = {
            option_id: inside(options, "options", 0, "option_id"),
            contact: { name: "Ben Ode", email: "ben@example.com" }
          }
          yield* Effect.withTracer(ask("create_booking", wish, { key }), tracer)
          counts.push(statements().length)
        }
        // The first one reads the key, and writes down that it is used.
        assert.deepStrictEqual(counts, [5, 3])
      })
  )
})
