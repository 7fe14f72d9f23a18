import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type CancellationTier, refundDue, refundSteps } from "../../../src/domain/catalogue/RefundSchedule.ts"
import { offer } from "../../../src/domain/availability/BookingOption.ts"
import { digestOf } from "../../../src/domain/availability/OptionId.ts"
import { depositAmount, quote } from "../../../src/domain/catalogue/Pricing.ts"
import { isBelowMinimumCharge } from "../../../src/platform/money/Charge.ts"
import { visitTerms } from "../../../src/domain/catalogue/VisitTerms.ts"
import type { Package, PaymentTerms } from "../../../src/domain/catalogue/Package.ts"
import { packageTerms } from "../../../src/domain/catalogue/Terms.ts"
import { dayMs, hourMs, instantAt } from "../../../src/platform/time/LocalTime.ts"
import { zoneAndDate } from "../../support/arbitraryVenues.ts"
import { claimedRefund, claimsOf, refundClaimed, visitClaimsOf } from "../../support/termsClaims.ts"
import { packageWith, saturdayParty, venueWith } from "../../support/venues.ts"
import { runs } from "../../support/runs.ts"

const party = { children: 5, adults: 0, add_ons: [] }
const start = instantAt("Europe/London", "2026-12-05", 750)
const usual: ReadonlyArray<CancellationTier> = [
  { hours_before: 336, refund_percent: 100 },
  { hours_before: 72, refund_percent: 50 }
]

/** A package of this price for everyone, with these terms. */
const priced = (base: number, payment: PaymentTerms, cancellation = usual, more: Partial<Package> = {}): Package =>
  packageWith({
    pricing: { base, included_children: 5, extra_child: 0, adult: 0, rules: [] },
    payment,
    cancellation,
    ...more
  })

const deposit = (deposit: { amount: number } | { percent: number }, refundable: boolean): PaymentTerms => ({
  kind: "deposit",
  deposit,
  balance_due_hours_before: 24,
  refundable
})

/** The terms that an option of the package shows. */
const told = (pkg: Package, at = start, now = start - 100 * dayMs, room: Parameters<typeof venueWith>[0] = {}) =>
  offer(venueWith(room, [pkg]), party, { pkg, start: at, places_left: 5 }, now).terms

