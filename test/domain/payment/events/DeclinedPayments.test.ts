/** What a payer tried in vain is told, once, in every answer; and what is under way is not asked for again. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { Stripe } from "stripe"
import { TestClock } from "effect/testing"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { bookingWithNextStep } from "../../../../src/surfaces/mcp/tools/NextSteps.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import type { PaymentSessionRow } from "../../../../src/domain/payment/sessions/PaymentSession.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingWithSession,
  createSession,
  deliverAndApply,
  deliverEvent,
  historyOf,
  payBooking,
  paymentWorld,
  sessionRow,
  storedEvent
} from "../../../support/PaymentWorld.ts"
import { otherVenue, packages } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

let events = 0
const type = "payment_intent.payment_failed"
/** The event of a decline: a snapshot of the payment, or a thin event that names it. */
const declinedEvent = (session: PaymentSessionRow, intent: string, kind: string, account = session.account) => {
  const id = `evt_declined_${++events}`
  const created = 1_795_190_400
  return kind === "thin"
    ? {
        id,
        object: "v2.core.event",
        type: `v1.${type}`,
        context: account,
        livemode: false,
        created: new Date(created * 1000).toISOString(),
        reason: null,
        related_object: { id: intent, type: "payment_intent", url: `/v1/payment_intents/${intent}` }
      }
    : {
        id,
        object: "event",
        type,
        account,
        livemode: false,
        api_version: kind === "of another release" ? "2031-01-15.quinoa" : Stripe.API_VERSION,
        created,
        data: {
          object: {
            id: intent,
            object: "payment_intent",
            metadata: { payment_session_id: session.payment_session_id },
            last_payment_error: { charge: "ch_0", code: "card_declined", payment_method: { billing_details: "Ana" } }
          }
        }
      }
}

const decline = Effect.fnUntraced(function* (session: PaymentSessionRow) {
  yield* TestClock.adjust("1 minute")
  const at = yield* Clock.currentTimeMillis
  return (yield* ScriptedGateway).decline(session, at)
})

const rowOf = ({ booking_id }: BookingRow) => Bookings.use(({ get }) => get(booking_id))

/** What the tools tell of a booking, from our own rows. */
const told = (booking: BookingRow) =>
  Effect.gen(function* () {
    const row = yield* rowOf(booking)
    return bookingWithNextStep(row, yield* PaymentSummaries.use(({ read }) => read(row)))
  })

const countOf = (booking: BookingRow, event: string) =>
  Effect.map(historyOf(booking), (lines) => lines.filter((line) => JSON.stringify(line).includes(event)).length)

