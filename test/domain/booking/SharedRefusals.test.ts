/** What the buyers of a rush share, and what they must not. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { Unbookable } from "../../../src/domain/availability/Decision.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { makeSharedRefusals } from "../../../src/domain/booking/PlayroomSemaphore.ts"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import { makeKeyedSemaphore } from "../../../src/platform/concurrency/KeyedSemaphore.ts"
import { bookingServices, setClock } from "../../support/BookingWorld.ts"
import { book, firstOption, fresh } from "../../support/freshVenues.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const world = bookingServices({ maxHoldsPerKey: 1000, maxHoldsPerEmail: 1000 }).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

/** Counts the reads of a service in `Bookings`. */
const counting = () => {
  const reads = { visits: 0, nearest: 0 }
  const catalogue = Layer.effect(
    Catalogue,
    Effect.map(Catalogue, (real) => ({
      ...real,
      venueOfPackage: (package_id) =>
        Effect.suspend(() => {
          reads.visits++
          return real.venueOfPackage(package_id)
        })
    }))
  )
  const options = Layer.effect(
    BookingOptions,
    Effect.map(BookingOptions, (real) => ({
      ...real,
      nearest: (...args) =>
        Effect.suspend(() => {
          reads.nearest++
          return real.nearest(...args)
        })
    }))
  )
  return { reads, services: Layer.fresh(Bookings.layerNoDeps.pipe(Layer.provide([catalogue, options]))) }
}

layer(world)("a rush on one start", (it) => {
  it.effect(
    "reads the venue and the nearest options a few times for all, and tells each what it would be told alone",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const { option_id } = yield* firstOption(yield* fresh(), { mode: "exclusive" })
        const { reads, services } = counting()
        const buyers = 60
        const told = yield* Effect.provide(
          Effect.all(
            Array.from({ length: buyers }, (_, i) => Effect.result(book(option_id, `buyer${i}`, `key_${i}`))),
            { concurrency: "unbounded" }
          ),
          services
        )
        const refusals = told.flatMap((one) => (one._tag === "Failure" ? [one.failure] : []))
        assert.lengthOf(refusals, buyers - 1)
        const alone = yield* Effect.flip(book(option_id, "late", "key_late"))
        assert.strictEqual(alone._tag, "SlotUnavailable")
        for (const refusal of refusals) assert.deepStrictEqual(refusal, alone)
        assert.isAtMost(reads.visits, buyers / 4)
        assert.isAtMost(reads.nearest, buyers / 4)
      })
  )

  it.effect("gives each buyer of it the booking that the buyer already has", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const { option_id } = yield* firstOption(yield* fresh(), { mode: "exclusive" })
      const mine = yield* book(option_id, "ana")
      const told = yield* Effect.all(
        Array.from({ length: 20 }, (_, i) => Effect.result(book(option_id, i % 2 === 0 ? "ana" : `buyer${i}`))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        told.map((one) => (one._tag === "Success" ? one.success.booking_id : one.failure._tag)),
        told.map((_, i) => (i % 2 === 0 ? mine.booking_id : "SlotUnavailable"))
      )
    })
  )

  it.effect("refuses nobody by a look that began before they asked", () =>
    Effect.gen(function* () {
      const inTurn = yield* makeKeyedSemaphore(1)
      const together = yield* makeSharedRefusals
      const gate = yield* Deferred.make<void>()
      let looks = 0
      let free = false
      const attempt = Effect.suspend(() => {
        looks++
        const refused = !free
        return Effect.andThen(
          Deferred.await(gate),
          refused ? Effect.fail(new Unbookable({ because: "fully_booked" })) : Effect.succeed("booked")
        )
      })
      const buy = (key: string) =>
        Effect.forkChild(Effect.result(together(key, (work) => inTurn("a", work), attempt)), { startImmediately: true })
      const holder = yield* Effect.forkChild(inTurn("a", Deferred.await(gate)), { startImmediately: true })
      const early = [yield* buy("one"), yield* buy("one"), yield* buy("one"), yield* buy("other")]
      assert.strictEqual(looks, 0)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(holder)
      const ends = yield* Effect.forEach(early, Fiber.join)
      assert.deepStrictEqual(
        ends.map(({ _tag }) => _tag),
        ["Failure", "Failure", "Failure", "Failure"]
      )
      assert.strictEqual(looks, 2, "one look for those of one option, one for the other's")
      free = true
      assert.strictEqual((yield* Fiber.join(yield* buy("one")))._tag, "Success")
    })
  )
})
