import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { bookingServices, contact, importVenue, principal, setClock } from "../../support/BookingWorld.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { bubbleMachine, openPlay, testId, venueWith } from "../../support/venues.ts"

const machine = { ...bubbleMachine, add_on_id: testId.addOn(501), stock: 3, max_quantity: 3 }
const venue = venueWith({ playroom_id: testId.playroom(50), capacity: 30 }, [openPlay], [machine])

const find = (quantity: number) =>
  BookingOptions.use((options) =>
    options.list({
      playroom_id: venue.playroom.playroom_id,
      date: "2026-12-05",
      children: 2,
      add_ons: quantity === 0 ? [] : [{ add_on_id: machine.add_on_id, quantity }]
    })
  ).pipe(Effect.map(({ options }) => options[0] ?? assert.fail("no option")))
const take = (option: { readonly option_id: string }, who: string) =>
  Bookings.use((bookings) => bookings.create(principal(), { option_id: option.option_id, contact: contact(who) })).pipe(
    Effect.map(({ row }) => row)
  )

layer(bookingServices().pipe(Layer.provideMerge(TestDatabase.layer)))("of three bubble machines", (it) => {
  it.effect("one booking takes the last two, and then the same start has none for anybody", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      yield* importVenue(venue)
      const [one, two, none] = [yield* find(1), yield* find(2), yield* find(0)]
      assert.deepStrictEqual([one.start, none.start], [two.start, two.start])
      yield* take(one, "ana")
      const last = yield* take(two, "ben")
      assert.strictEqual(last.status, "held")
      assert.strictEqual((yield* Effect.flip(take(one, "cara")))._tag, "SlotUnavailable")
      assert.isAbove(Date.parse((yield* find(1)).start), Date.parse(two.start))
      // Places without a machine there still are.
      assert.strictEqual((yield* take(none, "dan")).status, "held")
    })
  )
})
