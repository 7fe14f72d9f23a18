import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { maxAnswerLength, maxMessages } from "../../../src/mcp/transport/JsonRpc.ts"
import { McpEndpoint } from "../../../src/mcp/transport/McpEndpoint.ts"
import { type Answer, envelope, json, modernVersion, send } from "../../support/McpRequests.ts"
import { listen, makeSlow, missingPlayroomId, playroomId, standInCalls } from "../../support/StandInTools.ts"

const start = (perAddress?: number) =>
  Effect.flatMap(makeSlow, (slow) => {
    const calls = standInCalls(slow, perAddress === undefined ? {} : { rateLimits: { perAddress, perKey: perAddress } })
    return listen(McpEndpoint.layer.pipe(Layer.provide(calls)))
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
          [null, undefined, -32_600]
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
      const { error, id }: Said = JSON.parse(answer.text)
      assert.deepStrictEqual([id, error?.code], [null, -32_600])
      assert.isNotEmpty(error?.message)
    }
    assert.strictEqual((yield* post(url, lists(2))).status, 200)
  })
)

it.live("each message of a batch takes a token of its own, whether it reaches a tool or not", () =>
  Effect.gen(function* () {
    for (const message of [
      list(1),
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
    assert.isAbove(served, 5)
    for (const { error } of answers.slice(served)) assert.include(error?.message, "send this message again")
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
