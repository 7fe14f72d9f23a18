/** An operator's subscription: invoices at the provider. Events may be lost or have another API release. */
import { assert } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import * as fc from "fast-check"
import { SqlClient } from "effect/sql"
import { Stripe } from "stripe"
import { OperatorId } from "../../src/platform/ids/Ids.ts"
import { dayMs } from "../../src/platform/time/LocalTime.ts"
import { WebhookInbox } from "../../src/domain/payment/events/WebhookInbox.ts"
import { deliverEvent } from "../support/PaymentWorld.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"
import { invoiceLines } from "../support/stripeAnswers.ts"

/** The operator pays some days ahead. The event is delivered or lost, possibly with another API release. */
export type Subscribing = {
  readonly do: "subscribe"
  readonly days: number
  readonly told: "lost" | "ours" | "other"
}

export const subscribing: fc.Arbitrary<Subscribing> = fc.record({
  do: fc.constant("subscribe" as const),
  days: fc.constantFrom(1, 2, 30, 31, 60),
  told: fc.constantFrom("lost" as const, "ours" as const, "other" as const)
})

const operator_id = OperatorId.make("operator_01h4zzzzzzzzzzzzzzzzzzzzzz")
const customer = "cus_model"

/** A new operator without payments. */
export const freshSubscription = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* Clock.currentTimeMillis)
  yield* sql`delete from operator_history where operator_id = ${operator_id}`
  yield* sql`delete from operator where operator_id = ${operator_id}`
  yield* sql`insert into operator (operator_id, name, billing_customer_id, created_at, updated_at)
    values (${operator_id}, 'Pays by the month', ${customer}, ${now}, ${now})`
})

let serial = 0

export const subscribe = Effect.fnUntraced(function* ({ days, told }: Subscribing) {
  const { invoices } = yield* ScriptedGateway
  const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const id = `in_model_${++serial}`
  const end = seconds + days * 86_400
  const subscription = "sub_model"
  invoices.set(id, { id, status: "paid", customer, subscription, period_ends: [end], paid_at: seconds })
  if (told === "lost") return
  const object =
    told === "ours"
      ? {
          id,
          object: "invoice",
          status: "paid",
          customer,
          parent: { subscription_details: { subscription } },
          lines: invoiceLines(end)
        }
      : { id, object: "invoice", closed: true, lines: invoiceLines(end + 400 * 86_400) }
  yield* deliverEvent("platform", {
    id: `evt_${id}`,
    object: "event",
    type: "invoice.paid",
    livemode: false,
    api_version: told === "ours" ? Stripe.API_VERSION : "2020-08-27",
    created: seconds,
    data: { object }
  })
  yield* WebhookInbox.use((inbox) => inbox.applyDue())
})

const PaidThrough = Schema.Tuple([Schema.Struct({ until: Schema.NullOr(Schema.Finite) })])

/**
 * `paid_through` never exceeds the invoices. At the end of a run it equals them, unless it is still far ahead: then it
 * has not been checked yet.
 */
export const checkSubscription = Effect.fnUntraced(function* (end: boolean) {
  const sql = yield* SqlClient.SqlClient
  const { invoices } = yield* ScriptedGateway
  const now = yield* Clock.currentTimeMillis
  const [{ until }] = yield* Effect.orDie(
    Schema.decodeUnknownEffect(PaidThrough)(
      yield* sql`select (extract(epoch from paid_through) * 1000)::float8 as until from operator
        where operator_id = ${operator_id}`
    )
  )
  const paid = Math.max(0, ...[...invoices.values()].flatMap(({ period_ends }) => period_ends)) * 1000
  assert.isAtMost(until ?? 0, paid, "paid through more than was paid for")
  if (end && (until ?? 0) <= now + dayMs) assert.strictEqual(until ?? 0, paid, "an invoice that was lost stays unknown")
})
