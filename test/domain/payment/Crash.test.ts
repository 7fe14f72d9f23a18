import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { changeVisit, cancelAsOperator } from "../../support/Acts.ts"
import { Failpoint, type FailpointName, failpoints } from "../../../src/platform/concurrency/Failpoint.ts"
import { paymentServices } from "../../../src/domain/payment/PaymentLayers.ts"
import { ProviderRefunds } from "../../../src/domain/payment/refunds/ProviderRefunds.ts"
import { Reconciliation } from "../../../src/domain/payment/workers/Reconciliation.ts"
import { RefundRecords } from "../../../src/domain/payment/refunds/RefundRecords.ts"
import { WebhookInbox } from "../../../src/domain/payment/events/WebhookInbox.ts"
import { importVenue, setClock } from "../../support/BookingWorld.ts"
import {
  bookingState,
  createBooking,
  dateOf,
  deleteBookings,
  deliverEvent,
  now,
  openSession,
  paymentWorld,
  runProviderTasks
} from "../../support/PaymentWorld.ts"
import { sessionEvent } from "../../support/providerEvents.ts"
import { packages, venue } from "../../support/paymentVenues.ts"
import { type PageAction, ScriptedGateway } from "../../support/ScriptedGateway.ts"

type World = Layer.Success<ReturnType<typeof paymentWorld>>
/** What the world outside does until it is answered: after a crash it does it again. */
type Step = Effect.Effect<unknown, unknown, World>

/** The services of a process that has just started, on the same database and the same provider. */
const restarted = Effect.provide(Layer.fresh(paymentServices))

/** Dies when it comes to the `n`th failpoint; the points that were reached are noted. */
const lifeWith = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, n: number) {
  const reached = yield* Ref.make<ReadonlyArray<FailpointName>>([])
  const died = yield* Deferred.make<void>()
  const reach = (name: FailpointName) =>
    Effect.flatMap(
      Ref.updateAndGet(reached, (before) => [...before, name]),
      (all) => (all.length === n ? Effect.andThen(Deferred.succeed(died, undefined), Effect.never) : Effect.void)
    )
  const crash = Effect.as(Deferred.await(died), true)
  for (const step of steps) {
    const mortal = Effect.as(Effect.provideService(step, Failpoint, reach), false)
    const crashed = (yield* Deferred.isDone(died)) ? yield* restarted(mortal) : yield* Effect.raceFirst(mortal, crash)
    if (!crashed) continue
    // It takes a moment until the process is back; whoever had no answer asks again.
    yield* TestClock.adjust("1 minute")
    yield* restarted(mortal)
  }
  return yield* Ref.get(reached)
})

/** The parts that lives are made of. */
const begin = Effect.gen(function* () {
  yield* setClock(now)
  yield* deleteBookings
  const provider = yield* ScriptedGateway
  const inbox = yield* WebhookInbox
  const first = provider.sessions.size
  const booking = yield* createBooking()
  const page = () => [...provider.sessions.values()][first] ?? assert.fail("no page was made")
  const does = (action: PageAction): Step => Effect.sync(() => provider.act(page().id, action))
  const ask: Step = openSession(booking)
  const tell = (type: "checkout.session.completed" | "checkout.session.expired"): Step => {
    const event = Effect.cached(Effect.sync(() => sessionEvent(type, { ...page() })))
    const same = Effect.runSync(event)
    return Effect.flatMap(same, (told) => deliverEvent("connected", told))
  }
  const apply: Step = inbox.applyDue()
  const pass = (time: "38 minutes" | "7 hours"): Step => TestClock.adjust(time)
  /** Where all stands, here and in the provider's books. */
  const end = Effect.gen(function* () {
    const { id } = page()
    const pages = [...provider.sessions.values()].slice(first)
    const alive = [...provider.refunds.values()].filter(
      (refund) => refund.payment_intent_id === page().payment_intent_id && refund.status !== "failed"
    )
    const status = pages.map(({ status }) => status)
    return {
      ...(yield* bookingState(booking)),
      pages: status,
      refunds: alive.length,
      money: provider.paidAndRefunded(id)
    }
  })
  return { booking, provider, ask, does, tell, apply, pass, end, page }
})
type Parts = Effect.Success<typeof begin>

const reconcile: Step = Reconciliation.use(({ runDue }) => runDue)
const cancel = (booking: BookingRow): Step =>
  cancelAsOperator(booking.booking_id, { preview: false }).pipe(Effect.catchTag("BookingCancelled", () => Effect.void))
/** To a day on which no booking is. */
const move = (booking: BookingRow): Step =>
  Effect.gen(function* () {
    const options = yield* BookingOptions
    const { options: found } = yield* options.list({
      playroom_id: booking.playroom_id,
      package_id: booking.package_id,
      date: "2027-11-01",
      children: 8
    })
    const option_id = found[0]?.option_id ?? assert.fail("no option")
    yield* changeVisit(booking.booking_id, { option_id, preview: false, by: "operator", reason: "Test" })
  })

