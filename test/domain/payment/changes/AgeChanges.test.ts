/** Another party, or other ages, of a booking whose price goes by them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { BookingOptions } from "../../../../src/domain/availability/BookingOptions.ts"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { isSameVisit, type PartyChange } from "../../../../src/domain/booking/ChangePlan.ts"
import type { Package } from "../../../../src/domain/catalogue/Package.ts"
import { VisitOffers } from "../../../../src/domain/payment/changes/VisitChanges.ts"
import { changeVisit, type VisitChange } from "../../../support/Acts.ts"
import { contact, importVenue, principal, setClock } from "../../../support/BookingWorld.ts"
import { moveBooking, rowOf } from "../../../support/moveWorld.ts"
import { deleteBookings, emptyPaymentWorld, now, payBooking } from "../../../support/PaymentWorld.ts"
import { packageWith, pricedByAge, testId, venueWith } from "../../../support/venues.ts"

const play = packageWith({
  package_id: testId.package(991),
  name: "Play",
  max_children: 20,
  schedule: { times: ["10:00", "11:00"] },
  pricing: pricedByAge,
  final_headcount_hours_before: 48,
  free_reschedule_hours_before: 48
})
const plain: Package = { ...play, pricing: { ...play.pricing, child_rules: [] } }
const playroom_id = testId.playroom(99)
const hall = venueWith({ playroom_id, name: "Age Hall", capacity: 20, age_min: 0, age_max: 12 }, [play])
const world = Layer.effectDiscard(Effect.andThen(setClock(now), importVenue(hall))).pipe(
  Layer.provideMerge(emptyPaymentWorld())
)
const begin = Effect.all([deleteBookings, setClock(now), importVenue(hall)], { discard: true })

const optionOf = Effect.fnUntraced(function* (child_ages: ReadonlyArray<number>, time = "10:00") {
  const { options } = yield* BookingOptions.use((service) =>
    service.list({ playroom_id, date: "2026-12-12", children: child_ages.length, child_ages })
  )
  return options.find(({ start }) => start.slice(11, 16) === time)?.option_id ?? assert.fail("no option")
})
let people = 0
/** A paid booking of children of these ages. */
const booked = Effect.fnUntraced(function* (child_ages: ReadonlyArray<number>) {
  const option_id = yield* optionOf(child_ages)
  const request = { option_id, contact: contact(`ages${++people}`), child_ages }
  const { row } = yield* Bookings.use((bookings) => bookings.create(principal(), request))
  if (row.status === "held") yield* payBooking(row)
  return yield* rowOf(row)
})
const change = ({ booking_id }: BookingRow, party: PartyChange, more: Partial<VisitChange> = {}) =>
  changeVisit(booking_id, { preview: false, by: "family", ...more, party })

layer(world)("a booking whose price goes by ages", (it) => {
  it.effect("pays or gets back the difference when its children are of other ages", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* booked([3, 8])
      assert.strictEqual(booking.total, 375 + 750)
      const dearer = yield* change(booking, { child_ages: [4, 8] })
      assert.deepStrictEqual([dearer.kind, dearer.difference, dearer.balance.amount], ["party", 375, 375])
      const other = yield* booked([5, 8])
      const cheaper = yield* change(other, { child_ages: [1, 8] })
      assert.deepStrictEqual([cheaper.kind, cheaper.difference, cheaper.refund.amount], ["party", -750, 750])
      assert.deepStrictEqual((yield* rowOf(other)).child_ages, [1, 8])
    })
  )

  it.effect("costs the same with other ages of the same price, until the visit begins", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* booked([3, 8])
      yield* setClock("2026-12-12T08:00:00Z")
      assert.deepInclude(yield* change(booking, { child_ages: [9, 2] }), { kind: "details", difference: 0 })
      const late = yield* Effect.flip(change(yield* rowOf(booking), { child_ages: [1, 9] }))
      assert.deepInclude(late, { reason: "headcount_final" })
    })
  )

  it.effect("prices more children by their ages, and as the dearest without them", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* booked([3, 8])
      const told = yield* change(booking, { children: 3, child_ages: [1, 3, 8] }, { preview: true })
      assert.strictEqual(told.difference, 0)
      const untold = yield* change(booking, { children: 3 })
      assert.strictEqual(untold.difference, 2250 - 1125)
      // Told later, the price falls.
      const later = yield* change(yield* rowOf(booking), { child_ages: [1, 3, 8] })
      assert.strictEqual(later.difference, 1125 - 2250)
      assert.strictEqual(later.booking.total, booking.total)
    })
  )

  it.effect("keeps its ages when it moves, and their price", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* booked([1, 3, 8])
      const moved = yield* moveBooking(booking, yield* optionOf([1, 3, 8], "11:00"), { by: "family" })
      assert.deepStrictEqual([moved.kind, moved.difference], ["move", 0])
      assert.deepStrictEqual(moved.booking.child_ages, [1, 3, 8])
    })
  )

  it.effect("becomes no cheaper by other ages where its party may only grow, unless the venue says why", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      yield* deleteBookings
      yield* importVenue({ ...hall, packages: [{ ...play, party_may_shrink: false }] })
      const booking = yield* booked([3, 8])
      const reasonOf = (party: PartyChange) =>
        Effect.map(Effect.flip(change(booking, party)), (error) => "reason" in error && error.reason)
      assert.strictEqual(yield* reasonOf({ child_ages: [0, 1] }), "only_grows")
      assert.strictEqual(yield* reasonOf({ children: 3, child_ages: [0, 1, 8] }), "only_grows")
      const preview = yield* change(
        booking,
        { child_ages: [1, 8] },
        { by: "operator", preview: true, reason: "Babies" }
      )
      assert.deepStrictEqual([preview.free, preview.refund.amount], [false, 375])
      // Further children cost what they cost, and no ages can be dropped to tell cheaper ones later.
      const grown = yield* change(booking, { children: 3, child_ages: [1, 3, 8] })
      assert.deepStrictEqual([grown.free, grown.difference], [true, 0])
      assert.strictEqual((yield* change(booking, { child_ages: [] })).difference, 2250 - 1125)
      assert.strictEqual(yield* reasonOf({ child_ages: [1, 1, 1] }), "only_grows")
      const said = yield* change(booking, { child_ages: [1, 3, 8] }, { by: "operator", reason: "As booked" })
      assert.deepStrictEqual([said.free, said.booking.total], [false, 1125])
    })
  )

  it.effect("is another visit at other ages: a change that was prepared before these is prepared anew", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* booked([3, 8])
      assert.isTrue(isSameVisit(booking, yield* rowOf(booking)))
      assert.isFalse(isSameVisit(booking, { ...booking, child_ages: [1, 8] }))
    })
  )

  it.effect("asks for ages on the pages of those alone whose price goes by them", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* booked([3, 8])
      const asks = VisitOffers.use((offers) => Effect.map(offers.partyOffer(booking), ({ by_age }) => by_age))
      assert.isTrue(yield* asks)
      yield* importVenue({ ...hall, packages: [plain] })
      assert.isFalse(yield* asks)
      assert.deepInclude(yield* change(booking, { child_ages: [1, 1] }), { kind: "details", difference: 0 })
    })
  )
})
