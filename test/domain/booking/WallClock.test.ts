/** A visit stays at its hour by the wall when a law changes the clock: places, deadlines, letters, calendars. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { BookingList } from "../../../src/domain/booking/BookingList.ts"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { BookingRecords } from "../../../src/domain/booking/BookingRecords.ts"
import { writeReminders } from "../../../src/domain/booking/LetterOutbox.ts"
import { closedRange, localTimesOf, rangeOnWall } from "../../../src/domain/booking/ClosedTime.ts"
import { fillLocalStarts, fillLocalTimes, makeWallClock } from "../../../src/domain/booking/WallClock.ts"
import { Audit } from "../../../src/ops/audit/Audit.ts"
import { AppConfig } from "../../../src/platform/config/AppConfig.ts"
import { format, hourMs, inWords } from "../../../src/platform/time/LocalTime.ts"
import { dateTimeIn } from "../../../src/words/Localized.ts"
import { calendarFileOf } from "../../../src/surfaces/web/family/Visit.ts"
import { cancelAsOperator } from "../../support/Acts.ts"
import { contact, importVenue, principal, setClock } from "../../support/BookingWorld.ts"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { type ClosingWish, makeVenueClosures } from "../../../src/domain/booking/VenueClosures.ts"
import type { Package } from "../../../src/domain/catalogue/Package.ts"
import { idOf } from "../../support/catalogues.ts"
import { goingBy, lawBefore, lawSince, vancouver } from "../../support/clockLaws.ts"
import { commandLayers, parsed, platformAway, playroom } from "../../support/CommandLine.ts"
import { bySmtp, lettersOf, letterWorld, sendLetters } from "../../support/LetterWorld.ts"
import { placesAreRight, placesOf, rowOf } from "../../support/moveWorld.ts"
import { bookAt, freeRoom, importSharing, machinesOf, timesOf } from "../../support/sharedRooms.ts"
import { testSettings } from "../../support/testSettings.ts"
import { packageWith, testId, venueWith } from "../../support/venues.ts"

const free = { base: 0, included_children: 12, extra_child: 0, adult: 0, rules: [] }
const party = packageWith({
  package_id: testId.package(821),
  name: "Party",
  mode: "exclusive",
  duration_minutes: 120,
  setup_minutes: 15,
  cleanup_minutes: 15,
  max_children: 12,
  pricing: free,
  schedule: { times: ["11:00", "12:00", "14:00"] },
  cancellation: [{ hours_before: 48, refund_percent: 100 }],
  final_headcount_hours_before: 48,
  free_reschedule_hours_before: 7 * 24
})
/** Nothing is due when booking; the rest three days before. */
const later = packageWith({
  ...party,
  package_id: testId.package(822),
  name: "Later",
  pricing: { ...free, base: 20_000 },
  payment: { kind: "deposit", deposit: { amount: 0 }, balance_due_hours_before: 72, refundable: true }
})
const play = packageWith({
  package_id: testId.package(823),
  name: "Play",
  max_children: 12,
  pricing: free,
  schedule: { times: ["10:00", "11:00", "12:00", "13:00", "14:00", "15:00"] }
})
const hall = venueWith(
  {
    playroom_id: testId.playroom(82),
    name: "Harbour Hall",
    country: "CA",
    currency: "CAD",
    time_zone: vancouver,
    capacity: 12
  },
  [party, later, play]
)
const { playroom_id } = hall.playroom

const world = commandLayers.pipe(
  Layer.provideMerge(platformAway),
  Layer.provideMerge(letterWorld()),
  Layer.provideMerge(
    Layer.mergeAll(
      SecureRandom.layerWebCrypto,
      NodeServices.layer,
      Layer.succeed(AppConfig, testSettings({ letters: bySmtp() }))
    )
  )
)

