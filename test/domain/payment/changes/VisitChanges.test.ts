import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Audit } from "../../../../src/ops/audit/Audit.ts"
import { BookingOptions } from "../../../../src/domain/availability/BookingOptions.ts"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { refundByTerms } from "../../../../src/domain/booking/Booking.ts"
import { standingOf } from "../../../../src/domain/booking/Standing.ts"
import { bookedTerms, toView } from "../../../../src/domain/booking/BookingViews.ts"
import { ChangedSinceShown } from "../../../../src/domain/booking/VersionToken.ts"
import { dayMs, hourMs } from "../../../../src/platform/time/LocalTime.ts"
import { type VisitChange, cancelAsOperator, changeVisit, giveGoodwill } from "../../../support/Acts.ts"
import { VisitOffers } from "../../../../src/domain/payment/changes/VisitChanges.ts"
import { PaymentSessions } from "../../../../src/domain/payment/sessions/PaymentSessions.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { importVenue, setClock } from "../../../support/BookingWorld.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import {
  bookOption,
  confirmedOn,
  hall,
  movable,
  moveBooking,
  moveWorld,
  optionOn,
  otherHall,
  placesOf,
  rowOf
} from "../../../support/moveWorld.ts"
import {
  actAtProvider,
  bookingState,
  cancelBooking,
  deleteBookings,
  failureTag,
  historyOf,
  now,
  openSession,
  payBooking,
  reconcileAfter,
  refundsOf,
  runProviderTasks,
  setClockBefore
} from "../../../support/PaymentWorld.ts"
import { bookingWithNextStep } from "../../../../src/surfaces/mcp/tools/NextSteps.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const viewOf = Effect.fnUntraced(function* (booking: Parameters<typeof rowOf>[0]) {
  const row = yield* rowOf(booking)
  return toView(row, yield* PaymentSummaries.use((summaries) => summaries.read(row)))
})

/** Total, settled when booking, still to be paid, and the payment's status. */
const moneyOf = Effect.fnUntraced(function* (booking: Parameters<typeof rowOf>[0]) {
  const { due_now, payment_status, total } = yield* rowOf(booking)
  const { outstanding } = yield* viewOf(booking)
  return [total, due_now, outstanding.amount, payment_status]
})

const reasonOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => ("reason" in error ? error.reason : error._tag))

/** £20 for goodwill, all of which goes back. */
const given = Effect.fnUntraced(function* ({ booking_id }: Parameters<typeof rowOf>[0]) {
  yield* giveGoodwill(booking_id, { amount: 2000, reason: "Broken slide", preview: false })
  yield* runProviderTasks
})

