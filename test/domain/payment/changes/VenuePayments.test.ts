import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Audit } from "../../../../src/ops/audit/Audit.ts"
import { findings } from "../../../../src/ops/attention/ActionItems.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { toView } from "../../../../src/domain/booking/BookingViews.ts"
import { type VenuePayment, recordPayment } from "../../../support/Acts.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { RefundRecords } from "../../../../src/domain/payment/refunds/RefundRecords.ts"
import { Refunds } from "../../../../src/domain/payment/refunds/Refunds.ts"
import { commandWorld } from "../../../support/CommandLine.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  bookingWithSession,
  cancelBooking,
  createBooking,
  createSession,
  deleteBookings,
  expectedState,
  failureTag,
  historyOf,
  openSession,
  paidBooking,
  reconcileAfter,
  refundsOf,
  runProviderTasks,
  sessionRow,
  setClockBefore
} from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const record = (booking: { readonly booking_id: string }, payment: VenuePayment, shown?: string) =>
  recordPayment(booking.booking_id, payment, { preview: false, ...(shown === undefined ? {} : { shown }) })
const preview = (booking: { readonly booking_id: string }, payment: VenuePayment) =>
  recordPayment(booking.booking_id, payment, { preview: true })

const cash = (amount: number): VenuePayment => ({ amount, way: "cash", done_by: "Ann" })

/** What an assistant and the family are told of a booking's money. */
const told = Effect.fnUntraced(function* ({ booking_id }: { readonly booking_id: string }) {
  const row = yield* Bookings.use((bookings) => bookings.get(booking_id))
  const { balance, due_now, outstanding, standing } = toView(
    row,
    yield* PaymentSummaries.use((summaries) => summaries.read(row))
  )
  return { outstanding: outstanding.amount, due_now: due_now.amount, balance: balance?.amount.amount, standing }
})

const audited = Effect.map(
  Audit.use(({ rows }) => rows),
  (found) => found.map(({ detail, what }) => `${what}: ${detail}`)
)

