/**
 * One step with its checks, and the end of a run: delayed and lost events are caught up, and the end state is compared
 * with the model.
 */
import { checkViews } from "./views.ts"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Audit } from "../../src/ops/audit/Audit.ts"
import type { PaymentStatus } from "../../src/domain/booking/Booking.ts"
import { makeAccounts } from "../../src/domain/payment/accounts/Accounts.ts"
import { ProviderRefunds } from "../../src/domain/payment/refunds/ProviderRefunds.ts"
import { Reconciliation } from "../../src/domain/payment/workers/Reconciliation.ts"
import { DueBookings } from "../../src/domain/booking/DueBookings.ts"
import { RefundRecords } from "../../src/domain/payment/refunds/RefundRecords.ts"
import { WebhookInbox } from "../../src/domain/payment/events/WebhookInbox.ts"
import { deliverEvent } from "../support/PaymentWorld.ts"
import { statusOf } from "../../src/domain/payment/refunds/Refund.ts"
import { ScriptedGateway, undecided } from "../support/ScriptedGateway.ts"
import type { Action } from "./actions.ts"
import { moneyOf, netOf, paysBalance, sumsOf } from "./books.ts"
import { checkContacts, checkFound } from "./contacts.ts"
import { fitsBeside } from "./hall.ts"
import { checkInvariants, follow, isPaid, visitsOn } from "./invariants.ts"
import { type Booked, isOpen, leastBack, type Ledger, owedBack } from "./Ledger.ts"
import { checkDecided, checkNamed, checkQuestions, checkTold, decideAll } from "./misfits.ts"
import { thinOf } from "./otherRelease.ts"
import { decide, wait } from "./paying.ts"
import { returnAll } from "./desk.ts"
import { perform } from "./perform.ts"
import { checkSwept, mayRefuseBalance, noteReleases, refusedBalance } from "./releases.ts"
import { checkSubscription } from "./subscription.ts"
import { type Snapshot, takeSnapshot } from "./snapshot.ts"
import { checkOrders, noteParts, runSales } from "./orders.ts"
import { checkVouchers, noteBack } from "./vouchers.ts"
import { runProviderTasks, queueEvent, Outside, type World } from "./world.ts"

/** Whether a booking stays expired although it was paid. */
const isRefusedThoughPaid = ({ booking_id }: Booked, snapshot: Snapshot): boolean =>
  snapshot.bookings.some((row) => row.booking_id === booking_id && row.status === "expired") &&
  snapshot.sessions.some(
    ({ payment_session_id, ...session }) =>
      session.booking_id === booking_id &&
      session.status === "paid" &&
      !snapshot.refunds.some((one) => one.payment_session_id === payment_session_id && one.cause === "misfit")
  )

/** A late payment is refused only if the places are gone, the time is closed, or the visit has begun. */
const checkRefusals = (ledger: Ledger, before: Snapshot, after: Snapshot, now: number, alone: boolean): void => {
  const refused = (booked: Booked) =>
    booked.released === undefined
      ? !booked.excused && isRefusedThoughPaid(booked, after)
      : refusedBalance(booked, before, after) && !mayRefuseBalance(booked, before, after)
  for (const booked of ledger.bookings.filter(refused)) {
    if (booked.released === undefined) booked.excused = true
    const { visit } = booked.request.seen
    const free = [before, after].every((snapshot) =>
      fitsBeside(visitsOn(ledger, snapshot, now, booked), visit, ledger.sizes)
    )
    if (alone)
      assert.isFalse(
        free && isOpen(ledger, visit) && visit.start > now,
        "a late payment was refused, though its places are free"
      )
  }
}

/** While the provider answers, no paid hold ends. */
const checkProviderAsked = (
  ledger: Ledger,
  before: Snapshot,
  after: Snapshot,
  provider: ScriptedGateway["Service"]
): void => {
  for (const booked of ledger.bookings) {
    const lines = ({ history }: Snapshot) => history.filter(({ booking_id }) => booking_id === booked.booking_id)
    const news = lines(after).slice(lines(before).length)
    const ended = news.some(({ from_status, to_status }) => from_status === "held" && to_status === "expired")
    const paid = moneyOf(provider, ledger, booked).held.some((held) => held.page.purpose === "due_now" && isPaid(held))
    assert.isFalse(ended && paid, "a hold ended, and nobody asked the provider")
  }
}

