import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { Headers } from "effect/http"
import { makeFastPath } from "../../../../src/surfaces/mcp/transport/SdkBridge.ts"
import { isJsonObject } from "../../../../src/surfaces/mcp/transport/JsonRpc.ts"
import { listedTools } from "../../../../src/surfaces/mcp/tools/ToolList.ts"
import { McpEndpoint } from "../../../../src/surfaces/mcp/transport/McpEndpoint.ts"
import { envelope, json, modernVersion, send } from "../../../support/McpRequests.ts"
import {
  bookingId,
  brokenPlayroomId,
  databaseAwayPlayroomId,
  listen,
  makeSlow,
  missingPlayroomId,
  playroomId,
  standInCalls
} from "../../../support/StandInTools.ts"

const option = { option_id: "option_abc", contact: { name: "Ana", email: "ana@example.com" } }

const calls: ReadonlyArray<readonly [string, unknown]> = [
  ["search_playrooms", {}],
  ["search_playrooms", undefined],
  ["search_playrooms", { query: 5, nope: 1 }],
  ["search_playrooms", JSON.parse('{"__proto__":1,"query":"\\u0000","city":"\\ud800"}')],
  ["search_playrooms", { city: "", date: null, cursor: "", amenities: null, near: null }],
  ["get_playroom", { playroom_id: "" }],
  ["search_playrooms", { amenities: Array.from({ length: 5000 }, () => "") }],
  ["search_playrooms", { amenities: Array.from({ length: 20 }, () => ({})), near: { deep: [[[[[[[[[[]]]]]]]]]] } }],
  ["get_booking_options", { add_ons: Array.from({ length: 5000 }, () => ({})) }],
  ["get_playroom", Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`k${i}`, [[]]]))],
  ["get_playroom", { playroom_id: "x".repeat(50_000) }],
  ["get_playroom", { playroom_id: playroomId }],
  ["get_playroom", { playroom_id: missingPlayroomId }],
  ["get_playroom", { playroom_id: brokenPlayroomId }],
  ["get_playroom", { playroom_id: databaseAwayPlayroomId }],
  ["get_booking_options", { playroom_id: playroomId, date: "2026-12-05", children: 8 }],
  ["create_booking", option],
  ["get_booking", { booking_id: bookingId, reference: "" }],
  ["get_booking", { booking_id: null, reference: null }],
  ["create_payment_session", { booking_id: bookingId }]
]

const many = (count: number, entry: unknown): ReadonlyArray<unknown> => Array.from({ length: count }, () => entry)

const odd: ReadonlyArray<unknown> = [
  { jsonrpc: "2.0", id: "i".repeat(300), method: "tools/call", params: { name: "search_playrooms" } },
  { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: many(5000, {}) } },
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search_playrooms", arguments: many(5000, {}) } },
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_playroom", _meta: { a: many(500, [1, 2]) } } },
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_playroom", arguments: {}, more: many(500, 1) } },
  many(21, { jsonrpc: "2.0", id: 1, method: "tools/list" }),
  many(9, { jsonrpc: "2.0", id: 1, method: "tools/list" }),
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "nope", arguments: {} } },
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search_playrooms", arguments: [] } },
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search_playrooms", arguments: "x" } },
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search_playrooms", arguments: null } },
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search_playrooms", task: { ttl: 1 } } },
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: {} },
  { jsonrpc: "2.0", id: 1, method: "tools/call" },
  { jsonrpc: "2.0", id: null, method: "tools/call", params: { name: "search_playrooms" } },
  { jsonrpc: "2.0", id: 1.5, method: "tools/list" },
  { jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor: "x" } },
  { jsonrpc: "2.0", id: 1, method: "tools/list", params: [] },
  { jsonrpc: "2.0", id: 1, method: "tools/list", extra: 1 },
  { jsonrpc: "1.0", id: 1, method: "tools/list" },
  { jsonrpc: "2.0", method: "tools/call", params: { name: "search_playrooms" } },
  [{ jsonrpc: "2.0", id: 1, method: "tools/list" }]
]

const withMeta = (message: unknown, meta: object): unknown => {
  if (typeof message !== "object" || message === null || !("params" in message)) return message
  return typeof message.params === "object" && message.params !== null && !Array.isArray(message.params)
    ? { ...message, params: { ...message.params, _meta: meta } }
    : message
}

const Named = Schema.Struct({ method: Schema.String, params: Schema.Struct({ name: Schema.String }) })

/** What the headers of the 2026 era repeat of a message. */
const namesOf = (message: unknown) => {
  const named = Schema.decodeUnknownOption(Named)(message)
  return Option.match(named, {
    onNone: () => ({ method: isJsonObject(message) ? String(message.method) : "tools/call", name: "x" }),
    onSome: ({ method, params }) => ({ method, name: params.name })
  })
}

