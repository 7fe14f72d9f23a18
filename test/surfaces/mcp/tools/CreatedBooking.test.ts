import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { setClock } from "../../../support/BookingWorld.ts"
import { ask, inside, payingPackage, playroom_id } from "../../../support/Assistant.ts"
import { now } from "../../../support/PaymentWorld.ts"
import { recordingTracer } from "../../../support/recordedSpans.ts"
import { newKey, toolWorld } from "../../../support/ToolWorld.ts"

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
