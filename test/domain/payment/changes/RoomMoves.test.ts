/**
 * A booking moves to another room of its operator: places, money, extras, refusals, and what happens at the same
 * time.
 */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Audit } from "../../../../src/ops/audit/Audit.ts"
import { BookingOptions } from "../../../../src/domain/availability/BookingOptions.ts"
import { pack } from "../../../../src/domain/availability/OptionId.ts"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { toView } from "../../../../src/domain/booking/BookingViews.ts"
import { PlayroomSemaphore } from "../../../../src/domain/booking/PlayroomSemaphore.ts"
import { Failpoint } from "../../../../src/platform/concurrency/Failpoint.ts"
import { VisitOffers } from "../../../../src/domain/payment/changes/VisitChanges.ts"
import { paymentServices } from "../../../../src/domain/payment/PaymentLayers.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { changeVisit } from "../../../support/Acts.ts"
import { importVenue, setClock } from "../../../support/BookingWorld.ts"
import { bookOption, moveBooking, optionOn, placesAreRight, placesOf, rowOf } from "../../../support/moveWorld.ts"
import {
  actAtProvider,
  bookingState,
  cancelBooking,
  deleteBookings,
  deliverAndApply,
  historyOf,
  now,
  openSession,
  payBooking,
  refundsOf,
  runProviderTasks
} from "../../../support/PaymentWorld.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"
import { blue, bookedInRed, moveTo, optionIn, packageOf, red, roomWorld, strange } from "../../../support/roomWorld.ts"
import { testId } from "../../../support/venues.ts"

const together = { concurrency: "unbounded" } as const
const begin = Effect.andThen(deleteBookings, setClock(now))

/** A paid booking of a package in a room. */
const bookedIn = Effect.fnUntraced(function* (
  room: typeof red,
  date: string,
  { children = 8, name = "Party", time = "10:00" } = {}
) {
  const { playroom_id } = room.playroom
  const booking = yield* bookOption(yield* optionOn(date, time, { pkg: packageOf(room, name), children, playroom_id }))
  if (booking.status === "held") yield* payBooking(booking)
  return yield* rowOf(booking)
})

const reasonOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => ("reason" in error ? error.reason : error._tag))

const lastLine = (booking: BookingRow) =>
  Effect.map(
    BookingRecords.use((records) => records.history(booking)),
    (lines) => lines.at(-1)
  )

/** Nothing is wrong with the stored rows. */
const sound = Effect.gen(function* () {
  yield* placesAreRight
  assert.deepStrictEqual(yield* Audit.use(({ rows }) => rows), [])
})