let buyers = 0
const book = Effect.fnUntraced(function* (date: string, time: string, pkg: Package = party, children = 8) {
  const { options } = yield* BookingOptions.use((service) =>
    service.list({ playroom_id, package_id: pkg.package_id, date, children })
  )
  const found = options.find(({ start }) => start.slice(11, 16) === time)
  const { row } = yield* Bookings.use((bookings) =>
    bookings.create(principal(), {
      option_id: found?.option_id ?? assert.fail(`no option on ${date} at ${time}`),
      contact: contact(`waller${++buyers}`)
    })
  )
  assert.strictEqual(row.status, "confirmed")
  return row
})

/** Nothing is booked, the clocks go by the law before, and it is noon on 20 November by UTC. */
const begin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update booking set status = 'cancelled' where status <> 'cancelled'`
  yield* sql`delete from occupancy`
  yield* sql`delete from closure`
  yield* sql`delete from out_of_order`
  yield* sql`delete from letter`
  yield* sql`delete from reminder_cursor`
  yield* sql`delete from booking_history`
  yield* setClock("2026-11-20T12:00:00Z")
  yield* goingBy(lawBefore)
  yield* importVenue(hall)
})

const follow = (preview = false) =>
  Effect.map(
    Effect.flatMap(makeWallClock, (clock) => clock.follow({ preview })),
    (outcomes) => outcomes.flatMap((one) => (one.outcome === "done" ? one.value.bookings : assert.fail(one.outcome)))
  )
const startOf = (row: BookingRow) => format(vancouver, row.starts_at)
const affected = Effect.map(
  BookingList.use((list) => list.affected({ playroom_id, limit: 10 })),
  (all) => all.map(({ booking_id, closed_because }) => [booking_id, closed_because ?? "overbooked"])
)
const faults = Effect.map(
  Audit.use((audit) => audit.rows),
  (found) => found.filter(({ what }) => what !== "history differs")
)

layer(world, { timeout: "120 seconds" })("D2, X19: a law changes the clock after people booked", (it) => {
  it.effect("a visit at 14:00 stays at 14:00, with its places, deadlines, reminders and calendars", () =>
    Effect.gen(function* () {
      yield* begin
      const sql = yield* SqlClient.SqlClient
      const before = yield* book("2027-01-16", "14:00", later)
      assert.strictEqual(startOf(before), "2027-01-16T14:00:00-08:00")
      assert.strictEqual(before.terms.local_start, "2027-01-16T14:00:00-08:00")
      assert.strictEqual(before.terms.price.balance_due_at, "2027-01-13T14:00:00-08:00")
      // A summer's day is the same by both.
      const summer = yield* book("2027-07-10", "14:00")

      yield* goingBy(lawSince)
      assert.strictEqual(startOf(yield* rowOf(before)), "2027-01-16T15:00:00-07:00")
      const untouched = yield* sql`select booking_id, units::text, during::text from occupancy order by booking_id`
      assert.deepInclude(parsed((yield* playroom("doctor", "--json")).out), {
        what: "visits beside their clock",
        id: vancouver,
        detail: `1 booking to come, the first ${before.reference} in Harbour Hall: agreed for 2027-01-16 14:00, and shown at 2027-01-16 15:00 by tz 2026z, of a test`,
        fix: "playroom clocks says what becomes of each, and playroom clocks --apply gives them back their hour"
      })
      const shown = (yield* playroom("clocks")).out
      assert.match(shown, new RegExp(`2027-01-16 14:00 +${before.reference} .*2027-01-16 15:00 .*free`))
      assert.match(shown, /1 of 1 room looked at: 1 booking to move, by tz 2026z, of a test. Nothing is changed yet/)
      assert.deepStrictEqual(
        yield* sql`select booking_id, units::text, during::text from occupancy order by booking_id`,
        untouched
      )
      assert.deepStrictEqual(yield* rowOf(before), before)

      assert.match(
        (yield* playroom("clocks", "--apply")).out,
        /1 of 1 room done: 1 booking at its hour again, by tz 2026z, of a test\.$/
      )
      const after = yield* rowOf(before)
      assert.strictEqual(startOf(after), "2027-01-16T14:00:00-07:00")
      assert.strictEqual(after.ends_at - after.starts_at, 2 * hourMs)
      assert.strictEqual(after.terms.local_start, "2027-01-16T14:00:00-07:00")
      assert.strictEqual(after.terms.price.balance_due_at, "2027-01-13T14:00:00-07:00")
      assert.deepStrictEqual(
        (yield* placesOf(after)).map(({ ends, starts }) => [starts, ends]),
        [["2027-01-16T20:45:00.000Z", "2027-01-16T23:15:00.000Z"]]
      )
      yield* placesAreRight
      assert.deepStrictEqual(yield* rowOf(summer), summer)
      assert.deepStrictEqual(yield* faults, [])
      assert.match((yield* playroom("clocks")).out, /Every booking to come and every closed time is at its hour/)
      assert.deepStrictEqual(parsed((yield* playroom("doctor", "--json")).out), [])

      const lines = yield* BookingRecords.use((records) => records.history(after))
      assert.deepInclude(lines.at(-1), {
        event: "clock_followed",
        detail:
          "2027-01-16 14:00 by the clock, as agreed: 2027-01-16 21:00:00Z by tz 2026z, and no longer 2027-01-16 22:00:00Z"
      })
      const of = (row: BookingRow, changes: number) =>
        calendarFileOf({ booking: row, changes, changed_at: 0, operator: hall.operator }, "en").text
      assert.match(
        of(after, lines.length),
        /SEQUENCE:2\r\n[\s\S]*DTSTART:20270116T210000Z|DTSTART;TZID=\S+:20270116T140000/
      )
      assert.strictEqual(inWords(vancouver, after.starts_at), "Saturday 16 January 2027, 14:00")
    }).pipe(Effect.scoped)
  )

  it.effect("what was sold by the new clock keeps its places, and what has none where the wall puts it is named", () =>
    Effect.gen(function* () {
      yield* begin
      const first = yield* book("2027-01-16", "14:00")
      const second = yield* book("2027-01-17", "14:00")
      yield* goingBy(lawSince)
      // By instants the room is free until 14:45, and taken at 14:00.
      const newer = yield* book("2027-01-16", "12:00")
      assert.deepStrictEqual(yield* affected, [])
      const [one, two] = yield* follow(true)
      assert.deepStrictEqual([one?.blocked, two?.blocked], ["overbooked", null])
      const done = yield* follow()
      assert.deepStrictEqual(
        done.map(({ blocked, booking_id }) => [booking_id, blocked]),
        [
          [first.booking_id, "overbooked"],
          [second.booking_id, null]
        ]
      )
      assert.strictEqual(startOf(yield* rowOf(first)), "2027-01-16T14:00:00-07:00")
      assert.deepStrictEqual(yield* rowOf(newer), newer)
      assert.deepStrictEqual(yield* affected, [[first.booking_id, "overbooked"]])
      assert.include((yield* playroom("booking", "closed", "--playroom", playroom_id)).out, first.reference)
      // Nothing more is sold then, and with the other one gone it is as any other.
      const { options } = yield* BookingOptions.use((service) =>
        service.list({ playroom_id, package_id: play.package_id, date: "2027-01-16", children: 1 })
      )
      assert.deepStrictEqual(
        options.map(({ start }) => start.slice(11, 16)),
        ["10:00"]
      )
      yield* importVenue({ ...hall, playroom: { ...hall.playroom, capacity: 14 } })
      assert.deepStrictEqual(yield* affected, [[first.booking_id, "overbooked"]])
      yield* cancelAsOperator(newer.booking_id, { preview: false })
      assert.deepStrictEqual(yield* affected, [])
      assert.deepStrictEqual(yield* faults, [])
      yield* placesAreRightOf(first)
    }).pipe(Effect.scoped)
  )

  it.effect("places in a shared room are taken among those that are free, and only those too many are named", () =>
    Effect.gen(function* () {
      yield* begin
      const older = yield* book("2027-01-16", "14:00", play, 6)
      const small = yield* book("2027-01-16", "14:00", play, 2)
      yield* goingBy(lawSince)
      const newer = yield* book("2027-01-16", "14:00", play, 5)
      yield* follow()
      for (const row of [older, small]) assert.strictEqual(startOf(yield* rowOf(row)), "2027-01-16T14:00:00-07:00")
      // 5 of 12 are sold by the new clock, and the one that was booked first has 6: one is left, of the two needed.
      assert.deepStrictEqual(
        (yield* affected).map(([id]) => id),
        [small.booking_id]
      )
      assert.deepStrictEqual(yield* rowOf(newer), newer)
      yield* cancelAsOperator(newer.booking_id, { preview: false })
      assert.deepStrictEqual(yield* affected, [])
      assert.deepStrictEqual(yield* faults, [])
    }).pipe(Effect.scoped)
  )

  it.effect(
    "a visit that its hour puts into closed time is named with the reason, and the closure keeps the rest",
    () =>
      Effect.gen(function* () {
        yield* begin
        const booked = yield* book("2027-01-16", "14:00")
        yield* goingBy(lawSince)
        const closures = yield* makeVenueClosures
        yield* closures.close(
          {
            playroom_id,
            times: { from: "2027-01-16", to: "2027-01-16", starts: "13:00", ends: "14:30" },
            reason: "Paint"
          },
          { who: "Ana" }
        )
        assert.deepStrictEqual(yield* affected, [])
        yield* follow()
        assert.deepStrictEqual(yield* affected, [[booked.booking_id, "Paint"]])
        assert.deepStrictEqual(yield* faults, [])
      }).pipe(Effect.scoped)
  )

  it.effect("rooms that share stock move together, and the stock with them", () =>
    Effect.gen(function* () {
      yield* begin
      const rooms = [freeRoom(1), freeRoom(2)].map((room) => ({ ...room, time_zone: vancouver, country: "CA" }))
      yield* importSharing({ "bubble-machines": 2 }, rooms)
      const wish = { date: "2027-01-16" }
      const one = yield* bookAt("13:00", 1, 2, wish)
      const two = yield* bookAt("11:00", 2, 2, wish)
      yield* goingBy(lawSince)
      yield* follow()
      assert.deepStrictEqual(
        [startOf(yield* rowOf(one)), startOf(yield* rowOf(two))],
        ["2027-01-16T13:00:00-07:00", "2027-01-16T11:00:00-07:00"]
      )
      assert.notInclude(yield* timesOf(2, 1, wish), "13:00")
      assert.notInclude(yield* timesOf(1, 1, wish), "11:00")
      assert.deepStrictEqual(
        yield* BookingList.use((list) => list.affected({ operator_id: idOf("operator", 7), limit: 9 })),
        []
      )
      assert.deepStrictEqual(yield* faults, [])
    }).pipe(Effect.scoped)
  )

  it.effect("closed times keep their hours and whole days stay whole days, of rooms and of stock", () =>
    Effect.gen(function* () {
      yield* begin
      const sql = yield* SqlClient.SqlClient
      const room = {
        ...freeRoom(1),
        time_zone: vancouver,
        country: "CA",
        closures: [
          { from: "2027-01-20", to: "2027-01-21", reason: "File, days" },
          { from: "2027-01-22T17:00:00Z", to: "2027-01-22T20:00:00Z", reason: "File, instants" },
          { from: "2027-01-23", to: "2027-01-23", reason: "File, stock", add_on: machinesOf(1), units: 1 }
        ]
      }
      yield* importSharing({ "bubble-machines": 2 }, [room])
      const closures = yield* makeVenueClosures
      const close = (from: string, starts: string, ends: string, of: Partial<ClosingWish> = {}) =>
        closures.close(
          {
            ...(of.add_on_id === undefined ? { playroom_id: idOf("playroom", 1) } : {}),
            ...of,
            times: { from, to: from, starts, ends },
            reason: of.reason ?? "Desk"
          },
          { who: "Ana" }
        )
      yield* close("2027-01-03", "09:00", "18:00")
      yield* close("2027-01-24", "09:00", "12:00", { add_on_id: machinesOf(1), units: 1, reason: "Desk, stock" })
      // Has begun when the clock is changed.
      yield* close("2026-11-20", "04:00", "17:00", { reason: "Today" })
      // As a release left them that wrote no hours.
      yield* sql`update closure set local_times = null where reason <> 'Desk'`
      yield* sql`update out_of_order set local_times = null where reason = 'File, stock'`
      yield* fillLocalTimes
      const all = sql<{ reason: string; starts: Date; ends: Date; local: boolean }>`
        select reason, lower(during) as starts, upper(during) as ends, local_times is not null as local from closure
        union all select reason, lower(during), upper(during), local_times is not null from out_of_order order by reason`
      const shown = Effect.map(all, (rows) =>
        Object.fromEntries(
          rows.map(({ ends, reason, starts }) => [
            reason,
            [starts, ends].map((at) => format(vancouver, at.getTime()).slice(0, 16)).join(" ")
          ])
        )
      )
      const said = yield* shown
      assert.deepStrictEqual(said, {
        Desk: "2027-01-03T09:00 2027-01-03T18:00",
        "Desk, stock": "2027-01-24T09:00 2027-01-24T12:00",
        "File, days": "2027-01-20T00:00 2027-01-22T00:00",
        "File, instants": "2027-01-22T09:00 2027-01-22T12:00",
        "File, stock": "2027-01-23T00:00 2027-01-24T00:00",
        Today: "2026-11-20T04:00 2026-11-20T17:00"
      })
      assert.deepStrictEqual(
        (yield* all).filter(({ local }) => !local).map(({ reason }) => reason),
        ["File, instants"]
      )

      yield* setClock("2026-11-20T16:00:00Z")
      yield* goingBy(lawSince)
      assert.include(yield* timesOf(1, 0, { date: "2027-01-03" }), "09:00")
      const found = parsed((yield* playroom("doctor", "--json")).out)
      assert.deepInclude(found, {
        what: "closed times beside their clock",
        id: vancouver,
        detail: `5 closed times, the first of ${room.name}: said for 2026-11-20 04:00 to 2026-11-20 17:00, and shown at 2026-11-20 05:00 to 2026-11-20 18:00 by tz 2026z, of a test`,
        fix: "playroom clocks says what becomes of each, and playroom clocks --apply gives them back their hours"
      })
      const preview = (yield* playroom("clocks")).out
      assert.match(preview, /2027-01-03 09:00 to 2027-01-03 18:00 .*2027-01-03 17:00:00Z to .*2027-01-03 16:00:00Z to/)
      assert.match(preview, /1 of 1 room looked at: 5 closed times to move, .* Nothing is changed yet/)
      assert.match((yield* playroom("clocks", "--apply")).out, /1 of 1 room done: 5 closed times at their hour again/)
      assert.deepStrictEqual(yield* shown, {
        ...said,
        // The file says these, and what has begun has begun.
        "File, instants": "2027-01-22T10:00 2027-01-22T13:00",
        Today: "2026-11-20T05:00 2026-11-20T17:00"
      })
      assert.match((yield* playroom("clocks")).out, /Every booking to come and every closed time is at its hour/)
      assert.deepStrictEqual(parsed((yield* playroom("doctor", "--json")).out), [])
      assert.notInclude(yield* timesOf(1, 0, { date: "2027-01-03" }), "09:00")
      const taken = yield* sql<{ starts: Date }>`select lower(o.during) as starts from occupancy o
        join closure c using (closure_id) where c.reason = 'Desk'`
      assert.deepStrictEqual(
        taken.map(({ starts }) => starts.toISOString()),
        ["2027-01-03T16:00:00.000Z"]
      )
      assert.deepStrictEqual(yield* faults, [])
      // The next import finds its closures as they are.
      const again = yield* importSharing({ "bubble-machines": 2 }, [room])
      assert.deepStrictEqual(again.closures, { added: 0, changed: 0, removed: 0 })
    }).pipe(Effect.scoped)
  )

  it.effect("a day whose midnight the clocks skipped is a whole day when they don't any more", () =>
    Effect.gen(function* () {
      const skips = Date.parse("2027-03-28T08:00:00Z")
      const law = (release: string, summer: number) => ({
        release,
        from: "a test",
        zone: () => (at: number) => (at < skips ? -8 : summer) * hourMs
      })
      const day = { from: "2027-03-28", to: "2027-03-28" }
      yield* goingBy(law("2025z", -7))
      const range = closedRange(vancouver, day)
      assert.strictEqual(format(vancouver, range.start), "2027-03-28T01:00:00-07:00")
      const local = localTimesOf(vancouver, range, true)
      assert.isUndefined(rangeOnWall(range, local, 0))
      yield* goingBy(law("2026z", -8))
      assert.deepStrictEqual(rangeOnWall(range, local, 0), closedRange(vancouver, day))
    }).pipe(Effect.scoped)
  )

  it.effect("what has begun by either clock stays, and a booking of a release that wrote no hour is filled in", () =>
    Effect.gen(function* () {
      yield* begin
      const sql = yield* SqlClient.SqlClient
      const soon = yield* book("2027-01-16", "14:00")
      const old = yield* book("2027-01-17", "14:00")
      const movedByOld = yield* book("2027-01-18", "14:00")
      yield* sql`update booking set terms = terms - 'local_start' where booking_id = ${old.booking_id}`
      yield* sql`update booking set terms = terms || '{"local_start": "2027-01-18T12:00:00-08:00"}'
        where booking_id = ${movedByOld.booking_id}`
      assert.strictEqual(yield* fillLocalStarts, 2)
      assert.strictEqual(yield* fillLocalStarts, 0)
      assert.deepStrictEqual([yield* rowOf(old), yield* rowOf(movedByOld)], [old, movedByOld])
      yield* goingBy(lawSince)
      // 14:30 by the new clock, half an hour before it begins by its instant.
      yield* setClock("2027-01-16T21:30:00Z")
      yield* follow()
      assert.deepStrictEqual(yield* rowOf(soon), soon)
      assert.strictEqual(startOf(yield* rowOf(old)), "2027-01-17T14:00:00-07:00")
      assert.strictEqual(startOf(yield* rowOf(movedByOld)), "2027-01-18T14:00:00-07:00")
    }).pipe(Effect.scoped)
  )

  it.effect("a family is reminded once, of the hour that was agreed", () =>
    Effect.gen(function* () {
      yield* begin
      const sql = yield* SqlClient.SqlClient
      const reminded = yield* book("2027-01-16", "11:00")
      const passedBy = yield* book("2027-01-16", "14:00")
      yield* sql`delete from letter`
      // A day before 11:00 by the old clock, and less than that before 14:00 by the new one.
      yield* setClock("2027-01-15T18:30:00Z")
      yield* writeReminders
      yield* setClock("2027-01-15T21:30:00Z")
      yield* writeReminders
      assert.include(yield* lettersOf(reminded), "visit pending")
      assert.notInclude(yield* lettersOf(passedBy), "visit pending")
      yield* goingBy(lawSince)
      yield* follow()
      yield* writeReminders
      assert.strictEqual((yield* lettersOf(reminded)).filter((line) => line.startsWith("visit")).length, 1)
      assert.include(yield* lettersOf(passedBy), "visit pending")
      const letters = yield* sendLetters
      for (const [row, hour] of [
        [reminded, "11:00"],
        [passedBy, "14:00"]
      ] as const) {
        const letter = letters.find(({ to }) => to === row.contact_email)
        assert.include(letter?.text ?? "", dateTimeIn("en", vancouver, (yield* rowOf(row)).starts_at).slice(0, 25))
        assert.include(letter?.text ?? "", hour)
      }
    }).pipe(Effect.scoped)
  )
})

/** It has its room once more, and nobody else then. */
const placesAreRightOf = Effect.fnUntraced(function* ({ booking_id }: BookingRow) {
  const sql = yield* SqlClient.SqlClient
  const others = yield* sql`select 1 as taken from occupancy o join occupancy x on x.resource_id = o.resource_id
    and x.during && o.during and x.booking_id is distinct from o.booking_id where o.booking_id = ${booking_id}`
  assert.deepStrictEqual(others, [])
})
