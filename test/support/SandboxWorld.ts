/**
 * The product's own sandbox on a free port, a recording receiver for its events, and the real gateway driving it. The
 * sandbox is under test here.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AppConfig } from "../../src/platform/config/AppConfig.ts"
import { Operators } from "../../src/domain/catalogue/Operators.ts"
import { type CheckoutRequest, PaymentGateway } from "../../src/domain/payment/provider/PaymentGateway.ts"
import { SandboxedService } from "../../src/extras/sandbox/Events.ts"
import { receiverPaths } from "../../src/domain/payment/provider/Receivers.ts"
import { Sandbox } from "../../src/extras/sandbox/Sandbox.ts"
import { Faults } from "../../src/extras/sandbox/Faults.ts"
import { account, checkoutRequest, stripeGatewayAt } from "./stripeAnswers.ts"
import { type Recorded, type RecordingServer, recordingServer } from "./RecordingServer.ts"
import { TestDatabase } from "./TestDatabase.ts"
import { testSettings } from "./testSettings.ts"

export class Receiver extends Context.Service<Receiver, RecordingServer>()("test/Receiver") {
  static readonly layer = Layer.effect(Receiver, recordingServer)
}

const service = Layer.effect(
  SandboxedService,
  Effect.gen(function* () {
    const { port } = yield* Receiver
    const operators = yield* Operators
    const { connectedSecrets, platformSecrets } = testSettings()
    const address = `http://127.0.0.1:${port}`
    return SandboxedService.of({
      port: 0,
      receivers: {
        platform: { url: `${address}${receiverPaths.platform}`, secrets: platformSecrets },
        connected: { url: `${address}${receiverPaths.connected}`, secrets: connectedSecrets }
      },
      accountName: (account) =>
        Effect.map(
          operators.byConnectedAccount(account),
          Option.match({ onNone: () => account, onSome: ({ name }) => name })
        ),
      deliveriesAtOnce: 1,
      longestPage: 100
    })
  })
)
const sandbox = Sandbox.layer.pipe(Layer.provide(service))

/**
 * The gateway before a sandbox, with as much patience as a busy machine needs; with less for a sandbox that does not
 * answer.
 */
export const sandboxGateway = (timeout = 30_000) =>
  Layer.unwrap(Effect.map(Sandbox, ({ port }) => stripeGatewayAt(port, { maxNetworkRetries: 0, timeout })))

export const SandboxWorld = {
  layer: sandboxGateway().pipe(
    Layer.provideMerge(sandbox),
    Layer.provideMerge(Receiver.layer),
    Layer.provide(Operators.layer),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provideMerge(Layer.succeed(AppConfig, testSettings())),
    Layer.provideMerge(TestDatabase.layer)
  )
}

export const startTime = Date.parse("2026-12-01T10:00:00Z")

/** Sets the clock, empties the receiver, and lets it take events. */
export const startReceiving = Effect.gen(function* () {
  yield* TestClock.setTime(startTime)
  const receiver = yield* Receiver
  receiver.requests.length = 0
  receiver.answer({ status: 200, body: { received: true } })
  return receiver
})

interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A raw call of the sandbox's server. Redirects are not followed. */
export const callSandbox = Effect.fn("tell")(function* (
  method: "GET" | "POST",
  path: string,
  options: { readonly form?: Record<string, string>; readonly headers?: Record<string, string> } = {}
) {
  const { url } = yield* Sandbox
  return yield* Effect.promise(async (): Promise<RawAnswer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: "manual",
      headers: options.headers ?? {},
      ...(options.form === undefined ? {} : { body: new URLSearchParams(options.form) })
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })
})

/** The headers of a raw call of the API. */
export const headers = { authorization: "Bearer sk_test_x", "stripe-account": account }

let keys = 0
/** Asks for a page that is open for an hour, each time under a key of its own. */
export const checkout = (changes: Partial<CheckoutRequest> = {}): CheckoutRequest =>
  checkoutRequest({
    idempotency_key: `key_${++keys}`,
    terms: `50 % deposit, not refunded. Of the rest: "all" back until 14 days before, then nothing.`,
    expires_at: startTime / 1000 + 3600,
    ...changes
  })

/** A page of the sandbox, opened by the gateway. */
export const createSandboxSession = Effect.suspend(() =>
  PaymentGateway.use((gateway) => gateway.createSession(checkout({ description: `Pirate party <b>"Jolly" & Co</b>` })))
)

/** Presses one of the page's buttons. */
export const pressButton = (id: string, outcome: string) => callSandbox("POST", `/pay/${id}`, { form: { outcome } })

/** The event that a delivery carried. */
export const eventOfDelivery = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      id: Schema.String,
      type: Schema.String,
      account: Schema.optionalKey(Schema.String),
      livemode: Schema.Boolean,
      api_version: Schema.String,
      data: Schema.Struct({ object: Schema.Record(Schema.String, Schema.Unknown) })
    })
  )
)

/** The types of the events that were delivered, in the order in which they came. */
export const typesOf = (requests: ReadonlyArray<Recorded>) =>
  requests.map(({ body }) => eventOfDelivery(body).type.replace("checkout.session.", ""))

/**
 * Delivers the events that are due. Where the background loop is delivering at this moment, this waits and delivers the
 * rest.
 */
export const deliverDueEvents = Sandbox.use((sandbox) => sandbox.work)

const forget = Effect.gen(function* () {
  // What the background loop is delivering would reach the next test's receiver.
  yield* deliverDueEvents
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from sandbox.delivery`
  yield* sql`delete from sandbox.refund`
  yield* sql`delete from sandbox.dispute`
  yield* sql`delete from sandbox.session`
  yield* sql`delete from sandbox.balance_transaction`
  yield* sql`delete from sandbox.payout`
  yield* (yield* Faults).reset
})

/** `startReceiving`, with nothing left of the tests before. */
export const resetSandbox = Effect.andThen(forget, startReceiving)
