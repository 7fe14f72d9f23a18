/** Another party while something else happens to the booking or to its places, on one node and on two. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { toView } from "../../../../src/domain/booking/BookingViews.ts"
import type { PartyChange } from "../../../../src/domain/booking/ChangePlan.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { changeVisit, type VisitChange } from "../../../support/Acts.ts"
import {
  bookOption,
  confirmedOn,
  movable,
  moveBooking,
  moveWorld,
  elsewhere,
  optionOn,
  overtakenBy,
  placesAreRight,
  rowOf
} from "../../../support/moveWorld.ts"
import {
  actAtProvider,
  bookingState,
  cancelBooking,
  deleteBookings,
  deliverAndApply,
  openSession,
  payBooking,
  refundsOf,
  runProviderTasks
} from "../../../support/PaymentWorld.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"
import { bubbleMachine } from "../../../support/venues.ts"

/** £7.50 a child, paid at once; the hall takes twelve. */
const pkg = movable.play
const price = 750
const day = "2026-12-12"
const machine = { add_ons: [{ add_on_id: bubbleMachine.add_on_id, quantity: 1 }] }

type Booking = Pick<BookingRow, "booking_id">
const change = ({ booking_id }: Booking, party: PartyChange, more: Partial<VisitChange> = {}) =>
  changeVisit(booking_id, { preview: false, by: "family", ...more, party })
const preview = (booking: Booking, party: PartyChange) => change(booking, party, { preview: true })

/** Two things at once, the first of them here or on another node; answers which were done. */
const together = Effect.fnUntraced(function* <A, B, E, F, R, S>(
  one: Effect.Effect<A, E, R>,
  other: Effect.Effect<B, F, S>
) {
  const [first, second] = yield* Effect.all([Effect.exit(one), Effect.exit(other)], { concurrency: "unbounded" })
  return [first._tag, second._tag]
})

const booked = (children: number) =>
  Effect.gen(function* () {
    const booking = yield* bookOption(yield* optionOn(day, "10:00", { pkg, children }))
    yield* payBooking(booking)
    return yield* rowOf(booking)
  })

/** Children, machines, total, paid, and what is still to pay; the places are those of the party. */
const standOf = Effect.fnUntraced(function* (booking: Booking) {
  yield* placesAreRight
  const row = yield* rowOf(booking)
  const view = toView(row, yield* PaymentSummaries.use((all) => all.read(row)))
  const machines = row.terms.add_ons.reduce((sum, { quantity }) => sum + quantity, 0)
  assert.strictEqual(row.total, row.children * price + machines * bubbleMachine.unit_amount)
  return [row.children, machines, row.paid, view.outstanding.amount]
})

