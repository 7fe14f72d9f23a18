/**
 * `mcp`: what a tool call costs beside other ways to answer it, and beside the query alone. The service reads with one
 * statement what several ask for at about the same time; the others have a statement for each call.
 */
import { Console, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { fileURLToPath } from "node:url"
import { CatalogueFile } from "../../src/domain/import/CatalogueFile.ts"
import { envelope, modernVersion } from "../support/McpRequests.ts"
import type { Bench } from "./Bench.ts"
import { scratchDatabase, serverClient } from "./support/Databases.ts"
import { ratios, table, takeTurns } from "./support/Figures.ts"
import { load, type Loaded, type LoadPlan } from "./support/Load.ts"
import { startProcess, startService } from "./support/Processes.ts"
import { servicesOn } from "./support/Seeds.ts"

const connections = 32
const peersFolder = fileURLToPath(new URL("./peers/", import.meta.url))

const installPeers = Effect.suspend(() => {
  if (existsSync(`${peersFolder}node_modules/.package-lock.json`)) return Effect.void
  return Effect.andThen(
    Console.log("Installing the competitors into test/bench/peers (first run) …"),
    Effect.sync(() => {
      // What they depend on themselves is as it was on one day.
      const asOf = ["--before=2026-11-29", "--no-package-lock"]
      const done = spawnSync("npm", ["install", ...asOf, "--no-audit", "--no-fund", "--ignore-scripts"], {
        cwd: peersFolder,
        stdio: ["ignore", "ignore", "inherit"],
        shell: process.platform === "win32"
      })
      if (done.status !== 0) throw new Error("npm install in test/bench/peers failed")
    })
  )
})

const json = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" }
const era2025 = { ...json, "Mcp-Protocol-Version": "2025-11-25" }
const era2026 = {
  ...json,
  "Mcp-Protocol-Version": modernVersion,
  "Mcp-Method": "tools/call",
  "Mcp-Name": "get_playroom"
}
const call = (playroom_id: string, _meta?: object) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "get_playroom", arguments: { playroom_id }, ...(_meta === undefined ? {} : { _meta }) }
  })

type Shape = Pick<LoadPlan, "headers" | "bodies">

/** The `structuredContent` of an answer; of an answer without protocol, all of it. */
const answerOf = (url: string, { headers, bodies }: Shape) =>
  Effect.promise(async (): Promise<unknown> => {
    const response = await fetch(url, { method: "POST", headers, body: bodies[0] ?? "" })
    const text = await response.text()
    try {
      const answer: unknown = JSON.parse(text)
      if (typeof answer !== "object" || answer === null || !("result" in answer)) return answer
      const { result } = answer
      return typeof result === "object" && result !== null && "structuredContent" in result
        ? result.structuredContent
        : result
    } catch {
      throw new Error(`${url} answered ${response.status}: ${text.slice(0, 500)}`)
    }
  })

/** Opens a session as clients of the 2025 era do; answers the header that names it. */
const sessionOf = (url: string) =>
  Effect.promise(async () => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } }
    const opened = await fetch(url, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })
    })
    await opened.text()
    return { "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "" }
  })

interface Competitor extends Shape {
  readonly name: string
  readonly url: string
}