const metas: ReadonlyArray<object> = [
  envelope(),
  envelope({ progressToken: 7, traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" }),
  envelope({ "io.modelcontextprotocol/clientInfo": { name: "test", version: "1", title: "T" } }),
  envelope({ "io.modelcontextprotocol/clientInfo": { name: "test" } }),
  envelope({ "io.modelcontextprotocol/clientInfo": { name: "test", version: "1", websiteUrl: "https://x.example" } }),
  envelope({ "io.modelcontextprotocol/clientCapabilities": { elicitation: {}, roots: {} } }),
  envelope({
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} }, roots: { listChanged: true } }
  }),
  envelope({ "io.modelcontextprotocol/clientCapabilities": { elicitation: true } }),
  envelope({ "io.modelcontextprotocol/clientCapabilities": [] }),
  envelope({ "io.modelcontextprotocol/protocolVersion": "2099-01-01" }),
  envelope({ "io.modelcontextprotocol/protocolVersion": 3 }),
  envelope({ progressToken: {} }),
  envelope({ other: 1 }),
  envelope({
    "openai/locale": "de-DE",
    "openai/userAgent": "x",
    "openai/userLocation": { city: "Leeds", country: "GB", latitude: "53.8" },
    "openai/": null
  }),
  { "openai/userLocation": ["Leeds"], "openai/subject": 5 },
  {}
]

const ids: ReadonlyArray<unknown> = [0, -1, -0, 9_007_199_254_740_991, "", 'a"b', "\ud800", "é"]

// Durations and trace ids differ from run to run; nothing else may.
const comparable = (text: string) => text.replaceAll(/[0-9a-f]{32}/g, "<trace>")

it.live(
  "calls on the fast path get the same bytes as through the SDK, whichever way they are written",
  () =>
    Effect.gen(function* () {
      const slow = yield* makeSlow
      const calls_ = Layer.provide(standInCalls(slow))
      const direct = yield* listen(McpEndpoint.layer.pipe(calls_))
      const throughSdk = yield* listen(McpEndpoint.layerSdkOnly.pipe(calls_))

      const pairs: Array<Effect.Effect<void>> = []
      const compare = (message: unknown, headers: Record<string, string>) =>
        Effect.gen(function* () {
          const options = { headers: { ...json, "x-api-key": "all-scopes", ...headers }, body: JSON.stringify(message) }
          const [one, other] = yield* Effect.all([send(direct, options), send(throughSdk, options)])
          assert.strictEqual(one.status, other.status, options.body)
          assert.strictEqual(comparable(one.text), comparable(other.text), JSON.stringify(options))
          assert.strictEqual(one.headers["content-type"], other.headers["content-type"], options.body)
        })

      const same = (message: unknown, headers: Record<string, string>) => pairs.push(compare(message, headers))

      const call = (name: string, input: unknown, id: unknown = 1) => ({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name, ...(input === undefined ? {} : { arguments: input }) }
      })
      const messages = [
        ...calls.map(([name, input]) => call(name, input)),
        ...ids.map((id) => call("search_playrooms", {}, id)),
        { jsonrpc: "2.0", id: 1, method: "tools/list" },
        { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
        ...odd
      ]
      for (const message of messages) {
        for (const headers of [
          {},
          { "mcp-protocol-version": "2025-06-18" },
          { "mcp-protocol-version": "2024-10-07" },
          { "mcp-protocol-version": "nonsense" },
          { "mcp-protocol-version": modernVersion },
          { accept: "text/event-stream", "mcp-session-id": "stray" },
          { "x-api-key": "nonsense" }
        ]) {
          same(message, headers)
        }
        same(withMeta(message, { progressToken: "p" }), {})
        const { method, name } = namesOf(message)
        const headers = { "mcp-protocol-version": modernVersion, "mcp-method": method, "mcp-name": name }
        same(withMeta(message, envelope()), headers)
        same(withMeta(message, envelope()), { "mcp-protocol-version": modernVersion })
        same(withMeta(message, envelope()), {
          ...headers,
          "mcp-name": `=?base64?${Buffer.from(name).toString("base64")}?=`
        })
        same(withMeta(message, envelope()), { ...headers, "mcp-name": "other" })
        same(withMeta(message, envelope()), { ...headers, "mcp-method": "ping" })
        same(withMeta(message, envelope()), { ...headers, "mcp-protocol-version": "2025-11-25" })
      }
      for (const meta of metas) {
        const headers = {
          "mcp-protocol-version": modernVersion,
          "mcp-method": "tools/call",
          "mcp-name": "search_playrooms"
        }
        same(withMeta(call("search_playrooms", {}), meta), headers)
        same(
          { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: meta } },
          { ...headers, "mcp-method": "tools/list" }
        )
        same(withMeta(call("search_playrooms", {}), meta), {})
      }
      assert.isAbove(pairs.length, 400)
      yield* Effect.all(pairs, { concurrency: 8, discard: true })
    }),
  120_000
)

it("answers plain messages of both eras on the fast path, so that the comparison above compares two ways", () => {
  const fastAnswer = makeFastPath(listedTools)
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search_playrooms", arguments: {} } }
  const modern = { ...message, params: { ...message.params, _meta: envelope() } }
  const headers = { "mcp-protocol-version": modernVersion, "mcp-method": "tools/call", "mcp-name": "search_playrooms" }
  assert.isDefined(fastAnswer(message, Headers.empty))
  assert.isDefined(fastAnswer(modern, Headers.fromInput(headers)))
  assert.isDefined(fastAnswer({ jsonrpc: "2.0", id: 1, method: "tools/list" }, Headers.empty))
  assert.isUndefined(fastAnswer(modern, Headers.empty))
  assert.isUndefined(fastAnswer(message, Headers.fromInput({ "mcp-protocol-version": modernVersion })))
})
