/** Compares the amounts of `get_booking` with the database and the model's terms. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import { toView } from "../../src/domain/booking/BookingViews.ts"
import { PaymentSummaries } from "../../src/domain/payment/PaymentSummaries.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"
import { isOwn } from "./invariants.ts"
import { settledByDashboard } from "../../src/domain/payment/refunds/Refund.ts"
import { type Booked, isForBalance, type Ledger, refundOf } from "./Ledger.ts"
import type { Snapshot } from "./snapshot.ts"

/** A booking's refunds, made or under way, by our rows. */
export const returnedInRows = ({ refunds, sessions }: Snapshot, booking_id: string): number =>
  sessions
    .filter((session) => session.booking_id === booking_id && isOwn(session, refunds))
    .reduce((sum, { amount, payment_session_id, refunded }) => {
      const onItsWay = refunds
        .filter((one) => one.payment_session_id === payment_session_id && ["requested", "pending"].includes(one.status))
        .reduce((all, one) => all + one.amount, 0)
      return sum + Math.min(amount, refunded + onItsWay)
    }, 0)

/** What of a booking's goodwill went back or is on its way. */
export const goodwillBack = ({ refunds }: Snapshot, { booking_id, goodwill }: Booked): number =>
  Math.max(
    0,
    goodwill -
      refunds
        .filter((one) => one.booking_id === booking_id && one.cause === "goodwill" && one.status === "failed")
        .filter(({ failure }) => failure !== settledByDashboard)
        .reduce((sum, { amount }) => sum + amount, 0)
  )

/** What the operator gave back in the dashboard and did not arrive: it is owed beside what a person decides. */
export const failedInDashboard = ({ refunds }: Snapshot, { booking_id }: Booked): number =>
  refunds
    .filter((one) => one.booking_id === booking_id && one.cause === "dashboard" && one.status === "failed")
    .filter(({ failure }) => failure !== settledByDashboard)
    .reduce((sum, { amount }) => sum + amount, 0)

/** A booking as `get_booking` shows it. */
export const viewOf = Effect.fnUntraced(function* (booking_id: string) {
  const row = yield* Bookings.use((bookings) => bookings.get(booking_id))
  return toView(row, yield* PaymentSummaries.use((summaries) => summaries.read(row)))
})

/** Every booking shows the amounts of its current rows. */
export const checkViews = Effect.fnUntraced(function* (ledger: Ledger, snapshot: Snapshot, now: number) {
  const provider = yield* ScriptedGateway
  for (const booked of ledger.bookings) {
    const { booking_id } = booked
    const row = snapshot.bookings.find((one) => one.booking_id === booking_id) ?? assert.fail("no row")
    const view = yield* viewOf(booking_id)
    const own = snapshot.sessions.filter(
      (session) => session.booking_id === booking_id && isOwn(session, snapshot.refunds)
    )
    const summary = yield* PaymentSummaries.use((summaries) =>
      Effect.flatMap(
        Bookings.use((bookings) => bookings.get(booking_id)),
        summaries.read
      )
    )
    // What payers saw in their own currency is told beside what was paid, and changes no amount.
    const presented = snapshot.sessions.flatMap((session) => {
      const said = provider.sessions.get(session.provider_session_id ?? "")?.presented
      const isTold = session.booking_id === booking_id && session.status === "paid"
      return isTold && said !== undefined ? [{ ...said, paid: session.amount }] : []
    })
    assert.sameDeepMembers([...(summary.presented ?? [])], presented)
    const balance = own.some((session) => isForBalance(booked, session)) ? 0 : row.total - row.due_now
    const isAlive = row.status === "held" || row.status === "confirmed"
    assert.deepStrictEqual(
      {
        paid: view.paid.amount,
        refunded: view.refunded?.amount ?? 0,
        outstanding: view.outstanding.amount,
        due_now: view.due_now.amount,
        balance: view.balance?.amount.amount ?? 0,
        refund: view.refund_if_cancelled_now?.amount
      },
      {
        paid: row.paid,
        refunded: row.refunded,
        outstanding: row.status === "held" ? row.total : row.status === "confirmed" ? balance : 0,
        due_now: row.status === "held" && row.payment_status !== "processing" ? row.due_now : 0,
        balance: isAlive ? balance : 0,
        refund: isAlive
          ? refundOf(booked, now, {
              paid: row.paid,
              back: returnedInRows(snapshot, booking_id),
              goodwill: goodwillBack(snapshot, booked)
            })
          : undefined
      },
      JSON.stringify(row)
    )
  }
})
