/** What the model of each host reads of our failures: code, fix and details, whichever way the host reads an answer. */

import { assert, it } from "@effect/vitest"
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect, Layer, Schema } from "effect"
import { SqlError } from "effect/sql"
import { OptionInvalid, PriceChanged } from "../../../../src/domain/availability/BookingOption.ts"
import { SlotUnavailable } from "../../../../src/domain/availability/OptionPage.ts"
import {
  AlreadyBooked,
  BookingCancelled,
  BookingNotFound,
  HoldExpired,
  IdempotencyConflict,
  KeepsChanging,
  NothingDue,
  TooManyHolds,
  TooManyLookups
} from "../../../../src/domain/booking/Booking.ts"
import { OperatorUnavailable, PackageNotFound, PlayroomNotFound } from "../../../../src/domain/catalogue/Playroom.ts"
import { ProviderUnavailable } from "../../../../src/domain/payment/provider/PaymentGateway.ts"
import {
  ApiKeyInvalid,
  ApiKeyMissing,
  ApiKeyScope,
  ApiKeysDiffer,
  RateLimited
} from "../../../../src/platform/access/ApiKeys.ts"
import { InvalidArguments } from "../../../../src/platform/errors/InvalidArguments.ts"
import { OperatorId } from "../../../../src/platform/ids/Ids.ts"
import { money } from "../../../../src/platform/money/Money.ts"
import { refusalOf } from "../../../../src/surfaces/http/Problem.ts"
import { CallTimedOut, type ToolFailure, VenueAsked, ToolOutcome } from "../../../../src/surfaces/mcp/tools/McpTool.ts"
import { ToolCalls } from "../../../../src/surfaces/mcp/tools/ToolCalls.ts"
import { internalError, renderFailure } from "../../../../src/surfaces/mcp/tools/ToolErrors.ts"
import { describedTools, tools } from "../../../../src/surfaces/mcp/tools/ToolList.ts"
import { isJsonObject } from "../../../../src/surfaces/mcp/transport/JsonRpc.ts"
import { McpEndpoint } from "../../../../src/surfaces/mcp/transport/McpEndpoint.ts"
import { json, send } from "../../../support/McpRequests.ts"
import {
  bookingId,
  listen,
  makeSlow,
  option,
  optionPage,
  packageId,
  playroomId,
  standInCalls
} from "../../../support/StandInTools.ts"

// What hosts give to their model of a failed call: how each reads the result of a tool, and the response to a request
// that was refused. Written after runs of these versions beside this server on 2026-11-28: which parts reach the model
// is as seen there, the words around them are ours. The clients of the SDK are not here, since tests use them as they
// are.

/** A tool's result as the protocol has it. */
export interface CallToolResult {
  readonly content: ReadonlyArray<{ readonly type: string; readonly text?: string | undefined }>
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
}

/** A response with an error status to the request of an id. */
export interface RefusedRequest {
  readonly status: number
  readonly contentType: string
  readonly body: string
  readonly id: string | number
}

/** Nothing is told before the host's own time-out, which is minutes. */
export const waits = "(waits)"

interface Reading {
  /** The name and version on npm, or of the program. */
  readonly host: string
  /** What the model reads of a failed call. */
  readonly result: (result: CallToolResult) => string
  /**
   * What the model, or who runs the host, reads of a refused request. Absent: nothing of it, whatever the server says.
   */
  readonly refused?: (refused: RefusedRequest) => string
}

const texts = ({ content }: CallToolResult): string => content.map(({ text }) => text ?? "").join("\n")
const whole = (result: CallToolResult): string => JSON.stringify(result)
/** As the transports of the SDK put it, which most hosts hand on. */
const posting = ({ body, status }: RefusedRequest): string => `Error POSTing to endpoint (HTTP ${status}): ${body}`

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The message of a JSON-RPC error under the request's id; undefined for any other body. */
const messageUnderId = ({ body, id }: RefusedRequest): string | undefined => {
  const message = parsed(body)
  return isJsonObject(message) && message.id === id && isJsonObject(message.error)
    ? String(message.error.message)
    : undefined
}

