import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  bookable,
  type Calendar,
  claimsFor,
  maxChildren,
  NoneBecause
} from "../../../src/domain/availability/Availability.ts"
import { startsOn } from "../../../src/domain/availability/Starts.ts"
import type { Party } from "../../../src/domain/catalogue/Pricing.ts"
import type { Package } from "../../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { addDays, hourMs, localDateOf, minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { payable, question } from "../../support/arbitraryVenues.ts"
import { at, claim, openPlay, party, sell, softPlay, unitsIn, withoutDoubles } from "../../support/venues.ts"
import { runs } from "../../support/runs.ts"

const now = at("2026-11-20", "09:00")
const saturday = "2026-12-05"
const empty: Calendar = { closures: [], taken: new Map() }

/** Whether it can be booked, by going through minutes one by one. */
const byBruteForce = (
  venue: Venue,
  pkg: Package,
  who: Party,
  start: number,
  calendar: Calendar,
  now: number
): boolean => {
  const { playroom_id, capacity, time_zone, lead_time_minutes, max_advance_days } = venue.playroom
  if (who.children < pkg.min_children || who.children > pkg.max_children || who.children > capacity) return false
  if (start - now < lead_time_minutes * minuteMs) return false
  if (localDateOf(time_zone, start) > addDays(localDateOf(time_zone, now), max_advance_days)) return false
  if (!startsOn(venue, pkg, localDateOf(time_zone, start)).includes(start)) return false
  const minutes: Array<number> = []
  const end = start + (pkg.duration_minutes + pkg.cleanup_minutes) * minuteMs
  for (let at = start - pkg.setup_minutes * minuteMs; at < end; at += minuteMs) minutes.push(at)
  // All rows and closures begin and end on whole minutes.
  if (calendar.closures.some((closure) => minutes.some((at) => closure.start <= at && at < closure.end))) return false
  const enough = (resource_id: string, total: number, quantity: number): boolean => {
    const rows = calendar.taken.get(resource_id) ?? []
    return minutes.every((at) => {
      const taken = rows.filter((row) => row.start <= at && at < row.end).flatMap(({ units }) => unitsIn(units))
      return total - taken.length >= quantity
    })
  }
  if (!enough(playroom_id, capacity, pkg.mode === "exclusive" ? capacity : who.children)) return false
  const wanted = new Map<string, readonly [stock: number, quantity: number]>()
  for (const { add_on_id, quantity } of who.add_ons) {
    const addOn = venue.add_ons.find((addOn) => addOn.add_on_id === add_on_id)
    if (addOn?.stock === undefined) continue
    const resource = addOn.uses ?? add_on_id
    const more = addOn.unit === "per_child" ? who.children : quantity
    wanted.set(resource, [addOn.stock, (wanted.get(resource)?.[1] ?? 0) + more])
  }
  return [...wanted].every(([resource, [stock, quantity]]) => enough(resource, stock, quantity))
}

describe("Every start", () => {
  it("is what going through every minute finds", () => {
    let yes = 0
    const why = new Set<string>()
    fc.assert(
      fc.property(question, ({ venue, pkg, who, start, calendar, now }) => {
        fc.pre(payable(venue, pkg, who))
        const answer = bookable(venue, pkg, who, start, calendar, now)
        assert.strictEqual(answer.ok, byBruteForce(venue, pkg, who, start, calendar, now))
        if (answer.ok) yes++
        else why.add(answer.because)
      }),
      { numRuns: runs(500) }
    )
    // The questions were not all of one kind.
    assert.isAbove(yes, runs(25))
    assert.deepStrictEqual([...why].toSorted(), [...NoneBecause.literals].toSorted())
  })

  it("can be claimed, and what is hidden for want of places cannot", () => {
    fc.assert(
      fc.property(question, ({ venue, pkg, who, start, calendar, now }) => {
        const answer = bookable(venue, pkg, who, start, calendar, now)
        const claims = claimsFor(venue, pkg, who, start)
        const after = claim(venue, claims, calendar)
        if (answer.ok) assert.isDefined(after)
        if (!answer.ok && answer.because === "fully_booked") assert.isUndefined(after)
        if (after === undefined) return
        for (const { resource_id, quantity, start, end } of claims) {
          const rows = after.taken.get(resource_id) ?? []
          const mine = rows.at(-1) ?? assert.fail("nothing taken")
          assert.deepInclude(mine, { start, end })
          assert.lengthOf(unitsIn(mine.units), quantity)
          assert.deepStrictEqual(
            withoutDoubles(rows).map(({ units }) => unitsIn(units).length),
            rows.map(({ units }) => unitsIn(units).length),
            "a unit is sold twice"
          )
        }
      }),
      { numRuns: runs(500) }
    )
  })

  it("has places left for the largest party that its package takes and that could come with the same add-ons", () => {
    fc.assert(
      fc.property(question, ({ venue, pkg, who, start, calendar, now }) => {
        fc.pre(payable(venue, pkg, { ...who, children: 45 }))
        const answer = bookable(venue, pkg, who, start, calendar, now)
        if (!answer.ok) return
        assert.isAtLeast(answer.places_left, who.children)
        for (let children = pkg.min_children; children <= 45; children++) {
          const other = bookable(venue, pkg, { ...who, children }, start, calendar, now)
          assert.strictEqual(other.ok, children <= Math.min(answer.places_left, maxChildren(venue, pkg)))
        }
      }),
      { numRuns: runs(500) }
    )
  })

  it("sells a capacity exactly, whatever the parties: their children never exceed it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom("10:00", "10:30", "11:00")), {
          maxLength: 40
        }),
        (wishes) => {
          let calendar = empty
          const sold: Array<readonly [number, number]> = []
          for (const [children, time] of wishes) {
            const start = at(saturday, time)
            if (!bookable(softPlay, openPlay, party(children), start, calendar, now).ok) continue
            calendar = sell(softPlay, openPlay, party(children), start, calendar)
            sold.push([start, children])
          }
          for (const instant of ["10:00", "10:45", "11:15"].map((time) => at(saturday, time))) {
            const inside = sold.filter(([start]) => start <= instant && instant < start + hourMs)
            assert.isAtMost(
              inside.reduce((sum, [, children]) => sum + children, 0),
              25
            )
          }
        }
      ),
      { numRuns: runs(125) }
    )
  })
})
