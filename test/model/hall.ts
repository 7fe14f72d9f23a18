/** The venue of the model-based test: two rooms of one operator, with their prices and capacity. Shares no code with the service. */
import type { Package } from "../../src/catalogue/Package.ts"
import { dayMs, hourMs, minuteMs } from "../../src/kernel/LocalTime.ts"
import { ClosureId } from "../../src/kernel/Ids.ts"
import { bubbleMachine, packageWith, testId, venueWith } from "../support/venues.ts"

/** The start of every run. */
export const beginning = Date.parse("2026-11-20T09:00:00Z")
/** The days on sale. The time zone is London in winter, so local times are UTC. */
export const days: ReadonlyArray<string> = ["2026-11-23", "2026-11-24"]
export const capacity = 12
const machine = { add_on_id: bubbleMachine.add_on_id, stock: 2, unit_amount: 1200 }
/** The rooms, each with its own machines. A booking may move between them. */
const rooms = [
  { playroom_id: testId.playroom(95), name: "Model Hall", machines: machine },
  {
    playroom_id: testId.playroom(96),
    name: "Model Loft",
    machines: { add_on_id: testId.addOn(96), stock: 2, unit_amount: 1500 }
  }
] as const
export const account = "acct_1"

/** A package. `base` and `child`: prices in edition 0 of the price list. */
interface Kind {
  readonly name: string
  /** Which of the rooms. */
  readonly room: 0 | 1
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
  })
]

/** The room of a kind of visit. */
export const roomOf = (n: number): (typeof rooms)[number] => rooms[kinds[n]?.room ?? 0]

/** The second price list is 10% higher. */
const inEdition = (amount: number, edition: number): number => (edition === 0 ? amount : (amount * 11) / 10)
const leadMs = 2 * hourMs
const balanceMsOf = ({ balanceHours = 24 }: Kind): number => balanceHours * hourMs
/** Refund percentages, by the time left before the start. */
const tiers = [
  { hours_before: 48, refund_percent: 100 },
  { hours_before: 24, refund_percent: 50 }
]

