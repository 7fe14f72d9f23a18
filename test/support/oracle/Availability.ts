/**
 * An oracle for availability, written from the words of the domain: it watches a clock on the wall for days, minute by
 * minute, marks the minutes in which the doors are open, and looks at every minute and every unit of a visit. Slow and
 * plain.
 */
import type { Calendar, NoneBecause } from "../../../src/domain/availability/Availability.ts"
import type { Party } from "../../../src/domain/catalogue/Pricing.ts"
import type { Package } from "../../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { clockOf, dateOf, dayAfter, midnightOf, wallOf, wallsOf, weekdayOf } from "./Clock.ts"

/** Clock minutes on the wall since 1970: from and before. */
interface Watch {
  readonly from: number
  readonly before: number
}

/** What ends at or before it begins ends on the next day. */
const watchOf = (date: string, begins: string, ends: string): Watch => {
  const from = midnightOf(date) + clockOf(begins)
  const before = midnightOf(date) + clockOf(ends)
  return { from, before: before <= from ? midnightOf(dayAfter(date, 1)) + clockOf(ends) : before }
}

const hoursOf = ({ playroom }: Venue, date: string): ReadonlyArray<Watch> => {
  const override =
    playroom.overrides.find((it) => it.date === date) ??
    playroom.overrides.find(({ from, to }) => from !== undefined && to !== undefined && from <= date && date <= to)
  const intervals = override?.intervals ?? playroom.opening_hours.filter(({ weekday }) => weekday === weekdayOf(date))
  return intervals.map(({ opens, closes }) => watchOf(date, opens, closes))
}

/** Whether the doors are open at any time of a date, also by the evening before. */
export const isOpenByWatching = (venue: Venue, date: string): boolean =>
  hoursOf(venue, date).length > 0 || hoursOf(venue, dayAfter(date, -1)).some(({ before }) => before > midnightOf(date))

/**
 * Days watched before and after the date: the evening before may reach into it, and visits from it into the days after.
 */
const [daysBefore, daysAfter] = [2, 5]

const seenBefore = new WeakMap<Venue, WeakMap<Package, Map<string, ReadonlyArray<number>>>>()

/** All starts of a package on a local date, in minutes since 1970. A day of a venue is watched once. */
export const startsByWatching = (venue: Venue, pkg: Package, date: string): ReadonlyArray<number> => {
  const packages = seenBefore.get(venue) ?? new WeakMap<Package, Map<string, ReadonlyArray<number>>>()
  seenBefore.set(venue, packages)
  const dates = packages.get(pkg) ?? new Map<string, ReadonlyArray<number>>()
  packages.set(pkg, dates)
  const starts = dates.get(date) ?? watched(venue, pkg, date)
  dates.set(date, starts)
  return starts
}

const watched = (venue: Venue, pkg: Package, date: string): ReadonlyArray<number> => {
  const { time_zone, grid_minutes } = venue.playroom
  const { schedule } = pkg
  const first = midnightOf(dayAfter(date, -daysBefore))
  const walls = Array.from({ length: daysBefore + daysAfter }, (_, i) => wallsOf(time_zone, first / 1440 + i)).flat()
  /** The first minute at which the clock shows a time, or one that is later. */
  const reached = (wall: number): number => {
    // No zone is a day away from UTC, and no clock is put forward by more than a day.
    for (let at = Math.max(0, wall - first - 2880); at < walls.length; at++) if ((walls[at] ?? 0) >= wall) return at
    return walls.length
  }
  const open = new Uint8Array(walls.length)
  for (let days = -daysBefore; days < daysAfter; days++) {
    for (const { from, before } of hoursOf(venue, dayAfter(date, days))) open.fill(1, reached(from), reached(before))
  }
  const allOpen = (from: number, before: number): boolean => {
    for (let at = from; at < before; at++) if (open[at] !== 1) return false
    return true
  }
  const limited = schedule.from !== undefined || schedule.until !== undefined
  const intervals = [dayAfter(date, -1), date].flatMap((day) => hoursOf(venue, day))
  const windows = [-2, -1, 0, 1].map((days) => {
    const window = watchOf(dayAfter(date, days), schedule.from ?? "00:00", schedule.until ?? "24:00")
    return { ...window, end: schedule.until === undefined ? walls.length : reached(window.before) }
  })
  const times = new Set(schedule.times?.map((time) => midnightOf(date) + clockOf(time)))
  /** Whether a clock time at which the doors are open is one of the package's; `at` is when that is. */
  const isOurs = (wall: number, at: number): boolean =>
    intervals.some((interval) => {
      if (wall < interval.from || wall >= interval.before) return false
      const fits = (opening: number): boolean =>
        schedule.times === undefined ? (wall - opening) % grid_minutes === 0 : times.has(wall)
      if (!limited) return fits(interval.from)
      return windows.some(
        (window) =>
          window.from <= wall &&
          wall < window.before &&
          at + pkg.duration_minutes <= window.end &&
          fits(schedule.from === undefined ? interval.from : Math.max(interval.from, window.from))
      )
    })
  if (schedule.weekdays !== undefined && !schedule.weekdays.some((weekday) => weekday === weekdayOf(date))) return []
  const seen = new Set<number>()
  const midnight = midnightOf(date)
  const starts: Array<number> = []
  for (let at = 0; at < walls.length; at++) {
    const wall = walls[at] ?? 0
    if (wall < midnight || wall >= midnight + 1440 || seen.has(wall)) continue
    seen.add(wall)
    if (isOurs(wall, at) && allOpen(at, at + pkg.duration_minutes)) starts.push(first + at)
  }
  return starts
}

