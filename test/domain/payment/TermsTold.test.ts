import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { offer } from "../../../src/domain/availability/BookingOption.ts"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { toView } from "../../../src/domain/booking/BookingViews.ts"
import { foldedPage } from "../../../src/domain/availability/OptionPage.ts"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import { addDays, hourMs } from "../../../src/platform/time/LocalTime.ts"
import { PaymentSummaries } from "../../../src/domain/payment/PaymentSummaries.ts"
import { cancelAsOperator, recordPayment } from "../../support/Acts.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { cancelBooking, createBooking, now, openSession, payBooking, paymentWorld } from "../../support/PaymentWorld.ts"
import { packages, venue } from "../../support/paymentVenues.ts"
import { runs } from "../../support/runs.ts"
import { refundClaimed, visitClaimsOf } from "../../support/termsClaims.ts"

const visible = (booking: BookingRow) =>
  Effect.map(
    PaymentSummaries.use((summaries) => summaries.read(booking)),
    (summary) => toView(booking, summary)
  )

const preview = (booking_id: string) =>
  Effect.map(cancelAsOperator(booking_id, { preview: true }), ({ refund }) => refund.amount)

layer(paymentWorld())("the terms", (it) => {
  it.effect("are worded alike by the playroom, the option, the booking and the payment page", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const { playroom_id } = venue.playroom
      const general =
        "£50.00 deposit, not refunded. Of the rest: all back until 2 days before, half until 24 hours before, then nothing."
      const text =
        "£50.00 deposit, not refunded. If cancelled once all £200.00 is paid: until 2027-11-08 10:00: £150.00 back; until 2027-11-09 10:00: £75.00 back; afterwards: nothing."
      const shown = yield* Catalogue.use((catalogue) => catalogue.view(playroom_id))
      const { package_id } = packages.depositParty
      assert.strictEqual(shown.packages.find((pkg) => pkg.package_id === package_id)?.terms.text, general)
      const found = yield* BookingOptions.use((all) =>
        all.list({ playroom_id, date: "2027-11-10", children: 5, package_id })
      )
      assert.strictEqual(foldedPage(found).packages[0]?.terms.text, general)
      const party = { children: 5, adults: 0, add_ons: [] }
      const start = Date.parse("2027-11-10T10:00Z")
      const nearest = yield* BookingOptions.use((all) => all.nearest(venue, packages.depositParty, party, start))
      assert.strictEqual(nearest?.packages[0]?.terms.text, general)
      const opening = { pkg: packages.depositParty, start, places_left: 1 }
      const { terms } = offer(venue, party, opening, Date.parse(now))
      assert.strictEqual(terms.text, text)
      assert.deepStrictEqual(terms.deposit, { amount: 5000, display: "£50.00", refundable: false })
      const booking = yield* createBooking(packages.depositParty, { date: "2027-11-10" })
      const made = yield* visible(booking)
      assert.deepStrictEqual(made.terms, terms)
      assert.strictEqual((yield* openSession(booking)).request?.terms, text)
    })
  )

  for (const [name, pkg, date] of [
    ["a deposit that is kept", packages.depositParty, "2027-11-11"],
    ["a deposit that comes back", packages.refundableParty, "2027-11-12"],
    ["all due when booking", packages.party, "2027-11-13"]
  ] as const) {
    it.effect(`claim exactly what a cancellation then refunds, with ${name}`, () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const booking = yield* createBooking(pkg, { date })
        const claims = visitClaimsOf((yield* visible(booking)).terms.text, booking.terms.time_zone)
        let paid = 0
        for (const purpose of booking.due_now < booking.total
          ? (["due_now", "balance"] as const)
          : (["due_now"] as const)) {
          yield* setClock(now)
          yield* payBooking(booking, purpose)
          paid = purpose === "due_now" ? booking.due_now : booking.total
          for (const hours of [500, 49, 48, 47.999, 24, 23.999, 1, 0]) {
            const moment = booking.starts_at - hours * hourMs
            yield* setClock(new Date(moment).toISOString())
            const view = yield* visible(yield* Bookings.use((bookings) => bookings.get(booking.booking_id)))
            const back = yield* preview(booking.booking_id)
            assert.strictEqual(back, refundClaimed(claims, paid, moment), `${paid} paid, ${hours} h before`)
            assert.strictEqual(view.refund_if_cancelled_now?.amount, back)
            const today = visitClaimsOf(view.terms.text, booking.terms.time_zone)
            assert.strictEqual(refundClaimed(today, paid, moment), back, view.terms.text)
          }
        }
      })
    )
  }

  it.effect("told with an option in money are what a cancellation at any moment then gives back", () =>
    Effect.gen(function* () {
      const { playroom_id } = venue.playroom
      const wishes = fc.sample(
        fc.record({
          pkg: fc.constantFrom(...Object.values(packages)),
          paysAll: fc.boolean(),
          before: fc.oneof(
            fc.integer({ min: 0, max: 60 * hourMs }),
            fc.constantFrom(0, 24 * hourMs, 24 * hourMs - 1, 48 * hourMs, 48 * hourMs - 1)
          )
        }),
        { numRuns: runs(14, 14), seed: fc.readConfigureGlobal()?.seed ?? 1 }
      )
      let gaveBack = 0
      for (const [i, { before, paysAll, pkg }] of wishes.entries()) {
        yield* setClock(now)
        const date = addDays("2027-02-01", i % 250)
        const found = yield* BookingOptions.use((all) =>
          all.list({ playroom_id, package_id: pkg.package_id, date, children: 8 })
        )
        const [option] = foldedPage(found).options
        const booking = yield* createBooking(pkg, { date })
        const made = yield* visible(booking)
        if (booking.due_now > 0) yield* payBooking(booking)
        const balance = booking.total - booking.due_now
        if (paysAll && balance > 0)
          yield* pkg === packages.venueParty
            ? recordPayment(booking.booking_id, { amount: balance, way: "cash", done_by: "Sam" }, { preview: false })
            : payBooking(booking, "balance")
        const paid = booking.due_now + (paysAll ? balance : 0)
        const moment = booking.starts_at - before
        yield* setClock(new Date(moment).toISOString())
        const { refund } = yield* cancelBooking(booking)
        const what = `${pkg.package_id}, ${paid} paid, ${before} ms before`
        const claims = visitClaimsOf(made.terms.text, booking.terms.time_zone)
        assert.strictEqual(refund.amount, refundClaimed(claims, paid, moment), what)
        const back = option?.back_if_cancelled
        if (paid === booking.due_now && (back === undefined || moment <= Date.parse(back.until)))
          assert.strictEqual(refund.amount, back?.refund ?? 0, what)
        if (refund.amount > 0) gaveBack++
      }
      assert.isAbove(gaveBack, 2)
    })
  )

  it.effect("of an option or a booking are dates and money, without tiers in percent", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking(packages.depositParty)
      const party = { children: 5, adults: 0, add_ons: [] }
      const nearest = yield* BookingOptions.use((all) =>
        all.nearest(venue, packages.depositParty, party, booking.starts_at)
      )
      const opening = { pkg: packages.depositParty, start: booking.starts_at, places_left: 1 }
      const changed = offer(venue, party, opening, Date.parse(now))
      assert.isNotEmpty(nearest?.options)
      for (const answer of [...(nearest?.options ?? []), changed, yield* visible(booking)]) {
        assert.notMatch(JSON.stringify(answer), /refund_percent|hours_before|"percent"/)
        assert.notProperty(answer, "cancellation")
      }
    })
  )
})