export const bench: Bench = {
  about:
    "get_playroom through /mcp beside other servers that give the same answer from the same data, each call by itself",
  run: Effect.fnUntraced(function* ({ rounds, seconds }) {
    yield* installPeers
    const database = yield* scratchDatabase()
    const context = yield* servicesOn(serverClient(database, 1))
    yield* Effect.provide(
      CatalogueFile.use((file) => file.loadDemo),
      context
    )
    const sql = yield* Effect.provide(SqlClient.SqlClient, context)
    const rows = yield* sql<{ readonly playroom_id: string }>`select playroom_id from playroom order by 1`
    const ids = rows.map(({ playroom_id }) => playroom_id)

    const old: Shape = { headers: era2025, bodies: ids.map((id) => call(id)) }
    const modern: Shape = { headers: era2026, bodies: ids.map((id) => call(id, envelope())) }
    const bare: Shape = { headers: json, bodies: ids.map((playroom_id) => JSON.stringify({ playroom_id })) }

    const env = { DATABASE_URL: database, PAYMENT_PROVIDER: "sandbox" }
    const start = (name: string, more = {}) =>
      startProcess(`${peersFolder}${name}.ts`, { env: { ...env, ...more }, health: "/" })
    const [service, limited, fastmcp, sdkV1, effectMcp, effectRoute, nodeHttp, byVersion] = yield* Effect.all([
      startService(env),
      startService({ ...env, RATE_LIMIT_DISABLED: "false", RATE_LIMIT_PER_MINUTE: "1000000" }),
      start("fastmcp"),
      start("sdk-v1"),
      start("effect-mcp"),
      start("effect-route"),
      start("node-http"),
      start("node-http", { BY_VERSION: "1" })
    ])
    const session = yield* sessionOf(`${effectMcp.baseUrl}/mcp`)
    const competitors: ReadonlyArray<Competitor> = [
      { name: "playroom, 2026-07-28", url: `${service.baseUrl}/mcp`, ...modern },
      { name: "playroom, 2025-11-25", url: `${service.baseUrl}/mcp`, ...old },
      { name: "playroom, 2026-07-28, rate limits kept", url: `${limited.baseUrl}/mcp`, ...modern },
      { name: "(a) fastmcp, 2025-11-25", url: `${fastmcp.baseUrl}/mcp`, ...old },
      { name: "(b) SDK v1 on express, 2025-11-25", url: `${sdkV1.baseUrl}/mcp`, ...old },
      { name: "(c) Effect's McpServer, 2026-07-28", url: `${effectMcp.baseUrl}/mcp`, ...modern },
      {
        name: "(c) Effect's McpServer, 2025-11-25",
        url: `${effectMcp.baseUrl}/mcp`,
        bodies: old.bodies,
        headers: { ...era2025, ...session }
      },
      { name: "(d) bare Effect route", url: `${effectRoute.baseUrl}/playroom`, ...bare },
      { name: "(e) bare node:http", url: `${nodeHttp.baseUrl}/playroom`, ...bare },
      // The others read the row each time. The service, and this one, read it only if its version is another; the
      // service asks for the versions of several calls at once.
      { name: "(f) the same, by version", url: `${byVersion.baseUrl}/playroom`, ...bare }
    ]

    const truth = yield* answerOf(`${service.baseUrl}/mcp`, modern)
    for (const { name, url, ...shape } of competitors) {
      const answer = yield* answerOf(url, shape)
      if (!isDeepStrictEqual(answer, truth)) {
        return yield* Effect.die(new Error(`${name} answers something else: ${JSON.stringify(answer).slice(0, 500)}`))
      }
    }

    const run = ({ url, headers, bodies }: Competitor, connections: number, time: number) =>
      load({ url, headers, bodies, connections, seconds: time, expect: "playroom_id" })
    // A cold process on a slow machine refuses what it can't answer in time: it gets warm at its ease.
    yield* Effect.forEach(competitors, (competitor) => run(competitor, 4, 2), { discard: true })
    const taken = yield* takeTurns<string, Loaded, unknown, never>(
      rounds,
      competitors.map((competitor) => [competitor.name, () => run(competitor, connections, seconds)])
    )
    const speeds = (name: string) => taken(name).map(({ perSecond }) => perSecond)
    const ours = "playroom, 2026-07-28"
    yield* table(
      `mcp: get_playroom, ${connections} connections, ${seconds} s a turn, everything on a server database`,
      ["", "calls/s", `${ours}, over it`, "playroom, 2025-11-25, over it", "half, ms", "p99, ms"],
      competitors.map(({ name }) => [
        name,
        speeds(name),
        ratios(speeds(ours), speeds(name)),
        ratios(speeds("playroom, 2025-11-25"), speeds(name)),
        taken(name).map(({ p50 }) => p50),
        taken(name).map(({ p99 }) => p99)
      ])
    )
    return undefined
  })
}
