/** A Saturday's families: each books, looks, pays and waits, whatever happens meanwhile, and each call is written down with its answer. */
import { Cause, Effect, Exit, Option, Schema } from "effect"
import { chanceFrom } from "../fuzz/Chance.ts"
import { callTool, resultOf, toolErrorOf } from "../support/McpRequests.ts"
import { operatorCancels } from "../support/outsideProvider/OperatorCancels.ts"
import { payPage } from "../support/outsideProvider/Round.ts"
import { callTool as persist, type RoundWorld } from "../support/outsideProvider/RoundWorld.ts"
import type { Service } from "../support/Service.ts"
import { Booked, Options } from "../support/ToolAnswers.ts"
import type { Event, Shown } from "./History.ts"
import type { Family, Phase } from "./Script.ts"

/** What may be booked in a phase: one start of a playroom on a day of its own, so that nothing else takes its places. */
export interface Slot {
  readonly slot: string
  readonly option_id: string
  readonly due_now: number
  /** How many parties it has places for, and how many of the places one takes. */
  readonly capacity: number
  readonly size: number
}

/** All that is written down. */
export interface Notes {
  readonly events: Array<Event>
  readonly slots: Map<string, number>
  readonly refused: Map<string, number>
  calls: number
  acknowledged: number
  unanswered: number
}
export const emptyNotes = (): Notes => ({
  events: [],
  slots: new Map(),
  refused: new Map(),
  calls: 0,
  acknowledged: 0,
  unanswered: 0
})

export interface Saturday {
  readonly world: RoundWorld
  readonly nodes: readonly [Service, ...ReadonlyArray<Service>]
  readonly notes: Notes
  readonly callers: { cut: boolean }
  /** Where the fault of the phase is. */
  readonly fault: { begun: boolean; over: boolean }
}

/** A clock that never steps, in milliseconds since 1970. */
export const clientNow = (): number => performance.timeOrigin + performance.now()

const party = 4
const dayMs = 86_400_000

/** So many slots, each of a playroom of its own, on the phase's day. The first has places for few of those who want it. */
export const findSlots = Effect.fnUntraced(function* (
  { notes, world }: Saturday,
  phase: number,
  seed: number,
  many: number
) {
  const chance = chanceFrom(seed)
  const found: Array<Slot> = []
  const rooms = [...world.playrooms]
  // Not every playroom is open on every day, nor has something that costs money.
  for (let tries = 0; tries < 60 && found.length < many && rooms.length > 0; tries++) {
    const [playroom_id = ""] = rooms.splice(chance.below(rooms.length), 1)
    const date = new Date(Date.now() + (5 + phase * 3 + (tries % 3)) * dayMs).toISOString().slice(0, 10)
    const asked = { playroom_id, date, children: party, limit: 100 }
    const answer = yield* persist(world.service, Options, "get_booking_options", asked)
    const priced = Option.isNone(answer) ? [] : answer.value.options.filter(({ price }) => price.due_now > 0)
    const [first, ...more] = priced
    if (first === undefined) continue
    const { option_id, places_left, price } = chance.one([first, ...more])
    const slot = `${playroom_id} ${date}`
    const room = places_left === undefined ? { capacity: 1, size: 1 } : { capacity: places_left, size: party }
    found.push({ slot, option_id, ...price, ...room })
    notes.slots.set(slot, room.capacity)
  }
  return found.sort((a, b) => a.capacity / a.size - b.capacity / b.size)
})

const retryable = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ error: Schema.Struct({ code: Schema.String, retryable: Schema.Boolean }) }))
)

/** One call. None: no answer, or one that says that it may be tried again; then nobody knows what was done. */
const attempt = Effect.fnUntraced(function* (
  saturday: Saturday,
  node: Service,
  name: string,
  args: object,
  cutMs?: number
) {
  const { notes } = saturday
  notes.calls++
  const call = callTool(`${node.baseUrl}/mcp`, name, args, { "x-api-key": node.apiKey }).pipe(
    Effect.map((answer): Shown | { readonly refused: string } | undefined => {
      const { content, isError, structuredContent } = resultOf(answer)
      if (isError === true) {
        const error = retryable(content[0].text)
        if (Option.isSome(error) && error.value.error.retryable) return undefined
        return { refused: toolErrorOf(answer).code }
      }
      const { booking_id, hold_expires_at, status } = Schema.decodeUnknownSync(Booked)(structuredContent).booking
      const lapses = hold_expires_at === undefined ? {} : { lapses: new Date(hold_expires_at).getTime() }
      return { booking_id, status, ...lapses }
    }),
    Effect.timeout(cutMs ?? 30_000)
  )
  const began = clientNow()
  const exit = yield* Effect.exit(call)
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
  const answer = Exit.isSuccess(exit) ? exit.value : undefined
  if (answer === undefined) notes.unanswered++
  else if ("refused" in answer) notes.refused.set(answer.refused, (notes.refused.get(answer.refused) ?? 0) + 1)
  return { began, ended: answer === undefined ? undefined : clientNow(), answer }
})

/** A fault that lasts longer has been looked at enough. */
const mostLooks = 20
/** So often a call is repeated: minutes, which no fault lasts. */
const mostTries = 1200

/** The family's calls are repeated until there is an answer, as hosts do; sometimes by another node. */
const book = Effect.fnUntraced(function* (saturday: Saturday, { name, seed }: Family, { option_id, size, slot }: Slot) {
  const { callers, nodes, notes } = saturday
  const chance = chanceFrom(seed)
  const contact = { name: "Ana Lima", email: `${name}@example.com` }
  for (let tries = 0; tries < mostTries; tries++) {
    const node = chance.one(nodes)
    const cutMs = callers.cut ? 1 + chance.below(40) : undefined
    const args = { option_id, contact, idempotency_key: name }
    const called = yield* attempt(saturday, node, "create_booking", args, cutMs)
    notes.events.push({ kind: "book", wish: name, slot, size, ...called })
    if (called.answer !== undefined) return called.answer
    yield* Effect.sleep("250 millis")
  }
  return undefined
})

/** Looks until there is an answer. */
export const look = Effect.fnUntraced(function* (saturday: Saturday, booking_id: string, node: Service) {
  for (let tries = 0; tries < mostTries; tries++) {
    const called = yield* attempt(saturday, node, "get_booking", { booking_id })
    saturday.notes.events.push({ kind: "see", booking_id, ...called })
    if (called.answer !== undefined) return called.answer
    yield* Effect.sleep("250 millis")
  }
  return undefined
})

const runFamily = Effect.fnUntraced(function* (saturday: Saturday, family: Family, slot: Slot) {
  const { nodes, notes, world } = saturday
  const chance = chanceFrom(family.seed + 1)
  while (family.late && !saturday.fault.begun) yield* Effect.sleep("10 millis")
  yield* Effect.sleep(chance.below(400))
  const booked = yield* book(saturday, family, slot)
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
    }
  }
  // While the fault lasts, and once afterwards.
  for (let looks = 0, over = false; looks < mostLooks && !over; looks++) {
    over = saturday.fault.over
    yield* look(saturday, booking_id, chance.one(nodes))
    yield* Effect.sleep(100 + chance.below(300))
  }
})

/** All families of a phase at once. */
export const runFamilies = (saturday: Saturday, { families }: Phase, slots: ReadonlyArray<Slot>) =>
  Effect.forEach(
    families,
    (family) => {
      const slot = slots[family.slot % slots.length]
      return slot === undefined ? Effect.void : runFamily(saturday, family, slot)
    },
    { concurrency: "unbounded", discard: true }
  )
