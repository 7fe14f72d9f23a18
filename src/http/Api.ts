/**
 * The contract of the HTTP surface; `/openapi.json` and `/docs` are made from it. `/mcp` and the receivers are described, and
 * mounted elsewhere.
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import packageJson from "../../package.json" with { type: "json" }
import { eventsInWords } from "../payment/events/Events.ts"
import { problemSchema } from "./Problem.ts"

/** The largest body that is read: 1 MiB. */
export const maxBodyBytes = 1024 * 1024

const page = (description: string) =>
  Schema.String.annotate({ description }).pipe(HttpApiSchema.asText({ contentType: "text/html; charset=utf-8" }))

const Alive = Schema.Struct({ status: Schema.Literal("ok") }).annotate({ description: "The process answers." })
const Ready = Schema.Struct({ status: Schema.Literal("ready") }).annotate({
  description: "The database is reachable and migrated, and can be written to."
})

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const system = HttpApiGroup.make("system")
  .annotateMerge(OpenApi.annotations({ title: "Service", description: "Health, documentation, and pages for people." }))
  .add(
    HttpApiEndpoint.get("healthz", "/healthz", { success: Alive }).annotateMerge(
      described("Is the process alive?", "Answers without touching the database: for liveness probes.")
    ),
    HttpApiEndpoint.get("readyz", "/readyz", { success: Ready, error: problemSchema("not_ready") }).annotateMerge(
      described(
        "Can it serve?",
        "200 while the database is reachable, migrated and can be written to (tried every few seconds at most); 503 otherwise, and while the service is stopping: for load balancers."
      )
    ),
    HttpApiEndpoint.get("openapi", "/openapi.json", {
      success: Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "This document." })
    }).annotateMerge(described("This document", "OpenAPI 3.1.")),
    HttpApiEndpoint.get("docs", "/docs", { success: page("The document as a page.") }).annotateMerge(
      described("This document as a page", "Works offline: one page, without scripts.")
    ),
    HttpApiEndpoint.get("landing", "/", {
      success: page("What this is, and how to connect an assistant.")
    }).annotateMerge(described("Start page", "For people: what this is, and how to connect an assistant.")),
    HttpApiEndpoint.get("checkoutReturn", "/checkout/return", {
      success: page("What happened, and what happens next.")
    }).annotateMerge(
      described(
        "Where the payer lands",
        "For people coming back from the payment page. The `token` in the query, which this service puts there, opens one booking: the payment provider is asked about a payment that is not yet known, and the page says how it stands. Without a valid token it tells nothing of any booking."
      )
    )
  )

const Received = Schema.Struct({
  received: Schema.Literal(true),
  duplicate: Schema.optionalKey(Schema.Literal(true)).annotate({ description: "The event was already stored." })
}).annotate({ description: "Verified and stored, also where the event is not one that this service acts on." })

const signature = Schema.optionalKey(Schema.String)

const receiver = <const Name extends string>(name: Name, path: `/${string}`) =>
  HttpApiEndpoint.post(name, path, {
    headers: {
      "payment-signature": signature.annotate({
        description:
          "`t=SECONDS,v1=HEX`, where HEX is the HMAC-SHA256 of the seconds, a dot and the body; may be given more than once."
      }),
      "stripe-signature": signature.annotate({ description: "The same, under the provider's own name." })
    },
    payload: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/json" })),
    success: Received,
    error: [
      problemSchema("signature_missing", "signature_invalid", "signature_stale", "event_malformed"),
      problemSchema("method_not_allowed"),
      problemSchema("payload_too_large"),
      problemSchema("service_unavailable")
    ]
  })

const webhooks = HttpApiGroup.make("webhooks")
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhook receivers",
      description:
        "For the payment provider only. The body is verified byte for byte, whatever its Content-Type, with the receiver's own list of secrets. 503 means that nothing was stored, and the provider tries again."
    })
  )
  .add(
    receiver("handle", "/api/PaymentWebhook/Handle").annotateMerge(
      described("Events of the platform account", eventsInWords.platform)
    ),
    receiver("handleConnected", "/api/PaymentWebhook/HandleConnected").annotateMerge(
      described("Events of connected accounts", eventsInWords.connected)
    )
  )

const jsonRpc = {
  type: "object",
  required: ["jsonrpc", "method"],
  properties: {
    jsonrpc: { const: "2.0" },
    id: { type: ["string", "integer"] },
    method: { type: "string" },
    params: { type: "object" }
  }
}

/** The MCP endpoint has its own protocol and schemas (`tools/list`); OpenAPI shows where it is and how to knock. */
const mcpPath = {
  post: {
    tags: ["Assistants"],
    operationId: "mcp",
    summary: "Model Context Protocol endpoint",
    description:
      "Streamable HTTP, without sessions. Six tools: `search_playrooms`, `get_playroom` and `get_booking_options` are public; `create_booking`, `get_booking` and `create_payment_session` need an API key, in `X-API-Key` or as a bearer token. `tools/list` gives their schemas. A body has at most 128 KiB. Batches, of at most 20 messages, are taken in protocol version 2025-03-26 only, which is also that of a request without `MCP-Protocol-Version`.",
    security: [{}, { apiKey: [] }, { bearer: [] }],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: jsonRpc,
          example: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search_playrooms", arguments: {} } }
        }
      }
    },
    responses: {
      200: {
        description: "A JSON-RPC response. A failed tool call is a result with `isError`, not an HTTP error.",
        content: { "application/json": { schema: { type: "object" } } }
      },
      202: { description: "A notification was taken." },
      400: { description: "No JSON-RPC message, or one with too many values, too long lists or too deep nesting." },
      413: { description: "The body is too large." },
      429: { description: "Too many requests from this address: `Retry-After` says how long to wait." }
    }
  }
}

/** What is served as it is described here. */
export const SystemApi = HttpApi.make("playroom").add(system)

export const Api = SystemApi.add(webhooks).annotateMerge(
  OpenApi.annotations({
    title: "Playroom booking",
    version: packageJson.version,
    description:
      "The booking backend that AI assistants use to find a children's playroom, book it and have it paid. Assistants speak the Model Context Protocol at `POST /mcp`; everything else here is for the payment provider, for probes and for people. Errors outside `/mcp` are RFC 9457 problem details with a stable `code`.",
    license: { name: "MIT" },
    transform: (document) => ({
      ...document,
      tags: [{ name: "Assistants", description: "What AI assistants call." }, ...document.tags],
      paths: { "/mcp": mcpPath, ...document.paths },
      components: {
        ...document.components,
        securitySchemes: {
          apiKey: {
            type: "apiKey",
            in: "header",
            name: "X-API-Key",
            description: "Issued with `playroom key create`."
          },
          bearer: {
            type: "http",
            scheme: "bearer",
            description:
              "The same API key as a bearer token. A request that has both headers holds the same key in them."
          }
        }
      }
    })
  })
)

/** What each path answers to, for `Allow`. */
export const methods: Readonly<Record<string, string>> = {
  "/": "GET, HEAD",
  "/checkout/return": "GET, HEAD",
  "/docs": "GET, HEAD",
  "/openapi.json": "GET, HEAD",
  "/healthz": "GET, HEAD",
  "/readyz": "GET, HEAD",
  "/api/PaymentWebhook/Handle": "POST",
  "/api/PaymentWebhook/HandleConnected": "POST",
  "/mcp": "POST, OPTIONS"
}