/** A room in an edition of the price list. */
export const venueOf = ({ machines, name, playroom_id }: (typeof rooms)[number], edition: number) =>
  venueWith(
    { playroom_id, name, capacity },
    kinds
      .filter(({ room }) => rooms[room].playroom_id === playroom_id)
      .map((it) =>
        packageWith({
          package_id: it.package_id,
          name: it.name,
          mode: it.exclusive ? "exclusive" : "shared",
          duration_minutes: it.minutes,
          setup_minutes: it.margin,
          cleanup_minutes: it.margin,
          schedule: { times: [...it.times] },
          pricing: {
            base: inEdition(it.base, edition),
            included_children: it.child === 0 ? 100 : 0,
            extra_child: inEdition(it.child, edition),
            adult: 0,
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
    [{ ...bubbleMachine, ...machines, max_quantity: machines.stock }]
  )

/** The catalogue file of an edition of the price list, with some of the days closed. */
export const catalogueFile = (edition: number, closed: ReadonlySet<number>) => {
  const venues = rooms.map((room) => venueOf(room, edition))
  const playrooms = venues.map(({ add_ons, packages, playroom }, i) => {
    const closures = [...closed].map((day) => ({
      closure_id: ClosureId.make(`closure_01h4${String(day + i * 10).padStart(22, "0")}`),
      from: days[day] ?? "",
      to: days[day] ?? "",
      reason: "Works"
    }))
    return { ...playroom, packages, add_ons, closures }
  })
  return { version: 1, operators: venues.slice(0, 1).map(({ operator }) => operator), playrooms }
}

/** A requested visit. */
export interface Visit {
  readonly kind: number
  readonly day: number
  readonly start: number
  readonly children: number
  readonly machines: number
}

const kindOf = (visit: Visit): Kind => {
  const found = kinds[visit.kind]
  if (found === undefined) throw new Error(`no kind ${visit.kind}`)
  return found
}

/** The visit's price at `now`, in total and due when booking, by an edition of the price list. */
export const priceOf = (visit: Visit, now: number, edition: number) => {
  const it = kindOf(visit)
  const { base, child, deposit } = it
  const total =
    inEdition(base, edition) +
    inEdition(child, edition) * visit.children +
    roomOf(visit.kind).machines.unit_amount * visit.machines
  const due = deposit === undefined || visit.start - balanceMsOf(it) <= now ? total : Math.min(deposit, total)
  return { total, due }
}

/** The hours after which an unpaid balance of a visit booked at this price releases its places; undefined: never. */
export const releaseHoursOf = (visit: Visit, price: { readonly total: number; readonly due_now: number }) =>
  price.due_now < price.total ? kindOf(visit).releaseHours : undefined

/** When the balance is due: as the package says, or if that has passed or there is none, two days after the move. */
export const balanceDueAt = (visit: Visit, now: number, edition: number): number => {
  const { due, total } = priceOf(visit, now, edition)
  return due < total ? visit.start - balanceMsOf(kindOf(visit)) : Math.min(visit.start, now + 2 * dayMs)
}

/** The units of each resource that the visit takes, and their times. */
export const placesOf = (visit: Visit) => {
  const { exclusive, margin, minutes } = kindOf(visit)
  const start = visit.start - margin * minuteMs
  const end = visit.start + (minutes + margin) * minuteMs
  const { machines, playroom_id } = roomOf(visit.kind)
  const room = { resource: playroom_id as string, units: exclusive ? capacity : visit.children, start, end }
  return visit.machines === 0
    ? [room]
    : [room, { resource: machines.add_on_id as string, units: visit.machines, start, end }]
}

const unitsOf = (resource: string): number =>
  rooms.find(({ machines }) => machines.add_on_id === resource)?.machines.stock ?? capacity

/** The free units of a resource over a time range. Visits share no unit, so the peak decides. */
export const freeBeside = (visits: ReadonlyArray<Visit>, resource: string, start: number, end: number): number => {
  const taken = visits
    .flatMap(placesOf)
    .filter((place) => place.resource === resource && place.start < end && start < place.end)
  const moments = [start, ...taken.map((place) => place.start)].filter((moment) => moment >= start)
  const busiest = Math.max(
    ...moments.map((moment) =>
      taken.filter((place) => place.start <= moment && moment < place.end).reduce((sum, { units }) => sum + units, 0)
    )
  )
  return unitsOf(resource) - busiest
}

export const fitsBeside = (visits: ReadonlyArray<Visit>, visit: Visit): boolean =>
  placesOf(visit).every(({ end, resource, start, units }) => freeBeside(visits, resource, start, end) >= units)

/** Too late to book. */
export const tooSoon = (visit: Visit, now: number): boolean => visit.start < now + leadMs

/** At the last bookable millisecond: real time passes during a call, although the model's clock does not. */
export const atTheEdge = (visit: Visit, now: number): boolean => visit.start === now + leadMs

/** Whether the visit, with set-up and clean-up, overlaps the day. */
export const onDay = (visit: Visit, day: number): boolean => {
  const from = Date.parse(`${days[day] ?? ""}T00:00:00Z`)
  return placesOf(visit).some(({ end, start }) => start < from + dayMs && from < end)
}

/** The refund of a cancellation at `now`. */
export const refundAt = (visit: Visit, now: number, paid: number): number => {
  const left = visit.start - now
  const percent = tiers.find(({ hours_before }) => left >= hours_before * hourMs)?.refund_percent ?? 0
  const refundable = Math.max(0, paid - (kindOf(visit).nonRefundable ?? 0))
  // In whole minor units, rounded half up: half of £8.25 is £4.13.
  return Math.round((refundable * percent) / 100)
}
