import { createHmac } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { PaymentGateway } from "../../../src/payment/PaymentGateway.ts"
import { Sandbox } from "../../../src/payment/sandbox/Sandbox.ts"
import { SandboxFaults } from "../../../src/payment/sandbox/SandboxFaults.ts"
import { verify } from "../../../src/payment/WebhookSignature.ts"
import { answerFaults, providerSchemaPresent } from "../../support/providerSchema.ts"
import type { Recorded } from "../../support/RecordingServer.ts"
import { begin, Receiver, SandboxWorld, start, tell } from "../../support/SandboxWorld.ts"

const account = "acct_1PgafTB7WZ01zgkW"
const connected = "whsec_test_connected"
const platform = "whsec_test_platform"

let keys = 0
const newSession = Effect.gen(function* () {
  return yield* PaymentGateway.use((gateway) =>
    gateway.createSession({
      account,
      idempotency_key: `session_${++keys}`,
      payment_session_id: "payment_01h4",
      booking_id: "booking_01h4",
      reference: "K7M2-9QXD",
      purpose: "due_now",
      amount: 24_000,
      currency: "GBP",
      application_fee: 1_200,
      description: `Pirate party <b>"Jolly" & Co</b>`,
      customer_email: "sam@example.com",
      success_url: "https://example.com/return?session={CHECKOUT_SESSION_ID}",
      cancel_url: "https://example.com/cancel",
      expires_at: start / 1000 + 3600
    })
  )
})
const choose = (id: string, outcome: string) => tell("POST", `/pay/${id}`, { form: { outcome } })

const Event = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      id: Schema.String,
      type: Schema.String,
      account: Schema.optionalKey(Schema.String),
      livemode: Schema.Boolean,
      api_version: Schema.String,
      data: Schema.Struct({ object: Schema.Record(Schema.String, Schema.Unknown) })
    })
  )
)
const typesOf = (requests: ReadonlyArray<Recorded>) =>
  requests.map(({ body }) => Event(body).type.replace("checkout.session.", ""))
