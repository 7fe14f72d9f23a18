import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Queue, Schedule, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Agent, get } from "node:http"
import { zoneRules } from "../../../src/platform/time/LocalTime.ts"
import { finishSeconds } from "../../../src/surfaces/http/Connections.ts"
import { Succession } from "../../../src/surfaces/http/Ending.ts"
import { send } from "../../support/McpRequests.ts"
import { handle, problemOf, start } from "../../support/HttpSurface.ts"

describe("the HTTP surface", () => {
  it.live("answers unknown addresses with a JSON problem, and advertises no OAuth", () =>
    Effect.gen(function* () {
      const { call } = yield* start()
      for (const path of [
        "/nothing",
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server",
        "/register",
        "/%E0%A4%A",
        "/../etc/passwd"
      ]) {
        const answer = yield* call(path)
        assert.strictEqual(answer.response.status, 404, path)
        assert.propertyVal(problemOf(answer), "code", "not_found")
        assert.isNull(answer.response.headers.get("www-authenticate"))
      }
    }).pipe(Effect.scoped)
  )

  it.live("answers the token that OpenAI's directory looks for where it is set, and 404 where not", () =>
    Effect.gen(function* () {
      const path = "/.well-known/openai-apps-challenge"
      const { call } = yield* start({ settings: { openaiAppsChallenge: "b2tlbg_-3f9" } })
      const { response, text } = yield* call(path)
      assert.strictEqual(response.status, 200)
      assert.strictEqual(text, "b2tlbg_-3f9")
      assert.match(response.headers.get("content-type") ?? "", /^text\/plain/)
      assert.strictEqual((yield* call(path, { method: "POST" })).response.headers.get("allow"), "GET, HEAD")
      const without = yield* start()
      assert.propertyVal(problemOf(yield* without.call(path)), "code", "not_found")
    }).pipe(Effect.scoped)
  )

  it.live("shows the start page in the browser's language, to operators from the provider's pages too", () =>
    Effect.gen(function* () {
      const { call } = yield* start()
      const page = (path: string, language: string) => call(path, { headers: { "accept-language": language } })
      for (const [asked, lang, says] of [
        ["de-CH, en;q=0.5", "de", "Ihr KI-Assistent"],
        ["ja", "ja", "AIアシスタント"],
        ["pt", "en", "Your AI assistant"]
      ] as const) {
        const { response, text } = yield* page("/", asked)
        assert.include(text, `<html lang="${lang}">`)
        assert.include(text, says)
        assert.strictEqual(response.headers.get("vary"), "accept-language")
      }
      assert.include((yield* page("/?onboarding=done", "fr")).text, "Merci.")
      assert.include((yield* page("/?onboarding=expired", "es")).text, "ha caducado")
      assert.notInclude((yield* page("/?onboarding=__proto__", "en")).text, 'role="status"')
    }).pipe(Effect.scoped)
  )

  it.live("knows each address in one spelling only", () =>
    Effect.gen(function* () {
      const { base } = yield* start({ settings: { openaiAppsChallenge: "token" }, families: {} })
      const statusOf = (path: string, method: string) =>
        Effect.map(send(base, { method, path }), ({ status, text }) => {
          if (status === 404) assert.include(text, '"not_found"', path)
          return status
        })
      for (const [path, method, ...others] of [
        ["/mcp", "POST", "/MCP", "/mcp;a", "/mcp;", "/%6dcp", "/mc%70", "/mcp%3Fa", "/mcp%00"],
        [handle, "POST", handle.toLowerCase(), "/api//PaymentWebhook/Handle", "/api%2FPaymentWebhook/Handle"],
        [`${handle}Connected`, "POST", `${handle}connected`, `${handle}%43onnected`, `${handle}Connected;v=1`],
        ["/healthz", "GET", "/Healthz", "/healthz;x"],
        ["/readyz", "GET", "/READYZ", "/%72eadyz"],
        ["/docs", "GET", "/Docs", "/docs;jsessionid=1"],
        ["/.well-known/openai-apps-challenge", "GET", "/.Well-known/openai-apps-challenge"],
        ["/openapi.json", "GET", "/openapi%2Ejson", "/OpenAPI.json"],
        ["/checkout/return", "GET", "/checkout//return", "/checkout/Return", "/checkout%2freturn"]
      ] as const) {
        assert.notStrictEqual(yield* statusOf(path, method), 404, path)
        assert.notStrictEqual(yield* statusOf(`${path}?a=%6d;b`, method), 404, path)
        for (const other of [...others, `/${path}`, `${path}/`, `${path}//`, `/.${path}`, `/x/..${path}`]) {
          assert.strictEqual(yield* statusOf(other, method), 404, other)
        }
      }
      assert.strictEqual(yield* statusOf("//", "GET"), 404)
      assert.strictEqual(yield* statusOf("/;", "GET"), 404)
    }).pipe(Effect.scoped)
  )

  it.live("answers a wrong method with 405 and what is allowed", () =>
    Effect.gen(function* () {
      const { call } = yield* start({ families: {} })
      for (const [path, method, allow] of [
        [handle, "GET", "POST"],
        [`${handle}Connected`, "PUT", "POST"],
        ["/healthz", "POST", "GET, HEAD"],
        ["/checkout/return?outcome=success", "POST", "GET, HEAD"]
      ] as const) {
        const answer = yield* call(path, { method })
        assert.strictEqual(answer.response.status, 405)
        assert.strictEqual(answer.response.headers.get("allow"), allow)
        assert.propertyVal(problemOf(answer), "code", "method_not_allowed")
      }
    }).pipe(Effect.scoped)
  )

  it.live("answers HEAD like GET, without a body", () =>
    Effect.gen(function* () {
      const { call } = yield* start()
      const answer = yield* call("/healthz", { method: "HEAD" })
      assert.strictEqual(answer.response.status, 200)
      assert.strictEqual(answer.text, "")
    }).pipe(Effect.scoped)
  )

  it.live("tells nothing of its inside when something breaks", () =>
    Effect.gen(function* () {
      const { call } = yield* start()
      const answer = yield* call("/broken")
      assert.strictEqual(answer.response.status, 500)
      assert.propertyVal(problemOf(answer), "code", "internal_error")
      assert.notInclude(answer.text, "passwd")
    }).pipe(Effect.scoped)
  )

  it.live("looks up the tokens of payers from one network address so many times a minute", () =>
    Effect.gen(function* () {
      let looked = 0
      const payerReturn = () => Effect.sync(() => (looked++, Option.none()))
      const { call } = yield* start({
        families: { payerReturn },
        settings: { rateLimits: { perAddress: 2, perKey: 10 } }
      })
      for (let i = 0; i < 2; i++) assert.strictEqual((yield* call("/checkout/return?token=x")).response.status, 200)
      const refused = yield* call("/checkout/return?token=x", { headers: { "accept-language": "de" } })
      assert.strictEqual(refused.response.status, 429)
      assert.isAtLeast(Number(refused.response.headers.get("retry-after")), 1)
      assert.include(refused.text, "Zu viele Anfragen")
      assert.strictEqual(looked, 2)
    }).pipe(Effect.scoped)
  )

  it.live("sets the headers that browsers need to be careful", () =>
    Effect.gen(function* () {
      const { call } = yield* start({ families: {} })
      for (const path of ["/", "/docs", "/checkout/return", "/healthz", "/openapi.json", "/nothing"]) {
        const { response, text } = yield* call(path)
        assert.strictEqual(response.headers.get("x-content-type-options"), "nosniff", path)
        assert.strictEqual(response.headers.get("referrer-policy"), "no-referrer", path)
        if (!text.startsWith("<!doctype")) continue
        const policy = response.headers.get("content-security-policy") ?? ""
        assert.include(policy, "default-src 'none'")
        assert.notInclude(policy, "unsafe-inline")
        // Nothing from elsewhere: the pages work offline.
        assert.notMatch(text, /<script|src=|<link(?! rel="icon" href="data:)/)
      }
    }).pipe(Effect.scoped)
  )
})

describe("/readyz", () => {
  it.live("is 200 while the database can be used, 503 where it can't for whatever reason, or the service stops", () =>
    Effect.gen(function* () {
      const ready = yield* start()
      assert.deepStrictEqual(JSON.parse((yield* ready.call("/readyz")).text), {
        status: "ready",
        time_zone_rules: zoneRules().release
      })
      yield* ready.draining.enter("leaving")
      assert.propertyVal(problemOf(yield* ready.call("/readyz")), "status", 503)
      assert.strictEqual((yield* ready.call("/healthz")).response.status, 200)
      for (const state of ["unmigrated", "away", "silent", "read_only", "moved", "unwritable"] as const) {
        const { call } = yield* start({ database: state })
        const answer = yield* call("/readyz")
        assert.strictEqual(answer.response.status, 503)
        assert.propertyVal(problemOf(answer), "code", "not_ready")
      }
    }).pipe(Effect.scoped)
  )
})

describe("a stop", () => {
  it.effect("serves on for the drain delay while /readyz says 503, and only then closes the listener", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { base, call, draining } = yield* Scope.provide(start({ settings: { drainSeconds: 5 } }), scope)
      assert.strictEqual((yield* call("/readyz")).response.status, 200)
      const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      for (const seconds of [0, 4]) {
        yield* TestClock.adjust(`${seconds} seconds`)
        assert.strictEqual(yield* draining.stage, "leaving")
        const answer = yield* call("/readyz")
        assert.strictEqual(answer.response.status, 503)
        assert.propertyVal(problemOf(answer), "detail", "The service is stopping.")
        assert.strictEqual((yield* call("/slow-not-there")).response.status, 404)
        assert.strictEqual((yield* call("/healthz")).response.status, 200)
      }
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(stopping)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.tryPromise(() => fetch(`${base}/healthz`)))))
    })
  )

  it.live("lets requests in flight finish, and takes no new ones", () =>
    Effect.gen(function* () {
      const before = performance.now()
      const { base, inFlight } = yield* Effect.gen(function* () {
        const { base, begun, call } = yield* start()
        const inFlight = yield* Effect.forkDetach(call("/slow"))
        yield* Queue.take(begun)
        return { base, inFlight }
      }).pipe(Effect.scoped)
      const answer = yield* Fiber.join(inFlight)
      assert.strictEqual(answer.text, "done")
      const refused = yield* Effect.exit(Effect.tryPromise(() => fetch(`${base}/healthz`)))
      assert.strictEqual(refused._tag, "Failure")
      // One that waited for the connection, which the client keeps, would take so long.
      assert.isBelow(performance.now() - before, finishSeconds * 1000)
    })
  )

  it.live("that others serve on after hands over: clients end the connections they keep, and none is cut", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { base, draining } = yield* Scope.provide(start(), scope).pipe(
        Effect.provideService(Succession, { handsOver: Effect.succeed(true), cutShort: Effect.never })
      )
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const ask = (path: string) =>
        Effect.callback<{ readonly status: number; readonly connection: string | undefined; readonly kept: boolean }>(
          (resume) => {
            const request = get(`${base}${path}`, { agent }, ({ headers, statusCode = 0 }) => {
              const { reusedSocket } = request
              resume(Effect.succeed({ status: statusCode, connection: headers.connection, kept: reusedSocket }))
            })
            request.once("response", (response) => response.resume())
            request.once("error", (error) => resume(Effect.die(error)))
          }
        )
      assert.deepStrictEqual(yield* ask("/healthz"), { status: 200, connection: "keep-alive", kept: false })
      const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      assert.strictEqual(yield* draining.stage, "handing over")
      // The listener closes in its own time.
      const refused = yield* Effect.repeat(Effect.exit(Effect.tryPromise(() => fetch(`${base}/healthz`))), {
        until: Exit.isFailure,
        schedule: Schedule.spaced("20 millis")
      })
      assert.strictEqual(refused._tag, "Failure")
      // The address is ready, whoever answers, and the client's own connection is open until it has been used.
      assert.deepStrictEqual(yield* ask("/readyz"), { status: 200, connection: "close", kept: true })
      yield* Fiber.join(stopping)
    })
  )
})