/** All refunds and disputes at the provider. */
const idsAtProvider = ({ disputes, refunds }: ScriptedGateway["Service"]): ReadonlySet<string> =>
  new Set([...refunds.keys(), ...disputes.keys()])

/** Performs an action and checks every invariant. Concurrent actions are checked by the invariants alone. */
export const step = Effect.fnUntraced(function* (
  ledger: Ledger,
  action: Action
): Effect.fn.Return<void, unknown, World> {
  if (action.do === "story") return yield* Effect.forEach(action.all, (one) => step(ledger, one), { discard: true })
  const world = yield* Outside
  const provider = yield* ScriptedGateway
  const before = ledger.last
  const alone = action.do !== "atOnce" && action.do !== "during"
  world.earlier = idsAtProvider(provider)
  const began = world.now
  yield* perform(ledger, action, alone)
  world.disturbance = undefined
  // The model knows nothing of operators that are off sale for their account, nor of the time that families get then.
  const sql = yield* SqlClient.SqlClient
  yield* sql`update operator set closed_account = null, account_closed_at = null, account_closed_because = null,
    account_opened_at = null where closed_account is not null or account_opened_at is not null`
  const after = yield* takeSnapshot
  const calm = alone && !("trouble" in action && action.trouble !== undefined) && provider.outage === undefined
  noteParts(ledger, before, after, provider)
  if (!alone) follow(ledger, after)
  noteBack(ledger, after)
  noteReleases(ledger, before, after, provider, { began, now: world.now, calm })
  checkInvariants(ledger, after, provider, world)
  checkQuestions(ledger, after, provider)
  checkContacts(ledger, after, alone)
  yield* checkVouchers(ledger)
  checkRefusals(ledger, before, after, world.now, alone)
  yield* checkSubscription(false)
  yield* checkTold(ledger, before, after)
  if (action.do === "misfit" || action.do === "decideMisfit") yield* checkNamed(ledger, after)
  if (calm) checkProviderAsked(ledger, before, after, provider)
  if (calm && action.do === "reconcile") checkSwept(ledger, before, after, world.now)
  ledger.last = after
  if (ledger.waiting.length > 0 && action.do !== "offer") yield* step(ledger, { do: "offer" })
})

/** The payment status by the amounts settled, paid and refunded alone. */
const paymentOf = (
  row: Snapshot["bookings"][number],
  money: { readonly paid: number; readonly back: number; readonly settled: number }
): ReadonlyArray<PaymentStatus> => {
  if (money.back > 0) return [money.back >= money.paid ? "refunded" : "partially_refunded"]
  if (money.settled === 0) return row.due_now === 0 ? ["not_required"] : ["unpaid", "failed"]
  return money.settled === row.total ? ["paid"] : ["deposit_paid"]
}

