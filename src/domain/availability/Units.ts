/**
 * How many units of a resource are free, and which ones a booking gets. A resource has `total` units, numbered from 0.
 * Rows of the `occupancy` table occupy some of them. No family and no venue sees the numbers, so there is room for a
 * booking if enough units are free at each moment: where none is free all the time, others change theirs. Pure.
 */

import { Schema } from "effect"
import type { Instant } from "../../platform/time/LocalTime.ts"
import type { Calendar } from "./Availability.ts"

/** A booking's claim: `quantity` units of a resource (all of them if `whole`) during [start, end), in milliseconds. */
export const Claim = Schema.Struct({
  resource_id: Schema.String,
  quantity: Schema.Int,
  whole: Schema.Boolean,
  start: Schema.Int,
  end: Schema.Int
})
export type Claim = typeof Claim.Type

/** Half-open range of units, `[from, to)`. */
export type UnitRange = readonly [from: number, to: number]

/** Units of a resource that are occupied during [start, end). */
export interface Taken {
  readonly resource_id: string
  readonly units: ReadonlyArray<UnitRange>
  readonly start: Instant
  readonly end: Instant
}

const countOf = ({ units }: Taken): number => units.reduce((sum, [from, to]) => sum + to - from, 0)

/** How many units are taken from each of some moments on, in order. Before the first one none is. */
interface Levels {
  readonly moments: Float64Array
  readonly taken: Float64Array
}

const levelsOf = (rows: ReadonlyArray<Taken>): Levels => {
  const changes = new Map<Instant, number>()
  for (const row of rows) {
    const count = countOf(row)
    changes.set(row.start, (changes.get(row.start) ?? 0) + count)
    changes.set(row.end, (changes.get(row.end) ?? 0) - count)
  }
  const moments = Float64Array.from(changes.keys()).sort()
  let level = 0
  return { moments, taken: moments.map((moment) => (level += changes.get(moment) ?? 0)) }
}

// Thousands of starts are compared with the same rows.
const levelsByList = new WeakMap<ReadonlyArray<Taken>, Levels>()

/** The index of the first moment after an instant. */
const firstAfter = (moments: Float64Array, instant: Instant): number => {
  let low = 0
  let high = moments.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((moments[middle] ?? Infinity) <= instant) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The number of units that are free at each moment of [start, end). If it is below `needed`, the result may be any
 * number below `needed`. Units beyond the total (it was larger once) count as taken. `taken` has rows of this one
 * resource, in any order. Don't change the list afterwards: what is taken when is cached.
 */
export const freeUnits = (
  total: number,
  taken: ReadonlyArray<Taken>,
  start: Instant,
  end: Instant,
  needed = 0
): number => {
  if (taken.length === 0) return total
  let levels = levelsByList.get(taken)
  if (levels === undefined) {
    levels = levelsOf(taken)
    levelsByList.set(taken, levels)
  }
  const { moments } = levels
  const first = firstAfter(moments, start)
  let free = total - (levels.taken[first - 1] ?? 0)
  for (let i = first; i < moments.length && free >= needed && (moments[i] ?? end) < end; i++)
    free = Math.min(free, total - (levels.taken[i] ?? 0))
  return Math.max(0, free)
}

const numbersIn = (ranges: ReadonlyArray<UnitRange>): ReadonlyArray<number> =>
  ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => from + i))

const rangesOf = (numbers: Iterable<number>): ReadonlyArray<UnitRange> => {
  const ranges: Array<[number, number]> = []
  for (const unit of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last?.[1] === unit) last[1]++
    else ranges.push([unit, unit + 1])
  }
  return ranges
}

