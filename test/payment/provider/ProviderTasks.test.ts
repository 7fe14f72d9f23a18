import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { addDays, localDateOf } from "../../../src/kernel/LocalTime.ts"
import { ProviderTasks } from "../../../src/payment/provider/ProviderTasks.ts"
import { providerTaskWorker } from "../../../src/payment/workers/ProviderTaskWorker.ts"
import {
  actAndDeliver,
  bookingState,
  cancelBooking,
  createBooking,
  openSession,
  paidBooking,
  paymentWorld,
  paymentWorldInRealTime,
  refundsOf,
  runProviderTasks
} from "../../support/PaymentWorld.ts"
import { packages } from "../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../support/ScriptedGateway.ts"

layer(paymentWorld())("provider tasks", (it) => {
  it.effect("live and die with the transaction that decides them, and are the same task when offered again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tasks = yield* ProviderTasks
      const { session } = yield* paidBooking()
      const { payment_session_id } = session
      const task = { _tag: "expire_session", payment_session_id } as const
      const count = Effect.map(
        sql`select 1 from provider_task where id = ${`expire_${payment_session_id}`}`,
        (rows) => rows.length
      )
      yield* Effect.flip(sql.withTransaction(Effect.andThen(tasks.offer(task), Effect.fail("no"))))
      assert.strictEqual(yield* count, 0)
      yield* sql.withTransaction(tasks.offer(task))
      yield* tasks.offer(task)
      assert.strictEqual(yield* count, 1)
    })
  )

  it.effect("are dead after their tries, and can be revived", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tasks = yield* ProviderTasks
      const { booking } = yield* paidBooking()
      yield* cancelBooking(booking)
      yield* sql`update provider_task set state = 'failed', last_failure = 'why', attempts = 40 where id like 'refund%' and state = 'pending'`
      const [dead] = yield* tasks.dead
      assert.deepStrictEqual([dead?.last_failure, dead?.attempts], ["why", 40])
      assert.isTrue(yield* tasks.revive(dead?.id ?? ""))
      assert.isFalse(yield* tasks.revive(dead?.id ?? ""))
      yield* runProviderTasks
      assert.strictEqual((yield* bookingState(booking)).payment_status, "refunded")
    })
  )
})

layer(paymentWorldInRealTime(), { excludeTestServices: true })("the workers", (it) => {
  it.effect("do tasks soon after the transaction commits, also after a failed try", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const today = localDateOf("UTC", yield* Clock.currentTimeMillis)
      const booking = yield* createBooking(packages.party, { date: addDays(today, 30) })
      const session = yield* openSession(booking)
      yield* actAndDeliver(session, "pay")
      provider.injectFault("createRefund", "unanswered")
      yield* Layer.build(providerTaskWorker())
      yield* cancelBooking(booking)
      yield* Effect.gen(function* () {
        while ((yield* bookingState(booking)).payment_status !== "refunded") yield* Effect.sleep("100 millis")
      }).pipe(Effect.timeout("20 seconds"))
      assert.deepStrictEqual(yield* refundsOf(booking), [
        { cause: "cancellation", status: "succeeded", amount: 12_000 }
      ])
    }).pipe(Effect.scoped)
  )
})
