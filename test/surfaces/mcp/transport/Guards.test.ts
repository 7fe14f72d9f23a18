import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { makeGuard, McpEndpoint } from "../../../../src/surfaces/mcp/transport/McpEndpoint.ts"
import { json, send } from "../../../support/McpRequests.ts"
import { listen, makeSlow, settingsWith, standInCalls } from "../../../support/StandInTools.ts"

const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })

const start = Effect.flatMap(makeSlow, (slow) =>
  listen(McpEndpoint.layer.pipe(Layer.provide(standInCalls(slow, { allowedOrigins: ["https://app.example.com"] }))))
)

it.live("requests that name a foreign host or come from a foreign page are refused with 403", () =>
  Effect.gen(function* () {
    const url = yield* start
    const status = (headers: Record<string, string>, method = "POST") =>
      Effect.map(
        send(url, { method, headers: { ...json, ...headers }, ...(method === "POST" ? { body: ping } : {}) }),
        ({ status }) => status
      )
    assert.strictEqual(yield* status({}), 200)
    for (const host of ["evil.example", "localhost.evil.example", "evil.example:3000", "[::2]", "a/b"]) {
      assert.notStrictEqual(yield* status({ host }), 200, host)
    }
    for (const origin of [
      "null",
      "https://evil.example",
      "http://localhost.evil.example",
      "https://app.example.com.evil.example",
      "file://"
    ]) {
      for (const method of ["POST", "OPTIONS", "GET"])
        assert.strictEqual(yield* status({ origin }, method), 403, origin)
    }
    for (const origin of [
      "https://app.example.com",
      "http://localhost:6274",
      "http://127.0.0.1:1",
      "http://[::1]:5173"
    ]) {
      assert.strictEqual(yield* status({ origin }), 200, origin)
    }
  })
)

it.live("a preflight from an allowed page is answered 204 with the headers that clients send", () =>
  Effect.gen(function* () {
    const url = yield* start
    const origin = "https://app.example.com"
    const answer = yield* send(url, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers":
          "content-type,x-api-key,mcp-protocol-version,Mcp-Param-City,authorization,cookie"
      }
    })
    assert.strictEqual(answer.status, 204)
    assert.strictEqual(answer.headers["access-control-allow-origin"], origin)
    assert.include(String(answer.headers["access-control-allow-methods"]), "POST")
    const allowed = String(answer.headers["access-control-allow-headers"]).split(", ")
    assert.includeMembers(allowed, [
      "content-type",
      "x-api-key",
      "authorization",
      "mcp-protocol-version",
      "mcp-method",
      "mcp-name",
      "mcp-param-city"
    ])
    assert.notInclude(allowed, "cookie")
    const called = yield* send(url, { headers: { ...json, origin }, body: ping })
    assert.strictEqual(called.headers["access-control-allow-origin"], origin)
    assert.strictEqual(called.headers.vary, "origin")
    assert.notProperty((yield* send(url, { headers: json, body: ping })).headers, "access-control-allow-origin")
  })
)

it("away from loopback, local pages are as foreign as any, and hosts are those of the settings", () => {
  const guard = makeGuard(
    settingsWith({ host: "0.0.0.0", allowedHosts: ["book.example.com", "127.0.0.1:3000"], allowedOrigins: [] })
  )
  const allowed = (headers: Record<string, string>) => guard(headers).allowed
  assert.isTrue(allowed({ host: "book.example.com" }))
  assert.isTrue(allowed({ host: "BOOK.example.com:8443" }))
  assert.isTrue(allowed({ host: "127.0.0.1:3000" }))
  assert.isFalse(allowed({ host: "127.0.0.1:3001" }))
  assert.isFalse(allowed({ host: "localhost" }))
  assert.isFalse(allowed({}))
  assert.isFalse(allowed({ host: "book.example.com", origin: "http://localhost:6274" }))
})

it("B5: a public https service answers programs on the desktop, and a refusal names its setting", () => {
  const guardOf = (changes: Parameters<typeof settingsWith>[0]) =>
    makeGuard(settingsWith({ host: "0.0.0.0", allowedHosts: ["book.example.com"], allowedOrigins: [], ...changes }))
  const host = "book.example.com"
  const origins = ["null", "file://", "app://obsidian.md", "capacitor://localhost", "vscode-webview://abc"]
  const open = guardOf({ baseUrl: "https://book.example.com" })
  for (const origin of origins)
    assert.deepInclude(open({ host, origin }), {
      allowed: true,
      headers: {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": "mcp-protocol-version, retry-after",
        vary: "origin"
      }
    })
  for (const origin of ["https://evil.example", "http://evil.example", "HTTPS://evil.example"])
    assert.deepInclude(open({ host, origin }), {
      allowed: false,
      why: "The Origin is not allowed: who runs this service can add it to ALLOWED_ORIGINS"
    })
  assert.isFalse(open({ host: "evil.example", origin: "null" }).allowed)
  // On http anybody on the way writes the page; on this machine a page's name may be led here.
  for (const closed of [
    guardOf({ baseUrl: "http://book.example.com" }),
    guardOf({ baseUrl: "https://book.example.com", host: "127.0.0.1" })
  ])
    for (const origin of origins) assert.isFalse(closed({ host, origin }).allowed, origin)
  const named = guardOf({ baseUrl: "http://book.example.com", allowedOrigins: origins })
  for (const origin of origins) assert.isTrue(named({ host, origin }).allowed, origin)
})
