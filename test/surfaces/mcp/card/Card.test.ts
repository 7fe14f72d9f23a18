/**
 * The card as a server has it: listed, read, named by tools, and whole in itself. What it shows: `CardViews.test.ts`.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Script } from "node:vm"
import { cardContents, cardResource } from "../../../../src/surfaces/mcp/card/Card.ts"
import { messages } from "../../../../src/words/Languages.ts"
import { McpEndpoint } from "../../../../src/surfaces/mcp/transport/McpEndpoint.ts"
import { listedTools } from "../../../../src/surfaces/mcp/tools/ToolList.ts"
import { callTool, legacy, modern, rpcOf } from "../../../support/McpRequests.ts"
import { listen, makeSlow, standInCalls } from "../../../support/StandInTools.ts"

const start = Effect.flatMap(makeSlow, (slow) => listen(McpEndpoint.layer.pipe(Layer.provide(standInCalls(slow)))))

const { uri } = cardResource
const read = (url: string, ask: typeof legacy, uri: string) =>
  ask(url, "resources/read", { uri }, ask === modern ? { "mcp-name": uri } : {})

it.live("is listed and read in both eras, and may be cached by anyone", () =>
  Effect.gen(function* () {
    const url = yield* start
    for (const ask of [legacy, modern]) {
      const list = rpcOf(yield* ask(url, "resources/list")).result
      assert.deepStrictEqual(list?.resources, [cardResource])
      assert.deepStrictEqual(rpcOf(yield* ask(url, "resources/templates/list")).result?.resourceTemplates, [])
      const page = rpcOf(yield* read(url, ask, uri)).result
      assert.deepStrictEqual(page?.contents, [cardContents()])
      for (const answer of ask === modern ? [list, page] : []) {
        assert.strictEqual(answer?.cacheScope, "public")
        assert.isAbove(Number(answer?.ttlMs), 0)
      }
    }
  })
)

it.live("is the only resource: others are not found, and no cursor fits", () =>
  Effect.gen(function* () {
    const url = yield* start
    for (const ask of [legacy, modern]) {
      for (const other of ["ui://playroom/", `${uri}/`, "file:///etc/passwd", "x".repeat(5000), "not an address"]) {
        const answer = yield* read(url, ask, other)
        assert.strictEqual(rpcOf(answer).error?.code, -32_602, other.slice(0, 40))
        assert.isBelow(answer.text.length, 500)
      }
      for (const method of ["resources/list", "resources/templates/list"]) {
        assert.include(rpcOf(yield* ask(url, method, { cursor: "x" })).error?.message, `${method} has one page`)
      }
    }
  })
)

it("is named by the tools whose results it shows, and stands beside nothing else in the list", () => {
  const named = listedTools.filter(({ _meta }) => _meta !== undefined)
  assert.deepStrictEqual(
    named.map(({ name }) => name),
    ["get_booking_options", "create_booking", "get_booking", "create_payment_session"]
  )
  for (const { _meta } of named) assert.deepStrictEqual(_meta, { ui: { resourceUri: uri } })
  assert.strictEqual(cardResource.mimeType, "text/html;profile=mcp-app")
})

it.live("changes no result: no block is added to one", () =>
  Effect.gen(function* () {
    const url = yield* start
    const input = { playroom_id: "playroom_01h455vb4pex5vsknk084sn02q", date: "2026-12-05", children: 8 }
    const { result } = rpcOf(yield* callTool(url, "get_booking_options", input))
    assert.sameMembers(Object.keys(result ?? {}), ["content", "structuredContent"])
    const content = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ type: Schema.String })))(result?.content)
    assert.deepStrictEqual(
      content.map(({ type }) => type),
      ["text"]
    )
  })
)

it("has words for each standing of a booking, and decides none itself", () => {
  const { text } = cardContents()
  for (const kind of Object.keys(messages.en.standings)) assert.include(text, `\n  ${kind}: { heading:`)
  assert.notMatch(text, /textAt\(booking, "status"\)/)
})

it("is one page with everything in it: no address, no way to the network, no markup from texts", () => {
  const { text } = cardContents()
  const addresses = [...text.matchAll(/https?:[^"'`\s]*/g)].map(([address]) => address)
  assert.deepStrictEqual(addresses, ["http://www.w3.org/2000/svg", "https:", "http:"])
  assert.notMatch(text, /\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts|eval)\b|import\s*\(/)
  assert.notMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\bsrc=|\bhref=|@import|url\((?!\/i)/)
  assert.isBelow(Buffer.byteLength(text), 100_000)
  const scripts = [...text.matchAll(/<script type="module">([^]*?)<\/script>/g)].map(([, script = ""]) => script)
  assert.lengthOf(scripts, 1)
  assert.notMatch(scripts[0] ?? "", /^(import|export)\b/m)
  // It parses, so no name is in two of the files.
  assert.isDefined(new Script(`async () => {${scripts[0]}\n}`))
})
