/**
 * `/mcp`, and `/mcp/connect` behind a sign-in: guards, body limit and the transport's HTTP rules. Messages within their
 * limits go to the fast path if it can answer them, otherwise to the SDK.
 */
import { isJsonContentType } from "@modelcontextprotocol/server"
import { type Cause, Effect, Layer, Option, Result, type Tracer } from "effect"
import { Headers, HttpRouter, type HttpServerRequest, HttpServerResponse, HttpTraceContext } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { isHostOf, toolsPath } from "../../../domain/oauth/OAuthExchange.ts"
import { Authentication, type Caller, credentialHeaders } from "../../../platform/access/Authentication.ts"
import { RateLimits } from "../../../platform/access/RateLimits.ts"
import { AppConfig, type Settings } from "../../../platform/config/AppConfig.ts"
import { isLoopback } from "../../../platform/text/Text.ts"
import { bodyLimits, readText } from "../../http/Bodies.ts"
import { ApiKeySecurity, AssistantsApi, CurrentCaller, mcp, mcpMethods } from "../../http/McpApi.ts"
import { problemMediaType } from "../../http/Problem.ts"
import { refusing } from "../../http/ResponseRules.ts"
import { type ToolCall, ToolCalls } from "../tools/ToolCalls.ts"
import { connectTools, type ListedTool, listedTools } from "../tools/ToolList.ts"
import { type Admitted, makeConnectAccess } from "./ConnectAccess.ts"
import { messageAsMeant } from "./HostForms.ts"
import { makeFastPath, answerOfSdk, type Exchange, makeSdkBridge, type ProtocolHeaders } from "./SdkBridge.ts"
import {
  answerBatch,
  batchFault,
  codes,
  depthExcess,
  excessOf,
  idOf,
  isJsonObject,
  refusal,
  type Reply,
  textOf,
  metaOf,
  ProcessorTime,
  tooManyRequests,
  localeOf,
  placeOf
} from "./JsonRpc.ts"

// Which hosts and origins may reach `/mcp`. Prevents DNS rebinding and calls by foreign web pages. Requests without
// `Origin` do not come from a browser and pass.

type HeadersIn = Readonly<Record<string, string | undefined>>

/** The guard's verdict on a request: response headers, or the reason of the refusal. */
type Verdict =
  | { readonly allowed: true; readonly headers: Readonly<Record<string, string>> }
  | { readonly allowed: false; readonly why: string }

const loopbackNames = new Set(["localhost", "127.0.0.1", "[::1]"])

// The headers that browser clients send. Other mcp-* headers are allowed if a preflight asks for them.
const requestHeaders = [
  "accept",
  "content-type",
  ...credentialHeaders.map((name) => name.toLowerCase()),
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
  "mcp-session-id",
  "last-event-id",
  "traceparent",
  "tracestate"
]

const noHeaders: Readonly<Record<string, string>> = {}

/** The CORS headers for an allowed origin. */
const corsHeaders = (origin: string, exposed: string): Readonly<Record<string, string>> => ({
  "access-control-allow-origin": origin,
  "access-control-expose-headers": exposed,
  vary: "origin"
})

/** The headers of the response to a preflight (204). */
const preflightHeaders = (asked: string | undefined): Readonly<Record<string, string>> => {
  const extra = (asked ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => /^mcp-[a-z0-9-]{1,60}$/.test(name) && !requestHeaders.includes(name))
    .slice(0, 20)
  return {
    allow: mcpMethods,
    "access-control-allow-methods": mcpMethods,
    "access-control-allow-headers": [...requestHeaders, ...extra].join(", "),
    "access-control-max-age": "7200"
  }
}

/**
 * Makes the guard for these settings. `exposed` lists the response headers that pages may read. `allowedHosts` entries
 * without a port match any port. If the listener is on loopback, pages of any local port pass, since tools like the
 * Inspector run there. Programs on the desktop name `null`, `file://` or a scheme of their own: a public https service
 * answers them, since a page gains nothing by such a name where every credential is a header that it has to hold.
 */
