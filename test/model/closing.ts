/** Staff close times and reopen them, and cancel what is booked then in one go; the model checks the answers. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { ClosedTimes } from "../../src/domain/booking/ClosedTime.ts"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import { BookingId } from "../../src/platform/ids/Ids.ts"
import { makeVenueClosures } from "../../src/domain/booking/VenueClosures.ts"
import { deskAffected } from "../../src/surfaces/web/desk/AffectedBookings.ts"
import { staff } from "./desk.ts"
import { type ClosedTime, operator_id, rangeOf, type Room, rooms, type Sizes } from "./hall.ts"
import { bookedIn, isLapsed, numbers } from "./invariants.ts"
import { type ClosedPlan, type Ledger, nth } from "./Ledger.ts"
import { overbooked } from "./sizes.ts"
import { type Snapshot, takeSnapshot } from "./snapshot.ts"
import { returnedInRows } from "./views.ts"
import { Outside } from "./world.ts"

const together = { concurrency: "unbounded" } as const

/** Of the bookings in closed time, those that are no lapsed holds. */
const liveIn = (ledger: Ledger, snapshot: Snapshot, closed: ReadonlyArray<ClosedTime>, now: number) =>
  bookedIn(ledger, snapshot, closed, now).filter((id) =>
    snapshot.bookings.some((row) => row.booking_id === id && !isLapsed(snapshot, row, now))
  )

/** The bookings that can't take place as things stand: in closed time, or with more than there is. */
export const blocked = (ledger: Ledger, snapshot: Snapshot, now: number): ReadonlySet<string> =>
  new Set([...liveIn(ledger, snapshot, ledger.closures, now), ...overbooked(ledger, snapshot, ledger.sizes, now)])

export const linesOf = ({ history }: Snapshot, id: string) =>
  history.filter(({ booking_id }) => booking_id === id).length

/** No unit is taken twice, so all of a time is taken if the sum of what is taken is all that there is. */
const isTaken = ({ occupancy }: Snapshot, { end, room, start }: ClosedTime, sizes: Sizes): boolean => {
  const { playroom_id } = rooms[room]
  const capacity = sizes.rooms[room]
  const sum = occupancy
    .filter(({ resource }) => resource === playroom_id)
    .reduce((all, one) => {
      const during = Math.max(0, Math.min(end, one.end) - Math.max(start, one.start))
      return all + during * numbers(one.units).filter((unit) => unit < capacity).length
    }, 0)
  return sum === (end - start) * capacity
}

/** Two members of staff close the same at once: by what a page showed, or by command. */
export const close = Effect.fnUntraced(function* (
  ledger: Ledger,
  {
    by,
    room,
    times
  }: { readonly room: Room | undefined; readonly times: ClosedTimes; readonly by: "desk" | "command" },
  alone: boolean
) {
  const { now } = yield* Outside
  const before = ledger.last
  const service = yield* makeVenueClosures
  const wanted = (room === undefined ? ([0, 1] as const) : [room]).map((one) => ({ room: one, ...rangeOf(times) }))
  const wish = {
    operator_id,
    ...(room === undefined ? {} : { playroom_id: rooms[room].playroom_id }),
    times,
    reason: "Broken castle"
  }
  const plan = yield* Effect.result(service.plan(wish))
  const isOver = wanted.some(({ end }) => end <= now)
  if (Result.isFailure(plan)) return assert.isTrue(isOver && plan.failure._tag === "ClosingRefused", "not closed")
  const shown = by === "desk" ? { shown: plan.success.shown } : {}
  const answers = yield* Effect.all(
    staff.map((who) => Effect.result(service.close(wish, { who, ...shown }))),
    together
  )
  const inside = liveIn(ledger, before, wanted, now)
  const isClosed = ({ end, room: where, start }: ClosedTime) =>
    ledger.closures.some((one) => one.room === where && one.start === start && one.end === end)
  const fresh = wanted.filter((one) => !isClosed(one)).length
  let made = 0
  for (const answer of answers) {
    if (Result.isFailure(answer)) {
      assert.isFalse(alone, "not closed, though nothing ran at once")
      assert.strictEqual(answer.failure._tag, "ClosingChanged")
      continue
    }
    const closed = answer.success
    const told = closed.inside.map(({ booking_id }) => booking_id as string)
    assert.strictEqual(closed.inside_in_all, told.length)
    if (alone) assert.sameMembers(told, [...inside], "what is booked then")
    // A payment may confirm a hold whose time is up, if it comes before anything else.
    const late = alone ? [] : bookedIn(ledger, before, wanted, now)
    for (const closure_id of closed.made) {
      made += 1
      const [found] = yield* service.upcoming({ closure_id }, 1)
      const { end, playroom_id, start } = found ?? assert.fail("no closure")
      const where = rooms.findIndex((one) => one.playroom_id === playroom_id) === 0 ? 0 : 1
      assert.deepInclude(wanted, { room: where, start, end })
      ledger.closures = [
        ...ledger.closures,
        { closure_id, room: where, start, end, inside: new Set([...told, ...late]) }
      ]
    }
  }
  if (!alone) return
  assert.strictEqual(made, fresh, "each room is closed once")
  const after = yield* takeSnapshot
  for (const one of wanted) assert.isTrue(isTaken(after, one, ledger.sizes), "places are left in closed time")
})

