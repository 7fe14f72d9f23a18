import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger, References, Schedule, Schema } from "effect"
import { Tool } from "effect/ai"
import { TestClock } from "effect/testing"
import { Authentication, callerOf, credentialsOf } from "../../../../src/platform/access/Authentication.ts"
import { McpEndpoint } from "../../../../src/surfaces/mcp/transport/McpEndpoint.ts"
import { publicTool } from "../../../../src/surfaces/mcp/tools/McpTool.ts"
import { ToolCalls } from "../../../../src/surfaces/mcp/tools/ToolCalls.ts"
import { tools, describedTools, listedTools } from "../../../../src/surfaces/mcp/tools/ToolList.ts"
import { Ajv2020 } from "ajv/dist/2020.js"
import {
  callTool,
  envelope,
  json,
  legacy,
  modern,
  resultOf,
  rpcOf,
  send,
  toolErrorOf
} from "../../../support/McpRequests.ts"
import {
  bookingId,
  brokenPlayroomId,
  databaseAwayPlayroomId,
  goodArguments,
  listen,
  makeSlow,
  missingPlayroomId,
  slowPlayroomId,
  standInCalls,
  wrongSqlPlayroomId
} from "../../../support/StandInTools.ts"

interface Line {
  readonly level: string
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
}

const start = (changes: Parameters<typeof standInCalls>[1] = {}) =>
  Effect.gen(function* () {
    const slow = yield* makeSlow
    const lines: Array<Line> = []
    const logger = Logger.make<unknown, void>(({ cause, fiber, logLevel, message }) => {
      const text = [message, cause.reasons.length > 0 ? cause.toString() : ""].flat().join(" ").trim()
      lines.push({ level: logLevel, message: text, annotations: fiber.getRef(References.CurrentLogAnnotations) })
    })
    const calls = Layer.provide(standInCalls(slow, changes))
    const url = yield* listen(McpEndpoint.layer.pipe(calls), [logger])
    const sdkUrl = yield* listen(McpEndpoint.layerSdkOnly.pipe(calls), [logger])
    return { url, sdkUrl, slow, lines }
  })

const key = { "x-api-key": "all-scopes" }

const everyCall = Object.entries(goodArguments)
const isPublic = ([tool]: (typeof everyCall)[number]) =>
  tools.some(({ name, scope }) => name === tool && scope === undefined)

it.live("success carries structured content that fits the output schema, and a text of the same JSON", () =>
  Effect.gen(function* () {
    const { url } = yield* start()
    const ajv = new Ajv2020({ strict: true, allErrors: true })
    for (const [name, input] of everyCall) {
      const result = resultOf(yield* callTool(url, name, input, key))
      assert.notProperty(result, "isError", name)
      assert.deepStrictEqual(JSON.parse(result.content[0].text), result.structuredContent)
      const tool = listedTools.find((listed) => listed.name === name)
      // The list does not say which members are always there; `/docs` does, and so does the tool itself.
      const strict = [describedTools, tools].map((all) => all.find((one) => one.name === name)?.outputSchema)
      for (const schema of [tool?.outputSchema, ...strict]) {
        const fits = ajv.compile(schema ?? false)
        assert.isTrue(fits(result.structuredContent), JSON.stringify(fits.errors))
      }
      for (const schema of strict) {
        assert.isAbove(Array.isArray(schema?.required) ? schema.required.length : 0, 0, name)
        assert.isFalse(ajv.compile(schema ?? false)({}), `${name}: nothing is no answer`)
      }
      assert.isTrue(ajv.compile(tool?.inputSchema ?? false)(input))
    }
  })
)

it.live("a failure is isError with code and fix, and no structured content", () =>
  Effect.gen(function* () {
    const { url } = yield* start()
    const answer = yield* callTool(url, "get_playroom", { playroom_id: missingPlayroomId })
    assert.strictEqual(answer.status, 200)
    assert.isTrue(resultOf(answer).isError)
    assert.notProperty(resultOf(answer), "structuredContent")
    const error = toolErrorOf(answer)
    assert.strictEqual(error.code, "playroom_not_found")
    assert.include(error.fix, "search_playrooms")
    assert.strictEqual(error.retryable, false)
  })
)

