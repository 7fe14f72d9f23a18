/** Families wait for places that others have booked out, and get them in turn when they come back. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Struct } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { BookingRecords } from "../../../src/domain/booking/BookingRecords.ts"
import { Bookings, offerPlaces } from "../../../src/domain/booking/Bookings.ts"
import { Claims } from "../../../src/domain/booking/Claims.ts"
import { forgetWaiting, waitingLimits, WaitingList } from "../../../src/domain/booking/WaitingList.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { Persons } from "../../../src/domain/people/privacy/Persons.ts"
import { sandboxPayers } from "../../../src/extras/sandbox/Payers.ts"
import { importVenue, principal } from "../../support/BookingWorld.ts"
import type { BookingOptionsQuery } from "../../../src/domain/availability/BookingOptions.ts"
import { firstOption, fresh, optionsOn, ownName } from "../../support/freshVenues.ts"
import { lettersOf, letterWorld, sendLetters } from "../../support/LetterWorld.ts"
import { cancelBooking, paymentWorld, reconcile, startAnew } from "../../support/PaymentWorld.ts"
import { packageWith, softPlay, testId, venueWith } from "../../support/venues.ts"

const world = letterWorld({ maxHoldsPerKey: 1000 })

/** A room with a waiting list: what comes back is held for two hours. */
const listed: Venue = { ...softPlay, playroom: { ...softPlay.playroom, waiting_list_minutes: 120 } }

const book = (option_id: string, who: string) =>
  Effect.result(
    Bookings.use((bookings) =>
      bookings.create(principal(ownName("key_a")), {
        option_id,
        contact: { name: "Ana Lima", email: `${ownName(who)}@example.com` }
      })
    )
  )
const booked = (option_id: string, who: string) =>
  Effect.map(Effect.flatMap(book(option_id, who), Effect.fromResult), ({ row }) => row)

