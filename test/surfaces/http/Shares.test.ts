import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { connectionBounds } from "../../../src/surfaces/http/Connections.ts"
import { handle, start } from "../../support/HttpSurface.ts"
import { getRequest, rawConnection, type RawConnection } from "../../support/rawConnections.ts"

const flooder = "127.0.0.9"
const bounded = (connections: number) => ({ bounds: { ...connectionBounds, connections } })

const openOf = (connections: ReadonlyArray<RawConnection>) => connections.filter(({ socket }) => !socket.destroyed)
const now = Effect.sync(() => performance.now())

const halfBody = `POST ${handle} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2000\r\n\r\n${"x".repeat(100)}`

// Other systems have no loopback addresses beside 127.0.0.1.
describe.skipIf(process.platform !== "linux")("connections", () => {
  it.live("of one address that fill the service make place for newcomers of others, who are all served", () =>
    Effect.gen(function* () {
      const { base } = yield* start(bounded(200))
      const pool = yield* Effect.all(
        Array.from({ length: 5 }, () => rawConnection(base, getRequest("/healthz"), "127.0.0.2"))
      )
      const flood = yield* Effect.all(
        Array.from({ length: 260 }, () => rawConnection(base, getRequest("/healthz"), flooder)),
        { concurrency: 20 }
      )
      const newcomers = yield* Effect.all(
        Array.from({ length: 20 }, () => rawConnection(base, getRequest("/openapi.json"), "127.0.0.3"))
      )
      for (const newcomer of newcomers) assert.deepStrictEqual(yield* newcomer.answers(1), [200])
      // A host's pool that was idle for longer than all of them is still open, and works.
      for (const connection of pool) {
        yield* connection.send(getRequest("/healthz"))
        assert.deepStrictEqual(yield* connection.answers(2), [200, 200])
      }
      assert.strictEqual(openOf(newcomers).length, 20)
      // The flood hears of its last ends a moment later. A stray connection, to who had the port before, may have a
      // place.
      while (openOf(flood).length > 175) yield* Effect.sleep("5 millis")
      assert.isAbove(openOf(flood).length, 170)
    }).pipe(Effect.scoped)
  )

  it.live("with half-sent requests, heads or bodies, make place as well", () =>
    Effect.gen(function* () {
      const { base } = yield* start(bounded(40))
      for (const half of [halfBody, "POST /mcp HTTP/1.1\r\nho"]) {
        yield* Effect.all(Array.from({ length: 60 }, () => rawConnection(base, half, flooder)))
        const newcomer = yield* rawConnection(base, getRequest("/openapi.json"), "127.0.0.3")
        assert.deepStrictEqual(yield* newcomer.answers(1), [200])
      }
    }).pipe(Effect.scoped)
  )

  it.live("that are all at work leave probes answered, and others hear when to come again", () =>
    Effect.gen(function* () {
      const { base, begun } = yield* start(bounded(3))
      const working = yield* Effect.all(
        [4, 5, 6].map((last) => rawConnection(base, getRequest("/waiting"), `127.0.0.${last}`))
      )
      yield* Queue.takeN(begun, 3)
      for (const path of ["/healthz", "/readyz"]) {
        const probe = yield* rawConnection(base, getRequest(path))
        assert.match(yield* probe.ended, /^HTTP\/1\.1 200 [^]*connection: close/i)
      }
      const refused = yield* (yield* rawConnection(base, getRequest("/openapi.json"))).ended
      assert.match(refused, /^HTTP\/1\.1 503 [^]*retry-after: 2[^]*"code":"service_unavailable"/)
      assert.strictEqual(openOf(working).length, 3)
    }).pipe(Effect.scoped)
  )
})