layer(paymentWorld())("a payment that is declined", (it) => {
  for (const kind of ["snapshot", "of another release", "thin"]) {
    it.effect(`is told in the booking, its history and what to do next, by a ${kind} event`, () =>
      Effect.gen(function* () {
        const { booking, session } = yield* bookingWithSession()
        const before = yield* told(booking)
        assert.notProperty(before.booking, "last_attempt")
        assert.notInclude(before.next_step, "declined")

        const intent = yield* decline(session)
        const event = declinedEvent(session, intent, kind)
        const [seen] = yield* deliverAndApply(event)
        assert.strictEqual(seen?.status, "applied", seen?.outcome ?? "")
        assert.notInclude(seen?.payload ?? "", "Ana")
        const after = yield* told(booking)
        assert.strictEqual(after.booking.last_attempt?.outcome, "declined")
        assert.strictEqual(after.booking.last_attempt?.at, "2026-11-20T09:01:00+00:00")
        assert.strictEqual(after.booking.standing, "payment_failed")
        assert.strictEqual(after.booking.status, "held")
        assert.strictEqual(after.booking.payment_session?.url, session.url ?? "")
        assert.match(
          after.next_step,
          /^The last try to pay was declined, and nothing was charged: tell the person, who can try another card or way to pay\. Give the person the url/
        )
        assert.strictEqual(yield* countOf(booking, "payment_declined"), 1)

        // The same news again, by another event and by asking.
        yield* deliverAndApply(declinedEvent(session, intent, kind))
        yield* TestClock.adjust("6 seconds")
        const { summary } = yield* Effect.flatMap(rowOf(booking), (row) =>
          PaymentSummaries.use(({ refresh }) => refresh(row))
        )
        assert.strictEqual(summary.last_attempt?.outcome, "declined")
        assert.strictEqual(yield* countOf(booking, "payment_declined"), 1)

        yield* actAndDeliver(session, "pay")
        const paid = yield* told(booking)
        assert.strictEqual(paid.booking.status, "confirmed")
        assert.notProperty(paid.booking, "last_attempt")
        assert.notInclude(paid.next_step, "declined")
      })
    )
  }

  it.effect("is found by the next reader if its event is lost", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* decline(session)
      const row = yield* rowOf(booking)
      const { outdated } = yield* PaymentSummaries.use(({ refresh }) => refresh(row))
      assert.isTrue(outdated)
      assert.strictEqual((yield* told(booking)).booking.last_attempt?.outcome, "declined")
    })
  )

  it.effect("is told with the page that is asked for again, which is the same", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* decline(session)
      const again = yield* createSession(booking.booking_id)
      assert.deepInclude(again, {
        payment_session_id: session.payment_session_id,
        status: "open",
        url: session.url ?? ""
      })
      assert.strictEqual((yield* told(booking)).booking.last_attempt?.outcome, "declined")
    })
  )

  it.effect("of a balance leaves the booking confirmed, and its page open", () =>
    Effect.gen(function* () {
      const { booking } = yield* bookingWithSession(packages.depositParty)
      yield* payBooking(booking)
      const page = yield* createSession(booking.booking_id, { purpose: "balance" })
      const session = yield* sessionRow(page.payment_session_id)
      const intent = yield* decline(session)
      yield* deliverAndApply(declinedEvent(session, intent, "thin"))
      const after = yield* told(booking)
      assert.strictEqual(after.booking.status, "confirmed")
      assert.strictEqual(after.booking.last_attempt?.outcome, "declined")
      assert.strictEqual(after.booking.payment_session?.url, session.url ?? "")
      assert.include(after.next_step, "The last try to pay was declined")
      assert.strictEqual(yield* countOf(booking, "balance_payment_declined"), 1)
    })
  )

  it.effect("tells the latest try, however its news are ordered, and a bounded number of lines", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      const early = declinedEvent(session, yield* decline(session), "snapshot")
      const late = declinedEvent(session, yield* decline(session), "snapshot")
      yield* deliverAndApply(late, early)
      assert.strictEqual((yield* told(booking)).booking.last_attempt?.at, "2026-11-20T09:02:00+00:00")
      assert.strictEqual(yield* countOf(booking, "payment_declined"), 1)
      for (let tries = 0; tries < 15; tries++) {
        yield* TestClock.adjust("-30 seconds")
        yield* deliverAndApply(declinedEvent(session, yield* decline(session), "thin"))
      }
      assert.isAtMost(yield* countOf(booking, "payment_declined"), 10)
    })
  )

  it.effect("of another account, of no session of ours or of an unknown account changes nothing", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      const intent = yield* decline(session)
      const { connected_account_id: theirs = "" } = otherVenue.operator
      for (const [kind, account] of [
        ["snapshot", theirs],
        ["snapshot", "acct_unknown"],
        ["thin", "acct_unknown"]
      ] as const) {
        const event = declinedEvent(session, intent, kind, account)
        yield* deliverEvent("connected", event)
        assert.notStrictEqual((yield* storedEvent(event.id)).status, "applied")
      }
      assert.notProperty((yield* told(booking)).booking, "last_attempt")
    })
  )
})

layer(paymentWorld())("a payment that is under way", (it) => {
  it.effect("is not asked for again: no answer gives an address or a time to pay, also before its event has come", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* actAtProvider(session, "pay_later")
      yield* TestClock.adjust("2 seconds")
      const again = yield* createSession(booking.booking_id)
      assert.strictEqual(again.status, "processing")
      for (const field of ["url", "expires_at", "expires_in"]) assert.notProperty(again, field)
      const after = yield* told(booking)
      assert.strictEqual(after.booking.standing, "payment_processing")
      for (const field of ["hold_expires_at", "hold_expires_in", "last_attempt"])
        assert.notProperty(after.booking, field)
      for (const field of ["url", "expires_at", "expires_in"])
        assert.notProperty(after.booking.payment_session ?? {}, field)
      assert.notInclude(after.next_step, "url")

      yield* actAndDeliver(session, "late_failure")
      const failed = yield* told(booking)
      assert.strictEqual(failed.booking.last_attempt?.outcome, "failed")
      assert.strictEqual(failed.booking.standing, "payment_failed")
      assert.include(failed.next_step, "create_payment_session")
    })
  )
})
