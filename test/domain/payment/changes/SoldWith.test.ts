/** A booking lives by what it was sold with, after its package, an extra, a rule or its room has left the catalogue. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import type { PartyChange } from "../../../../src/domain/booking/ChangePlan.ts"
import type { Package } from "../../../../src/domain/catalogue/Package.ts"
import { CatalogueFile } from "../../../../src/domain/import/CatalogueFile.ts"
import { VisitOffers } from "../../../../src/domain/payment/changes/VisitChanges.ts"
import { changeVisit, type VisitChange } from "../../../support/Acts.ts"
import { importVenue, setClock } from "../../../support/BookingWorld.ts"
import { bookOption, optionOn as optionOf, placesOf, rowOf } from "../../../support/moveWorld.ts"
import { deleteBookings, emptyPaymentWorld, now, payBooking } from "../../../support/PaymentWorld.ts"
import { bubbleMachine, packageWith, testId, venueWith } from "../../../support/venues.ts"

/** £100 for four children, £15 for each more; a tenth more on Saturdays. */
const party = packageWith({
  package_id: testId.package(971),
  name: "Party",
  mode: "exclusive",
  duration_minutes: 120,
  min_children: 2,
  max_children: 20,
  pricing: {
    base: 10_000,
    included_children: 4,
    extra_child: 1500,
    adult: 0,
    rules: [{ label: "Saturday", weekdays: ["saturday"], change: { percent: 10 } }]
  },
  schedule: { times: ["10:00", "15:00"] },
  free_reschedule_hours_before: 48,
  final_headcount_hours_before: 48
})
const play = packageWith({ package_id: testId.package(972), name: "Play", max_children: 20 })
const { stock: _, ...cups } = { ...bubbleMachine, add_on_id: testId.addOn(972), name: "Cup", unit_amount: 200 }
const many = { ...cups, max_quantity: 50 }
const playroom_id = testId.playroom(97)
const hall = venueWith({ playroom_id, name: "Party Hall", capacity: 20 }, [party, play], [bubbleMachine, many])
const withPackages = (...packages: ReadonlyArray<Package>) => importVenue({ ...hall, packages })

const world = Layer.effectDiscard(Effect.andThen(setClock(now), importVenue(hall))).pipe(
  Layer.provideMerge(emptyPaymentWorld())
)
const begin = Effect.all([deleteBookings, setClock(now), importVenue(hall)], { discard: true })
const change = ({ booking_id }: Pick<BookingRow, "booking_id">, wish: PartyChange, more: Partial<VisitChange> = {}) =>
  changeVisit(booking_id, { preview: false, by: "family", ...more, party: wish })
/** A confirmed party of eight on a Saturday, with a bubble machine and four cups. */
const confirmed = Effect.gen(function* () {
  const add_ons = [
    { add_on_id: bubbleMachine.add_on_id, quantity: 1 },
    { add_on_id: many.add_on_id, quantity: 4 }
  ]
  const booking = yield* bookOption(yield* optionOf("2026-12-12", "10:00", { pkg: party, playroom_id }))
  yield* payBooking(booking)
  return (yield* change(booking, { add_ons })).booking
})
const reasonOf = (booking: BookingRow, wish: PartyChange) =>
  Effect.map(Effect.flip(change(booking, wish)), (error) => ("reason" in error ? error.reason : error._tag))
const extrasOf = ({ terms }: BookingRow) => terms.add_ons.map(({ quantity }) => quantity)