/** The lowest `quantity` units that are free during all of [start, end), as ranges; undefined if too few are. */
export const pickUnits = (
  total: number,
  taken: ReadonlyArray<Taken>,
  quantity: number,
  start: Instant,
  end: Instant
): ReadonlyArray<UnitRange> | undefined => {
  if (freeUnits(total, taken, start, end, quantity) < quantity) return undefined
  const used = taken.flatMap((row) => (row.start < end && start < row.end ? row.units : []))
  const picked: Array<UnitRange> = []
  let missing = quantity
  let from = 0
  for (const [lower, upper] of [...used.sort((a, b) => a[0] - b[0]), [total, total] as const]) {
    const count = Math.min(missing, Math.min(lower, total) - from)
    if (count > 0) picked.push([from, from + count])
    missing -= Math.max(0, count)
    from = Math.max(from, upper)
  }
  return missing === 0 ? picked : undefined
}

/** Units for a claim, and other units for rows in its way. It looked only at rows that overlap [start, `until`). */
interface Reassigned<Row> {
  readonly units: ReadonlyArray<UnitRange>
  readonly moved: ReadonlyMap<Row, ReadonlyArray<UnitRange>>
  readonly until: Instant
}

/**
 * Units for a claim for which there is room, although fewer units are free all the time (`taken`: all rows of the
 * resource then). Rows that begin later and have these units get others: taken in order of start, each finds enough,
 * since at its start only the rows of that moment are in its way. Among free units, those that stay free longest are
 * taken, so that few rows change. What has begun by `start` keeps its units, and so do units beyond the total.
 * `undefined`: there is no room.
 */
export const reassignUnits = <Row extends Taken>(
  total: number,
  taken: ReadonlyArray<Row>,
  quantity: number,
  start: Instant,
  end: Instant
): Reassigned<Row> | undefined => {
  const rows = taken
    .filter((row) => row.end > start)
    .sort((a, b) => a.start - b.start)
    .map((row) => ({ row, had: numbersIn(row.units) }))
  const later = rows.filter(({ row }) => row.start > start)
  const busyUntil = new Float64Array(total)
  const hold = (units: ReadonlyArray<number>, to: Instant) => {
    for (const unit of units) if (unit < total) busyUntil[unit] = to
  }
  // When the next row of `later` has each unit, and after each row of `later`, the next one.
  const next = new Float64Array(total).fill(Infinity)
  const after = later
    .toReversed()
    .map(({ had, row }) => {
      const following = had.map((unit) => next[unit] ?? Infinity)
      for (const unit of had) if (unit < total) next[unit] = row.start
      return following
    })
    .toReversed()
  const pick = (count: number, from: Instant, to: Instant): ReadonlyArray<number> => {
    const free: Array<readonly [unit: number, until: Instant]> = []
    for (let unit = 0, whole = 0; unit < total && whole < count; unit++) {
      if ((busyUntil[unit] ?? to) > from) continue
      const freeUntil = Math.min(next[unit] ?? to, to)
      if (freeUntil === to) whole++
      free.push([unit, freeUntil])
    }
    const picked = free
      .sort((a, b) => b[1] - a[1])
      .slice(0, count)
      .map(([unit]) => unit)
    hold(picked, to)
    return picked
  }

  for (const { had, row } of rows) if (row.start <= start) hold(had, row.end)
  const units = pick(quantity, start, end)
  if (units.length < quantity) return undefined
  const moved = new Map<Row, ReadonlyArray<UnitRange>>()
  let until = end
  for (const [i, { had, row }] of later.entries()) {
    if (row.start >= until) break
    for (const [k, unit] of had.entries()) if (unit < total) next[unit] = after[i]?.[k] ?? Infinity
    const kept = had.filter((unit) => (busyUntil[unit] ?? row.start) <= row.start)
    hold(kept, row.end)
    if (kept.length === had.length) continue
    const others = pick(had.length - kept.length, row.start, row.end)
    if (kept.length + others.length < had.length) return undefined
    moved.set(row, rangesOf([...kept, ...others]))
    until = Math.max(until, row.end)
  }
  return { units: rangesOf(units), moved, until }
}

// The places that claims take: whether there is room for them, and rows of `occupancy` for them. Pure.

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
