import { assert, describe, it } from "@effect/vitest"
import { BookingStatus, PaymentStatus } from "../../../src/domain/booking/Booking.ts"
import {
  nextPaymentStatus,
  nextStatus,
  type PaymentEvent,
  type StatusEvent
} from "../../../src/domain/booking/Lifecycle.ts"

// Every event, as keys so that the compiler finds a missing one.
const statusEvents = Object.keys({
  due_paid: 0,
  paid_late_places_free: 0,
  hold_lapsed: 0,
  balance_lapsed: 0,
  cancelled: 0
} satisfies Record<StatusEvent, 0>)
const paymentEvents = Object.keys({
  payment_processing: 0,
  payment_failed: 0,
  session_closed: 0,
  deposit_paid: 0,
  all_paid: 0,
  more_due: 0,
  undone_in_part: 0,
  undone_in_full: 0,
  refund_requested: 0,
  refunded_in_part: 0,
  refunded_in_full: 0,
  all_kept: 0,
  deposit_kept: 0
} satisfies Record<PaymentEvent, 0>)
const isStatusEvent = (event: string): event is StatusEvent => statusEvents.includes(event)
const isPaymentEvent = (event: string): event is PaymentEvent => paymentEvents.includes(event)

/** All steps of a table between different states, as `from → to`. */
const steps = <State extends string, Event extends string>(
  states: ReadonlyArray<State>,
  events: ReadonlyArray<Event>,
  next: (state: State, event: Event) => State | undefined
): ReadonlySet<string> =>
  new Set(
    states.flatMap((from) =>
      events.flatMap((event) => {
        const to = next(from, event)
        return to === undefined || to === from ? [] : [`${from} → ${to}`]
      })
    )
  )

/** The states reachable from some states, with those themselves. */
const reached = (from: ReadonlyArray<string>, all: ReadonlySet<string>): ReadonlySet<string> => {
  const found = new Set(from)
  for (const state of found) {
    for (const step of all) {
      const [before, after = ""] = step.split(" → ")
      if (before === state) found.add(after)
    }
  }
  return found
}

describe("the life of a booking's places", () => {
  const all = steps(BookingStatus.literals, statusEvents.filter(isStatusEvent), nextStatus)

  it("has these steps, and no other", () => {
    assert.sameMembers(
      [...all],
      [
        "held → confirmed",
        "held → expired",
        "held → cancelled",
        "confirmed → cancelled",
        // Its balance stayed unpaid.
        "confirmed → expired",
        "expired → confirmed"
      ]
    )
  })

  it("ends with the cancellation: nothing brings a cancelled booking back", () => {
    for (const event of statusEvents.filter(isStatusEvent)) assert.isUndefined(nextStatus("cancelled", event), event)
  })

  it("leads from a hold to every state", () => {
    assert.sameMembers([...reached(["held"], all)], [...BookingStatus.literals])
  })

  it("refuses what comes too late: a confirmed booking does not lapse, a payment in time is none after the hold", () => {
    assert.isUndefined(nextStatus("confirmed", "hold_lapsed"))
    assert.isUndefined(nextStatus("confirmed", "due_paid"))
    assert.isUndefined(nextStatus("expired", "due_paid"))
    assert.isUndefined(nextStatus("held", "balance_lapsed"))
    assert.isUndefined(nextStatus("expired", "cancelled"))
    assert.isUndefined(nextStatus("held", "paid_late_places_free"))
  })
})

describe("the life of a booking's money", () => {
  const events = paymentEvents.filter(isPaymentEvent)
  const all = steps(PaymentStatus.literals, events, nextPaymentStatus)
  const settled = ["deposit_paid", "paid", "refund_pending", "partially_refunded", "refunded"]
  const unsettled = ["not_required", "unpaid", "processing", "failed"]

  it("leads from its two beginnings to every state", () => {
    assert.sameMembers([...reached(["unpaid", "not_required"], all)], [...PaymentStatus.literals])
  })

  it("never forgets money: from what was paid, nothing leads back to what was not, but for a record that is undone", () => {
    const moved = steps(
      PaymentStatus.literals,
      events.filter((event) => event !== "undone_in_full"),
      nextPaymentStatus
    )
    const after = reached(settled, moved)
    for (const state of unsettled) assert.isFalse(after.has(state), state)
    for (const state of PaymentStatus.literals)
      assert.strictEqual(
        nextPaymentStatus(state, "undone_in_full") !== undefined,
        state === "paid" || state === "deposit_paid"
      )
  })

  it("has a refund only where there is money, but for what is asked back the moment that it comes", () => {
    for (const state of ["unpaid", "processing", "failed"] as const) {
      assert.isUndefined(nextPaymentStatus(state, "refunded_in_part"), state)
      assert.isUndefined(nextPaymentStatus(state, "refunded_in_full"), state)
      assert.strictEqual(nextPaymentStatus(state, "refund_requested"), "refund_pending")
    }
  })

  it("counts a payment once: a deposit after all is paid, or a failure after a payment, changes nothing", () => {
    assert.isUndefined(nextPaymentStatus("paid", "deposit_paid"))
    for (const state of ["deposit_paid", "paid", "refund_pending", "partially_refunded", "refunded"] as const) {
      assert.isUndefined(nextPaymentStatus(state, "payment_failed"), state)
      assert.isUndefined(nextPaymentStatus(state, "payment_processing"), state)
      assert.isUndefined(nextPaymentStatus(state, "session_closed"), state)
    }
  })

  it("takes the balance also while some of the deposit goes back, or has gone", () => {
    for (const state of ["refund_pending", "partially_refunded"] as const)
      assert.strictEqual(nextPaymentStatus(state, "all_paid"), state)
  })

  it("has no end: what went back can come back, and more can be paid, which goes back, too, or stays", () => {
    for (const state of ["refund_pending", "partially_refunded", "refunded"] as const) {
      const left = events.filter((event) => nextPaymentStatus(state, event) !== undefined)
      const turns = ["refund_requested", "refunded_in_part", "refunded_in_full", "all_kept", "deposit_kept"]
      assert.deepStrictEqual(left, ["deposit_paid", "all_paid", ...turns], state)
    }
    for (const state of ["refund_pending", "partially_refunded"] as const)
      assert.strictEqual(nextPaymentStatus(state, "deposit_paid"), state)
    assert.strictEqual(nextPaymentStatus("refunded", "deposit_paid"), "partially_refunded")
    assert.strictEqual(nextPaymentStatus("refunded", "all_kept"), "paid")
    assert.strictEqual(nextPaymentStatus("refunded", "deposit_kept"), "deposit_paid")
    assert.strictEqual(nextPaymentStatus("refunded", "refund_requested"), "refund_pending")
    assert.strictEqual(nextPaymentStatus("refunded", "all_paid"), "partially_refunded")
  })
})
