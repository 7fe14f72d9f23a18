import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Audit } from "../../../../src/ops/audit/Audit.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { VisitOffers } from "../../../../src/domain/payment/changes/VisitChanges.ts"
import { changeVisit, cancelAsOperator } from "../../../support/Acts.ts"
import { machinesOf, bookAt, freeRoom, importSharing, optionsOf, timesOf } from "../../../support/sharedRooms.ts"
import { emptyPaymentWorld, now } from "../../../support/PaymentWorld.ts"
import { setClock } from "../../../support/BookingWorld.ts"

const world = Layer.provideMerge(Audit.layer, emptyPaymentWorld())
const sound = Effect.map(
  Audit.use(({ rows }) => rows),
  (found) => assert.deepStrictEqual(found, [])
)
const how = { preview: false, by: "operator", reason: "A pipe broke" } as const

layer(world, { timeout: "120 seconds" })("a booking with stock that rooms share", (it) => {
  it.effect(
    "takes it along to another room, gives it back as its party changes or goes, and has no more than is left",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        yield* importSharing({ "bubble-machines": 2 }, [freeRoom(1), freeRoom(2)])
        const held = yield* bookAt("11:00", 1, 2)
        const booking = yield* Bookings.use((bookings) => bookings.get(held.booking_id))

        // Its own machines are not in the way of its move to the other room at the same time.
        const [there] = yield* VisitOffers.use((offers) => offers.packages(booking)).pipe(
          Effect.map((found) => found.filter(({ playroom }) => playroom.playroom_id !== booking.playroom_id))
        )
        const option_id = yield* VisitOffers.use((offers) =>
          offers.optionAt(booking, "2026-12-05", "11:00", there?.package_id)
        )
        const moved = yield* changeVisit(booking.booking_id, { ...how, option_id })
        assert.deepStrictEqual(moved.without, [])
        assert.deepStrictEqual(moved.booking.terms.add_ons, [{ add_on_id: machinesOf(2), quantity: 2 }])
        assert.notInclude(yield* timesOf(1, 1), "11:00")
        yield* sound

        const fewer = (quantity: number) =>
          changeVisit(booking.booking_id, { ...how, party: { add_ons: [{ add_on_id: machinesOf(2), quantity }] } })
        yield* fewer(1)
        assert.include(yield* timesOf(1, 1), "11:00")
        const other = yield* bookAt("11:00", 1, 1)
        const refused = yield* Effect.flip(fewer(2))
        assert(refused._tag === "ChangeRefused")
        assert.deepStrictEqual(refused.limits, { left: 1, add_on_id: machinesOf(2) })

        yield* cancelAsOperator(booking.booking_id, { preview: false, refund: "full", reason: "Ill", ask: false })
        assert.include(
          (yield* optionsOf(1, 1)).map(({ start }) => start.slice(11, 16)),
          "11:00"
        )
        assert.strictEqual(other.status, "confirmed")
        yield* sound
      })
  )
})
