import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { fragileDatabase, startReceivers } from "../../support/fragileDatabase.ts"

it.live(
  "an event that comes while the database is away is asked for again with 503, and taken when it is back",
  () =>
    Effect.gen(function* () {
      const database = yield* Effect.provide(fragileDatabase, Reactivity.layer)
      const { deliver, storedIds } = yield* startReceivers(database.client)
      assert.deepStrictEqual((yield* deliver("evt_before")).body, { received: true })
      database.go()
      for (const id of ["evt_away", "evt_away", "evt_before"]) {
        const refused = yield* deliver(id)
        assert.deepStrictEqual([refused.status, refused.hasRetryAfter], [503, true])
        assert.propertyVal(refused.body, "code", "service_unavailable")
      }
      database.comeBack()
      // The provider sends again what was not taken; the pool needs a moment to connect anew.
      let taken = yield* deliver("evt_away")
      while (taken.status !== 200) {
        yield* Effect.sleep("100 millis")
        taken = yield* deliver("evt_away")
      }
      assert.deepStrictEqual(taken.body, { received: true })
      assert.deepStrictEqual((yield* deliver("evt_before")).body, { received: true, duplicate: true })
      assert.sameMembers(yield* storedIds, ["evt_before", "evt_away"])
    }).pipe(Effect.scoped),
  120_000
)
