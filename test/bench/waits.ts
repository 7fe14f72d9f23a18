/** `waits`: what the costliest requests cost, and how long others wait for 110 of them at once. */

import { Console, Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { CatalogueFile } from "../../src/domain/import/CatalogueFile.ts"
import { nodeOptions } from "../../src/ops/process/NodeOptions.ts"
import { weekdays } from "../../src/platform/time/LocalTime.ts"
import { catalogueJson, idOf, packageJson, playroomJson } from "../support/catalogues.ts"
import { freePort } from "../support/freePort.ts"
import { heavySearches } from "../support/searchWorld.ts"
import type { Bench } from "./Bench.ts"
import { scratchDatabase, scratchFolder, serverClient } from "./support/Databases.ts"
import { table, takeTurns } from "./support/Figures.ts"
import { load } from "./support/Load.ts"
import { startService } from "./support/Processes.ts"
import { dayAfter, seedDays, seedPlayrooms, servicesOn } from "./support/Seeds.ts"

// The largest playroom that an import accepts: 12 packages of 20 rules, a start every 5 minutes round the clock, 12
// add-ons.

const number = 900_000

export const largestPlayroomId = idOf("playroom", number)

const rules = Array.from({ length: 20 }, (_, i) => ({
  label: `Rule ${i} of a long name, so that lines are long`,
  weekdays: [...weekdays],
  from: "00:00",
  until: "24:00",
  change: i % 2 === 0 ? { amount: 10 } : { percent: 1.5 }
}))

export const largestPlayroom = {
  ...playroomJson(number, {
    name: "The largest playroom",
    city: "Largeville",
    description: "Mats, blocks and a slide. ".repeat(69).trim(),
    capacity: 10_000,
    grid_minutes: 5,
    lead_time_minutes: 0,
    max_advance_days: 1095,
    opening_hours: weekdays.map((weekday) => ({ weekday, opens: "00:00", closes: "24:00" })),
    packages: Array.from({ length: 12 }, (_, n) =>
      packageJson(number + n, {
        name: `Package ${n}`,
        max_children: 25,
        pricing: { base: 100, included_children: 0, extra_child: 750, adult: 0, rules }
      })
    )
  }),
  add_ons: Array.from({ length: 12 }, (_, n) => ({
    add_on_id: idOf("addon", number + n),
    name: `Add-on ${n} of a long name`,
    unit: "per_item" as const,
    unit_amount: 100 + n,
    max_quantity: 5
  }))
}

const apiKey = "bench-key-0123456789abcdef0123456789"
const headers = {
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
  "X-API-Key": apiKey
}
const message = (id: number, name: string, input: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: input }
})

const Found = Schema.fromJsonString(
  Schema.Struct({
    result: Schema.Struct({
      structuredContent: Schema.Struct({ playrooms: Schema.Array(Schema.Struct({ playroom_id: Schema.String })) })
    })
  })
)
const Options = Schema.fromJsonString(
  Schema.Struct({
    result: Schema.Struct({
      structuredContent: Schema.Struct({ options: Schema.Array(Schema.Struct({ option_id: Schema.String })) })
    })
  })
)
const Probed = Schema.fromJsonString(Schema.Struct({ longestMs: Schema.Finite, processorMs: Schema.Finite }))

const textOf = (url: string, body?: string) =>
  Effect.promise(() =>
    fetch(url, body === undefined ? {} : { method: "POST", headers, body }).then((response) => response.text())
  )

/** Calls before those that are measured, and those. */
const [warm, calls] = [10, 10]

interface Request {
  readonly name: string
  readonly body: string
  /** What a good answer holds. */
  readonly expect: string
  /** How many are sent at once. */
  readonly together: number
}

const together = 110
/** Batches at once. What waits for longer than 5 seconds is refused. */
const batchesTogether = 20

const single = (name: string, input: object) => JSON.stringify(message(1, name, input))

const batchOf = (name: string, input: object) =>
  JSON.stringify(Array.from({ length: 20 }, (_, id) => message(id, name, input)))

/** Lists in lists, as deep as a body may be and as long. */
const deepest = (): string => {
  const arguments_ = `{"query":${"[".repeat(1900)}${"1,".repeat(60_000)}1${"]".repeat(1900)}}`
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_playrooms","arguments":${arguments_}}}`
}

const date = dayAfter(9)
const heavy = heavySearches(date)
const monthOf = (playroom_id: string) => ({
  playroom_id,
  date: dayAfter(1),
  date_to: dayAfter(32),
  children: 4,
  limit: 100
})
/** A month of the largest playroom with all its add-ons. */
const largestMonth = {
  ...monthOf(largestPlayroomId),
  add_ons: largestPlayroom.add_ons.map(({ add_on_id }) => ({ add_on_id, quantity: 1 }))
}

