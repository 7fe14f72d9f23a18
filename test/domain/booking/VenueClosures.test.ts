import { assert, layer } from "@effect/vitest"
import { Data, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { placeInvariants } from "../../../src/ops/audit/Invariants.ts"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { type ClosedTimes, closedRange } from "../../../src/domain/booking/ClosedTime.ts"
import { makeVenueClosures } from "../../../src/domain/booking/VenueClosures.ts"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import { Operators } from "../../../src/domain/catalogue/Operators.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { PlayroomId } from "../../../src/platform/ids/Ids.ts"
import { bookingServices, contact, principal, setClock } from "../../support/BookingWorld.ts"
import { catalogueJson, idOf, importJson, importRooms, packageJson, playroomJson } from "../../support/catalogues.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const world = Layer.provideMerge(bookingServices(), TestDatabase.layer)
const now = "2026-11-20T09:00:00Z"
const together = { concurrency: "unbounded" } as const
const who = "Ana of the desk"
const operator_id = idOf("operator", 1)

class NoOption extends Data.TaggedError("NoOption") {}

const optionAt = Effect.fnUntraced(function* (n: number, time: string, date = "2026-12-05", children = 2) {
  const { options } = yield* BookingOptions.use((service) =>
    service.list({ playroom_id: PlayroomId.make(idOf("playroom", n)), date, children, limit: 100 })
  )
  return options.find(({ start }) => start.slice(11, 16) === time) ?? (yield* new NoOption())
})
let people = 0
const bookOption = (option_id: string) =>
  Bookings.use((bookings) =>
    bookings.create(principal("key_closures"), { option_id, contact: contact(`p${++people}`) })
  ).pipe(Effect.map(({ row }) => row))
const book = (n: number, time: string, date?: string) =>
  Effect.flatMap(optionAt(n, time, date), ({ option_id }) => bookOption(option_id))

const wish = (n: number, times: ClosedTimes, reason = "Broken castle") => ({
  operator_id,
  playroom_id: idOf("playroom", n),
  times,
  reason
})
const afternoon: ClosedTimes = { from: "2026-12-05", to: "2026-12-05", starts: "12:00", ends: "14:00" }
const wholeDay: ClosedTimes = { from: "2026-12-05", to: "2026-12-05" }
const close = (n: number, times: ClosedTimes, reason?: string) =>
  Effect.flatMap(makeVenueClosures, (closures) => closures.close(wish(n, times, reason), { who }))
const lift = (closure_id: string | undefined) =>
  Effect.flatMap(makeVenueClosures, (closures) => closures.lift({ closure_id: closure_id ?? "", operator_id }, who))

const taken = Effect.fnUntraced(function* (n: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly units: string; readonly start: Date; readonly end: Date; readonly by: string }>`
    select o.units::text as units, lower(o.during) as start, upper(o.during) as "end",
      coalesce(c.reason, case when o.other_calendar then 'calendar' else 'booking' end) as by
    from occupancy o left join closure c using (closure_id) where o.resource_id = ${idOf("playroom", n)} order by 2, 1`
  return rows.map(
    ({ by, end, start, units }) =>
      `${by} ${start.toISOString().slice(8, 16)}-${end.toISOString().slice(8, 16)} ${units}`
  )
})

/** What the audit says of places. */
const audited = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* Effect.forEach(
    placeInvariants.filter(({ table }) => table === "closure" || table === "booking"),
    ({ faults, table, what }) =>
      Effect.map(sql`with page as (select * from ${sql(table)}) ${faults(sql, Date.parse(now))}`, (rows) =>
        rows.map((row) => `${what}: ${JSON.stringify(row)}`)
      )
  )
  return found.flat()
})

