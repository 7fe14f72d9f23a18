import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { ToolName } from "../../../../src/surfaces/mcp/tools/ToolList.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { now } from "../../../support/PaymentWorld.ts"
import {
  cake,
  callTool,
  freePackage,
  host,
  hostile,
  importCatalogue,
  issuesOf,
  newKey,
  toolWorld,
  venue
} from "../../../support/ToolWorld.ts"

const { playroom_id } = venue.playroom
const wish = { playroom_id, date: "2026-12-05", children: 8 }
const contact = { name: "Ana Lima", email: "ana@example.com" }

// Each call looks through the sentences of its answer (`callTool`); here are the calls whose sentences are about the
// catalogue.
layer(toolWorld)("what operators write", (it) => {
  it.effect("stands in the data that tools answer with", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      yield* importCatalogue({}, ["2026-12-24"])
      for (const [tool, input] of [
        ["search_playrooms", { city: hostile }],
        ["get_playroom", { playroom_id }],
        ["get_booking_options", wish]
      ] as const) {
        const answer = yield* callTool(tool, input)
        assert.include(JSON.stringify("result" in answer ? answer.result : {}), hostile, tool)
      }
    })
  )

  it.effect("never stands in what is said of add-ons, nor of packages and playrooms that are not there", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const twice = { add_on_id: cake.add_on_id, quantity: 1 }
      const faulty: ReadonlyArray<readonly [ToolName, Record<string, unknown>, RegExp]> = [
        ["get_booking_options", { ...wish, add_ons: [{ ...twice, quantity: 100 }] }, /^At most 3 of addon_\w+/],
        ["get_booking_options", { ...wish, add_ons: [twice, twice] }, /^addon_\w+ is here twice/],
        [
          "get_booking_options",
          { ...wish, add_ons: [{ add_on_id: host.add_on_id, quantity: 7 }] },
          /^addon_\w+ is priced per_booking/
        ],
        ["get_booking_options", { ...wish, cursor: hostile.slice(7) }, /leave cursor out/],
        ["search_playrooms", { sort: "distance" }, /near/]
      ]
      for (const [tool, input, said] of faulty) {
        const answer = yield* callTool(tool, input)
        const [issue] = "fault" in answer ? issuesOf(answer.fault) : []
        assert.match(issue?.message ?? JSON.stringify(answer), said)
      }
    })
  )

  it.effect("never stands in what comes after a booking, held, free, over or refused", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const who = { key: yield* newKey(), address: "192.0.2.2" }
      const optionOf = Effect.fnUntraced(function* (package_id: string, date = wish.date) {
        const answer = yield* callTool("get_booking_options", { ...wish, date, package_id }, who)
        const options = "result" in answer ? answer.result.options : undefined
        const first: unknown = Array.isArray(options) ? options[0] : undefined
        return typeof first === "object" && first !== null && "option_id" in first
          ? first.option_id
          : assert.fail("none")
      })
      const stepOf = Effect.fnUntraced(function* (option_id: unknown, more: Record<string, unknown> = {}) {
        const answer = yield* callTool("create_booking", { option_id, contact, ...more }, who)
        return "result" in answer ? String(answer.result.next_step) : answer.fault.fix
      })
      const [paid] = venue.packages
      const held = yield* optionOf(paid?.package_id ?? "")
      assert.include(yield* stepOf(held, { idempotency_key: "a" }), "call create_payment_session")
      assert.include(yield* stepOf(yield* optionOf(freePackage.package_id, "2026-12-06")), "tell the person")
      assert.include(yield* stepOf(held, { idempotency_key: "b" }), "An earlier call made this booking")
      assert.include(yield* stepOf(held, { another: true }), "details.alternatives")
      yield* TestClock.adjust("16 minutes")
      assert.include(yield* stepOf(held, { idempotency_key: "a" }), "with a new idempotency_key")
      yield* importCatalogue({ packages: venue.packages.map((pkg) => ({ ...pkg, cancellation: [] })) })
      assert.include(yield* stepOf(held, { idempotency_key: "c" }), "time, price and terms")
    })
  )
})
