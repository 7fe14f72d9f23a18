import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import type { Calendar } from "../../../src/domain/availability/Availability.ts"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { openingsByDate } from "../../../src/domain/availability/Openings.ts"
import { priceOption } from "../../../src/domain/availability/BookingOption.ts"
import { type BookingOptionPage, foldedPage } from "../../../src/domain/availability/OptionPage.ts"
import type { Package } from "../../../src/domain/catalogue/Package.ts"
import { format, hourMs } from "../../../src/platform/time/LocalTime.ts"
import { getBookingOptions } from "../../../src/surfaces/mcp/tools/getBookingOptions.ts"
import { maxResultLength, resultLength } from "../../../src/platform/text/ResponseBudget.ts"
import { bookingServices, importVenue, setClock } from "../../support/BookingWorld.ts"
import { at, party, packageWith, testId, venueWith } from "../../support/venues.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { runs } from "../../support/runs.ts"

const nothingTaken: Calendar = { closures: [], taken: new Map() }
const rule = (from: string, amount: number) => ({ label: `From ${from}`, from, change: { amount } })
const changing = packageWith({
  mode: "exclusive",
  max_children: 20,
  payment: { kind: "deposit", deposit: { amount: 1000 }, balance_due_hours_before: 48, refundable: true },
  pricing: {
    base: 9000,
    included_children: 10,
    extra_child: 500,
    adult: 100,
    // Dearer by the hour, and at noon two rules that come to nothing: one total in two ways.
    rules: [
      rule("10:00", 500),
      rule("11:00", 500),
      rule("12:00", 700),
      rule("12:00", -700),
      rule("14:00", 300),
      rule("15:00", 300)
    ]
  },
  cancellation: [
    { hours_before: 240, refund_percent: 100 },
    { hours_before: 48, refund_percent: 50 }
  ]
})
const openPlay = packageWith({ package_id: testId.package(9), max_children: 25 })
const date = "2026-12-05"

const pageAt = (packages: ReadonlyArray<Package>, now: number, children = 12, adults = 3) => {
  const venue = venueWith({ capacity: 25 }, packages)
  const who = { ...party(children), adults }
  const { openings } = openingsByDate({ venue, party: who }, venue.packages, nothingTaken, now)(date)
  const options = openings.map((opening) => priceOption(venue, who, opening, now))
  return { options, page: foldedPage({ venue, party: who, options }) }
}

describe("the page of options", () => {
  it("tells each price in full, with its tax and the balance's date, whatever is told once for several", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 3, max: 24 * 20 }), (children, hours) => {
        const now = at(date, "09:00") - hours * hourMs
        const { options, page } = pageAt([changing, openPlay], now, children)
        assert.isAtLeast(options.length, 15)
        assert.lengthOf(page.options, options.length)
        for (const [i, { option_id, package_id, price, start }] of page.options.entries()) {
          const pkg = page.packages.find((one) => one.package_id === package_id)
          const candidates = (pkg?.prices ?? []).filter(
            ({ due_now, total }) => due_now === price.due_now && total === price.total
          )
          assert.isAtMost(candidates.length, 1)
          const full = "lines" in price ? price : candidates[0]
          const { balance_due_hours_before = 0 } = pkg ?? {}
          const balance_due_at = format("Europe/London", Date.parse(start) - balance_due_hours_before * hourMs)
          const { currency, tax } = page
          assert.deepStrictEqual(
            {
              ...full,
              currency,
              tax: { ...full?.tax, ...tax },
              ...(full?.balance_due === undefined ? {} : { balance_due_at })
            },
            options[i]?.price
          )
          assert.strictEqual(option_id, options[i]?.option_id)
        }
      }),
      { numRuns: runs(15) }
    )
    const prices = pageAt([changing], at("2026-11-20", "09:00")).page
    assert.strictEqual(prices.packages[0]?.prices.length, 4)
    assert.isTrue(prices.options.some(({ price }) => price.lines !== undefined))
    assert.isTrue(prices.options.some(({ price }) => price.lines === undefined))
  })

  it("D4: tells the rate once if all have it, and with each price if they differ", () => {
    const ofFood = (rate_percent: number) => ({ ...openPlay, tax: { rate_percent } })
    const told = (packages: ReadonlyArray<Package>) => {
      const { page } = pageAt(packages, at("2026-11-20", "09:00"))
      return { ofAll: page.tax, each: page.packages.map(({ prices }) => prices[0]?.tax?.display ?? "") }
    }
    assert.deepStrictEqual(told([ofFood(10)]), { ofAll: { rate_percent: 10, included: true }, each: ["£8.18"] })
    const { ofAll, each } = told([changing, ofFood(10)])
    assert.strictEqual(ofAll, undefined)
    assert.lengthOf(each, 2)
    for (const text of each) assert.match(text, /^£[\d.]+ \((?:20|10) %, included\)$/)
  })

  it("says how many places are left of those that are shared, and of no others", () => {
    const { page } = pageAt([changing, openPlay], at("2026-11-20", "09:00"))
    for (const { package_id, places_left } of page.options)
      assert.strictEqual(places_left, package_id === openPlay.package_id ? 25 : undefined)
  })

  it("says in money what comes back of the amount due now, and until when; in words where nothing does", () => {
    const start = at(date, "09:00")
    const told = (now: number, pkg: Package = changing) => {
      const { options, packages } = pageAt([pkg], now).page
      const back = options[0]?.back_if_cancelled
      return [back === undefined ? undefined : `${back.display} until ${back.until}`, packages[0]?.terms.text]
    }
    const text =
      "£10.00 deposit. If cancelled, of all that is paid: all back until 10 days before, half until 2 days before, then nothing."
    const words = `${text} Nothing that is due now comes back for an option without back_if_cancelled.`
    assert.deepStrictEqual(told(start - 240 * hourMs), ["£10.00 until 2026-11-25T09:00:00+00:00", text])
    assert.deepStrictEqual(told(start - 240 * hourMs + 1), ["£5.00 until 2026-12-03T09:00:00+00:00", text])
    // Everything is due from 48 hours before: 12 children and 3 adults cost £103.00.
    assert.deepStrictEqual(told(start - 48 * hourMs), ["£51.50 until 2026-12-03T09:00:00+00:00", text])
    assert.deepStrictEqual(told(start - 48 * hourMs + 1), [undefined, words])
    const never = "£10.00 deposit. Nothing that is paid is refunded."
    assert.deepStrictEqual(told(start - 300 * hourMs, { ...changing, cancellation: [] }), [undefined, never])
    // Only the deposit is due now, and the terms say that it is kept.
    const kept = { ...changing, payment: { ...changing.payment, refundable: false } as const }
    const [nothing, keeps] = told(start - 300 * hourMs, kept)
    assert.isUndefined(nothing)
    assert.match(keeps ?? "", /^£10\.00 deposit, not refunded\. Of the rest: .*, then nothing\.$/)
  })
})

