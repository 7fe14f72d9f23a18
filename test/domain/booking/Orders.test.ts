/** Several options by one call: all or none, or what is free; each a booking of its own that knows the others. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { type OrderRequest } from "../../../src/domain/booking/BookingRequest.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { bookingServices, contact, importVenue, principal, setClock } from "../../support/BookingWorld.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { openPlay, saturdayParty, testId, venueWith } from "../../support/venues.ts"

const holds = 6
const world = bookingServices({ maxHoldsPerKey: 1000, maxHoldsPerEmail: holds }).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

const rooms = [1, 2, 3].map((n) =>
  venueWith({ playroom_id: testId.playroom(n), name: `Room ${n}`, capacity: 20 }, [
    { ...openPlay, package_id: testId.package(960 + n), max_children: 20 },
    { ...saturdayParty, package_id: testId.package(970 + n), max_children: 20 }
  ])
)
const saturdays = ["2026-12-05", "2026-12-12", "2026-12-19"]

/** The first party of the whole room on each of these days, in a room. */
const parties = (room: number, dates = saturdays) =>
  Effect.forEach(dates, (date) =>
    BookingOptions.use((options) =>
      options.list({ playroom_id: testId.playroom(room), date, children: 8, limit: 100 })
    ).pipe(
      Effect.map(
        ({ options }) => options.find(({ mode }) => mode === "exclusive")?.option_id ?? assert.fail("no party")
      )
    )
  )

const order = (
  [option_id = "", ...more_option_ids]: ReadonlyArray<string>,
  who: string,
  more: Partial<OrderRequest> = {},
  key = "key_a"
) =>
  Bookings.use((bookings) =>
    bookings.createOrder(principal(key), { option_id, more_option_ids, contact: contact(who), ...more })
  )
const single = (option_id: string, who: string) =>
  Effect.map(
    Bookings.use((bookings) => bookings.create(principal(), { option_id, contact: contact(who) })),
    ({ row }) => row
  )

const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ email: string; order_id: string | null; places: number }>`
    select contact_email as email, order_id, (select count(*)::int from occupancy o where o.booking_id = b.booking_id) as places
    from booking b order by booking_id`
})

