/** Invariants after every step (domain.md, section 5), by the database, the provider's books and the ledger. */
import { shownPrice } from "../../src/domain/catalogue/Pricing.ts"
import { assert } from "@effect/vitest"
import type { BookingStatus, PaymentStatus } from "../../src/domain/booking/Booking.ts"
import {
  nextPaymentStatus,
  nextStatus,
  type PaymentEvent,
  type StatusEvent
} from "../../src/domain/booking/Lifecycle.ts"
import { settledByDashboard, statusOf } from "../../src/domain/payment/refunds/Refund.ts"
import type { ScriptedGateway } from "../support/ScriptedGateway.ts"
import { booksOf, moneyOf } from "./books.ts"
import {
  account,
  type ClosedTime,
  code,
  fitsBeside,
  isIn,
  overlap,
  isWhole,
  onDay,
  placesOf,
  roomOf,
  taxesOf,
  timeOf,
  type Visit
} from "./hall.ts"
import { agreedOf, type Booked, dueWhen, isForBalance, type Ledger, owedBack, type Seen } from "./Ledger.ts"
import type { BookingNow, Snapshot } from "./snapshot.ts"
import { oneBookingPerRequest } from "./repeatedRequests.ts"
import type { Outside, Sent } from "./world.ts"

type Provider = ScriptedGateway["Service"]

/** Whether the booking has its places: confirmed, or held. */
export const hasPlaces = ({ status }: BookingNow): boolean => status === "held" || status === "confirmed"

/** A lapsed hold without an open payment page: its places are free. */
export const isLapsed = (snapshot: Snapshot, row: BookingNow, now: number): boolean =>
  row.status === "held" &&
  (row.hold_expires_at ?? now) <= now &&
  !row.kept_by_order &&
  !snapshot.sessions.some(
    ({ booking_id, purpose, status }) =>
      booking_id === row.booking_id && purpose === "due_now" && (status === "open" || status === "processing")
  )

/** Visits that have their places at `now`. */
export const visitsOn = (ledger: Ledger, snapshot: Snapshot, now: number, except?: Booked): ReadonlyArray<Visit> =>
  ledger.bookings
    .filter((booked) => booked !== except)
    .filter(({ booking_id }) => {
      const row = snapshot.bookings.find((found) => found.booking_id === booking_id)
      return row !== undefined && hasPlaces(row) && !isLapsed(snapshot, row, now)
    })
    .map(({ request }) => request.seen.visit)

/** Who has the code at `now`. */
export const usersOf = (ledger: Ledger, snapshot: Snapshot, now: number): ReadonlyArray<Booked> =>
  ledger.bookings.filter((booked) => {
    const row = snapshot.bookings.find(({ booking_id }) => booking_id === booked.booking_id)
    if (booked.origin.visit.code === undefined || row === undefined) return false
    return hasPlaces(row) && !isLapsed(snapshot, row, now)
  })

/**
 * Whether somebody waits for what this visit may get only as a hold has lapsed: when that hold is ended, its places go
 * to them first.
 */
export const mayGoToOthers = (ledger: Ledger, snapshot: Snapshot, visit: Visit, now: number): boolean => {
  const overlaps = (other: Visit) => overlap(timeOf(visit), timeOf(other))
  const waits = ledger.waiting.some((one) => roomOf(one.visit.kind) === roomOf(visit.kind) && overlaps(one.visit))
  const lapsed = ledger.bookings.some(({ booking_id, request }) => {
    const row = snapshot.bookings.find((one) => one.booking_id === booking_id)
    return row !== undefined && hasPlaces(row) && isLapsed(snapshot, row, now) && overlaps(request.seen.visit)
  })
  return waits && lapsed
}

/** The bookings with places in closed time whose visits are not over. */
export const bookedIn = (
  ledger: Ledger,
  snapshot: Snapshot,
  closed: ReadonlyArray<ClosedTime>,
  now: number
): ReadonlyArray<string> =>
  ledger.bookings
    .filter((booked) => {
      const { visit } = booked.request.seen
      const row = snapshot.bookings.find(({ booking_id }) => booking_id === booked.booking_id)
      const isAhead = timeOf(visit).end > now
      const isThere = row !== undefined && hasPlaces(row) && isAhead
      return isThere && closed.some((one) => one.end > now && isIn(one, visit))
    })
    .map(({ booking_id }) => booking_id)

