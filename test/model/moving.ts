/** The operator moves bookings; the model checks the answers. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Bookings } from "../../src/booking/Bookings.ts"
import { VisitChanges } from "../../src/payment/changes/VisitChanges.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"
import { atTheEdge, balanceDueAt, fitsBeside, onDay, priceOf, tooSoon } from "./hall.ts"
import { visitsOn } from "./invariants.ts"
import { agreedOf, type Booked, type Ledger, type Seen, termsOf } from "./Ledger.ts"
import { backAtProvider } from "./cancelling.ts"
import { isPaidFor } from "./paying.ts"
import { returnedInRows } from "./views.ts"
import { takeSnapshot } from "./snapshot.ts"
import { Outside } from "./world.ts"

const refusals = [
  "BookingCancelled",
  "HoldExpired",
  "ChangeRefused",
  "OptionInvalid",
  "OperatorUnavailable",
  "PriceChanged",
  "SlotUnavailable"
]

/** Moves a booking to an option from an earlier answer, and records the result. */
export const move = Effect.fnUntraced(function* (ledger: Ledger, booked: Booked, seen: Seen, alone: boolean) {
  const world = yield* Outside
  const provider = yield* ScriptedGateway
  const before = ledger.last
  const { booking_id } = booked
  const row = before.bookings.find((one) => one.booking_id === booking_id)
  const { option, visit } = seen
  const agreed = agreedOf(booked)
  const terms = termsOf(booked)
  const settled = isPaidFor(ledger, provider, booked, "balance") ? agreed.total : agreed.due_now
  const price = priceOf(visit, world.now, ledger.edition)
  const done = yield* Effect.result(
    VisitChanges.use((changes) =>
      changes.change(booking_id, {
        option_id: option.option_id,
        preview: false,
        by: "operator",
        reason: "Asked"
      })
    )
  )
  if (Result.isFailure(done)) {
    const { _tag } = done.failure
    assert.include(refusals, _tag)
    if (!alone || row === undefined || atTheEdge(visit, world.now)) return
    // The move itself may have found that a refund is on its way again, or failed.
    const { refunds } = yield* takeSnapshot
    const money = [...before.refunds, ...refunds].some(
      (refund) => refund.booking_id === booking_id && refund.status !== "succeeded"
    )
    const pages = before.sessions.some(
      (session) =>
        session.booking_id === booking_id &&
        session.purpose === "balance" &&
        ["creating", "open", "processing"].includes(session.status)
    )
    const open = [...ledger.closed].every((day) => !onDay(visit, day))
    const others = visitsOn(ledger, before, world.now, booked)
    const free = open && !tooSoon(visit, world.now) && fitsBeside(others, visit)
    const same = price.total === option.price.total && price.due === option.price.due_now
    const stands = row.status === "confirmed" && booked.request.seen.visit.start > world.now
    const elsewhere = JSON.stringify(visit) !== JSON.stringify(booked.request.seen.visit)
    assert.isFalse(
      stands && !money && !pages && free && same && elsewhere && provider.outage === undefined,
      `not moved, though it could be: ${_tag} ${"reason" in done.failure ? done.failure.reason : ""}`
    )
    return
  }
  const { booking, from, refund } = done.success
  // Of concurrent moves, the last one done may not be answered last.
  const now = yield* Bookings.use((bookings) => bookings.get(booking_id))
  const where = ledger.options.find((one) => one.option.option_id === now.option_id) ?? assert.fail("an unknown option")
  booked.request = { ...booked.request, seen: where }
  booked.moved = {
    total: now.total,
    due_now: now.due_now,
    owed: Math.max(booked.moved?.owed ?? 0, from.paid - now.total),
    back: (booked.moved?.back ?? 0) + refund.amount,
    most: Math.max(booked.moved?.most ?? 0, from.paid - (booked.moved?.back ?? 0)),
    terms: { ...terms, start: Math.min(booked.moved?.terms.start ?? terms.start, terms.start, visit.start) },
    balanceDueAt: balanceDueAt(where.visit, world.now, ledger.edition),
    settled: new Set(now.terms.settled_sessions)
  }
  const told = now.terms.price.balance_due_at
  if (!alone) {
    // Time may have passed since the move.
    if (told !== undefined) booked.moved = { ...booked.moved, balanceDueAt: Date.parse(told) }
    return
  }
  if (told !== undefined) assert.strictEqual(Date.parse(told), booked.moved.balanceDueAt, "when the rest is due")
  assert.strictEqual(booking.total, price.total, "the price is the new visit's")
  assert.strictEqual(booking.due_now, Math.min(settled, price.total), "what was paid before counts")
  const back =
    provider.outage === undefined
      ? backAtProvider(provider, before, booking_id, yield* takeSnapshot)
      : returnedInRows(before, booking_id)
  assert.strictEqual(refund.amount, Math.max(0, from.paid - back - price.total), "what was paid too much goes back")
})
