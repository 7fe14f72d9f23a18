/** A Saturday's families: each books, looks, pays, moves and waits, whatever happens meanwhile. */
import { Effect } from "effect"
import { type Chance, chanceFrom } from "../fuzz/Chance.ts"
import { operatorCancels, payPage } from "../support/outsideProvider/Round.ts"
import { count } from "../support/outsideProvider/RoundWorld.ts"
import { betweenTries, book, clientNow, look, mostTries, type Saturday } from "./Calls.ts"
import { moveTo } from "./Moves.ts"
import { type Places, type Slot, slotsOf } from "./Places.ts"
import type { Family, Phase } from "./Script.ts"

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

/** An operator cancels a visit that is paid by this session. */
const cancel = Effect.fnUntraced(function* (
  { nodes, notes, world }: Saturday,
  booking_id: string,
  session: string,
  amount: number,
  chance: Chance
) {
  const { sessions } = yield* world.provider.record
  const currency = sessions.find(({ id }) => id === session)?.currency.toUpperCase() ?? ""
  const own = { ...world, service: chance.one(nodes), chance }
  const began = clientNow()
  const done = yield* operatorCancels(own, { booking_id, currency, payments: [{ session, amount }] })
  notes.events.push({ kind: "cancel", booking_id, began, ended: done ? clientNow() : undefined })
})

/** A paid visit moves to the other day, and sometimes back; `meanwhile` happens at the same time. */
const move = Effect.fnUntraced(function* (
  saturday: Saturday,
  { byCommand, cancelled, moves, name }: Family,
  booking_id: string,
  { costsMore, first, other }: Places & { readonly other: Slot },
  awaits: boolean,
  chance: Chance,
  meanwhile: Effect.Effect<void, unknown>
) {
  const { fault, nodes, world } = saturday
  if (!(yield* isConfirmed(saturday, booking_id, chance))) {
    count(world, "not confirmed in time to move")
    return yield* meanwhile
  }
  fault.movers++
  if (awaits) while (!fault.begun) yield* Effect.sleep("10 millis")
  const moving = Effect.gen(function* () {
    // What was paid more would go back again.
    for (const to of moves === "there" || costsMore ? [other] : [other, first]) {
      yield* Effect.sleep(chance.below(800))
      if (!(yield* moveTo(saturday, booking_id, to, () => chance.one(nodes), byCommand || costsMore))) return false
      yield* look(saturday, booking_id, chance.one(nodes))
    }
    return true
  })
  const [isThere] = yield* Effect.all([moving, meanwhile], { concurrency: 2 })
  if (!costsMore || cancelled || !isThere) return
  const own = { ...world, service: chance.one(nodes), chance }
  yield* payPage(own, { booking_id, purpose: "balance", idempotency_key: `${name}-more` }, "difference")
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
  yield* Effect.sleep(chance.below(family.otherDay ? 3200 : 400))
  const booked = yield* bookFirmly(saturday, family, slot)
  if (booked === undefined || !("booking_id" in booked)) return
  notes.acknowledged++
  const { booking_id } = booked
  yield* look(saturday, booking_id, chance.one(nodes))
  if (family.pays) {
    const own = { ...world, service: chance.one(nodes), chance }
    const session = yield* payPage(own, { booking_id, idempotency_key: family.name }, "booking")
    if (session !== undefined) {
      const { other } = places
      const leaves = family.cancelled ? cancel(saturday, booking_id, session, slot.due_now, chance) : Effect.void
      yield* family.moves === "no" || other === undefined
        ? leaves
        : move(saturday, family, booking_id, { ...places, other }, awaitsMove, chance, leaves)
    }
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

/**
 * Once everything works again somebody asks for each of the places: what nobody has must be free, and the rest must
 * not.
 */
export const askForAll = (saturday: Saturday, found: ReadonlyArray<Places>) =>
  Effect.forEach(
    found.flatMap(slotsOf),
    (slot) => book(saturday, `newcomer ${slot.slot}`.replaceAll(" ", "-"), slot, saturday.nodes[0]),
    { discard: true }
  )
