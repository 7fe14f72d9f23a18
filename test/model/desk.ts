/** What staff do at the desk, by the services that its pages call; the model checks the answers. */
import { assert } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { BookingChanges } from "../../src/domain/payment/changes/BookingChanges.ts"
import { giveBackByHand, markAttendance } from "../../src/domain/payment/changes/Presses.ts"
import { PaymentSessionId, RefundId } from "../../src/platform/ids/Ids.ts"
import { dayMs, hourMs, minuteMs } from "../../src/platform/time/LocalTime.ts"
import { giveGoodwill, undoRecorded, recordPayment } from "../support/Acts.ts"
import type { OfflinePaymentMethod } from "../../src/domain/payment/sessions/PaymentSession.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"
import { booksOf } from "./books.ts"
import { backAtProvider } from "./cancelling.ts"
import { kinds, operator_id } from "./hall.ts"
import { isOwn } from "./invariants.ts"
import {
  agreedOf,
  type Booked,
  dueWhen,
  isForBalance,
  type Ledger,
  type Mark,
  nth,
  owedBack,
  putIntoTill
} from "./Ledger.ts"
import { comingAgain, press } from "./press.ts"
import { type Snapshot, takeSnapshot } from "./snapshot.ts"
import { failedInDashboard, returnedInRows } from "./views.ts"
import { Outside } from "./world.ts"

/** Who is at the desk. */
export const staff = ["Ann", "Bo"] as const
export type Member = (typeof staff)[number]

/** The own payments of a booking that the service knows of. */
const ownOf = ({ refunds, sessions }: Snapshot, { booking_id }: Booked) =>
  sessions.filter((session) => session.booking_id === booking_id && isOwn(session, refunds))

const rowOf = ({ bookings }: Snapshot, { booking_id }: Booked) =>
  bookings.find((row) => row.booking_id === booking_id) ?? assert.fail("no row")

/** What a booking owes, whatever is due now, and what of it a part at the venue pays. */
export const owedNow = (before: Snapshot, booked: Booked) => {
  const { due_now, total } = agreedOf(booked)
  const held = rowOf(before, booked).status === "held"
  const settled = ownOf(before, booked).some((one) => isForBalance(booked, one))
  return {
    held,
    due_now,
    total,
    owed: held ? total : settled ? 0 : total - due_now,
    asked: held ? due_now : total - due_now
  }
}

export const isProcessing = ({ sessions }: Snapshot, { booking_id }: Booked) =>
  sessions.some((session) => session.booking_id === booking_id && session.status === "processing")

/** Why nothing is paid for a booking any more. */
export const overOf = (before: Snapshot, booked: Booked, now: number) => {
  const { hold_expires_at, status } = rowOf(before, booked)
  if (status === "cancelled") return "BookingCancelled"
  const lapsed = status === "held" && (hold_expires_at ?? 0) <= now
  return status === "expired" || lapsed ? "HoldExpired" : undefined
}

/** Notes what is due after a payment of a part of it. */
export const noteDue = (
  { last }: Ledger,
  booked: Booked,
  { amount, payment_session_id }: { readonly amount: number; readonly payment_session_id: string },
  held: boolean
): void => {
  const { agreed } = booked
  const { due_now, total } = agreedOf(booked)
  if (amount === (held ? due_now : total - due_now)) return
  const before = [...ownOf(last, booked).map((one) => one.payment_session_id), ...(agreed?.settled ?? [])]
  const counted = held ? amount : due_now + amount
  const due = dueWhen(booked) ?? (held ? booked.request.seen.visit.start : undefined)
  booked.agreed = {
    total,
    due_now: counted,
    settled: new Set([...before, payment_session_id]),
    balanceDueAt: counted === total ? undefined : due
  }
}

/** How much is paid: all that is owed, what is due now, a half of what is owed, or more than that. */
export type Part = "all" | "due" | "half" | "more"

export const takePayment = Effect.fnUntraced(function* (
  ledger: Ledger,
  booked: Booked,
  { by, part, way }: { readonly part: Part; readonly way: OfflinePaymentMethod; readonly by: Member },
  alone: boolean
) {
  const world = yield* Outside
  const before = ledger.last
  const { asked, due_now, held, owed } = owedNow(before, booked)
  const wanted = { all: owed, due: asked, half: Math.ceil(owed / 2), more: owed + 1 }[part]
  const amount = Math.max(1, wanted)
  const done = yield* Effect.result(
    press((how) => recordPayment(booked.booking_id, { amount, way, done_by: by }, how), 2)
  )
  const refusal =
    overOf(before, booked, world.now) ??
    (isProcessing(before, booked) || amount > owed || (held && amount < due_now) ? "VenuePaymentRefused" : undefined)
  if (Result.isFailure(done)) {
    assert.include(["BookingCancelled", "HoldExpired", "VenuePaymentRefused", "ChangedSinceShown"], done.failure._tag)
    if (alone) assert.strictEqual(done.failure._tag, refusal, `${amount} of ${owed}`)
    return
  }
  const { confirms, left, payment_session_id = "" } = done.success
  putIntoTill(ledger, { payment_session_id, booking: booked, purpose: confirms ? "due_now" : "balance", amount })
  if (!alone) return
  assert.isUndefined(refusal, `taken: ${amount} of ${owed}`)
  assert.deepStrictEqual([confirms, left.amount], [held, owed - amount])
  noteDue(ledger, booked, { amount, payment_session_id }, held)
})

