/** The HTTP contract of `/mcp`: its security, bodies and statuses. The protocol inside has its own schemas. */
import { Schema } from "effect"
import {
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  HttpApiSecurity,
  OpenApi
} from "effect/http-api"
import { bodyLimits } from "./Bodies.ts"

/**
 * The API key of a request. This only declares it: the endpoint checks nothing. Each tool decides whether it needs a
 * key, and `access/Authentication.ts` checks it.
 */
class ApiKeySecurity extends HttpApiMiddleware.Service<ApiKeySecurity>()("playroom/api/ApiKeySecurity", {
  security: {
    apiKey: HttpApiSecurity.apiKey({ key: "X-API-Key" }).pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "Issued with `playroom key create`.")
    ),
    bearer: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(
        OpenApi.Description,
        "The same API key as a bearer token. A request that has both headers holds the same key in them."
      )
    )
  }
}) {}

const JsonRpcRequest = Schema.StructWithRest(
  Schema.Struct({
    jsonrpc: Schema.Literal("2.0"),
    id: Schema.optionalKey(Schema.Union([Schema.String, Schema.Number])),
    method: Schema.String,
    params: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
).annotate({
  examples: [{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search_playrooms", arguments: {} } }]
})

/** A JSON-RPC response or error with this status. */
const jsonRpcAnswer = (httpApiStatus: number, description: string) =>
  Schema.Record(Schema.String, Schema.Unknown).annotate({ httpApiStatus, description })

const path = "/mcp"

/** `POST /mcp`. The protocol has its own schemas (`tools/list`); this documents the endpoint and how to reach it. */
export const mcp = HttpApiEndpoint.post("mcp", path, {
  payload: JsonRpcRequest,
  success: [
    jsonRpcAnswer(200, "A JSON-RPC response. A failed tool call is a result with `isError`, not an HTTP error."),
    HttpApiSchema.Empty(202).annotate({ description: "A notification was taken." })
  ],
  error: [
    jsonRpcAnswer(400, "No JSON-RPC message, or one with too many values, too long lists or too deep nesting."),
    jsonRpcAnswer(403, "The `Host` is none of this service, or the `Origin` is not allowed."),
    jsonRpcAnswer(413, "The body is too large."),
    jsonRpcAnswer(415, "The `Content-Type` is not `application/json`."),
    jsonRpcAnswer(429, "Too many requests from this address: `Retry-After` says how long to wait."),
    jsonRpcAnswer(
      503,
      "There is more to do than can be done in time, and nothing of this was done: `Retry-After` says how long to wait."
    )
  ]
})
  .middleware(ApiKeySecurity)
  .annotateMerge(
    OpenApi.annotations({
      identifier: "mcp",
      summary: "Model Context Protocol endpoint",
      description: `Streamable HTTP, without sessions. \`tools/list\` gives the tools with their schemas, \`resources/read\` the card in which hosts may show results. Those for playrooms and options are public; those for bookings and payments need an API key, in \`X-API-Key\` or as a bearer token. A body has at most ${bodyLimits.mcp / 1024} KiB. Batches, of at most 20 messages, are taken in protocol version 2025-03-26 only, which is also that of a request without \`MCP-Protocol-Version\`.`,
      // The public tools need no key.
      transform: (operation) => ({ ...operation, security: [{}, ...operation["security"]] })
    })
  )

/** The CORS preflight of `/mcp`. */
const mcpPreflight = HttpApiEndpoint.options("mcpPreflight", path, { success: HttpApiSchema.NoContent }).annotate(
  OpenApi.Exclude,
  true
)

/** The contract of `/mcp`. `mcp/transport/McpEndpoint.ts` mounts it. */
export const assistants = HttpApiGroup.make("assistants")
  .annotateMerge(OpenApi.annotations({ title: "Assistants", description: "What AI assistants call." }))
  .add(mcp, mcpPreflight)
