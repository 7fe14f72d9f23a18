import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createPublicKey, verify } from "node:crypto"
import { AppConfig } from "../../../src/platform/config/AppConfig.ts"
import { connectWorld, Node, startNode, untilNoticed } from "../../support/ConnectWorld.ts"
import { graceMs } from "../../../src/domain/oauth/OAuthState.ts"
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
  refresh,
  register,
  signIn
} from "../../support/Person.ts"

const Jwk = Schema.Record(Schema.String, Schema.String)
const decodeJwks = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ keys: Schema.TupleWithRest(Schema.Tuple([Jwk]), [Jwk]) }))
)

layer(connectWorld(), { excludeTestServices: true })("two nodes", (it) => {
  it.effect("share all of it: each step of a sign-in may meet another node", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const other = yield* startNode({ further: true })
      const client_id = yield* register(base)
      const asking = authorizeUrl(base, client_id)
      const person = new Person({}, { base, node: other })
      // The page comes from one node; its form goes to the other, and so on.
      const page = yield* person.open(asking.url)
      person.reaches = undefined
      const back = yield* person.press(page, "key", { key: ownKey })
      const tokens = yield* redeem(other, client_id, codeOf(back), asking)
      assert.strictEqual(tokens.status, 200, JSON.stringify(tokens.body))
      const token = String(tokens.body.access_token)
      for (const node of [base, other]) {
        const { body, status } = yield* callTool(node, token, "search_playrooms", {})
        assert.strictEqual(status, 200)
        assert.include(JSON.stringify(body), "playroom_")
      }
      const next = yield* refresh(base, client_id, String(tokens.body.refresh_token))
      assert.strictEqual(next.status, 200)
      // Used on one node, known as used on the other.
      yield* later(graceMs + 1000)
      const again = yield* refresh(other, client_id, String(tokens.body.refresh_token))
      assert.strictEqual(again.body.error, "invalid_grant")
      yield* untilNoticed
      for (const node of [base, other])
        assert.strictEqual((yield* callTool(node, String(next.body.access_token), "search_playrooms", {})).status, 401)
    }).pipe(Effect.scoped)
  )

  it.effect("take a code once between them, sent to both at the same moment", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const other = yield* startNode({ further: true })
      for (let round = 0; round < 5; round++) {
        const client_id = yield* register(base)
        const asking = authorizeUrl(base, client_id)
        const person = new Person()
        const code = codeOf(yield* person.press(yield* person.open(asking.url), "key", { key: ownKey }))
        const codes = yield* Effect.all(
          [redeem(base, client_id, code, asking), redeem(other, client_id, code, asking)],
          {
            concurrency: "unbounded"
          }
        )
        assert.isAtMost(codes.filter(({ status }) => status === 200).length, 1)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("whose clocks differ by half a minute take each other's codes and tokens", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const client_id = yield* register(base)
      const person = new Person()
      const asking = authorizeUrl(base, client_id)
      // The node that gives the code is ahead, then the one that takes it.
      const ahead = Effect.gen(function* () {
        yield* later(30_000)
        return codeOf(yield* person.press(yield* person.open(asking.url), "key", { key: ownKey }))
      }).pipe(Effect.scoped)
      const first = yield* redeem(base, client_id, yield* ahead, asking)
      assert.strictEqual(first.status, 200, JSON.stringify(first.body))
      const next = authorizeUrl(base, client_id)
      const code = codeOf(yield* person.press(yield* person.open(next.url), "key", { key: ownKey }))
      const second = yield* Effect.scoped(Effect.andThen(later(30_000), redeem(base, client_id, code, next)))
      assert.strictEqual(second.status, 200, JSON.stringify(second.body))
      // A token from the future is a token.
      const token = String(second.body.access_token)
      assert.strictEqual((yield* callTool(base, token, "search_playrooms", {})).status, 200)
      assert.strictEqual((yield* refresh(base, client_id, String(second.body.refresh_token))).status, 200)
    })
  )

  it.effect("show the same metadata, whatever host a request names", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const other = yield* startNode({ further: true })
      const read = (node: string, path: string, headers: Record<string, string> = {}) =>
        Effect.promise(() => fetch(`${node}${path}`, { headers }).then((response) => response.text()))
      const document = yield* read(base, "/.well-known/oauth-authorization-server/connect")
      for (const path of [
        "/.well-known/oauth-authorization-server/connect",
        "/.well-known/openid-configuration/connect",
        "/connect/.well-known/openid-configuration"
      ]) {
        assert.strictEqual(yield* read(other, path), document)
        assert.strictEqual(
          yield* read(other, path, { "x-forwarded-host": "evil.example", forwarded: "host=evil.example" }),
          document
        )
      }
      assert.include(document, `"issuer":"${base}/connect"`)
      assert.strictEqual(yield* read(base, "/connect/jwks"), yield* read(other, "/connect/jwks"))
    }).pipe(Effect.scoped)
  )

  it.effect("answer what no client asks with the protocol's error, not with a page or a stack", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const client_id = yield* register(base)
      const html = yield* postForm(`${base}/connect/token`, { grant_type: "nothing" }, { accept: "text/html" })
      assert.strictEqual(html.body.error, "invalid_request")
      const twice = yield* Effect.promise(() =>
        fetch(`${base}/connect/token`, {
          method: "POST",
          body: `grant_type=refresh_token&grant_type=refresh_token&client_id=${client_id}`,
          headers: { "content-type": "application/x-www-form-urlencoded" }
        }).then((response) => response.json())
      )
      assert.propertyVal(twice, "error", "invalid_request")
    })
  )
})

