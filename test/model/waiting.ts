/**
 * Families who wait for places that others have booked out. The model knows who waits for what, in which turn, and when
 * places must be offered: to the first that fits, at today's price, before anybody else gets them.
 */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { Bookings, offerPlaces } from "../../src/domain/booking/Bookings.ts"
import { waitingLimits, WaitingList } from "../../src/domain/booking/WaitingList.ts"
import { shownPrice } from "../../src/domain/catalogue/Pricing.ts"
import { decodeRows } from "../../src/platform/database/Rows.ts"
import { noteMade } from "./booking.ts"
import { fitsBeside, holdMs, leadMs, priceOf, roomOf, type Visit, waitMs } from "./hall.ts"
import { visitsOn } from "./invariants.ts"
import { isOpen, last, type Ledger, nth, type Request, type Waiting } from "./Ledger.ts"
import { contactOf } from "./repeatedRequests.ts"
import { type BookingNow, type Snapshot, takeSnapshot } from "./snapshot.ts"
import { Outside } from "./world.ts"

/** What families do who find nothing free, and the node that offers places. Numbers are indexes, as in `actions.ts`. */
export type WaitAct =
  /** Asks to wait for an option that was seen before: one that is taken, if there is one. */
  | { readonly do: "waitFor"; readonly seen: number; readonly email: number; readonly network: number }
  | { readonly do: "leaveList"; readonly entry: number }
  | { readonly do: "offer" }

/** Until when the visit is held if places come back now; undefined: nobody waits for it. */
const heldUntil = (ledger: Ledger, visit: Visit, now: number): number | undefined => {
  const until = Math.min(now + waitMs, visit.start - leadMs)
  return until < now + holdMs || priceOf(visit, now, ledger.edition).due === 0 ? undefined : until
}

const sameStart = (one: Visit, other: Visit): boolean =>
  one.start === other.start && roomOf(one.kind) === roomOf(other.kind)

/** Whether a visit would get its places now, beside those that have theirs. */
const isFree = (ledger: Ledger, snapshot: Snapshot, visit: Visit, now: number): boolean =>
  isOpen(ledger, visit) && fitsBeside(visitsOn(ledger, snapshot, now), visit, ledger.sizes)

const senders = ["192.0.2.1", "198.51.100.1"] as const

export const waitFor = Effect.fnUntraced(function* (
  ledger: Ledger,
  { email, network, seen: n }: Extract<WaitAct, { readonly do: "waitFor" }>,
  alone: boolean
) {
  const { now } = yield* Outside
  const before = ledger.last
  const taken = ledger.options.filter(({ visit }) => !isFree(ledger, before, visit, now))
  const seen = nth(taken.length > 0 ? taken : ledger.options, n)
  if (seen === undefined) return
  const { visit } = seen
  const request: Request = { key: "", email: `payer${email}`, seen, as: "plain", idempotency_key: undefined }
  const { email: contact_email, name: contact_name } = contactOf(request)
  const child_ages = visit.ages ?? []
  const bookings = yield* Bookings
  const waited = yield* bookings.waitedFor(seen.option.option_id, child_ages)
  const until = visit.start <= now ? undefined : heldUntil(ledger, visit, now)
  // Whoever can't have the code any more waits for nothing that is told.
  if (alone && visit.code === undefined && isOpen(ledger, visit)) {
    if (until === undefined) assert.strictEqual(waited, "none", "nobody waits for this")
    else assert.strictEqual(waited === "free", isFree(ledger, before, visit, now), "whether it is free")
  }
  if (typeof waited !== "object") return
  const who = { contact_name, contact_email, child_ages, language: "en" }
  const joined = yield* WaitingList.use((list) => list.join(waited, who, senders[network] ?? senders[0]))
  const ofStart = ledger.waiting.filter((one) => sameStart(one.visit, visit))
  const known = ofStart.some((one) => one.option_id === waited.option_id && one.request.email === request.email)
  const ofNetwork = ofStart.filter((one) => one.network === network)
  const full =
    ofNetwork.length >= waitingLimits.network ||
    ledger.waiting.filter((one) => one.request.email === request.email).length >= waitingLimits.email
  if (alone)
    assert.strictEqual(joined.startsWith("waiting_") ? "on it" : joined, known ? "known" : full ? "full" : "on it")
  if (joined === "known" || joined === "full") return
  const turn = Math.max(0, ...ofNetwork.map((one) => one.turn)) + 1
  const entry = { waiting_id: joined, option_id: waited.option_id, visit, request, network, turn }
  ledger.waiting = [...ledger.waiting, entry]
})

export const leaveList = Effect.fnUntraced(function* (ledger: Ledger, n: number) {
  const entry = nth(ledger.waiting, n)
  if (entry === undefined) return
  assert.isTrue(yield* WaitingList.use((list) => list.leave(entry.waiting_id)), "it was on the list")
  ledger.waiting = ledger.waiting.filter((one) => one !== entry)
})

