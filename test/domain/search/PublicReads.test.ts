/** Public reads over two databases, of which one stands for a replica that is a moment behind. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { BookingOptions, CallerKey } from "../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import { monotonicMs } from "../../../src/platform/time/Elapsed.ts"
import { ReadReplica } from "../../../src/platform/database/ReadReplica.ts"
import { publicReads, PlayroomSearch } from "../../../src/domain/search/PlayroomSearch.ts"
import { bookingServices, contact, importVenue, principal, setClock } from "../../support/BookingWorld.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { openPlay, packageWith, softPlay, venueWith } from "../../support/venues.ts"

const world = PlayroomSearch.layer.pipe(Layer.provideMerge(bookingServices()), Layer.provideMerge(TestDatabase.layer))

const priced = (extra_child: number) =>
  venueWith({}, [packageWith({ pricing: { ...openPlay.pricing, extra_child, rules: [] } })])
const [before, now] = [priced(1000), priced(1500)]
const { playroom_id } = before.playroom
const date = "2026-12-05"
const question = { playroom_id, date, children: 4 }

/** The services of the public tools, over a replica whose rows and state the test decides. */
const withReplica = Effect.gen(function* () {
  const replica = yield* Layer.build(Layer.fresh(world))
  yield* Effect.provide(importVenue(before), replica)
  let isUsed = true
  const check = Effect.map(monotonicMs, (at) => ({
    reading: isUsed ? { standby: true, migrated: true, beat: at } : undefined,
    foreign: false,
    written: at
  }))
  const source = Layer.effect(ReadReplica, ReadReplica.make(Context.get(replica, SqlClient.SqlClient), check))
  const reads = yield* Layer.build(Layer.fresh(publicReads.pipe(Layer.provide(source))))
  const use = (used: boolean) =>
    Effect.andThen(
      Effect.sync(() => (isUsed = used)),
      TestClock.adjust("1 second")
    )
  return {
    use,
    view: Context.get(reads, Catalogue).view(playroom_id),
    page: Context.get(reads, Catalogue).shown(playroom_id),
    cities: Context.get(reads, PlayroomSearch).cities,
    list: Context.get(reads, BookingOptions).list(question),
    search: Context.get(reads, PlayroomSearch).search
  }
})

layer(world)("public reads", (it) => {
  it.effect("are the replica's or the primary's whole, also by turns: no cache takes rows of one for the other's", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const { cities, list, page, search, use, view } = yield* withReplica
      // Not replicated yet: the replica knows the playroom at its old price alone.
      yield* importVenue(now, { ...softPlay, playroom: { ...softPlay.playroom, city: "Leeds" } })
      const shown = Effect.gen(function* () {
        const { packages } = yield* view
        const { options } = yield* list
        const { playrooms } = yield* search({ children: 4 })
        const asked = playrooms.find((one) => one.playroom_id === playroom_id)
        return [
          packages[0]?.price_from?.amount,
          options[0]?.price.total,
          asked?.price_for_party?.amount,
          (yield* page).venue.packages[0]?.pricing.extra_child,
          (yield* cities).join()
        ]
      })
      const old = yield* shown
      yield* use(false)
      const fresh = yield* shown
      assert.deepStrictEqual([old[1], fresh[1]], [4000, 6000])
      for (const i of [0, 1, 2, 3, 4]) assert.notStrictEqual(old[i], fresh[i])
      for (const turn of [1, 2, 3]) {
        yield* use(true)
        assert.deepStrictEqual(yield* shown, old, `${turn}`)
        yield* use(false)
        assert.deepStrictEqual(yield* shown, fresh, `${turn}`)
      }
    })
  )

  it.effect(
    "show who can book the primary's free times, and a booking is decided there, whatever the replica showed",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const { list } = yield* withReplica
        yield* importVenue(now)
        const withKey = Effect.provideService(list, CallerKey, Effect.succeed("key_a"))
        const [stale] = (yield* list).options
        const [offered] = (yield* withKey).options
        assert.deepStrictEqual([stale?.price.total, offered?.price.total], [4000, 6000])
        const { create } = yield* Bookings
        const book = (option_id = "") => create(principal(), { option_id, contact: contact() })
        const refused = yield* Effect.flip(book(stale?.option_id))
        assert.strictEqual(refused._tag, "PriceChanged")
        yield* book(offered?.option_id)
        // Its own hold is told at once.
        assert.isTrue((yield* withKey).held_by_you)
      })
  )
})