layer(connectWorld({ baseUrl: "https://book.example.com" }), { excludeTestServices: true })(
  "behind a proxy with TLS",
  (it) => {
    it.effect("all addresses are those of BASE_URL, and cookies are sent over TLS only", () =>
      Effect.gen(function* () {
        const node = yield* Node
        const base = "https://book.example.com"
        const client_id = yield* register(node)
        const asking = authorizeUrl(base, client_id)
        const started = yield* Effect.promise(() => fetch(asking.url.replace(base, node), { redirect: "manual" }))
        const cookies = started.headers.getSetCookie()
        assert.isAtLeast(cookies.length, 2)
        for (const cookie of cookies) {
          assert.match(cookie, /; secure/i)
          assert.match(cookie, /; httponly/i)
          assert.match(cookie, /; samesite=lax/i)
          assert.match(cookie, /; path=\/connect\/(consent|authorize)\//i)
        }
        const person = new Person({}, { base, node })
        const back = yield* person.press(yield* person.open(asking.url), "key", { key: ownKey })
        assert.strictEqual(new URL(back.url).searchParams.get("iss"), `${base}/connect`)
        const { body, status } = yield* redeem(node, client_id, codeOf(back), asking)
        assert.strictEqual(status, 200)
        const refused = yield* callTool(node, "nothing", "search_playrooms", {})
        assert.include(refused.headers.get("www-authenticate"), `resource_metadata="${base}/.well-known/`)
        assert.strictEqual((yield* callTool(node, String(body.access_token), "search_playrooms", {})).status, 200)
      })
    )
  }
)

layer(connectWorld(), { excludeTestServices: true })("when the service moves to another BASE_URL", (it) => {
  it.effect("tokens for the old resource count no more", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const { access_token } = yield* signIn(base)
      assert.strictEqual((yield* callTool(base, access_token, "search_playrooms", {})).status, 200)
      const settings = yield* AppConfig
      const moved = yield* startNode({ further: true }).pipe(
        Effect.provideService(AppConfig, { ...settings, baseUrl: "https://new.example.com" })
      )
      assert.strictEqual((yield* callTool(moved, access_token, "search_playrooms", {})).status, 401)
    }).pipe(Effect.scoped)
  )
})

layer(connectWorld(), { excludeTestServices: true })("while the database does not answer", (it) => {
  it.effect("hosts and people are told to try again, and nothing is lost", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const sql = yield* SqlClient.SqlClient
      const client_id = yield* register(base)
      const { access_token, refresh_token } = yield* signIn(base, { client_id })
      const asking = authorizeUrl(base, client_id)
      const person = new Person()
      const page = yield* person.open(asking.url)
      yield* sql`alter table connect_state rename to connect_state_away`
      const token = yield* refresh(base, client_id, refresh_token)
      assert.deepStrictEqual([token.status, token.body.error], [503, "temporarily_unavailable"])
      const registration = yield* postJson(`${base}/connect/register`, { redirect_uris: ["https://host.example/"] })
      assert.deepStrictEqual([registration.status, registration.body.error], [503, "temporarily_unavailable"])
      for (const seen of [
        yield* new Person().open(asking.url),
        yield* person.open(page.url),
        yield* person.press(page, "key", { key: ownKey })
      ]) {
        assert.strictEqual(seen.status, 503)
        assert.include(seen.text, "Try again soon")
      }
      const tool = yield* callTool(base, access_token, "search_playrooms", {})
      assert.strictEqual(tool.status, 503)
      assert.isNotNull(tool.headers.get("retry-after"))
      yield* sql`alter table connect_state_away rename to connect_state`
      assert.strictEqual((yield* refresh(base, client_id, refresh_token)).status, 200)
      assert.notStrictEqual(codeOf(yield* person.press(page, "key", { key: ownKey })), "")
    })
  )
})

layer(connectWorld(), { excludeTestServices: true })("a host that asks for an ID token", (it) => {
  it.effect("gets one that the published keys prove, and that names the key", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const client_id = yield* register(base)
      const asking = authorizeUrl(base, client_id, { scope: "openid bookings:read", nonce: "n" })
      const person = new Person()
      const back = yield* person.press(yield* person.open(asking.url), "key", { key: ownKey })
      const { body } = yield* redeem(base, client_id, codeOf(back), asking)
      const [head = "", payload = "", signature = ""] = String(body.id_token).split(".")
      const { keys } = decodeJwks(
        yield* Effect.promise(() => fetch(`${base}/connect/jwks`).then((response) => response.text()))
      )
      const key = createPublicKey({ key: keys[0], format: "jwk" })
      assert.isTrue(verify("sha256", Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, "base64url")))
      assert.notProperty(keys[0], "d")
      const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString())
      assert.deepInclude(claims, { iss: `${base}/connect`, aud: client_id, sub: "key_environment", nonce: "n" })
    })
  )
})