layer(world)("a booking of what has left the catalogue", (it) => {
  it.effect("V1: its headcount changes after its package has left the file", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed
      yield* withPackages(play)
      const offer = yield* VisitOffers.use((offers) => offers.partyOffer(booking))
      assert.deepStrictEqual([offer.refusal, offer.limits.most_children], [undefined, 20])
      const more = yield* change(booking, { children: 10 })
      assert.deepStrictEqual([more.difference, more.booking.package_id], [3300, party.package_id])
      const less = yield* change(booking, { children: 6 })
      assert.strictEqual(less.difference, -6600)
      const own = yield* VisitOffers.use((offers) => offers.ownChanges(less.booking))
      assert.deepStrictEqual(own.further, { amount: 1650, each: true, most_children: 20 })
    })
  )

  it.effect("V1: an extra that has left the file can be taken off, and nothing of it added", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed
      yield* importVenue({ ...hall, add_ons: [] })
      const { add_ons } = yield* VisitOffers.use((offers) => offers.partyOffer(booking))
      assert.deepStrictEqual(
        add_ons.map(({ max_quantity, name }) => [name, max_quantity]),
        [
          [bubbleMachine.name, 1],
          ["Cup", 4]
        ]
      )
      const [machine, cup] = [bubbleMachine.add_on_id, many.add_on_id]
      const five = [
        { add_on_id: machine, quantity: 1 },
        { add_on_id: cup, quantity: 5 }
      ]
      assert.strictEqual(yield* reasonOf(booking, { add_ons: five }), "InvalidArguments")
      assert.deepStrictEqual(extrasOf((yield* change(booking, { children: 9 })).booking), [1, 4])
      const three = yield* change(booking, { add_ons: [{ add_on_id: cup, quantity: 3 }] })
      assert.strictEqual(three.difference, -1540)
      assert.strictEqual((yield* placesOf(booking)).length, 1)
      assert.deepStrictEqual((yield* change(booking, { add_ons: [] })).booking.terms.add_ons, [])
      const none = yield* VisitOffers.use((offers) => Effect.flatMap(rowOf(booking), offers.partyOffer))
      assert.deepStrictEqual(none.add_ons, [])
    })
  )

  it.effect("V1: a rule that has left, and limits that are smaller, refuse nothing that it has", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed
      const small = { ...party, max_children: 6, pricing: { ...party.pricing, rules: [] } }
      yield* importVenue({ ...hall, packages: [small, play], add_ons: [bubbleMachine, { ...many, max_quantity: 2 }] })
      assert.strictEqual((yield* change(booking, { adults: 3 })).booking.adults, 3)
      assert.strictEqual((yield* change(booking, { children: 7 })).difference, -1500)
      assert.strictEqual(yield* reasonOf(booking, { children: 8 }), "party_size")
      assert.strictEqual(yield* reasonOf(booking, { children: 1 }), "party_size")
    })
  )

  it.effect("V1: an extra is taken off though the playroom is closed then, or its operator sells nothing", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed
      const sql = yield* SqlClient.SqlClient
      const closure_id = testId.addOn(973).replace("addon", "closure")
      yield* sql`insert into closure (closure_id, operator_id, playroom_id, during, reason, created_at)
        values (${closure_id}, ${booking.operator_id}, ${playroom_id}, tstzrange('2026-12-12T00:00Z', '2026-12-13T00:00Z'), 'Flood', now())`
      assert.strictEqual(yield* reasonOf(booking, { children: 9 }), "closed")
      assert.deepStrictEqual((yield* change(booking, { add_ons: [] })).booking.terms.add_ons, [])
      yield* sql`delete from closure where closure_id = ${closure_id}`
      yield* sql`update operator set suspended_at = now() where operator_id = ${booking.operator_id}`
      assert.strictEqual(yield* reasonOf(booking, { children: 9 }), "OperatorUnavailable")
      assert.strictEqual((yield* change(booking, { children: 7 })).booking.children, 7)
      yield* sql`update operator set suspended_at = null where operator_id = ${booking.operator_id}`
    })
  )

  it.effect("V1: it moves at its own terms after its package, its extras or its room have left", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed
      yield* importVenue({ ...hall, packages: [play], add_ons: [] })
      const days = { from: "2026-12-19", to: "2026-12-19" }
      const startsOf = Effect.fnUntraced(function* () {
        const row = yield* rowOf(booking)
        return Option.getOrElse(yield* VisitOffers.use((offers) => offers.starts(row, days)), () => [])
      })
      const [first] = yield* startsOf()
      const { booking: moved, without } = yield* changeVisit(booking.booking_id, {
        preview: false,
        by: "family",
        option_id: first?.option_id ?? ""
      })
      assert.deepStrictEqual(
        [moved.starts_at, moved.total, moved.package_id, extrasOf(moved), without],
        [Date.parse("2026-12-19T10:00:00Z"), booking.total, party.package_id, [1, 4], []]
      )
      const rooms = yield* VisitOffers.use((offers) => offers.packages(moved))
      assert.deepStrictEqual(
        rooms.map(({ package_id }) => package_id),
        [party.package_id, play.package_id]
      )
      const sql = yield* SqlClient.SqlClient
      yield* sql`update playroom set listed = false where playroom_id = ${playroom_id}`
      assert.strictEqual((yield* change(booking, { children: 9 })).booking.children, 9)
      assert.deepStrictEqual(
        (yield* startsOf()).map(({ start }) => start.slice(11, 16)),
        ["15:00"]
      )
    })
  )

  it.effect("V1: what can't be done is not promised: in another currency nothing is", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed
      yield* importVenue({ ...hall, playroom: { ...hall.playroom, currency: "EUR" } })
      const own = yield* VisitOffers.use((offers) => offers.ownChanges(booking))
      assert.deepStrictEqual(own, { none: true })
    })
  )

  it.effect("V1: the import says how many bookings live on with what has left", () =>
    Effect.gen(function* () {
      yield* begin
      yield* confirmed
      const file = yield* CatalogueFile
      const livingOn = Effect.fnUntraced(function* (now: Partial<typeof hall>, listed = true) {
        const { operator, playroom, ...rest } = { ...hall, ...now }
        const playrooms = [{ ...playroom, ...rest, listed }]
        return (yield* file.importFile({ version: 1, operators: [operator], playrooms }, { dryRun: true })).living_on
      })
      assert.strictEqual(yield* livingOn({ packages: [play] }), 1)
      assert.strictEqual(yield* livingOn({ packages: [party] }), 0)
      assert.strictEqual(yield* livingOn({ add_ons: [bubbleMachine] }), 1)
      assert.strictEqual(yield* livingOn({}, false), 1)
    })
  )
})
