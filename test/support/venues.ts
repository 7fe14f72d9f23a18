/**
 * Venues with the terms of real ones, and arbitrary ones. Amounts are minor units. Every "real venue term" that the
 * model must be able to say is here: the party hall has the party terms, the soft play centre those of open play.
 */

import { Schema } from "effect"
import { AddOn, Package } from "../../src/domain/catalogue/Package.ts"
import { Playroom, type Venue } from "../../src/domain/catalogue/Playroom.ts"
import type { Party } from "../../src/domain/catalogue/Pricing.ts"
import { AddOnId, ClosureId, OperatorId, PackageId, PlayroomId } from "../../src/platform/ids/Ids.ts"
import { instantAt, minutesOf, weekdays } from "../../src/platform/time/LocalTime.ts"
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

/** The n-th id of a kind; they sort by n. */
const suffix = (n: number): string => `_01h4${String(n).padStart(22, "0")}`
export const testId = {
  operator: (n: number) => OperatorId.make(`operator${suffix(n)}`),
  playroom: (n: number) => PlayroomId.make(`playroom${suffix(n)}`),
  package: (n: number) => PackageId.make(`package${suffix(n)}`),
  addOn: (n: number) => AddOnId.make(`addon${suffix(n)}`)
}

const playroom: Playroom = {
  playroom_id: testId.playroom(1),
  operator_id: testId.operator(1),
  name: "Clapham Party Hall",
  summary: "A hall for parties.",
  description: "A hall for parties, with a kitchen.",
  address: "1 Common Lane",
  city: "London",
  country: "GB",
  latitude: 51.46,
  longitude: -0.14,
  time_zone: "Europe/London",
  currency: "GBP",
  capacity: 30,
  age_min: 1,
  age_max: 11,
  amenities: ["kitchen"],
  photos: [],
  house_rules: "Socks on.",
  accessibility: "Step-free.",
  opening_hours: weekdays.map((weekday) => ({ weekday, opens: "09:00", closes: "18:00" })),
  overrides: [],
  grid_minutes: 30,
  lead_time_minutes: 120,
  max_advance_days: 365,
  tax: { rate_percent: 20, included: true }
}

const openPackage: Package = {
  package_id: testId.package(1),
  name: "Open play",
  description: "An hour of play.",
  mode: "shared",
  duration_minutes: 60,
  setup_minutes: 0,
  cleanup_minutes: 0,
  min_children: 1,
  max_children: 10,
  schedule: {},
  pricing: { base: 0, included_children: 0, extra_child: 750, adult: 0, rules: [] },
  payment: { kind: "full" },
  cancellation: [{ hours_before: 24, refund_percent: 100 }]
}

const operator: Venue["operator"] = {
  operator_id: testId.operator(1),
  name: "Play Ltd",
  connected_account_id: "acct_1",
  application_fee_percent: 5
}

/** A playroom that differs from the hall in what is given. */
export const playroomWith = (changes: Partial<Playroom>): Playroom => ({ ...playroom, ...changes })
/** A package that differs from an hour of open play at £7.50 a child in what is given. */
export const packageWith = (changes: Partial<Package>): Package => ({ ...openPackage, ...changes })
/** £7.50 a child, babies free, toddlers half. */
export const pricedByAge: Package["pricing"] = {
  ...openPackage.pricing,
  child_rules: [
    { label: "Babies", age_to: 1, change: { price: 0 } },
    { label: "Toddlers", age_from: 2, age_to: 3, change: { percent: -50 } }
  ]
}
export const venueWith = (
  changes: Partial<Playroom>,
  packages: ReadonlyArray<Package> = [],
  add_ons: ReadonlyArray<AddOn> = []
): Venue => ({ playroom: playroomWith(changes), operator, packages, add_ons })

/**
 * 2 h parties at 10:00, 12:30 and 15:00 on Saturdays only, £18 a child, at least 10 billed even if fewer come; £100
 * deposit that is not refundable, balance on the day; final headcount 48 h before; free reschedule until 14 days
 * before; refund 100 % ≥ 30 days, 50 % 29 to 8 days, 0 % later. Clean-up and the next set-up just fit between two
 * parties.
 */