const fresh = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from occupancy where booking_id is not null`
  yield* sql`delete from idempotency`
  yield* sql`delete from booking_history`
  yield* sql`delete from booking`
  yield* setClock("2026-11-20T09:00:00Z")
  yield* importVenue(...rooms)
})

layer(world)("several options by one call", (it) => {
  it.effect("are a booking each, with a reference of its own, and know each other", () =>
    Effect.gen(function* () {
      yield* fresh
      const { made, not_booked, others } = yield* order(yield* parties(1), "ana")
      assert.lengthOf(made, 3)
      assert.isEmpty(not_booked)
      assert.isEmpty(others)
      assert.strictEqual(new Set(made.map(({ row }) => row.reference)).size, 3)
      assert.deepStrictEqual(
        made.map(({ already_existed, row }) => [row.status, already_existed]),
        saturdays.map(() => ["held", false])
      )
      // One would be held for 15 minutes; each further one has a page of its own to pay.
      assert.deepStrictEqual(
        made.map(({ row }) => row.hold_expires_at),
        saturdays.map(() => Date.parse("2026-11-20T09:25:00Z"))
      )
      const rows = yield* stored
      assert.strictEqual(new Set(rows.map(({ order_id }) => order_id)).size, 1)
      assert.match(rows[0]?.order_id ?? "", /^order_/)
      const [first, second, third] = made
      const beside = yield* Bookings.use((bookings) => bookings.together(principal(), first.row))
      assert.deepStrictEqual(
        beside.map(({ booking_id }) => booking_id),
        [second?.row.booking_id, third?.row.booking_id]
      )
      // Another key learns nothing of them, and one that was made by itself knows none.
      assert.isEmpty(yield* Bookings.use((bookings) => bookings.together(principal("key_b"), first.row)))
      const alone = yield* single((yield* parties(2))[0] ?? "", "bo")
      assert.isEmpty(yield* Bookings.use((bookings) => bookings.together(principal(), alone)))
    })
  )

  it.effect("are refused whole if one is gone, with all that are; book_rest books the others", () =>
    Effect.gen(function* () {
      yield* fresh
      const options = yield* parties(1)
      yield* single(options[1] ?? "", "bo")
      const refused = yield* Effect.flip(order(options, "ana"))
      if (refused._tag !== "SlotUnavailable") return assert.fail(refused._tag)
      assert.deepStrictEqual(
        refused.not_booked?.map(({ option_id, why }) => [option_id, why]),
        [[options[1], "fully_booked"]]
      )
      assert.match(refused.not_booked?.[0]?.when ?? "", /12 Dec 2026/)
      assert.isNotEmpty(refused.alternatives)
      assert.lengthOf(yield* stored, 1)
      const { made, not_booked } = yield* order(options, "ana", { book_rest: true })
      assert.deepStrictEqual(
        made.map(({ row }) => row.option_id),
        [options[0], options[2]]
      )
      assert.deepStrictEqual(
        not_booked.map(({ option_id }) => option_id),
        [options[1]]
      )
      // If none is free, there is nothing to book.
      const none = yield* Effect.flip(order([...options], "cleo", { book_rest: true }))
      assert.strictEqual(none._tag, "SlotUnavailable")
      assert.lengthOf(yield* stored, 3)
    })
  )

  it.effect(
    "are one set, however often the call is repeated, with a key or without; also after they were cancelled",
    () =>
      Effect.gen(function* () {
        yield* fresh
        const options = yield* parties(1)
        const first = yield* order(options, "ana")
        const ids = first.made.map(({ row }) => row.booking_id)
        for (const more of [{}, { idempotency_key: "wish" }, { idempotency_key: "wish" }]) {
          const { made } = yield* order(options, "ana", more)
          assert.deepStrictEqual(
            made.map(({ already_existed, row }) => [row.booking_id, already_existed]),
            ids.map((id) => [id, true])
          )
        }
        const sql = yield* SqlClient.SqlClient
        yield* sql`update booking set status = 'cancelled', hold_expires_at = null where booking_id = ${ids[1] ?? ""}`
        const again = yield* order(options, "ana", { idempotency_key: "wish" })
        assert.deepStrictEqual(
          again.made.map(({ row }) => row.booking_id),
          ids
        )
        // The key stands for the whole call.
        const other = yield* Effect.flip(order(options.slice(0, 2), "ana", { idempotency_key: "wish" }))
        assert.strictEqual(other._tag, "IdempotencyConflict")
        assert.strictEqual(
          (yield* Effect.flip(order(options, "ana", { idempotency_key: "wish", book_rest: true })))._tag,
          "IdempotencyConflict"
        )
        assert.lengthOf(yield* stored, 3)
      })
  )

  it.effect("join those that the person has already; once more of all is one more set", () =>
    Effect.gen(function* () {
      yield* fresh
      const sql = yield* SqlClient.SqlClient
      const dates = yield* BookingOptions.use((options) =>
        options.list({ playroom_id: testId.playroom(1), date: "2026-12-05", children: 2, limit: 100 })
      )
      const shared = dates.options.filter(({ mode }) => mode === "shared").map(({ option_id }) => option_id)
      const [one = "", two = "", three = ""] = shared
      const { booking_id } = yield* single(one, "ana")
      const joined = yield* order([one, two], "ana")
      assert.deepStrictEqual(
        joined.made.map(({ already_existed }) => already_existed),
        [true, false]
      )
      assert.strictEqual(joined.made[0].row.booking_id, booking_id)
      yield* order([two, three], "ana")
      // What was added is beside what it was added to.
      const groups = yield* sql<{
        n: number
      }>`select count(*)::int as n from booking where order_id is not null group by order_id`
      assert.deepStrictEqual(groups, [{ n: 2 }])
      const more = yield* order([one, two], "ana", { another: true, idempotency_key: "more" })
      assert.deepStrictEqual(
        more.made.map(({ already_existed }) => already_existed),
        [false, false]
      )
      const same = yield* order([one, two], "ana", { another: true, idempotency_key: "more" })
      assert.deepStrictEqual(
        same.made.map(({ row }) => row.booking_id),
        more.made.map(({ row }) => row.booking_id)
      )
    })
  )

  it.effect("count one by one against the limit on holds, and are refused whole beyond it", () =>
    Effect.gen(function* () {
      yield* fresh
      yield* order(yield* parties(1), "ana")
      yield* order(yield* parties(2), "ana")
      const refused = yield* Effect.flip(order(yield* parties(3), "ana"))
      if (refused._tag !== "TooManyHolds") return assert.fail(refused._tag)
      assert.deepStrictEqual([refused.per, refused.limit], ["email", holds])
      assert.lengthOf(yield* stored, holds)
    })
  )

  it.effect("name the argument that is wrong: twice the same, another business, no option at all", () =>
    Effect.gen(function* () {
      yield* fresh
      const [one = "", two = ""] = yield* parties(1)
      const twice = yield* Effect.flip(order([one, two, one], "ana"))
      assert.strictEqual(twice._tag === "InvalidArguments" ? twice.issues[0]?.path : twice._tag, "more_option_ids[1]")
      const wrong = yield* Effect.flip(order([one, `${two.slice(0, -1)}${two.endsWith("A") ? "B" : "A"}`], "ana"))
      if (wrong._tag !== "OptionInvalid") return assert.fail(wrong._tag)
      assert.deepStrictEqual([wrong.reason, wrong.argument], ["malformed", "more_option_ids[0]"])
      const operator = {
        ...(rooms[0]?.operator ?? assert.fail()),
        operator_id: testId.operator(77),
        name: "Elsewhere",
        connected_account_id: "acct_77"
      }
      const room = venueWith({ playroom_id: testId.playroom(77), operator_id: operator.operator_id, name: "Far" }, [
        { ...saturdayParty, package_id: testId.package(977) }
      ])
      yield* importVenue({ ...room, operator })
      const elsewhere = yield* parties(77, ["2026-12-05"])
      const mixed = yield* Effect.flip(order([one, ...elsewhere], "ana"))
      assert.strictEqual(mixed._tag === "InvalidArguments" ? mixed.issues[0]?.path : mixed._tag, "more_option_ids[0]")
      assert.isEmpty(yield* stored)
    })
  )

  it.effect("of two families over the same starts from both ends go to one of them whole, time after time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = yield* sql`select deadlocks::int from pg_stat_database where datname = current_database()`
      for (let round = 0; round < 8; round++) {
        yield* fresh
        const options = [
          ...(yield* parties(1)),
          ...(yield* parties(2, saturdays.slice(0, 2))),
          ...(yield* parties(3, saturdays.slice(0, 1)))
        ]
        const ways = [options, options.toReversed(), [...options.slice(3), ...options.slice(0, 3)]]
        const results = yield* Effect.all(
          ways.map((ids, i) => Effect.result(order(ids, `family${i}`, {}, `key_${i}`))),
          { concurrency: "unbounded" }
        )
        const won = results.filter(({ _tag }) => _tag === "Success")
        assert.lengthOf(won, 1, results.map((one) => (one._tag === "Failure" ? one.failure._tag : "made")).join())
        const rows = yield* stored
        assert.lengthOf(rows, options.length)
        assert.strictEqual(new Set(rows.map(({ email }) => email)).size, 1)
        assert.isTrue(rows.every(({ places }) => places > 0))
      }
      yield* sql`select pg_stat_clear_snapshot()`
      assert.deepStrictEqual(
        yield* sql`select deadlocks::int from pg_stat_database where datname = current_database()`,
        before
      )
    })
  )

  it.effect(
    "the same call twice at once is one set; beside single bookings, none is lost and nobody waits in a circle",
    () =>
      Effect.gen(function* () {
        for (let round = 0; round < 5; round++) {
          yield* fresh
          const options = yield* parties(1)
          const [extra = ""] = yield* parties(2)
          const results = yield* Effect.all(
            [
              order([...options, extra], "ana", round % 2 === 0 ? { idempotency_key: "wish" } : {}),
              order([...options, extra], "ana", round % 2 === 0 ? { idempotency_key: "wish" } : {}),
              single(options[round % 3] ?? "", "bo")
            ].map((one: Effect.Effect<unknown, unknown, Bookings>) => Effect.result(one)),
            { concurrency: "unbounded" }
          )
          assert.lengthOf(results, 3)
          const rows = yield* stored
          const mine = rows.filter(({ email }) => email === contact("ana").email).length
          const theirs = rows.length - mine
          assert.isTrue((mine === 4 && theirs === 0) || (mine === 0 && theirs === 1), `${mine} and ${theirs}`)
        }
      })
  )
})
