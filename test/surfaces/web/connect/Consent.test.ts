import { assert, layer } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { SqlClient } from "effect/sql"
import { graceMs } from "../../../../src/domain/oauth/OAuthState.ts"
import { later } from "../../../support/ManualClock.ts"
import { Grants } from "../../../../src/domain/oauth/Grants.ts"
import { connectWorld, Node } from "../../../support/ConnectWorld.ts"
import {
  authorizeUrl,
  callTool,
  codeOf,
  ownKey,
  Person,
  redeem,
  redirectUri,
  register
} from "../../../support/Person.ts"

layer(connectWorld(), { excludeTestServices: true })("the page where a person agrees", (it) => {
  const opened = Effect.fnUntraced(function* (
    metadata: Record<string, unknown> = {},
    headers: Record<string, string> = {}
  ) {
    const base = yield* Node
    const redirect = Array.isArray(metadata.redirect_uris) ? String(metadata.redirect_uris[0]) : redirectUri
    const client_id = yield* register(base, metadata)
    const asking = authorizeUrl(base, client_id, { redirect_uri: redirect })
    const person = new Person(headers)
    return { base, client_id, asking, person, page: yield* person.open(asking.url) }
  })

  it.effect("says who asks, what for, and where the person is sent back, and is kept by nobody", () =>
    Effect.gen(function* () {
      const { page } = yield* opened()
      assert.strictEqual(page.status, 200)
      for (const text of [
        "host.example",
        "Example Host",
        "Nobody has checked this name",
        redirectUri,
        "See the bookings"
      ])
        assert.include(page.text, text)
      assert.strictEqual(page.headers.get("cache-control"), "no-store")
      assert.strictEqual(page.headers.get("referrer-policy"), "no-referrer")
      const policy = page.headers.get("content-security-policy") ?? ""
      assert.include(policy, "frame-ancestors 'none'")
      assert.include(policy, "default-src 'none'")
      assert.include(policy, "form-action 'self' https://host.example;")
      assert.notInclude(page.text, "<script")
    })
  )

  it.effect("lets its forms lead to where the client's own redirects go, and nowhere else", () =>
    Effect.gen(function* () {
      for (const [redirect, source] of [
        ["http://localhost:33418/callback", "http://localhost:33418"],
        ["http://127.0.0.1/callback", "http://127.0.0.1"],
        ["http://[::1]:5000/callback", "http:"],
        ["cursor://anysphere.cursor-mcp/oauth/callback", "cursor:"]
      ] as const) {
        const { page } = yield* opened({ redirect_uris: [redirect] })
        assert.strictEqual(page.status, 200, `${redirect} ${page.text}`)
        assert.include(page.headers.get("content-security-policy"), `form-action 'self' ${source};`)
        assert.include(page.text, "Connect a program on your device?")
      }
    })
  )

  it.effect("shows a hostile name as text, without what turns or hides it, and not without end", () =>
    Effect.gen(function* () {
      for (const [client_name, shown] of [
        ["<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
        [`"><img src=x onerror=alert(1)>`, "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;"],
        ["Goog\u202Eelg\u200B\u2066le", "Googelgle"],
        ["two\r\nlines\u0000and\u0007more", "two lines and more"],
        ["Zal\u0300\u0301\u0302\u0303\u0304\u0305\u0306go", "Zal\u0300\u0301\u0302go".normalize("NFC")],
        ["x".repeat(5000), `${"x".repeat(79)}…`]
      ] as const) {
        const { page } = yield* opened({ client_name })
        assert.include(page.text, `<bdi>${shown}</bdi>`, JSON.stringify(client_name.slice(0, 40)))
        assert.notInclude(page.text, "<script>alert")
        assert.notInclude(page.text, "<img")
      }
      const { page } = yield* opened({ client_name: "\u200B\u202E" })
      assert.include(page.text, "Nobody has checked who this is.")
    })
  )

  it.effect("takes no app for a host, whatever its scheme looks like", () =>
    Effect.gen(function* () {
      const { page } = yield* opened({ redirect_uris: ["claude.ai:/callback/\u202Emoc.live"], client_name: "Claude" })
      assert.strictEqual(page.status, 200)
      assert.include(page.text, "Connect a program on your device?")
      assert.notInclude(page.text, "Connect <bdi>claude.ai")
      assert.include(page.text, "claude.ai:/callback/%E2%80%AEmoc.live")
      assert.notInclude(page.text, "\u202E")
    })
  )

  it.effect("shows of a long host the end, which says whose it is", () =>
    Effect.gen(function* () {
      const redirect = `https://claude.ai.${"x".repeat(60)}.${"y".repeat(60)}.evil.example/`
      const { page } = yield* opened({ redirect_uris: [redirect] })
      assert.match(page.text, /<h1>Connect <bdi>…[xy.]+\.evil\.example<\/bdi>\?/)
    })
  )

  it.effect("makes one grant of several clicks at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [decision, fields] of [
        ["guest", {}],
        ["key", { key: ownKey }]
      ] as const) {
        yield* sql`delete from connect_grant`
        const { base, client_id, asking, page, person } = yield* opened()
        const seen = yield* Effect.forEach([1, 2, 3], () => person.press(page, decision, fields), {
          concurrency: "unbounded"
        })
        assert.strictEqual((yield* sql`select 1 from connect_grant`).length, 1, decision)
        const codes = seen.filter(({ url }) => url.startsWith(`${redirectUri}?`)).map(codeOf)
        const [code = assert.fail("no code")] = codes
        assert.strictEqual((yield* redeem(base, client_id, code, asking)).status, 200)
      }
    })
  )

  it.effect("speaks the browser's language", () =>
    Effect.gen(function* () {
      for (const [language, text] of [
        ["de", "Als Gast verbinden"],
        ["fr", "Connecter en tant qu’invité"],
        ["es", "Conectar como invitado"],
        ["ja", "ゲストとして接続する"],
        ["sv", "Connect as a guest"]
      ] as const) {
        const { page } = yield* opened({}, { "accept-language": language })
        assert.include(page.text, text)
        assert.include(page.text, `<html lang="${language === "sv" ? "en" : language}">`)
        assert.include(page.headers.get("vary"), "accept-language")
      }
    })
  )

  it.effect("says so where the browser keeps no cookies, and to whoever was given its address by another", () =>
    Effect.gen(function* () {
      const { asking, page } = yield* opened()
      const forgetful = new Person()
      forgetful.keepsCookies = false
      for (const seen of [yield* forgetful.open(asking.url), yield* new Person().open(page.url)]) {
        assert.strictEqual(seen.status, 400)
        assert.include(seen.text, "Your browser did not keep our cookie")
        assert.notInclude(seen.text, "form_token")
      }
      const foreign = yield* new Person().press(page, "guest")
      assert.include(foreign.text, "Your browser did not keep our cookie")
    })
  )

  it.effect("takes an answer from its own form only", () =>
    Effect.gen(function* () {
      const { page, person } = yield* opened()
      const { page: other } = yield* opened()
      const grants = yield* Grants
      const before = (yield* grants.list).length
      for (const text of [
        "",
        other.text,
        page.text.replaceAll(/name="form_token" value="[^"]+"/g, `name="form_token" value="${"A".repeat(43)}"`)
      ]) {
        const seen = yield* person.press({ ...page, text }, "key", { key: ownKey })
        assert.strictEqual(seen.status, 400)
        assert.include(seen.text, "This page has expired")
      }
      assert.strictEqual((yield* person.press(page, "nothing")).status, 400)
      assert.strictEqual((yield* grants.list).length, before)
    })
  )

  it.effect("takes one answer: who presses twice arrives at the host twice, by one grant", () =>
    Effect.gen(function* () {
      const { asking, base, client_id, page, person } = yield* opened()
      const grants = yield* Grants
      const before = (yield* grants.list).length
      const backs = [
        yield* person.press(page, "guest"),
        yield* person.press(page, "guest"),
        // In another tab, or by "back": what counts is the first answer.
        yield* person.press(page, "refusal"),
        yield* person.open(page.url)
      ]
      const codes = backs.map(codeOf)
      assert.notInclude(codes, "")
      assert.strictEqual(new Set(codes).size, codes.length, "a code that is sent twice would end the grant")
      assert.strictEqual((yield* grants.list).length, before + 1)
      // Whichever the host gets, and if it gets all of them.
      for (const code of codes) {
        const { body, status } = yield* redeem(base, client_id, code, asking)
        assert.strictEqual(status, 200, JSON.stringify(body))
        const token = String(body.access_token)
        assert.strictEqual((yield* callTool(base, token, "search_playrooms", {})).status, 200)
      }
    })
  )

  it.effect("says to whoever presses again later, or reloads what comes after, that it was answered", () =>
    Effect.gen(function* () {
      const { page, person } = yield* opened()
      const grants = yield* Grants
      const sql = yield* SqlClient.SqlClient
      const resumed = page.url.replace("/consent/", "/authorize/")
      assert.notStrictEqual(codeOf(yield* person.press(page, "key", { key: ownKey })), "")
      const made = (yield* grants.list).length
      const codes = sql`select 1 from connect_state where kind = 'AuthorizationCode'`
      const before = (yield* codes).length
      yield* later(graceMs + 1000)
      for (const seen of [
        yield* person.press(page, "key", { key: ownKey }),
        yield* person.open(page.url),
        yield* person.open(resumed)
      ]) {
        assert.strictEqual(seen.status, 200, seen.text)
        assert.include(seen.text, "You have already answered")
        assert.notInclude(seen.text, "form_token")
      }
      assert.strictEqual((yield* grants.list).length, made)
      assert.strictEqual((yield* codes).length, before)
      // Nobody else goes on by it.
      const stranger = yield* new Person().open(page.url)
      assert.include(stranger.text, "Your browser did not keep our cookie")
    }).pipe(Effect.scoped)
  )

  it.effect("that a person refused sends them back as refused, however often they press", () =>
    Effect.gen(function* () {
      const { page, person } = yield* opened()
      for (const decision of ["refusal", "guest"]) {
        const { url } = yield* person.press(page, decision)
        assert.strictEqual(new URL(url).searchParams.get("error"), "access_denied")
      }
    })
  )

  it.effect("says what is wrong with a key, and lets the person try again", () =>
    Effect.gen(function* () {
      const { page, person } = yield* opened()
      const empty = yield* person.press(page, "key", { key: " " })
      assert.deepStrictEqual(
        [empty.status, /role="alert"[^>]*>([^<]+)/.exec(empty.text)?.[1]],
        [422, "Paste an API key."]
      )
      const wrong = yield* person.press(page, "key", { key: "playroom_key_wrong" })
      assert.strictEqual(wrong.status, 422)
      assert.include(wrong.text, "This API key is wrong, or has ended.")
      assert.notInclude(wrong.text, "playroom_key_wrong")
      assert.notStrictEqual(codeOf(yield* person.press(wrong, "key", { key: ownKey })), "")
    })
  )

  it.effect("asks each time: that a person agreed before, or has another page open, stands for nothing", () =>
    Effect.gen(function* () {
      const { asking, base, client_id, page, person } = yield* opened()
      const second = authorizeUrl(base, client_id)
      const beside = yield* person.open(second.url)
      assert.include(beside.text, "form_token")
      // The one that was opened last is answered first.
      const secondBack = yield* person.press(beside, "guest")
      const firstBack = yield* person.press(page, "key", { key: ownKey })
      const guest = yield* redeem(base, client_id, codeOf(secondBack), second)
      const key = yield* redeem(base, client_id, codeOf(firstBack), asking)
      assert.deepStrictEqual([guest.status, key.status], [200, 200])
      const sql = yield* SqlClient.SqlClient
      const signed = yield* sql`select sign_in from connect_grant where client_id = ${client_id} order by sign_in`
      assert.deepStrictEqual(signed, [{ sign_in: "guest" }, { sign_in: "key" }])
      assert.strictEqual((yield* callTool(base, String(key.body.access_token), "search_playrooms", {})).status, 200)
      const third = yield* person.open(authorizeUrl(base, client_id).url)
      assert.strictEqual(third.status, 200)
      assert.include(third.text, "form_token")
    })
  )

  it.effect("keeps nothing in the database that a reader of it could use", () =>
    Effect.gen(function* () {
      const { asking, base, client_id, page, person } = yield* opened()
      const { body } = yield* redeem(base, client_id, codeOf(yield* person.press(page, "key", { key: ownKey })), asking)
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{
        all: string
      }>`select string_agg(s::text, '') || (select string_agg(g::text, '') from connect_grant g) as all
        from connect_state s`
      for (const secret of [String(body.access_token), String(body.refresh_token), ownKey, asking.verifier])
        assert.notInclude(row?.all ?? secret, secret)
      assert.deepStrictEqual(yield* sql`select 1 from connect_state where kind = 'Session'`, [])
    })
  )
})