/** Two members of staff reopen the same at once. */
export const reopen = Effect.fnUntraced(function* (ledger: Ledger, n: number, alone: boolean) {
  const closure = nth(ledger.closures, n)
  if (closure === undefined) return
  const { closure_id } = closure
  const answers = yield* Effect.all(
    staff.map((who) =>
      Effect.result(Effect.flatMap(makeVenueClosures, (service) => service.lift({ closure_id, operator_id }, who)))
    ),
    together
  )
  const done = answers.filter(Result.isSuccess)
  for (const answer of answers) if (Result.isFailure(answer)) assert.strictEqual(answer.failure._tag, "ClosureNotFound")
  assert.isAtMost(done.length, 1, "reopened twice")
  if (alone) assert.lengthOf(done, 1, "it was closed")
  if (done.length > 0) ledger.closures = ledger.closures.filter((one) => one !== closure)
})

/** A booking was cancelled with all that was paid for it going back. */
export const noteCancelled = Effect.fnUntraced(function* (ledger: Ledger, id: string) {
  const booked = ledger.bookings.find(({ booking_id }) => booking_id === id) ?? assert.fail("no booking")
  assert.isUndefined(booked.cancelled, "cancelled twice")
  const { paid } = yield* Bookings.use((bookings) => bookings.get(id))
  booked.cancelled = { owed: paid, least: paid, paid }
})

const cancelling = (ids: ReadonlyArray<string>) =>
  new Map(ids.map((id) => [BookingId.make(id), { action: "cancel" } as const]))

/** Staff choose which of the bookings in closed time they cancel: all, or all but one. */
export const planClosed = Effect.fnUntraced(function* (ledger: Ledger, keep: number | undefined, alone: boolean) {
  const { now } = yield* Outside
  const before = ledger.last
  const service = yield* deskAffected
  const { visits } = yield* service.page(operator_id, undefined)
  const there: ReadonlyArray<string> = visits.map(({ visit }) => visit.booking_id)
  if (alone) assert.sameMembers([...there], [...blocked(ledger, before, now)], "what can't take place")
  const chosen = there.filter((id) => keep === undefined || id !== nth(there, keep))
  const { planned, shown } = yield* service.plan(operator_id, cancelling(chosen), {
    as: "staff",
    operator_id,
    name: "Ann",
    role: "manager"
  })
  if (alone) assert.lengthOf(planned, chosen.length)
  if (shown === undefined) return
  const paidFor = (id: string) => before.bookings.find((row) => row.booking_id === id)?.paid ?? assert.fail("no row")
  if (alone) for (const { refused } of planned) assert.isUndefined(refused, "it is alive")
  const feasible = planned.filter(({ refused }) => refused === undefined)
  const all = feasible.map(({ booking: { booking_id }, would }) => {
    const refund = would?.refund
    const back = returnedInRows(before, booking_id)
    if (alone) assert.strictEqual(refund?.amount, paidFor(booking_id) - back, "all that was paid goes back")
    return [booking_id, { refund: refund?.amount, lines: alone ? linesOf(before, booking_id) : undefined }] as const
  })
  ledger.plan = { shown, planned: new Map(all) }
})

/** Two members of staff do at once what the last page showed, maybe long before. */
export const carryOut = Effect.fnUntraced(function* (ledger: Ledger, alone: boolean) {
  const { now } = yield* Outside
  const before = ledger.last
  const inside = blocked(ledger, before, now)
  const { plan } = ledger
  if (plan === undefined) return
  const chosen = [...plan.planned.keys()]
  const service = yield* deskAffected
  const answers = yield* Effect.all(
    staff.map((name) => {
      const who = { as: "staff", name, operator_id, role: "manager" } as const
      return service.carryOut(operator_id, cancelling(chosen), { shown: plan.shown, who })
    }),
    together
  )
  const done = new Set<string>()
  for (const answer of answers) {
    const { done: cancelled, gone, left, to_do } = answer ?? assert.fail("the page was of other bookings")
    assert.strictEqual(to_do.size, 0)
    assert.strictEqual(cancelled.length + gone + left.length, chosen.length)
    for (const { did, visit } of cancelled) {
      const id: string = visit.booking_id
      assert.strictEqual(did.refund.amount, plan.planned.get(id)?.refund, "what was shown is what goes back")
      yield* noteCancelled(ledger, id)
      done.add(id)
    }
  }
  if (!alone) return
  const after = yield* takeSnapshot
  checkDone(ledger, plan.planned, done, { before, inside }, after, now)
})

/**
 * What was planned is done, if it was as shown; unless enough others have left by then. `inside`: what could not take
 * place before, by where it was then.
 */
export const checkDone = (
  ledger: Ledger,
  planned: ClosedPlan["planned"],
  done: ReadonlySet<string>,
  { before, inside }: { readonly before: Snapshot; readonly inside: ReadonlySet<string> },
  after: Snapshot,
  now: number
): void => {
  const still = blocked(ledger, after, now)
  for (const [id, { lines }] of planned) {
    if (lines === undefined) continue
    const isAsShown = inside.has(id) && lines === linesOf(before, id)
    // The provider may know of a refund or a dispute that we did not.
    const isNew = lines < linesOf(after, id)
    assert.isTrue(done.has(id) ? isAsShown : !isAsShown || isNew || !still.has(id), `${id} is done: ${done.has(id)}`)
  }
}
