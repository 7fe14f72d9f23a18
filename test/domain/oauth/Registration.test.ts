import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { removeExpired } from "../../../src/domain/people/privacy/Retention.ts"
import { signInShares } from "../../../src/domain/oauth/Grants.ts"
import { connectWorld, Node } from "../../support/ConnectWorld.ts"
import {
  authorizeUrl,
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

layer(connectWorld(), { excludeTestServices: true })("a host that registers", (it) => {
  const registered = Effect.fnUntraced(function* (metadata: unknown, headers: Record<string, string> = {}) {
    return yield* postJson(`${yield* Node}/connect/register`, metadata, headers)
  })

  it.effect("gets an id, and no secret where it wants none", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* registered({
        client_name: "Host",
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        scope: "bookings:read everything"
      })
      assert.strictEqual(status, 201, JSON.stringify(body))
      assert.notProperty(body, "client_secret")
      assert.deepStrictEqual(body.grant_types, ["authorization_code", "refresh_token"])
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.strictEqual(headers.get("access-control-allow-origin"), "*")
    })
  )

  for (const method of ["client_secret_post", "client_secret_basic"]) {
    it.effect(`proves itself by ${method}, and the database has no more than a digest of its secret`, () =>
      Effect.gen(function* () {
        const base = yield* Node
        const { body } = yield* registered({ redirect_uris: [redirectUri], token_endpoint_auth_method: method })
        const [client_id, secret] = [String(body.client_id), String(body.client_secret)]
        const asking = authorizeUrl(base, client_id)
        const person = new Person()
        const code = codeOf(yield* person.press(yield* person.open(asking.url), "key", { key: ownKey }))
        const trade = (sent: string) => {
          const form = {
            grant_type: "authorization_code",
            code,
            redirect_uri: redirectUri,
            code_verifier: asking.verifier
          }
          return method === "client_secret_post"
            ? postForm(`${base}/connect/token`, { ...form, client_id, client_secret: sent })
            : postForm(`${base}/connect/token`, form, { authorization: `Basic ${btoa(`${client_id}:${sent}`)}` })
        }
        const wrong = yield* trade(`${secret.slice(0, -1)}x`)
        assert.deepStrictEqual([wrong.status, wrong.body.error], [401, "invalid_client"])
        const without = yield* redeem(base, client_id, code, asking)
        assert.deepStrictEqual([without.status, without.body.error], [401, "invalid_client"])
        const right = yield* trade(secret)
        assert.strictEqual(right.status, 200, JSON.stringify(right.body))
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{ all: string }>`select string_agg(payload::text, '') as all from connect_state`
        assert.notInclude(row?.all ?? secret, secret)
      })
    )
  }

  it.effect("B4: is taken with what this server has, whatever it left empty or wished beside", () =>
    Effect.gen(function* () {
      const empty = { client_uri: "", logo_uri: null, contacts: null, client_name: "", policy_uri: null, scope: null }
      const wishes: ReadonlyArray<readonly [object, string]> = [
        [empty, "client_secret_basic"],
        [{ token_endpoint_auth_method: null }, "client_secret_basic"],
        [{ token_endpoint_auth_method: "" }, "client_secret_basic"],
        [{ token_endpoint_auth_method: "tls_client_auth" }, "none"],
        [{ token_endpoint_auth_method: "none", id_token_signed_response_alg: "ES256", jwks: null }, "none"],
        [
          {
            id_token_signed_response_alg: "ES256",
            subject_type: "pairwise",
            token_endpoint_auth_method: "client_secret_jwt"
          },
          "client_secret_basic"
        ]
      ]
      for (const [wish, method] of wishes) {
        const { body, status } = yield* registered({ redirect_uris: [redirectUri], ...wish })
        assert.strictEqual(status, 201, JSON.stringify(body))
        assert.strictEqual(body.token_endpoint_auth_method, method, JSON.stringify(wish))
        assert.strictEqual("client_secret" in body, method !== "none")
        for (const name of Object.keys(empty)) assert.notProperty(body, name)
        assert.deepInclude(body, { id_token_signed_response_alg: "RS256", subject_type: "public" })
      }
      for (const redirect_uris of [null, "", []]) assert.strictEqual((yield* registered({ redirect_uris })).status, 400)
    })
  )

  it.effect("S4: may be sent back over https, to its own machine, or to its app; nowhere else", () =>
    Effect.gen(function* () {
      for (const uri of [
        "https://host.example/callback?kind=mcp",
        "http://localhost:33418/",
        "http://127.0.0.1:1234/callback",
        "http://[::1]/callback",
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "com.example.app:/callback",
        "vscode://vscode.mcp/callback"
      ]) {
        const { body, status } = yield* registered({ redirect_uris: [uri] })
        assert.strictEqual(status, 201, `${uri} ${JSON.stringify(body)}`)
      }
      for (const uri of [
        "http://host.example/callback",
        "http://localhost.evil.example/callback",
        "https://name:password@host.example/callback",
        "https://host.example/callback#part",
        "https://host.example\\@evil.example/",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        ...["ftp", "smb", "mailto", "tel", "ssh", "ms-settings", "intent", "x"].map(
          (scheme) => `${scheme}://host/path`
        ),
        "nothing",
        `https://host.example/${"x".repeat(2000)}`
      ]) {
        const { body, status } = yield* registered({ redirect_uris: [uri] })
        assert.deepStrictEqual([status, body.error], [400, "invalid_redirect_uri"], uri)
      }
      for (const redirect_uris of [
        undefined,
        [],
        "https://host.example/",
        [1],
        Array.from({ length: 21 }, () => redirectUri)
      ]) {
        const { body, status } = yield* registered({ redirect_uris })
        assert.deepStrictEqual([status, body.error], [400, "invalid_redirect_uri"], JSON.stringify(redirect_uris))
      }
    })
  )

  it.effect("on a person's own machine may come from another port each time, and from no other path or host", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const client_id = yield* register(base, { redirect_uris: ["http://127.0.0.1/callback"] })
      const open = (redirect_uri: string) => new Person().open(authorizeUrl(base, client_id, { redirect_uri }).url)
      assert.strictEqual((yield* open("http://127.0.0.1:50123/callback")).status, 200)
      for (const redirect_uri of [
        "http://127.0.0.1:50123/other",
        "http://localhost:50123/callback",
        "https://127.0.0.1:50123/callback",
        "http://127.0.0.1:50123@evil.example/callback"
      ])
        assert.strictEqual((yield* open(redirect_uri)).status, 400, redirect_uri)
    })
  )

  it.effect("hears what is wrong in the words of RFC 7591 and RFC 6749", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const keyless = yield* registered({ redirect_uris: [redirectUri], token_endpoint_auth_method: "private_key_jwt" })
      assert.deepStrictEqual([keyless.status, keyless.body.error], [400, "invalid_client_metadata"])
      for (const body of ["{", "[]", `"text"`, "null"]) {
        const answer = yield* Effect.promise(() =>
          fetch(`${base}/connect/register`, {
            method: "POST",
            body,
            headers: { "content-type": "application/json" }
          }).then(async (response) => ({ status: response.status, body: JSON.parse(await response.text()) }))
        )
        assert.strictEqual(answer.status, 400, body)
        assert.strictEqual(answer.body.error, "invalid_request", body)
      }
      const large = yield* registered({ redirect_uris: [redirectUri], client_name: "x".repeat(9000) })
      assert.strictEqual(large.status, 413)
      const odd = yield* registered({ redirect_uris: [redirectUri], client_name: "a\u0000b\ud800" })
      assert.strictEqual(odd.status, 201)
      assert.strictEqual((yield* new Person().open(authorizeUrl(base, String(odd.body.client_id)).url)).status, 200)
    })
  )

  it.effect("is answered from pages of any origin", () =>
    Effect.gen(function* () {
      const base = yield* Node
      for (const path of ["/connect/register", "/connect/token", "/connect/revoke"]) {
        const response = yield* Effect.promise(() =>
          fetch(`${base}${path}`, {
            method: "OPTIONS",
            headers: { origin: "https://inspector.example", "access-control-request-method": "POST" }
          })
        )
        assert.strictEqual(response.status, 204)
        assert.strictEqual(response.headers.get("access-control-allow-origin"), "*")
        assert.include(response.headers.get("access-control-allow-headers"), "content-type")
      }
      const { headers } = yield* registered({ redirect_uris: [redirectUri] }, { origin: "https://inspector.example" })
      assert.strictEqual(headers.get("access-control-allow-origin"), "*")
      const document = yield* Effect.promise(() =>
        fetch(`${base}/.well-known/oauth-protected-resource/mcp/connect`, {
          headers: { origin: "https://inspector.example" }
        })
      )
      assert.strictEqual(document.headers.get("access-control-allow-origin"), "*")
    })
  )

  it.effect("is forgotten after a day where nobody signed in through it", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const sql = yield* SqlClient.SqlClient
      const { client_id } = yield* signIn(base)
      const unused = yield* register(base)
      yield* sql`update connect_state set expires_at = expires_at - interval '1 day 1 minute' where kind = 'Client'`
      yield* removeExpired
      assert.strictEqual((yield* new Person().open(authorizeUrl(base, client_id).url)).status, 200)
      const gone = yield* new Person().open(authorizeUrl(base, unused).url)
      assert.strictEqual(gone.status, 400)
      assert.include(gone.text, "<code>invalid_client</code>")
    })
  )
})

