import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { digestOf } from "../../src/availability/OptionId.ts"
import { quote } from "../../src/catalogue/Pricing.ts"
import { instantNear, partyOf, venueOnDate } from "../support/arbitraryVenues.ts"
import { cake, host, packageWith, partyHall, testId, wholeHall } from "../support/venues.ts"

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
    digestOf({ pkg, add_ons: party.add_ons, quote: quote(venue, pkg, party, start, now) })
  const usual = of(partyHall, wholeHall)

  it("is 64 bits, the same for equal offers, whatever the order of add-ons and of keys (500 runs)", () => {
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
          const digest = digestOf({ pkg, add_ons: party.add_ons, quote: quoted })
          assert.strictEqual(digestOf({ pkg: { ...pkg }, add_ons: party.add_ons.toReversed(), quote: copy }), digest)
        }
      ),
      { numRuns: 500 }
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
})