describe("pipelined requests", () => {
  it.live("are handled one after the other, and answered in order", () =>
    Effect.gen(function* () {
      const { base } = yield* start()
      const before = yield* now
      const connection = yield* rawConnection(base, getRequest("/slow").repeat(4) + getRequest("/not-there"))
      assert.deepStrictEqual(yield* connection.answers(5), [200, 200, 200, 200, 404])
      // Node's timers end up to a millisecond early.
      assert.isAtLeast((yield* now) - before, 4 * 299)
    }).pipe(Effect.scoped)
  )

  it.live("end their connection where more come at once than may wait", () =>
    Effect.gen(function* () {
      const { base, call } = yield* start()
      const within = yield* rawConnection(base, getRequest("/healthz").repeat(9))
      assert.lengthOf(yield* within.answers(9), 9)
      const beyond = yield* rawConnection(base, getRequest("/healthz").repeat(2000))
      assert.isBelow((yield* beyond.ended).split("HTTP/1.1 ").length - 1, 10)
      assert.strictEqual((yield* call("/healthz")).response.status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("of a client that has left are not begun, and what is at work for it ends", () =>
    Effect.gen(function* () {
      const { base, begun, deliveries, interrupted } = yield* start()
      const delivery = `POST ${handle} HTTP/1.1\r\nhost: localhost\r\npayment-signature: t=1,v1=a\r\ncontent-length: 2\r\n\r\n{}`
      const { socket } = yield* rawConnection(base, getRequest("/waiting") + delivery)
      yield* Queue.take(begun)
      socket.destroy()
      assert.strictEqual(yield* Queue.take(interrupted), "interrupted")
      yield* Effect.sleep("200 millis")
      assert.strictEqual(yield* Queue.size(deliveries), 0)
    }).pipe(Effect.scoped)
  )
})

describe("requests", () => {
  /** So many requests at once, each on a connection of its own, that take 300 ms each. */
  const flood = Effect.fnUntraced(function* (base: string, count: number, ...headers: ReadonlyArray<string>) {
    const opened = yield* Effect.all(
      Array.from({ length: count }, () => rawConnection(base)),
      { concurrency: 50 }
    )
    for (const { socket } of opened) socket.write(getRequest("/slow", ...headers))
    return opened
  })

  it.live("of one sender beyond its share wait or are refused at once; others, and probes, are served meanwhile", () =>
    Effect.gen(function* () {
      const { base } = yield* start({ settings: { trustedProxies: ["127.0.0.1"] } })
      const lies = "x-forwarded-for: 198.51.100.7, 192.0.2.1"
      const sent = yield* flood(base, 340, lies)
      const refused = () => sent.filter(({ received }) => received().startsWith("HTTP/1.1 429"))
      // Through the same proxy, what the sender says of itself does not count.
      const other = yield* rawConnection(base, getRequest("/slow", "x-forwarded-for: 192.0.2.1, 198.51.100.7"))
      assert.deepStrictEqual(yield* other.answers(1), [200])
      assert.isAtLeast(sent.filter(({ received }) => received() === "").length, 100)
      const probe = yield* rawConnection(base, getRequest("/healthz", lies))
      assert.deepStrictEqual(yield* probe.answers(1), [200])
      // On a slow machine the first may be answered before the last are sent.
      while (refused().length === 0) sent.push(...(yield* flood(base, 100, lies)))
      assert.isAtMost(refused().length, sent.length - 256 - 4)
      for (const { received } of refused())
        assert.match(received(), /retry-after: 2[^]*application\/problem\+json[^]*"code":"rate_limited"/)
      const rpc = yield* rawConnection(base, getRequest("/mcp", lies))
      if ((yield* rpc.answers(1))[0] === 429) assert.match(rpc.received(), /"jsonrpc":"2.0"/)
    }).pipe(Effect.scoped)
  )

  it.live("of one address within what may wait are all answered, however slow each is", () =>
    Effect.gen(function* () {
      const { base } = yield* start()
      const sent = yield* flood(base, 110)
      for (const one of sent) assert.deepStrictEqual(yield* one.answers(1), [200])
    }).pipe(Effect.scoped)
  )
})

// Other systems have no loopback addresses beside 127.0.0.1.
describe.skipIf(process.platform !== "linux")("pages that need no database", () => {
  const pages = ["/", "/?onboarding=done", "/docs", "/openapi.json"]
  const rateLimits = { perAddress: 25, perKey: 25 }
  const connections = (base: string, count: number, address: string) =>
    Effect.all(
      Array.from({ length: count }, () => rawConnection(base, "", address)),
      { concurrency: 50 }
    )

  it.live(
    "are read by a school behind one address, which has used up its calls and whose other requests wait",
    () =>
      Effect.gen(function* () {
        const { base } = yield* start({ settings: { rateLimits }, families: {} })
        const calls = yield* rawConnection(base, "", flooder)
        // The limit recovers meanwhile.
        for (let last = 200, n = 1; last !== 429; n++) {
          yield* calls.send(getRequest("/checkout/return?token=unknown"))
          last = (yield* calls.answers(n)).at(-1) ?? assert.fail("cut")
          if (n <= 25) assert.strictEqual(last, 200)
        }
        const waiting = yield* connections(base, 150, flooder)
        for (const { socket } of waiting) socket.write(getRequest("/checkout/return?token=unknown"))
        const readers = yield* connections(base, 120, flooder)
        for (const [n, { socket }] of readers.entries()) socket.write(getRequest(pages[n % pages.length] ?? "/"))
        for (const reader of readers) assert.deepStrictEqual(yield* reader.answers(1), [200])
        assert.isAtLeast(waiting.filter(({ received }) => received() === "").length, 1)
      }).pipe(Effect.scoped),
    // On a machine that stands still for a second all that wait may have been served by then.
    { retry: 2 }
  )

  it.live(
    "are refused to a sender beyond ten for each of its calls, with words and when to come again; others read on",
    () =>
      Effect.gen(function* () {
        const { base } = yield* start({ settings: { rateLimits: { perAddress: 3, perKey: 3 } } })
        const flood = yield* rawConnection(base, "", flooder)
        for (let n = 1; n <= 30; n++) {
          yield* flood.send(getRequest(pages[n % pages.length] ?? "/"))
          assert.strictEqual((yield* flood.answers(n)).at(-1), 200)
        }
        for (const [path, said] of [
          ["/", "Zu viele Anfragen"],
          ["/docs", "Zu viele Anfragen"],
          ["/openapi.json", '"code":"rate_limited"']
        ] as const) {
          let text = ""
          // One more is answered every two seconds.
          for (let tries = 0; tries < 20 && !text.startsWith("HTTP/1.1 429 "); tries++) {
            const refused = yield* rawConnection(
              base,
              getRequest(path, "accept-language: de", "connection: close"),
              flooder
            )
            text = Buffer.from(yield* refused.ended, "latin1").toString("utf8")
          }
          assert.match(text, /^HTTP\/1\.1 429 /, path)
          assert.match(text, /\r\nretry-after: [1-9]\d?\r\n/i, path)
          assert.include(text, said, path)
        }
        // The last of them was refused, so there is less than one answer to begin with.
        const refused = performance.now()
        const probe = yield* rawConnection(base, getRequest("/healthz"), flooder)
        assert.deepStrictEqual(yield* probe.answers(1), [200])
        // Who goes on is answered now and then, and costs no more than that.
        const began = performance.now()
        const more = yield* connections(base, 60, flooder)
        for (const { socket } of more) socket.write(getRequest("/"))
        const answers = yield* Effect.forEach(more, (one) => one.answers(1))
        const ended = performance.now()
        assert.isAtMost(answers.filter(([status]) => status !== 429).length, 1 + (ended - refused) / 2000)
        assert.isAbove(ended - began, 1000)
        for (const path of pages) {
          const other = yield* rawConnection(base, getRequest(path), "127.0.0.3")
          assert.deepStrictEqual(yield* other.answers(1), [200], path)
        }
      }).pipe(Effect.scoped)
  )

  it.live("hold up nobody else, however many of them one sender asks for", () =>
    Effect.gen(function* () {
      const { base } = yield* start({ settings: { rateLimits } })
      const flood = yield* connections(base, 240, flooder)
      const newcomer = yield* rawConnection(base, "", "127.0.0.3")
      for (const { socket } of flood) socket.write(getRequest("/docs"))
      newcomer.socket.write(getRequest("/openapi.json"))
      const before = yield* Effect.callback<number>((resume) => {
        newcomer.socket.once("data", () =>
          resume(Effect.succeed(flood.filter(({ received }) => received() !== "").length))
        )
      })
      // Without shares all 240 are answered first. Those whose answers are on their way already count here, too.
      assert.isBelow(before, 120)
      for (const one of flood) assert.deepStrictEqual(yield* one.answers(1), [200])
    }).pipe(Effect.scoped)
  )
})

describe("a request that could be read in two ways", () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  const postTo = (path: string, ...headers: ReadonlyArray<string>) =>
    [`POST ${path} HTTP/1.1`, "host: localhost", "content-type: application/json", ...headers, "", body].join("\r\n")
  const length = `content-length: ${body.length}`
  const addresses = ["/mcp", handle, "/b/token", "/", "/not-there"]

  it.live("names two hosts: 400 on every address", () =>
    Effect.gen(function* () {
      const { base } = yield* start()
      for (const path of addresses) {
        for (const second of ["host: localhost", "HOST: other.example"]) {
          const { ended } = yield* rawConnection(base, postTo(path, length, second, "connection: close"))
          assert.match(yield* ended, /^HTTP\/1\.1 400 [^]*"code":"bad_request"/)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("is compressed: 415 on every address with a body; without a coding, or without a body, it is taken", () =>
    Effect.gen(function* () {
      const { base } = yield* start()
      for (const path of addresses) {
        for (const coding of ["gzip", "GZIP", "br", "identity, gzip", "x-own"]) {
          const { ended } = yield* rawConnection(
            base,
            postTo(path, length, `content-encoding: ${coding}`, "connection: close")
          )
          assert.match(yield* ended, /^HTTP\/1\.1 415 [^]*accept-encoding: identity[^]*"code":"encoding_unsupported"/i)
        }
      }
      for (const coding of ["identity", "Identity", "identity, identity", ""]) {
        const { ended } = yield* rawConnection(
          base,
          postTo("/mcp", length, `content-encoding: ${coding}`, "connection: close")
        )
        assert.match(yield* ended, /^HTTP\/1\.1 200 /)
      }
      const bare = yield* rawConnection(base, getRequest("/healthz", "content-encoding: gzip"))
      assert.deepStrictEqual(yield* bare.answers(1), [200])
    }).pipe(Effect.scoped)
  )

  it.live("has two lengths, or a length and chunks, or no host: 400", () =>
    Effect.gen(function* () {
      const { base } = yield* start()
      for (const headers of [
        [length, length],
        [length, "content-length: 3"],
        [`${length}, 3`],
        [length, "transfer-encoding: chunked"],
        ["transfer-encoding: chunked", length],
        ["transfer-encoding: gzip"],
        ["transfer-encoding: chunked, identity"],
        ["content-length: +5"],
        ["content-length : 5"]
      ]) {
        const { ended } = yield* rawConnection(base, postTo("/mcp", ...headers))
        assert.match(yield* ended, /^HTTP\/1\.1 400 /, headers.join())
      }
      const hostless = yield* rawConnection(base, "GET /healthz HTTP/1.1\r\n\r\n")
      assert.match(yield* hostless.ended, /^HTTP\/1\.1 400 /)
    }).pipe(Effect.scoped)
  )

  it.live("asks for another protocol: it is answered as HTTP, within all bounds", () =>
    Effect.gen(function* () {
      const { base } = yield* start()
      const upgrade = getRequest("/healthz", "connection: upgrade", "upgrade: websocket")
      const connection = yield* rawConnection(base, upgrade)
      assert.deepStrictEqual(yield* connection.answers(1), [200])
      yield* connection.send(getRequest("/healthz"))
      assert.deepStrictEqual(yield* connection.answers(2), [200, 200])
    }).pipe(Effect.scoped)
  )
})
