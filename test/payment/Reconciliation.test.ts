import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { Bookings } from "../../src/booking/Bookings.ts"
import { addDays, localDateOf } from "../../src/kernel/LocalTime.ts"
import { PaymentSessions } from "../../src/payment/PaymentSessions.ts"
import { ProviderTasks } from "../../src/payment/ProviderTasks.ts"
import { ProviderWorker } from "../../src/payment/ProviderWorker.ts"
import { Refunds } from "../../src/payment/Refunds.ts"
import { at } from "../support/BookingWorld.ts"
import {
  book,
  cancel,
  confirmed,
  doTasks,
  hear,
  historyOf,
  now,
  open,
  openBooking,
  packages,
  paidBooking,
  paymentWorld,
  providerId,
  reconcile,
  refundsOf,
  services,
  sessionRow,
  standing
} from "../support/PaymentWorld.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"

layer(paymentWorld())("reconciliation", (it) => {
  it.effect("releases a hold without a page when its time is up, and not before", () =>
    Effect.gen(function* () {
      yield* at(now)
      const booking = yield* book()
      yield* TestClock.adjust("899 seconds")
      yield* reconcile
      assert.strictEqual((yield* standing(booking)).status, "held")
      yield* TestClock.adjust("1 second")
      yield* reconcile
      assert.deepStrictEqual([(yield* standing(booking)).status, (yield* standing(booking)).places], ["expired", false])
      assert.deepStrictEqual(yield* historyOf(booking), ["held", "hold_expired"])
    })
  )

  it.effect("has the page closed at the provider before it releases the places", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* openBooking()
      yield* TestClock.adjust("37 minutes")
      yield* reconcile
      assert.strictEqual(provider.sessions.get(providerId(session))?.status, "expired")
      assert.strictEqual((yield* standing(booking)).status, "expired")
      assert.deepStrictEqual(yield* historyOf(booking), [
        "held",
        "payment_session_created",
        "payment_session_expired",
        "hold_expired"
      ])
    })
  )

  it.effect("keeps the places where the payer was faster, at once or with a delayed method", () =>
    Effect.gen(function* () {
      yield* at(now)
      const provider = yield* ScriptedGateway
      const fast = yield* book()
      provider.act(providerId(yield* open(fast)), "pay")
      const slow = yield* book()
      const delayed = yield* open(slow)
      provider.act(providerId(delayed), "pay_later")
      yield* TestClock.adjust("38 minutes")
      yield* reconcile
      assert.deepStrictEqual(yield* standing(fast), confirmed)
      assert.deepStrictEqual(yield* standing(slow), {
        status: "held",
        payment_status: "processing",
        paid: 0,
        refunded: 0,
        places: true
      })
      // The event of the failure is lost: asking finds it, and the hold ends after its fresh time.
      provider.act(providerId(delayed), "late_failure")
      yield* TestClock.adjust("11 minutes")
      yield* reconcile
      assert.strictEqual((yield* standing(slow)).payment_status, "failed")
      assert.strictEqual((yield* standing(slow)).status, "held")
      yield* TestClock.adjust("15 minutes")
      yield* reconcile
      assert.strictEqual((yield* standing(slow)).status, "expired")
    })
  )

  it.effect(
    "ends a hold at its page's expiry and five minutes while the provider is away, and finds the truth later",
    () =>
      Effect.gen(function* () {
        const provider = yield* ScriptedGateway
        const { booking, session } = yield* openBooking()
        provider.act(providerId(session), "pay")
        provider.away.now = true
        yield* TestClock.adjust("36 minutes")
        yield* reconcile
        assert.strictEqual((yield* standing(booking)).status, "held")
        yield* TestClock.adjust("1 minute")
        yield* reconcile
        assert.strictEqual((yield* standing(booking)).status, "expired")
        provider.away.now = false
        yield* TestClock.adjust("2 minutes")
        yield* reconcile
        assert.deepStrictEqual(yield* standing(booking), confirmed)
      })
  )

  it.effect(
    "names the pages that an operator's lost account does not answer for, until it does or a person has looked",
    () =>
      Effect.gen(function* () {
        yield* at(now)
        const provider = yield* ScriptedGateway
        const sessions = yield* PaymentSessions
        const unanswered = Effect.map(Effect.flatMap(Clock.currentTimeMillis, sessions.unanswered), (rows) =>
          rows.map(({ payment_session_id }) => payment_session_id)
        )
        const paid = yield* open(yield* book())
        const unpaid = yield* open(yield* book())
        provider.act(providerId(paid), "pay")
        yield* TestClock.adjust("37 minutes")
        provider.next("expireSession", "account_closed")
        provider.next("expireSession", "account_closed")
        yield* reconcile
        for (const { booking_id } of [paid, unpaid]) {
          const booking = yield* Bookings.use((bookings) => bookings.get(booking_id))
          assert.strictEqual(booking.status, "expired")
        }
        assert.deepStrictEqual(yield* unanswered, [])
        yield* TestClock.adjust("1 hour")
        provider.next("getSession", "account_closed")
        provider.next("getSession", "account_closed")
        yield* reconcile
        assert.sameMembers(yield* unanswered, [paid.payment_session_id, unpaid.payment_session_id])

        assert.isTrue(yield* sessions.accountedFor(unpaid.payment_session_id, yield* Clock.currentTimeMillis))
        assert.isFalse(yield* sessions.accountedFor(unpaid.payment_session_id, yield* Clock.currentTimeMillis))
        assert.deepStrictEqual(yield* unanswered, [paid.payment_session_id])
        yield* TestClock.adjust("2 minutes")
        yield* reconcile
        assert.deepStrictEqual(yield* unanswered, [])
        assert.strictEqual((yield* sessionRow(paid.payment_session_id)).status, "paid")
        assert.strictEqual((yield* sessionRow(unpaid.payment_session_id)).status, "expired")
      })
  )

  it.effect(
    "finishes a creation that was never answered, and gives it up where nobody needs it or its time is over",
    () =>
      Effect.gen(function* () {
        yield* at(now)
        const provider = yield* ScriptedGateway
        const sessions = yield* PaymentSessions
        const statusOf = (booking: { readonly booking_id: string }) =>
          Effect.map(
            Effect.flatMap(
              SqlClient.SqlClient,
              (sql) =>
                sql<{ status: string }>`select status from payment_session where booking_id = ${booking.booking_id}`
            ),
            (rows) => rows.map(({ status }) => status)
          )
        const wanted = yield* book()
        const unwanted = yield* book()
        for (const booking of [wanted, unwanted]) {
          provider.next("createSession", "unanswered")
          yield* Effect.flip(open(booking))
        }
        yield* cancel(unwanted)
        const pages = provider.sessions.size
        yield* TestClock.adjust("70 seconds")
        yield* reconcile
        assert.deepStrictEqual([yield* statusOf(wanted), yield* statusOf(unwanted)], [["open"], ["failed"]])
        assert.strictEqual(provider.sessions.size, pages)
        assert.isTrue(Option.isSome(yield* sessions.live(wanted.booking_id, "due_now")))

        const late = yield* book()
        provider.next("createSession", "away")
        yield* Effect.flip(open(late))
        const calls = provider.calls.length
        yield* TestClock.adjust("40 minutes")
        yield* reconcile
        assert.deepStrictEqual(yield* statusOf(late), ["failed"])
        assert.isFalse(provider.calls.slice(calls).some(({ operation }) => operation === "createSession"))
      })
  )

  it.effect("sends a refund again whose answer was lost, under the same key, and it is made once", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      yield* cancel(booking)
      provider.next("createRefund", "unanswered")
      assert.strictEqual(yield* doTasks, 0)
      assert.strictEqual((yield* standing(booking)).payment_status, "refund_pending")
      yield* TestClock.adjust("3 minutes")
      yield* reconcile
      yield* doTasks
      assert.deepStrictEqual(provider.balance(providerId(session)), { paid: 12_000, refunded: 12_000 })
      const sent = provider.calls.filter(({ operation }) => operation === "createRefund").slice(-2)
      assert.deepStrictEqual(sent[0], sent[1])
      assert.deepStrictEqual(yield* standing(booking), {
        status: "cancelled",
        payment_status: "refunded",
        paid: 12_000,
        refunded: 12_000,
        places: false
      })
    })
  )

  it.effect("finds a refund that was made before the provider forgot its key, instead of making another", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking(packages.depositParty)
      const balance = yield* open(booking, "balance")
      yield* hear(balance, "pay")
      yield* cancel(booking)
      provider.next("createRefund", "unanswered")
      yield* doTasks
      provider.away.now = true
      yield* TestClock.adjust("25 hours")
      yield* reconcile
      provider.away.now = false
      provider.forgetKeys()
      yield* TestClock.adjust("3 minutes")
      yield* reconcile
      assert.deepStrictEqual(provider.balance(providerId(balance)), { paid: 15_000, refunded: 15_000 })
      assert.deepStrictEqual(provider.balance(providerId(session)), { paid: 5000, refunded: 0 })
      assert.deepStrictEqual(yield* standing(booking), {
        status: "cancelled",
        payment_status: "partially_refunded",
        paid: 20_000,
        refunded: 15_000,
        places: false
      })
    })
  )

  it.effect("follows a refund that the provider takes its time over, to its end or its failure", () =>
    Effect.gen(function* () {
      yield* at(now)
      const provider = yield* ScriptedGateway
      const refunds = yield* Refunds
      provider.refundsStart.as = "pending"
      const good = yield* paidBooking()
      const bad = yield* paidBooking()
      for (const { booking } of [good, bad]) yield* cancel(booking)
      yield* doTasks
      provider.refundsStart.as = "succeeded"
      assert.deepStrictEqual(yield* refundsOf(good.booking), [
        { cause: "cancellation", status: "pending", amount: 12_000 }
      ])
      for (const refund of provider.refunds.values()) {
        if (refund.status !== "pending") continue
        const ours = refund.payment_intent_id === good.session.payment_intent_id
        Object.assign(
          refund,
          ours ? { status: "succeeded" } : { status: "failed", failure_reason: "expired_or_canceled_card" }
        )
      }
      yield* TestClock.adjust("11 minutes")
      yield* reconcile
      assert.strictEqual((yield* standing(good.booking)).payment_status, "refunded")
      assert.deepStrictEqual(yield* standing(bad.booking), {
        status: "cancelled",
        payment_status: "refund_pending",
        paid: 12_000,
        refunded: 0,
        places: false
      })
      assert.deepStrictEqual((yield* historyOf(bad.booking)).at(-1), "refund_failed")
      const owed = (yield* refunds.failed).filter(({ booking_id }) => booking_id === bad.booking.booking_id)
      assert.deepStrictEqual(
        owed.map(({ failure }) => failure),
        ["expired_or_canceled_card"]
      )
      // The operator gives it back by hand: then it is settled after all.
      provider.refundByHand(providerId(bad.session), 12_000)
      yield* TestClock.adjust("7 hours")
      yield* reconcile
      assert.strictEqual((yield* standing(bad.booking)).payment_status, "refunded")
      assert.isFalse((yield* refunds.failed).some(({ booking_id }) => booking_id === bad.booking.booking_id))
    })
  )

  it.effect("notices refunds made in the provider's dashboard, once, and refunds no more than what is left", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      provider.refundByHand(providerId(session), 5000)
      for (let i = 0; i < 2; i++) {
        yield* TestClock.adjust("7 hours")
        yield* reconcile
      }
      assert.deepStrictEqual(yield* standing(booking), {
        ...confirmed,
        payment_status: "partially_refunded",
        refunded: 5000
      })
      assert.deepStrictEqual(yield* refundsOf(booking), [{ cause: "dashboard", status: "succeeded", amount: 5000 }])
      assert.strictEqual((yield* cancel(booking)).refund.amount, 7000)
      yield* doTasks
      assert.deepStrictEqual(provider.balance(providerId(session)), { paid: 12_000, refunded: 12_000 })
      assert.strictEqual((yield* standing(booking)).payment_status, "refunded")
    })
  )

  it.effect("settles a refund that the operator had made by hand before ours was sent", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const refunds = yield* Refunds
      const { booking, session } = yield* paidBooking()
      provider.refundByHand(providerId(session), 12_000)
      yield* cancel(booking)
      yield* doTasks
      assert.deepStrictEqual(provider.balance(providerId(session)), { paid: 12_000, refunded: 12_000 })
      assert.strictEqual((yield* standing(booking)).payment_status, "refunded")
      assert.isFalse((yield* refunds.failed).some(({ booking_id }) => booking_id === booking.booking_id))
    })
  )

  it.effect("gives back what is left of a payment that the operator had refunded in part, unseen", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const refunds = yield* Refunds
      const { booking, session } = yield* paidBooking()
      provider.refundByHand(providerId(session), 5000)
      assert.strictEqual((yield* cancel(booking)).refund.amount, 12_000)
      yield* doTasks
      assert.deepStrictEqual(provider.balance(providerId(session)), { paid: 12_000, refunded: 12_000 })
      const { payment_status, refunded } = yield* standing(booking)
      assert.deepStrictEqual([payment_status, refunded], ["refunded", 12_000])
      assert.sameDeepMembers(
        [...(yield* refundsOf(booking))],
        [
          { cause: "cancellation", status: "succeeded", amount: 7000 },
          { cause: "dashboard", status: "succeeded", amount: 5000 }
        ]
      )
      assert.isFalse((yield* refunds.failed).some(({ booking_id }) => booking_id === booking.booking_id))
    })
  )

  it.effect("says what is owed where the provider refuses a refund", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const refunds = yield* Refunds
      const { booking } = yield* paidBooking()
      yield* cancel(booking)
      provider.next("createRefund", "refused")
      yield* doTasks
      const owed = (yield* refunds.failed).find(({ booking_id }) => booking_id === booking.booking_id)
      assert.include(owed?.failure, "test_refused")
      assert.strictEqual((yield* standing(booking)).payment_status, "refund_pending")
    })
  )

  it.effect("shares its rows between nodes: each page is asked about once", () =>
    Effect.gen(function* () {
      yield* at(now)
      const provider = yield* ScriptedGateway
      const booking = yield* book()
      provider.act(providerId(yield* open(booking)), "pay_later")
      yield* TestClock.adjust("38 minutes")
      const calls = provider.calls.length
      yield* Effect.all(
        Array.from({ length: 4 }, () => reconcile),
        { concurrency: "unbounded" }
      )
      const about = provider.calls.slice(calls).filter(({ operation }) => operation === "expireSession")
      assert.strictEqual(about.length, 1)
      assert.strictEqual((yield* standing(booking)).payment_status, "processing")
    })
  )
})

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
      yield* cancel(booking)
      yield* sql`update provider_task set state = 'failed', last_failure = 'why', attempts = 40 where id like 'refund%' and state = 'pending'`
      const [dead] = yield* tasks.dead
      assert.deepStrictEqual([dead?.last_failure, dead?.attempts], ["why", 40])
      assert.isTrue(yield* tasks.revive(dead?.id ?? ""))
      assert.isFalse(yield* tasks.revive(dead?.id ?? ""))
      yield* doTasks
      assert.strictEqual((yield* standing(booking)).payment_status, "refunded")
    })
  )
})

layer(services(), { excludeTestServices: true })("the workers", (it) => {
  it.effect("do tasks soon after the transaction commits, also after a failed try", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const today = localDateOf("UTC", yield* Clock.currentTimeMillis)
      const booking = yield* book(packages.party, { date: addDays(today, 30) })
      const session = yield* open(booking)
      yield* hear(session, "pay")
      provider.next("createRefund", "unanswered")
      yield* Layer.build(ProviderWorker.workers())
      yield* cancel(booking)
      yield* Effect.gen(function* () {
        while ((yield* standing(booking)).payment_status !== "refunded") yield* Effect.sleep("100 millis")
      }).pipe(Effect.timeout("20 seconds"))
      assert.deepStrictEqual(yield* refundsOf(booking), [
        { cause: "cancellation", status: "succeeded", amount: 12_000 }
      ])
    }).pipe(Effect.scoped)
  )
})
