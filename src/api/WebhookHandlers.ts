/**
 * The two webhook receivers of the payment provider. They read raw bytes and signatures, and answer once the event is
 * stored.
 */
import { Cause, Effect, Option } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import type { Receiver } from "../payment/provider/Receivers.ts"
import { WebhookInbox } from "../payment/events/WebhookInbox.ts"
import type { SignatureError } from "../payment/events/WebhookSignature.ts"
import { makeThrottle } from "../kernel/Throttle.ts"
import { makeTimeLimit } from "../kernel/TimeLimit.ts"
import { HandledApi, type Received } from "./Api.ts"
import { bodyLimits, readBody } from "./Bodies.ts"
import {
  BadRequestProblem,
  EventMalformedProblem,
  PayloadTooLargeProblem,
  ServiceUnavailableProblem,
  SignatureInvalidProblem,
  SignatureMissingProblem,
  SignatureStaleProblem
} from "./Problem.ts"

interface Delivery {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly headers: { readonly "payment-signature"?: string; readonly "stripe-signature"?: string }
}

// Encoded once, not for each delivery.
const answer = (body: typeof Received.Type) => HttpServerResponse.jsonUnsafe(body)
const received = answer({ received: true })
const receivedDuplicate = answer({ received: true, duplicate: true })
const notStored = HttpApiSchema.withHeaders({
  body: new ServiceUnavailableProblem({ detail: "The event was not stored. Send it again." }),
  headers: { "retry-after": 5 }
})

/**
 * Returns a function that fails with the problem of a refused delivery. It logs a warning at most once a minute for
 * each reason: nothing is stored, so a wrong secret shows only in the log. Anybody may send such a delivery, so the
 * warning contains nothing from its headers or body.
 */
const makeRefusal = (receiver: Receiver) => {
  const throttles = new Map<SignatureError["code"], ReturnType<typeof makeThrottle>>()
  return <P>({ code }: SignatureError, problem: P) => {
    const throttle = throttles.get(code) ?? makeThrottle("1 minute")
    throttles.set(code, throttle)
    const warning = Effect.logWarning("An event was refused and not stored", { receiver, reason: code })
    return Effect.andThen(throttle(warning), Effect.fail(problem))
  }
}

/** After this time the provider is told to retry. It would wait longer, but each wait holds a connection. */
const storeTimeout = "3 seconds"

export const WebhookHandlers = HttpApiBuilder.group(
  HandledApi,
  "webhooks",
  Effect.fn(function* (handlers) {
    const inbox = yield* WebhookInbox
    const withinTime = yield* makeTimeLimit(storeTimeout)
    const receive = (receiver: Receiver) => {
      const refuse = makeRefusal(receiver)
      return Effect.fnUntraced(
        function* ({ headers, request }: Delivery) {
          const body = yield* readBody(request, bodyLimits.event)
          // Repeated headers are joined with commas; the inbox splits them.
          const signatures = Object.values(headers).filter((value) => value !== undefined)
          const { duplicate } = yield* Effect.flatMap(
            withinTime(inbox.receive(receiver, body, signatures)),
            Option.match({ onNone: () => Effect.fail(new Cause.TimeoutError()), onSome: Effect.succeed })
          )
          return duplicate ? receivedDuplicate : received
        },
        Effect.catchTags({
          BodyTooLarge: ({ limit }) =>
            Effect.fail(new PayloadTooLargeProblem({ detail: `An event may have ${limit} bytes.` })),
          BodyUnreadable: () => Effect.fail(new BadRequestProblem()),
          SignatureMissing: (error) => refuse(error, new SignatureMissingProblem()),
          SignatureInvalid: (error) => refuse(error, new SignatureInvalidProblem()),
          SignatureStale: (error) => refuse(error, new SignatureStaleProblem()),
          EventMalformed: (error) => refuse(error, new EventMalformedProblem({ detail: error.reason })),
          TimeoutError: () =>
            Effect.andThen(Effect.logWarning("An event was not stored in time", { receiver }), Effect.fail(notStored)),
          SqlError: ({ reason }) =>
            Effect.andThen(
              Effect.logWarning("An event could not be stored", { receiver, reason: reason._tag }),
              Effect.fail(notStored)
            )
        })
      )
    }
    // The body is read as raw bytes, whatever its Content-Type.
    return handlers.handleRaw("handle", receive("platform")).handleRaw("handleConnected", receive("connected"))
  })
)