export const makeGuard = (
  settings: Pick<Settings, "allowedHosts" | "allowedOrigins" | "baseUrl" | "host">,
  exposed = "mcp-protocol-version, retry-after"
): ((headers: HeadersIn) => Verdict) => {
  const hosts = settings.allowedHosts.map((host) => host.toLowerCase())
  const origins = new Set(settings.allowedOrigins)
  const local = isLoopback(settings.host)
  const isPublic = settings.baseUrl.startsWith("https:") && !local

  const originAllowed = (origin: string): boolean => {
    if (origins.has(origin)) return true
    if (isPublic && !/^https?:/i.test(origin)) return true
    const url = local ? URL.parse(origin) : null
    return url !== null && url.origin === origin && loopbackNames.has(url.hostname)
  }

  return (headers) => {
    const { host, origin } = headers
    if (host === undefined || !isHostOf(hosts, host))
      return {
        allowed: false,
        why: "The Host header names no host of this service: who runs it can add it to ALLOWED_HOSTS"
      }
    if (origin === undefined) return { allowed: true, headers: noHeaders }
    if (!originAllowed(origin))
      return { allowed: false, why: "The Origin is not allowed: who runs this service can add it to ALLOWED_ORIGINS" }
    return { allowed: true, headers: corsHeaders(origin, exposed) }
  }
}

type Request = HttpServerRequest.HttpServerRequest
type HeadersOut = Readonly<Record<string, string>>

const jsonRanges: ReadonlySet<string> = new Set(["application/json", "application/*", "*/*"])

/**
 * Whether an answer is an event stream: only for a client that accepts these and no JSON. Weights are not read: a
 * client that accepts both gets JSON, and so does one that names neither.
 */
export const wantsEvents = (accept = ""): boolean => {
  const ranges = accept.split(",").map((range) => range.split(";", 1)[0]?.trim().toLowerCase() ?? "")
  return ranges.includes("text/event-stream") && !ranges.some((range) => jsonRanges.has(range))
}

/** The HTTP response for a reply, as JSON or event stream. */
const responseFor = (reply: Reply, cors: HeadersOut, request: Headers.Headers) => {
  const { headers, json, problem, status, stream } = reply
  if (stream !== undefined) return HttpServerResponse.setHeaders(HttpServerResponse.fromWeb(stream), cors)
  const all = headers === undefined ? cors : { ...cors, ...headers }
  if (problem !== undefined)
    return HttpServerResponse.text(problem, { status, headers: all, contentType: problemMediaType })
  if (json === "") return HttpServerResponse.empty({ status, headers: { ...all, "content-length": "0" } })
  if (status === 200 && wantsEvents(request.accept)) {
    return HttpServerResponse.text(`event: message\ndata: ${textOf(reply)}\n\n`, {
      headers: { ...all, "cache-control": "no-cache, no-transform" },
      contentType: "text/event-stream"
    })
  }
  const options = { status, headers: all, contentType: "application/json" }
  return typeof json === "string"
    ? HttpServerResponse.text(json, options)
    : HttpServerResponse.uint8Array(json, options)
}

const isToolCall = (message: unknown): boolean => isJsonObject(message) && message.method === "tools/call"

/** The caller's span, from the message's `_meta.traceparent` or from the header. */
const spanOf = (body: unknown, headers: Headers.Headers): Tracer.AnySpan | undefined => {
  const traceparent = metaOf(body)?.traceparent
  if (typeof traceparent === "string") {
    const span = Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromRecordUnsafe({ traceparent })))
    if (span !== undefined) return span
  }
  return Option.getOrUndefined(HttpTraceContext.w3c(headers))
}

const parsed = (text: string): Result.Result<unknown, unknown> => Result.try((): unknown => JSON.parse(text))

interface Options {
  readonly fastPath: boolean
  readonly path: `/${string}`
  /** What `tools/list` answers. */
  readonly tools: ReadonlyArray<ListedTool>
  /** Response headers that pages of other origins may read. */
  readonly exposed?: string
}