layer(world, { timeout: "60 seconds" })("what a venue closes itself", (it) => {
  it.effect(
    "is not sold from then on, is told to families, and is sold again when it is lifted; the history says who",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        yield* importRooms(playroomJson(1))
        const stale = yield* optionAt(1, "13:00")
        const plan = yield* Effect.flatMap(makeVenueClosures, (closures) => closures.plan(wish(1, afternoon)))
        assert.deepStrictEqual(yield* taken(1), [], "a plan changes nothing")
        assert.strictEqual(plan.inside_in_all, 0)
        const { made } = yield* Effect.flatMap(makeVenueClosures, (closures) =>
          closures.close(wish(1, afternoon), { who, shown: plan.shown })
        )
        assert.lengthOf(made, 1)
        assert.deepStrictEqual(yield* taken(1), ["Broken castle 05T12:00-05T14:00 {[0,20)}"])
        for (const time of ["12:00", "13:00"])
          assert.strictEqual((yield* Effect.flip(book(1, time)))._tag, "NoOption", time)
        // Touching times are free.
        yield* book(1, "11:00")
        yield* book(1, "14:00")
        const refused = yield* Effect.flip(bookOption(stale.option_id))
        assert.strictEqual(refused._tag, "SlotUnavailable")
        const { upcoming_closures } = yield* Catalogue.use((catalogue) => catalogue.view(idOf("playroom", 1)))
        assert.strictEqual(upcoming_closures[0]?.reason, "Broken castle")
        const [listed] = yield* Effect.flatMap(makeVenueClosures, (closures) => closures.upcoming({ operator_id }, 10))
        assert.deepStrictEqual([listed?.closure_id, listed?.made_by], [made[0], who])
        assert.strictEqual((yield* lift(made[0])).reason, "Broken castle")
        yield* book(1, "13:00")
        const again = yield* Effect.flip(lift(made[0]))
        assert(again._tag === "ClosureNotFound")
        const history = yield* Operators.use((operators) => operators.history(operator_id, 10))
        assert.deepStrictEqual(
          history.map(({ became, event, playroom_id, reason, was, who: by }) => ({
            became,
            by,
            event,
            playroom_id,
            reason,
            was
          })),
          [
            {
              event: "closed",
              by: who,
              reason: "Broken castle",
              playroom_id: idOf("playroom", 1),
              was: null,
              became: "2026-12-05T12:00:00Z/2026-12-05T14:00:00Z"
            },
            {
              event: "reopened",
              by: who,
              reason: "Broken castle",
              playroom_id: idOf("playroom", 1),
              was: "2026-12-05T12:00:00Z/2026-12-05T14:00:00Z",
              became: null
            }
          ]
        )
      })
  )

  it.effect(
    "leaves what is booked its places, names it, and is not made where other bookings came since it was shown",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        yield* importRooms(playroomJson(2, { packages: [packageJson(2, { max_children: 20 })] }))
        const first = yield* book(2, "12:00")
        const service = yield* makeVenueClosures
        const plan = yield* service.plan(wish(2, afternoon))
        assert.deepStrictEqual(
          plan.inside.map(({ reference }) => reference),
          [first.reference]
        )
        const second = yield* book(2, "13:00")
        const changed = yield* Effect.flip(service.close(wish(2, afternoon), { who, shown: plan.shown }))
        assert.strictEqual(changed._tag, "ClosingChanged")
        // Other times or other words than were shown are not what was agreed either.
        for (const other of [wish(2, wholeDay), wish(2, afternoon, "Else")])
          assert.strictEqual(
            (yield* Effect.flip(service.close(other, { who, shown: plan.shown })))._tag,
            "ClosingChanged"
          )
        const { shown } = yield* service.plan(wish(2, afternoon))
        const done = yield* service.close(wish(2, afternoon), { who, shown })
        assert.deepStrictEqual(
          done.inside.map(({ reference }) => reference),
          [first.reference, second.reference]
        )
        assert.deepStrictEqual(yield* taken(2), [
          "booking 05T12:00-05T13:00 {[0,2)}",
          "Broken castle 05T12:00-05T13:00 {[2,20)}",
          "booking 05T13:00-05T14:00 {[0,2)}",
          "Broken castle 05T13:00-05T14:00 {[2,20)}"
        ])
        assert.deepStrictEqual(yield* audited, [])
      })
  )

  it.effect("is left alone by imports, which replace only their own, also where both close the same time", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const room = playroomJson(3)
      yield* importRooms(room)
      const { made } = yield* close(3, afternoon)
      const again = yield* importRooms(room)
      assert.deepStrictEqual(again.changes, [], "an import of the same file changes nothing")
      const closures = [{ from: "2026-12-05", to: "2026-12-05", reason: "Holiday" }]
      assert.strictEqual((yield* importRooms({ ...room, closures })).closures.added, 1)
      const both = [
        "Holiday 05T00:00-05T12:00 {[0,20)}",
        "Broken castle 05T12:00-05T14:00 {[0,20)}",
        "Holiday 05T14:00-06T00:00 {[0,20)}"
      ]
      assert.deepStrictEqual(yield* taken(3), both)
      assert.deepStrictEqual((yield* importRooms({ ...room, closures })).changes, [])
      assert.deepStrictEqual(yield* audited, [])
      // The file is the file's: the venue's own is not in it, and can't be named by it.
      const exported = yield* CatalogueFile.use((file) => file.exportFile)
      const mine = exported.playrooms.find(({ playroom_id }) => playroom_id === room.playroom_id)
      assert.deepStrictEqual(
        mine?.closures?.map(({ reason }) => reason),
        ["Holiday"]
      )
      assert.deepStrictEqual((yield* importJson(exported)).changes, [])
      const stolen = yield* Effect.flip(
        importRooms({
          ...room,
          closures: [{ closure_id: made[0] ?? "", from: "2026-12-07", to: "2026-12-07", reason: "Mine" }]
        })
      )
      assert.include(stolen.message, "was made at the desk or by command")
      // A larger room is closed as a whole, and whichever closure goes, the other has the time.
      yield* importRooms({ ...room, capacity: 30, closures })
      assert.deepStrictEqual(
        yield* taken(3),
        both.map((line) => line.replace("20", "30"))
      )
      yield* lift(made[0])
      assert.deepStrictEqual(
        new Set((yield* taken(3)).map((line) => line.slice(0, 7))),
        new Set(["Holiday"]),
        "the file's has the whole day"
      )
      assert.strictEqual((yield* Effect.flip(book(3, "12:00")))._tag, "NoOption")
      yield* close(3, afternoon)
      yield* importRooms({ ...room, capacity: 30 })
      assert.deepStrictEqual(yield* taken(3), ["Broken castle 05T12:00-05T14:00 {[0,30)}"])
      yield* book(3, "11:00")
      assert.deepStrictEqual(yield* audited, [])
    })
  )

  it.effect("can't be lifted where the file closes, or another operator", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      yield* importRooms(playroomJson(4, { closures: [{ from: "2026-12-24", to: "2026-12-25", reason: "Christmas" }] }))
      const [closure] = yield* Effect.flatMap(makeVenueClosures, (closures) =>
        closures.upcoming({ playroom_id: idOf("playroom", 4) }, 10)
      )
      const ofFile = yield* Effect.flip(lift(closure?.closure_id))
      assert(ofFile._tag === "ClosureNotFound" && ofFile.of_file)
      const { made } = yield* close(4, afternoon)
      const foreign = yield* Effect.flip(
        Effect.flatMap(makeVenueClosures, (closures) =>
          closures.lift({ closure_id: made[0] ?? "", operator_id: idOf("operator", 2) }, who)
        )
      )
      const nobody = yield* Effect.flip(lift(idOf("closure", 999)))
      assert(foreign._tag === "ClosureNotFound" && nobody._tag === "ClosureNotFound")
      assert.strictEqual(foreign.of_file, nobody.of_file)
      const elsewhere = yield* Effect.flip(
        Effect.flatMap(makeVenueClosures, (closures) =>
          closures.plan({ ...wish(4, wholeDay), operator_id: idOf("operator", 2) })
        )
      )
      assert(elsewhere._tag === "ClosingRefused" && elsewhere.reason === "no_playroom")
    })
  )

  it.effect("is made once by two who press at the same moment, and a hold whose time is up is not in its way", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      yield* importRooms(playroomJson(5))
      yield* book(5, "12:00")
      yield* setClock("2026-11-20T10:00:00Z")
      const service = yield* makeVenueClosures
      const { inside_in_all, shown } = yield* service.plan(wish(5, afternoon))
      assert.strictEqual(inside_in_all, 0)
      const done = yield* Effect.all(
        [1, 2, 3, 4].map(() => service.close(wish(5, afternoon), { who, shown })),
        together
      )
      assert.lengthOf(
        done.flatMap(({ made }) => made),
        1
      )
      assert.deepStrictEqual(yield* taken(5), ["Broken castle 05T12:00-05T14:00 {[0,20)}"])
      const lifted = yield* Effect.all(
        [1, 2].map(() => Effect.exit(lift(done.flatMap(({ made }) => made)[0]))),
        together
      )
      assert.lengthOf(
        lifted.filter(({ _tag }) => _tag === "Success"),
        1
      )
      assert.deepStrictEqual(yield* taken(5), [])
    })
  )

  it.effect("and bookings made at the same moment: each booking is named or refused, and no place is sold twice", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      yield* importRooms(playroomJson(6))
      const { option_id } = yield* optionAt(6, "12:00")
      for (const day of [0, 1, 2]) {
        const shift = { ...afternoon, reason: `Try ${day}` }
        const bookings = [1, 2, 3].map(() => Effect.result(bookOption(option_id)))
        const closing = close(
          6,
          { from: shift.from, to: shift.to, starts: "12:00", ends: `1${4 + day}:00` },
          shift.reason
        )
        const [closed, ...made] = yield* Effect.all([closing, ...bookings], together)
        const inside = new Set(closed.inside.map(({ reference }) => reference))
        for (const one of made) {
          if (one._tag === "Success") assert.isTrue(inside.has(one.success.reference), "made first: it is named")
          else assert.strictEqual(one.failure._tag, "SlotUnavailable", "made second: it is refused")
        }
        assert.deepStrictEqual(yield* audited, [])
        assert.strictEqual((yield* Effect.flip(bookOption(option_id)))._tag, "SlotUnavailable")
        yield* lift(closed.made[0])
      }
    })
  )

  it.effect("has the hours of the venue's own clock, on days when clocks change", () =>
    Effect.sync(() => {
      const zone = "Europe/London"
      const hours = ({ end, start }: { readonly start: number; readonly end: number }) => (end - start) / 3_600_000
      const spring = { from: "2027-03-28", to: "2027-03-28" }
      const autumn = { from: "2027-10-31", to: "2027-10-31" }
      assert.strictEqual(hours(closedRange(zone, spring)), 23)
      assert.strictEqual(hours(closedRange(zone, autumn)), 25)
      // 01:30 is skipped in spring: from the change, at 01:00 UTC. In autumn it comes twice, and both are closed.
      const skipped = closedRange(zone, { ...spring, starts: "01:30", ends: "03:00" })
      assert.strictEqual(new Date(skipped.start).toISOString(), "2027-03-28T01:00:00.000Z")
      assert.strictEqual(hours(closedRange(zone, { ...autumn, starts: "01:00", ends: "01:30" })), 1.5)
      assert.strictEqual(hours(closedRange(zone, { ...autumn, starts: "22:00", ends: "24:00" })), 2)
    })
  )

  it.effect("is refused where it is over, or is no time at all, and where a playroom has too many", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const zone = "Europe/London"
      yield* importRooms(playroomJson(7, { time_zone: zone }))
      const reasons = yield* Effect.forEach(
        [
          { from: "2026-11-19", to: "2026-11-19" },
          { from: "2027-03-28", to: "2027-03-28", starts: "01:10", ends: "01:50" }
        ],
        (times) => Effect.flip(close(7, times))
      )
      assert.deepStrictEqual(
        reasons.map((one) => (one._tag === "ClosingRefused" ? one.reason : one._tag)),
        ["over", "no_time"]
      )
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into closure (closure_id, operator_id, playroom_id, during, reason, created_at, made_by)
        select 'closure_many' || n, ${operator_id}, ${idOf("playroom", 7)}, tstzrange(at, at + interval '1 minute'), 'x', now(), 'y'
        from generate_series(1, 200) n cross join lateral (select timestamptz '2027-01-01' + n * interval '1 hour') t (at)`
      const many = yield* Effect.flip(close(7, afternoon))
      assert(many._tag === "ClosingRefused" && many.reason === "too_many")
    })
  )

  it.effect("takes its time from other calendars, which have what it leaves, and again when it is lifted", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      yield* importJson(
        catalogueJson([playroomJson(8, { calendars: [{ name: "Hall", url: "https://calendar.example.com/a.ics" }] })])
      )
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into calendar_busy (feed_id, operator_id, playroom_id, during)
        select feed_id, operator_id, playroom_id, tstzrange('2026-12-05 11:00Z', '2026-12-05 13:00Z') from calendar_feed
        where playroom_id = ${idOf("playroom", 8)}`
      yield* sql`select keep_calendar_places(${idOf("playroom", 8)}, ${new Date(now)}::timestamptz)`
      const alone = ["calendar 05T11:00-05T13:00 {[0,20)}"]
      assert.deepStrictEqual(yield* taken(8), alone)
      const { made } = yield* close(8, afternoon)
      assert.deepStrictEqual(yield* taken(8), [
        "calendar 05T11:00-05T12:00 {[0,20)}",
        "Broken castle 05T12:00-05T14:00 {[0,20)}"
      ])
      yield* lift(made[0])
      assert.deepStrictEqual(yield* taken(8), alone)
    })
  )
})
