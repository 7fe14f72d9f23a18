import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { standingOf } from "../../../../src/domain/booking/Standing.ts"
import { bookedTerms } from "../../../../src/domain/booking/BookingViews.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import type { Package } from "../../../../src/domain/catalogue/Package.ts"
import { hourMs } from "../../../../src/platform/time/LocalTime.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { ProviderRefunds } from "../../../../src/domain/payment/refunds/ProviderRefunds.ts"
import { Settlement } from "../../../../src/domain/payment/settlement/Settlement.ts"
import { PaymentSessions } from "../../../../src/domain/payment/sessions/PaymentSessions.ts"
import { Reconciliation } from "../../../../src/domain/payment/workers/Reconciliation.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { bookOption, moveBooking, moveWorld, optionOn, placesOf, rowOf } from "../../../support/moveWorld.ts"
import {
  actAndDeliver,
  actAtProvider,
  deleteBookings,
  deliverAndApply,
  historyOf,
  now,
  openSession,
  payBooking,
  refundsOf,
  runProviderTasks,
  setClockBefore
} from "../../../support/PaymentWorld.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { packageWith, testId, venueWith } from "../../../support/venues.ts"
import { providerId, ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const party = packageWith({
  package_id: testId.package(951),
  name: "Party",
  mode: "exclusive",
  duration_minutes: 120,
  max_children: 12,
  pricing: { base: 20_000, included_children: 12, extra_child: 0, adult: 0, rules: [] },
  schedule: { times: ["10:00", "15:00"] },
  cancellation: [{ hours_before: 24, refund_percent: 50 }],
  free_reschedule_hours_before: 24
})
/** £50 now, £150 three days before; unpaid a day later, the places are released. */
const terms = { kind: "deposit", balance_due_hours_before: 72, release_unpaid_after_hours: 24 } as const
const packages = {
  kept: { ...party, payment: { ...terms, deposit: { amount: 5000 }, refundable: false } },
  refundable: {
    ...party,
    package_id: testId.package(952),
    payment: { ...terms, deposit: { amount: 5000 }, refundable: true }
  },
  trusted: {
    ...party,
    package_id: testId.package(953),
    payment: { ...terms, deposit: { amount: 0 }, refundable: true }
  },
  patient: {
    ...party,
    package_id: testId.package(954),
    payment: { kind: "deposit", balance_due_hours_before: 72, deposit: { amount: 5000 }, refundable: false }
  }
} satisfies Record<string, Package>
const hall = venueWith({ playroom_id: testId.playroom(95), name: "Unpaid Hall", capacity: 12 }, Object.values(packages))
const at = { playroom_id: hall.playroom.playroom_id }

/** A booking of which nothing is paid. */
const booked = Effect.fnUntraced(function* (pkg: Package = packages.kept, date = "2026-12-12") {
  yield* importVenue(hall)
  yield* deleteBookings
  yield* setClock(now)
  return yield* bookOption(yield* optionOn(date, "10:00", { ...at, pkg }))
})
/** A booking of which only the deposit is paid. */
const deposited = Effect.fnUntraced(function* (pkg?: Package, date?: string) {
  const booking = yield* booked(pkg, date)
  if (booking.status === "held") yield* payBooking(booking)
  return yield* rowOf(booking)
})
const sweep = Reconciliation.use(({ runDue }) => runDue)
const stateOf = Effect.fnUntraced(function* (booking: BookingRow) {
  const row = yield* rowOf(booking)
  return [row.status, row.payment_status, (yield* placesOf(booking)).length]
})
/** Confirmed 47 hours before the visit, it keeps its places for the 24 hours of the terms, and no longer. */
const releasedADayAfter = Effect.fnUntraced(function* (booking: BookingRow) {
  yield* setClockBefore(booking, 23.1)
  yield* sweep
  assert.deepStrictEqual(yield* stateOf(booking), ["confirmed", "deposit_paid", 1])
  yield* setClockBefore(booking, 23)
  yield* sweep
  assert.deepStrictEqual(yield* stateOf(booking), ["expired", "deposit_paid", 0])
})
const standing = Effect.fnUntraced(function* (booking: BookingRow) {
  const row = yield* rowOf(booking)
  return standingOf(row, yield* PaymentSummaries.use((summaries) => summaries.read(row)))
})

layer(moveWorld)("a balance that stays unpaid", (it) => {
  it.effect("releases the places as the terms said, and gives back of the deposit what the schedule says", () =>
    Effect.gen(function* () {
      const booking = yield* deposited(packages.refundable)
      const summary = yield* PaymentSummaries.use((summaries) => summaries.read(booking))
      const told = bookedTerms(booking, summary)
      assert.strictEqual(told.unpaid_balance, "2026-12-10T10:00:00+00:00")
      assert.include(told.text, "If the rest is not paid by 2026-12-10 10:00, the places are released.")
      yield* setClockBefore(booking, 48.1)
      yield* sweep
      assert.deepStrictEqual(yield* stateOf(booking), ["confirmed", "deposit_paid", 1])
      yield* setClockBefore(booking, 48)
      yield* sweep
      assert.deepStrictEqual(yield* stateOf(booking), ["expired", "refund_pending", 0])
      assert.deepStrictEqual(
        (yield* refundsOf(booking)).map(({ amount, cause }) => [cause, amount]),
        [["cancellation", 2500]]
      )
      assert.deepStrictEqual(yield* standing(booking), { kind: "released", money: "going_back", refund: "going_back" })
      assert.include(yield* historyOf(booking), "balance_lapsed")
      yield* runProviderTasks
      assert.deepStrictEqual(yield* standing(booking), { kind: "released", money: "paid_back", refund: "paid_back" })
      yield* sweep
      assert.strictEqual((yield* historyOf(booking)).filter((event) => event === "balance_lapsed").length, 1)
      // Somebody else gets the places.
      const next = yield* bookOption(yield* optionOn("2026-12-12", "10:00", { ...at, pkg: packages.kept }))
      assert.notStrictEqual(next.status, "expired")
    })
  )

  it.effect("keeps the places if the package says nothing of it, and if the balance is paid", () =>
    Effect.gen(function* () {
      const patient = yield* deposited(packages.patient)
      yield* setClockBefore(patient, 1)
      yield* sweep
      assert.deepStrictEqual(yield* stateOf(patient), ["confirmed", "deposit_paid", 1])
      const paid = yield* deposited(packages.kept)
      yield* actAndDeliver(yield* openSession(paid, "balance"), "pay")
      yield* setClockBefore(paid, 1)
      yield* sweep
      assert.deepStrictEqual(yield* stateOf(paid), ["confirmed", "paid", 1])
    })
  )

  it.effect("whose deposit became known late has as long to be paid: the places are not released at once", () =>
    Effect.gen(function* () {
      const booking = yield* booked()
      const session = yield* openSession(booking)
      yield* setClockBefore(booking, 47)
      yield* actAndDeliver(session, "pay")
      yield* sweep
      assert.deepStrictEqual(yield* stateOf(booking), ["confirmed", "deposit_paid", 1])
      yield* releasedADayAfter(booking)
    })
  )

  it.effect("whose first payment was sent back has as long from the one that was kept", () =>
    Effect.gen(function* () {
      const booking = yield* booked()
      const wrong = yield* openSession(booking)
      yield* actAtProvider(wrong, "pay")
      const page = (yield* ScriptedGateway).sessionOf(wrong)
      Object.assign(page, { amount_total: 4000 })
      yield* deliverAndApply(sessionEvent("checkout.session.completed", page))
      yield* Settlement.use((settlement) => settlement.decide(wrong.payment_session_id, "send_back", "Sam"))
      yield* runProviderTasks
      const right = yield* openSession(booking)
      yield* setClockBefore(booking, 47)
      yield* actAndDeliver(right, "pay")
      yield* releasedADayAfter(booking)
    })
  )

  it.effect("of an operator that was reopened has as long to be paid: the places are not released at once", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const { operator_id } = hall.operator
      const booking = yield* deposited()
      yield* operators.suspend(operator_id)
      yield* setClockBefore(booking, 40)
      yield* operators.resume(operator_id)
      yield* sweep
      assert.deepStrictEqual(yield* stateOf(booking), ["confirmed", "deposit_paid", 1])
      yield* setClockBefore(booking, 16.1)
      yield* sweep
      assert.deepStrictEqual(yield* stateOf(booking), ["confirmed", "deposit_paid", 1])
      yield* setClockBefore(booking, 16)
      yield* sweep
      assert.deepStrictEqual(yield* stateOf(booking), ["expired", "deposit_paid", 0])
      // It was reopened long before this balance is due.
      const other = yield* deposited(packages.kept, "2026-12-20")
      yield* setClockBefore(other, 48)
      yield* sweep
      assert.deepStrictEqual(yield* stateOf(other), ["expired", "deposit_paid", 0])
      // The other tests begin earlier.
      yield* SqlClient.SqlClient.use((sql) => sql`delete from operator_history where operator_id = ${operator_id}`)
    })
  )

  it.effect("keeps the places while the balance can't be paid online: it is paid at the playroom", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operator_id } = hall.operator
      for (const [closed, open] of [
        [
          sql`update operator set suspended_at = now() where operator_id = ${operator_id}`,
          sql`update operator set suspended_at = null where operator_id = ${operator_id}`
        ],
        [
          sql`update operator set connected_account_id = null where operator_id = ${operator_id}`,
          sql`update operator set connected_account_id = ${hall.operator.connected_account_id ?? null}
            where operator_id = ${operator_id}`
        ],
        // Less than the provider can charge.
        [sql`update booking set total = due_now + 10`, sql`update booking set total = 20000`]
      ] as const) {
        const booking = yield* deposited()
        yield* closed
        yield* setClockBefore(booking, 48)
        const row = yield* rowOf(booking)
        const { balance_online } = yield* PaymentSummaries.use((summaries) => summaries.read(row))
        assert.isFalse(balance_online)
        yield* sweep
        assert.deepStrictEqual(yield* stateOf(booking), ["confirmed", "deposit_paid", 1])
        yield* open
        yield* sweep
        assert.deepStrictEqual(yield* stateOf(booking), ["expired", "deposit_paid", 0])
      }
    })
  )

  it.effect("asks the provider about an open page first: closed, it releases; paid or under way, it keeps", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const open = yield* deposited()
      yield* setClockBefore(open, 48.2)
      const page = yield* openSession(open, "balance")
      yield* setClockBefore(open, 48)
      yield* sweep
      assert.strictEqual(provider.sessions.get(providerId(page))?.status, "expired")
      assert.deepStrictEqual(yield* stateOf(open), ["expired", "deposit_paid", 0])
      assert.deepStrictEqual(yield* standing(open), { kind: "released", money: "kept", refund: "none" })

      const paid = yield* deposited()
      yield* setClockBefore(paid, 48.2)
      yield* actAtProvider(yield* openSession(paid, "balance"), "pay")
      yield* setClockBefore(paid, 48)
      yield* sweep
      assert.deepStrictEqual(yield* stateOf(paid), ["confirmed", "paid", 1])

      const slow = yield* deposited()
      yield* setClockBefore(slow, 48.2)
      yield* actAndDeliver(yield* openSession(slow, "balance"), "pay_later")
      yield* setClockBefore(slow, 47)
      yield* sweep
      assert.deepStrictEqual(yield* stateOf(slow), ["confirmed", "deposit_paid", 1])

      const away = yield* deposited()
      yield* setClockBefore(away, 48.2)
      yield* openSession(away, "balance")
      yield* setClockBefore(away, 48)
      provider.outage = "away"
      yield* sweep
      provider.outage = undefined
      assert.deepStrictEqual(yield* stateOf(away), ["confirmed", "deposit_paid", 1])
    })
  )

  it.effect(
    "paid after the release: the booking is confirmed again if its places are free, else the money goes back",
    () =>
      Effect.gen(function* () {
        for (const pkg of [packages.kept, packages.trusted]) {
          const free = yield* deposited(pkg)
          yield* setClockBefore(free, 48.2)
          const page = yield* openSession(free, "balance")
          const said = yield* actAtProvider(page, "pay")
          yield* deliverAndApply(sessionEvent("checkout.session.expired", { ...said, payment_status: "unpaid" }))
          yield* setClockBefore(free, 48)
          yield* sweep
          assert.strictEqual((yield* rowOf(free)).status, "expired")
          yield* deliverAndApply(sessionEvent("checkout.session.completed", said))
          assert.deepStrictEqual(yield* stateOf(free), ["confirmed", "paid", 1])
          assert.strictEqual((yield* standing(free)).kind, "paid")
        }
        for (const [pkg, taken] of [
          [packages.kept, true],
          // A part of the deposit went back: the balance alone is not the price any more.
          [packages.refundable, false]
        ] as const) {
          const gone = yield* deposited(pkg)
          yield* setClockBefore(gone, 48.2)
          const said = yield* actAtProvider(yield* openSession(gone, "balance"), "pay")
          yield* deliverAndApply(sessionEvent("checkout.session.expired", { ...said, payment_status: "unpaid" }))
          yield* setClockBefore(gone, 48)
          yield* sweep
          if (taken) yield* bookOption(yield* optionOn("2026-12-12", "10:00", { ...at, pkg: packages.patient }))
          yield* deliverAndApply(sessionEvent("checkout.session.completed", said))
          assert.strictEqual((yield* rowOf(gone)).status, "expired")
          const late = (yield* refundsOf(gone)).filter(({ cause }) => cause === "late_payment")
          assert.deepStrictEqual(
            late.map(({ amount }) => amount),
            [15_000]
          )
        }
      })
  )

  it.effect(
    "counts what a lost dispute took before the release; won in the end, that goes back as a refund of the release",
    () =>
      Effect.gen(function* () {
        const provider = yield* ScriptedGateway
        const booking = yield* deposited(packages.refundable)
        const [paid] = yield* PaymentSessions.use((sessions) => sessions.ofBooking(booking.booking_id))
        assert(paid !== undefined)
        const dispute = provider.openDispute(paid, 2500, "lost")
        yield* setClockBefore(booking, 48)
        yield* sweep
        assert.deepStrictEqual(yield* stateOf(booking), ["expired", "partially_refunded", 0])
        provider.setDisputeStatus(dispute.id, "won")
        yield* ProviderRefunds.use((refunds) => refunds.tryCheckBooking(booking.booking_id, "4 seconds"))
        yield* runProviderTasks
        assert.sameDeepMembers(
          (yield* refundsOf(booking))
            .filter(({ cause }) => cause !== "dispute")
            .map(({ amount, cause, status }) => [cause, status, amount]),
          [["cancellation", "succeeded", 2500]]
        )
        assert.deepStrictEqual(yield* stateOf(booking), ["expired", "partially_refunded", 0])
      })
  )

  it.effect("races with a payment, a move and another node: one of them wins, and places and money fit", () =>
    Effect.gen(function* () {
      const together = { concurrency: "unbounded" } as const
      for (let i = 0; i < 3; i++) {
        const paying = yield* deposited()
        yield* setClockBefore(paying, 48.2)
        const page = yield* openSession(paying, "balance")
        yield* setClockBefore(paying, 48)
        yield* Effect.all([sweep, actAndDeliver(page, "pay"), sweep], together)
        yield* runProviderTasks
        assert.deepStrictEqual(yield* stateOf(paying), ["confirmed", "paid", 1])

        const moving = yield* deposited(packages.kept, "2026-12-12")
        const option = yield* optionOn("2026-12-20", "10:00", { ...at, pkg: packages.kept })
        yield* setClockBefore(moving, 48)
        const [, moved] = yield* Effect.all([sweep, Effect.result(moveBooking(moving, option)), sweep], together)
        const row = yield* rowOf(moving)
        assert.strictEqual(row.status, moved._tag === "Success" ? "confirmed" : "expired")
        assert.lengthOf(yield* placesOf(moving), moved._tag === "Success" ? 1 : 0)
        if (moved._tag === "Success") assert.isAbove(row.starts_at, moving.starts_at + 24 * hourMs)
      }
    })
  )
})
