/**
 * Endpoints for thin events, from the command that makes them to the booking that one confirms, over the product's own
 * sandbox.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AppConfig } from "../../../../src/platform/config/AppConfig.ts"
import { usedEvents } from "../../../../src/domain/payment/events/Events.ts"
import { WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import { PlatformGateway } from "../../../../src/domain/payment/provider/PlatformGateway.ts"
import { receiverPaths } from "../../../../src/domain/payment/provider/Receivers.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { commandsOverSandbox, member, parsed, playroom, takeRequests } from "../../../support/CommandLine.ts"
import { bookingState, confirmed, createBooking, now, openSession, storedEvent } from "../../../support/PaymentWorld.ts"
import { account } from "../../../support/paymentVenues.ts"
import { callSandbox, deliverDueEvents, Receiver } from "../../../support/SandboxWorld.ts"
import { testSettings } from "../../../support/testSettings.ts"

const base = "https://book.example.com"

/**
 * `playroom provider setup …` with these secrets in the settings: the problems that it finds, and the secrets that it
 * tells.
 */
const setup = Effect.fnUntraced(function* (
  secrets: Partial<Record<Side, ReadonlyArray<string>>>,
  ...args: ReadonlyArray<string>
) {
  const redacted = (side: Side) => (secrets[side] ?? []).map((one) => Redacted.make(one))
  const settings = testSettings({
    baseUrl: base,
    platformSecrets: redacted("platform"),
    connectedSecrets: redacted("connected")
  })
  const { failure, out } = yield* playroom("provider", "setup", "--json", ...args).pipe(
    Effect.provideService(AppConfig, settings)
  )
  const said = parsed(out)
  const told = member(said, "settings")
  return {
    failure,
    problems: Endpoints(said).endpoints.flatMap(({ findings, receiver }) =>
      findings.map(({ problem }) => `${receiver} ${problem}`)
    ),
    platform: String(member(told, "PAYMENT_WEBHOOK_SECRETS")),
    connected: String(member(told, "PAYMENT_CONNECT_WEBHOOK_SECRETS"))
  }
})
type Side = "platform" | "connected"
const Endpoints = Schema.decodeUnknownSync(
  Schema.Struct({
    endpoints: Schema.Array(
      Schema.Struct({ receiver: Schema.String, findings: Schema.Array(Schema.Struct({ problem: Schema.String })) })
    )
  })
)

const begin = Effect.gen(function* () {
  yield* setClock(now)
  const sql = yield* SqlClient.SqlClient
  for (const table of ["endpoint", "delivery"]) yield* sql.unsafe(`delete from sandbox.${table}`)
  const receiver = yield* Receiver
  receiver.requests.length = 0
  receiver.answer({ status: 200, body: { received: true } })
  yield* takeRequests
})

/** What is on at the provider: `thin connected`, by age. */
const enabled = Effect.map(
  PlatformGateway.use((gateway) => gateway.endpoints),
  (all) =>
    all
      .filter((one) => one.enabled)
      .toReversed()
      .toSorted((a, b) => a.created - b.created)
      .map(({ payload, receiver }) => `${payload} ${receiver}`)
)

const Delivered = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ id: Schema.String, object: Schema.String, type: Schema.String }))
)

/** Has the sandbox send what is due, and the inbox take and apply it; answers what was sent. */
const hear = Effect.gen(function* () {
  const inbox = yield* WebhookInbox
  const { requests } = yield* Receiver
  yield* deliverDueEvents
  const sent = requests.splice(0)
  for (const { body, headers, path } of sent) {
    const side = path === receiverPaths.platform ? "platform" : "connected"
    yield* inbox.receive(side, new TextEncoder().encode(body), [String(headers["stripe-signature"])])
  }
  yield* inbox.applyDue()
  return sent.map(({ body }) => Delivered(body))
})

const pay = Effect.gen(function* () {
  const booking = yield* createBooking()
  const session = yield* openSession(booking)
  const page = new URL(session.url ?? "").pathname
  assert.strictEqual((yield* callSandbox("POST", page, { form: { outcome: "pay" } })).status, 303)
  return booking
})
const kindsOf = (sent: Effect.Success<typeof hear>) => sent.map(({ object, type }) => `${object} ${type}`)