export const numbers = (units: string): ReadonlyArray<number> =>
  Array.from(units.matchAll(/\[(\d+),(\d+)\)/g), ([, from, to]) =>
    Array.from({ length: Number(to) - Number(from) }, (_, i) => Number(from) + i)
  ).flat()

const order = (a: { readonly resource: string }, b: { readonly resource: string }) => (a.resource < b.resource ? -1 : 1)

/** 1: no unit is taken twice; the units taken are those of the bookings with places, and within what there is. */
const places = (ledger: Ledger, snapshot: Snapshot, now: number): void => {
  const beyond = new Set<string>()
  for (const booked of ledger.bookings) {
    const row = rowOf(snapshot, booked)
    const { visit } = booked.request.seen
    const { playroom_id } = roomOf(visit.kind)
    const isOver = timeOf(visit).end <= now
    // What is over keeps what it had of a room that is larger or smaller now.
    const counted = (all: ReturnType<typeof placesOf>) =>
      all
        .map((one) => (isOver && isWhole(visit) && one.resource === playroom_id ? { ...one, units: 0 } : one))
        .toSorted(order)
    const taken = snapshot.occupancy
      .filter(({ booking_id }) => booking_id === booked.booking_id)
      .map(({ end, resource, start, units }) => ({ resource, units: numbers(units).length, start, end }))
    const wanted = hasPlaces(row) ? placesOf(visit, ledger.sizes) : []
    assert.deepStrictEqual(counted(taken), counted(wanted), `places of a ${row.status} booking`)
    if (!hasPlaces(row) || isOver) continue
    if (!isLapsed(snapshot, row, now) && !fitsBeside(visitsOn(ledger, snapshot, now, booked), visit, ledger.sizes))
      beyond.add(booked.booking_id)
    for (const day of ledger.closed) assert.isFalse(onDay(visit, day), "booked on a closed day")
  }
  for (const id of beyond) assert.include([...ledger.squeezed], id, "sold beyond what there is")
  // Whoever has found enough can't come back.
  ledger.squeezed = beyond
  for (const closure of ledger.closures) {
    const inside = bookedIn(ledger, snapshot, [closure], now)
    for (const id of inside) assert.include([...closure.inside], id, "sold in closed time")
    // Whoever leaves it can't come back.
    closure.inside = new Set(inside)
  }
  for (const [i, one] of snapshot.occupancy.entries()) {
    for (const other of snapshot.occupancy.slice(i + 1)) {
      if (one.resource !== other.resource || one.end <= other.start || other.end <= one.start) continue
      const taken = new Set(numbers(one.units))
      assert.isFalse(
        numbers(other.units).some((unit) => taken.has(unit)),
        "a unit taken twice"
      )
    }
  }
}

const rowOf = (snapshot: Snapshot, { booking_id }: Pick<Booked, "booking_id">): BookingNow =>
  snapshot.bookings.find((row) => row.booking_id === booking_id) ?? assert.fail(`no booking ${booking_id}`)

/** A booking's own code stays, and so do the children's ages. No more have the code than may, but for those paid late. */
const codes = (ledger: Ledger, snapshot: Snapshot, now: number): void => {
  for (const booked of ledger.bookings) {
    const row = rowOf(snapshot, booked)
    assert.strictEqual(row.code ?? undefined, booked.origin.visit.code, "the code of a booking")
    assert.deepStrictEqual(row.child_ages, booked.request.seen.visit.ages ?? [], "the children's ages")
    if (!hasPlaces(row) || isLapsed(snapshot, row, now)) booked.wasOver = true
  }
  const users = usersOf(ledger, snapshot, now).filter(({ wasOver }) => !wasOver)
  assert.isAtMost(users.length, code.max_uses, "a code is used too often")
}

/** A page that was paid, or that needed no payment. */
export const isPaid = ({ session }: { readonly session: { readonly payment_status: string } }): boolean =>
  session.payment_status === "paid" || session.payment_status === "no_payment_required"

/** Whether a session paid for its booking, and was neither a duplicate nor too late, nor sent back. */
export const isOwn = (session: Snapshot["sessions"][number], refunds: Snapshot["refunds"]): boolean =>
  session.status === "paid" &&
  !refunds.some(
    ({ cause, payment_session_id }) =>
      payment_session_id === session.payment_session_id &&
      (cause === "duplicate_payment" || cause === "late_payment" || cause === "misfit")
  )

