/** The sandbox on a free port, a recording receiver for its events, and the real gateway driving it. */
import { Context, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { AppConfig } from "../../src/AppConfig.ts"
import { Operators } from "../../src/catalogue/Operators.ts"
import { Sandbox } from "../../src/payment/sandbox/Sandbox.ts"
import { StripeGateway } from "../../src/payment/StripeGateway.ts"
import { type RecordingServer, recordingServer } from "./RecordingServer.ts"
import { TestDatabase } from "./TestDatabase.ts"
import { testSettings } from "./testSettings.ts"

export class Receiver extends Context.Service<Receiver, RecordingServer>()("test/Receiver") {
  static readonly layer = Layer.effect(Receiver, recordingServer)
}

const sandbox = Layer.unwrap(
  Effect.map(Receiver, ({ port }) => Sandbox.layer({ deliverTo: Effect.succeed(`http://127.0.0.1:${port}`) }))
)

const gateway = Layer.unwrap(
  Effect.map(Sandbox, ({ host, port }) =>
    StripeGateway.layer({
      secretKey: Redacted.make("sk_test_sandbox"),
      host,
      port,
      protocol: "http",
      maxNetworkRetries: 0,
      timeout: 2_000
    })
  )
)

export const SandboxWorld = {
  layer: gateway.pipe(
    Layer.provideMerge(sandbox),
    Layer.provideMerge(Receiver.layer),
    Layer.provide(Operators.layer),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provideMerge(Layer.succeed(AppConfig, testSettings())),
    Layer.provideMerge(TestDatabase.layer)
  )
}

export const start = Date.parse("2026-12-01T10:00:00Z")

/** Sets the clock, empties the receiver, and lets it take events. */
export const begin = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const receiver = yield* Receiver
  receiver.requests.length = 0
  receiver.answer({ status: 200, body: { received: true } })
  return receiver
})

export interface Told {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A raw call of the sandbox's server. Redirects are not followed. */
export const tell = Effect.fn("tell")(function* (
  method: "GET" | "POST",
  path: string,
  options: { readonly form?: Record<string, string>; readonly headers?: Record<string, string> } = {}
) {
  const { url } = yield* Sandbox
  return yield* Effect.promise(async (): Promise<Told> => {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: "manual",
      headers: options.headers ?? {},
      ...(options.form === undefined ? {} : { body: new URLSearchParams(options.form) })
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })
})
