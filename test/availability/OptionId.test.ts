import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import type { AddOnChoice } from "../../src/catalogue/Price.ts"
import { OptionId } from "../../src/availability/BookingOption.ts"
import {
  addOnsFit,
  digestOf,
  pack,
  type PackableOption,
  resolveAddOns,
  unpack
} from "../../src/availability/OptionId.ts"
import { quote } from "../../src/catalogue/Pricing.ts"
import { packageIdOf } from "../../src/kernel/Ids.ts"
import { minuteMs } from "../../src/kernel/LocalTime.ts"
import { openPlay, partyHall, testId } from "../support/venues.ts"
import { runs } from "../support/runs.ts"

const isOptionId = Schema.is(OptionId)
const soldUpTo = (count: number) => Array.from({ length: count }, (_, i) => ({ add_on_id: testId.addOn(i + 1) }))

/** An offer with up to `most` add-ons of a venue that sells up to 64. */
const offer = (most: number, quantities: fc.Arbitrary<number>) =>
  fc
    .tuple(
      fc.integer({ min: 0, max: 64 }).chain((count) => {
        const sold = soldUpTo(count)
        return fc.tuple(fc.constant(sold), fc.shuffledSubarray(sold, { maxLength: Math.min(most, count) }))
      }),
      fc.array(quantities, { minLength: 32, maxLength: 32 }),
      fc.record({
        package_id: fc.uint8Array({ minLength: 16, maxLength: 16 }).map(packageIdOf),
        start: fc.nat(Date.UTC(3000, 0, 1) / minuteMs - 1).map((minutes) => minutes * minuteMs),
        children: fc.integer({ min: 1, max: 10_000 }),
        adults: fc.nat(10_000),
        digest: fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString("hex"))
      })
    )
    .map(([[sold, chosen], quantities, rest]) => ({
      sold,
      option: {
        ...rest,
        add_ons: chosen.map(({ add_on_id }, i): AddOnChoice => ({ add_on_id, quantity: quantities[i] ?? 1 }))
      } satisfies PackableOption
    }))

const byId = (choices: ReadonlyArray<AddOnChoice>) => choices.toSorted((a, b) => (a.add_on_id < b.add_on_id ? -1 : 1))
const anyOffer = offer(10, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 127 })))

