import { assert, describe, it } from "@effect/vitest"
import { changedPrice, type Party, quote, shownPrice, totalAt } from "../../../src/domain/catalogue/Pricing.ts"
import { maxPrice, minPrice } from "../../../src/domain/catalogue/PriceTimes.ts"
import { summarizeAddOn } from "../../../src/domain/catalogue/PriceSummary.ts"
import type { Package, PriceRule } from "../../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { dayMs, instantAt } from "../../../src/platform/time/LocalTime.ts"
import {
  at,
  party,
  bubbleMachine,
  cake,
  checkVenue,
  host,
  lunchBox,
  openPlay,
  packageWith,
  partyHall,
  saturdayParty,
  softPlay,
  venueWith,
  wholeHall
} from "../../support/venues.ts"

const early = at("2026-01-01", "09:00")
const lines = (venue: Venue, pkg: Package, who: Party, start: number, now = early) =>
  quote(venue, pkg, who, start, now).price.lines.map(
    ({ label, quantity, unit_amount, amount }) => `${label}: ${quantity} × ${unit_amount} = ${amount}`
  )

const withPricing = (pkg: Package, changes: Partial<Package["pricing"]>): Package => ({
  ...pkg,
  pricing: { ...pkg.pricing, ...changes }
})

describe("Prices of real venues", () => {
  it("their terms are what the catalogue takes", () => {
    checkVenue(partyHall)
    checkVenue(softPlay)
  })

  it("a party of fewer than 10 is billed as 10; £100 are due now and never come back, the rest on the day", () => {
    const start = at("2026-12-05", "12:30")
    for (const children of [4, 10]) {
      const { price, non_refundable, balance_due_at } = quote(partyHall, saturdayParty, party(children), start, early)
      assert.strictEqual(price.total, 18_000)
      assert.strictEqual(price.due_now, 10_000)
      assert.strictEqual(price.balance_due, 8000)
      assert.strictEqual(price.balance_due_at, "2026-12-05T12:30:00+00:00")
      assert.strictEqual(balance_due_at, start)
      assert.strictEqual(non_refundable, 10_000)
      assert.strictEqual(price.display_total, "£180.00")
      assert.strictEqual(price.display_due_now, "£100.00")
      assert.deepStrictEqual(price.tax, { rate_percent: 20, amount: 3000, included: true })
    }
    assert.deepStrictEqual(lines(partyHall, saturdayParty, party(4), start), [
      "Children (billed as 10): 10 × 1800 = 18000"
    ])
    assert.deepStrictEqual(lines(partyHall, saturdayParty, party(14), start), ["Children: 14 × 1800 = 25200"])
  })

  it("open play is £7.50 a child, adults free, and half that for toddlers on weekday mornings", () => {
    const who = party(3, 2)
    assert.deepStrictEqual(lines(softPlay, openPlay, who, at("2026-12-05", "10:00")), ["Children: 3 × 750 = 2250"])
    const morning = ["Children: 3 × 750 = 2250", "Toddlers' morning: 1 × -1125 = -1125"]
    assert.deepStrictEqual(lines(softPlay, openPlay, who, at("2026-12-04", "11:30")), morning)
    assert.deepStrictEqual(lines(softPlay, openPlay, who, at("2026-12-04", "12:00")), ["Children: 3 × 750 = 2250"])
    const { price } = quote(softPlay, openPlay, who, at("2026-12-04", "11:30"), early)
    assert.strictEqual(price.due_now, 1125)
    assert.isFalse("balance_due" in price)
    assert.isFalse("balance_due_at" in price)
  })

  it("adds more children and adults, add-ons by their unit, then rules in order on the sum so far", () => {
    const who = party(15, 14, [
      { add_on_id: host.add_on_id, quantity: 1 },
      { add_on_id: cake.add_on_id, quantity: 2 },
      { add_on_id: lunchBox.add_on_id, quantity: 1 },
      { add_on_id: bubbleMachine.add_on_id, quantity: 2 }
    ])
    assert.deepStrictEqual(lines(partyHall, wholeHall, who, at("2026-12-05", "10:00")), [
      "Whole hall: 1 × 24000 = 24000",
      "Extra children: 3 × 1500 = 4500",
      "Extra adults: 2 × 250 = 500",
      "Party host: 1 × 6000 = 6000",
      "Cake: 2 × 3550 = 7100",
      "Lunch box: 15 × 495 = 7425",
      "Bubble machine: 2 × 1200 = 2400",
      // 15 % of 51,925 is 7,788.75.
      "Weekend: 1 × 7789 = 7789",
      "December: 1 × 2000 = 2000"
    ])
  })

  it("a quarter is due now and the rest two weeks before; from then on all of it", () => {
    const start = at("2026-06-03", "10:00")
    const due = start - 14 * dayMs
    const { price, balance_due_at, non_refundable } = quote(partyHall, wholeHall, party(1), start, due - 1)
    assert.deepStrictEqual([price.total, price.due_now, price.balance_due], [24_000, 6000, 18_000])
    assert.strictEqual(price.balance_due_at, "2026-05-20T10:00:00+01:00")
    assert.strictEqual(balance_due_at, due)
    assert.strictEqual(non_refundable, 0)
    const later = quote(partyHall, wholeHall, party(1), start, due)
    assert.strictEqual(later.price.due_now, 24_000)
    assert.isFalse("balance_due" in later.price)
    assert.isUndefined(later.balance_due_at)
  })

  it("tax on top is a line of its own, in the currency's own minor units", () => {
    const yen = venueWith({ currency: "JPY", time_zone: "Asia/Tokyo", tax: { rate_percent: 10, included: false } })
    const { price } = quote(yen, openPlay, party(3), instantAt("Asia/Tokyo", "2026-12-05", 600), early)
    assert.deepStrictEqual(price.lines.at(-1), {
      kind: "tax",
      label: "Tax (10 %)",
      quantity: 1,
      unit_amount: 225,
      amount: 225
    })
    assert.deepStrictEqual([price.total, price.tax.amount], [2475, 225])
    assert.match(price.display_total, /2,475$/)
    const dinar = venueWith({ currency: "KWD", time_zone: "Asia/Kuwait", tax: { rate_percent: 0, included: false } })
    assert.match(quote(dinar, openPlay, party(2), early, early).price.display_total, /1\.500$/)
  })

  it("a visit that costs nothing is one line of 0, with nothing due", () => {
    const free = withPricing(openPlay, { extra_child: 0, rules: [] })
    const { price, non_refundable } = quote(softPlay, free, party(2), at("2026-12-05", "10:00"), early)
    assert.deepStrictEqual(price.lines, [
      { kind: "package", label: "Open play", quantity: 1, unit_amount: 0, amount: 0 }
    ])
    assert.deepStrictEqual([price.total, price.due_now, price.tax.amount, non_refundable], [0, 0, 0, 0])
    assert.isFalse("balance_due" in price)
  })

  it("a deposit is never more than the total, and a rule never takes more than there is", () => {
    const cheap = withPricing(saturdayParty, {
      extra_child: 500,
      rules: [
        { label: "Voucher", change: { amount: -9000 } },
        { label: "Late", change: { percent: 50 } },
        { label: "Fee", change: { amount: 100 } }
      ]
    })
    const start = at("2026-12-05", "10:00")
    const quoted = quote(partyHall, cheap, party(4), start, early)
    assert.deepStrictEqual(lines(partyHall, cheap, party(4), start), [
      "Children (billed as 10): 10 × 500 = 5000",
      "Voucher: 1 × -5000 = -5000",
      "Fee: 1 × 100 = 100"
    ])
    assert.deepStrictEqual([quoted.price.total, quoted.price.due_now, quoted.non_refundable], [100, 100, 100])
  })

  it("dates and clock times of rules are the playroom's own, whatever the server's or the asker's", () => {
    const rule: PriceRule = {
      label: "Sunday",
      weekdays: ["sunday"],
      from: "00:00",
      until: "09:00",
      change: { amount: 1 }
    }
    const auckland = venueWith({ time_zone: "Pacific/Auckland" })
    // 2026-12-06 08:30 in Auckland is still Saturday in UTC.
    const start = Date.parse("2026-12-05T19:30:00Z")
    const pkg = withPricing(openPlay, { rules: [rule] })
    assert.include(lines(auckland, pkg, party(1), start), "Sunday: 1 × 1 = 1")
    assert.notInclude(lines(venueWith({}), pkg, party(1), start), "Sunday: 1 × 1 = 1")
  })

  it("a rule holds on its first and last date, and until but not at its last minute", () => {
    const pkg = withPricing(openPlay, {
      rules: [
        {
          label: "X",
          date_from: "2026-12-05",
          date_to: "2026-12-06",
          from: "10:00",
          until: "12:00",
          change: { amount: 1 }
        }
      ]
    })
    const holds = (date: string, time: string) => lines(softPlay, pkg, party(1), at(date, time)).length === 2
    const seen = ["2026-12-04", "2026-12-05", "2026-12-06", "2026-12-07"].map((date) => holds(date, "10:00"))
    assert.deepStrictEqual(seen, [false, true, true, false])
    assert.deepStrictEqual(
      ["09:59", "11:59", "12:00"].map((time) => holds("2026-12-05", time)),
      [false, true, false]
    )
  })
})