/** Five children and not eight, which today costs £30 less. */
const fewer = (booking: BookingRow): Step => {
  const { party } = packages
  const pricing = { ...party.pricing, included_children: 5, extra_child: 1000 }
  const sold = (pkg: typeof party) =>
    importVenue({ ...venue, packages: venue.packages.map((one) => (one.package_id === pkg.package_id ? pkg : one)) })
  const request = { party: { children: 5 }, preview: false, by: "family" } as const
  return Effect.andThen(sold({ ...party, pricing }), changeVisit(booking.booking_id, request)).pipe(
    Effect.andThen(sold(party))
  )
}

const paid = ({ apply, ask, does, tell }: Parts): ReadonlyArray<Step> => [
  ask,
  does("pay"),
  tell("checkout.session.completed"),
  apply
]

/** The provider is away while the hold ends, and somebody else books; then the payment becomes known. */
const late = ({ apply, ask, booking, does, pass, provider, tell }: Parts): ReadonlyArray<Step> => [
  ask,
  does("pay"),
  pass("38 minutes"),
  Effect.suspend(() => {
    provider.outage = "away"
    return Effect.ensuring(
      reconcile,
      Effect.sync(() => (provider.outage = undefined))
    )
  }),
  Effect.suspend(() => createBooking(packages.trustedParty, { date: dateOf(booking) })),
  tell("checkout.session.completed"),
  apply,
  runProviderTasks
]

/** The payer's bank sends the refund back; the operator has it sent again. */
const returned = (parts: Parts): ReadonlyArray<Step> => [
  Effect.sync(() => {
    const refund = [...parts.provider.refunds.values()].at(-1)
    Object.assign(refund ?? {}, { status: "failed", failure_reason: "lost_or_stolen_card" })
  }),
  Effect.andThen(
    parts.pass("7 hours"),
    Reconciliation.use(({ runOnce }) => runOnce)
  ),
  Effect.gen(function* () {
    const failed = yield* RefundRecords.use((refunds) => refunds.failed())
    const refunds = yield* ProviderRefunds
    yield* Effect.forEach(failed, ({ refund_id }) => refunds.resend(refund_id))
  }),
  runProviderTasks
]

/** Where a booking of £120 stands in the end, here and at the provider. */
const ended = (status: string, payment_status: string, page: string, paid = 0, refunded = 0) => ({
  status,
  payment_status,
  paid,
  refunded,
  places: status === "confirmed",
  pages: [page],
  refunds: refunded === 0 ? 0 : 1,
  money: { paid, refunded }
})

interface Life {
  /** What went well before: dying there is another life's. */
  readonly after?: (parts: Parts) => ReadonlyArray<Step>
  readonly steps: (parts: Parts) => ReadonlyArray<Step>
  readonly end: object
}

const lives: Record<string, Life> = {
  "a payment": { steps: paid, end: ended("confirmed", "paid", "complete", 12_000) },
  "a hold that nobody pays": {
    steps: ({ ask, pass }) => [ask, pass("38 minutes"), reconcile],
    end: ended("expired", "unpaid", "expired")
  },
  "a payment that comes too late": { steps: late, end: ended("expired", "refunded", "complete", 12_000, 12_000) },
  "a refund that comes back": {
    after: late,
    steps: returned,
    end: ended("expired", "refunded", "complete", 12_000, 12_000)
  },
  // A payment that was broken off is given back, too.
  "a cancellation": {
    steps: (parts) => [...paid(parts), cancel(parts.booking), runProviderTasks],
    end: ended("cancelled", "refunded", "complete", 12_000, 12_000)
  },
  "a move": {
    after: paid,
    steps: (parts) => [move(parts.booking), runProviderTasks],
    end: ended("confirmed", "paid", "complete", 12_000)
  },
  "another party": {
    after: paid,
    steps: (parts) => [fewer(parts.booking), runProviderTasks],
    end: ended("confirmed", "partially_refunded", "complete", 12_000, 3000)
  },
  "a cancellation with an open page": {
    steps: (parts) => [parts.ask, cancel(parts.booking), runProviderTasks],
    end: ended("cancelled", "unpaid", "expired")
  }
}

layer(paymentWorld())("after a crash", (it) => {
  const reachedInAll = new Set<FailpointName>()

  for (const [name, { after = () => [], end, steps }] of Object.entries(lives)) {
    it.effect(
      `${name} ends as if nothing had happened, wherever the process died`,
      () =>
        Effect.gen(function* () {
          const undisturbed = yield* begin
          yield* lifeWith(after(undisturbed), 0)
          const points = yield* lifeWith(steps(undisturbed), 0)
          assert.deepStrictEqual<object>(yield* undisturbed.end, end)
          for (const [i, point] of points.entries()) {
            reachedInAll.add(point)
            const parts = yield* begin
            yield* lifeWith(after(parts), 0)
            const reached = yield* lifeWith(steps(parts), i + 1)
            assert.strictEqual(reached[i], point)
            assert.deepStrictEqual<object>(yield* parts.end, end, `died at ${i + 1}: ${point}`)
          }
        }),
      240_000
    )
  }

  it("had died at every point that there is", () => {
    assert.sameMembers([...reachedInAll], [...failpoints])
  })
})
