/** The two receivers of the payment provider's events. They take raw bytes and signatures, and answer once the event is stored. */
import { Effect, Layer } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Receiver, receiverPaths } from "../payment/provider/Receivers.ts"
import { WebhookInbox } from "../payment/events/WebhookInbox.ts"
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

/** After so many seconds the provider is told to send the event again. It would wait longer, but each wait holds a connection. */
export const storeSeconds = 3

/**
 * Adds the receivers to the router. They read headers and body themselves, since an `HttpApi` copies all services for each request
 * before it calls a handler.
 */
export const WebhookHandlers = Layer.unwrap(
  Effect.gen(function* () {
    const inbox = yield* WebhookInbox
    const receive = (receiver: Receiver) =>
      Effect.fnUntraced(
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
          SignatureMissing: ({ code }) => Effect.succeed(problem(code)),
          SignatureInvalid: ({ code }) => Effect.succeed(problem(code)),
          SignatureStale: ({ code }) => Effect.succeed(problem(code)),
          EventMalformed: ({ code, reason }) => Effect.succeed(problem(code, { detail: reason })),
          TimeoutError: () => Effect.as(Effect.logWarning("An event was not stored in time", { receiver }), notStored),
          SqlError: (error) =>
            Effect.as(
              Effect.logWarning("An event could not be stored", { receiver, reason: error.reason._tag }),
              notStored
            )
        })
      )
    return Layer.mergeAll(
      HttpRouter.add("POST", receiverPaths.platform, receive("platform")),
      HttpRouter.add("POST", receiverPaths.connected, receive("connected"))
    )
  })
)
