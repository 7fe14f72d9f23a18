import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connectWorld, Node } from "../../../support/ConnectWorld.ts"
import {
  authorizeUrl,
  callTool,
  codeOf,
  ownKey,
  Person,
  postJson,
  redeem,
  register,
  signIn
} from "../../../support/Person.ts"
import { envelope, modernVersion, send } from "../../../support/McpRequests.ts"
import { SqlClient } from "effect/sql"
import { connectTools } from "../../../../src/surfaces/mcp/tools/ToolList.ts"

/** An answer without what only `/mcp/connect` says of its tools. */
const withoutSchemes = (json: string): string =>
  json.replaceAll(/,?"securitySchemes":\[(\{[^{}]*\},?)*\]/g, "").replaceAll(/,"_meta":\{\}/g, "")

const metadata = (base: string) => `${base}/.well-known/oauth-protected-resource/mcp/connect`
const all = "bookings:read bookings:write payments:write"
const listing = { jsonrpc: "2.0", id: 1, method: "tools/list" }
const call = (id: number, name: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {} }
})
const publicTools = ["search_playrooms", "get_playroom", "get_booking_options"]

layer(connectWorld({ allowedHosts: ["localhost", "127.0.0.1", "second.example"] }), { excludeTestServices: true })(
  "/mcp/connect",
  (it) => {
    const noToken = [{}, { "x-api-key": ownKey }, { authorization: "Basic YTpi" }, { authorization: "Bearer " }]

    it.effect("answers everything but the tools that need a sign-in without a token, in both eras", () =>
      Effect.gen(function* () {
        const base = yield* Node
        const url = `${base}/mcp/connect`
        const initialize = {
          ...listing,
          method: "initialize",
          params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "host", version: "1" } }
        }
        const notice = { jsonrpc: "2.0", method: "notifications/initialized" }
        for (const headers of noToken) {
          for (const message of [
            listing,
            initialize,
            { ...listing, method: "ping" },
            { ...listing, method: "resources/list" },
            { ...listing, method: "resources/read", params: { uri: "ui://playroom/card" } }
          ]) {
            const { body, status } = yield* postJson(url, message, headers)
            assert.strictEqual(status, 200, JSON.stringify(message))
            assert.isNotTrue("error" in body, JSON.stringify(body))
          }
          assert.strictEqual((yield* postJson(url, notice, headers)).status, 202)
          const batch = yield* Effect.promise(() =>
            fetch(url, {
              method: "POST",
              body: JSON.stringify([listing, call(2, "search_playrooms")]),
              headers: { "content-type": "application/json", ...headers }
            }).then((response) => response.text())
          )
          assert.strictEqual(batch.split('{"result":').length, 3, batch)
          assert.notInclude(batch, `"error"`)
          for (const name of publicTools) {
            const { body, status } = yield* postJson(url, call(1, name), headers)
            assert.strictEqual(status, 200)
            // Two of them are refused for their arguments, by the tool.
            if (name === "search_playrooms") assert.nestedProperty(body, "result.structuredContent.playrooms")
            else assert.include(JSON.stringify(body), "invalid_arguments")
          }
        }
        const modern = { "mcp-protocol-version": modernVersion, "mcp-method": "server/discover" }
        const discover = { ...listing, method: "server/discover", params: { _meta: envelope() } }
        const found = yield* postJson(url, discover, modern)
        assert.strictEqual(found.status, 200, JSON.stringify(found.body))
        const unknown = yield* postJson(url, call(1, "cancel_booking"))
        assert.deepStrictEqual([unknown.status, unknown.headers.get("www-authenticate")], [200, null])
      })
    )

    it.effect("B6: names the resource by the host that was asked, and takes tokens for it", () =>
      Effect.gen(function* () {
        const base = yield* Node
        const { port } = new URL(base)
        for (const host of [`second.example:${port}`, `Second.example:${port}`]) {
          const asked = `http://second.example:${port}`
          const path = new URL(metadata(base)).pathname
          const found = yield* send(`${base}${path}`, { method: "GET", headers: { host } })
          assert.include(JSON.parse(found.text), { resource: `${asked}/mcp/connect` })
          assert.deepInclude(JSON.parse(found.text), { authorization_servers: [`${base}/connect`] })
          const refused = yield* send(`${base}/mcp/connect`, {
            headers: { "content-type": "application/json", host },
            body: JSON.stringify(call(7, "get_booking"))
          })
          assert.include(String(refused.headers["www-authenticate"]), `resource_metadata="${asked}${path}"`)
        }
        // A host of nobody's changes nothing.
        const foreign = yield* send(metadata(base), { method: "GET", headers: { host: "evil.example" } })
        assert.include(JSON.parse(foreign.text), { resource: `${base}/mcp/connect` })
        const client_id = yield* register(base)
        const asking = authorizeUrl(base, client_id, { resource: `http://second.example:${port}/mcp/connect` })
        const person = new Person()
        const code = codeOf(yield* person.press(yield* person.open(asking.url), "key", { key: ownKey }))
        const token = yield* redeem(base, client_id, code, asking)
        assert.strictEqual(token.status, 200, JSON.stringify(token.body))
        const used = yield* postJson(`${base}/mcp/connect`, call(1, "get_booking"), {
          authorization: `Bearer ${String(token.body.access_token)}`
        })
        assert.strictEqual(used.status, 200, JSON.stringify(used.body))
      })
    )

    it.effect("asks for a sign-in where a tool needs it, in a batch too, and runs nothing of that batch", () =>
      Effect.gen(function* () {
        const base = yield* Node
        const url = `${base}/mcp/connect`
        const counted = SqlClient.SqlClient.use((sql) => sql`select 1 from booking`)
        for (const headers of noToken) {
          for (const name of ["create_booking", "get_booking", "create_payment_session"]) {
            for (const message of [
              call(7, name),
              [call(1, "search_playrooms"), call(7, name)],
              { jsonrpc: "2.0", method: "tools/call", params: { name } }
            ]) {
              const refused = yield* postJson(url, message, headers)
              assert.strictEqual(refused.status, 401, JSON.stringify(message))
              const challenge = refused.headers.get("www-authenticate") ?? ""
              assert.strictEqual(challenge, `Bearer resource_metadata="${metadata(base)}", scope="${all}"`)
              // Under the request's id, where there is one: what names none is a problem document.
              if (!Array.isArray(message) && "id" in message)
                assert.deepInclude(refused.body, { jsonrpc: "2.0", id: 7 })
              else assert.propertyVal(refused.body, "code", "sign_in_needed")
            }
          }
        }
        assert.strictEqual((yield* counted).length, 0)
      })
    )

    it.effect("says of each tool whether it needs a sign-in; /mcp lists the same tools without that", () =>
      Effect.gen(function* () {
        const base = yield* Node
        const open = yield* postJson(`${base}/mcp`, listing)
        const { body } = yield* postJson(`${base}/mcp/connect`, listing)
        const tools = connectTools("needed")
        assert.deepStrictEqual(body, JSON.parse(JSON.stringify({ result: { tools }, jsonrpc: "2.0", id: 1 })))
        for (const { _meta, name } of tools) {
          const types = _meta?.securitySchemes?.map(({ type }) => type)
          assert.deepStrictEqual(types, publicTools.includes(name) ? ["noauth", "oauth2"] : ["oauth2"], name)
        }
        assert.deepStrictEqual(JSON.parse(withoutSchemes(JSON.stringify(body))), open.body)
        assert.notInclude(JSON.stringify(open.body), "securitySchemes")
      })
    )

    it.effect(
      "refuses a token that does not count whatever is called, public tools too, so that hosts refresh it",
      () =>
        Effect.gen(function* () {
          const base = yield* Node
          const url = `${base}/mcp/connect`
          for (const headers of [
            { authorization: "Bearer nothing" },
            { authorization: `Bearer ${ownKey}` },
            { authorization: `Bearer ${"x".repeat(5000)}` }
          ]) {
            for (const message of [
              listing,
              { ...listing, method: "initialize" },
              { ...listing, method: "ping" },
              call(1, "search_playrooms"),
              call(1, "create_booking")
            ]) {
              const refused = yield* postJson(url, message, headers)
              assert.strictEqual(refused.status, 401, JSON.stringify(headers))
              const challenge = refused.headers.get("www-authenticate") ?? ""
              assert.match(challenge, /^Bearer /)
              assert.include(challenge, `resource_metadata="${metadata(base)}"`)
              assert.include(challenge, `scope="${all}"`)
              assert.include(challenge, `error="invalid_token"`)
              assert.strictEqual(refused.headers.get("content-type"), "application/problem+json")
              assert.deepInclude(refused.body, { status: 401, code: "sign_in_needed" })
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
            }).then((response) => response.text().then(withoutSchemes))
          )
        for (const message of [
          listing,
          {
            jsonrpc: "2.0",
            id: 2,
            method: "tools/call",
            params: { name: "search_playrooms", arguments: { limit: 1 } }
          },
          {
            jsonrpc: "2.0",
            id: 3,
            method: "tools/call",
            params: { name: "search_playrooms", arguments: { limit: 0 } }
          },
          {
            jsonrpc: "2.0",
            id: 4,
            method: "tools/call",
            params: { name: "get_booking", arguments: { reference: "AAAA-AAAA", contact_email: "ana@example.com" } }
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
          const bearer = { authorization: `bearer ${access_token}` }
          for (const [body, scope] of [
            [call(1, "create_booking"), "bookings:read bookings:write"],
            [call(1, "create_payment_session"), "bookings:read payments:write"],
            [[call(1, "search_playrooms"), call(2, "create_booking"), call(3, "create_payment_session")], all]
          ] as const) {
            const refused = yield* postJson(`${base}/mcp/connect`, body, bearer)
            assert.strictEqual(refused.status, 403)
            if (Array.isArray(body)) assert.propertyVal(refused.body, "code", "not_allowed")
            else assert.propertyVal(refused.body, "id", 1)
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
        const refused = yield* postJson(`${base}/mcp/connect`, call(1, "get_booking"), { origin: base })
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
            params: { name: "get_booking", arguments: { reference: "AAAA-AAAA", contact_email: "ana@example.com" } }
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
  }
)

layer(connectWorld({ connectSignIn: "first" }), { excludeTestServices: true })("with CONNECT_SIGN_IN=first", (it) => {
  it.effect("/mcp/connect asks for a sign-in whatever is called, and its tools say so", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const url = `${base}/mcp/connect`
      for (const message of [listing, { ...listing, method: "initialize" }, call(1, "search_playrooms")]) {
        const refused = yield* postJson(url, message)
        assert.strictEqual(refused.status, 401)
        const challenge = `Bearer resource_metadata="${metadata(base)}", scope="${all}"`
        assert.strictEqual(refused.headers.get("www-authenticate"), challenge)
      }
      const { access_token } = yield* signIn(base)
      const { body, status } = yield* postJson(url, listing, { authorization: `Bearer ${access_token}` })
      assert.strictEqual(status, 200)
      assert.notInclude(JSON.stringify(body), "noauth")
      assert.strictEqual((yield* postJson(`${base}/mcp`, listing)).status, 200)
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
        let answered = 0
        const next = Effect.map(callTool(base, access_token, "search_playrooms", {}), ({ body }) => {
          const text = JSON.stringify(body)
          if (text.includes("structuredContent")) answered++
          return text
        })
        // The limit recovers meanwhile.
        yield* Effect.repeat(next, { until: (text) => text.includes("rate_limited"), times: 1000 })
        assert.isAtLeast(answered, 38)
        const strangers = yield* Effect.forEach(Array.from({ length: 30 }), () =>
          Effect.map(callTool(base, "nothing", "search_playrooms", {}), ({ status }) => status)
        )
        assert.strictEqual(strangers[0], 401)
        assert.include(strangers, 429)
        const visitors = yield* Effect.forEach(Array.from({ length: 30 }), () =>
          Effect.map(postJson(`${base}/mcp/connect`, call(1, "create_booking")), ({ status }) => status)
        )
        assert.include(visitors, 429)
        assert.includeMembers([401, 429], visitors)
      })
    )
  }
)
