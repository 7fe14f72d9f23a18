import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { refundDue } from "../../src/booking/Cancellation.ts"
import { offer } from "../../src/booking/Offers.ts"
import { digestOf } from "../../src/booking/OptionId.ts"
import { quote } from "../../src/booking/Pricing.ts"
import { type CancellationTier, type Package, type PaymentTerms } from "../../src/catalogue/Package.ts"
import { packageTerms, refundSteps } from "../../src/catalogue/Terms.ts"
import { dayMs, hourMs, instantAt } from "../../src/kernel/LocalTime.ts"
import { zoneAndDate } from "../support/arbitraryVenues.ts"
import { claimedRefund, claimsOf } from "../support/termsClaims.ts"
import { packageWith, saturdayParty, venueWith } from "../support/venues.ts"

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
      "£50.00 deposit, not refunded. Of the rest: all back until 14 days before, half until 3 days before, then nothing."
    ],
    [
      "that a refundable deposit comes back like all that is paid",
      priced(20_000, deposit({ percent: 25 }, true)),
      "£50.00 deposit. If cancelled, of all that is paid: all back until 14 days before, half until 3 days before, then nothing."
    ],
    [
      "what comes back where all is due when booking",
      priced(20_000, { kind: "full" }, [{ hours_before: 36, refund_percent: 33.333 }]),
      "If cancelled: 33.333 % back until 36 hours before, then nothing."
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
      "£100.00 deposit, not refunded. Of the rest: all back until 30 days before, half until 8 days before, then nothing. Final headcount 2 days before; free to move until 14 days before."
    ]
  ] as const)("%s", (_, pkg, text) => {
    assert.strictEqual(told(pkg).text, text)
  })

  it("the amounts of the data beside the text", () => {
    assert.deepInclude(told(priced(20_000, deposit({ percent: 25 }, false))), {
      deposit: { amount: 5000, refundable: false }
    })
    assert.deepInclude(told(saturdayParty), { final_headcount_hours: 48, free_reschedule_hours: 336 })
    assert.notProperty(told(priced(20_000, { kind: "full" })), "deposit")
    // The balance has fallen due: a deposit that is not kept means nothing any more.
    assert.notProperty(told(priced(20_000, deposit({ amount: 5000 }, true)), start, start - hourMs), "deposit")
    assert.property(told(priced(20_000, deposit({ amount: 5000 }, false)), start, start - hourMs), "deposit")
  })

  it("the time on the wall where the clocks change before the visit, since terms count elapsed hours", () => {
    const spring = instantAt("Europe/London", "2027-04-03", 840)
    const text = told(priced(20_000, { kind: "full" }), spring).text
    assert.strictEqual(
      text,
      "If cancelled: all back until Saturday 20 March 2027, 13:00, half until 3 days before, then nothing."
    )
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

it("what the text claims is what a cancellation refunds, at any moment and at every limit (3,000 runs)", () => {
  fc.assert(
    fc.property(agreement, (it) => {
      const { zone: time_zone, date } = it.day
      const starts_at = instantAt(time_zone, date, it.minutes)
      const pkg = priced(it.base, it.payment, it.cancellation, it.more)
      const venue = venueWith({ time_zone, currency: it.currency }, [pkg])
      const bookedAt = starts_at - it.bookedAhead
      const { non_refundable, price } = quote(venue, pkg, party, starts_at, bookedAt)
      const visit = { start: starts_at, time_zone }
      const paid = it.paysBalance ? price.total : price.due_now
      const limits = it.cancellation.flatMap(({ hours_before }) =>
        [-1, 0, 1].map((ms) => starts_at - hours_before * hourMs + ms)
      )
      const texts = [
        offer(venue, party, { pkg, start: starts_at, places_left: 5 }, bookedAt).terms.text,
        // Of a package nobody knows the visit: its days are 24 hours each.
        packageTerms(pkg, it.currency).text
      ]
      for (const text of texts) {
        assert.isBelow(text.length, 700)
        const claims = claimsOf(text, visit)
        for (const now of [starts_at - it.moment, starts_at, starts_at + 1, ...limits]) {
          const { amount } = refundDue({
            cancellation: pkg.cancellation,
            non_refundable,
            paid,
            refunded: 0,
            starts_at,
            now
          })
          assert.strictEqual(claimedRefund(claims, paid, price.total, now), amount, `${text} at ${starts_at - now} ms`)
        }
      }
    }),
    { numRuns: 3000 }
  )
})

const field = fc.constantFrom("base", "payment", "cancellation", "more", "bookedAhead")

it("an option's digest changes with whatever its terms tell (2,000 runs)", () => {
  fc.assert(
    fc.property(agreement, agreement, field, (one, another, name) => {
      const other = { ...one, [name]: another[name] }
      const of = ({ payment, cancellation, more }: typeof one) => {
        const pkg = priced(one.base, payment, cancellation, more)
        const venue = venueWith({}, [pkg])
        const now = start - one.bookedAhead
        return {
          digest: digestOf({ pkg, add_ons: [], quote: quote(venue, pkg, party, start, now) }),
          terms: told(pkg, start, now)
        }
      }
      const [a, b] = [of(one), of(other)]
      if (JSON.stringify(a.terms) !== JSON.stringify(b.terms)) assert.notStrictEqual(a.digest, b.digest)
    }),
    { numRuns: 2000 }
  )
})

it("steps fall in hours, each refunds something else than the next, and the last refunds something (2,000 runs)", () => {
  fc.assert(
    fc.property(tiers, (tiers) => {
      const steps = refundSteps(tiers)
      steps.forEach((step, i) => {
        const next = steps[i + 1]
        assert.notStrictEqual(step.refund_percent, next?.refund_percent ?? 0)
        if (next !== undefined) assert.isAbove(step.hours_before, next.hours_before)
      })
    }),
    { numRuns: 2000 }
  )
})
