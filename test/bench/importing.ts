/**
 * `import`: a chain's catalogue of 10,000 playrooms into the embedded database and into a server's: alone, and beside a
 * service that answers calls. Before that, files with a fault at each name: to find the lines should take about as long
 * as to read the file, however many there are. Processor time is worth more than seconds if other work runs meanwhile.
 */
import { Effect, Fiber } from "effect"
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseCatalogue } from "../../src/domain/import/ParseCatalogue.ts"
import { readCatalogueText } from "../../src/domain/import/CatalogueText.ts"
import { idOf, manyPlayrooms } from "../support/catalogues.ts"
import type { Bench } from "./Bench.ts"
import { scratchDatabase, scratchFolder } from "./support/Databases.ts"
import { type Cell, number, quantile, ratios, table, takeTurns, timed } from "./support/Figures.ts"
import { startService } from "./support/Processes.ts"
import { dayAfter } from "./support/Seeds.ts"
import { backendsOf, peakMb, processorSeconds } from "./support/Usage.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
const soon = dayAfter(30)

/** Where a command finds its database. */
type Database = { readonly DATA_DIR: string } | { readonly DATABASE_URL: string }

interface Used {
  /** Of the command, in seconds. */
  readonly processor: number
  /** Of the server's processes for its database, in seconds; 0 for the embedded one, which is part of a process. */
  readonly backends: number
  readonly peakMb: number
}