layer(moveWorld)("a booking whose party changes while", (it) => {
  it.effect("another part of the party changes on another node: both are made, and neither undoes the other", () =>
    Effect.gen(function* () {
      for (const swapped of [false, true]) {
        yield* deleteBookings
        const booking = yield* confirmedOn(day, "10:00", pkg)
        const [children, extra] = [change(booking, { children: 10 }), change(booking, machine)]
        const done = yield* swapped ? together(elsewhere(extra), children) : together(elsewhere(children), extra)
        assert.deepStrictEqual(done, ["Success", "Success"])
        assert.deepStrictEqual(yield* standOf(booking), [10, 1, 6000, 2 * price + bubbleMachine.unit_amount])
      }
    })
  )

  it.effect("the form of another tab is sent on another node: one is done, as its page said", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn(day, "10:00", pkg)
      const wishes = [{ children: 10 }, { children: 5 }] as const
      const [ten, five] = [yield* preview(booking, wishes[0]), yield* preview(booking, wishes[1])]
      const done = yield* together(
        elsewhere(change(booking, wishes[0], { shown: ten.shown })),
        change(booking, wishes[1], { shown: five.shown })
      )
      assert.deepStrictEqual(done.toSorted(), ["Failure", "Success"])
      const [children] = yield* standOf(booking)
      assert.strictEqual(children, done[0] === "Success" ? 10 : 5)
      const refunds = children === 10 ? [] : [{ cause: "move", status: "requested", amount: 3 * price }]
      assert.deepStrictEqual(yield* refundsOf(booking), refunds)
    })
  )

  it.effect("its wishes change on another node: they are kept, and who said a number last has that number", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const booking = yield* confirmedOn(day, "10:00", pkg)
      const wishes = change(booking, { children: 8, notes: "No nuts" })
      const done = yield* together(elsewhere(wishes), change(booking, { children: 9 }))
      assert.deepStrictEqual(done, ["Success", "Success"])
      const { children, notes } = yield* rowOf(booking)
      assert.strictEqual(notes, "No nuts")
      assert.deepStrictEqual(yield* standOf(booking), [children, 0, 6000, (children - 8) * price])
    })
  )

  it.effect(
    "its wishes and its number were read before another node changes the number: what was asked for last stands",
    () =>
      Effect.gen(function* () {
        yield* deleteBookings
        const booking = yield* confirmedOn(day, "10:00", pkg)
        const both = change(booking, { children: 8, notes: "No nuts" })
        const done = yield* overtakenBy(both, change(booking, { children: 10 }))
        assert.deepStrictEqual([done.kind, done.booking.children, done.difference], ["party", 8, -2 * price])
        assert.strictEqual((yield* rowOf(booking)).notes, "No nuts")
        assert.deepStrictEqual(yield* standOf(booking), [8, 0, 6000, 0])
      })
  )

  it.effect("others buy the last places, or take them for their party: one has them", () =>
    Effect.gen(function* () {
      for (const buyersFirst of [false, true]) {
        yield* deleteBookings
        const booking = yield* booked(8)
        const option = yield* optionOn(day, "10:00", { pkg, children: 4 })
        const [grow, buy] = [change(booking, { children: 12 }), bookOption(option)]
        const done = yield* buyersFirst ? together(buy, grow) : together(grow, buy)
        assert.deepStrictEqual(done.toSorted(), ["Failure", "Success"])
        const grown = done[buyersFirst ? 1 : 0] === "Success"
        assert.deepStrictEqual(yield* standOf(booking), [grown ? 12 : 8, 0, 6000, grown ? 4 * price : 0])
      }
      yield* deleteBookings
      const [one, other] = [yield* booked(5), yield* booked(5)]
      const done = yield* together(elsewhere(change(one, { children: 7 })), change(other, { children: 7 }))
      assert.deepStrictEqual(done.toSorted(), ["Failure", "Success"])
      const children = [(yield* standOf(one))[0], (yield* standOf(other))[0]]
      assert.deepStrictEqual(children, done[0] === "Success" ? [7, 5] : [5, 7])
    })
  )

  it.effect("the last machines are wanted by two parties: one has them", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const two = { add_ons: [{ add_on_id: bubbleMachine.add_on_id, quantity: 2 }] }
      const [one, other] = [yield* booked(2), yield* booked(3)]
      const done = yield* together(elsewhere(change(one, two)), change(other, two))
      assert.deepStrictEqual(done.toSorted(), ["Failure", "Success"])
      const machines = [(yield* standOf(one))[1], (yield* standOf(other))[1]]
      assert.deepStrictEqual(machines, done[0] === "Success" ? [2, 0] : [0, 2])
    })
  )

  it.effect("it is cancelled: its places are free in the end, and all that was paid went back once", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      for (const wish of [{ children: 10 }, { children: 3 }])
        for (const changeFirst of [true, false]) {
          yield* deleteBookings
          const booking = yield* confirmedOn(day, "10:00", pkg)
          const session = [...provider.sessions.values()].at(-1)
          const [grow, cancel] = [elsewhere(change(booking, wish)), cancelBooking(booking)]
          const done = yield* changeFirst ? together(grow, cancel) : together(cancel, grow)
          assert.strictEqual(done[changeFirst ? 1 : 0], "Success")
          yield* runProviderTasks
          yield* runProviderTasks
          const state = yield* bookingState(booking)
          assert.deepStrictEqual([state.status, state.places, state.refunded], ["cancelled", false, 6000])
          assert.deepStrictEqual(provider.paidAndRefunded(session?.id ?? ""), { paid: 6000, refunded: 6000 })
          yield* placesAreRight
        }
    })
  )

  it.effect("its balance is paid: the money counts, whether the event or the change is first", () =>
    Effect.gen(function* () {
      for (const children of [12, 8, 5])
        for (const eventFirst of [true, false]) {
          yield* deleteBookings
          const booking = yield* confirmedOn(day, "10:00", pkg)
          yield* change(booking, { children: 10 })
          const page = yield* openSession(booking, "balance")
          const said = yield* actAtProvider(page, "pay")
          const event = sessionEvent("checkout.session.completed", said)
          const [apply, alter] = [deliverAndApply(event), elsewhere(change(booking, { children }))]
          const done = yield* eventFirst ? together(apply, alter) : together(alter, apply)
          yield* deliverAndApply({ ...event, id: `${event.id}_again` })
          yield* runProviderTasks
          const changed = done[eventFirst ? 1 : 0] === "Success"
          const [now, , paid, outstanding] = yield* standOf(booking)
          assert.deepStrictEqual([now, paid], [changed ? children : 10, 10 * price])
          const back = (yield* refundsOf(booking)).reduce((sum, { amount }) => sum + amount, 0)
          assert.strictEqual(back, Math.max(0, 10 - (now ?? 0)) * price)
          assert.strictEqual(outstanding, Math.max(0, (now ?? 0) - 10) * price)
        }
    })
  )

  it.effect("it moves: it has one visit with one party, and both changes where both were made", () =>
    Effect.gen(function* () {
      for (const moveFirst of [true, false]) {
        yield* deleteBookings
        const booking = yield* confirmedOn(day, "10:00", pkg)
        const option = yield* optionOn("2026-12-14", "15:00", { pkg })
        const move = moveBooking(booking, option, { by: "family" })
        const grow = elsewhere(change(booking, { children: 10 }))
        const done = yield* moveFirst ? together(move, grow) : together(grow, move)
        const [moved, grown] = moveFirst ? done : done.toReversed()
        const { starts_at } = yield* rowOf(booking)
        assert.strictEqual(starts_at !== booking.starts_at, moved === "Success")
        assert.include(done, "Success")
        assert.deepStrictEqual(yield* standOf(booking), [
          grown === "Success" ? 10 : 8,
          0,
          6000,
          grown === "Success" ? 2 * price : 0
        ])
      }
    })
  )
})
