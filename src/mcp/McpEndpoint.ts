/**
 * The `/mcp` routes: guards, limits on the body, and what the transport asks of HTTP; then the message goes to the SDK, or, where
 * it is an everyday call, straight to the tools.
 */
import { isJsonContentType } from "@modelcontextprotocol/server"
import { ByteSize, Cause, Effect, Layer, Option, Result, Tracer } from "effect"
import {
  Headers,
  HttpIncomingMessage,
  HttpRouter,
  type HttpServerRequest,
  HttpServerResponse,
  HttpTraceContext
} from "effect/http"
import { AppConfig } from "../AppConfig.ts"
import { RateLimits } from "../access/RateLimits.ts"
import { recognise } from "./EverydayCalls.ts"
import { makeGuard, preflightHeaders } from "./Guards.ts"
import { makeSdkBridge, type ProtocolHeaders } from "./SdkBridge.ts"
import { type ToolCall, ToolCalls } from "./ToolCalls.ts"
import { isJsonObject } from "./ToolList.ts"

/** Largest request body, in bytes. */
export const largestBody = 1024 * 1024
const bodyLimit = ByteSize.bytes(largestBody)

/** JSON-RPC errors that the transport itself answers with; those of the -320xx range are the server's own. */
const codes = { parse: -32700, invalidRequest: -32600, internal: -32603, server: -32000 } as const

type HeadersOut = Readonly<Record<string, string>>

const rpcError = (status: number, code: number, message: string, headers: HeadersOut, id: unknown = null) =>
  HttpServerResponse.text(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id }), {
    status,
    headers,
    contentType: "application/json"
  })

/** Whether the client reads event streams and nothing else. */
const wantsEvents = (accept: string | undefined): boolean =>
  accept !== undefined &&
  accept.includes("text/event-stream") &&
  !accept.includes("application/json") &&
  !accept.includes("*/*") &&
  !accept.includes("application/*")

/** An answer in the form that the client reads. */
const answered = (json: string, headers: HeadersOut, events: boolean) =>
  events
    ? HttpServerResponse.text(`event: message\ndata: ${json}\n\n`, {
        headers: { ...headers, "cache-control": "no-cache, no-transform" },
        contentType: "text/event-stream"
      })
    : HttpServerResponse.text(json, { headers, contentType: "application/json" })

/** The id to answer under, where the message has one that may be echoed. */
const idOf = (body: unknown): unknown => {
  const id = isJsonObject(body) ? body.id : null
  return typeof id === "string" || typeof id === "number" ? id : null
}

const isToolCall = (body: unknown): boolean => {
  const calls = (message: unknown) => isJsonObject(message) && message.method === "tools/call"
  return Array.isArray(body) ? body.length > 0 && body.every(calls) : calls(body)
}

/** The caller's span: from the message's `_meta.traceparent`, else from the header, unless a span `here` stems from it already. */
const parentOf = (body: unknown, headers: Headers.Headers, here: boolean): Tracer.AnySpan | undefined => {
  const meta = isJsonObject(body) && isJsonObject(body.params) ? body.params._meta : undefined
  const traceparent = isJsonObject(meta) ? meta.traceparent : undefined
  if (typeof traceparent === "string") {
    const span = Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromRecordUnsafe({ traceparent })))
    if (span !== undefined) return span
  }
  if (headers.traceparent === undefined || here) return undefined
  return Option.getOrUndefined(HttpTraceContext.w3c(headers))
}

/** The body as text: at most `largestBody` bytes, whatever `Content-Length` says. */
const bodyText = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<{ readonly text: string } | "too_large" | "unreadable"> => {
  const declared = request.headers["content-length"]
  if (Number(declared ?? 0) > largestBody) return Effect.succeed("too_large")
  // Node reads no more than was declared, so only a body of undeclared length has to be watched.
  const text =
    declared === undefined
      ? Effect.provideService(request.text, HttpIncomingMessage.MaxBodySize, bodyLimit)
      : request.text
  return Effect.match(text, {
    onSuccess: (text) => ({ text }),
    onFailure: ({ reason }) =>
      reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? "too_large" : "unreadable"
  })
}

const parsed = (text: string): Result.Result<unknown, unknown> => Result.try((): unknown => JSON.parse(text))

