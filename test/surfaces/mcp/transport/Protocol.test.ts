import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../../../src/surfaces/web/Api.ts"
import { maxMessages } from "../../../../src/surfaces/mcp/transport/JsonRpc.ts"
import { McpEndpoint } from "../../../../src/surfaces/mcp/transport/McpEndpoint.ts"
import { bodyLimits } from "../../../../src/surfaces/http/Bodies.ts"
import { listedTools } from "../../../../src/surfaces/mcp/tools/ToolList.ts"
import {
  type Answer,
  callTool,
  envelope,
  json,
  legacy,
  modern,
  modernVersion,
  resultOf,
  problemOf,
  rpcOf,
  send
} from "../../../support/McpRequests.ts"
import { listen, makeSlow, standInCalls } from "../../../support/StandInTools.ts"

const start = Effect.flatMap(makeSlow, (slow) => listen(McpEndpoint.layer.pipe(Layer.provide(standInCalls(slow)))))

const client = { clientInfo: { name: "test", version: "1" }, capabilities: {} }

it.live("server/discover tells versions, tools, instructions and who answers; lists may be cached by anyone", () =>
  Effect.gen(function* () {
    const url = yield* start
    const { result } = rpcOf(yield* modern(url, "server/discover"))
    assert.deepStrictEqual(result?.supportedVersions, [modernVersion])
    assert.deepStrictEqual(result?.capabilities, { tools: { listChanged: false }, resources: { listChanged: false } })
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
      assert.deepStrictEqual(result?.capabilities, { tools: { listChanged: false }, resources: { listChanged: false } })
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
      Effect.map(send(url, { headers, body }), (answer) => {
        assert.notMatch(answer.text, /_tag|node_modules|at \w+ \(/)
        return [answer.status, problemOf(answer).code]
      })
    const notJson = [415, "content_type_unsupported"]
    assert.deepStrictEqual(yield* refused({ "content-type": "text/plain" }, "{}"), notJson)
    assert.deepStrictEqual(yield* refused({}, "{}"), notJson)
    for (const body of ["{", "", new Uint8Array([0xff, 0xfe, 0x00]), "[".repeat(1000)])
      assert.deepStrictEqual(yield* refused(json, body), [400, "bad_request"], String(body))
    for (const body of ["[]", "3", "null", '"x"', "{}", '{"id":{},"method":"ping"}', "[1]"])
      assert.deepStrictEqual(yield* refused(json, body), [400, "bad_request"], body)
    // What names a request is answered under its id, though it is none.
    for (const body of ['{"jsonrpc":"2.0","id":1}', '{"id":1,"method":"ping"}']) {
      const answer = yield* send(url, { headers: json, body })
      const { error, id } = rpcOf(answer)
      assert.deepStrictEqual([answer.status, error?.code, id], [400, -32_600, 1], body)
    }
  })
)

it.live(
  "no refusal is an error without an id, which a host waits for in vain: it names its request or is a problem",
  () =>
    Effect.gen(function* () {
      const url = yield* start
      const body = (id: unknown, more: object = {}) =>
        JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list", ...more })
      const wide = { params: Object.fromEntries(many(5000, 1).map((one, i) => [`k${i}`, one])) }
      const old = { "mcp-protocol-version": "1999-01-01" }
      const text = { "content-type": "text/plain" }
      const foreign = { host: "evil.example" }
      for (const [headers, method, sent] of [
        [json, "POST", body("a", wide)],
        [json, "POST", body(undefined, wide)],
        [json, "POST", body(["a"], wide)],
        [{ ...json, ...old }, "POST", body("a")],
        [{ ...json, ...old }, "POST", body(undefined)],
        [{ ...json, "mcp-protocol-version": modernVersion }, "POST", body("a")],
        [json, "POST", body("a", { method: "no/such" })],
        [json, "POST", body("a", { jsonrpc: "1.0" })],
        [json, "POST", body("a", { method: 3 })],
        [json, "POST", body("i".repeat(1000))],
        [json, "POST", "x".repeat(200_000)],
        [{ ...json, ...foreign }, "POST", body("a")],
        [{ ...json, origin: "https://evil.example" }, "POST", body("a")],
        [text, "POST", body("a")],
        [json, "PUT", body("a")]
      ] as const) {
        const answer = yield* send(url, { method, headers, body: sent })
        const about = `${answer.status} ${answer.text} for ${sent.slice(0, 100)}`
        if (answer.headers["content-type"] === "application/problem+json") {
          assert.isAtLeast(answer.status, 400, about)
          assert.notStrictEqual(problemOf(answer).detail, "", about)
        } else if (answer.text !== "") assert.strictEqual(rpcOf(answer).id, "a", about)
      }
    })
)

it.live("a body over 128 KiB is refused with 413, declared or chunked, and one just under it is read", () =>
  Effect.gen(function* () {
    const url = yield* start
    const padded = (length: number) => {
      const message = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
      return message + " ".repeat(length - message.length)
    }
    assert.strictEqual((yield* send(url, { headers: json, body: padded(bodyLimits.mcp) })).status, 200)
    assert.strictEqual((yield* send(url, { headers: json, body: padded(bodyLimits.mcp + 1) })).status, 413)
    const chunked = { ...json, "transfer-encoding": "chunked" }
    assert.strictEqual((yield* send(url, { headers: chunked, body: padded(bodyLimits.mcp + 1) })).status, 413)
  })
)

it("the bounds of a message stand in the OpenAPI document", () => {
  const told = JSON.stringify(OpenApi.fromApi(Api).paths)
  assert.include(told, `at most ${bodyLimits.mcp / 1024} KiB`)
  assert.include(told, `at most ${maxMessages} messages`)
})

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

it.live("an unknown tool is told those that there are, and who does what none of them does, in both eras", () =>
  Effect.gen(function* () {
    const url = yield* start
    for (const era of [legacy, modern]) {
      for (const name of ["cancel_booking", "update_booking", "find_booking", "x".repeat(200)]) {
        const { error } = rpcOf(yield* era(url, "tools/call", { name, arguments: {} }))
        const said = error?.message ?? ""
        assert.include(said, `Unknown tool: ${name.slice(0, 40)}`)
        for (const tool of listedTools) assert.include(said, tool.name)
        assert.match(
          said,
          /A booking is found by get_booking, and changed or cancelled at its page_url or by the playroom\.$/
        )
      }
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
      // It has one page.
      assert.strictEqual(rpcOf(yield* era(url, "tools/list", { cursor: "x" })).error?.code, -32_602)
    }
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

const many = (count: number, entry: unknown): ReadonlyArray<unknown> => Array.from({ length: count }, () => entry)
const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`)

/** What is in the answer that must not be: a validator's list, a stack, more than a sentence. */
const assertPlain = (text: string, what: string) => {
  assert.isBelow(text.length, 1100, what)
  assert.notMatch(text, /invalid_type|RangeError|call stack|node_modules|\bat \w+ \(|\[\\n/, what)
}

it.live("what a message is over its budget by is told in a sentence, whichever method and era it has", () =>
  Effect.gen(function* () {
    const logged: Array<unknown> = []
    const slow = yield* makeSlow
    const url = yield* listen(McpEndpoint.layer.pipe(Layer.provide(standInCalls(slow))), [
      Logger.make(({ logLevel, message }) => (logLevel === "Debug" ? undefined : logged.push(message)))
    ])
    const refused = (answer: Answer, what: string) => {
      assert.strictEqual(answer.status, 400, what)
      assertPlain(answer.text, what)
      // What is nested deeper is not parsed at all, so its id is not known.
      if (answer.headers["content-type"] === "application/problem+json") {
        assert.match(problemOf(answer).detail, /: send at most/, what)
        return
      }
      const { error } = rpcOf(answer)
      assert.strictEqual(error?.code, -32_600, what)
      assert.match(String(error?.message), /: send at most/, what)
    }
    const info = (icons: unknown) => ({ name: "test", version: "1", icons })
    const initialize = { protocolVersion: "2025-11-25", ...client }
    for (const [what, method, params] of [
      ["icons", "initialize", { ...initialize, clientInfo: info(many(5000, {})) }],
      ["depth", "initialize", { ...initialize, capabilities: { experimental: nested(2000) } }],
      ["depth", "tools/list", { _meta: { a: nested(1250) } }],
      ["fields", "ping", Object.fromEntries(many(5000, 1).map((one, i) => [`k${i}`, one]))],
      ["values", "ping", { _meta: many(90, many(90, 1)) }],
      [
        "fields beside arguments",
        "tools/call",
        { name: "search_playrooms", arguments: {}, _meta: { a: many(5000, 1) } }
      ]
    ] as const) {
      refused(yield* legacy(url, method, params), `${method} ${what}`)
    }
    for (const [what, method, params] of [
      ["icons", "tools/list", { _meta: envelope({ "io.modelcontextprotocol/clientInfo": info(many(5000, {})) }) }],
      [
        "capabilities",
        "tools/list",
        { _meta: envelope({ "io.modelcontextprotocol/clientCapabilities": { experimental: nested(1250) } }) }
      ],
      ["subscriptions", "subscriptions/listen", { notifications: { resourceSubscriptions: many(5000, 1) } }]
    ] as const) {
      refused(yield* modern(url, method, params), `${method} ${what}`)
    }
    const id = "i".repeat(100_000)
    const answer = yield* send(url, {
      headers: json,
      body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list" })
    })
    assert.match(problemOf(answer).detail, /: use a shorter/)
    assert.deepStrictEqual(logged, [])
  })
)

it.live("B3: an optional member that is null is absent, at every level of a message", () =>
  Effect.gen(function* () {
    const url = yield* start
    const post = (body: object, headers = json) =>
      send(url, { headers, body: JSON.stringify({ jsonrpc: "2.0", ...body }) })
    assert.strictEqual((yield* post({ method: "notifications/initialized", params: null })).status, 202)
    const clientInfo = { name: "a", version: "1", title: null }
    const same: ReadonlyArray<readonly [string, unknown, unknown]> = [
      ["tools/list", null, undefined],
      ["tools/list", { cursor: null }, undefined],
      ["tools/list", { cursor: "" }, undefined],
      ["tools/list", { _meta: null, cursor: "null" }, undefined],
      ["tools/list", { _meta: { progressToken: null } }, undefined],
      [
        "initialize",
        { protocolVersion: "2025-06-18", capabilities: { roots: null, sampling: null }, clientInfo },
        { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a", version: "1" } }
      ],
      ...[null, "", "null", "{}"].map(
        (input) => ["tools/call", { name: "search_playrooms", arguments: input }, { name: "search_playrooms" }] as const
      )
    ]
    for (const [method, params, meant] of same) {
      const answer = yield* post({ id: 1, method, params })
      assert.property(rpcOf(answer), "result", JSON.stringify(params))
      assert.strictEqual(answer.text, (yield* post({ id: 1, method, params: meant })).text, JSON.stringify(params))
    }
    // A list keeps its length, and an id stays what it is.
    assert.strictEqual((yield* post({ id: null, method: "tools/list" })).status, 400)
  })
)

it.live("what the SDK's validators refuse is -32602 and one sentence, under the request's id", () =>
  Effect.gen(function* () {
    const url = yield* start
    const calls: ReadonlyArray<readonly [string, unknown]> = [
      ["tools/list", { cursor: 3 }],
      ["initialize", {}],
      ["initialize", undefined],
      ["initialize", { protocolVersion: 3, ...client }],
      [
        "initialize",
        { protocolVersion: "2025-11-25", ...client, clientInfo: { name: "a", version: "1", icons: many(99, {}) } }
      ],
      [
        "initialize",
        { protocolVersion: "2025-11-25", ...client, capabilities: { [`${"k".repeat(5000)}`]: 1, roots: 1 } }
      ],
      ["tools/call", undefined],
      ["tools/call", {}],
      ["tools/call", { name: 3 }],
      ["tools/call", { name: "search_playrooms", arguments: [] }],
      ["tools/call", { name: "search_playrooms", arguments: many(5000, {}) }],
      ["tools/call", { name: "search_playrooms", arguments: [nested(1500)] }],
      ["tools/call", { name: "search_playrooms", arguments: "x" }],
      ["tools/call", { name: "search_playrooms", arguments: 3 }]
    ]
    for (const [method, params] of calls) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: "one", method, params })
      const answer = yield* send(url, { headers: json, body })
      const { error, id } = rpcOf(answer)
      assert.deepStrictEqual([answer.status, error?.code, id], [200, -32_602, "one"], body)
      assert.notProperty(error, "data")
      assert.match(String(error?.message), /^Invalid params: [\w.]+: expected \w+, received \w+( \(and \d+ more\))?$/)
      assertPlain(answer.text, body)
    }
    for (const params of [{ cursor: 3 }, { name: "search_playrooms", arguments: [] }]) {
      const answer = yield* modern(url, "cursor" in params ? "tools/list" : "tools/call", params)
      assert.strictEqual(rpcOf(answer).error?.code, -32_602)
      assertPlain(answer.text, JSON.stringify(params))
    }
  })
)

it.live("names that a header or an envelope repeats at length are cut in the answer", () =>
  Effect.gen(function* () {
    const url = yield* start
    const long = "n".repeat(5000)
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
    for (const answer of [
      yield* modern(url, "tools/list", {}, { "mcp-method": long }),
      yield* modern(url, "tools/call", { name: long }, { "mcp-name": "search_playrooms" }),
      yield* modern(
        url,
        "tools/list",
        { _meta: envelope({ "io.modelcontextprotocol/protocolVersion": long }) },
        { "mcp-protocol-version": long }
      ),
      yield* send(url, { headers: { ...json, "mcp-protocol-version": long }, body }),
      yield* legacy(url, "tools/call", { name: long }),
      yield* legacy(url, long)
    ]) {
      assert.isDefined(rpcOf(answer).error)
      assertPlain(answer.text, answer.text)
    }
  })
)
