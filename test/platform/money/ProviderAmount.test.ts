import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  feeGivenBack,
  fromProviderAmount,
  toProviderAmount,
  toProviderFee
} from "../../../src/platform/money/Charge.ts"

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