layer(connectWorld({ connect: ["key"] }), { excludeTestServices: true })("with CONNECT=key alone", (it) => {
  it.effect("nobody is offered to be a guest, nor can be", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const person = new Person()
      const page = yield* person.open(authorizeUrl(base, yield* register(base)).url)
      assert.notInclude(page.text, `value="guest"`)
      assert.include(page.text, `value="key"`)
      assert.strictEqual((yield* person.press(page, "guest")).status, 400)
    })
  )
})

layer(connectWorld({ connect: [] }), { excludeTestServices: true })("without CONNECT", (it) => {
  it.effect("none of its addresses is there", () =>
    Effect.gen(function* () {
      const base = yield* Node
      for (const path of [
        "/mcp/connect",
        "/connect/authorize",
        "/connect/token",
        "/connect/register",
        "/connect/jwks",
        "/connect/consent/x",
        "/.well-known/oauth-protected-resource/mcp/connect",
        "/.well-known/oauth-authorization-server/connect",
        "/.well-known/openid-configuration/connect"
      ]) {
        for (const method of ["GET", "POST"]) {
          const response = yield* Effect.promise(() => fetch(`${base}${path}`, { method }))
          assert.strictEqual(response.status, 404, `${method} ${path}`)
          assert.strictEqual(response.headers.get("content-type"), "application/problem+json")
          const problem: unknown = yield* Effect.promise(() => response.json())
          const why = path === "/mcp/connect" ? "People can't sign in here: CONNECT is not set." : undefined
          assert.strictEqual(Predicate.hasProperty(problem, "detail") ? problem.detail : undefined, why)
        }
      }
    })
  )
})
