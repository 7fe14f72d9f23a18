import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue, Result } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { SqlError } from "effect/sql"
import { request as nodeRequest } from "node:http"
import { AppConfig, fromEnv } from "../../src/AppConfig.ts"
import { Migrations } from "../../src/database/Migrations.ts"
import { Draining } from "../../src/http/Draining.ts"
import { HttpRoutes } from "../../src/http/Routes.ts"
import { listener, serve } from "../../src/http/Server.ts"
import { WebhookInbox } from "../../src/payment/WebhookInbox.ts"
import {
  EventMalformed,
  SignatureInvalid,
  SignatureMissing,
  SignatureStale
} from "../../src/payment/WebhookSignature.ts"

const away = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ cause: new Error("ECONNREFUSED"), message: "away", operation: "execute" })
})

interface Delivery {
  readonly receiver: string
  readonly body: string
  readonly signatures: ReadonlyArray<string>
}

/** An inbox that notes what it is given; the body says what it answers. */
const inbox = (deliveries: Queue.Queue<Delivery>) =>
  Layer.mock(WebhookInbox, {
    receive: (receiver, payload, signatures) =>
      Effect.gen(function* () {
        const body = new TextDecoder().decode(payload)
        yield* Queue.offer(deliveries, { receiver, body, signatures })
        if (signatures.length === 0) return yield* new SignatureMissing()
        if (body === "wrong") return yield* new SignatureInvalid()
        if (body === "old") return yield* new SignatureStale()
        if (body === "null") return yield* new EventMalformed({ reason: "null is no event" })
        if (body === "away") return yield* away
        return { duplicate: body === "again" }
      })
  })

const broken = HttpRouter.add("GET", "/broken", Effect.die(new Error("a secret path /etc/passwd")))
const slow = HttpRouter.add("GET", "/slow", Effect.as(Effect.sleep("300 millis"), HttpServerResponse.text("done")))

const start = Effect.fnUntraced(function* (options?: { readonly ready?: Effect.Effect<boolean, SqlError.SqlError> }) {
  const deliveries = yield* Queue.unbounded<Delivery>()
  const context = yield* Layer.build(
    serve(Layer.mergeAll(HttpRoutes, broken, slow)).pipe(
      Layer.provideMerge(listener({ host: "127.0.0.1", port: 0 })),
      Layer.provideMerge(Draining.layer),
      Layer.provide([
        inbox(deliveries),
        Layer.succeed(Migrations, { ready: options?.ready ?? Effect.succeed(true) }),
        Layer.succeed(AppConfig, Result.getOrThrow(fromEnv({ BASE_URL: "https://book.example.com" }))),
        NodeHttpServer.layerHttpServices
      ])
    )
  )
  const { base, draining } = yield* Effect.gen(function* () {
    return { base: yield* HttpServer.addressFormattedWith(Effect.succeed), draining: yield* Draining }
  }).pipe(Effect.provideContext(context))
  const call = (path: string, init?: RequestInit) =>
    Effect.promise(() => fetch(base + path, init).then(async (response) => ({ response, text: await response.text() })))
  return { base, call, deliveries, draining }
})

const problemOf = ({ response, text }: { readonly response: Response; readonly text: string }) => {
  assert.strictEqual(response.headers.get("content-type"), "application/problem+json")
  const body: unknown = JSON.parse(text)
  assert.containsAllKeys(body, ["type", "title", "status", "code"])
  assert.propertyVal(body, "status", response.status)
  return body
}

const post = (
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { "payment-signature": "t=1,v1=a" }
): RequestInit => ({
  method: "POST",
  body,
  headers
})

