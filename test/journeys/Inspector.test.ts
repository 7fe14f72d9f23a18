/** The Inspector's command line, as people try a server with. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect, inspectorMissing } from "../support/Inspector.ts"
import { ToolResult } from "../support/McpRequests.ts"
import { startService } from "../support/Service.ts"

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
