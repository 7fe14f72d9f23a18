import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Occupancy } from "../../../src/domain/availability/Occupancy.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { makeVenueClosures } from "../../../src/domain/booking/VenueClosures.ts"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import { Operators } from "../../../src/domain/catalogue/Operators.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { bookingServices, contact, importVenue, principal, setClock } from "../../support/BookingWorld.ts"
import { book, firstOption, fresh, ownName } from "../../support/freshVenues.ts"
import { serverUrl, TestDatabase } from "../../support/TestDatabase.ts"
import { host, openPlay, testId, venueWith } from "../../support/venues.ts"

const generous = { maxHoldsPerKey: 100_000, maxHoldsPerEmail: 100_000 }
const world = Layer.provideMerge(bookingServices(generous), TestDatabase.layer)

const play = venueWith({ capacity: 25 }, [openPlay], [host])

const withPackages = (venue: Venue, change: (pkg: Venue["packages"][number]) => Venue["packages"][number]) => ({
  ...venue,
  packages: venue.packages.map(change)
})
const dearer = (venue: Venue) =>
  withPackages(venue, (pkg) => ({ ...pkg, pricing: { ...pkg.pricing, extra_child: 1500 } }))
const closed = (venue: Venue): Venue => ({
  ...venue,
  playroom: { ...venue.playroom, overrides: [{ date: "2026-12-05", intervals: [] }] }
})
let packages = 50_000
/** The package of an option is no longer sold. */
const soldAnew = (venue: Venue) => withPackages(venue, (pkg) => ({ ...pkg, package_id: testId.package(++packages) }))
const changes: ReadonlyArray<readonly [what: string, change: (venue: Venue) => Venue]> = [
  ["PriceChanged", dearer],
  ["PriceChanged", (venue) => withPackages(venue, (pkg) => ({ ...pkg, cancellation: [] }))],
  ["SlotUnavailable closed", closed],
  ["SlotUnavailable closed", (venue) => closed(dearer(venue))],
  ["SlotUnavailable party_too_large", (venue) => withPackages(venue, (pkg) => ({ ...pkg, max_children: 3 }))],
  ["SlotUnavailable too_far_ahead", (venue) => ({ ...venue, playroom: { ...venue.playroom, max_advance_days: 2 } })],
  ["OptionInvalid unknown", soldAnew]
]

const outcome = (result: Result.Result<{ readonly status: string }, { readonly _tag: string }>): string =>
  Result.isSuccess(result)
    ? result.success.status
    : result.failure._tag + ("reason" in result.failure ? ` ${String(result.failure.reason)}` : "")

/** Books by a catalogue that somebody changes right after it was read, so many times. */
const bookWhile = (option_id: string, meanwhile: Effect.Effect<void>, times = 1) => {
  let left = times
  const changing = Layer.effect(
    Catalogue,
    Effect.map(Catalogue, (catalogue) => ({
      ...catalogue,
      venueOfPackage: (package_id) =>
        Effect.tap(catalogue.venueOfPackage(package_id), () => (left-- > 0 ? meanwhile : Effect.void))
    }))
  )
  const services = Bookings.layerNoDeps.pipe(Layer.provide(changing))
  return Effect.provide(Effect.result(book(option_id)), Layer.fresh(services))
}

