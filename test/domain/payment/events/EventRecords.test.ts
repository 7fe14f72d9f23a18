import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { EventRecords, type EventToStore } from "../../../../src/domain/payment/events/EventRecords.ts"
import { recordingTracer } from "../../../support/recordedSpans.ts"
import { TestDatabase } from "../../../support/TestDatabase.ts"

const at = new Date("2026-11-20T09:00:00Z")
const event = (event_id: string, receiver = "connected"): EventToStore => ({
  event_id,
  receiver,
  type: "checkout.session.completed",
  account: "acct_1",
  livemode: false,
  api_version: null,
  payload: "{}",
  status: "received",
  outcome: null,
  payment_session_id: null,
  fetch: false,
  received_at: at
})

/** Stores all at once; answers what became of each, and how many statements it took. */
const storeAll = Effect.fnUntraced(function* (events: ReadonlyArray<EventToStore>) {
  const { store } = yield* EventRecords
  const { statements, tracer } = recordingTracer()
  const results = yield* Effect.all(
    events.map((one) => Effect.result(store(one))),
    { concurrency: "unbounded" }
  ).pipe(Effect.provideService(Tracer.Tracer, tracer))
  return { results, statements: statements().length }
})

const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ event_id: string }>`select event_id from webhook_event order by event_id`
)

layer(Layer.provideMerge(EventRecords.layer, TestDatabase.layer))("the store of events", (it) => {
  it.effect("writes many that come at once in a few statements, and each once", () =>
    Effect.gen(function* () {
      const { results, statements } = yield* storeAll(
        Array.from({ length: 100 }, (_, i) => event(`evt_${String(i % 80).padStart(3, "0")}`))
      )
      const stored = results.filter((result) => Result.isSuccess(result) && result.success)
      assert.deepStrictEqual([stored.length, (yield* rows).length], [80, 80])
      assert.isTrue(results.every(Result.isSuccess))
      assert.isBelow(statements, 10)
      assert.isAbove(statements, 0)
    })
  )

  it.effect("does not let one that can't be stored stand in the way of the others", () =>
    Effect.gen(function* () {
      const { results } = yield* storeAll([event("evt_a"), event("evt_b", "nobody"), event("evt_c"), event("evt_d")])
      assert.deepStrictEqual(
        results.map((result) =>
          Result.match(result, {
            onSuccess: (stored) => stored,
            onFailure: (error) => (error._tag === "SqlError" ? error.reason._tag : error._tag)
          })
        ),
        [true, "ConstraintError", true, true]
      )
      const kept = (yield* rows).map(({ event_id }) => event_id).filter((id) => !/\d/.test(id))
      assert.deepStrictEqual(kept, ["evt_a", "evt_c", "evt_d"])
    })
  )
})
