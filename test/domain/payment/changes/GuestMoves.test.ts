/**
 * Moves of guests' bookings of which nothing is paid: the day to which they go has the limits of a new booking there.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, type Result } from "effect"
import type { Principal } from "../../../../src/platform/access/ApiKeys.ts"
import { BookingOptions } from "../../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { guestLimits } from "../../../../src/domain/booking/OtherBookings.ts"
import { changeVisit } from "../../../support/Acts.ts"
import { importVenue, principal, setClock } from "../../../support/BookingWorld.ts"
import { moveBooking } from "../../../support/moveWorld.ts"
import { emptyPaymentWorld, now } from "../../../support/PaymentWorld.ts"
import { packageWith, testId, venueWith } from "../../../support/venues.ts"

const free = packageWith({
  package_id: testId.package(941),
  name: "Free play",
  mode: "shared",
  duration_minutes: 60,
  max_children: 10,
  pricing: { base: 0, included_children: 0, extra_child: 0, adult: 0, rules: [] },
  schedule: { times: ["10:00", "11:30", "13:00", "14:30", "16:00"] },
  free_reschedule_hours_before: 24
})
const hall = venueWith({ playroom_id: testId.playroom(94), name: "Free Hall", capacity: 40 }, [free])
const world = Layer.effectDiscard(Effect.andThen(setClock(now), importVenue(hall))).pipe(
  Layer.provideMerge(emptyPaymentWorld())
)

let people = 0
/** A guest who signed in from a network of its own. */
const guest = () => {
  const n = ++people
  const who: Principal = {
    ...principal(`key_mover_${n}`),
    guest: { address: `198.51.100.${n}`, host: "host.example" }
  }
  return { who, contact: { name: `Mover ${n}`, email: `mover${n}@example.com` } }
}

/** The ids of a day's options, in order of start. */
const optionsOn = (date: string) =>
  Effect.map(
    BookingOptions.use((options) =>
      options.list({ playroom_id: hall.playroom.playroom_id, package_id: free.package_id, date, children: 2 })
    ),
    ({ options }) => options.map(({ option_id }) => option_id)
  )

const book = ({ contact, who }: ReturnType<typeof guest>, option_id = "") =>
  Effect.map(
    Bookings.use(({ create }) => create(who, { option_id, contact })),
    ({ row }) => row
  )

const move = (booking: { readonly booking_id: string }, option_id = "", preview = false) =>
  changeVisit(booking.booking_id, { option_id, preview, by: "family" }).pipe(Effect.result, Effect.map(outcome))
const outcome = (result: Result.Result<unknown, Effect.Error<ReturnType<typeof changeVisit>>>): string =>
  result._tag === "Success"
    ? "moved"
    : result.failure._tag === "ChangeRefused"
      ? result.failure.reason
      : result.failure._tag

layer(world)("a guest's free booking", (it) => {
  it.effect("moves to no day that has as many of that person as may be booked there, and to every other one", () =>
    Effect.gen(function* () {
      const [saturday, sunday] = [yield* optionsOn("2026-12-05"), yield* optionsOn("2026-12-06")]
      const ana = guest()
      const there = yield* Effect.forEach(saturday.slice(0, guestLimits.guest_day), (option) => book(ana, option))
      const [first, second] = [yield* book(ana, sunday[0]), yield* book(ana, sunday[1])]
      const fourth = saturday[guestLimits.guest_day]
      // What is previewed is what happens.
      for (const preview of [true, false]) assert.strictEqual(yield* move(first, fourth, preview), "too_many_unpaid")
      const { starts_at } = yield* Bookings.use(({ get }) => get(first.booking_id))
      assert.strictEqual(starts_at, first.starts_at)
      // On its own day it moves, and one that leaves makes room.
      assert.strictEqual(yield* move(there[0] ?? assert.fail(), saturday[4]), "moved")
      assert.strictEqual(yield* move(there[1] ?? assert.fail(), sunday[2]), "moved")
      assert.strictEqual(yield* move(first, fourth), "moved")
      assert.strictEqual(yield* move(second, saturday[1]), "too_many_unpaid")
      // The operator decides otherwise, and other people have limits of their own.
      yield* moveBooking(second, saturday[1] ?? "")
      const ben = guest()
      assert.strictEqual(yield* move(yield* book(ben, sunday[3]), saturday[0]), "moved")
    })
  )

  it.effect("moves many at once to one day, and no more than may be there arrive", () =>
    Effect.gen(function* () {
      const eve = guest()
      const days = ["2026-12-12", "2026-12-13", "2026-12-14", "2026-12-15", "2026-12-16", "2026-12-17"]
      const booked = yield* Effect.forEach(days, (day) =>
        Effect.flatMap(optionsOn(day), ([option]) => book(eve, option))
      )
      const target = yield* optionsOn("2026-12-19")
      const seen = yield* Effect.forEach(booked, (booking, i) => move(booking, target[i % target.length]), {
        concurrency: "unbounded"
      })
      assert.lengthOf(
        seen.filter((one) => one === "moved"),
        guestLimits.guest_day
      )
      assert.deepStrictEqual([...new Set(seen)].sort(), ["moved", "too_many_unpaid"])
    })
  )
})