const make = (options: Options) =>
  Effect.gen(function* () {
    const settings = yield* AppConfig
    const tools = yield* ToolCalls
    const spent = yield* ProcessorTime
    const guard = makeGuard(settings, options.exposed)
    const log = Effect.runForkWith(yield* Effect.context<never>())
    const bridge = yield* Effect.acquireRelease(
      Effect.sync(() =>
        makeSdkBridge(options.tools, (error) => log(Effect.logDebug("The MCP SDK refused a message", error)))
      ),
      (bridge) => Effect.promise(() => bridge.close())
    )

    const fastPath = options.fastPath ? makeFastPath(options.tools) : () => undefined

    const throughSdk = Effect.fnUntraced(function* (
      message: unknown,
      headers: Headers.Headers,
      from: Pick<ToolCall, "caller" | "span" | "place" | "locale">,
      onCall: () => void
    ) {
      const run = Effect.runPromiseWith(yield* Effect.context<never>())
      const protocol: ProtocolHeaders = {
        protocolVersion: headers["mcp-protocol-version"],
        method: headers["mcp-method"],
        name: headers["mcp-name"]
      }
      const call: Exchange["call"] = (name, input, signal) => {
        onCall()
        return run(tools.call({ ...from, name, arguments: input }), { signal })
      }
      const response = yield* Effect.promise((signal) => bridge.serve(protocol, { message, call }, signal))
      const { status } = response
      if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
        return { status, json: "", stream: response }
      }
      const json = yield* Effect.promise(() => response.text())
      return json === "" ? { status, json } : answerOfSdk(status, json, idOf(message))
    })

    /** Takes a rate limit token for a message that no tool charges. Returns the refusal if none is left. */
    const charge = (message: unknown, { take }: Admitted): Effect.Effect<Reply | undefined> =>
      Effect.match(take, {
        onSuccess: () => undefined,
        onFailure: (limited) => tooManyRequests(limited, idOf(message))
      })

    /**
     * Answers one message. It costs one token: a call that reaches a tool takes it there, any other message takes it
     * here.
     */
    const answerTo = Effect.fnUntraced(function* (sent: unknown, headers: Headers.Headers, admitted: Admitted) {
      const isCall = isToolCall(sent)
      if (!isCall) {
        const refused = yield* charge(sent, admitted)
        if (refused !== undefined) return refused
      }
      const excess = excessOf(sent)
      if (excess !== undefined) {
        const refused = isCall ? yield* charge(sent, admitted) : undefined
        return refused ?? refusal(400, codes.invalidRequest, excess, idOf(sent))
      }
      const message = messageAsMeant(sent)
      const from = {
        caller: admitted.caller,
        span: spanOf(message, headers),
        place: placeOf(message),
        locale: localeOf(message)
      }
      const answer = fastPath(message, headers)
      if (answer !== undefined) {
        const json = yield* answer((name, input) => tools.call({ ...from, name, arguments: input }))
        return { status: 200, json }
      }
      let called = false
      const reply = yield* throughSdk(message, headers, from, () => (called = true))
      if (!isCall || called) return reply
      return (yield* charge(message, admitted)) ?? reply
    })

    const answerAll = (body: unknown, headers: Headers.Headers, admitted: Admitted): Effect.Effect<Reply> => {
      const forbidden = admitted.forbids(body)
      if (forbidden !== undefined) return refuse(forbidden, admitted, body)
      if (!Array.isArray(body)) return answerTo(body, headers, admitted)
      const fault = batchFault(body, headers["mcp-protocol-version"])
      if (fault === undefined) return answerBatch(body, (message) => answerTo(message, headers, admitted), spent)
      return refuse(refusal(400, codes.invalidRequest, fault), admitted)
    }

    /** Refuses a whole body, which was read or was not. This costs a token, too. */
    const refuse = (reply: Reply, admitted: Admitted, body: unknown = undefined): Effect.Effect<Reply> =>
      Effect.map(charge(body, admitted), (refused) => refused ?? reply)

    /** The answer to a defect of ours. */
    const failed = (cause: Cause.Cause<never>, body: unknown = undefined): Effect.Effect<Reply> =>
      Effect.as(
        Effect.logError(`A request to ${options.path} failed`, cause),
        refusal(500, codes.internal, "Internal error", idOf(body))
      )

    const reply = Effect.fnUntraced(function* (request: Request, admit: Effect.Effect<Admitted | Reply>) {
      const { headers } = request
      const admitted = yield* admit
      if ("status" in admitted) return admitted
      if (!isJsonContentType(headers["content-type"])) {
        return yield* refuse(refusal(415, codes.server, "Content-Type must be application/json"), admitted)
      }
      const read = yield* Effect.result(readText(request, bodyLimits.mcp))
      if (Result.isFailure(read)) {
        const refused =
          read.failure._tag === "BodyTooLarge"
            ? refusal(413, codes.server, `The body must not exceed ${bodyLimits.mcp} bytes`)
            : refusal(400, codes.parse, "Parse error: the body could not be read")
        return yield* refuse(refused, admitted)
      }
      const tooDeep = depthExcess(read.success)
      if (tooDeep !== undefined) return yield* refuse(refusal(400, codes.invalidRequest, tooDeep), admitted)
      const body = parsed(read.success)
      if (Result.isFailure(body)) {
        return yield* refuse(refusal(400, codes.parse, "Parse error: the body is not valid JSON"), admitted)
      }
      return yield* Effect.catchCause(answerAll(body.success, headers, admitted), (cause) =>
        failed(cause, body.success)
      )
    })

    /** Answers hosts and origins that may call, with their headers. */
    const guarded = (
      request: Request,
      answer: (cors: HeadersOut) => Effect.Effect<HttpServerResponse.HttpServerResponse>
    ) => {
      const verdict = guard(request.headers)
      return verdict.allowed
        ? answer(verdict.headers)
        : Effect.succeed(responseFor(refusal(403, codes.server, verdict.why), {}, request.headers))
    }

    const notTaken = refusal(405, codes.server, `Method not allowed: ${options.path} takes POST`)

    return {
      /** Answers a message or a batch of who is admitted. */
      post: (request: Request, admit: Effect.Effect<Admitted | Reply>) =>
        guarded(request, (cors) =>
          Effect.map(Effect.catchCause(reply(request, admit), failed), (reply) =>
            responseFor(reply, cors, request.headers)
          )
        ),
      /** Answers a browser that asks before it calls. */
      preflight: (request: Request) =>
        guarded(request, (cors) => {
          const headers = preflightHeaders(request.headers["access-control-request-headers"])
          return Effect.succeed(HttpServerResponse.empty({ status: 204, headers: { ...cors, ...headers } }))
        }),
      /** What refuses the other methods, in words of the protocol. */
      others: HttpRouter.addAll(
        refusing(options.path, ["POST", "OPTIONS"], (request) =>
          guarded(request, (cors) =>
            Effect.succeed(responseFor(notTaken, { ...cors, allow: mcpMethods }, request.headers))
          )
        )
      )
    }
  })

