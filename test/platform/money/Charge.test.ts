import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  chargeStep,
  downToStep,
  feeGivenBack,
  fromProviderAmount,
  isOnStep,
  maximumCharge,
  minimumCharge,
  percentOf,
  providerCurrencies,
  stepText,
  taxInside,
  toProviderAmount,
  toProviderFee
} from "../../../src/platform/money/Charge.ts"
import { maxMinorUnits } from "../../../src/platform/money/Money.ts"
import { stepByHand } from "../../support/oracle/Price.ts"
import { runs } from "../../support/runs.ts"

const amount = fc.integer({ min: -maxMinorUnits, max: maxMinorUnits })
const percent = fc.integer({ min: -100_000, max: 1_000_000 }).map((thousandths) => thousandths / 1000)
const rate = fc.integer({ min: 0, max: 100_000 }).map((thousandths) => thousandths / 1000)
const anyCurrency = fc.constantFrom(...providerCurrencies)

describe("A charge", () => {
  it("is a multiple of its currency's step, from its smallest to its largest: all of these can be sent", () => {
    assert.isAtLeast(providerCurrencies.size, 135)
    for (const currency of providerCurrencies) {
      const step = chargeStep(currency)
      assert.strictEqual(step, stepByHand(currency), currency)
      for (const amount of [step, minimumCharge(currency), maximumCharge(currency)]) {
        assert.isDefined(toProviderAmount(amount, currency), `${amount} ${currency}`)
        assert.isTrue(isOnStep(amount, currency))
      }
      // Our own limit of eight digits is the lower one for ariary.
      const more = maximumCharge(currency) + step
      assert.isTrue(more > maxMinorUnits || toProviderAmount(more, currency) === undefined, currency)
      if (step > 1) assert.isUndefined(toProviderAmount(step + 1, currency), currency)
    }
    assert.deepStrictEqual(["GBP", "JPY", "ISK", "KWD", "MGA"].map(chargeStep), [1, 1, 1, 10, 100])
    assert.deepStrictEqual(["GBP", "KWD", "MGA", "JPY"].map(stepText), ["0.01", "0.010", "1.00", "1"])
    assert.deepStrictEqual(["GBP", "KWD", "MGA"].map(minimumCharge), [30, 10, 100])
    // The provider writes whole shillings with two decimals, in eight digits.
    assert.strictEqual(maximumCharge("UGX"), 999_999)
    assert.strictEqual(maximumCharge("IQD"), 0)
  })

  it("of a percentage is the nearest multiple of the step, in every currency", () => {
    fc.assert(
      fc.property(amount, percent, anyCurrency, (any, percent, currency) => {
        const step = chargeStep(currency)
        const amount = downToStep(any, currency)
        const rounded = percentOf(amount, percent, currency)
        assert.strictEqual(Math.abs(rounded % step), 0)
        // |rounded − exact| ≤ step/2, in hundred-thousandths.
        const error = BigInt(rounded) * 100_000n - BigInt(amount) * BigInt(Math.round(percent * 1000))
        assert.isTrue(error <= 50_000n * BigInt(step) && error >= -50_000n * BigInt(step))
        assert.strictEqual(percentOf(amount, 100, currency), amount)
        if (percent >= 0 && percent <= 100) assert.isAtMost(Math.abs(rounded), Math.abs(amount))
      }),
      { numRuns: runs(1250) }
    )
    // Half of 7.550 dinars, and a third of 10 ariary.
    assert.strictEqual(percentOf(7550, 50, "KWD"), 3780)
    assert.strictEqual(percentOf(1000, 33.333, "MGA"), 300)
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
    assert.strictEqual(percentOf(amount, percent, "GBP"), expected)
  })

  it("a percentage is the nearest whole number, the same on both sides of zero", () => {
    fc.assert(
      fc.property(amount, percent, (amount, percent) => {
        const thousandths = BigInt(Math.round(percent * 1000))
        const rounded = percentOf(amount, percent, "GBP")
        // |rounded − exact| ≤ 1/2, in hundred-thousandths.
        const error = BigInt(rounded) * 100_000n - BigInt(amount) * thousandths
        assert.isTrue(error <= 50_000n && error >= -50_000n)
        assert.strictEqual(percentOf(-amount, percent, "GBP"), 0 - rounded)
        assert.strictEqual(percentOf(amount, 100, "GBP"), amount)
        assert.strictEqual(percentOf(amount, 0, "GBP"), 0)
      }),
      { numRuns: runs(1250) }
    )
  })

  it("a percentage of more is not less", () => {
    fc.assert(
      fc.property(fc.nat(maxMinorUnits - 1000), fc.nat(1000), rate, anyCurrency, (amount, more, rate, currency) => {
        assert.isAtLeast(percentOf(amount + more, rate, currency), percentOf(amount, rate, currency))
      }),
      { numRuns: runs(500) }
    )
  })

  it("tax put on top of a net amount is the tax found inside the gross", () => {
    fc.assert(
      fc.property(fc.nat(50_000_000), rate, (net, rate) => {
        const tax = percentOf(net, rate, "GBP")
        assert.isAtMost(Math.abs(taxInside(net + tax, rate, "GBP") - tax), rate > 100 ? 1 : 0)
      }),
      { numRuns: runs(1250) }
    )
  })

  it("finds a sixth of the gross inside at 20 %, and nothing at 0 %", () => {
    assert.strictEqual(taxInside(12_000, 20, "GBP"), 2000)
    assert.strictEqual(taxInside(750, 20, "GBP"), 125)
    assert.strictEqual(taxInside(12_000, 0, "GBP"), 0)
  })
})

