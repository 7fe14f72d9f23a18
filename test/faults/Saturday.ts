/** A Saturday's families: each books, looks, pays, moves and waits, whatever happens meanwhile. */
import { Effect, Option } from "effect"
import { type Chance, chanceFrom } from "../fuzz/Chance.ts"
import { operatorCancels } from "../support/outsideProvider/OperatorCancels.ts"
import { payPage } from "../support/outsideProvider/Round.ts"
import { callTool as persist, count } from "../support/outsideProvider/RoundWorld.ts"
import type { Service } from "../support/Service.ts"
import { Options, Playrooms } from "../support/ToolAnswers.ts"
import { betweenTries, book, clientNow, look, mostTries, type Saturday, slotOf } from "./Calls.ts"
import { moveTo } from "./Moves.ts"
import type { Family, Phase } from "./Script.ts"

/** What may be booked in a phase: one start of a playroom on a day of its own, so that nothing else takes its places. */
export interface Slot {
  readonly slot: string
  readonly option_id: string
  readonly due_now: number
  /** How many parties it has places for, and how many of the places one takes. */
  readonly capacity: number
  readonly size: number
  /** Whether its terms let families move it. */
  readonly movesFreely: boolean
}
/** What may be booked, and the same visit at the same price on another day, to which bookings move. */
export interface Places {
  readonly first: Slot
  readonly other: Slot | undefined
}

const dayMs = 86_400_000
/** Further ahead than free moves end, and balances are due. */
const firstDay = 21
/** The same day of the week, behind the first days of five phases. */
const otherDayAfter = 35
const dateIn = (days: number): Date => new Date(Date.now() + days * dayMs)
/** Days from a phase's Saturday. Most packages with free moves are for weekends. */
const daysOfPhase = [0, 0, 1, 4] as const

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
    return due_now === 0 ? [] : [{ slot, option_id, package_id, balance_due, due_now, movesFreely, ...capacity }]
  })
})

export const allPlayrooms = (service: Service) =>
  Effect.map(persist(service, Playrooms, "search_playrooms", { limit: 50 }), (found) =>
    Option.isNone(found) ? [] : found.value.playrooms.map(({ playroom_id }) => playroom_id)
  )

/** So many places, each of a playroom of its own, on the phase's day. The first are few for those who want them. */
export const findPlaces = Effect.fnUntraced(function* (saturday: Saturday, phase: number, seed: number, many: number) {
  const chance = chanceFrom(seed)
  const found: Array<Places> = []
  const rooms = [...saturday.playrooms]
  const { slots } = saturday.notes
  const untilSaturday = (13 - dateIn(firstDay).getUTCDay()) % 7
  // Not every playroom is open on every day, nor has something that costs money.
  for (let tries = 0; tries < 60 && found.length < many && rooms.length > 0; tries++) {
    const [playroom_id = ""] = rooms.splice(chance.below(rooms.length), 1)
    const day = firstDay + untilSaturday + phase * 7 + chance.one(daysOfPhase)
    const children = chance.one([4, 8])
    const options = yield* optionsOn(saturday, playroom_id, day, children)
    const free = options.filter(({ movesFreely }) => movesFreely)
    // Most are such that families may move.
    const [one, ...more] = free.length > 0 || (rooms.length > many && !chance.once(3)) ? free : options
    if (one === undefined || slots.has(one.slot)) continue
    const first = chance.one([one, ...more])
    const other = (yield* optionsOn(saturday, playroom_id, day + otherDayAfter, children)).find(
      ({ balance_due, due_now, package_id }) =>
        package_id === first.package_id && due_now === first.due_now && balance_due === first.balance_due
    )
    found.push({ first, other })
    for (const { capacity, slot } of other === undefined ? [first] : [first, other]) slots.set(slot, capacity)
  }
  const order = ({ first }: Places): number => (2 * first.capacity) / first.size - Number(first.movesFreely)
  return found.sort((a, b) => order(a) - order(b))
})

/** A fault that lasts longer has been looked at enough. */
const mostLooks = 20

/** The family's calls are repeated until there is an answer, as hosts do; sometimes by another node. */
const bookFirmly = Effect.fnUntraced(function* (saturday: Saturday, { name, seed }: Family, slot: Slot) {
  const { callers, nodes } = saturday
  const chance = chanceFrom(seed)
  for (let tries = 0; tries < mostTries; tries++) {
    const node = chance.one(nodes)
    const answer = yield* book(saturday, name, slot, node, callers.cut ? 1 + chance.below(40) : undefined)
    if (answer !== undefined) return answer
    yield* Effect.sleep(betweenTries)
  }
  return undefined
})

