/** Workers that are stopped or hang, as processes of a service. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { freePort } from "../support/freePort.ts"
import { getRequest, rawConnection } from "../support/rawConnections.ts"
import { childrenOf, runsAsWorker, type Service, startService } from "../support/Service.ts"
import { serverUrl } from "../support/TestDatabase.ts"

const start = (env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const management = yield* freePort
    const service = yield* startService({ WORKERS: "2", MANAGEMENT_PORT: String(management), ...env })
    const metric = (name: string) =>
      Effect.promise(async () => {
        const text = await (await fetch(`http://127.0.0.1:${management}/metrics`)).text()
        return Number(
          text
            .split("\n")
            .find((line) => line.startsWith(`playroom_${name} `))
            ?.split(" ")[1]
        )
      })
    while ((yield* metric('workers{state="listening"}')) !== 2) yield* Effect.sleep("50 millis")
    return { service, metric, management }
  })

const told = (service: Service, text: string): number => service.output().split(`"message":"${text}`).length - 1

/** A newcomer on a connection of its own; answers the milliseconds until it was answered, none if it was cut. */
const newcomer = Effect.fnUntraced(function* ({ baseUrl }: Service) {
  const began = performance.now()
  const connection = yield* rawConnection(baseUrl, getRequest("/healthz"))
  const [status] = yield* connection.answers(1)
  if (status === undefined) return undefined
  assert.strictEqual(status, 200)
  return performance.now() - began
}, Effect.scoped)

/** Newcomers, ten a second, until something holds; answers how long each waited. */
const newcomersUntil = Effect.fnUntraced(function* <E, R>(service: Service, holds: Effect.Effect<boolean, E, R>) {
  const waiting: Array<Fiber.Fiber<number | undefined>> = []
  while (!(yield* holds)) {
    waiting.push(yield* Effect.forkChild(newcomer(service)))
    yield* Effect.sleep("100 millis")
  }
  return yield* Fiber.joinAll(waiting)
})

/** Loaded into each process: SIGUSR2 makes it work for ever. */
const endlessLoop = `--import data:text/javascript,${encodeURIComponent('process.on("SIGUSR2",()=>{for(;;);})')}`

const hanging = [
  { what: "is stopped", signal: "SIGSTOP", env: {} },
  { what: "works in an endless loop", signal: "SIGUSR2", env: { NODE_OPTIONS: endlessLoop } }
] as const

describe.skipIf(serverUrl === undefined || process.platform !== "linux")("a service of several workers", () => {
  for (const { env, signal, what } of hanging)
    it.live(
      `replaces one that ${what} after ten seconds: newcomers are answered meanwhile, it is counted, and told once`,
      () =>
        Effect.gen(function* () {
          const { metric, service } = yield* start(env)
          const before = childrenOf(service.pid())
          assert.lengthOf(before, 2)
          const [stuck = 0] = before
          const began = performance.now()
          process.kill(stuck, signal)
          const waited = yield* newcomersUntil(
            service,
            Effect.sync(() => !childrenOf(service.pid()).includes(stuck))
          )
          const took = performance.now() - began
          // Another worker takes them at once. Wide: the machine is shared.
          assert.lengthOf(
            waited.filter((ms) => ms !== undefined && ms > 4000),
            0
          )
          // One may have been taken just before it hung: that is cut.
          assert.isAtMost(waited.filter((ms) => ms === undefined).length, 1)
          assert.isAbove(took, 9000)
          // Wide: the machine is shared.
          assert.isBelow(took, 20_000)
          yield* newcomersUntil(
            service,
            Effect.map(metric('workers{state="listening"}'), (listening) => listening === 2)
          )
          assert.strictEqual(yield* metric('worker_failures_total{how="silent"}'), 1)
          assert.strictEqual(yield* metric('worker_failures_total{how="ended"}'), 0)
          assert.strictEqual(told(service, "A worker did not answer, and was killed"), 1)
          assert.strictEqual(told(service, "A worker ended by itself"), 0)
          assert.strictEqual(yield* service.stop(), 0)
        }).pipe(Effect.scoped),
      90_000
    )

  it.live(
    "answers those who came while its only worker that listened hung and was killed, once another listens",
    () =>
      Effect.gen(function* () {
        const { service } = yield* start()
        const signal = (pid: number, name: NodeJS.Signals) => Effect.sync(() => process.kill(pid, name))
        const [only = 0, other = 0] = childrenOf(service.pid())
        // Another takes its place, and has not listened yet.
        yield* signal(other, "SIGKILL")
        const starting = Effect.sync(() =>
          childrenOf(service.pid()).find((pid) => pid !== only && pid !== other && runsAsWorker(pid))
        )
        let begun: number | undefined
        while (begun === undefined) {
          yield* Effect.sleep("5 millis")
          begun = yield* starting
        }
        yield* signal(begun, "SIGSTOP")
        yield* signal(only, "SIGSTOP")
        const early = yield* Effect.forEach([1, 2, 3, 4, 5], () =>
          rawConnection(service.baseUrl, getRequest("/healthz"))
        )
        yield* signal(only, "SIGKILL")
        while (childrenOf(service.pid()).includes(only)) yield* Effect.sleep("20 millis")
        const late = yield* rawConnection(service.baseUrl, getRequest("/healthz"))
        yield* signal(begun, "SIGCONT")
        for (const { answers } of [...early, late]) assert.deepStrictEqual(yield* answers(1), [200])
        assert.strictEqual(yield* service.stop(), 0)
      }).pipe(Effect.scoped),
    300_000
  )

  it.live(
    "keeps its port from another service, and starts anew on it after its supervisor was killed",
    () =>
      Effect.gen(function* () {
        const { service } = yield* start()
        const second = { WORKERS: "2", PORT: new URL(service.baseUrl).port }
        assert.include(String(yield* Effect.exit(Effect.scoped(startService(second)))), "EADDRINUSE")
        assert.isDefined(yield* newcomer(service))
        yield* service.stop("SIGKILL")
        yield* service.start
        assert.isDefined(yield* newcomer(service))
        assert.strictEqual(yield* service.stop(), 0)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "replaces none when the whole machine was paused, nor one that was busy for a few seconds",
    () =>
      Effect.gen(function* () {
        const { metric, service } = yield* start()
        const workers = childrenOf(service.pid())
        const signal = (pids: ReadonlyArray<number>, name: "SIGSTOP" | "SIGCONT") =>
          Effect.sync(() => pids.forEach((pid) => process.kill(pid, name)))
        for (const [pids, time] of [
          [[service.pid(), ...workers], "13 seconds"],
          [workers, "5 seconds"]
        ] as const) {
          yield* signal(pids, "SIGSTOP")
          yield* Effect.sleep(time)
          yield* signal(pids, "SIGCONT")
          yield* Effect.sleep("3 seconds")
        }
        assert.deepStrictEqual(childrenOf(service.pid()), workers)
        assert.strictEqual(yield* metric('worker_failures_total{how="silent"}'), 0)
        assert.strictEqual(yield* service.stop(), 0)
      }).pipe(Effect.scoped),
    120_000
  )
})
