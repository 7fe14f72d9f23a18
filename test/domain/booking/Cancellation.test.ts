import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { refundByTerms } from "../../../src/domain/booking/Booking.ts"
import { type RefundBasis, refundDue } from "../../../src/domain/catalogue/RefundSchedule.ts"
import { dayMs, hourMs, type Instant, instantAt } from "../../../src/platform/time/LocalTime.ts"
import { saturdayParty, wholeHall } from "../../support/venues.ts"
import { runs } from "../../support/runs.ts"

/** The refund percentage of a cancellation at `now`. */
const refundPercent = (cancellation: RefundBasis["cancellation"], starts_at: Instant, now: Instant): number =>
  refundDue({ currency: "GBP", cancellation, non_refundable: 0, paid: 0, refunded: 0, starts_at, now }).refund_percent

const starts_at = instantAt("Europe/London", "2026-12-05", 750)
const party: RefundBasis = {
  currency: "GBP",
  cancellation: saturdayParty.cancellation,
  non_refundable: 10_000,
  paid: 25_200,
  refunded: 0,
  starts_at,
  now: starts_at
}

const tiers = fc.array(
  fc.record({
    hours_before: fc.integer({ min: 0, max: 1000 }),
    refund_percent: fc.integer({ min: 0, max: 100_000 }).map((thousandths) => thousandths / 1000)
  }),
  { maxLength: 5 }
)
const booking: fc.Arbitrary<RefundBasis> = fc
  .record({
    cancellation: tiers,
    non_refundable: fc.nat(50_000),
    paid: fc.nat(100_000),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
    currency: fc.constant("GBP"),
    starts_at: fc.constant(starts_at),
    before: fc.integer({ min: -hourMs, max: 1100 * hourMs })
  })
  .map(({ part, before, ...rest }) => ({ ...rest, refunded: Math.floor(rest.paid * part), now: starts_at - before }))

describe("Cancellation", () => {
  it.each([
    [31, 100, 15_200],
    [30, 100, 15_200],
    [29, 50, 7600],
    [8, 50, 7600],
    [7, 0, 0],
    [0, 0, 0]
  ] as const)("%d days before the party %d %% come back of all but the £100 deposit", (days, percent, amount) => {
    const due = refundDue({ ...party, now: starts_at - days * dayMs })
    assert.deepStrictEqual(due, { refund_percent: percent, owed: amount, amount })
  })

  it("a tier counts to the millisecond at its hour, and no longer", () => {
    const at = (before: number) => refundPercent(saturdayParty.cancellation, starts_at, starts_at - before)
    assert.deepStrictEqual([at(30 * dayMs), at(30 * dayMs - 1), at(8 * dayMs), at(8 * dayMs - 1)], [100, 50, 50, 0])
  })

  it("hours are elapsed ones: 24 hours before 10:00 on the day the clocks go forward is 09:00", () => {
    const start = instantAt("Europe/London", "2026-03-29", 600)
    const tier = [{ hours_before: 24, refund_percent: 100 }]
    assert.strictEqual(refundPercent(tier, start, instantAt("Europe/London", "2026-03-28", 540)), 100)
    assert.strictEqual(refundPercent(tier, start, instantAt("Europe/London", "2026-03-28", 541)), 0)
  })

  it("only the deposit is paid: nothing comes back of it where it is not refundable, all of it where it is", () => {
    const now = starts_at - 40 * dayMs
    assert.strictEqual(refundDue({ ...party, paid: 10_000, now }).amount, 0)
    assert.strictEqual(refundDue({ ...party, paid: 10_000, non_refundable: 0, now }).amount, 10_000)
  })

  it("no more comes back than is left of the payments, and what went back counts", () => {
    const { cancellation, non_refundable, paid } = party
    const row = { currency: "GBP", paid, starts_at, terms: { cancellation, non_refundable } }
    const back = (given_back: number, left: number) =>
      refundByTerms(row, { given_back, left }, starts_at - 40 * dayMs).amount
    assert.deepStrictEqual([back(0, paid), back(5200, 20_000), back(0, 300), back(paid, 0)], [15_200, 10_000, 300, 0])
  })

  it("without tiers nothing comes back, and after the start no tier fits", () => {
    assert.deepStrictEqual(refundDue({ ...party, cancellation: wholeHall.cancellation.slice(0, 0) }), {
      refund_percent: 0,
      owed: 0,
      amount: 0
    })
    const always = [{ hours_before: 0, refund_percent: 100 }]
    assert.strictEqual(refundPercent(always, starts_at, starts_at), 100)
    assert.strictEqual(refundPercent(always, starts_at, starts_at + 1), 0)
  })

  it("with what came back before never exceeds what was paid beyond the deposit", () => {
    fc.assert(
      fc.property(booking, (booking) => {
        const { refund_percent, amount } = refundDue(booking)
        assert.isTrue(Number.isSafeInteger(amount) && amount >= 0)
        assert.isAtMost(amount, Math.max(0, booking.paid - booking.non_refundable))
        assert.isAtMost(amount + booking.refunded, Math.max(booking.refunded, booking.paid - booking.non_refundable))
        if (refund_percent === 0) assert.strictEqual(amount, 0)
      }),
      { numRuns: runs(750) }
    )
  })

  it("refunds once: asked again after it was paid out, nothing is due", () => {
    fc.assert(
      fc.property(booking, (booking) => {
        const { amount } = refundDue(booking)
        assert.strictEqual(refundDue({ ...booking, refunded: booking.refunded + amount }).amount, 0)
      }),
      { numRuns: runs(500) }
    )
  })

  it("does not depend on the order of the tiers, and takes the fitting one with the most hours", () => {
    fc.assert(
      fc.property(
        booking.chain((booking) => {
          const all = [...booking.cancellation]
          return fc.tuple(fc.constant(booking), fc.shuffledSubarray(all, { minLength: all.length }))
        }),
        ([booking, shuffled]) => {
          const { refund_percent } = refundDue(booking)
          assert.strictEqual(refundDue({ ...booking, cancellation: shuffled }).refund_percent, refund_percent)
          const fitting = booking.cancellation
            .filter(({ hours_before }) => booking.now + hours_before * hourMs <= booking.starts_at)
            .sort((a, b) => b.hours_before - a.hours_before || b.refund_percent - a.refund_percent)
          assert.strictEqual(refund_percent, fitting[0]?.refund_percent ?? 0)
        }
      ),
      { numRuns: runs(500) }
    )
  })
})