describe("the terms of an option say", () => {
  it.each([
    [
      "what of a deposit and of the rest comes back",
      priced(20_000, deposit({ amount: 5000 }, false)),
      "£50.00 deposit, not refunded. If cancelled once all £200.00 is paid: until 2026-11-21 12:30: £150.00 back; until 2026-12-02 12:30: £75.00 back; afterwards: nothing."
    ],
    [
      "that a refundable deposit comes back like all that is paid",
      priced(20_000, deposit({ percent: 25 }, true)),
      "£50.00 deposit. If cancelled, of the £50.00 due now: until 2026-11-21 12:30: £50.00 back; until 2026-12-02 12:30: £25.00 back; afterwards: nothing. If cancelled once all £200.00 is paid: until 2026-11-21 12:30: £200.00 back; until 2026-12-02 12:30: £100.00 back; afterwards: nothing."
    ],
    [
      "what comes back where all is due when booking",
      priced(20_000, { kind: "full" }, [{ hours_before: 36, refund_percent: 33.333 }]),
      "If cancelled, of the £200.00 due now: until 2026-12-04 00:30: £66.67 back; afterwards: nothing."
    ],
    [
      "that nothing comes back without tiers",
      priced(20_000, { kind: "full" }, []),
      "Nothing that is paid is refunded."
    ],
    [
      "that nothing comes back where the deposit is the whole price",
      priced(4000, deposit({ amount: 5000 }, false)),
      "£40.00 deposit. Nothing that is paid is refunded."
    ],
    ["that nothing is to be paid", priced(0, { kind: "full" }), "Nothing is to be paid."],
    [
      "the headcount and the rescheduling beside them",
      saturdayParty,
      "£100.00 deposit, not refunded. If cancelled once all £180.00 is paid: until 2026-11-05 12:30: £80.00 back; until 2026-11-27 12:30: £40.00 back; afterwards: nothing. Final headcount by 2026-12-03 12:30. Free to move until 2026-11-21 12:30."
    ]
  ] as const)("%s", (_, pkg, text) => {
    assert.strictEqual(told(pkg).text, text)
  })

  it("D5: that the party may grow and not become smaller, until the headcount is final; then the option is another one", () => {
    const grows = { ...saturdayParty, party_may_shrink: false }
    assert.include(
      packageTerms(grows, "GBP").text,
      " Final headcount 2 days before; the party may grow, but not become smaller; free to move until 14 days before."
    )
    assert.strictEqual(packageTerms(grows, "GBP").grows_only, true)
    const { grows_only, text } = told(grows)
    assert.strictEqual(grows_only, true)
    assert.include(
      text,
      "Final headcount by 2026-12-03 12:30. The party may grow, but not become smaller. Free to move"
    )
    assert.notInclude(told(grows, start, start - hourMs).text, "may grow")
    for (const same of [saturdayParty, { ...saturdayParty, party_may_shrink: true }]) {
      assert.notProperty(told(same), "grows_only")
      assert.notInclude(told(same).text, "may grow")
    }
    const digest = (pkg: Package) => {
      const venue = venueWith({}, [pkg])
      const now = start - 100 * dayMs
      const quoted = quote(venue, pkg, party, start, now)
      return digestOf({ add_ons: [], pkg, quote: quoted, start, time_zone: venue.playroom.time_zone })
    }
    assert.notStrictEqual(digest(grows), digest(saturdayParty))
    assert.strictEqual(digest({ ...saturdayParty, party_may_shrink: true }), digest(saturdayParty))
  })

  it("the amounts of the data beside the text", () => {
    assert.deepInclude(told(priced(20_000, deposit({ percent: 25 }, false))), {
      deposit: { amount: 5000, display: "£50.00", refundable: false }
    })
    assert.deepInclude(told(saturdayParty), { final_headcount_hours: 48, free_reschedule_hours: 336 })
    assert.notProperty(told(priced(20_000, { kind: "full" })), "deposit")
    // The balance is due, so a refundable deposit no longer matters.
    assert.notProperty(told(priced(20_000, deposit({ amount: 5000 }, true)), start, start - hourMs), "deposit")
    assert.property(told(priced(20_000, deposit({ amount: 5000 }, false)), start, start - hourMs), "deposit")
  })

  it("only deadlines that can still be met, and the last one aloud", () => {
    const pkg = priced(20_000, { kind: "full" }, usual, {
      final_headcount_hours_before: 96,
      free_reschedule_hours_before: 96
    })
    const later = told(pkg, start, start - 80 * hourMs)
    assert.strictEqual(
      later.text,
      "If cancelled, of the £200.00 due now: until 2026-12-02 12:30: £100.00 back; afterwards: nothing. The headcount is final."
    )
    assert.deepStrictEqual(later.refunds, [
      {
        until: "2026-12-02T12:30:00+00:00",
        refund: { amount: 10_000, currency: "GBP", display: "£100.00" },
        text: "until 2026-12-02 12:30: £100.00 back"
      },
      { refund: { amount: 0, currency: "GBP", display: "£0.00" }, text: "afterwards: nothing" }
    ])
    // A deadline is met to the millisecond, and not one later.
    assert.lengthOf(told(pkg, start, start - 72 * hourMs).refunds ?? [], 2)
    const none = told(pkg, start, start - 72 * hourMs + 1)
    assert.strictEqual(none.text, "Nothing that is paid is refunded. The headcount is final.")
    assert.lengthOf(none.refunds ?? [], 1)
  })

  it("what was paid, what of it went back before, and what is left", () => {
    const { cancellation, non_refundable, price } = {
      ...quote(venueWith({}, [priced(20_000, { kind: "full" })]), priced(20_000, { kind: "full" }), party, start, 0),
      cancellation: usual
    }
    const visit = {
      ...price,
      cancellation,
      non_refundable,
      outstanding: 0,
      due_now: 0,
      starts_at: start,
      time_zone: "Europe/London"
    }
    const at = (given_back: number, left: number) =>
      visitTerms({ ...visit, paid: 20_000, given_back, left }, start - 30 * dayMs).text
    assert.strictEqual(
      at(15_000, 5000),
      "£150.00 went back or is still to go back. If cancelled, of the £200.00 paid: until 2026-11-21 12:30: £50.00 back; afterwards: nothing."
    )
    assert.strictEqual(at(20_000, 0), "£200.00 went back or is still to go back. Nothing more is refunded.")
    // A payment without a payment intent can't be refunded.
    assert.strictEqual(at(0, 0), "Nothing that is paid is refunded.")
  })

  it("the offset beside a time that the wall shows twice", () => {
    const autumn = instantAt("Europe/London", "2026-10-26", 90)
    const text = (hours_before: number) =>
      told(priced(20_000, { kind: "full" }, [{ hours_before, refund_percent: 100 }]), autumn).text
    assert.include(text(24), "until 2026-10-25 01:30 (+00:00): £200.00 back")
    assert.include(text(25), "until 2026-10-25 01:30 (+01:00): £200.00 back")
  })
})

