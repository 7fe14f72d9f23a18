/** The price of a booking whose party changes (`changedPrice`), for any venue, agreement and prices of today. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Price, waivedIn, changedPrice, quote } from "../../../src/domain/catalogue/Pricing.ts"
import { anyPackage, instantNear, partyOf, venueOnDate } from "../../support/arbitraryVenues.ts"
import { runs } from "../../support/runs.ts"

/** Three parties of a visit: their prices today, and the price of the first as it was agreed, at other prices. */
const agreements = venueOnDate.chain(({ date, pkg, venue }) =>
  fc
    .record({
      agreedAs: fc.oneof(fc.constant(pkg), anyPackage),
      currency: fc.constantFrom("GBP", "EUR", "JPY", "KWD", "HUF"),
      parties: fc.tuple(partyOf(venue), partyOf(venue), partyOf(venue)),
      start: instantNear(venue.playroom.time_zone, date)
    })
    .map(({ agreedAs, currency, parties, start }) => {
      const sold = { ...venue, playroom: { ...venue.playroom, currency } }
      const [first, second, third] = parties
      const priceOf = (party: typeof first, as = pkg) => quote(sold, as, party, start, start - 1).price
      return {
        agreed: priceOf(first, agreedAs),
        today: [priceOf(first), priceOf(second), priceOf(third)] as const
      }
    })
)

const check = (property: (agreement: typeof agreements extends fc.Arbitrary<infer A> ? A : never) => void) =>
  fc.assert(fc.property(agreements, property), { numRuns: runs(1000) })

const sumOf = ({ lines }: Price) => lines.reduce((sum, { amount }) => sum + amount, 0)
/** What a price came to before anything was waived. */
const asked = (price: Price) => price.total + waivedIn(price)

describe("the price of another party", () => {
  it("is what was agreed and the difference of today's prices, never below zero, and its lines sum to it", () => {
    let [dearer, cheaper, nothing] = [0, 0, 0]
    check(({ agreed, today: [first, second] }) => {
      const { credit, price: after } = changedPrice({ price: agreed }, first, second)
      const difference = asked(second) - asked(first)
      assert.strictEqual(after.total, Math.max(0, asked(agreed) + difference))
      assert.strictEqual(after.total - credit, asked(agreed) + difference)
      assert.strictEqual(sumOf(after), after.total)
      assert.strictEqual(waivedIn(after), 0)
      assert.isAtMost(after.tax.amount, after.total)
      assert.isTrue(difference < 0 || after.total >= agreed.total)
      if (difference > 0) dearer++
      if (difference < 0) cheaper++
      if (after.total === 0) nothing++
    })
    for (const seen of [dearer, cheaper]) assert.isAbove(seen, runs(200))
    assert.isAbove(nothing, 0)
  })

  it("is the old one for the same party, and after a change and its reverse, also by way of a party that was free", () => {
    let free = 0
    check(({ agreed, today: [first, second] }) => {
      assert.strictEqual(changedPrice({ price: agreed }, first, first).price.total, asked(agreed))
      const there = changedPrice({ price: agreed }, first, second)
      const back = changedPrice(there, second, first)
      assert.deepStrictEqual([back.price.total, back.credit], [asked(agreed), 0])
      assert.strictEqual(sumOf(back.price), back.price.total)
      if (there.credit > 0) free++
    })
    assert.isAbove(free, 0)
  })

  it("is the same in one step as in several, and has one line at most for what was agreed before", () => {
    check(({ agreed, today: [first, second, third] }) => {
      const between = changedPrice({ price: agreed }, first, second)
      const twice = changedPrice(between, second, third)
      assert.deepStrictEqual(twice, changedPrice({ price: agreed }, first, third))
      const rates = twice.price.tax.rates ?? [{ gross: twice.price.total }]
      assert.isAtMost(twice.price.lines.filter((line) => line.agreed === true).length, rates.length)
      assert.isTrue(rates.every(({ gross }) => gross >= 0))
      assert.strictEqual(
        rates.reduce((sum, { gross }) => sum + gross, 0),
        twice.price.total
      )
    })
  })
})