export const undoPayment = Effect.fnUntraced(function* (ledger: Ledger, n: number, by: Member, alone: boolean) {
  const world = yield* Outside
  const before = ledger.last
  const taken = nth(ledger.till, n)
  if (taken === undefined) return
  const { amount, booking: booked, payment_session_id } = taken
  const row = rowOf(before, booked)
  const { start } = booked.request.seen.visit
  const done = yield* Effect.result(
    press((how) => undoRecorded(PaymentSessionId.make(payment_session_id), { ...how, done_by: by }), 2)
  )
  const gone = before.refunds.some(({ booking_id }) => booking_id === booked.booking_id)
  const over = endOf(booked) + 31 * dayMs <= world.now
  // Nobody took a part of a page for several: it was paid at the provider.
  const online = ledger.orders.some(({ voucher }) => voucher === taken.voucher)
  const refused = online || taken.undone || row.status !== "confirmed" || gone || isProcessing(before, booked) || over
  if (Result.isFailure(done)) {
    assert.include(["UndoRefused", "ChangedSinceShown"], done.failure._tag)
    if (alone) assert.isTrue(refused, `not undone: ${done.failure.message}`)
    return
  }
  assert.isFalse(taken.undone, "undone twice")
  taken.undone = true
  if (booked.moved !== undefined) booked.moved = { ...booked.moved, most: 0 }
  if (!alone) return
  assert.isFalse(refused, "undone, though it may not be")
  const { due_now, owed, total } = owedNow(before, booked)
  assert.strictEqual(done.success.left.amount, owed + amount, "it owes again what it owed without it")
  const was = dueWhen(booked)
  const due = Math.max(was ?? start, Math.min(world.now, start))
  const counted = total - owed - amount
  if (was === due && counted === due_now && isForBalance(booked, taken)) return
  const settled = ownOf(before, booked)
    .map((one) => one.payment_session_id)
    .filter((id) => id !== payment_session_id)
  booked.agreed = { total, due_now: counted, settled: new Set(settled), balanceDueAt: due }
})

/** A third of what can go back, all of it, or more. */
export type BackPart = "third" | "all" | "more"

export const giveBack = Effect.fnUntraced(function* (
  ledger: Ledger,
  booked: Booked,
  { by, part }: { readonly part: BackPart; readonly by: Member },
  alone: boolean
) {
  const provider = yield* ScriptedGateway
  const before = ledger.last
  const { booking_id } = booked
  const own = ownOf(before, booked)
  const sum = (amounts: ReadonlyArray<number>) => amounts.reduce((all, one) => all + one, 0)
  const paid = sum(own.map((session) => booksOf(ledger, provider, session).paid))
  const known = new Set(before.refunds.map(({ refund_id }) => refund_id))
  /** `given`: of this, the latest refunds, which are left out. What is owed again goes back for goodwill, too. */
  const backBy = (rows: Snapshot, given = 0) => {
    const mine = rows.refunds
      .filter((one) => one.booking_id === booking_id && one.cause === "goodwill" && !known.has(one.refund_id))
      .toReversed()
    const newest = new Set<(typeof mine)[number]>()
    for (const one of mine) if (sum([...newest].map((it) => it.amount)) < given) newest.add(one)
    const others = rows.refunds.filter((one) => !newest.has(one))
    return provider.outage === undefined
      ? backAtProvider(ledger, provider, { ...rows, refunds: others }, booking_id, before)
      : returnedInRows(before, booking_id)
  }
  const most = paid - backBy(before)
  const amount = Math.max(1, { third: Math.ceil(most / 3), all: most, more: most + 1 }[part])
  const done = yield* Effect.result(
    press((how) => giveGoodwill(booking_id, { amount, reason: "Sorry", done_by: by, ...how }), 2)
  )
  // Asking the provider may find that less went back than is owed, and request the rest.
  const after = yield* takeSnapshot
  const back = backBy(after, Result.isSuccess(done) ? amount : 0)
  const left = paid - back
  if (Result.isFailure(done)) {
    const { _tag } = done.failure
    assert.include(["RefundTooLarge", "ChangedSinceShown", "ChangeUnderWay"], _tag)
    if (alone) assert.isTrue(_tag === "RefundTooLarge" && amount > left, `${_tag}: ${amount} of ${left}`)
    return
  }
  const { by_hand, given_back, refund } = done.success
  assert.strictEqual(refund.amount, amount, "what is given back is what was typed")
  const { least, owed } = booked.given ?? { least: 0, owed: 0 }
  booked.goodwill += amount
  // Beside what is owed so far, also if that failed to go back.
  booked.given = {
    owed: Math.max(owed, Math.max(given_back.amount, owedBack(booked)) + failedInDashboard(after, booked) + amount),
    least: Math.max(least, amount)
  }
  if (!alone) return
  assert.isAtMost(amount, left)
  assert.strictEqual(given_back.amount, back, "what went back before is counted")
  const isOnline = ({ voucher_id, way }: (typeof own)[number]) =>
    way === "link" || ledger.orders.some(({ voucher }) => voucher.voucher_id === voucher_id)
  const there = sum(own.flatMap((one) => (isOnline(one) ? [] : [one.amount])))
  assert.isAtMost(by_hand.amount, there, "what goes back by hand was paid there")
  assert.isAtLeast(by_hand.amount, amount - (paid - there), "what was not paid online can't go back online")
})