// The background loop may be delivering the same moment; `work` waits for its turn, and then does what is left.
const work = Sandbox.use((sandbox) => sandbox.work)
const forget = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from sandbox_delivery`
  yield* sql`delete from sandbox_refund`
  yield* sql`delete from sandbox_session`
  yield* (yield* SandboxFaults).reset
})
const fresh = Effect.andThen(forget, begin)

layer(SandboxWorld.layer)("The sandbox", (it) => {
  it.effect("shows a page that says what is paid to whom, escapes what it shows, and works without scripts", () =>
    Effect.gen(function* () {
      yield* fresh
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into operator (operator_id, name, connected_account_id, created_at, updated_at)
        values ('operator_00000000000000000000000001', 'Jolly Rogers', ${account}, now(), now())`
      const { id } = yield* newSession
      const page = yield* tell("GET", `/pay/${id}`)
      assert.strictEqual(page.status, 200)
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/)
      for (const part of [
        `<html lang="en">`,
        "£240.00",
        "Jolly Rogers",
        "&lt;b&gt;&quot;Jolly&quot; &amp; Co&lt;/b&gt;",
        "No real money",
        "59 minutes"
      ]) {
        assert.include(page.text.replace("60 minutes", "59 minutes"), part)
      }
      assert.notInclude(page.text, "<b>")
      assert.notMatch(page.text, /<script/)
      for (const outcome of ["pay", "decline", "pay_later_succeeds", "pay_later_fails", "expire"]) {
        assert.include(page.text, `name="outcome" value="${outcome}"`)
      }
      assert.strictEqual((yield* tell("GET", "/pay/cs_test_none")).status, 404)
      assert.strictEqual((yield* tell("POST", `/pay/${id}`, { form: { outcome: "steal" } })).status, 400)
    })
  )

  it.effect("ends as the payer chose, sends them on, and tells the receiver with a signature that verifies", () =>
    Effect.gen(function* () {
      const receiver = yield* fresh
      const cases = [
        ["pay", "complete", "paid", "completed", "https://example.com/return?session="],
        ["pay_later_succeeds", "complete", "unpaid", "completed", "https://example.com/return?session="],
        ["expire", "expired", "unpaid", "expired", "https://example.com/cancel"]
      ] as const
      for (const [outcome, status, payment_status, type, target] of cases) {
        receiver.requests.length = 0
        const { id } = yield* newSession
        const gone = yield* choose(id, outcome)
        assert.strictEqual(gone.status, 303)
        assert.strictEqual(gone.headers.get("location"), target.endsWith("=") ? target + id : target)
        yield* work
        assert.strictEqual(receiver.requests.length, 1, outcome)
        const [request] = receiver.requests
        assert.isDefined(request)
        if (request === undefined) return
        assert.strictEqual(request.path, "/api/PaymentWebhook/HandleConnected")
        const event = Event(request.body)
        assert.include(event, {
          type: `checkout.session.${type}`,
          account,
          livemode: false,
          api_version: "2026-10-28.endive"
        })
        assert.include(event.data.object, {
          id,
          status,
          payment_status,
          amount_total: 24_000,
          currency: "gbp",
          url: null
        })
        assert.deepStrictEqual(event.data.object["metadata"], {
          payment_session_id: "payment_01h4",
          booking_id: "booking_01h4",
          reference: "K7M2-9QXD",
          purpose: "due_now"
        })

        const signature = String(request.headers["stripe-signature"])
        const seconds = start / 1000
        assert.strictEqual(
          signature,
          `t=${seconds},v1=${createHmac("sha256", connected).update(`${seconds}.${request.body}`).digest("hex")}`
        )
        yield* verify({
          payload: new TextEncoder().encode(request.body),
          signatures: [signature],
          secrets: [Redacted.make(connected)],
          now: start
        })
        if (providerSchemaPresent) {
          const schema = type === "completed" ? "Completed" : "Expired"
          const whole: unknown = JSON.parse(request.body)
          assert.deepStrictEqual(answerFaults(`Events.CheckoutSession${schema}Event`, whole), { faults: [] })
        }
        // A second press changes nothing and leads to the same place.
        const again = yield* choose(id, "pay")
        assert.strictEqual(again.headers.get("location"), gone.headers.get("location"))
        yield* work
        assert.strictEqual(receiver.requests.length, 1)
      }
    })
  )

  it.effect("keeps a declined session open, sends the payer back, and says so when they return", () =>
    Effect.gen(function* () {
      const receiver = yield* fresh
      const { id } = yield* newSession
      const gone = yield* choose(id, "decline")
      assert.strictEqual(gone.status, 303)
      assert.strictEqual(gone.headers.get("location"), "https://example.com/cancel")
      assert.include((yield* tell("GET", `/pay/${id}`)).text, "card was declined")
      yield* work
      assert.isEmpty(receiver.requests)
      yield* choose(id, "pay")
      yield* work
      assert.deepStrictEqual(typesOf(receiver.requests), ["completed"])
    })
  )

  it.effect("lets delayed payments arrive, or fail, a moment later", () =>
    Effect.gen(function* () {
      const receiver = yield* fresh
      const gateway = yield* PaymentGateway
      for (const [outcome, type, payment_status, failed] of [
        ["pay_later_succeeds", "async_payment_succeeded", "paid", undefined],
        ["pay_later_fails", "async_payment_failed", "unpaid", true]
      ] as const) {
        yield* TestClock.setTime(start)
        receiver.requests.length = 0
        const { id } = yield* newSession
        yield* choose(id, outcome)
        yield* work
        assert.deepStrictEqual(typesOf(receiver.requests), ["completed"])
        yield* TestClock.setTime(start + 2_000)
        yield* work
        assert.deepStrictEqual(typesOf(receiver.requests), ["completed", type])
        const session = yield* gateway.getSession(account, id)
        assert.strictEqual(session.payment_status, payment_status)
        assert.strictEqual(session.payment_failed, failed)
      }
    })
  )

  it.effect("expires sessions when their time has come, whether or not somebody looks", () =>
    Effect.gen(function* () {
      const receiver = yield* fresh
      const { id } = yield* newSession
      yield* TestClock.setTime(start + 3_600_000 - 1)
      yield* work
      assert.isEmpty(receiver.requests)
      yield* TestClock.setTime(start + 3_600_000)
      yield* work
      assert.deepStrictEqual(typesOf(receiver.requests), ["expired"])

      yield* TestClock.setTime(start)
      const seen = yield* newSession
      yield* TestClock.setTime(start + 3_600_000)
      const late = yield* choose(seen.id, "pay")
      assert.strictEqual(late.headers.get("location"), "https://example.com/cancel")
      assert.strictEqual((yield* PaymentGateway.use((gateway) => gateway.getSession(account, id))).status, "expired")
    })
  )

  it.effect("delivers by itself, without anybody calling for it", () =>
    Effect.gen(function* () {
      const receiver = yield* fresh
      const { id } = yield* newSession
      yield* choose(id, "pay")
      const deadline = performance.now() + 5_000
      while (receiver.requests.length === 0 && performance.now() < deadline)
        yield* Effect.promise(() => new Promise((done) => setTimeout(done, 20)))
      assert.strictEqual(receiver.requests.length, 1)
    })
  )

  it.effect("tries again, later and later, with a fresh signature, until the receiver takes the event", () =>
    Effect.gen(function* () {
      const receiver = yield* fresh
      receiver.answer({ status: 503, body: {} })
      const { id } = yield* newSession
      yield* choose(id, "pay")
      yield* work
      assert.strictEqual(receiver.requests.length, 1)
      yield* work
      assert.strictEqual(receiver.requests.length, 1)
      yield* TestClock.setTime(start + 1_000)
      receiver.answer("cut")
      yield* work
      assert.isAtLeast(receiver.requests.length, 2)
      yield* TestClock.setTime(start + 3_000)
      yield* work
      const before = receiver.requests.length
      receiver.answer({ status: 200, body: {} })
      yield* TestClock.setTime(start + 3_600_000)
      yield* work
      assert.strictEqual(receiver.requests.length, before + 1)
      assert.strictEqual(new Set(receiver.requests.map(({ body }) => body)).size, 1)
      assert.match(
        String(receiver.requests.at(-1)?.headers["stripe-signature"]),
        new RegExp(`^t=${start / 1000 + 3600},`)
      )
      yield* TestClock.setTime(start + 7_200_000)
      yield* work
      assert.strictEqual(receiver.requests.length, before + 1)
    })
  )

  it.effect("delivers twice, late, out of order, changed, or never, as it is told", () =>
    Effect.gen(function* () {
      const receiver = yield* fresh
      const faults = yield* SandboxFaults
      const paid = Effect.gen(function* () {
        const { id } = yield* newSession
        yield* choose(id, "pay")
        yield* work
        return id
      })
      const idsOf = () => receiver.requests.map(({ body }) => Event(body).data.object["id"])

      yield* faults.set({ duplicate: 1 })
      const a = yield* paid
      assert.deepStrictEqual(idsOf(), [a, a])

      receiver.requests.length = 0
      yield* faults.set({ reorder: 1 })
      const b = yield* paid
      const c = yield* paid
      yield* TestClock.setTime(start + 2_000)
      yield* work
      assert.deepStrictEqual(idsOf(), [c, b])

      receiver.requests.length = 0
      yield* faults.set({ delay: 1, delay_seconds: 3600 })
      const d = yield* paid
      assert.isEmpty(receiver.requests)
      yield* TestClock.setTime(start + 2_000 + 3_600_000)
      yield* work
      assert.deepStrictEqual(idsOf(), [d])
      yield* TestClock.setTime(start)

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
          now: start
        })
      )
      assert.strictEqual(refused.code, "signature_invalid")
      receiver.answer({ status: 200, body: {} })
      yield* TestClock.setTime(start + 1_000)
      yield* work
      const right = receiver.requests.at(-1)
      yield* verify({
        payload: new TextEncoder().encode(right?.body),
        signatures: [String(right?.headers["stripe-signature"])],
        secrets: [Redacted.make(connected)],
        now: start
      })

      receiver.requests.length = 0
      yield* faults.set({ drop: 1 })
      yield* paid
      yield* TestClock.setTime(start + 86_400_000)
      yield* work
      assert.notInclude(typesOf(receiver.requests), "completed")
    })
  )

  it.effect(
    "tells the platform's receiver of a paid invoice, signed with the platform's secret, without an account",
    () =>
      Effect.gen(function* () {
        const receiver = yield* fresh
        const answer = yield* tell("POST", "/sandbox/invoice_paid", { form: { customer: "cus_1", days: "30" } })
        assert.strictEqual(answer.status, 200)
        yield* work
        const [request] = receiver.requests
        assert.strictEqual(request?.path, "/api/PaymentWebhook/Handle")
        const { event } = yield* verify({
          payload: new TextEncoder().encode(request?.body),
          signatures: [String(request?.headers["stripe-signature"])],
          secrets: [Redacted.make(platform)],
          now: start
        })
        assert.strictEqual(event.type, "invoice.paid")
        assert.notProperty(event, "account")
        assert.strictEqual(event.data.object["customer"], "cus_1")
        assert.nestedPropertyVal(event.data.object, "lines.data[0].period.end", start / 1000 + 30 * 86_400)
        assert.nestedProperty(event.data.object, "parent.subscription_details.subscription")
        assert.strictEqual((yield* tell("POST", "/sandbox/invoice_paid", { form: { days: "1" } })).status, 400)
      })
  )

  it.effect("takes fault switches over HTTP, and refuses unknown ones", () =>
    Effect.gen(function* () {
      const receiver = yield* fresh
      assert.strictEqual(
        (yield* tell("POST", "/sandbox/faults", { form: { duplicate: "1", api: "error_500", api_times: "1" } })).status,
        204
      )
      const gateway = yield* PaymentGateway
      assert.propertyVal(yield* Effect.flip(gateway.getSession(account, "cs_test_1")), "_tag", "ProviderUnavailable")
      const { id } = yield* newSession
      yield* choose(id, "pay")
      yield* work
      assert.strictEqual(receiver.requests.length, 2)
      for (const form of [{ explode: "1" }, { drop: "often" }, { api: "explode" }]) {
        assert.strictEqual((yield* tell("POST", "/sandbox/faults", { form })).status, 400)
      }
      assert.strictEqual((yield* tell("POST", "/sandbox/faults", { form: {} })).status, 204)
    })
  )

  it.effect("loses no event when the receiver is away and the process ends: what is written is found again", () =>
    Effect.gen(function* () {
      yield* fresh
      const receiver = yield* Receiver
      receiver.answer("cut")
      const { id } = yield* newSession
      yield* choose(id, "pay")
      yield* work
      const sql = yield* SqlClient.SqlClient
      // As after a crash with the delivery in hand: only the row is left, claimed until its lease ends.
      yield* sql`update sandbox_delivery set next_attempt_at = ${new Date(start + 30_000)}`
      receiver.answer({ status: 200, body: {} })
      receiver.requests.length = 0
      yield* TestClock.setTime(start + 30_000)
      yield* work
      assert.strictEqual(Event(receiver.requests[0]?.body ?? "").data.object["id"], id)
    })
  )
})
