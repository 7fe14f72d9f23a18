import { assert, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  answerBatch,
  maxAnswerLength,
  maxBatchTime,
  maxBatchWork,
  maxMessages,
  ProcessorTime,
  textOf
} from "../../../../src/surfaces/mcp/transport/JsonRpc.ts"
import { McpEndpoint } from "../../../../src/surfaces/mcp/transport/McpEndpoint.ts"
import { type Answer, envelope, json, modernVersion, problemOf, send } from "../../../support/McpRequests.ts"
import { listen, makeSlow, missingPlayroomId, playroomId, standInCalls } from "../../../support/StandInTools.ts"

/** Its processor is fast enough for any batch. */
const idle = Layer.succeed(ProcessorTime, Effect.succeed(0))

const start = (perAddress?: number) =>
  Effect.flatMap(makeSlow, (slow) => {
    const calls = standInCalls(slow, perAddress === undefined ? {} : { rateLimits: { perAddress, perKey: perAddress } })
    return listen(McpEndpoint.layer.pipe(Layer.provide(calls), Layer.provide(idle)))
  })

const post = (url: string, batch: unknown, headers: Readonly<Record<string, string>> = {}) =>
  send(url, { headers: { ...json, ...headers }, body: JSON.stringify(batch) })

const call = (id: unknown, name: string, input: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: input }
})
const list = (id: unknown) => ({ jsonrpc: "2.0", id, method: "tools/list" })

interface Said {
  readonly id: unknown
  readonly result?: { readonly isError?: boolean; readonly content?: ReadonlyArray<{ readonly text: string }> }
  readonly error?: { readonly code: number; readonly message: string }
}
const answersOf = (answer: Answer): ReadonlyArray<Said> => {
  assert.strictEqual(answer.status, 200, answer.text)
  return JSON.parse(answer.text)
}

it.live("a batch is answered one by one, in its order, and notifications in it are not", () =>
  Effect.gen(function* () {
    const url = yield* start()
    for (const headers of [{}, { "mcp-protocol-version": "2025-03-26" }]) {
      const answers = answersOf(
        yield* post(
          url,
          [
            call(1, "search_playrooms", {}),
            { jsonrpc: "2.0", method: "notifications/initialized" },
            call(2, "search_playrooms", { nope: 1 }),
            { jsonrpc: "2.0", id: 3, method: "prompts/list" },
            { jsonrpc: "2.0", id: 4 }
          ],
          headers
        )
      )
      assert.deepStrictEqual(
        answers.map(({ error, id, result }) => [id, result?.isError, error?.code]),
        [
          [1, undefined, undefined],
          [2, true, undefined],
          [3, undefined, -32_601],
          [4, undefined, -32_600]
        ]
      )
    }
    const silent = yield* post(url, [{ jsonrpc: "2.0", method: "notifications/initialized" }])
    assert.deepStrictEqual([silent.status, silent.text], [202, ""])
  })
)

it.live("two calls of a batch under one id each get the answer to their own arguments", () =>
  Effect.gen(function* () {
    const url = yield* start()
    const answers = answersOf(
      yield* post(url, [
        call(7, "get_playroom", { playroom_id: playroomId }),
        call(7, "get_playroom", { playroom_id: missingPlayroomId })
      ])
    )
    assert.deepStrictEqual(
      answers.map(({ id, result }) => [id, result?.isError === true]),
      [
        [7, false],
        [7, true]
      ]
    )
    assert.include(answers[0]?.result?.content?.[0]?.text, playroomId)
    assert.include(answers[1]?.result?.content?.[0]?.text, missingPlayroomId)
  })
)

it.live("batches are refused where the version has none, when empty or too long, and around initialize", () =>
  Effect.gen(function* () {
    const url = yield* start()
    const lists = (count: number) => Array.from({ length: count }, (_, i) => list(i))
    const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} }
    const modern = { ...list(1), params: { _meta: envelope() } }
    for (const [batch, version] of [
      [lists(1), "2025-11-25"],
      [lists(1), "2025-06-18"],
      [lists(1), "2024-11-05"],
      [lists(1), modernVersion],
      [[modern], modernVersion],
      [[modern], undefined],
      [lists(maxMessages + 1), undefined],
      [[initialize], undefined],
      [[list(1), initialize], undefined],
      [[], undefined],
      [[1], undefined],
      [[list(1), [list(2)]], undefined]
    ] as const) {
      const answer = yield* post(url, batch, version === undefined ? {} : { "mcp-protocol-version": version })
      assert.strictEqual(answer.status, 400, answer.text)
      const { code, detail } = problemOf(answer)
      assert.strictEqual(code, "bad_request")
      assert.isNotEmpty(detail)
    }
    assert.strictEqual((yield* post(url, lists(2))).status, 200)
  })
)

it.live("each message of a batch takes a token of its own, whether it reaches a tool or not", () =>
  Effect.gen(function* () {
    for (const message of [
      { jsonrpc: "2.0", id: 1, method: "ping" },
      call(1, "search_playrooms", {}),
      call(1, "no_such_tool", {}),
      { ...call(1, "search_playrooms", {}), params: { name: "search_playrooms", arguments: [] } },
      { ...list(1), params: { _meta: Array.from({ length: 500 }, () => 1) } }
    ]) {
      const url = yield* start(3)
      const answers = answersOf(yield* post(url, [message, message, message, message, message]))
      const limited = answers.map((answer) => /Too many requests|rate_limited/.test(JSON.stringify(answer)))
      assert.deepStrictEqual(limited, [false, false, false, true, true], JSON.stringify(message))
    }
  })
)

