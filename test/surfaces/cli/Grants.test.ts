import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeys, unguarded } from "../../../src/platform/access/ApiKeys.ts"
import { Grants } from "../../../src/domain/oauth/Grants.ts"
import { commandWorld, member, parsed, playroom } from "../../support/CommandLine.ts"

layer(commandWorld)("playroom grant", (it) => {
  const agreed = Effect.gen(function* () {
    const { key_id, secret } = yield* ApiKeys.use(({ create }) => create({ label: "mine", scopes: ["bookings:read"] }))
    const { grant_id } = yield* Grants.use(({ agree }) =>
      agree(
        {
          consent: randomUUID(),
          scopes: ["bookings:read"],
          client_id: "client",
          client_name: "Example \u001b[31mHost",
          host: "host.example",
          proven: false,
          address: "192.0.2.1",
          key: secret
        },
        unguarded
      )
    )
    return { key_id, grant_id }
  })

  it.effect("lists what people agreed to, and so does the list of keys, with host and last use", () =>
    Effect.gen(function* () {
      assert.include((yield* playroom("grant", "list")).out, "Nobody has signed in")
      const { grant_id, key_id } = yield* agreed
      const { out } = yield* playroom("grant", "list")
      for (const text of [grant_id, key_id, "host.example (unconfirmed)", "never", "bookings:read"])
        assert.include(out, text)
      assert.notInclude(out, "\u001b")
      const keys = yield* playroom("key", "list")
      assert.include(keys.out, "host.example (never)")
      const [first] = [parsed((yield* playroom("key", "list", "--json")).out)].flat()
      assert.deepStrictEqual(member(first, "grants"), [{ grant_id, host: "host.example", last_used_at: null }])
    })
  )

  it.effect("ends one at once, and says so of none", () =>
    Effect.gen(function* () {
      const { grant_id } = yield* agreed
      assert.include((yield* playroom("grant", "revoke", grant_id)).out, "has ended")
      assert.isFalse(yield* Grants.use(({ counts }) => counts(grant_id)))
      assert.include((yield* playroom("grant", "list")).out, "ended ")
      assert.include(
        (yield* playroom("grant", "revoke", "grant_nobody")).failure ?? "",
        "There is no grant grant_nobody"
      )
    })
  )

  it.effect("ends with its key: playroom key revoke", () =>
    Effect.gen(function* () {
      const { grant_id, key_id } = yield* agreed
      assert.isTrue(yield* Grants.use(({ counts }) => counts(grant_id)))
      yield* playroom("key", "revoke", key_id)
      assert.isFalse(yield* Grants.use(({ counts }) => counts(grant_id)))
    })
  )

  it.effect("has keys that the doctor names a month before their year is over, until they are rotated", () =>
    Effect.gen(function* () {
      assert.include((yield* playroom("doctor")).out, "All is well")
      yield* playroom("connect", "rotate-keys")
      assert.include((yield* playroom("doctor")).out, "All is well")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update connect_key set created_at = created_at - interval '336 days'`
      const sick = yield* playroom("doctor")
      assert.include(sick.out, "keys near their end")
      assert.include(sick.out, "playroom connect rotate-keys")
      assert.isUndefined((yield* playroom("connect", "rotate-keys")).failure)
      assert.include((yield* playroom("doctor")).out, "All is well")
    })
  )
})
