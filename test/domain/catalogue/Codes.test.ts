import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { answerTo, codeOf, keepingCode } from "../../../src/domain/catalogue/Codes.ts"
import { Package, type PriceCode } from "../../../src/domain/catalogue/Package.ts"
import { minPrice } from "../../../src/domain/catalogue/PriceTimes.ts"
import { codeIn, type Party, quote, shownPrice } from "../../../src/domain/catalogue/Pricing.ts"
import { at, packageWith, testId, venueWith } from "../../support/venues.ts"

const [tuesday, saturday] = [at("2026-12-15", "10:00"), at("2026-12-12", "10:00")]
const early = at("2026-11-01", "09:00")
const spring: PriceCode = { label: "Spring", code: "SPRING10", change: { percent: -10 } }
const play = packageWith({ name: "Open play" })
const withCodes = (codes: ReadonlyArray<PriceCode>, more: Partial<Package["pricing"]> = {}): Package => ({
  ...play,
  pricing: { ...play.pricing, extra_child: 1000, ...more, codes }
})
const four: Party = { children: 4, adults: 0, add_ons: [], code: "SPRING10" }
const priced = (pkg: Package, party: Party = four, start = saturday, venue = venueWith({}, [pkg])) =>
  quote(venue, pkg, party, start, early).price

