import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeys } from "../../../src/platform/access/ApiKeys.ts"
import { Grants } from "../../../src/domain/oauth/Grants.ts"
import { graceMs, removeUsedSalts } from "../../../src/domain/oauth/OAuthState.ts"
import { connectWorld, Node, startNode, untilNoticed } from "../../support/ConnectWorld.ts"
import { later } from "../../support/ManualClock.ts"
import { type Answered, callTool, postForm, refresh, register, signIn } from "../../support/Person.ts"

const tokenOf = ({ body }: Answered): string => String(body.access_token)
const nextOf = ({ body }: Answered): string => String(body.refresh_token)

layer(connectWorld(), { excludeTestServices: true })("a used refresh token", (it) => {
  const works = Effect.fnUntraced(function* (base: string, token: string) {
    return (yield* callTool(base, token, "search_playrooms", {})).status === 200
  })
  const refused = (answer: Answered) =>
    assert.deepStrictEqual([answer.status, answer.body.error], [400, "invalid_grant"], JSON.stringify(answer.body))
  const given = (answer: Answered) => assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))

  it.effect("gives the same refresh token and a good access token again for a minute, on every node", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const other = yield* startNode({ further: true })
      const { client_id, refresh_token } = yield* signIn(base, { key: "guest" })
      const answers = [
        yield* refresh(base, client_id, refresh_token),
        yield* refresh(other, client_id, refresh_token),
        yield* Effect.scoped(Effect.andThen(later(graceMs - 5000), refresh(base, client_id, refresh_token)))
      ]
      for (const answer of answers) {
        given(answer)
        assert.strictEqual(nextOf(answer), nextOf(answers[0] ?? answer))
        for (const node of [base, other]) assert.isTrue(yield* works(node, tokenOf(answer)))
      }
      assert.notStrictEqual(nextOf(answers[0] ?? assert.fail("no answer")), refresh_token)
      // The successor is a refresh token like any other.
      const next = yield* refresh(other, client_id, nextOf(answers[0] ?? assert.fail("no answer")))
      given(next)
      assert.strictEqual(nextOf(yield* refresh(base, client_id, nextOf(answers[0] ?? next))), nextOf(next))
    }).pipe(Effect.scoped)
  )

  it.effect("sent eight times at once to two nodes gives eight answers with one successor", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const other = yield* startNode({ further: true })
      const { client_id, ...first } = yield* signIn(base, { key: "guest" })
      let refresh_token = first.refresh_token
      for (let round = 0; round < 4; round++) {
        const answers = yield* Effect.all(
          [base, other, base, other, base, other, base, other].map((node) => refresh(node, client_id, refresh_token)),
          { concurrency: "unbounded" }
        )
        answers.forEach(given)
        assert.strictEqual(new Set(answers.map(nextOf)).size, 1)
        for (const answer of answers) assert.isTrue(yield* works(other, tokenOf(answer)))
        refresh_token = nextOf(answers[0] ?? assert.fail("no answer"))
      }
    }).pipe(Effect.scoped)
  )

  it.effect("ends the grant later than a minute after its use, on any node, and every token with it", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const other = yield* startNode({ further: true })
      const { client_id, refresh_token } = yield* signIn(base, { key: "guest" })
      const next = yield* refresh(base, client_id, refresh_token)
      const last = yield* refresh(base, client_id, nextOf(next))
      yield* later(graceMs + 1000)
      refused(yield* refresh(other, client_id, refresh_token))
      yield* untilNoticed
      assert.isFalse(yield* works(base, tokenOf(last)))
      refused(yield* refresh(base, client_id, nextOf(last)))
    }).pipe(Effect.scoped)
  )

  it.effect("is nothing to another client, which neither gets tokens by it nor ends the grant", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const { client_id, refresh_token } = yield* signIn(base)
      const stranger = yield* register(base)
      refused(yield* refresh(base, stranger, refresh_token))
      const next = yield* refresh(base, client_id, refresh_token)
      given(next)
      refused(yield* refresh(base, stranger, refresh_token))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* later(graceMs + 1000)
          refused(yield* refresh(base, stranger, refresh_token))
        })
      )
      assert.isTrue(yield* works(base, tokenOf(next)))
      given(yield* refresh(base, client_id, nextOf(next)))
    })
  )

  it.effect("gives nothing once the grant or its key has ended, within the minute too", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const grants = yield* Grants
      const keys = yield* ApiKeys
      const { key_id, secret } = yield* keys.create({ label: "mine", scopes: ["bookings:read"] })
      for (const end of ["client", "operator", "key"] as const) {
        const { client_id, refresh_token } = yield* signIn(base, { key: Redacted.value(secret) })
        const next = yield* refresh(base, client_id, refresh_token)
        given(next)
        if (end === "client") yield* postForm(`${base}/connect/revoke`, { token: nextOf(next), client_id })
        else if (end === "key") yield* keys.revoke(key_id)
        else {
          const mine = (yield* grants.list).findLast((grant) => grant.client_id === client_id)
          assert.isTrue(yield* grants.revoke(mine?.grant_id ?? ""))
        }
        yield* untilNoticed
        refused(yield* refresh(base, client_id, refresh_token))
        refused(yield* refresh(base, client_id, nextOf(next)))
        assert.isFalse(yield* works(base, tokenOf(next)))
      }
    })
  )

  it.effect("in a thief's hands lasts until owner and thief use one token more than a minute apart", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const { client_id, refresh_token } = yield* signIn(base)
      const owner = yield* refresh(base, client_id, refresh_token)
      const thief = yield* refresh(base, client_id, refresh_token)
      given(thief)
      const ownersNext = yield* refresh(base, client_id, nextOf(owner))
      given(ownersNext)
      yield* later(graceMs + 1000)
      refused(yield* refresh(base, client_id, nextOf(thief)))
      yield* untilNoticed
      for (const token of [owner, thief, ownersNext].map(tokenOf)) assert.isFalse(yield* works(base, token))
    }).pipe(Effect.scoped)
  )

  it.effect("serves while nodes' clocks differ by half a minute, and not if a clock was set back by an hour", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const { client_id, refresh_token } = yield* signIn(base)
      const at = (ms: number) => Effect.scoped(Effect.andThen(later(ms), refresh(base, client_id, refresh_token)))
      const ahead = yield* at(30_000)
      given(ahead)
      const behind = yield* refresh(base, client_id, refresh_token)
      given(behind)
      assert.strictEqual(nextOf(behind), nextOf(ahead))
      refused(yield* at(-3_600_000))
    })
  )

  it.effect("was used by a node of the previous release: ends the grant, as there", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const sql = yield* SqlClient.SqlClient
      const { client_id, refresh_token } = yield* signIn(base)
      const now = new Date(yield* Clock.currentTimeMillis)
      yield* sql`update connect_state set consumed_at = ${now}
        where kind = 'RefreshToken' and payload ->> 'clientId' = ${client_id}`
      refused(yield* refresh(base, client_id, refresh_token))
    })
  )

  it.effect("leaves nothing behind by which a reader of the database could tell the next one", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const sql = yield* SqlClient.SqlClient
      const salted = Effect.map(
        sql`select 1 from connect_state where successor_salt is not null`,
        (rows) => rows.length
      )
      const { client_id, refresh_token } = yield* signIn(base)
      const next = yield* refresh(base, client_id, refresh_token)
      const [row] = yield* sql<{ all: string }>`select string_agg(s::text, '') as all from connect_state s`
      for (const secret of [refresh_token, nextOf(next), tokenOf(next)]) assert.notInclude(row?.all ?? secret, secret)
      assert.isAbove(yield* salted, 0)
      const now = yield* Clock.currentTimeMillis
      assert.strictEqual(yield* removeUsedSalts(now, 500), 0)
      const all = yield* salted
      assert.strictEqual(yield* removeUsedSalts(now + 3 * graceMs, 1), 1)
      assert.strictEqual(yield* removeUsedSalts(now + 3 * graceMs, 500), all - 1)
      assert.strictEqual(yield* salted, 0)
    })
  )
})