it.live(
  "public tools work without a key and with a bad one; protected ones tell apart missing, wrong and under-scoped keys",
  () =>
    Effect.gen(function* () {
      const { url } = yield* start()
      for (const headers of [{}, { "x-api-key": "nonsense" }, { "x-api-key": "" }]) {
        for (const [name, input] of everyCall.filter(isPublic)) {
          assert.isDefined(resultOf(yield* callTool(url, name, input, headers)).structuredContent, name)
        }
      }
      const told = (headers: Record<string, string>, name: string, input: object) =>
        Effect.map(callTool(url, name, input, headers), (answer) => {
          assert.strictEqual(answer.status, 200)
          assert.notProperty(answer.headers, "www-authenticate")
          assert.include(toolErrorOf(answer).message, "X-API-Key")
          return toolErrorOf(answer).code
        })
      for (const [name, input] of everyCall.filter((call) => !isPublic(call))) {
        assert.strictEqual(yield* told({}, name, input), "api_key_missing")
        // The key is looked at before the arguments: without one, there is nothing to learn from them.
        assert.strictEqual(yield* told({}, name, { nonsense: 1 }), "api_key_missing")
        assert.strictEqual(yield* told({ "x-api-key": "nonsense" }, name, input), "api_key_invalid")
        assert.strictEqual(yield* told({ "x-api-key": "__proto__" }, name, input), "api_key_invalid")
        if (name !== "get_booking") {
          assert.strictEqual(yield* told({ "x-api-key": "reads-only" }, name, input), "api_key_scope")
        }
      }
    })
)

it.live("a key is taken as a bearer token too, and never guessed at where two headers hold different ones", () =>
  Effect.gen(function* () {
    const { url } = yield* start()
    const ask = (headers: Record<string, string>) => callTool(url, "get_booking", { booking_id: bookingId }, headers)
    for (const headers of [
      { authorization: "Bearer all-scopes" },
      { authorization: "bearer all-scopes" },
      { authorization: "Bearer all-scopes", "x-api-key": "all-scopes" },
      { authorization: "Basic dTpw", "x-api-key": "all-scopes" }
    ]) {
      assert.isDefined(resultOf(yield* ask(headers)).structuredContent, JSON.stringify(headers))
    }
    const codeOf = (headers: Record<string, string>) => Effect.map(ask(headers), (answer) => toolErrorOf(answer).code)
    assert.strictEqual(yield* codeOf({ authorization: "Bearer nonsense" }), "api_key_invalid")
    assert.strictEqual(yield* codeOf({ authorization: "Basic dTpw" }), "api_key_missing")
    for (const other of ["other", "nonsense"]) {
      const answer = yield* ask({ authorization: `Bearer ${other}`, "x-api-key": "all-scopes" })
      assert.strictEqual(toolErrorOf(answer).code, "api_key_invalid")
      assert.include(toolErrorOf(answer).message, "different")
    }
  })
)

it.live("another key's booking reads as one that does not exist, word for word", () =>
  Effect.gen(function* () {
    const { url } = yield* start()
    const missing = bookingId.replace(/.$/, "1")
    const texts = new Set<string>()
    for (const [secret, booking_id] of [
      ["other", bookingId],
      ["other", missing],
      ["all-scopes", missing]
    ] as const) {
      texts.add((yield* callTool(url, "get_booking", { booking_id }, { "x-api-key": secret })).text)
    }
    assert.strictEqual(texts.size, 1)
    assert.include([...texts][0], "booking_not_found")
  })
)

it.live("a defect is a generic error with the trace id under which its cause is logged", () =>
  Effect.gen(function* () {
    const { lines, url } = yield* start()
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    const answer = yield* callTool(url, "get_playroom", { playroom_id: brokenPlayroomId }, { traceparent })
    assert.notMatch(answer.text, /secret|TypeError|\.ts/)
    const error = toolErrorOf(answer)
    assert.strictEqual(error.code, "internal_error")
    assert.deepStrictEqual(error.details, { trace_id: "0af7651916cd43dd8448eb211c80319c" })
    assert.isTrue(lines.some(({ level, message }) => level === "Error" && message.includes("secret inside")))
  })
)

