/**
 * Work on the same rooms at once, one of them stopped halfway: nobody waits for another in a circle, and nothing is
 * left over.
 */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { lockingInOrder, Occupancy } from "../../../src/domain/availability/Occupancy.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { Claims } from "../../../src/domain/booking/Claims.ts"
import { makeVenueClosures } from "../../../src/domain/booking/VenueClosures.ts"
import type { AddOnChoice } from "../../../src/domain/catalogue/Pricing.ts"
import demo from "../../../src/domain/import/demo.json" with { type: "json" }
import { Failpoint } from "../../../src/platform/concurrency/Failpoint.ts"
import { sharedStockId } from "../../../src/domain/import/CatalogueIds.ts"
import { AddOnId, PlayroomId } from "../../../src/platform/ids/Ids.ts"
import { refreshSearchFacts } from "../../../src/domain/search/SearchFacts.ts"
import { changeVisit, placesAgain } from "../../support/Acts.ts"
import { contact, principal, setClock } from "../../support/BookingWorld.ts"
import {
  catalogueJson,
  idOf,
  importJson,
  importRooms,
  operatorJson,
  packageJson,
  type PlayroomJson,
  playroomJson
} from "../../support/catalogues.ts"
import { cancelBooking, emptyPaymentWorld, reconcile } from "../../support/PaymentWorld.ts"
import { serverUrl } from "../../support/TestDatabase.ts"

const world = emptyPaymentWorld()
const now = "2026-11-20T09:00:00Z"
const operator_id = idOf("operator", 1)

const box = AddOnId.make(idOf("addon", 1))
const lunch = (stock?: number) => ({
  add_on_id: box,
  name: "Lunch box",
  unit: "per_item" as const,
  unit_amount: 500,
  max_quantity: 2,
  ...(stock === undefined ? {} : { stock })
})
/** A room for parties of the whole room that another calendar names, too. */
const hall = (n: number, changes: Partial<PlayroomJson> = {}) =>
  playroomJson(n, {
    packages: [packageJson(n, { mode: "exclusive", duration_minutes: 120 })],
    calendars: [{ name: "Phone", url: `https://calendar.example.test/${n}.ics` }],
    ...changes
  })

let people = 0
const bookWith = Effect.fnUntraced(function* ({
  add_ons,
  n
}: {
  readonly n: number
  readonly add_ons: ReadonlyArray<AddOnChoice>
}) {
  const { options } = yield* BookingOptions.use((service) =>
    service.list({
      playroom_id: PlayroomId.make(idOf("playroom", n)),
      date: "2026-12-05",
      children: 2,
      ...(add_ons.length === 0 ? {} : { add_ons })
    })
  )
  const { row } = yield* Bookings.use((bookings) =>
    bookings.create(principal(), { option_id: options[0]?.option_id ?? "", contact: contact(`p${++people}`) })
  )
  return row
})
const book = (n: number, boxes = 0) =>
  bookWith({ n, add_ons: boxes === 0 ? [] : [{ add_on_id: box, quantity: boxes }] })

/** What stops halfway, and goes on when it is told to. */
const stopping = Effect.gen(function* () {
  const [reached, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  return {
    stop: Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(go)),
    reached: Deferred.await(reached),
    goOn: Effect.asVoid(Deferred.succeed(go, undefined))
  }
})

/** Until so many wait for a lock, or this is over. */
const untilWaiting = Effect.fnUntraced(function* (fiber: Fiber.Fiber<unknown, unknown>, many = 1) {
  const sql = yield* SqlClient.SqlClient
  const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while (fiber.pollUnsafe() === undefined && (yield* waiting).length < many) yield* Effect.yieldNow
})

