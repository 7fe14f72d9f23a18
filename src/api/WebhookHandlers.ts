/** The two receivers of the payment provider's events. They take raw bytes and signatures, and answer once the event is stored. */
import { Effect, Layer } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Receiver, receiverPaths } from "../payment/provider/Receivers.ts"
import { WebhookInbox } from "../payment/events/WebhookInbox.ts"
import type { SignatureError } from "../payment/events/WebhookSignature.ts"
import { makeThrottle } from "../kernel/Throttle.ts"
import { bodyLimits, readBody } from "./Bodies.ts"
import { problem } from "./Problem.ts"

/** The signature headers as they came, under both names; repeated headers are joined with commas, which the inbox undoes. */
const signaturesOf = (headers: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  [headers["payment-signature"], headers["stripe-signature"]].filter((value) => value !== undefined)

const received = HttpServerResponse.jsonUnsafe({ received: true })
const receivedBefore = HttpServerResponse.jsonUnsafe({ received: true, duplicate: true })
const tooLarge = problem("payload_too_large", { detail: `An event may have ${bodyLimits.event} bytes.` })
const notStored = problem("service_unavailable", {
  detail: "The event was not stored. Send it again.",
  headers: { "retry-after": "5" }
})

/**
 * Makes what answers a delivery that a receiver refuses, and logs a warning at most once a minute for each reason: a wrong secret shows
 * nowhere else, as nothing is stored. Anybody may send such a delivery, so the warning holds nothing of its headers or body.
 */
const makeRefusal = (receiver: Receiver) => {
  const throttles = new Map<SignatureError["code"], ReturnType<typeof makeThrottle>>()
  return ({ code }: SignatureError, answer: HttpServerResponse.HttpServerResponse = problem(code)) => {
    const throttle = throttles.get(code) ?? makeThrottle("1 minute")
    throttles.set(code, throttle)
    return Effect.as(
      throttle(Effect.logWarning("An event was refused and not stored", { receiver, reason: code })),
      answer
    )
  }
}

/** After so many seconds the provider is told to send the event again. It would wait longer, but each wait holds a connection. */
export const storeSeconds = 3

/**
 * Adds the receivers to the router. They read headers and body themselves, since an `HttpApi` copies all services for each request
 * before it calls a handler.
 */
export const WebhookHandlers = Layer.unwrap(
  Effect.gen(function* () {
    const inbox = yield* WebhookInbox
    const receive = (receiver: Receiver) => {
      const refuse = makeRefusal(receiver)
      return Effect.fnUntraced(
        function* (request: HttpServerRequest.HttpServerRequest) {
          const body = new Uint8Array(yield* readBody(request, bodyLimits.event, (request) => request.arrayBuffer))
          const { duplicate } = yield* inbox
            .receive(receiver, body, signaturesOf(request.headers))
            .pipe(Effect.timeout(`${storeSeconds} seconds`))
          return duplicate ? receivedBefore : received
        },
        Effect.catchTags({
          BodyTooLarge: () => Effect.succeed(tooLarge),
          BodyUnreadable: () => Effect.succeed(problem("bad_request")),
          SignatureMissing: (error) => refuse(error),
          SignatureInvalid: (error) => refuse(error),
          SignatureStale: (error) => refuse(error),
          EventMalformed: (error) => refuse(error, problem(error.code, { detail: error.reason })),
          TimeoutError: () => Effect.as(Effect.logWarning("An event was not stored in time", { receiver }), notStored),
          SqlError: (error) =>
            Effect.as(
              Effect.logWarning("An event could not be stored", { receiver, reason: error.reason._tag }),
              notStored
            )
        })
      )
    }
    return Layer.mergeAll(
      HttpRouter.add("POST", receiverPaths.platform, receive("platform")),
      HttpRouter.add("POST", receiverPaths.connected, receive("connected"))
    )
  })
)
