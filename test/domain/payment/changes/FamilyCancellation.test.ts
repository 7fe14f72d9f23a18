import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import { type Cancellation, previewAsFamily, cancelAsFamily } from "../../../support/Acts.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  bookingWithSession,
  callCount,
  cancelBooking,
  confirmed,
  createBooking,
  expectedState,
  failureTag,
  now,
  paidBooking,
  paymentWorld,
  refundsOf,
  runProviderTasks,
  setClockBefore
} from "../../../support/PaymentWorld.ts"
import { providerId, ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const preview = ({ booking_id }: BookingRow) => previewAsFamily(booking_id)
const cancel = ({ booking_id }: BookingRow, shown: string) => cancelAsFamily(booking_id, shown)
const shownIn = ({ shown }: Cancellation): string => shown
/** What no preview shows. */
const never = "00000000-00000000-00000000"
/** Looks, and cancels what it saw. */
const lookAndCancel = (booking: BookingRow) =>
  Effect.flatMap(preview(booking), (seen) => cancel(booking, shownIn(seen)))

/** A turn of the event loop, in which the database may answer. */
const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

layer(paymentWorld())("a family that cancels", (it) => {
  it.effect("gets exactly what it was shown, and the history says that it was the family", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      yield* setClockBefore(booking, 30)
      const seen = yield* preview(booking)
      assert.deepStrictEqual([seen.refund.amount, seen.refund_percent], [6000, 50])
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      const done = yield* cancel(booking, shownIn(seen))
      assert.strictEqual(done.refund.amount, 6000)
      yield* runProviderTasks
      assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 12_000, refunded: 6000 })
      const history = yield* BookingRecords.use((records) => records.history(booking))
      const line = history.find(({ event }) => event === "cancelled")
      assert.strictEqual(line?.detail, "by the family, on its page; £60.00 will be refunded")
      assert.strictEqual(yield* failureTag(preview(booking)), "BookingCancelled")
      assert.strictEqual(yield* failureTag(cancel(booking, shownIn(seen))), "BookingCancelled")
    })
  )

  it.effect("cancels nothing where a deadline has passed since it looked", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      yield* setClockBefore(booking, 48)
      const seen = yield* preview(booking)
      assert.strictEqual(seen.refund.amount, 12_000)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* failureTag(cancel(booking, shownIn(seen))), "ChangedSinceShown")
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      assert.deepStrictEqual(yield* refundsOf(booking), [])
    })
  )

  it.effect("cancels nothing where its payment has arrived since it looked, even if its event was lost", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      const seen = yield* preview(booking)
      assert.deepStrictEqual([seen.refund.amount, seen.booking.paid], [0, 0])
      yield* actAtProvider(session, "pay")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* failureTag(cancel(booking, shownIn(seen))), "ChangedSinceShown")
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      yield* lookAndCancel(booking)
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("cancelled", "refunded", 12_000, 12_000))
    })
  )

  it.effect(
    "cancels nothing where the operator has given money back since it looked, or the visit is another one",
    () =>
      Effect.gen(function* () {
        const provider = yield* ScriptedGateway
        const { booking, session } = yield* paidBooking()
        const seen = shownIn(yield* preview(booking))
        provider.refundInDashboard(session, 5000)
        assert.strictEqual(yield* failureTag(cancel(booking, seen)), "ChangedSinceShown")
        yield* TestClock.adjust("5 seconds")
        const again = yield* preview(booking)
        assert.deepStrictEqual([again.refund.amount, again.given_back.amount], [7000, 5000])
        const otherVisit = `00000000-${shownIn(again).slice(9)}`
        assert.strictEqual(yield* failureTag(cancel(booking, otherVisit)), "ChangedSinceShown")
        assert.strictEqual((yield* bookingState(booking)).status, "confirmed")
      })
  )

  it.effect("can do so until the visit begins", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      yield* TestClock.setTime(booking.starts_at - 1)
      const seen = yield* preview(booking)
      assert.strictEqual(seen.refund.amount, 0)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* failureTag(preview(booking)), "VisitBegun")
      assert.strictEqual(yield* failureTag(cancel(booking, shownIn(seen))), "VisitBegun")
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      // The operator still can.
      yield* cancelBooking(booking)
    })
  )

  it.effect("of a hold frees its places and has its payment page closed", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* bookingWithSession()
      yield* lookAndCancel(booking)
      yield* runProviderTasks
      assert.strictEqual(provider.sessions.get(providerId(session))?.status, "expired")
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("cancelled", "unpaid"))
      yield* setClock(now)
      const lapsed = yield* createBooking()
      yield* TestClock.adjust("16 minutes")
      assert.strictEqual(yield* failureTag(preview(lapsed)), "HoldExpired")
      assert.strictEqual(yield* failureTag(cancel(lapsed, never)), "HoldExpired")
    })
  )

  it.effect("while its payment is on its way gets all of it back when it arrives", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* actAndDeliver(session, "pay_later")
      yield* setClockBefore(booking, 2)
      assert.strictEqual((yield* lookAndCancel(booking)).refund.amount, 0)
      yield* actAndDeliver(session, "late_success")
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("cancelled", "refunded", 12_000, 12_000))
    })
  )

  it.effect("is told where the provider could not be asked, and cancels all the same", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking } = yield* paidBooking()
      provider.outage = "away"
      const seen = yield* preview(booking)
      assert.isDefined(seen.not_asked)
      const done = yield* cancel(booking, shownIn(seen))
      assert.deepStrictEqual([done.refund.amount, done.not_asked === undefined], [12_000, false])
      provider.outage = undefined
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("cancelled", "refunded", 12_000, 12_000))
    })
  )

  it.effect("waits four seconds for the provider's word, and then does without it", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking } = yield* paidBooking()
      provider.injectFault("listRefunds", "slow")
      const before = yield* callCount("listRefunds")
      const looking = yield* Effect.forkChild(preview(booking))
      while ((yield* callCount("listRefunds")) === before) yield* turn
      yield* TestClock.adjust("4 seconds")
      const seen = yield* Fiber.join(looking)
      assert.deepStrictEqual([seen.refund.amount, seen.not_asked], [12_000, "no answer in 4 seconds"])
    })
  )

  it.effect("is told what is under dispute; no refund goes out beside it", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      provider.openDispute(session)
      const seen = yield* preview(booking)
      assert.strictEqual(seen.disputed.amount, 12_000)
      yield* cancel(booking, shownIn(seen))
      yield* runProviderTasks
      assert.strictEqual(provider.paidAndRefunded(session).refunded, 0)
    })
  )

  it.effect("can cancel where its operator is suspended", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { booking } = yield* paidBooking()
      yield* sql`update operator set suspended_at = now() where operator_id = ${booking.operator_id}`
      yield* lookAndCancel(booking)
      yield* runProviderTasks
      yield* sql`update operator set suspended_at = null where operator_id = ${booking.operator_id}`
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("cancelled", "refunded", 12_000, 12_000))
    })
  )

  it.effect("costs the provider one question in five seconds, however often it looks or sends what is not so", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      yield* TestClock.adjust("10 seconds")
      const before = yield* callCount("listRefunds")
      yield* Effect.all(
        Array.from({ length: 10 }, () => preview(booking)),
        { concurrency: "unbounded" }
      )
      for (let i = 0; i < 10; i++) yield* Effect.flip(cancel(booking, never))
      assert.strictEqual(yield* callCount("listRefunds"), before + 1)
      yield* TestClock.adjust("5 seconds")
      yield* preview(booking)
      assert.strictEqual(yield* callCount("listRefunds"), before + 2)
    })
  )

  it.effect("at the moment at which another pays: either nothing is cancelled, or all that was paid goes back", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const outcomes: Array<string> = []
      // How many turns of the event loop each waits for the other, at most.
      for (const [payerWaits, familyWaits] of [
        [Infinity, 0],
        [5, 0],
        [0, 0],
        [0, 5],
        [0, Infinity]
      ] as const) {
        const { booking, session } = yield* bookingWithSession()
        const seen = shownIn(yield* preview(booking))
        const done = { paid: false, cancelled: false }
        const waiting = (turns: number, is: keyof typeof done) =>
          Effect.gen(function* () {
            for (let i = 0; i < turns && !done[is]; i++) yield* turn
          })
        const paying = waiting(payerWaits, "cancelled").pipe(
          Effect.andThen(actAndDeliver(session, "pay")),
          Effect.andThen(Effect.sync(() => (done.paid = true)))
        )
        const cancelling = waiting(familyWaits, "paid").pipe(
          Effect.andThen(Effect.exit(cancel(booking, seen))),
          Effect.andThen(Effect.sync(() => (done.cancelled = true)))
        )
        yield* Effect.all([paying, cancelling, cancelling], { concurrency: "unbounded" })
        // An event whose booking was locked at that moment is left for the next look.
        yield* WebhookInbox.use(({ applyDue }) => applyDue())
        yield* runProviderTasks
        const state = yield* bookingState(booking)
        outcomes.push(state.status)
        const refunded = state.status === "confirmed" ? 0 : 12_000
        assert.deepStrictEqual(
          state,
          refunded === 0 ? confirmed : expectedState("cancelled", "refunded", 12_000, 12_000)
        )
        assert.strictEqual(provider.paidAndRefunded(session).refunded, refunded)
      }
      assert.strictEqual(outcomes.at(0), "cancelled")
      assert.strictEqual(outcomes.at(-1), "confirmed")
    })
  )
})
