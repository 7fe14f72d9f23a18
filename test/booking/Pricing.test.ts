import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { Price } from "../../src/booking/BookingOption.ts"
import { dearestPrice, type Party, quote } from "../../src/booking/Pricing.ts"
import { startsOn } from "../../src/booking/Starts.ts"
import { leastPrice, priceFrom } from "../../src/catalogue/FromPrice.ts"
import type { Package, PriceRule } from "../../src/catalogue/Package.ts"
import type { Venue } from "../../src/catalogue/Playroom.ts"
import { addDays, dayMs, hourMs, instantAt, minutesOf } from "../../src/kernel/LocalTime.ts"
import { percentOf } from "../../src/kernel/Money.ts"
import { instantNear, partyOf, priceRule, venueOnDate } from "../support/arbitraryVenues.ts"
import {
  bubbleMachine,
  cake,
  checkVenue,
  host,
  lunchBox,
  openPlay,
  packageWith,
  partyHall,
  saturdayParty,
  softPlay,
  venueWith,
  wholeHall
} from "../support/venues.ts"

const at = (date: string, time: string) => instantAt("Europe/London", date, minutesOf(time))
const early = at("2026-01-01", "09:00")
const party = (children: number, adults = 0, add_ons: Party["add_ons"] = []): Party => ({ children, adults, add_ons })
const lines = (venue: Venue, pkg: Package, who: Party, start: number, now = early) =>
  quote(venue, pkg, who, start, now).price.lines.map(
    ({ label, quantity, unit_amount, amount }) => `${label}: ${quantity} × ${unit_amount} = ${amount}`
  )

/** A venue, its package, a party, a start and a moment before it, all arbitrary. */
const visit = venueOnDate.chain(({ venue, pkg, date }) =>
  fc
    .tuple(partyOf(venue), instantNear(venue.playroom.time_zone, date), fc.integer({ min: 0, max: 60 * dayMs }))
    .map(([who, start, before]) => ({ venue, pkg, who, start, now: start - before }))
)

const withPricing = (pkg: Package, changes: Partial<Package["pricing"]>): Package => ({
  ...pkg,
  pricing: { ...pkg.pricing, ...changes }
})

