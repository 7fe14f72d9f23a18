import { assert, it, layer } from "@effect/vitest"
import { Arbitrary, Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PaymentSessionId, RefundId } from "../../../../src/platform/ids/Ids.ts"
import { addDays, localDateOf } from "../../../../src/platform/time/LocalTime.ts"
import { ProviderTask, ProviderTasks } from "../../../../src/domain/payment/provider/ProviderTasks.ts"
import { providerTaskWorker } from "../../../../src/domain/payment/workers/ProviderTaskWorker.ts"
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
} from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

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

layer(paymentWorld())("a provider task of a newer release", (it) => {
  it.effect("waits for a node of that release: an older one fails to run it, and it is due again later", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tasks = yield* ProviderTasks
      const { session } = yield* paidBooking()
      const known = { _tag: "expire_session", payment_session_id: session.payment_session_id } as const
      yield* tasks.offer(known)
      const id = `expire_${session.payment_session_id}`
      const elements = [
        { _tag: "send_invoice", invoice_id: "invoice_1" },
        { _tag: "expire_session", payment_session: "renamed" },
        "of another form"
      ]
      for (const element of elements) {
        yield* sql`update provider_task set element = ${JSON.stringify(element)}, state = 'pending', visible_at = now() - interval '1 second' where id = ${id}`
        const told = yield* Effect.flip(tasks.take(() => Effect.void))
        assert.strictEqual(told._tag, "UnknownProviderTask")
        const [after] = yield* sql<{ state: string; later: boolean; last_failure: string }>`
          select state, visible_at > now() as later, last_failure from provider_task where id = ${id}`
        assert.deepInclude(after, { state: "pending", later: true })
        assert.include(after?.last_failure, "a newer one does")
      }
      // The node of the newer release finds what that one has stored.
      yield* sql`update provider_task set element = ${JSON.stringify(known)}, visible_at = now() - interval '1 second' where id = ${id}`
      assert.deepStrictEqual(yield* tasks.take((task) => Effect.succeed(task)), known)
      const [done] = yield* sql<{ state: string }>`select state from provider_task where id = ${id}`
      assert.strictEqual(done?.state, "completed")
    })
  )
})

/**
 * What the release before this one knows. Nodes of both run side by side: a kind or a field that is new here has to be
 * known by a release before one offers it (`docs/upgrading.md`). A release that is made takes over what `ProviderTask`
 * is.
 */
const Released = Schema.TaggedUnion({
  expire_session: { payment_session_id: PaymentSessionId },
  refund: { refund_id: RefundId, again: Schema.optionalKey(Schema.String) }
})

it.effect("provider tasks are read by the release before, and its tasks by this one, with nothing lost", () =>
  Effect.gen(function* () {
    const strict = { onExcessProperty: "error" } as const
    const [ours, theirs] = [Schema.toCodecJson(ProviderTask), Schema.toCodecJson(Released)]
    for (const task of yield* Arbitrary.sampleEffect(Arbitrary.schema(ProviderTask), { count: 200 })) {
      const read = Schema.decodeUnknownSync(theirs, strict)(Schema.encodeSync(ours)(task))
      assert.deepStrictEqual(read, task)
    }
    for (const task of yield* Arbitrary.sampleEffect(Arbitrary.schema(Released), { count: 200 })) {
      const read = Schema.decodeUnknownSync(ours, strict)(Schema.encodeSync(theirs)(task))
      assert.deepStrictEqual(read, task)
    }
  })
)

layer(paymentWorldInRealTime(), { excludeTestServices: true })("the workers", (it) => {
  it.effect("do tasks soon after the transaction commits, also after a failed try", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const today = localDateOf("UTC", yield* Clock.currentTimeMillis)
      const booking = yield* createBooking(packages.party, { date: addDays(today, 30) })
      const session = yield* openSession(booking)
      yield* actAndDeliver(session, "pay")
      provider.injectFault("createRefund", "unanswered")
      yield* Layer.build(providerTaskWorker)
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
