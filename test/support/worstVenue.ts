/** The largest work that an import accepts: 12 packages of 20 rules, a start every 5 minutes round the clock, three years ahead. */
import type { Calendar } from "../../src/domain/availability/Availability.ts"
import type { Taken } from "../../src/domain/availability/Units.ts"
import { dayMs, type Instant, weekdays } from "../../src/platform/time/LocalTime.ts"
import { closureId } from "./sales.ts"
import { packageWith, testId, venueWith } from "./venues.ts"

export const worstPackages = 12
export const startsPerDay = worstPackages * 288
const rules = Array.from({ length: 20 }, (_, i) => ({
  label: `Rule ${i}`,
  weekdays: [...weekdays],
  from: "00:00",
  until: "24:00",
  change: i % 2 === 0 ? { amount: 10 } : { percent: 1.5 }
}))

export const worstVenue = venueWith(
  {
    capacity: 25,
    grid_minutes: 5,
    lead_time_minutes: 0,
    max_advance_days: 1095,
    opening_hours: weekdays.map((weekday) => ({ weekday, opens: "00:00", closes: "24:00" }))
  },
  Array.from({ length: worstPackages }, (_, n) =>
    packageWith({
      package_id: testId.package(n + 1),
      max_children: 25,
      pricing: { base: 100, included_children: 0, extra_child: 750, adult: 0, rules }
    })
  )
)

/** Closed from one instant to another. */
export const closedFor = (start: Instant, end: Instant): Calendar => ({
  closures: [{ closure_id: closureId, start, end, reason: "Works" }],
  taken: new Map()
})

/** Each place taken on its own, all day, from one instant to another: nothing is free, and it takes all rows to know. */
export const soldOut = (start: Instant, end: Instant): Calendar => {
  const { capacity, playroom_id } = worstVenue.playroom
  const rows: Array<Taken> = []
  for (let day = start - (start % dayMs); day < end; day += dayMs)
    for (let unit = 0; unit < capacity; unit++)
      rows.push({ resource_id: playroom_id, units: [[unit, unit + 1]], start: day, end: day + dayMs })
  return { closures: [], taken: new Map([[playroom_id, rows]]) }
}