const deadlocks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select pg_stat_clear_snapshot()`
  return yield* sql<{
    readonly deadlocks: number
  }>`select deadlocks::int from pg_stat_database where datname = current_database()`
})

/**
 * Lets the first stop halfway, until the second waits for a lock or is over. Both succeed, and neither is ended for the
 * other.
 */
const bothSucceed = Effect.fnUntraced(function* <A, B, R, R2>(
  first: (stop: Effect.Effect<void>) => Effect.Effect<A, unknown, R>,
  second: Effect.Effect<B, unknown, R2>
) {
  const before = yield* deadlocks
  const { goOn, reached, stop } = yield* stopping
  const one = yield* Effect.forkChild(first(stop))
  yield* Effect.raceFirst(reached, Fiber.await(one))
  const other = yield* Effect.forkChild(second)
  yield* untilWaiting(other)
  yield* goOn
  const ends = [yield* Fiber.await(one), yield* Fiber.await(other)]
  assert.deepStrictEqual(ends.filter(({ _tag }) => _tag === "Failure").map(String), [])
  assert.deepStrictEqual(yield* deadlocks, before)
})

/** A transaction that holds what it locks first until it is told to go on. */
const holding = Effect.fnUntraced(function* <R = never, R2 = never>(
  first: Effect.Effect<unknown, unknown, R>,
  then: Effect.Effect<unknown, unknown, R2> = Effect.void
) {
  const sql = yield* SqlClient.SqlClient
  const { goOn, reached, stop } = yield* stopping
  let pid = 0
  const work = Effect.gen(function* () {
    const [session] = yield* sql<{ readonly pid: number }>`select pg_backend_pid() as pid`
    pid = session?.pid ?? 0
    yield* first
    yield* stop
    yield* then
  }).pipe(sql.withTransaction)
  const fiber = yield* Effect.forkChild(work)
  yield* Effect.raceFirst(reached, Fiber.await(fiber))
  return { fiber, goOn, pid }
})

/** Until somebody waits for this session, or this is over. */
const waitsFor = Effect.fnUntraced(function* (pid: number, fiber: Fiber.Fiber<unknown, unknown>) {
  const sql = yield* SqlClient.SqlClient
  const waiting = sql`select from pg_stat_activity where datname = current_database() and ${pid}::int = any(pg_blocking_pids(pid))`
  while (fiber.pollUnsafe() === undefined && (yield* waiting).length === 0) yield* Effect.yieldNow
})

const stoppingAt = (point: string, stop: Effect.Effect<void>) =>
  Effect.provideService(Failpoint, (name) => (name === point ? stop : Effect.void))

const placesOf = Effect.fnUntraced(function* ({ booking_id }: { readonly booking_id: string }) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`select resource_id from occupancy where booking_id = ${booking_id}`
})

const lockAll = (...ids: ReadonlyArray<string>) =>
  Occupancy.use((occupancy) => Effect.forEach(ids, (id) => occupancy.lock([id])))
const room = (n: number) => idOf("playroom", n)

const lapse = Effect.fnUntraced(function* ({ booking_id }: { readonly booking_id: string }) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update booking set hold_expires_at = ${new Date(Date.parse(now) - 1)} where booking_id = ${booking_id}`
})

/**
 * A booking of room 1 that a late payment pays. Holds of these other rooms, whose time is up, have all of the stock
 * that it needs.
 */
