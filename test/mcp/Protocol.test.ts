import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { McpEndpoint } from "../../src/mcp/McpEndpoint.ts"
import { listedTools } from "../../src/mcp/ToolList.ts"
import {
  callTool,
  envelope,
  json,
  legacy,
  modern,
  modernVersion,
  resultOf,
  rpcOf,
  send
} from "../support/McpRequests.ts"
import { listen, makeSlow, standInCalls } from "../support/StandInTools.ts"

const start = Effect.flatMap(makeSlow, (slow) => listen(McpEndpoint.layer.pipe(Layer.provide(standInCalls(slow)))))

const client = { clientInfo: { name: "test", version: "1" }, capabilities: {} }

it.live("server/discover tells versions, tools, instructions and who answers; lists may be cached by anyone", () =>
  Effect.gen(function* () {
    const url = yield* start
    const { result } = rpcOf(yield* modern(url, "server/discover"))
    assert.deepStrictEqual(result?.supportedVersions, [modernVersion])
    assert.deepStrictEqual(result?.capabilities, { tools: { listChanged: false } })
    assert.include(String(result?.instructions), "search_playrooms")
    const list = rpcOf(yield* modern(url, "tools/list")).result
    for (const answer of [result, list]) {
      assert.strictEqual(answer?.resultType, "complete")
      assert.strictEqual(answer?.cacheScope, "public")
      assert.isAbove(Number(answer?.ttlMs), 0)
      assert.nestedProperty(answer, "_meta.io\\.modelcontextprotocol/serverInfo.version")
    }
  })
)

it.live("initialize echoes known versions, offers a known one for others, and never the 2026 one", () =>
  Effect.gen(function* () {
    const url = yield* start
    for (const [asked, given] of [
      ["2025-11-25", "2025-11-25"],
      ["2025-06-18", "2025-06-18"],
      ["2025-03-26", "2025-03-26"],
      ["1999-01-01", "2025-11-25"],
      [modernVersion, "2025-11-25"]
    ] as const) {
      const answer = yield* legacy(url, "initialize", { protocolVersion: asked, ...client })
      assert.strictEqual(answer.status, 200)
      assert.notProperty(answer.headers, "mcp-session-id")
      const { result } = rpcOf(answer)
      assert.strictEqual(result?.protocolVersion, given)
      assert.deepStrictEqual(result?.capabilities, { tools: { listChanged: false } })
    }
  })
)

it.live("a bare tools/call works, a stray session id is ignored, and another node answers the next call", () =>
  Effect.gen(function* () {
    const [one, other] = [yield* start, yield* start]
    yield* legacy(one, "initialize", { protocolVersion: "2025-11-25", ...client })
    for (const url of [one, other]) {
      const answer = yield* callTool(url, "search_playrooms", {}, { "mcp-session-id": "gone" })
      assert.strictEqual(answer.status, 200)
      assert.isDefined(resultOf(answer).structuredContent)
    }
    assert.deepStrictEqual(rpcOf(yield* legacy(one, "ping")).result, {})
  })
)

it.live("the 2026 envelope is checked: missing parts, disagreeing headers, unknown versions and methods", () =>
  Effect.gen(function* () {
    const url = yield* start
    const told = (answer: { readonly status: number; readonly text: string }) => [
      answer.status,
      JSON.parse(answer.text).error?.code
    ]
    const bare = { ...json, "mcp-protocol-version": modernVersion, "mcp-method": "tools/list" }
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" }
    assert.deepStrictEqual(told(yield* send(url, { headers: bare, body: JSON.stringify(list) })), [400, -32_602])
    assert.deepStrictEqual(told(yield* modern(url, "tools/list", {}, { "mcp-method": "tools/call" })), [400, -32_020])
    assert.deepStrictEqual(
      told(yield* modern(url, "tools/call", { name: "search_playrooms" }, { "mcp-name": "get_booking" })),
      [400, -32_020]
    )
    const future = envelope({ "io.modelcontextprotocol/protocolVersion": "2099-01-01" })
    const refused = yield* modern(url, "tools/list", { _meta: future }, { "mcp-protocol-version": "2099-01-01" })
    assert.deepStrictEqual(told(refused), [400, -32_022])
    assert.include(refused.text, modernVersion)
    assert.deepStrictEqual(told(yield* modern(url, "prompts/list")), [404, -32_601])
    const encoded = { "mcp-name": `=?base64?${Buffer.from("search_playrooms").toString("base64")}?=` }
    const called = yield* modern(url, "tools/call", { name: "search_playrooms" }, encoded)
    assert.isDefined(resultOf(called).structuredContent)
  })
)

it.live("GET and DELETE are answered 405 with Allow; notifications 202 and nothing", () =>
  Effect.gen(function* () {
    const url = yield* start
    for (const method of ["GET", "DELETE", "PUT"]) {
      const answer = yield* send(url, { method, headers: { accept: "text/event-stream" } })
      assert.strictEqual(answer.status, 405)
      assert.include(String(answer.headers.allow), "POST")
    }
    for (const headers of [json, { ...json, "mcp-protocol-version": "2025-11-25" }]) {
      const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })
      const answer = yield* send(url, { headers, body })
      assert.deepStrictEqual([answer.status, answer.text], [202, ""])
    }
  })
)