/**
 * Codex 0.171.0: a JSON body is a message of the protocol, which goes to whom it names; one that names nobody is
 * dropped, and the call waits on. Any other body is told at once.
 */
const codex = (refused: RefusedRequest): string =>
  refused.contentType === "application/json" && isJsonObject(parsed(refused.body))
    ? (messageUnderId(refused) ?? waits)
    : posting(refused)

/** Every host that was run, with the text that it makes. What Gemini CLI does to a message before is in
 * `withStructuredText`. */
export const readings: ReadonlyArray<Reading> = [
  { host: "@modelcontextprotocol/sdk 1.32.2", result: texts, refused: posting },
  { host: "@modelcontextprotocol/client 2.4.0", result: texts, refused: posting },
  {
    host: "@ai-sdk/mcp 2.0.99",
    // No mark of an error: the text has to say so itself.
    result: texts,
    refused: (refused) => messageUnderId(refused) ?? `MCP HTTP Transport Error: POSTing to endpoint: ${refused.body}`
  },
  {
    host: "@langchain/mcp-adapters 1.1.4",
    result: (result) =>
      `Error: MCP tool 'x' on server 'y' returned an error: ${texts(result)}\n Please fix your mistakes.`,
    refused: (refused) => `${posting(refused)}\n Please fix your mistakes.`
  },
  { host: "@mastra/mcp 2.0.0", result: texts, refused: posting },
  { host: "@openai/agents 0.20.0", result: texts },
  { host: "@google/genai 3.3.0", result: (result) => JSON.stringify({ error: result }), refused: posting },
  { host: "@google/adk 2.0.0", result: whole, refused: posting },
  { host: "@strands-agents/sdk 1.19.0", result: texts, refused: posting },
  { host: "@llamaindex/tools 0.2.1", result: whole, refused: posting },
  { host: "@genkit-ai/mcp 1.42.0", result: (result) => JSON.stringify({ error: texts(result) }), refused: posting },
  {
    host: "n8n-nodes-langchain 2.41.1",
    // A first text that is no JSON hides the rest.
    result: ({ content: [first] }) => (parsed(first?.text ?? "") === undefined ? "" : (first?.text ?? "")),
    refused: posting
  },
  { host: "@anthropic-ai/sdk 1.14.0", result: texts, refused: posting },
  { host: "Claude Code 2.1.332", result: texts, refused: posting },
  { host: "Codex 0.171.0", result: texts, refused: codex },
  {
    host: "Gemini CLI 0.61.0",
    result: (result) =>
      `MCP tool 'x' reported tool error for function call: {} with response: ${JSON.stringify([
        { functionResponse: { name: "x", response: { error: result } } }
      ])}`,
    refused: posting
  },
  {
    host: "Qwen Code 0.24.4",
    result: texts,
    refused: (refused) => messageUnderId(refused) ?? posting(refused)
  },
  { host: "OpenCode 1.18.33", result: texts, refused: posting },
  { host: "Continue CLI 1.5.47", result: (result) => JSON.stringify(texts(result)), refused: posting },
  {
    host: "@modelcontextprotocol/inspector 2.12.0",
    result: (result) => `${texts(result)}\ntool_is_error`,
    refused: posting
  }
]

/**
 * What Gemini CLI 0.61.0 makes of a message before its client reads it: a first text that is JSON stands as structured
 * content, too, also in a failed call (its `packages/core/src/tools/mcp-compliance-transport.ts`).
 */
export const withStructuredText = (message: unknown): unknown => {
  if (!isJsonObject(message) || !isJsonObject(message.result)) return message
  const { content, structuredContent } = message.result
  const first: unknown = Array.isArray(content) ? content[0] : undefined
  const text = isJsonObject(first) && typeof first.text === "string" ? parsed(first.text) : undefined
  return structuredContent !== undefined || text === undefined
    ? message
    : { ...message, result: { ...message.result, structuredContent: text } }
}

