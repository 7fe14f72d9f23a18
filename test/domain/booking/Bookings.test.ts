import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { BookingRecords } from "../../../src/domain/booking/BookingRecords.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { shownPrice } from "../../../src/domain/catalogue/Pricing.ts"
import { bookingServices, contact, importVenue, principal, setClock } from "../../support/BookingWorld.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { bubbleMachine, openPlay, packageWith, venueWith } from "../../support/venues.ts"
import { book, firstOption, fresh, occupied, optionsOn, ownName, party } from "../../support/freshVenues.ts"

const world = bookingServices({ maxHoldsPerKey: 8, maxHoldsPerEmail: 3 }).pipe(Layer.provideMerge(TestDatabase.layer))

layer(world)("booking", (it) => {
  it.effect("holds the places of an option until the hold expires, at the price that was shown", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh()
      const option = yield* firstOption(venue, { package_id: venue.packages[0]?.package_id ?? party.package_id })
      const booking = yield* book(option.option_id)
      assert.strictEqual(booking.status, "held")
      assert.strictEqual(booking.payment_status, "unpaid")
      assert.strictEqual(booking.hold_expires_at, Date.parse("2026-11-20T09:15:00Z"))
      assert.deepStrictEqual(shownPrice(booking.terms.price), option.price)
      assert.match(booking.reference, /^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
      const left = yield* firstOption(venue, { package_id: booking.package_id })
      assert.deepStrictEqual([option.places_left, left.places_left], [25, 21])
      const history = yield* BookingRecords.use((bookings) => bookings.history(booking))
      assert.deepStrictEqual(history, [{ at: "2026-11-20T09:00:00+00:00", event: "held" }])
    })
  )

  it.effect("keeps a reason with half of an emoji in its history, with the replacement character", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const booking = yield* book((yield* firstOption(yield* fresh())).option_id)
      const records = yield* BookingRecords
      yield* records.change(booking, { transition: "cancelled", event: "cancelled", detail: "no time \ud83d, \\ud83d" })
      const [, cancelled] = yield* records.history(booking)
      assert.strictEqual(cancelled?.detail, "no time \ufffd, \\ud83d")
    })
  )

  it.effect("confirms at once if nothing is due now", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const free = packageWith({ pricing: { ...openPlay.pricing, extra_child: 0, rules: [] } })
      const venue = yield* fresh(venueWith({}, [free]))
      const booking = yield* book((yield* firstOption(venue)).option_id)
      assert.deepStrictEqual(
        [booking.status, booking.payment_status, booking.hold_expires_at, yield* occupied(booking.booking_id)],
        ["confirmed", "not_required", null, 1]
      )
    })
  )

  it.effect(
    "refuses a party over open play and open play over a party, with bookable alternatives, nearest first",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const venue = yield* fresh()
        const [play, wholeRoom] = venue.packages
        const parties = (yield* optionsOn(venue, { package_id: wholeRoom?.package_id ?? party.package_id })).options
        const tenOClock = parties[0] ?? assert.fail("no party")
        const games = (yield* optionsOn(venue, { package_id: play?.package_id ?? party.package_id })).options
        const during = games.find(({ start }) => start.includes("T11:00")) ?? assert.fail("no open play")
        yield* book(during.option_id)
        const refused = yield* Effect.flip(book(tenOClock.option_id, "ben"))
        assert.strictEqual(refused._tag, "SlotUnavailable")
        if (refused._tag !== "SlotUnavailable") return
        assert.strictEqual(refused.alternatives.length, 5)
        const distances = refused.alternatives
          .filter(({ package_id }) => package_id === tenOClock.package_id)
          .map(({ start }) => Math.abs(Date.parse(start) - Date.parse(tenOClock.start)))
        assert.deepStrictEqual(
          distances,
          [...distances].sort((a, b) => a - b)
        )
        const partyBooked = yield* book(refused.alternatives[0]?.option_id ?? "", "ben")
        assert.strictEqual(partyBooked.status, "held")
        const over = games.find(({ start }) => Date.parse(start) === partyBooked.starts_at) ?? assert.fail("no start")
        assert.strictEqual((yield* Effect.flip(book(over.option_id, "cleo")))._tag, "SlotUnavailable")
      })
  )

  it.effect("counts set-up and clean-up as taken", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh()
      const parties = (yield* optionsOn(venue, { package_id: venue.packages[1]?.package_id ?? party.package_id }))
        .options
      yield* book(parties[0]?.option_id ?? "") // 10:00 to 12:00, cleaned until 12:15
      const games = (yield* optionsOn(venue, { package_id: venue.packages[0]?.package_id ?? party.package_id })).options
      const starts = games.map(({ start }) => start.slice(11, 16))
      assert.notInclude(starts, "09:00") // would end at 10:00, inside the set-up from 09:30
      assert.notInclude(starts, "12:00")
      assert.include(starts, "12:30")
    })
  )

  it.effect("never sells one add-on too many, even if it is free at another start", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh()
      const add_on_id = venue.add_ons[0]?.add_on_id ?? bubbleMachine.add_on_id
      const package_id = venue.packages[0]?.package_id ?? party.package_id
      const two = yield* firstOption(venue, { package_id, add_ons: [{ add_on_id, quantity: 2 }] })
      const one = yield* firstOption(venue, { package_id, add_ons: [{ add_on_id, quantity: 1 }] })
      assert.strictEqual(one.start, two.start)
      yield* book(two.option_id)
      assert.strictEqual((yield* Effect.flip(book(one.option_id, "ben")))._tag, "SlotUnavailable")
      const later = yield* firstOption(venue, { package_id, add_ons: [{ add_on_id, quantity: 1 }] })
      assert.strictEqual(later.start.slice(11, 16), "10:00")
    })
  )

  it.effect("gives the places of a lapsed hold to the next buyer, and records it in the first one's history", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh()
      const query = { package_id: venue.packages[1]?.package_id ?? party.package_id }
      const option = yield* firstOption(venue, query)
      const first = yield* book(option.option_id)
      assert.strictEqual((yield* Effect.flip(book(option.option_id, "ben")))._tag, "SlotUnavailable")
      yield* setClock("2026-11-20T09:15:00Z")
      const second = yield* book((yield* firstOption(venue, query)).option_id, "ben")
      assert.strictEqual(second.starts_at, first.starts_at)
      const lapsed = yield* Bookings.use((bookings) => bookings.get(first.booking_id))
      assert.strictEqual(lapsed.status, "expired")
      assert.strictEqual(yield* occupied(first.booking_id), 0)
      const history = yield* BookingRecords.use((bookings) => bookings.history(lapsed))
      assert.deepStrictEqual(
        history.map(({ event }) => event),
        ["held", "hold_expired"]
      )
    })
  )

  it.effect("returns the same booking to a repeated call, by idempotency key or by option and e-mail", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh()
      const { option_id } = yield* firstOption(venue)
      const first = yield* book(option_id, "ana", "key_a", "one")
      assert.strictEqual((yield* book(option_id, "ana", "key_a", "one")).booking_id, first.booking_id)
      assert.strictEqual((yield* book(option_id, "ana", "key_a", "two")).booking_id, first.booking_id)
      assert.strictEqual((yield* Effect.flip(book(option_id, "ben", "key_a", "one")))._tag, "IdempotencyConflict")
      assert.notStrictEqual((yield* book(option_id, "ben", "key_b", "one")).booking_id, first.booking_id)
      const bare = yield* book(option_id, "cleo")
      assert.strictEqual((yield* book(option_id, "cleo")).booking_id, bare.booking_id)
      yield* setClock("2026-11-20T09:16:00Z")
      assert.notStrictEqual((yield* book(option_id, "cleo")).booking_id, bare.booking_id)
      yield* setClock("2026-11-21T10:00:00Z")
      assert.strictEqual((yield* book(option_id, "ana", "key_a", "one")).booking_id, first.booking_id)
    })
  )

  it.effect("makes one booking of retries that are in flight together", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh()
      const { option_id } = yield* firstOption(venue)
      const keyed = yield* Effect.all(
        Array.from({ length: 8 }, () => book(option_id, "dora", "key_c", "same")),
        { concurrency: 8 }
      )
      assert.strictEqual(new Set(keyed.map(({ booking_id }) => booking_id)).size, 1)
      const bare = yield* Effect.all(
        Array.from({ length: 8 }, () => book(option_id, "emil", "key_c")),
        { concurrency: 8 }
      )
      assert.strictEqual(new Set(bare.map(({ booking_id }) => booking_id)).size, 1)
    })
  )

  it.effect(
    "refuses an option whose price or policy was edited since, with the fresh option, and keeps what was agreed",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const venue = yield* fresh()
        const query = { package_id: venue.packages[0]?.package_id ?? party.package_id }
        const { option_id } = yield* firstOption(venue, query)
        const agreed = yield* book(option_id)
        const dearer = venue.packages.map((pkg) => ({ ...pkg, pricing: { ...pkg.pricing, extra_child: 9999 } }))
        yield* importVenue({ ...venue, packages: dearer })
        const refused = yield* Effect.flip(book(option_id, "ben"))
        assert.strictEqual(refused._tag, "PriceChanged")
        if (refused._tag !== "PriceChanged") return
        assert.strictEqual(refused.option.price.total, 4 * 9999)
        assert.strictEqual((yield* book(refused.option.option_id, "ben")).total, 4 * 9999)
        const kept = yield* Bookings.use((bookings) => bookings.get(agreed.booking_id))
        assert.deepStrictEqual(kept.terms, agreed.terms)
        yield* importVenue({ ...venue, packages: dearer.map((pkg) => ({ ...pkg, cancellation: [] })) })
        assert.strictEqual((yield* Effect.flip(book(refused.option.option_id, "cleo")))._tag, "PriceChanged")
      })
  )

  it.effect("limits the live holds of a key and of an e-mail address, even of concurrent calls", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh()
      const starts = (yield* optionsOn(venue, { children: 1 })).options.slice(0, 6)
      const greedy = yield* Effect.all(
        starts.map(({ option_id }) => Effect.result(book(option_id, "greedy", "key_d"))),
        { concurrency: 6 }
      )
      assert.strictEqual(greedy.filter(({ _tag }) => _tag === "Success").length, 3)
      const many = yield* Effect.all(
        Array.from({ length: 12 }, (_, i) => Effect.result(book(starts[i % 6]?.option_id ?? "", `buyer${i}`, "key_d"))),
        { concurrency: 12 }
      )
      assert.isAtMost(many.filter(({ _tag }) => _tag === "Success").length, 5)
      const refused = yield* Effect.flip(book(starts[0]?.option_id ?? "", "late", "key_d"))
      assert.deepStrictEqual([refused._tag, "per" in refused && refused.per], ["TooManyHolds", "key"])
      yield* setClock("2026-11-20T09:20:00Z")
      assert.strictEqual((yield* book(starts[0]?.option_id ?? "", "greedy", "key_d")).status, "held")
    })
  )

  it.effect("shows a booking to the key that made it and to admins; to others it does not exist", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const booking = yield* book((yield* firstOption(yield* fresh())).option_id, "ana", "key_e")
      const { lookUp, find } = yield* Bookings
      const { booking_id, contact_email, reference } = booking
      const own = yield* lookUp(principal(ownName("key_e")), {
        reference: reference.toLowerCase().replace("-", " "),
        contact_email: contact_email.toUpperCase()
      })
      assert.deepStrictEqual([own.row.booking_id, own.may_change], [booking_id, true])
      const admin = principal("key_z", ["admin"])
      for (const found of [yield* find(admin, booking_id), yield* lookUp(admin, { reference })])
        assert.deepStrictEqual([found.row.booking_id, found.may_change], [booking_id, true])
      const foreign = yield* Effect.flip(find(principal("key_z"), booking_id))
      const none = yield* Effect.flip(find(principal("key_z"), "booking_01h40000000000000000000000"))
      assert.deepStrictEqual(foreign, none)
      assert.deepStrictEqual(yield* Effect.flip(lookUp(principal("key_z"), { reference, contact_email })), none)
    })
  )

  it.effect("shows an admin key that is bound to an operator that operator's bookings, and nobody else's", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const booking = yield* book((yield* firstOption(yield* fresh())).option_id, "ana", "key_e")
      const admin = (operator_id: string) => ({ ...principal("key_z", ["admin"]), operator_id })
      const find = (operator_id: string) =>
        Bookings.use((bookings) => bookings.lookUp(admin(operator_id), { reference: booking.reference }))
      assert.strictEqual((yield* find(booking.operator_id)).row.booking_id, booking.booking_id)
      assert.strictEqual((yield* Effect.flip(find("operator_other")))._tag, "BookingNotFound")
    })
  )

  it.effect("shows a lapsed hold as expired, in a look-up and to a repeated call", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const { option_id } = yield* firstOption(yield* fresh())
      const { booking_id } = yield* book(option_id, "ana", "key_a", "one")
      const seen = Effect.map(
        Effect.all([
          Effect.map(
            Bookings.use((bookings) => bookings.find(principal(ownName("key_a")), booking_id)),
            ({ row }) => row
          ),
          book(option_id, "ana", "key_a", "one")
        ]),
        (both) => both.map((row) => [row.booking_id, row.status, row.hold_expires_at])
      )
      yield* setClock("2026-11-20T09:14:59Z")
      const end = Date.parse("2026-11-20T09:15:00Z")
      assert.deepStrictEqual(yield* seen, [
        [booking_id, "held", end],
        [booking_id, "held", end]
      ])
      yield* setClock("2026-11-20T09:15:00Z")
      const sql = yield* SqlClient.SqlClient
      // A payment may be on its way, so it stays held until the provider is asked.
      yield* sql`update booking set awaiting_provider = true where booking_id = ${booking_id}`
      assert.deepStrictEqual((yield* seen)[0], [booking_id, "held", end])
      yield* sql`update booking set awaiting_provider = false where booking_id = ${booking_id}`
      const expired = [booking_id, "expired" as const, null]
      assert.deepStrictEqual(yield* seen, [expired, expired])
      assert.notStrictEqual((yield* book(option_id, "ana", "key_a", "two")).booking_id, booking_id)
    })
  )

  it.effect("gives the places of a lapsed hold to the next buyer although another transaction is releasing it", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh()
      const { option_id } = yield* firstOption(venue, { package_id: venue.packages[1]?.package_id ?? party.package_id })
      const first = yield* book(option_id)
      yield* setClock("2026-11-20T09:15:00Z")
      const sql = yield* SqlClient.SqlClient
      const records = yield* BookingRecords
      const locked = yield* Deferred.make<void>()
      const releasing = sql.withTransaction(
        Effect.gen(function* () {
          const row = yield* Effect.flatMap(records.lock(first.booking_id), Effect.fromOption)
          yield* Deferred.succeed(locked, undefined)
          yield* sql`select pg_sleep(0.3)`
          yield* records.change(row, { transition: "hold_lapsed", event: "hold_expired" })
        })
      )
      const fiber = yield* Effect.forkChild(releasing)
      yield* Deferred.await(locked)
      const second = yield* book(option_id, "ben")
      yield* Fiber.join(fiber)
      assert.strictEqual(second.status, "held")
    })
  )

  it.effect("refuses options that are malformed, foreign, or past, each by name", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh()
      const { option_id } = yield* firstOption(venue)
      const reason = (id: string) =>
        Effect.map(Effect.flip(book(id)), (error) => (error._tag === "OptionInvalid" ? error.reason : error._tag))
      assert.strictEqual(yield* reason("option_AAAA"), "malformed")
      assert.strictEqual(yield* reason(`${option_id}A`), "malformed")
      const elsewhere = Bookings.use((bookings) =>
        bookings.create({ ...principal(), operator_id: "operator_other" }, { option_id, contact: contact() })
      )
      assert.deepInclude(yield* Effect.flip(elsewhere), { _tag: "OptionInvalid", reason: "other_operator" })
      yield* setClock("2026-12-06T09:00:00Z")
      assert.strictEqual(yield* reason(option_id), "start_passed")
    })
  )

  it.effect("sells nothing for an operator that is suspended, lapsed, or can't take payments", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const sql = yield* SqlClient.SqlClient
      const venue = yield* fresh()
      const { option_id } = yield* firstOption(venue)
      const { operator_id } = venue.operator
      const refusal = Effect.map(Effect.flip(book(option_id)), ({ _tag }) => _tag)
      yield* sql`update operator set suspended_at = now() where operator_id = ${operator_id}`
      assert.strictEqual(yield* refusal, "OperatorUnavailable")
      assert.strictEqual((yield* Effect.flip(optionsOn(venue)))._tag, "OperatorUnavailable")
      yield* sql`update operator set suspended_at = null, billing_customer_id = 'cus_1', paid_through = '2026-11-13T08:59:59Z'
        where operator_id = ${operator_id}`
      assert.strictEqual(yield* refusal, "OperatorUnavailable")
      yield* sql`update operator set paid_through = '2026-11-13T09:00:01Z' where operator_id = ${operator_id}`
      assert.strictEqual((yield* book(option_id)).status, "held")
      yield* sql`update operator set billing_customer_id = null, paid_through = null where operator_id = ${operator_id}`
    })
  )
})