describe("Prices of real venues", () => {
  it("their terms are what the catalogue takes", () => {
    checkVenue(partyHall)
    checkVenue(softPlay)
  })

  it("a party of fewer than 10 is billed as 10; £100 are due now and never come back, the rest on the day", () => {
    const start = at("2026-12-05", "12:30")
    for (const children of [4, 10]) {
      const { price, non_refundable, balance_due_at } = quote(partyHall, saturdayParty, party(children), start, early)
      assert.strictEqual(price.total, 18_000)
      assert.strictEqual(price.due_now, 10_000)
      assert.strictEqual(price.balance_due, 8000)
      assert.strictEqual(price.balance_due_at, "2026-12-05T12:30:00+00:00")
      assert.strictEqual(balance_due_at, start)
      assert.strictEqual(non_refundable, 10_000)
      assert.strictEqual(price.display_total, "£180.00")
      assert.strictEqual(price.display_due_now, "£100.00")
      assert.deepStrictEqual(price.tax, { rate_percent: 20, amount: 3000, included: true })
    }
    assert.deepStrictEqual(lines(partyHall, saturdayParty, party(4), start), [
      "Children (billed as 10): 10 × 1800 = 18000"
    ])
    assert.deepStrictEqual(lines(partyHall, saturdayParty, party(14), start), ["Children: 14 × 1800 = 25200"])
  })

  it("open play is £7.50 a child, adults free, and half that for toddlers on weekday mornings", () => {
    const who = party(3, 2)
    assert.deepStrictEqual(lines(softPlay, openPlay, who, at("2026-12-05", "10:00")), ["Children: 3 × 750 = 2250"])
    const morning = ["Children: 3 × 750 = 2250", "Toddlers' morning: 1 × -1125 = -1125"]
    assert.deepStrictEqual(lines(softPlay, openPlay, who, at("2026-12-04", "11:30")), morning)
    assert.deepStrictEqual(lines(softPlay, openPlay, who, at("2026-12-04", "12:00")), ["Children: 3 × 750 = 2250"])
    const { price } = quote(softPlay, openPlay, who, at("2026-12-04", "11:30"), early)
    assert.strictEqual(price.due_now, 1125)
    assert.isFalse("balance_due" in price)
    assert.isFalse("balance_due_at" in price)
  })

  it("adds more children and adults, add-ons by their unit, then rules in order on the sum so far", () => {
    const who = party(15, 14, [
      { add_on_id: host.add_on_id, quantity: 1 },
      { add_on_id: cake.add_on_id, quantity: 2 },
      { add_on_id: lunchBox.add_on_id, quantity: 1 },
      { add_on_id: bubbleMachine.add_on_id, quantity: 2 }
    ])
    assert.deepStrictEqual(lines(partyHall, wholeHall, who, at("2026-12-05", "10:00")), [
      "Whole hall: 1 × 24000 = 24000",
      "Extra children: 3 × 1500 = 4500",
      "Extra adults: 2 × 250 = 500",
      "Party host: 1 × 6000 = 6000",
      "Cake: 2 × 3550 = 7100",
      "Lunch box: 15 × 495 = 7425",
      "Bubble machine: 2 × 1200 = 2400",
      // 15 % of 51,925 is 7,788.75.
      "Weekend: 1 × 7789 = 7789",
      "December: 1 × 2000 = 2000"
    ])
  })

  it("a quarter is due now and the rest two weeks before; from then on all of it", () => {
    const start = at("2026-06-03", "10:00")
    const due = start - 14 * dayMs
    const { price, balance_due_at, non_refundable } = quote(partyHall, wholeHall, party(1), start, due - 1)
    assert.deepStrictEqual([price.total, price.due_now, price.balance_due], [24_000, 6000, 18_000])
    assert.strictEqual(price.balance_due_at, "2026-05-20T10:00:00+01:00")
    assert.strictEqual(balance_due_at, due)
    assert.strictEqual(non_refundable, 0)
    const later = quote(partyHall, wholeHall, party(1), start, due)
    assert.strictEqual(later.price.due_now, 24_000)
    assert.isFalse("balance_due" in later.price)
    assert.isUndefined(later.balance_due_at)
  })

  it("tax on top is a line of its own, in the currency's own minor units", () => {
    const yen = venueWith({ currency: "JPY", time_zone: "Asia/Tokyo", tax: { rate_percent: 10, included: false } })
    const { price } = quote(yen, openPlay, party(3), instantAt("Asia/Tokyo", "2026-12-05", 600), early)
    assert.deepStrictEqual(price.lines.at(-1), { label: "Tax (10 %)", quantity: 1, unit_amount: 225, amount: 225 })
    assert.deepStrictEqual([price.total, price.tax.amount], [2475, 225])
    assert.match(price.display_total, /2,475$/)
    const dinar = venueWith({ currency: "KWD", time_zone: "Asia/Kuwait", tax: { rate_percent: 0, included: false } })
    assert.match(quote(dinar, openPlay, party(2), early, early).price.display_total, /1\.500$/)
  })

  it("a visit that costs nothing is one line of 0, with nothing due", () => {
    const free = withPricing(openPlay, { extra_child: 0, rules: [] })
    const { price, non_refundable } = quote(softPlay, free, party(2), at("2026-12-05", "10:00"), early)
    assert.deepStrictEqual(price.lines, [{ label: "Open play", quantity: 1, unit_amount: 0, amount: 0 }])
    assert.deepStrictEqual([price.total, price.due_now, price.tax.amount, non_refundable], [0, 0, 0, 0])
    assert.isFalse("balance_due" in price)
  })

  it("a deposit is never more than the total, and a rule never takes more than there is", () => {
    const cheap = withPricing(saturdayParty, {
      extra_child: 500,
      rules: [
        { label: "Voucher", change: { amount: -9000 } },
        { label: "Late", change: { percent: 50 } },
        { label: "Fee", change: { amount: 100 } }
      ]
    })
    const start = at("2026-12-05", "10:00")
    const quoted = quote(partyHall, cheap, party(4), start, early)
    assert.deepStrictEqual(lines(partyHall, cheap, party(4), start), [
      "Children (billed as 10): 10 × 500 = 5000",
      "Voucher: 1 × -5000 = -5000",
      "Fee: 1 × 100 = 100"
    ])
    assert.deepStrictEqual([quoted.price.total, quoted.price.due_now, quoted.non_refundable], [100, 100, 100])
  })

  it("dates and clock times of rules are the playroom's own, whatever the server's or the asker's", () => {
    const rule: PriceRule = {
      label: "Sunday",
      weekdays: ["sunday"],
      from: "00:00",
      until: "09:00",
      change: { amount: 1 }
    }
    const auckland = venueWith({ time_zone: "Pacific/Auckland" })
    // 2026-12-06 08:30 in Auckland is still Saturday in UTC.
    const start = Date.parse("2026-12-05T19:30:00Z")
    const pkg = withPricing(openPlay, { rules: [rule] })
    assert.include(lines(auckland, pkg, party(1), start), "Sunday: 1 × 1 = 1")
    assert.notInclude(lines(venueWith({}), pkg, party(1), start), "Sunday: 1 × 1 = 1")
  })

  it("a rule holds on its first and last date, and until but not at its last minute", () => {
    const pkg = withPricing(openPlay, {
      rules: [
        {
          label: "X",
          date_from: "2026-12-05",
          date_to: "2026-12-06",
          from: "10:00",
          until: "12:00",
          change: { amount: 1 }
        }
      ]
    })
    const holds = (date: string, time: string) => lines(softPlay, pkg, party(1), at(date, time)).length === 2
    const seen = ["2026-12-04", "2026-12-05", "2026-12-06", "2026-12-07"].map((date) => holds(date, "10:00"))
    assert.deepStrictEqual(seen, [false, true, true, false])
    assert.deepStrictEqual(
      ["09:59", "11:59", "12:00"].map((time) => holds("2026-12-05", time)),
      [false, true, false]
    )
  })
})

