/** What hosts and attackers send to `/mcp` of the service as it runs: restarts, secrets, nasty JSON. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { tools } from "../../src/surfaces/mcp/tools/ToolList.ts"
import {
  callTool,
  json,
  legacy,
  modern,
  problemOf,
  resultOf,
  rpcOf,
  send,
  toolErrorOf
} from "../support/McpRequests.ts"
import { recordingServer, type RecordingServer } from "../support/RecordingServer.ts"
import { type Service, startService } from "../support/Service.ts"

class World extends Context.Service<
  World,
  { readonly service: Service; readonly url: string; readonly traces: RecordingServer }
>()("test/World") {
  static readonly layer = Layer.effect(
    World,
    Effect.gen(function* () {
      const traces = yield* recordingServer
      traces.answer({ status: 200, body: {} })
      const service = yield* startService({
        LOG_LEVEL: "Trace",
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${traces.port}`
      })
      return World.of({ service, traces, url: `${service.baseUrl}/mcp` })
    })
  )
}

const Issued = Schema.fromJsonString(Schema.Struct({ key_id: Schema.String, secret: Schema.String }))

const issue = Effect.fnUntraced(function* (service: Service, label: string) {
  const made = yield* service.playroom("key", "create", label, "--scopes", "bookings:read,bookings:write", "--json")
  assert.strictEqual(made.code, 0, made.stderr)
  return Schema.decodeUnknownSync(Issued)(made.stdout)
})

const Page = Schema.Struct({ playrooms: Schema.Array(Schema.Struct({ playroom_id: Schema.String })) })
const Options = Schema.Struct({
  options: Schema.Array(Schema.Struct({ option_id: Schema.String, places_left: Schema.optionalKey(Schema.Int) }))
})

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** Some day's options of some playroom that has any. */
const someOptions = Effect.fnUntraced(function* (url: string) {
  const { structuredContent } = resultOf(yield* callTool(url, "search_playrooms", { date: inDays(14), children: 4 }))
  const playroom_id = Schema.decodeUnknownSync(Page)(structuredContent).playrooms[0]?.playroom_id ?? ""
  const query = { playroom_id, date: inDays(14), children: 4, limit: 100 }
  const found = Effect.map(callTool(url, "get_booking_options", query), (answer) =>
    Schema.decodeUnknownSync(Options)(resultOf(answer).structuredContent)
  )
  const { options } = yield* found
  return { query, found, option_id: options[0]?.option_id ?? assert.fail("no options") }
})

