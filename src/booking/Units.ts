/**
 * Which units of a resource are free. A resource has `total` units, numbered from 0; what is taken of it are rows of the
 * `occupancy` table. Pure.
 */
import { dayMs, type Instant } from "../kernel/LocalTime.ts"

/** Half-open range of units, `[from, to)`. */
export type UnitRange = readonly [from: number, to: number]

/** Units of a resource that something takes during [start, end). */
export interface Taken {
  readonly resource_id: string
  readonly units: ReadonlyArray<UnitRange>
  readonly start: Instant
  readonly end: Instant
}

interface Index {
  readonly byDay: ReadonlyMap<number, ReadonlyArray<Taken>>
  /** Rows of more than a week (a room closed for the summer), which would be under too many days. */
  readonly long: ReadonlyArray<Taken>
}

const dayOf = (instant: Instant): number => Math.floor(instant / dayMs)
const longDays = 7

const makeIndex = (taken: ReadonlyArray<Taken>): Index => {
  const byDay = new Map<number, Array<Taken>>()
  const long: Array<Taken> = []
  for (const row of taken) {
    const first = dayOf(row.start)
    const last = dayOf(row.end)
    if (last - first > longDays) {
      long.push(row)
      continue
    }
    for (let day = first; day <= last; day++) {
      const rows = byDay.get(day)
      if (rows === undefined) byDay.set(day, [row])
      else rows.push(row)
    }
  }
  return { byDay, long }
}

// A month of starts is asked of the same list of rows; sorting them by day once keeps each answer short.
const indexes = new WeakMap<ReadonlyArray<Taken>, Index>()
const worthIndexing = 24

/** Rows that may overlap [start, end): all that do, perhaps others, some perhaps twice. */
const near = (taken: ReadonlyArray<Taken>, start: Instant, end: Instant): ReadonlyArray<Taken> => {
  if (taken.length < worthIndexing || end - start > longDays * dayMs) return taken
  let index = indexes.get(taken)
  if (index === undefined) {
    index = makeIndex(taken)
    indexes.set(taken, index)
  }
  const rows = [...index.long]
  for (let day = dayOf(start); day <= dayOf(end); day++) rows.push(...(index.byDay.get(day) ?? []))
  return rows
}

/**
 * The free ranges of units during all of [start, end), lowest first. Together they are `total` less what is used: units
 * beyond the total (it was larger once) count as used, and as many are left out at the upper end.
 */
const freeRanges = (total: number, taken: ReadonlyArray<Taken>, start: Instant, end: Instant): Array<UnitRange> => {
  const used: Array<UnitRange> = []
  for (const row of near(taken, start, end)) {
    if (row.start < end && start < row.end) used.push(...row.units)
  }
  if (used.length === 0) return [[0, total]]
  used.sort((a, b) => a[0] - b[0])
  const gaps: Array<UnitRange> = []
  let from = 0
  let left = total
  for (const [lower, upper] of used) {
    if (lower > from) gaps.push([from, lower])
    left -= Math.max(0, upper - Math.max(from, lower))
    from = Math.max(from, upper)
  }
  if (from < total) gaps.push([from, total])
  const free: Array<UnitRange> = []
  for (const [lower, upper] of gaps) {
    if (left <= 0) break
    free.push([lower, Math.min(upper, lower + left)])
    left -= upper - lower
  }
  return free
}

/**
 * How many units are free during all of [start, end). `taken` holds rows of this one resource, in any order; the list must
 * not be changed afterwards (what is learnt of it is kept).
 */
export const freeUnits = (total: number, taken: ReadonlyArray<Taken>, start: Instant, end: Instant): number =>
  freeRanges(total, taken, start, end).reduce((sum, [from, to]) => sum + to - from, 0)

/** The lowest `quantity` units that are free during all of [start, end), as ranges; `undefined` where there are not as many. */
export const pickUnits = (
  total: number,
  taken: ReadonlyArray<Taken>,
  quantity: number,
  start: Instant,
  end: Instant
): ReadonlyArray<UnitRange> | undefined => {
  const picked: Array<UnitRange> = []
  let missing = quantity
  for (const [from, to] of freeRanges(total, taken, start, end)) {
    if (missing === 0) break
    const count = Math.min(missing, to - from)
    picked.push([from, from + count])
    missing -= count
  }
  return missing === 0 ? picked : undefined
}