/** What stands in the way of a visit: every reason that is true of it, and the places that are left. */
export interface Verdict {
  readonly reasons: ReadonlySet<NoneBecause>
  readonly places_left: number
}

const mostAdults = 10_000

/** Whether a party can book a start at a moment (both in milliseconds), by going through minutes one by one. */
export const judgeByHand = (
  venue: Venue,
  pkg: Package,
  party: Party,
  start: number,
  calendar: Calendar,
  now: number
): Verdict => {
  const { playroom_id, capacity, time_zone, lead_time_minutes, max_advance_days } = venue.playroom
  const reasons = new Set<NoneBecause>()
  const most = Math.min(pkg.max_children, capacity)
  if (party.children < pkg.min_children) reasons.add("party_too_small")
  if (party.children > most || party.adults > (pkg.max_adults ?? mostAdults)) reasons.add("party_too_large")
  if (start - now < lead_time_minutes * 60_000) reasons.add("too_soon")
  const startDate = dateOf(wallOf(time_zone, Math.floor(start / 60_000)))
  if (startDate > dayAfter(dateOf(wallOf(time_zone, Math.floor(now / 60_000))), max_advance_days))
    reasons.add("too_far_ahead")
  if (start % 60_000 !== 0 || !startsByWatching(venue, pkg, startDate).includes(start / 60_000)) reasons.add("closed")

  const minutes: Array<number> = []
  const end = start + (pkg.duration_minutes + pkg.cleanup_minutes) * 60_000
  for (let at = start - pkg.setup_minutes * 60_000; at < end; at += 60_000) minutes.push(at)
  const during = ({ start, end }: { readonly start: number; readonly end: number }) =>
    minutes.some((at) => start < at + 60_000 && at < end)
  if (calendar.closures.some(during)) reasons.add("closed")
  const freeOf = (resource_id: string, total: number): number => {
    const rows = calendar.taken.get(resource_id) ?? []
    const takenAt = (at: number) => {
      let taken = 0
      for (const row of rows)
        if (row.start < at + 60_000 && at < row.end) for (const [from, to] of row.units) taken += to - from
      return taken
    }
    return Math.max(0, total - Math.max(...minutes.map(takenAt)))
  }
  const room = freeOf(playroom_id, capacity)
  let places_left = room
  if (room < (pkg.mode === "exclusive" ? capacity : party.children)) reasons.add("fully_booked")
  // Several add-ons may come out of the same cupboard.
  const cupboards = Map.groupBy(
    venue.add_ons.filter(
      ({ add_on_id, stock }) => stock !== undefined && party.add_ons.some((it) => it.add_on_id === add_on_id)
    ),
    ({ add_on_id, uses }) => uses ?? add_on_id
  )
  for (const [cupboard, its] of cupboards) {
    const stock = its[0]?.stock ?? 0
    const free = freeOf(cupboard, stock)
    const neededFor = (children: number) => {
      let needed = 0
      for (const { add_on_id, unit } of its) {
        if (unit === "per_booking") needed += 1
        else if (unit === "per_child") needed += children
        else needed += party.add_ons.find((it) => it.add_on_id === add_on_id)?.quantity ?? 0
      }
      return needed
    }
    const eachChildHasOne = its.some(({ unit }) => unit === "per_child")
    // Not even with nobody else there: the party is too large for the stock.
    if (eachChildHasOne && neededFor(party.children) > stock) reasons.add("party_too_large")
    if (free < neededFor(party.children) && !reasons.has("fully_booked")) reasons.add("add_ons_taken")
    if (!eachChildHasOne) continue
    let most = 0
    while (most < places_left && neededFor(most + 1) <= free) most += 1
    places_left = most
  }
  return { reasons, places_left }
}