/**
 * 9: with each refund that the service sent, the booking's refunds are at most what its terms, a change of its visit or
 * a person's decision owe. Other refunds in the same step can't be known.
 */
const owed = (ledger: Ledger, snapshot: Snapshot, provider: Provider, sent: Array<Sent>): void => {
  // Each in the step in which it was sent: what goes back later is no part of it.
  for (const { amount, before, booking_id, refund_id } of sent.splice(0)) {
    const row = snapshot.refunds.find((refund) => refund.refund_id === refund_id)
    const booked = ledger.bookings.find((one) => one.booking_id === booking_id)
    if (row?.cause !== "cancellation" && row?.cause !== "goodwill") continue
    const own = snapshot.sessions.filter(
      (session) => session.booking_id === booking_id && isOwn(session, snapshot.refunds)
    )
    const back = own.reduce((sum, session) => {
      const intent = provider.sessions.get(session.provider_session_id ?? "")?.payment_intent_id ?? ""
      const known = ledger.last.sessions.find((one) => one.payment_session_id === session.payment_session_id)
      const returned = session.way === "link" ? 0 : (known?.refunded ?? 0)
      return sum + returned + Math.min(session.amount, before.get(intent) ?? 0)
    }, 0)
    assert.isAtMost(
      back + amount,
      booked === undefined ? 0 : owedBack(booked),
      `more is given back than is owed: ${amount} after ${back} (${refund_id})`
    )
  }
}

/**
 * 2, 3 and 6: confirmed bookings are paid, payments confirm a booking or are refunded, and the price is the one shown.
 */