describe("Prices from a date", () => {
  const rules: ReadonlyArray<PriceRule> = [
    { label: "Weekend", weekdays: ["saturday", "sunday"], change: { percent: 10 } },
    { label: "2027", date_from: "2027-01-01", change: { prices: { base: 22_000, extra_child: 1600 } } },
    { label: "Easter", date_from: "2027-03-26", date_to: "2027-03-29", change: { prices: { extra_child: 2000 } } }
  ]
  const pkg = packageWith({
    pricing: { base: 20_000, included_children: 10, extra_child: 1500, adult: 100, rules }
  })
  const total = (date: string, children = 12) =>
    quote(partyHall, pkg, { ...party(children), adults: 1 }, at(date, "10:00"), early)

  it("hold from midnight of the playroom's own date on, before what rules add", () => {
    assert.deepStrictEqual(
      ["2026-12-31", "2027-01-01", "2027-01-02"].map((date) => total(date).price.total),
      [23_100, 25_300, 27_830]
    )
    // 23:30 on New Year's Eve in New York is 2027 in UTC.
    const newYork = venueWith({ time_zone: "America/New_York", tax: { rate_percent: 0, included: true } })
    const late = Date.parse("2027-01-01T04:30:00Z")
    assert.include(lines(newYork, pkg, party(1), late), `${pkg.name}: 1 × 20000 = 20000`)
    assert.include(lines(newYork, pkg, party(1), late + 30 * 60_000), `${pkg.name}: 1 × 22000 = 22000`)
  })

  it("of several rules the last one counts, for what it sets; no line is added", () => {
    assert.deepStrictEqual(lines(partyHall, pkg, party(12), at("2027-03-26", "10:00")), [
      `${pkg.name}: 1 × 22000 = 22000`,
      "Extra children: 2 × 2000 = 4000"
    ])
  })

  it("are those of add-ons, too, by the same rules", () => {
    const set = (unit_amount: number) => ({ prices: { unit_amount } })
    const machine = {
      ...bubbleMachine,
      rules: [
        { label: "2027", date_from: "2027-01-01", change: set(1500) },
        { label: "Easter", date_from: "2027-03-26", date_to: "2027-03-29", change: set(1800) }
      ]
    }
    const hall = venueWith({}, [pkg], [machine])
    const who = { ...party(10), add_ons: [{ add_on_id: machine.add_on_id, quantity: 2 }] }
    assert.deepStrictEqual(
      ["2026-12-31", "2027-01-01", "2027-03-26", "2027-03-30"].map(
        (date) => lines(hall, pkg, who, at(date, "10:00"))[1]
      ),
      ["2 × 1200 = 2400", "2 × 1500 = 3000", "2 × 1800 = 3600", "2 × 1500 = 3000"].map(
        (line) => `Bubble machine: ${line}`
      )
    )
    assert.strictEqual(totalAt(hall, pkg, who, at("2027-01-01", "10:00")), 25_000)
    assert.strictEqual(maxPrice(hall, pkg, who), Math.round((22_000 + 3600) * 1.1))
    const told = (from: string, to: string) => summarizeAddOn(hall.playroom, machine, [], [from, to])
    assert.deepStrictEqual(told("2026-11-20", "2026-12-31"), { amount: 1200 })
    assert.deepStrictEqual(told("2026-11-20", "2027-01-01"), { amount: 1200, range: "£12.00 to £15.00" })
    assert.deepStrictEqual(told("2027-01-01", "2027-03-25"), { amount: 1500 })
    assert.deepStrictEqual(told("2027-03-30", "2027-12-31"), { amount: 1500 })
  })

  it("bound what search reads: neither above the old price while it is asked, nor at it once it is not", () => {
    const least = (today: string) => minPrice(partyHall.playroom, pkg, 12, today)
    assert.deepStrictEqual(
      ["2026-11-20", "2026-12-31", "2027-01-01", "2027-03-30"].map(least),
      [23_000, 23_000, 25_200, 25_200]
    )
    assert.strictEqual(maxPrice(partyHall, pkg, { ...party(12), adults: 1 }), Math.round((22_000 + 4000 + 100) * 1.1))
  })
})

