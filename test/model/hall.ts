/**
 * The venue of the model-based test: two rooms of one operator, with their prices and capacity. Shares no code with the
 * service; prices are those of the oracle.
 */
import type { ClosedTimes } from "../../src/domain/booking/ClosedTime.ts"
import type { AddOn, ChildRule, Package, PriceCode } from "../../src/domain/catalogue/Package.ts"
import { dayMs, hourMs, minuteMs } from "../../src/platform/time/LocalTime.ts"
import { ClosureId } from "../../src/platform/ids/Ids.ts"
import { priceByHand, ratesByHand } from "../support/oracle/Price.ts"
import { packageWith, testId, venueWith } from "../support/venues.ts"

/** The start of every run. */
export const beginning = Date.parse("2026-11-20T09:00:00Z")
/** The days on sale. The time zone is London in winter, so local times are UTC. */
export const days: ReadonlyArray<string> = ["2026-11-23", "2026-11-24"]
export const operator_id = testId.operator(1)
const castles = "castles"

/** How much there is: the capacity of each room, its machines, and the castles of both rooms. */
export interface Sizes {
  readonly rooms: readonly [number, number]
  readonly machines: readonly [number, number]
  readonly castles: number
}
export const firstSizes: Sizes = { rooms: [12, 12], machines: [2, 2], castles: 3 }
/** Parties are no larger, if the room is not smaller. */
export const largestParty = 8

const extra = (n: number, name: string, unit_amount: number, of: Pick<AddOn, "stock" | "uses">): AddOn => ({
  add_on_id: testId.addOn(n),
  name,
  unit: "per_item",
  unit_amount,
  max_quantity: 2,
  ...of
})
/** The rooms, each with machines of its own and the castles that they share. A booking may move between them. */
export const rooms = [
  {
    playroom_id: testId.playroom(95),
    name: "Model Hall",
    extras: [extra(95, "Bubble machine", 1200, { stock: 2 }), extra(97, "Bouncy castle", 3000, { uses: castles })]
  },
  {
    playroom_id: testId.playroom(96),
    name: "Model Loft",
    extras: [extra(96, "Bubble machine", 1500, { stock: 2 }), extra(98, "Bouncy castle", 3100, { uses: castles })]
  }
] as const
export type Room = 0 | 1
export const account = "acct_1"

/** How many of each extra of a room, in their order. */
export type Extras = readonly [machines: number, castles: number]

/** The add-ons that a party with these extras asks for. */
export const addOnsOf = (kind: number, extras: Extras) =>
  roomOf(kind).extras.flatMap(({ add_on_id }, i) => {
    const quantity = extras[i] ?? 0
    return quantity === 0 ? [] : [{ add_on_id, quantity }]
  })

/** A package. `base` and `child`: prices in edition 0 of the price list. */
interface Kind {
  readonly name: string
  /** Which of the rooms. */
  readonly room: Room
  readonly package_id: Package["package_id"]
  readonly exclusive: boolean
  readonly minutes: number
  readonly margin: number
  readonly times: ReadonlyArray<string>
  readonly base: number
  readonly child: number
  /** Due when booking; undefined: everything. */
  readonly deposit?: number
  readonly nonRefundable?: number
  /** The balance is due so many hours before the start: 24 if left out. */
  readonly balanceHours?: number
  /** So many hours after the balance was due, the places are released. */
  readonly releaseHours?: number
  /** What a child costs goes by its age. */
  readonly byAge?: true
  /** It costs less with the code. */
  readonly coded?: true
}

const kind = (
  n: number,
  name: string,
  { room = 0, ...rest }: Omit<Kind, "name" | "package_id" | "room"> & Partial<Pick<Kind, "room">>
): Kind => ({
  name,
  room,
  package_id: testId.package(950 + n),
  ...rest
})

