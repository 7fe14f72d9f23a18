/** Operators whose account at the provider takes no payments: off sale at once, told, and back by itself. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { offSale } from "../../../src/domain/catalogue/Operator.ts"
import { Operators } from "../../../src/domain/catalogue/Operators.ts"
import { PlayroomSearch } from "../../../src/domain/search/PlayroomSearch.ts"
import { noticesOf } from "../../../src/ops/attention/ActionItems.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { commandWorld, playroom } from "../../support/CommandLine.ts"
import { account, otherVenue, packages, venue } from "../../support/paymentVenues.ts"
import {
  bookingState,
  callCount,
  createBooking,
  createSession,
  deliverAndApply,
  held,
  now,
  reconcile,
  reconcileAfter
} from "../../support/PaymentWorld.ts"
import { accountEvent } from "../../support/providerEvents.ts"
import { ScriptedGateway } from "../../support/ScriptedGateway.ts"

const { operator_id } = venue.operator
const operator = Operators.use((operators) => operators.get(operator_id))
const offered = Effect.result(
  BookingOptions.use((all) =>
    all.list({
      playroom_id: venue.playroom.playroom_id,
      package_id: packages.party.package_id,
      date: "2027-02-01",
      children: 8
    })
  )
)
const found = PlayroomSearch.use((search) => search.search({ city: venue.playroom.city })).pipe(
  Effect.map(({ playrooms }) => playrooms.some(({ playroom_id }) => playroom_id === venue.playroom.playroom_id))
)

const start = Effect.gen(function* () {
  yield* setClock(now)
  const provider = yield* ScriptedGateway
  provider.accountsAsked.clear()
  provider.outage = undefined
  yield* Operators.use((operators) => operators.openAccount(account))
  return provider
})

/** It is neither found nor offered nor paid, and operator and doctor are told. */
const isOffSale = Effect.fnUntraced(function* (why: RegExp) {
  const at = yield* operator
  assert.deepStrictEqual(offSale(at, Date.parse(now)), ["account_closed"])
  assert.match(at.account_closed?.why ?? "", why)
  assert.strictEqual((yield* offered)._tag, "Failure")
  assert.isFalse(yield* found)
  assert.include(
    (yield* noticesOf(operator_id)).map(({ kind }) => kind),
    "account_closed"
  )
  const { out } = yield* playroom("doctor")
  assert.include(out, `account takes no payments  ${operator_id}`)
  assert.match(out, why)
})

/** It is sold again, and nobody is told anything of it. */
const isOnSale = Effect.gen(function* () {
  assert.deepStrictEqual(offSale(yield* operator, Date.parse(now)), [])
  assert.strictEqual((yield* offered)._tag, "Success")
  assert.isTrue(yield* found)
  assert.notInclude((yield* playroom("doctor")).out, "account takes no payments")
})

layer(commandWorld)("an account that takes no payments", (it) => {
  it.effect(
    "takes its operator off sale as soon as a page is refused, and back by the next check that finds it open",
    () =>
      Effect.gen(function* () {
        const provider = yield* start
        const booking = yield* createBooking()
        yield* isOnSale
        provider.accountsAsked.set(account, ["external_account"])
        const refused = yield* Effect.flip(createSession(booking.booking_id))
        assert.strictEqual(refused._tag, "OperatorUnavailable")
        yield* isOffSale(/closed by the test/)
        assert.deepStrictEqual(yield* bookingState(booking), held)
        // It is asked about every five minutes, and no more often.
        const asked = yield* callCount("account")
        yield* reconcile
        assert.strictEqual(yield* callCount("account"), asked)
        yield* reconcileAfter("5 minutes")
        assert.strictEqual(yield* callCount("account"), asked + 1)
        yield* isOffSale(/closed by the test/)
        provider.accountsAsked.clear()
        yield* reconcileAfter("5 minutes")
        yield* isOnSale
        assert.strictEqual((yield* createSession(booking.booking_id)).status, "open")
      })
  )

  it.effect("is known by the provider's event, which says no more than that: it closes and opens", () =>
    Effect.gen(function* () {
      const provider = yield* start
      provider.accountsAsked.set(account, ["individual.verification.document"])
      const [closed] = yield* deliverAndApply(accountEvent())
      assert.strictEqual(closed?.status, "applied", closed?.outcome ?? "")
      yield* isOffSale(/it asks for individual\.verification\.document/)
      // A late or repeated event changes nothing: what counts is what the provider says now.
      const since = (yield* operator).account_closed?.since
      yield* deliverAndApply(accountEvent())
      assert.strictEqual((yield* operator).account_closed?.since, since)
      provider.accountsAsked.clear()
      yield* deliverAndApply(accountEvent())
      yield* isOnSale
    })
  )

  it.effect("that was disconnected is so by its event, a thin one too, until it is connected again", () =>
    Effect.gen(function* () {
      const provider = yield* start
      const thin = {
        id: "evt_thin_account",
        object: "v2.core.event",
        type: "v1.account.application.deauthorized",
        context: account,
        livemode: false,
        created: "2026-11-20T09:00:00.000Z",
        related_object: { id: "ca_1", type: "application", url: "/v1/x/ca_1" }
      }
      for (const event of [accountEvent("account.application.deauthorized"), thin]) {
        provider.outage = "account_closed"
        const [stored] = yield* deliverAndApply(event)
        assert.strictEqual(stored?.status, "applied", stored?.outcome ?? "")
        yield* isOffSale(/closed by the test/)
        provider.outage = undefined
        yield* deliverAndApply(accountEvent())
        yield* isOnSale
      }
    })
  )

  it.effect("counts only while it is its operator's, and nobody is asked about others", () =>
    Effect.gen(function* () {
      const provider = yield* start
      const sql = yield* SqlClient.SqlClient
      const asked = yield* callCount("account")
      const [foreign] = yield* deliverAndApply(accountEvent("account.updated", { account: "acct_unknown" }))
      assert.strictEqual(foreign?.status, "ignored")
      assert.strictEqual(yield* callCount("account"), asked)
      provider.accountsAsked.set(account, [])
      yield* deliverAndApply(accountEvent())
      assert.isDefined((yield* operator).account_closed)
      yield* sql`update operator set connected_account_id = 'acct_new' where operator_id = ${operator_id}`
      yield* isOnSale
      yield* sql`update operator set connected_account_id = ${account} where operator_id = ${operator_id}`
      const other = yield* Operators.use((operators) => operators.get(otherVenue.operator.operator_id))
      assert.isUndefined(other.account_closed)
    })
  )

  it.effect("takes nobody off sale while the provider is away: that says nothing of an account", () =>
    Effect.gen(function* () {
      const provider = yield* start
      provider.outage = "away"
      const [waiting] = yield* deliverAndApply(accountEvent())
      assert.strictEqual(waiting?.status, "received")
      yield* reconcileAfter("5 minutes")
      provider.outage = undefined
      yield* isOnSale
    })
  )
})
