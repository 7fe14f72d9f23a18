import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connectWorld, Node, startNode } from "../../support/ConnectWorld.ts"
import {
  authorizeUrl,
  callTool,
  codeOf,
  ownKey,
  Person,
  postForm,
  redeem,
  refresh,
  register
} from "../../support/Person.ts"

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
      const again = yield* refresh(other, client_id, String(tokens.body.refresh_token))
      assert.strictEqual(again.body.error, "invalid_grant")
      yield* Effect.sleep("2100 millis")
      for (const node of [base, other])
        assert.strictEqual((yield* callTool(node, String(next.body.access_token), "search_playrooms", {})).status, 401)
    }).pipe(Effect.scoped)
  )

  it.effect("take a code or a refresh token once between them, sent to both at the same moment", () =>
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
        const next = authorizeUrl(base, client_id)
        const nextCode = codeOf(yield* person.press(yield* person.open(next.url), "key", { key: ownKey }))
        const { body } = yield* redeem(base, client_id, nextCode, next)
        const refreshes = yield* Effect.all(
          [base, other, base, other].map((node) => refresh(node, client_id, String(body.refresh_token))),
          { concurrency: "unbounded" }
        )
        const given = refreshes.filter(({ status }) => status === 200)
        assert.isAtMost(given.length, 1)
        yield* Effect.sleep("50 millis")
        for (const { body } of given)
          assert.strictEqual(
            (yield* refresh(base, client_id, String(body.refresh_token))).body.error,
            "invalid_grant",
            "the family lives"
          )
      }
    }).pipe(Effect.scoped)
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