export const kinds: ReadonlyArray<Kind> = [
  kind(0, "Play", {
    exclusive: false,
    minutes: 60,
    margin: 0,
    times: ["10:00", "11:00", "13:00"],
    base: 0,
    child: 750
  }),
  kind(1, "Party", { exclusive: true, minutes: 120, margin: 15, times: ["10:00", "14:00"], base: 12_000, child: 0 }),
  kind(2, "Deposit party", {
    exclusive: true,
    minutes: 60,
    margin: 15,
    times: ["11:00", "14:00"],
    base: 20_000,
    child: 0,
    deposit: 5000,
    nonRefundable: 5000
  }),
  kind(3, "Pay later", {
    exclusive: false,
    minutes: 60,
    margin: 0,
    times: ["10:00", "13:00"],
    base: 3000,
    child: 0,
    deposit: 0
  }),
  kind(4, "Free", { exclusive: false, minutes: 60, margin: 0, times: ["11:00"], base: 0, child: 0 }),
  kind(5, "Released party", {
    exclusive: true,
    minutes: 60,
    margin: 0,
    times: ["10:00", "15:00"],
    base: 16_000,
    child: 0,
    deposit: 4000,
    balanceHours: 60,
    releaseHours: 16
  }),
  kind(6, "Released, deposit kept", {
    exclusive: false,
    minutes: 60,
    margin: 0,
    times: ["11:00", "13:00"],
    base: 9000,
    child: 0,
    deposit: 3000,
    nonRefundable: 3000,
    balanceHours: 48,
    releaseHours: 12
  }),
  kind(7, "Play", {
    room: 1,
    exclusive: false,
    minutes: 60,
    margin: 0,
    times: ["10:00", "11:00", "13:00"],
    base: 0,
    child: 700
  }),
  kind(8, "Deposit party", {
    room: 1,
    exclusive: true,
    minutes: 60,
    margin: 15,
    times: ["11:00", "14:00"],
    base: 24_000,
    child: 0,
    deposit: 4000
  }),
  kind(9, "By age", {
    exclusive: false,
    minutes: 60,
    margin: 0,
    times: ["10:00", "13:00"],
    base: 1500,
    child: 750,
    deposit: 2000,
    byAge: true
  }),
  kind(10, "With a code", {
    room: 1,
    exclusive: false,
    minutes: 60,
    margin: 0,
    times: ["11:00", "13:00"],
    base: 4000,
    child: 300,
    deposit: 1500,
    coded: true
  })
]

const childRules: ReadonlyArray<ChildRule> = [
  { label: "Babies", age_to: 1, change: { price: 100 } },
  { label: "Toddlers", age_from: 2, age_to: 3, change: { percent: -50 } },
  { label: "Siblings", child_from: 3, change: { percent: -15 } }
]

/** The code that few may have. It is in no price list from the third on. */
export const code: PriceCode & { readonly max_uses: number } = {
  label: "Spring",
  code: "SPRING15",
  change: { percent: -15 },
  max_uses: 2
}

/** Whether a package costs less for a code that `used` bookings have. */
export const isCodeLeft = (kind: number, edition: number, used: number): boolean =>
  kinds[kind]?.coded === true && edition < 2 && used < code.max_uses

/** The room of a kind of visit. */
export const roomOf = (n: number): (typeof rooms)[number] => rooms[kinds[n]?.room ?? 0]

/** The editions of the price list. The second is 10% higher; in the third, what includes tax and what does not swap. */
export const editions = 3
const inEdition = (amount: number, edition: number): number => (edition === 0 ? amount : (amount * 11) / 10)
export const leadMs = 2 * hourMs
/** How long a booking is held, and what comes back for a family that waits. */
export const holdMs = 15 * minuteMs
export const waitMs = 60 * minuteMs
const balanceMsOf = ({ balanceHours = 24 }: Kind): number => balanceHours * hourMs
/** Refund percentages, by the time left before the start. */
const tiers = [
  { hours_before: 48, refund_percent: 100 },
  { hours_before: 24, refund_percent: 50 }
]

