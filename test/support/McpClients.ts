/**
 * The clients that hosts are built on, behind one shape: v1 of the SDK, and v2 in each of its ways to agree on a
 * version.
 */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect, Schema } from "effect"

/** A tool's answer as a test reads it: the structured content, or the error in the text. */
export interface Answer {
  readonly isError: boolean
  readonly content: Record<string, unknown>
  readonly text: string
}

export interface McpClient {
  readonly tools: Effect.Effect<ReadonlyArray<string>>
  readonly call: (name: string, args: Record<string, unknown>) => Effect.Effect<Answer>
}

export const clientKinds = ["v1", "v2 default", "v2 auto", "v2 pinned to 2026-07-28", "v2 pinned to legacy"] as const
export type ClientKind = (typeof clientKinds)[number]

const Result = Schema.Struct({
  content: Schema.Array(Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })),
  structuredContent: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  isError: Schema.optionalKey(Schema.Boolean)
})
const ErrorText = Schema.fromJsonString(Schema.Struct({ error: Schema.Record(Schema.String, Schema.Unknown) }))

const read = (result: unknown): Answer => {
  const { content, structuredContent, isError } = Schema.decodeUnknownSync(Result)(result)
  const text = content[0]?.text ?? ""
  return {
    isError: isError === true,
    content: structuredContent ?? Schema.decodeUnknownSync(ErrorText)(text).error,
    text
  }
}

const negotiation = (kind: ClientKind) => {
  switch (kind) {
    case "v2 auto":
      return { versionNegotiation: { mode: "auto" as const } }
    case "v2 pinned to 2026-07-28":
      return { versionNegotiation: { mode: { pin: "2026-07-28" } } }
    case "v2 pinned to legacy":
      return { versionNegotiation: { mode: "legacy" as const } }
    default:
      return {}
  }
}

const info = { name: "journey", version: "1.0.0" }

/** Connects a client of a kind, with a key or without; closed with the scope. */
export const connect = (kind: ClientKind, baseUrl: string, apiKey?: string) => {
  const url = new URL(`${baseUrl}/mcp`)
  const options = { requestInit: { headers: apiKey === undefined ? {} : { "x-api-key": apiKey } } }
  const make = async () => {
    if (kind === "v1") {
      const client = new ClientV1(info)
      const transport = new TransportV1(url, options)
      // The SDK's class does not fit its own interface under exactOptionalPropertyTypes.
      await Reflect.apply(client.connect, client, [transport])
      return client
    }
    const client = new ClientV2(info, negotiation(kind))
    await client.connect(new TransportV2(url, options))
    return client
  }
  return Effect.acquireRelease(Effect.promise(make), (client) => Effect.promise(() => client.close())).pipe(
    Effect.map((client): McpClient => ({
      tools: Effect.promise(async () => (await client.listTools()).tools.map(({ name }) => name)),
      call: (name, args) => Effect.promise(async () => read(await client.callTool({ name, arguments: args })))
    }))
  )
}