layer(commandWorld)("a payment at the venue", (it) => {
  it.effect(
    "of the balance closes it: nothing is asked for any more, its page is closed, and a repeat is refused",
    () =>
      Effect.gen(function* () {
        yield* deleteBookings
        const { booking } = yield* paidBooking(packages.depositParty)
        const page = yield* openSession(booking, "balance")
        const { left, payment_session_id } = yield* record(booking, cash(15_000))
        assert.strictEqual(left.amount, 0)
        assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "paid", 20_000))
        assert.deepStrictEqual(yield* told(booking), {
          outstanding: 0,
          due_now: 0,
          balance: undefined,
          standing: "paid"
        })
        const row = yield* sessionRow(payment_session_id ?? "")
        assert.deepInclude(row, { way: "cash", taken_by: "Ann", status: "paid", purpose: "balance", amount: 15_000 })
        assert.isNotNull(row.paid_at)
        assert.strictEqual(yield* failureTag(createSession(booking.booking_id, { purpose: "balance" })), "NothingDue")
        assert.include(yield* historyOf(booking), "paid_at_venue")
        assert.strictEqual(yield* runProviderTasks, 1)
        assert.strictEqual((yield* sessionRow(page.payment_session_id)).status, "expired")

        const again = yield* Effect.flip(record(booking, cash(15_000)))
        assert.strictEqual(again.message, `Nothing is owed for ${booking.booking_id}.`)
        assert.deepStrictEqual(yield* audited, [])
      })
  )

  it.effect("of a part leaves the rest: the page asks for that, and a later payment of it is no second one", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      const { booking } = yield* paidBooking(packages.depositParty)
      const before = yield* openSession(booking, "balance")
      const shown = (yield* preview(booking, cash(6000))).shown
      const { left } = yield* record(booking, cash(6000), shown)
      assert.strictEqual(left.amount, 9000)
      assert.strictEqual(yield* failureTag(record(booking, cash(6000), shown)), "ChangedSinceShown")
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "deposit_paid", 11_000))
      assert.deepStrictEqual(yield* told(booking), {
        outstanding: 9000,
        due_now: 0,
        balance: 9000,
        standing: "balance_due"
      })
      assert.deepStrictEqual(yield* audited, [])
      // The payer was faster than the page's end: it asked for more than is owed.
      yield* actAndDeliver(before, "pay")
      yield* runProviderTasks
      yield* runProviderTasks
      assert.deepStrictEqual(provider.paidAndRefunded(before), { paid: 15_000, refunded: 15_000 })
      assert.strictEqual((yield* told(booking)).outstanding, 9000)
      const rest = yield* openSession(booking, "balance")
      assert.strictEqual(rest.amount, 9000)
      yield* actAndDeliver(rest, "pay")
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "paid", 20_000))
      assert.deepStrictEqual(provider.paidAndRefunded(rest), { paid: 9000, refunded: 0 })
      assert.deepStrictEqual(yield* audited, [])
    })
  )

  it.effect("of a part, after all that was paid went back, is kept: not all went back then", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking(packages.depositParty)
      provider.refundInDashboard(session, 5000)
      yield* reconcileAfter("8 days")
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "refunded", 5000, 5000))
      yield* record(booking, cash(6000))
      assert.deepStrictEqual(
        yield* bookingState(booking),
        expectedState("confirmed", "partially_refunded", 11_000, 5000)
      )
      assert.deepStrictEqual(yield* audited, [])
    })
  )

  for (const [what, amount, status, paid] of [
    ["what is due now", 5000, "deposit_paid", 5000],
    ["more than is due now", 8000, "deposit_paid", 8000],
    ["the whole total", 20_000, "paid", 20_000]
  ] as const)
    it.effect(`of ${what} confirms a hold, and a payment by link that comes after it goes back`, () =>
      Effect.gen(function* () {
        yield* deleteBookings
        const provider = yield* ScriptedGateway
        const { booking, session } = yield* bookingWithSession(packages.depositParty)
        const done = yield* record(booking, { amount, way: "card" })
        assert.isTrue(done.confirms)
        assert.strictEqual(done.left.amount, 20_000 - amount)
        assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", status, paid))
        assert.strictEqual((yield* told(booking)).outstanding, 20_000 - amount)
        assert.deepStrictEqual(yield* audited, [])
        yield* actAndDeliver(session, "pay")
        yield* runProviderTasks
        yield* runProviderTasks
        assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 5000, refunded: 5000 })
        assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", status, paid))
        assert.deepStrictEqual(yield* audited, [])
      })
    )

  it.effect("of a booking with nothing due when booking counts, whole or in part", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* createBooking(packages.trustedParty)
      const part = yield* record(booking, cash(5000))
      assert.strictEqual(part.left.amount, 15_000)
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "deposit_paid", 5000))
      yield* record(booking, cash(15_000))
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "paid", 20_000))
      assert.deepStrictEqual(yield* audited, [])
    })
  )

  it.effect(
    "is refused beyond what is owed, below what a hold needs, beside a payment under way, and after the end",
    () =>
      Effect.gen(function* () {
        yield* deleteBookings
        const { booking } = yield* paidBooking(packages.depositParty)
        const more = yield* Effect.flip(record(booking, cash(15_001)))
        assert.strictEqual(more.message, `No more than £150.00 is owed for ${booking.booking_id}.`)
        const page = yield* openSession(booking, "balance")
        yield* actAndDeliver(page, "pay_later")
        const beside = yield* Effect.flip(record(booking, cash(15_000)))
        assert.include(beside.message, "A payment by link is being processed")
        const hold = yield* createBooking(packages.depositParty)
        const less = yield* Effect.flip(record(hold, cash(4999)))
        assert.include(less.message, "at least £50.00 is due now")
        yield* cancelBooking(booking)
        assert.strictEqual(yield* failureTag(record(booking, cash(100))), "BookingCancelled")
        yield* reconcileAfter("1 hour")
        assert.strictEqual(yield* failureTag(record(hold, cash(5000))), "HoldExpired")
      })
  )

  it.effect("goes back by hand: a person is told the amount, and says how it went back", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking(packages.refundableParty)
      yield* record(booking, cash(15_000))
      yield* setClockBefore(booking, 72)
      const { refund } = yield* cancelBooking(booking)
      assert.strictEqual(refund.amount, 20_000)
      yield* runProviderTasks
      yield* reconcileAfter("10 minutes")
      yield* runProviderTasks
      assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 5000, refunded: 5000 })
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("cancelled", "refund_pending", 20_000, 5000))
      const [waiting] = yield* RefundRecords.use((refunds) => refunds.atVenue)
      if (waiting === undefined) return assert.fail("nothing is to be given back by hand")
      const named = (yield* findings).filter(({ id }) => id === waiting.refund_id)
      assert.deepStrictEqual(
        named.map(({ what }) => what),
        ["refund to give back by hand"]
      )
      assert.include(named[0]?.detail ?? "", "£150.00")
      assert.deepStrictEqual(yield* audited, [])
      // Nobody sends it, however long it waits.
      yield* reconcileAfter("30 days")
      assert.strictEqual((yield* RefundRecords.use((refunds) => refunds.atVenue)).length, 1)
      assert.isTrue((yield* Refunds.use((refunds) => refunds.markPaidBack(waiting.refund_id, "cash")))._tag === "Some")
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("cancelled", "refunded", 20_000, 20_000))
      assert.deepStrictEqual(
        (yield* refundsOf(booking)).map(({ status }) => status),
        ["succeeded", "succeeded"]
      )
      assert.isTrue((yield* Refunds.use((refunds) => refunds.markPaidBack(waiting.refund_id, "cash")))._tag === "None")
      assert.deepStrictEqual(yield* audited, [])
      return undefined
    })
  )

  it.effect("stops no page whose payer was faster: what was paid there first is owed no more", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      const { booking } = yield* paidBooking(packages.depositParty)
      const page = yield* openSession(booking, "balance")
      yield* actAtProvider(page, "pay")
      yield* record(booking, cash(15_000))
      yield* runProviderTasks
      yield* runProviderTasks
      assert.deepStrictEqual(provider.paidAndRefunded(page), { paid: 15_000, refunded: 15_000 })
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "paid", 20_000))
    })
  )
})