/** `/mcp`, by its contract. It admits everyone: tools that need an API key check it. */
const open = (fastPath: boolean) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { takeForAddress } = yield* RateLimits
      const { others, post, preflight } = yield* make({ fastPath, path: mcp.path, tools: listedTools })
      const admit = (caller: Caller): Effect.Effect<Admitted> =>
        Effect.succeed({ caller, take: takeForAddress(caller.address), forbids: () => undefined })
      const group = HttpApiBuilder.group(AssistantsApi, "assistants", (handlers) =>
        handlers
          .handleRaw("mcp", ({ request }) => Effect.flatMap(CurrentCaller, (caller) => post(request, admit(caller))))
          .handleRaw("mcpPreflight", ({ request }) => preflight(request))
      )
      return Layer.merge(others, HttpApiBuilder.layer(AssistantsApi).pipe(Layer.provide(group)))
    })
  ).pipe(Layer.provide(ApiKeySecurity.layer))

/** `/mcp/connect`, which is found through its metadata and stands in no contract. */
const behindSignIn = Effect.gen(function* () {
  const settings = yield* AppConfig
  if (settings.connect.length === 0) return Layer.empty
  const limits = yield* RateLimits
  const admit = makeConnectAccess(settings, yield* Authentication, limits)
  const exposed = "mcp-protocol-version, retry-after, www-authenticate"
  const tools = connectTools(settings.connectSignIn)
  const { others, post, preflight } = yield* make({ fastPath: true, path: toolsPath, tools, exposed })
  return Layer.mergeAll(
    others,
    HttpRouter.add("POST", toolsPath, (request) => post(request, admit(request.headers, limits.addressOf(request)))),
    HttpRouter.add("OPTIONS", toolsPath, preflight)
  )
})

/** Adds `/mcp` (declared in `surfaces/http/McpApi.ts`) and `/mcp/connect` to the router. */
export const McpEndpoint = {
  layer: open(true),
  /** Sends every message through the SDK. Tests compare its bytes with the fast path's. */
  layerSdkOnly: open(false),
  /** The same tools behind a sign-in; nothing if `CONNECT` is not set. */
  layerConnect: Layer.unwrap(behindSignIn)
}
