import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Authentication, callerOf, credentialsOf } from "../../../../src/platform/access/Authentication.ts"
import { ToolCalls } from "../../../../src/surfaces/mcp/tools/ToolCalls.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { ask, inside, payingPackage, playroom_id } from "../../../support/Assistant.ts"
import { now } from "../../../support/PaymentWorld.ts"
import { newKey, toolWorld } from "../../../support/ToolWorld.ts"

const date = "2026-12-05"
const question = { playroom_id, date, children: 8 }
let addresses = 0

/** The answer's own text, from an address of its own. */
const textFor = (apiKey: string | undefined, input: object = question) =>
  Effect.gen(function* () {
    const { call } = yield* ToolCalls
    const credentials = credentialsOf({ "x-api-key": apiKey })
    const caller = callerOf(yield* Authentication, credentials, `203.0.113.${++addresses}`)
    return (yield* call({ name: "get_booking_options", arguments: input, caller })).json
  })

const heldIn = (json: string): unknown => JSON.parse(json).held_by_you

layer(toolWorld)("holds of the key that asks", (it) => {
  it.effect(
    "are told to it as a bare fact with the options of their dates, and to nobody else, while they are alive",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const [mine, other, writer] = [yield* newKey(), yield* newKey(), yield* newKey({ scopes: ["bookings:write"] })]
        const empty = yield* textFor(undefined)
        assert.strictEqual(yield* textFor(mine), empty)
        const both = { ...question, date_to: "2026-12-06", package_id: payingPackage.package_id }
        const options = yield* ask("get_booking_options", both, {})
        const contact = { name: "Ana Lima", email: "ana@example.com" }
        const made = yield* ask(
          "create_booking",
          { option_id: inside(options, "options", 0, "option_id"), contact },
          { key: mine }
        )
        // A key that may not read bookings is told of none, its own neither.
        const bens = {
          option_id: inside(options, "options", 1, "option_id"),
          contact: { ...contact, email: "ben@example.com" }
        }
        yield* ask("create_booking", bens, { key: writer })
        const told = yield* textFor(mine)
        assert.isTrue(heldIn(told))
        // It tells no more: the key may serve other families, too.
        for (const name of ["reference", "booking_id"]) assert.notInclude(told, inside(made, "booking", name))
        // Nothing else differs, and whoever asks otherwise gets the same bytes.
        const { held_by_you: _, ...rest } = JSON.parse(told)
        const open = yield* textFor(undefined)
        assert.notStrictEqual(open, empty)
        assert.strictEqual(JSON.stringify(rest), open)
        for (const key of [other, writer, "playroom_key_wrong", "wrong", "", " "])
          assert.strictEqual(yield* textFor(key), open, key)
        // No name, no address, no id.
        assert.notMatch(told, /ana@|Ana|booking_0/)
        const next = { ...question, date: "2026-12-06" }
        for (const key of [mine, writer]) assert.strictEqual(yield* textFor(key, next), yield* textFor(undefined, next))
        const days = yield* textFor(mine, { ...question, date: "2026-11-20", date_to: date })
        assert.isTrue(heldIn(days))
        // It is told first: who asks anew for another party misses the start that it holds itself.
        assert.match(days, /^\{"ask":"This key holds places on these days: starts may be missing until that lapses\. /)
        yield* setClock("2026-12-04T23:00:00Z")
        assert.isUndefined(heldIn(yield* textFor(mine)))
      })
  )

  it.effect("are not told where the keys can't be read, and answers go on without the key", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const sql = yield* SqlClient.SqlClient
      const open = yield* textFor(undefined)
      const unknown = yield* newKey()
      yield* sql`alter table api_key rename to api_key_away`
      const without = yield* textFor(unknown)
      yield* sql`alter table api_key_away rename to api_key`
      assert.strictEqual(without, open)
    })
  )
})