layer(world)("a booking that was decided by a catalogue that has changed since", (it) => {
  it.effect("is decided anew: price, terms, hours, party and horizon are those of the moment it is written", () =>
    Effect.gen(function* () {
      const services = yield* Effect.context<Layer.Success<typeof world>>()
      for (const [expected, change] of changes) {
        yield* setClock("2026-11-20T09:00:00Z")
        const venue = yield* fresh(play)
        const { option_id } = yield* firstOption(venue)
        const meanwhile = Effect.provide(Effect.orDie(importVenue(change(venue))), services)
        assert.strictEqual(outcome(yield* bookWhile(option_id, meanwhile)), expected)
      }
    })
  )

  it.effect("is decided anew where this process had read the catalogue for an earlier booking, too", () =>
    Effect.gen(function* () {
      for (const [expected, change] of changes) {
        yield* setClock("2026-11-20T09:00:00Z")
        const venue = yield* fresh(play)
        const { option_id } = yield* firstOption(venue)
        assert.strictEqual((yield* book(option_id, "ben")).status, "held")
        yield* importVenue(change(venue))
        assert.strictEqual(outcome(yield* Effect.result(book(option_id))), expected)
      }
    })
  )

  it.effect("is refused where the playroom's time zone is another one than when the option was given", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh(play)
      const told = yield* firstOption(venue)
      yield* importVenue({ ...venue, playroom: { ...venue.playroom, time_zone: "Europe/Paris" } })
      const refused = yield* Effect.flip(book(told.option_id))
      if (refused._tag !== "PriceChanged") return assert.fail(refused._tag)
      assert.include(refused.changed, "time")
      assert.include(refused.message, "the time")
      assert.notStrictEqual(refused.option.start.slice(11, 16), told.start.slice(11, 16))
      // The fresh option says the time of today, and can be booked.
      assert.strictEqual((yield* book(refused.option.option_id)).status, "held")
      return undefined
    })
  )

  it.effect(
    "is decided anew where its operator was suspended, and goes on where only what does not matter was written",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const venue = yield* fresh(play)
        const { option_id } = yield* firstOption(venue)
        const { operator_id } = venue.operator
        const operators = yield* Operators
        const suspending = Effect.orDie(Effect.asVoid(operators.suspend(operator_id)))
        assert.strictEqual(outcome(yield* bookWhile(option_id, suspending)), "OperatorUnavailable")
        yield* operators.resume(operator_id)
        const extending = Effect.gen(function* () {
          const now = yield* TestClock.adjust(1000)
          yield* operators.extendPaidThrough(operator_id, Date.parse("2027-01-01T00:00:00Z") + ++extended)
          return now
        }).pipe(Effect.orDie)
        let extended = 0
        assert.strictEqual(outcome(yield* bookWhile(option_id, extending, 4)), "held")
      })
  )

  it.effect(
    "is not made where the catalogue changes each time that it was decided: the same call may be repeated",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const venue = yield* fresh(play)
        const services = yield* Effect.context<Layer.Success<typeof world>>()
        const { option_id } = yield* firstOption(venue)
        let price = 1000
        const dearerAgain = Effect.suspend(() =>
          importVenue(withPackages(venue, (pkg) => ({ ...pkg, pricing: { ...pkg.pricing, extra_child: ++price } })))
        )
        const meanwhile = Effect.provide(Effect.orDie(dearerAgain), services)
        assert.strictEqual(outcome(yield* bookWhile(option_id, meanwhile, Infinity)), "KeepsChanging")
        yield* importVenue(venue)
        assert.strictEqual(outcome(yield* Effect.result(book(option_id))), "held")
      })
  )

  it.effect("sells what an import has just made room for, instead of refusing by what was read before", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh(venueWith({ capacity: 4 }, [{ ...openPlay, max_children: 4 }]))
      const services = yield* Effect.context<Layer.Success<typeof world>>()
      const { option_id } = yield* firstOption(venue)
      yield* book(option_id, "ben")
      const larger = { ...venue, playroom: { ...venue.playroom, capacity: 8 } }
      const meanwhile = Effect.provide(Effect.orDie(importVenue(larger)), services)
      assert.strictEqual(outcome(yield* bookWhile(option_id, meanwhile)), "held")
    })
  )
})