/** The text of an answer of `get_booking_options`. */
const told = Effect.fnUntraced(function* (input: object) {
  const tool = yield* getBookingOptions.runnable
  assert(tool.scope === undefined)
  return (yield* tool.run(input)).json
})

const world = Layer.provideMerge(bookingServices(), TestDatabase.layer)

layer(world)("of the most that a catalogue holds", (it) => {
  it.effect(
    "pages fit into a result, one after the other, and hold each option once",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const long = (n: number, text: string) => `${n} ${text.repeat(60)}`.slice(0, 60)
        const add_ons = Array.from({ length: 12 }, (_, n) => ({
          add_on_id: testId.addOn(500 + n),
          name: long(n, '"é'),
          unit: "per_item" as const,
          unit_amount: 100_000,
          max_quantity: 9
        }))
        // Each half hour has a price of its own, made of many lines.
        const rules = Array.from({ length: 20 }, (_, n) => ({
          label: long(n, '"🎈'),
          from: `${String(9 + Math.floor(n / 2)).padStart(2, "0")}:${n % 2 === 0 ? "00" : "30"}`,
          change: { amount: 1000 + n }
        }))
        const packages = Array.from({ length: 12 }, (_, n) => ({
          ...changing,
          package_id: testId.package(500 + n),
          name: long(n, '"Ü'),
          pricing: { ...changing.pricing, rules },
          cancellation: [500, 400, 300, 200, 100].map((hours_before, i) => ({
            hours_before,
            refund_percent: 100 - i * 20
          })),
          final_headcount_hours_before: 48,
          free_reschedule_hours_before: 400
        }))
        const venue = venueWith({ capacity: 25 }, packages, add_ons)
        yield* importVenue(venue)
        const wish = {
          playroom_id: venue.playroom.playroom_id,
          date,
          children: 20,
          add_ons: add_ons.slice(0, 9).map(({ add_on_id }) => ({ add_on_id, quantity: 9 }))
        }
        const { options } = yield* BookingOptions.use((all) => all.list({ ...wish, limit: 100 }))
        const ids = options.map(({ option_id }) => option_id)
        for (const limit of [undefined, 100]) {
          const seen: Array<string> = []
          let cursor: string | undefined
          for (let pages = 0; pages < 12; pages++) {
            const query = {
              ...wish,
              ...(limit === undefined ? {} : { limit }),
              ...(cursor === undefined ? {} : { cursor })
            }
            const json: string = yield* told(query)
            const page: BookingOptionPage = JSON.parse(json)
            assert.isTrue(json.length <= (limit === undefined ? 4000 : 12_000) || page.options.length === 1)
            assert.isAtMost(resultLength(json), maxResultLength)
            seen.push(...page.options.map(({ option_id }) => option_id))
            cursor = page.next_cursor
            assert.isDefined(cursor)
          }
          assert.deepStrictEqual(seen, ids.slice(0, seen.length))
        }
      }),
    120_000
  )
})
