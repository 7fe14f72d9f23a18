/** Selling, as far as a calendar is concerned. */
import { assert } from "@effect/vitest"
import { type Calendar, claimsFor } from "../../src/domain/availability/Availability.ts"
import {
  type Claim,
  freeUnits,
  pickUnits,
  reassignUnits,
  type Taken,
  type UnitRange
} from "../../src/domain/availability/Units.ts"
import type { Party } from "../../src/domain/catalogue/Pricing.ts"
import type { Package } from "../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../src/domain/catalogue/Playroom.ts"
import { ClosureId } from "../../src/platform/ids/Ids.ts"

export const closureId = ClosureId.make("closure_01h455vb4pex5vsknk084sn02q")

export const unitsIn = (ranges: ReadonlyArray<UnitRange>): ReadonlyArray<number> =>
  ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => from + i))

export const overlap = (a: Pick<Taken, "start" | "end">, b: Pick<Taken, "start" | "end">): boolean =>
  a.start < b.end && b.start < a.end

/** Rows as the database can hold them: each without the units that an earlier one has at the time. */
export const withoutDoubles = (taken: ReadonlyArray<Taken>): ReadonlyArray<Taken> => {
  const kept: Array<Taken> = []
  for (const one of taken) {
    const others = new Set(kept.filter((other) => overlap(one, other)).flatMap(({ units }) => unitsIn(units)))
    const left = [...new Set(unitsIn(one.units))].filter((unit) => !others.has(unit))
    if (left.length > 0) kept.push({ ...one, units: left.map((unit) => [unit, unit + 1] as const) })
  }
  return kept
}

/** The calendar after the places of a booking were taken, by its own row at the end; `undefined` where they are not there. */
export const claim = (venue: Venue, claims: ReadonlyArray<Claim>, calendar: Calendar): Calendar | undefined => {
  const taken = new Map(calendar.taken)
  for (const { resource_id, quantity, start, end } of claims) {
    const stock = venue.add_ons.find(({ add_on_id, uses }) => (uses ?? add_on_id) === resource_id)?.stock
    const rows = taken.get(resource_id) ?? []
    const total = stock ?? venue.playroom.capacity
    if (freeUnits(total, rows, start, end, quantity) < quantity) return undefined
    const free = pickUnits(total, rows, quantity, start, end)
    const { moved, units } =
      free === undefined
        ? (reassignUnits(total, rows, quantity, start, end) ?? assert.fail("there is room"))
        : { units: free, moved: new Map<Taken, Taken["units"]>() }
    const others = rows.map((row) => ({ ...row, units: moved.get(row) ?? row.units }))
    taken.set(resource_id, [...others, { resource_id, units, start, end }])
  }
  return { ...calendar, taken }
}
/** The same, where they must be there. */
export const sell = (venue: Venue, pkg: Package, who: Party, start: number, calendar: Calendar): Calendar =>
  claim(venue, claimsFor(venue, pkg, who, start), calendar) ?? assert.fail("not there")
