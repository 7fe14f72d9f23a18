import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { bookable } from "../../../src/domain/availability/Availability.ts"
import { startsOn } from "../../../src/domain/availability/Starts.ts"
import { codeIn, quote } from "../../../src/domain/catalogue/Pricing.ts"
import type { Package } from "../../../src/domain/catalogue/Package.ts"
import { minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { givenCode, payable, question } from "../../support/arbitraryVenues.ts"
import { judgeByHand, startsByWatching } from "../../support/oracle/Availability.ts"
import { wallOf } from "../../support/oracle/Clock.ts"
import { priceByHand } from "../../support/oracle/Price.ts"
import { runs as some } from "../../support/runs.ts"

/** A package whose first rule begins or ends at the very minute of a start. */
const withEdge = (pkg: Package, edge: "from" | "until" | "none", zone: string, start: number): Package => {
  const [rule, ...rules] = pkg.pricing.rules
  if (rule === undefined || edge === "none") return pkg
  const { from: _from, until: _until, ...always } = rule
  const time = new Date(wallOf(zone, Math.floor(start / minuteMs)) * minuteMs).toISOString().slice(11, 16)
  return { ...pkg, pricing: { ...pkg.pricing, rules: [{ ...always, [edge]: time }, ...rules] } }
}

// `ORACLE_RUNS=20000 ORACLE_SEED=7` for a long run of other cases.
const runs = Number(process.env["ORACLE_RUNS"] ?? some(300))
const seed = Number(process.env["ORACLE_SEED"] ?? 20_261_121)

describe("availability and price", () => {
  it(
    "are what an oracle finds that watches the clock and counts minutes, units and pence one by one",
    { timeout: 120_000 + runs * 100 },
    () => {
      const met = { bookable: 0, balance: 0, rules: 0, codes: 0, rates: 0, tails: 0, refused: new Set<string>() }
      fc.assert(
        fc.property(question, fc.constantFrom("from", "until", "none"), givenCode, (asked, edge, code) => {
          const { venue, date, start, calendar, now } = asked
          const who = code === undefined ? asked.who : { ...asked.who, code }
          const pkg = withEdge(asked.pkg, edge, venue.playroom.time_zone, start)
          fc.pre(payable(venue, pkg, who))
          const starts = startsByWatching(venue, pkg, date)
          assert.deepStrictEqual(
            startsOn(venue, pkg, date).map((at) => at / minuteMs),
            starts
          )
          const { reasons, places_left } = judgeByHand(venue, pkg, who, start, calendar, now)
          const answer = bookable(venue, pkg, who, start, calendar, now)
          if (answer.ok) {
            met.bookable++
            assert.deepStrictEqual([...reasons], [])
            assert.strictEqual(answer.places_left, places_left)
          } else {
            met.refused.add(answer.because)
            assert.include([...reasons], answer.because)
          }
          const { price, non_refundable, balance_due_at } = quote(venue, pkg, who, start, now)
          assert.deepStrictEqual(
            {
              total: price.total,
              tax: price.tax.amount,
              rates: price.tax.rates,
              due_now: price.due_now,
              non_refundable,
              balance_due_at
            },
            priceByHand(venue, pkg, who, start, now)
          )
          if (balance_due_at !== undefined) met.balance++
          if (price.tax.rates !== undefined) met.rates++
          if (codeIn(price) !== undefined) met.codes++
          if (price.lines.some(({ label }) => label === "Rule")) met.rules++
          if (venue.playroom.opening_hours.some(({ opens, closes }) => closes <= opens) && starts.length > 0)
            met.tails++
        }),
        { numRuns: runs, seed }
      )
      // The cases were not all of one kind.
      for (const kind of ["bookable", "balance", "rules", "rates", "tails"] as const)
        assert.isAbove(met[kind], runs / 20, kind)
      assert.isAbove(met.codes, 5)
      assert.isAbove(met.refused.size, 4)
    }
  )
})
