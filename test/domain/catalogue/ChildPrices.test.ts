/** What children cost by age, and as siblings. */
import { assert, describe, it } from "@effect/vitest"
import { Struct } from "effect"
import * as fc from "fast-check"
import { addOnIssues } from "../../../src/domain/availability/Availability.ts"
import { agesCheck, addOnsFit, digestOf, pack, unpack } from "../../../src/domain/availability/OptionId.ts"
import { priceOption } from "../../../src/domain/availability/BookingOption.ts"
import { startsOn } from "../../../src/domain/availability/Starts.ts"
import type { ChildRule, Package } from "../../../src/domain/catalogue/Package.ts"
import { type Party, quote, shownPrice } from "../../../src/domain/catalogue/Pricing.ts"
import { maxPrice, minPrice } from "../../../src/domain/catalogue/PriceTimes.ts"
import { addDays } from "../../../src/platform/time/LocalTime.ts"
import { childRules, partyOf, venueOnDate } from "../../support/arbitraryVenues.ts"
import { priceByHand } from "../../support/oracle/Price.ts"
import { runs } from "../../support/runs.ts"
import { slipsOf } from "../../support/slips.ts"
import { at, host, packageWith, testId, venueWith } from "../../support/venues.ts"

const babies: ChildRule = { label: "Babies", age_to: 1, change: { price: 0 } }
const toddlers: ChildRule = { label: "Toddlers", age_from: 2, age_to: 3, change: { price: 400 } }
const siblings: ChildRule = { label: "Siblings", child_from: 2, change: { percent: -50 } }
const noon = at("2026-12-12", "12:00")
const early = at("2026-11-01", "09:00")

/** Play at £7.50 a child with these rules, and changes of its price. */
const play = (child_rules: ReadonlyArray<ChildRule>, changes: Partial<Package["pricing"]> = {}) =>
  packageWith({
    pricing: { base: 0, included_children: 0, extra_child: 750, adult: 0, rules: [], ...changes, child_rules }
  })
const room = (pkg: Package) => venueWith({}, [pkg], [host])
const priceOf = (pkg: Package, children: number, child_ages?: ReadonlyArray<number>) =>
  quote(
    room(pkg),
    pkg,
    { children, adults: 0, add_ons: [], ...(child_ages === undefined ? {} : { child_ages }) },
    noon,
    early
  ).price

describe("the price of children", () => {
  it.each([
    ["nobody's age is told", [babies, toddlers], 3, undefined, 2250],
    ["one age is missing", [babies, toddlers], 3, [0, 1], 2250],
    ["a baby is free", [babies], 1, [0], 0],
    ["until the second birthday", [babies], 2, [1, 2], 750],
    ["each by its age", [babies, toddlers], 4, [5, 0, 3, 2], 750 + 400 + 400],
    ["the eldest is no sibling", [siblings], 3, [4, 9, 7], 750 + 375 + 375],
    ["siblings need no ages", [siblings], 3, undefined, 750 + 375 + 375],
    ["one after the other, as they stand", [toddlers, siblings], 3, [8, 3, 2], 750 + 200 + 200],
    ["never dearer", [{ label: "Big", age_from: 6, change: { price: 900 } }], 1, [7], 750]
  ] satisfies ReadonlyArray<
    readonly [string, ReadonlyArray<ChildRule>, number, ReadonlyArray<number> | undefined, number]
  >)("%s", (_, rules, children, ages, total) => {
    assert.strictEqual(priceOf(play(rules), children, ages).total, total)
  })

  it("has a line for those who cost the same by the same rule, the free ones too", () => {
    assert.deepStrictEqual(
      shownPrice(priceOf(play([babies, toddlers]), 5, [0, 7, 1, 6, 3])).lines.map(
        ({ amount, display, kind, label }) => [kind, label, amount, display]
      ),
      [
        ["children", "Children", 1500, "2 × £7.50 = £15.00"],
        ["children", "Children (Toddlers)", 400, "£4.00"],
        ["children", "Children (Babies)", 0, "2 × £0.00 = £0.00"]
      ]
    )
  })

  it("has the dearest in the base price, and bills who does not come as if of any age", () => {
    const party = play([babies, toddlers], { base: 5000, included_children: 2, extra_child: 750 })
    assert.strictEqual(priceOf(party, 4, [0, 3, 8, 9]).total, 5000 + 400)
    const least = play([babies], { min_billed_children: 3 })
    const { lines, total } = priceOf(least, 2, [0, 6])
    assert.strictEqual(total, 2 * 750)
    assert.deepInclude(lines[0], { label: "Children (billed as 3)", quantity: 2, billed_children: 3 })
  })

  it("follows what is set at a time: a percentage is of that day's price", () => {
    const dearer = play([{ label: "Toddlers", age_to: 3, change: { percent: -50 } }], {
      rules: [{ label: "Saturday", weekdays: ["saturday"], change: { prices: { extra_child: 1000 } } }]
    })
    assert.strictEqual(priceOf(dearer, 2, [2, 8]).total, 1500)
  })

  const visit = venueOnDate.chain(({ venue, pkg, date }) =>
    fc.record({
      venue: fc.constant(venue),
      pkg: childRules.map((child_rules): Package => ({ ...pkg, pricing: { ...pkg.pricing, child_rules } })),
      date: fc.constant(date),
      who: partyOf(venue),
      days: fc.nat(30)
    })
  )
  const without = (party: Party): Party => Struct.omit(party, ["child_ages"])

  it("is that of an oracle that takes one child after the other, for any rules, ages and dates", () => {
    let compared = 0
    fc.assert(
      fc.property(visit, ({ venue, pkg, date, who }) => {
        for (const start of startsOn(venue, pkg, date).slice(0, 3)) {
          compared++
          const { price } = quote(venue, pkg, who, start, start)
          const { total, due_now } = priceByHand(venue, pkg, who, start, start)
          assert.deepStrictEqual([price.total, price.due_now], [total, due_now])
        }
      }),
      { numRuns: runs(1000) }
    )
    assert.isAbove(compared, runs(500))
  })

  it("never rises once ages are told, is never under what search goes by, and never over the cap", () => {
    fc.assert(
      fc.property(visit, ({ venue, pkg, date, who, days }) => {
        const room = { ...venue, playroom: { ...venue.playroom, tax: { rate_percent: 20, included: true } } }
        for (const start of startsOn(venue, pkg, date).slice(0, 3)) {
          const { total } = quote(room, pkg, who, start, start).price
          assert.isAtMost(total, quote(room, pkg, without(who), start, start).price.total)
          assert.isAtMost(quote(room, pkg, without(who), start, start).price.total, maxPrice(room, pkg, who))
          assert.isAtLeast(
            quote(room, pkg, { ...who, add_ons: [] }, start, start).price.total,
            minPrice(room.playroom, pkg, who.children, addDays(date, -days))
          )
        }
      }),
      { numRuns: runs(500) }
    )
  })
})

