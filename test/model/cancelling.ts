/** Families and operators cancel bookings; the model checks the answers. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { BookingId } from "../../src/platform/ids/Ids.ts"
import { cancelAsOperator, previewAsFamily, cancelAsFamily } from "../support/Acts.ts"
import type { RefundChoice } from "../../src/domain/payment/changes/RefundDecision.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"
import type { CancelChoice } from "./actions.ts"
import { booksOf } from "./books.ts"
import { isOwn } from "./invariants.ts"
import { type Booked, type Ledger, owedBack, owedByTerms, refundOf } from "./Ledger.ts"
import { type Snapshot, takeSnapshot } from "./snapshot.ts"
import { press, type Pressed } from "./press.ts"
import { failedInDashboard, goodwillBack, returnedInRows, viewOf } from "./views.ts"
import { Outside } from "./world.ts"

/**
 * What went back of a booking's payments as far as the service knows of it, and what was decided and not sent, before a
 * step. `asked`: the rows once the service has asked about open pages: a payment may have been unknown before.
 */
export const backAtProvider = (
  ledger: Ledger,
  provider: ScriptedGateway["Service"],
  { refunds }: Snapshot,
  booking_id: string,
  { refunds: known, sessions }: Snapshot
) =>
  sessions
    .filter((session) => session.booking_id === booking_id && isOwn(session, known))
    .reduce((sum, session) => {
      const { amount, payment_session_id } = session
      const sent = new Set([...provider.refunds.values()].map(({ refund_id }) => refund_id))
      const unsent = refunds.filter(
        (one) => one.payment_session_id === payment_session_id && one.status === "requested" && !sent.has(one.refund_id)
      )
      const decided = unsent.reduce((all, one) => all + one.amount, 0)
      return sum + Math.min(amount, decided + booksOf(ledger, provider, session).refunded)
    }, 0)

/** A family previews the refund and cancels by the preview. The preview may find a new payment. */
export const cancelByFamily = Effect.fnUntraced(function* (booking: Booked) {
  const world = yield* Outside
  const booking_id = BookingId.make(booking.booking_id)
  const refusals = ["HoldExpired", "BookingCancelled", "VisitBegun", "ChangedSinceShown", "ChangeUnderWay"]
  const seen = yield* Effect.result(previewAsFamily(booking_id))
  if (Result.isFailure(seen)) return assert.include(refusals.slice(0, 3), seen.failure._tag)
  const { booking: row, refund, shown } = seen.success
  const done = yield* Effect.result(cancelAsFamily(booking_id, shown))
  if (Result.isFailure(done)) return assert.include(refusals, done.failure._tag)
  assert.isUndefined(booking.cancelled, "cancelled twice")
  assert.strictEqual(done.success.refund.amount, refund.amount, "what was shown is what is refunded")
  const { paid } = done.success.booking
  assert.strictEqual(paid, row.paid, "what was shown as paid was paid")
  assert.isBelow(world.now, row.starts_at, "the visit had not begun")
  const owed = owedByTerms(booking, world.now, paid)
  booking.cancelled = { owed, least: owed, paid }
})

export const cancel = Effect.fnUntraced(function* (
  ledger: Ledger,
  booking: Booked,
  wanted: CancelChoice,
  by: "desk" | "command",
  alone: boolean
) {
  const world = yield* Outside
  const provider = yield* ScriptedGateway
  const before = ledger.last
  const row = before.bookings.find(({ booking_id }) => booking_id === booking.booking_id)
  const refund: RefundChoice = wanted === "third" ? { amount: Math.max(1, Math.floor((row?.paid ?? 0) / 3)) } : wanted
  const preview = yield* Effect.result(cancelAsOperator(booking.booking_id, { preview: true, refund }))
  const told = yield* viewOf(booking.booking_id)
  const run = (how: Pressed) => cancelAsOperator(booking.booking_id, { ...how, refund, done_by: "Bo" })
  const done = yield* Effect.result(by === "desk" ? press(run, 2) : run({ preview: false }))
  const back =
    provider.outage !== undefined
      ? returnedInRows(before, booking.booking_id)
      : backAtProvider(ledger, provider, before, booking.booking_id, before)
  if (Result.isFailure(done)) {
    const { _tag } = done.failure
    const together = alone ? [] : ["ChangedSinceShown", "ChangeUnderWay"]
    assert.include(["HoldExpired", "BookingCancelled", "RefundTooLarge", ...together], _tag)
    if (!alone || row === undefined) return
    if (_tag === "RefundTooLarge") {
      const left = row.paid - back
      assert.isTrue(typeof refund === "object" && refund.amount > left, `${left} is left`)
      return
    }
    assert.strictEqual(_tag, row.status === "expired" ? "HoldExpired" : "BookingCancelled")
    assert.include(["expired", "cancelled"], row.status)
    return
  }
  assert.isUndefined(booking.cancelled, "cancelled twice")
  const { given_back, refund: given } = done.success
  const { paid } = done.success.booking
  const byTerms = owedByTerms(booking, world.now, paid)
  const owed =
    wanted === "terms"
      ? byTerms
      : wanted === "full"
        ? paid
        : Math.max(given_back.amount, owedBack(booking)) +
          failedInDashboard(yield* takeSnapshot, booking) +
          given.amount
  // An amount that a person chose is beside what was back by then, which may turn.
  booking.cancelled = { owed, least: wanted === "terms" || wanted === "full" ? owed : 0, paid }
  if (!alone || row === undefined || Result.isFailure(preview)) return
  assert.strictEqual(given.amount, preview.success.refund.amount, "the preview is what is refunded")
  if (wanted === "terms") {
    assert.strictEqual(told.refund_if_cancelled_now?.amount, given.amount, "what is told is what is refunded")
    assert.notProperty(yield* viewOf(booking.booking_id), "refund_if_cancelled_now", "what is over can't be cancelled")
  }
  assert.strictEqual(given_back.amount, back, "what went back before is counted")
  const wish = {
    terms: refundOf(booking, world.now, { paid: row.paid, back, goodwill: goodwillBack(yield* takeSnapshot, booking) }),
    full: row.paid - back,
    none: 0,
    third: typeof refund === "object" ? refund.amount : 0
  }
  assert.strictEqual(given.amount, wish[wanted])
})
