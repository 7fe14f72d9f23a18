/** Selling, as far as a calendar is concerned. */
import { assert } from "@effect/vitest"
import { type Calendar, claimsFor } from "../../src/availability/Availability.ts"
import { type Claim, freeUnits } from "../../src/availability/Units.ts"
import type { Party } from "../../src/catalogue/Price.ts"
import type { Package } from "../../src/catalogue/Package.ts"
import type { Venue } from "../../src/catalogue/Playroom.ts"
import { ClosureId } from "../../src/kernel/Ids.ts"

export const closureId = ClosureId.make("closure_01h455vb4pex5vsknk084sn02q")

/** The calendar after the places of a booking were taken; `undefined` where they are not there. Which units is not asked. */
export const claim = (venue: Venue, claims: ReadonlyArray<Claim>, calendar: Calendar): Calendar | undefined => {
  const taken = new Map(calendar.taken)
  for (const { resource_id, quantity, start, end } of claims) {
    const stock = venue.add_ons.find(({ add_on_id, uses }) => (uses ?? add_on_id) === resource_id)?.stock
    const rows = taken.get(resource_id) ?? []
    if (freeUnits(stock ?? venue.playroom.capacity, rows, start, end, quantity) < quantity) return undefined
    taken.set(resource_id, [...rows, { resource_id, units: [[0, quantity]], start, end }])
  }
  return { ...calendar, taken }
}
/** The same, where they must be there. */
export const sell = (venue: Venue, pkg: Package, who: Party, start: number, calendar: Calendar): Calendar =>
  claim(venue, claimsFor(venue, pkg, who, start), calendar) ?? assert.fail("not there")
