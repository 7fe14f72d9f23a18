import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { letReach } from "../../../../src/domain/booking/BookingLinks.ts"
import { Disputes } from "../../../../src/domain/payment/refunds/Disputes.ts"
import { RefundRecords } from "../../../../src/domain/payment/refunds/RefundRecords.ts"
import { PaymentSessions } from "../../../../src/domain/payment/sessions/PaymentSessions.ts"
import { paidBooking, paymentWorld } from "../../../support/PaymentWorld.ts"
import { serverUrl } from "../../../support/TestDatabase.ts"
import { testId } from "../../../support/venues.ts"

/** The plans of the statements that an effect runs. */
const plansOf = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const asked: Array<ReturnType<Statement.Statement<unknown>["compile"]>> = []
  yield* Effect.provideService(work, Statement.CurrentTransformer, (statement) =>
    Effect.sync(() => {
      asked.push(statement.compile())
      return statement
    })
  )
  const plans = yield* Effect.forEach(asked, ([text, params]) =>
    sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain ${text}`, params)
  )
  return plans.map((lines) => lines.map((line) => line["QUERY PLAN"]).join("\n"))
})

layer(paymentWorld())("among thousands of refunds and disputes", (it) => {
  it.effect("those of one payment and of one operator are found by an index", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { booking, session } = yield* paidBooking()
      const { operator_id } = booking
      // Of bookings and payments that are not there: making thousands would take long.
      yield* Effect.gen(function* () {
        yield* sql`set local session_replication_role = replica`
        yield* sql`insert into dispute (dispute_id, operator_id, booking_id, payment_session_id, status, amount, currency,
            reason, created_at, updated_at)
          select 'du_' || n, ${operator_id}, 'booking_' || n, 'payment_' || n, 'lost', 1, 'GBP', 'fraudulent', now(), now()
          from generate_series(1, 3000) n`
        yield* sql`insert into refund (refund_id, operator_id, booking_id, payment_session_id, cause, status, amount,
            currency, request, created_at, updated_at)
          select 'refund_' || n, ${operator_id}, 'booking_' || n, 'payment_' || n, 'dispute',
            case when n % 2 = 0 then 'succeeded' else 'failed' end, 1, 'GBP', '{}', now(), now()
          from generate_series(1, 3000) n`
      }).pipe(sql.withTransaction)
      yield* sql`analyze dispute, refund`
      const ofOther = Disputes.use((all) => all.ofAccount(testId.operator(2), session.account, "", 100))
      for (const plan of yield* plansOf(ofOther)) assert.include(plan, "dispute_operator", plan)
      const [plan = ""] = yield* plansOf(RefundRecords.use((all) => all.settleCovered(session)))
      assert.include(plan, "refund_booking on refund owed", plan)
      assert.include(plan, "refund_booking on refund made", plan)
    })
  )
})

layer(paymentWorld())("a booking that a transaction has locked with its payments", (it) => {
  it.effect.skipIf(serverUrl === undefined)(
    "keeps nobody waiting who only refers to it: a guest who joins, a dispute that is written",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { booking, session } = yield* paidBooking()
        const { booking_id, operator_id } = booking
        yield* sql`insert into api_key (key_id, label, hash, scopes, created_at)
          values ('key_guest', 'a guest', ${new Uint8Array(32)}, '{bookings:read}', now())`
        const locked = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const holding = yield* Effect.all([
          BookingRecords.use((all) => all.lock(booking_id)),
          PaymentSessions.use((all) => all.lockOfBooking(booking_id))
        ]).pipe(
          Effect.andThen(Deferred.succeed(locked, undefined)),
          Effect.andThen(Deferred.await(go)),
          sql.withTransaction,
          Effect.forkScoped
        )
        yield* Deferred.await(locked)
        yield* Effect.gen(function* () {
          yield* sql`set local lock_timeout = '1s'`
          yield* letReach({ key_id: "key_guest", booking_id, may_change: false }, 0)
          yield* sql`insert into dispute (dispute_id, operator_id, booking_id, payment_session_id, status, amount, currency,
              reason, created_at, updated_at)
            values ('du_meanwhile', ${operator_id}, ${booking_id}, ${session.payment_session_id}, 'lost', 1, 'GBP', 'fraudulent', now(), now())`
        }).pipe(sql.withTransaction)
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(holding)
      }).pipe(Effect.scoped)
  )
})
