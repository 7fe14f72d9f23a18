/** What hosts were seen to send when they sign in and refresh. */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeys } from "../../../src/platform/access/ApiKeys.ts"
import { connectWorld, Node, startNode } from "../../support/ConnectWorld.ts"
import {
  authorizeUrl,
  callTool,
  codeOf,
  ownKey,
  Person,
  postForm,
  redeem,
  redirectUri,
  refresh,
  register,
  signIn
} from "../../support/Person.ts"

const tools = "bookings:read bookings:write payments:write"

layer(connectWorld(), { excludeTestServices: true })("a host", (it) => {
  /** A whole sign-in; `changes` are to the request, `redeemed` to the trade of the code. */
  const connect = Effect.fnUntraced(function* (
    changes: Readonly<Record<string, string | undefined>> = {},
    redeemed: Readonly<Record<string, string>> = {}
  ) {
    const base = yield* Node
    const client_id = yield* register(base)
    const asking = authorizeUrl(base, client_id, changes)
    const person = new Person()
    const back = yield* person.press(yield* person.open(asking.url), "key", { key: ownKey })
    const { body, status } = yield* redeem(base, client_id, codeOf(back), asking, redeemed)
    assert.strictEqual(status, 200, JSON.stringify(body))
    assert.strictEqual((yield* callTool(base, String(body.access_token), "search_playrooms", {})).status, 200)
    return { base, client_id, refresh_token: String(body.refresh_token) }
  })

  it.effect("may spell the resource as it likes: case of scheme and host, default port, a slash at the end", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const { port } = new URL(base)
      for (const resource of [
        `${base}/mcp/connect/`,
        `HTTP://LocalHost:${port}/mcp/connect`,
        `http://LOCALHOST:${port}/mcp/connect/`
      ]) {
        const { client_id, refresh_token } = yield* connect({ resource }, { resource })
        const next = yield* refresh(base, client_id, refresh_token, { resource })
        assert.strictEqual(next.status, 200, JSON.stringify(next.body))
        const token = String(next.body.access_token)
        assert.strictEqual((yield* callTool(base, token, "search_playrooms", {})).status, 200)
      }
    })
  )

  it.effect("is refused another resource, which leaves its refresh token unused", () =>
    Effect.gen(function* () {
      const { base, client_id, refresh_token } = yield* connect()
      const { port } = new URL(base)
      for (const resource of [
        `${base}/mcp`,
        `${base}/mcp/connect/x`,
        `${base}/mcp/connect//`,
        `${base}/MCP/connect`,
        `${base}/mcp/connect?x=1`,
        `${base}/mcp/connect#x`,
        `http://localhost:${Number(port) + 1}/mcp/connect`,
        `https://localhost:${port}/mcp/connect`,
        `http://localhost.:${port}/mcp/connect`,
        `http://user@localhost:${port}/mcp/connect`,
        `http://localhost:${port}\\@evil.example/mcp/connect`,
        "mcp/connect"
      ]) {
        const refused = yield* refresh(base, client_id, refresh_token, { resource })
        assert.deepStrictEqual([refused.status, refused.body.error], [400, "invalid_target"], resource)
      }
      const sql = yield* SqlClient.SqlClient
      const used = yield* sql`select 1 from connect_state where kind = 'RefreshToken' and consumed_at is not null
        and payload ->> 'clientId' = ${client_id}`
      assert.deepStrictEqual(used, [])
      assert.strictEqual((yield* refresh(base, client_id, refresh_token, { resource: "" })).status, 200)
    })
  )

  it.effect("may name no resource at all: when it asks, when it trades the code, when it refreshes", () =>
    Effect.gen(function* () {
      const { base, client_id, refresh_token } = yield* connect({ resource: undefined })
      const next = yield* refresh(base, client_id, refresh_token)
      assert.strictEqual(next.status, 200)
      assert.strictEqual((yield* callTool(base, String(next.body.access_token), "get_booking", {})).status, 200)
    })
  )

  it.effect(
    "that asks for offline_access keeps it, and may repeat the scopes that it asked for when it refreshes",
    () =>
      Effect.gen(function* () {
        const base = yield* Node
        const metadata = yield* Effect.promise(() =>
          fetch(`${base}/.well-known/oauth-authorization-server/connect`).then((response) => response.text())
        )
        assert.include(metadata, `"offline_access"`)
        const resource = yield* Effect.promise(() =>
          fetch(`${base}/.well-known/oauth-protected-resource/mcp/connect`).then((response) => response.text())
        )
        assert.notInclude(resource, "offline_access")
        const sql = yield* SqlClient.SqlClient
        for (const [scope, prompt] of [
          [`${tools} offline_access`, undefined],
          [`offline_access openid ${tools}`, "consent"],
          [`${tools} offline_access`, "login"]
        ] as const) {
          const { client_id, refresh_token } = yield* connect({ scope, prompt })
          const kept = yield* sql<{ scope: string }>`select payload ->> 'scope' as scope from connect_state
          where kind = 'RefreshToken' and payload ->> 'clientId' = ${client_id}`
          assert.sameMembers(kept[0]?.scope.split(" ") ?? [], scope.split(" "))
          const next = yield* refresh(base, client_id, refresh_token, { scope })
          const names = (body: typeof next.body) => new Set(String(body.scope).split(" "))
          assert.deepStrictEqual([next.status, names(next.body)], [200, new Set(scope.split(" "))], `X15 ${scope}`)
          const again = yield* refresh(base, client_id, String(next.body.refresh_token), {
            scope,
            resource: `${base}/mcp/connect`
          })
          assert.strictEqual(again.status, 200)
        }
      })
  )

  it.effect("X15: that has no secret may say so by an empty one, and hears of a revocation in JSON", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const client_id = yield* register(base)
      const asking = authorizeUrl(base, client_id, { scope: `${tools} offline_access` })
      const person = new Person()
      const code = codeOf(yield* person.press(yield* person.open(asking.url), "key", { key: ownKey }))
      const authorization = `Basic ${btoa(`${encodeURIComponent(client_id)}:`)}`
      const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: asking.verifier }
      const { body, status } = yield* postForm(`${base}/connect/token`, form, { authorization })
      assert.strictEqual(status, 200, JSON.stringify(body))
      assert.sameMembers(String(body.scope).split(" "), `${tools} offline_access`.split(" "))
      const wrong = { authorization: `Basic ${btoa(`${client_id}:secret`)}` }
      const token = String(body.refresh_token)
      assert.notStrictEqual((yield* postForm(`${base}/connect/revoke`, { token }, wrong)).status, 200)
      const revoked = yield* postForm(`${base}/connect/revoke`, { token }, { authorization })
      assert.deepStrictEqual([revoked.status, revoked.body], [200, {}])
      assert.strictEqual((yield* refresh(base, client_id, token)).status, 400)
    })
  )

  it.effect("may repeat the scopes that it asked for where the person's key allows less, and gets no more by it", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const { secret } = yield* ApiKeys.use(({ create }) => create({ label: "mine", scopes: ["bookings:read"] }))
      const scope = `${tools} offline_access`
      const { client_id, refresh_token } = yield* signIn(base, { key: Redacted.value(secret), scope })
      const next = yield* refresh(base, client_id, refresh_token, { scope })
      const kept = [200, "bookings:read offline_access"]
      assert.deepStrictEqual([next.status, next.body.scope], kept, JSON.stringify(next.body))
      const refused = yield* callTool(base, String(next.body.access_token), "create_booking", {})
      assert.strictEqual(refused.status, 403)
      const wide = yield* refresh(base, client_id, String(next.body.refresh_token), { scope: "payments:write" })
      assert.deepStrictEqual([wide.status, wide.body.error], [400, "invalid_scope"])
    })
  )

  it.effect("on a person's device comes from another loopback port each time, and is told the issuer each time", () =>
    Effect.gen(function* () {
      const base = yield* Node
      for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
        const client_id = yield* register(base, { redirect_uris: [`http://${host}/callback`] })
        for (const port of [33418, 51234]) {
          const redirect_uri = `http://${host}:${port}/callback`
          const asking = authorizeUrl(base, client_id, { redirect_uri })
          const person = new Person()
          const back = yield* person.press(yield* person.open(asking.url), "key", { key: ownKey })
          const answer = new URL(back.url)
          assert.strictEqual(answer.port, String(port))
          assert.strictEqual(answer.searchParams.get("iss"), `${base}/connect`)
          assert.strictEqual((yield* redeem(base, client_id, codeOf(back), asking, { redirect_uri })).status, 200)
        }
      }
    })
  )

  it.effect("that registers again and again keeps every one of its sign-ins", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const other = yield* startNode({ further: true })
      // One was seen to register 16 times in 11 days.
      const tokens = yield* Effect.forEach(Array.from({ length: 16 }), () => signIn(base))
      assert.strictEqual(new Set(tokens.map(({ client_id }) => client_id)).size, 16)
      for (const { access_token, client_id, refresh_token } of tokens) {
        assert.strictEqual((yield* callTool(other, access_token, "search_playrooms", {})).status, 200)
        assert.strictEqual((yield* refresh(other, client_id, refresh_token)).status, 200)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("that loses the answer to its code asks anew, and the person's other sign-ins go on", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const client_id = yield* register(base)
      const before = yield* signIn(base, { client_id })
      const asking = authorizeUrl(base, client_id)
      const person = new Person()
      const code = codeOf(yield* person.press(yield* person.open(asking.url), "key", { key: ownKey }))
      yield* redeem(base, client_id, code, asking)
      const again = yield* redeem(base, client_id, code, asking)
      assert.deepStrictEqual([again.status, again.body.error], [400, "invalid_grant"])
      assert.strictEqual((yield* callTool(base, before.access_token, "search_playrooms", {})).status, 200)
      const form = yield* postForm(`${base}/connect/token`, {
        grant_type: "refresh_token",
        client_id,
        refresh_token: before.refresh_token
      })
      assert.strictEqual(form.status, 200)
    })
  )

  it.effect("like mcp-remote refreshes in all its processes at once, for as many editors as a person has open", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const other = yield* startNode({ further: true })
      // What mcp-remote 0.15.1 sends.
      const redirect_uri = "http://localhost:40977/oauth/callback"
      const scope = `${tools} offline_access`
      const resource = `${base}/mcp/connect`
      const client_id = yield* register(base, {
        redirect_uris: [redirect_uri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        application_type: "native",
        client_name: "MCP CLI Proxy",
        client_uri: "https://github.com/modelcontextprotocol/mcp-cli",
        software_id: "2e6dc280-f3c3-4e01-99a7-8181dbd1d23d"
      })
      const asking = authorizeUrl(base, client_id, { redirect_uri, scope, prompt: "consent" })
      const person = new Person()
      const back = yield* person.press(yield* person.open(asking.url), "guest")
      const first = yield* redeem(base, client_id, codeOf(back), asking, { redirect_uri, resource })
      assert.strictEqual(first.status, 200, JSON.stringify(first.body))
      let refresh_token = String(first.body.refresh_token)
      for (let hour = 0; hour < 3; hour++) {
        const answers = yield* Effect.all(
          [base, other, base, other].map((node) => refresh(node, client_id, refresh_token, { resource })),
          { concurrency: "unbounded" }
        )
        for (const { body, status } of answers) {
          assert.strictEqual(status, 200, JSON.stringify(body))
          assert.strictEqual(body.refresh_token, answers[0]?.body.refresh_token)
          const token = String(body.access_token)
          assert.strictEqual((yield* callTool(other, token, "search_playrooms", {})).status, 200)
        }
        refresh_token = String(answers[0]?.body.refresh_token)
      }
    }).pipe(Effect.scoped)
  )
})

