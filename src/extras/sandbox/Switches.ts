/**
 * Switches for tests and demos, outside the provider's API (`/sandbox/…`): refunds and payouts by hand, refunds and
 * disputes that turn, payouts that fail, paid invoices, any event, faults.
 */
import { Clock, Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { SqlClient, type SqlError } from "effect/sql"
import { dayMs } from "../../platform/time/LocalTime.ts"
import { failPayout, payOutByHand, type PayoutRow } from "./Balance.ts"
import { payoutObject } from "./BalanceObjects.ts"
import { disputeObject, openOrMoveDispute } from "./Disputes.ts"
import type { State } from "./Endpoint.ts"
import { Events } from "./Events.ts"
import { ApiFault, Faults } from "./Faults.ts"
import { invalid, readForm, type Refusal, refusalBody } from "./Form.ts"
import { refundObject } from "./Objects.ts"
import { payInvoice } from "./Platform.ts"
import { createRefund, turnRefund } from "./Refunds.ts"

/** Responds with the object, or with the refusal in the provider's shape. */
const respond = <R>(act: Effect.Effect<object, Refusal | SqlError.SqlError, R>) =>
  SqlClient.SqlClient.use((sql) => sql.withTransaction(act)).pipe(
    Effect.map((object) => HttpServerResponse.jsonUnsafe(object)),
    Effect.catchTag("Refusal", (refusal) =>
      Effect.succeed(HttpServerResponse.jsonUnsafe(refusalBody(refusal), { status: refusal.status }))
    ),
    Effect.catchTag("SqlError", () =>
      Effect.succeed(HttpServerResponse.text("The sandbox could not reach its database.\n", { status: 500 }))
    )
  )

const decodeObject = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

// `account`, `payment_intent`, and `amount` (default: the rest) in the provider's minor units. The refund lacks our
// metadata.
const refundByHand = Effect.fnUntraced(function* (body: string) {
  const form = yield* readForm(body, {
    account: { kind: "text", required: true },
    payment_intent: { kind: "text", required: true },
    amount: { kind: "integer" }
  })
  const refund = {
    payment_intent: form.required("payment_intent"),
    amount: form.integer("amount"),
    reason: undefined,
    refund_application_fee: false,
    metadata: {}
  }
  return refundObject(yield* createRefund(form.required("account"), refund))
})

// `customer`, and `days` (default 30) of the paid period. `one_off=true`: an invoice without a subscription.
const invoicePaid = Effect.fnUntraced(function* (body: string) {
  const form = yield* readForm(body, {
    customer: { kind: "text", required: true, maxLength: 255 },
    days: { kind: "integer" },
    one_off: { kind: "boolean" }
  })
  return yield* payInvoice({
    customer: form.required("customer"),
    oneOff: form.boolean("one_off"),
    periodMs: (form.integer("days") ?? 30) * dayMs
  })
})

// Delivers any event, so that its handler can be tried. `type`, `object` (JSON), and `account` for events of connected
// accounts. The sandbox does not store the object, so its API can't return it.
const anyEvent = Effect.fnUntraced(function* (body: string) {
  const form = yield* readForm(body, {
    type: { kind: "text", required: true, maxLength: 255 },
    object: { kind: "text", required: true, maxLength: 100_000 },
    account: { kind: "text", maxLength: 255 }
  })
  const object = decodeObject(form.required("object"))
  if (Option.isNone(object)) return yield* invalid("Invalid object: must be a JSON object", { param: "object" })
  const account = form.text("account")
  const of = account === undefined ? { receiver: "platform" as const } : { receiver: "connected" as const, account }
  const { emit } = yield* Events
  return { event_id: yield* emit({ ...of, type: form.required("type"), object: object.value }) }
})

const Count = Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
const FaultForm = Schema.Struct({
  api: Schema.optionalKey(ApiFault),
  api_times: Schema.optionalKey(Count),
  duplicate: Schema.optionalKey(Count),
  reorder: Schema.optionalKey(Count),
  delay: Schema.optionalKey(Count),
  delay_seconds: Schema.optionalKey(Count),
  drop: Schema.optionalKey(Count),
  corrupt: Schema.optionalKey(Count),
  other_release: Schema.optionalKey(Count)
})
const decodeFaults = Schema.decodeUnknownOption(FaultForm, { onExcessProperty: "error" })

// `api` and `api_times` (default 1), and the counts of `Faults`. Without fields: resets all.
const setFaults = Effect.fnUntraced(function* (body: string) {
  const faults = yield* Faults
  const fields = Object.fromEntries(new URLSearchParams(body))
  const decoded = decodeFaults(fields)
  if (Option.isNone(decoded))
    return HttpServerResponse.text("Unknown fault, or a count that is no number.\n", { status: 400 })
  const { api, api_times = 1, ...counts } = decoded.value
  if (Object.keys(fields).length === 0) yield* faults.reset
  else yield* faults.set({ ...counts, ...(api === undefined ? {} : { api: { fault: api, times: api_times } }) })
  return HttpServerResponse.empty({ status: 204 })
})

export const switchRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<State | Faults>()
    const turned = (body: string) => Effect.map(turnRefund(body), refundObject)
    const disputed = (body: string) => Effect.map(openOrMoveDispute(body), disputeObject)
    const shown = (row: PayoutRow) => Effect.map(Clock.currentTimeMillis, (now) => payoutObject(row, now))
    const paidOut = (body: string) => Effect.flatMap(payOutByHand(body), shown)
    const sentBack = (body: string) => Effect.flatMap(failPayout(body), shown)
    for (const [name, act] of [
      ["refund", refundByHand],
      ["refund_turns", turned],
      ["dispute", disputed],
      ["payout", paidOut],
      ["payout_fails", sentBack],
      ["invoice_paid", invoicePaid],
      ["event", anyEvent]
    ] as const) {
      yield* router.add("POST", `/sandbox/${name}`, (request) =>
        Effect.flatMap(request.text, (body) => respond<State>(act(body))).pipe(Effect.provide(services))
      )
    }
    yield* router.add("POST", "/sandbox/faults", (request) =>
      Effect.flatMap(request.text, setFaults).pipe(Effect.provide(services))
    )
  })
)