const operator_id = OperatorId.make(`operator_01h4${"0".repeat(22)}`)
const contact = { email: "hello@example.com", phone: "+44 20 7946 0018" }
const lost = new SqlError.ConnectionError({ cause: new Error("inside") })

/** A failure of each kind; quotes, line breaks and other scripts among the details. */
const failures: { readonly [Tag in ToolFailure["_tag"]]: Extract<ToolFailure, { readonly _tag: Tag }> } = {
  VenueAsked: new VenueAsked({ contact, failure: new OperatorUnavailable({ operator_id }) }),
  ApiKeyMissing: new ApiKeyMissing(),
  ApiKeyInvalid: new ApiKeyInvalid(),
  ApiKeysDiffer: new ApiKeysDiffer(),
  ApiKeyScope: new ApiKeyScope({ scope: "bookings:write" }),
  RateLimited: new RateLimited({ per: "key", retry_after_seconds: 7 }),
  InvalidArguments: new InvalidArguments({
    issues: [{ path: "child_ages[2]", message: 'Expected "3",\nnot “drei” 三' }]
  }),
  PlayroomNotFound: new PlayroomNotFound({ playroom_id: playroomId }),
  PackageNotFound: new PackageNotFound({ package_id: packageId }),
  BookingNotFound: new BookingNotFound(),
  TooManyLookups: new TooManyLookups({ retry_after_seconds: 7 }),
  AlreadyBooked: new AlreadyBooked(),
  OptionInvalid: new OptionInvalid({ reason: "malformed" }),
  PriceChanged: new PriceChanged({ option, changed: ["price", "terms"] }),
  SlotUnavailable: new SlotUnavailable({ reason: "fully_booked", nearest: optionPage, booked_before: false }),
  HoldExpired: new HoldExpired({ booking_id: bookingId }),
  BookingCancelled: new BookingCancelled({ booking_id: bookingId }),
  NothingDue: new NothingDue({ booking_id: bookingId, why: "it is paid.", paid: money(24_000, "GBP") }),
  OperatorUnavailable: new OperatorUnavailable({ operator_id }),
  IdempotencyConflict: new IdempotencyConflict(),
  TooManyHolds: new TooManyHolds({ per: "email", limit: 2 }),
  KeepsChanging: new KeepsChanging(),
  CallTimedOut: new CallTimedOut(),
  ProviderUnavailable: new ProviderUnavailable({ operation: "createSession", kind: "key_refused", reason: "key" }),
  SqlError: new SqlError.SqlError({ reason: lost })
}
const errors = [...Object.values(failures).map(renderFailure), internalError("0af7651916cd43dd8448eb211c80319c")]

const names = tools.map(({ name }) => name)

/** The codes of the published interface, 2.7. */
const codes = [
  "already_booked",
  "api_key_invalid",
  "api_key_missing",
  "api_key_scope",
  "booking_cancelled",
  "booking_not_found",
  "hold_expired",
  "idempotency_conflict",
  "internal_error",
  "invalid_arguments",
  "nothing_due",
  "operator_unavailable",
  "option_invalid",
  "package_not_found",
  "payment_provider_unavailable",
  "playroom_not_found",
  "price_changed",
  "rate_limited",
  "service_unavailable",
  "slot_unavailable",
  "too_many_holds"
]

/** A server whose every call fails, in turn with each error; and which error is next. */
const failing = Effect.gen(function* () {
  let next = 0
  const stand = Layer.merge(
    standInCalls(yield* makeSlow),
    Layer.succeed(ToolCalls, {
      call: () => Effect.sync(() => new ToolOutcome(true, { error: errors[next++ % errors.length] }))
    })
  )
  return yield* listen(McpEndpoint.layer.pipe(Layer.provide(stand)))
})

interface Session {
  readonly list: () => Promise<unknown>
  readonly call: (name: string) => Promise<unknown>
  readonly close: () => Promise<void>
}

const info = { name: "test-host", version: "1.0.0" }

