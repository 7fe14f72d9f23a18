import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { playroomIssues, chargeIssues } from "../../../src/domain/import/CatalogueChecks.ts"
import { minimumCharge, percentOf } from "../../../src/platform/money/Charge.ts"
import { FilePlayroom } from "../../../src/domain/import/CatalogueSchema.ts"
import { idOf, packageJson, playroomJson } from "../../support/catalogues.ts"
import { runs } from "../../support/runs.ts"

type Changes = NonNullable<Parameters<typeof packageJson>[1]>

const room = (currency = "GBP", included = true) =>
  playroomJson(1, { currency, tax: { rate_percent: included ? 0 : 20, included } })

/** Each child costs `each`. */
const perChild = (each: number, rules: NonNullable<Changes["pricing"]>["rules"] = []) => ({
  pricing: { base: 0, included_children: 0, extra_child: each, adult: 0, rules }
})
const fixed = (base: number, each = 0) => ({
  pricing: { base, included_children: 1, extra_child: each, adult: 0, rules: [] }
})
const deposit = (of: { amount: number } | { percent: number }): Pick<Changes, "payment"> => ({
  payment: { kind: "deposit", deposit: of, balance_due_hours_before: 24, refundable: true }
})

const pathsOf = (changes: Changes, playroom = room()) =>
  chargeIssues("p", playroom, packageJson(1, { min_children: 1, max_children: 10, ...changes })).map(({ path }) => path)

