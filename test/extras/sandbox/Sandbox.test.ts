import { assert, layer } from "@effect/vitest"
import { Array, Effect, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { PaymentGateway } from "../../../src/domain/payment/provider/PaymentGateway.ts"
import { verify } from "../../../src/domain/payment/events/WebhookSignature.ts"
import { sandboxPayers } from "../../../src/extras/sandbox/Payers.ts"
import { migrateSandbox, Sandbox } from "../../../src/extras/sandbox/Sandbox.ts"
import { signatureHeader } from "../../support/providerEvents.ts"
import { answerFaults, providerSchemaPresent } from "../../support/providerSchema.ts"
import {
  callSandbox,
  checkout,
  createSandboxSession,
  deliverDueEvents,
  eventOfDelivery,
  pressButton,
  resetSandbox,
  SandboxWorld,
  startTime,
  typesOf
} from "../../support/SandboxWorld.ts"
import { rawConnection } from "../../support/rawConnections.ts"
import { account } from "../../support/stripeAnswers.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const connected = "whsec_test_connected"

layer(SandboxWorld.layer)("The sandbox", (it) => {
  it.effect("shows a page that says what is paid to whom, escapes what it shows, and works without scripts", () =>
    Effect.gen(function* () {
      yield* resetSandbox
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into operator (operator_id, name, connected_account_id, created_at, updated_at)
        values ('operator_00000000000000000000000001', 'Jolly Rogers', ${account}, now(), now())`
      const { id } = yield* createSandboxSession
      const page = yield* callSandbox("GET", `/pay/${id}`)
      assert.strictEqual(page.status, 200)
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/)
      for (const part of [
        `<html lang="en">`,
        "£240.00",
        "Jolly Rogers",
        "&lt;b&gt;&quot;Jolly&quot; &amp; Co&lt;/b&gt;",
        "50 % deposit, not refunded. Of the rest: &quot;all&quot; back until 14 days before, then nothing.",
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
      assert.strictEqual((yield* callSandbox("GET", "/pay/cs_test_none")).status, 404)
      assert.strictEqual((yield* callSandbox("POST", `/pay/${id}`, { form: { outcome: "steal" } })).status, 400)
    })
  )

  it.effect("S9: answers nobody who came by another name", () =>
    Effect.gen(function* () {
      const { port, url } = yield* Sandbox
      for (const [host, status] of [
        [`localhost:${port}`, 200],
        ["pay.evil.example", 421]
      ] as const) {
        const get = `GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`
        assert.match(yield* (yield* rawConnection(url, get)).ended, new RegExp(`^HTTP/1\\.1 ${status} `), host)
      }
    }).pipe(Effect.scoped)
  )

  it.effect(
    "lets a payer pay in a currency of their own where the session offers it, and tells the amount beside",
    () =>
      Effect.gen(function* () {
        yield* resetSandbox
        const gateway = yield* PaymentGateway
        for (const [adaptive_pricing, presented] of [
          [undefined, { amount: 30_448, currency: "USD" }],
          [true, { amount: 30_448, currency: "USD" }],
          [false, undefined]
        ] as const) {
          const { id } = yield* gateway.createSession(
            checkout({
              idempotency_key: `adaptive ${adaptive_pricing}`,
              ...(adaptive_pricing === undefined ? {} : { adaptive_pricing })
            })
          )
          yield* callSandbox("POST", `/pay/${id}`, { form: { outcome: "pay", presented: "usd 30448" } })
          const session = yield* gateway.getSession(account, id)
          assert.deepStrictEqual(session.presented, presented)
          assert.include(session, { amount_total: 24_000, currency: "GBP", payment_currency: "GBP" })
        }
      })
  )

  it.effect("ends as the payer chose, sends them on, and tells the receiver with a signature that verifies", () =>
    Effect.gen(function* () {
      const receiver = yield* resetSandbox
      const cases = [
        ["pay", "complete", "paid", "completed", "https://example.com/return?session="],
        ["pay_later_succeeds", "complete", "unpaid", "completed", "https://example.com/return?session="],
        ["expire", "expired", "unpaid", "expired", "https://example.com/cancel"]
      ] as const
      for (const [outcome, status, payment_status, type, target] of cases) {
        receiver.requests.length = 0
        const { id } = yield* createSandboxSession
        const gone = yield* pressButton(id, outcome)
        assert.strictEqual(gone.status, 303)
        assert.strictEqual(gone.headers.get("location"), target.endsWith("=") ? `${target}${id}&a=b` : target)
        yield* deliverDueEvents
        assert.strictEqual(receiver.requests.length, 1, outcome)
        const [request] = receiver.requests
        assert.isDefined(request)
        if (request === undefined) return
        assert.strictEqual(request.path, "/api/PaymentWebhook/HandleConnected")
        const event = eventOfDelivery(request.body)
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
        assert.strictEqual(signature, signatureHeader(request.body, connected, startTime / 1000))
        yield* verify({
          payload: new TextEncoder().encode(request.body),
          signatures: [signature],
          secrets: [Redacted.make(connected)],
          now: startTime
        })
        if (providerSchemaPresent) {
          const schema = type === "completed" ? "Completed" : "Expired"
          const whole: unknown = JSON.parse(request.body)
          assert.deepStrictEqual(answerFaults(`Events.CheckoutSession${schema}Event`, whole), { faults: [] })
        }
        // A second press changes nothing and leads to the same place.
        const again = yield* pressButton(id, "pay")
        assert.strictEqual(again.headers.get("location"), gone.headers.get("location"))
        yield* deliverDueEvents
        assert.strictEqual(receiver.requests.length, 1)
      }
    })
  )

  it.effect("keeps a declined session open, sends the payer back, and says so when they return", () =>
    Effect.gen(function* () {
      const receiver = yield* resetSandbox
      const { id } = yield* createSandboxSession
      const gone = yield* pressButton(id, "decline")
      assert.strictEqual(gone.status, 303)
      assert.strictEqual(gone.headers.get("location"), "https://example.com/cancel")
      assert.include((yield* callSandbox("GET", `/pay/${id}`)).text, "card was declined")
      yield* deliverDueEvents
      const [declined] = receiver.requests.splice(0)
      assert.include(declined?.body, `"type": "payment_intent.payment_failed"`)
      assert.include(declined?.body, `"code": "card_declined"`)
      yield* pressButton(id, "pay")
      yield* deliverDueEvents
      assert.deepStrictEqual(typesOf(receiver.requests), ["completed"])
    })
  )

  it.effect("lets delayed payments arrive, or fail, a moment later", () =>
    Effect.gen(function* () {
      const receiver = yield* resetSandbox
      const gateway = yield* PaymentGateway
      for (const [outcome, type, payment_status, failed] of [
        ["pay_later_succeeds", "async_payment_succeeded", "paid", undefined],
        ["pay_later_fails", "async_payment_failed", "unpaid", true]
      ] as const) {
        yield* TestClock.setTime(startTime)
        receiver.requests.length = 0
        const { id } = yield* createSandboxSession
        yield* pressButton(id, outcome)
        yield* deliverDueEvents
        assert.deepStrictEqual(typesOf(receiver.requests), ["completed"])
        yield* TestClock.setTime(startTime + 2_000)
        yield* deliverDueEvents
        assert.deepStrictEqual(typesOf(receiver.requests), ["completed", type])
        const session = yield* gateway.getSession(account, id)
        assert.strictEqual(session.payment_status, payment_status)
        assert.strictEqual(session.payment_failed, failed)
      }
    })
  )

  it.effect("expires sessions when their time has come, whether or not somebody looks", () =>
    Effect.gen(function* () {
      const receiver = yield* resetSandbox
      const { id } = yield* createSandboxSession
      yield* TestClock.setTime(startTime + 3_600_000 - 1)
      yield* deliverDueEvents
      assert.isEmpty(receiver.requests)
      yield* TestClock.setTime(startTime + 3_600_000)
      yield* deliverDueEvents
      assert.deepStrictEqual(typesOf(receiver.requests), ["expired"])

      yield* TestClock.setTime(startTime)
      const seen = yield* createSandboxSession
      yield* TestClock.setTime(startTime + 3_600_000)
      const late = yield* pressButton(seen.id, "pay")
      assert.strictEqual(late.headers.get("location"), "https://example.com/cancel")
      assert.strictEqual((yield* PaymentGateway.use((gateway) => gateway.getSession(account, id))).status, "expired")
    })
  )

  it.effect("takes fault switches over HTTP, and refuses unknown ones", () =>
    Effect.gen(function* () {
      const receiver = yield* resetSandbox
      assert.strictEqual(
        (yield* callSandbox("POST", "/sandbox/faults", { form: { duplicate: "1", api: "error_500", api_times: "1" } }))
          .status,
        204
      )
      const gateway = yield* PaymentGateway
      assert.propertyVal(yield* Effect.flip(gateway.getSession(account, "cs_test_1")), "_tag", "ProviderUnavailable")
      const { id } = yield* createSandboxSession
      yield* pressButton(id, "pay")
      yield* deliverDueEvents
      assert.strictEqual(receiver.requests.length, 2)
      for (const form of [{ explode: "1" }, { drop: "often" }, { api: "explode" }]) {
        assert.strictEqual((yield* callSandbox("POST", "/sandbox/faults", { form })).status, 400)
      }
      assert.strictEqual((yield* callSandbox("POST", "/sandbox/faults", { form: {} })).status, 204)
    })
  )
})

const Tables = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))

layer(TestDatabase.layer)("The sandbox's tables", (it) => {
  it.effect(
    "are made in a schema of their own when a sandbox starts, once for several nodes, where there is none",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tables = Effect.map(
          sql`select table_name as name from information_schema.tables where table_schema = 'sandbox' order by 1`,
          (rows) => Tables(rows).map(({ name }) => name)
        )
        yield* sql`drop schema if exists sandbox cascade`
        assert.deepStrictEqual(yield* tables, [])
        const payer = { payment_session_ids: ["ps_1"], booking_ids: ["booking_1"], email: "ann@example.com" }
        assert.deepStrictEqual(Object.values(yield* sandboxPayers.rows(payer)).flat(), [])
        yield* sandboxPayers.forget(payer)
        // Connections that changed a schema before and remember that there was no sandbox: PostgreSQL 15.19 looks names
        // up in that memory, which a wait for an advisory lock does not renew.
        const look = sql.withTransaction(
          sql`create temporary table remembered () on commit drop`.pipe(
            Effect.andThen(sql`select to_regnamespace('sandbox'), pg_sleep(0.1)`)
          )
        )
        yield* Effect.all(
          Array.makeBy(6, () => look),
          { concurrency: 6 }
        )
        yield* Effect.all([migrateSandbox, migrateSandbox, migrateSandbox], { concurrency: 3 })
        const made = yield* tables
        assert.includeMembers(made, ["session", "refund", "dispute", "delivery", "idempotency", "schema_migration"])
        yield* migrateSandbox
        assert.deepStrictEqual(yield* tables, made)
      })
  )
})
