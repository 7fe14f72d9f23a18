import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { runs } from "../../../support/runs.ts"
import {
  bookingState,
  createBooking,
  dateOf,
  deleteBookings,
  deliverAndApply,
  now,
  openSession,
  paymentWorld,
  reconcile,
  reconcileAfter,
  runProviderTasks
} from "../../../support/PaymentWorld.ts"
import { type EventType, sessionEvent } from "../../../support/providerEvents.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { type PageAction, providerId, ScriptedGateway } from "../../../support/ScriptedGateway.ts"

/** What happens to one payment page, in the provider's own order, and the event that tells of each step. */
const stories: Record<string, ReadonlyArray<readonly [PageAction, EventType]>> = {
  nothing: [],
  paid: [["pay", "checkout.session.completed"]],
  closed: [["expire", "checkout.session.expired"]],
  processing: [["pay_later", "checkout.session.completed"]],
  paid_later: [
    ["pay_later", "checkout.session.completed"],
    ["late_success", "checkout.session.async_payment_succeeded"]
  ],
  failed_later: [
    ["pay_later", "checkout.session.completed"],
    ["late_failure", "checkout.session.async_payment_failed"]
  ]
}

const Scenario = Schema.Struct({
  story: Schema.Literals(["nothing", "paid", "closed", "processing", "paid_later", "failed_later"]),
  deposit: Schema.Boolean,
  /**
   * The hold ended before anything was heard, with the provider away; and somebody else may have taken the places
   * since.
   */
  lapsed: Schema.Boolean,
  taken: Schema.Boolean,
  /** Which of the story's events arrive, in this order: some twice, some never. In between, other work may run. */
  deliveries: Schema.Array(
    Schema.Struct({
      event: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
      sameId: Schema.Boolean,
      between: Schema.Literals(["nothing", "tasks", "reconcile"])
    })
  ).check(Schema.isMaxLength(6))
})

/** The state that the best order of events would end in. */
const best = (scenario: typeof Scenario.Type, due: number, booking: BookingRow) => {
  const { lapsed, story, taken } = scenario
  const places = { status: "confirmed", payment_status: booking.total === due ? "paid" : "deposit_paid", places: true }
  const over = { status: "expired", places: false }
  if (story === "paid" || story === "paid_later") {
    return lapsed && taken
      ? { ...over, payment_status: "refunded", paid: due, refunded: due }
      : { ...places, paid: due, refunded: 0 }
  }
  const none = { paid: 0, refunded: 0 }
  if (story === "processing") {
    return lapsed
      ? { ...over, payment_status: "processing", ...none }
      : { status: "held", places: true, payment_status: "processing", ...none }
  }
  return { ...over, payment_status: story === "failed_later" ? "failed" : "unpaid", ...none }
}

layer(paymentWorld())("whatever order, number and delay of events", (it) => {
  it.effect.prop(
    "money and places end as they would in the best order",
    { scenario: Scenario },
    ({ scenario }) =>
      Effect.gen(function* () {
        yield* setClock(now)
        // What earlier runs left would be asked about again in each later one.
        yield* deleteBookings
        const provider = yield* ScriptedGateway
        const booking = yield* createBooking(scenario.deposit ? packages.depositParty : packages.party)
        const session = yield* openSession(booking)
        const id = providerId(session)
        const events = (stories[scenario.story] ?? []).map(([action, type]) =>
          sessionEvent(type, provider.act(id, action))
        )

        if (scenario.lapsed) {
          yield* TestClock.adjust("38 minutes")
          provider.outage = "away"
          yield* reconcile
          provider.outage = undefined
          // Confirmed at once, so that it does not lapse in its turn.
          if (scenario.taken) yield* createBooking(packages.trustedParty, { date: dateOf(booking) })
        }
        for (const [i, { between, event, sameId }] of scenario.deliveries.entries()) {
          const told = events[event]
          if (told !== undefined) yield* deliverAndApply(sameId ? told : { ...told, id: `${told.id}_${i}` })
          if (between === "tasks") yield* runProviderTasks
          if (between === "reconcile") yield* reconcile
        }
        // Time passes: what was lost is asked for, what was decided is done.
        for (let round = 0; round < 4; round++) {
          yield* reconcileAfter("20 minutes")
          yield* runProviderTasks
        }
        const end = yield* bookingState(booking)
        assert.deepStrictEqual(end, best(scenario, booking.due_now, booking))
        // What the provider keeps for us is what we count.
        const money = provider.paidAndRefunded(id)
        assert.deepStrictEqual(money, { paid: end.paid, refunded: end.refunded })
        assert.isTrue(end.status !== "confirmed" || (end.places && end.paid - end.refunded === booking.due_now))
      }),
    { arbitrary: { runs: runs(15) }, timeout: 120_000 }
  )
})
