/** Prices that are told without a date are true of every start within the times that are told with them. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { startsOn } from "../../../src/domain/availability/Starts.ts"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import type { Package, PriceRule } from "../../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { whenLowest } from "../../../src/domain/catalogue/PriceTimes.ts"
import { partyAmounts } from "../../../src/domain/catalogue/PriceSummary.ts"
import {
  addDays,
  clockTimeOf,
  datesFrom,
  type Instant,
  type LocalDate,
  localDateOf,
  localMinutesOf,
  shortDate,
  startOfDay,
  type Weekday,
  weekdayOf,
  weekdays
} from "../../../src/platform/time/LocalTime.ts"
import { PriceCalendar } from "../../../src/domain/search/PriceCalendar.ts"
import { refreshSearchFacts, searchFactsOf } from "../../../src/domain/search/SearchFacts.ts"
import { priceRule, venueOnDate } from "../../support/arbitraryVenues.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { idOf, importRooms, packageJson, playroomJson } from "../../support/catalogues.ts"
import { priceByHand } from "../../support/oracle/Price.ts"
import { runs } from "../../support/runs.ts"
import { search, searchWorld } from "../../support/searchWorld.ts"
import { packageWith, playroomWith, testId, venueWith } from "../../support/venues.ts"

const short = (weekday: Weekday) => `${weekday.charAt(0).toUpperCase()}${weekday.slice(1, 3)}`

/** Whether a day is among those that are named: "weekdays", "Mon to Thu", "Tue and Sat". */
const isNamed = (words: string, weekday: Weekday): boolean => {
  const place = weekdays.indexOf(weekday)
  if (words === "weekdays") return place < 5
  if (words === "weekends") return place >= 5
  const [from = "", to] = words.split(" to ")
  const names = weekdays.map(short)
  return to === undefined
    ? words.split(" and ").includes(short(weekday))
    : names.indexOf(from) <= place && place <= names.indexOf(to)
}

const day = String.raw`\d+ \w{3} \d{4}`
const dateIn = (words: string): LocalDate => new Date(`${words} UTC`).toISOString().slice(0, 10)

/** Reads the times as a person would. Throws where they can't be read. Undefined: they are not named. */
const isWithin = (told: string, date: LocalDate, minutes: number): boolean | undefined => {
  const [when = ""] = told.split("; otherwise ")
  if (when === "at some times") return undefined
  if (when === "any time") return true
  const read = new RegExp(
    `^(?<days>(?:weekdays|weekends|[A-Z][a-z]{2}(?: (?:to|and) [A-Z][a-z]{2})*)(?=$|,| ))? ?(?:from (?<from>\\d\\d:\\d\\d))? ?(?:until (?<until>\\d\\d:\\d\\d))?(?:^|, |$)(?<dates>.+)?$`
  ).exec(when)
  if (read === null) throw new Error(`no times: ${told}`)
  const { dates, days, from, until } = read.groups ?? {}
  const clock = clockTimeOf(minutes)
  if (days !== undefined && !isNamed(days, weekdayOf(date))) return false
  if ((from !== undefined && clock < from) || (until !== undefined && clock >= until)) return false
  if (dates === undefined) return true
  const span = new RegExp(`^(except |on )?(${day}) to (${day})$`).exec(dates)
  const one = new RegExp(`^(except|on|until|from) (${day})$`).exec(dates)
  if (span !== null) {
    const inside = dateIn(span[2] ?? "") <= date && date <= dateIn(span[3] ?? "")
    return inside !== (span[1] === "except ")
  }
  if (one === null) throw new Error(`no dates: ${told}`)
  const named = dateIn(one[2] ?? "")
  return { except: date !== named, on: date === named, until: date <= named, from: date >= named }[one[1] ?? ""]
}

const minorOf = (words: string): number => Number(words.replaceAll(/\D/g, ""))

/** The least and the most at other times, as told. */
const otherwiseIn = (told: string): readonly [number, number] | undefined => {
  const rest = told.split("; otherwise ")[1]
  if (rest === undefined) return undefined
  const [from = "", to] = rest.startsWith("up to ") ? ["0", rest] : rest.split(" to ")
  return [minorOf(from), minorOf(to ?? from)]
}

/**
 * Every start that can be booked from a day on, without regard to the hour. A day that a zone leaves out is the next.
 */
