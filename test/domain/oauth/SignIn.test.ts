import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { ApiKeys } from "../../../src/platform/access/ApiKeys.ts"
import { connectWorld, Node } from "../../support/ConnectWorld.ts"
import {
  authorizeUrl,
  callTool,
  codeOf,
  Person,
  redeem,
  redirectUri,
  refresh,
  register,
  signIn
} from "../../support/Person.ts"

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
