/** The HTTP contract of the webhook receivers. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { eventsInWords } from "../payment/events/Events.ts"
import { receiverPaths } from "../payment/provider/Receivers.ts"
import { documentation } from "./PageContract.ts"
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
} from "./Problem.ts"

/** The response of a receiver. */
export const Received = Schema.Struct({
  received: Schema.Literal(true),
  duplicate: Schema.optionalKey(Schema.Literal(true)).annotate({ description: "The event was already stored." })
}).annotate({ description: "Verified and stored, also where the event is not one that this service acts on." })

const signature = Schema.optionalKey(Schema.String)

const receiver = <const Name extends string>(name: Name, path: `/${string}`) =>
  HttpApiEndpoint.post(name, path, {
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
  })

/** The group of the receivers. */
export const webhooks = HttpApiGroup.make("webhooks")
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhook receivers",
      description:
        "For the payment provider only. The body is verified byte for byte, whatever its Content-Type, with the receiver's own list of secrets. 503 means that nothing was stored, and the provider tries again."
    })
  )
  .add(
    receiver("handle", receiverPaths.platform).annotateMerge(
      documentation("Events of the platform account", eventsInWords.platform)
    ),
    receiver("handleConnected", receiverPaths.connected).annotateMerge(
      documentation("Events of connected accounts", eventsInWords.connected)
    )
  )