const lateBehindHolds = Effect.fnUntraced(function* (...others: readonly [number, ...Array<number>]) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate operator, playroom, booking cascade`
  yield* setClock(now)
  const addOn = (n: number) => AddOnId.make(idOf("addon", n))
  const rooms = [1, ...others].map((n) =>
    hall(n, { add_ons: [{ ...lunch(), add_on_id: addOn(n), uses: "box" }], calendars: [] })
  )
  yield* importJson(catalogueJson(rooms, [operatorJson(1, { stock: [{ slug: "box", units: 2 * others.length }] })]))
  const hold = (n: number) => bookWith({ n, add_ons: [{ add_on_id: addOn(n), quantity: 2 }] })
  const { booking_id } = yield* Effect.tap(hold(1), lapse)
  yield* Claims.use((claims) => claims.releaseLapsed([booking_id]))
  const [one, ...more] = others
  const first = yield* hold(one)
  // The next would release one whose time is up.
  yield* Effect.forEach([first, ...(yield* Effect.forEach(more, hold))], lapse)
  return { late: yield* Bookings.use((bookings) => bookings.get(booking_id)), first }
})
const busyWith = ({ booking_id }: { readonly booking_id: string }) =>
  holding(SqlClient.SqlClient.use((sql) => sql`select from booking where booking_id = ${booking_id} for update`))

const renamed = (rooms: ReadonlyArray<PlayroomJson>, summary: string) => rooms.map((room) => ({ ...room, summary }))

layer(world, { timeout: "60 seconds" })("locks", (it) => {
  it.effect(
    "have the same order in SQL and in TypeScript, for one room and its stock and for rooms alone by their ids, too",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const locking = yield* sql<{ readonly name: string; readonly order: string }>`
        select p.proname::text as name, regexp_replace(found[1], '\\s+', ' ', 'g') as order
        from pg_proc p cross join lateral regexp_matches(p.prosrc, '(order by [^;()]* for update)', 'g') as found
        where p.pronamespace = 'public'::regnamespace and p.prosrc ~ 'from resource' order by 1, 2`
        assert.deepStrictEqual(locking, [
          { name: "keep_closure_places", order: "order by resource_id for update" },
          { name: "make_booking", order: "order by r.resource_id for update" },
          { name: "release_places", order: lockingInOrder }
        ])
        const ids = [sharedStockId(operator_id, "box"), box, idOf("playroom", 1), idOf("playroom", 2)]
        const [byId] = yield* sql<{ readonly ids: ReadonlyArray<string> }>`
        select array_agg(id order by id collate "C") as ids from unnest(${ids}::text[]) as id`
        assert.deepStrictEqual(byId?.ids, ids)
      })
  )

  if (serverUrl === undefined) {
    it.skip("are taken in one order (needs TEST_DATABASE_URL: the embedded database has one session, so nothing waits)", () => {})
    return
  }

  it.effect("of a cancellation and of an import that gives the room another size", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      yield* importRooms(hall(1))
      const booking = yield* book(1)
      yield* bothSucceed(
        (stop) => cancelBooking(booking).pipe(stoppingAt("cancellation decided, not committed", stop)),
        importRooms(hall(1, { capacity: 15 }))
      )
      assert.deepStrictEqual(yield* placesOf(booking), [])
    })
  )

  it.effect("of an import that counts the stock of bookings, and a cancellation: nothing stays taken", () =>
    Effect.gen(function* () {
      yield* importRooms(hall(1, { add_ons: [lunch()], calendars: [] }))
      const booking = yield* book(1, 2)
      yield* bothSucceed(
        (stop) =>
          importJson(catalogueJson([hall(1, { add_ons: [lunch(5)], calendars: [] })]), { progress: () => stop }),
        cancelBooking(booking)
      )
      assert.deepStrictEqual(yield* placesOf(booking), [])
    })
  )

  it.effect("of an import of many rooms in any order, and the closing of all of them", () =>
    Effect.gen(function* () {
      const rooms = Array.from({ length: 101 }, (_, i) => playroomJson(101 - i))
      yield* importRooms(...rooms)
      const times = { from: "2026-12-24", to: "2026-12-24" }
      yield* bothSucceed(
        (stop) => importJson(catalogueJson(renamed(rooms, "Quiet.")), { progress: () => stop }),
        Effect.flatMap(makeVenueClosures, (closures) =>
          closures.close({ operator_id, times, reason: "Holiday" }, { who: "Ana" })
        )
      )
    })
  )

  it.effect("of who releases a hold of another room under the locks of its own, and who locks both", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* importRooms(hall(1), hall(2))
      const booking = yield* book(1)
      yield* lapse(booking)
      yield* bothSucceed(
        (stop) =>
          Effect.gen(function* () {
            yield* lockAll(room(2))
            yield* stop
            yield* Claims.use((claims) => claims.releaseUnlocked([booking.booking_id], Date.parse(now)))
          }).pipe(sql.withTransaction),
        sql.withTransaction(lockAll(room(1), room(2)))
      )
      // It was skipped, and is released by the next.
      assert.lengthOf(yield* placesOf(booking), 1)
      yield* sql.withTransaction(Claims.use((claims) => claims.releaseUnlocked([booking.booking_id], Date.parse(now))))
      assert.deepStrictEqual(yield* placesOf(booking), [])
    })
  )

  it.effect("of a hold whose time is up are left to whoever has them already, by a node that sweeps", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      yield* importRooms(playroomJson(3))
      const { booking_id } = yield* book(3)
      yield* lapse({ booking_id })
      const other = yield* busyWith({ booking_id })
      const sweep = yield* Effect.forkChild(reconcile)
      yield* waitsFor(other.pid, sweep)
      assert.isDefined(sweep.pollUnsafe(), "it does not wait")
      yield* other.goOn
      yield* Fiber.join(other.fiber)
      yield* reconcile
      assert.deepStrictEqual(yield* placesOf({ booking_id }), [])
    })
  )

  it.effect("of what searches know of a room, while it is derived anew, keep no booking of it waiting", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* setClock(now)
      yield* importRooms(hall(9, { calendars: [] }))
      yield* sql`update playroom set derived_until = ${new Date(Date.parse(now) - 1)} where playroom_id = ${room(9)}`
      const visits = yield* holding(sql`lock table search_visit in access exclusive mode`)
      const refreshing = yield* Effect.forkChild(refreshSearchFacts)
      yield* waitsFor(visits.pid, refreshing)
      const booking = yield* Effect.forkChild(book(9))
      yield* untilWaiting(booking, 2)
      assert.isDefined(booking.pollUnsafe(), "it does not wait")
      yield* visits.goOn
      yield* Fiber.join(booking)
      assert.isAbove(yield* Fiber.join(refreshing), 0)
    })
  )

  it.effect("of a late payment whose places a hold of another room has, and who locks both rooms", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { first, late } = yield* lateBehindHolds(2)
      const before = yield* deadlocks
      const busy = yield* busyWith(first)
      const retaking = yield* Effect.forkChild(sql.withTransaction(placesAgain(late)))
      yield* waitsFor(busy.pid, retaking)
      const both = yield* holding(lockAll(room(1), room(2)))
      yield* busy.goOn
      yield* Fiber.join(busy.fiber)
      yield* waitsFor(both.pid, retaking)
      yield* both.goOn
      yield* Fiber.join(both.fiber)
      assert.isTrue(yield* Fiber.join(retaking))
      assert.deepStrictEqual(yield* deadlocks, before)
      assert.deepStrictEqual(yield* placesOf(first), [])
      assert.lengthOf(yield* placesOf(late), 2)
    })
  )

  it.effect("of a late payment that begins again leave nobody waiting for it who waited for what it had released", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { first, late } = yield* lateBehindHolds(2, 3)
      const before = yield* deadlocks
      const busy = yield* busyWith(first)
      // The first try has released the hold of room 3 when it looks for calendars of its own room.
      const calendars = yield* holding(sql`lock table calendar_feed in access exclusive mode`)
      const retaking = yield* holding(Effect.void, placesAgain(late))
      yield* retaking.goOn
      yield* waitsFor(calendars.pid, retaking.fiber)
      const both = yield* holding(Effect.void, lockAll(room(2), room(3)))
      yield* both.goOn
      yield* waitsFor(retaking.pid, both.fiber)
      yield* calendars.goOn
      // The second try waits for the other hold, then for room 2.
      yield* waitsFor(busy.pid, retaking.fiber)
      yield* busy.goOn
      for (const { fiber } of [calendars, busy, both, retaking]) yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* deadlocks, before)
      assert.lengthOf(yield* placesOf(late), 2)
    })
  )

  it.effect(
    "of a move that waits while an import gives its booking other stock, and who locks that stock and the room",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const pricing = { base: 0, included_children: 0, extra_child: 0, adult: 0, rules: [] }
        const free = (n: number) => [packageJson(n, { mode: "exclusive", duration_minutes: 120, pricing })]
        const cake = { ...lunch(), add_on_id: AddOnId.make(idOf("addon", 7)), unit_amount: 0 }
        const rooms = (uses: { readonly uses?: string }) =>
          catalogueJson(
            [
              hall(7, { packages: free(7), add_ons: [{ ...cake, ...uses }], calendars: [] }),
              hall(8, { packages: free(8), calendars: [] })
            ],
            [operatorJson(1, { stock: ["box", "oven"].map((slug) => ({ slug, units: 4 })) })]
          )
        yield* importJson(rooms({}))
        const { booking_id } = yield* bookWith({ n: 7, add_ons: [{ add_on_id: cake.add_on_id, quantity: 2 }] })
        const { options } = yield* BookingOptions.use((service) =>
          service.list({ playroom_id: PlayroomId.make(room(8)), date: "2026-12-05", children: 2 })
        )
        const option_id = options[0]?.option_id ?? ""
        const before = yield* deadlocks
        const { goOn, reached, stop } = yield* stopping
        const importing = yield* Effect.forkChild(importJson(rooms({ uses: "oven" }), { progress: () => stop }))
        yield* Effect.raceFirst(reached, Fiber.await(importing))
        const moving = yield* Effect.forkChild(
          changeVisit(booking_id, { by: "operator", option_id, preview: false, reason: "Asked" })
        )
        yield* untilWaiting(moving)
        const both = yield* holding(Effect.void, lockAll(sharedStockId(operator_id, "oven"), room(7)))
        yield* both.goOn
        yield* untilWaiting(moving, 2)
        yield* goOn
        yield* Fiber.join(importing)
        yield* Fiber.join(both.fiber)
        yield* Fiber.join(moving)
        assert.deepStrictEqual(yield* deadlocks, before)
        assert.deepStrictEqual(yield* placesOf({ booking_id }), [{ resource_id: room(8) }])
      })
  )

  it.effect("of a first catalogue of one's own that has some of the demo, and who locks rooms of the demo", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`truncate operator, playroom, booking, demo_removal cascade`
      yield* importJson(demo)
      const [first, second] = demo.playrooms.toSorted((a, b) => (a.playroom_id < b.playroom_id ? -1 : 1))
      if (first === undefined || second === undefined) return assert.fail("the demo has several rooms")
      const own = {
        ...demo,
        operators: [...demo.operators, operatorJson(1)],
        playrooms: [{ ...second, summary: "Quiet." }, playroomJson(1)]
      }
      yield* bothSucceed(
        (stop) => importJson(own, { progress: () => stop }),
        sql.withTransaction(lockAll(first.playroom_id, second.playroom_id))
      )
    })
  )
})
