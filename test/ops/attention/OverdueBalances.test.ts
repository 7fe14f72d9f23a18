import { assert, layer } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { makeGauges } from "../../../src/ops/attention/Gauges.ts"
import { DueBookings } from "../../../src/domain/booking/DueBookings.ts"
import { hourMs } from "../../../src/platform/time/LocalTime.ts"
import { commandWorld, csvRows, member, parsed, playroom } from "../../support/CommandLine.ts"
import {
  actAndDeliver,
  createBooking,
  deleteBookings,
  openSession,
  setClockBefore
} from "../../support/PaymentWorld.ts"
import { packages } from "../../support/paymentVenues.ts"

const gauge = Effect.gen(function* () {
  yield* Effect.flatten(makeGauges)
  const all = yield* Metric.snapshot
  return all.flatMap((metric) =>
    metric.id === "balances_overdue" && metric.type === "Gauge" ? [Number(metric.state.value)] : []
  )
})

/** A confirmed booking whose balance of £150 is due a day before. */
const deposited = Effect.gen(function* () {
  yield* deleteBookings
  const booking = yield* createBooking(packages.depositParty)
  yield* actAndDeliver(yield* openSession(booking), "pay")
  return booking
})

layer(commandWorld)("a balance that was not paid when it was due", (it) => {
  it.effect("is named by doctor, counted by the metrics, and marked in every form of the list, until it is paid", () =>
    Effect.gen(function* () {
      const booking = yield* deposited
      const list = (...more: ReadonlyArray<string>) =>
        Effect.map(playroom("booking", "list", "--email", booking.contact_email, ...more), ({ out }) => out)
      yield* setClockBefore(booking, 25)
      assert.notInclude((yield* playroom("doctor")).out, "balance overdue")
      assert.match(yield* list(), /£150\.00 +\d{4}-\d\d-\d\d \d\d:\d\d$/m)
      assert.deepStrictEqual(yield* gauge, [0])
      yield* setClockBefore(booking, 23)
      const told = yield* playroom("doctor")
      assert.include(told.failure ?? "", "1 thing needs")
      assert.match(told.out, new RegExp(`balance overdue +${booking.booking_id}`))
      assert.include(told.out, `${booking.reference}: £150.00 has been due since`)
      assert.deepStrictEqual(yield* gauge, [1])
      assert.match(yield* list(), /£150\.00 +\d{4}-\d\d-\d\d \d\d:\d\d \(overdue\)/)
      assert.strictEqual(csvRows(yield* list("--csv"))[0]?.["overdue"], "yes")
      const [listed] = parsed(yield* list("--json")) as ReadonlyArray<unknown>
      assert.deepStrictEqual([member(listed, "outstanding"), member(listed, "overdue")], [15_000, true])
      yield* actAndDeliver(yield* openSession(booking, "balance"), "pay")
      assert.notInclude((yield* playroom("doctor")).out, "balance overdue")
      assert.deepStrictEqual(yield* gauge, [0])
      assert.notInclude(yield* list(), "overdue")
    })
  )

  it.effect("is named until the visit begins; then the venue asks for it", () =>
    Effect.gen(function* () {
      const booking = yield* deposited
      const records = yield* DueBookings
      const overdueAt = (now: number) =>
        Effect.map(records.unpaidBalances(now, now, 10), (rows) => rows.map(({ booking_id }) => booking_id))
      assert.deepStrictEqual(yield* overdueAt(booking.starts_at - 24 * hourMs - 1), [])
      assert.deepStrictEqual(yield* overdueAt(booking.starts_at - 24 * hourMs), [booking.booking_id])
      assert.deepStrictEqual(yield* overdueAt(booking.starts_at), [])
    })
  )
})
