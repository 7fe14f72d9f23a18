import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { signatureHeader } from "../support/providerEvents.ts"
import { databaseOf, type Service, startService } from "../support/Service.ts"
import { invoiceLines } from "../support/stripeAnswers.ts"

const secrets = { platform: "whsec_journey_platform", connected: "whsec_journey_connected" }

class Running extends Context.Service<Running, Service>()("test/RunningWithSecrets") {
  static readonly layer = Layer.effect(
    Running,
    startService({ PAYMENT_WEBHOOK_SECRETS: secrets.platform, PAYMENT_CONNECT_WEBHOOK_SECRETS: secrets.connected })
  )
}

const paths = { platform: "/api/PaymentWebhook/Handle", connected: "/api/PaymentWebhook/HandleConnected" }
type Receiver = keyof typeof paths

const seconds = () => Math.floor(Date.now() / 1000)
const signed = (body: string, secret: string) => signatureHeader(body, secret, seconds())

let serial = 0
/** An event's body, as text; signed as it stands. */
const event = (type: string, object: object, envelope: object = {}): { readonly id: string; readonly body: string } => {
  const id = `evt_journey_${++serial}`
  const whole = {
    id,
    object: "event",
    api_version: "2026-10-28.endive",
    created: seconds(),
    livemode: false,
    type,
    data: { object },
    ...envelope
  }
  return { id, body: JSON.stringify(whole, null, 2) }
}

interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}
const Body = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** Delivers a body with a header; without one where it is undefined. */
const deliver = (receiver: Receiver, body: string, signature: string | undefined, name = "payment-signature") =>
  Effect.flatMap(Running, ({ baseUrl }) =>
    Effect.promise(async (): Promise<Answer> => {
      const headers: Record<string, string> = signature === undefined ? {} : { [name]: signature }
      const response = await fetch(baseUrl + paths[receiver], { method: "POST", body, headers })
      return { status: response.status, body: Body(await response.text()) }
    })
  )

const Listed = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ event_id: Schema.String, status: Schema.String, outcome: Schema.NullOr(Schema.String) }))
)
/** Waits until no event waits: a look into the database costs a fraction of a command. */
const applied = Effect.gen(function* () {
  const sql = yield* databaseOf(yield* Running)
  for (let tries = 0; tries < 600; tries++) {
    const waiting = yield* sql`select 1 from webhook_event where status = 'received' limit 1`
    if (waiting.length === 0) return
    yield* Effect.sleep("50 millis")
  }
  return assert.fail("events wait for ever")
}).pipe(Effect.scoped)

/** What became of the events, by id, when none of them waits. */
const outcomes = Effect.gen(function* () {
  const service = yield* Running
  yield* applied
  const { stdout } = yield* service.playroom("webhook", "list", "--limit", "200", "--json")
  return new Map(Schema.decodeUnknownSync(Listed)(stdout).map((one) => [one.event_id, one]))
})

/** A day within what a subscription can be paid ahead. */
const renewed = `${new Date().getUTCFullYear() + 3}-05-01`

const goldenGate = "operator_01kbbkjgk4etqbp7nj5cdjq83b"

const invoice = (customer: string, end: string) =>
  event("invoice.paid", {
    id: "in_journey",
    object: "invoice",
    customer,
    parent: { type: "subscription_details", subscription_details: { subscription: "sub_journey" } },
    status: "paid",
    lines: invoiceLines(Date.parse(end) / 1000)
  })
const unrelated = (envelope: object = { account: "acct_sandbox_sunny" }) =>
  event("charge.updated", { id: "ch_1", object: "charge" }, envelope)

const Operators = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      billing_customer_id: Schema.optionalKey(Schema.String),
      paid_through: Schema.optionalKey(Schema.Finite)
    })
  )
)

const received = { status: 200, body: { received: true } }

layer(Running.layer, { excludeTestServices: true })("events signed by hand", (it) => {
  it.effect(
    "are taken by the receiver whose secret signed them, under both header names, and by no other",
    () =>
      Effect.gen(function* () {
        const refusedIds: Array<string> = []
        for (const [receiver, other] of [
          ["platform", "connected"],
          ["connected", "platform"]
        ] as const) {
          const { body } = unrelated(receiver === "platform" ? {} : undefined)
          assert.deepStrictEqual(yield* deliver(receiver, body, signed(body, secrets[receiver])), received)
          const second = unrelated(receiver === "platform" ? {} : undefined).body
          assert.deepStrictEqual(
            yield* deliver(receiver, second, signed(second, secrets[receiver]), "stripe-signature"),
            received
          )
          const third = unrelated()
          const refused = yield* deliver(receiver, third.body, signed(third.body, secrets[other]))
          assert.deepStrictEqual([refused.status, refused.body["code"]], [400, "signature_invalid"])
          refusedIds.push(third.id)
        }
        const stored = yield* outcomes
        assert.deepStrictEqual(
          refusedIds.filter((id) => stored.has(id)),
          []
        )
      }),
    120_000
  )

  it.effect(
    "extend a subscription, and what is not ours is kept and seen by operators",
    () =>
      Effect.gen(function* () {
        const service = yield* Running
        const paid = invoice("cus_sandbox_goldengate", renewed)
        const strangers = [
          invoice("cus_unknown", renewed),
          event("checkout.session.completed", { id: "cs_1" }),
          event("checkout.session.completed", { id: "cs_1" }, { account: "acct_unknown" }),
          event("checkout.session.completed", { id: "cs_1" }, { account: "acct_sandbox_sunny", livemode: true }),
          event(
            "checkout.session.completed",
            { id: "cs_1" },
            { account: "acct_sandbox_sunny", api_version: "2020-08-27" }
          ),
          unrelated()
        ]
        // The demo's operators are paid for longer than any subscription.
        const soon = `${new Date().getUTCFullYear() + 1}-05-01`
        const set = yield* service.playroom("operator", "paid-through", goldenGate, soon, "--reason", "a test")
        assert.strictEqual(set.code, 0)
        assert.deepStrictEqual(yield* deliver("platform", paid.body, signed(paid.body, secrets.platform)), received)
        for (const [i, { body }] of strangers.entries()) {
          const receiver = i === 0 ? "platform" : "connected"
          assert.deepStrictEqual(yield* deliver(receiver, body, signed(body, secrets[receiver])), received)
        }
        const became = yield* outcomes
        assert.strictEqual(became.get(paid.id)?.status, "applied")
        for (const { id } of strangers) {
          assert.strictEqual(became.get(id)?.status, "ignored", id)
          assert.isString(became.get(id)?.outcome)
        }
        const { stdout } = yield* service.playroom("operator", "list", "--json")
        const operator = Schema.decodeUnknownSync(Operators)(stdout).find(
          ({ billing_customer_id }) => billing_customer_id === "cus_sandbox_goldengate"
        )
        assert.strictEqual(operator?.paid_through, Date.parse(renewed))
        const shown = yield* service.playroom("webhook", "show", paid.id)
        assert.include(shown.stdout, '"customer": "cus_sandbox_goldengate"')
        assert.strictEqual((yield* service.playroom("webhook", "retry", paid.id)).code, 0)
        assert.strictEqual((yield* outcomes).get(paid.id)?.status, "applied")
      }),
    120_000
  )
})
