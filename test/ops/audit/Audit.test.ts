/** Sound data of every kind, and faults planted in it one by one: each is rolled back before the next. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Audit, storedCodes } from "../../../src/ops/audit/Audit.ts"
import { AppConfig } from "../../../src/platform/config/AppConfig.ts"
import {
  PaymentGateway,
  ProviderUnavailable,
  type UnavailableKind
} from "../../../src/domain/payment/provider/PaymentGateway.ts"
import { createBooking, paidBooking, paymentWorld } from "../../support/PaymentWorld.ts"
import { testSettings } from "../../support/testSettings.ts"
import { commandWorld, playroom } from "../../support/CommandLine.ts"
import { faults, schemaFaults } from "./faults.ts"
import { RolledBack, scene } from "./scene.ts"

const audited = Audit.use(({ rows }) => rows)
const schemaAudited = Audit.use(({ schema }) => schema)

layer(Layer.provideMerge(Audit.layer, paymentWorld()), { timeout: 120_000 })("the audit", (it) => {
  it.effect(
    "blames no sound data, and finds each of fifty planted faults by its name",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const all = yield* scene
        assert.deepStrictEqual(yield* audited, [])
        assert.deepStrictEqual(yield* schemaAudited, [])
        for (const { about, also = [], plant, what } of [...faults, ...schemaFaults]) {
          const look = what.endsWith("in the schema") ? schemaAudited : audited
          const found = yield* sql
            .withTransaction(
              Effect.gen(function* () {
                // What is planted is what other hands leave behind: past the foreign keys, too.
                yield* sql`set local session_replication_role = replica`
                for (const statement of plant(all)) yield* sql.unsafe(statement)
                return yield* new RolledBack({ found: yield* look })
              })
            )
            .pipe(Effect.catchTag("RolledBack", ({ found }) => Effect.succeed(found)))
          const told = JSON.stringify(found, undefined, 1)
          assert.includeMembers([what, ...also], [...new Set(found.map((one) => one.what))], `${what}: ${told}`)
          const one = found.find((finding) => finding.what === what) ?? assert.fail(`${what} is not found: ${told}`)
          if (about !== undefined) assert.include(one.id, about(all), told)
        }
        assert.sameMembers(
          [...storedCodes],
          [...new Set([...faults, ...schemaFaults].map(({ what }) => what))],
          "a kind of fault that is never planted"
        )
        assert.isAtLeast(faults.length, 50)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* audited, [])
      }),
    120_000
  )

  it.effect("reads every page, and names so many rows of a kind that their cause can be found", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const without = Effect.map(audited, (found) =>
        found.filter(({ what }) => what === "idempotency key without a result").map(({ id }) => id)
      )
      const booking = yield* createBooking()
      // Among 1000 rows, in the order of the key.
      yield* sql`insert into idempotency (key_id, operation, idempotency_key, fingerprint, result_id, created_at)
        select 'key_z', 'create_booking', to_char(n, 'FM0000'), sha256(''), ${booking.booking_id}, now() from generate_series(1, 1000) n`
      assert.deepStrictEqual(yield* without, [])
      yield* sql`update idempotency set result_id = 'booking_lost' where key_id = 'key_z' and idempotency_key in ('0001', '0200', '0601', '1000')`
      assert.deepStrictEqual(yield* without, ["key_z 0001", "key_z 0200", "key_z 0601", "key_z 1000"])
      yield* sql`update idempotency set result_id = 'booking_lost' where key_id = 'key_z'`
      assert.deepStrictEqual((yield* without).length, 21)
      yield* sql`delete from idempotency where key_id = 'key_z'`
    })
  )
})

layer(commandWorld)("playroom doctor --audit", (it) => {
  it.effect("says of a sandbox that is away with its service that its books were not compared, which is no fault", () =>
    Effect.gen(function* () {
      const gateway = yield* PaymentGateway
      const reason = "the provider can't be reached"
      /** The provider does not list the payments. */
      const without = Effect.fnUntraced(function* (kind: UnavailableKind, settings = testSettings()) {
        const listSessions = () => Effect.fail(new ProviderUnavailable({ operation: "listSessions", kind, reason }))
        const { books } = yield* Effect.provide(
          Audit,
          Layer.fresh(Audit.layer).pipe(
            Layer.provide(Layer.succeed(PaymentGateway, { ...gateway, listSessions })),
            Layer.provide(Layer.succeed(AppConfig, settings))
          )
        )
        const nothing = Effect.succeed([])
        return yield* Effect.provideService(playroom("doctor", "--audit"), Audit, {
          schema: nothing,
          rows: nothing,
          look: () => Effect.succeed({ found: [], checked: 0, settled: 0 }),
          books
        })
      })
      const away = yield* without("network")
      assert.include(away.out, "All is well")
      assert.include(away.complaints, "The sandbox's books were not compared")
      assert.isUndefined(away.failure)
      assert.include((yield* without("failing")).failure ?? "", "2 things need a person")
      const provider = { kind: "stripe", secretKey: Redacted.make("sk_test_x"), livemode: false } as const
      const stripe = yield* without("network", testSettings({ provider }))
      assert.include(stripe.failure ?? "", "2 things need a person")
    })
  )

  // The last one: it leaves the schema without a function.
  it.effect("is told by the doctor, which fails, and only if it is asked for", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { booking } = yield* paidBooking()
      for (const flag of ["--audit", "--full"]) {
        const { complaints, out } = yield* playroom("doctor", flag)
        assert.include(out, "All is well")
        assert.match(complaints, /Bookings looked at: \d+; over, and as they were when an audit found them sound: 0\./)
      }
      yield* sql`delete from occupancy where booking_id = ${booking.booking_id}`
      assert.include((yield* playroom("doctor")).out, "All is well")
      const sick = yield* playroom("doctor", "--audit")
      assert.match(sick.out, new RegExp(`^places missing {2}${booking.booking_id}\\n.*\\n {2}→ `))
      assert.include(sick.failure ?? "", "1 thing needs a person")
      // What can't be looked at hides nothing else.
      yield* sql`drop function hold_may_end cascade`
      const more = (yield* playroom("doctor", "--audit")).out
      assert.match(more, /not checked {2}hold never ended\n/)
      assert.include(more, "missing in the schema  function hold_may_end(booking, timestamp with time zone)")
      assert.include(more, "places missing")
    })
  )
})