const numberOf = ({ playroom_id }: (typeof rooms)[number]): Room => (rooms[0].playroom_id === playroom_id ? 0 : 1)

/** Whether the prices of a room include the tax; it is on top of the other room's. */
const taxIncluded = (room: Room, edition: number): boolean => (room === 0) === edition < 2
/** Rates of tax by the day of the visit. What of the visit's day on holds is `changes`. */
const ratesBy = (rates: readonly [first: number, second: number]) => ({
  rate_percent: rates[0],
  ...(rates[0] === rates[1] ? {} : { changes: [{ from: days[1] ?? "", rate_percent: rates[1] }] })
})
/** The first price list is of before the tax was lowered; in the second it is raised again during the days of sale. */
const visitRates = (edition: number) => (edition === 0 ? ([20, 20] as const) : ([8, 9.5] as const))
/** What a party is of, in every edition, and an extra. */
const partyRates = [16, 10] as const
const extraRates = [10, 10] as const

/** A room in an edition of the price list. */
export const venueOf = (room: (typeof rooms)[number], edition: number, sizes: Sizes) => {
  const { extras, name, playroom_id } = room
  const capacity = sizes.rooms[numberOf(room)]
  return venueWith(
    {
      playroom_id,
      name,
      capacity,
      waiting_list_minutes: waitMs / minuteMs,
      tax: { ...ratesBy(visitRates(edition)), included: taxIncluded(numberOf(room), edition) }
    },
    kinds
      .filter(({ room }) => rooms[room].playroom_id === playroom_id)
      .map((it) =>
        packageWith({
          package_id: it.package_id,
          name: it.name,
          ...(it.exclusive ? { tax: ratesBy(partyRates) } : {}),
          mode: it.exclusive ? "exclusive" : "shared",
          duration_minutes: it.minutes,
          max_children: Math.min(largestParty, capacity),
          setup_minutes: it.margin,
          cleanup_minutes: it.margin,
          schedule: { times: [...it.times] },
          pricing: {
            base: inEdition(it.base, edition),
            included_children: it.child === 0 ? 100 : 0,
            extra_child: inEdition(it.child, edition),
            adult: 0,
            ...(it.byAge === undefined ? {} : { child_rules: childRules }),
            ...(it.coded === undefined || edition >= 2 ? {} : { codes: [code] }),
            rules: []
          },
          ...(it.deposit === undefined
            ? {}
            : {
                payment: {
                  kind: "deposit",
                  deposit: { amount: it.deposit },
                  balance_due_hours_before: it.balanceHours ?? 24,
                  refundable: it.nonRefundable === undefined,
                  ...(it.releaseHours === undefined ? {} : { release_unpaid_after_hours: it.releaseHours })
                }
              }),
          cancellation: tiers
        })
      ),
    extras.map((one) => ({
      ...one,
      tax: ratesBy(extraRates),
      ...(one.uses === undefined ? { stock: sizes.machines[numberOf(room)] } : {})
    }))
  )
}

/** The catalogue file of an edition of the price list, with some of the days closed. */
export const catalogueFile = (edition: number, closed: ReadonlySet<number>, sizes: Sizes) => {
  const venues = rooms.map((room) => venueOf(room, edition, sizes))
  const playrooms = venues.map(({ add_ons, packages, playroom }, i) => {
    const closures = [...closed].map((day) => ({
      closure_id: ClosureId.make(`closure_01h4${String(day + i * 10).padStart(22, "0")}`),
      from: days[day] ?? "",
      to: days[day] ?? "",
      reason: "Works"
    }))
    return { ...playroom, packages, add_ons, closures }
  })
  const operators = venues
    .slice(0, 1)
    .map(({ operator }) => ({ ...operator, stock: [{ slug: castles, units: sizes.castles }] }))
  return { version: 1, operators, playrooms }
}