it("a package tells its terms by the percentage of its deposit", () => {
  assert.deepStrictEqual(packageTerms(priced(20_000, deposit({ percent: 30 }, false)), "GBP"), {
    deposit: { percent: 30, refundable: false },
    text: "30 % deposit, not refunded. Of the rest: all back until 14 days before, half until 3 days before, then nothing."
  })
})

const percent = fc.oneof(
  fc.constantFrom(0, 50, 100),
  fc.integer({ min: 0, max: 100_000 }).map((thousandths) => thousandths / 1000)
)
const hours = fc.oneof(
  fc.integer({ min: 0, max: 30 }).map((days) => days * 24),
  fc.integer({ min: 0, max: 900 })
)
const tiers = fc.array(fc.record({ hours_before: hours, refund_percent: percent }), { maxLength: 5 })
const payments: fc.Arbitrary<PaymentTerms> = fc.oneof(
  fc.constant({ kind: "full" as const }),
  fc.record({
    kind: fc.constant("deposit" as const),
    deposit: fc.oneof(
      fc.nat(60_000).map((amount) => ({ amount })),
      percent.map((percent) => ({ percent }))
    ),
    balance_due_hours_before: fc.constantFrom(0, 24, 336, 1000),
    refundable: fc.boolean()
  })
)
const agreement = fc.record({
  base: fc.oneof(fc.constant(0), fc.nat(50_000)),
  payment: payments,
  cancellation: tiers,
  currency: fc.constantFrom("GBP", "JPY", "KWD", "EUR"),
  day: zoneAndDate,
  minutes: fc.integer({ min: 0, max: 287 }).map((fives) => fives * 5),
  bookedAhead: fc.integer({ min: 1, max: 2000 * 60 }).map((minutes) => minutes * 60_000),
  moment: fc.integer({ min: -hourMs, max: 1000 * hourMs }),
  paysBalance: fc.boolean(),
  more: fc.record({
    final_headcount_hours_before: hours,
    free_reschedule_hours_before: hours
  })
})

