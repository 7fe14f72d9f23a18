/** Events of refunds and disputes make the provider be asked at once what went back of their payment. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as fc from "fast-check"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PaymentSessions } from "../../../../src/domain/payment/sessions/PaymentSessions.ts"
import { events } from "../../../../src/domain/payment/events/Events.ts"
import { WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import { hourMs } from "../../../../src/platform/time/LocalTime.ts"
import {
  actAtProvider,
  bookingState,
  bookingWithSession,
  callCount,
  cancelBooking,
  deleteBookings,
  deliverAndApply,
  deliverEvent,
  historyOf,
  paidBooking,
  paymentWorld,
  reconcile,
  reconcileAfter,
  refundsOf,
  runProviderTasks,
  sessionRow,
  setClockBefore,
  storedEvent
} from "../../../support/PaymentWorld.ts"
import { moneyEvent, type MoneyEventType, sessionEvent } from "../../../support/providerEvents.ts"
import { otherVenue } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

/** £120 is paid, and everything that follows from the payment is done. */
const paid = Effect.gen(function* () {
  yield* deleteBookings
  const made = yield* paidBooking()
  yield* TestClock.adjust("2 minutes")
  const intent = made.session.payment_intent_id ?? assert.fail("no payment")
  return { ...made, intent, charge: intent.replace("pi_", "ch_"), provider: yield* ScriptedGateway }
})
type Paid = Effect.Success<typeof paid>

const counted = Effect.fnUntraced(function* ({ booking, session }: Paid) {
  const { payment_status, refunded } = yield* bookingState(booking)
  return [payment_status, refunded, (yield* sessionRow(session.payment_session_id)).refunded]
})
/** The event comes, and the workers run once, a minute later at most. */
const hear = Effect.fnUntraced(function* (...all: ReadonlyArray<{ readonly id: string }>) {
  const seen = yield* deliverAndApply(...all)
  yield* reconcileAfter("1 minute")
  return seen
})
const checkAt = ({ session }: Paid) =>
  Effect.map(
    SqlClient.SqlClient.use(
      (sql) =>
        sql<{ at: Date | null }>`select refund_check_at as at from payment_session
          where payment_session_id = ${session.payment_session_id}`
    ),
    ([row]) => row?.at?.getTime() ?? null
  )
const asked = callCount("listDisputes")
const inAnyOrder = Object.keys(events).filter((type): type is MoneyEventType => /^(refund|charge)\./.test(type))