describe("a package", () => {
  it("is refused by name where a party could be asked for less than the provider charges", () => {
    const weekday = { label: "Monday", weekdays: ["monday" as const], change: { percent: -98 } }
    const cases: ReadonlyArray<readonly [what: string, changes: Changes, path: string]> = [
      ["a price", perChild(20), "p.pricing"],
      ["a price on one weekday", perChild(1000, [weekday]), "p.pricing"],
      ["a fixed deposit", { ...fixed(5000), ...deposit({ amount: 29 }) }, "p.payment"],
      ["a percent deposit", { ...fixed(200), ...deposit({ percent: 10 }) }, "p.payment"],
      ["a balance beside a fixed deposit", { ...fixed(5020), ...deposit({ amount: 5000 }) }, "p.payment"],
      ["a balance of larger parties only", { ...fixed(5000, 10), ...deposit({ amount: 5000 }) }, "p.payment"],
      ["a balance beside a percent deposit", { ...fixed(1000), ...deposit({ percent: 98 }) }, "p.payment"]
    ]
    for (const [what, changes, path] of cases) assert.deepStrictEqual(pathsOf(changes), [path], what)
    const [issue] = chargeIssues("p", room(), packageJson(1, perChild(20)))
    assert.include(issue?.message, "£0.20")
    assert.include(issue?.message, "£0.30")
  })

  it("may be free, may have no deposit or no balance, and may begin at the smallest charge", () => {
    const fine: ReadonlyArray<Changes> = [
      fixed(0),
      fixed(30),
      { ...fixed(5000), ...deposit({ amount: 0 }) },
      { ...fixed(5000), ...deposit({ amount: 5000 }) },
      { ...fixed(5000), ...deposit({ amount: 9000 }) },
      { ...fixed(5030), ...deposit({ amount: 5000 }) },
      { ...fixed(5000), ...deposit({ percent: 100 }) },
      // Half price on Mondays, and a package that is not sold then.
      {
        ...perChild(40, [{ label: "Monday", weekdays: ["monday"], change: { percent: -50 } }]),
        schedule: { weekdays: ["saturday"] }
      }
    ]
    for (const changes of fine) assert.deepStrictEqual(pathsOf(changes), [], JSON.stringify(changes))
    // By its own currency: 40 yen are too few, 50 are not; of others the provider tells no smallest charge.
    assert.deepStrictEqual(pathsOf(fixed(40), room("JPY")), ["p.pricing"])
    assert.deepStrictEqual(pathsOf(fixed(50), room("JPY")), [])
    assert.deepStrictEqual(pathsOf(fixed(1), room("ISK")), [])
    for (const currency of ["ARS", "COP", "IDR", "ILS", "KRW", "PHP", "RUB", "ZAR"]) {
      assert.deepStrictEqual(pathsOf(fixed(49), room(currency)), ["p.pricing"], currency)
      assert.deepStrictEqual(pathsOf(fixed(50), room(currency)), [], currency)
    }
    // Tax that comes on top counts.
    assert.deepStrictEqual(pathsOf(fixed(25), room("GBP", false)), [])
  })

  it("is refused by path where an amount is off its currency's charge step, or none can be paid in the currency", () => {
    const issuesOf = (currency: string, changes: Changes, add_on = 1000) => {
      const playroom = playroomJson(1, {
        currency,
        packages: [packageJson(1, { min_children: 1, max_children: 10, ...changes })],
        add_ons: [{ add_on_id: idOf("addon", 1), name: "Cake", unit: "per_item", unit_amount: add_on, max_quantity: 5 }]
      })
      return playroomIssues("p", Schema.decodeUnknownSync(FilePlayroom)(playroom), "2026-12-01").map(
        ({ message, path }) => `${path}: ${message}`
      )
    }
    const off = (path: string, amount: string, currency: string, step: string) =>
      `p.${path}: ${amount} can't be charged: the payment provider takes ${currency} in steps of ${step}`
    const kwd = (path: string, amount: string) => off(path, `KWD\u00a0${amount}`, "KWD", "0.010")
    assert.deepStrictEqual(issuesOf("KWD", { ...fixed(2492), ...deposit({ amount: 1005 }) }, 755), [
      kwd("add_ons[0].unit_amount", "0.755"),
      kwd("packages[0].pricing.base", "2.492"),
      kwd("packages[0].payment.deposit.amount", "1.005")
    ])
    const rule = { label: "Late", change: { amount: -5 } }
    assert.deepStrictEqual(issuesOf("KWD", { ...perChild(1125, [rule]) }), [
      kwd("packages[0].pricing.extra_child", "1.125"),
      kwd("packages[0].pricing.rules[0].change.amount", "0.005").replace("KWD", "-KWD")
    ])
    assert.deepStrictEqual(issuesOf("MGA", fixed(1_000_050)), [
      off("packages[0].pricing.base", "MGA\u00a010,000.50", "MGA", "1.00")
    ])
    // Halves of what can be charged are rounded, so that percentages need no care.
    assert.deepStrictEqual(issuesOf("KWD", { ...fixed(7550), ...deposit({ percent: 50 }) }), [])
    assert.deepStrictEqual(issuesOf("IQD", fixed(10_000)), [
      "p.packages[0].pricing: The payment provider takes no payments in IQD"
    ])
    assert.deepStrictEqual(issuesOf("IQD", fixed(0)), [])
    // The provider writes shillings with two decimals more.
    assert.match(
      issuesOf("UGX", fixed(1_000_000)).join(),
      /pricing: A largest party could cost .*more than can be charged/
    )
  })

  it("is refused just where the smallest amount of any party is too small", () => {
    const amount = fc.integer({ min: 0, max: 120 })
    const parts = fc.record({
      base: amount,
      each: amount,
      min: fc.integer({ min: 1, max: 6 }),
      more: fc.integer({ min: 0, max: 30 }),
      change: fc.integer({ min: -100, max: 50 }),
      deposit: fc.option(fc.oneof(fc.record({ amount }), fc.record({ percent: fc.integer({ min: 0, max: 100 }) })))
    })
    fc.assert(
      fc.property(parts, (of) => {
        const max = of.min + of.more
        const issues = pathsOf({
          min_children: of.min,
          max_children: max,
          pricing: {
            base: of.base,
            included_children: 0,
            extra_child: of.each,
            adult: 0,
            rules: [{ label: "Always", change: { percent: of.change } }]
          },
          ...(of.deposit === null ? {} : deposit(of.deposit))
        })
        // Every party there can be, one by one.
        const asked = Array.from({ length: of.more + 1 }, (_, n) => {
          const sum = of.base + (of.min + n) * of.each
          const total = sum + Math.max(-sum, percentOf(sum, of.change, "GBP"))
          if (of.deposit === null) return [total]
          const due = Math.min(
            total,
            "percent" in of.deposit ? percentOf(total, of.deposit.percent, "GBP") : of.deposit.amount
          )
          return [total, due, total - due]
        }).flat()
        const small = asked.some((one) => one > 0 && one < minimumCharge("GBP"))
        assert.strictEqual(issues.length > 0, small)
      }),
      { numRuns: runs(125) }
    )
  })
})
