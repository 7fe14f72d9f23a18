/** `waits`: what the costliest requests cost, and how long others wait for 110 of them at once. */
import { Console, Effect, Schema } from "effect"
import { fileURLToPath } from "node:url"
import { nodeOptions } from "../../src/process/NodeOptions.ts"
import type { Bench } from "./Bench.ts"
import { scratchDatabase, scratchFolder, serverClient } from "./support/Databases.ts"
import { spread, table, takeTurns } from "./support/Figures.ts"
import { load } from "./support/Load.ts"
import { freePort, startService } from "./support/Processes.ts"
import { dayAfter, seedDays, seedPlayrooms, servicesOn } from "./support/Seeds.ts"

const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" }
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
const Probed = Schema.fromJsonString(Schema.Struct({ longestMs: Schema.Finite, processorMs: Schema.Finite }))

const textOf = (url: string, body?: string) =>
  Effect.promise(() =>
    fetch(url, body === undefined ? {} : { method: "POST", headers, body }).then((response) => response.text())
  )

/** Requests by name; the first is a plain one. */
const requests = (playroom_id: string): ReadonlyArray<readonly [name: string, body: string, expect: string]> => {
  const month = { playroom_id, date: dayAfter(1), date_to: dayAfter(32), children: 4, limit: 100 }
  const single = (name: string, input: object) => JSON.stringify(message(1, name, input))
  const date = dayAfter(9)
  return [
    ["a playroom", single("get_playroom", { playroom_id }), "playroom_id"],
    ["a month of options", single("get_booking_options", month), "option_id"],
    ["a page of 50", single("search_playrooms", { date, children: 4, limit: 50 }), "playrooms"],
    [
      "an empty search, five filters",
      single("search_playrooms", { date, city: "London", children: 11, duration_minutes: 90, amenities: ["cafe"] }),
      "playrooms"
    ],
    [
      "an empty search, unknown values",
      single("search_playrooms", { city: "Nowhere", country: "ZZ", amenities: ["none"], duration_minutes: 1435 }),
      "playrooms"
    ],
    [
      "a batch of 20 months",
      JSON.stringify(Array.from({ length: 20 }, (_, id) => message(id, "get_booking_options", month))),
      "option_id"
    ]
  ]
}

const together = 110

const measure = Effect.fnUntraced(function* (where: string, env: Readonly<Record<string, string>>, rounds: number) {
  const probePort = yield* freePort
  const probe = Effect.flatMap(textOf(`http://127.0.0.1:${probePort}`), Schema.decodeUnknownEffect(Probed))
  const script = fileURLToPath(new URL("./support/loopProbe.ts", import.meta.url))
  const service = yield* startService({ ...env, PROBE_PORT: String(probePort) }, [...nodeOptions, "--import", script])
  const url = `${service.baseUrl}/mcp`
  const search = JSON.stringify(message(1, "search_playrooms", {}))
  const { result } = yield* Schema.decodeUnknownEffect(Found)(yield* textOf(url, search))
  const all = requests(result.structuredContent.playrooms[0]?.playroom_id ?? "")
  const cost = Effect.fnUntraced(function* (body: string, expect: string) {
    const one = load({ url, headers, bodies: [body], expect, connections: 1, requests: 5 })
    yield* one
    yield* probe
    const { answers } = yield* one
    const alone = yield* probe
    const { max } = yield* load({ url, headers, bodies: [body], expect, connections: together, requests: together })
    const crowd = yield* probe
    return { processorMs: alone.processorMs / answers, aloneMs: alone.longestMs, crowdMs: crowd.longestMs, max }
  })
  const taken = yield* takeTurns(
    rounds,
    all.map(([name, body, expect]) => [name, () => cost(body, expect)] as const)
  )
  yield* table(
    `waits, ${where}: ms; runs of the event loop are what everybody else waits for`,
    ["", "processor", "longest run, alone", `longest run, ${together} at once`, "the last of them"],
    all.map(([name]) => [
      name,
      spread(taken(name).map(({ processorMs }) => processorMs)),
      spread(taken(name).map(({ aloneMs }) => aloneMs)),
      spread(taken(name).map(({ crowdMs }) => crowdMs)),
      spread(taken(name).map(({ max }) => max))
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
    yield* Console.log("10,000 playrooms are imported")
    yield* measure("server, 10,000 playrooms", { DATABASE_URL: database, PAYMENT_PROVIDER: "sandbox" }, rounds)
  })
}
