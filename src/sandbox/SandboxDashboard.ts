/** What an operator and a payer's bank do beside the API, for tests and for trying: refunds made by hand, and disputes. */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { SandboxDisputes, readNewDispute } from "./SandboxDisputes.ts"
import { readForm } from "./SandboxForm.ts"
import { disputeObject, refundObject } from "./SandboxObjects.ts"
import { refusalBody, type SandboxRefusal } from "./SandboxRefusal.ts"
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

export const dashboardRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
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
  })
)
