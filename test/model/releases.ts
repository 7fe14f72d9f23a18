/** Bookings whose balance stays unpaid: when their places may, and must, be released, and what then goes back. */
import { assert } from "@effect/vitest"
import type { ScriptedGateway } from "../support/ScriptedGateway.ts"
import { booksOf, moneyOf, paysBalance } from "./books.ts"
import { isOwn } from "./invariants.ts"
import { type Booked, isForBalance, type Ledger, owedByTerms, releasedAt, timeToPayUntil } from "./Ledger.ts"
import type { Snapshot } from "./snapshot.ts"

type Provider = ScriptedGateway["Service"]

interface Step {
  /** The times at which the step began and ended. */
  readonly began: number
  readonly now: number
  /** The provider answered, and nothing ran at once. */
  readonly calm: boolean
}

const linesOf = ({ history }: Snapshot, { booking_id }: Booked) =>
  history.filter((line) => line.booking_id === booking_id)

/** The balance pages that were paid at the provider, or are being paid. */
const moneyForBalance = (ledger: Ledger, provider: Provider, booked: Booked) =>
  moneyOf(provider, ledger, booked).held.filter(
    (held) =>
      paysBalance(ledger, booked, held) && held.session.status === "complete" && held.session.payment_failed !== true
  )

/** Notes which bookings a step released or confirmed again, and checks that it was right to release them. */
export const noteReleases = (
  ledger: Ledger,
  before: Snapshot,
  after: Snapshot,
  provider: Provider,
  { began, calm, now }: Step
): void => {
  for (const booked of ledger.bookings) {
    for (const line of linesOf(after, booked).slice(linesOf(before, booked).length)) {
      if (line.to_status === "confirmed") booked.confirmed ??= { began, ended: now }
      if (line.from_status === "expired" && line.to_status === "confirmed") booked.released = undefined
      if (line.from_status !== "confirmed" || line.to_status !== "expired") continue
      const at = releasedAt(booked)
      assert.isTrue(at !== undefined && at <= now, "released too early, or against the terms")
      assert.isAtLeast(
        now,
        timeToPayUntil(booked, booked.confirmed?.began ?? -Infinity),
        "released though confirmed late"
      )
      assert.isBelow(began, booked.request.seen.visit.start, "released after the visit had begun")
      const paid = after.sessions
        .filter((session) => session.booking_id === booked.booking_id && isOwn(session, after.refunds))
        .reduce((sum, session) => sum + booksOf(ledger, provider, session).paid, 0)
      const amounts = [began, now].map((then) => owedByTerms(booked, then, paid))
      booked.released = { owed: Math.max(...amounts), least: Math.min(...amounts), paid }
      if (calm) assert.lengthOf(moneyForBalance(ledger, provider, booked), 0, "released, and nobody asked the provider")
    }
  }
}

/** After an undisturbed sweep no places are kept whose time has come, unless a page may still be paid. */
export const checkSwept = (ledger: Ledger, before: Snapshot, after: Snapshot, now: number): void => {
  for (const booked of ledger.bookings) {
    const at = releasedAt(booked)
    const row = after.bookings.find(({ booking_id }) => booking_id === booked.booking_id)
    if (row?.status !== "confirmed" || at === undefined || at > now || booked.request.seen.visit.start <= now) continue
    if (timeToPayUntil(booked, booked.confirmed?.ended ?? -Infinity) > now) continue
    const ofBooking = (all: Snapshot) => all.sessions.filter(({ booking_id }) => booking_id === booked.booking_id)
    const live = ofBooking(before).some(
      ({ purpose, status }) => purpose === "balance" && ["creating", "open", "processing"].includes(status)
    )
    const paid = ofBooking(after).some((session) => isOwn(session, after.refunds) && isForBalance(booked, session))
    assert.isTrue(live || paid, `the balance is unpaid, and the places are kept: ${JSON.stringify(row)}`)
  }
}

/**
 * A late payment of a released booking is refused only if its places are gone, its visit has begun, or something of
 * what was paid before went back or is to go back.
 */
export const mayRefuseBalance = (booked: Booked, before: Snapshot, after: Snapshot): boolean =>
  [before, after].some(({ refunds }) =>
    refunds.some(
      ({ booking_id, cause }) =>
        booking_id === booked.booking_id && cause !== "late_payment" && cause !== "duplicate_payment"
    )
  )

/** Whether a step refused a late payment of the balance. */
export const refusedBalance = (booked: Booked, before: Snapshot, after: Snapshot): boolean =>
  after.refunds.some(
    (refund) =>
      refund.booking_id === booked.booking_id &&
      refund.cause === "late_payment" &&
      !before.refunds.some(({ refund_id }) => refund_id === refund.refund_id) &&
      after.sessions.some(
        (session) => session.payment_session_id === refund.payment_session_id && session.purpose === "balance"
      )
  )
