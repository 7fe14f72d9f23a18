import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { offer } from "../../../src/domain/availability/BookingOption.ts"
import { changedParts, digestOf, unpack } from "../../../src/domain/availability/OptionId.ts"
import type { AddOn, Package } from "../../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { quote } from "../../../src/domain/catalogue/Pricing.ts"
import { instantNear, partyOf, venueOnDate } from "../../support/arbitraryVenues.ts"
import { cake, host, packageWith, partyHall, testId, wholeHall } from "../../support/venues.ts"
import { runs } from "../../support/runs.ts"

/** The same object with its keys in the opposite order. */
const turned = (_: string, part: unknown): unknown =>
  typeof part === "object" && part !== null && !Array.isArray(part)
    ? Object.fromEntries(Object.entries(part).toReversed())
    : part

describe("The digest of an option", () => {
  const start = Date.parse("2026-12-05T10:00:00Z")
  const who = {
    children: 5,
    adults: 2,
    add_ons: [
      { add_on_id: host.add_on_id, quantity: 1 },
      { add_on_id: cake.add_on_id, quantity: 1 }
    ]
  }
  const of = (venue: typeof partyHall, pkg: typeof wholeHall, party = who, now = 0) =>
    digestOf({
      pkg,
      start,
      time_zone: venue.playroom.time_zone,
      add_ons: party.add_ons,
      quote: quote(venue, pkg, party, start, now)
    })
  const usual = of(partyHall, wholeHall)

  it("is 64 bits, the same for equal offers, whatever the order of add-ons and of keys", () => {
    assert.match(usual, /^[0-9a-f]{16}$/)
    assert.strictEqual(of(partyHall, { ...wholeHall }), usual)
    fc.assert(
      fc.property(
        venueOnDate.chain(({ venue, pkg, date }) =>
          fc.tuple(fc.constant({ venue, pkg }), partyOf(venue), instantNear(venue.playroom.time_zone, date))
        ),
        ([{ venue, pkg }, party, start]) => {
          const quoted = quote(venue, pkg, party, start, start - 5000 * 3_600_000)
          const copy: typeof quoted = JSON.parse(JSON.stringify(quoted), turned)
          const at = { pkg, start, time_zone: venue.playroom.time_zone }
          const digest = digestOf({ ...at, add_ons: party.add_ons, quote: quoted })
          assert.strictEqual(
            digestOf({ ...at, pkg: { ...pkg }, add_ons: party.add_ons.toReversed(), quote: copy }),
            digest
          )
        }
      ),
      { numRuns: runs(125) }
    )
  })

  it("changes with the total, the deposit, the tax, the length, the refund tiers and the add-ons", () => {
    const changed = [
      of(partyHall, { ...wholeHall, pricing: { ...wholeHall.pricing, base: 24_001 } }),
      of(partyHall, { ...wholeHall, payment: { kind: "full" } }),
      of({ ...partyHall, playroom: { ...partyHall.playroom, tax: { rate_percent: 19, included: true } } }, wholeHall),
      of(partyHall, { ...wholeHall, duration_minutes: 120 }),
      of(partyHall, { ...wholeHall, cancellation: [{ hours_before: 1, refund_percent: 1 }] }),
      of(partyHall, { ...wholeHall, free_reschedule_hours_before: 1 }),
      of(partyHall, { ...wholeHall, package_id: testId.package(99) }),
      of(partyHall, wholeHall, { ...who, add_ons: who.add_ons.slice(1) }),
      // The same deposit, which now is kept whatever happens.
      of(partyHall, {
        ...wholeHall,
        payment: { kind: "deposit", deposit: { percent: 25 }, balance_due_hours_before: 336, refundable: false }
      }),
      // The balance has fallen due.
      of(partyHall, wholeHall, who, start - 1)
    ]
    for (const [i, digest] of changed.entries()) assert.notStrictEqual(digest, usual, `change ${i}`)
    // All is due at once in two of them, by the terms or by the date: the same offer.
    assert.strictEqual(new Set(changed).size, changed.length - 1)
  })

  it("does not change with what the buyer does not agree to", () => {
    assert.strictEqual(
      of(partyHall, packageWith({ ...wholeHall, description: "Newly painted", max_children: 29 })),
      usual
    )
    assert.strictEqual(
      of({ ...partyHall, playroom: { ...partyHall.playroom, house_rules: "No shoes" } }, wholeHall),
      usual
    )
  })

  it("of a moved clock, another price and other terms names which of them has changed", () => {
    const inParis = { ...partyHall, playroom: { ...partyHall.playroom, time_zone: "Europe/Paris" } }
    assert.include(changedParts(usual, of(inParis, wholeHall)), "time")
    const dearer = of(partyHall, { ...wholeHall, pricing: { ...wholeHall.pricing, base: 24_001 } })
    assert.deepStrictEqual(changedParts(usual, dearer), ["price"])
    const stricter = of(partyHall, { ...wholeHall, free_reschedule_hours_before: 1 })
    assert.deepStrictEqual(changedParts(usual, stricter), ["terms"])
  })

  it("changes with each field of the catalogue that an option shows, and with no other", () => {
    let [shownDiffer, shownSame] = [0, 0]
    fc.assert(
      fc.property(
        venueOnDate.chain(({ venue, pkg, date }) =>
          fc.tuple(
            fc.constant({ venue, pkg }),
            partyOf(venue),
            instantNear(venue.playroom.time_zone, date),
            fc.constantFrom(...changes)
          )
        ),
        fc.integer({ min: 1, max: 2000 }),
        ([{ venue, pkg }, party, start, change], hours) => {
          const now = start - hours * 3_600_000
          const at = (where: Venue) => {
            const [sold = pkg] = where.packages
            const { option_id, ...shown } = offer(where, party, { pkg: sold, start, places_left: 1 }, now)
            const { time_zone } = where.playroom
            // What the id names beside the digest: it can't be the id of another package or party.
            return {
              digest: unpack(option_id)?.digest,
              shown: JSON.stringify({ ...shown, time_zone, tiers: sold.cancellation })
            }
          }
          const [before, after] = [at(venue), at(change(venue))]
          const same = before.shown === after.shown
          if (same) shownSame++
          else shownDiffer++
          assert.strictEqual(before.digest === after.digest, same, `${before.shown}\n${after.shown}`)
        }
      ),
      { numRuns: runs(500) }
    )
    assert.isAbove(Math.min(shownDiffer, shownSame), runs(75))
  })
})

