import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { type AddOnChoice, quote } from "../../../src/domain/catalogue/Pricing.ts"
import { OptionId } from "../../../src/domain/availability/BookingOption.ts"
import {
  addOnsFit,
  agesCheck,
  codeCheck,
  digestOf,
  pack,
  type PackableOption,
  resolveAddOns,
  unpack
} from "../../../src/domain/availability/OptionId.ts"
import { packageIdOf } from "../../../src/platform/ids/Ids.ts"
import { minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { checked, contentOf, slipsOf, withSlips } from "../../support/slips.ts"
import { openPlay, partyHall, testId } from "../../support/venues.ts"
import { runs } from "../../support/runs.ts"

const isOptionId = Schema.is(OptionId)
const soldUpTo = (count: number) => Array.from({ length: count }, (_, i) => ({ add_on_id: testId.addOn(i + 1) }))

/** An offer with up to `most` add-ons of a venue that sells up to `atMost`. */
const offer = (most: number, quantities: fc.Arbitrary<number>, atMost: number) =>
  fc
    .tuple(
      fc.integer({ min: 0, max: atMost }).chain((count) => {
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
const anyQuantity = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 1000 }))
const anyOffer = offer(10, anyQuantity, 12)

describe("OptionId", () => {
  it("gives back what it names, in at most 80 characters, with up to ten add-ons of twelve, in any quantities", () => {
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
      fc.property(offer(30, anyQuantity, 64), ({ sold, option }) => {
        if (!addOnsFit(sold, option.add_ons)) return
        const id = pack(option, sold)
        assert.isAtMost(id.length, 80)
        assert.deepStrictEqual(
          resolveAddOns(sold, unpack(id)?.add_ons ?? { quantities: [], check: 0 }),
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

  it("copied wrongly is none: with one letter other, more, less or turned, alike in shape or of another case", () => {
    fc.assert(
      fc.property(anyOffer, ({ sold, option }) => {
        const id = pack(option, sold)
        for (const slip of slipsOf(id)) assert.isUndefined(unpack(slip), `${slip} for ${id}`)
      }),
      { numRuns: runs(3) }
    )
  })

  it("copied wrongly in two places is none, nor are halves of two ids", () => {
    const cases = fc.tuple(anyOffer, anyOffer, fc.nat(80)).chain(([{ option, sold }, other, at]) => {
      const ids = [
        pack(option, sold),
        pack({ ...option, start: option.start === 0 ? minuteMs : 0 }, sold),
        pack({ ...option, ...other.option }, other.sold)
      ] as const
      const halves = ids.map((end) => ids[0].slice(0, at) + end.slice(at))
      return fc.tuple(fc.constant(new Set(ids)), withSlips(ids[0]), fc.constantFrom(...halves))
    })
    fc.assert(
      fc.property(cases, ([ids, ...copies]) => {
        for (const copy of copies) if (!ids.has(copy)) assert.isUndefined(unpack(copy), copy)
      }),
      { numRuns: runs(2000) }
    )
  })

  it("names the code that makes it cheaper, beside seven add-ons of twelve, or five and ages, and tells slips", () => {
    const sold = soldUpTo(12)
    const last = (count: number) => sold.slice(-count).map(({ add_on_id }) => ({ add_on_id, quantity: 1000 }))
    for (const [most, beside] of [
      [7, { code: true }],
      [5, { code: true, ages: true }]
    ] as const) {
      assert.isTrue(addOnsFit(sold, last(most), beside))
      assert.isFalse(addOnsFit(sold, last(most + 1), beside))
    }
    const codes = fc.string({
      unit: fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
      minLength: 4,
      maxLength: 24
    })
    const cases = fc
      .tuple(offer(5, anyQuantity, 12), codes, fc.option(fc.array(fc.nat(17), { minLength: 1 }), { nil: undefined }))
      .chain(([{ option, sold }, code, ages]) => {
        const id = pack({ ...option, code, ages }, sold)
        return fc.tuple(fc.constant({ option, code, ages, id }), withSlips(id))
      })
    fc.assert(
      fc.property(cases, ([{ ages, code, id, option }, slip]) => {
        assert.isAtMost(id.length, 80)
        const { children, adults } = option
        assert.deepInclude(unpack(id), {
          children,
          adults,
          code_check: codeCheck(code),
          ...(ages === undefined ? {} : { ages_check: agesCheck(ages) })
        })
        if (slip !== id) assert.isUndefined(unpack(slip), slip)
        for (const one of [...slipsOf(id)].slice(0, 40)) assert.isUndefined(unpack(one), one)
      }),
      { numRuns: runs(500) }
    )
  })

  it("of any other party, start, package or digest in the bytes before its check is none", () => {
    fc.assert(
      fc.property(anyOffer, fc.nat(53), fc.integer({ min: 1, max: 255 }), ({ sold, option }, at, change) => {
        const bytes = Buffer.from(pack(option, sold).slice(7), "base64url")
        const place = at % bytes.length
        bytes.writeUInt8(bytes.readUInt8(place) ^ change, place)
        assert.isUndefined(unpack(`option_${bytes.toString("base64url")}`))
      }),
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
      `option_${"A".repeat(72)}`,
      `option_${"A".repeat(74)}`,
      // Of a release that made no check.
      "option_AZB4AAAAAAAAAAAAAAAAAAHMlQ5iAAAAAAAAAAgA"
    ]
    for (const text of others) assert.isUndefined(unpack(text), text)
    const head = contentOf(id).subarray(0, 28)
    const withBits = (head: Uint8Array, bits: string) => {
      const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
      return unpack(checked(Buffer.concat([head, Buffer.from(bytes)])))
    }
    const oneChild = "000000010000000"
    assert.strictEqual(withBits(head, `${oneChild}0`)?.children, 1)
    const [check, two, none] = ["0".repeat(16), "110000000010", "0"]
    assert.deepStrictEqual(withBits(head, `${oneChild}${check}${two}00000`)?.add_ons.quantities, [2])
    assert.deepStrictEqual(withBits(head, `${oneChild}${check}${none}${two}0000`)?.add_ons.quantities, [0, 2])
    const spelledOtherwise = [
      // No children at all; a bit, and a byte, behind what is said.
      `0${"0".repeat(14)}0`,
      `${oneChild}1`,
      `${oneChild}000000000`,
      // No children behind the check of a code, and a code that is said twice.
      `1${"0".repeat(14)}${"0".repeat(16)}0${"0".repeat(14)}00`,
      `${`1${"0".repeat(14)}${"0".repeat(16)}`.repeat(2)}${oneChild}000`,
      // A small party at the length of a large one.
      `1${"0".repeat(13)}1${"0".repeat(14)}000`,
      // None and one in the long form, a quantity that breaks off, and a byte behind the last.
      `${oneChild}${check}11000000000000000`,
      `${oneChild}${check}11000000000100000`,
      `${oneChild}${check}10100000000001111`,
      `${oneChild}${check}${two}0000000000000`
    ]
    for (const bits of spelledOtherwise) assert.isUndefined(withBits(head, bits), bits)
    // Minutes since 1970 have room for years that no calendar here has.
    const startingAt = (minutes: number) => {
      const moved = Buffer.from(head)
      moved.writeUInt32BE(minutes, 16)
      return withBits(moved, `${oneChild}0`)
    }
    const yearThreeThousand = Date.UTC(3000, 0, 1) / minuteMs
    assert.isDefined(startingAt(yearThreeThousand - 1))
    for (const minutes of [yearThreeThousand, Date.UTC(9999, 11, 30) / minuteMs, 2 ** 32 - 1])
      assert.isUndefined(startingAt(minutes))
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
