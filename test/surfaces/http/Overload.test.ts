/** More to do than can be done in time, over real HTTP: who is answered, and what the others hear. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { admissionLimits, toolRanks } from "../../../src/surfaces/http/Admission.ts"
import { connectionBounds } from "../../../src/surfaces/http/Connections.ts"
import { tools } from "../../../src/surfaces/mcp/tools/ToolList.ts"
import { handle, start } from "../../support/HttpSurface.ts"
import { getRequest, rawConnection, type RawConnection } from "../../support/rawConnections.ts"

/** Requests to `/work` wait for one thing, as for a database that hangs, and the idle statement with them. */
const overloadable = Effect.gen(function* () {
  const free = yield* Deferred.make<void>()
  const work = HttpRouter.add("GET", "/work", Effect.as(Deferred.await(free), HttpServerResponse.text("done")))
  const service = yield* start({
    more: work,
    idleStatement: Deferred.await(free),
    // However slow the machine is that tests run on.
    admits: { ...admissionLimits, longest: 60_000, longestInQueue: 60_000 },
    settings: { trustedProxies: ["127.0.0.1"] }
  })
  const from = (n: number): string => `x-forwarded-for: 198.51.${Math.floor(n / 200)}.${1 + (n % 200)}`
  const ask = (n: number, path = "/work") => rawConnection(service.base, getRequest(path, from(n)))
  const post = (n: number, path: string, body: string, ...headers: ReadonlyArray<string>) =>
    rawConnection(
      service.base,
      [
        `POST ${path} HTTP/1.1`,
        "host: localhost",
        from(n),
        ...headers,
        "content-type: application/json",
        `content-length: ${body.length}`,
        "",
        body
      ].join("\r\n")
    )
  return { ...service, ask, post, from, free }
})

const call = (name: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } })

describe("with more to do than can be done in time", () => {
  it.live(
    "who comes on top hears so at once, with a code (people by a page) and when to come again; who was let in is answered",
    () =>
      Effect.gen(function* () {
        const { ask, base, free, from, post } = yield* overloadable
        const first = yield* Effect.all(Array.from({ length: 60 }, (_, n) => ask(n)))
        let refused = yield* ask(100)
        for (let n = 101; refused.received() === ""; n++) {
          yield* Effect.sleep("100 millis")
          if (refused.received() === "") refused = yield* ask(n)
        }
        const letIn = first.filter(({ received }) => received() === "")
        assert.isAtLeast(letIn.length, admissionLimits.least)
        assert.match(
          refused.received(),
          /^HTTP\/1\.1 503 [^]*retry-after: 2[^]*application\/problem\+json[^]*"code":"service_unavailable"/
        )
        const search = yield* post(501, "/mcp", call("search_playrooms"), "mcp-name: search_playrooms")
        assert.deepStrictEqual(yield* search.answers(1), [503])
        assert.match(
          search.received(),
          /^HTTP\/1\.1 503 [^]*retry-after: 2[^]*application\/problem\+json[^]*"code":"service_unavailable"/
        )
        const person = yield* rawConnection(
          base,
          getRequest("/", from(505), "accept: text/html,application/xhtml+xml", "accept-language: fr")
        )
        assert.deepStrictEqual(yield* person.answers(1), [503])
        assert.match(person.received(), /retry-after: 2[^]*content-type: text\/html[^]*<html lang="fr"/)
        // The connection goes on.
        yield* search.send(getRequest("/healthz"))
        assert.deepStrictEqual(yield* search.answers(2), [503, 200])
        // Nothing here does any work, so the answer says only that they were let in.
        const payment = call("create_payment_session")
        for (const path of ["/mcp", handle]) {
          const paid = yield* post(
            502,
            path,
            payment,
            "payment-signature: t=1,v1=a",
            "mcp-name: create_payment_session"
          )
          assert.deepStrictEqual(yield* paid.answers(1), [200], path)
        }
        const probe = yield* ask(504, "/healthz")
        assert.deepStrictEqual(yield* probe.answers(1), [200])
        yield* Deferred.succeed(free, undefined)
        for (const one of letIn) assert.deepStrictEqual(yield* one.answers(1), [200])
        const after = yield* ask(600)
        assert.deepStrictEqual(yield* after.answers(1), [200])
      }).pipe(Effect.scoped),
    120_000
  )
})

/** Stands still, as a process that the system does not let run. */
const standStill = (ms: number): void => {
  for (const until = performance.now() + ms; performance.now() < until;);
}

/** The last of so many answers is a good one, or says when to come again. */
const answered = (times: number): RegExp =>
  new RegExp(
    `^(?:HTTP/1\\.1 200 [^]*){${times - 1}}HTTP/1\\.1 (?:200|503 [^]*retry-after: 2[^]*"code":"service_unavailable")`
  )

it.live(
  "a process that stood still while all its connections were used and as many came tells each what it may expect",
  () =>
    Effect.gen(function* () {
      const places = 200
      const { base } = yield* start({
        bounds: { ...connectionBounds, connections: places },
        // Only places decide here.
        admits: { ...admissionLimits, target: 60_000, burst: 10_000, burstSenders: 10_000 },
        settings: { trustedProxies: ["127.0.0.1"] }
      })
      const request = (n: number): string => getRequest("/slow", `x-forwarded-for: 198.51.${n >> 8}.${n & 255}`)
      const opened = (count: number, text: (n: number) => string = () => "") =>
        Effect.all(
          Array.from({ length: count }, (_, n) => rawConnection(base, text(n))),
          { concurrency: "unbounded" }
        )
      const pool = yield* opened(places)
      const use = Effect.fnUntraced(function* (connections: ReadonlyArray<RawConnection>, times: number) {
        for (const [n, { socket }] of connections.entries()) socket.write(request(n))
        for (const one of connections) assert.lengthOf(yield* one.answers(times), times)
      })
      yield* use(pool, 1)
      // A quarter rests, and makes place.
      yield* Effect.sleep("1100 millis")
      const [resting, used] = [pool.slice(0, places / 4), pool.slice(places / 4)]
      yield* use(used, 2)
      const coming = yield* Effect.forkScoped(opened(2 * places, (n) => request(places + n)))
      // They call before the others write, and are accepted before these are read.
      yield* Effect.yieldNow
      for (const [n, { socket }] of pool.entries()) socket.write(request(n))
      standStill(200)
      const last = Effect.fnUntraced(function* (connections: ReadonlyArray<RawConnection>, times: number) {
        for (const one of connections) {
          yield* one.answers(times)
          assert.match(one.received(), answered(times))
        }
        return connections.filter(({ received }) => received().split("HTTP/1.1 200 ").length > times).length
      })
      const served = [yield* last(resting, 2), yield* last(used, 3), yield* last(yield* Fiber.join(coming), 1)]
      // Whoever has a place in the end.
      assert.isAtLeast(
        served.reduce((one, other) => one + other),
        places
      )
    }).pipe(Effect.scoped),
  // A busy machine may stand still once more, by itself.
  { retry: 2 }
)

it("each tool has a rank of its own choice", () => {
  assert.sameMembers(
    tools.map(({ name }) => name),
    [...toolRanks.keys()]
  )
})
