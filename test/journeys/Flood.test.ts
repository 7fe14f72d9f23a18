/** One sender's flood on the service as a process of its own: few open files, a stop meanwhile, several workers. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import { type Service, startService } from "../support/Service.ts"
import { serverUrl } from "../support/TestDatabase.ts"
import { getRequest, rawConnection } from "../support/rawConnections.ts"

const body = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "search_playrooms", arguments: { city: "London", limit: 3 } }
})
const search = [
  "POST /mcp HTTP/1.1",
  "host: localhost",
  "content-type: application/json",
  "accept: application/json, text/event-stream",
  `content-length: ${body.length}`,
  "",
  body
].join("\r\n")

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
        const service = yield* startService({}, 256)
        assert.match(service.output(), /"connections":102,"instead_of":5000,"open_files":256/)
        yield* underWay(yield* flood(service, 400, getRequest("/healthz")))
        yield* newcomersAreServed(service, 20)
        const probe = yield* rawConnection(service.baseUrl, getRequest("/readyz"), "127.0.0.3")
        assert.deepStrictEqual(yield* probe.answers(1), [200])
        assert.notInclude(service.output(), "EMFILE")
        assert.strictEqual(yield* service.stop(), 0)
      }).pipe(Effect.scoped)
  )

  /** With several processes only on a server database. */
  const several = serverUrl === undefined ? [] : [{ WORKERS: "2" }]
  it.live.each([{}, ...several])(
    "that is stopped meanwhile: newcomers are served until it closes, and it ends well",
    (env) =>
      Effect.gen(function* () {
        const service = yield* startService({ ...env, DRAIN_SECONDS: "4" })
        for (const ask of [search, getRequest("/docs")]) yield* underWay(yield* flood(service, 60, ask))
        process.kill(service.pid(), "SIGTERM")
        const deadline = performance.now() + 2000
        while (performance.now() < deadline) yield* newcomersAreServed(service, 2)
        assert.strictEqual(yield* service.ended, 0)
      }).pipe(Effect.scoped)
  )
})
