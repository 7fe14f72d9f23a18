/** Where a host says its person is: read on both ways through the endpoint, told in a search, and never searched by. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ToolCalls } from "../../../../src/surfaces/mcp/tools/ToolCalls.ts"
import { ToolOutcome } from "../../../../src/surfaces/mcp/tools/McpTool.ts"
import { localeOf, placeOf } from "../../../../src/surfaces/mcp/transport/JsonRpc.ts"
import { McpEndpoint } from "../../../../src/surfaces/mcp/transport/McpEndpoint.ts"
import { envelope, json, modernVersion, send } from "../../../support/McpRequests.ts"
import { listen, makeSlow, standInCalls } from "../../../support/StandInTools.ts"

const leeds = { city: "Leeds", country: "GB" }
const callWith = (_meta: unknown) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "search_playrooms", arguments: {}, _meta }
})

describe("the place in a call's _meta", () => {
  it("is a city and its country, and nothing else of what is sent", () => {
    const location = {
      ...leeds,
      region: "England",
      timezone: "Europe/London",
      longitude: "-1.55",
      latitude: "53.8",
      street: "1 Road"
    }
    assert.deepStrictEqual(placeOf(callWith({ "openai/userLocation": location })), leeds)
    assert.deepStrictEqual(placeOf(callWith({ "openai/userLocation": { city: " Leeds ", country: "gb" } })), {
      city: "Leeds",
      country: "gb"
    })
  })

  it("is absent where it is malformed, too long or without a country", () => {
    for (const location of [
      undefined,
      null,
      "Leeds",
      ["Leeds", "GB"],
      {},
      { city: "Leeds" },
      { city: null, country: "GB" },
      { city: "   ", country: "GB" },
      { city: { toString: "x" }, country: "GB" },
      { city: "x".repeat(101), country: "GB" },
      { city: "Leeds", country: "United Kingdom" },
      { city: "Leeds", country: "G1" },
      JSON.parse('{"__proto__":{"city":"Leeds","country":"GB"}}')
    ])
      assert.isUndefined(placeOf(callWith({ "openai/userLocation": location })), JSON.stringify(location))
    for (const message of [null, [], "x", { params: [] }, { params: { _meta: [] } }, { params: null }])
      assert.isUndefined(placeOf(message))
  })
})

describe("the language in a call's _meta", () => {
  it("is a BCP 47 tag; anything else counts as absent", () => {
    const said = (locale: unknown) => localeOf(callWith({ "openai/locale": locale }))
    for (const tag of ["de", "en-US", "zh-Hant-TW", "PL-pl"]) assert.strictEqual(said(tag), tag)
    for (const other of [undefined, null, "", 7, ["de"], "de_DE", "de; x", "<b>", "x".repeat(99), "de-"])
      assert.isUndefined(said(other), JSON.stringify(other))
  })
})

it.live("a call's place and language reach the tool alike on the fast path, through the SDK, and in both eras", () =>
  Effect.gen(function* () {
    const seen: Array<unknown> = []
    const noted = Layer.merge(
      standInCalls(yield* makeSlow),
      Layer.succeed(ToolCalls, {
        call: ({ locale, place }) =>
          Effect.sync(() => (seen.push({ ...place, locale }), new ToolOutcome(false, { playrooms: [] })))
      })
    )
    const direct = yield* listen(McpEndpoint.layer.pipe(Layer.provide(noted)))
    const throughSdk = yield* listen(McpEndpoint.layerSdkOnly.pipe(Layer.provide(noted)))
    const hint = { "openai/userLocation": leeds, "openai/locale": "en-GB" }
    for (const url of [direct, throughSdk]) {
      const legacy = yield* send(url, { headers: json, body: JSON.stringify(callWith(hint)) })
      const modern = yield* send(url, {
        headers: {
          ...json,
          "mcp-protocol-version": modernVersion,
          "mcp-method": "tools/call",
          "mcp-name": "search_playrooms"
        },
        body: JSON.stringify(callWith(envelope(hint)))
      })
      assert.deepStrictEqual([legacy.status, modern.status], [200, 200], legacy.text + modern.text)
    }
    const said = { ...leeds, locale: "en-GB" }
    assert.deepStrictEqual(seen, [said, said, said, said])
  }).pipe(Effect.scoped)
)
