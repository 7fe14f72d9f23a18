/**
 * `import`: a chain's catalogue of 10,000 playrooms into the embedded database: alone, and beside a service that answers calls. Before
 * that, files with a fault at each name: to find the lines should take about as long as to read the file, however many there are.
 */
import { Effect, Fiber } from "effect"
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseCatalogue } from "../../src/import/ParseCatalogue.ts"
import { readCatalogueText } from "../../src/import/CatalogueText.ts"
import { manyPlayrooms } from "../support/catalogues.ts"
import type { Bench } from "./Bench.ts"
import { scratchFolder } from "./support/Databases.ts"
import { number, quantile, table, timed } from "./support/Figures.ts"
import { startService } from "./support/Processes.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
const count = 10_000

/** The most memory that a process had, in MB. */
const peakMb = (pid: number): number => {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}

/** Runs `playroom catalogue import`; answers its most memory in MB. */
const importing = (file: string, dataDir: string, ...flags: ReadonlyArray<string>) =>
  Effect.callback<number>((resume) => {
    const child = spawn(process.execPath, [main, "catalogue", "import", file, ...flags], {
      env: { PATH: process.env["PATH"], DATA_DIR: dataDir },
      stdio: ["ignore", "ignore", "inherit"]
    })
    let peak = 0
    const watch = setInterval(() => (peak = Math.max(peak, peakMb(child.pid ?? 0) || 0)), 100)
    child.once("exit", (code) => {
      clearInterval(watch)
      resume(code === 0 ? Effect.succeed(peak) : Effect.die(new Error(`The import ended with ${String(code)}.`)))
    })
    return Effect.sync(() => child.kill())
  })

const call = (baseUrl: string, city: string) =>
  Effect.promise(async () => {
    const started = performance.now()
    const response = await fetch(`${baseUrl}/mcp`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "search_playrooms", arguments: { city, limit: 3 } }
      })
    })
    const answered = (await response.text()).includes("structuredContent")
    return { ms: performance.now() - started, answered }
  })

/** Ten calls a second, whether or not those before have been answered, until it is interrupted; answers what became of them. */
const callsUntil = <E>(baseUrl: string, end: Effect.Effect<unknown, E>) =>
  Effect.gen(function* () {
    const taken: Array<Fiber.Fiber<{ readonly ms: number; readonly answered: boolean }>> = []
    const calling = yield* Effect.forkChild(
      Effect.forever(
        Effect.gen(function* () {
          taken.push(yield* Effect.forkDetach(call(baseUrl, taken.length % 2 === 0 ? "Leeds" : "London")))
          yield* Effect.sleep("100 millis")
        })
      )
    )
    yield* end
    yield* Fiber.interrupt(calling)
    return yield* Effect.forEach(taken, Fiber.join)
  })

/** How long a file of so many unknown names takes to be read, and then the lines of its faults to be found. */
const manyFaults = Effect.fnUntraced(function* (names: number) {
  const map = Object.fromEntries(Array.from({ length: names }, (_, i) => [`name${i}`, 1]))
  const rows: Array<ReadonlyArray<string>> = []
  for (const [name, text] of [
    [
      "faults.yaml",
      Object.keys(map)
        .map((key) => `${key}: 1\n`)
        .join("")
    ],
    ["faults.json", JSON.stringify(map, null, 2)],
    ["oneLine.json", JSON.stringify(map)]
  ] as const) {
    const [reading, { content, placed }] = yield* timed(Effect.orDie(readCatalogueText(name, text)))
    const [checking, fault] = yield* timed(Effect.flip(parseCatalogue(content)))
    const [finding] = yield* timed(Effect.sync(() => placed(fault)))
    rows.push([`${name}, ${names} names`, ...[reading, checking, finding].map(number)])
  }
  return rows
})

export const bench: Bench = {
  about: `an import of ${count} playrooms into the embedded database, and calls beside it`,
  run: Effect.fnUntraced(function* () {
    yield* table(
      "import: files with a fault at each name",
      ["", "ms to read", "ms to check", "ms to find the lines"],
      (yield* Effect.forEach([20_000, 40_000, 80_000], manyFaults)).flat()
    )
    const folder = yield* scratchFolder
    const write = (name: string, json: unknown) => {
      const path = join(folder, name)
      writeFileSync(path, JSON.stringify(json))
      return path
    }
    const all = manyPlayrooms(count)
    const file = write("all.json", all)
    const dearer = write("dearer.json", {
      ...all,
      playrooms: all.playrooms.map((room) => ({
        ...room,
        packages: room.packages.map((pkg) => ({
          ...pkg,
          pricing: { ...pkg.pricing, extra_child: pkg.pricing.extra_child + 50 }
        }))
      }))
    })
    const alone = join(folder, "alone")
    const rows: Array<ReadonlyArray<string>> = []
    for (const [name, from, flags] of [
      ["dry run, all new", file, ["--dry-run"]],
      ["all new", file, []],
      ["nothing changed", file, []],
      ["every price changed", dearer, []]
    ] as const) {
      const [ms, mb] = yield* timed(importing(from, alone, ...flags))
      rows.push([name, number(ms / 1000), number(mb)])
    }
    yield* table(`import: ${count} playrooms, two packages each, no service running`, ["", "seconds", "most MB"], rows)

    const dataDir = join(folder, "beside")
    const { baseUrl } = yield* startService({ DATA_DIR: dataDir })
    const beside: Array<ReadonlyArray<string>> = []
    const measure = (name: string, end: Effect.Effect<unknown>) =>
      Effect.gen(function* () {
        const [ms, calls] = yield* timed(callsUntil(baseUrl, end))
        const times = calls.map((it) => it.ms)
        beside.push([
          name,
          number(ms / 1000),
          String(calls.length),
          String(calls.filter(({ answered }) => !answered).length),
          ...[0.5, 0.99, 1].map((q) => number(quantile(times, q)))
        ])
      })
    yield* measure("nothing else", Effect.sleep("5 seconds"))
    yield* measure("all new", importing(file, dataDir))
    yield* measure("nothing changed", importing(file, dataDir))
    yield* measure("every price changed", importing(dearer, dataDir))
    yield* table(
      "import: beside a running service, ten searches a second; their times in ms",
      ["", "seconds", "calls", "failed", "median", "p99", "longest"],
      beside
    )
  })
}