/** The refunds that wait for the venue. */
const waiting = ({ refunds, sessions }: Snapshot) =>
  refunds.filter(
    (refund) =>
      refund.status === "requested" &&
      sessions.some(({ payment_session_id, way }) => payment_session_id === refund.payment_session_id && way !== "link")
  )

/** Staff give back by hand what waits for it, and mark it; maybe two of them at once. */
export const markReturned = Effect.fnUntraced(function* (
  ledger: Ledger,
  refund: Snapshot["refunds"][number],
  way: OfflinePaymentMethod,
  alone: boolean
) {
  const { run } = yield* BookingChanges
  const wish = { refund: RefundId.make(refund.refund_id), way }
  const marks = yield* Effect.all(
    staff.map((name) =>
      run(giveBackByHand, refund.booking_id, wish, {
        preview: false,
        who: { as: "staff", name, operator_id, role: "desk" }
      }).pipe(
        comingAgain,
        Effect.asSome,
        Effect.catchTag("NotOwedByHand", () => Effect.succeedNone)
      )
    ),
    { concurrency: "unbounded" }
  )
  const done = marks.flatMap(Option.toArray)
  assert.isAtMost(done.length, 1, "given back twice")
  if (alone) assert.lengthOf(done, 1, "it waited for the venue")
  const taken = ledger.till.find((one) => one.payment_session_id === refund.payment_session_id)
  for (const { amount } of done) (taken ?? assert.fail("never taken")).returned += amount.amount
})

export const returned = Effect.fnUntraced(function* (
  ledger: Ledger,
  n: number,
  way: OfflinePaymentMethod,
  alone: boolean
) {
  const refund = nth(waiting(ledger.last), n)
  if (refund !== undefined) yield* markReturned(ledger, refund, way, alone)
})

/** At the end, all that waits is given back. */
export const returnAll = (ledger: Ledger, now: Snapshot) =>
  Effect.forEach(waiting(now), (refund) => markReturned(ledger, refund, "cash", true), { discard: true })

const endOf = ({ request }: Booked): number =>
  request.seen.visit.start + (kinds[request.seen.visit.kind]?.minutes ?? 0) * minuteMs

/** Staff mark whether the family came, or take that back. */
export const mark = Effect.fnUntraced(function* (
  ledger: Ledger,
  booked: Booked,
  { by, mark, undo }: { readonly mark: Mark; readonly undo: boolean; readonly by: Member },
  alone: boolean
) {
  const { now } = yield* Outside
  const { status } = rowOf(ledger.last, booked)
  const { start } = booked.request.seen.visit
  const was = booked.mark
  const wanted = undo ? null : mark
  const done = yield* Effect.result(
    BookingChanges.use(({ run }) =>
      run(
        markAttendance,
        booked.booking_id,
        { mark, undo },
        { preview: false, who: { as: "staff", operator_id, name: by, role: "desk" } }
      )
    )
  )
  if (Result.isSuccess(done) && done.success.changed) booked.mark = wanted
  if (!alone) return
  const from = mark === "arrived" ? start - 2 * hourMs : start
  const open = status === "confirmed" && from <= now && now < endOf(booked) + 31 * dayMs
  const expected = was === wanted ? "unchanged" : open && (was === null || was === mark) ? "changed" : "refused"
  assert.strictEqual(
    Result.isFailure(done) ? "refused" : done.success.changed ? "changed" : "unchanged",
    expected,
    `${was} → ${wanted}`
  )
})
