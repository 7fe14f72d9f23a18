import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeys, KeyCacheMs } from "../../../src/platform/access/ApiKeys.ts"
import { Grants, signInShares } from "../../../src/domain/oauth/Grants.ts"
import { unusedGrantMs } from "../../../src/domain/oauth/OAuthState.ts"
import { Operators } from "../../../src/domain/catalogue/Operators.ts"
import { dayMs, minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { removeExpired } from "../../../src/domain/people/privacy/Retention.ts"
import { connectWorld, Node, startNode, untilNoticed } from "../../support/ConnectWorld.ts"
import { later, ManualClock, onClock } from "../../support/ManualClock.ts"
import { venue } from "../../support/paymentVenues.ts"
import { authorizeUrl, callTool, codeOf, Person, refresh, register, signIn } from "../../support/Person.ts"

const search = (base: string, token: string) =>
  Effect.map(callTool(base, token, "search_playrooms", {}), ({ status }) => status)

layer(connectWorld(), { excludeTestServices: true })("a grant", (it) => {
  const issued = (scopes: ReadonlyArray<"bookings:read" | "bookings:write" | "payments:write" | "admin">, more = {}) =>
    Effect.map(
      ApiKeys.use(({ create }) => create({ label: "mine", scopes, ...more })),
      ({ key_id, secret }) => ({ key_id, secret: Redacted.value(secret) })
    )

  it.effect("acts as its key: with the scopes that both have, and never as an admin", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const all = "bookings:read bookings:write payments:write"
      const { secret: admin } = yield* issued(["admin"])
      assert.strictEqual((yield* signIn(base, { key: admin, scope: `${all} admin` })).scope, all)
      const { secret: reading } = yield* issued(["bookings:read", "payments:write"])
      assert.strictEqual((yield* signIn(base, { key: reading })).scope, "bookings:read payments:write")
      assert.strictEqual((yield* signIn(base, { key: reading, scope: "bookings:read" })).scope, "bookings:read")
    })
  )

  it.effect("is not made with a key that allows nothing of what is asked for", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const { secret } = yield* issued(["bookings:read"])
      const person = new Person()
      const page = yield* person.open(authorizeUrl(base, yield* register(base), { scope: "payments:write" }).url)
      const seen = yield* person.press(page, "key", { key: secret })
      assert.strictEqual(seen.status, 422)
      assert.include(seen.text, "allows nothing of what is asked for")
    })
  )

  it.effect("ends with its key, on every node, and is not refreshed after that", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const other = yield* startNode({ further: true })
      const { key_id, secret } = yield* issued(["bookings:read"])
      const { access_token, client_id, refresh_token } = yield* signIn(base, { key: secret })
      assert.deepStrictEqual([yield* search(base, access_token), yield* search(other, access_token)], [200, 200])
      yield* ApiKeys.use(({ revoke }) => revoke(key_id))
      yield* untilNoticed
      assert.deepStrictEqual([yield* search(base, access_token), yield* search(other, access_token)], [401, 401])
      const { body, status } = yield* refresh(base, client_id, refresh_token)
      assert.deepStrictEqual([status, body.error], [400, "invalid_grant"])
    }).pipe(Effect.scoped)
  )

  it.effect("ends when its key expires", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const lasts = 10 * minuteMs
      const { secret } = yield* issued(["bookings:read"], { expires_at: (yield* Clock.currentTimeMillis) + lasts })
      const { access_token } = yield* signIn(base, { key: secret })
      assert.strictEqual(yield* search(base, access_token), 200)
      yield* later(lasts)
      assert.strictEqual(yield* search(base, access_token), 401)
    }).pipe(Effect.scoped)
  )

  it.effect("ends when it is revoked, alone: the key and its other grants go on", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const grants = yield* Grants
      const { key_id, secret } = yield* issued(["bookings:read"])
      const one = yield* signIn(base, { key: secret })
      const two = yield* signIn(base, { key: secret })
      const first = (yield* grants.list).find((grant) => grant.key_id === key_id)
      assert.isTrue(yield* grants.revoke(first?.grant_id ?? ""))
      assert.isFalse(yield* grants.revoke("grant_nobody"))
      yield* untilNoticed
      assert.deepStrictEqual([yield* search(base, one.access_token), yield* search(base, two.access_token)], [401, 200])
      assert.strictEqual((yield* ApiKeys.use(({ authenticate }) => authenticate(secret))).key_id, key_id)
    })
  )

  it.effect(
    "that another node has ended is over within seconds, also if the machine's clock steps back meanwhile",
    () =>
      Effect.gen(function* () {
        const base = yield* Node
        const grants = yield* Grants
        const sql = yield* SqlClient.SqlClient
        const clock = new ManualClock()
        clock.step((yield* Clock.currentTimeMillis) - clock.currentTimeMillisUnsafe())
        const { key_id, secret } = yield* issued(["bookings:read"])
        const { access_token } = yield* signIn(base, { key: secret })
        const use = onClock(clock)(grants.authenticate(access_token))
        assert.strictEqual((yield* use).key_id, key_id)
        yield* sql`update connect_grant set revoked_at = now() where key_id = ${key_id}`
        clock.step(-dayMs)
        clock.pass(yield* KeyCacheMs)
        assert.strictEqual((yield* Effect.flip(use))._tag, "ApiKeyInvalid")
      })
  )

  it.effect("of a suspended operator's key is refused as the key itself is", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const { secret } = yield* issued(["bookings:read", "bookings:write"], { operator_id: venue.operator.operator_id })
      const { access_token } = yield* signIn(base, { key: secret })
      const date = new Date((yield* Clock.currentTimeMillis) + 20 * dayMs).toISOString().slice(0, 10)
      const found = yield* callTool(base, access_token, "get_booking_options", {
        playroom_id: venue.playroom.playroom_id,
        date,
        children: 4
      })
      const option_id = /option_[A-Za-z0-9_-]{12,}/.exec(JSON.stringify(found.body))?.[0] ?? assert.fail("no option")
      yield* Operators.use(({ suspend }) => suspend(venue.operator.operator_id, { who: "test" }))
      const refused = yield* callTool(base, access_token, "create_booking", {
        option_id,
        contact: { name: "Ada", email: "ada@example.com" }
      })
      assert.strictEqual(refused.status, 200)
      assert.include(JSON.stringify(refused.body), "operator_unavailable")
      yield* Operators.use(({ resume }) => resume(venue.operator.operator_id, { who: "test" }))
    })
  )

  it.effect("notes its last use, and keeps a guest's key and its client alive while it is used", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const sql = yield* SqlClient.SqlClient
      const { access_token, client_id } = yield* signIn(base, { key: "guest" })
      yield* sql`update api_key set expires_at = now() + interval '1 day' where label like 'guest%'`
      yield* search(base, access_token)
      const mine = Effect.map(
        Grants.use(({ list }) => list),
        (all) => all.find((one) => one.client_id === client_id) ?? assert.fail("no grant")
      )
      // The note is written beside the call, all of it in one statement.
      const grant = yield* Effect.repeat(mine, {
        until: ({ last_used_at }) => last_used_at !== null,
        schedule: Schedule.spaced("20 millis")
      })
      const [key] = yield* sql<{ days: number }>`select extract(day from expires_at - now())::int as days from api_key
        where key_id = ${grant.key_id}`
      assert.isAtLeast(key?.days ?? 0, unusedGrantMs / dayMs - 1)
      const [client] = yield* sql<{ days: number }>`select extract(day from max(expires_at) - now())::int as days
        from connect_state where kind = 'Client'`
      assert.isAtLeast(client?.days ?? 0, unusedGrantMs / dayMs - 1)
    })
  )

  it.effect("that nobody uses for 90 days ends, and what is left of it goes: in batches, and the rest stays", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const sql = yield* SqlClient.SqlClient
      const used = yield* signIn(base, { key: "guest" })
      const unused = yield* signIn(base, { key: "guest" })
      const removed = yield* removeExpired
      assert.strictEqual(removed.unusedGrants, 0)
      yield* sql`update connect_grant set created_at = now() - interval '91 days', last_used_at = null where client_id = ${unused.client_id}`
      yield* sql`update connect_state set expires_at = now() - interval '1 second' where kind = 'Interaction'`
      const again = yield* removeExpired
      assert.strictEqual(again.unusedGrants, 1)
      yield* untilNoticed
      assert.deepStrictEqual(
        [yield* search(base, used.access_token), yield* search(base, unused.access_token)],
        [200, 401]
      )
      assert.deepStrictEqual(yield* sql`select 1 from connect_state where kind = 'Interaction'`, [])
      const [key] = yield* sql<{ revoked: boolean }>`select k.revoked_at is not null as revoked from api_key k
        join connect_grant g on g.key_id = k.key_id where g.client_id = ${unused.client_id}`
      assert.isTrue(key?.revoked)
      yield* sql`update connect_grant set revoked_at = now() - interval '91 days' where client_id = ${unused.client_id}`
      assert.isAtLeast((yield* removeExpired).endedGrants, 1)
      assert.deepStrictEqual(yield* sql`select 1 from connect_grant where client_id = ${unused.client_id}`, [])
    })
  )
})

