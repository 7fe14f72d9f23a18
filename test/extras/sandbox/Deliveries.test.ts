import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { Faults } from "../../../src/extras/sandbox/Faults.ts"
import { verify } from "../../../src/domain/payment/events/WebhookSignature.ts"
import {
  callSandbox,
  createSandboxSession,
  deliverDueEvents,
  eventOfDelivery,
  pressButton,
  Receiver,
  resetSandbox,
  SandboxWorld,
  startTime,
  typesOf
} from "../../support/SandboxWorld.ts"

const connected = "whsec_test_connected"
const platform = "whsec_test_platform"

layer(SandboxWorld.layer)("The sandbox's deliveries", (it) => {
  it.effect("delivers by itself, without anybody calling for it", () =>
    Effect.gen(function* () {
      const receiver = yield* resetSandbox
      const { id } = yield* createSandboxSession
      yield* pressButton(id, "pay")
      while (receiver.requests.length === 0) yield* Effect.promise(() => new Promise((done) => setTimeout(done, 20)))
      assert.strictEqual(receiver.requests.length, 1)
    })
  )

  it.effect("tries again, later and later, with a fresh signature, until the receiver takes the event", () =>
    Effect.gen(function* () {
      const receiver = yield* resetSandbox
      receiver.answer({ status: 503, body: {} })
      const { id } = yield* createSandboxSession
      yield* pressButton(id, "pay")
      yield* deliverDueEvents
      assert.strictEqual(receiver.requests.length, 1)
      yield* deliverDueEvents
      assert.strictEqual(receiver.requests.length, 1)
      yield* TestClock.setTime(startTime + 1_000)
      receiver.answer("cut")
      yield* deliverDueEvents
      assert.isAtLeast(receiver.requests.length, 2)
      yield* TestClock.setTime(startTime + 3_000)
      yield* deliverDueEvents
      const before = receiver.requests.length
      receiver.answer({ status: 200, body: {} })
      yield* TestClock.setTime(startTime + 3_600_000)
      yield* deliverDueEvents
      assert.strictEqual(receiver.requests.length, before + 1)
      assert.strictEqual(new Set(receiver.requests.map(({ body }) => body)).size, 1)
      assert.match(
        String(receiver.requests.at(-1)?.headers["stripe-signature"]),
        new RegExp(`^t=${startTime / 1000 + 3600},`)
      )
      yield* TestClock.setTime(startTime + 7_200_000)
      yield* deliverDueEvents
      assert.strictEqual(receiver.requests.length, before + 1)
    })
  )

  it.effect("delivers twice, late, out of order, changed, or never, as it is told", () =>
    Effect.gen(function* () {
      const receiver = yield* resetSandbox
      const faults = yield* Faults
      const paid = Effect.gen(function* () {
        const { id } = yield* createSandboxSession
        yield* pressButton(id, "pay")
        yield* deliverDueEvents
        return id
      })
      const idsOf = () => receiver.requests.map(({ body }) => eventOfDelivery(body).data.object["id"])

      yield* faults.set({ duplicate: 1 })
      const a = yield* paid
      assert.deepStrictEqual(idsOf(), [a, a])

      receiver.requests.length = 0
      yield* faults.set({ reorder: 1 })
      const b = yield* paid
      const c = yield* paid
      yield* TestClock.setTime(startTime + 2_000)
      yield* deliverDueEvents
      assert.deepStrictEqual(idsOf(), [c, b])

      receiver.requests.length = 0
      yield* faults.set({ delay: 1, delay_seconds: 3600 })
      const d = yield* paid
      assert.isEmpty(receiver.requests)
      yield* TestClock.setTime(startTime + 2_000 + 3_600_000)
      yield* deliverDueEvents
      assert.deepStrictEqual(idsOf(), [d])
      yield* TestClock.setTime(startTime)

      receiver.requests.length = 0
      yield* faults.set({ corrupt: 1 })
      receiver.answer({ status: 400, body: {} })
      yield* paid
      const [changed] = receiver.requests
      const refused = yield* Effect.flip(
        verify({
          payload: new TextEncoder().encode(changed?.body),
          signatures: [String(changed?.headers["stripe-signature"])],
          secrets: [Redacted.make(connected)],
          now: startTime
        })
      )
      assert.strictEqual(refused.code, "signature_invalid")
      receiver.answer({ status: 200, body: {} })
      yield* TestClock.setTime(startTime + 1_000)
      yield* deliverDueEvents
      const right = receiver.requests.at(-1)
      yield* verify({
        payload: new TextEncoder().encode(right?.body),
        signatures: [String(right?.headers["stripe-signature"])],
        secrets: [Redacted.make(connected)],
        now: startTime
      })

      receiver.requests.length = 0
      yield* faults.set({ drop: 1 })
      yield* paid
      yield* TestClock.setTime(startTime + 86_400_000)
      yield* deliverDueEvents
      assert.notInclude(typesOf(receiver.requests), "completed")
    })
  )

  it.effect("writes an event of another release as it is told, and the same again when it is sent again", () =>
    Effect.gen(function* () {
      const receiver = yield* resetSandbox
      yield* Faults.use((faults) => faults.set({ other_release: 1 }))
      receiver.answer({ status: 503, body: {} })
      const { id } = yield* createSandboxSession
      yield* pressButton(id, "pay")
      yield* deliverDueEvents
      receiver.answer({ status: 200, body: {} })
      yield* TestClock.setTime(startTime + 1_000)
      yield* deliverDueEvents
      const [first, second] = receiver.requests
      const event = eventOfDelivery(first?.body ?? "")
      assert.strictEqual(event.api_version, "2031-01-15.quinoa")
      assert.strictEqual(event.data.object["id"], id)
      assert.notProperty(event.data.object, "payment_status")
      assert.strictEqual(second?.body, first?.body)
      yield* verify({
        payload: new TextEncoder().encode(second?.body),
        signatures: [String(second?.headers["stripe-signature"])],
        secrets: [Redacted.make(connected)],
        now: startTime
      })
    })
  )

  it.effect(
    "tells the platform's receiver of a paid invoice, signed with the platform's secret, without an account",
    () =>
      Effect.gen(function* () {
        const receiver = yield* resetSandbox
        const answer = yield* callSandbox("POST", "/sandbox/invoice_paid", { form: { customer: "cus_1", days: "30" } })
        assert.strictEqual(answer.status, 200)
        yield* deliverDueEvents
        const [request] = receiver.requests
        assert.strictEqual(request?.path, "/api/PaymentWebhook/Handle")
        const { event } = yield* verify({
          payload: new TextEncoder().encode(request?.body),
          signatures: [String(request?.headers["stripe-signature"])],
          secrets: [Redacted.make(platform)],
          now: startTime
        })
        assert.strictEqual(event.type, "invoice.paid")
        assert.notProperty(event, "account")
        assert.nestedPropertyVal(event.data.object, "customer", "cus_1")
        assert.nestedPropertyVal(event.data.object, "lines.data[0].period.end", startTime / 1000 + 30 * 86_400)
        assert.nestedProperty(event.data.object, "parent.subscription_details.subscription")
        assert.strictEqual((yield* callSandbox("POST", "/sandbox/invoice_paid", { form: { days: "1" } })).status, 400)
      })
  )

  it.effect("delivers any event that it is asked for, to the receiver of the account that it is of", () =>
    Effect.gen(function* () {
      const receiver = yield* resetSandbox
      const object = { id: "sub_1", object: "subscription", customer: "cus_1" }
      const send = (form: Record<string, string>) => callSandbox("POST", "/sandbox/event", { form })
      const type = "customer.subscription.deleted"
      const answer = yield* send({ type, object: JSON.stringify(object) })
      assert.strictEqual(answer.status, 200)
      yield* send({ type: "charge.refunded", object: "{}", account: "acct_1" })
      yield* deliverDueEvents
      const [first, second] = receiver.requests
      const { event } = yield* verify({
        payload: new TextEncoder().encode(first?.body),
        signatures: [String(first?.headers["stripe-signature"])],
        secrets: [Redacted.make(platform)],
        now: startTime
      })
      assert.deepStrictEqual([event.type, event.data.object], [type, object])
      assert.notProperty(event, "account")
      assert.deepStrictEqual(JSON.parse(answer.text), { event_id: event.id })
      assert.strictEqual(second?.path, "/api/PaymentWebhook/HandleConnected")
      assert.strictEqual(eventOfDelivery(second?.body ?? "").account, "acct_1")
      for (const form of [{ type }, { object: "{}" }, { type, object: "[]" }, { type, object: "{" }])
        assert.strictEqual((yield* send(form)).status, 400)
    })
  )

  it.effect("loses no event when the receiver is away and the process ends: what is written is found again", () =>
    Effect.gen(function* () {
      yield* resetSandbox
      const receiver = yield* Receiver
      receiver.answer("cut")
      const { id } = yield* createSandboxSession
      yield* pressButton(id, "pay")
      yield* deliverDueEvents
      const sql = yield* SqlClient.SqlClient
      // As after a crash with the delivery in hand: only the row is left, claimed until its lease ends.
      yield* sql`update sandbox.delivery set next_attempt_at = ${new Date(startTime + 30_000)}`
      receiver.answer({ status: 200, body: {} })
      receiver.requests.length = 0
      yield* TestClock.setTime(startTime + 30_000)
      yield* deliverDueEvents
      assert.strictEqual(eventOfDelivery(receiver.requests[0]?.body ?? "").data.object["id"], id)
    })
  )
})
