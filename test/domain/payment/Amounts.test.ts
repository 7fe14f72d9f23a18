/** Every amount that is promised can be sent to the provider, in every currency that it takes payments in. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { bookingOf } from "../../../src/domain/booking/BookingRequest.ts"
import { refundByTerms } from "../../../src/domain/booking/Booking.ts"
import { planChange } from "../../../src/domain/booking/ChangePlan.ts"
import { maxPrice } from "../../../src/domain/catalogue/PriceTimes.ts"
import { quote, waivedIn } from "../../../src/domain/catalogue/Pricing.ts"
import {
  chargeStep,
  isBelowMinimumCharge,
  maximumCharge,
  providerCurrencies,
  toProviderAmount
} from "../../../src/platform/money/Charge.ts"
import { BookingId, Reference } from "../../../src/platform/ids/Ids.ts"
import { dayMs, hourMs } from "../../../src/platform/time/LocalTime.ts"
import { priceByHand } from "../../support/oracle/Price.ts"
import { anyPackage, givenCode, instantNear, partyOf, venueOnDate } from "../../support/arbitraryVenues.ts"
import { runs } from "../../support/runs.ts"

const currencies = [...providerCurrencies]

/** A visit and another one of the same playroom that it may be moved to, in any currency. */
const visits = venueOnDate.chain(({ venue, pkg, date }) =>
  fc.record({
    venue: fc.constant(venue),
    pkg: fc.constant(pkg),
    other: anyPackage,
    who: partyOf(venue),
    those: partyOf(venue),
    start: instantNear(venue.playroom.time_zone, date),
    later: fc.integer({ min: -30 * 24, max: 30 * 24 }).map((hours) => hours * hourMs),
    before: fc.integer({ min: 1, max: 60 * dayMs }),
    currency: fc.constantFrom(...currencies),
    everything: fc.boolean(),
    /** The share of the payments that the operator gives back by hand. */
    share: fc.double({ min: 0, max: 1, noNaN: true })
  })
)

/** Fails unless the provider takes a charge of this amount. */
const chargeable = (amount: number, currency: string, what: string) => {
  if (amount === 0) return
  assert.isDefined(toProviderAmount(amount, currency), `${what}: ${amount} ${currency}`)
  assert.isFalse(isBelowMinimumCharge(amount, currency), `${what}: ${amount} ${currency}`)
}
const refundable = (amount: number, currency: string, what: string) =>
  assert.isDefined(toProviderAmount(amount, currency), `${what}: ${amount} ${currency}`)

describe("Every amount that is promised", () => {
  it("can be sent in its currency: due now, balance, refunds, and what a move costs", () => {
    const seen = { waived: 0, moved: 0 }
    fc.assert(
      fc.property(visits, ({ before, currency, everything, later, other, pkg, share, start, those, venue, who }) => {
        const sold = { ...venue, playroom: { ...venue.playroom, currency } }
        const limit = maximumCharge(currency)
        if (maxPrice(sold, pkg, who) > limit || maxPrice(sold, other, those) > limit) return
        const now = start - before
        const agreement = { venue: sold, pkg, party: who, start, quote: quote(sold, pkg, who, start, now) }
        const { price } = agreement.quote
        chargeable(price.due_now, currency, "due now")
        chargeable(price.balance_due ?? 0, currency, "balance")
        assert.strictEqual(price.due_now + (price.balance_due ?? 0), price.total)
        const option_id = `option_${"x".repeat(40)}`
        const held = bookingOf({ option_id, contact: { name: "A", email: "a@example.com" } }, agreement, {
          booking_id: BookingId.make(`booking_01h4${"0".repeat(22)}`),
          reference: Reference.make("K7M2-9QXD"),
          key_id: "key",
          now,
          hold_expires_at: now + hourMs
        })
        const paid = everything ? price.total : price.due_now
        const payment_status = paid === price.total ? ("paid" as const) : ("deposit_paid" as const)
        const booking = { ...held, status: "confirmed" as const, payment_status, paid }
        // A dashboard refund is on the step, too: the provider makes no other.
        const given_back = Math.floor((paid * share) / chargeStep(currency)) * chargeStep(currency)
        for (const back of [0, given_back]) {
          for (const { hours_before } of [...pkg.cancellation, { hours_before: 0 }]) {
            const due = refundByTerms(booking, { given_back: back, left: paid - back }, start - hours_before * hourMs)
            refundable(due.amount, currency, "refund")
            assert.isAtMost(back + due.amount, Math.max(back, paid))
            if (due.refund_percent === 100 && back === 0 && held.terms.non_refundable === 0)
              assert.strictEqual(due.amount, paid)
          }
        }
        const to = start + later
        const moved = planChange(
          booking,
          { venue: sold, pkg: other, party: those, start: to, quote: quote(sold, other, those, to, now) },
          option_id,
          {
            given_back,
            left: paid - given_back,
            settled: everything ? price.total : price.due_now,
            sessions: [],
            byHand: () => 0
          },
          "family",
          now
        )
        const after = moved.row.terms.price
        chargeable(moved.row.total - moved.row.due_now, currency, "balance after the move")
        refundable(moved.refund, currency, "refund of the move")
        assert.strictEqual(
          after.lines.reduce((sum, { amount }) => sum + amount, 0),
          moved.row.total
        )
        if (moved.row.total > moved.row.due_now && to > now)
          assert.isAbove(Date.parse(after.balance_due_at ?? ""), now, "a balance that is overdue at once")
        if (waivedIn(after) > 0) seen.waived++
        seen.moved++
      }),
      { numRuns: runs(1500, 1000) }
    )
    assert.isAbove(seen.moved, runs(1000))
    assert.isAbove(seen.waived, 5)
  })

  it("is what the oracle reckons, by its own table of what can be charged", () => {
    fc.assert(
      fc.property(
        visits,
        fc.constantFrom("KWD", "BHD", "MGA", "GBP", "EUR", "USD", "JPY", "HUF", "ISK", "UGX"),
        givenCode,
        ({ before, pkg, start, venue, who: party }, currency, code) => {
          const who = code === undefined ? party : { ...party, code }
          const sold = { ...venue, playroom: { ...venue.playroom, currency } }
          const { balance_due_at, non_refundable, price } = quote(sold, pkg, who, start, start - before)
          assert.deepStrictEqual(
            {
              total: price.total,
              tax: price.tax.amount,
              rates: price.tax.rates,
              due_now: price.due_now,
              non_refundable,
              balance_due_at
            },
            priceByHand(sold, pkg, who, start, start - before)
          )
        }
      ),
      { numRuns: runs(500) }
    )
  })
})