/** The whole room at the first start, booked by somebody. */
const bookedOut = Effect.fnUntraced(function* (base: Venue = listed) {
  yield* startAnew
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from waiting`
  const venue = yield* fresh(base)
  const { option_id } = yield* firstOption(venue, { mode: "exclusive", children: 8 })
  return { venue, option_id, booking: yield* booked(option_id, "first") }
})

/** The whole room of a venue, on the day that tests book, as it is asked for. */
const wholeRoom = { mode: "exclusive", children: 8 } as const
/** A venue of which nothing is left that day: what the first start was, and how often it was booked. */
const fullDay = Effect.fnUntraced(function* (base: Venue = listed) {
  yield* startAnew
  const venue = yield* fresh(base)
  const first = yield* firstOption(venue, wholeRoom)
  for (let n = 0; ; n++) {
    const [option] = (yield* optionsOn(venue, wholeRoom)).options
    if (option === undefined) return { venue, first }
    yield* booked(option.option_id, `full${n}`)
  }
})
const listsOn = (venue: Venue, query: Partial<BookingOptionsQuery> = {}) =>
  Effect.map(optionsOn(venue, { ...wholeRoom, ...query }), ({ none_because, options, waiting_list }) => {
    assert.lengthOf(options, 0)
    return { none_because, lists: waiting_list }
  })

const join = Effect.fnUntraced(function* (option_id: string, who: string, sender = `192.0.2.${who.length}`) {
  const waited = yield* Bookings.use((bookings) => bookings.waitedFor(option_id, []))
  if (typeof waited !== "object") return assert.fail(`nobody can wait: ${waited}`)
  const contact = { contact_name: "Ben", contact_email: `${ownName(who)}@example.com`, child_ages: [], language: "de" }
  return yield* WaitingList.use((list) => list.join(waited, contact, sender))
})

/** The holds that the waiting list made in this room: for whom, until when. */
const heldIn = Effect.fnUntraced(function* ({ playroom: { playroom_id } }: Venue) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    booking_id: string
    contact_email: string
    status: string
  }>`select booking_id, contact_email, status
    from booking where key_id = ${playroom_id} order by created_at, booking_id`
  const records = yield* BookingRecords
  return yield* Effect.forEach(rows, ({ booking_id }) => Effect.flatMap(records.byId(booking_id), Effect.fromOption))
})
const whoOf = ({ contact_email, status }: { contact_email: string; status: string }) =>
  `${contact_email.replace(/\d*@.*/, "")} ${status}`
const heldFor = (venue: Venue) => Effect.map(heldIn(venue), (all) => all.map(whoOf))

layer(world)("the waiting list of a start that is booked out", (it) => {
  it.effect("is offered by the refusal of a booking, and by none where the venue has no list", () =>
    Effect.gen(function* () {
      const { option_id, venue } = yield* bookedOut()
      const refused = yield* Effect.flip(Effect.flatMap(book(option_id, "late"), Effect.fromResult))
      assert(refused._tag === "SlotUnavailable")
      assert.strictEqual(refused.waiting_list, `http://localhost:3000/wait/${option_id}`)
      yield* importVenue({ ...venue, playroom: Struct.omit(venue.playroom, ["waiting_list_minutes"]) })
      const again = yield* Effect.flip(Effect.flatMap(book(option_id, "later"), Effect.fromResult))
      assert(again._tag === "SlotUnavailable")
      assert.isUndefined(again.waiting_list)
    })
  )

  it.effect(
    "is offered where nothing is left of a day: of three starts at most, as the refusal of each offers it",
    () =>
      Effect.gen(function* () {
        const { first, venue } = yield* fullDay()
        const { lists = [], none_because } = yield* listsOn(venue)
        assert.strictEqual(none_because, "fully_booked")
        assert.lengthOf(lists, 3)
        assert.strictEqual(lists[0]?.when, first.when)
        assert.lengthOf(new Set(lists.map(({ when }) => when)), 3)
        for (const { url } of lists) {
          const option_id = url.replace("http://localhost:3000/wait/", "")
          assert.isObject(yield* Bookings.use((bookings) => bookings.waitedFor(option_id, [])))
          const refused = yield* Effect.flip(Effect.flatMap(book(option_id, "late"), Effect.fromResult))
          assert(refused._tag === "SlotUnavailable")
          assert.strictEqual(refused.waiting_list, url)
        }
        // Of what was asked for: these times, and with these ages.
        const later = yield* listsOn(venue, { start_after: "13:00", child_ages: [3, 3, 4, 4, 5, 5, 6, 6] })
        assert.match(later.lists?.[0]?.when ?? "", / 1[3-9]:\d\d–/)
        for (const { url } of later.lists ?? []) assert.isTrue(url.endsWith("?ages=3-3-4-4-5-5-6-6"), url)
        // Another day has some: nothing is said of a list.
        assert.notProperty(yield* optionsOn(venue, { ...wholeRoom, date_to: "2026-12-12" }), "waiting_list")
        yield* importVenue({ ...venue, playroom: Struct.omit(venue.playroom, ["waiting_list_minutes"]) })
        assert.deepStrictEqual(yield* listsOn(venue), { none_because: "fully_booked", lists: undefined })
      })
  )

  it.effect(
    "is offered of a full day only where something is due, and more than a hold is left until booking ends",
    () =>
      Effect.gen(function* () {
        const { first, venue } = yield* fullDay({
          ...listed,
          packages: listed.packages.map((pkg) => ({ ...pkg, schedule: { times: ["11:00"] } }))
        })
        const whenLeft = (minutes: number) =>
          Effect.andThen(
            TestClock.setTime(Date.parse(first.start) - (listed.playroom.lead_time_minutes + minutes) * 60_000),
            listsOn(venue)
          )
        const sql = yield* SqlClient.SqlClient
        yield* sql`update booking set hold_expires_at = starts_at`
        assert.lengthOf((yield* whenLeft(16)).lists ?? [], 1)
        assert.deepStrictEqual(yield* whenLeft(14), { none_because: "fully_booked", lists: undefined })
        const free = packageWith({
          pricing: { base: 0, included_children: 10, extra_child: 0, adult: 0, rules: [] },
          mode: "exclusive"
        })
        const nothingDue = yield* fullDay(venueWith({ waiting_list_minutes: 60 }, [free]))
        assert.deepStrictEqual(yield* listsOn(nothingDue.venue), { none_because: "fully_booked", lists: undefined })
      })
  )

  it.effect("is told places that come back: a hold for the time that the venue set, and a letter, for the first", () =>
    Effect.gen(function* () {
      const { booking, option_id, venue } = yield* bookedOut()
      yield* join(option_id, "ben")
      yield* join(option_id, "cleo")
      assert.strictEqual(yield* offerPlaces, 0)
      yield* cancelBooking(booking)
      assert.strictEqual(yield* offerPlaces, 1)
      const [held, ...others] = yield* heldIn(venue)
      assert.lengthOf(others, 0)
      assert(held !== undefined)
      assert.strictEqual(whoOf(held), "ben held")
      assert.strictEqual(held.hold_expires_at, Date.parse("2026-11-20T11:00:00Z"))
      assert.strictEqual(held.starts_at, booking.starts_at)
      const letters = yield* sendLetters
      const letter = letters.find(({ booking_id }) => booking_id === held.booking_id)
      assert(letter !== undefined)
      assert.strictEqual(letter.to, held.contact_email)
      assert.include(letter.subject, "Plätze sind frei geworden")
      assert.include(letter.text, "bis")
      assert.match(letter.text, /http\S+\/b\/[\w-]{48}/)
      // It is on the list no more, and nothing is offered twice.
      assert.strictEqual(yield* offerPlaces, 0)
      assert.deepStrictEqual(yield* heldFor(venue), ["ben held"])
    })
  )

  it.effect("passes a hold that lapses on to the next, and who let it lapse has left the list", () =>
    Effect.gen(function* () {
      const { booking, option_id, venue } = yield* bookedOut()
      for (const who of ["ben", "cleo", "dan"]) yield* join(option_id, who)
      yield* cancelBooking(booking)
      yield* offerPlaces
      yield* TestClock.adjust("119 minutes")
      yield* reconcile
      yield* offerPlaces
      assert.deepStrictEqual(yield* heldFor(venue), ["ben held"])
      yield* TestClock.adjust("2 minutes")
      yield* reconcile
      yield* offerPlaces
      assert.deepStrictEqual(yield* heldFor(venue), ["ben expired", "cleo held"])
      yield* TestClock.adjust("3 hours")
      yield* reconcile
      yield* offerPlaces
      assert.deepStrictEqual(yield* heldFor(venue), ["ben expired", "cleo expired", "dan held"])
    })
  )

  it.effect("comes before whoever asks just when places come back, and keeps nothing from others afterwards", () =>
    Effect.gen(function* () {
      const { booking, option_id, venue } = yield* bookedOut()
      yield* join(option_id, "ben")
      yield* cancelBooking(booking)
      const refused = yield* Effect.flip(Effect.flatMap(book(option_id, "sniper"), Effect.fromResult))
      assert(refused._tag === "SlotUnavailable")
      assert.strictEqual(refused.reason, "fully_booked")
      yield* offerPlaces
      const [held] = yield* heldIn(venue)
      assert(held !== undefined)
      // Nobody is left on the list: the next time anybody gets them.
      yield* cancelBooking(held)
      assert.strictEqual((yield* booked(option_id, "anybody")).status, "held")
    })
  )

  it.effect("holds up nobody behind a party that does not fit", () =>
    Effect.gen(function* () {
      yield* startAnew
      const venue = yield* fresh(
        venueWith({ capacity: 10, waiting_list_minutes: 60 }, [packageWith({ max_children: 8 })])
      )
      const optionFor = (children: number) => firstOption(venue, { mode: "shared", children })
      const [eight, four] = [yield* optionFor(8), yield* optionFor(4)]
      const start = eight.start
      assert.strictEqual(four.start, start)
      const holder = yield* booked(eight.option_id, "first")
      yield* booked((yield* firstOption(venue, { mode: "shared", children: 2 })).option_id, "second")
      yield* join(eight.option_id, "large")
      yield* join(four.option_id, "small")
      // A part of the places comes back, of which eight is too much.
      const sql = yield* SqlClient.SqlClient
      yield* sql`update occupancy set units = '{[0,3)}' where booking_id = ${holder.booking_id}`
      yield* sql`update waiting set look_at = '-infinity'`
      yield* offerPlaces
      assert.deepStrictEqual(yield* heldFor(venue), ["small held"])
    })
  )

  it.effect("gives each network a turn: fifty entries of one sender delay others by one", () =>
    Effect.gen(function* () {
      const { booking, option_id, venue } = yield* bookedOut()
      const joined = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, i) => `mass${i}`),
        (who) => join(option_id, who, "198.51.100.7")
      )
      const taken = joined.filter((one) => one !== "full").length
      assert.strictEqual(taken, waitingLimits.network)
      assert.notStrictEqual(yield* join(option_id, "ben", "203.0.113.9"), "full")
      assert.notStrictEqual(yield* join(option_id, "cleo", "2001:db8:1:2::/64"), "full")
      yield* cancelBooking(booking)
      for (let round = 0; round < 3; round++) {
        yield* offerPlaces
        yield* TestClock.adjust("121 minutes")
        yield* reconcile
      }
      const held = (yield* heldFor(venue)).map((who) => who.replace(/\d* expired/, ""))
      assert.deepStrictEqual(held, ["mass", "ben", "cleo"])
    })
  )

  it.effect("has one entry for one wish, and few of one address", () =>
    Effect.gen(function* () {
      const { option_id, venue } = yield* bookedOut()
      yield* join(option_id, "ben")
      assert.strictEqual(yield* join(option_id, "BEN", "203.0.113.1"), "known")
      const list = yield* WaitingList
      assert.lengthOf(yield* list.ofOperator(venue.operator.operator_id, 0), 1)
      const sql = yield* SqlClient.SqlClient
      for (let n = 1; n < waitingLimits.email; n++)
        yield* sql`insert into waiting select w.* from waiting o, jsonb_populate_record(o, jsonb_build_object(
          'waiting_id', o.waiting_id || ${n}::text, 'starts_at', o.starts_at + interval '1 day' * ${n}::int)) w
          where length(o.waiting_id) = 34`
      assert.strictEqual(yield* join(option_id, "ben"), "known")
      const { options } = yield* optionsOn(venue, { mode: "exclusive", children: 9 })
      const other = options.at(-1) ?? assert.fail("no option")
      yield* booked(other.option_id, "third")
      assert.strictEqual(yield* join(other.option_id, "ben", "203.0.113.7"), "full")
    })
  )

  it.effect("makes one hold and one letter of an entry, whoever looks at it at once", () =>
    Effect.gen(function* () {
      const { booking, option_id, venue } = yield* bookedOut()
      for (const who of ["ben", "cleo"]) yield* join(option_id, who)
      yield* cancelBooking(booking)
      const bookings = yield* Bookings
      const list = yield* WaitingList
      const [ben] = yield* list.ofOperator(venue.operator.operator_id, 0)
      assert(ben !== undefined)
      const node = Layer.fresh(Layer.merge(Bookings.layer.pipe(Layer.provide(Claims.layer)), WaitingList.layer))
      const elsewhere = offerPlaces.pipe(Effect.provide(node))
      yield* Effect.all(
        [
          offerPlaces,
          elsewhere,
          bookings.offer(ben),
          Effect.provide(
            Bookings.use(({ offer }) => offer(ben)),
            node
          )
        ],
        {
          concurrency: "unbounded"
        }
      )
      const held = yield* heldIn(venue)
      assert.deepStrictEqual(held.map(whoOf), ["ben held"])
      assert.deepStrictEqual(yield* lettersOf(held[0] ?? booking), ["places_back pending"])
    })
  )

  it.effect("offers nothing to who left it, and forgets who waited for a start that has passed, or is erased", () =>
    Effect.gen(function* () {
      const { booking, option_id, venue } = yield* bookedOut()
      const list = yield* WaitingList
      const ofVenue = list.ofOperator(venue.operator.operator_id, 0)
      yield* join(option_id, "ben")
      const [ben] = yield* ofVenue
      assert(ben !== undefined)
      yield* list.leave(ben.waiting_id, testId.operator(9))
      assert.lengthOf(yield* ofVenue, 1)
      yield* list.leave(ben.waiting_id, venue.operator.operator_id)
      yield* cancelBooking(booking)
      // A node that read it before.
      assert.strictEqual(yield* Bookings.use(({ offer }) => offer(ben)), "not_now")
      assert.deepStrictEqual(yield* heldFor(venue), [])

      const again = yield* booked(option_id, "again")
      yield* join(option_id, "Cleo")
      yield* join(option_id, "dan")
      const persons = yield* Persons
      const email = `${ownName("cleo")}@example.com`
      assert.lengthOf((yield* persons.export(email)).waiting, 1)
      yield* persons.erase(email)
      assert.lengthOf((yield* persons.export(email)).waiting, 0)
      assert.strictEqual(yield* forgetWaiting(again.starts_at, 10), 0)
      assert.strictEqual(yield* forgetWaiting(again.starts_at + 1, 10), 1)
    }).pipe(Effect.provide(Persons.layer(sandboxPayers)))
  )

  it.effect("is for nobody where nothing is due, or less than a hold is left until booking ends", () =>
    Effect.gen(function* () {
      const { booking, option_id } = yield* bookedOut()
      const waits = Bookings.use((bookings) => bookings.waitedFor(option_id, []))
      assert.isObject(yield* waits)
      const lead = listed.playroom.lead_time_minutes
      yield* TestClock.setTime(booking.starts_at - (lead + 14) * 60_000)
      assert.strictEqual(yield* waits, "none")
      const free = packageWith({
        pricing: { base: 0, included_children: 10, extra_child: 0, adult: 0, rules: [] },
        mode: "exclusive"
      })
      const nothingDue = yield* bookedOut(venueWith({ waiting_list_minutes: 60 }, [free]))
      assert.strictEqual(yield* Bookings.use((bookings) => bookings.waitedFor(nothingDue.option_id, [])), "none")
    })
  )

  it.effect("is at today's price, and shorter than the venue's time where booking ends before", () =>
    Effect.gen(function* () {
      const { booking, option_id, venue } = yield* bookedOut()
      yield* join(option_id, "ben")
      const packages = venue.packages.map((pkg) => ({
        ...pkg,
        pricing: { ...pkg.pricing, base: pkg.pricing.base + 1000 }
      }))
      yield* importVenue({ ...venue, packages })
      const lead = venue.playroom.lead_time_minutes
      yield* TestClock.setTime(booking.starts_at - (lead + 60) * 60_000)
      const [held] = yield* Effect.andThen(reconcile, Effect.andThen(offerPlaces, heldIn(venue)))
      assert(held !== undefined)
      assert.strictEqual(held.total, booking.total + 1000)
      assert.strictEqual(held.hold_expires_at, booking.starts_at - lead * 60_000)
    })
  )

  it.effect("holds at the full price for a family whose code is used up, or is for others", () =>
    Effect.gen(function* () {
      const change = { percent: -10 }
      const codes = [
        { code: "ONCE10", label: "Once", change, max_uses: 1 },
        { code: "FIRST10", label: "First", change, first_booking: true }
      ]
      const once = packageWith({ mode: "exclusive" })
      const pkg = { ...once, pricing: { ...once.pricing, codes } }
      for (const code of ["ONCE10", "FIRST10"]) {
        const { booking, venue } = yield* bookedOut(venueWith({ waiting_list_minutes: 60 }, [pkg]))
        const list = yield* WaitingList
        yield* cancelBooking(booking)
        const { options } = yield* optionsOn(venue, { mode: "exclusive", children: 8, code })
        const [first, , , , last] = options
        assert(first !== undefined && last !== undefined)
        const full = yield* booked((yield* firstOption(venue, { mode: "exclusive", children: 8 })).option_id, "second")
        yield* join(first.option_id, "ben")
        assert.lengthOf(yield* list.ofOperator(venue.operator.operator_id, 0), 1)
        // The one who has the code now, or the family itself at another time.
        const other = yield* booked(last.option_id, code === "ONCE10" ? "other" : "ben")
        assert.isBelow(other.total, full.total)
        yield* cancelBooking(full)
        yield* offerPlaces
        const [held] = yield* heldIn(venue)
        assert(held !== undefined, code)
        assert.strictEqual(held.total, full.total)
        assert.lengthOf(yield* list.ofOperator(venue.operator.operator_id, 0), 0)
      }
    })
  )

  it.effect("is looked at again where no places were given back: an import may have made the room larger", () =>
    Effect.gen(function* () {
      yield* startAnew
      const venue = yield* fresh(
        venueWith({ capacity: 8, waiting_list_minutes: 60 }, [packageWith({ max_children: 8 })])
      )
      const { option_id } = yield* firstOption(venue, { mode: "shared", children: 8 })
      yield* booked(option_id, "first")
      yield* join(option_id, "ben")
      yield* offerPlaces
      yield* importVenue({ ...venue, playroom: { ...venue.playroom, capacity: 20 } })
      yield* offerPlaces
      assert.deepStrictEqual(yield* heldFor(venue), [])
      yield* TestClock.adjust("10 minutes")
      yield* offerPlaces
      assert.deepStrictEqual(yield* heldFor(venue), ["ben held"])
    })
  )
})

layer(paymentWorld({ letters: { kind: "off" }, maxHoldsPerKey: 1000 }))("without letters", (it) => {
  it.effect("no waiting list is offered", () =>
    Effect.gen(function* () {
      const { option_id } = yield* bookedOut()
      const refused = yield* Effect.flip(Effect.flatMap(book(option_id, "late"), Effect.fromResult))
      assert(refused._tag === "SlotUnavailable")
      assert.isUndefined(refused.waiting_list)
      assert.strictEqual(yield* Bookings.use((bookings) => bookings.waitedFor(option_id, [])), "none")
      const { venue } = yield* fullDay()
      assert.deepStrictEqual(yield* listsOn(venue), { none_because: "fully_booked", lists: undefined })
    })
  )
})