/** The end state, decided by people's actions alone, in whatever order they became known. */
const checkEnd = (ledger: Ledger, end: Snapshot, provider: ScriptedGateway["Service"]): void => {
  for (const { status } of end.refunds) assert.include(["succeeded", "failed"], status)
  for (const { outcome, status } of end.events) {
    // A refund may be told of long before its payment is: nothing is lost, for the payment is checked later.
    const early = status === "ignored" && /^payment \S+ is not known/.test(outcome ?? "")
    assert.isTrue(status === "applied" || early, `${status}: ${outcome}`)
  }
  assert.isTrue(end.tasks.every(({ state }) => state === "completed"))
  for (const booked of ledger.bookings) {
    const row = end.bookings.find(({ booking_id }) => booking_id === booked.booking_id) ?? assert.fail("no row")
    const books = moneyOf(provider, ledger, booked)
    const settledFor = (purpose: "due_now" | "balance") =>
      books.held.filter((held) => held.page.purpose === purpose && isPaid(held))
    const due = settledFor("due_now")
    const balance = settledFor("balance")
    const { price: _, ...stands } = row
    const { cancelled, excused, released } = booked
    const over = cancelled ?? released
    const told = JSON.stringify({
      ...stands,
      visit: booked.request.seen.visit,
      cancelled,
      agreed: booked.agreed && { ...booked.agreed, settled: [...booked.agreed.settled] },
      moved: booked.moved,
      given: booked.given,
      excused,
      released,
      refunds: end.refunds.filter(({ booking_id }) => booking_id === booked.booking_id),
      books: { ...books, held: [] },
      pages: books.held.map(({ page, session, ...money }) => ({ purpose: page.purpose, ...session, ...money }))
    })

    const taken = ledger.till.some(({ booking, purpose }) => booking === booked && purpose === "due_now")
    const kept = due.length > 0 || taken || booked.origin.option.price.due_now === 0
    const expected =
      booked.cancelled !== undefined
        ? "cancelled"
        : kept && !booked.excused && !booked.released
          ? "confirmed"
          : "expired"
    assert.strictEqual(row.status, expected, told)

    const highest = (pages: typeof due) => Math.max(0, ...pages.map(({ paid }) => paid))
    const { agreed } = booked
    // Of two that paid for the same, one with another amount than was asked for, the booking counts the first it knew.
    const pairs = due.flatMap((one) => [one.paid, ...balance.map(({ paid }) => one.paid + paid)])
    const own = agreed === undefined && !pairs.includes(row.paid) ? highest(due) + highest(balance) : row.paid
    // Of a booking that has ended, what was paid later goes back; of one that stands, what was paid twice.
    const late = row.status === "confirmed" ? books.paid - own : books.paid - (over?.paid ?? 0)
    const neverKept = row.status === "expired" && booked.released === undefined
    const most = (neverKept ? books.paid : owedBack(booked) + late) + books.failed
    const least = neverKept ? books.paid : leastBack(booked) + late
    assert.isAtLeast(books.refunded, Math.min(least, books.paid), `money is owed: ${told}`)
    assert.isAtMost(books.refunded, Math.min(books.paid, most + books.byHand), `refunded twice: ${told}`)
    assert.isAtMost(books.ours, most, `refunded more than owed: ${told}`)

    const duplicate = books.paid - row.paid
    if (row.status !== "cancelled" || duplicate === 0) {
      const settledBy = (counts: (held: (typeof due)[number]) => boolean) =>
        (agreed !== undefined || due.some(counts) ? row.due_now : 0) +
        (balance.some((held) => counts(held) && paysBalance(ledger, booked, held)) ? row.total - row.due_now : 0)
      // A page on which nothing had to be paid may be done before or after the booking was over; no money tells which.
      const settled = [
        settledBy(() => true),
        ...(row.status === "confirmed" ? [] : [settledBy(({ paid }) => paid > 0)]),
        ...(released === undefined ? [] : [settledBy(({ page }) => page.purpose === "due_now")])
      ]
      const expectedPayments = settled.flatMap((one) =>
        paymentOf(row, { paid: row.paid, back: row.refunded, settled: one })
      )
      // A free visit does not show whether the visit before a move was paid.
      if (agreed?.total !== 0) assert.include(expectedPayments, row.payment_status, told)
      if (duplicate === 0) assert.strictEqual(row.refunded, books.refunded, told)
    }
  }
}

/**
 * Waits in minutes: pages close and holds end first; checks with long intervals, like for manual refunds, come later.
 */
const pauses = [40, 40, 7 * 60, 20 * 24 * 60]

