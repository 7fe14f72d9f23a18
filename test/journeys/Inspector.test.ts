/** The Inspector's command line, as people try a server with. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ToolResult } from "../support/McpRequests.ts"
import { startService } from "../support/Service.ts"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { compiled, shortLived } from "../support/nodeProcesses.ts"

// The MCP Inspector's command line. It is large (110 MB, 150 packages), so it is no dependency of this package: it is
// installed into the cache under `node_modules` the first time that a test asks for it, with what its own dependencies
// were on one day.

const root = fileURLToPath(new URL("../..", import.meta.url))
const cache = join(root, "node_modules", ".cache", "playroom", "inspector-2.12.0")
const entry = join(
  cache,
  "node_modules",
  "@modelcontextprotocol",
  "inspector",
  "clients",
  "launcher",
  "build",
  "index.js"
)

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const run = (
  file: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env: NodeJS.ProcessEnv }
) =>
  Effect.callback<Ran>((resume) => {
    const child = execFile(file, args, { ...options, timeout: 120_000, maxBuffer: 1 << 24 }, (error, stdout, stderr) =>
      resume(
        Effect.succeed({ code: error === null ? 0 : typeof error.code === "number" ? error.code : 1, stdout, stderr })
      )
    )
    return Effect.sync(() => child.kill())
  })

const install = Effect.gen(function* () {
  const unfinished = `${cache}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  writeFileSync(join(unfinished, "package.json"), `{ "private": true }`)
  const npm = process.env["npm_execpath"]
  const quiet = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
  const args = ["install", "--before=2026-11-29", ...quiet, "@modelcontextprotocol/inspector@2.12.0"]
  const options = { cwd: unfinished, env: process.env }
  const { code, stderr } = yield* npm === undefined
    ? run("npm", args, options)
    : run(process.execPath, [npm, ...args], options)
  if (code === 0 && !existsSync(cache)) renameSync(unfinished, cache)
  else rmSync(unfinished, { recursive: true, force: true })
  return existsSync(entry) ? undefined : stderr.trim().slice(-300)
})

/** Makes sure that it is there; answers why not, where the registry can't be reached. */
export const inspectorMissing: Effect.Effect<string | undefined> = Effect.suspend(() =>
  existsSync(entry) ? Effect.succeed(undefined) : install
)

/** Runs `mcp-inspector --cli` with its files under `home`. */
export const inspect = (home: string, ...args: ReadonlyArray<string>): Effect.Effect<Ran> =>
  run(process.execPath, [...shortLived, entry, "--cli", ...args], {
    env: { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1", NODE_COMPILE_CACHE: compiled }
  })

const List = Schema.fromJsonString(Schema.Struct({ tools: Schema.Array(Schema.Struct({ name: Schema.String })) }))
const Called = Schema.fromJsonString(ToolResult)

const scratch = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-inspector-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

const missing = await Effect.runPromise(inspectorMissing)
if (missing !== undefined) console.log(`SKIPPED: the Inspector could not be installed: ${missing}`)

it.live.skipIf(missing !== undefined)(
  "the Inspector's command line lists the tools, calls a public one and a keyed one, in both eras (skipped offline)",
  () =>
    Effect.gen(function* () {
      const service = yield* startService()
      const home = yield* scratch
      for (const era of ["legacy", "modern"]) {
        const ask = (...args: ReadonlyArray<string>) =>
          inspect(home, `${service.baseUrl}/mcp`, "--protocol-era", era, ...args)
        const call = (tool: string, ...args: ReadonlyArray<string>) =>
          Effect.map(ask("--method", "tools/call", "--tool-name", tool, ...args), ({ stdout }) =>
            Schema.decodeUnknownSync(Called)(stdout)
          )

        // Strict: it exits 6 where a schema is not portable between hosts.
        const listed = yield* ask("--method", "tools/list", "--strict")
        assert.strictEqual(listed.code, 0, listed.stderr)
        const { tools } = Schema.decodeUnknownSync(List)(listed.stdout)
        assert.strictEqual(tools.length, 6)

        const found = yield* call("search_playrooms", "--tool-arg", "city=London", "children=4")
        assert.isAbove(JSON.parse(found.content[0].text).playrooms.length, 0)
        assert.deepStrictEqual(found.structuredContent, JSON.parse(found.content[0].text))

        const reference = ["--tool-arg", "reference=K7M2-9QXD", "contact_email=ana@example.com"]
        const keyed = yield* call("get_booking", ...reference, "--header", `X-API-Key: ${service.apiKey}`)
        assert.include(keyed.content[0].text, "booking_not_found")
        const keyless = yield* call("get_booking", ...reference)
        assert.isTrue(keyless.isError)
        assert.include(keyless.content[0].text, "api_key_missing")
      }
    }).pipe(Effect.scoped),
  180_000
)