layer(World.layer, { excludeTestServices: true })("the endpoint of a running service", (it) => {
  it.effect("answers the next call of either era after a restart as if nothing had happened", () =>
    Effect.gen(function* () {
      const { service, url } = yield* World
      const clientInfo = { name: "test", version: "1" }
      yield* legacy(url, "initialize", { protocolVersion: "2025-11-25", clientInfo, capabilities: {} })
      const search = { name: "search_playrooms", arguments: { limit: 3 } }
      const before = [yield* legacy(url, "tools/call", search), yield* modern(url, "tools/call", search)]
      assert.strictEqual(yield* service.stop("SIGTERM"), 0)
      yield* service.start
      const session = { "mcp-session-id": "from-before", "mcp-protocol-version": "2025-11-25" }
      const after = [yield* legacy(url, "tools/call", search, session), yield* modern(url, "tools/call", search)]
      assert.deepStrictEqual(
        after.map(({ text }) => text),
        before.map(({ text }) => text)
      )
      assert.isDefined(resultOf(after[0] ?? assert.fail()).structuredContent)
    })
  )

  it.effect("never shows a key: not in an answer, not in its logs, not in the traces that it exports", () =>
    Effect.gen(function* () {
      const { service, traces, url } = yield* World
      const issued = yield* issue(service, "secretive")
      const wrong = `playroom_key_${"w".repeat(43)}`
      const secrets = [issued.secret, service.apiKey, wrong]
      const { option_id } = yield* someOptions(url)
      const texts: Array<string> = []
      for (const secret of secrets) {
        const key = { "x-api-key": secret }
        const contact = { name: "Ana Lima", email: `ana${texts.length}@example.com` }
        const asked = [
          callTool(url, "search_playrooms", {}, key),
          callTool(url, "create_booking", { option_id, contact }, key),
          callTool(url, "create_booking", { option_id, contact, nonsense: 1 }, key),
          callTool(url, "get_booking", { reference: "K7M2-9QXD" }, key),
          callTool(url, "create_payment_session", { booking_id: "nonsense" }, key),
          modern(url, "tools/call", { name: "get_booking", arguments: { reference: "K7M2-9QXD" } }, key),
          modern(url, "tools/call", { name: "no_such_tool", arguments: {} }, key),
          legacy(url, "no/such/method", {}, key),
          send(url, { headers: { ...json, ...key }, body: "{" }),
          send(url, { method: "GET", headers: key }),
          send(`${service.baseUrl}/nowhere`, { method: "GET", headers: key })
        ]
        for (const ask of asked) texts.push((yield* ask).text)
        // A key is read from its header alone, so nobody gets used to writing it into addresses.
        const inAddress = yield* callTool(`${url}?x-api-key=none&api_key=none`, "get_booking", {
          reference: "K7M2-9QXD"
        })
        assert.strictEqual(toolErrorOf(inAddress).code, "api_key_missing")
      }
      // Exports come in batches; a stop sends the last one.
      yield* service.stop("SIGTERM")
      yield* service.start
      const exported = traces.requests.map(({ body, path }) => `${path} ${body}`).join("\n")
      assert.include(exported, "mcp get_booking")
      // In the settings' format, with the exporter beside it.
      assert.include(service.output(), '"message":"tool call"')
      assert.include(service.output(), issued.key_id)
      for (const [where, text] of Object.entries({ answers: texts.join("\n"), logs: service.output(), exported })) {
        for (const secret of secrets) {
          assert.notInclude(text, secret, where)
          // Nor a part of it, or its digest.
          assert.notInclude(text, secret.slice(0, 24), where)
        }
        assert.notInclude(text.toLowerCase(), "x-api-key: ", where)
      }
    })
  )

  it.effect("answers nasty JSON with a clear error, never with a 500, a crash, or a stored row", () =>
    Effect.gen(function* () {
      const { service, url } = yield* World
      const key = { "x-api-key": service.apiKey }
      const { found, option_id } = yield* someOptions(url)
      const before = yield* found
      const seen = service.output().length
      const deep = `${"[".repeat(60_000)}${"]".repeat(60_000)}`
      const deepObject = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`
      const contact = '"contact":{"name":"Ana","email":"nasty@example.com"}'
      const argumentsOf: ReadonlyArray<string> = [
        deep,
        deepObject,
        `{"query":${deep}}`,
        '{"__proto__":{"limit":1},"constructor":{"prototype":{}}}',
        '{"query":"\\u0000","city":"\\ud800","limit":1e400}',
        '{"playroom_id":"\\udfff"}',
        '{"playroom_id":"playroom_\\u0000"}',
        `{"playroom_id":${"9".repeat(5000)},"date":-1e308,"children":1e999}`,
        `{"option_id":"${option_id}",${contact},"notes":"a\\u0000b"}`,
        `{"option_id":"${option_id}",${contact},"notes":"\\ud83d"}`,
        `{"option_id":"${option_id}",${contact},"__proto__":{"notes":"x"}}`,
        `{"option_id":"${option_id}","contact":{"name":"A\\u0000","email":"nasty@example.com"}}`,
        `{"option_id":"${option_id}","contact":{"name":"Ana","email":"nasty@example.com","__proto__":{"admin":true}}}`,
        `{"option_id":"${option_id}",${contact},"child_ages":[1e999]}`,
        `{"option_id":"${option_id}",${contact},"child_ages":[9007199254740993]}`,
        `{"option_id":"${option_id}",${contact},"idempotency_key":"\\u0000"}`,
        `{"option_id":"option_${"A".repeat(100_000)}",${contact}}`,
        '{"booking_id":"booking_01h40000000000000000000000","reference":"K7M2-9QXD"}',
        '{"reference":"\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000"}',
        '{"booking_id":{"toString":1}}'
      ]
      for (const { name: tool } of tools) {
        for (const input of argumentsOf) {
          const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${input}}}`
          const answer = yield* send(url, { headers: { ...json, ...key }, body })
          const about = `${tool} ${input.slice(0, 100)} ${answer.text.slice(0, 300)}`
          // What is nested too deeply is refused before it is read as a call.
          const tooDeep = /(\[|\{"a":){32}/.test(input)
          if (tooDeep || !input.startsWith("{")) {
            assert.isBelow(answer.status, 500, about)
            if (tooDeep) assert.strictEqual(problemOf(answer).code, "bad_request", about)
            else assert.strictEqual(rpcOf(answer).error?.code, -32_602, about)
            continue
          }
          assert.strictEqual(answer.status, 200, about)
          assert.strictEqual(toolErrorOf(answer).code, "invalid_arguments", about)
        }
      }
      for (const body of [
        deep,
        deepObject,
        '{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
        `{"jsonrpc":"2.0","id":1,"method":"${"m".repeat(100_000)}"}`,
        '{"jsonrpc":"2.0","id":{"__proto__":1},"method":"tools/list"}',
        '{"jsonrpc":"2.0","id":"\\ud800\\u0000","method":"tools/list"}',
        '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"constructor"}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\u0000\\ud800"}}',
        Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])
      ]) {
        const answer = yield* send(url, { headers: { ...json, ...key }, body })
        assert.isBelow(answer.status, 500, answer.text.slice(0, 300))
        assert.notMatch(answer.text, /_tag|node_modules|at \w+ \(/)
      }
      assert.strictEqual((yield* send(`${service.baseUrl}/readyz`, { method: "GET" })).status, 200)
      assert.deepStrictEqual(yield* found, before)
      assert.notMatch(service.output().slice(seen), /"level":"(ERROR|FATAL)"|internal_error/)
    })
  )
})
