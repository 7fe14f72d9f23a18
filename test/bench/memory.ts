/** `memory`: whether a service that has answered a hundred thousand calls has grown. */
import { Console, Effect, Schema } from "effect"
import { envelope, modernVersion } from "../support/McpRequests.ts"
import type { Bench } from "./Bench.ts"
import { CatalogueFile } from "../../src/domain/import/CatalogueFile.ts"
import { scratchDatabase, scratchFolder, serverClient } from "./support/Databases.ts"
import { type Cell, number, table } from "./support/Figures.ts"
import { load, type LoadPlan } from "./support/Load.ts"
import { residentMb, startService } from "./support/Processes.ts"
import { dayAfter, servicesOn } from "./support/Seeds.ts"

const json = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" }
const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })

/** A few of each of the public tools' calls, as both eras make them. */
const callPlans = (ids: ReadonlyArray<string>): ReadonlyArray<Pick<LoadPlan, "headers" | "bodies" | "expect">> => {
  const tools: ReadonlyArray<readonly [name: string, input: object]> = ids
    .slice(0, 4)
    .flatMap((playroom_id) => [
      ["get_playroom", { playroom_id }] as const,
      ["get_booking_options", { playroom_id, date: dayAfter(3), children: 6, limit: 5 }] as const,
      ["search_playrooms", { city: "London", limit: 3 }] as const
    ])
  return [
    ...["get_playroom", "get_booking_options", "search_playrooms"].map((wanted) => ({
      headers: { ...json, "Mcp-Protocol-Version": modernVersion, "Mcp-Method": "tools/call", "Mcp-Name": wanted },
      bodies: tools.flatMap(([name, input]) =>
        name === wanted ? [rpc("tools/call", { name, arguments: input, _meta: envelope() })] : []
      ),
      expect: `"structuredContent"`
    })),
    {
      headers: json,
      bodies: tools.map(([name, input]) => rpc("tools/call", { name, arguments: input })),
      expect: `"structuredContent"`
    }
  ]
}

const initializes: Pick<LoadPlan, "headers" | "bodies" | "expect"> = {
  headers: json,
  bodies: [
    rpc("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" }
    })
  ],
  expect: `"serverInfo"`
}

const Found = Schema.fromJsonString(
  Schema.Struct({
    result: Schema.Struct({
      structuredContent: Schema.Struct({ playrooms: Schema.Array(Schema.Struct({ playroom_id: Schema.String })) })
    })
  })
)

/** Resident memory of one service along the calls; `env` names its database. */
const measure = Effect.fnUntraced(function* (where: string, env: Readonly<Record<string, string>>) {
  const service = yield* startService(env)
  const url = `${service.baseUrl}/mcp`
  const found = yield* Effect.promise(() =>
    fetch(url, {
      method: "POST",
      headers: json,
      body: rpc("tools/call", { name: "search_playrooms", arguments: { city: "London" } })
    }).then((response) => response.text())
  )
  const { result } = yield* Schema.decodeUnknownEffect(Found)(found)
  const plans = callPlans(result.structuredContent.playrooms.map(({ playroom_id }) => playroom_id))

  const rows: Array<ReadonlyArray<Cell>> = []
  let settled = Number.NaN
  const note = (calls: number, opened: number, speed?: number) =>
    Effect.gen(function* () {
      // What is garbage by then may go.
      yield* Effect.sleep("1 second")
      const mb = residentMb(service.pid)
      if (calls === 10_000 && opened === 0) settled = mb
      const change = Number.isNaN(settled) ? "" : `${mb >= settled ? "+" : ""}${number((mb / settled - 1) * 100)} %`
      rows.push([calls, opened, mb, change, speed === undefined ? "" : speed])
      yield* Console.log(`${where}: ${number(calls)} calls, ${number(opened)} initializes: ${number(mb)} MB`)
    })
  const send = Effect.fnUntraced(function* (requests: number, all: ReadonlyArray<(typeof plans)[number]>) {
    const speeds: Array<number> = []
    for (const plan of all) {
      const part = Math.round(requests / all.length)
      speeds.push((yield* load({ url, connections: 16, requests: part, ...plan })).perSecond)
    }
    return speeds.length / speeds.reduce((sum, speed) => sum + 1 / speed, 0)
  })

  yield* note(0, 0)
  let calls = 0
  for (const until of [10_000, 25_000, 50_000, 75_000, 100_000]) {
    const speed = yield* send(until - calls, plans)
    calls = until
    yield* note(calls, 0, speed)
  }
  let opened = 0
  for (const until of [10_000, 25_000, 50_000]) {
    const speed = yield* send(until - opened, [initializes])
    opened = until
    yield* note(calls, opened, speed)
  }
  yield* table(
    `memory, ${where}: resident MB, and its change since the first 10,000 calls`,
    ["calls", "initializes", "MB", "change", "a second"],
    rows
  )
}, Effect.scoped)

export const bench: Bench = {
  about: "resident memory of the service along 100,000 tool calls and 50,000 initializes, on both kinds of database",
  run: Effect.fnUntraced(function* () {
    yield* measure("embedded database", { DATA_DIR: yield* scratchFolder })
    const database = yield* scratchDatabase()
    const context = yield* servicesOn(serverClient(database, 1))
    yield* Effect.provide(
      CatalogueFile.use((file) => file.loadDemo),
      context
    )
    yield* measure("server database", { DATABASE_URL: database, PAYMENT_PROVIDER: "sandbox" })
  })
}
