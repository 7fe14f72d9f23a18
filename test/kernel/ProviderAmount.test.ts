import { assert, describe, it } from "@effect/vitest"
import { fromProviderAmount, toProviderAmount, toProviderFee } from "../../src/kernel/ProviderAmount.ts"

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
})
