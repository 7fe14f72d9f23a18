import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric, Schedule } from "effect"
import { connect, type Socket } from "node:net"
import { connectionBounds } from "../../../src/surfaces/http/Connections.ts"
import { processSlice } from "../../../src/platform/concurrency/LoopSlice.ts"
import { handle, largeBytes, start } from "../../support/HttpSurface.ts"
import { rawConnection } from "../../support/rawConnections.ts"

/** A connection that sends this, and reads nothing of what comes. */
const mute = (base: string, text: string): Effect.Effect<Socket> =>
  Effect.callback((resume) => {
    const socket = connect(Number(new URL(base).port), "127.0.0.1")
    socket.on("error", () => undefined)
    socket.pause()
    socket.once("connect", () => socket.write(text, () => resume(Effect.succeed(socket))))
  })

/** Waits until the service has ended a connection. What it sent before is read and counted only then. */
const ended = (socket: Socket): Effect.Effect<number> =>
  Effect.callback((resume) => {
    if (socket.destroyed) return resume(Effect.succeed(0))
    let bytes = 0
    socket.on("data", (data: Buffer) => (bytes += data.length))
    socket.once("close", () => resume(Effect.succeed(bytes)))
    socket.resume()
  })

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`
const pipelined = (path: string, times: number) => get(path).repeat(times)

/** Waits until the service has ended so many connections for a reason: whoever does not read hears nothing of that. */
const untilCut = (why: string, count: number) =>
  Effect.repeat(
    Effect.map(Metric.snapshot, (all) =>
      all.some(
        (metric) =>
          metric.id === "http_connections_cut_total" &&
          metric.type === "Counter" &&
          metric.attributes?.["why"] === why &&
          Number(metric.state.count) >= count
      )
    ),
    { until: (reached) => reached, schedule: Schedule.spaced("50 millis") }
  )
/** With metrics of its own: they tell of this service alone. */
const alone = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.provideService(Effect.scoped(test), Metric.MetricRegistry, new Map())
/**
 * Reads what comes, and waits until at least so many have ended and a moment has passed for more; answers how many
 * have.
 */
const endedOf = Effect.fnUntraced(function* (sockets: ReadonlyArray<Socket>, least: number) {
  const all = yield* Effect.forEach(sockets, (socket) => Effect.forkChild(ended(socket), { startImmediately: true }))
  const count = Effect.sync(() => all.filter((one) => one.pollUnsafe() !== undefined).length)
  while ((yield* count) < least) yield* Effect.sleep("20 millis")
  yield* Effect.sleep("1 second")
  return yield* count
})

const isAlive = ({ call }: { readonly call: (path: string) => Effect.Effect<{ readonly text: string }> }) =>
  Effect.map(call("/healthz"), ({ text }) => assert.deepStrictEqual(JSON.parse(text), { status: "ok" }))

describe("new connections", () => {
  // Other systems have no loopback addresses beside 127.0.0.1.
  it.live.skipIf(process.platform !== "linux")(
    "are accepted before work goes on: a newcomer's is not behind a burst of others', one for each turn of a busy event loop",
    () =>
      Effect.gen(function* () {
        const { base } = yield* start()
        const port = Number(new URL(base).port)
        const open = (localAddress: string) => connect({ port, host: "127.0.0.1", localAddress })
        const burst = Array.from({ length: 150 }, () => open("127.0.0.9").on("error", () => undefined))
        for (const socket of burst) socket.write(get("/healthz"))
        const newcomer = open("127.0.0.2")
        newcomer.write(get("/healthz"))
        const state = { answered: false, worked: 0 }
        // Work that takes as long as a turn may.
        const work = (): void => {
          if (state.answered) return
          state.worked += 1
          for (const until = performance.now() + 5; performance.now() < until;);
          processSlice.next(work)
        }
        yield* Effect.callback<void>((resume) => {
          newcomer.once("data", () => {
            state.answered = true
            resume(Effect.void)
          })
          work()
        })
        assert.isBelow(state.worked, 50)
        for (const socket of [...burst, newcomer]) socket.destroy()
      }).pipe(alone)
  )

  it.live("don't come to a second process: it hears that the port is taken", () =>
    Effect.gen(function* () {
      const { base } = yield* start()
      const second = yield* Effect.exit(Effect.scoped(start({ port: Number(new URL(base).port) })))
      assert.include(String(second), "EADDRINUSE")
    }).pipe(alone)
  )
})

// At the same time: each waits for some checks, which are half a second apart.
describe.concurrent("a connection", () => {
  it.live("whose answer nobody reads is ended when its time is up, however little it holds", () =>
    Effect.gen(function* () {
      const surface = yield* start({
        bounds: {
          ...connectionBounds,
          answerTimeoutMs: 1500,
          maxBytesPerConnection: largeBytes * 2,
          maxBytes: largeBytes * 9
        }
      })
      const sockets = yield* Effect.all(Array.from({ length: 3 }, () => mute(surface.base, get("/large"))))
      yield* untilCut("unread", sockets.length)
      for (const socket of sockets) assert.isBelow(yield* ended(socket), largeBytes)
      yield* isAlive(surface)
    }).pipe(alone)
  )

  it.live("that asks on and on without reading is ended at what one may hold, long before its time", () =>
    Effect.gen(function* () {
      const surface = yield* start({ bounds: { ...connectionBounds, answerTimeoutMs: 600_000 } })
      const large = yield* mute(surface.base, get("/large"))
      yield* untilCut("large", 1)
      assert.isBelow(yield* ended(large), largeBytes)
      yield* ended(yield* mute(surface.base, pipelined("/docs", 1000)))
      yield* isAlive(surface)
    }).pipe(alone)
  )

  it.live("is ended when all together hold too much: those that hold the most go first", () =>
    Effect.gen(function* () {
      const surface = yield* start({
        bounds: {
          ...connectionBounds,
          answerTimeoutMs: 600_000,
          maxBytesPerConnection: largeBytes * 9,
          maxBytes: largeBytes * 2
        }
      })
      const sockets = yield* Effect.all(Array.from({ length: 6 }, () => mute(surface.base, get("/large"))))
      const body = `POST ${handle} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2000\r\n\r\n${"x".repeat(1000)}`
      const slow = yield* mute(surface.base, body)
      yield* untilCut("full", 4)
      assert.isAtLeast(yield* endedOf(sockets, 4), 4)
      assert.isFalse(slow.destroyed)
      assert.isFalse(slow.readableEnded)
      slow.destroy()
      yield* isAlive(surface)
    }).pipe(alone)
  )

  it.live("that sends a body bit by bit counts with what has come of it", () =>
    Effect.gen(function* () {
      const surface = yield* start({ bounds: { ...connectionBounds, maxBytes: 1024 * 1024 } })
      const head = `POST ${handle} HTTP/1.1\r\nhost: localhost\r\npayment-signature: t=1,v1=a\r\ncontent-length: 1000000\r\n\r\n`
      const sockets = yield* Effect.all(
        Array.from({ length: 10 }, () => mute(surface.base, head + "x".repeat(400_000)))
      )
      // What comes with the head of a request is not counted: up to 64 KiB each.
      yield* untilCut("full", 7)
      assert.isAtMost(yield* endedOf(sockets, 7), 9)
      for (const socket of sockets) socket.destroy()
      yield* isAlive(surface)
    }).pipe(alone)
  )

  it.live("ends with an answer after a few hundred requests, and nothing behind that one is begun", () =>
    Effect.gen(function* () {
      const surface = yield* start()
      const connection = yield* rawConnection(surface.base)
      const answered = () => connection.received().split("HTTP/1.1 200").length - 1
      while (!connection.socket.destroyed && answered() < 400) {
        yield* connection.send(pipelined("/healthz", 3))
        yield* connection.answers(answered() + 3)
      }
      const received = yield* connection.ended
      assert.isAtLeast(answered(), 200)
      assert.isAtMost(answered(), 300)
      assert.lengthOf(received.match(/connection: close/gi) ?? [], 1)
      assert.isAbove(received.search(/connection: close/i), received.lastIndexOf("HTTP/1.1 200"))
    }).pipe(alone)
  )

  it.live("that reads, asks and is answered is left alone", () =>
    Effect.gen(function* () {
      const surface = yield* start({ bounds: { ...connectionBounds, connections: 3, answerTimeoutMs: 1000 } })
      const sockets = yield* Effect.all(Array.from({ length: 3 }, () => mute(surface.base, get("/healthz"))))
      yield* Effect.sleep("2 seconds")
      let received = ""
      const answers = () => received.split("HTTP/1.1 200").length - 1
      for (const socket of sockets) {
        assert.isFalse(socket.destroyed)
        socket.on("data", (data: Buffer) => (received += data.toString()))
        socket.resume()
        socket.write(get("/healthz"))
      }
      while (answers() < 6) yield* Effect.sleep("20 millis")
      assert.strictEqual(answers(), 6)
      for (const socket of sockets) socket.destroy()
    }).pipe(alone)
  )
})