describe("A code", () => {
  it("is the same however it is typed, and no other for letters that only look alike", () => {
    for (const typed of ["SPRING10", "spring10", " Spring-10\n", "spring\u200b10", "ＳＰＲＩＮＧ１０", "SPRING–10"])
      assert.strictEqual(codeOf(typed), "SPRING10", typed)
    for (const typed of ["SPRІNG10", "SPRING1O", "SPRING"]) assert.notStrictEqual(codeOf(typed), "SPRING10", typed)
  })

  it("takes off a part or an amount after all rules, add-ons included, in a line that names it", () => {
    const cake = {
      add_on_id: testId.addOn(1),
      name: "Cake",
      unit: "per_item" as const,
      unit_amount: 500,
      max_quantity: 3
    }
    const pkg = withCodes([spring], { rules: [{ label: "Weekend", weekdays: ["saturday"], change: { percent: 50 } }] })
    const venue = venueWith({}, [pkg], [cake])
    const party = { ...four, add_ons: [{ add_on_id: cake.add_on_id, quantity: 2 }] }
    const { lines, total } = priced(pkg, party, saturday, venue)
    assert.deepStrictEqual(
      lines.map(({ amount, label }) => [label, amount]),
      [
        ["Children", 4000],
        ["Cake", 1000],
        ["Weekend", 2500],
        ["Spring (SPRING10)", -750]
      ]
    )
    assert.strictEqual(total, 6750)
    assert.deepStrictEqual(codeIn(priced(pkg, party, saturday, venue)), { code: "SPRING10", amount: 750 })
    assert.notProperty(shownPrice(priced(pkg)).lines.at(-1), "code")
  })

  it("holds for no other party, code, day or package, and lowers no price from", () => {
    const pkg = withCodes([{ ...spring, weekdays: ["tuesday"] }])
    const { code: _, ...without } = four
    assert.strictEqual(priced(pkg, four, tuesday).total, 3600)
    for (const [party, start] of [
      [four, saturday],
      [without, tuesday],
      [{ ...four, code: "SPRING11" }, tuesday],
      [{ ...four, code: "spring10" }, tuesday]
    ] as const)
      assert.strictEqual(priced(pkg, party, start).total, 4000)
    assert.strictEqual(minPrice(venueWith({}).playroom, pkg, 4, "2026-12-01"), 4000)
  })

  it("takes off at most what it costs, in steps that can be charged, of each rate and with tax on top", () => {
    const all = withCodes([{ ...spring, change: { percent: -100 } }])
    assert.deepInclude(priced(all), { total: 0, due_now: 0 })
    assert.deepInclude(priced(withCodes([{ ...spring, change: { amount: -999_999 } }])), { total: 0, due_now: 0 })
    const third = withCodes([{ ...spring, change: { percent: -33.333 } }])
    const inCurrency = (currency: string) => priced(third, four, saturday, venueWith({ currency }, [third])).total
    assert.deepStrictEqual(["GBP", "JPY", "KWD"].map(inCurrency), [2667, 2667, 2670])
    const onTop = venueWith({ tax: { rate_percent: 20, included: false } }, [withCodes([spring])])
    assert.deepInclude(priced(withCodes([spring]), four, saturday, onTop), { total: 3600 + 720 })
    const taxed = { ...withCodes([spring]), tax: { rate_percent: 10 } }
    const cake = {
      add_on_id: testId.addOn(1),
      name: "Cake",
      unit: "per_item" as const,
      unit_amount: 1000,
      max_quantity: 1
    }
    const { lines, tax, total } = priced(
      taxed,
      { ...four, add_ons: [{ add_on_id: cake.add_on_id, quantity: 1 }] },
      saturday,
      venueWith({}, [taxed], [cake])
    )
    assert.strictEqual(total, 4500)
    assert.deepStrictEqual(
      tax.rates?.map(({ gross }) => gross),
      [900, 3600]
    )
    assert.deepStrictEqual(codeIn({ lines }), { code: "SPRING10", amount: 500 })
  })

  it("goes with a deposit, with children who cost less, and is none where it takes nothing off", () => {
    const pkg: Package = {
      ...withCodes([spring], { child_rules: [{ label: "Siblings", child_from: 2, change: { percent: -50 } }] }),
      payment: {
        kind: "deposit",
        deposit: { percent: 50 },
        balance_due_hours_before: 24,
        refundable: true
      }
    }
    assert.deepInclude(priced(pkg), { total: 2250, due_now: 1125, balance_due: 1125 })
    const free = withCodes([spring], { extra_child: 0 })
    assert.isUndefined(codeIn(priced(free)))
  })

  it("holds for a booking as it was sold, whatever became of it, in every package of its venue", () => {
    const today = withCodes([{ ...spring, change: { percent: -1 } }])
    const gone = { ...withCodes([]), package_id: testId.package(99) }
    const { packages } = keepingCode(venueWith({}, [today, gone]), spring)
    assert.deepStrictEqual(
      packages.map((pkg) => priced(pkg).total),
      [3600, 3600]
    )
  })

  it("is answered by what it is: no code here, of another package, over, used up, or not at these times", () => {
    const other = { ...withCodes([]), package_id: testId.package(99) }
    const answer = (rule: PriceCode | undefined, asked: "own" | "other" = "own", used = 0, code = "SPRING10") => {
      const own = withCodes(rule === undefined ? [] : [rule])
      const venue = venueWith({}, [own, other])
      return answerTo(code, venue, [asked === "own" ? own : other], { holds: false, now: early, used })
    }
    assert.strictEqual(answer(undefined), "unknown")
    assert.strictEqual(answer(spring, "own", 0, "OTHER"), "unknown")
    assert.strictEqual(answer(spring, "other"), "other_package")
    assert.strictEqual(answer({ ...spring, date_to: "2026-10-31" }), "over")
    assert.strictEqual(answer({ ...spring, date_to: "2026-11-01" }), "not_then")
    assert.strictEqual(answer({ ...spring, max_uses: 3 }, "own", 3), "used_up")
    assert.strictEqual(answer({ ...spring, max_uses: 3 }, "own", 2), "not_then")
  })

  it("is nothing to a node of the release before, which reads the stored package without it", () => {
    const { codes: _, ...before } = Package.fields.pricing.fields
    const old = Schema.decodeUnknownSync(Schema.Struct({ ...Package.fields, pricing: Schema.Struct(before) }))
    const read = old(JSON.parse(JSON.stringify(withCodes([spring]))))
    assert.notProperty(read.pricing, "codes")
    assert.strictEqual(priced(read).total, 4000)
  })
})
