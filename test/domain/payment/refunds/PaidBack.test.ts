import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { DueBookings } from "../../../../src/domain/booking/DueBookings.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { toView } from "../../../../src/domain/booking/BookingViews.ts"
import { isPaidBack, nextActor, standingOf } from "../../../../src/domain/booking/Standing.ts"
import { bookingWithNextStep } from "../../../../src/surfaces/mcp/tools/NextSteps.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import {
  bookingState,
  cancelBooking,
  createSession,
  deleteBookings,
  failureTag,
  historyOf,
  paidBooking,
  payBooking,
  paymentWorld,
  reconcileAfter,
  runProviderTasks
} from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const said = Effect.fnUntraced(function* ({ booking_id }: Pick<BookingRow, "booking_id">) {
  const booking = yield* Bookings.use((bookings) => bookings.get(booking_id))
  const summary = yield* PaymentSummaries.use((summaries) => summaries.read(booking))
  const standing = standingOf(booking, summary)
  const { next_step } = bookingWithNextStep(booking, summary)
  return {
    kind: standing.kind,
    refund: standing.refund,
    actor: nextActor(standing),
    next_step,
    view: toView(booking, summary)
  }
})

/** The bookings that the doctor asks a person about. */
const asked = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const rows = yield* DueBookings.use((bookings) => bookings.paidBack(now, 10))
  return rows.filter((row) => isPaidBack(row, 0)).map(({ booking_id }) => booking_id)
})

/** A deposit of £50 and a balance of £150, both given back in the provider's dashboard. */
const paidBack = Effect.gen(function* () {
  yield* deleteBookings
  const { booking, session: deposit } = yield* paidBooking(packages.refundableParty)
  const balance = yield* payBooking(booking, "balance")
  const provider = yield* ScriptedGateway
  const first = provider.refundInDashboard(balance, 15_000)
  yield* reconcileAfter("7 hours")
  const partly = yield* said(booking)
  assert.deepStrictEqual([partly.kind, partly.refund, partly.actor], ["paid", "paid_back", "nobody"])
  assert.deepStrictEqual(yield* asked, [])
  const second = provider.refundInDashboard(deposit, 5000)
  yield* reconcileAfter("8 days")
  return { booking, deposit, balance, provider, refunds: [first, second] as const }
})

layer(paymentWorld())("a confirmed booking of which both payments were given back in the dashboard", (it) => {
  it.effect("has a standing of its own on every surface, asks nobody to pay again, and asks a person", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBack
      assert.deepStrictEqual(yield* bookingState(booking), {
        status: "confirmed",
        payment_status: "refunded",
        paid: 20_000,
        refunded: 20_000,
        places: true
      })
      const { actor, kind, next_step, view } = yield* said(booking)
      assert.deepStrictEqual([kind, actor], ["confirmed_paid_back", "venue"])
      assert.match(next_step, /£200.00 was paid back/)
      assert.match(next_step, /only the operator can say whether the visit takes place/)
      assert.strictEqual(view.outstanding.amount, 0)
      assert.notProperty(view, "balance")
      assert.strictEqual(view.refund_if_cancelled_now?.amount, 0)
      assert.strictEqual(yield* failureTag(createSession(booking.booking_id, { purpose: "balance" })), "NothingDue")
      assert.deepStrictEqual(yield* asked, [booking.booking_id])
    })
  )

  it.effect("stands as paid once a person said that the visit takes place, until more is corrected", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBack
      const keep = BookingRecords.use((bookings) => bookings.keepPaidBack(booking.booking_id))
      assert.isTrue(yield* keep)
      assert.isFalse(yield* keep)
      assert.deepStrictEqual(yield* asked, [])
      assert.strictEqual((yield* said(booking)).kind, "paid")
      assert.strictEqual((yield* historyOf(booking)).at(-1), "kept")
    })
  )

  it.effect("is cancelled without a second refund", () =>
    Effect.gen(function* () {
      const { balance, booking, deposit, provider } = yield* paidBack
      assert.strictEqual((yield* cancelBooking(booking)).refund.amount, 0)
      yield* runProviderTasks
      assert.strictEqual(provider.paidAndRefunded(deposit).refunded, 5000)
      assert.strictEqual(provider.paidAndRefunded(balance).refunded, 15_000)
      assert.deepStrictEqual(yield* asked, [])
      assert.strictEqual((yield* said(booking)).kind, "cancelled_paid_back")
    })
  )

  it.effect("is no such booking once a refund has failed after all", () =>
    Effect.gen(function* () {
      const { booking, provider, refunds } = yield* paidBack
      provider.setRefundStatus(refunds[0].id, "failed", "declined")
      yield* reconcileAfter("8 days")
      assert.deepStrictEqual(yield* asked, [])
      const { kind, refund } = yield* said(booking)
      assert.deepStrictEqual([kind, refund], ["paid", "going_back"])
    })
  )
})