const rowsOf = decodeRows(
  Schema.Array(Schema.Struct({ waiting_id: Schema.String, turn: Schema.Int, due: Schema.Boolean }))
)
const rowsAt = (now: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    rowsOf(sql`select waiting_id, turn, look_at <= ${new Date(now)} as due from waiting
      order by turn, created_at, waiting_id`)
  )
const offeredOf = decodeRows(Schema.Array(Schema.Struct({ waiting_id: Schema.String, booking_id: Schema.String })))

/** Notes the booking that an entry became. */
const noteOffered = Effect.fnUntraced(function* (
  ledger: Ledger,
  { request, visit, waiting_id }: Waiting,
  row: BookingNow,
  now: number
) {
  const { code: _, ...plain } = visit
  const seen = {
    visit: row.code === null ? plain : { ...plain, code: row.code },
    edition: ledger.edition,
    option: { ...request.seen.option, option_id: row.option_id, price: shownPrice(row.price) }
  }
  const { due, total } = priceOf(seen.visit, now, ledger.edition)
  assert.deepStrictEqual([row.total, row.due_now], [total, due], "what came back is offered at today's price")
  assert.strictEqual(row.hold_expires_at, heldUntil(ledger, seen.visit, now), "until when it is held")
  ledger.options.push(seen)
  const key = roomOf(visit.kind).playroom_id
  const made = yield* Bookings.use((bookings) => bookings.get(row.booking_id))
  noteMade(ledger, { ...request, key, seen, idempotency_key: waiting_id }, made, false)
})

/** Places that came back are offered, as a node does every two seconds. */
export const offer = Effect.fnUntraced(function* (ledger: Ledger) {
  const { now } = yield* Outside
  const sql = yield* SqlClient.SqlClient
  const before = yield* rowsAt(now)
  assert.sameMembers(
    before.map(({ waiting_id }) => waiting_id),
    ledger.waiting.map(({ waiting_id }) => waiting_id),
    "who waits"
  )
  const entryOf = (id: string) =>
    ledger.waiting.find(({ waiting_id }) => waiting_id === id) ?? assert.fail("nobody put this on the list")
  for (const { turn, waiting_id } of before) assert.strictEqual(turn, entryOf(waiting_id).turn, "its turn")
  // By turn, in each start.
  const inTurn = before.map(({ waiting_id }) => entryOf(waiting_id))
  const due = inTurn.filter(({ visit }) =>
    before.some((one) => one.due && sameStart(entryOf(one.waiting_id).visit, visit))
  )
  yield* offerPlaces
  const after = yield* takeSnapshot
  const still = new Set((yield* rowsAt(now)).map(({ waiting_id }) => waiting_id))
  const ids = before.map(({ waiting_id }) => waiting_id)
  const became = yield* offeredOf(sql`select i.idempotency_key as waiting_id, h.booking_id from idempotency i
    join booking_history h on h.booking_id = i.result_id and h.from_status is null
    where i.idempotency_key = any(${ids}::text[]) order by h.seq`)
  // Who has the visit already, by an earlier entry, is offered nothing more.
  const offered = became.filter(({ booking_id }) => ledger.bookings.every((one) => one.booking_id !== booking_id))
  const canHave = ({ visit }: Waiting, snapshot: Snapshot) =>
    heldUntil(ledger, visit, now) !== undefined && isFree(ledger, snapshot, visit, now)
  for (const { booking_id, waiting_id } of offered) {
    const entry = entryOf(waiting_id)
    assert.isFalse(still.has(waiting_id), "who was offered places waits no longer")
    const row = after.bookings.find((one) => one.booking_id === booking_id) ?? assert.fail("no booking")
    const earlier = inTurn.slice(0, inTurn.indexOf(entry)).filter((one) => still.has(one.waiting_id))
    for (const one of earlier.filter(({ visit }) => sameStart(visit, entry.visit)))
      assert.isFalse(canHave(one, after), "an earlier one was passed over")
    yield* noteOffered(ledger, entry, row, now)
  }
  for (const entry of inTurn) {
    if (still.has(entry.waiting_id) || offered.some(({ waiting_id }) => waiting_id === entry.waiting_id)) continue
    const has = ledger.bookings.some(
      ({ contacts, request }) =>
        request.key === roomOf(entry.visit.kind).playroom_id &&
        request.seen.option.option_id === entry.option_id &&
        contacts.some(({ email }) => email === contactOf(entry.request).email)
    )
    assert.isTrue(has, "off the list, and no booking was made")
  }
  for (const entry of due)
    assert.isFalse(still.has(entry.waiting_id) && canHave(entry, after), "free, and not offered to who waits")
  ledger.waiting = ledger.waiting.filter(({ waiting_id }) => still.has(waiting_id))
})

const some = fc.oneof(fc.nat({ max: 20 }), fc.constant(last))
export const waitings: fc.Arbitrary<WaitAct> = fc.record({
  do: fc.constant("waitFor" as const),
  seen: some,
  email: fc.nat({ max: 4 }),
  network: fc.constantFrom(0, 0, 1)
})
export const leavings: fc.Arbitrary<WaitAct> = fc.record({ do: fc.constant("leaveList" as const), entry: some })
