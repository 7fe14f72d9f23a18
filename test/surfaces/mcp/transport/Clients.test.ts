/** The clients that hosts are built on, as they come. */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { McpEndpoint } from "../../../../src/surfaces/mcp/transport/McpEndpoint.ts"
import { listedTools } from "../../../../src/surfaces/mcp/tools/ToolList.ts"
import { bookingId, listen, makeSlow, standInCalls } from "../../../support/StandInTools.ts"

const start = Effect.flatMap(makeSlow, (slow) => listen(McpEndpoint.layer.pipe(Layer.provide(standInCalls(slow)))))

/** What a client can do, whichever it is. */
interface Session {
  readonly list: () => Promise<ReadonlyArray<string>>
  readonly call: (name: string, input: Record<string, unknown>) => Promise<unknown>
  readonly close: () => Promise<void>
}

type Connect = (url: string, headers: Record<string, string>) => Promise<Session>

const who = { name: "test-host", version: "1.0.0" }

const v1: Connect = async (url, headers) => {
  const client = new ClientV1(who)
  const transport = new TransportV1(new URL(url), { requestInit: { headers } })
  // The SDK's own transport does not fit its own interface under exactOptionalPropertyTypes.
  await Reflect.apply(client.connect, client, [transport])
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, input) => client.callTool({ name, arguments: input }),
    close: () => client.close()
  }
}

const v2 =
  (mode?: "legacy" | "auto" | { readonly pin: string }): Connect =>
  async (url, headers) => {
    const client = new ClientV2(who, mode === undefined ? {} : { versionNegotiation: { mode } })
    await client.connect(new TransportV2(new URL(url), { requestInit: { headers } }))
    return {
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, input) => client.callTool({ name, arguments: input }),
      close: () => client.close()
    }
  }

const clients: Readonly<Record<string, Connect>> = {
  "SDK v1": v1,
  "SDK v2 by default": v2(),
  "SDK v2, old era": v2("legacy"),
  "SDK v2, auto": v2("auto"),
  "SDK v2, pinned to 2026-07-28": v2({ pin: "2026-07-28" })
}

for (const [name, connect] of Object.entries(clients)) {
  it.live(`${name} lists the tools, calls a public one, calls a keyed one, and reads why one is refused`, () =>
    Effect.gen(function* () {
      const url = yield* start
      const open = (headers: Record<string, string>) =>
        Effect.acquireRelease(
          Effect.promise(() => connect(url, headers)),
          (session) => Effect.promise(() => session.close())
        )
      const session = yield* open({ "x-api-key": "all-scopes" })
      assert.deepStrictEqual(
        yield* Effect.promise(() => session.list()),
        listedTools.map(({ name }) => name)
      )
      const found = yield* Effect.promise(() => session.call("search_playrooms", {}))
      assert.nestedProperty(found, "structuredContent.playrooms[0].playroom_id")
      const booking = yield* Effect.promise(() => session.call("get_booking", { booking_id: bookingId }))
      assert.nestedPropertyVal(booking, "structuredContent.booking.booking_id", bookingId)
      const keyless = yield* open({})
      const refused = yield* Effect.promise(() => keyless.call("get_booking", { booking_id: bookingId }))
      assert.propertyVal(refused, "isError", true)
      assert.include(JSON.stringify(refused), "api_key_missing")
    }).pipe(Effect.scoped)
  )
}