describe("ProviderAmount", () => {
  it("writes the provider's special currencies as it wants them, and reads them back", () => {
    const cases = [
      ["GBP", 24_000, 24_000],
      ["JPY", 500, 500],
      ["HUF", 1_050, 1_050],
      ["ISK", 5, 500],
      ["UGX", 5, 500],
      ["MGA", 500, 5],
      ["KWD", 5_120, 5_120],
      ["KRW", 30_000, 30_000]
    ] as const
    for (const [currency, ours, theirs] of cases) {
      assert.strictEqual(toProviderAmount(ours, currency), theirs, currency)
      assert.strictEqual(fromProviderAmount(theirs, currency.toLowerCase()), ours, currency)
    }
    assert.isUndefined(toProviderAmount(5_124, "KWD"))
    assert.isUndefined(toProviderAmount(10.5, "GBP"))
    assert.isUndefined(toProviderAmount(100_000_000, "GBP"))
    assert.strictEqual(toProviderFee(1_234, "KWD"), 1_230)
    assert.strictEqual(toProviderFee(199, "MGA"), 1)
    assert.strictEqual(toProviderFee(3, "ISK"), 300)
  })

  it("gives of the platform's fee back what is in proportion, in however many parts, and all of it with all of the payment", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 99_999_999 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.array(fc.integer({ min: 1, max: 40_000_000 }), { maxLength: 12 }),
        (paid, share, parts) => {
          const fee = Math.floor(paid * share)
          let [refunded, given] = [0, 0]
          for (const part of [...parts, paid]) {
            const now = Math.min(paid, refunded + part)
            const back = feeGivenBack(fee, now, paid) - feeGivenBack(fee, refunded, paid)
            assert.isAtLeast(back, 0)
            assert.isAtMost(Math.abs(back - (fee * (now - refunded)) / paid), 1)
            given += back
            refunded = now
            // What the provider keeps for the platform is its part of what was not given back.
            assert.isAtMost(Math.abs(fee - given - (fee * (paid - refunded)) / paid), 0.5001)
          }
          assert.strictEqual(given, fee)
        }
      )
    )
    assert.strictEqual(feeGivenBack(0, 0, 0), 0)
  })
})