layer(paymentWorld())("an event of a refund or a dispute", (it) => {
  it.effect("has a dispute in the books as it is opened, lost, appealed, won and corrected, without waiting", () =>
    Effect.gen(function* () {
      const booked = yield* paid
      const { id } = booked.provider.openDispute(booked.session)
      yield* reconcileAfter("1 hour")
      assert.notInclude(yield* historyOf(booked.booking), "disputed", "nobody has said so")
      const [seen] = yield* hear(moneyEvent("charge.dispute.created", id, booked.intent))
      assert.deepStrictEqual(
        [seen?.status, seen?.payment_session_id, seen?.booking_id],
        ["applied", booked.session.payment_session_id, booked.booking.booking_id],
        seen?.outcome ?? ""
      )
      assert.include(yield* historyOf(booked.booking), "disputed")
      for (const [type, status, expected] of [
        ["charge.dispute.closed", "lost", ["refunded", 12_000, 12_000]],
        ["charge.dispute.updated", "appeal_under_review", ["refunded", 12_000, 12_000]],
        ["charge.dispute.funds_reinstated", "won", ["paid", 0, 0]],
        ["charge.dispute.funds_withdrawn", "lost", ["refunded", 12_000, 12_000]]
      ] as const) {
        booked.provider.setDisputeStatus(id, status)
        yield* hear(moneyEvent(type, id, booked.intent))
        assert.deepStrictEqual(yield* counted(booked), [...expected], type)
      }
      Object.assign(booked.provider.disputes.get(id) ?? {}, { amount: 5000 })
      yield* hear(moneyEvent("charge.dispute.updated", id, booked.intent))
      assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 5000, 5000])
    })
  )

  it.effect("has a refund by hand in the books, its correction, and its failure after it succeeded", () =>
    Effect.gen(function* () {
      const booked = yield* paid
      const { id } = booked.provider.refundInDashboard(booked.session, 5000)
      yield* hear(moneyEvent("charge.refunded", booked.charge, booked.intent))
      assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 5000, 5000])
      Object.assign(booked.provider.refunds.get(id) ?? {}, { amount: 3000 })
      yield* hear(moneyEvent("charge.refund.updated", id, booked.intent))
      assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 3000, 3000])
      booked.provider.setRefundStatus(id, "failed")
      yield* hear(moneyEvent("refund.failed", id, booked.intent))
      assert.deepStrictEqual(yield* counted(booked), ["refund_pending", 0, 0])
    })
  )

  it.effect("has our own refund settled when the provider has decided, and again when it failed after all", () =>
    Effect.gen(function* () {
      const booked = yield* paid
      booked.provider.newRefundStatus = "pending"
      yield* cancelBooking(booked.booking)
      yield* runProviderTasks
      booked.provider.newRefundStatus = "succeeded"
      const refund = [...booked.provider.refunds.values()].find((one) => one.payment_intent_id === booked.intent)
      const id = refund?.id ?? assert.fail("nothing was refunded")
      const amount = refund?.amount ?? 0
      yield* reconcile
      assert.deepStrictEqual((yield* counted(booked)).slice(1), [0, 0])
      booked.provider.setRefundStatus(id, "succeeded")
      yield* hear(moneyEvent("refund.updated", id, booked.intent))
      assert.deepStrictEqual((yield* counted(booked)).slice(1), [amount, amount])
      booked.provider.setRefundStatus(id, "failed", "expired_or_canceled_card")
      yield* hear(moneyEvent("refund.failed", id, booked.intent))
      assert.deepStrictEqual((yield* counted(booked)).slice(1), [0, 0])
      assert.deepStrictEqual(
        (yield* refundsOf(booked.booking)).map(({ status }) => status),
        ["failed"]
      )
    })
  )

  it.effect("that failed at the operator's hand while it was on its way is sent again as it was corrected", () =>
    Effect.gen(function* () {
      const booked = yield* paid
      const { id } = booked.provider.refundInDashboard(booked.session, 5000)
      booked.provider.setRefundStatus(id, "pending")
      yield* hear(moneyEvent("refund.created", id, booked.intent))
      Object.assign(booked.provider.refunds.get(id) ?? {}, { amount: 2000, status: "failed" })
      yield* hear(moneyEvent("refund.failed", id, booked.intent))
      assert.deepStrictEqual(yield* refundsOf(booked.booking), [{ cause: "dashboard", status: "failed", amount: 2000 }])
    })
  )

  it.effect("leaves the same books in whatever order, and however often", () =>
    Effect.gen(function* () {
      const booked = yield* paid
      const dispute = booked.provider.openDispute(booked.session, 4000, "lost")
      const refund = booked.provider.refundInDashboard(booked.session, 3000)
      const all = inAnyOrder.map((type) =>
        moneyEvent(
          type,
          type.includes("dispute") ? dispute.id : type === "charge.refunded" ? booked.charge : refund.id,
          booked.intent
        )
      )
      assert.lengthOf(all, 10)
      for (const order of fc.sample(fc.shuffledSubarray([...all, ...all], { minLength: 12 }), {
        seed: 7,
        numRuns: 5
      })) {
        for (const event of order) yield* deliverEvent("connected", event)
        yield* WebhookInbox.use((inbox) => inbox.applyDue())
        yield* reconcileAfter("1 minute")
        assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 7000, 7000])
      }
      const row = yield* storedEvent(all[0]?.id ?? "")
      assert.strictEqual(row.status, "applied", row.outcome ?? "")
    })
  )

  it.effect("is believed in nothing but the payment: the provider is asked, and its word counts", () =>
    Effect.gen(function* () {
      const booked = yield* paid
      const before = yield* asked
      const lies = { status: "lost", amount: 12_000, currency: "gbp", refunded: true, amount_refunded: 12_000 }
      yield* hear(
        moneyEvent("charge.dispute.closed", "dp_lie", booked.intent, lies),
        moneyEvent("charge.refunded", booked.charge, booked.intent, lies)
      )
      assert.strictEqual((yield* asked) - before, 1)
      assert.deepStrictEqual(yield* counted(booked), ["paid", 0, 0])
      assert.deepStrictEqual(yield* refundsOf(booked.booking), [])
    })
  )

  it.effect("is not ours if account, livemode, receiver or payment aren't: nobody is asked", () =>
    Effect.gen(function* () {
      const booked = yield* paid
      const due = yield* checkAt(booked)
      const calls = booked.provider.calls.length
      const type = "charge.dispute.created"
      const ignored = [
        moneyEvent(type, "dp_1", booked.intent, {}, { livemode: true }),
        moneyEvent(type, "dp_1", booked.intent, {}, { account: "acct_unknown" }),
        moneyEvent(type, "dp_1", null),
        moneyEvent("charge.refunded", "ch_1", null, { metadata: { payment_session_id: "payment_x" } })
      ]
      for (const seen of yield* deliverAndApply(...ignored)) assert.strictEqual(seen.status, "ignored", seen.type)
      // Another operator's account names our payment, or our session; and one that nobody knows.
      const elsewhere = { account: otherVenue.operator.connected_account_id ?? "" }
      const { payment_session_id } = booked.session
      const waiting = [
        moneyEvent(type, "dp_1", booked.intent, {}, elsewhere),
        moneyEvent("charge.refunded", "ch_1", booked.intent, { metadata: { payment_session_id } }, elsewhere),
        moneyEvent(type, "dp_1", "pi_of_nobody")
      ]
      for (const seen of yield* deliverAndApply(...waiting)) assert.strictEqual(seen.status, "received", seen.type)
      // Half a minute: operators refund other sales than ours, and events that wait page somebody.
      for (let i = 0; i < 35; i++) {
        yield* TestClock.adjust("1 second")
        yield* WebhookInbox.use((inbox) => inbox.applyDue())
      }
      for (const { id } of waiting) {
        const seen = yield* storedEvent(id)
        assert.deepStrictEqual([seen.status, seen.booking_id], ["ignored", null], seen.outcome ?? "")
      }
      yield* deliverEvent("platform", moneyEvent(type, "dp_1", booked.intent, {}, { account: undefined }))
      yield* reconcile
      assert.strictEqual(booked.provider.calls.length, calls)
      assert.strictEqual(yield* checkAt(booked), due)
    })
  )

  it.effect("keeps nothing of what it says of people", () =>
    Effect.gen(function* () {
      const booked = yield* paid
      const people = {
        evidence: { customer_name: "Ana Lima", customer_email_address: "ana@example.org" },
        billing_details: { email: "ana@example.org" },
        metadata: { note: "Ana" }
      }
      const [seen] = yield* hear(moneyEvent("charge.dispute.created", "dp_1", booked.intent, people))
      assert.notMatch(seen?.payload ?? "", /ana/i)
      assert.include(seen?.payload ?? "", booked.intent)
    })
  )

  it.effect("with anything in its fields ends with an outcome, and the ones behind it go on", () =>
    Effect.gen(function* () {
      const booked = yield* paid
      const hostile = [
        "pi_\u0000",
        "\ud800",
        "",
        "x".repeat(300),
        7,
        [],
        ["pi_1"],
        { id: null },
        { id: ["pi_1"] },
        true
      ]
      const sent = hostile.flatMap((text, i) =>
        [
          { payment_intent: text },
          { payment_intent: text, metadata: { payment_session_id: text, booking_id: text } },
          { id: text, object: text, payment_intent: "pi_of_nobody" }
        ].flatMap((said, j) => {
          const changes = { id: `evt_hostile_${i}_${j}` }
          const event = moneyEvent("charge.refunded", "ch_1", null, said, changes)
          return [event, { ...event, id: `${event.id}_other`, api_version: "2031-04-30.fern" }]
        })
      )
      for (const event of sent) yield* deliverEvent("connected", event)
      booked.provider.openDispute(booked.session, undefined, "lost")
      yield* hear(moneyEvent("charge.dispute.closed", "dp_1", booked.intent))
      assert.deepStrictEqual(yield* counted(booked), ["refunded", 12_000, 12_000])
      for (const { id } of sent) {
        const { outcome, status } = yield* storedEvent(id)
        assert.include(["ignored", "received"], status, outcome ?? "")
        assert.match(outcome ?? "", /^the object names no payment$|^payment pi_of_nobody is not known/, id)
      }
    })
  )

  it.effect("that was ignored finds its payment when a person has it applied again", () =>
    Effect.gen(function* () {
      const booked = yield* paid
      const sql = yield* SqlClient.SqlClient
      const { payment_session_id } = booked.session
      yield* sql`update payment_session set payment_intent_id = 'pi_lost' where payment_session_id = ${payment_session_id}`
      const event = moneyEvent("charge.dispute.closed", "dp_1", booked.intent)
      yield* deliverAndApply(event)
      for (let i = 0; i < 8; i++) {
        yield* TestClock.adjust("1 minute")
        yield* WebhookInbox.use((inbox) => inbox.applyDue())
      }
      assert.strictEqual((yield* storedEvent(event.id)).status, "ignored")
      yield* sql`update payment_session set payment_intent_id = ${booked.intent} where payment_session_id = ${payment_session_id}`
      booked.provider.openDispute(booked.session, undefined, "lost")
      assert.isTrue(yield* WebhookInbox.use((inbox) => inbox.retry(event.id)))
      yield* WebhookInbox.use((inbox) => inbox.applyDue())
      assert.strictEqual((yield* storedEvent(event.id)).status, "applied")
      yield* reconcileAfter("1 minute")
      assert.deepStrictEqual(yield* counted(booked), ["refunded", 12_000, 12_000])
    })
  )

  it.effect("of another release of the provider's API is understood by its payment alone", () =>
    Effect.gen(function* () {
      for (const payment of ["as text", "as object"]) {
        const booked = yield* paid
        booked.provider.openDispute(booked.session, undefined, "lost")
        const said = { payment_intent: payment === "as text" ? booked.intent : { id: booked.intent, object: "x" } }
        const event = moneyEvent("charge.dispute.closed", "dp_1", null, said, { api_version: "2031-04-30.fern" })
        const [seen] = yield* hear(event)
        assert.strictEqual(seen?.status, "applied", seen?.outcome ?? "")
        assert.deepStrictEqual(yield* counted(booked), ["refunded", 12_000, 12_000])
        assert.strictEqual(yield* callCount("paymentOf"), 0)
      }
    })
  )

  it.effect("that is thin has its object's payment asked for, once for each object; unknown ones are ignored", () =>
    Effect.gen(function* () {
      const booked = yield* paid
      const dispute = booked.provider.openDispute(booked.session, 4000, "lost")
      const refund = booked.provider.refundInDashboard(booked.session, 3000)
      let n = 0
      const thin = (type: MoneyEventType, object: string, id: string, context = booked.session.account) => ({
        id: `evt_thin_money_${++n}`,
        object: "v2.core.event",
        type: `v1.${type}`,
        context,
        livemode: false,
        created: "2026-11-20T09:00:00.000Z",
        reason: null,
        related_object: { id, type: object, url: `/v1/${object}s/${id}` }
      })
      const all = Array.from({ length: 60 }, (_, i) =>
        i % 3 === 0
          ? thin("charge.dispute.closed", "dispute", dispute.id)
          : i % 3 === 1
            ? thin("refund.created", "refund", refund.id)
            : thin("charge.refunded", "charge", booked.charge)
      )
      const seen = yield* hear(...all)
      for (const one of seen) assert.strictEqual(one.status, "applied", one.outcome ?? "")
      assert.strictEqual(yield* callCount("paymentOf"), 3)
      assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 7000, 7000])
      const others = [
        thin("refund.created", "refund", "re_unknown"),
        thin("refund.created", "refund", refund.id, "acct_unknown"),
        { ...thin("refund.created", "refund", "re_x"), related_object: null }
      ]
      for (const one of yield* deliverAndApply(...others)) assert.strictEqual(one.status, "ignored", one.outcome ?? "")
      const away = thin("refund.failed", "refund", booked.provider.refundInDashboard(booked.session, 1000).id)
      booked.provider.outage = "away"
      yield* deliverAndApply(away)
      booked.provider.outage = undefined
      yield* TestClock.adjust("1 minute")
      yield* WebhookInbox.use((inbox) => inbox.applyDue())
      yield* reconcileAfter("1 minute")
      assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 8000, 8000])
    })
  )

  it.effect("costs one question, though hundreds come at once, and one a minute if they go on", () =>
    Effect.gen(function* () {
      const booked = yield* paid
      const before = yield* asked
      const all = (name: string) =>
        Array.from({ length: 300 }, (_, i) =>
          moneyEvent("charge.dispute.updated", `dp_${i}`, booked.intent, {}, { id: `evt_${name}_${i}` })
        )
      yield* Effect.forEach(all("flood"), (event) => deliverEvent("connected", event), { concurrency: 50 })
      yield* WebhookInbox.use((inbox) => inbox.applyDue())
      yield* Effect.all([reconcile, reconcile, reconcile], { concurrency: "unbounded" })
      assert.strictEqual((yield* asked) - before, 1)
      for (const event of all("drip").slice(0, 60)) {
        yield* TestClock.adjust("5 seconds")
        yield* deliverAndApply(event)
        yield* reconcile
      }
      assert.strictEqual((yield* asked) - before, 6)
    })
  )

  it.effect("on two nodes at once is applied once, and the provider is asked once", () =>
    Effect.gen(function* () {
      const booked = yield* paid
      booked.provider.openDispute(booked.session, undefined, "lost")
      const before = yield* asked
      const event = moneyEvent("charge.dispute.closed", "dp_1", booked.intent)
      const together = { concurrency: "unbounded" } as const
      const answers = yield* Effect.all([deliverEvent("connected", event), deliverEvent("connected", event)], together)
      assert.sameDeepMembers(answers, [{ duplicate: false }, { duplicate: true }])
      const apply = WebhookInbox.use((inbox) => inbox.applyDue())
      yield* Effect.all([apply, apply], together)
      assert.strictEqual((yield* storedEvent(event.id)).attempts, 1)
      yield* TestClock.adjust("1 minute")
      yield* Effect.all([reconcile, reconcile], together)
      assert.deepStrictEqual(yield* counted(booked), ["refunded", 12_000, 12_000])
      assert.strictEqual((yield* asked) - before, 1)
    })
  )

  it.effect("that comes before its payment is known is applied when it is", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* bookingWithSession()
      const said = yield* actAtProvider(session, "pay")
      provider.refundInDashboard(session, 5000)
      const intent = said.payment_intent_id ?? ""
      const [first] = yield* deliverAndApply(moneyEvent("refund.created", "re_1", intent))
      assert.strictEqual(first?.status, "received")
      yield* deliverAndApply(sessionEvent("checkout.session.completed", said))
      yield* TestClock.adjust("1 minute")
      yield* WebhookInbox.use((inbox) => inbox.applyDue())
      assert.strictEqual((yield* storedEvent(first?.event_id ?? "")).status, "applied")
      yield* reconcile
      assert.strictEqual((yield* bookingState(booking)).refunded, 5000)
    })
  )

  it.effect("of a charge names our session: its payment is found by asking, though its own event is lost", () =>
    Effect.gen(function* () {
      for (const how of ["pay", "pay_later"] as const) {
        yield* deleteBookings
        const provider = yield* ScriptedGateway
        const { booking, session } = yield* bookingWithSession()
        const { payment_intent_id = "" } = yield* actAtProvider(session, how)
        if (how === "pay_later") yield* actAtProvider(session, "late_success")
        provider.refundInDashboard(session, 5000)
        const { payment_session_id } = session
        const event = moneyEvent("charge.refunded", "ch_1", payment_intent_id, { metadata: { payment_session_id } })
        const [seen] = yield* hear(event)
        assert.strictEqual(seen?.booking_id, booking.booking_id)
        const { refunded, status } = yield* bookingState(booking)
        assert.deepStrictEqual([status, refunded], ["confirmed", 5000])
      }
    })
  )

  it.effect("is not lost if the provider is away when it is asked, nor if the node dies before it is", () =>
    Effect.gen(function* () {
      for (const fault of ["away", "dead"]) {
        const booked = yield* paid
        booked.provider.openDispute(booked.session, undefined, "lost")
        yield* deliverAndApply(moneyEvent("charge.dispute.closed", "dp_1", booked.intent))
        yield* TestClock.adjust("1 minute")
        if (fault === "away") {
          booked.provider.outage = "away"
          yield* reconcile
          booked.provider.outage = undefined
        } else {
          const now = yield* Clock.currentTimeMillis
          const claimed = yield* PaymentSessions.use((sessions) => sessions.claimForRefundCheck(now, 10))
          assert.lengthOf(claimed, 1)
        }
        yield* reconcile
        assert.deepStrictEqual(yield* counted(booked), ["paid", 0, 0])
        yield* reconcileAfter("10 minutes")
        assert.deepStrictEqual(yield* counted(booked), ["refunded", 12_000, 12_000], fault)
      }
    })
  )

  it.effect("that comes while the provider is being asked has it asked again", () =>
    Effect.gen(function* () {
      const booked = yield* paid
      yield* deliverAndApply(moneyEvent("charge.dispute.created", "dp_1", booked.intent))
      yield* TestClock.adjust("1 minute")
      const claimed = yield* Clock.currentTimeMillis
      const sessions = yield* PaymentSessions
      const [row] = yield* sessions.claimForRefundCheck(claimed, 10)
      assert.isDefined(row)
      // The provider has answered "nothing", then it turns, and the event comes; then the answer is stored.
      booked.provider.openDispute(booked.session, undefined, "lost")
      yield* deliverAndApply(moneyEvent("charge.dispute.closed", "dp_1", booked.intent))
      yield* sessions.finishRefundCheck(booked.session.payment_session_id, claimed, false)
      yield* reconcileAfter("1 minute")
      assert.deepStrictEqual(yield* counted(booked), ["refunded", 12_000, 12_000])
    })
  )

  it.effect("however long after the visit has the provider asked, and then the checks end again", () =>
    Effect.gen(function* () {
      const booked = yield* paid
      yield* setClockBefore(booked.booking, -300 * 24)
      yield* reconcile
      yield* reconcileAfter("1 day")
      assert.isNull(yield* checkAt(booked))
      yield* hear(moneyEvent("charge.dispute.created", "dp_1", booked.intent))
      assert.isNull(yield* checkAt(booked), "nothing was found")
      const { id } = booked.provider.openDispute(booked.session)
      yield* hear(moneyEvent("charge.dispute.created", id, booked.intent))
      const next = (yield* checkAt(booked)) ?? assert.fail("an open dispute is asked about again")
      assert.isAtMost(next - (yield* Clock.currentTimeMillis), 6 * hourMs)
      booked.provider.setDisputeStatus(id, "won")
      yield* hear(moneyEvent("charge.dispute.closed", id, booked.intent))
      for (let day = 0; day < 62; day += 7) yield* reconcileAfter("7 days")
      assert.isNull(yield* checkAt(booked))
    })
  )
})