const handle = "/api/PaymentWebhook/Handle"

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

  it.live("answers a wrong method with 405 and what is allowed", () =>
    Effect.gen(function* () {
      const { call } = yield* start()
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

  it.live("sets the headers that browsers need to be careful", () =>
    Effect.gen(function* () {
      const { call } = yield* start()
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
  it.live("is 200 when the database is migrated, 503 when it is not, is away, or the service stops", () =>
    Effect.gen(function* () {
      const ready = yield* start()
      assert.deepStrictEqual(JSON.parse((yield* ready.call("/readyz")).text), { status: "ready" })
      yield* ready.draining.begin
      assert.propertyVal(problemOf(yield* ready.call("/readyz")), "status", 503)
      assert.strictEqual((yield* ready.call("/healthz")).response.status, 200)
      for (const state of [Effect.succeed(false), Effect.fail(away)]) {
        const { call } = yield* start({ ready: state })
        const answer = yield* call("/readyz")
        assert.strictEqual(answer.response.status, 503)
        assert.propertyVal(problemOf(answer), "code", "not_ready")
      }
    }).pipe(Effect.scoped)
  )
})

describe("a stop", () => {
  it.live("lets requests in flight finish, and takes no new ones", () =>
    Effect.gen(function* () {
      const begun = performance.now()
      const { base, inFlight } = yield* Effect.gen(function* () {
        const { call, base } = yield* start()
        const inFlight = yield* Effect.forkDetach(call("/slow"))
        yield* Effect.sleep("100 millis")
        return { base, inFlight }
      }).pipe(Effect.scoped)
      const answer = yield* Fiber.join(inFlight)
      assert.strictEqual(answer.text, "done")
      const refused = yield* Effect.exit(Effect.tryPromise(() => fetch(`${base}/healthz`)))
      assert.strictEqual(refused._tag, "Failure")
      assert.isBelow(performance.now() - begun, 3000)
    })
  )
})

describe("the webhook receivers", () => {
  it.live("pass on the body byte for byte, whatever its type says", () =>
    Effect.gen(function* () {
      const { call, deliveries } = yield* start()
      const bodies = ['{"a":  1}\n', "\ufeff{}", "a=1&b=2", ""]
      const types = ["application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
      for (const [index, body] of bodies.entries()) {
        const answer = yield* call(
          handle,
          post(new TextEncoder().encode(body), { "payment-signature": "t=1,v1=a", "content-type": types[index] ?? "" })
        )
        assert.strictEqual(answer.response.status, 200, body)
        assert.deepStrictEqual(JSON.parse(answer.text), { received: true })
        assert.strictEqual((yield* Queue.take(deliveries)).body, body.replace("\ufeff", ""))
      }
    }).pipe(Effect.scoped)
  )

  it.live("tell the platform's events from connected accounts'", () =>
    Effect.gen(function* () {
      const { call, deliveries } = yield* start()
      yield* call(handle, post("{}"))
      yield* call(`${handle}Connected`, post("{}"))
      assert.deepStrictEqual(
        (yield* Queue.takeAll(deliveries)).map(({ receiver }) => receiver),
        ["platform", "connected"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("take both header names, and repeated headers", () =>
    Effect.gen(function* () {
      const { base, deliveries } = yield* start()
      yield* Effect.callback<void>((resume) => {
        const request = nodeRequest(base + handle, { method: "POST" }, (response) => {
          response.resume()
          response.on("end", () => resume(Effect.void))
        })
        request.setHeader("Payment-Signature", ["t=1,v1=a", "t=2,v1=b"])
        request.setHeader("Stripe-Signature", "t=3,v1=c")
        request.end("{}")
      })
      const { signatures } = yield* Queue.take(deliveries)
      for (const one of ["t=1,v1=a", "t=2,v1=b", "t=3,v1=c"]) assert.include(signatures.join(), one)
    }).pipe(Effect.scoped)
  )

  it.live("say that a repeat was one", () =>
    Effect.gen(function* () {
      const { call } = yield* start()
      assert.deepStrictEqual(JSON.parse((yield* call(handle, post("again"))).text), { received: true, duplicate: true })
    }).pipe(Effect.scoped)
  )

  it.live("refuse with 400 and a code, or ask for a retry with 503", () =>
    Effect.gen(function* () {
      const { call } = yield* start()
      for (const [body, headers, status, code] of [
        ["{}", {}, 400, "signature_missing"],
        ["wrong", { "stripe-signature": "t=1,v1=a" }, 400, "signature_invalid"],
        ["old", { "payment-signature": "t=1,v1=a" }, 400, "signature_stale"],
        ["null", { "payment-signature": "t=1,v1=a" }, 400, "event_malformed"],
        ["away", { "payment-signature": "t=1,v1=a" }, 503, "service_unavailable"]
      ] as const) {
        const answer = yield* call(handle, post(body, headers))
        assert.strictEqual(answer.response.status, status)
        assert.propertyVal(problemOf(answer), "code", code)
        assert.strictEqual(answer.response.headers.has("retry-after"), status === 503)
      }
    }).pipe(Effect.scoped)
  )

  it.live("take 1 MiB, and not one byte more, with a length or without", () =>
    Effect.gen(function* () {
      const { call, base, deliveries } = yield* start()
      const full = new Uint8Array(1024 * 1024).fill(120)
      assert.strictEqual((yield* call(handle, post(full))).response.status, 200)
      yield* Queue.take(deliveries)
      const over = yield* call(handle, post(new Uint8Array(1024 * 1024 + 1)))
      assert.strictEqual(over.response.status, 413)
      assert.propertyVal(problemOf(over), "code", "payload_too_large")
      const chunked = yield* Effect.callback<number>((resume) => {
        const request = nodeRequest(
          base + handle,
          { method: "POST", headers: { "payment-signature": "t=1,v1=a" } },
          (response) => {
            response.resume()
            resume(Effect.succeed(response.statusCode ?? 0))
          }
        )
        request.on("error", () => {})
        for (let i = 0; i < 9; i += 1) request.write(Buffer.alloc(128 * 1024))
        request.end()
      })
      assert.strictEqual(chunked, 413)
      assert.strictEqual(yield* Queue.size(deliveries), 0)
    }).pipe(Effect.scoped)
  )
})
