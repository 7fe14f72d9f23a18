/** What may be booked in a phase, found by what the service offers. */
import { Effect, Option } from "effect"
import { chanceFrom } from "../fuzz/Chance.ts"
import { callTool as persist } from "../support/outsideProvider/RoundWorld.ts"
import type { Service } from "../support/Service.ts"
import { Options, Playrooms } from "../support/McpRequests.ts"
import { type Saturday, slotOf } from "./Calls.ts"

/**
 * What may be booked in a phase: one start of a playroom on a day of its own, so that nothing else takes its places.
 */
export interface Slot {
  readonly slot: string
  readonly option_id: string
  readonly due_now: number
  readonly total: number
  /** How many parties it has places for, and how many of the places one takes. */
  readonly capacity: number
  readonly size: number
  /** Whether its terms let families move it. */
  readonly movesFreely: boolean
}
/** What may be booked, and the same visit on another day, to which bookings move. */
export interface Places {
  readonly first: Slot
  readonly other: Slot | undefined
  /** The other day costs more: families can't move there by themselves, and the difference is paid. */
  readonly costsMore: boolean
}

const dayMs = 86_400_000
/** Further ahead than free moves end, and balances are due. */
const firstDay = 21
/** The same day of the week, behind the first days of five phases. */
const otherDayAfter = 35
const dateIn = (days: number): Date => new Date(Date.now() + days * dayMs)
/** Days from a phase's Saturday. Most packages with free moves are for weekends. */
const wednesday = 4
const daysOfPhase = [0, 0, 1, wednesday, wednesday] as const

interface Offered extends Slot {
  readonly package_id: string
}
interface Asked {
  readonly playroom_id: string
  readonly day: number
  readonly afterSaturday: number
  readonly children: number
}

const optionsOn = Effect.fnUntraced(function* (
  { world }: Saturday,
  playroom_id: string,
  day: number,
  children: number
) {
  const date = dateIn(day).toISOString().slice(0, 10)
  const asked = { playroom_id, date, children, limit: 100 }
  const answer = yield* persist(world.service, Options, "get_booking_options", asked)
  if (Option.isNone(answer)) return []
  const { options, packages } = answer.value
  const freeMoves = packages.filter(({ terms }) => terms.free_reschedule_hours !== undefined)
  return options.flatMap(({ option_id, package_id, places_left, price }) => {
    const { balance_due = 0, due_now } = price
    const capacity = places_left === undefined ? { capacity: 1, size: 1 } : { capacity: places_left, size: children }
    const movesFreely = freeMoves.some((one) => one.package_id === package_id)
    const slot = slotOf(playroom_id, date)
    return due_now === 0
      ? []
      : [{ slot, option_id, package_id, due_now, total: due_now + balance_due, movesFreely, ...capacity }]
  })
})

export const allPlayrooms = (service: Service) =>
  Effect.map(persist(service, Playrooms, "search_playrooms", { limit: 50 }), (found) =>
    Option.isNone(found) ? [] : found.value.playrooms.map(({ playroom_id }) => playroom_id)
  )

/** The same visit as an option, five weeks on: on a Wednesday rather the Saturday before, if that costs more. */
const otherDayOf = Effect.fnUntraced(function* (
  saturday: Saturday,
  { package_id, total, ...first }: Offered,
  { afterSaturday, children, day, playroom_id }: Asked
) {
  const same = (yield* optionsOn(saturday, playroom_id, day + otherDayAfter, children)).find(
    (one) => one.package_id === package_id && one.due_now === first.due_now && one.total === total
  )
  if (afterSaturday !== wednesday) return { other: same, costsMore: false }
  const saturdays = yield* optionsOn(saturday, playroom_id, day - wednesday + otherDayAfter, children)
  const dearer = saturdays.find((one) => one.package_id === package_id && one.total > total)
  return { other: dearer ?? same, costsMore: dearer !== undefined }
})

/**
 * So many places, each of a playroom of its own, on the phase's day. The first are such that families may move, and few
 * for those who want them.
 */
export const findPlaces = Effect.fnUntraced(function* (saturday: Saturday, phase: number, seed: number, many: number) {
  const chance = chanceFrom(seed)
  const found: Array<Places> = []
  const rooms = [...saturday.playrooms]
  const { slots } = saturday.notes
  const untilSaturday = (13 - dateIn(firstDay).getUTCDay()) % 7
  // Not every playroom is open on every day, nor has something that costs money.
  for (let tries = 0; tries < 60 && found.length < many && rooms.length > 0; tries++) {
    const [playroom_id = ""] = rooms.splice(chance.below(rooms.length), 1)
    const afterSaturday = chance.one(daysOfPhase)
    const day = firstDay + untilSaturday + phase * 7 + afterSaturday
    const children = chance.one([4, 8])
    const options = yield* optionsOn(saturday, playroom_id, day, children)
    const free = options.filter(({ movesFreely }) => movesFreely)
    // Most are such that families may move.
    const [one, ...more] = free.length > 0 || (rooms.length > many && !chance.once(3)) ? free : options
    if (one === undefined || slots.has(one.slot)) continue
    const first = chance.one([one, ...more])
    const places = { first, ...(yield* otherDayOf(saturday, first, { playroom_id, day, afterSaturday, children })) }
    found.push(places)
    for (const { capacity, slot } of slotsOf(places)) slots.set(slot, capacity)
  }
  const order = ({ costsMore, first }: Places): number => {
    if (first.movesFreely) return 1
    return costsMore ? 2 : 2 + first.capacity / first.size
  }
  return found.sort((a, b) => order(a) - order(b))
})

export const slotsOf = ({ first, other }: Places): ReadonlyArray<Slot> =>
  other === undefined ? [first] : [first, other]
