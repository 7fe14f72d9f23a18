/**
 * `calendars`: how newcomers fare while the node that answers them reads a calendar of 5 MB of each shape again and
 * again; in service it reads one every five minutes.
 */
import { Effect, Schema } from "effect"
import { fileURLToPath } from "node:url"
import { nodeOptions } from "../../src/ops/process/NodeOptions.ts"
import { freePort } from "../support/freePort.ts"
import { largeCalendars } from "../support/largeCalendars.ts"
import type { Bench } from "./Bench.ts"
import { scratchFolder } from "./support/Databases.ts"
import { ratios, table, takeTurns } from "./support/Figures.ts"
import { newcomers } from "./support/Flood.ts"
import { startService } from "./support/Processes.ts"

const Told = Schema.fromJsonString(Schema.Struct({ longestMs: Schema.Finite, readings: Schema.Int }))

export const bench: Bench = {
  about: "newcomers beside calendars of 5 MB of each shape",
  run: Effect.fnUntraced(function* ({ rounds, seconds }) {
    const probePort = yield* freePort
    const script = fileURLToPath(new URL("./support/calendarReader.ts", import.meta.url))
    const service = yield* startService(
      { DATA_DIR: yield* scratchFolder, RATE_LIMIT_DISABLED: "false", PROBE_PORT: String(probePort) },
      [...nodeOptions, "--import", script]
    )
    const turnTo = (what: number | "") =>
      Effect.promise(() => fetch(`http://127.0.0.1:${probePort}/${what}`).then((answer) => answer.text())).pipe(
        Effect.flatMap(Schema.decodeUnknownEffect(Told))
      )
    const arrive = newcomers({ port: Number(new URL(service.baseUrl).port), rate: 20, seconds: Math.max(5, seconds) })
    yield* arrive
    const names = ["quiet", ...largeCalendars.map(([what]) => what)]
    const taken = yield* takeTurns(
      rounds,
      names.map((name, i) => [
        name,
        () =>
          Effect.gen(function* () {
            yield* turnTo(i === 0 ? "" : i - 1)
            const found = yield* arrive
            return { ...found, ...(yield* turnTo("")) }
          })
      ])
    )
    const figures = (name: string, of: "failures" | "longestMs" | "p50" | "p99" | "readings") =>
      taken(name).map((round) => round[of])
    yield* table(
      "calendars: search_playrooms of 20 newcomers a second, embedded, while the same node reads 5 MB again and again",
      ["", "half, ms", "p99, ms", "p99 over quiet", "longest run, ms", "readings", "failures"],
      names.map((name) => [
        name,
        figures(name, "p50"),
        figures(name, "p99"),
        ratios(figures(name, "p99"), figures("quiet", "p99")),
        figures(name, "longestMs"),
        figures(name, "readings"),
        figures(name, "failures")
      ])
    )
  })
}