layer(Layer.provideMerge(Audit.layer, moveWorld))("moving a booking", (it) => {
  it.effect("leaves goodwill outside the price (M5): a cheaper visit gives its difference back, in either order", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const first = yield* confirmedOn("2026-12-12")
      yield* given(first)
      const preview = yield* moveBooking(first, yield* optionOn("2026-12-10"), { preview: true })
      assert.deepInclude(preview, { difference: -4000 })
      assert.deepStrictEqual(
        [preview.refund.amount, preview.goodwill.amount, preview.back_before.amount],
        [4000, 2000, 0],
        "what goes back, and what stays given"
      )
      const second = yield* confirmedOn("2026-12-13")
      yield* moveBooking(second, yield* optionOn("2026-12-14"))
      yield* runProviderTasks
      yield* given(second)
      assert.strictEqual((yield* moveBooking(first, yield* optionOn("2026-12-10"))).refund.amount, 4000)
      yield* runProviderTasks
      for (const booking of [first, second]) {
        assert.deepInclude(yield* bookingState(booking), { paid: 24_000, refunded: 6000 })
        assert.deepStrictEqual(
          (yield* refundsOf(booking)).map(({ amount, cause }) => `${cause} ${amount}`).toSorted(),
          ["goodwill 2000", "move 4000"]
        )
      }
      // Nor is it taken back by a dearer one, nor by a cheaper one after that.
      assert.strictEqual((yield* moveBooking(first, yield* optionOn("2026-12-19"))).balance.amount, 4000)
      yield* payBooking(first, "balance")
      assert.strictEqual((yield* moveBooking(first, yield* optionOn("2026-12-17"))).refund.amount, 4000)
      yield* runProviderTasks
      assert.deepInclude(yield* bookingState(first), { paid: 28_000, refunded: 10_000 })
      assert.deepStrictEqual(yield* Audit.use(({ rows }) => rows), [])
      yield* cancelAsOperator(first.booking_id, { refund: "full", preview: false })
      yield* runProviderTasks
      assert.deepInclude(yield* bookingState(first), { paid: 28_000, refunded: 28_000 })
      assert.deepStrictEqual(yield* Audit.use(({ rows }) => rows), [])
    })
  )

  it.effect("leaves goodwill outside the price of a smaller party (M5), and says what went back before", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const fewer = { party: { add_ons: [] }, by: "operator", reason: "They asked" } as const
      const booked = Effect.fnUntraced(function* (date: string) {
        yield* setClock(now)
        const booking = yield* bookOption(yield* optionOn(date, "10:00", { machines: 1 }))
        yield* payBooking(booking)
        return booking
      })
      const booking = yield* booked("2026-12-10")
      yield* given(booking)
      const less = yield* changeVisit(booking.booking_id, { ...fewer, preview: false })
      assert.deepStrictEqual([less.difference, less.refund.amount, less.goodwill.amount], [-1200, 1200, 2000])
      yield* runProviderTasks
      assert.deepInclude(yield* bookingState(booking), { refunded: 3200 })
      // What the operator gave back at the provider is nobody's goodwill: it counts, and that is said.
      const other = yield* booked("2026-12-11")
      const provider = yield* ScriptedGateway
      const page = (yield* PaymentSessions.use((sessions) => sessions.ofBooking(other.booking_id))).find(
        ({ status }) => status === "paid"
      )
      provider.refundInDashboard(page ?? assert.fail("not paid"), 1000)
      yield* reconcileAfter("1 day")
      const counted = yield* changeVisit(other.booking_id, { ...fewer, preview: true })
      assert.deepStrictEqual(
        [counted.difference, counted.refund.amount, counted.back_before.amount, counted.goodwill.amount],
        [-1200, 200, 1000, 0]
      )
    })
  )

  it.effect("gets the new places and gives the old ones back, under the same id and reference", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const option = yield* optionOn("2026-12-14", "15:00")
      const before = yield* confirmedOn("2026-12-10")
      const { booking, difference, free, from, refund } = yield* moveBooking(before, option)
      assert.deepStrictEqual([difference, refund.amount, free, from.starts_at], [0, 0, true, before.starts_at])
      assert.deepStrictEqual(yield* rowOf(before), booking)
      assert.strictEqual(booking.reference, before.reference)
      assert.strictEqual(new Date(booking.starts_at).toISOString(), "2026-12-14T15:00:00.000Z")
      assert.strictEqual(booking.ends_at - booking.starts_at, 2 * hourMs)
      assert.deepStrictEqual(yield* placesOf(booking), [
        {
          resource_id: hall.playroom.playroom_id,
          units: "{[0,12)}",
          starts: "2026-12-14T14:45:00.000Z",
          ends: "2026-12-14T17:15:00.000Z"
        }
      ])
      assert.deepStrictEqual(yield* bookingState(booking), {
        status: "confirmed",
        payment_status: "paid",
        paid: 20_000,
        refunded: 0,
        places: true
      })
      assert.strictEqual((yield* historyOf(booking)).at(-1), "moved")
      // The old place is sold again, and the new one is not.
      yield* optionOn("2026-12-10")
      const { options } = yield* BookingOptions.use((service) =>
        service.list({ playroom_id: booking.playroom_id, date: "2026-12-14", children: 1, start_after: "14:00" })
      )
      assert.deepStrictEqual(options, [])
    })
  )

  it.effect("says in the history what was moved, by whom and why", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10")
      yield* moveBooking(booking, yield* optionOn("2026-12-12", "11:00", { children: 9 }), {
        reason: "The cake is late"
      })
      const lines = yield* BookingRecords.use((records) => records.history(booking))
      assert.deepInclude(lines.at(-1), {
        event: "moved",
        detail:
          "2026-12-10 10:00 → 2026-12-12 11:00, 8 children and 0 adults → 9 children and 0 adults, £200.00 → £240.00; by the operator; The cake is late; £40.00 more is to be paid"
      })
    })
  )

  it.effect("may take a start that overlaps its own", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const option = yield* optionOn("2026-12-10", "11:00")
      const booking = yield* confirmedOn("2026-12-10", "10:00")
      const { booking: after } = yield* moveBooking(booking, option)
      assert.strictEqual(after.starts_at - booking.starts_at, hourMs)
    })
  )

  it.effect("is the booking of its new option from then on, and not of the old one", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      yield* setClock(now)
      const [old, next] = [yield* optionOn("2026-12-10"), yield* optionOn("2026-12-14")]
      const booking = yield* bookOption(old, "same")
      yield* payBooking(booking)
      yield* moveBooking(booking, next)
      assert.strictEqual((yield* bookOption(next, "same")).booking_id, booking.booking_id)
      const anew = yield* bookOption(old, "same")
      assert.notStrictEqual(anew.booking_id, booking.booking_id)
      // Back again, where the same person has a booking of the old option by now: that is another one, in the same
      // hour.
      yield* cancelBooking(anew)
      const play = yield* optionOn("2026-12-16", "10:00", { pkg: movable.play, children: 2 })
      const first = yield* bookOption(play, "same")
      yield* moveBooking(booking, play)
      const again = yield* bookOption(play, "same")
      assert.include([first.booking_id, booking.booking_id], again.booking_id)
      assert.lengthOf(yield* placesOf(booking), 1)
    })
  )

  it.effect("to a dearer visit leaves the difference to be paid, and the payment of it counts", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10")
      const moved = yield* moveBooking(booking, yield* optionOn("2026-12-12"))
      assert.deepStrictEqual([moved.difference, moved.refund.amount, moved.balance.amount], [4000, 0, 4000])
      assert.deepStrictEqual(yield* moneyOf(booking), [24_000, 20_000, 4000, "deposit_paid"])
      const { balance } = yield* viewOf(booking)
      assert.strictEqual(balance?.amount.amount, 4000)
      assert.strictEqual((yield* payBooking(booking, "balance")).amount, 4000)
      assert.deepStrictEqual(yield* moneyOf(booking), [24_000, 20_000, 0, "paid"])
      // A dearer party once more: this balance is no second payment of the one before.
      const children = yield* optionOn("2026-12-13", "10:00", { machines: 1 })
      assert.strictEqual((yield* moveBooking(booking, children)).balance.amount, 1200)
      assert.deepStrictEqual(yield* moneyOf(booking), [25_200, 24_000, 1200, "deposit_paid"])
      assert.strictEqual((yield* payBooking(booking, "balance")).amount, 1200)
      assert.deepStrictEqual(yield* moneyOf(booking), [25_200, 24_000, 0, "paid"])
      assert.strictEqual((yield* bookingState(booking)).paid, 25_200)
      assert.deepStrictEqual(yield* refundsOf(booking), [])
    })
  )

  it.effect("to a visit that costs too little more to be charged costs nothing more: it is waived, and said", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10")
      const option_id = yield* optionOn("2026-12-22")
      const family = { by: "family", reason: "" } as const
      const seen = yield* moveBooking(booking, option_id, { ...family, preview: true })
      assert.deepStrictEqual([seen.difference, seen.balance.amount, seen.waived.amount], [0, 0, 20])
      // A family finds this start, too.
      const days = { from: "2026-12-21", to: "2026-12-23" }
      const starts = yield* VisitOffers.use((offers) => offers.starts(booking, days))
      assert.isTrue(Option.getOrThrow(starts).some((one) => one.option_id === option_id))
      const moved = yield* moveBooking(booking, option_id)
      assert.deepStrictEqual([moved.difference, moved.balance.amount, moved.waived.amount], [0, 0, 20])
      assert.deepStrictEqual(yield* moneyOf(booking), [20_000, 20_000, 0, "paid"])
      const { price } = (yield* rowOf(booking)).terms
      assert.deepInclude(price.lines.at(-1), { kind: "rule", amount: -20, waived: true })
      assert.strictEqual(
        price.lines.reduce((sum, { amount }) => sum + amount, 0),
        20_000
      )
      const history = yield* BookingRecords.use((records) => records.history(booking))
      assert.include(history.at(-1)?.detail, "£0.20 more is too little to be charged, and waived")
      // Of a deposit, the difference joins the balance that there is.
      const deposit = yield* confirmedOn("2026-12-10", "15:00", movable.depositParty)
      const later = yield* moveBooking(deposit, yield* optionOn("2026-12-22", "15:00", { pkg: movable.depositParty }))
      assert.deepStrictEqual([later.difference, later.balance.amount, later.waived.amount], [20, 15_020, 0])
    })
  )

  it.effect("leaves no balance that is overdue at once: there are two days to pay it, or until the visit", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const dueAfter = Effect.fnUntraced(function* (booking: Parameters<typeof rowOf>[0], date: string, time?: string) {
        yield* moveBooking(booking, yield* optionOn(date, time))
        const row = yield* rowOf(booking)
        const standing = standingOf(row, yield* PaymentSummaries.use((summaries) => summaries.read(row)))
        assert.strictEqual(standing.kind, "balance_due")
        return [Date.parse(row.terms.price.balance_due_at ?? ""), row.starts_at] as const
      })
      const first = yield* confirmedOn("2026-12-10")
      const [due] = yield* dueAfter(first, "2026-12-12")
      assert.strictEqual(due, Date.parse(now) + 2 * dayMs)
      const second = yield* confirmedOn("2026-12-10")
      yield* setClock("2026-12-10T09:00:00Z")
      const [soon] = yield* dueAfter(second, "2026-12-13")
      assert.strictEqual(soon, Date.parse("2026-12-12T09:00:00Z"))
      yield* setClock("2026-12-12T07:00:00Z")
      const [atStart, start] = yield* dueAfter(first, "2026-12-13", "15:00")
      assert.strictEqual(atStart, start)
    })
  )

  it.effect("to a cheaper visit gives back what was paid beyond the new total, each time", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      const booking = yield* confirmedOn("2026-12-12")
      const option = yield* optionOn("2026-12-14")
      const preview = yield* moveBooking(booking, option, { preview: true })
      assert.deepStrictEqual(yield* rowOf(booking), booking)
      const { booking: after, ...done } = yield* moveBooking(booking, option)
      assert.deepStrictEqual({ ...done, booking: after.total }, { ...preview, booking: preview.booking.total })
      assert.deepStrictEqual([done.difference, done.refund.amount], [-4000, 4000])
      assert.deepStrictEqual(yield* refundsOf(booking), [{ cause: "move", status: "requested", amount: 4000 }])
      // A repeat has what it asks for; anything else waits for the refund.
      assert.strictEqual(yield* reasonOf(moveBooking(booking, option)), "same_visit")
      const cheap = yield* optionOn("2026-12-08")
      assert.strictEqual(yield* reasonOf(moveBooking(booking, cheap)), "refund_pending")
      yield* runProviderTasks
      assert.deepStrictEqual(yield* moneyOf(booking), [20_000, 20_000, 0, "partially_refunded"])
      assert.strictEqual((yield* moveBooking(booking, cheap)).refund.amount, 19_000)
      yield* runProviderTasks
      assert.deepStrictEqual(yield* moneyOf(booking), [1000, 1000, 0, "partially_refunded"])
      const [session] = [...provider.sessions.values()].slice(-1)
      assert.deepStrictEqual(provider.paidAndRefunded(session?.id ?? ""), { paid: 24_000, refunded: 23_000 })
      // And back to the dear one: what went back is to be paid again, by link.
      const again = yield* moveBooking(booking, yield* optionOn("2026-12-13"))
      assert.strictEqual(again.balance.amount, 23_000)
      yield* payBooking(booking, "balance")
      assert.deepStrictEqual(yield* moneyOf(booking), [24_000, 1000, 0, "partially_refunded"])
      assert.strictEqual((yield* rowOf(booking)).paid - (yield* rowOf(booking)).refunded, 24_000)
      // What was paid a second time is no part of what the percentage is taken of: half of £240, as without the moves.
      yield* setClockBefore({ starts_at: Date.parse("2026-12-08T10:00:00Z") }, 48)
      assert.strictEqual((yield* viewOf(booking)).refund_if_cancelled_now?.amount, 12_000)
      assert.include((yield* viewOf(booking)).terms.text, "£120.00 back")
      assert.strictEqual((yield* cancelBooking(booking)).refund.amount, 12_000)
      yield* runProviderTasks
      const { paid, refunded } = yield* rowOf(booking)
      assert.strictEqual(paid - refunded, 12_000)
    })
  )

  it.effect("asks for no balance that is paid, though a part of the money went back before or since", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      // A cheaper visit gave money back, and the dearer one is paid since.
      const booking = yield* confirmedOn("2026-12-12")
      yield* moveBooking(booking, yield* optionOn("2026-12-08"))
      yield* runProviderTasks
      yield* moveBooking(booking, yield* optionOn("2026-12-13"))
      yield* payBooking(booking, "balance")
      assert.deepStrictEqual(yield* moneyOf(booking), [24_000, 1000, 0, "partially_refunded"])
      assert.strictEqual(yield* failureTag(openSession(booking, "balance")), "NothingDue")
      assert.strictEqual((yield* PaymentSummaries.use((all) => all.read(booking))).balance_online, false)
      // The operator gives a part of the paid balance back in the provider's dashboard.
      const other = yield* confirmedOn("2026-12-10")
      yield* moveBooking(other, yield* optionOn("2026-12-12"))
      const balance = yield* payBooking(other, "balance")
      provider.refundInDashboard(balance, 1000)
      yield* cancelAsOperator(other.booking_id, { preview: true })
      assert.deepStrictEqual(yield* moneyOf(other), [24_000, 20_000, 0, "partially_refunded"])
      assert.strictEqual(yield* failureTag(openSession(other, "balance")), "NothingDue")
      // What is still to be paid can be paid, and is not more by what was given back.
      yield* moveBooking(other, yield* optionOn("2026-12-13", "15:00", { machines: 1 }))
      assert.strictEqual((yield* openSession(other, "balance")).amount, 1200)
    })
  )

  it.effect("of a deposit changes the balance alone, and gives back only what the deposit has too much", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const { depositParty: pkg } = movable
      const booking = yield* confirmedOn("2026-12-12", "10:00", pkg)
      assert.deepStrictEqual(yield* moneyOf(booking), [24_000, 5000, 19_000, "deposit_paid"])
      assert.strictEqual(
        (yield* moveBooking(booking, yield* optionOn("2026-12-14", "10:00", { pkg }))).refund.amount,
        0
      )
      assert.deepStrictEqual(yield* moneyOf(booking), [20_000, 5000, 15_000, "deposit_paid"])
      assert.strictEqual((yield* viewOf(booking)).balance?.due_at, "2026-12-13T10:00:00+00:00")
      const cheap = yield* moveBooking(booking, yield* optionOn("2026-12-08", "10:00", { pkg }))
      assert.strictEqual(cheap.refund.amount, 4000)
      yield* runProviderTasks
      assert.deepStrictEqual(yield* moneyOf(booking), [1000, 1000, 0, "partially_refunded"])
    })
  )

  it.effect("counts a refund by hand of a balance whose event has not come: the payment is found first", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const { depositParty: pkg } = movable
      const provider = yield* ScriptedGateway
      const booking = yield* confirmedOn("2026-12-12", "10:00", pkg)
      const page = yield* openSession(booking, "balance")
      yield* actAtProvider(page, "pay")
      provider.refundInDashboard(page, 540)
      const { from, refund } = yield* moveBooking(booking, yield* optionOn("2026-12-14", "10:00", { pkg }))
      // £240 was paid, £5.40 went back by hand, and the new visit costs £200.
      assert.deepStrictEqual([from.paid, refund.amount], [24_000, 3460])
      yield* runProviderTasks
      assert.strictEqual(provider.paidAndRefunded(page).refunded, 4000)
      assert.deepStrictEqual(yield* moneyOf(booking), [20_000, 20_000, 0, "partially_refunded"])
      assert.strictEqual((yield* rowOf(booking)).refunded, 4000)
    })
  )

  it.effect("where nothing was due changes what is to be paid at the visit", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const { trustedParty: pkg } = movable
      const booking = yield* confirmedOn("2026-12-10", "10:00", pkg)
      yield* moveBooking(booking, yield* optionOn("2026-12-12", "10:00", { pkg }))
      assert.deepStrictEqual(yield* moneyOf(booking), [24_000, 0, 24_000, "not_required"])
      yield* payBooking(booking, "balance")
      assert.deepStrictEqual(yield* moneyOf(booking), [24_000, 0, 0, "paid"])
      assert.strictEqual(
        (yield* moveBooking(booking, yield* optionOn("2026-12-15", "10:00", { pkg }))).refund.amount,
        4000
      )
    })
  )

  it.effect("never makes a refund better: its dates are those of the earliest start, and the terms say them", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10")
      const later = yield* moveBooking(booking, yield* optionOn("2027-02-10"))
      const { terms } = later.booking
      const summary = { given_back: 0, left: 20_000, balance_paid: false, refund_on_its_way: 0 }
      for (const [days, refund] of [
        [14, 20_000],
        [13, 10_000],
        [0.5, 0]
      ] as const) {
        const at = booking.starts_at - days * dayMs
        yield* setClock(new Date(at).toISOString())
        assert.strictEqual(refundByTerms(later.booking, summary, at).amount, refund)
        const preview = yield* cancelAsOperator(booking.booking_id, { preview: true })
        assert.strictEqual(preview.refund.amount, refund)
        assert.strictEqual((yield* viewOf(booking)).refund_if_cancelled_now?.amount, refund)
      }
      const { text } = bookedTerms(later.booking, { ...summary, now: Date.parse(now) })
      assert.include(text, "until 2026-11-26 10:00: £200.00 back; until 2026-12-09 10:00: £100.00 back")
      assert.include(text, "Final headcount by 2027-02-08 10:00. Free to move until 2026-12-03 10:00.")
      assert.strictEqual(terms.earliest_start, booking.starts_at)
      // The venue's earlier start takes no rights: they are those of the start before, up to the visit.
      yield* setClock(now)
      const earlier = yield* moveBooking(booking, yield* optionOn("2026-12-07"))
      assert.strictEqual(earlier.booking.terms.earliest_start, booking.starts_at)
      for (const [at, refund] of [
        ["2026-11-26T10:00:00Z", 20_000],
        ["2026-11-26T10:00:01Z", 10_000],
        ["2026-12-07T10:00:00Z", 10_000],
        ["2026-12-07T10:00:01Z", 0]
      ] as const)
        assert.strictEqual(refundByTerms(earlier.booking, summary, Date.parse(at)).amount, refund)
      assert.deepStrictEqual(
        [terms.moved_from, earlier.booking.terms.moved_from],
        [booking.starts_at, later.booking.starts_at]
      )
    })
  )

  it.effect("keeps what was agreed: tiers and deposit stay, also with another package", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10", "10:00", movable.depositParty)
      const { booking: after } = yield* moveBooking(
        booking,
        yield* optionOn("2026-12-11", "10:00", { pkg: movable.play, children: 8 })
      )
      for (const name of ["cancellation", "non_refundable", "deposit", "free_reschedule_hours_before"] as const) {
        assert.deepStrictEqual(after.terms[name], booking.terms[name], name)
      }
      assert.deepStrictEqual([after.terms.package_name, after.terms.mode], ["Play", "shared"])
      assert.deepStrictEqual(after.terms.price.due_now + (after.terms.price.balance_due ?? 0), after.total)
    })
  )

  it.effect("does not change anything where it is refused, and says why", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      yield* setClock(now)
      const free = yield* optionOn("2026-12-14")
      const elsewhere = yield* optionOn("2026-12-14", "10:00", {
        pkg: otherHall.packages[0] ?? movable.party,
        playroom_id: otherHall.playroom.playroom_id
      })
      const held = yield* bookOption(yield* optionOn("2026-12-09"))
      assert.strictEqual(yield* reasonOf(moveBooking(held, free)), "not_confirmed")
      yield* cancelBooking(held)
      assert.strictEqual(yield* failureTag(moveBooking(held, free)), "BookingCancelled")
      const booking = yield* confirmedOn("2026-12-10")
      const taken = yield* optionOn("2026-12-15")
      const unchanged = Effect.gen(function* () {
        assert.deepStrictEqual(yield* rowOf(booking), booking)
        assert.strictEqual((yield* placesOf(booking))[0]?.starts, "2026-12-10T09:45:00.000Z")
      })
      assert.strictEqual(yield* reasonOf(moveBooking(booking, elsewhere, { by: "family" })), "other_playroom")
      assert.strictEqual(yield* reasonOf(moveBooking(booking, booking.option_id)), "same_visit")
      assert.strictEqual(yield* reasonOf(moveBooking(booking, "option_AAAA")), "malformed")
      yield* bookOption(taken)
      const refused = yield* Effect.flip(moveBooking(booking, taken))
      assert.strictEqual(refused._tag, "SlotUnavailable")
      if (refused._tag === "SlotUnavailable") assert.isNotEmpty(refused.alternatives)
      yield* unchanged
      yield* setClockBefore(booking, 24)
      assert.strictEqual(yield* reasonOf(moveBooking(booking, free, { reason: " " })), "reason_needed")
      assert.strictEqual((yield* moveBooking(booking, free, { reason: "", preview: true })).free, false)
      assert.strictEqual(yield* reasonOf(moveBooking(booking, free, { by: "family" })), "not_free")
      yield* setClockBefore(booking, 0)
      assert.strictEqual(yield* reasonOf(moveBooking(booking, free)), "begun")
      yield* unchanged
      yield* setClock(now)
      assert.strictEqual((yield* moveBooking(booking, free, { by: "family" })).free, true)
    })
  )

  it.effect("waits for a payment that is being processed, and closes a page that is open", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      const { depositParty: pkg } = movable
      const booking = yield* confirmedOn("2026-12-10", "10:00", pkg)
      const [next, other] = [
        yield* optionOn("2026-12-14", "10:00", { pkg }),
        yield* optionOn("2026-12-12", "10:00", { pkg })
      ]
      const page = yield* openSession(booking, "balance")
      assert.strictEqual((yield* moveBooking(booking, next, { preview: true })).balance.amount, 15_000)
      provider.outage = "away"
      assert.strictEqual(yield* reasonOf(moveBooking(booking, next)), "payment_open")
      provider.outage = undefined
      yield* moveBooking(booking, next)
      assert.strictEqual(provider.sessions.get(page.provider_session_id ?? "")?.status, "expired")
      // The payer was faster than the move: the money is known before it, and counts.
      const paid = yield* openSession(booking, "balance")
      yield* actAtProvider(paid, "pay")
      const moved = yield* moveBooking(booking, other)
      assert.deepStrictEqual([moved.from.payment_status, moved.from.paid, moved.balance.amount], ["paid", 20_000, 4000])
      const slow = yield* openSession(booking, "balance")
      yield* actAtProvider(slow, "pay_later")
      assert.strictEqual(yield* reasonOf(moveBooking(booking, next)), "payment_processing")
    })
  )

  it.effect("gives back all that is owed where the booking is cancelled while the move's refund is on its way", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-12")
      yield* setClockBefore(booking, 13 * 24)
      yield* moveBooking(booking, yield* optionOn("2026-12-14"))
      // Half of £240 by the terms, whether it was moved in between or not.
      assert.strictEqual((yield* cancelBooking(booking)).refund.amount, 8000)
      yield* runProviderTasks
      assert.deepStrictEqual(
        (yield* refundsOf(booking)).map(({ amount, cause, status }) => [cause, status, amount]),
        [
          ["move", "succeeded", 4000],
          ["cancellation", "succeeded", 8000]
        ]
      )
      assert.deepStrictEqual(yield* bookingState(booking), {
        status: "cancelled",
        payment_status: "partially_refunded",
        paid: 24_000,
        refunded: 12_000,
        places: false
      })
    })
  )

  it.effect("gives back all that is owed where the operator gave back by hand what the move's refund has yet to", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-12")
      yield* moveBooking(booking, yield* optionOn("2026-12-14"))
      const [session] = yield* PaymentSessions.use((sessions) => sessions.ofBooking(booking.booking_id))
      yield* ScriptedGateway.useSync((provider) => provider.refundInDashboard(session ?? assert.fail(), 22_000))
      // All of £240 is owed, and with what is on its way, £260 has gone: the move's refund shrinks to what is missing.
      assert.strictEqual((yield* cancelBooking(booking)).refund.amount, 0)
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(booking), {
        status: "cancelled",
        payment_status: "refunded",
        paid: 24_000,
        refunded: 24_000,
        places: false
      })
    })
  )

  it.effect(
    "gives back all that is owed, once, where a dispute that had taken the move's refund is found won then",
    () =>
      Effect.gen(function* () {
        yield* deleteBookings
        const provider = yield* ScriptedGateway
        const booking = yield* confirmedOn("2026-12-12")
        const [session] = yield* PaymentSessions.use((sessions) => sessions.ofBooking(booking.booking_id))
        const { id } = provider.openDispute(session ?? assert.fail(), 4000, "lost")
        assert.strictEqual((yield* moveBooking(booking, yield* optionOn("2026-12-14"))).refund.amount, 0)
        provider.setDisputeStatus(id, "won")
        const { given_back, refund } = yield* cancelBooking(booking)
        assert.deepStrictEqual([given_back.amount, refund.amount], [4000, 20_000])
        yield* runProviderTasks
        assert.deepStrictEqual(
          (yield* refundsOf(booking)).map(({ amount, cause, status }) => [cause, status, amount]),
          [
            ["move", "succeeded", 4000],
            ["cancellation", "succeeded", 20_000]
          ]
        )
        assert.deepStrictEqual(provider.paidAndRefunded(session ?? assert.fail()), { paid: 24_000, refunded: 24_000 })
      })
  )

  it.effect("offers a family the starts of its own package and party, dearer ones too, as long as moving is free", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const weekday = yield* confirmedOn("2026-12-10")
      const starts = (booking: Parameters<typeof rowOf>[0], from: string, to: string) =>
        Effect.gen(function* () {
          const row = yield* rowOf(booking)
          const found = yield* VisitOffers.use((offers) => offers.starts(row, { from, to }))
          return Option.getOrThrow(found).map(({ start }) => start.slice(0, 16))
        })
      yield* confirmedOn("2026-12-11", "15:00")
      assert.deepStrictEqual(yield* starts(weekday, "2026-12-10", "2026-12-13"), [
        "2026-12-10T11:00",
        "2026-12-10T15:00",
        "2026-12-11T10:00",
        "2026-12-11T11:00",
        "2026-12-12T10:00",
        "2026-12-12T11:00",
        "2026-12-12T15:00",
        "2026-12-13T10:00",
        "2026-12-13T11:00",
        "2026-12-13T15:00"
      ])
      const bounded = yield* starts(weekday, "2026-11-01", "2030-01-01")
      assert.deepStrictEqual([bounded[0], bounded.at(-1)], ["2026-11-20T11:00", "2026-12-01T15:00"])
      const saturday = yield* confirmedOn("2026-12-12")
      assert.include(yield* starts(saturday, "2026-12-13", "2026-12-13"), "2026-12-13T10:00")
      const fixed = yield* confirmedOn("2026-12-15", "10:00", movable.fixedParty)
      assert.deepStrictEqual(yield* starts(fixed, "2026-12-15", "2026-12-20"), [])
      yield* setClockBefore(weekday, 7 * 24 - 0.1)
      assert.deepStrictEqual(yield* starts(weekday, "2026-12-10", "2026-12-13"), [])
    })
  )

  it.effect("is told to assistants as long as it is free: the family does it on its page", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10")
      const next = Effect.gen(function* () {
        const row = yield* rowOf(booking)
        return bookingWithNextStep(row, yield* PaymentSummaries.use((summaries) => summaries.read(row))).next_step
      })
      const free = "move it to another time, until 2026-12-03T10:00:00+00:00, and cancel it"
      assert.include(yield* next, `where they change the party, until 2026-12-08T10:00:00+00:00, ${free}`)
      // A later start gives no more time.
      yield* moveBooking(booking, yield* optionOn("2027-02-10"))
      assert.include(yield* next, free)
      yield* setClock("2026-12-03T10:00:00.001Z")
      assert.include(
        yield* next,
        "where they change the party, until 2027-02-08T10:00:00+00:00, and cancel it, after reading what comes back"
      )
      yield* setClock("2027-02-10T10:00:00Z")
      assert.include(yield* next, "Changes go to the operator")
    })
  )

  it.effect("by a family keeps package and party, may cost more, and does what was shown or nothing", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10")
      const family = (option_id: string, request: Partial<VisitChange> = {}) =>
        moveBooking(booking, option_id, { by: "family", ...request })
      const dearer = yield* family(yield* optionOn("2026-12-12"), { preview: true })
      assert.deepStrictEqual([dearer.difference, dearer.balance.amount], [4000, 4000])
      assert.strictEqual(
        yield* reasonOf(family(yield* optionOn("2026-12-14", "10:00", { children: 9 }))),
        "other_party"
      )
      assert.strictEqual(
        yield* reasonOf(family(yield* optionOn("2026-12-14", "10:00", { machines: 1 }))),
        "other_party"
      )
      const option = yield* optionOn("2026-12-08")
      const { shown } = yield* family(option, { preview: true })
      const otherOutcome = `${shown.slice(0, 18)}00000000`
      assert.deepStrictEqual(
        yield* Effect.flip(family(option, { shown: otherOutcome })),
        new ChangedSinceShown({ booking_id: booking.booking_id, changed: ["outcome"] })
      )
      assert.deepStrictEqual(yield* rowOf(booking), booking)
      const { refund } = yield* family(option, { shown })
      assert.strictEqual(refund.amount, 19_000)
    })
  )

  it.effect("by the venue may break its notice and its horizon, once that was told, and the history names it", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-12")
      const strict = { ...hall.playroom, lead_time_minutes: 60 * 24 * 60, max_advance_days: 61 }
      yield* importVenue({ ...hall, playroom: strict })
      const at = (date: string) => VisitOffers.use((offers) => offers.optionAt(booking, date, "15:00"))
      for (const [date, exception] of [
        ["2026-12-13", "too_soon"],
        ["2027-03-13", "too_far_ahead"]
      ] as const) {
        const option = yield* at(date)
        assert.strictEqual(yield* reasonOf(moveBooking(booking, option)), exception)
        assert.strictEqual(yield* reasonOf(moveBooking(booking, option, { by: "family", exception: true })), exception)
        const told = yield* moveBooking(booking, option, { exception: true, preview: true })
        assert.deepStrictEqual(told.exceptions, [exception])
        yield* moveBooking(booking, option, { exception: true, shown: told.shown })
        const [line] = (yield* BookingRecords.use((records) => records.venueHistory(booking))).toReversed()
        assert.deepStrictEqual(line?.facts?.exceptions, [exception])
      }
      yield* importVenue(hall)
    })
  )

  it.effect("needs no account that takes payments: what it costs more is a balance, for the venue and a family", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn("2026-12-10")
      const dearer = yield* optionOn("2026-12-12")
      const operators = yield* Operators
      const { connected_account_id = "" } = yield* operators.get(booking.operator_id)
      yield* operators.closeAccount(connected_account_id, "closed by the test")
      const day = { from: "2026-12-12", to: "2026-12-12" }
      const offered = yield* VisitOffers.use((offers) => offers.starts(booking, day))
      assert.isAbove(Option.getOrElse(offered, () => []).length, 0)
      const { balance } = yield* moveBooking(booking, dearer, { by: "family" })
      assert.strictEqual(balance.amount, 4000)
      const more = { preview: false, by: "operator", reason: "Asked", party: { children: 9 } } as const
      assert.strictEqual((yield* changeVisit(booking.booking_id, more)).booking.children, 9)
      yield* operators.openAccount(connected_account_id)
    })
  )
})