describe("an option whose price goes by ages", () => {
  const pkg = play([babies, toddlers])
  const idOf = (child_ages?: ReadonlyArray<number>, own = pkg) =>
    priceOption(
      room(own),
      { children: 2, adults: 1, add_ons: [], ...(child_ages === undefined ? {} : { child_ages }) },
      { pkg: own, start: noon, places_left: 5 },
      early
    ).option_id

  it("has an id of these ages, in any order, and others a different one", () => {
    assert.strictEqual(idOf([1, 5]), idOf([5, 1]))
    assert.strictEqual(unpack(idOf([1, 5]))?.ages_check, agesCheck([5, 1]))
    assert.deepInclude(unpack(idOf([1, 5])), { children: 2, adults: 1 })
    const ids = [idOf([1, 5]), idOf([0, 5]), idOf([5, 6]), idOf()]
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.isUndefined(unpack(idOf())?.ages_check)
    // Another price has another digest, too.
    assert.notStrictEqual(unpack(idOf([1, 5]))?.digest, unpack(idOf([3, 5]))?.digest)
  })

  it("has the id of before where no price goes by them", () => {
    assert.strictEqual(idOf([1, 5], play([siblings])), idOf(undefined, play([siblings])))
    const plain = packageWith({})
    const { price } = quote(room(plain), plain, { children: 2, adults: 0, add_ons: [] }, noon, early)
    assert.isFalse(price.lines.some((line) => "rule" in line))
  })

  it("takes ten add-ons beside ages where no price goes by them", () => {
    const sold = Array.from({ length: 12 }, (_, i) => ({
      ...host,
      add_on_id: testId.addOn(i + 1),
      unit: "per_item" as const,
      max_quantity: 1000
    }))
    const add_ons = sold.slice(2).map(({ add_on_id }) => ({ add_on_id, quantity: 1000 }))
    const party = { children: 2, adults: 0, child_ages: [1, 5], add_ons }
    assert.deepStrictEqual(addOnIssues(venueWith({}, [play([siblings])], sold), party), [])
    assert.lengthOf(addOnIssues(venueWith({}, [play([babies])], sold), party), 1)
  })

  it("stays within 80 characters with eight add-ons of twelve in any number, and tells slips", () => {
    const sold = Array.from({ length: 12 }, (_, i) => ({ add_on_id: testId.addOn(i + 1) }))
    const add_ons = sold.slice(4).map(({ add_on_id }) => ({ add_on_id, quantity: 1000 }))
    assert.isTrue(addOnsFit(sold, add_ons, { ages: true }))
    assert.isFalse(
      addOnsFit(
        sold,
        sold.map(({ add_on_id }) => ({ add_on_id, quantity: 2 })),
        { ages: true }
      )
    )
    const named = { package_id: pkg.package_id, start: noon, children: 9999, adults: 9999, add_ons }
    const offered = { pkg, start: noon, time_zone: "Europe/London", add_ons }
    const digest = digestOf({ ...offered, quote: quote(room(pkg), pkg, { ...named, add_ons: [] }, noon, early) })
    const id = pack({ ...named, digest, ages: [3, 1] }, sold)
    assert.isAtMost(id.length, 80)
    assert.deepInclude(unpack(id), { children: 9999, adults: 9999, ages_check: agesCheck([1, 3]), digest })
    for (const slip of slipsOf(id)) assert.isUndefined(unpack(slip))
  })
})
