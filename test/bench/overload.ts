/** `overload`: what becomes of 1, 4 and 10 times as many calls as can be answered, and of those that come after. */
import { Console, Effect } from "effect"
import { fileURLToPath } from "node:url"
import { CatalogueFile } from "../../src/domain/import/CatalogueFile.ts"
import { nodeOptions } from "../../src/ops/process/NodeOptions.ts"
import { freePort, sharedSocket } from "../support/freePort.ts"
import type { Bench } from "./Bench.ts"
import { scratchDatabase, scratchFolder, serverClient } from "./support/Databases.ts"
import { number, table } from "./support/Figures.ts"
import { overload, type Overloaded } from "./support/Overload.ts"
import { startProcess, startService } from "./support/Processes.ts"
import { servicesOn } from "./support/Seeds.ts"

const factors = [1, 4, 10]

/** How far a database is in another region, there and back. */
const wayMs = 30

const far = fileURLToPath(new URL("./support/farProcess.ts", import.meta.url))
const refuser = fileURLToPath(new URL("./support/refuserProcess.ts", import.meta.url))

/** Asks the management port again and again; the longest that it took until the scope ends, in milliseconds. */
const probing = (port: number) =>
  Effect.gen(function* () {
    const found = { longest: 0, failures: 0 }
    const probe = Effect.promise(async () => {
      const began = performance.now()
      const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
      await response?.text()
      if (response?.status !== 200) found.failures += 1
      found.longest = Math.max(found.longest, performance.now() - began)
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(probe, Effect.sleep("50 millis"))))
    return found
  })

/** `callers`: enough to keep the service busy, few enough that nobody is refused. `processes` share a socket. */
const measure = Effect.fnUntraced(function* (
  where: string,
  env: Readonly<Record<string, string>>,
  seconds: number,
  { callers = 8, processes = 1 }: { readonly callers?: number; readonly processes?: number } = {}
) {
  const managementPort = yield* freePort
  const own = { ...env, TRUSTED_PROXIES: "127.0.0.1" }
  const socket = processes === 1 ? undefined : yield* sharedSocket
  const service = yield* startService({ ...own, MANAGEMENT_PORT: String(managementPort) }, nodeOptions, socket)
  for (let n = 1; n < processes; n++) {
    yield* startService(own, nodeOptions, socket)
    // Another one of them may have said that it is ready.
    yield* Effect.sleep("5 seconds")
  }
  const plan = { port: Number(new URL(service.baseUrl).port), together: callers }
  yield* overload({ ...plan, seconds: 3 })
  const closed = yield* overload({ ...plan, seconds })
  const capacity = closed.good / seconds
  const bare = yield* startProcess(refuser, { health: "/" })
  /**
   * What those who wait get while so many more calls go to a server that only refuses: the machine's part of an
   * overload.
   */
  const beside = (rate: number) =>
    Effect.map(
      Effect.all(
        [
          overload({ ...plan, seconds }),
          overload({ ...plan, seconds, port: Number(new URL(bare.baseUrl).port), rate: rate - capacity })
        ],
        { concurrency: "unbounded" }
      ),
      ([{ inTime }]) => inTime / seconds
    )
  const row = (
    name: string,
    found: Overloaded,
    time: number,
    probes: { longest: number; failures: number },
    inTimeBeside?: number
  ) => [
    name,
    found.offered / time,
    (found.inTime / time / capacity).toFixed(2),
    inTimeBeside === undefined ? "" : (found.inTime / time / inTimeBeside).toFixed(2),
    found.p50,
    found.p99,
    found.refused,
    found.refused50,
    found.refused99,
    found.failed,
    found.late99,
    `${number(probes.longest)}${probes.failures === 0 ? "" : ` (${probes.failures} failed)`}`
  ]
  const rows = [row(`${callers} callers who wait`, closed, seconds, { longest: 0, failures: 0 })]
  for (const factor of factors) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const inTimeBeside = factor === 1 ? undefined : yield* beside(factor * capacity)
        const probes = yield* probing(managementPort)
        const found = yield* overload({ ...plan, seconds, rate: factor * capacity })
        rows.push(row(`${factor} times`, found, seconds, probes, inTimeBeside))
        if (found.firstFailure !== undefined) yield* Console.log(found.firstFailure)
        yield* Effect.sleep("2 seconds")
        const after = yield* overload({ ...plan, seconds: 2, rate: capacity / 2 })
        rows.push(row("half, 2 s later", after, 2, probes))
      })
    )
  }
  yield* table(
    `overload, ${where}: search_playrooms of as many senders as calls, ${seconds} s each, from a process on the same machine`,
    [
      "",
      "offered/s",
      "good within 1 s, of capacity",
      "of capacity beside a bare server that refuses the rest",
      "half ms",
      "p99 ms",
      "refused",
      "half ms",
      "p99 ms",
      "no code",
      "sent late, p99 ms",
      "probe, longest ms"
    ],
    rows
  )
})

export const bench: Bench = {
  about: "1, 4 and 10 times as many calls as can be answered: how many are, how fast, and what the others hear",
  run: Effect.fnUntraced(function* ({ seconds }) {
    const time = Math.max(6, seconds)
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* measure("embedded", { DATA_DIR: yield* scratchFolder }, time)
      })
    )
    const database = yield* scratchDatabase()
    const context = yield* servicesOn(serverClient(database, 1))
    yield* Effect.provide(
      CatalogueFile.use((file) => file.loadDemo),
      context
    )
    const env = { DATABASE_URL: database, PAYMENT_PROVIDER: "sandbox" }
    yield* measure("server", env, time)
    yield* measure("server, two processes", env, time, { processes: 2 })
    const away = new URL(database)
    const way = yield* startProcess(far, {
      health: "/",
      env: { TARGET_PORT: away.port || "5432", WAY_MS: String(wayMs) }
    })
    away.port = new URL(way.baseUrl).port
    // Most of them are on the way.
    yield* measure(`server, ${wayMs} ms away`, { ...env, DATABASE_URL: away.href }, time, { callers: 40 })
  })
}
