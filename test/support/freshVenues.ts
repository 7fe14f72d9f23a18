/** A venue for each test, and the short words to book there. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { BookingOptions, type BookingOptionsQuery } from "../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import type { Venue } from "../../src/domain/catalogue/Playroom.ts"
import { contact, importVenue, principal } from "./BookingWorld.ts"
import { closureId, openPlay, packageWith, softPlay, testId, venueWith } from "./venues.ts"
import type { Calendar } from "../../src/domain/availability/Availability.ts"
import type { Taken } from "../../src/domain/availability/Units.ts"
import { dayMs, type Instant, weekdays } from "../../src/platform/time/LocalTime.ts"

/** The whole room, as it is sold at `softPlay`. */
export const party = softPlay.packages[1] ?? openPlay

let venues = 10
/** A venue of its own for each test: none sees another's bookings. */
export const fresh = Effect.fnUntraced(function* (base: Venue = softPlay) {
  const n = ++venues
  const rename = (id: number) => testId.package(n * 100 + id)
  const venue: Venue = {
    operator: base.operator,
    playroom: { ...base.playroom, playroom_id: testId.playroom(n) },
    packages: base.packages.map((pkg, i) => ({ ...pkg, package_id: rename(i) })),
    add_ons: base.add_ons.map((addOn, i) => ({ ...addOn, add_on_id: testId.addOn(n * 100 + i) }))
  }
  yield* importVenue(venue)
  return venue
})

/** What may be booked there on 5 December 2026 by four children. */
export const optionsOn = (venue: Venue, query: Partial<BookingOptionsQuery> = {}) =>
  BookingOptions.use((options) =>
    options.list({ playroom_id: venue.playroom.playroom_id, date: "2026-12-05", children: 4, limit: 100, ...query })
  )

/** The first of these. */
export const firstOption = Effect.fnUntraced(function* (venue: Venue, query: Partial<BookingOptionsQuery> = {}) {
  const { options } = yield* optionsOn(venue, query)
  const [option] = options
  return option ?? assert.fail("no option")
})
/** A name of the latest venue's own. */
export const ownName = (name: string) => `${name}${venues}`

/** Books; keys and e-mail addresses are each venue's own, so that the caps of one test do not reach into the next. */
export const book = (option_id: string, who = "ana", key = "key_a", idempotency_key?: string) =>
  Effect.map(
    Bookings.use((bookings) =>
      bookings.create(principal(ownName(key)), {
        option_id,
        contact: contact(ownName(who)),
        ...(idempotency_key === undefined ? {} : { idempotency_key })
      })
    ),
    ({ row }) => row
  )

/** How many resources a booking occupies. */
export const occupied = Effect.fnUntraced(function* (booking_id: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select 1 from occupancy where booking_id = ${booking_id}`).length
})

// The largest work that an import accepts: 12 packages of 20 rules, a start every 5 minutes round the clock, three
// years ahead.

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

/**
 * Each place taken on its own, all day, from one instant to another: nothing is free, and it takes all rows to know.
 */
export const soldOut = (start: Instant, end: Instant): Calendar => {
  const { capacity, playroom_id } = worstVenue.playroom
  const rows: Array<Taken> = []
  for (let day = start - (start % dayMs); day < end; day += dayMs)
    for (let unit = 0; unit < capacity; unit++)
      rows.push({ resource_id: playroom_id, units: [[unit, unit + 1]], start: day, end: day + dayMs })
  return { closures: [], taken: new Map([[playroom_id, rows]]) }
}
