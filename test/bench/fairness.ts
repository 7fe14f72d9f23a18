/** `fairness`: how newcomers fare beside one sender's flood, with rate limits kept. */
import { Console, Effect } from "effect"
import type { Bench } from "./Bench.ts"
import { CatalogueFile } from "../../src/import/CatalogueFile.ts"
import { scratchDatabase, scratchFolder, serverClient } from "./support/Databases.ts"
import { ratios, spread, table, takeTurns } from "./support/Figures.ts"
import { type Flood, floods, type Newcomers, newcomers, startFlood } from "./support/Flood.ts"
import { startService } from "./support/Processes.ts"
import { servicesOn } from "./support/Seeds.ts"

const inWords: Readonly<Record<Flood | "quiet", string>> = {
  quiet: "nothing else",
  idle: "6,000 idle connections",
  pipelined: "60 connections, 100 calls each at once",
  burst: "110 calls at once, within the limit",
  slow: "1,000 half-sent bodies, 200 who don't read",
  beyond: "64 connections beyond their limit",
  pages: "64 connections, the start page again and again"
}

const body = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "search_playrooms", arguments: { city: "London", limit: 3 } }
})
const call = [
  "POST /mcp HTTP/1.1",
  "Host: localhost",
  "Content-Type: application/json",
  "Accept: application/json, text/event-stream",
  `Content-Length: ${body.length}`,
  "",
  body
].join("\r\n")

/** Newcomers a second: few, so that they wait for the flood and not for each other. */
const rate = 20

const measure = Effect.fnUntraced(function* (
  where: string,
  env: Readonly<Record<string, string>>,
  rounds: number,
  seconds: number
) {
  const service = yield* startService({ ...env, RATE_LIMIT_DISABLED: "false" })
  const port = Number(new URL(service.baseUrl).port)
  const arrive = (time: number) => newcomers({ port, rate, seconds: time, call, expect: `"structuredContent"` })
  yield* arrive(2)
  const cases = ["quiet", ...floods] as const
  const taken = yield* takeTurns<(typeof cases)[number], Newcomers, unknown, never>(
    rounds,
    cases.map((name) => [
      name,
      () =>
        Effect.scoped(
          Effect.gen(function* () {
            if (name !== "quiet") yield* startFlood({ port, flood: name, call })
            return yield* arrive(seconds)
          })
        ).pipe(Effect.tap(({ firstFailure }) => (firstFailure === undefined ? Effect.void : Console.log(firstFailure))))
    ])
  )
  const figures = (name: (typeof cases)[number], of: "p50" | "p99" | "probe99" | "failures") =>
    taken(name).map((round) => round[of])
  yield* table(
    `fairness, ${where}: search_playrooms of ${rate} newcomers a second, ${seconds} s a turn, beside one sender with`,
    ["", "half, ms", "p99, ms", "p99 over quiet", "/healthz p99, ms", "failures"],
    cases.map((name) => [
      inWords[name],
      spread(figures(name, "p50")),
      spread(figures(name, "p99")),
      spread(ratios(figures(name, "p99"), figures("quiet", "p99"))),
      spread(figures(name, "probe99")),
      spread(figures(name, "failures"))
    ])
  )
})

export const bench: Bench = {
  about: "newcomers beside the flood of one sender",
  run: Effect.fnUntraced(function* ({ rounds, seconds }) {
    const time = Math.max(8, seconds)
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* measure("embedded", { DATA_DIR: yield* scratchFolder }, rounds, time)
      })
    )
    const database = yield* scratchDatabase()
    const context = yield* servicesOn(serverClient(database, 1))
    yield* Effect.provide(
      CatalogueFile.use((file) => file.loadDemo),
      context
    )
    yield* measure("server", { DATABASE_URL: database, PAYMENT_PROVIDER: "sandbox" }, rounds, time)
  })
}