describe("The least price", () => {
  const full = 1000
  const season: PriceRule = {
    label: "Autumn",
    date_from: "2026-09-01",
    date_to: "2026-11-20",
    change: { percent: -40 }
  }
  const least = (today: string, rule: PriceRule) =>
    minPrice(
      { currency: "GBP", tax: { rate_percent: 0, included: true } },
      packageWith({ pricing: { base: full, included_children: 10, extra_child: 0, adult: 0, rules: [rule] } }),
      1,
      today
    )

  it("counts a season's discount before the season, to the end of its last day, and not a day longer", () => {
    const found = ["2026-08-31", "2026-11-19", "2026-11-20", "2026-11-21"].map((today) => least(today, season))
    assert.deepStrictEqual(found, [600, 600, 600, full])
  })

  it("counts a discount that has no end, and no surcharge of a season", () => {
    const { date_to: _, ...endless } = season
    assert.strictEqual(least("2030-01-01", endless), 600)
    assert.strictEqual(least("2026-11-19", { ...season, change: { percent: 40 } }), full)
  })
})

describe("D4: the tax", () => {
  const rules: ReadonlyArray<PriceRule> = [
    { label: "Club", change: { percent: -10 } },
    { label: "Voucher", change: { amount: -1000 } }
  ]
  /** A birthday at 21 %, from New Year on at 10 %, and food at 10 %, where all else is at 5 %. */
  const birthday: Package = {
    ...packageWith({
      min_children: 10,
      max_children: 20,
      pricing: { base: 20_000, included_children: 10, extra_child: 1500, adult: 0, rules }
    }),
    tax: { rate_percent: 21, changes: [{ from: "2027-01-01", rate_percent: 10 }] }
  }
  const food = { ...lunchBox, unit: "per_child", unit_amount: 600, tax: { rate_percent: 10 } } as const
  const hall = (included = true) => venueWith({ tax: { rate_percent: 5, included } }, [birthday], [food, bubbleMachine])
  const withFood = party(12, 0, [{ add_on_id: food.add_on_id, quantity: 1 }])
  const priceOn = (date: string, who = withFood, venue = hall(), pkg = birthday) =>
    quote(venue, pkg, who, at(date, "10:00"), early).price

  it("is of several rates, to the cent, and discounts are shared by the rates", () => {
    const { lines, tax, total } = priceOn("2026-12-31")
    assert.deepStrictEqual(
      lines.map(({ amount, label, tax_percent }) => `${label} ${amount} at ${tax_percent}`),
      [
        `${birthday.name} 20000 at 21`,
        "Extra children 3000 at 21",
        `${food.name} 7200 at 10`,
        "Club -2300 at 21",
        "Club -720 at 10",
        "Voucher -762 at 21",
        "Voucher -238 at 10"
      ]
    )
    assert.strictEqual(total, 26_180)
    assert.deepStrictEqual(tax, {
      rate_percent: 21,
      amount: 4027,
      included: true,
      rates: [
        { rate_percent: 21, gross: 19_938, tax: 3460 },
        { rate_percent: 10, gross: 6242, tax: 567 }
      ]
    })
    const shown = shownPrice(priceOn("2026-12-31"))
    assert.strictEqual(shown.tax.display, "£40.27: £34.60 at 21 %, £5.67 at 10 %")
    assert.strictEqual(shown.lines[2]?.display, "12 × £6.00 = £72.00 (10 % tax)")
    assert.isFalse("rates" in shown.tax || shown.lines.some((line) => "tax_percent" in line))
  })

  it("is another for visits from the midnight of a day on, whenever they are booked", () => {
    const newYear = priceOn("2027-01-01")
    assert.strictEqual(newYear.total, 26_180)
    assert.deepStrictEqual(newYear.tax, { rate_percent: 10, amount: 2380, included: true })
    assert.isTrue(newYear.lines.every((line) => !("tax_percent" in line)))
    const plain = venueWith({
      tax: { rate_percent: 20, included: true, changes: [{ from: "2027-01-01", rate_percent: 10 }] }
    })
    const { tax: _, ...unrated } = birthday
    const rates = ["2026-12-31", "2027-01-01", "2027-06-01"].map(
      (date) => priceOn(date, party(12), plain, unrated).tax.rate_percent
    )
    assert.deepStrictEqual(rates, [20, 10, 10])
  })

  it("of an add-on without a rate is the playroom's, whatever its package has", () => {
    const machine = party(10, 0, [{ add_on_id: bubbleMachine.add_on_id, quantity: 1 }])
    assert.deepStrictEqual(
      priceOn("2026-12-31", machine).tax.rates?.map(({ rate_percent }) => rate_percent),
      [21, 5]
    )
  })

  it("is added on top by its rates, so a price depends on the day where a rate does", () => {
    const onTop = hall(false)
    const { lines, total } = priceOn("2026-12-31", withFood, onTop)
    assert.deepStrictEqual(
      lines.slice(-2).map(({ amount, label }) => `${label}: ${amount}`),
      ["Tax (21 %): 4187", "Tax (10 %): 624"]
    )
    assert.strictEqual(total, 30_991)
    assert.strictEqual(priceOn("2027-01-01", withFood, onTop).total, 28_798)
    assert.strictEqual(totalAt(onTop, birthday, withFood, at("2026-12-31", "10:00")), 30_991)
    // £170 for ten children without food.
    assert.deepStrictEqual(
      ["2026-12-31", "2027-01-01"].map((today) => minPrice(onTop.playroom, birthday, 10, today)),
      [18_700, 18_700]
    )
    const dearer = { ...birthday, tax: { rate_percent: 10, changes: [{ from: "2027-01-01", rate_percent: 21 }] } }
    assert.deepStrictEqual(
      ["2026-12-31", "2027-01-01"].map((today) => minPrice(onTop.playroom, dearer, 10, today)),
      [18_700, 20_570]
    )
    assert.deepStrictEqual(summarizeAddOn(onTop.playroom, food, []), { amount: 660 })
  })

  it("of what is added to a visit in all is the visit's", () => {
    const late = withPricing(birthday, { rules: [{ label: "Late", change: { amount: 1000 } }] })
    assert.deepStrictEqual(
      priceOn("2026-12-31", withFood, hall(), late).tax.rates?.map(({ gross }) => gross),
      [24_000, 7200]
    )
  })

  it("of a booking that changes is today's, and what was agreed before is shared by the rates", () => {
    const [twelve, agreed] = [priceOn("2026-12-31"), priceOn("2026-12-31", party(12))]
    const { price } = changedPrice({ price: agreed }, agreed, twelve)
    assert.deepStrictEqual(price.tax, twelve.tax)
    const dearer = { ...agreed, total: agreed.total + 1000 }
    assert.deepStrictEqual(
      changedPrice({ price: dearer }, agreed, twelve).price.tax.rates?.map(({ gross }) => gross),
      [20_700, 6480]
    )
  })
})
