import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { CatalogueFile } from "../../../../src/domain/import/CatalogueFile.ts"
import { ClosureId } from "../../../../src/platform/ids/Ids.ts"
import { changeVisit } from "../../../support/Acts.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import {
  confirmedOn,
  hall,
  movable,
  moveBooking,
  moveWorld,
  optionOn,
  overtakenBy,
  placesAreRight,
  placesOf,
  rowOf
} from "../../../support/moveWorld.ts"
import {
  actAtProvider,
  cancelBooking,
  deleteBookings,
  deliverAndApply,
  failureTag,
  openSession,
  refundsOf,
  runProviderTasks
} from "../../../support/PaymentWorld.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"

const together = { concurrency: "unbounded" } as const
const succeeded = (results: ReadonlyArray<{ readonly _tag: string }>) =>
  results.filter(({ _tag }) => _tag === "Success").length

layer(moveWorld)("a booking that moves while", (it) => {
  it.effect("four others move to the same place: one gets it, and the others stay where they are", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const bookings = yield* Effect.forEach(
        Array.from({ length: 5 }, (_, i) => `2026-12-${14 + i}`),
        (date) => confirmedOn(date)
      )
      const option = yield* optionOn("2026-12-11", "11:00")
      const results = yield* Effect.all(
        bookings.map((booking) => Effect.exit(moveBooking(booking, option))),
        together
      )
      assert.strictEqual(succeeded(results), 1)
      for (const [i, booking] of bookings.entries()) {
        const moved = results[i]?._tag === "Success"
        assert.strictEqual((yield* rowOf(booking)).starts_at === booking.starts_at, !moved)
      }
      yield* placesAreRight
    })
  )

  it.effect("it is moved to several places at once: it ends in one of them, with no other place", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const options = yield* Effect.forEach(["2026-12-14", "2026-12-15", "2026-12-16"], (date) => optionOn(date))
      const booking = yield* confirmedOn("2026-12-10")
      yield* Effect.all(
        options.map((option) => Effect.exit(moveBooking(booking, option))),
        together
      )
      assert.include(options, (yield* rowOf(booking)).option_id)
      assert.lengthOf(yield* placesOf(booking), 1)
      yield* placesAreRight
    })
  )

  it.effect("the same move is asked for ten times: it is done once, and its refund is made once", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const option = yield* optionOn("2026-12-14")
      const booking = yield* confirmedOn("2026-12-12")
      const results = yield* Effect.all(
        Array.from({ length: 10 }, () => Effect.exit(moveBooking(booking, option))),
        together
      )
      assert.strictEqual(succeeded(results), 1)
      yield* runProviderTasks
      assert.deepStrictEqual(yield* refundsOf(booking), [{ cause: "move", status: "succeeded", amount: 4000 }])
    })
  )

  it.effect("its balance is paid: the money counts, whether the event or the move is first", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const { depositParty: pkg } = movable
      for (const [date, to, total] of [
        ["2026-12-10", "2026-12-14", 20_000],
        ["2026-12-11", "2026-12-12", 24_000]
      ] as const) {
        const option = yield* optionOn(to, "11:00", { pkg })
        const booking = yield* confirmedOn(date, "10:00", pkg)
        const page = yield* openSession(booking, "balance")
        const said = yield* actAtProvider(page, "pay")
        const event = sessionEvent("checkout.session.completed", said)
        yield* Effect.all([deliverAndApply(event), Effect.exit(moveBooking(booking, option))], together)
        // Where the event was stored and not applied yet, the move asked the provider itself.
        yield* deliverAndApply({ ...event, id: `${event.id}_again` })
        const row = yield* rowOf(booking)
        assert.deepStrictEqual([row.paid, row.total], [20_000, total])
        assert.strictEqual(row.payment_status, total === 20_000 ? "paid" : "deposit_paid")
        assert.deepStrictEqual(yield* refundsOf(booking), [])
      }
      yield* placesAreRight
    })
  )

  it.effect("an import closes the day that it moves to: either is refused", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const file = yield* CatalogueFile
      const { add_ons, operator, packages, playroom } = hall
      const closedOn = (days: ReadonlyArray<string>) =>
        file.importFile({
          version: 1,
          operators: [operator],
          playrooms: [
            {
              ...playroom,
              packages,
              add_ons,
              closures: days.map((day, i) => ({
                closure_id: ClosureId.make(`closure_01h4${String(i).padStart(22, "0")}`),
                from: day,
                to: day,
                reason: "Works"
              }))
            }
          ]
        })
      const option = yield* optionOn("2026-12-14")
      const booking = yield* confirmedOn("2026-12-10")
      const [imported, moved] = yield* Effect.all(
        [Effect.exit(closedOn(["2026-12-14"])), Effect.exit(moveBooking(booking, option))],
        together
      )
      assert.strictEqual(succeeded([imported, moved]), 1)
      yield* placesAreRight
      yield* closedOn([])
    })
  )

  it.effect("the catalogue changes while it is decided: it is decided anew, and not for ever", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      let edition = 0
      // Nothing that concerns the visit: only that it was read before.
      const edited = Effect.suspend(() =>
        importVenue({ ...hall, playroom: { ...hall.playroom, description: `Edition ${++edition}` } })
      )
      for (const [date, wish] of [
        ["2026-12-10", { option_id: yield* optionOn("2026-12-14") }],
        ["2026-12-11", { party: { children: 10 } }]
      ] as const) {
        const booking = yield* confirmedOn(date)
        const change = changeVisit(booking.booking_id, {
          ...wish,
          preview: false,
          by: "operator",
          reason: "They asked"
        })
        assert.strictEqual(yield* failureTag(overtakenBy(change, edited, 9)), "KeepsChanging")
        assert.deepStrictEqual(yield* rowOf(booking), booking)
        assert.strictEqual((yield* overtakenBy(change, edited, 8)).booking.booking_id, booking.booking_id)
      }
      yield* placesAreRight
      yield* importVenue(hall)
    })
  )

  it.effect("its wishes change: both stand, and a family that goes on after a cancellation is told of that", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const option = yield* optionOn("2026-12-14")
      const wishes = ({ booking_id }: BookingRow, notes = "No nuts") =>
        changeVisit(booking_id, { party: { notes }, preview: false, by: "family" })
      const booking = yield* confirmedOn("2026-12-10")
      yield* overtakenBy(wishes(booking), moveBooking(booking, option))
      const moved = yield* rowOf(booking)
      assert.deepStrictEqual([moved.option_id, moved.notes], [option, "No nuts"])
      const other = yield* confirmedOn("2026-12-10")
      yield* overtakenBy(moveBooking(other, yield* optionOn("2026-12-15")), wishes(other))
      assert.strictEqual((yield* rowOf(other)).notes, "No nuts")
      assert.strictEqual(
        yield* failureTag(overtakenBy(wishes(other, "No milk"), cancelBooking(other))),
        "BookingCancelled"
      )
      yield* placesAreRight
    })
  )
})
