/**
 * Several processes that listen on one socket, which outlives them, as systemd gives it to them; and what systemd is
 * told.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { Agent, get } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort, type SharedSocket, sharedSocket } from "../support/freePort.ts"
import { getRequest, rawConnection } from "../support/rawConnections.ts"
import { type Service, startService } from "../support/Service.ts"
import { serverUrl } from "../support/TestDatabase.ts"

/** A process on that socket, with a management port of its own. */
const startOn = Effect.fnUntraced(function* (socket: SharedSocket, env: Readonly<Record<string, string>> = {}) {
  return yield* startService({ MANAGEMENT_PORT: String(yield* freePort), ...env }, { socket })
})

/** Two processes on one socket and one database. */
const startTwo = Effect.gen(function* () {
  const socket = yield* sharedSocket
  const one = yield* startOn(socket)
  const other = yield* startOn(socket, { DATABASE_URL: one.env["DATABASE_URL"] ?? "" })
  return { one, other }
})

const signal = ({ pid }: Service, name: NodeJS.Signals) => Effect.sync(() => void process.kill(pid(), name))

/** A newcomer on a connection of its own; answers the milliseconds until it was answered, none if it was cut. */
const newcomer = Effect.fnUntraced(function* ({ baseUrl }: Service) {
  const began = performance.now()
  const connection = yield* rawConnection(baseUrl, getRequest("/healthz"))
  const [status] = yield* connection.answers(1)
  if (status === undefined) return undefined
  assert.strictEqual(status, 200)
  return performance.now() - began
}, Effect.scoped)

/** Newcomers, twenty a second, while something is done; answers how long each waited. */
const newcomersWhile = <A, E, R>(service: Service, doing: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const waiting: Array<Fiber.Fiber<number | undefined>> = []
    const coming = yield* Effect.gen(function* () {
      waiting.push(yield* Effect.forkDetach(newcomer(service)))
      yield* Effect.sleep("50 millis")
    }).pipe(Effect.forever, Effect.forkChild)
    yield* doing
    yield* Fiber.interrupt(coming)
    return yield* Fiber.joinAll(waiting)
  })

describe.skipIf(process.platform !== "linux")("a socket that outlives the process", () => {
  it.live("keeps those who come while none listens until the next one does", () =>
    Effect.gen(function* () {
      const service = yield* startOn(yield* sharedSocket)
      yield* service.stop("SIGKILL")
      const early = yield* Effect.forEach([1, 2, 3, 4, 5], () => rawConnection(service.baseUrl, getRequest("/healthz")))
      yield* service.start
      for (const { answers } of early) assert.deepStrictEqual(yield* answers(1), [200])
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(serverUrl === undefined)(
    "is shared by two processes: each is restarted in turn under load, and nobody is refused or cut",
    () =>
      Effect.gen(function* () {
        const { one, other } = yield* startTwo
        // A client that keeps its connection, and asks so seldom that it waits while a process hands over.
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        const kept = Effect.callback<number>((resume) => {
          get(`${one.baseUrl}/healthz`, { agent }, (response) => {
            response.resume()
            resume(Effect.succeed(response.statusCode ?? 0))
          }).once("error", (error) => resume(Effect.die(error)))
        })
        const keeping = yield* Effect.forkChild(
          Effect.forever(
            Effect.andThen(
              Effect.map(kept, (status) => assert.strictEqual(status, 200)),
              Effect.sleep("700 millis")
            )
          )
        )
        const waited = yield* newcomersWhile(
          one,
          Effect.forEach([one, other], (service) =>
            Effect.gen(function* () {
              assert.strictEqual(yield* service.stop("SIGHUP"), 0)
              yield* service.start
            })
          )
        )
        assert.isAbove(waited.length, 20)
        assert.notInclude(waited, undefined)
        assert.isUndefined(keeping.pollUnsafe())
        yield* Fiber.interrupt(keeping)
        agent.destroy()
      }).pipe(Effect.scoped),
    120_000
  )

  it.live.skipIf(serverUrl === undefined)("is served by one process while another hangs", () =>
    Effect.gen(function* () {
      const { one, other } = yield* startTwo
      yield* signal(one, "SIGSTOP")
      const waited = yield* newcomersWhile(other, Effect.sleep("3 seconds"))
      yield* signal(one, "SIGCONT")
      // One may have been taken just before.
      assert.isAtMost(waited.filter((ms) => ms === undefined || ms > 2000).length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is left at once where a stop is asked for while a process hands over", () =>
    Effect.gen(function* () {
      const service = yield* startOn(yield* sharedSocket)
      const idle = yield* rawConnection(service.baseUrl, getRequest("/healthz"))
      assert.deepStrictEqual(yield* idle.answers(1), [200])
      yield* signal(service, "SIGHUP")
      yield* Effect.sleep("500 millis")
      const began = performance.now()
      assert.strictEqual(yield* service.stop(), 0)
      assert.isBelow(performance.now() - began, 20_000)
    }).pipe(Effect.scoped)
  )
})

describe("a service manager that asks for it", () => {
  it.live("is told that the service is ready, and again and again that it goes on, but not while it hangs", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-notify-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const log = join(folder, "told")
      writeFileSync(join(folder, "systemd-notify"), `#!/bin/sh\necho "$@" >>'${log}'\n`)
      chmodSync(join(folder, "systemd-notify"), 0o755)
      const told = Effect.sync(() => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []))
      const service = yield* startService({
        PATH: `${folder}:${process.env["PATH"]}`,
        NOTIFY_SOCKET: "/run/systemd/notify",
        WATCHDOG_USEC: "900000"
      })
      while ((yield* told).length < 3) yield* Effect.sleep("50 millis")
      assert.deepStrictEqual((yield* told).slice(0, 3), ["READY=1", "WATCHDOG=1", "WATCHDOG=1"])
      yield* signal(service, "SIGSTOP")
      yield* Effect.sleep("200 millis")
      const before = (yield* told).length
      yield* Effect.sleep("1 second")
      assert.strictEqual((yield* told).length, before)
      yield* signal(service, "SIGCONT")
      while ((yield* told).length === before) yield* Effect.sleep("50 millis")
    }).pipe(Effect.scoped)
  )
})