layer(world)("buyers who wait for a lock while the catalogue changes", (it) => {
  if (serverUrl === undefined) {
    it.skip("are decided anew (needs TEST_DATABASE_URL: the embedded database has one session, so nothing waits)", () => {})
  } else {
    /**
     * Runs `buyers` into a lock that `inside` holds, lets them go once some of them wait, and answers what they got.
     */
    const queue = Effect.fnUntraced(function* <E, R>(
      option_id: string,
      buyers: number,
      inside: Effect.Effect<void, E, R>,
      whileTheyWait: Effect.Effect<void, E, R> = Effect.void
    ) {
      const sql = yield* SqlClient.SqlClient
      const locked = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const holder = yield* inside.pipe(
        Effect.andThen(Deferred.succeed(locked, undefined)),
        Effect.andThen(Deferred.await(release)),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(locked)
      const name = ownName("key_a")
      const calls = Array.from({ length: buyers }, (_, i) =>
        Effect.result(
          Bookings.use((bookings) => bookings.create(principal(name), { option_id, contact: contact(`queued${i}`) }))
        )
      )
      const queued = yield* Effect.forkChild(Effect.all(calls, { concurrency: "unbounded" }))
      const waiting = sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%make_booking%'`.pipe(
        // A connection of its own: statements outside of transactions share theirs with the buyers, and wait with them.
        sql.withTransaction
      )
      let seen = 0
      for (let tries = 0; tries < 20_000 && seen === 0; tries++) seen = (yield* waiting)[0]?.count ?? 0
      assert.isAbove(seen, 0, "somebody waits")
      yield* sql.withTransaction(whileTheyWait)
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(holder)
      return (yield* Fiber.join(queued)).map((one) => outcome(Result.map(one, ({ row }) => row)))
    })
    const lockOf = (venue: Venue) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.asVoid(sql`select 1 from resource where resource_id = ${venue.playroom.playroom_id} for update`)
      )

    it.effect("get nothing at the old price, nor on a closed day, however many of them wait", () =>
      Effect.gen(function* () {
        for (const [expected, change] of changes) {
          yield* setClock("2026-11-20T09:00:00Z")
          const venue = yield* fresh(play)
          const { option_id } = yield* firstOption(venue, { children: 1 })
          const importing = Effect.orDie(importVenue(change(venue)))
          const outcomes = yield* queue(option_id, 16, importing)
          const wanted = expected === "SlotUnavailable party_too_large" ? "held" : expected
          assert.deepStrictEqual([...new Set(outcomes)], [wanted])
        }
      })
    )

    it.effect(
      "get nothing of a time that was closed meanwhile, around a party that has given its places back since",
      () =>
        Effect.gen(function* () {
          yield* setClock("2026-11-20T09:00:00Z")
          const venue = yield* fresh(play)
          const { option_id, start } = yield* firstOption(venue, { children: 1 })
          const { operator_id, playroom_id } = venue.playroom
          const date = start.slice(0, 10)
          const wish = { operator_id, playroom_id, times: { from: date, to: date }, reason: "Flood" }
          const closing = Effect.gen(function* () {
            const { booking_id } = yield* book(option_id, "ben")
            const { inside_in_all } = yield* Effect.flatMap(makeVenueClosures, (closures) =>
              closures.close(wish, { who: "Ana" })
            )
            assert.strictEqual(inside_in_all, 1)
            yield* Occupancy.use((occupancy) => occupancy.release([booking_id]))
          })
          const outcomes = yield* queue(option_id, 6, closing)
          assert.deepStrictEqual([...new Set(outcomes)], ["SlotUnavailable closed"])
        })
    )

    it.effect("get nothing of an operator that was suspended meanwhile", () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const venue = yield* fresh(play)
        const { option_id } = yield* firstOption(venue)
        const { operator_id } = venue.operator
        const operators = yield* Operators
        const suspending = Effect.orDie(Effect.asVoid(operators.suspend(operator_id)))
        const outcomes = yield* queue(option_id, 6, lockOf(venue), suspending)
        yield* operators.resume(operator_id)
        assert.deepStrictEqual([...new Set(outcomes)], ["OperatorUnavailable"])
      })
    )

    it.effect("are decided by the clock after the wait: what came too near meanwhile is not sold", () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const venue = yield* fresh(play)
        const { option_id, start } = yield* firstOption(venue)
        // The last instant at which it may be booked.
        yield* TestClock.setTime(Date.parse(start) - venue.playroom.lead_time_minutes * 60_000)
        const outcomes = yield* queue(option_id, 6, lockOf(venue), TestClock.adjust(60_000))
        assert.deepStrictEqual([...new Set(outcomes)], ["SlotUnavailable too_soon"])
      })
    )
  }
})