/** Settles delayed payments and catches up lost events until nothing changes. Then the end must match the model. */
export const conclude = Effect.fnUntraced(function* (ledger: Ledger, byEvents: boolean) {
  const world = yield* Outside
  const provider = yield* ScriptedGateway
  provider.outage = undefined
  provider.balanceTooSmall = false
  const open = [...provider.disputes.values()].filter(({ status }) => undecided.includes(status))
  for (const [i] of open.entries()) yield* decide(0, i % 2 === 0 ? "won" : "lost")
  yield* checkViews(ledger, yield* takeSnapshot, world.now)
  // A person retries refunds that failed, or for which the operator's balance was too low for too long.
  const resendFailed = Effect.flatMap(
    RefundRecords.use((refunds) => refunds.failed()),
    Effect.forEach((refund) => ProviderRefunds.use((refunds) => refunds.resend(refund.refund_id)))
  )
  yield* resendFailed
  const giveBackByHand = Effect.flatMap(takeSnapshot, (now) => returnAll(ledger, now))
  for (const [i, session] of [...provider.sessions.values()].entries()) {
    if (session.status !== "complete" || session.payment_status !== "unpaid" || session.payment_failed === true)
      continue
    const said = provider.act(session.id, i % 2 === 0 ? "late_success" : "late_failure")
    queueEvent(
      world,
      i % 2 === 0 ? "checkout.session.async_payment_succeeded" : "checkout.session.async_payment_failed",
      said
    )
  }
  // Newest first: the worst order.
  if (byEvents) {
    for (const [i, event] of world.outbox.toReversed().entries())
      yield* deliverEvent("connected", i % 3 === 1 ? thinOf(event) : event)
  }
  let before = ""
  for (let round = 0; round < 12; round++) {
    const start = yield* takeSnapshot
    noteParts(ledger, ledger.last, start, provider)
    const moment = { began: world.now, now: world.now, calm: true }
    world.earlier = idsAtProvider(provider)
    yield* WebhookInbox.use((inbox) => inbox.applyDue())
    yield* runSales
    yield* runProviderTasks
    const settled = yield* takeSnapshot
    noteParts(ledger, start, settled, provider)
    noteBack(ledger, settled)
    noteReleases(ledger, start, settled, provider, moment)
    checkRefusals(ledger, start, settled, world.now, true)
    yield* Reconciliation.use(({ runOnce }) => runOnce)
    for (const refund of provider.refunds.values()) if (statusOf(refund) === "pending") refund.status = "succeeded"
    yield* resendFailed
    yield* giveBackByHand
    ledger.last = yield* takeSnapshot
    noteParts(ledger, settled, ledger.last, provider)
    noteBack(ledger, ledger.last)
    yield* decideAll(ledger)
    const after = yield* takeSnapshot
    noteBack(ledger, after)
    yield* checkVouchers(ledger)
    noteReleases(ledger, settled, after, provider, moment)
    checkInvariants(ledger, after, provider, world)
    checkQuestions(ledger, after, provider)
    checkRefusals(ledger, settled, after, world.now, true)
    ledger.last = after
    const now = JSON.stringify({ ...after, history: [] })
    if (now === before && round > pauses.length) {
      checkEnd(ledger, after, provider)
      yield* checkOrders(ledger)
      checkDecided(ledger, after, provider)
      const lines = yield* (yield* makeAccounts).lines({ from: 0, until: world.now + 1, limit: 10_000 })
      const money = lines.filter(({ way }) => way !== "voucher")
      assert.deepStrictEqual(sumsOf(money), netOf(ledger, provider), `the months' money: ${JSON.stringify(lines)}`)
      for (const booked of ledger.bookings) if (booked.contacts.length > 1) yield* checkFound(booked)
      yield* checkNamed(ledger, after)
      yield* checkViews(ledger, after, world.now)
      yield* checkSubscription(true)
      // Money never moved without its status change.
      const flagged = yield* DueBookings.use((bookings) => bookings.flagged(10))
      assert.deepStrictEqual(flagged, [], JSON.stringify(flagged))
      const audited = yield* Audit.use(({ books, rows }) => Effect.all([rows, books]))
      assert.deepStrictEqual(audited.flat(), [], `sound data is blamed: ${JSON.stringify(audited.flat())}`)
      return after
    }
    before = now
    yield* wait(pauses[round] ?? 7 * 60)
  }
  return assert.fail("the end is never quiet")
})
