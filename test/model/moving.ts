/** Bookings are moved, and their parties change; the model checks the answers. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { priceOption } from "../../src/availability/BookingOption.ts"
import { Bookings } from "../../src/booking/Bookings.ts"
import type { ChangedBooking, VisitChangeError } from "../../src/booking/VisitChange.ts"
import { VisitChanges } from "../../src/payment/changes/VisitChanges.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"
import {
  atTheEdge,
  balanceDueAt,
  fitsBeside,
  kinds,
  onDay,
  priceOf,
  roomOf,
  tooSoon,
  venueOf,
  type Visit
} from "./hall.ts"
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

/** Whether a visit has the package and the start of a booking: it only has another party. */
const keepsStart = (from: Visit, to: Visit): boolean => from.kind === to.kind && from.start === to.start

/** Changes a booking to a visit, and checks and records the result. `sold`: whether its option can be booked today. */
const change = Effect.fnUntraced(function* (
  ledger: Ledger,
  booked: Booked,
  { option, visit }: Seen,
  asked: (changes: VisitChanges["Service"]) => Effect.Effect<ChangedBooking, VisitChangeError>,
  alone: boolean
) {
  const world = yield* Outside
  const provider = yield* ScriptedGateway
  const before = ledger.last
  const { booking_id } = booked
  const row = before.bookings.find((one) => one.booking_id === booking_id)
  const from = booked.request.seen.visit
  const agreed = agreedOf(booked)
  const terms = termsOf(booked)
  const settled = isPaidFor(ledger, provider, booked, "balance") ? agreed.total : agreed.due_now
  const price = priceOf(visit, world.now, ledger.edition)
  const isParty = keepsStart(from, visit)
  // Another party costs the difference of today's prices; a move is priced anew.
  const total = isParty
    ? Math.max(0, agreed.total + price.total - priceOf(from, world.now, ledger.edition).total)
    : price.total
  // What is unpaid stays due when it was, as does what was to be paid later.
  const dueBefore =
    agreed.due_now < agreed.total
      ? (booked.moved?.balanceDueAt ?? balanceDueAt(booked.origin.visit, -Infinity, 0))
      : undefined
  const keepsDue = isParty && dueBefore !== undefined && (settled < agreed.total || dueBefore > world.now)
  const done = yield* Effect.result(VisitChanges.use(asked))
  if (Result.isFailure(done)) {
    const { _tag } = done.failure
    assert.include(isParty ? [...refusals, "ChangedSinceShown", "KeepsChanging"] : refusals, _tag)
    if (!alone || row === undefined || atTheEdge(visit, world.now)) return
    // The change itself may have found that a refund is on its way again, or failed.
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
    const free = open && (isParty || !tooSoon(visit, world.now)) && fitsBeside(others, visit)
    const same = isParty || (price.total === option.price.total && price.due === option.price.due_now)
    const stands = row.status === "confirmed" && from.start > world.now
    const elsewhere = JSON.stringify(visit) !== JSON.stringify(from)
    // A payment that was found before the change, or a refund, is not what a family was shown.
    const asShown = _tag !== "ChangedSinceShown"
    assert.isFalse(
      stands && asShown && !money && !pages && free && same && elsewhere && provider.outage === undefined,
      `not changed, though it could be: ${_tag} ${"reason" in done.failure ? done.failure.reason : ""}`
    )
    return
  }
  const { booking, from: was, refund } = done.success
  // Of concurrent changes, the last one done may not be answered last.
  const now = yield* Bookings.use((bookings) => bookings.get(booking_id))
  const where = ledger.options.find((one) => one.option.option_id === now.option_id) ?? assert.fail("an unknown option")
  booked.request = { ...booked.request, seen: where }
  booked.moved = {
    total: now.total,
    due_now: now.due_now,
    owed: Math.max(booked.moved?.owed ?? 0, was.paid - now.total),
    back: (booked.moved?.back ?? 0) + refund.amount,
    most: Math.max(booked.moved?.most ?? 0, was.paid - (booked.moved?.back ?? 0)),
    terms: { ...terms, start: Math.min(booked.moved?.terms.start ?? terms.start, terms.start, visit.start) },
    balanceDueAt:
      keepsDue && dueBefore !== undefined ? dueBefore : balanceDueAt(where.visit, world.now, ledger.edition),
    settled: new Set(now.terms.settled_sessions)
  }
  const told = now.terms.price.balance_due_at
  if (!alone) {
    // Time may have passed since the change.
    if (told !== undefined) booked.moved = { ...booked.moved, balanceDueAt: Date.parse(told) }
    return
  }
  if (told !== undefined) assert.strictEqual(Date.parse(told), booked.moved.balanceDueAt, "when the rest is due")
  assert.strictEqual(booking.total, total, "the price is the new visit's, or differs by the parties' prices")
  assert.strictEqual(booking.due_now, Math.min(settled, total), "what was paid before counts")
  const back =
    provider.outage === undefined
      ? backAtProvider(provider, before, booking_id, yield* takeSnapshot)
      : returnedInRows(before, booking_id)
  assert.strictEqual(refund.amount, Math.max(0, was.paid - back - total), "what was paid too much goes back")
})

/** The operator moves a booking to an option from an earlier answer. */
export const move = (ledger: Ledger, booked: Booked, seen: Seen, alone: boolean) =>
  change(
    ledger,
    booked,
    seen,
    (changes) =>
      changes.change(booked.booking_id, {
        option_id: seen.option.option_id,
        preview: false,
        by: "operator",
        reason: "Asked"
      }),
    alone
  )

/** A family changes its party as its page showed it, or the operator does by command. */
export const changeParty = Effect.fnUntraced(function* (
  ledger: Ledger,
  booked: Booked,
  wish: { readonly children: number; readonly machines: number; readonly by: "family" | "operator" },
  alone: boolean
) {
  const world = yield* Outside
  const { by, children } = wish
  const visit = { ...booked.request.seen.visit, children, machines: wish.machines }
  const { machines } = roomOf(visit.kind)
  const venue = venueOf(roomOf(visit.kind), ledger.edition)
  const package_id = kinds[visit.kind]?.package_id
  const pkg = venue.packages.find((one) => one.package_id === package_id) ?? assert.fail("no such package")
  const add_ons = wish.machines === 0 ? [] : [{ add_on_id: machines.add_on_id, quantity: wish.machines }]
  const party = { children, adults: 0, add_ons }
  // A later call may ask for this option again, as after a move.
  const option = priceOption(venue, party, { pkg, start: visit.start, places_left: 0 }, world.now)
  const seen = { visit, option }
  ledger.options.push(seen)
  const { booking_id } = booked
  yield* change(
    ledger,
    booked,
    seen,
    (changes) =>
      Effect.gen(function* () {
        if (by === "operator") return yield* changes.change(booking_id, { party, preview: false, by })
        const { shown } = yield* changes.change(booking_id, { party, preview: true, by })
        return yield* changes.change(booking_id, { party, preview: false, by, shown })
      }),
    alone
  )
})