const withPackage = (more: (pkg: Package) => Partial<Package>) => (venue: Venue) => ({
  ...venue,
  packages: venue.packages.map((pkg) => ({ ...pkg, ...more(pkg) }))
})
const withPlayroom = (more: Partial<Venue["playroom"]>) => (venue: Venue) => ({
  ...venue,
  playroom: { ...venue.playroom, ...more }
})
const withPricing = (more: (pricing: Package["pricing"]) => Partial<Package["pricing"]>) =>
  withPackage(({ pricing }) => ({ pricing: { ...pricing, ...more(pricing) } }))
const withAddOns = (more: (addOn: AddOn) => Partial<AddOn>) => (venue: Venue) => ({
  ...venue,
  add_ons: venue.add_ons.map((addOn) => ({ ...addOn, ...more(addOn) }))
})

/** One field each. Whether an option shows it depends on the venue, the party and the time. */
const changes: ReadonlyArray<(venue: Venue) => Venue> = [
  withPlayroom({ time_zone: "Asia/Kathmandu" }),
  withPlayroom({ time_zone: "Africa/Abidjan" }),
  withPlayroom({ currency: "EUR" }),
  withPlayroom({ tax: { rate_percent: 31, included: true } }),
  withPlayroom({ tax: { rate_percent: 31, included: false } }),
  withPlayroom({ name: "Another name" }),
  withPlayroom({ address: "Elsewhere 1" }),
  withPlayroom({ house_rules: "No shoes" }),
  withPlayroom({ capacity: 31 }),
  withPlayroom({ lead_time_minutes: 5 }),
  withPlayroom({ opening_hours: [] }),
  withPackage(() => ({ name: "Another party" })),
  withPackage(() => ({ description: "Newly painted" })),
  withPackage(({ mode }) => ({ mode: mode === "shared" ? "exclusive" : "shared" })),
  withPackage(({ duration_minutes }) => ({ duration_minutes: duration_minutes === 60 ? 65 : 60 })),
  withPackage(() => ({ setup_minutes: 7 })),
  withPackage(() => ({ max_children: 29 })),
  withPackage(() => ({ cancellation: [{ hours_before: 3, refund_percent: 41 }] })),
  withPackage(() => ({ final_headcount_hours_before: 31 })),
  withPackage(() => ({ free_reschedule_hours_before: 31 })),
  withPackage(() => ({ payment: { kind: "full" } })),
  withPackage(() => ({
    payment: { kind: "deposit", deposit: { percent: 31 }, balance_due_hours_before: 31, refundable: true }
  })),
  withPackage(() => ({
    payment: { kind: "deposit", deposit: { percent: 31 }, balance_due_hours_before: 31, refundable: false }
  })),
  // No catalogue releases places when the visit begins.
  withPackage(({ payment }) => ({
    payment:
      payment.kind === "full" || payment.balance_due_hours_before === 0
        ? payment
        : { ...payment, release_unpaid_after_hours: 0 }
  })),
  withPackage(({ payment }) => ({
    payment: payment.kind === "full" ? payment : { ...payment, balance: "at_venue" }
  })),
  withPricing(({ base }) => ({ base: base + 1 })),
  withPricing(({ extra_child }) => ({ extra_child: extra_child + 1 })),
  withPricing(({ adult }) => ({ adult: adult + 1 })),
  withPricing(() => ({ included_children: 3 })),
  withPricing(() => ({ min_billed_children: 26 })),
  withPricing(() => ({ rules: [{ label: "Today", change: { percent: 12 } }] })),
  withAddOns(({ unit_amount }) => ({ unit_amount: unit_amount + 1 })),
  withAddOns(() => ({ name: "Another extra" })),
  withAddOns(() => ({ stock: 77 }))
]