export const saturdayParty = packageWith({
  package_id: testId.package(2),
  name: "Saturday party",
  mode: "exclusive",
  duration_minutes: 120,
  setup_minutes: 15,
  cleanup_minutes: 15,
  min_children: 4,
  max_children: 24,
  max_adults: 30,
  schedule: { weekdays: ["saturday"], times: ["10:00", "12:30", "15:00"] },
  pricing: { base: 0, included_children: 0, extra_child: 1800, adult: 0, min_billed_children: 10, rules: [] },
  payment: { kind: "deposit", deposit: { amount: 10_000 }, balance_due_hours_before: 0, refundable: false },
  cancellation: [
    { hours_before: 30 * 24, refund_percent: 100 },
    { hours_before: 8 * 24, refund_percent: 50 }
  ],
  final_headcount_hours_before: 48,
  free_reschedule_hours_before: 14 * 24
})

/**
 * 30 min set-up and 15 min clean-up; £240 for up to 12 children, £15 for each more, 25 % deposit with the balance two
 * weeks before, dearer at weekends.
 */
export const wholeHall = packageWith({
  package_id: testId.package(3),
  name: "Whole hall",
  mode: "exclusive",
  duration_minutes: 150,
  setup_minutes: 30,
  cleanup_minutes: 15,
  min_children: 1,
  max_children: 30,
  pricing: {
    base: 24_000,
    included_children: 12,
    extra_child: 1500,
    adult: 250,
    included_adults: 12,
    rules: [
      { label: "Weekend", weekdays: ["saturday", "sunday"], change: { percent: 15 } },
      { label: "December", date_from: "2026-12-01", date_to: "2026-12-31", change: { amount: 2000 } }
    ]
  },
  payment: {
    kind: "deposit",
    deposit: { percent: 25 },
    balance_due_hours_before: 14 * 24,
    refundable: true
  }
})

/**
 * Open play 60 min every 30 min, 25 places, £7.50 a child, adults free; toddlers' mornings at half price on weekdays.
 */
export const openPlay = packageWith({
  package_id: testId.package(4),
  max_children: 25,
  pricing: {
    base: 0,
    included_children: 0,
    extra_child: 750,
    adult: 0,
    rules: [
      {
        label: "Toddlers' morning",
        weekdays: ["monday", "tuesday", "wednesday", "thursday", "friday"],
        until: "12:00",
        change: { percent: -50 }
      }
    ]
  }
})

export const host: AddOn = {
  add_on_id: testId.addOn(1),
  name: "Party host",
  unit: "per_booking",
  unit_amount: 6000,
  max_quantity: 1
}
export const cake: AddOn = {
  add_on_id: testId.addOn(2),
  name: "Cake",
  unit: "per_item",
  unit_amount: 3550,
  max_quantity: 3
}
export const lunchBox: AddOn = {
  add_on_id: testId.addOn(3),
  name: "Lunch box",
  unit: "per_child",
  unit_amount: 495,
  max_quantity: 1
}
/** Two of them exist. */
export const bubbleMachine: AddOn = {
  add_on_id: testId.addOn(4),
  name: "Bubble machine",
  unit: "per_item",
  unit_amount: 1200,
  max_quantity: 2,
  stock: 2
}

/** The hall: parties only, tax inside the prices. */
export const partyHall = venueWith({}, [saturdayParty, wholeHall], [host, cake, lunchBox, bubbleMachine])
/** The soft play centre: 25 places, and the whole room for a party. */
export const softPlay = venueWith(
  { playroom_id: testId.playroom(2), name: "Soft Play Centre", capacity: 25 },
  [openPlay, { ...saturdayParty, package_id: testId.package(5) }],
  [bubbleMachine]
)

/** Fails where a fixture is not what the catalogue would take. */
export const checkVenue = (venue: Venue): void => {
  Schema.decodeUnknownSync(Playroom)(venue.playroom)
  for (const pkg of venue.packages) Schema.decodeUnknownSync(Package)(pkg)
  for (const addOn of venue.add_ons) Schema.decodeUnknownSync(AddOn)(addOn)
}

// Parties, and moments of the venues in London.

export const at = (date: string, time: string) => instantAt("Europe/London", date, minutesOf(time))
export const party = (children: number, adults = 0, add_ons: Party["add_ons"] = []): Party => ({
  children,
  adults,
  add_ons
})

/**
 * The file that `playroom catalogue new` writes, as an owner changes it: another business, with two rooms that sell the
 * same.
 */
export const twoRooms = (starter: string): string => {
  const text = starter.replaceAll("my-business", "castle-play")
  const rooms = text.indexOf("  - slug: main-hall")
  return `${text}\n${text.slice(rooms).replace("main-hall", "garden-room").replace("My Playroom", "Garden Room")}`
}

// Selling, as far as a calendar is concerned.

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

/**
 * The calendar after the places of a booking were taken, by its own row at the end; `undefined` where they are not
 * there.
 */
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
