import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Audit } from "../../../../src/ops/audit/Audit.ts"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { DueBookings } from "../../../../src/domain/booking/DueBookings.ts"
import { makeMonthAccounts } from "../../../../src/domain/payment/accounts/MonthAccounts.ts"
import { changeVisit, undoRecorded, recordPayment } from "../../../support/Acts.ts"
import { commandWorld, playroom } from "../../../support/CommandLine.ts"
import {
  actAndDeliver,
  bookingState,
  bookingWithSession,
  createBooking,
  deleteBookings,
  expectedState,
  now,
  paidBooking,
  payBooking,
  refundsOf,
  runProviderTasks,
  setClockBefore,
  startAnew
} from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"

type Booked = { readonly booking_id: string }
const take = ({ booking_id }: Booked, amount: number) =>
  Effect.gen(function* () {
    const done = yield* recordPayment(booking_id, { amount, way: "cash", done_by: "Ann" }, { preview: false })
    return done.payment_session_id ?? assert.fail("not recorded")
  })
const undo = (id: Effect.Success<ReturnType<typeof take>>, shown?: string) =>
  undoRecorded(id, { preview: false, done_by: "Ben", ...(shown === undefined ? {} : { shown }) })
const rowOf = ({ booking_id }: Booked) => Bookings.use((bookings) => bookings.get(booking_id))
const atVenue = Effect.map(
  Effect.flatMap(makeMonthAccounts, ({ own }) => own({ period: now.slice(0, 7) }, () => Effect.void)),
  ({ sums }) => sums.flatMap((one) => one.sums).find(({ name }) => name === "venue_payment")?.amount
)
const sound = Effect.gen(function* () {
  assert.deepStrictEqual(yield* Audit.use(({ rows }) => rows), [])
})

layer(commandWorld)("a payment at the venue that was recorded by mistake", (it) => {
  it.effect("is undone as if it had not been: the rest, a part of it, or what had confirmed a hold", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const { booking } = yield* paidBooking(packages.depositParty)
      const before = yield* rowOf(booking)
      const whole = yield* take(booking, 15_000)
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "paid", 20_000))
      assert.strictEqual((yield* undo(whole)).left.amount, 15_000)
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "deposit_paid", 5_000))
      assert.deepStrictEqual((yield* rowOf(booking)).terms, before.terms)
      yield* sound
      const [one, other] = [yield* take(booking, 4_000), yield* take(booking, 11_000)]
      assert.strictEqual((yield* undo(one)).left.amount, 4_000)
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "deposit_paid", 16_000))
      yield* sound
      assert.strictEqual((yield* undo(other)).left.amount, 15_000)
      yield* sound
      // The right amount can be recorded then, and the month has what came in.
      yield* take(booking, 15_000)
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "paid", 20_000))
      assert.strictEqual(yield* atVenue, 15_000)
      const lines = yield* BookingRecords.use((records) => Effect.flatMap(rowOf(booking), records.venueHistory))
      assert.deepStrictEqual(
        lines.filter(({ event }) => event === "payment_undone").map(({ done_by }) => done_by),
        ["Ben", "Ben", "Ben"]
      )
      yield* sound

      const held = yield* createBooking(packages.depositParty)
      const deposit = yield* take(held, held.due_now)
      assert.strictEqual((yield* undo(deposit)).left.amount, held.total)
      assert.deepStrictEqual(yield* bookingState(held), expectedState("confirmed", "not_required", 0))
      yield* sound
      yield* take(held, held.total)
      assert.deepStrictEqual(yield* bookingState(held), expectedState("confirmed", "paid", held.total))
      yield* sound
    })
  )

  it.effect("is undone once, as it was shown, within a month of the visit, and not if money went back", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const { booking, session } = yield* paidBooking(packages.depositParty)
      const refusal = (id: typeof session.payment_session_id) =>
        Effect.map(Effect.flip(undo(id)), (error) => error.message)
      assert.include(yield* refusal(session.payment_session_id), "no payment that was recorded at the venue")
      const id = yield* take(booking, 4_000)
      const { shown } = yield* undoRecorded(id, { preview: true })
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "deposit_paid", 9_000))
      const other = yield* take(booking, 1_000)
      assert.strictEqual((yield* Effect.flip(undo(id, shown)))._tag, "ChangedSinceShown")
      const preview = yield* playroom("payment", "undo", id, "--preview")
      const code = /--as-shown (\S+?),? /.exec(`${preview.out} `)?.[1] ?? assert.fail(preview.out)
      assert.include(
        (yield* playroom("payment", "undo", id, "--as-shown", code, "--by", "Ben")).out,
        "Payment in cash: £40.00 (taken off)\nStill to be paid after that: £14"
      )
      assert.include(yield* refusal(id), "undone already")
      const answers = yield* Effect.all([Effect.result(undo(other)), Effect.result(undo(other))], { concurrency: 2 })
      assert.sameMembers(
        answers.map(({ _tag }) => _tag),
        ["Success", "Failure"]
      )
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "deposit_paid", 5_000))
      const late = yield* take(booking, 2_000)
      const hours = (booking.ends_at - booking.starts_at) / 3_600_000
      yield* setClockBefore(booking, -hours - 31 * 24)
      assert.include(yield* refusal(late), "more than 31 days ago")
      yield* sound

      yield* startAnew
      const gift = yield* createBooking(packages.depositParty)
      yield* payBooking(gift)
      const rest = yield* take(gift, 15_000)
      const command = ["booking", "refund", gift.reference, "10.00", "--reason", "cold soup"]
      const asked = yield* playroom(...command, "--preview")
      yield* playroom(...command, "--as-shown", /--as-shown (\S+?),? /.exec(asked.out)?.[1] ?? assert.fail(asked.out))
      assert.include(yield* refusal(rest), "went back")
    })
  )

  it.effect(
    "is told from a payment by link that comes after it: no such amount is owed any more, and it goes back",
    () =>
      Effect.gen(function* () {
        yield* startAnew
        const { booking, session } = yield* bookingWithSession(packages.depositParty)
        const cash = yield* take(booking, booking.due_now)
        yield* undo(cash)
        yield* actAndDeliver(session, "pay")
        assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "not_required"))
        yield* runProviderTasks
        const [refund] = yield* refundsOf(booking)
        assert.deepStrictEqual(
          [refund?.cause, refund?.status, refund?.amount],
          ["duplicate_payment", "succeeded", 5_000]
        )
        assert.deepStrictEqual(yield* DueBookings.use((bookings) => bookings.flagged(10)), [])
        yield* take(booking, booking.total)
        assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "paid", 20_000))
        yield* sound
      })
  )

  it.effect("does not count in what a later cancellation gives back, also if the booking changed in between", () =>
    Effect.gen(function* () {
      yield* startAnew
      const { booking } = yield* paidBooking(packages.depositParty)
      const mistake = yield* take(booking, 15_000)
      const party = (children: number) =>
        changeVisit(booking.booking_id, { party: { children }, preview: false, by: "operator", reason: "asked" })
      yield* party(booking.children - 1)
      assert.strictEqual((yield* rowOf(booking)).terms.most_paid, 20_000)
      yield* undo(mistake)
      assert.notStrictEqual((yield* rowOf(booking)).terms.most_paid, 20_000)
      yield* sound
    })
  )
})
