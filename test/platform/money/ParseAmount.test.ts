import { assert, describe, it } from "@effect/vitest"
import { exponentOf, parseAmount } from "../../../src/platform/money/Money.ts"

describe("an amount as people write it", () => {
  it.each([
    ["45.00", "GBP", 4500],
    ["45", "GBP", 4500],
    ["45.5", "GBP", 4550],
    [" 0.01 ", "GBP", 1],
    ["4500", "JPY", 4500],
    ["1.234", "KWD", 1234],
    ["45.001", "GBP", undefined],
    ["4500.0", "JPY", undefined],
    ["45,00", "GBP", undefined],
    ["-1", "GBP", undefined],
    ["1e3", "GBP", undefined],
    ["", "GBP", undefined],
    [".5", "GBP", undefined],
    ["999999.99", "GBP", 99_999_999],
    ["1000000.00", "GBP", undefined]
  ] as const)("%j in %s is %s minor units", (text, currency, amount) => {
    assert.strictEqual(parseAmount(text, currency), amount)
    if (amount !== undefined) {
      const digits = exponentOf(currency)
      assert.strictEqual(parseAmount((amount / 10 ** digits).toFixed(digits), currency), amount)
    }
  })
})
