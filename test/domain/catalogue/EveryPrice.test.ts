import { assert, describe, it } from "@effect/vitest"
import { Schema, Struct } from "effect"
import * as fc from "fast-check"
import { codeIn, type Party, Price, quote, totalAt } from "../../../src/domain/catalogue/Pricing.ts"
import { minPrice, listPrice, maxPrice, sizesUnderSameRules } from "../../../src/domain/catalogue/PriceTimes.ts"
import { startsOn } from "../../../src/domain/availability/Starts.ts"
import type { Package, PriceRule } from "../../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { addDays, dayMs, hourMs } from "../../../src/platform/time/LocalTime.ts"
import { chargeStep, downToStep, isBelowMinimumCharge, percentOf } from "../../../src/platform/money/Charge.ts"
import { givenCode, instantNear, partyOf, priceRule, venueOnDate } from "../../support/arbitraryVenues.ts"
import { at, party, packageWith, partyHall } from "../../support/venues.ts"
import { runs } from "../../support/runs.ts"

const early = at("2026-01-01", "09:00")

/** With several rates each line has one, and the lines of each sum to what is of it. */
const assertRated = ({ lines, tax: { amount, rates }, total }: Price) => {
  const found = new Set(lines.map(({ tax_percent }) => tax_percent))
  if (rates === undefined) return assert.deepStrictEqual([...found], [undefined])
  assert.isFalse(found.has(undefined))
  assert.isAbove(rates.length, 1)
  assert.deepStrictEqual(
    rates.map(({ rate_percent }) => rate_percent),
    [...found].flatMap((rate) => rate ?? []).sort((a, b) => b - a)
  )
  for (const { gross, rate_percent, tax } of rates) {
    const its = lines.filter(({ tax_percent }) => tax_percent === rate_percent)
    assert.strictEqual(
      its.reduce((sum, line) => sum + line.amount, 0),
      gross
    )
    assert.isTrue(tax >= 0 && tax <= gross)
  }
  assert.strictEqual(
    rates.reduce((sum, { gross }) => sum + gross, 0),
    total
  )
  assert.strictEqual(
    rates.reduce((sum, { tax }) => sum + tax, 0),
    amount
  )
}

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

/** The venue and its package with the playroom's rate on everything, at all times. */
const ofOneRate = ({ venue, pkg }: { readonly venue: Venue; readonly pkg: Package }) => {
  const { tax: _, ...sold } = pkg
  const { included, rate_percent } = venue.playroom.tax
  return {
    pkg: sold,
    venue: {
      ...venue,
      playroom: { ...venue.playroom, tax: { included, rate_percent } },
      add_ons: venue.add_ons.map(({ tax: __, ...addOn }) => addOn)
    }
  }
}

