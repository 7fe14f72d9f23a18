import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { LinkTokens, operatorIn } from "../../../src/platform/access/LinkTokens.ts"
import { bookingLink, BookingLinks } from "../../../src/domain/booking/BookingLinks.ts"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { OperatorId } from "../../../src/platform/ids/Ids.ts"
import { dayMs } from "../../../src/platform/time/LocalTime.ts"
import { bookingWithNextStep } from "../../../src/surfaces/mcp/tools/NextSteps.ts"
import { PaymentSummaries } from "../../../src/domain/payment/PaymentSummaries.ts"
import { createBooking, createSession, historyOf, now, paidBooking, paymentWorld } from "../../support/PaymentWorld.ts"

/** The token in the address of a booking's page. */
const tokenOf = Effect.fnUntraced(function* (booking: BookingRow) {
  const address = yield* LinkTokens.use((links) => links.address(bookingLink("booking", booking)))
  const { pathname } = new URL(address)
  assert.match(pathname, /^\/b\/[A-Za-z0-9_-]{48}$/)
  return pathname.slice(3)
})

const opened = (token: string) =>
  Effect.map(
    BookingLinks.use((links) => links.opened("booking", token)),
    Option.map(({ booking_id }) => booking_id)
  )

layer(paymentWorld())("the link to a booking", (it) => {
  it.effect("opens that booking, is part of its answers, and is the same each time", () =>
    Effect.gen(function* () {
      const booking = yield* createBooking()
      const token = yield* tokenOf(booking)
      assert.deepStrictEqual(yield* opened(token), Option.some(booking.booking_id))
      const { page_url } = yield* PaymentSummaries.use((summaries) => summaries.read(booking))
      assert.strictEqual(page_url, `http://localhost:3000/b/${token}`)
      assert.strictEqual((yield* createSession(booking.booking_id)).page_url, page_url)
      for (const { booking_id } of [yield* createBooking(), (yield* paidBooking()).session]) {
        const row = yield* Bookings.use((bookings) => bookings.get(booking_id))
        const told = bookingWithNextStep(row, yield* PaymentSummaries.use((summaries) => summaries.read(row)))
        assert.include(told.booking.page_url, "http://localhost:3000/b/")
        assert.include(told.next_step, "ive them page_url")
      }
    })
  )

  it.effect("opens nothing as the token of another page, nor of an operator whose id is the same number", () =>
    Effect.gen(function* () {
      const links = yield* LinkTokens
      const booking = yield* createBooking()
      const paying = yield* links.make(bookingLink("checkout_return", booking))
      assert.deepStrictEqual(yield* opened(paying), Option.none())
      const operator_id = OperatorId.make(booking.booking_id.replace("booking_", "operator_"))
      const operator = yield* links.make({ page: "operator", operator_id, counter: 0 })
      assert.deepStrictEqual(operatorIn(operator), Option.some(operator_id))
      assert.deepStrictEqual(yield* opened(operator), Option.none())
      assert.include(
        yield* links.address({ page: "operator", operator_id, counter: 0 }),
        `http://localhost:3000/o/${operator}`
      )
    })
  )

  it.effect("is ended by renewing it, with that of the page where the payer lands, and the history says so", () =>
    Effect.gen(function* () {
      const booking = yield* createBooking()
      const links = yield* LinkTokens
      const before = yield* tokenOf(booking)
      const paying = yield* links.make(bookingLink("checkout_return", booking))
      const renewed = yield* BookingLinks.use((links) => links.renew(booking))
      const after = yield* tokenOf(renewed)
      assert.deepStrictEqual(yield* opened(before), Option.none())
      assert.isTrue(Option.isNone(yield* BookingLinks.use((all) => all.opened("checkout_return", paying))))
      assert.deepStrictEqual(yield* opened(after), Option.some(booking.booking_id))
      // Concurrent renewals end both links that they see.
      const both = yield* Effect.all(
        [1, 2].map(() => BookingLinks.use((links) => links.renew(renewed))),
        { concurrency: 2 }
      )
      assert.deepStrictEqual(yield* opened(after), Option.none())
      assert.strictEqual(Math.max(...both.map(({ link_counter }) => link_counter ?? 0)), 3)
      assert.strictEqual((yield* historyOf(booking)).filter((event) => event === "link_renewed").length, 3)
    })
  )

  it.effect("opens nothing from 90 days after the visit's end on", () =>
    Effect.gen(function* () {
      const booking = yield* createBooking()
      const token = yield* tokenOf(booking)
      yield* TestClock.setTime(booking.ends_at + 90 * dayMs - 1)
      assert.deepStrictEqual(yield* opened(token), Option.some(booking.booking_id))
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* opened(token), Option.none())
      yield* TestClock.setTime(Date.parse(now))
    })
  )
})
