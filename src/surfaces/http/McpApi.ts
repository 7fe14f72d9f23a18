/** The HTTP contract of `/mcp`: its security, bodies and statuses. The protocol inside has its own schemas. */
import { Context, Effect, Layer, Schema } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import {
  HttpApi,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  HttpApiSecurity,
  OpenApi
} from "effect/http-api"
import { Authentication, type Caller, callerOf, credentialsOf } from "../../platform/access/Authentication.ts"
import { RateLimits } from "../../platform/access/RateLimits.ts"
import { bodyLimits } from "./Bodies.ts"
import {
  BadRequestProblem,
  ContentTypeUnsupportedProblem,
  NotAllowedProblem,
  PayloadTooLargeProblem,
  RateLimitedProblem,
  retryAfter,
  ServiceUnavailableProblem
} from "./Problem.ts"

/** Who sends the request that is answered. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("playroom/api/CurrentCaller") {}

/**
 * The API key of a request. It lets everybody in and says who they are, once somebody asks: each tool decides whether
 * it needs a key.
 */
export class ApiKeySecurity extends HttpApiMiddleware.Service<ApiKeySecurity, { provides: CurrentCaller }>()(
  "playroom/api/ApiKeySecurity",
  {
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
  }
) {
  static readonly layer = Layer.effect(
    ApiKeySecurity,
    Effect.gen(function* () {
      const authentication = yield* Authentication
      const { addressOf } = yield* RateLimits
      // Both headers at once, since they may differ: so the first of the two ways answers for the second.
      const known = <E>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, CurrentCaller>) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          Effect.provideService(
            answer,
            CurrentCaller,
            callerOf(authentication, credentialsOf(request.headers), addressOf(request))
          )
        )
      return ApiKeySecurity.of({ apiKey: known, bearer: known })
    })
  )
}

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
    BadRequestProblem,
    NotAllowedProblem,
    PayloadTooLargeProblem,
    ContentTypeUnsupportedProblem,
    jsonRpcAnswer(
      400,
      "A request with too many values, too long lists or too deep nesting, or one that its headers contradict. Whatever names no request is a problem document."
    ),
    retryAfter(RateLimitedProblem),
    jsonRpcAnswer(429, "Too many requests from this address: `Retry-After` says how long to wait."),
    retryAfter(ServiceUnavailableProblem)
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

/** The methods of `/mcp`, as `Allow` lists them. */
export const mcpMethods = "POST, OPTIONS"

/** The CORS preflight of `/mcp`. */
const mcpPreflight = HttpApiEndpoint.options("mcpPreflight", path, { success: HttpApiSchema.NoContent }).annotate(
  OpenApi.Exclude,
  true
)

/** The group of `/mcp`. `surfaces/mcp/transport/McpEndpoint.ts` answers it. */
export const assistants = HttpApiGroup.make("assistants")
  .annotateMerge(OpenApi.annotations({ title: "Assistants", description: "What AI assistants call." }))
  .add(mcp, mcpPreflight)

export const AssistantsApi = HttpApi.make("playroom").add(assistants)