it.live("a lost database is service_unavailable, retryable, and tells nothing of where it is", () =>
  Effect.gen(function* () {
    const { url } = yield* start()
    const answer = yield* callTool(url, "get_playroom", { playroom_id: databaseAwayPlayroomId })
    assert.notInclude(answer.text, "secret-host")
    assert.strictEqual(toolErrorOf(answer).code, "service_unavailable")
    assert.isTrue(toolErrorOf(answer).retryable)
  })
)

it.live("a statement that the database refuses is a defect, and tells nothing of the database", () =>
  Effect.gen(function* () {
    const { lines, url } = yield* start()
    const answer = yield* callTool(url, "get_playroom", { playroom_id: wrongSqlPlayroomId })
    assert.notInclude(answer.text, "secret")
    const error = toolErrorOf(answer)
    assert.strictEqual(error.code, "internal_error")
    assert.match(String(error.details?.trace_id), /^[0-9a-f]{32}$/)
    assert.isTrue(lines.some(({ level, message }) => level === "Error" && message.includes("secret column")))
    assert.isTrue(lines.some(({ annotations }) => annotations.outcome === "internal_error"))
  })
)

it.live(
  "each call writes one audit line with tool, key id, outcome, duration and trace id, and no secret or argument",
  () =>
    Effect.gen(function* () {
      const { lines, url } = yield* start()
      const audit = () => lines.splice(0).filter(({ message }) => message === "tool call")
      yield* callTool(
        url,
        "create_booking",
        { option_id: "option_x", contact: { name: "Ana", email: "ana@example.com" } },
        key
      )
      const [booked, ...more] = audit()
      assert.isEmpty(more)
      assert.deepInclude(booked?.annotations, { tool: "create_booking", key_id: "key_all", outcome: "ok" })
      assert.isNumber(booked?.annotations.duration_ms)
      assert.match(String(booked?.annotations.trace_id), /^[0-9a-f]{32}$/)
      assert.notMatch(JSON.stringify(booked), /all-scopes|ana@example/)
      yield* callTool(url, "get_booking", {})
      assert.deepInclude(audit()[0]?.annotations, { tool: "get_booking", outcome: "api_key_missing" })
    })
)

it.live("traceparent is honoured, from the header and from _meta, both ways through", () =>
  Effect.gen(function* () {
    const { lines, sdkUrl, url } = yield* start()
    const [inHeader, inMeta] = ["0af7651916cd43dd8448eb211c80319c", "1bf7651916cd43dd8448eb211c80319d"]
    const parent = (trace: string) => `00-${trace}-b7ad6b7169203331-01`
    const params = { name: "search_playrooms", arguments: {} }
    for (const to of [url, sdkUrl]) {
      yield* legacy(to, "tools/call", params, { traceparent: parent(inHeader) })
      const _meta = envelope({ traceparent: parent(inMeta) })
      yield* modern(to, "tools/call", { ...params, _meta }, { traceparent: parent(inHeader) })
      yield* legacy(to, "tools/call", params, { traceparent: "nonsense" })
      const seen = lines.splice(0).map(({ annotations }) => annotations.trace_id)
      assert.deepStrictEqual(seen.slice(0, 2), [inHeader, inMeta])
      assert.match(String(seen[2]), /^[0-9a-f]{32}$/)
    }
  })
)

it.live("a client that disconnects cancels its work, both ways through", () =>
  Effect.gen(function* () {
    for (const which of ["url", "sdkUrl"] as const) {
      const { lines, slow, ...urls } = yield* start()
      const call = modern(urls[which], "tools/call", {
        name: "get_playroom",
        arguments: { playroom_id: slowPlayroomId }
      })
      const fiber = yield* Effect.forkChild(call)
      yield* Deferred.await(slow.began)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(slow.interrupted)
      // The line comes once all of it has ended.
      const told = Effect.sync(() => lines.find(({ message }) => message === "tool call"))
      const line = yield* Effect.repeat(told, {
        until: (found) => found !== undefined,
        schedule: Schedule.spaced("10 millis")
      })
      assert.strictEqual(line?.annotations.outcome, "interrupted")
      assert.notMatch(JSON.stringify(lines), /failed/)
    }
  })
)

