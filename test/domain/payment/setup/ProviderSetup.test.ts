import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Stripe } from "stripe"
import { AppConfig, fromEnv } from "../../../../src/platform/config/AppConfig.ts"
import { Api } from "../../../../src/surfaces/web/Api.ts"
import { usedEvents } from "../../../../src/domain/payment/events/Events.ts"
import { receiverPaths } from "../../../../src/domain/payment/provider/Receivers.ts"
import { PlatformGateway } from "../../../../src/domain/payment/provider/PlatformGateway.ts"
import { commandsOverSandbox, member, parsed, playroom, takeRequests } from "../../../support/CommandLine.ts"
import { answerFaults, providerSchemaPresent } from "../../../support/providerSchema.ts"
import { callSandbox } from "../../../support/SandboxWorld.ts"
import { testSettings } from "../../../support/testSettings.ts"

const base = "https://book.example.com"

/** `playroom provider setup …` with these secrets in the settings. */
const setup = Effect.fnUntraced(function* (
  secrets: { readonly platform?: ReadonlyArray<string>; readonly connected?: ReadonlyArray<string> },
  ...args: ReadonlyArray<string>
) {
  const settings = testSettings({
    baseUrl: base,
    platformSecrets: (secrets.platform ?? []).map((one) => Redacted.make(one)),
    connectedSecrets: (secrets.connected ?? []).map((one) => Redacted.make(one))
  })
  const ran = yield* playroom("provider", "setup", "--json", ...args).pipe(Effect.provideService(AppConfig, settings))
  const said = parsed(ran.out === "" ? "{}" : ran.out)
  const made = member(said, "settings")
  return {
    ...ran,
    said,
    problems: list(member(said, "endpoints")).flatMap((one) =>
      list(member(one, "findings")).map((finding) => `${member(one, "receiver")} ${member(finding, "problem")}`)
    ),
    platform: text(member(made, "PAYMENT_WEBHOOK_SECRETS")),
    connected: text(member(made, "PAYMENT_CONNECT_WEBHOOK_SECRETS"))
  }
})
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** All endpoints that the provider has, oldest first. */
const endpoints = Effect.map(
  PlatformGateway.use((gateway) => gateway.endpoints),
  (all) => all.toReversed()
)