describe("Every price", () => {
  it("is the sum of its lines, each its quantity times its unit, all whole and never negative", () => {
    const isPrice = Schema.is(Price)
    fc.assert(
      fc.property(visit, givenCode, ({ venue, pkg, who, start, now }, code) => {
        const coded = code === undefined ? who : { ...who, code }
        const { price, non_refundable, balance_due_at } = quote(venue, pkg, coded, start, now)
        // Nobody pays more for a code, and without one nobody pays less.
        const { total } = quote(venue, pkg, who, start, now).price
        assert.isAtMost(price.total, total)
        assert.strictEqual(quote(venue, withPricing(pkg, { codes: [] }), who, start, now).price.total, total)
        assert.strictEqual(price.total, totalAt(venue, pkg, coded, start))
        const taken = codeIn(price)
        assert.isTrue(taken === undefined || (taken.code === code && taken.amount > 0))
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
        assertRated(price)
      }),
      { numRuns: runs(750) }
    )
  })

  it("keeps to whole units and its sum in whatever order the rules stand", () => {
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
      { numRuns: runs(250) }
    )
  })

  it("follows a second, naive reckoning of the same rules, for every party size", () => {
    fc.assert(
      fc.property(visit, ({ who, start, now, ...sold }) => {
        const { venue, pkg: own } = ofOneRate(sold)
        // What children cost by age is reckoned in `ChildPrices.test.ts`.
        const pkg = withPricing(own, { child_rules: [] })
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
        const add_ons = venue.add_ons.map((addOn) => ({
          ...addOn,
          rules: (addOn.rules ?? []).map(({ label, change }) => ({ label, change }))
        }))
        for (let children = 1; children <= 30; children++) {
          const { currency } = venue.playroom
          const each = (amount: number) => downToStep(amount, currency)
          const set = { base, extra_child, adult }
          for (const { change } of always) if ("prices" in change) Object.assign(set, change.prices)
          let sum = each(set.base)
          for (let child = 1; child <= Math.max(children, min_billed_children); child++) {
            if (child > included_children) sum += each(set.extra_child)
          }
          for (let n = 1; n <= who.adults; n++) if (n > included_adults) sum += each(set.adult)
          for (const { add_on_id, quantity } of who.add_ons) {
            for (const { rules, unit, unit_amount } of add_ons.filter((addOn) => addOn.add_on_id === add_on_id)) {
              const asked = rules.at(-1)?.change.prices.unit_amount ?? unit_amount
              sum += each(asked) * (unit === "per_item" ? quantity : unit === "per_child" ? children : 1)
            }
          }
          for (const { change } of always) {
            if ("prices" in change) continue
            const asked = "percent" in change ? percentOf(sum, change.percent, currency) : each(change.amount)
            sum = Math.max(0, sum + asked)
          }
          const { rate_percent, included } = venue.playroom.tax
          const { price } = quote(
            { ...venue, add_ons },
            withPricing(pkg, { rules: always }),
            { ...who, children },
            start,
            now
          )
          const total = included ? sum : sum + percentOf(sum, rate_percent, currency)
          const waived = isBelowMinimumCharge(total, currency)
          assert.strictEqual(price.total, waived ? 0 : total)
          assert.strictEqual(price.lines.at(-1)?.waived === true, waived)
        }
      }),
      { numRuns: runs(250) }
    )
  })

  // With percentages, too: halves round away from zero on both sides, so a sum plus its percentage never falls as it
  // grows.
  it("is never lower for more children, more adults or more cake", () => {
    fc.assert(
      fc.property(visit, fc.integer({ min: 1, max: 5 }), ({ venue, pkg, who: aged, start, now }, more) => {
        const who = Struct.omit(aged, ["child_ages"])
        const total = (party: Party) => quote(venue, pkg, party, start, now).price.total
        // What search and the checks of a catalogue infer from `sizesUnderSameRules`.
        for (const { from, to } of sizesUnderSameRules(pkg)) {
          const fewer = { ...who, add_ons: [], children: Math.min(to, Math.max(from, who.children)) }
          const larger = { ...who, children: Math.min(to, fewer.children + more) }
          assert.isAtLeast(total(larger), total(fewer))
        }
        // Shares of several rates are rounded, and so is the tax on top of each.
        const rounded = venue.playroom.tax.included ? 0 : who.add_ons.length * chargeStep(venue.playroom.currency)
        assert.isAtLeast(total({ ...who, adults: who.adults + more }) + rounded, total(who))
        assert.isAtLeast(total(who) + rounded, total({ ...who, add_ons: who.add_ons.slice(1) }))
        const add_ons = who.add_ons.map(({ add_on_id, quantity }) => ({ add_on_id, quantity: quantity + more }))
        assert.isAtLeast(total({ ...who, add_ons }) + rounded, total(who))
      }),
      { numRuns: runs(500) }
    )
  })

  it("does not depend on now, but for what of it is due", () => {
    fc.assert(
      fc.property(visit, fc.integer({ min: 0, max: 60 * dayMs }), ({ venue, pkg, who, start, now }, before) => {
        const one = quote(venue, pkg, who, start, now)
        const other = quote(venue, pkg, who, start, start - before)
        assert.deepStrictEqual(other.price.lines, one.price.lines)
        assert.strictEqual(other.non_refundable, one.non_refundable)
        if (start - before >= now) assert.isAtLeast(other.price.due_now, one.price.due_now)
      }),
      { numRuns: runs(250) }
    )
  })

  it("is at most the dearest one, on which the cap on amounts is judged", () => {
    fc.assert(
      fc.property(visit, ({ venue, pkg, who, start, now }) => {
        assert.isAtMost(quote(venue, pkg, who, start, now).price.total, maxPrice(venue, pkg, who))
      }),
      { numRuns: runs(500) }
    )
  })

  it("of the smallest party, where no rule depends on the time, is what `price_from` says", () => {
    fc.assert(
      fc.property(visit, ({ start, now, ...sold }) => {
        const { venue, pkg } = ofOneRate(sold)
        const { playroom } = venue
        const rules = pkg.pricing.rules.map(({ label, change }): PriceRule => ({ label, change }))
        const timeless = withPricing(pkg, { rules })
        const smallest = party(pkg.min_children)
        assert.strictEqual(listPrice(playroom, timeless), quote(venue, timeless, smallest, start, now).price.total)
        const dated = withPricing(pkg, {
          rules: rules.map((rule): PriceRule => ({ ...rule, date_from: "2026-01-01" }))
        })
        assert.strictEqual(listPrice(playroom, dated), listPrice(playroom, withPricing(pkg, { rules: [] })))
      }),
      { numRuns: runs(250) }
    )
  })

  it("at a start of the package is never under the least price by which search finds it", () => {
    let compared = 0
    fc.assert(
      fc.property(
        venueOnDate.chain(({ venue, pkg, date }) =>
          fc.tuple(fc.constant({ venue, pkg, date }), partyOf(venue), fc.nat(30))
        ),
        ([{ venue, pkg, date }, who, days]) => {
          const least = minPrice(venue.playroom, pkg, who.children, addDays(date, -days))
          for (const start of startsOn(venue, pkg, date)) {
            compared++
            const rounded = who.add_ons.length * chargeStep(venue.playroom.currency)
            assert.isAtLeast(quote(venue, pkg, { ...who, add_ons: [] }, start, start).price.total, least)
            assert.isAtLeast(quote(venue, pkg, who, start, start).price.total + rounded, least)
          }
        }
      ),
      { numRuns: runs(500) }
    )
    assert.isAbove(compared, runs(500))
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