layer(commandsOverSandbox())("endpoints for thin events", (it) => {
  it.effect(
    "are made by provider setup --payload thin, with the events that are used, and are recognised afterwards",
    () =>
      Effect.gen(function* () {
        yield* begin
        const first = yield* setup({}, "--payload", "thin")
        assert.isUndefined(first.failure)
        assert.match(first.platform, /^whsec_\w{32}$/)
        const all = yield* PlatformGateway.use((gateway) => gateway.endpoints)
        assert.sameDeepMembers(
          all.map(({ enabled, enabled_events, payload, receiver, url }) => ({
            enabled,
            enabled_events,
            payload,
            receiver,
            url
          })),
          (["platform", "connected"] as const).map((receiver) => ({
            enabled: true,
            enabled_events: [...usedEvents[receiver]],
            payload: "thin" as const,
            receiver,
            url: `${base}${receiverPaths[receiver]}`
          }))
        )
        const made = (yield* takeRequests).filter(
          ({ method, path }) => method === "POST" && path.endsWith("/event_destinations")
        )
        for (const { body, headers } of made) {
          assert.include(headers["content-type"], "application/json")
          assert.deepInclude(parsed(body), { event_payload: "thin", type: "webhook_endpoint" })
          assert.notProperty(parsed(body), "snapshot_api_version")
        }
        assert.deepStrictEqual(
          made.map(({ body }) => member(parsed(body), "events_from")),
          [["@self"], ["@accounts"]]
        )
        const secrets = { platform: [first.platform], connected: [first.connected] }
        assert.deepInclude(yield* setup(secrets, "--check"), { problems: [], failure: undefined })
        assert.deepInclude(yield* setup({}, "--check"), { problems: ["platform secret", "connected secret"] })
        // Nothing more is made by the next runs, whether they name the kind or not.
        for (const args of [[], ["--payload", "thin"]])
          assert.deepInclude(yield* setup(secrets, ...args), { problems: [], platform: "undefined" })
        assert.strictEqual((yield* enabled).length, 2)
      })
  )

  it.effect("are put right: one that is switched off, and one that listens to other events", () =>
    Effect.gen(function* () {
      yield* begin
      const { connected, platform } = yield* setup({}, "--payload", "thin")
      const secrets = { platform: [platform], connected: [connected] }
      const all = yield* PlatformGateway.use((gateway) => gateway.endpoints)
      for (const one of all)
        yield* PlatformGateway.use((gateway) =>
          gateway.changeEndpoint(
            one,
            one.receiver === "platform" ? { enabled: false } : { enabled_events: ["charge.refunded"] }
          )
        )
      assert.deepInclude(yield* setup(secrets, "--check"), { problems: ["platform disabled", "connected events"] })
      assert.deepInclude(yield* setup(secrets), { problems: [], failure: undefined })
      assert.deepStrictEqual(yield* PlatformGateway.use((gateway) => gateway.endpoints), all)
    })
  )

  it.effect("take the place of others without a gap, and give it back; a rotation keeps the kind", () =>
    Effect.gen(function* () {
      yield* begin
      const old = yield* setup({})
      const before = { platform: [old.platform], connected: [old.connected] }
      yield* TestClock.adjust("1 minute")
      const thin = yield* setup(before, "--payload", "thin")
      assert.deepStrictEqual(thin.problems, ["platform pending", "connected pending"])
      assert.strictEqual((yield* setup(before, "--payload", "thin")).platform, "undefined")
      assert.deepStrictEqual(yield* enabled, [
        "snapshot platform",
        "snapshot connected",
        "thin platform",
        "thin connected"
      ])
      const booking = yield* pay
      assert.deepStrictEqual(kindsOf(yield* hear), [
        "event checkout.session.completed",
        "v2.core.event v1.checkout.session.completed"
      ])
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)

      const both = { platform: [old.platform, thin.platform], connected: [old.connected, thin.connected] }
      assert.deepStrictEqual((yield* setup(both, "--check")).problems, ["platform replaced", "connected replaced"])
      yield* setup(both)
      assert.deepStrictEqual(yield* enabled, ["thin platform", "thin connected"])
      yield* TestClock.adjust("1 minute")
      const rotated = yield* setup({ platform: [thin.platform], connected: [thin.connected] }, "--rotate", "connected")
      assert.deepStrictEqual(rotated.problems, ["connected pending"])
      assert.deepStrictEqual(yield* enabled, ["thin platform", "thin connected", "thin connected"])
      yield* TestClock.adjust("1 minute")
      yield* setup({ platform: [thin.platform], connected: [rotated.connected] }, "--payload", "snapshot")
      assert.include(yield* enabled, "snapshot connected")
    })
  )

  it.effect("are sent thin events, again until one is taken, and each confirms its booking once", () =>
    Effect.gen(function* () {
      yield* begin
      yield* setup({}, "--payload", "thin")
      const receiver = yield* Receiver
      receiver.answer({ status: 503, body: {} })
      const booking = yield* pay
      yield* deliverDueEvents
      const [refused] = receiver.requests.splice(0)
      receiver.answer({ status: 200, body: { received: true } })
      yield* TestClock.adjust("2 seconds")
      const sent = yield* hear
      assert.deepStrictEqual(kindsOf(sent), ["v2.core.event v1.checkout.session.completed"])
      assert.strictEqual(Delivered(refused?.body ?? "").id, sent[0]?.id)
      const seen = yield* storedEvent(sent[0]?.id ?? "")
      assert.deepStrictEqual([seen.status, seen.account, seen.booking_id], ["applied", account, booking.booking_id])
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      const fetched = (yield* takeRequests).filter(
        ({ method, path }) => method === "GET" && path.includes("/checkout/sessions/")
      )
      assert.deepStrictEqual(
        fetched.map(({ headers }) => headers["stripe-account"]),
        [account]
      )
    })
  )
})