it.live("bodies that are no message are told so, in the order: type, size, JSON, envelope", () =>
  Effect.gen(function* () {
    const url = yield* start
    const refused = (headers: Record<string, string>, body: string | Uint8Array) =>
      Effect.map(send(url, { headers, body }), ({ status, text }) => {
        assert.notMatch(text, /_tag|node_modules|at \w+ \(/)
        return [status, JSON.parse(text).error?.code]
      })
    assert.deepStrictEqual(yield* refused({ "content-type": "text/plain" }, "{}"), [415, -32_000])
    assert.deepStrictEqual(yield* refused({}, "{}"), [415, -32_000])
    assert.deepStrictEqual(yield* refused(json, "{"), [400, -32_700])
    assert.deepStrictEqual(yield* refused(json, ""), [400, -32_700])
    assert.deepStrictEqual(yield* refused(json, new Uint8Array([0xff, 0xfe, 0x00])), [400, -32_700])
    for (const body of [
      "[]",
      "3",
      "null",
      '"x"',
      "{}",
      '{"jsonrpc":"2.0","id":1}',
      '{"id":1,"method":"ping"}',
      "[1]"
    ]) {
      assert.deepStrictEqual(yield* refused(json, body), [400, -32_600], body)
    }
    assert.deepStrictEqual(yield* refused(json, "[".repeat(200_000)), [400, -32_700])
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_playrooms","arguments":{"query":${"[".repeat(200_000)}${"]".repeat(200_000)}}}}`
    const answer = yield* send(url, { headers: json, body: deep })
    assert.strictEqual(answer.status, 200)
    assert.isTrue(resultOf(answer).isError)
  })
)

it.live("a body over 1 MiB is refused with 413, declared or chunked, and one just under it is read", () =>
  Effect.gen(function* () {
    const url = yield* start
    const padded = (length: number) => {
      const message = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
      return message + " ".repeat(length - message.length)
    }
    assert.strictEqual((yield* send(url, { headers: json, body: padded(1024 * 1024) })).status, 200)
    assert.strictEqual((yield* send(url, { headers: json, body: padded(1024 * 1024 + 1) })).status, 413)
    const chunked = { ...json, "transfer-encoding": "chunked" }
    assert.strictEqual((yield* send(url, { headers: chunked, body: padded(1024 * 1024 + 1) })).status, 413)
  })
)

it.live("the answer is JSON unless event streams alone are accepted", () =>
  Effect.gen(function* () {
    const url = yield* start
    for (const era of [legacy, modern]) {
      for (const accept of [
        undefined,
        "*/*",
        "application/json",
        "application/json, text/event-stream",
        "text/event-stream, */*"
      ]) {
        const answer = yield* era(
          url,
          "tools/call",
          { name: "search_playrooms" },
          accept === undefined ? {} : { accept }
        )
        assert.strictEqual(answer.headers["content-type"], "application/json", accept)
      }
      const answer = yield* era(url, "tools/list", {}, { accept: "text/event-stream" })
      assert.strictEqual(answer.headers["content-type"], "text/event-stream")
      assert.match(answer.text, /^event: message\ndata: \{.*\}\n\n$/)
    }
  })
)

it.live("an unknown tool is a protocol error under the request's own id", () =>
  Effect.gen(function* () {
    const url = yield* start
    for (const id of ["seven", 7]) {
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "drop_tables", arguments: {} }
      })
      const answer = rpcOf(yield* send(url, { headers: json, body }))
      assert.strictEqual(answer.error?.code, -32_602)
      assert.strictEqual(answer.id, id)
    }
  })
)

it.live("the list is the same bytes with a key, without one, and with a bad one", () =>
  Effect.gen(function* () {
    const url = yield* start
    for (const era of [legacy, modern]) {
      const texts = new Set<string>()
      for (const headers of [{}, { "x-api-key": "all-scopes" }, { "x-api-key": "nonsense" }]) {
        texts.add((yield* era(url, "tools/list", {}, headers)).text)
      }
      assert.strictEqual(texts.size, 1)
      assert.deepStrictEqual(JSON.parse([...texts][0] ?? "").result.tools, JSON.parse(JSON.stringify(listedTools)))
    }
  })
)

it.live("a batch of the 2025 era is answered one by one", () =>
  Effect.gen(function* () {
    const url = yield* start
    const call = (id: number, input: object) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "search_playrooms", arguments: input }
    })
    const answer = yield* send(url, { headers: json, body: JSON.stringify([call(1, {}), call(2, { nope: 1 })]) })
    const answers: ReadonlyArray<{ id: number; result: { isError?: boolean } }> = JSON.parse(answer.text)
    assert.deepStrictEqual(
      answers.map(({ id, result }) => [id, result.isError]),
      [
        [1, undefined],
        [2, true]
      ]
    )
  })
)

it.live("a subscription ends at once, since the tools never change: nothing is kept open", () =>
  Effect.gen(function* () {
    const url = yield* start
    const subscribe = modern(url, "subscriptions/listen", { notifications: { toolsListChanged: true } })
    const answers = yield* Effect.all(
      Array.from({ length: 120 }, () => subscribe),
      { concurrency: "unbounded" }
    ).pipe(Effect.timeout("5 seconds"))
    for (const { status, text } of answers) {
      assert.strictEqual(status, 200)
      assert.include(text, '"notifications":{}')
    }
  })
)
