import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { BookingLinks } from "../../../src/booking/BookingLinks.ts"
import { CheckoutReturn, type PayerView } from "../../../src/pages/checkout/CheckoutReturn.ts"
import type { PaymentSessionRow } from "../../../src/payment/sessions/PaymentSession.ts"
import { confirmedOn, movable, moveBooking, moveWorld, optionOn, paidOnClosedPage } from "../../support/moveWorld.ts"
import {
  actAtProvider,
  bookingState,
  deleteBookings,
  openSession,
  payBooking,
  returnTokens,
  runProviderTasks
} from "../../support/PaymentWorld.ts"

const look = (session: PaymentSessionRow, changes: { readonly booking?: string; readonly payment?: string } = {}) =>
  CheckoutReturn.use((service) => service.read({ ...returnTokens(session), ...changes }))

/** What the payer of a session is told: the status, the amount of this payment, and what is still to be paid of the booking. */
const told = (session: PaymentSessionRow) =>
  Effect.map(look(session), (view) => {
    const { amount, outstanding, payable, status } = Option.getOrThrow(view)
    return [status, amount, outstanding, payable] as const
  })

const { depositParty: pkg } = movable

layer(moveWorld)("the payer of a page that is out of date", (it) => {
  it.effect("learns that the payment goes back where the booking was moved to another balance before it came", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10", "10:00", pkg)
      const { arrives, page } = yield* paidOnClosedPage(booking)
      yield* moveBooking(booking, yield* optionOn("2026-12-12", "10:00", { pkg }))
      yield* arrives
      assert.deepStrictEqual(yield* told(page), ["not_needed_going_back", 15_000, 19_000, true])
      yield* runProviderTasks
      assert.deepStrictEqual(yield* told(page), ["not_needed_paid_back", 15_000, 19_000, true])
      // The next payment is told by its own tokens, and the first one still by its own.
      const next = yield* payBooking(booking, "balance")
      assert.deepStrictEqual(yield* told(next), ["confirmed", 19_000, 0, false])
      assert.deepStrictEqual(yield* told(page), ["not_needed_paid_back", 15_000, 0, false])
    })
  )

  it.effect("learns that nothing is left to pay where the move took the balance away, and nothing was charged", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10", "10:00", pkg)
      const page = yield* openSession(booking, "balance")
      yield* moveBooking(booking, yield* optionOn("2026-12-08", "10:00", { pkg }))
      assert.deepStrictEqual(yield* told(page), ["nothing_due", 15_000, 0, false])
    })
  )

  it.effect("learns what is left to pay where the booking was moved after the balance had been paid", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10", "10:00", pkg)
      const page = yield* payBooking(booking, "balance")
      assert.deepStrictEqual(yield* told(page), ["confirmed", 15_000, 0, false])
      yield* moveBooking(booking, yield* optionOn("2026-12-12", "10:00", { pkg }))
      assert.deepStrictEqual(yield* told(page), ["confirmed", 15_000, 4000, true])
    })
  )

  it.effect("is told of the own payment where another one of the booking is open, and not of a stranger's", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10", "10:00", pkg)
      const { arrives, page } = yield* paidOnClosedPage(booking)
      const second = yield* openSession(booking, "balance")
      yield* arrives
      assert.deepStrictEqual(yield* told(page), ["confirmed", 15_000, 0, false])
      // The other page is not offered any more, though the provider has not closed it yet.
      const { status, url } = Option.getOrThrow(yield* look(second))
      assert.deepStrictEqual([status, url], ["open", undefined])
      const stranger = yield* payBooking(yield* confirmedOn("2026-12-11", "10:00", pkg), "balance")
      const mixed = Option.getOrThrow(yield* look(second, { payment: returnTokens(stranger).payment }))
      assert.strictEqual(mixed.reference, booking.reference)
    })
  )
})

layer(moveWorld)("the payer whose booking's link was renewed meanwhile", (it) => {
  const withoutPage = (view: Option.Option<PayerView>) => {
    const { page_url, status } = Option.getOrThrow(view)
    assert.isUndefined(page_url)
    return status
  }

  it.effect("is told how the payment stands, and not led to the booking's page", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10", "10:00", pkg)
      const page = yield* openSession(booking, "balance")
      yield* BookingLinks.use((links) => links.renew(booking))
      assert.strictEqual(withoutPage(yield* look(page)), "open")
      // As the provider tells it: no event has come.
      yield* actAtProvider(page, "pay")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(withoutPage(yield* look(page, { booking: "" })), "confirmed")
      assert.strictEqual((yield* bookingState(booking)).payment_status, "paid")
      assert.isTrue(Option.isNone(yield* look(page, { payment: "" })))
    })
  )
})