const money = (ledger: Ledger, snapshot: Snapshot, provider: Provider): void => {
  for (const booked of ledger.bookings) {
    const row = rowOf(snapshot, booked)
    const { option } = booked.request.seen
    assert.strictEqual(row.attendance, booked.mark, "whether the family came")
    if (booked.agreed === undefined) {
      assert.deepStrictEqual(shownPrice(row.price), option.price, "the price agreed is the price seen")
    }
    const { due_now, total } = agreedOf(booked)
    assert.deepStrictEqual([row.total, row.due_now], [total, due_now])
    if (booked.agreed !== undefined) assert.sameMembers([...(row.settled_sessions ?? [])], [...booked.agreed.settled])
    const { balance_due = 0, balance_due_at, lines } = row.price
    if (balance_due_at !== undefined)
      assert.strictEqual(Date.parse(balance_due_at), dueWhen(booked), "when the rest is due")
    assert.deepStrictEqual([row.price.total, row.price.due_now + balance_due], [total, total])
    assert.strictEqual(
      lines.reduce((sum, line) => sum + line.amount, 0),
      total
    )

    const sessions = snapshot.sessions.filter(({ booking_id }) => booking_id === booked.booking_id)
    const refunds = snapshot.refunds.filter(({ booking_id }) => booking_id === booked.booking_id)
    const returned = (id: string) =>
      refunds.filter(
        ({ cause, payment_session_id }) =>
          payment_session_id === id && (cause === "duplicate_payment" || cause === "late_payment" || cause === "misfit")
      )
    const paid = sessions.filter(({ status }) => status === "paid")
    const tookOf = (session: (typeof sessions)[number]) => booksOf(ledger, provider, session).paid
    for (const session of paid) {
      const said = provider.sessions.get(session.provider_session_id ?? "")
      const there = session.way === "link" ? said !== undefined && isPaid({ session: said }) : tookOf(session) > 0
      assert.isTrue(there, "counted as paid, and nobody has the money")
    }
    const isOwn = ({ payment_session_id }: { readonly payment_session_id: string }) =>
      returned(payment_session_id).every(({ cause }) => cause === "late_payment")
    const own = paid.filter(isOwn)
    assert.strictEqual(
      row.paid,
      own.reduce((sum, session) => sum + tookOf(session), 0),
      "what is counted as paid"
    )
    const books = moneyOf(provider, ledger, booked)
    assert.isAtMost(books.refunded, books.paid, "more refunded than paid")
    if (row.status === "confirmed" && booked.moved === undefined) {
      const settled = own.some((one) => isForBalance(booked, one)) ? total : due_now
      // A page that was done for nothing leaves nothing to give back if another payment had settled it, or one that was
      // undone after it. Of two things in one instant either may have come first. What was paid before the price was
      // agreed anew is part of what was due then, and settles nothing of the balance since.
      const beside = [...own, ...sessions.filter(({ way }) => way !== "link")].filter(
        ({ payment_session_id }) => !(row.settled_sessions ?? []).includes(payment_session_id)
      )
      const stillToPay = (undoneAtOnce: boolean) => {
        // One that was done for nothing after what was due was settled otherwise settles nothing.
        const isLate = ({ payment_session_id, purpose }: (typeof own)[number]) =>
          purpose === "due_now" && row.settled_sessions?.includes(payment_session_id) === false
        const settles = (one: (typeof own)[number]) =>
          tookOf(one) > 0 ||
          !(
            isLate(one) ||
            beside.some((other) => {
              if (other.purpose !== one.purpose) return false
              if (other.way === "link") return tookOf(other) > 0
              const [at, undone] = [one.paid_at ?? 0, other.undone_at ?? Infinity]
              return undone > at || (undone === at && undoneAtOnce)
            })
          )
        return total - sumOf(own.filter(settles))
      }
      assert.include(
        [stillToPay(true), stillToPay(false)],
        total - settled,
        "what is paid and what is still to pay is the price"
      )
    }

    // Whoever was confirmed stays so, also if the payment at the venue was a mistake.
    const due =
      ledger.till.some(({ booking, purpose }) => booking === booked && purpose === "due_now") ||
      own.some(({ payment_session_id, purpose }) => purpose === "due_now" && returned(payment_session_id).length === 0)
    const dueWhenBooked = booked.origin.option.price.due_now
    if (row.status === "confirmed") assert.isTrue(due || dueWhenBooked === 0, "confirmed, and what was due is not paid")
    if (row.status === "held") assert.isFalse(due || row.due_now === 0, "paid, and not confirmed")
    if (row.status === "expired") {
      // Of a booking that was released, the deposit is kept or given back by the terms. A page may be done for nothing.
      const released = booked.released !== undefined
      const kept = paid.filter(({ payment_session_id }) => returned(payment_session_id).length === 0)
      if (released)
        assert.isFalse(
          kept.some((one) => tookOf(one) > 0 && isForBalance(booked, one)),
          "released, and the balance is paid"
        )
      for (const session of released ? paid.filter((one) => !kept.includes(one)) : paid) {
        // What failed is still owed, and the doctor names it, unless the operator made it in the dashboard instead.
        const back = refunds
          .filter((refund) => refund.payment_session_id === session.payment_session_id)
          .filter(({ failure, status }) => status !== "failed" || failure !== settledByDashboard)
          .reduce((sum, { amount }) => sum + amount, 0)
        assert.isAtLeast(back, tookOf(session), "money kept for a booking that has expired")
      }
    }
    assert.strictEqual(row.status === "cancelled", booked.cancelled !== undefined, "cancelled by whom?")
  }
  for (const refund of provider.refunds.values()) {
    if (refund.refund_id === undefined || statusOf(refund) === "failed") continue
    const same = [...provider.refunds.values()].filter(
      (one) => one.refund_id === refund.refund_id && statusOf(one) !== "failed"
    )
    assert.strictEqual(same.length, 1, "refunded twice")
    const row = [...snapshot.refunds, ...snapshot.saleRefunds].find(({ refund_id }) => refund_id === refund.refund_id)
    assert.strictEqual(row?.amount, refund.amount, "a refund that nobody decided")
  }
}

/**
 * What is counted is of rates of tax that sum to it, and stays of these whatever comes: a change of its booking, or
 * another rate of its room.
 */
