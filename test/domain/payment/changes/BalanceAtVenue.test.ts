import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Audit } from "../../../../src/ops/audit/Audit.ts"
import { findings } from "../../../../src/ops/attention/ActionItems.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { toView } from "../../../../src/domain/booking/BookingViews.ts"
import { minuteMs } from "../../../../src/platform/time/LocalTime.ts"
import { bookingWithNextStep } from "../../../../src/surfaces/mcp/tools/NextSteps.ts"
import { recordPayment } from "../../../support/Acts.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { commandWorld } from "../../../support/CommandLine.ts"
import { confirmedOn, hall, movable, moveBooking, moveWorld, optionOn, rowOf } from "../../../support/moveWorld.ts"
import {
  bookingState,
  createSession,
  deleteBookings,
  expectedState,
  paidBooking,
  reconcileAfter,
  setClockBefore
} from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"

const told = Effect.fnUntraced(function* ({ booking_id }: { readonly booking_id: string }) {
  const row = yield* Bookings.use((bookings) => bookings.get(booking_id))
  const summary = yield* PaymentSummaries.use((summaries) => summaries.read(row))
  const { balance, standing, terms } = toView(row, summary)
  return { balance, standing, terms: terms.text, next: bookingWithNextStep(row, summary).next_step }
})

layer(commandWorld)("a balance that is paid at the venue", (it) => {
  it.effect("is asked for by no page and no assistant, is never overdue, and is recorded there", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const { booking } = yield* paidBooking(packages.venueParty)
      const { balance, next, standing, terms } = yield* told(booking)
      assert.isFalse(balance?.online)
      assert.strictEqual(Date.parse(balance?.due_at ?? ""), booking.starts_at)
      assert.strictEqual(balance?.amount.amount, 15_000)
      assert.strictEqual(standing, "balance_due")
      assert.include(terms, "What is left to pay is paid at the venue.")
      assert.include(next, "£150.00, is paid at the venue when the visit starts")
      assert.notInclude(next, "create_payment_session")
      const refused = yield* Effect.flip(createSession(booking.booking_id, { purpose: "balance" }))
      assert.strictEqual(refused._tag, "NothingDue")
      assert.include(refused.message, "paid at the venue")
      // Nothing becomes of it by time, before the visit or during it.
      for (const hours of [24, 1 / 60, -1]) {
        yield* setClockBefore(booking, hours)
        yield* reconcileAfter("1 second")
        assert.strictEqual((yield* told(booking)).standing, "balance_due")
        assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "deposit_paid", 5000))
        const found = yield* findings
        assert.notInclude(
          found.map(({ what }) => what),
          "balance overdue"
        )
      }
      const { left } = yield* recordPayment(
        booking.booking_id,
        { amount: 15_000, way: "card", done_by: "Ann" },
        { preview: false }
      )
      assert.strictEqual(left.amount, 0)
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "paid", 20_000))
      assert.strictEqual((yield* told(booking)).standing, "paid")
      assert.deepStrictEqual(yield* Audit.use(({ rows }) => rows), [])
    })
  )
})

layer(moveWorld)("a booking whose rest is paid at the venue", (it) => {
  it.effect("keeps that when it moves, though the package asks for it earlier and by link by now", () =>
    Effect.gen(function* () {
      const booking = yield* confirmedOn("2026-12-01", "10:00", movable.venueParty)
      assert.strictEqual(booking.terms.balance_at_venue, true)
      const later = movable.venueParty.payment
      const packagesNow = Object.values(movable).map((pkg) =>
        pkg.package_id === movable.venueParty.package_id && later.kind === "deposit"
          ? {
              ...pkg,
              payment: { kind: later.kind, deposit: later.deposit, refundable: false, balance_due_hours_before: 72 }
            }
          : pkg
      )
      yield* importVenue({ ...hall, packages: packagesNow })
      yield* moveBooking(booking, yield* optionOn("2026-12-05", "15:00", { pkg: movable.venueParty }))
      const moved = yield* rowOf(booking)
      assert.deepInclude(moved.terms, { balance_at_venue: true })
      assert.deepInclude(moved.terms.price, { balance_due: 19_000, balance_due_at: "2026-12-05T15:00:00+00:00" })
      yield* setClockBefore(moved, 1)
      yield* reconcileAfter(minuteMs)
      assert.strictEqual((yield* told(moved)).standing, "balance_due")
      yield* importVenue(hall)
      // Who books now, and moves later, pays by link as the package then said.
      const other = yield* confirmedOn("2026-12-03", "10:00", movable.depositParty)
      yield* moveBooking(other, yield* optionOn("2026-12-10", "10:00", { pkg: movable.venueParty }))
      assert.isUndefined((yield* rowOf(other)).terms.balance_at_venue)
    })
  )
})