layer(connectWorld(), { excludeTestServices: true })("signing in at /mcp/connect", (it) => {
  it.effect("a guest agrees, and the host calls tools, refreshes its token, and books under a key of its own", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const client_id = yield* register(base)
      const asking = authorizeUrl(base, client_id)
      const person = new Person()
      const page = yield* person.open(asking.url)
      assert.strictEqual(page.status, 200, page.text)
      assert.include(page.text, "host.example")
      const back = yield* person.press(page, "guest")
      assert.isTrue(back.url.startsWith(`${redirectUri}?`), `${back.status} ${back.url} ${back.text}`)
      const answer = new URL(back.url).searchParams
      assert.strictEqual(answer.get("state"), asking.state)
      assert.strictEqual(answer.get("iss"), `${base}/connect`)
      const tokens = yield* redeem(base, client_id, codeOf(back), asking)
      assert.strictEqual(tokens.status, 200, JSON.stringify(tokens.body))
      assert.strictEqual(tokens.body.expires_in, 3600)
      const found = yield* callTool(base, String(tokens.body.access_token), "search_playrooms", {})
      assert.strictEqual(found.status, 200)
      const again = yield* refresh(base, client_id, String(tokens.body.refresh_token))
      assert.strictEqual(again.status, 200, JSON.stringify(again.body))
      assert.notStrictEqual(again.body.refresh_token, tokens.body.refresh_token)
      const keys = yield* ApiKeys.use(({ list }) => list)
      assert.deepStrictEqual(
        keys.map(({ label }) => label),
        ["guest via host.example"]
      )
    })
  )
  it.effect("a key acts as itself", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const { secret } = yield* ApiKeys.use(({ create }) => create({ label: "mine", scopes: ["bookings:read"] }))
      const { access_token, scope } = yield* signIn(base, { key: Redacted.value(secret) })
      assert.strictEqual(scope, "bookings:read")
      const refused = yield* callTool(base, access_token, "create_booking", {})
      assert.strictEqual(refused.status, 403)
      assert.include(refused.headers.get("www-authenticate"), `error="insufficient_scope"`)
    })
  )
})