const taxes = (ledger: Ledger, snapshot: Snapshot): void => {
  for (const { amount, counted, currency, id, tax } of snapshot.parts) {
    if (!counted) continue
    // What came in another currency, and went back, is of no rate.
    assert.strictEqual(sumOf(tax ?? []), currency === "GBP" ? Math.abs(amount) : 0, `the parts of ${id}`)
    const before = ledger.last.parts.find((one) => one.id === id)
    // The provider may say another amount of a refund that a person made there.
    if (before?.counted === true && before.amount === amount)
      assert.deepStrictEqual(tax, before.tax, `the tax of ${id} has changed`)
  }
  for (const { booking_id, paid, price, refunded, status } of snapshot.bookings) {
    const rates = price.tax.rates ?? [{ ...price.tax, gross: price.total, tax: price.tax.amount }]
    assert.strictEqual(
      rates.reduce((sum, { gross }) => sum + gross, 0),
      price.total,
      `the rates of ${booking_id}`
    )
    assert.isTrue(
      rates.every(({ gross, tax }) => 0 <= tax && tax <= gross),
      `the rates of ${booking_id}`
    )
    const booked = ledger.bookings.find((one) => one.booking_id === booking_id) ?? assert.fail("no booking")
    if (booked.agreed === undefined)
      assert.deepStrictEqual(
        rates.filter(({ gross }) => gross !== 0).map(({ gross, rate_percent, tax }) => ({ rate_percent, gross, tax })),
        taxesOf(booked.origin.visit, booked.origin.edition),
        `the rates of ${booking_id} are of its visit`
      )
    // What came for a booking, all of it and nothing beside it, is of the rates of its price, and so is the tax in it.
    const beside = snapshot.refunds.some(
      (one) => one.booking_id === booking_id && ["goodwill", "dispute", "dashboard"].includes(one.cause)
    )
    const its = snapshot.parts.filter((one) => one.booking_id === booking_id && one.counted)
    const came = its.flatMap(({ amount, tax }) =>
      (tax ?? []).map((part) => ({
        rate_percent: part.rate_percent,
        gross: amount < 0 ? -part.amount : part.amount,
        tax: amount < 0 ? -part.tax : part.tax
      }))
    )
    // A page that was done for nothing is counted with what it asked for.
    if (status !== "confirmed" || beside || paid - refunded !== price.total) continue
    if (sumOf(came.map(({ gross }) => ({ amount: gross }))) !== price.total) continue
    for (const { gross, rate_percent, tax } of rates) {
      const ofRate = came.filter((one) => one.rate_percent === rate_percent)
      const sums = { gross: 0, tax: 0 }
      for (const one of ofRate) {
        sums.gross += one.gross
        sums.tax += one.tax
      }
      assert.deepStrictEqual(sums, { gross, tax }, `what came for ${booking_id} at ${rate_percent} %`)
    }
  }
}

const sumOf = (all: ReadonlyArray<{ readonly amount: number }>) => all.reduce((sum, { amount }) => sum + amount, 0)

/** 6 and 7: a page has the amount due; one page per attempt, and one open page per purpose. */
const pages = (ledger: Ledger, provider: Provider): void => {
  const attempts = new Set<string>()
  for (const { payment_session_id } of provider.sessions.values()) {
    assert.isFalse(attempts.has(payment_session_id ?? ""), "two pages of one attempt")
    attempts.add(payment_session_id ?? "")
  }
  const open = new Set<string>()
  for (const { amount, booking, payment_session_id, provider_id, purpose } of ledger.pages) {
    const session = provider.sessions.get(provider_id)
    if (session === undefined) assert.fail("a page that the provider does not have")
    if (!ledger.misfits.has(payment_session_id)) {
      if (session.payment_status !== "no_payment_required") assert.strictEqual(session.amount_total, amount)
      assert.deepStrictEqual([session.account, session.currency], [account, "GBP"])
    }
    if (session.status !== "open") continue
    const what = `${booking.booking_id} ${purpose}`
    assert.isFalse(open.has(what), "two pages are open for the same thing")
    open.add(what)
  }
}

const statusEvents: ReadonlyArray<StatusEvent> = [
  "due_paid",
  "paid_late_places_free",
  "hold_lapsed",
  "cancelled",
  "balance_lapsed"
]
const paymentEvents: ReadonlyArray<PaymentEvent> = [
  "payment_processing",
  "payment_failed",
  "session_closed",
  "deposit_paid",
  "all_paid",
  "more_due",
  "undone_in_part",
  "undone_in_full",
  "refund_requested",
  "refunded_in_part",
  "refunded_in_full",
  "all_kept",
  "deposit_kept"
]

