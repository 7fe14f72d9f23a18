import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Queue } from "effect"
import { request as nodeRequest } from "node:http"
import { handle, post, problemOf, start } from "../../support/HttpSurface.ts"

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

  it.live(
    "warn of what they refuse, once a minute for each receiver and reason, and log nothing of the delivery",
    () => {
      const lines: Array<string> = []
      const listening = Logger.make(
        ({ logLevel, message }) => void lines.push(`${logLevel} ${JSON.stringify(message)}`)
      )
      return Effect.gen(function* () {
        const { call } = yield* start()
        const signed = { "stripe-signature": "t=1,v1=abc" }
        for (let times = 0; times < 3; times++) {
          yield* call(handle, post("wrong", signed))
          yield* call(`${handle}Connected`, post("wrong", signed))
          yield* call(handle, post("null", signed))
          yield* call(handle, post("{}", signed))
        }
        const warning = (receiver: string, reason: string) =>
          `Warn ["An event was refused and not stored",${JSON.stringify({ receiver, reason })}]`
        assert.deepStrictEqual(
          lines.filter((line) => line.startsWith("Warn")),
          [
            warning("platform", "signature_invalid"),
            warning("connected", "signature_invalid"),
            warning("platform", "event_malformed")
          ]
        )
      }).pipe(Effect.scoped, Effect.provide(Logger.layer([listening])))
    }
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
