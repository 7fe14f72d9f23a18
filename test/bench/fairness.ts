/**
 * `fairness`: how newcomers fare beside one sender's flood, with rate limits kept. Another process of the service,
 * which is not flooded, gets as many newcomers at the same time: what they wait for is the machine, which the flood's
 * own process keeps busy, too. What the flooded process adds is the ratio of the two.
 */
import { Console, Effect } from "effect"
import type { Bench } from "./Bench.ts"
import { CatalogueFile } from "../../src/domain/import/CatalogueFile.ts"
import { scratchDatabase, scratchFolder, serverClient } from "./support/Databases.ts"
import { ratios, table, takeTurns, timed } from "./support/Figures.ts"
import { type Flood, floods, newcomers, startFlood } from "./support/Flood.ts"
import { type Running, startService } from "./support/Processes.ts"
import { servicesOn } from "./support/Seeds.ts"
import { processorSeconds } from "./support/Usage.ts"

const inWords: Readonly<Record<Flood | "quiet", string>> = {
  quiet: "nothing else",
  idle: "6,000 idle connections",
  pipelined: "60 connections, 100 calls each at once",
  burst: "110 calls at once, within the limit",
  slow: "1,000 half-sent bodies, 200 who don't read",
  beyond: "64 connections beyond their limit",
  pages: "64 connections, the start page again and again"
}
const cases = ["quiet", ...floods] as const

/** Newcomers a second, to each of the two: few, so that they wait for the flood and not for each other. */
const rate = 20

type Env = Readonly<Record<string, string>>

/** `env`: of the process that is flooded; `besideEnv`: of the other. */
const measure = Effect.fnUntraced(function* (where: string, env: Env, besideEnv: Env, rounds: number, seconds: number) {
  const start = (own: Env) => startService({ ...own, RATE_LIMIT_DISABLED: "false" })
  const [service, beside] = [yield* start(env), yield* start(besideEnv)]
  const portOf = ({ baseUrl }: Running) => Number(new URL(baseUrl).port)
  const arrive = (time: number) =>
    Effect.all(
      {
        here: newcomers({ port: portOf(service), rate, seconds: time }),
        there: newcomers({ port: portOf(beside), rate, seconds: time })
      },
      { concurrency: "unbounded" }
    )
  yield* arrive(2)
  const turn = (name: (typeof cases)[number]) =>
    Effect.gen(function* () {
      const generator = name === "quiet" ? 0 : yield* startFlood({ port: portOf(service), flood: name })
      const usedBefore = [service.pid, generator].map(processorSeconds)
      const [ms, { here, there }] = yield* timed(arrive(seconds))
      const [serviceUse = 0, generatorUse = 0] = [service.pid, generator].map(
        (pid, n) => ((processorSeconds(pid) - (usedBefore[n] ?? 0)) / ms) * 100_000
      )
      for (const { firstFailure } of [here, there]) if (firstFailure !== undefined) yield* Console.log(firstFailure)
      return {
        p50: here.p50,
        p99: here.p99,
        p99There: there.p99,
        probe99: here.probe99,
        failures: here.failures,
        serviceUse,
        generatorUse
      }
    }).pipe(Effect.scoped)
  type Figures = Effect.Success<ReturnType<typeof turn>>
  const taken = yield* takeTurns(
    rounds,
    cases.map((name) => [name, () => turn(name)] as const)
  )
  const figures = (name: (typeof cases)[number], of: keyof Figures) => taken(name).map((round) => round[of])
  yield* table(
    `fairness, ${where}: search_playrooms of ${rate} newcomers a second, ${seconds} s a turn, beside one sender with`,
    [
      "",
      "half, ms",
      "p99, ms",
      "p99 over quiet",
      "process beside: p99, ms",
      "p99 over beside",
      "/healthz p99, ms",
      "failures",
      "processor: service, %",
      "sender, %"
    ],
    cases.map((name) => [
      inWords[name],
      figures(name, "p50"),
      figures(name, "p99"),
      ratios(figures(name, "p99"), figures("quiet", "p99")),
      figures(name, "p99There"),
      ratios(figures(name, "p99"), figures(name, "p99There")),
      figures(name, "probe99"),
      figures(name, "failures"),
      figures(name, "serviceUse"),
      figures(name, "generatorUse")
    ])
  )
})

export const bench: Bench = {
  about: "newcomers beside the flood of one sender",
  run: Effect.fnUntraced(function* ({ rounds, seconds }) {
    const time = Math.max(8, seconds)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const [here, there] = [{ DATA_DIR: yield* scratchFolder }, { DATA_DIR: yield* scratchFolder }]
        yield* measure("embedded", here, there, rounds, time)
      })
    )
    const database = yield* scratchDatabase()
    const context = yield* servicesOn(serverClient(database, 1))
    yield* Effect.provide(
      CatalogueFile.use((file) => file.loadDemo),
      context
    )
    const env = { DATABASE_URL: database, PAYMENT_PROVIDER: "sandbox" }
    yield* measure("server", env, env, rounds, time)
  })
}