describe("Every price", () => {
  it("is the sum of its lines, each its quantity times its unit, all whole and never negative (3,000 runs)", () => {
    const isPrice = Schema.is(Price)
    fc.assert(
      fc.property(visit, ({ venue, pkg, who, start, now }) => {
        const { price, non_refundable, balance_due_at } = quote(venue, pkg, who, start, now)
        assert.isTrue(isPrice(price))
        assert.isAbove(price.lines.length, 0)
        for (const { quantity, unit_amount, amount } of price.lines) assert.strictEqual(amount, quantity * unit_amount)
        assert.strictEqual(
          price.lines.reduce((sum, { amount }) => sum + amount, 0),
          price.total
        )
        assert.isAtLeast(price.total, 0)
        assert.isAtLeast(price.due_now, 0)
        assert.strictEqual(price.due_now + (price.balance_due ?? 0), price.total)
        assert.notStrictEqual(price.balance_due, 0)
        assert.strictEqual(price.balance_due_at !== undefined, price.balance_due !== undefined)
        assert.strictEqual(balance_due_at !== undefined, price.balance_due !== undefined)
        if (balance_due_at !== undefined) {
          assert.isAbove(balance_due_at, now)
          assert.strictEqual(Date.parse(price.balance_due_at ?? ""), balance_due_at)
        }
        assert.isTrue(non_refundable >= 0 && non_refundable <= price.due_now)
        assert.isTrue(price.tax.amount >= 0 && price.tax.amount <= price.total)
      }),
      { numRuns: 3000 }
    )
  })

  it("keeps to whole units and its sum in whatever order the rules stand (1,000 runs)", () => {
    fc.assert(
      fc.property(
        visit,
        fc
          .array(priceRule, { minLength: 2, maxLength: 5 })
          .chain((rules) => fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: rules.length }))),
        ({ venue, pkg, who, start, now }, [rules, shuffled]) => {
          for (const order of [rules, shuffled]) {
            const { price } = quote(venue, withPricing(pkg, { rules: order }), who, start, now)
            assert.isTrue(price.lines.every(({ amount }) => Number.isSafeInteger(amount)))
            assert.strictEqual(
              price.lines.reduce((sum, { amount }) => sum + amount, 0),
              price.total
            )
            assert.isAtLeast(price.total, 0)
          }
        }
      ),
      { numRuns: 1000 }
    )
  })

  it("follows a second, naive reckoning of the same rules, for every party size (1,000 runs)", () => {
    fc.assert(
      fc.property(visit, ({ venue, pkg, who, start, now }) => {
        const {
          base,
          included_children,
          extra_child,
          adult,
          included_adults = 0,
          min_billed_children = 0
        } = pkg.pricing
        // Rules that always hold; when one holds is tested above.
        const always = pkg.pricing.rules.map(({ label, change }): PriceRule => ({ label, change }))
        for (let children = 1; children <= 30; children++) {
          let sum = base
          for (let child = 1; child <= Math.max(children, min_billed_children); child++) {
            if (child > included_children) sum += extra_child
          }
          for (let n = 1; n <= who.adults; n++) if (n > included_adults) sum += adult
          for (const { add_on_id, quantity } of who.add_ons) {
            for (const { unit, unit_amount } of venue.add_ons.filter((addOn) => addOn.add_on_id === add_on_id)) {
              if (unit === "per_item") sum += unit_amount * quantity
              else sum += unit === "per_child" ? unit_amount * children : unit_amount
            }
          }
          for (const { change } of always) {
            sum = Math.max(0, sum + ("percent" in change ? percentOf(sum, change.percent) : change.amount))
          }
          const { rate_percent, included } = venue.playroom.tax
          const { price } = quote(venue, withPricing(pkg, { rules: always }), { ...who, children }, start, now)
          assert.strictEqual(price.total, included ? sum : sum + percentOf(sum, rate_percent))
        }
      }),
      { numRuns: 1000 }
    )
  })

  // With percentages, too: halves round away from zero on both sides, so a sum plus its percentage never falls as it grows.
  it("is never lower for more children, more adults or more cake (2,000 runs)", () => {
    fc.assert(
      fc.property(visit, fc.integer({ min: 1, max: 5 }), ({ venue, pkg, who, start, now }, more) => {
        const total = (party: Party) => quote(venue, pkg, party, start, now).price.total
        assert.isAtLeast(total({ ...who, children: who.children + more }), total(who))
        assert.isAtLeast(total({ ...who, adults: who.adults + more }), total(who))
        assert.isAtLeast(total(who), total({ ...who, add_ons: who.add_ons.slice(1) }))
        const add_ons = who.add_ons.map(({ add_on_id, quantity }) => ({ add_on_id, quantity: quantity + more }))
        assert.isAtLeast(total({ ...who, add_ons }), total(who))
      }),
      { numRuns: 2000 }
    )
  })

  it("does not depend on now, but for what of it is due (1,000 runs)", () => {
    fc.assert(
      fc.property(visit, fc.integer({ min: 0, max: 60 * dayMs }), ({ venue, pkg, who, start, now }, before) => {
        const one = quote(venue, pkg, who, start, now)
        const other = quote(venue, pkg, who, start, start - before)
        assert.deepStrictEqual(other.price.lines, one.price.lines)
        assert.strictEqual(other.non_refundable, one.non_refundable)
        if (start - before >= now) assert.isAtLeast(other.price.due_now, one.price.due_now)
      }),
      { numRuns: 1000 }
    )
  })

  it("is at most the dearest one, on which the cap on amounts is judged (2,000 runs)", () => {
    fc.assert(
      fc.property(visit, ({ venue, pkg, who, start, now }) => {
        assert.isAtMost(quote(venue, pkg, who, start, now).price.total, dearestPrice(venue, pkg, who))
      }),
      { numRuns: 2000 }
    )
  })

  it("of the smallest party, where no rule depends on the time, is what `price_from` says (1,000 runs)", () => {
    fc.assert(
      fc.property(visit, ({ venue, pkg, start, now }) => {
        const { tax } = venue.playroom
        const rules = pkg.pricing.rules.map(({ label, change }): PriceRule => ({ label, change }))
        const timeless = withPricing(pkg, { rules })
        const smallest = party(pkg.min_children)
        assert.strictEqual(priceFrom(timeless, tax), quote(venue, timeless, smallest, start, now).price.total)
        const dated = withPricing(pkg, {
          rules: rules.map((rule): PriceRule => ({ ...rule, date_from: "2026-01-01" }))
        })
        assert.strictEqual(priceFrom(dated, tax), priceFrom(withPricing(pkg, { rules: [] }), tax))
      }),
      { numRuns: 1000 }
    )
  })

  it("at a start of the package is never under the least price by which search finds it (2,000 runs)", () => {
    let compared = 0
    fc.assert(
      fc.property(
        venueOnDate.chain(({ venue, pkg, date }) =>
          fc.tuple(fc.constant({ venue, pkg, date }), partyOf(venue), fc.nat(30))
        ),
        ([{ venue, pkg, date }, who, days]) => {
          const least = leastPrice(pkg, venue.playroom.tax, who.children, addDays(date, -days))
          for (const start of startsOn(venue, pkg, date)) {
            compared++
            assert.isAtLeast(quote(venue, pkg, who, start, start).price.total, least)
          }
        }
      ),
      { numRuns: 2000 }
    )
    assert.isAbove(compared, 2000)
  })

  it("has a due date that is exact over a clock change: 24 elapsed hours", () => {
    const pkg = packageWith({
      pricing: { base: 1000, included_children: 1, extra_child: 0, adult: 0, rules: [] },
      payment: { kind: "deposit", deposit: { percent: 50 }, balance_due_hours_before: 24, refundable: true }
    })
    const start = at("2026-03-29", "10:00")
    const { price, balance_due_at } = quote(partyHall, pkg, party(1), start, early)
    assert.strictEqual(balance_due_at, start - 24 * hourMs)
    assert.strictEqual(price.balance_due_at, "2026-03-28T09:00:00+00:00")
  })
})
