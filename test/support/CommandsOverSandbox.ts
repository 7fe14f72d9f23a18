/** The command line over the product's own sandbox, with the real gateway and client; the calls between them are recorded. */

import * as NodeServices from "@effect/platform-node/NodeServices"
import { Context, Effect, Layer } from "effect"
import { request as send } from "node:http"
import { paymentServices } from "../../src/domain/payment/PaymentLayers.ts"
import { Sandbox } from "../../src/extras/sandbox/Sandbox.ts"
import type { Settings } from "../../src/platform/config/AppConfig.ts"
import { bookingServices, importVenue, setClock } from "./BookingWorld.ts"
import { commandLayers } from "./CommandLine.ts"
import { inRealTime, now } from "./PaymentWorld.ts"
import { loopbackServer, type Recorded } from "./RecordingServer.ts"
import { SandboxWorld } from "./SandboxWorld.ts"
import { otherVenue, venue } from "./paymentVenues.ts"
import { stripeGatewayAt } from "./stripeGateway.ts"

// A server between a client and another server on this machine: it passes everything on, and records requests and answers.

export interface RecordedCall extends Recorded {
  /** 0: there was no answer. */
  readonly status: number
  readonly answer: string
}

/** What is answered in the server's place, which does not get the request then. */
type Instead = (request: Recorded) => { readonly status: number; readonly body: string } | undefined

/**
 * A proxy before the server on port `target`, for the scope. `instead` says what is answered in its place from now on.
 */
export const recordingProxy = Effect.fnUntraced(function* (target: number) {
  const seen: Array<RecordedCall> = []
  let inPlace: Instead = () => undefined
  const port = yield* loopbackServer((request, body, response) => {
    const { headers, method = "", url: path = "" } = request
    const record = (status: number, answer: string) =>
      void seen.push({ method, path, headers, body: body.toString(), status, answer })
    const own = inPlace({ method, path, headers, body: body.toString() })
    if (own !== undefined) {
      record(own.status, own.body)
      return void response.writeHead(own.status, { "content-type": "application/json" }).end(own.body)
    }
    const onward = send({ host: "127.0.0.1", port: target, method, path, headers }, (answered) => {
      const parts: Array<Buffer> = []
      answered.on("data", (part: Buffer) => parts.push(part))
      answered.on("end", () => {
        const answer = Buffer.concat(parts)
        const status = answered.statusCode ?? 0
        record(status, answer.toString())
        response.writeHead(status, answered.headers).end(answer)
      })
    })
    onward.on("error", () => {
      record(0, "")
      request.socket.destroy()
    })
    onward.end(body)
  })
  const instead = (next: Instead) => void (inPlace = next)
  return { port, seen, instead }
})

export class RecordedWire extends Context.Service<
  RecordedWire,
  Pick<Effect.Success<ReturnType<typeof recordingProxy>>, "seen" | "instead">
>()("test/Wire") {}

/** The real gateway and client, before the sandbox of the test's world. */
export const gatewayOverWire = Layer.unwrap(
  Effect.gen(function* () {
    const proxy = yield* recordingProxy((yield* Sandbox).port)
    return Layer.merge(stripeGatewayAt(proxy.port), Layer.succeed(RecordedWire, proxy))
  })
)

/** What the commands call, on a database of its own with the venues of `PaymentWorld`. */
export const commandsOverSandbox = (settings: Partial<Settings> = {}) =>
  Layer.unwrap(
    Effect.as(
      setClock(now),
      Layer.effectDiscard(Effect.suspend(() => importVenue(venue, otherVenue))).pipe(
        Layer.provideMerge(commandLayers),
        Layer.provideMerge(inRealTime(paymentServices)),
        Layer.provideMerge(gatewayOverWire),
        Layer.provideMerge(bookingServices({ maxHoldsPerEmail: 1000, maxHoldsPerKey: 1000, ...settings })),
        Layer.provideMerge(SandboxWorld.layer),
        Layer.provideMerge(NodeServices.layer)
      )
    )
  )

/** Takes the recorded calls so far: the next time only newer ones are answered. */
export const takeRequests = Effect.map(RecordedWire, ({ seen }) => seen.splice(0))
