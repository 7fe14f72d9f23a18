/**
 * The two webhook receivers of the payment provider: their contract and what answers them. They read raw bytes and
 * signatures, and answer once the event is stored.
 */
import { Effect, Layer, Schema } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { makeThrottle } from "../../platform/time/Elapsed.ts"
import { eventsInWords } from "../../domain/payment/events/Events.ts"
import { WebhookInbox } from "../../domain/payment/events/WebhookInbox.ts"
import type { SignatureError } from "../../domain/payment/events/WebhookSignature.ts"
import { type Receiver, receiverPaths } from "../../domain/payment/provider/Receivers.ts"
import { bodyLimits, readBody } from "../http/Bodies.ts"
import {
  BadRequestProblem,
  EventMalformedProblem,
  MethodNotAllowedProblem,
  PayloadTooLargeProblem,
  retryAfter,
  ServiceUnavailableProblem,
  SignatureInvalidProblem,
  SignatureMissingProblem,
  SignatureStaleProblem
} from "../http/Problem.ts"

/** The response of a receiver. */
const Received = Schema.Struct({
  received: Schema.Literal(true),
  duplicate: Schema.optionalKey(Schema.Literal(true)).annotate({ description: "The event was already stored." })
}).annotate({ description: "Verified and stored, also where the event is not one that this service acts on." })

const signature = Schema.optionalKey(Schema.String)

const accounts: Readonly<Record<Receiver, string>> = {
  platform: "the platform account",
  connected: "connected accounts"
}

const receiver = <const Name extends Receiver>(name: Name) =>
  HttpApiEndpoint.post(name, receiverPaths[name], {
    headers: {
      "payment-signature": signature.annotate({
        description:
          "`t=SECONDS,v1=HEX`, where HEX is the HMAC-SHA256 of the seconds, a dot and the body; may be given more than once."
      }),
      "stripe-signature": signature.annotate({ description: "The same, under the provider's own name." })
    },
    payload: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/json" })),
    success: Received,
    error: [
      SignatureMissingProblem,
      SignatureInvalidProblem,
      SignatureStaleProblem,
      EventMalformedProblem,
      BadRequestProblem,
      MethodNotAllowedProblem,
      PayloadTooLargeProblem,
      retryAfter(ServiceUnavailableProblem)
    ]
  }).annotateMerge(OpenApi.annotations({ summary: `Events of ${accounts[name]}`, description: eventsInWords[name] }))

/** The group of the receivers. */
export const webhooks = HttpApiGroup.make("webhooks")
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhook receivers",
      description:
        "For the payment provider only. The body is verified byte for byte, whatever its Content-Type, with the receiver's own list of secrets. 503 means that nothing was stored, and the provider tries again."
    })
  )
  .add(receiver("platform"), receiver("connected"))

/** The headers that may hold signatures. Repeated ones are joined with commas; the inbox splits them. */
const signatureHeaders = ["payment-signature", "stripe-signature"] as const

// Encoded once, not for each delivery.
const answer = (body: typeof Received.Type) => HttpServerResponse.jsonUnsafe(body)
const received = answer({ received: true })
const receivedDuplicate = answer({ received: true, duplicate: true })

const notStored = HttpApiSchema.withHeaders({
  body: new ServiceUnavailableProblem({ detail: "The event was not stored. Send it again." }),
  headers: { "retry-after": 5 }
})

/**
 * Returns a function that refuses a delivery with a problem. It logs a warning at most once a minute for each reason:
 * nothing is stored, so a wrong secret shows only in the log. Anybody may send such a delivery, so the warning contains
 * nothing from its headers or body.
 */
const makeRefusal = (receiver: Receiver) => {
  const throttles = new Map<SignatureError["code"], ReturnType<typeof makeThrottle>>()
  return <Problem>({ code }: SignatureError, problem: Problem) => {
    const throttle = throttles.get(code) ?? makeThrottle("1 minute")
    throttles.set(code, throttle)
    const warning = Effect.logWarning("An event was refused and not stored", { receiver, reason: code })
    return Effect.andThen(throttle(warning), Effect.fail(problem))
  }
}

const makeReceive = Effect.gen(function* () {
  const inbox = yield* WebhookInbox
  return (receiver: Receiver) => {
    const refuse = makeRefusal(receiver)
    return Effect.fnUntraced(
      function* ({ request }: { readonly request: HttpServerRequest.HttpServerRequest }) {
        // Raw bytes, whatever their Content-Type.
        const body = yield* readBody(request, bodyLimits.event)
        const signatures = signatureHeaders.flatMap((name) => request.headers[name] ?? [])
        const { duplicate } = yield* inbox.receive(receiver, body, signatures)
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
})

const WebhooksApi = HttpApi.make("playroom").add(webhooks)

/** The receivers. */
export const webhookRoutes = HttpApiBuilder.layer(WebhooksApi).pipe(
  Layer.provide(
    HttpApiBuilder.group(
      WebhooksApi,
      "webhooks",
      Effect.fn(function* (handlers) {
        const receive = yield* makeReceive
        return handlers.handleRaw("platform", receive("platform")).handleRaw("connected", receive("connected"))
      })
    )
  )
)
