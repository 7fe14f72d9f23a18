/**
 * What happens beside the API, for tests and for trying: refunds that an operator makes by hand, a payer's disputes, and any event.
 */
import { Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { SandboxDisputes, readNewDispute } from "./SandboxDisputes.ts"
import { SandboxEvents } from "./SandboxEvents.ts"
import { readForm } from "./SandboxForm.ts"
import { disputeObject, refundObject } from "./SandboxObjects.ts"
import { refusalBody, refuse, type SandboxRefusal } from "./SandboxRefusal.ts"
import { SandboxRefunds } from "./SandboxRefunds.ts"
import type { SqlError } from "effect/sql"

/** Answers the object, or the refusal in the provider's shape. */
const respond = <R>(act: Effect.Effect<object, SandboxRefusal | SqlError.SqlError, R>) =>
  act.pipe(
    Effect.map((object) => HttpServerResponse.jsonUnsafe(object)),
    Effect.catchTag("SandboxRefusal", (refusal) =>
      Effect.succeed(HttpServerResponse.jsonUnsafe(refusalBody(refusal), { status: refusal.status }))
    ),
    Effect.catchTag("SqlError", () =>
      Effect.succeed(HttpServerResponse.text("The sandbox could not reach its database.\n", { status: 500 }))
    )
  )

const decodeObject = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

export const dashboardRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const events = yield* SandboxEvents
    const refunds = yield* SandboxRefunds
    const disputes = yield* SandboxDisputes

    // `account`, `payment_intent`, and `amount` (all that is left) in the provider's minor units: a refund without our metadata.
    yield* router.add("POST", "/sandbox/refund", (request) =>
      respond(
        Effect.gen(function* () {
          const form = yield* readForm(yield* Effect.orDie(request.text), {
            account: { kind: "text", required: true },
            payment_intent: { kind: "text", required: true },
            amount: { kind: "integer" }
          })
          const made = yield* refunds.create(
            form.required("account"),
            {
              payment_intent: form.required("payment_intent"),
              amount: form.integer("amount"),
              reason: undefined,
              refund_application_fee: false,
              metadata: {}
            },
            "succeeded"
          )
          return refundObject(made.refund, made.payment)
        })
      )
    )

    // `payment_intent`, `status` (needs_response), `amount` (all of it): opens a dispute, or moves the one that is not decided.
    yield* router.add("POST", "/sandbox/dispute", (request) =>
      respond(
        Effect.gen(function* () {
          const { dispute, payment } = yield* disputes.openOrMove(
            yield* readNewDispute(yield* Effect.orDie(request.text))
          )
          return disputeObject(dispute, payment)
        })
      )
    )

    // `type`, `object` (JSON), and `account` of an event of a connected account's: delivers any event, also of an object that the
    // sandbox does not have, so that its handler can be tried. The object is sent as it is; the API can't answer for it.
    yield* router.add("POST", "/sandbox/event", (request) =>
      respond(
        Effect.gen(function* () {
          const form = yield* readForm(yield* Effect.orDie(request.text), {
            type: { kind: "text", required: true, maxLength: 255 },
            object: { kind: "text", required: true, maxLength: 100_000 },
            account: { kind: "text", maxLength: 255 }
          })
          const object = decodeObject(form.required("object"))
          if (Option.isNone(object)) return yield* refuse("Invalid object: must be a JSON object", { param: "object" })
          const account = form.text("account")
          const of =
            account === undefined ? { receiver: "platform" as const } : { receiver: "connected" as const, account }
          const event_id = yield* events.emit({ ...of, type: form.required("type"), object: object.value })
          return { event_id }
        })
      )
    )
  })
)
