import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { BookingLinks } from "../../../../src/domain/booking/BookingLinks.ts"
import type { PaymentSessionRow } from "../../../../src/domain/payment/sessions/PaymentSession.ts"
import { confirmedOn, movable, moveBooking, moveWorld, optionOn, paidOnClosedPage } from "../../../support/moveWorld.ts"
import {
  actAtProvider,
  bookingState,
  comesBack,
  deleteBookings,
  openSession,
  payBooking,
  returnTokens,
  runProviderTasks
} from "../../../support/PaymentWorld.ts"

const look = (session: PaymentSessionRow, changes: { readonly booking?: string; readonly payment?: string } = {}) =>
  comesBack({ ...returnTokens(session), ...changes })

/** What the payer of a session is told: of this payment and its amount, and what is still to be paid of the booking. */
const told = (session: PaymentSessionRow) =>
  Effect.map(look(session), (seen) => [seen?.notice, seen?.shown.returned?.session.amount, seen?.outstanding] as const)

/** Whether what is refunded of a session's payment has arrived. */
const sent = (session: PaymentSessionRow) =>
  Effect.map(look(session), (seen) => seen?.shown.returned?.not_counted?.sent)

const { depositParty: pkg } = movable

layer(moveWorld)("the payer of a page that is out of date", (it) => {
  it.effect("learns that the payment goes back where the booking was moved to another balance before it came", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10", "10:00", pkg)
      const { arrives, page } = yield* paidOnClosedPage(booking)
      yield* moveBooking(booking, yield* optionOn("2026-12-12", "10:00", { pkg }))
      yield* arrives
      assert.deepStrictEqual(yield* told(page), ["not_needed", 15_000, 19_000])
      assert.isFalse(yield* sent(page))
      yield* runProviderTasks
      assert.deepStrictEqual(yield* told(page), ["not_needed", 15_000, 19_000])
      assert.isTrue(yield* sent(page))
      // The next payment is told by its own tokens, and the first one still by its own.
      const next = yield* payBooking(booking, "balance")
      assert.deepStrictEqual(yield* told(next), ["arrived", 19_000, 0])
      assert.deepStrictEqual(yield* told(page), ["not_needed", 15_000, 0])
    })
  )

  it.effect("learns that nothing is left to pay where the move took the balance away, and nothing was charged", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10", "10:00", pkg)
      const page = yield* openSession(booking, "balance")
      yield* moveBooking(booking, yield* optionOn("2026-12-08", "10:00", { pkg }))
      assert.deepStrictEqual(yield* told(page), ["closed", 15_000, 0])
    })
  )

  it.effect("learns what is left to pay where the booking was moved after the balance had been paid", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10", "10:00", pkg)
      const page = yield* payBooking(booking, "balance")
      assert.deepStrictEqual(yield* told(page), ["arrived", 15_000, 0])
      yield* moveBooking(booking, yield* optionOn("2026-12-12", "10:00", { pkg }))
      assert.deepStrictEqual(yield* told(page), ["arrived", 15_000, 4000])
    })
  )

  it.effect("is told of the own payment where another one of the booking is open, and not of a stranger's", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10", "10:00", pkg)
      const { arrives, page } = yield* paidOnClosedPage(booking)
      const second = yield* openSession(booking, "balance")
      yield* arrives
      assert.deepStrictEqual(yield* told(page), ["arrived", 15_000, 0])
      // The other page is not offered any more, though the provider has not closed it yet.
      const other = yield* look(second)
      assert.deepStrictEqual([other?.standing, other?.notice], ["paid", "waiting"])
      const stranger = yield* payBooking(yield* confirmedOn("2026-12-11", "10:00", pkg), "balance")
      const mixed = yield* look(second, { payment: returnTokens(stranger).payment })
      assert.strictEqual(mixed?.shown.booking.reference, booking.reference)
      assert.notProperty(mixed?.back, "payment")
    })
  )
})

layer(moveWorld)("the payer whose booking's link was renewed meanwhile", (it) => {
  const withoutPage = Effect.fnUntraced(function* (of: ReturnType<typeof look>) {
    const seen = (yield* of) ?? assert.fail("no page")
    assert.deepInclude(seen.back, { withheld: "renewed" })
    return seen.notice
  })

  it.effect("is told how the payment stands, and not led to the booking's page", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10", "10:00", pkg)
      const page = yield* openSession(booking, "balance")
      yield* BookingLinks.use((links) => links.renew(booking))
      assert.strictEqual(yield* withoutPage(look(page)), "waiting")
      // As the provider tells it: no event has come.
      yield* actAtProvider(page, "pay")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* withoutPage(look(page, { booking: "" })), "arrived")
      assert.strictEqual((yield* bookingState(booking)).payment_status, "paid")
      assert.isUndefined(yield* look(page, { payment: "" }))
    })
  )
})