const make = (options: { readonly everyday: boolean }) =>
  Effect.gen(function* () {
    const settings = yield* AppConfig
    const limits = yield* RateLimits
    const tools = yield* ToolCalls
    const guard = makeGuard(settings)
    const log = Effect.runForkWith(yield* Effect.context<never>())
    const bridge = yield* Effect.acquireRelease(
      Effect.sync(() => makeSdkBridge((error) => log(Effect.logDebug("The MCP SDK refused a message", error)))),
      (bridge) => Effect.promise(() => bridge.close())
    )

    const throughSdk = Effect.fnUntraced(function* (
      body: unknown,
      headers: Headers.Headers,
      cors: HeadersOut,
      caller: Pick<ToolCall, "address" | "apiKey" | "parent">
    ) {
      const run = Effect.runPromiseWith(yield* Effect.context<never>())
      const protocol: ProtocolHeaders = {
        protocolVersion: headers["mcp-protocol-version"],
        method: headers["mcp-method"],
        name: headers["mcp-name"]
      }
      const response = yield* Effect.promise((signal) =>
        bridge.serve(
          protocol,
          { body, call: (name, input, signal) => run(tools.call({ ...caller, name, arguments: input }), { signal }) },
          signal
        )
      )
      if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
        return HttpServerResponse.setHeaders(HttpServerResponse.fromWeb(response), cors)
      }
      const json = yield* Effect.promise(() => response.text())
      if (json === "")
        return HttpServerResponse.empty({ status: response.status, headers: { ...cors, "content-length": "0" } })
      if (response.status === 200) return answered(json, cors, wantsEvents(headers.accept))
      return HttpServerResponse.text(json, { status: response.status, headers: cors, contentType: "application/json" })
    })

    const post = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, cors: HeadersOut) {
      const { headers } = request
      if (!isJsonContentType(headers["content-type"])) {
        return rpcError(415, codes.server, "Content-Type must be application/json", cors)
      }
      const read = yield* bodyText(request)
      if (read === "too_large")
        return rpcError(413, codes.server, `The body must not exceed ${largestBody} bytes`, cors)
      if (read === "unreadable") return rpcError(400, codes.parse, "Parse error: the body could not be read", cors)
      const json = parsed(read.text)
      if (Result.isFailure(json)) return rpcError(400, codes.parse, "Parse error: the body is not valid JSON", cors)
      const body = json.success

      const address = limits.addressOf(Option.getOrUndefined(request.remoteAddress), headers["x-forwarded-for"])
      if (!isToolCall(body)) {
        const taken = yield* Effect.result(limits.takeForAddress(address))
        if (Result.isFailure(taken)) {
          const seconds = String(taken.failure.retry_after_seconds)
          const message = `Too many requests: wait ${seconds} s`
          return rpcError(429, codes.server, message, { ...cors, "retry-after": seconds }, idOf(body))
        }
      }
      const here = headers.traceparent !== undefined && Option.isSome(yield* Effect.serviceOption(Tracer.ParentSpan))
      const caller = { address, apiKey: headers["x-api-key"], parent: parentOf(body, headers, here) }
      const everyday = options.everyday ? recognise(body, headers) : undefined
      if (everyday === undefined) return yield* throughSdk(body, headers, cors, caller)
      const answer = yield* everyday.answer((name, input) => tools.call({ ...caller, name, arguments: input }))
      return answered(answer, cors, wantsEvents(headers.accept))
    })

    const handle = (request: HttpServerRequest.HttpServerRequest) => {
      const verdict = guard(request.headers)
      if (!verdict.allowed) return Effect.succeed(rpcError(403, codes.server, verdict.why, {}))
      if (request.method === "OPTIONS") {
        const headers = preflightHeaders(request.headers["access-control-request-headers"])
        return Effect.succeed(HttpServerResponse.empty({ status: 204, headers: { ...verdict.headers, ...headers } }))
      }
      if (request.method !== "POST") {
        const headers = { ...verdict.headers, allow: "POST, OPTIONS" }
        return Effect.succeed(rpcError(405, codes.server, "Method not allowed: /mcp takes POST", headers))
      }
      return Effect.catchCause(post(request, verdict.headers), (cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.as(
              Effect.logError("A request to /mcp failed", cause),
              rpcError(500, codes.internal, "Internal error", verdict.headers)
            )
      )
    }

    return HttpRouter.add("*", "/mcp", handle)
  })

/** Adds `/mcp` to the router. */
export const McpEndpoint = {
  layer: Layer.unwrap(make({ everyday: true })),
  /** Every message through the SDK: what the direct way is measured against, byte by byte. */
  layerSdkOnly: Layer.unwrap(make({ everyday: false }))
}
