import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Stripe } from "stripe"
import { sells } from "../../../../src/domain/catalogue/Operator.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { dayMs, hourMs } from "../../../../src/platform/time/LocalTime.ts"
import { Sandbox } from "../../../../src/extras/sandbox/Sandbox.ts"
import { Faults } from "../../../../src/extras/sandbox/Faults.ts"
import { WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { commandsOverSandbox, commandWorld, parsed, playroom } from "../../../support/CommandLine.ts"
import { deliverEvent, now, reconcile, reconcileAfter } from "../../../support/PaymentWorld.ts"
import { otherVenue } from "../../../support/paymentVenues.ts"
import { callSandbox, Receiver } from "../../../support/SandboxWorld.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"
import { invoiceLine, invoiceLines } from "../../../support/stripeAnswers.ts"

const { operator_id } = otherVenue.operator
const instant = (text: string) => Date.parse(text)

let serial = 0
/** An invoice that the operator paid now, for a period that ends then. */
const pay = Effect.fnUntraced(function* (ends: string, changes: Record<string, unknown> = {}) {
  const { invoices } = yield* ScriptedGateway
  const id = `in_test_${++serial}`
  invoices.set(id, {
    id,
    status: "paid",
    customer: "cus_2",
    subscription: "sub_1",
    period_ends: [instant(ends) / 1000],
    paid_at: Math.floor((yield* Clock.currentTimeMillis) / 1000),
    ...changes
  })
  return id
})

const standing = Effect.gen(function* () {
  const operator = yield* Operators.use((operators) => operators.get(operator_id))
  return { paid_through: operator.paid_through, sells: sells(operator, yield* Clock.currentTimeMillis) }
})

/** How often the provider was asked for invoices, since the last time this was asked. */
const asked = Effect.gen(function* () {
  const { calls } = yield* ScriptedGateway
  const count = calls.filter(({ operation }) => operation === "paidInvoices").length
  calls.length = 0
  return count
})

/** The operator has paid through that day, and nobody was asked or told anything else. */
const begin = Effect.fnUntraced(function* (paid: string) {
  yield* setClock(now)
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from operator_history`
  yield* sql`update operator set paid_through = ${new Date(paid)}, paid_through_set_at = null, subscription_checked_at = null,
    suspended_at = null where operator_id = ${operator_id}`
  const provider = yield* ScriptedGateway
  provider.invoices.clear()
  provider.outage = undefined
  yield* asked
})

const paidEvent = (id: string, end: number, lines: object = invoiceLines(end)) => ({
  id,
  object: "event",
  type: "invoice.paid",
  livemode: false,
  api_version: Stripe.API_VERSION,
  created: 1_795_190_400,
  data: {
    object: {
      id: `in_${id}`,
      object: "invoice",
      status: "paid",
      customer: "cus_2",
      parent: { type: "subscription_details", subscription_details: { subscription: "sub_1" } },
      lines
    }
  }
})

layer(commandWorld)("an operator's subscription", (it) => {
  it.effect("is extended though the event of its payment was lost, before the grace ends", () =>
    Effect.gen(function* () {
      yield* begin("2026-12-01T00:00:00Z")
      yield* setClock("2026-12-01T01:00:00Z")
      const id = yield* pay("2027-01-01T00:00:00Z")
      yield* reconcile
      assert.deepStrictEqual(yield* standing, { paid_through: instant("2027-01-01T00:00:00Z"), sells: true })
      const history = yield* Operators.use((operators) => operators.history(operator_id, 10))
      assert.deepStrictEqual(history, [
        {
          at: instant("2026-12-01T01:00:00Z"),
          event: "paid_through",
          playroom_id: null,
          who: "asked at the provider",
          reason: `invoice ${id}`,
          was: "2026-12-01T00:00:00.000Z",
          became: "2027-01-01T00:00:00.000Z"
        }
      ])
    })
  )

  it.effect("is found paid weeks after it lapsed, and the operator sells again", () =>
    Effect.gen(function* () {
      yield* begin("2026-12-01T00:00:00Z")
      yield* setClock("2027-02-01T00:00:00Z")
      yield* reconcile
      assert.isFalse((yield* standing).sells)
      yield* pay("2027-03-01T00:00:00Z")
      yield* reconcileAfter("23 hours")
      assert.isFalse((yield* standing).sells)
      yield* reconcileAfter("2 hours")
      assert.isTrue((yield* standing).sells)
    })
  )

  it.effect("is asked about hourly near its end, daily when it is over, and not at all before", () =>
    Effect.gen(function* () {
      yield* begin("2026-12-20T00:00:00Z")
      const countIn = Effect.fnUntraced(function* (from: string, days: number) {
        yield* setClock(from)
        yield* asked
        for (let time = 0; time < days * dayMs; time += hourMs / 2) {
          yield* reconcile
          yield* TestClock.adjust(hourMs / 2)
        }
        return yield* asked
      })
      assert.strictEqual(yield* countIn("2026-12-10T00:00:00Z", 1), 0)
      assert.strictEqual(yield* countIn("2026-12-20T00:00:00Z", 1), 24)
      assert.strictEqual(yield* countIn("2026-12-27T00:00:00Z", 1), 24)
      assert.strictEqual(yield* countIn("2027-01-10T00:00:00Z", 2), 2)
    })
  )

  it.effect("is asked about by one of several nodes", () =>
    Effect.gen(function* () {
      yield* begin("2026-12-01T00:00:00Z")
      yield* setClock("2026-12-02T00:00:00Z")
      yield* Effect.all([reconcile, reconcile, reconcile], { concurrency: "unbounded" })
      assert.strictEqual(yield* asked, 1)
    })
  )

  it.effect("waits where the provider is away, and takes no one-off invoice, nor one that pays beyond reason", () =>
    Effect.gen(function* () {
      yield* begin("2026-12-01T00:00:00Z")
      yield* setClock("2026-12-02T00:00:00Z")
      const provider = yield* ScriptedGateway
      yield* pay("9000-01-01T00:00:00Z")
      yield* pay("2028-01-01T00:00:00Z", { subscription: undefined })
      yield* pay("2027-01-01T00:00:00Z")
      provider.outage = "away"
      yield* reconcile
      assert.strictEqual((yield* standing).paid_through, instant("2026-12-01T00:00:00Z"))
      provider.outage = undefined
      yield* reconcileAfter("1 hour")
      assert.strictEqual((yield* standing).paid_through, instant("2027-01-01T00:00:00Z"))
    })
  )

  it.effect("is as a person says, earlier too: only what is paid after that moves it again", () =>
    Effect.gen(function* () {
      yield* begin("2026-12-01T00:00:00Z")
      yield* pay("2027-06-01T00:00:00Z")
      yield* setClock("2026-12-02T00:00:00Z")
      const args = ["operator", "paid-through", operator_id] as const
      const set = yield* playroom(...args, "2026-12-03", "--reason", "the invoice was charged back")
      assert.include(set.out, "paid through 2026-12-03 23:59:59Z")
      yield* reconcileAfter("2 days")
      assert.strictEqual((yield* standing).paid_through, instant("2026-12-03T23:59:59Z"))
      yield* pay("2027-01-03T00:00:00Z")
      yield* reconcileAfter("1 hour")
      assert.strictEqual((yield* standing).paid_through, instant("2027-01-03T00:00:00Z"))
      const shown = yield* playroom("operator", "show", operator_id)
      assert.include(shown.out, "the invoice was charged back")
      for (const [given, says] of [
        [["9000-01-01", "--reason", "x"], "is neither a date of the years 1900 to 2999"],
        [["2040-01-01", "--reason", "x"], "up to five years ahead"],
        [["2027-13-01", "--reason", "x"], "is neither a date"],
        [["2027-01-31"], "reason"]
      ] as const) {
        const { complaints, failure } = yield* playroom(...args, ...given)
        assert.include(`${failure} ${complaints}`, says)
      }
      assert.strictEqual((yield* standing).paid_through, instant("2027-01-03T00:00:00Z"))
    })
  )

  it.effect(
    "is extended by lines that an event left out, which are asked for, and by no downgrade or one-off item",
    () =>
      Effect.gen(function* () {
        yield* begin("2026-12-01T00:00:00Z")
        const [month, years] = [instant("2027-01-01T00:00:00Z") / 1000, instant("2028-12-01T00:00:00Z") / 1000]
        const parent = { type: "subscription_item_details", subscription_item_details: { proration: true } }
        const apart = [
          invoiceLine("il_1", years, { amount: -30_000, parent }),
          invoiceLine("il_2", years, { parent: { type: "invoice_item_details" } })
        ]
        const deliver = Effect.fnUntraced(function* (id: string, lines: object) {
          yield* deliverEvent("platform", paidEvent(id, month, lines))
          yield* WebhookInbox.use((inbox) => inbox.applyDue())
          return (yield* standing).paid_through
        })
        const none = yield* deliver("evt_apart", { object: "list", data: apart, has_more: false })
        assert.strictEqual(none, instant("2026-12-01T00:00:00Z"))
        // As the provider has the invoice that the event is about.
        const { invoices } = yield* ScriptedGateway
        invoices.set("in_evt_cut", {
          id: "in_evt_cut",
          status: "paid",
          customer: "cus_2",
          subscription: "sub_1",
          period_ends: [month]
        })
        const all = yield* deliver("evt_cut", { object: "list", data: apart, has_more: true })
        assert.strictEqual(all, month * 1000)
      })
  )

  it.effect("is not extended beyond reason by an event, which a person is told of", () =>
    Effect.gen(function* () {
      yield* begin("2026-12-31T00:00:00Z")
      const inbox = yield* WebhookInbox
      const beyond = {
        far: instant("9000-01-01T00:00:00Z") / 1000,
        farther: 253_402_300_800,
        farthest: 8_999_999_999_999
      }
      for (const [id, end] of Object.entries(beyond)) {
        yield* deliverEvent("platform", paidEvent(`evt_${id}`, end))
        yield* inbox.applyDue()
        const sick = yield* playroom("doctor")
        assert.include(sick.out, `evt_${id}`)
        assert.include(sick.out, "years ahead; nothing was changed")
        yield* playroom("doctor", "--settle", `evt_${id}`)
      }
      assert.strictEqual((yield* standing).paid_through, instant("2026-12-31T00:00:00Z"))
      yield* deliverEvent("platform", paidEvent("evt_near", instant("2029-11-01T00:00:00Z") / 1000))
      yield* inbox.applyDue()
      assert.strictEqual((yield* standing).paid_through, instant("2029-11-01T00:00:00Z"))
    })
  )

  it.effect(
    "is named by the doctor when it is about to lapse, has lapsed, was never paid, or is paid beyond reason",
    () =>
      Effect.gen(function* () {
        const says = Effect.gen(function* () {
          const found = parsed((yield* playroom("doctor", "--json")).out)
          return Array.isArray(found) ? found.map(({ id, what }: { id: string; what: string }) => `${what} ${id}`) : []
        })
        yield* begin("2026-12-01T00:00:00Z")
        yield* setClock("2026-12-04T00:00:00Z")
        assert.deepStrictEqual(yield* says, [])
        yield* setClock("2026-12-05T12:00:00Z")
        assert.deepStrictEqual(yield* says, [`subscription about to lapse ${operator_id}`])
        yield* setClock("2026-12-08T12:00:00Z")
        assert.deepStrictEqual(yield* says, [`subscription lapsed ${operator_id}`])
        assert.include((yield* playroom("doctor")).out, `playroom operator paid-through ${operator_id} DATE --reason`)
        yield* playroom("operator", "suspend", operator_id, "--reason", "left us")
        assert.deepStrictEqual(yield* says, [])
        yield* playroom("operator", "resume", operator_id)
        const sql = yield* SqlClient.SqlClient
        yield* sql`update operator set paid_through = null where operator_id = ${operator_id}`
        assert.deepStrictEqual(yield* says, [`subscription lapsed ${operator_id}`])
        yield* sql`update operator set paid_through = '9000-01-01' where operator_id = ${operator_id}`
        assert.deepStrictEqual(yield* says, [`subscription paid beyond reason ${operator_id}`])
      })
  )

  it.effect("is shown: whether the operator is billed, sells or not and why, and all that was changed", () =>
    Effect.gen(function* () {
      yield* begin("2026-12-01T00:00:00Z")
      const provider = yield* ScriptedGateway
      const lines = Effect.suspend(() => {
        provider.injectFault("account", "unanswered")
        return Effect.map(playroom("operator", "show", operator_id), ({ out }) => out.split("\n"))
      })
      const line = (name: string) =>
        Effect.map(lines, (all) =>
          all
            .find((one) => one.startsWith(name))
            ?.slice(name.length)
            .trim()
        )
      assert.strictEqual(yield* line("listed and selling"), "yes")
      assert.strictEqual(yield* line("billed"), "cus_2")
      assert.strictEqual(yield* line("paid through"), "2026-12-01 00:00:00Z")
      assert.strictEqual(yield* line("sells until"), "2026-12-07 23:59:59Z")
      assert.include(yield* line("can take payments"), "not known: the test has no answer")
      yield* playroom("operator", "suspend", operator_id, "--reason", "complaints")
      yield* setClock("2027-01-01T00:00:00Z")
      const why = yield* line("listed and selling")
      assert.include(why, "no: it is suspended; its subscription and the grace after it are over")
      yield* playroom("operator", "resume", operator_id)
      const json = parsed((yield* playroom("operator", "show", operator_id, "--json")).out)
      assert.deepNestedInclude(json, { "operator.operator_id": operator_id, off_sale: ["lapsed"] })
      const history = yield* Operators.use((operators) => operators.history(operator_id, 10))
      assert.deepStrictEqual(
        history.map(({ event, reason }) => [event, reason]),
        [
          ["suspended", "complaints"],
          ["resumed", null]
        ]
      )
      assert.isTrue(history.every(({ who }) => who.endsWith("(command line)")))
      assert.include((yield* playroom("operator", "show", "operator_nobody")).failure, "There is no operator")
    })
  )
})

layer(commandsOverSandbox())("at the provider's own API", (it) => {
  it.effect("the payment is found though its event was dropped on the way", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const receiver = yield* Receiver
      yield* Faults.use((faults) => faults.set({ drop: 1 }))
      const form = { customer: "cus_2", days: "30" }
      assert.strictEqual((yield* callSandbox("POST", "/sandbox/invoice_paid", { form })).status, 200)
      yield* callSandbox("POST", "/sandbox/invoice_paid", { form: { ...form, days: "400", one_off: "true" } })
      yield* Sandbox.use((sandbox) => sandbox.work)
      assert.isFalse(receiver.requests.some(({ body }) => body.includes('subscription_details": {')))
      yield* reconcile
      assert.deepStrictEqual(yield* standing, { paid_through: instant(now) + 30 * dayMs, sells: true })
    })
  )
})
