import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connectWorld, Node } from "../../support/ConnectWorld.ts"
import { callTool, ownKey, postJson, signIn } from "../../support/Person.ts"

layer(connectWorld(), { excludeTestServices: true })("/mcp/connect", (it) => {
  const metadata = (base: string) => `${base}/.well-known/oauth-protected-resource/mcp/connect`
  const all = "bookings:read bookings:write payments:write"
  const listing = { jsonrpc: "2.0", id: 1, method: "tools/list" }

  it.effect("asks for a sign-in whatever is called, public tools too, and says where its metadata are", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const url = `${base}/mcp/connect`
      for (const [headers, error] of [
        [{}, ""],
        [{ "x-api-key": ownKey }, ""],
        [{ authorization: "Basic YTpi" }, ""],
        [{ authorization: "Bearer " }, ""],
        [{ authorization: "Bearer nothing" }, "invalid_token"],
        [{ authorization: `Bearer ${ownKey}` }, "invalid_token"],
        [{ authorization: `Bearer ${"x".repeat(5000)}` }, "invalid_token"]
      ] as const) {
        for (const message of [listing, { ...listing, method: "initialize" }, { ...listing, method: "ping" }]) {
          const refused = yield* postJson(url, message, headers)
          assert.strictEqual(refused.status, 401, JSON.stringify(headers))
          const challenge = refused.headers.get("www-authenticate") ?? ""
          assert.match(challenge, /^Bearer /)
          assert.include(challenge, `resource_metadata="${metadata(base)}"`)
          assert.include(challenge, `scope="${all}"`)
          if (error === "") assert.notInclude(challenge, "error=")
          else assert.include(challenge, `error="${error}"`)
          assert.property(refused.body, "error")
        }
      }
      const resource = yield* Effect.promise(() => fetch(metadata(base)).then((response) => response.json()))
      assert.deepInclude(resource, {
        resource: url,
        authorization_servers: [`${base}/connect`],
        scopes_supported: all.split(" ")
      })
    })
  )

  it.effect("answers what /mcp answers, to the byte", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const { access_token } = yield* signIn(base)
      const bytes = (path: string, body: unknown, headers: Record<string, string>) =>
        Effect.promise(() =>
          fetch(`${base}${path}`, {
            method: "POST",
            body: JSON.stringify(body),
            headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers }
          }).then((response) => response.text())
        )
      for (const message of [
        listing,
        { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "search_playrooms", arguments: { limit: 1 } } },
        { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "search_playrooms", arguments: { limit: 0 } } },
        {
          jsonrpc: "2.0",
          id: 4,
          method: "tools/call",
          params: { name: "get_booking", arguments: { reference: "AAAA-AAAA" } }
        },
        { jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "create_booking", arguments: {} } },
        { jsonrpc: "2.0", id: 6, method: "tools/call", params: { name: "nothing", arguments: {} } },
        { jsonrpc: "2.0", id: 7, method: "ping" },
        [{ jsonrpc: "2.0", id: 8, method: "ping" }, listing]
      ]) {
        const open = yield* bytes("/mcp", message, { "x-api-key": ownKey })
        assert.strictEqual(yield* bytes("/mcp/connect", message, { authorization: `Bearer ${access_token}` }), open)
      }
    })
  )

  it.effect(
    "refuses a tool whose scope the token lacks with insufficient_scope, in a batch too, and does nothing of it",
    () =>
      Effect.gen(function* () {
        const base = yield* Node
        const { access_token } = yield* signIn(base, { scope: "bookings:read" })
        const call = (id: number, name: string) => ({
          jsonrpc: "2.0",
          id,
          method: "tools/call",
          params: { name, arguments: {} }
        })
        const bearer = { authorization: `bearer ${access_token}` }
        for (const [body, scope] of [
          [call(1, "create_booking"), "bookings:read bookings:write"],
          [call(1, "create_payment_session"), "bookings:read payments:write"],
          [[call(1, "search_playrooms"), call(2, "create_booking"), call(3, "create_payment_session")], all]
        ] as const) {
          const refused = yield* postJson(`${base}/mcp/connect`, body, bearer)
          assert.strictEqual(refused.status, 403)
          const challenge = refused.headers.get("www-authenticate") ?? ""
          assert.include(challenge, `error="insufficient_scope"`)
          assert.include(challenge, `scope="${scope}"`)
          assert.include(challenge, `resource_metadata="${metadata(base)}"`)
        }
        for (const name of ["search_playrooms", "get_booking"])
          assert.strictEqual((yield* postJson(`${base}/mcp/connect`, call(1, name), bearer)).status, 200)
      })
  )

  it.effect("lets pages of an allowed origin read its challenge, and refuses others before it looks at a token", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const refused = yield* postJson(`${base}/mcp/connect`, listing, { origin: base })
      assert.strictEqual(refused.status, 401)
      assert.include(refused.headers.get("access-control-expose-headers"), "www-authenticate")
      const foreign = yield* postJson(`${base}/mcp/connect`, listing, { origin: "https://evil.example" })
      assert.strictEqual(foreign.status, 403)
      assert.isNull(foreign.headers.get("www-authenticate"))
      const preflight = yield* Effect.promise(() =>
        fetch(`${base}/mcp/connect`, { method: "OPTIONS", headers: { origin: base } })
      )
      assert.include(preflight.headers.get("access-control-allow-headers"), "authorization")
      const open = yield* postJson(`${base}/mcp`, listing, { origin: base })
      assert.strictEqual(open.headers.get("access-control-expose-headers"), "mcp-protocol-version, retry-after")
    })
  )

  it.effect("leaves /mcp as it is: an access token is no API key there, and no OAuth is announced", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const { access_token } = yield* signIn(base)
      const { body, status } = yield* postJson(
        `${base}/mcp`,
        {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "get_booking", arguments: { reference: "AAAA-AAAA" } }
        },
        { authorization: `Bearer ${access_token}` }
      )
      assert.strictEqual(status, 200)
      assert.include(JSON.stringify(body), "api_key_invalid")
      for (const path of [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/openid-configuration"
      ])
        assert.strictEqual((yield* Effect.promise(() => fetch(`${base}${path}`))).status, 404, path)
    })
  )
})

layer(connectWorld({ rateLimits: { perAddress: 20, perKey: 40 } }), { excludeTestServices: true })(
  "the limits",
  (it) => {
    it.effect("at /mcp/connect are the key's, whoever shares its address; who has no token draws on the address", () =>
      Effect.gen(function* () {
        const base = yield* Node
        const { access_token } = yield* signIn(base)
        const statuses = yield* Effect.forEach(Array.from({ length: 45 }), () =>
          Effect.map(callTool(base, access_token, "search_playrooms", {}), ({ body }) => JSON.stringify(body))
        )
        assert.isAtLeast(statuses.filter((text) => text.includes("structuredContent")).length, 38)
        assert.include(statuses.at(-1), "rate_limited")
        const strangers = yield* Effect.forEach(Array.from({ length: 30 }), () =>
          Effect.map(callTool(base, "nothing", "search_playrooms", {}), ({ status }) => status)
        )
        assert.strictEqual(strangers[0], 401)
        assert.strictEqual(strangers.at(-1), 429)
      })
    )
  }
)