it("what the text claims is what a cancellation refunds, at any moment and at every limit", () => {
  fc.assert(
    fc.property(agreement, fc.double({ min: 0, max: 1, noNaN: true }), (it, share) => {
      const { zone: time_zone, date } = it.day
      const starts_at = instantAt(time_zone, date, it.minutes)
      const pkg = priced(it.base, it.payment, it.cancellation, it.more)
      const venue = venueWith({ time_zone, currency: it.currency }, [pkg])
      const bookedAt = starts_at - it.bookedAhead
      const { deposit, non_refundable, price } = quote(venue, pkg, party, starts_at, bookedAt)
      const paid = it.paysBalance ? price.total : price.due_now
      const given_back = Math.floor(paid * share)
      const limits = it.cancellation.flatMap(({ hours_before }) =>
        [-1, 0, 1].map((ms) => starts_at - hours_before * hourMs + ms)
      )
      const moments = [starts_at - it.moment, starts_at, starts_at + 1, ...limits]
      const due = (now: number, refunded = 0, sum = paid) =>
        refundDue({
          currency: it.currency,
          cancellation: pkg.cancellation,
          non_refundable,
          paid: sum,
          refunded,
          starts_at,
          now
        }).amount
      // A package has no date, so its days are 24 hours each.
      const general = packageTerms(pkg, it.currency).text
      const claims = claimsOf(general, { start: starts_at, time_zone })
      const option = offer(venue, party, { pkg, start: starts_at, places_left: 5 }, bookedAt)
      const offered = option.terms.text
      const { back_if_cancelled: back } = option
      const visit = { ...pkg, ...price, deposit, non_refundable, starts_at, time_zone }
      for (const now of moments) {
        // An import refuses a percentage that may be too little to be charged.
        if (!isBelowMinimumCharge(depositAmount(pkg, price.total, it.currency), it.currency))
          assert.strictEqual(claimedRefund(claims, paid, price, now), due(now), `${general} at ${starts_at - now} ms`)
        if (now >= bookedAt) {
          const claimed = refundClaimed(visitClaimsOf(offered, time_zone), paid, now)
          assert.strictEqual(claimed, due(now), `${offered} at ${starts_at - now} ms`)
          if (back === undefined || now <= Date.parse(back.until))
            assert.strictEqual(back?.refund ?? 0, due(now, 0, price.due_now), `${offered} of what is due now`)
        }
        const left = paid - given_back
        const outstanding = price.total - paid
        const { refunds, text } = visitTerms({ ...visit, due_now: 0, outstanding, paid, given_back, left }, now)
        for (const told of [general, offered, text]) assert.isBelow(told.length, 900)
        const today = visitClaimsOf(text, time_zone)
        assert.strictEqual(refundClaimed(today, paid, now), due(now, given_back), text)
        if (paid === 0) continue
        // The same as data: the next deadline.
        const next = refunds?.find(({ until }) => until === undefined || now <= Date.parse(until))
        assert.strictEqual(next?.refund.amount, due(now, given_back))
      }
    }),
    { numRuns: runs(750) }
  )
})

const field = fc.constantFrom("base", "payment", "cancellation", "more")

it("an option's digest changes with whatever its terms tell", () => {
  fc.assert(
    fc.property(agreement, agreement, field, (one, another, name) => {
      const other = { ...one, [name]: another[name] }
      const of = ({ base, payment, cancellation, more }: typeof one) => {
        const pkg = priced(base, payment, cancellation, more)
        const venue = venueWith({}, [pkg])
        const now = start - one.bookedAhead
        return {
          digest: digestOf({
            pkg,
            start,
            time_zone: "Europe/London",
            add_ons: [],
            quote: quote(venue, pkg, party, start, now)
          }),
          terms: told(pkg, start, now)
        }
      }
      const [a, b] = [of(one), of(other)]
      if (JSON.stringify(a.terms) !== JSON.stringify(b.terms)) assert.notStrictEqual(a.digest, b.digest)
    }),
    { numRuns: runs(500) }
  )
})

it("an option's digest stays while its price does, whichever deadlines pass", () => {
  fc.assert(
    fc.property(agreement, fc.integer({ min: 1, max: 1000 * hourMs }), (it, later) => {
      const pkg = priced(it.base, it.payment, it.cancellation, it.more)
      const venue = venueWith({}, [pkg])
      const at = (now: number) => {
        const quoted = quote(venue, pkg, party, start, now)
        return {
          digest: digestOf({ pkg, start, time_zone: "Europe/London", add_ons: [], quote: quoted }),
          due_now: quoted.price.due_now
        }
      }
      const [before, after] = [at(start - it.bookedAhead), at(start - it.bookedAhead + later)]
      if (before.due_now === after.due_now) assert.strictEqual(before.digest, after.digest)
    }),
    { numRuns: runs(500) }
  )
})

it("steps fall in hours, each refunds something else than the next, and the last refunds something", () => {
  fc.assert(
    fc.property(tiers, (tiers) => {
      const steps = refundSteps(tiers)
      steps.forEach((step, i) => {
        const next = steps[i + 1]
        assert.notStrictEqual(step.refund_percent, next?.refund_percent ?? 0)
        if (next !== undefined) assert.isAbove(step.hours_before, next.hours_before)
      })
    }),
    { numRuns: runs(500) }
  )
})
