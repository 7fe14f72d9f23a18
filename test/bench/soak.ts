/**
 * `soak`: a mixed Saturday at half of what can be answered, for SOAK_MINUTES (60) on each kind of database, both at
 * once: whether memory, descriptors, the database, the event loop's delay and answers stay as they are.
 */
import { Console, Effect, Stream } from "effect"
import { execFile } from "node:child_process"
import { readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "../support/freePort.ts"
import { manyPlayrooms } from "../support/catalogues.ts"
import type { Bench } from "./Bench.ts"
import { scratchDatabase, scratchFolder, serverClient } from "./support/Databases.ts"
import { median, number, table } from "./support/Figures.ts"
import { type Column, picture } from "./support/Picture.ts"
import { residentMb, startService } from "./support/Processes.ts"
import { saturday, type Step } from "./support/Saturday.ts"
import { dayAfter } from "./support/Seeds.ts"
import { backendsOf, descriptors, probedIn, processorSeconds, withChildren } from "./support/Usage.ts"

// Each sixth has some samples.
const minutes = Math.max(2, Number(process.env["SOAK_MINUTES"] ?? "60"))
const playrooms = 500
const stepSeconds = 5
/** Before what can be answered is measured, until the code is optimised; and for how long it is. */
const [warmSeconds, capacitySeconds] = [40, 20]
const callers = 8
const apiKey = "bench-key-0123456789abcdef0123456789"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
const probe = new URL("./support/usageProbe.ts", import.meta.url).href
const drawing = new URL("../../docs/soak.svg", import.meta.url)

/** What is measured in each step. A measure is flat if it ends within a tenth, or so many units, of where it was. */
const measures = [
  { name: "resident MB", slack: 10 },
  { name: "heap MB after collections", slack: 5 },
  { name: "descriptors", slack: 20 },
  { name: "database MB", slack: 5 },
  { name: "processor ms a call", slack: 0.5 },
  { name: "the same work, ms", slack: Number.POSITIVE_INFINITY },
  { name: "event loop p99, ms", slack: 5 },
  { name: "answers p50, ms", slack: 5 },
  { name: "answers p99, ms", slack: 50 }
] as const

const workload = JSON.stringify(
  Array.from({ length: 10_000 }, (_, n) => ({ key: String(Math.imul(n, 0x9e3779b1) >>> 0), n, of: [n, n + 1] }))
)

/** Saturdays and Sundays of the next months. */
const weekends = Array.from({ length: 120 }, (_, n) => dayAfter(2 + n)).filter((date) =>
  [0, 6].includes(new Date(date).getUTCDay())
)

const importPlayrooms = (folder: string, env: Readonly<Record<string, string>>) =>
  Effect.callback<void>((resume) => {
    const file = join(folder, "playrooms.json")
    writeFileSync(file, JSON.stringify(manyPlayrooms(playrooms)))
    execFile(
      process.execPath,
      [main, "catalogue", "import", file],
      { env: { PATH: process.env["PATH"], ...env } },
      (error) => resume(error === null ? Effect.void : Effect.die(error))
    )
  })

const bytesIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true, recursive: true }).reduce((sum, entry) => {
    // Files come and go.
    const found = entry.isFile() ? statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false }) : undefined
    return sum + (found?.size ?? 0)
  }, 0)

const sum = (values: ReadonlyArray<number>): number => values.reduce((all, one) => all + one, 0)

/**
 * Work that is the same each time: what it takes says how fast the machine is at the moment. In milliseconds of the
 * processor.
 */
const sameWork = Effect.sync(() => {
  const before = process.cpuUsage()
  const rows = JSON.parse(workload)
  JSON.stringify(rows.sort((a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1)))
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1000
})

interface Sample {
  readonly step: Step
  readonly values: ReadonlyArray<number>
}

/** The parts of the run: the first sixth is for warming up. */
const sixth = (values: ReadonlyArray<number>, n: number): ReadonlyArray<number> =>
  values.slice(Math.floor((n * values.length) / 6), Math.floor(((n + 1) * values.length) / 6))

const verdict = ([before, after]: readonly [number, number], slack: number): string =>
  after <= Math.max(before * 1.1, before + slack) ? "flat" : "grows"

