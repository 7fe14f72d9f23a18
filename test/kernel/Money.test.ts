import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { display, exponentOf, isExactPercent, maxMinorUnits, percentOf, taxInside } from "../../src/kernel/Money.ts"

const amount = fc.integer({ min: -maxMinorUnits, max: maxMinorUnits })
const percent = fc.integer({ min: -100_000, max: 1_000_000 }).map((thousandths) => thousandths / 1000)
const rate = fc.integer({ min: 0, max: 100_000 }).map((thousandths) => thousandths / 1000)

describe("Money", () => {
  it("has the minor units of ISO 4217 and shows them", () => {
    assert.deepStrictEqual(["JPY", "GBP", "KWD"].map(exponentOf), [0, 2, 3])
    assert.strictEqual(display(24_000, "GBP"), "£240.00")
    assert.strictEqual(display(0, "GBP"), "£0.00")
    assert.match(display(1500, "JPY"), /1,500$/)
    assert.match(display(1500, "KWD"), /1\.500$/)
  })

  it("shows every digit of an amount, and no other (2,000 runs)", () => {
    fc.assert(
      fc.property(fc.nat(maxMinorUnits), fc.constantFrom("JPY", "GBP", "KWD", "HUF", "USD"), (amount, currency) => {
        const digits = display(amount, currency).replaceAll(/\D/g, "")
        assert.strictEqual(Number(digits), amount)
        assert.strictEqual(digits.length, Math.max(String(amount).length, exponentOf(currency) + 1))
      }),
      { numRuns: 2000 }
    )
  })

  it("counts percentages of three decimals exactly, and tells the others", () => {
    fc.assert(
      fc.property(percent, fc.integer({ min: 1, max: 9 }), (percent, digit) => {
        assert.isTrue(isExactPercent(percent), String(percent))
        assert.isFalse(isExactPercent(Number(`${percent.toFixed(3)}${digit}`)))
        assert.isFalse(isExactPercent(Number(`${percent.toFixed(3)}00${digit}`)))
      })
    )
  })

  it.each([
    [1, 50, 1],
    [-1, 50, -1],
    [333, 33.333, 111],
    [10_000, 12.345, 1235],
    [-10_000, 12.345, -1235],
    [101, 0.5, 1],
    [100, 0.49, 0],
    [7, -100, -7],
    // In floats 1.005 × 100 is 100.49999999999999.
    [10_000, 1.005, 101]
  ] as const)("%d × %d %% is %d: halves go away from zero", (amount, percent, expected) => {
    assert.strictEqual(percentOf(amount, percent), expected)
  })

  it("a percentage is the nearest whole number, the same on both sides of zero (5,000 runs)", () => {
    fc.assert(
      fc.property(amount, percent, (amount, percent) => {
        const thousandths = BigInt(Math.round(percent * 1000))
        const rounded = percentOf(amount, percent)
        // |rounded − exact| ≤ 1/2, in hundred-thousandths.
        const error = BigInt(rounded) * 100_000n - BigInt(amount) * thousandths
        assert.isTrue(error <= 50_000n && error >= -50_000n)
        assert.strictEqual(percentOf(-amount, percent), 0 - rounded)
        assert.strictEqual(percentOf(amount, 100), amount)
        assert.strictEqual(percentOf(amount, 0), 0)
      }),
      { numRuns: 5000 }
    )
  })

  it("a percentage of more is not less (2,000 runs)", () => {
    fc.assert(
      fc.property(fc.nat(maxMinorUnits - 1000), fc.nat(1000), rate, (amount, more, rate) => {
        assert.isAtLeast(percentOf(amount + more, rate), percentOf(amount, rate))
      }),
      { numRuns: 2000 }
    )
  })

  it("tax put on top of a net amount is the tax found inside the gross (5,000 runs)", () => {
    fc.assert(
      fc.property(fc.nat(50_000_000), rate, (net, rate) => {
        const tax = percentOf(net, rate)
        assert.isAtMost(Math.abs(taxInside(net + tax, rate) - tax), rate > 100 ? 1 : 0)
      }),
      { numRuns: 5000 }
    )
  })

  it("finds a sixth of the gross inside at 20 %, and nothing at 0 %", () => {
    assert.strictEqual(taxInside(12_000, 20), 2000)
    assert.strictEqual(taxInside(750, 20), 125)
    assert.strictEqual(taxInside(12_000, 0), 0)
  })
})
