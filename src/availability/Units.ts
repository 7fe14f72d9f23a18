/**
 * Which units of a resource are free. A resource has `total` units, numbered from 0. Rows of the `occupancy` table
 * occupy some of them. Pure.
 */
import { Schema } from "effect"
import type { Instant } from "../kernel/LocalTime.ts"

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

/** Rows of similar length, in order of start. None is longer than `longest`, and few are less than half as long. */
interface Lane {
  readonly longest: number
  readonly rows: ReadonlyArray<Taken>
}

const lanesOf = (taken: ReadonlyArray<Taken>): ReadonlyArray<Lane> => {
  const lanes = new Map<number, { longest: number; rows: Array<Taken> }>()
  for (const row of taken) {
    const length = row.end - row.start
    const size = Math.ceil(Math.log2(Math.max(1, length)))
    const lane = lanes.get(size)
    if (lane === undefined) lanes.set(size, { longest: length, rows: [row] })
    else {
      lane.longest = Math.max(lane.longest, length)
      lane.rows.push(row)
    }
  }
  for (const { rows } of lanes.values()) rows.sort((a, b) => a.start - b.start)
  return [...lanes.values()]
}

// Thousands of starts are compared with the same rows, so the rows are sorted once.
const lanesByList = new WeakMap<ReadonlyArray<Taken>, ReadonlyArray<Lane>>()
const minSortedRows = 24

const firstFrom = (rows: ReadonlyArray<Taken>, instant: Instant): number => {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows[middle]?.start ?? Infinity) < instant) low = middle + 1
    else high = middle
  }
  return low
}

/** Visits the rows that overlap [start, end), until `see` returns false. */
const overlapping = (taken: ReadonlyArray<Taken>, start: Instant, end: Instant, see: (row: Taken) => boolean): void => {
  if (taken.length < minSortedRows) {
    for (const row of taken) if (row.start < end && start < row.end && !see(row)) return
    return
  }
  let lanes = lanesByList.get(taken)
  if (lanes === undefined) {
    lanes = lanesOf(taken)
    lanesByList.set(taken, lanes)
  }
  for (const { longest, rows } of lanes) {
    for (let i = firstFrom(rows, start - longest); i < rows.length; i++) {
      const row = rows[i]
      if (row === undefined || row.start >= end) break
      if (start < row.end && !see(row)) return
    }
  }
}

/**
 * The free ranges of units during all of [start, end), lowest first. They hold `total` minus the used units. Units
 * beyond the total (it was larger once) count as used, so that many are left out at the upper end.
 */
const freeRanges = (total: number, taken: ReadonlyArray<Taken>, start: Instant, end: Instant): Array<UnitRange> => {
  const used: Array<UnitRange> = []
  overlapping(taken, start, end, ({ units }) => used.push(...units) > 0)
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

// For few units, marking each one is faster than sorting ranges.
const maxMarkedUnits = 1024
const marks = new Uint8Array(maxMarkedUnits)

/** As `freeUnits`; undefined if a row has units beyond the marks (the total was larger once). */
const freeByMarks = (
  total: number,
  taken: ReadonlyArray<Taken>,
  start: Instant,
  end: Instant,
  needed: number
): number | undefined => {
  let left = total
  let highest = 0
  let beyond = false
  overlapping(taken, start, end, ({ units }) => {
    for (const [from, to] of units) {
      beyond ||= to > maxMarkedUnits
      if (beyond) return false
      for (let unit = from; unit < to; unit++) {
        if (marks[unit] === 1) continue
        marks[unit] = 1
        left--
      }
      highest = Math.max(highest, to)
    }
    return left >= needed && left > 0
  })
  marks.fill(0, 0, highest)
  return beyond ? undefined : Math.max(0, left)
}

/**
 * The number of units that are free during all of [start, end). If it is below `needed`, the result may be any number
 * below `needed`. `taken` has rows of this one resource, in any order. Don't change the list afterwards: its sorted
 * rows are cached.
 */
export const freeUnits = (
  total: number,
  taken: ReadonlyArray<Taken>,
  start: Instant,
  end: Instant,
  needed = 0
): number =>
  (total <= maxMarkedUnits ? freeByMarks(total, taken, start, end, needed) : undefined) ??
  freeRanges(total, taken, start, end).reduce((sum, [from, to]) => sum + to - from, 0)

/** The lowest `quantity` units that are free during all of [start, end), as ranges; undefined if too few are free. */
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
