import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { amountOf } from "../../../src/domain/payment/changes/Act.ts"
import { display, exponentOf, isExactPercent, maxMinorUnits, parseAmount } from "../../../src/platform/money/Money.ts"
import { languages } from "../../../src/words/Languages.ts"
import { moneyIn } from "../../../src/words/Localized.ts"
import { runs } from "../../support/runs.ts"

const percent = fc.integer({ min: -100_000, max: 1_000_000 }).map((thousandths) => thousandths / 1000)

describe("Money", () => {
  it("has the minor units of ISO 4217 and shows them", () => {
    assert.deepStrictEqual(["JPY", "GBP", "KWD"].map(exponentOf), [0, 2, 3])
    assert.strictEqual(display(24_000, "GBP"), "£240.00")
    assert.strictEqual(display(0, "GBP"), "£0.00")
    assert.match(display(1500, "JPY"), /1,500$/)
    assert.match(display(1500, "KWD"), /1\.500$/)
    assert.strictEqual(display(-1250, "USDC"), "USDC -12.50")
  })

  it("shows every digit of an amount, and no other", () => {
    fc.assert(
      fc.property(fc.nat(maxMinorUnits), fc.constantFrom("JPY", "GBP", "KWD", "HUF", "USD"), (amount, currency) => {
        const digits = display(amount, currency).replaceAll(/\D/g, "")
        assert.strictEqual(Number(digits), amount)
        assert.strictEqual(digits.length, Math.max(String(amount).length, exponentOf(currency) + 1))
      }),
      { numRuns: runs(500) }
    )
  })

  it("X13: an amount is read as our own pages print it, in each language", () => {
    for (const language of languages)
      for (const [amount, currency] of [
        [123_450, "EUR"],
        [120_050, "GBP"],
        [1_234_567, "PLN"],
        [99, "USD"],
        [24_000, "JPY"]
      ] as const) {
        const text = moneyIn(language, amount, currency)
        const read = amountOf("amount", text, { currency })
        assert.deepStrictEqual(read, Result.succeed(amount), `${language} ${text}`)
      }
    assert.isTrue(Result.isFailure(amountOf("amount", "12,50 £", { currency: "EUR" })))
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
})

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