layer(roomWorld)("a booking that moves to another room of its operator", (it) => {
  it.effect("has its places there and none where it was, under the same reference, and says so", () =>
    Effect.gen(function* () {
      yield* begin
      const before = yield* bookedIn(red, "2026-12-10")
      const preview = yield* moveTo(before, blue, { preview: true })
      assert.deepStrictEqual([preview.difference, preview.balance.amount, preview.refund.amount], [6000, 6000, 0])
      assert.deepStrictEqual(yield* rowOf(before), before)
      const { booking } = yield* moveTo(before, blue, { shown: preview.shown })
      assert.deepStrictEqual(yield* rowOf(before), booking)
      assert.deepStrictEqual(
        [booking.reference, booking.starts_at, booking.playroom_id, booking.total, booking.due_now, booking.paid],
        [before.reference, before.starts_at, blue.playroom.playroom_id, 26_000, 20_000, 20_000]
      )
      assert.deepStrictEqual(yield* placesOf(booking), [
        {
          resource_id: blue.playroom.playroom_id,
          units: "{[0,12)}",
          starts: "2026-12-10T09:45:00.000Z",
          ends: "2026-12-10T12:15:00.000Z"
        }
      ])
      const view = toView(booking, yield* PaymentSummaries.use((summaries) => summaries.read(booking)))
      assert.deepStrictEqual(
        [view.playroom_id, view.playroom_name, view.address, view.package_id, view.outstanding.amount],
        [blue.playroom.playroom_id, "Blue Room", "2 High Street", packageOf(blue).package_id, 6000]
      )
      assert.deepInclude(yield* lastLine(booking), {
        event: "moved",
        detail: "Red Room → Blue Room, £200.00 → £260.00; by the operator; A pipe broke; £60.00 more is to be paid"
      })
      assert.strictEqual(booking.terms.moved_from_room, "Red Room")
      // The red room is sold again, the blue one is not; and a repeated request for the new option is this booking's.
      yield* optionOn("2026-12-10", "10:00", { pkg: packageOf(red), playroom_id: red.playroom.playroom_id })
      const { options } = yield* BookingOptions.use((service) =>
        service.list({ playroom_id: blue.playroom.playroom_id, date: "2026-12-10", children: 1, end_before: "12:00" })
      )
      assert.deepStrictEqual(options, [])
      yield* sound
    })
  )

  it.effect("pays the difference as its balance, or gets back what is too much, and may come back", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* bookedIn(red, "2026-12-10", { name: "Deposit party" })
      yield* moveTo(booking, blue)
      const page = yield* openSession(booking, "balance")
      yield* deliverAndApply(sessionEvent("checkout.session.completed", yield* actAtProvider(page, "pay")))
      const paid = yield* rowOf(booking)
      assert.deepStrictEqual([paid.total, paid.paid, paid.payment_status], [26_000, 26_000, "paid"])
      yield* runProviderTasks
      const back = yield* moveTo(booking, red)
      assert.strictEqual(back.refund.amount, 6000)
      yield* runProviderTasks
      assert.deepStrictEqual(yield* refundsOf(booking), [{ cause: "move", status: "succeeded", amount: 6000 }])
      const row = yield* rowOf(booking)
      assert.deepStrictEqual(
        [row.playroom_id, row.total, row.paid - row.refunded, row.terms.moved_from_room],
        [red.playroom.playroom_id, 20_000, 20_000, "Blue Room"]
      )
      assert.deepStrictEqual((yield* historyOf(booking)).filter((event) => event === "moved").length, 2)
      yield* sound
    })
  )

  it.effect("takes along the extras that are sold there, by name, and names those that are not", () =>
    Effect.gen(function* () {
      yield* begin
      const one = yield* bookedInRed("2026-12-10", 1)
      const preview = yield* moveTo(one, blue, { preview: true })
      assert.deepStrictEqual(preview.without, [{ name: "Host", quantity: 1 }])
      assert.strictEqual(preview.booking.total, 26_000 + 1500 + 3500)
      const { booking } = yield* moveTo(one, blue)
      assert.deepStrictEqual(booking.terms.add_ons_used, [
        { add_on_id: testId.addOn(421), quantity: 1 },
        { add_on_id: testId.addOn(422), quantity: 1 }
      ])
      assert.deepStrictEqual(
        (yield* placesOf(booking)).map(({ resource_id }) => resource_id),
        [testId.addOn(421), blue.playroom.playroom_id]
      )
      assert.include((yield* lastLine(booking))?.detail, "£266.00 → £310.00; without 1 × Host; by the operator")
      // Two machines are more than the blue room has.
      const two = yield* bookedInRed("2026-12-11", 2)
      assert.deepStrictEqual((yield* moveTo(two, blue, { preview: true })).without, [
        { name: "Bubble machine", quantity: 2 },
        { name: "Host", quantity: 1 }
      ])
      // Its one machine is taken by then.
      const late = yield* bookedInRed("2026-12-10", 1)
      assert.strictEqual(yield* reasonOf(moveTo(late, blue)), "fully_booked")
      yield* sound
    })
  )

  it.effect("is not moved by its family, nor to another operator's room, which is as if there were none", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* bookedIn(red, "2026-12-10")
      assert.strictEqual(yield* reasonOf(moveTo(booking, blue, { by: "family" })), "other_playroom")
      const option = yield* optionOn("2026-12-10", "10:00", {
        pkg: packageOf(strange),
        playroom_id: strange.playroom.playroom_id
      })
      const nowhere = pack(
        {
          package_id: testId.package(99),
          start: Date.parse("2026-12-10T10:00:00Z"),
          children: 8,
          adults: 0,
          add_ons: [],
          digest: "00".repeat(8)
        },
        []
      )
      for (const by of ["operator", "family"] as const)
        assert.deepStrictEqual(
          yield* reasonOf(moveBooking(booking, option, { by })),
          yield* reasonOf(moveBooking(booking, nowhere, { by }))
        )
      assert.strictEqual(yield* reasonOf(moveTo(booking, strange)), "unknown")
      const rooms = yield* VisitOffers.use((offers) => offers.packages(booking))
      assert.deepStrictEqual([...new Set(rooms.map(({ playroom }) => playroom.name))], ["Red Room", "Blue Room"])
      assert.deepStrictEqual(
        yield* VisitOffers.use((offers) => offers.packages(booking, strange.playroom.playroom_id)),
        []
      )
      assert.deepStrictEqual(
        rooms.filter(({ alike }) => alike).map(({ package_id }) => package_id),
        [packageOf(red).package_id, packageOf(blue).package_id]
      )
      assert.deepStrictEqual(yield* rowOf(booking), booking)
    })
  )

  it.effect("is not moved into a room that is taken, too small, for other ages or of another currency", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* bookedIn(red, "2026-12-10")
      const there = yield* bookedIn(blue, "2026-12-10")
      const taken = yield* Effect.flip(moveTo(booking, blue))
      assert.strictEqual(taken._tag, "SlotUnavailable")
      if (taken._tag === "SlotUnavailable")
        assert.isTrue(taken.alternatives.every(({ package_id }) => package_id === packageOf(blue).package_id))
      yield* cancelBooking(there)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update booking set child_ages = '{3,3,3,3,3,3,3,3}' where booking_id = ${booking.booking_id}`
      const offers = Effect.gen(function* () {
        const row = yield* rowOf(booking)
        const found = yield* VisitOffers.use((offers) => offers.packages(row, blue.playroom.playroom_id))
        return found.length
      })
      assert.strictEqual(yield* offers, 4)
      for (const change of [{ capacity: 6 }, { age_min: 5 }, { currency: "EUR" }] as const) {
        const playroom = { ...blue.playroom, ...change }
        const packages = blue.packages.map((pkg) => ({ ...pkg, max_children: playroom.capacity }))
        yield* importVenue(red, { ...blue, playroom, packages })
        assert.strictEqual(yield* offers, 0, JSON.stringify(change))
        const refused = yield* Effect.flip(moveTo(booking, blue))
        assert.include(["SlotUnavailable", "InvalidArguments", "ChangeRefused"], refused._tag)
      }
      yield* importVenue(red, blue)
      yield* moveTo(booking, blue)
      yield* sound
    })
  )

  it.effect("leaves a room that is sold no more, and enters none that has gone since it was shown", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* bookedIn(red, "2026-12-10")
      const option_id = yield* optionIn(booking, blue)
      const { shown } = yield* moveBooking(booking, option_id, { preview: true })
      const sql = yield* SqlClient.SqlClient
      const list = ({ playroom: { playroom_id } }: typeof red, listed: boolean) =>
        sql`update playroom set listed = ${listed} where playroom_id = ${playroom_id}`
      yield* list(blue, false)
      assert.strictEqual(yield* reasonOf(moveBooking(booking, option_id, { shown })), "unknown")
      yield* list(blue, true)
      yield* sql`update package set on_sale = false where package_id = ${packageOf(blue).package_id}`
      assert.strictEqual(yield* reasonOf(moveBooking(booking, option_id, { shown })), "unknown")
      yield* sql`update package set on_sale = true where package_id = ${packageOf(blue).package_id}`
      const { operator_id } = booking
      yield* sql`update operator set suspended_at = now() where operator_id = ${operator_id}`
      assert.strictEqual(yield* reasonOf(moveBooking(booking, option_id, { shown })), "OperatorUnavailable")
      yield* sql`update operator set suspended_at = null where operator_id = ${operator_id}`
      assert.deepStrictEqual(yield* rowOf(booking), booking)
      yield* list(red, false)
      yield* moveBooking(booking, option_id, { shown })
      assert.strictEqual((yield* rowOf(booking)).playroom_id, blue.playroom.playroom_id)
      yield* list(red, true)
      yield* sound
    })
  )

  it.effect("is moved as it was shown or not at all: a dearer room, another visit, a second press", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* bookedIn(red, "2026-12-10")
      const option_id = yield* optionIn(booking, blue)
      const { shown } = yield* moveBooking(booking, option_id, { preview: true })
      const dearer = blue.packages.map((pkg) => ({ ...pkg, pricing: { ...pkg.pricing, base: 30_000 } }))
      yield* importVenue(red, { ...blue, packages: dearer })
      assert.strictEqual(yield* reasonOf(moveBooking(booking, option_id, { shown })), "PriceChanged")
      yield* importVenue(red, blue)
      yield* moveTo(booking, red, {}, { date: "2026-12-10", time: "15:00" })
      assert.strictEqual(yield* reasonOf(moveBooking(booking, option_id, { shown })), "ChangedSinceShown")
      yield* moveTo(booking, red, {}, { date: "2026-12-10", time: "10:00" })
      const again = yield* moveBooking(booking, option_id, { preview: true })
      const presses = yield* Effect.all(
        Array.from({ length: 5 }, () => Effect.exit(moveBooking(booking, option_id, { shown: again.shown }))),
        together
      )
      assert.lengthOf(
        presses.filter(({ _tag }) => _tag === "Success"),
        1
      )
      yield* sound
    })
  )

  it.effect("changes rooms with others in both directions, many times at once, on two nodes: none waits for ever", () =>
    Effect.gen(function* () {
      yield* begin
      const elsewhere = Effect.provide(Layer.fresh(paymentServices))
      const inRed = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () =>
        bookedIn(red, "2026-12-10", { name: "Play", children: 1 })
      )
      const inBlue = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () =>
        bookedIn(blue, "2026-12-10", { name: "Play", children: 1 })
      )
      for (let round = 0; round < 6; round++) {
        const [there, back] = round % 2 === 0 ? [blue, red] : [red, blue]
        const moves = [
          ...inRed.map((booking) => moveTo(booking, there)),
          ...inBlue.map((booking) => moveTo(booking, back))
        ]
        const done = yield* Effect.all(
          moves.map((move, i) => (i % 3 === 0 ? Effect.exit(elsewhere(move)) : Effect.exit(move))),
          together
        )
        assert.deepStrictEqual(
          done.map(({ _tag }) => _tag),
          moves.map(() => "Success")
        )
        // What goes back of a move is settled before the next.
        yield* runProviderTasks
        yield* placesAreRight
      }
      for (const booking of inRed) assert.strictEqual((yield* rowOf(booking)).playroom_id, red.playroom.playroom_id)
      yield* sound
    })
  )

  it.effect("and others, and a buyer, want the same places: one has them, and the others stay where they are", () =>
    Effect.gen(function* () {
      yield* begin
      const bookings = yield* Effect.forEach(["2026-12-10", "2026-12-11", "2026-12-14"], (date) => bookedIn(red, date))
      const at = { date: "2026-12-15", time: "10:00" }
      const option = yield* optionOn(at.date, at.time, {
        pkg: packageOf(blue),
        playroom_id: blue.playroom.playroom_id
      })
      const done = yield* Effect.all(
        [
          ...bookings.map((booking) => Effect.exit(moveTo(booking, blue, {}, at))),
          Effect.exit(bookOption(option)),
          Effect.exit(bookOption(option))
        ],
        together
      )
      assert.lengthOf(
        done.filter(({ _tag }) => _tag === "Success"),
        1
      )
      yield* sound
    })
  )

  it.effect(
    "is cancelled, or changes its party, meanwhile: it has the places of where it ends, and the money is right",
    () =>
      Effect.gen(function* () {
        yield* begin
        for (const date of ["2026-12-10", "2026-12-11", "2026-12-14", "2026-12-15"]) {
          const booking = yield* bookedIn(blue, date)
          yield* Effect.all([Effect.exit(moveTo(booking, red)), Effect.exit(cancelBooking(booking))], together)
          yield* runProviderTasks
          yield* runProviderTasks
          const state = yield* bookingState(booking)
          assert.deepStrictEqual([state.status, state.places, state.refunded], ["cancelled", false, 26_000])
        }
        for (const date of ["2026-12-16", "2026-12-17", "2026-12-18"]) {
          const booking = yield* bookedIn(red, date, { name: "Play", children: 3 })
          const fewer = changeVisit(booking.booking_id, {
            party: { children: 2 },
            preview: false,
            by: "operator",
            reason: "Ill"
          })
          yield* Effect.all([Effect.exit(moveTo(booking, blue)), Effect.exit(fewer)], together)
          const { children, playroom_id, total } = yield* rowOf(booking)
          const child = playroom_id === blue.playroom.playroom_id ? 700 : 750
          // What was agreed for three in the one room is not priced anew for two.
          assert.include([children * child, 3 * 700 - 700, 3 * 750 - 750], total)
        }
        yield* sound
      })
  )

  it.effect("and its process dies before the end: it is where it was, and the same move is done later", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* bookedIn(blue, "2026-12-10")
      const before = [yield* rowOf(booking), yield* placesOf(booking)]
      const died = yield* Deferred.make<void>()
      const reach = () => Effect.andThen(Deferred.succeed(died, undefined), Effect.never)
      const dying = Effect.provideService(moveTo(booking, red), Failpoint, reach)
      yield* Effect.raceFirst(Effect.exit(dying), Deferred.await(died))
      assert.deepStrictEqual<ReadonlyArray<BookingRow | object>>(
        [yield* rowOf(booking), yield* placesOf(booking)],
        before
      )
      assert.strictEqual((yield* moveTo(booking, red)).refund.amount, 6000)
      yield* sound
    })
  )

  it.effect("counts among its guest's bookings in the room where it is", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* bookedIn(red, "2026-12-10", { name: "Free play" })
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into guest_booking (booking_id, key_id, address, host, playroom_id)
        values (${booking.booking_id}, ${booking.key_id}, '192.0.2.1', 'host', ${booking.playroom_id})`
      yield* moveTo(booking, blue)
      assert.deepStrictEqual(
        yield* sql`select playroom_id from guest_booking where booking_id = ${booking.booking_id}`,
        [{ playroom_id: blue.playroom.playroom_id }]
      )
      yield* sound
    })
  )

  it.effect("waits for the turns of both rooms in one order, and for none twice", () =>
    Effect.gen(function* () {
      const { withPermits } = yield* PlayroomSemaphore
      const [a, b] = [testId.playroom(1), testId.playroom(2)]
      let most = 0
      let running = 0
      const work = Effect.gen(function* () {
        most = Math.max(most, ++running)
        for (let turn = 0; turn < 5; turn++) yield* Effect.yieldNow
        running--
      })
      yield* Effect.all(
        Array.from({ length: 60 }, (_, i) => withPermits([[a, b], [b, a], [b, b], [a]][i % 4] ?? [], work)),
        together
      )
      assert.isAtLeast(most, 4)
      assert.strictEqual(running, 0)
    }).pipe(Effect.provide(PlayroomSemaphore.layer))
  )
})