it.live("the answer to a batch has a bound: what comes after it is sent back unserved, each under its id", () =>
  Effect.gen(function* () {
    const url = yield* start()
    const answer = yield* post(
      url,
      Array.from({ length: maxMessages }, (_, i) => list(i))
    )
    assert.isBelow(answer.text.length, maxAnswerLength + 50_000)
    const answers = answersOf(answer)
    assert.deepStrictEqual(
      answers.map(({ id }) => id),
      Array.from({ length: maxMessages }, (_, i) => i)
    )
    const served = answers.filter(({ result }) => result !== undefined).length
    assert.isAbove(served, 1)
    assert.isBelow(served, maxMessages)
    for (const { error } of answers.slice(served)) assert.include(error?.message, "send this message again")
  })
)

it.effect("a batch has a bound in time: what comes after it is sent back unserved, each under its id", () =>
  Effect.gen(function* () {
    const served: Array<unknown> = []
    const batch = Array.from({ length: maxMessages }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }))
    const answering = yield* Effect.forkChild(
      answerBatch(
        batch,
        (message) =>
          Effect.as(
            Effect.andThen(
              Effect.sync(() => served.push(message)),
              Effect.sleep(Duration.times(maxBatchTime, 0.4))
            ),
            { status: 200, json: "{}" }
          ),
        Effect.succeed(0)
      )
    )
    for (let n = 0; n < 3; n++) {
      yield* TestClock.adjust(Duration.times(maxBatchTime, 0.4))
      yield* Effect.yieldNow
    }
    const json = textOf(yield* Fiber.join(answering))
    assert.deepStrictEqual(served, batch.slice(0, 3))
    assert.lengthOf(json.match(/send this message again/g) ?? [], maxMessages - 3)
  })
)

it.effect("a batch has a bound in work: what comes after it is sent back unserved, each under its id", () =>
  Effect.gen(function* () {
    const served: Array<unknown> = []
    let work = 1000
    const batch = Array.from({ length: maxMessages }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }))
    const reply = yield* answerBatch(
      batch,
      (message) =>
        Effect.sync(() => {
          served.push(message)
          work += maxBatchWork * 0.4
          return { status: 200, json: "{}" }
        }),
      Effect.sync(() => work)
    )
    assert.deepStrictEqual(served, batch.slice(0, 3))
    const refused: ReadonlyArray<Said> = JSON.parse(textOf(reply)).slice(3)
    assert.deepStrictEqual(
      refused.map(({ id }) => id),
      batch.slice(3).map(({ id }) => id)
    )
    for (const { error } of refused) assert.include(error?.message, "send this message again, by itself")
  })
)

it.live("others have turns between the messages of a batch, also if each is answered at once", () =>
  Effect.gen(function* () {
    let turns = 0
    let on = true
    const beat = (): void => {
      turns++
      if (on) setImmediate(beat)
    }
    const batch = Array.from({ length: maxMessages }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }))
    const before = turns
    beat()
    yield* answerBatch(batch, () => Effect.succeed({ status: 200, json: "{}" }), Effect.succeed(0))
    on = false
    assert.isAtLeast(turns - before, maxMessages - 1)
  })
)

it.live("a body that is nested too deeply is refused before it is parsed, whatever its strings hold", () =>
  Effect.gen(function* () {
    const url = yield* start()
    const withArguments = (text: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_playrooms","arguments":{"query":${text}}}}`
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
    // What is not parsed has no id to repeat, and may be no JSON.
    for (const body of [withArguments(nested(60_000)), "[".repeat(100_000), `${'{"a":'.repeat(20_000)}1`]) {
      const answer = yield* send(url, { headers: json, body })
      assert.strictEqual(answer.status, 400)
      assert.deepInclude(problemOf(answer), {
        code: "bad_request",
        detail: "The message is nested too deeply: send at most 32 levels"
      })
    }
    for (const text of [nested(1900), JSON.stringify("[".repeat(60_000)), JSON.stringify('\\"[{'.repeat(10_000))]) {
      const answer = yield* send(url, { headers: json, body: withArguments(text) })
      assert.strictEqual(answer.status, 200)
      assert.include(answer.text, "invalid_arguments")
    }
  })
)

it.live("a body that holds no message takes a token too", () =>
  Effect.gen(function* () {
    for (const [body, headers] of [
      ["{", json],
      ["[]", json],
      ["{}", { "content-type": "text/plain" }],
      [" ".repeat(200_000), json]
    ] as const) {
      const url = yield* start(2)
      const statuses: Array<number> = []
      for (let i = 0; i < 4; i++) statuses.push((yield* send(url, { headers, body })).status)
      assert.deepStrictEqual(statuses.slice(2), [429, 429], body.slice(0, 5))
      assert.notInclude(statuses.slice(0, 2), 429)
    }
  })
)

it.live("S9: an id that no number here can hold is refused, and never repeated as another", () =>
  Effect.gen(function* () {
    const url = yield* start()
    for (const id of ["9007199254740993", "-9007199254740993", "123456789012345678901234567890"]) {
      const text = `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`
      const { status, text: said } = yield* send(url, { headers: json, body: text })
      assert.strictEqual(status, 400)
      assert.notMatch(said, /"id":\s*[^n]/)
      assert.include(said, "send a larger one as a string")
      const [batched] = answersOf(yield* send(url, { headers: json, body: `[${text}]` }))
      assert.isNull(batched?.id)
    }
    const { status, text } = yield* post(url, list(Number.MAX_SAFE_INTEGER))
    assert.deepStrictEqual([status, JSON.parse(text).id], [200, Number.MAX_SAFE_INTEGER])
  }).pipe(Effect.scoped)
)