const v1 =
  (options: ConstructorParameters<typeof TransportV1>[1] = {}) =>
  async (url: string): Promise<Session> => {
    const client = new ClientV1(info)
    // The SDK's own transport does not fit its own interface under exactOptionalPropertyTypes.
    await Reflect.apply(client.connect, client, [new TransportV1(new URL(url), options)])
    return {
      // It knows the output schemas from its list, and checks answers by them.
      list: () => client.listTools(),
      call: (name) => client.callTool({ name, arguments: {} }),
      close: () => client.close()
    }
  }

const v2 =
  (mode: "legacy" | "auto" | { readonly pin: string }) =>
  async (url: string): Promise<Session> => {
    const client = new ClientV2(info, { versionNegotiation: { mode } })
    await client.connect(new TransportV2(new URL(url)))
    return {
      list: () => client.listTools(),
      call: (name) => client.callTool({ name, arguments: {} }),
      close: () => client.close()
    }
  }

/** Gemini CLI 0.61.0 puts its own transport before SDK v1. */
const gemini = v1({
  fetch: async (url, init) => {
    const response = await fetch(url, init)
    if (response.headers.get("content-type") !== "application/json") return response
    return Response.json(withStructuredText(await response.json()), { status: response.status })
  }
})

const clients = {
  "SDK v1 1.32.2": v1(),
  "SDK v1 1.32.2 under Gemini CLI 0.61.0": gemini,
  "SDK v2 2.4.0, old era": v2("legacy"),
  "SDK v2 2.4.0, auto": v2("auto"),
  "SDK v2 2.4.0, pinned to 2026-07-28": v2({ pin: "2026-07-28" })
} as const

const open = (connect: (url: string) => Promise<Session>, url: string) =>
  Effect.acquireRelease(
    Effect.promise(() => connect(url)),
    (session) => Effect.promise(() => session.close())
  )

const decodeResult = Schema.decodeUnknownSync(
  Schema.Struct({
    content: Schema.Array(Schema.Struct({ type: Schema.String, text: Schema.optionalKey(Schema.String) })),
    structuredContent: Schema.optionalKey(Schema.Unknown),
    isError: Schema.optionalKey(Schema.Boolean)
  })
)

/** A text without the escapes of JSON in JSON. */
const unescaped = (text: string): string => text.replaceAll("\\", "")

for (const [client, connect] of Object.entries(clients)) {
  it.live(`each host on ${client} gives its model code, fix and details of every failure, of every tool`, () =>
    Effect.gen(function* () {
      const session = yield* open(connect, yield* failing)
      yield* Effect.promise(() => session.list())
      for (const name of names) {
        for (const error of errors) {
          const result: CallToolResult = decodeResult(yield* Effect.promise(() => session.call(name)))
          assert.strictEqual(result.isError, true, `${name} ${error.code}`)
          const wanted = unescaped(JSON.stringify({ error }))
          for (const { host, result: read } of readings)
            assert.include(unescaped(read(result)), wanted, `${host} ${name} ${error.code}`)
        }
      }
    }).pipe(Effect.scoped)
  )
}

it("plays every code of the published interface, from every kind of failure", () => {
  assert.deepStrictEqual([...new Set(errors.map(({ code }) => code))].sort(), codes)
})

it.live("a host that checks an error's text by the schema loses it where the schema says what is always there", () =>
  Effect.gen(function* () {
    const url = yield* failing
    const session = yield* open(
      v1({
        fetch: async (address, init) => {
          const response = await fetch(address, init)
          if (response.headers.get("content-type") !== "application/json") return response
          const message: unknown = await response.json()
          const lists = isJsonObject(message) && isJsonObject(message.result) && "tools" in message.result
          return Response.json(withStructuredText(lists ? { ...message, result: { tools: describedTools } } : message))
        }
      }),
      url
    )
    yield* Effect.promise(() => session.list())
    for (const name of names) {
      const told = yield* Effect.flip(Effect.tryPromise(() => session.call(name)))
      assert.match(String(told.cause), /-32602: Structured content does not match/)
    }
  }).pipe(Effect.scoped)
)