/** A service with a catalogue, and what is measured of it. */
const start = Effect.fnUntraced(function* (
  where: string,
  env: Readonly<Record<string, string>>,
  databaseBytes: Effect.Effect<number>,
  backends: Effect.Effect<ReadonlyArray<number>> = Effect.succeed([])
) {
  const usage = yield* scratchFolder
  yield* importPlayrooms(usage, env)
  const service = yield* startService({
    ...env,
    TRUSTED_PROXIES: "127.0.0.1",
    MAX_HOLDS_PER_KEY: "1000000",
    API_KEY: apiKey,
    SANDBOX_PORT: String(yield* freePort),
    NODE_OPTIONS: `--import=${probe}`,
    USAGE_FOLDER: usage
  })
  const plan = {
    port: Number(new URL(service.baseUrl).port),
    apiKey,
    dates: weekends,
    stepSeconds,
    together: callers
  }
  /** The processor's time so far, in seconds. */
  const used = Effect.map(backends, (pids) => sum([...withChildren(service.pid), ...pids].map(processorSeconds)))
  const sampled = (step: Step, seconds: number) =>
    Effect.gen(function* () {
      const pids = withChildren(service.pid)
      const probed = pids.flatMap((pid) => probedIn(usage, pid) ?? [])
      const values = [
        sum(pids.map(residentMb)),
        sum(probed.map(({ heapMb }) => heapMb)),
        sum(pids.map(descriptors)),
        (yield* databaseBytes) / 2 ** 20,
        (1000 * seconds) / step.calls,
        yield* sameWork,
        Math.max(0, ...probed.map(({ loopP99Ms }) => loopP99Ms)),
        step.p50,
        step.p99
      ]
      return { step, values } satisfies Sample
    })
  return { where, plan, used, sampled }
})
type Soaked = Effect.Success<ReturnType<typeof start>>

/** Half of the families that it answers a second while the other one is as busy. */
const halfOfCapacity = ({ plan, where }: Soaked) =>
  Stream.runCollect(saturday({ ...plan, seconds: warmSeconds + capacitySeconds })).pipe(
    Effect.map((steps) => {
      const measured = steps.slice(warmSeconds / stepSeconds, (warmSeconds + capacitySeconds) / stepSeconds)
      return sum(measured.map(({ families }) => families)) / capacitySeconds / 2
    }),
    Effect.tap((rate) =>
      Console.log(`${where}: ${number(rate)} families a second, half of what ${callers} at once are`)
    )
  )

const soak = Effect.fnUntraced(function* ({ plan, sampled, used, where }: Soaked, rate: number) {
  let before = yield* used
  const samples = yield* Stream.runCollect(
    saturday({ ...plan, seconds: minutes * 60, rate }).pipe(
      Stream.mapEffect((step) =>
        Effect.flatMap(used, (now) => {
          const seconds = now - before
          before = now
          return sampled(step, seconds)
        })
      )
    )
  )
  const of = (of: keyof Omit<Step, "firstFailure">): number => sum(samples.map(({ step }) => step[of]))
  const failure = samples.find(({ step }) => step.firstFailure !== undefined)?.step.firstFailure
  if (failure !== undefined) yield* Console.log(failure)
  const rows = measures.map(({ name, slack }, at) => {
    const values = samples.map((sample) => sample.values[at] ?? Number.NaN)
    const parts = [0, 1, 2, 3, 4, 5].map((n) => median(sixth(values, n)))
    const [, second = Number.NaN, , , , last = Number.NaN] = parts
    const growth = (1024 * (last - second)) / Math.max(1, (of("booked") * 4) / 6)
    const perBooking = name === "database MB" ? `, ${number(growth)} KB a booking` : ""
    return { name, values, cells: [name, ...parts.map(number), verdict([second, last], slack) + perBooking] }
  })
  yield* table(
    `soak, ${where}: ${minutes} minutes, ${number(of("calls"))} calls of ${number(of("families"))} families, ${number(of("booked"))} booked, ${number(of("paid"))} paid, ${number(of("refused"))} refused, ${number(of("failed"))} failed`,
    ["medians", "1st sixth", "2nd", "3rd", "4th", "5th", "last", "after the first"],
    rows.map(({ cells }) => cells)
  )
  return { title: `${where}, ${number(rate)} families a second`, lines: rows } satisfies Column
})

export const bench: Bench = {
  about: "a mixed Saturday at half of what can be answered, for SOAK_MINUTES (60): what grows",
  run: Effect.fnUntraced(function* () {
    const folder = yield* scratchFolder
    const database = yield* scratchDatabase()
    const sql = yield* serverClient(database, 1)
    const [kept] = yield* Effect.orDie(sql<{ on: boolean }>`select current_setting('autovacuum')::boolean as on`)
    if (kept?.on !== true)
      yield* Console.log(
        "Autovacuum is off on this server, so its tables are not looked after: calls get dearer with what is stored."
      )
    const size = Effect.orDie(sql<{ bytes: number }>`select pg_database_size(current_database())::float8 as bytes`)
    const services = [
      yield* start(
        "embedded",
        { DATA_DIR: folder },
        Effect.sync(() => bytesIn(folder))
      ),
      yield* start(
        "server",
        { DATABASE_URL: database, PAYMENT_PROVIDER: "sandbox", DATA_DIR: yield* scratchFolder },
        Effect.map(size, ([row]) => row?.bytes ?? Number.NaN),
        Effect.sync(() => backendsOf(new URL(database).pathname.slice(1)))
      )
    ]
    const atOnce = { concurrency: "unbounded" } as const
    const rates = yield* Effect.forEach(services, halfOfCapacity, atOnce)
    const columns = yield* Effect.forEach(services, (service, n) => soak(service, rates[n] ?? 1), atOnce)
    writeFileSync(drawing, picture(`A mixed Saturday at half of what can be answered, ${minutes} minutes`, columns))
    yield* Console.log(`The picture is in ${fileURLToPath(drawing)}`)
  })
}