it.live("beyond the limit of its address, public tools too answer rate_limited, and other methods 429", () =>
  Effect.gen(function* () {
    const { url } = yield* start({ rateLimits: { perAddress: 3, perKey: 100 } })
    for (let i = 0; i < 3; i++) assert.isDefined(resultOf(yield* callTool(url, "search_playrooms")).structuredContent)
    const limited = yield* callTool(url, "search_playrooms")
    assert.strictEqual(limited.status, 200)
    assert.strictEqual(toolErrorOf(limited).code, "rate_limited")
    assert.isAbove(Number(toolErrorOf(limited).details?.retry_after_seconds), 0)
    const list = yield* legacy(url, "tools/list")
    assert.strictEqual(list.status, 429)
    assert.isAbove(Number(list.headers["retry-after"]), 0)
    assert.strictEqual(rpcOf(list).id, 1)
  })
)

it.live("a key has a limit of its own, wherever it calls from", () =>
  Effect.gen(function* () {
    const { url } = yield* start({ rateLimits: { perAddress: 100, perKey: 2 }, trustedProxies: ["127.0.0.1", "::1"] })
    const from = (address: string) =>
      callTool(url, "get_booking", { booking_id: bookingId }, { ...key, "x-forwarded-for": address })
    yield* from("203.0.113.1")
    yield* from("203.0.113.2")
    assert.strictEqual(toolErrorOf(yield* from("203.0.113.3")).code, "rate_limited")
    const other = yield* callTool(url, "get_booking", { booking_id: bookingId }, { "x-api-key": "other" })
    assert.strictEqual(toolErrorOf(other).code, "booking_not_found")
  })
)

it.live(
  "what can't be an argument is named, never stored and never a 500: NUL, half surrogates, __proto__, huge numbers",
  () =>
    Effect.gen(function* () {
      const { sdkUrl, url } = yield* start()
      const input = JSON.parse(
        '{"option_id":"option_a","contact":{"name":"A\\u0000","email":"a@example.com","__proto__":{"x":1}},"notes":"\\udc00","child_ages":[1e400]}'
      )
      for (const to of [url, sdkUrl]) {
        const error = toolErrorOf(yield* callTool(to, "create_booking", input, key))
        assert.strictEqual(error.code, "invalid_arguments")
        const text = JSON.stringify(error.details)
        for (const path of ["contact.name", "contact.__proto__", "notes"]) assert.include(text, `"path":"${path}"`)
      }
      const huge =
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_playrooms","arguments":{"children":1e400,"limit":99999999999999999999,"near":{"latitude":-1e999,"longitude":1}}}}'
      const error = toolErrorOf(yield* send(url, { headers: json, body: huge }))
      for (const path of ["children", "limit", "near.latitude"]) {
        assert.include(JSON.stringify(error.details), `"path":"${path}"`)
      }
    })
)

it.effect("a call that takes too long is interrupted and answers service_unavailable, which may be repeated", () =>
  Effect.gen(function* () {
    const slow = yield* makeSlow
    const outcome = yield* Effect.gen(function* () {
      const { call } = yield* ToolCalls
      const waiting = yield* Effect.forkChild(
        call({
          name: "get_playroom",
          arguments: { playroom_id: slowPlayroomId },
          caller: callerOf(yield* Authentication, credentialsOf({}), "203.0.113.1")
        })
      )
      yield* Deferred.await(slow.began)
      yield* TestClock.adjust("20 seconds")
      return yield* Fiber.join(waiting)
    }).pipe(Effect.provide(Layer.fresh(standInCalls(slow))))
    assert.isTrue(outcome.isError)
    assert.include(outcome.json, `"code":"service_unavailable"`)
    assert.include(outcome.json, `"retryable":true`)
    yield* Deferred.await(slow.interrupted)
  })
)

it("a tool whose answers would have to be encoded does not compile: they are written as they are", () => {
  const listed = Tool.make("x", { success: Schema.Struct({ day: Schema.String }) })
  const encoded = Tool.make("x", { success: Schema.Struct({ day: Schema.DateFromString }) })
  const options = { descriptions: {}, handler: Effect.succeed(() => Effect.never) }
  assert.strictEqual(publicTool(listed, options).name, "x")
  // @ts-expect-error A `Date` is not the text that the output's schema promises.
  assert.strictEqual(publicTool(encoded, options).name, "x")
})
