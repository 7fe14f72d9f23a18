/** What an audit sees of bookings that it found sound before. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { rowFaults } from "../../../src/ops/audit/RowFaults.ts"
import { Persons } from "../../../src/domain/people/privacy/Persons.ts"
import { ProviderRefunds } from "../../../src/domain/payment/refunds/ProviderRefunds.ts"
import { sandboxPayers } from "../../../src/extras/sandbox/Payers.ts"
import { dayMs } from "../../../src/platform/time/LocalTime.ts"
import { giveGoodwill } from "../../support/Acts.ts"
import {
  deleteBookings,
  deliverAndApply,
  paidBooking,
  paymentWorld,
  reconcile,
  runProviderTasks
} from "../../support/PaymentWorld.ts"
import { packages } from "../../support/paymentVenues.ts"
import { sessionEvent } from "../../support/providerEvents.ts"
import { ScriptedGateway } from "../../support/ScriptedGateway.ts"
import { faults } from "./faults.ts"
import { RolledBack, scene } from "./scene.ts"

/** Each booking is a stretch of its own. */
const audit = rowFaults({ page: 1 })
const fullAudit = rowFaults({ full: true, page: 1 })

/** A year and more passes: all visits are over, and all holds have ended. */
const visitsAreOver = Effect.gen(function* () {
  yield* TestClock.adjust(400 * dayMs)
  yield* reconcile
  yield* runProviderTasks
})

layer(paymentWorld(), { timeout: 120_000 })("an audit after another", (it) => {
  it.effect(
    "reads no more of what is over than its versions, and finds all the same what was planted in it since",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const all = yield* scene
        yield* visitsAreOver
        const first = yield* audit
        const settled = { found: [], checked: 0, settled: first.checked }
        assert.deepStrictEqual(first, { found: [], checked: first.checked, settled: 0 })
        assert.deepStrictEqual(yield* audit, settled)
        for (const { plant, what } of faults) {
          const [changed, full] = yield* sql
            .withTransaction(
              Effect.gen(function* () {
                yield* sql`set local session_replication_role = replica`
                for (const statement of plant(all)) yield* sql.unsafe(statement)
                const { found: changed } = yield* audit
                yield* sql`delete from audit_mark`
                const { found: full } = yield* rowFaults()
                return yield* new RolledBack({ found: [changed, full] as const })
              })
            )
            .pipe(
              Effect.catchTag("RolledBack", ({ found }) => Effect.succeed(found)),
              Effect.map((looked) => looked.map((found) => found.map((one) => `${one.what} ${one.id}`).sort()))
            )
          assert.deepStrictEqual(changed, full, what)
        }
        assert.deepStrictEqual(yield* audit, settled, "all is as it was")
      }),
    120_000
  )
})

const world = Persons.layer(sandboxPayers).pipe(Layer.provideMerge(paymentWorld()))

layer(world, { timeout: 120_000 })("a booking that is settled", (it) => {
  it.effect("is looked at once more after whatever wrote to it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      const { booking: other } = yield* paidBooking(packages.refundableParty)
      const { booking_id } = booking
      assert.deepStrictEqual(yield* audit, { found: [], checked: 2, settled: 0 })
      assert.deepStrictEqual(yield* audit, { found: [], checked: 2, settled: 0 }, "they are to come")
      yield* visitsAreOver
      yield* audit
      const settled = { found: [], checked: 0, settled: 2 }
      const ofHand = (statement: string) => sql.unsafe(`${statement} where booking_id = '${booking_id}'`)
      const checked = Effect.suspend(() => ProviderRefunds.use((refunds) => refunds.checkPayment(session)))
      for (const [what, change] of [
        ["an act", giveGoodwill(booking_id, { amount: 100, reason: "sorry", preview: false })],
        ["its refund", runProviderTasks],
        ["an event", deliverAndApply(sessionEvent("checkout.session.completed", provider.sessionOf(session)))],
        ["an erasure", Persons.use((persons) => persons.erase(booking.contact_email))],
        [
          "a refund in the dashboard",
          Effect.andThen(
            Effect.sync(() => provider.refundInDashboard(session, 500)),
            checked
          )
        ],
        [
          "a dispute",
          Effect.andThen(
            Effect.sync(() => provider.openDispute(session, 400, "lost")),
            checked
          )
        ],
        ["a hand in the booking", ofHand("update booking set children = children")],
        ["a hand in its places", ofHand("update occupancy set units = units")],
        ["a hand in its history", ofHand("update booking_history set detail = detail")],
        ["a hand in its payment", ofHand("update payment_session set amount = amount")],
        ["a hand in its refunds", ofHand("update refund set amount = amount")],
        ["a hand in its dispute", ofHand("update dispute set amount = amount")],
        ["a hand in its events", ofHand("update webhook_event set type = type")],
        ["a hand that takes a line away", ofHand("delete from webhook_event")]
      ] as const) {
        assert.deepStrictEqual(yield* audit, settled, `before ${what}`)
        yield* change
        assert.deepStrictEqual(yield* audit, { found: [], checked: 1, settled: 1 }, what)
      }
      assert.deepStrictEqual(yield* audit, settled)
      assert.deepStrictEqual(yield* fullAudit, { found: [], checked: 2, settled: 0 })

      // Other rules: what held by those before says nothing.
      yield* sql`update schema_part set definition = 'other' where name = 'function taxes_of(text, jsonb, text)'`
      assert.deepStrictEqual(yield* audit, { found: [], checked: 2, settled: 0 })
      assert.deepStrictEqual(yield* audit, settled)

      // What is wrong is told each time.
      yield* sql`delete from occupancy where booking_id = ${other.booking_id}`
      for (const _ of [1, 2]) {
        const { checked, found } = yield* audit
        assert.deepStrictEqual(
          [checked, found.map(({ id, what }) => [what, id])],
          [1, [["places missing", other.booking_id]]]
        )
      }
    })
  )

  it.effect("is blamed only by a full audit for what is wrong beneath it, and from then on by each", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* deleteBookings
      yield* sql`delete from audit_mark`
      yield* paidBooking()
      const whats = Effect.map(
        Effect.map(audit, ({ found }) => found),
        (all) => all.map(({ what }) => what)
      )
      const operator = sql<{ readonly id: string }>`select distinct operator_id as id from playroom`
      assert.lengthOf(yield* operator, 2)
      assert.deepStrictEqual(yield* whats, [])
      const change = sql`update package set playroom_id = (select max(playroom_id) from playroom p where p.playroom_id <> package.playroom_id)
        where package_id = ${packages.party.package_id}`
      yield* sql
        .withTransaction(
          Effect.gen(function* () {
            yield* change
            assert.deepStrictEqual(yield* whats, ["booking of another operator"], "it is to come")
            return yield* new RolledBack({ found: [] })
          })
        )
        .pipe(Effect.catchTag("RolledBack", () => Effect.void))
      yield* visitsAreOver
      yield* whats
      yield* change
      assert.deepStrictEqual(yield* whats, [])
      assert.deepStrictEqual(
        (yield* fullAudit).found.map(({ what }) => what),
        ["booking of another operator"]
      )
      assert.deepStrictEqual(yield* whats, ["booking of another operator"])
    })
  )
})