const startsFrom = ({ playroom, ...rest }: Venue, pkg: Package, date: LocalDate): ReadonlyArray<Instant> => {
  const today = localDateOf(playroom.time_zone, startOfDay(playroom.time_zone, date))
  return datesFrom(
    addDays(today, Math.floor(playroom.lead_time_minutes / 1440)),
    addDays(today, playroom.max_advance_days)
  ).flatMap((day) => startsOn({ ...rest, playroom }, pkg, day))
}

/** A rule with dates about a day. */
const datedRule = (date: LocalDate): fc.Arbitrary<PriceRule> =>
  fc
    .tuple(priceRule, fc.integer({ min: -3, max: 25 }), fc.integer({ min: 0, max: 12 }), fc.boolean(), fc.boolean())
    .map(([rule, first, days, begins, ends]) => ({
      ...Struct.omit(rule, ["date_from", "date_to"]),
      ...(begins ? { date_from: addDays(date, first) } : {}),
      ...(ends ? { date_to: addDays(date, first + days) } : {})
    }))

const sold = venueOnDate.chain((one) =>
  fc.array(datedRule(one.date), { maxLength: 3 }).map((rules) => {
    const pkg = { ...one.pkg, pricing: { ...one.pkg.pricing, rules: [...one.pkg.pricing.rules.slice(0, 2), ...rules] } }
    return { date: one.date, pkg, venue: { ...one.venue, packages: [pkg] } }
  })
)

