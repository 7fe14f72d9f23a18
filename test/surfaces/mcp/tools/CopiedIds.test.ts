import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { setClock } from "../../../support/BookingWorld.ts"
import { ask, createCall, inside, optionFor, playroom_id, type Run } from "../../../support/Assistant.ts"
import { deleteBookings, now } from "../../../support/PaymentWorld.ts"
import { cake, callTool, type Fault, issuesOf, newKey, toolWorld, venue } from "../../../support/ToolWorld.ts"
import { base32, crockford, slipsOf, withSlips } from "../../../support/slips.ts"

let addresses = 0
/** A call from an address of its own, so that no limit of one address is met. */
const faultOf = Effect.fnUntraced(function* (
  tool: Parameters<typeof callTool>[0],
  input: Readonly<Record<string, unknown>>,
  key?: string
) {
  const address = `198.51.${Math.floor(++addresses / 250)}.${addresses % 250}`
  const told = yield* callTool(tool, input, { key, address })
  return "fault" in told ? told.fault : assert.fail(`${JSON.stringify(input)}: ${JSON.stringify(told.result)}`)
})

/** Some texts at one letter from a text, always the same. */
const some = (slips: Iterable<string>, count = 12) =>
  fc.sample(fc.constantFrom(...slips), { numRuns: count, seed: 20_261_128 })

/** The ways to say that an id is nothing here: its shape is wrong, or there is no such thing. */
const isNothing = (fault: Fault, code: string, path: string, slip: string) => {
  if (fault.code === "invalid_arguments")
    assert.include(
      issuesOf(fault)
        .map((issue) => issue.path)
        .join(" "),
      path,
      slip
    )
  else assert.strictEqual(fault.code, code, slip)
}

layer(toolWorld)("an id that was copied wrongly", (it) => {
  const wish = Effect.gen(function* () {
    yield* setClock(now)
    yield* deleteBookings
    const known = { playroom_id, date: "2026-12-05", children: 8, contact: { name: "Ana", email: "ana@example.com" } }
    const key = yield* newKey()
    return { who: { key, address: "192.0.2.99" }, known, bound: false } satisfies Run
  })

  it.effect("an option's: nothing is booked, and the call says to ask for the options again", () =>
    Effect.gen(function* () {
      const run = yield* wish
      const option_id = yield* optionFor(run)
      const sql = yield* SqlClient.SqlClient
      const bookings = sql<{ n: number }>`select count(*)::int as n from booking`
      const before = yield* bookings
      const copies = [
        ...some(slipsOf(option_id), 40),
        ...fc.sample(withSlips(option_id), { numRuns: 40, seed: 20_261_128 }),
        // In what stands before the letters, and in what was put around them.
        option_id.replace("option", "optlon"),
        option_id.replace("_", "-"),
        option_id.slice(7),
        option_id.toUpperCase(),
        `${option_id}"`,
        `option_${"A".repeat(100)}`,
        "option_AZB4AAAAAAAAAAAAAAAAAAHMlQ5iAAAAAAAAAAgA"
      ].filter((copy) => copy !== option_id)
      assert.isAbove(copies.length, 80)
      for (const copy of copies) {
        if (copy.trim() === "") continue
        const fault = yield* faultOf("create_booking", createCall(run, copy).input, run.who.key)
        assert.deepInclude(fault, { code: "option_invalid", details: { reason: "malformed" } }, copy)
        assert.include(fault.message, "not copied exactly: call get_booking_options again")
      }
      assert.deepStrictEqual(yield* bookings, before)
      yield* ask("create_booking", createCall(run, option_id).input, run.who)
    })
  )

  it.effect("an option's, under an idempotency key that was used for the right one: the slip is told", () =>
    Effect.gen(function* () {
      const run = yield* wish
      const option_id = yield* optionFor(run)
      const { input } = createCall(run, option_id)
      const keyed = { ...input, idempotency_key: "one wish" }
      yield* ask("create_booking", keyed, run.who)
      const slip = option_id.replace("_", "-")
      const fault = yield* faultOf("create_booking", { ...keyed, option_id: slip }, run.who.key)
      assert.deepInclude(fault, { code: "option_invalid", details: { reason: "malformed" } })
      const other = yield* faultOf("create_booking", { ...keyed, notes: "Another wish." }, run.who.key)
      assert.include(other, { code: "idempotency_conflict" })
    })
  )

  it.effect("a cursor's: it is none of ours, whichever list it is of", () =>
    Effect.gen(function* () {
      const { known, who } = yield* wish
      const options = { playroom_id, date: known.date, children: 8, limit: 1 }
      const lists = [
        ["get_booking_options", options],
        ["search_playrooms", { limit: 1 }]
      ] as const
      for (const [tool, query] of lists) {
        const cursor = inside(yield* ask(tool, query, who), "next_cursor")
        for (const slip of some(slipsOf(cursor))) {
          const fault = yield* faultOf(tool, { ...query, cursor: slip })
          assert.deepStrictEqual(
            issuesOf(fault).map(({ path }) => path),
            ["cursor"],
            slip
          )
        }
      }
    })
  )

  it.effect("a playroom's, a package's, an add-on's, a booking's and a reference's: there is no such thing", () =>
    Effect.gen(function* () {
      const run = yield* wish
      const { known, who } = run
      const { booking } = yield* ask("create_booking", createCall(run, yield* optionFor(run)).input, who)
      const [package_id, add_on_id] = [inside(booking, "package_id"), cake.add_on_id]
      const options = { playroom_id, date: known.date, children: 8 }
      assert.include(
        venue.packages.map((pkg) => pkg.package_id),
        package_id
      )
      for (const slip of some(slipsOf(playroom_id, base32)))
        isNothing(yield* faultOf("get_playroom", { playroom_id: slip }), "playroom_not_found", "playroom_id", slip)
      for (const slip of some(slipsOf(package_id, base32))) {
        const fault = yield* faultOf("get_booking_options", { ...options, package_id: slip })
        isNothing(fault, "package_not_found", "package_id", slip)
      }
      for (const slip of some(slipsOf(add_on_id, base32))) {
        const add_ons = [{ add_on_id: slip, quantity: 1 }]
        const fault = yield* faultOf("get_booking_options", { ...options, add_ons })
        isNothing(fault, "invalid_arguments", "add_ons[0].add_on_id", slip)
      }
      for (const slip of some(slipsOf(inside(booking, "booking_id"), base32))) {
        for (const tool of ["get_booking", "create_payment_session"] as const) {
          const fault = yield* faultOf(tool, { booking_id: slip }, who.key)
          isNothing(fault, "booking_not_found", "booking_id", slip)
        }
      }
      const reference = inside(booking, "reference")
      for (const slip of some(slipsOf(reference, crockford))) {
        const address = `203.0.113.${++addresses % 250}`
        const told = yield* callTool(
          "get_booking",
          { reference: slip, contact_email: "ana@example.com" },
          { key: who.key, address }
        )
        if ("fault" in told) {
          if (told.fault.code !== "rate_limited") isNothing(told.fault, "booking_not_found", "reference", slip)
        } else assert.strictEqual(inside(told.result, "booking", "reference"), reference)
      }
    })
  )
})