layer(connectWorld({ rateLimits: { perAddress: 65, perKey: 100 } }), { excludeTestServices: true })(
  "an address",
  (it) => {
    it.effect(
      "registers its own hosts when others took the rest, and is told whose limit it is and when the next is free",
      () =>
        Effect.gen(function* () {
          const url = `${yield* Node}/connect/register`
          const sql = yield* SqlClient.SqlClient
          const { available, own } = signInShares.registration
          yield* sql`insert into admission (kind, address, at, beyond_own)
          select 'registration', '198.51.100.' || n % 250, now(), true from generate_series(1, ${available}) n`
          const answers = yield* Effect.forEach(Array.from({ length: own + 2 }), (_, n) =>
            // A query is part of the address, and no other address.
            postJson(`${url}${n % 2 === 0 ? "" : "?again"}`, { redirect_uris: [redirectUri] })
          )
          assert.strictEqual(answers.filter(({ status }) => status === 201).length, own)
          const refused = answers.at(-1)
          assert.strictEqual(refused?.status, 429)
          assert.strictEqual(refused?.headers.get("access-control-allow-origin"), "*")
          assert.isAtLeast(Number(refused?.headers.get("retry-after")), 3500)
          assert.match(
            String(refused?.body.error_description),
            /this address has registered .* register again in \d+ s/
          )
          yield* sql`delete from admission`
          // A host's server that registers for each of its people.
          yield* Effect.forEach(Array.from({ length: own + 10 }), () =>
            Effect.map(postJson(url, { redirect_uris: [redirectUri] }), ({ status }) => assert.strictEqual(status, 201))
          )
        })
    )

    it.effect("renews tokens as often as a key calls, so that a host's server does so for many people", () =>
      Effect.gen(function* () {
        const base = yield* Node
        const client_id = yield* register(base)
        // Unknown tokens: the call is answered, and counted all the same.
        const answered: Array<number> = []
        const next = Effect.map(
          Effect.suspend(() => refresh(base, client_id, `r${answered.length}`)),
          ({ status }) => answered.push(status)
        )
        // The limit recovers meanwhile.
        yield* Effect.repeat(next, { until: () => answered.at(-1) === 429, times: 1000 })
        assert.isAtLeast(answered.length, 101)
        assert.strictEqual(answered.pop(), 429)
        assert.isTrue(answered.every((status) => status === 400))
      })
    )

    it.effect("may try as many keys on the page as elsewhere", () =>
      Effect.gen(function* () {
        const base = yield* Node
        const person = new Person()
        const client_id = "nobody"
        // The limit recovers meanwhile: how many tries it takes depends on how fast they are.
        const refused = yield* Effect.repeat(person.open(authorizeUrl(base, client_id).url), {
          until: ({ status }) => status === 429,
          times: 1000
        })
        assert.strictEqual(refused.status, 429)
        assert.include(refused.text, "Too many tries")
      })
    )
  }
)