/** A requested visit. */
export interface Visit {
  readonly kind: number
  readonly day: number
  readonly start: number
  readonly children: number
  readonly extras: Extras
  /** Of all its children, if they are told. */
  readonly ages?: ReadonlyArray<number> | undefined
  /** The code that makes it cheaper. */
  readonly code?: string | undefined
}

const kindOf = (visit: Visit): Kind => {
  const found = kinds[visit.kind]
  if (found === undefined) throw new Error(`no kind ${visit.kind}`)
  return found
}

/**
 * The room and the package of a visit, in an edition of the price list. The code of a visit is of its package, whatever
 * the price list has: a booking keeps the code with which it was made.
 */
export const soldAs = (visit: Visit, edition: number, sizes: Sizes) => {
  const venue = venueOf(roomOf(visit.kind), edition, sizes)
  const { package_id } = kindOf(visit)
  const found = venue.packages.find((one) => one.package_id === package_id)
  if (found === undefined) throw new Error(`${package_id} is in no room`)
  return { venue, pkg: { ...found, pricing: { ...found.pricing, codes: [code] } } }
}

/** Who comes to a visit, as the service is told. */
export const partyOf = ({ ages, children, code, extras, kind }: Visit) => ({
  children,
  adults: 0,
  ...(ages === undefined ? {} : { child_ages: ages }),
  add_ons: addOnsOf(kind, extras),
  ...(code === undefined ? {} : { code })
})

/** What the oracle is asked. */
const asked = (visit: Visit, edition: number, now: number) => {
  const { pkg, venue } = soldAs(visit, edition, firstSizes)
  return [venue, pkg, partyOf(visit), visit.start, now] as const
}

/** What is to be paid of each rate of tax, and the tax in it, without rates of which nothing is. */
export const taxesOf = (visit: Visit, edition: number) =>
  ratesByHand(...asked(visit, edition, visit.start)).filter(({ gross }) => gross !== 0)

/** The visit's price at `now`, in total and due when booking, by an edition of the price list. */
export const priceOf = (visit: Visit, now: number, edition: number) => {
  const { due_now, total } = priceByHand(...asked(visit, edition, now))
  return { total, due: due_now }
}

/** The hours after which an unpaid balance of a visit booked at this price releases its places; undefined: never. */
export const releaseHoursOf = (visit: Visit, price: { readonly total: number; readonly due_now: number }) =>
  price.due_now < price.total ? kindOf(visit).releaseHours : undefined

/** When the balance is due: as the package says, or if that has passed or there is none, two days after the move. */
export const balanceDueAt = (visit: Visit, now: number, edition: number): number => {
  const { due, total } = priceOf(visit, now, edition)
  return due < total ? visit.start - balanceMsOf(kindOf(visit)) : Math.min(visit.start, now + 2 * dayMs)
}

interface Span {
  readonly start: number
  readonly end: number
}
/** Whether two times have a moment in common. */
export const overlap = (one: Span, other: Span): boolean => one.start < other.end && other.start < one.end

/** The time of a visit, with set-up and clean-up. */
export const timeOf = (visit: Visit) => {
  const { margin, minutes } = kindOf(visit)
  return { start: visit.start - margin * minuteMs, end: visit.start + (minutes + margin) * minuteMs }
}

/** Whether it takes the whole room. */
export const isWhole = (visit: Visit): boolean => kindOf(visit).exclusive

/** The units of each resource that the visit takes, and their times. */
export const placesOf = (visit: Visit, sizes: Sizes) => {
  const { start, end } = timeOf(visit)
  const { extras, playroom_id } = roomOf(visit.kind)
  const units = isWhole(visit) ? sizes.rooms[kindOf(visit).room] : visit.children
  const room = { resource: playroom_id as string, units, start, end }
  const stock = extras.map((one, i) => ({ resource: resourceOf(one), units: visit.extras[i] ?? 0, start, end }))
  return [room, ...stock.filter(({ units }) => units > 0)]
}