/** Runs `playroom catalogue import`; answers what it used, which is looked at every 50 ms. */
const importing = (file: string, database: Database, flags: ReadonlyArray<string> = [], script = main) =>
  Effect.callback<Used>((resume) => {
    const child = spawn(process.execPath, [script, "catalogue", "import", file, ...flags], {
      env: { PATH: process.env["PATH"], ...database },
      stdio: ["ignore", "ignore", "inherit"]
    })
    const name = "DATABASE_URL" in database ? new URL(database.DATABASE_URL).pathname.slice(1) : undefined
    const before = new Map<number, number>()
    const backends = new Map<number, number>()
    const look = () => {
      for (const pid of name === undefined ? [] : backendsOf(name)) {
        const seconds = processorSeconds(pid)
        if (!before.has(pid)) before.set(pid, seconds)
        if (!Number.isNaN(seconds)) backends.set(pid, seconds - (before.get(pid) ?? seconds))
      }
      const pid = child.pid ?? 0
      const [processor, mb] = [processorSeconds(pid), peakMb(pid)]
      if (!Number.isNaN(processor)) used = { processor, peakMb: Math.max(used.peakMb, mb || 0) }
    }
    let used = { processor: 0, peakMb: 0 }
    look()
    const watch = setInterval(look, 50)
    child.once("exit", (code) => {
      clearInterval(watch)
      const sum = [...backends.values()].reduce((all, seconds) => all + seconds, 0)
      resume(
        code === 0
          ? Effect.succeed({ ...used, backends: sum })
          : Effect.die(new Error(`The import ended with ${String(code)}.`))
      )
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

/** How often another caller calls. */
const everyMs = 20

/**
 * Fifty calls a second, whether or not those before have been answered, until `end`; answers it and what became of
 * them.
 */
const callsUntil = <A, E>(baseUrl: string, end: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const taken: Array<Fiber.Fiber<{ readonly ms: number; readonly answered: boolean }>> = []
    const calling = yield* Effect.forkChild(
      Effect.forever(
        Effect.gen(function* () {
          taken.push(yield* Effect.forkDetach(call(baseUrl, taken.length % 2 === 0 ? "Leeds" : "London")))
          yield* Effect.sleep(everyMs)
        })
      )
    )
    const ended = yield* end
    yield* Fiber.interrupt(calling)
    return [ended, yield* Effect.forEach(taken, Fiber.join)] as const
  })

/** How long a file of so many unknown names takes to be read, and then the lines of its faults to be found. */
const manyFaults = Effect.fnUntraced(function* (names: number) {
  const map = Object.fromEntries(Array.from({ length: names }, (_, i) => [`name${i}`, 1]))
  const rows: Array<ReadonlyArray<Cell>> = []
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
  about: "an import of 10,000 playrooms into the embedded database and a server's, and calls beside it",
  run: Effect.fnUntraced(function* ({ before: older, playrooms: count, rounds }) {
    yield* table(
      "import: files with a fault at each name",
      ["", "ms to read", "ms to check", "ms to find the lines"],
      (yield* Effect.forEach([5_000, 10_000, 20_000], manyFaults)).flat()
    )
    const folder = yield* scratchFolder
    const write = (name: string, json: unknown) => {
      const path = join(folder, name)
      writeFileSync(path, JSON.stringify(json))
      return path
    }
    const all = manyPlayrooms(count)
    const file = write("all.json", all)
    const closed = write("closed.json", {
      ...all,
      playrooms: all.playrooms.map((room, i) => ({
        ...room,
        closures: [{ closure_id: idOf("closure", i + 1), from: soon, to: soon, reason: "Holiday" }]
      }))
    })
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
    let turns = 0
    for (const kind of ["embedded", "server"] as const) {
      const place = (name: string) =>
        kind === "embedded"
          ? Effect.succeed({ DATA_DIR: join(folder, name) })
          : Effect.map(scratchDatabase(), (DATABASE_URL) => ({ DATABASE_URL }))
      const of = ({ backends, peakMb, processor }: Used) => [processor, kind === "embedded" ? "" : backends, peakMb]
      const used = ["seconds", "processor s", "server's processor s", "most MB"]
      const alone = yield* place("alone")
      const rows: Array<ReadonlyArray<Cell>> = []
      for (const [name, from, to, flags] of [
        ["dry run, all new", file, alone, ["--dry-run"]],
        ["all new", file, alone, []],
        ["nothing changed", file, alone, []],
        ["every price changed", dearer, alone, []],
        ["all new, each closed on a day", closed, yield* place("closed"), []]
      ] as const) {
        const [ms, its] = yield* timed(importing(from, to, flags))
        rows.push([name, ms / 1000, ...of(its)])
      }
      yield* table(`import: ${count} playrooms, two packages each, ${kind} database, no service`, ["", ...used], rows)

      const shared = yield* place("beside")
      const { baseUrl, pid } = yield* startService(shared)
      let quietP99 = Number.NaN
      const beside: Array<ReadonlyArray<Cell>> = []
      const measure = (name: string, end: Effect.Effect<Used | undefined>) =>
        Effect.gen(function* () {
          const before = processorSeconds(pid)
          const [ms, [its, calls]] = yield* timed(callsUntil(baseUrl, end))
          const times = calls.map((it) => it.ms)
          if (name === "nothing else") quietP99 = quantile(times, 0.99)
          beside.push([
            name,
            ms / 1000,
            ...(its === undefined ? ["", "", ""] : of(its)),
            processorSeconds(pid) - before,
            String(calls.length),
            String(calls.filter(({ answered }) => !answered).length),
            ...[0.5, 0.99, 1].map((q) => quantile(times, q)),
            quantile(times, 0.99) / quietP99
          ])
        })
      yield* measure("warming up", Effect.as(Effect.sleep("5 seconds"), undefined))
      yield* measure("nothing else", Effect.as(Effect.sleep("10 seconds"), undefined))
      yield* measure("all new", importing(file, shared))
      yield* measure("nothing changed", importing(file, shared))
      yield* measure("every price changed", importing(dearer, shared))
      yield* measure("each closed on a day", importing(closed, shared))
      if (older !== undefined) {
        const olderMain = join(older, "src/main.ts")
        const turn = (script: string) => () =>
          Effect.scoped(
            Effect.gen(function* () {
              const fresh = yield* place(`turn${++turns}`)
              const [newMs, added] = yield* timed(importing(file, fresh, [], script))
              const [changedMs, changed] = yield* timed(importing(dearer, fresh, [], script))
              return {
                added: [newMs, added.processor + added.backends],
                changed: [changedMs, changed.processor + changed.backends]
              }
            })
          )
        const samples = yield* takeTurns(rounds, [
          ["before", turn(olderMain)],
          ["after", turn(main)]
        ])
        const of = (which: "before" | "after", what: "added" | "changed", i: 0 | 1) =>
          samples(which).map((sample) => sample[what][i] ?? Number.NaN)
        yield* table(
          `import: ${kind} database, no service, before (${older}) and after`,
          ["", "seconds before", "after", "after ÷ before", "processor s before", "after", "after ÷ before"],
          (["added", "changed"] as const).map((what) => [
            what === "added" ? "all new" : "every price changed",
            of("before", what, 0).map((ms) => ms / 1000),
            of("after", what, 0).map((ms) => ms / 1000),
            ratios(of("after", what, 0), of("before", what, 0)),
            of("before", what, 1),
            of("after", what, 1),
            ratios(of("after", what, 1), of("before", what, 1))
          ])
        )
      }
      yield* table(
        `import: ${kind} database, beside a service that is asked every ${everyMs} ms; the searches' times in ms`,
        ["", ...used, "service's processor s", "calls", "failed", "median", "p99", "longest", "p99 ÷ quiet"],
        beside
      )
    }
  })
}
