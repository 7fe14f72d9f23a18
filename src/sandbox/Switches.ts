/**
 * What happens beside the API, for tests and for trying (`/sandbox/…`): refunds that an operator makes by hand, a payer's disputes, paid
 * invoices, any event, and faults.
 */
import { Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { SqlClient, type SqlError } from "effect/sql"
import { dayMs } from "../kernel/LocalTime.ts"
import { openOrMoveDispute } from "./Disputes.ts"
import type { State } from "./Endpoint.ts"
import { Events } from "./Events.ts"
import { ApiFault, Faults } from "./Faults.ts"
import { invalid, readForm, type Refusal, refusalBody } from "./Form.ts"
import { disputeObject, refundObject } from "./Objects.ts"
import { payInvoice } from "./Platform.ts"
import { createRefund } from "./Refunds.ts"

/** Answers the object, or the refusal in the provider's shape. */
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

// `account`, `payment_intent`, and `amount` (all that is left) in the provider's minor units: a refund without our metadata.
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

// `customer`, and `days` (30): how far ahead the paid period ends. `one_off=true`: an invoice of no subscription.
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

// `type`, `object` (JSON), and `account` of an event of a connected account's: delivers any event, also of an object that the
// sandbox does not have, so that its handler can be tried. The object is sent as it is; the API can't answer for it.
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

// `api` and `api_times` (1), and the counts of `Faults`. Without fields: all back to none.
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
    const disputed = (body: string) => Effect.map(openOrMoveDispute(body), disputeObject)
    for (const [name, act] of [
      ["refund", refundByHand],
      ["dispute", disputed],
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
