/**
 * The two webhook receivers of the payment provider. They read raw bytes and signatures, and answer once the event is
 * stored.
 */
import { Effect, Layer } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { type Receiver, receiverPaths } from "../payment/provider/Receivers.ts"
import { WebhookInbox } from "../payment/events/WebhookInbox.ts"
import type { SignatureError } from "../payment/events/WebhookSignature.ts"
import { makeThrottle } from "../kernel/Throttle.ts"
import type { Received } from "./WebhookApi.ts"
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

/** The headers that may hold signatures. Repeated ones are joined with commas; the inbox splits them. */
const signatureHeaders = ["payment-signature", "stripe-signature"] as const

// Encoded once, not for each delivery.
const answer = (body: typeof Received.Type) => HttpServerResponse.jsonUnsafe(body)
const received = answer({ received: true })
const receivedDuplicate = answer({ received: true, duplicate: true })

const notStored = HttpServerRespondable.toResponse(
  new ServiceUnavailableProblem({ detail: "The event was not stored. Send it again." })
).pipe(Effect.map(HttpServerResponse.setHeader("retry-after", "5")))

/**
 * Returns a function that answers a refused delivery with its problem. It logs a warning at most once a minute for
 * each reason: nothing is stored, so a wrong secret shows only in the log. Anybody may send such a delivery, so the
 * warning contains nothing from its headers or body.
 */
const makeRefusal = (receiver: Receiver) => {
  const throttles = new Map<SignatureError["code"], ReturnType<typeof makeThrottle>>()
  return ({ code }: SignatureError, problem: HttpServerRespondable.Respondable) => {
    const throttle = throttles.get(code) ?? makeThrottle("1 minute")
    throttles.set(code, throttle)
    const warning = Effect.logWarning("An event was refused and not stored", { receiver, reason: code })
    return Effect.andThen(throttle(warning), HttpServerRespondable.toResponse(problem))
  }
}

const makeReceive = Effect.gen(function* () {
  const inbox = yield* WebhookInbox
  return (receiver: Receiver) => {
    const refuse = makeRefusal(receiver)
    return Effect.fnUntraced(
      function* (request: HttpServerRequest.HttpServerRequest) {
        // Raw bytes, whatever their Content-Type.
        const body = yield* readBody(request, bodyLimits.event)
        const signatures = signatureHeaders.flatMap((name) => request.headers[name] ?? [])
        const { duplicate } = yield* inbox.receive(receiver, body, signatures)
        return duplicate ? receivedDuplicate : received
      },
      Effect.catchTags({
        BodyTooLarge: ({ limit }) =>
          HttpServerRespondable.toResponse(new PayloadTooLargeProblem({ detail: `An event may have ${limit} bytes.` })),
        BodyUnreadable: () => HttpServerRespondable.toResponse(new BadRequestProblem()),
        SignatureMissing: (error) => refuse(error, new SignatureMissingProblem()),
        SignatureInvalid: (error) => refuse(error, new SignatureInvalidProblem()),
        SignatureStale: (error) => refuse(error, new SignatureStaleProblem()),
        EventMalformed: (error) => refuse(error, new EventMalformedProblem({ detail: error.reason })),
        TimeoutError: () =>
          Effect.andThen(Effect.logWarning("An event was not stored in time", { receiver }), notStored),
        SqlError: ({ reason }) =>
          Effect.andThen(
            Effect.logWarning("An event could not be stored", { receiver, reason: reason._tag }),
            notStored
          )
      })
    )
  }
})

/** Adds the receivers (declared in `Api.ts`) to the router. */
export const WebhookHandlers = Layer.unwrap(
  Effect.map(makeReceive, (receive) =>
    Layer.mergeAll(
      HttpRouter.add("POST", receiverPaths.platform, receive("platform")),
      HttpRouter.add("POST", receiverPaths.connected, receive("connected"))
    )
  )
)
