/** Arbitrary questions about arbitrary venues: who comes when, with what sold and closed already, asked at some moment. */
import * as fc from "fast-check"
import { startsOn } from "../../src/domain/availability/Starts.ts"
import { type Taken } from "../../src/domain/availability/Units.ts"
import type { Party } from "../../src/domain/catalogue/Pricing.ts"
import { maxPrice } from "../../src/domain/catalogue/PriceTimes.ts"
import type { Package } from "../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../src/domain/catalogue/Playroom.ts"
import { dayMs, hourMs, minuteMs } from "../../src/platform/time/LocalTime.ts"
import { maxMinorUnits } from "../../src/platform/money/Money.ts"
import { instantNear, partyOf, takenOf, venueOnDate } from "./arbitraryVenues.ts"
import { closureId } from "./sales.ts"

/** A question about an arbitrary venue with arbitrary sales and closures, mostly about one of the package's own starts. */
export const question = venueOnDate.chain(({ venue, pkg, date }) => {
  const zone = venue.playroom.time_zone
  const starts = startsOn(venue, pkg, date)
  const stocked = [
    ...new Map(
      venue.add_ons.flatMap(({ add_on_id, stock, uses }) => (stock === undefined ? [] : [[uses ?? add_on_id, stock]]))
    )
  ]
  return fc
    .record({
      who: partyOf(venue),
      children: fc.integer({ min: pkg.min_children, max: pkg.max_children }),
      fits: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
      start:
        starts.length === 0
          ? instantNear(zone, date)
          : fc.oneof(
              { weight: 9, arbitrary: fc.constantFrom(...starts) },
              { weight: 1, arbitrary: instantNear(zone, date) }
            ),
      before: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: dayMs, max: 2 * dayMs }) },
        { weight: 1, arbitrary: fc.nat(40 * dayMs) },
        { weight: 1, arbitrary: fc.integer({ min: -hourMs, max: hourMs }) },
        // At the end of the lead time, to the millisecond.
        {
          weight: 1,
          arbitrary: fc.integer({ min: -1, max: 1 }).map((ms) => venue.playroom.lead_time_minutes * minuteMs + ms)
        }
      ),
      room: takenOf(venue.playroom.playroom_id, venue.playroom.capacity, zone, date, 4),
      extras: fc.tuple(...stocked.map(([resource_id, stock]) => takenOf(resource_id, stock, zone, date, 3))),
      closures: fc.array(
        fc.tuple(instantNear(zone, date), fc.integer({ min: 1, max: 600 })).map(([start, minutes]) => ({
          closure_id: closureId,
          start,
          end: start + minutes * minuteMs,
          reason: "Repairs"
        })),
        { maxLength: 1 }
      )
    })
    .map(({ who, children, fits, start, before, room, extras, closures }) => {
      const taken = new Map<string, ReadonlyArray<Taken>>([[venue.playroom.playroom_id, room]])
      for (const [i, [resource_id]] of stocked.entries()) taken.set(resource_id, extras[i] ?? [])
      return {
        venue,
        pkg,
        date,
        who: fits ? { ...who, children } : who,
        start,
        now: start - before,
        calendar: { closures, taken }
      }
    })
})

/** Within the cap on amounts, which has a test of its own. */
export const payable = (venue: Venue, pkg: Package, who: Party) => maxPrice(venue, pkg, who) <= maxMinorUnits