describe("a price that is told without a date", () => {
  it("is exact at every start within its times, the lowest of all, and the others are within their bounds", () => {
    let [inside, outside] = [0, 0]
    fc.assert(
      fc.property(sold, ({ date, pkg, venue }) => {
        const zone = venue.playroom.time_zone
        const told = searchFactsOf(venue, startOfDay(zone, date)).prices_told.packages[pkg.package_id]
        const party = { children: pkg.min_children, adults: 0, add_ons: [] }
        const starts = startsFrom(venue, pkg, date)
        if (told === undefined) return assert.fail("no price")
        if (starts.length === 0) return assert.include(told.when, "no time can be booked")
        // What costs less by age stands after it.
        const [when = ""] = told.when.split("; less by age: ")
        const bounds = otherwiseIn(when)
        let held = 0
        for (const start of starts) {
          const { total } = priceByHand(venue, pkg, party, start, start)
          const what = `${zone} ${new Date(start).toISOString()}: ${total}; told ${told.price_from} ${told.when}`
          assert.isAtLeast(total, told.price_from, what)
          const within = isWithin(when, localDateOf(zone, start), localMinutesOf(zone, start))
          if (within === true) {
            assert.strictEqual(total, told.price_from, what)
            held++
          } else {
            assert.isTrue(bounds !== undefined && bounds[0] <= total && total <= bounds[1], what)
            outside++
          }
        }
        if (!when.startsWith("at some times")) assert.isAbove(held, 0, when)
        inside += held
      }),
      { numRuns: runs(100) }
    )
    assert.isAbove(inside, 1000)
    assert.isAbove(outside, 1000)
  })

  it("of any party is so, too, and of what each further child adds", () => {
    let compared = 0
    fc.assert(
      fc.property(sold, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 5 }), (one, children, adults) => {
        const { date, pkg, venue } = one
        const zone = venue.playroom.time_zone
        const { currency } = venue.playroom
        const party = { children, adults, add_ons: [] }
        const amounts = partyAmounts(venue, pkg, party, new PriceCalendar(venue.playroom, pkg, date).from(date))
        if (amounts.amounts.length === 0) return
        const lowest = Math.min(...amounts.amounts.map(({ amount }) => amount))
        const when = whenLowest(amounts, currency)
        const further =
          searchFactsOf(venue, startOfDay(zone, date)).prices_told.packages[pkg.package_id]?.each_further_child ?? ""
        const price = searchFactsOf(venue, startOfDay(zone, date)).prices_told.packages[pkg.package_id]?.when.split(
          "; less by age: "
        )[0]
        const [least = "", own] = further.split(/, (.*)| then; /)
        const times = further.includes(" then;") ? price : own
        for (const start of startsFrom(venue, pkg, date)) {
          const at: readonly [LocalDate, number] = [localDateOf(zone, start), localMinutesOf(zone, start)]
          const total = (count: number) =>
            priceByHand(venue, pkg, { children: count, adults: 0, add_ons: [] }, start, start).total
          if (isWithin(when, ...at) === true)
            assert.strictEqual(priceByHand(venue, pkg, party, start, start).total, lowest, when)
          if (further === "" || pkg.max_children <= pkg.min_children) continue
          const more = Array.from({ length: pkg.max_children - pkg.min_children }, (_, n) => pkg.min_children + n + 1)
          const added = more.map((count) => total(count) - total(count - 1)).filter((amount) => amount !== 0)
          if (further.endsWith("by party and time")) {
            const [from = 0, to = from] = least.split(" to ").map(minorOf)
            assert.isTrue(
              added.every((amount) => from <= amount && amount <= to),
              `${further}: ${added.join()}`
            )
          }
          if (least.includes(" to ")) continue
          if (times === undefined || isWithin(times, ...at) === true) {
            if (minorOf(least) > 0)
              assert.isTrue(
                added.every((amount) => amount === minorOf(least)),
                further
              )
            compared++
          }
        }
      }),
      { numRuns: runs(40, 40) }
    )
    assert.isAbove(compared, 50)
  })

  const today = "2026-11-20"
  const room = playroomWith({ max_advance_days: 90, tax: { rate_percent: 20, included: false } })
  const half = { label: "Half", change: { percent: -50 } }
  const workdays = weekdays.slice(0, 5)
  const told = (...rules: ReadonlyArray<PriceRule>) => {
    const pkg = packageWith({
      pricing: { base: 0, included_children: 0, extra_child: 1000, adult: 0, rules },
      min_children: 1,
      max_children: 9
    })
    const addOn = {
      add_on_id: testId.addOn(1),
      name: "Cake",
      unit: "per_item" as const,
      unit_amount: 500,
      max_quantity: 2
    }
    const { from_price_for, prices_told } = searchFactsOf(
      venueWith(room, [pkg], [addOn]),
      startOfDay(room.time_zone, today)
    )
    const { each_further_child, price_from, when } = prices_told.packages[pkg.package_id] ?? {}
    return { price_from, when, each_further_child, from_price_for, cake: prices_told.add_ons[addOn.add_on_id] }
  }

  it("says for whom and when, of the package, of further children, and of extras with the tax that is added", () => {
    assert.deepStrictEqual(told(), {
      price_from: 1200,
      when: "any time",
      each_further_child: "£12.00",
      from_price_for: "1 child, shared, any time",
      cake: { amount: 600 }
    })
    const mornings = "weekdays until 12:00"
    assert.deepStrictEqual(told({ ...half, weekdays: workdays, until: "12:00" }), {
      price_from: 600,
      when: `${mornings}; otherwise £12.00`,
      each_further_child: "£6.00 then; otherwise £12.00",
      from_price_for: `1 child, shared, ${mornings}; otherwise £12.00`,
      cake: { amount: 600, range: "£3.00 to £6.00" }
    })
  })

  it("tells an add-on's price of later once it can be booked, and looks again by then", () => {
    const rules = [{ label: "Later", date_from: addDays(today, 40), change: { prices: { unit_amount: 700 } } }]
    const bread = { name: "Bread", unit: "per_item" as const, unit_amount: 600, max_quantity: 1, rules }
    const venue = venueWith({ max_advance_days: 30 }, [packageWith({})], [{ ...bread, add_on_id: testId.addOn(9) }])
    const factsOn = (date: LocalDate) => searchFactsOf(venue, startOfDay(venue.playroom.time_zone, date))
    const toldOn = (date: LocalDate) => factsOn(date).prices_told.add_ons[testId.addOn(9)]
    assert.deepStrictEqual(toldOn(today), { amount: 600 })
    const bookable = addDays(today, 10)
    assert.strictEqual(factsOn(today).from_price_until, startOfDay(venue.playroom.time_zone, bookable))
    assert.deepStrictEqual(toldOn(bookable), { amount: 600, range: "£6.00 to £7.00" })
    assert.deepStrictEqual(toldOn(addDays(today, 40)), { amount: 700 })
  })

  it("says from when prices are others, and what then each further child adds", () => {
    const from = addDays(today, 40)
    assert.deepStrictEqual(told({ label: "2027", date_from: from, change: { prices: { extra_child: 1500 } } }), {
      price_from: 1200,
      when: `until ${shortDate(addDays(from, -1))}; otherwise £18.00`,
      each_further_child: "£12.00 then; otherwise £18.00",
      from_price_for: `1 child, shared, until ${shortDate(addDays(from, -1))}; otherwise £18.00`,
      cake: { amount: 600 }
    })
    // From that day on nothing is left of what was asked before.
    assert.strictEqual(
      told({ label: "2026", date_from: today, change: { prices: { extra_child: 1500 } } }).when,
      "any time"
    )
    // Adults who cost something later are not among whom the price covers now.
    assert.include(
      told({ label: "2027", date_from: from, change: { prices: { adult: 300 } } }).from_price_for,
      "no adults"
    )
  })

  it("says a range of what each further child adds where rounding adds more for one than for another", () => {
    // 1,613, 1,614, 1,612 and so on: for all of them together as much as if each added 1,613.
    const pkg = packageWith({
      schedule: { weekdays: ["thursday"] },
      pricing: {
        base: 38_141,
        included_children: 5,
        extra_child: 495,
        adult: 0,
        min_billed_children: 10,
        rules: [
          { label: "Dear", change: { percent: 145 } },
          { label: "Dearer", change: { percent: 33 } }
        ]
      },
      min_children: 2,
      max_children: 19
    })
    const yen = playroomWith({ currency: "JPY", tax: { rate_percent: 10, included: true } })
    const { prices_told } = searchFactsOf(venueWith(yen, [pkg]), startOfDay(yen.time_zone, today))
    assert.strictEqual(
      prices_told.packages[pkg.package_id]?.each_further_child,
      "JP¥1,612 to JP¥1,614, by party and time"
    )
  })

  it("names weekdays, hours and dates, also what is left out, and a range where there are many prices", () => {
    const [from, to] = [addDays(today, 20), addDays(today, 30)]
    const dear = { label: "Dear", date_from: from, date_to: to, change: { percent: 10 } }
    assert.strictEqual(told(dear).when, `except ${shortDate(from)} to ${shortDate(to)}; otherwise £13.20`)
    assert.strictEqual(
      told({ ...dear, date_to: addDays(today, 900) }).when,
      `until ${shortDate(addDays(from, -1))}; otherwise £13.20`
    )
    assert.strictEqual(
      told({ ...half, weekdays: ["saturday", "sunday"], from: "14:00" }).when,
      "weekends from 14:00; otherwise £12.00"
    )
    assert.strictEqual(
      told(
        { ...half, weekdays: ["monday", "tuesday", "wednesday"] },
        { label: "More", weekdays: ["sunday"], change: { amount: 300 } }
      ).when,
      "Mon to Wed; otherwise £12.00 to £15.60"
    )
    const chequered = Array.from({ length: 20 }, (_, i) => ({
      ...half,
      from: clockTimeOf(i * 70),
      until: clockTimeOf(i * 70 + 35)
    }))
    assert.strictEqual(told(...chequered).when, "at some times; otherwise up to £12.00")
  })
})