/** Whether a state is equal to the next one, or one event of the tables leads to it. */
export const leadsTo = {
  status: (from: BookingStatus, to: BookingStatus): boolean =>
    from === to || statusEvents.some((event) => nextStatus(from, event) === to),
  payment: (from: PaymentStatus, to: PaymentStatus): boolean =>
    from === to || paymentEvents.some((event) => nextPaymentStatus(from, event) === to)
}

/** The history has no gaps, ends at the booking's state, and has only steps of the tables. */
const histories = (ledger: Ledger, snapshot: Snapshot): void => {
  const linesOf = Map.groupBy(snapshot.history, ({ booking_id }) => booking_id)
  for (const row of snapshot.bookings) {
    const [first, ...rest] = linesOf.get(row.booking_id) ?? []
    assert.deepStrictEqual([first?.from_status, first?.from_payment], [null, null])
    const booked = ledger.bookings.find(({ booking_id }) => booking_id === row.booking_id)
    const begin = booked?.origin.option.price.due_now === 0 ? "confirmed not_required" : "held unpaid"
    assert.strictEqual(`${first?.to_status} ${first?.to_payment}`, begin)
    let status: string | null | undefined = first?.to_status
    let payment: string | null | undefined = first?.to_payment
    for (const line of rest) {
      const told = `${row.booking_id}: ${line.event}`
      assert.deepStrictEqual([status, payment], [line.from_status, line.from_payment], `${told} continues the line`)
      const { from_payment, from_status, to_payment, to_status } = line
      if (from_status === null || to_status === null || from_payment === null || to_payment === null) assert.fail(told)
      assert.isTrue(leadsTo.status(from_status, to_status), `${told}: ${from_status} → ${to_status}`)
      assert.isTrue(leadsTo.payment(from_payment, to_payment), `${told}: ${from_payment} → ${to_payment}`)
      status = to_status
      payment = to_payment
    }
    assert.deepStrictEqual([status, payment], [row.status, row.payment_status], "the history ends where the booking is")
  }
}

/** What a booking has now, by an option for any party: its ages are of its children, and its code stays. */
export const asOf = (
  { origin }: Booked,
  seen: Seen,
  { child_ages }: { readonly child_ages: ReadonlyArray<number> }
): Seen => ({
  ...seen,
  visit: { ...seen.visit, ages: child_ages.length === 0 ? undefined : child_ages, code: origin.visit.code }
})

/**
 * What of a booking is as the rows say, and was not predicted: of concurrent changes, the last one may not be answered
 * last.
 */
export const follow = (ledger: Ledger, snapshot: Snapshot): void => {
  for (const booked of ledger.bookings) {
    const row = rowOf(snapshot, booked)
    const seen = ledger.options.find(({ option }) => option.option_id === row.option_id)
    if (seen !== undefined) booked.request = { ...booked.request, seen: asOf(booked, seen, row) }
    booked.mark = row.attendance
    booked.credit = row.credit ?? 0
    if (row.settled_sessions === null) continue
    const { balance_due_at } = row.price
    booked.agreed = {
      total: row.total,
      due_now: row.due_now,
      settled: new Set(row.settled_sessions),
      balanceDueAt: balance_due_at === undefined ? undefined : Date.parse(balance_due_at)
    }
  }
}

/** All invariants. Fails at the first violation. */
export const checkInvariants = (
  ledger: Ledger,
  snapshot: Snapshot,
  provider: Provider,
  { defects, now, sent }: Pick<Outside["Service"], "defects" | "now" | "sent">
): void => {
  assert.deepStrictEqual(defects, [], "defects in the log")
  // 4 and 7: exactly the acknowledged bookings exist.
  assert.sameMembers(
    snapshot.bookings.map(({ booking_id }) => booking_id),
    ledger.bookings.map(({ booking_id }) => booking_id)
  )
  places(ledger, snapshot, now)
  codes(ledger, snapshot, now)
  oneBookingPerRequest(ledger, snapshot)
  money(ledger, snapshot, provider)
  owed(ledger, snapshot, provider, sent)
  taxes(ledger, snapshot)
  pages(ledger, provider)
  histories(ledger, snapshot)
  for (const { outcome, status } of snapshot.events) {
    assert.include(["received", "applied"], status, `${outcome}`)
    if (status === "received" && outcome !== null)
      assert.match(outcome, /is not known \(yet\)|the provider does not answer for it/)
  }
}