/** Requests; the first is a plain one. `option_id` is one of the largest playroom, with all its add-ons. */
const requests = (playroom_id: string, option_id: string): ReadonlyArray<Request> => {
  const one = (name: string, expect: string, tool: string, input: object): Request => ({
    name,
    body: single(tool, input),
    expect,
    together
  })
  const search = (name: string, input: object) => one(name, "playrooms", "search_playrooms", input)
  const batch = (name: string, expect: string, tool: string, input: object): Request => ({
    name,
    body: batchOf(tool, input),
    expect,
    together: batchesTogether
  })
  return [
    search("a plain page", {}),
    one("a playroom", "playroom_id", "get_playroom", { playroom_id }),
    one("the largest playroom", "playroom_id", "get_playroom", { playroom_id: largestPlayroomId }),
    one("a month of options", "option_id", "get_booking_options", monthOf(playroom_id)),
    one("a month of the largest playroom", "option_id", "get_booking_options", largestMonth),
    one("a booking with most add-ons", "booking_id", "create_booking", {
      option_id,
      contact: { name: "Ana Lima", email: "a{{n}}@example.com" }
    }),
    search("a page of 50", { date, children: 4, limit: 50 }),
    search("an empty search, five filters", heavy.fiveFilters),
    search("an empty search, unknown values", heavy.unknownValues),
    search("an empty search, every filter", heavy.everyFilter),
    search("words that nobody has", {
      query: "zyxw qwrt plmk vbnx jkhg tredf wsxcd rfvbg yhnmj ikolp qazws edcrf tgbyh nujmi kolpq"
    }),
    { name: "the deepest arguments", body: deepest(), expect: "invalid_arguments", together },
    batch("a batch of 20 months", "option_id", "get_booking_options", monthOf(playroom_id)),
    batch("a batch of 20 empty searches", "playrooms", "search_playrooms", heavy.everyFilter)
  ]
}

/** Imports the largest playroom by the command, beside the demo of a running service. */
const importLargest = (dataDir: string) =>
  Effect.callback<void>((resume) => {
    const file = join(dataDir, "largest.json")
    writeFileSync(file, JSON.stringify(catalogueJson([largestPlayroom])))
    const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
    const env = { PATH: process.env["PATH"], DATA_DIR: dataDir }
    execFile(process.execPath, [main, "catalogue", "import", file, "--keep-demo"], { env }, (error) =>
      resume(error === null ? Effect.void : Effect.die(error))
    )
  })

const measure = Effect.fnUntraced(function* (where: string, env: Readonly<Record<string, string>>, rounds: number) {
  const probePort = yield* freePort
  const probe = Effect.flatMap(textOf(`http://127.0.0.1:${probePort}`), Schema.decodeUnknownEffect(Probed))
  const script = fileURLToPath(new URL("./support/loopProbe.ts", import.meta.url))
  const limits = { MAX_HOLDS_PER_KEY: "1000000", MAX_HOLDS_PER_EMAIL: "1000" }
  const service = yield* startService({ ...env, ...limits, API_KEY: apiKey, PROBE_PORT: String(probePort) }, [
    ...nodeOptions,
    "--import",
    script
  ])
  const url = `${service.baseUrl}/mcp`
  const { DATA_DIR } = env
  if (DATA_DIR !== undefined) yield* importLargest(DATA_DIR)
  const found = yield* Schema.decodeUnknownEffect(Found)(yield* textOf(url, single("search_playrooms", {})))
  const options = yield* Schema.decodeUnknownEffect(Options)(
    yield* textOf(url, single("get_booking_options", largestMonth))
  )
  const all = requests(
    found.result.structuredContent.playrooms.find(({ playroom_id }) => playroom_id !== largestPlayroomId)
      ?.playroom_id ?? "",
    options.result.structuredContent.options.at(-1)?.option_id ?? ""
  )
  let sent = 0
  const cost = Effect.fnUntraced(function* ({ body, expect, together: many }: Request) {
    const plan = (connections: number, count: number) => {
      const firstNumber = sent
      sent += count
      return { url, headers, bodies: [body], expect, connections, requests: count, firstNumber }
    }
    yield* load(plan(1, warm))
    yield* probe
    const { answers } = yield* load(plan(1, calls))
    const alone = yield* probe
    const { max, refused } = yield* load(plan(many, many), "counted")
    const crowd = yield* probe
    return {
      processorMs: alone.processorMs / answers,
      aloneMs: alone.longestMs,
      crowdMs: crowd.longestMs,
      max,
      refused
    }
  })
  const taken = yield* takeTurns(
    rounds,
    all.map((request) => [request.name, () => cost(request)] as const)
  )
  yield* table(
    `waits, ${where}: ms; runs of the event loop are what everybody else waits for; of batches, ${batchesTogether} at once`,
    ["", "processor", "longest run, alone", `longest run, ${together} at once`, "the last of them", "refused"],
    all.map(({ name }) => [
      name,
      taken(name).map(({ processorMs }) => processorMs),
      taken(name).map(({ aloneMs }) => aloneMs),
      taken(name).map(({ crowdMs }) => crowdMs),
      taken(name).map(({ max }) => max),
      taken(name).map(({ refused }) => refused)
    ])
  )
}, Effect.scoped)

export const bench: Bench = {
  about:
    "what the costliest requests cost, and how long others wait for 110 of them at once, on both kinds of database",
  run: Effect.fnUntraced(function* ({ rounds }) {
    yield* measure("embedded, demo", { DATA_DIR: yield* scratchFolder }, rounds)
    const database = yield* scratchDatabase()
    const context = yield* servicesOn(serverClient(database))
    yield* Effect.provide(Effect.andThen(seedPlayrooms(10_000), seedDays(30)), context)
    yield* Effect.provide(
      CatalogueFile.use((file) => file.importFile(catalogueJson([largestPlayroom]))),
      context
    )
    yield* Console.log("10,000 playrooms are imported")
    yield* measure("server, 10,000 playrooms", { DATABASE_URL: database, PAYMENT_PROVIDER: "sandbox" }, rounds)
  })
}