layer(searchWorld)("the words of a price", (it) => {
  it.effect("is not told while a node of an earlier release has written it, and then told again", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T12:00:00Z")
      const rule = { label: "Half", weekdays: ["monday" as const], change: { percent: -50 } }
      const pricing = { base: 1000, included_children: 10, extra_child: 0, adult: 0, rules: [rule] }
      yield* importRooms(playroomJson(1, { packages: [packageJson(1, { pricing })] }))
      const sql = yield* SqlClient.SqlClient
      const shown = Effect.gen(function* () {
        const { playrooms } = yield* search({ limit: 50 })
        const { from_price, packages } = yield* Catalogue.use((catalogue) => catalogue.view(idOf("playroom", 1)))
        const found = playrooms.find(({ playroom_id }) => playroom_id === idOf("playroom", 1))
        assert.deepStrictEqual(found?.from_price, from_price)
        const [pkg] = packages
        return [from_price?.amount, pkg?.price_from.amount, pkg?.price_from_for.replace(/^[^,]*, /, "")]
      })
      const told = [500, 500, "Mon; otherwise £10.00"]
      assert.deepStrictEqual(yield* shown, told)
      // It derives the same price, without the words, until another moment.
      yield* sql`update playroom set from_price_for = '1 child', derived_until = derived_until + interval '11 days'
        where playroom_id = ${idOf("playroom", 1)}`
      assert.deepStrictEqual(yield* shown, [undefined, 1000, "when no special price applies"])
      yield* refreshSearchFacts
      assert.deepStrictEqual(yield* shown, told)
      assert.strictEqual(yield* refreshSearchFacts, 0)
    })
  )
})
