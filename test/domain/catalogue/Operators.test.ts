import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import { OperatorEvent, sells } from "../../../src/domain/catalogue/Operator.ts"
import { Operators } from "../../../src/domain/catalogue/Operators.ts"
import { OperatorId } from "../../../src/platform/ids/Ids.ts"
import { importOnly, importVenue, setClock } from "../../support/BookingWorld.ts"
import { idOf } from "../../support/catalogues.ts"
import { otherVenue, venue } from "../../support/paymentVenues.ts"
import { serverUrl, TestDatabase } from "../../support/TestDatabase.ts"

const world = Layer.mergeAll(Operators.layer, Catalogue.layer, importOnly).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto),
  Layer.provideMerge(TestDatabase.layer)
)

const constraints = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ definition: Schema.String })]))

layer(world)("operators", (it) => {
  it.effect("have a history whose table takes every event of OperatorEvent, and no other", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [{ definition }] = yield* constraints(
        yield* sql`select pg_get_constraintdef(oid) as definition
        from pg_constraint where conname = 'operator_history_event_check'`
      )
      assert.sameMembers(
        [...definition.matchAll(/'([a-z_]+)'/g)].map(([, event]) => event),
        [...OperatorEvent.fields.event.literals],
        "a migration has to replace the constraint operator_history_event_check, so that it names every event"
      )
    })
  )

  it.effect("are found by id, billing customer and connected account, as the catalogue file names them", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      yield* importVenue(venue, otherVenue)
      const operators = yield* Operators
      const { operator } = otherVenue
      assert.deepStrictEqual(yield* operators.get(operator.operator_id), operator)
      assert.deepStrictEqual(Option.getOrThrow(yield* operators.byBillingCustomer("cus_2")), operator)
      assert.deepStrictEqual(Option.getOrThrow(yield* operators.byConnectedAccount("acct_2")), operator)
      assert.isTrue(Option.isNone(yield* operators.byConnectedAccount("acct_unknown")))
      assert.strictEqual((yield* operators.list).length, 2)
      assert.strictEqual((yield* Effect.flip(operators.get("operator_unknown")))._tag, "OperatorNotFound")
    })
  )

  it.effect("sell nothing while suspended, keep the day of the first suspension, and sell again when resumed", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const { operator_id } = venue.operator
      yield* setClock("2026-11-20T09:00:00Z")
      const first = yield* operators.suspend(operator_id)
      yield* TestClock.adjust("1 hour")
      const again = yield* operators.suspend(operator_id)
      assert.deepStrictEqual(
        [first.suspended_at, again.suspended_at],
        [Date.parse("2026-11-20T09:00:00Z"), first.suspended_at]
      )
      assert.isFalse(sells(again, Date.parse("2026-11-20T10:00:00Z")))
      assert.deepStrictEqual(yield* operators.resume(operator_id), venue.operator)
      assert.strictEqual((yield* Effect.flip(operators.suspend("operator_unknown")))._tag, "OperatorNotFound")
      assert.strictEqual((yield* Effect.flip(operators.resume("operator_unknown")))._tag, "OperatorNotFound")
    })
  )

  it.effect("are paid through the latest instant that they were told of, also when told at the same time", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const { operator_id } = otherVenue.operator
      const days = [5, 9, 1, 7, 3].map((day) => Date.parse(`2027-01-0${day}T00:00:00Z`))
      yield* Effect.all(
        days.map((day) => operators.extendPaidThrough(operator_id, day)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual((yield* operators.get(operator_id)).paid_through, Math.max(...days))
      assert.isFalse(yield* operators.extendPaidThrough(operator_id, Math.min(...days)))
      assert.isTrue(yield* operators.extendPaidThrough(operator_id, Math.max(...days) + 1))
    })
  )

  it.effect("that are gone keep nobody's transaction from being committed: an invoice of theirs changes nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const operators = yield* Operators
      const until = Date.parse("2027-02-01T00:00:00Z")
      const gone = operators.extendPaidThrough(OperatorId.make(idOf("operator", 999)), until)
      const noted = sql`update operator set phone = '1' where operator_id = ${otherVenue.operator.operator_id}`
      assert.isFalse(yield* sql.withTransaction(Effect.andThen(noted, gone)))
      assert.strictEqual((yield* operators.get(otherVenue.operator.operator_id)).phone, "1")
    })
  )

  it.effect.skipIf(serverUrl === undefined)("keep no booking waiting that names them while they are changed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const operators = yield* Operators
      const { operator_id } = venue.operator
      const [changed, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const changing = yield* operators
        .suspend(operator_id)
        .pipe(
          Effect.andThen(Deferred.succeed(changed, undefined)),
          Effect.andThen(Deferred.await(go)),
          sql.withTransaction,
          Effect.forkChild
        )
      yield* Deferred.await(changed)
      // What a row that refers to the operator locks.
      const naming = sql`select from operator where operator_id = ${operator_id} for key share nowait`
      assert.lengthOf(yield* naming, 1)
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(changing)
      yield* operators.resume(operator_id)
    })
  )
})
