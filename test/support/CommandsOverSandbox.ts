/** The command line over the product's own sandbox, with the real gateway and client; the calls between them are recorded. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Context, Effect, Layer } from "effect"
import type { Settings } from "../../src/platform/config/AppConfig.ts"
import { paymentServices } from "../../src/domain/payment/PaymentLayers.ts"
import { Sandbox } from "../../src/extras/sandbox/Sandbox.ts"
import { stripeGatewayAt } from "./stripeGateway.ts"
import { bookingServices, importVenue, setClock } from "./BookingWorld.ts"
import { commandLayers } from "./CommandLine.ts"
import { inRealTime, now } from "./PaymentWorld.ts"
import { otherVenue, venue } from "./paymentVenues.ts"
import { recordingProxy } from "./RecordingProxy.ts"
import { SandboxWorld } from "./SandboxWorld.ts"

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
