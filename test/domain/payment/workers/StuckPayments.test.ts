import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Reconciliation } from "../../../../src/domain/payment/workers/Reconciliation.ts"
import type { PaymentSessionRow } from "../../../../src/domain/payment/sessions/PaymentSession.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  createBooking,
  deliverAndApply,
  expectedState,
  historyOf,
  now,
  openSession,
  paidBooking,
  payBooking,
  paymentWorld,
  reconcile,
  reconcileAfter,
  runProviderTasks,
  sessionRow
} from "../../../support/PaymentWorld.ts"
import { accountEvent, sessionEvent } from "../../../support/providerEvents.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const waiting = Effect.map(
  Reconciliation.use((reconciliation) => reconciliation.stuck),
  (found) => found.map(({ session }) => session.payment_session_id)
)

/** A booking far ahead whose payer chose a way that takes days. */
const processingOn = Effect.fnUntraced(function* (date: string | undefined) {
  yield* setClock(now)
  const booking = yield* createBooking(packages.party, date === undefined ? {} : { date })
  const session = yield* openSession(booking)
  yield* actAndDeliver(session, "pay_later")
  assert.strictEqual((yield* bookingState(booking)).payment_status, "processing")
  return { booking, session }
})

const processing = processingOn(undefined)

/** Asks, and finds the account closed; then it is open again. */
const askInVain = Effect.gen(function* () {
  const provider = yield* ScriptedGateway
  provider.injectFault("getSession", "account_closed")
  yield* reconcile
  yield* deliverAndApply(accountEvent())
})

const held = expectedState("held", "processing")
const ended = expectedState("expired", "failed")

layer(paymentWorld())("a payment that takes long", (it) => {
  it.effect("is named an hour after its account stopped answering, and no more once it answers", () =>
    Effect.gen(function* () {
      const { session } = yield* processing
      yield* reconcileAfter("1 day")
      assert.deepStrictEqual(yield* waiting, [])
      yield* TestClock.adjust("11 minutes")
      yield* askInVain
      yield* TestClock.adjust("50 minutes")
      yield* askInVain
      assert.deepStrictEqual(yield* waiting, [])
      yield* TestClock.adjust("11 minutes")
      assert.deepStrictEqual(yield* waiting, [session.payment_session_id])
      yield* reconcile
      assert.deepStrictEqual(yield* waiting, [])
      yield* TestClock.adjust("16 days")
      assert.deepStrictEqual(yield* waiting, [session.payment_session_id])
    }).pipe(Effect.ensuring(settleAll))
  )

  it.effect("keeps its places for 21 days and not longer, and is flagged then", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* processing
      for (let day = 0; day < 20; day++) {
        yield* TestClock.adjust("1 day")
        yield* askInVain
      }
      assert.deepStrictEqual(yield* bookingState(booking), held)
      yield* TestClock.adjust("1 day")
      yield* askInVain
      assert.deepStrictEqual(yield* bookingState(booking), ended)
      assert.include(yield* historyOf(booking), "payment_given_up")
      const row = yield* sessionRow(session.payment_session_id)
      assert.strictEqual(row.status, "failed")
      assert.include(row.flagged ?? "", "21 days")
      assert.deepStrictEqual(yield* waiting, [])
    })
  )

  it.effect("that is given up has its end also where what the provider says never fits", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* processing
      const provider = yield* ScriptedGateway
      const kept = provider.sessionOf(session)
      kept.amount_total += 1
      for (let day = 0; day < 21; day++) {
        yield* reconcileAfter("1 day")
      }
      assert.deepStrictEqual(yield* bookingState(booking), ended)
    })
  )

  it.effect("that arrives after all is taken as late: confirmed where the places are free, given back where not", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      // After the payments are given up, so that their places are still of use.
      const taken = "2027-01-05"
      const { booking, session } = yield* processingOn("2027-01-04")
      const { booking: overtaken, session: other } = yield* processingOn(taken)
      const days = Array.from({ length: 21 }, (_, day) => day)
      for (const _ of days) {
        yield* TestClock.adjust("1 day")
        provider.injectFault("getSession", "account_closed")
        yield* askInVain
      }
      assert.deepStrictEqual([yield* bookingState(booking), yield* bookingState(overtaken)], [ended, ended])
      const sold = yield* createBooking(packages.party, { date: taken })
      yield* payBooking(sold)
      for (const late of [session, other]) {
        const said = yield* actAtProvider(late, "late_success")
        yield* deliverAndApply(sessionEvent("checkout.session.async_payment_succeeded", said))
      }
      yield* runProviderTasks
      assert.deepInclude(yield* bookingState(booking), { status: "confirmed", payment_status: "paid", places: true })
      assert.deepInclude(yield* bookingState(overtaken), {
        status: "expired",
        payment_status: "refunded",
        places: false
      })
    })
  )

  it.effect("ends when a person says that nothing was paid, and only while it is named", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* processing
      const settle = Reconciliation.use((reconciliation) => reconciliation.giveUp(session.payment_session_id))
      assert.isFalse(yield* settle)
      yield* TestClock.adjust("1 day")
      yield* askInVain
      yield* TestClock.adjust("1 hour")
      assert.isTrue(yield* settle)
      assert.isFalse(yield* settle)
      assert.deepStrictEqual(yield* bookingState(booking), ended)
      assert.isNull((yield* sessionRow(session.payment_session_id)).flagged)
    })
  )

  it.effect("of a balance leaves the booking as it is when it is given up", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking(packages.depositParty)
      const session: PaymentSessionRow = yield* openSession(booking, "balance")
      yield* actAndDeliver(session, "pay_later")
      const before = yield* bookingState(booking)
      yield* TestClock.adjust("21 days")
      yield* askInVain
      assert.deepStrictEqual(yield* bookingState(booking), before)
      assert.strictEqual((yield* sessionRow(session.payment_session_id)).status, "failed")
      assert.include(yield* historyOf(booking), "balance_payment_given_up")
    })
  )
})

/** Leaves nothing that waits to the next test. */
const settleAll = Effect.suspend(() =>
  Effect.flatMap(Effect.orDie(waiting), (ids) =>
    Effect.forEach(ids, (id) => Effect.orDie(Reconciliation.use((reconciliation) => reconciliation.giveUp(id))))
  )
)
