import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { connectWorld, Node, untilNoticed } from "../../support/ConnectWorld.ts"
import { later } from "../../support/ManualClock.ts"
import {
  authorizeUrl,
  callTool,
  codeOf,
  ownKey,
  Person,
  postForm,
  postJson,
  redeem,
  redirectUri,
  refresh,
  register,
  signIn
} from "../../support/Person.ts"
import { ownResource, withGrantedScopes, withOwnResource } from "../../../src/domain/oauth/OAuthExchange.ts"

layer(connectWorld(), { excludeTestServices: true })("the authorization server", (it) => {
  /** What a host is told where the person is sent back with an error. */
  const sentBack = Effect.fnUntraced(function* (changes: Readonly<Record<string, string | undefined>>) {
    const base = yield* Node
    const asking = authorizeUrl(base, yield* register(base), changes)
    const seen = yield* new Person().open(asking.url)
    assert.match(seen.url, /^https:\/\/host\.example\/callback[?#]/)
    // What would have come in the fragment says there why it does not.
    const searchParams = new URLSearchParams(seen.url.replace(/^[^?#]*[?#]/, ""))
    assert.strictEqual(searchParams.get("iss"), `${base}/connect`)
    assert.strictEqual(searchParams.get("state"), asking.state)
    assert.isNull(searchParams.get("code"))
    return searchParams.get("error")
  })

  for (const [what, changes, error] of [
    ["plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
    ["PKCE without a method, which would mean plain", { code_challenge_method: undefined }, "invalid_request"],
    ["no PKCE", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["a resource that is no address", { resource: "mcp" }, "invalid_target"],
    ["a scope that nobody knows", { scope: "everything" }, "invalid_scope"],
    ["the admin scope", { scope: "admin" }, "invalid_scope"],
    ["a token without a code", { response_type: "token" }, "unsupported_response_type"],
    ["an answer by a form", { response_mode: "form_post" }, "unsupported_response_mode"],
    ["an answer in the fragment", { response_mode: "fragment" }, "unsupported_response_mode"],
    ["consent without asking", { prompt: "none" }, "login_required"],
    ["a request object", { request: "e30.e30." }, "request_not_supported"],
    ["a request by reference", { request_uri: "https://host.example/request" }, "request_uri_not_supported"]
  ] as const) {
    it.effect(`sends a person back with ${error} where a host asks for ${what}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* sentBack(changes), error)
      })
    )
  }

  it.effect("shows a page, and sends nobody anywhere, where the client or its redirect address is unknown", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const client_id = yield* register(base)
      for (const [url, error] of [
        [authorizeUrl(base, "nobody").url, "invalid_client"],
        [authorizeUrl(base, client_id, { client_id: undefined }).url, "invalid_request"],
        [authorizeUrl(base, client_id, { redirect_uri: `${redirectUri}/` }).url, "invalid_redirect_uri"],
        [authorizeUrl(base, client_id, { redirect_uri: `${redirectUri}?x=1` }).url, "invalid_redirect_uri"],
        [authorizeUrl(base, client_id, { redirect_uri: "https://evil.example/" }).url, "invalid_redirect_uri"],
        [authorizeUrl(base, client_id, { redirect_uri: undefined }).url, "invalid_request"]
      ] as const) {
        const seen = yield* new Person().open(url)
        assert.strictEqual(seen.status, 400, url)
        assert.include(seen.text, `<code>${error}</code>`)
        assert.include(seen.headers.get("content-security-policy"), "frame-ancestors 'none'")
      }
    })
  )

  it.effect("takes a host that names no resource, or no scope, to mean what there is", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const client_id = yield* register(base)
      const asking = authorizeUrl(base, client_id, { resource: undefined, scope: undefined })
      const person = new Person()
      const back = yield* person.press(yield* person.open(asking.url), "guest")
      const { body } = yield* redeem(base, client_id, codeOf(back), asking)
      assert.strictEqual(body.scope, "bookings:read bookings:write payments:write")
      assert.strictEqual((yield* callTool(base, String(body.access_token), "search_playrooms", {})).status, 200)
    })
  )

  it.effect("sends a person who refuses back with access_denied", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const asking = authorizeUrl(base, yield* register(base))
      const person = new Person()
      const { url } = yield* person.press(yield* person.open(asking.url), "refusal")
      const { searchParams } = new URL(url)
      assert.strictEqual(searchParams.get("error"), "access_denied")
      assert.strictEqual(searchParams.get("state"), asking.state)
    })
  )

  /** A code that nobody has used yet, and whose it is. */
  const code = Effect.gen(function* () {
    const base = yield* Node
    const client_id = yield* register(base)
    const asking = authorizeUrl(base, client_id)
    const person = new Person()
    const back = yield* person.press(yield* person.open(asking.url), "key", { key: ownKey })
    return { base, client_id, asking, code: codeOf(back) }
  })

  for (const [what, changes] of [
    ["another verifier", { code_verifier: "x".repeat(43) }],
    ["another redirect address", { redirect_uri: "https://host.example/other" }],
    ["another code", { code: "nothing" }]
  ] as const) {
    it.effect(`answers a code with ${what} with invalid_grant`, () =>
      Effect.gen(function* () {
        const { asking, base, client_id, code: own } = yield* code
        const { body, status } = yield* redeem(base, client_id, own, asking, changes)
        assert.deepStrictEqual([status, body.error], [400, "invalid_grant"])
      })
    )
  }

  it.effect("answers a code of one client from another with invalid_grant", () =>
    Effect.gen(function* () {
      const { asking, base, code: own } = yield* code
      const { body, status } = yield* redeem(base, yield* register(base), own, asking)
      assert.deepStrictEqual([status, body.error], [400, "invalid_grant"])
    })
  )

  it.effect("answers a code without a verifier with invalid_grant", () =>
    Effect.gen(function* () {
      const { base, client_id, code: own } = yield* code
      const { body, status } = yield* postForm(`${base}/connect/token`, {
        grant_type: "authorization_code",
        client_id,
        code: own,
        redirect_uri: redirectUri
      })
      assert.deepStrictEqual([status, body.error], [400, "invalid_grant"])
    })
  )

  it.effect("keeps no request that is too long for what a host has to say", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const client_id = yield* register(base)
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from connect_state where kind = 'Interaction'`
      const long = yield* new Person().open(authorizeUrl(base, client_id, { state: "s".repeat(4096) }).url)
      assert.strictEqual(long.status, 414)
      assert.include(long.text, "invalid_request")
      assert.strictEqual((yield* sql`select 1 from connect_state where kind = 'Interaction'`).length, 0)
      const fair = yield* new Person().open(authorizeUrl(base, client_id, { state: "s".repeat(2048) }).url)
      assert.strictEqual(fair.status, 200)
    })
  )

  it.effect("answers a code for another resource with invalid_target", () =>
    Effect.gen(function* () {
      const { asking, base, client_id, code: own } = yield* code
      const { body, status } = yield* redeem(base, client_id, own, asking, { resource: "https://other.example/mcp" })
      assert.deepStrictEqual([status, body.error], [400, "invalid_target"])
    })
  )

  it.effect("takes a code once: the second time ends all that the first one gave", () =>
    Effect.gen(function* () {
      const { asking, base, client_id, code: own } = yield* code
      const first = yield* redeem(base, client_id, own, asking)
      assert.strictEqual(first.status, 200)
      const second = yield* redeem(base, client_id, own, asking)
      assert.deepStrictEqual([second.status, second.body.error], [400, "invalid_grant"])
      assert.strictEqual((yield* callTool(base, String(first.body.access_token), "search_playrooms", {})).status, 401)
      const refreshed = yield* refresh(base, client_id, String(first.body.refresh_token))
      assert.deepStrictEqual([refreshed.status, refreshed.body.error], [400, "invalid_grant"])
    })
  )

  it.effect("takes no code after a minute", () =>
    Effect.gen(function* () {
      const { asking, base, client_id, code: own } = yield* code
      yield* later(61_000)
      const { body, status } = yield* redeem(base, client_id, own, asking)
      assert.deepStrictEqual([status, body.error], [400, "invalid_grant"])
    }).pipe(Effect.scoped)
  )

  it.effect("takes an access token for an hour, and a refresh token longer", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const { access_token, client_id, refresh_token } = yield* signIn(base)
      yield* later(3_601_000)
      const late = yield* callTool(base, access_token, "search_playrooms", {})
      assert.strictEqual(late.status, 401)
      assert.include(late.headers.get("www-authenticate"), `error="invalid_token"`)
      const { body, status } = yield* refresh(base, client_id, refresh_token)
      assert.strictEqual(status, 200)
      assert.strictEqual((yield* callTool(base, String(body.access_token), "search_playrooms", {})).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("narrows a refreshed token's scope where asked, and never widens it", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const { client_id, refresh_token } = yield* signIn(base, { scope: "bookings:read bookings:write" })
      const wide = yield* refresh(base, client_id, refresh_token, { scope: "payments:write" })
      assert.deepStrictEqual([wide.status, wide.body.error], [400, "invalid_scope"])
      const narrow = yield* refresh(base, client_id, refresh_token, { scope: "bookings:read" })
      assert.strictEqual(narrow.body.scope, "bookings:read")
      // Of several, those that were granted.
      const several = yield* refresh(base, client_id, String(narrow.body.refresh_token), {
        scope: "payments:write bookings:write offline_access"
      })
      assert.strictEqual(several.body.scope, "bookings:write")
      const refused = yield* callTool(base, String(narrow.body.access_token), "create_booking", {})
      assert.strictEqual(refused.status, 403)
    })
  )

  it.effect("answers what is no request for a token with the codes of RFC 6749", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const client_id = yield* register(base)
      const url = `${base}/connect/token`
      const other = yield* postForm(url, { grant_type: "password", client_id, username: "a", password: "b" })
      assert.deepStrictEqual([other.status, other.body.error], [400, "unsupported_grant_type"])
      const credentials = yield* postForm(url, { grant_type: "client_credentials", client_id })
      assert.deepStrictEqual([credentials.status, credentials.body.error], [400, "unsupported_grant_type"])
      const nobody = yield* postForm(url, { grant_type: "refresh_token", client_id: "nobody", refresh_token: "x" })
      assert.deepStrictEqual([nobody.status, nobody.body.error], [401, "invalid_client"])
      const nothing = yield* postForm(url, {})
      assert.deepStrictEqual([nothing.status, nothing.body.error], [400, "invalid_request"])
      const json = yield* postJson(url, { grant_type: "refresh_token" })
      assert.deepStrictEqual([json.status, json.body.error], [400, "invalid_request"])
      const large = yield* postForm(url, { grant_type: "refresh_token", client_id, refresh_token: "x".repeat(20_000) })
      assert.deepStrictEqual([large.status, large.body.error], [413, "invalid_request"])
      const got = yield* Effect.promise(() => fetch(url))
      assert.deepStrictEqual([got.status, got.headers.get("allow")], [405, "POST, OPTIONS"])
    })
  )

  it.effect("ends a grant where its own client revokes one of its tokens, and no other client can", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const { access_token, client_id, refresh_token } = yield* signIn(base)
      const url = `${base}/connect/revoke`
      const foreign = yield* postForm(url, { token: refresh_token, client_id: yield* register(base) })
      assert.strictEqual(foreign.status, 200)
      assert.strictEqual((yield* callTool(base, access_token, "search_playrooms", {})).status, 200)
      assert.strictEqual((yield* postForm(url, { token: "nothing", client_id })).status, 200)
      assert.strictEqual((yield* postForm(url, { token: refresh_token, client_id })).status, 200)
      yield* untilNoticed
      assert.strictEqual((yield* callTool(base, access_token, "search_playrooms", {})).status, 401)
      assert.strictEqual((yield* refresh(base, client_id, refresh_token)).body.error, "invalid_grant")
    })
  )
})

const own = "https://book.example.com/mcp/connect"

const address = { resource: own, allowedHosts: ["second.example"] }

it("a resource is one address, whatever the case of its host, its default port or a slash at its end", () => {
  for (const same of [
    own,
    `${own}/`,
    "https://Book.Example.COM/mcp/connect",
    "HTTPS://book.example.com:443/mcp/connect/",
    "https://Second.example/mcp/connect"
  ]) {
    assert.strictEqual(ownResource(same, address), own, same)
  }
  for (const other of [
    "",
    "https://book.example.com",
    "https://book.example.com:444/mcp/connect",
    "http://book.example.com/mcp/connect",
    "https://book.example.com/mcp",
    "https://book.example.com/mcp/Connect",
    "https://book.example.com/mcp/connect//",
    "https://book.example.com/mcp/connect?a=b",
    "https://book.example.com/mcp/connect#",
    "https://book.example.com.evil.example/mcp/connect",
    "https://book.example.com@evil.example/mcp/connect",
    "https://book.example.com\\@evil.example/mcp/connect",
    "https:book.example.com/mcp/connect",
    "http://second.example/mcp/connect",
    "https://second.example.evil.example/mcp/connect",
    "https://third.example/mcp/connect"
  ])
    assert.isUndefined(ownResource(other, address), other)
})

it("a request for a token keeps everything that is not its resource or its scopes, byte for byte if it names neither", () => {
  const plain = "grant_type=refresh_token&refresh_token=a%2Bb+c"
  assert.strictEqual(withOwnResource(plain, address), plain)
  const named = `${plain}&resource=${encodeURIComponent(`${own}/`)}`
  assert.strictEqual(withOwnResource(named, address), `${plain}&resource=${encodeURIComponent(own)}`)
  assert.isUndefined(withOwnResource(`${named}&resource=https%3A%2F%2Fevil.example%2F`, address))
  assert.strictEqual(withGrantedScopes(plain, new Set(["a"])), plain)
  assert.strictEqual(withGrantedScopes(`${plain}&scope=b+a`, new Set(["a"])), `${plain}&scope=a`)
  // Nothing of it was granted: left for the library to refuse.
  assert.strictEqual(withGrantedScopes(`${plain}&scope=b`, new Set(["a"])), `${plain}&scope=b`)
})