layer(connectWorld(), { excludeTestServices: true })("guests", (it) => {
  /** As if other senders had used up what all share. */
  const othersTookAll = SqlClient.SqlClient.use(
    (sql) => sql`insert into admission (kind, address, at, beyond_own)
      select 'sign_in', '198.51.100.' || n % 250, now(), true from generate_series(1, ${signInShares.sign_in.available}) n`
  )

  it.effect(
    "from one address get their own when others took the rest, however many ask at once; a key is not counted",
    () =>
      Effect.gen(function* () {
        const base = yield* Node
        const { own } = signInShares.sign_in
        yield* othersTookAll
        const client_id = yield* register(base)
        const pages = yield* Effect.forEach(Array.from({ length: own + 3 }), () => {
          const person = new Person()
          const asking = authorizeUrl(base, client_id)
          return Effect.map(person.open(asking.url), (page) => ({ person, page, asking }))
        })
        const seen = yield* Effect.forEach(pages, ({ page, person }) => person.press(page, "guest"), {
          concurrency: "unbounded"
        })
        assert.strictEqual(seen.filter((one) => codeOf(one) !== "").length, own)
        const refused = seen.filter((one) => codeOf(one) === "")
        for (const { status, text } of refused) {
          assert.strictEqual(status, 429)
          assert.include(text, "over your internet connection within the last hour")
          assert.include(text, "mobile data instead of Wi-Fi")
        }
        const sql = yield* SqlClient.SqlClient
        const [keys] = yield* sql<{ n: number }>`select count(*)::int as n from api_key`
        assert.strictEqual(keys?.n, own)
        assert.strictEqual(yield* search(base, (yield* signIn(base)).access_token), 200)
        yield* sql`update admission set at = at - interval '61 minutes'`
        assert.strictEqual(yield* search(base, (yield* signIn(base, { key: "guest" })).access_token), 200)
      })
  )

  it.effect("who press twice, or on two nodes, are counted once", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from admission`
      const person = new Person()
      const page = yield* person.open(authorizeUrl(base, yield* register(base)).url)
      yield* Effect.forEach([1, 2], () => person.press(page, "guest"), { concurrency: 2 })
      assert.lengthOf(yield* sql`select 1 from admission where kind = 'sign_in'`, 1)
    })
  )
})

layer(connectWorld(), { excludeTestServices: true })("the key of the settings", (it) => {
  it.effect("ends its grants when its secret is replaced", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const sql = yield* SqlClient.SqlClient
      const { access_token } = yield* signIn(base)
      assert.strictEqual(yield* search(base, access_token), 200)
      // As if API_KEY had been another one when the person agreed.
      yield* sql`update connect_grant set key_hash = sha256('another secret')`
      yield* untilNoticed
      assert.strictEqual(yield* search(base, access_token), 401)
    })
  )
})