/** Waits until the booking is confirmed: by the payment's event, or because the provider is asked. */
const isConfirmed = Effect.fnUntraced(function* (saturday: Saturday, booking_id: string, chance: Chance) {
  for (let looks = 0; looks < mostLooks; looks++) {
    const seen = yield* look(saturday, booking_id, chance.one(saturday.nodes))
    if (seen !== undefined && "status" in seen && seen.status !== "held") return seen.status === "confirmed"
    yield* Effect.sleep("500 millis")
  }
  return false
})

/** A paid visit moves to the other day, and sometimes back. */
const move = Effect.fnUntraced(function* (
  saturday: Saturday,
  { byCommand, moves }: Family,
  booking_id: string,
  { first, other }: Places,
  awaits: boolean,
  chance: Chance
) {
  const { fault, nodes, world } = saturday
  if (moves === "no" || other === undefined) return
  if (!(yield* isConfirmed(saturday, booking_id, chance))) return count(world, "not confirmed in time to move")
  fault.movers++
  if (awaits) while (!fault.begun) yield* Effect.sleep("10 millis")
  for (const to of moves === "there" ? [other] : [other, first]) {
    yield* Effect.sleep(chance.below(800))
    if (!(yield* moveTo(saturday, booking_id, to, () => chance.one(nodes), byCommand))) return
    yield* look(saturday, booking_id, chance.one(nodes))
  }
})

const runFamily = Effect.fnUntraced(function* (
  saturday: Saturday,
  family: Family,
  { awaitsMove }: Phase,
  places: Places
) {
  const { fault, nodes, notes, world } = saturday
  const slot = family.otherDay ? (places.other ?? places.first) : places.first
  const chance = chanceFrom(family.seed + 1)
  if (family.late) while (!fault.begun) yield* Effect.sleep("10 millis")
  // Who wants what others move to comes when they do: sooner, and nobody could move.
  const mayMove = () => fault.movers > 0
  if (family.otherDay) for (let waits = 0; waits < 1000 && !mayMove(); waits++) yield* Effect.sleep("10 millis")
  yield* Effect.sleep(chance.below(family.otherDay ? 1600 : 400))
  const booked = yield* bookFirmly(saturday, family, slot)
  if (booked === undefined || !("booking_id" in booked)) return
  notes.acknowledged++
  const { booking_id } = booked
  yield* look(saturday, booking_id, chance.one(nodes))
  if (family.pays) {
    const own = { ...world, service: chance.one(nodes), chance }
    const session = yield* payPage(own, { booking_id, idempotency_key: family.name }, "booking")
    if (session !== undefined && family.cancelled) {
      const { sessions } = yield* world.provider.record
      const currency = sessions.find(({ id }) => id === session)?.currency.toUpperCase() ?? ""
      const paid = { booking_id, currency, payments: [{ session, amount: slot.due_now }] as const }
      const began = clientNow()
      const done = yield* operatorCancels(own, paid)
      notes.events.push({ kind: "cancel", booking_id, began, ended: done ? clientNow() : undefined })
    } else if (session !== undefined) yield* move(saturday, family, booking_id, places, awaitsMove, chance)
  }
  // While the fault lasts, and once afterwards.
  for (let looks = 0, over = false; looks < mostLooks && !over; looks++) {
    over = fault.over
    yield* look(saturday, booking_id, chance.one(nodes))
    yield* Effect.sleep(100 + chance.below(300))
  }
})

/** All families of a phase at once. */
export const runFamilies = (saturday: Saturday, phase: Phase, found: ReadonlyArray<Places>) =>
  Effect.forEach(
    phase.families,
    (family) => {
      const places = found[family.slot % found.length]
      return places === undefined ? Effect.void : runFamily(saturday, family, phase, places)
    },
    { concurrency: "unbounded", discard: true }
  )

/** Once everything works again somebody asks for each of the places: what nobody has must be free, and the rest must not. */
export const askForAll = (saturday: Saturday, found: ReadonlyArray<Places>) =>
  Effect.forEach(
    found.flatMap(({ first, other }) => (other === undefined ? [first] : [first, other])),
    (slot) => book(saturday, `newcomer ${slot.slot}`.replaceAll(" ", "-"), slot, saturday.nodes[0]),
    { discard: true }
  )