it.live("every host tells at once of a refused request, with what to do", () =>
  Effect.gen(function* () {
    const slow = yield* makeSlow
    const limited = standInCalls(slow, { rateLimits: { perAddress: 1, perKey: 1 } })
    const url = yield* listen(McpEndpoint.layer.pipe(Layer.provide(limited)))
    const id = "one"
    const list = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list" })
    const free = standInCalls(slow)
    const other = yield* listen(McpEndpoint.layer.pipe(Layer.provide(free)))
    const refused: Array<readonly [RefusedRequest, RegExp]> = []
    const post = (to: string, said: RegExp, headers: Readonly<Record<string, string>> = {}, body = list) =>
      Effect.map(send(to, { headers: { ...json, ...headers }, body }), (answer) => {
        assert.isAtLeast(answer.status, 400, answer.text)
        const contentType = String(answer.headers["content-type"])
        refused.push([{ status: answer.status, contentType, body: answer.text, id }, said])
      })
    yield* send(url, { headers: json, body: list })
    yield* post(url, /Too many requests: wait \d+ s/)
    yield* post(url, /Too many requests: wait \d+ s/, {}, "[]")
    yield* post(other, /The Host header names no host/, { host: "evil.example" })
    yield* post(other, /Content-Type must be application\/json/, { "content-type": "text/plain" })
    yield* post(other, /must not exceed 131072 bytes/, {}, " ".repeat(200_000))
    yield* post(other, /not valid JSON/, {}, "{")
    yield* post(
      other,
      /Batches exist in protocol version 2025-03-26 only/,
      { "mcp-protocol-version": "2025-11-25" },
      "[]"
    )
    yield* post(
      other,
      /send at most 100/,
      {},
      JSON.stringify({ ...JSON.parse(list), params: { a: Array(200).fill(1) } })
    )
    for (const why of ["share", "crowded", "overload"] as const) {
      const { body, headers, status } = refusalOf(
        why,
        { headers: { accept: "text/html" }, url: "/mcp" },
        () => undefined
      )
      const answer = { status, contentType: String(headers["content-type"]), body: String(body), id }
      refused.push([answer, /[Tt]ry again in 2 seconds/])
    }
    for (const [answer, said] of refused) {
      for (const { host, refused: read } of readings) {
        // OpenAI Agents tells nothing of a refused request but "Please try again."
        if (read === undefined) continue
        const told = read(answer)
        assert.notStrictEqual(told, waits, `${host}: ${answer.body}`)
        assert.match(unescaped(told), said, host)
      }
    }
    const nameless = {
      status: 429,
      contentType: "application/json",
      body: '{"jsonrpc":"2.0","id":null,"error":{}}',
      id
    }
    assert.strictEqual(readings.find(({ host }) => host === "Codex 0.171.0")?.refused?.(nameless), waits)
  }).pipe(Effect.scoped)
)

for (const [client, connect] of Object.entries(clients)) {
  it.live(`${client} tells at once that there were too many requests, and how long to wait`, () =>
    Effect.gen(function* () {
      const limits = { perAddress: 6, perKey: 6 }
      const stand = standInCalls(yield* makeSlow, { rateLimits: limits })
      const session = yield* open(connect, yield* listen(McpEndpoint.layer.pipe(Layer.provide(stand))))
      const told: Array<string> = []
      for (let i = 0; i < 12; i++) {
        // No list is asked for again that the client has, and a call that reaches a tool is refused by that.
        const failed = yield* Effect.flip(Effect.tryPromise(() => session.call("no_such_tool")))
        told.push(String(failed.cause))
      }
      assert.isAbove(told.filter((text) => /Too many requests: wait \d+ s/.test(text)).length, 3, told.join("\n"))
      for (const text of told) assert.match(text, /Too many requests|Unknown tool/)
    }).pipe(Effect.scoped)
  )
}