describe("OptionId", () => {
  it("gives back what it names, in at most 80 characters, with up to ten add-ons of 64", () => {
    fc.assert(
      fc.property(anyOffer, ({ sold, option }) => {
        assert.isTrue(addOnsFit(sold, option.add_ons))
        const id = pack(option, sold)
        assert.isAtMost(id.length, 80)
        assert.isTrue(isOptionId(id))
        const unpacked = unpack(id)
        if (unpacked === undefined) return assert.fail("not unpacked")
        const { add_ons, ...rest } = unpacked
        const { add_ons: wanted, ...named } = option
        assert.deepStrictEqual(rest, named)
        assert.deepStrictEqual(resolveAddOns(sold, add_ons), byId(wanted))
      }),
      { numRuns: runs(250) }
    )
  })

  it("whatever fits stays within 80 characters, however many add-ons and large quantities", () => {
    fc.assert(
      fc.property(offer(30, fc.integer({ min: 1, max: 1000 })), ({ sold, option }) => {
        if (!addOnsFit(sold, option.add_ons)) return
        const id = pack(option, sold)
        assert.isAtMost(id.length, 80)
        assert.deepStrictEqual(
          resolveAddOns(sold, unpack(id)?.add_ons ?? { places: [], check: 0 }),
          byId(option.add_ons)
        )
      }),
      { numRuns: runs(500) }
    )
    assert.isFalse(
      addOnsFit(
        soldUpTo(30),
        soldUpTo(30).map((sold) => ({ ...sold, quantity: 2 }))
      )
    )
  })

  it("is the same in whatever order add-ons are chosen or sold", () => {
    fc.assert(
      fc.property(anyOffer, ({ sold, option }) => {
        const turned = { ...option, add_ons: option.add_ons.toReversed() }
        assert.strictEqual(pack(turned, sold.toReversed()), pack(option, sold))
      }),
      { numRuns: runs(250) }
    )
  })

  it("has one spelling: any text that unpacks is what packs again", () => {
    fc.assert(
      fc.property(
        anyOffer,
        fc.nat(72),
        fc.constantFrom(..."ABCxyz019-_=+/ é"),
        fc.constantFrom("replace", "insert", "cut", "append"),
        ({ sold, option }, at, letter, how) => {
          const id = pack(option, sold)
          const place = 7 + (at % (id.length - 7))
          const damaged = {
            replace: id.slice(0, place) + letter + id.slice(place + 1),
            insert: id.slice(0, place) + letter + id.slice(place),
            cut: id.slice(0, place),
            append: id + letter
          }[how]
          const unpacked = unpack(damaged)
          if (unpacked === undefined) return
          const add_ons = resolveAddOns(sold, unpacked.add_ons)
          // Another option altogether, or one whose add-ons are refused.
          if (add_ons !== undefined) assert.strictEqual(pack({ ...unpacked, add_ons }, sold), damaged)
        }
      ),
      { numRuns: runs(500) }
    )
  })

  it("knows what is none: other texts, padding, too short, too long, and loose bits at the end", () => {
    const id = pack(
      { package_id: openPlay.package_id, start: 0, children: 1, adults: 0, add_ons: [], digest: "00".repeat(8) },
      []
    )
    assert.isDefined(unpack(id))
    const others = [
      "",
      "option_",
      id.slice(1),
      `${id}A`,
      `${id}=`,
      ` ${id}`,
      `${id}\n`,
      id.toUpperCase(),
      `option_${"A".repeat(74)}`
    ]
    for (const text of others) assert.isUndefined(unpack(text), text)
    const two = [{ add_on_id: testId.addOn(1), quantity: 2 }]
    const bytes = Buffer.from(
      pack(
        { package_id: openPlay.package_id, start: 0, children: 1, adults: 0, add_ons: two, digest: "00".repeat(8) },
        soldUpTo(1)
      ).slice(7),
      "base64url"
    )
    const withQuantity = (quantity: number) =>
      unpack(`option_${Buffer.from([...bytes.subarray(0, -1), quantity]).toString("base64url")}`)
    assert.strictEqual(withQuantity(3)?.add_ons.places[0]?.quantity, 3)
    // None at all, and one, which is written shorter.
    assert.isUndefined(withQuantity(0))
    assert.isUndefined(withQuantity(1))
    // Minutes since 1970 have room for years that no calendar here has.
    const startingAt = (minutes: number) => {
      const moved = Buffer.from(bytes)
      moved.writeUInt32BE(minutes, 16)
      return unpack(`option_${moved.toString("base64url")}`)
    }
    const yearThreeThousand = Date.UTC(3000, 0, 1) / minuteMs
    assert.isDefined(startingAt(yearThreeThousand - 1))
    for (const minutes of [yearThreeThousand, Date.UTC(9999, 11, 30) / minuteMs, 2 ** 32 - 1])
      assert.isUndefined(startingAt(minutes))
    // 54 zero bytes: no children.
    assert.isUndefined(unpack(`option_${"A".repeat(72)}`))
    fc.assert(
      fc.property(fc.string(), fc.base64String(), (text, base64) => {
        assert.isUndefined(unpack(text))
        assert.isUndefined(unpack(`option_${base64.slice(0, 20)}`))
      })
    )
  })

  it("never becomes another add-on when the catalogue changes: it is refused instead", () => {
    const quoted = quote(partyHall, openPlay, { children: 1, adults: 0, add_ons: [] }, 0, 0)
    const digest = (add_ons: ReadonlyArray<AddOnChoice>) =>
      digestOf({ pkg: openPlay, start: 0, time_zone: "Europe/London", add_ons, quote: quoted })
    fc.assert(
      fc.property(
        anyOffer,
        fc.integer({ min: 1, max: 64 }),
        fc.integer({ min: 65, max: 70 }),
        ({ sold, option }, gone, added) => {
          const { add_ons } = unpack(pack(option, sold)) ?? assert.fail("not unpacked")
          const changed = [...sold.filter((_, i) => i !== gone - 1), { add_on_id: testId.addOn(added) }]
          const resolved = resolveAddOns(changed, add_ons)
          if (resolved === undefined) return
          // The check has 16 bits: where it fits others by chance, the digest of what was agreed refuses them.
          if (digest(resolved) === digest(option.add_ons)) assert.deepStrictEqual(resolved, byId(option.add_ons))
        }
      ),
      { numRuns: runs(500) }
    )
    const sold = soldUpTo(3)
    const choice = [{ add_on_id: testId.addOn(2), quantity: 1 }]
    const { add_ons } =
      unpack(
        pack(
          {
            package_id: openPlay.package_id,
            start: 0,
            children: 1,
            adults: 0,
            add_ons: choice,
            digest: "ab".repeat(8)
          },
          sold
        )
      ) ?? assert.fail("not unpacked")
    assert.deepStrictEqual(resolveAddOns(sold, add_ons), choice)
    assert.isUndefined(resolveAddOns(sold.slice(1), add_ons))
    assert.isUndefined(resolveAddOns([], add_ons))
  })
})
