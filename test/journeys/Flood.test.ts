/** One sender's flood on the service as a process of its own: few open files, a stop meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import { freePort } from "../support/freePort.ts"
import { type Service, startService } from "../support/Service.ts"
import { getRequest, rawConnection, searchRequest } from "../support/rawConnections.ts"

const search = searchRequest()

/** Keeps so many connections of one address, each of which asks again when it is answered; until the scope ends. */
const flood = ({ baseUrl }: Service, connections: number, ask: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const state = { on: true, answers: 0 }
      const sockets = new Set<ReturnType<typeof connect>>()
      const open = (): void => {
        if (!state.on) return
        const socket = connect({ port: Number(new URL(baseUrl).port), host: "127.0.0.1", localAddress: "127.0.0.9" })
        sockets.add(socket)
        socket.on("error", () => undefined)
        socket.on("data", () => {
          state.answers += 1
          socket.write(ask)
        })
        socket.once("connect", () => socket.write(ask))
        socket.once("close", () => {
          sockets.delete(socket)
          setTimeout(open, 50)
        })
      }
      for (let n = 0; n < connections; n++) open()
      return { state, sockets }
    }),
    ({ sockets, state }) =>
      Effect.sync(() => {
        state.on = false
        for (const socket of sockets) socket.destroy()
      })
  )

/** Newcomers, each with an address and a connection of its own, who search. */
const newcomersAreServed = ({ baseUrl }: Service, count: number) =>
  Effect.forEach(Array.from({ length: count }), (_, n) =>
    Effect.gen(function* () {
      const newcomer = yield* rawConnection(baseUrl, search, `127.0.2.${1 + n}`)
      assert.deepStrictEqual(yield* newcomer.answers(1), [200])
    }).pipe(Effect.scoped)
  )

const probe = (management: number, path: string) =>
  Effect.promise(() => fetch(`http://127.0.0.1:${management}${path}`).then(({ status }) => status))

/** The probes of the management port answer at once, each time. */
const probesAreAnswered = Effect.fnUntraced(function* (management: number) {
  // How long the middle one of ten takes: the machine is shared.
  const median = Effect.gen(function* () {
    const times: Array<number> = []
    for (let n = 0; n < 10; n++) {
      const began = performance.now()
      assert.strictEqual(yield* probe(management, "/healthz"), 200)
      assert.strictEqual(yield* probe(management, "/readyz"), 200)
      times.push(performance.now() - began)
    }
    return times.sort((one, other) => one - other)[5] ?? 0
  })
  // Others may use it for a while; a port that waits behind the flood would do so each time.
  assert.isBelow(yield* Effect.repeat(median, { until: (ms) => ms < 500, times: 5 }), 500)
})
const underWay = (flooding: Effect.Success<ReturnType<typeof flood>>) =>
  Effect.gen(function* () {
    while (flooding.state.answers < 200) yield* Effect.sleep("20 millis")
  })

// Other systems have no loopback addresses beside 127.0.0.1.
describe.skipIf(process.platform !== "linux")("a flood on a service", () => {
  it.live(
    "that may open 256 files: it keeps fewer connections, says so, serves newcomers and probes, and ends well",
    () =>
      Effect.gen(function* () {
        const management = yield* freePort
        const service = yield* startService({ MANAGEMENT_PORT: String(management) }, { openFiles: 256 })
        assert.match(service.output(), /"connections":102,"instead_of":5000,"open_files":256/)
        yield* underWay(yield* flood(service, 400, getRequest("/healthz")))
        yield* newcomersAreServed(service, 20)
        const probe = yield* rawConnection(service.baseUrl, getRequest("/readyz"), "127.0.0.3")
        assert.deepStrictEqual(yield* probe.answers(1), [200])
        yield* probesAreAnswered(management)
        assert.notInclude(service.output(), "EMFILE")
        assert.strictEqual(yield* service.stop(), 0)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "that is stopped meanwhile: newcomers are served until it closes, and it ends well",
    () =>
      Effect.gen(function* () {
        // Longer than the last newcomer waits on a busy machine.
        const service = yield* startService({ DRAIN_SECONDS: "10" })
        for (const ask of [search, getRequest("/docs")]) yield* underWay(yield* flood(service, 60, ask))
        process.kill(service.pid(), "SIGTERM")
        const deadline = performance.now() + 2000
        while (performance.now() < deadline) yield* newcomersAreServed(service, 2)
        assert.strictEqual(yield* service.ended, 0)
      }).pipe(Effect.scoped),
    120_000
  )
})
