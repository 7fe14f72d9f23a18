import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { toView } from "../../../../src/domain/booking/BookingViews.ts"
import { standingOf } from "../../../../src/domain/booking/Standing.ts"
import { bookingWithNextStep } from "../../../../src/surfaces/mcp/tools/NextSteps.ts"
import { cancelAsOperator } from "../../../support/Acts.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import {
  bookingState,
  createSession,
  deleteBookings,
  failureTag,
  paidBooking,
  payBooking,
  paymentWorld,
  reconcileAfter
} from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

/**
 * What the tools, the family's page and `create_payment_session` say is to be paid of the balance, and whether by link.
 */
const said = Effect.fnUntraced(function* ({ booking_id }: Pick<BookingRow, "booking_id">) {
  const booking = yield* Bookings.use((bookings) => bookings.get(booking_id))
  const summary = yield* PaymentSummaries.use((summaries) => summaries.read(booking))
  const { balance, outstanding } = toView(booking, summary)
  return {
    outstanding: outstanding.amount,
    byLink: balance?.online ?? false,
    page: standingOf(booking, summary).kind,
    next: bookingWithNextStep(booking, summary).next_step
  }
})

layer(paymentWorld())("a deposit of which the operator gave a part back in the provider's dashboard", (it) => {
  for (const [byHand, after] of [
    [2000, "partially_refunded"],
    [5000, "refunded"]
  ] as const) {
    it.effect(`leaves the balance as it is, and everything says so: ${byHand} of 5000 went back`, () =>
      Effect.gen(function* () {
        yield* deleteBookings
        const provider = yield* ScriptedGateway
        const { booking, session } = yield* paidBooking(packages.refundableParty)
        const made = provider.refundInDashboard(session, byHand)
        provider.setRefundStatus(made.id, "pending")
        // A preview asks the provider what went back, and keeps it.
        yield* cancelAsOperator(booking.booking_id, { preview: true })
        assert.strictEqual((yield* bookingState(booking)).payment_status, "deposit_paid")
        const due = { outstanding: 15_000, byLink: true, page: "balance_due" } as const
        assert.deepInclude(yield* said(booking), due)
        provider.setRefundStatus(made.id, "succeeded")
        yield* reconcileAfter("7 hours")
        assert.strictEqual((yield* bookingState(booking)).payment_status, after)
        const before = yield* said(booking)
        assert.deepInclude(before, due)
        assert.include(before.next, "£150.00")
        assert.include(before.next, "create_payment_session")
        const balance = yield* payBooking(booking, "balance")
        assert.strictEqual(balance.amount, 15_000)
        assert.include(balance.request?.terms, "went back or is still to go back")
        assert.deepInclude(yield* said(booking), { outstanding: 0, byLink: false, page: "paid" })
        assert.strictEqual(yield* failureTag(createSession(booking.booking_id, { purpose: "balance" })), "NothingDue")
        const state = yield* bookingState(booking)
        assert.deepStrictEqual([state.paid, state.refunded, state.places], [20_000, byHand, true])
      })
    )
  }
})
