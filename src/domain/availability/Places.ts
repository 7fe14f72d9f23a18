/** The places that claims take: whether there is room for them, and rows of `occupancy` for them. Pure. */
import { type Calendar } from "./Availability.ts"
import { type Claim, freeUnits, pickUnits, type Taken, type UnitRange } from "./Units.ts"

/** `{[0,4),[9,10)}` as pairs. */
export const parseUnits = (text: string): ReadonlyArray<UnitRange> =>
  Array.from(text.matchAll(/\[(\d+),(\d+)\)/g), ([, from, to]) => [Number(from), Number(to)] as const)

/** The same pairs as text. */
export const unitsText = (units: ReadonlyArray<UnitRange>): string =>
  `{${units.map(([from, to]) => `[${from},${to})`).join(",")}}`

/**
 * A row of `occupancy`: units of a resource, when they are occupied (RFC 3339), and `of` how many units they were
 * picked.
 */
export interface Place {
  readonly resource_id: string
  readonly units: string
  readonly starts: string
  readonly ends: string
  readonly of: number
}

/** What a place takes. */
export const takenBy = ({ ends, resource_id, starts, units }: Place): Taken => ({
  resource_id,
  units: parseUnits(units),
  start: Date.parse(starts),
  end: Date.parse(ends)
})

/** The number of units of each resource. */
export type UnitsOf = (resource_id: string) => number

/** How many units a claim is for. */
export const wantedOf = ({ quantity, resource_id, whole }: Claim, units: UnitsOf): number =>
  whole ? units(resource_id) : quantity

/** Whether there is room for all claims. */
export const haveRoom = (claims: ReadonlyArray<Claim>, units: UnitsOf, { taken }: Calendar): boolean =>
  claims.every((claim) => {
    const { end, resource_id, start } = claim
    const wanted = wantedOf(claim, units)
    return wanted > 0 && freeUnits(units(resource_id), taken.get(resource_id) ?? [], start, end, wanted) >= wanted
  })

export const placeOf = ({ end, resource_id, start }: Claim, of: number, units: ReadonlyArray<UnitRange>): Place => ({
  resource_id,
  units: unitsText(units),
  starts: new Date(start).toISOString(),
  ends: new Date(end).toISOString(),
  of
})

/** What claims would take, for those who only count it: as many units, from the first on. */
export const countedPlaces = (claims: ReadonlyArray<Claim>, units: UnitsOf): ReadonlyArray<Place> =>
  claims.map((claim) => placeOf(claim, units(claim.resource_id), [[0, wantedOf(claim, units)]]))

/** Units for each claim that are free all the time; undefined if some are missing, although there may be room. */
export const placesFor = (
  claims: ReadonlyArray<Claim>,
  units: UnitsOf,
  { taken }: Calendar
): ReadonlyArray<Place> | undefined => {
  const places: Array<Place> = []
  for (const claim of claims) {
    const { end, resource_id, start } = claim
    const of = units(resource_id)
    const wanted = wantedOf(claim, units)
    const picked = wanted === 0 ? undefined : pickUnits(of, taken.get(resource_id) ?? [], wanted, start, end)
    if (picked === undefined) return undefined
    places.push(placeOf(claim, of, picked))
  }
  return places
}