/** What an extra takes units of: what the operator's rooms share, or its own. */
const resourceOf = ({ add_on_id, uses }: AddOn): string => (uses === undefined ? add_on_id : `@${operator_id}/${uses}`)

/** How many there are of each resource. */
export const unitsOf = (sizes: Sizes): ReadonlyMap<string, number> =>
  new Map(
    rooms.flatMap((room) => [
      [room.playroom_id as string, sizes.rooms[numberOf(room)]] as const,
      ...room.extras.map(
        (one) => [resourceOf(one), one.uses === undefined ? sizes.machines[numberOf(room)] : sizes.castles] as const
      )
    ])
  )

/** The free units of a resource over a time range. Visits share no unit, so the peak decides. */
export const freeBeside = (
  visits: ReadonlyArray<Visit>,
  { end, resource, start }: { readonly resource: string; readonly start: number; readonly end: number },
  sizes: Sizes
): number => {
  const taken = visits
    .flatMap((visit) => placesOf(visit, sizes))
    .filter((place) => place.resource === resource && overlap(place, { start, end }))
  const moments = [start, ...taken.map((place) => place.start)].filter((moment) => moment >= start)
  const busiest = Math.max(
    ...moments.map((moment) =>
      taken.filter((place) => place.start <= moment && moment < place.end).reduce((sum, { units }) => sum + units, 0)
    )
  )
  return (unitsOf(sizes).get(resource) ?? 0) - busiest
}

/** Whether there is enough for a visit beside these; of a room that one party has, for its children. */
export const fitsBeside = (visits: ReadonlyArray<Visit>, visit: Visit, sizes: Sizes): boolean =>
  visit.children <= sizes.rooms[kindOf(visit).room] &&
  placesOf(visit, sizes).every((place) => freeBeside(visits, place, sizes) >= place.units)

/** Too late to book. */
export const tooSoon = (visit: Visit, now: number): boolean => visit.start < now + leadMs

/** At the last bookable millisecond: real time passes during a call, although the model's clock does not. */
export const atTheEdge = (visit: Visit, now: number): boolean => visit.start === now + leadMs

/** A time in which a room is closed. */
export interface ClosedTime {
  readonly room: Room
  readonly start: number
  readonly end: number
}

/** Whether the visit, with set-up and clean-up, overlaps closed time. */
export const isIn = (closed: ClosedTime, visit: Visit): boolean =>
  kindOf(visit).room === closed.room && overlap(timeOf(visit), closed)

const [first = "", second = ""] = days
/** What staff close: all days, one, or a part of one. */
export const closedTimes: ReadonlyArray<ClosedTimes> = [
  { from: first, to: second },
  ...days.flatMap((day) =>
    [
      {},
      { starts: "10:00", ends: "11:00" },
      { starts: "10:30", ends: "13:30" },
      { starts: "13:00", ends: "24:00" }
    ].map((part) => ({ from: day, to: day, ...part }))
  )
]

/** These times as instants. */
export const rangeOf = ({ ends = "24:00", from, starts = "00:00", to }: ClosedTimes) => ({
  start: Date.parse(`${from}T${starts}:00Z`),
  end: Date.parse(`${to}T${ends}:00Z`)
})

/** Whether the visit, with set-up and clean-up, overlaps the day. */
export const onDay = (visit: Visit, day: number): boolean => {
  const date = days[day] ?? ""
  return isIn({ room: kindOf(visit).room, ...rangeOf({ from: date, to: date }) }, visit)
}

/** The refund of a cancellation at `now`. */
export const refundAt = (visit: Visit, now: number, paid: number): number => {
  const left = visit.start - now
  const percent = tiers.find(({ hours_before }) => left >= hours_before * hourMs)?.refund_percent ?? 0
  const refundable = Math.max(0, paid - (kindOf(visit).nonRefundable ?? 0))
  // In whole minor units, rounded half up: half of £8.25 is £4.13.
  return Math.round((refundable * percent) / 100)
}