const begin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from sandbox.endpoint`
  yield* takeRequests
})

const byHand = (form: Record<string, string>) =>
  callSandbox("POST", "/v1/webhook_endpoints", { form, headers: { authorization: "Bearer sk_test_hand" } })

layer(commandsOverSandbox())("playroom provider setup", (it) => {
  it.effect("makes both endpoints at our release with the events that are used, and tells their secrets once", () =>
    Effect.gen(function* () {
      yield* begin
      const missing = yield* setup({}, "--check")
      assert.deepStrictEqual(missing.problems, ["platform missing", "connected missing"])
      assert.include(missing.failure, "2 things need")
      assert.deepStrictEqual(yield* endpoints, [])

      const first = yield* setup({})
      assert.isUndefined(first.failure)
      assert.match(first.platform, /^whsec_\w{32}$/)
      assert.match(first.connected, /^whsec_\w{32}$/)
      const made = yield* endpoints
      assert.deepStrictEqual(
        made.map(({ api_version, enabled, enabled_events, receiver, url }) => ({
          api_version,
          enabled,
          enabled_events,
          receiver,
          url
        })),
        (["platform", "connected"] as const).map((receiver) => ({
          api_version: Stripe.API_VERSION,
          enabled: true,
          enabled_events: [...usedEvents[receiver]],
          receiver,
          url: `${base}${receiverPaths[receiver]}`
        }))
      )
      const creations = (yield* takeRequests).filter(
        ({ method, path }) => method === "POST" && path === "/v1/webhook_endpoints"
      )
      assert.deepStrictEqual(
        creations.map(({ body }) => new URLSearchParams(body).get("connect")),
        ["false", "true"]
      )
      assert.deepStrictEqual((yield* setup({}, "--check")).problems, ["platform secret", "connected secret"])

      const secrets = { platform: ["whsec_other", first.platform], connected: [first.connected] }
      const well = yield* setup(secrets, "--check")
      assert.deepStrictEqual([well.problems, well.failure], [[], undefined])
      yield* takeRequests
      const again = yield* setup(secrets)
      assert.deepStrictEqual([again.problems, again.platform, again.connected], [[], "", ""])
      assert.deepStrictEqual(yield* endpoints, made)
      assert.isTrue((yield* takeRequests).every(({ method }) => method === "GET"))
    })
  )

  it.effect("puts right what was changed: events, and endpoints that are switched off", () =>
    Effect.gen(function* () {
      yield* begin
      const { connected, platform } = yield* setup({})
      const secrets = { platform: [platform], connected: [connected] }
      const [one, two] = yield* endpoints
      yield* PlatformGateway.use((gateway) => gateway.changeEndpoint(one ?? assert.fail(), { enabled: false }))
      yield* PlatformGateway.use((gateway) =>
        gateway.changeEndpoint(two ?? assert.fail(), {
          enabled_events: ["checkout.session.completed", "charge.refunded"]
        })
      )
      const wrong = yield* setup(secrets, "--check")
      assert.deepStrictEqual(wrong.problems, ["platform disabled", "connected events"])
      assert.isDefined(wrong.failure)
      const right = yield* setup(secrets)
      assert.deepStrictEqual([right.problems, right.platform, right.connected], [[], "", ""])
      assert.deepStrictEqual(yield* endpoints, [one, two])
    })
  )

  it.effect("replaces a secret without a gap: the old endpoint works until the new secret is in the settings", () =>
    Effect.gen(function* () {
      yield* begin
      const first = yield* setup({})
      const connected = [first.connected]
      yield* TestClock.adjust("1 minute")
      const lost = yield* setup({ platform: [first.platform], connected }, "--rotate", "platform")
      assert.match(lost.platform, /^whsec_/)
      assert.strictEqual(lost.connected, "")
      yield* TestClock.adjust("1 minute")
      const second = yield* setup({ platform: [first.platform], connected }, "--rotate", "platform")
      assert.deepStrictEqual(second.problems, ["platform pending", "platform pending"])
      assert.strictEqual((yield* endpoints).filter(({ enabled }) => enabled).length, 4)
      // Nothing is switched off before the settings hold the new secret.
      yield* setup({ platform: [first.platform], connected })
      assert.strictEqual((yield* endpoints).filter(({ enabled }) => enabled).length, 4)

      const done = { platform: [first.platform, second.platform], connected }
      assert.deepStrictEqual((yield* setup(done, "--check")).problems, ["platform replaced", "platform replaced"])
      yield* setup(done)
      const left = (yield* endpoints).filter(({ enabled }) => enabled)
      assert.deepStrictEqual(
        left.map(({ receiver }) => receiver),
        ["connected", "platform"]
      )
      assert.strictEqual((yield* endpoints).length, 4)
      assert.deepStrictEqual((yield* setup({ platform: [second.platform], connected }, "--check")).problems, [])
    })
  )

  it.effect("makes an endpoint at our release beside one at another, and touches no other's", () =>
    Effect.gen(function* () {
      yield* begin
      const url = `${base}${receiverPaths.platform}`
      for (const form of [
        { url, "enabled_events[0]": "*" },
        { url: `${base}/elsewhere`, "enabled_events[0]": "*" },
        { url: `https://staging.example.com${receiverPaths.platform}`, "enabled_events[0]": "invoice.paid" }
      ])
        assert.strictEqual((yield* byHand(form)).status, 200)
      const before = yield* endpoints
      const made = yield* setup({})
      assert.deepStrictEqual(made.problems, ["platform secret", "platform duplicate", "connected secret"])
      const secrets = { platform: [made.platform], connected: [made.connected] }
      assert.deepStrictEqual((yield* setup(secrets)).problems, ["platform duplicate"])
      assert.deepStrictEqual((yield* endpoints).slice(0, 3), before)
    })
  )

  it.effect("takes one at our release that somebody else made, and says that its secret can't be told", () =>
    Effect.gen(function* () {
      yield* begin
      const url = `${base}${receiverPaths.platform}/`
      yield* byHand({ url, "enabled_events[0]": "invoice.paid", api_version: Stripe.API_VERSION })
      const { problems, platform, said } = yield* setup({ platform: ["whsec_x"] }, "--rotate", "connected")
      assert.deepStrictEqual([problems, platform], [["connected secret"], ""])
      assert.notProperty(list(member(said, "endpoints"))[0], "secret_set")
    })
  )

  it.effect("needs a public https address at the real provider, and asks it nothing before", () =>
    Effect.gen(function* () {
      yield* takeRequests
      for (const baseUrl of ["http://book.example.com", "https://localhost:3000", "http://localhost:3000"]) {
        const provider = { kind: "stripe", secretKey: Redacted.make("sk_test_x"), livemode: false } as const
        const { failure } = yield* playroom("provider", "setup").pipe(
          Effect.provideService(AppConfig, testSettings({ baseUrl, provider }))
        )
        assert.include(failure, "public https addresses only")
      }
      assert.deepStrictEqual(yield* takeRequests, [])
    })
  )

  it.effect("says what people need to know, and keeps secrets out of it where none was made", () =>
    Effect.gen(function* () {
      yield* begin
      const { out } = yield* playroom("provider", "setup")
      assert.match(out, /^PAYMENT_WEBHOOK_SECRETS=whsec_\w+$/m)
      assert.match(out, /^PAYMENT_CONNECT_WEBHOOK_SECRETS=whsec_\w+$/m)
      assert.include(out, "tells each secret once")
      assert.notInclude(out, "→")
      const check = yield* playroom("provider", "setup", "--check")
      assert.notInclude(check.out, "whsec_")
      assert.include(check.out, "add it and restart; where it was lost, playroom provider setup --rotate platform")
    })
  )

  if (!providerSchemaPresent) console.log("SKIPPED: no provider schema beside the repository")
  it.effect.skipIf(!providerSchemaPresent)(
    "sends what the provider's schema allows, on the platform's own account",
    () =>
      Effect.gen(function* () {
        yield* begin
        yield* setup({})
        const calls = yield* takeRequests
        for (const { answer, headers, method, path } of calls) {
          assert.isUndefined(headers["stripe-account"])
          const said = JSON.parse(answer)
          for (const one of method === "GET" ? said.data : [said])
            assert.deepStrictEqual(answerFaults("WebhookEndpoints.WebhookEndpoint", one), { faults: [] }, path)
        }
        assert.isAbove(calls.length, 4)
        return undefined
      })
  )
})

describe("the receivers' addresses", () => {
  plain("are those that the service listens at", () => {
    const taken = Object.values(Api.groups.webhooks.endpoints).map(({ method, path }) => `${method} ${path}`)
    assert.sameMembers(
      taken,
      Object.values(receiverPaths).map((path) => `POST ${path}`)
    )
  })
})

describe("settings without webhook secrets", () => {
  plain("do for the command that makes them, and for nothing else", () => {
    const env = { STRIPE_SECRET_KEY: "sk_test_x", BASE_URL: base }
    assert.strictEqual(fromEnv(env)._tag, "Failure")
    assert.strictEqual(fromEnv(env, { secretsNeeded: false })._tag, "Success")
    assert.strictEqual(fromEnv({ ...env, PAYMENT_WEBHOOK_SECRETS: " " }, { secretsNeeded: false })._tag, "Failure")
  })
})
