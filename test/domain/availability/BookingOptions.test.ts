import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { BookingOptions, type BookingOptionsQuery } from "../../../src/domain/availability/BookingOptions.ts"
import { PlayroomSearch } from "../../../src/domain/search/PlayroomSearch.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { weekdays } from "../../../src/platform/time/LocalTime.ts"
import { encodeCursor } from "../../../src/platform/ids/Ids.ts"
import { bookingServices, importVenue, setClock } from "../../support/BookingWorld.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { packageWith, testId, venueWith } from "../../support/venues.ts"
import { book, fresh, optionsOn, party } from "../../support/freshVenues.ts"

const world = PlayroomSearch.layer.pipe(
  Layer.provideMerge(bookingServices({ maxHoldsPerKey: 8, maxHoldsPerEmail: 3 })),
  Layer.provideMerge(TestDatabase.layer)
)

layer(world)("options of a day", (it) => {
  it.effect("say why there are none, and which date has some", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const saturdays = { ...party, package_id: testId.package(900), cleanup_minutes: 0, setup_minutes: 0 }
      const venue = yield* fresh(venueWith({ capacity: 25, lead_time_minutes: 120, max_advance_days: 60 }, [saturdays]))
      const none = (query: Partial<BookingOptionsQuery>) =>
        Effect.map(optionsOn(venue, query), ({ none_because, next_available_date }) => [
          none_because,
          next_available_date
        ])
      assert.deepStrictEqual(yield* none({ date: "2026-11-23" }), ["not_sold_on_these_days", "2026-11-28"])
      assert.deepStrictEqual(yield* none({ date: "2026-11-28", children: 99 }), ["party_too_large", undefined])
      assert.deepStrictEqual(yield* none({ date: "2026-11-28", children: 1 }), ["party_too_small", undefined])
      assert.deepStrictEqual(yield* none({ date: "2027-11-27" }), ["too_far_ahead", undefined])
      assert.deepStrictEqual(yield* none({ date: "2026-11-14" }), ["in_the_past", "2026-11-21"])
      for (const start of (yield* optionsOn(venue, { date: "2026-11-28" })).options)
        yield* book(start.option_id, start.start.slice(11, 13))
      assert.deepStrictEqual(yield* none({ date: "2026-11-28" }), ["fully_booked", "2026-12-05"])
    })
  )

  it.effect("page without repeating or losing a start while bookings come in between", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh()
      const whole = (yield* optionsOn(venue)).options.map(({ start, package_id }) => start + package_id)
      const seen: Array<string> = []
      let cursor: string | undefined
      do {
        const page: {
          options: ReadonlyArray<{ start: string; package_id: string; option_id: string }>
          next_cursor?: string
        } = yield* optionsOn(venue, { limit: 3, ...(cursor === undefined ? {} : { cursor }) })
        assert.isAbove(page.options.length, 0)
        seen.push(...page.options.map(({ start, package_id }) => start + package_id))
        cursor = page.next_cursor
      } while (cursor !== undefined)
      assert.deepStrictEqual(seen, whole)
      const foreign = yield* Effect.flip(optionsOn(venue, { limit: 3, cursor: "bm90IG91cnM" }))
      assert.strictEqual(foreign._tag, "InvalidArguments")
    })
  )

  it.effect("up to 24:00 have the visit that ends at midnight, and none that goes on after it", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const opening_hours = weekdays.map((weekday) => ({ weekday, opens: "18:00", closes: "02:00" }))
      const hour = packageWith({ package_id: testId.package(901), max_children: 20 })
      const venue = yield* fresh(venueWith({ opening_hours, grid_minutes: 60 }, [hour]))
      const starts = (query: Partial<BookingOptionsQuery>) =>
        Effect.map(optionsOn(venue, query), ({ options }) => options.map(({ start }) => start.slice(11, 16)))
      const all = ["00:00", "01:00", "18:00", "19:00", "20:00", "21:00", "22:00", "23:00"]
      assert.deepStrictEqual(yield* starts({}), all)
      assert.deepStrictEqual(yield* starts({ end_before: "24:00" }), all)
      assert.deepStrictEqual(yield* starts({ end_before: "24:00", start_after: "22:00" }), ["22:00", "23:00"])
      assert.deepStrictEqual(yield* starts({ end_before: "23:00", start_after: "22:00" }), ["22:00"])
      const late = yield* fresh(venueWith({ opening_hours, grid_minutes: 60 }, [{ ...hour, duration_minutes: 120 }]))
      const lateStarts = (query: Partial<BookingOptionsQuery>) =>
        Effect.map(optionsOn(late, query), ({ options }) =>
          options.map(({ start, end }) => [start, end].map((it) => it.slice(11, 16)).join("-"))
        )
      assert.deepStrictEqual(yield* lateStarts({ start_after: "22:00" }), ["22:00-00:00", "23:00-01:00"])
      assert.deepStrictEqual(yield* lateStarts({ start_after: "22:00", end_before: "24:00" }), ["22:00-00:00"])
      const search = yield* PlayroomSearch
      const found = (query: object) =>
        Effect.map(search.search({ date: "2026-12-05", start_after: "22:00", limit: 50, ...query }), ({ playrooms }) =>
          playrooms.flatMap(({ playroom_id, next_start }) =>
            playroom_id === late.playroom.playroom_id ? [next_start?.slice(11, 16)] : []
          )
        )
      assert.deepStrictEqual(yield* found({ end_before: "24:00" }), ["22:00"])
      assert.deepStrictEqual(yield* found({ end_before: "23:30" }), [])
      // Where a clock change skips midnight, the day ends at one o'clock.
      const skipped = yield* fresh(
        venueWith({ opening_hours, grid_minutes: 60, time_zone: "America/Santiago", max_advance_days: 365 }, [hour])
      )
      const { options } = yield* optionsOn(skipped, { date: "2027-09-04", start_after: "22:00", end_before: "24:00" })
      assert.deepStrictEqual(
        options.map(({ start, end }) => [start, end].map((it) => it.slice(11, 16)).join("-")),
        ["22:00-23:00", "23:00-01:00"]
      )
    })
  )

  it.effect("are refused where they should end before they start, by the same words as a search", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh()
      const times = { start_after: "22:00", end_before: "02:00" }
      const error = yield* Effect.flip(optionsOn(venue, times))
      const search = yield* PlayroomSearch
      const other = yield* Effect.flip(search.search({ date: "2026-12-05", ...times }))
      assert.strictEqual(error._tag, "InvalidArguments")
      assert.deepStrictEqual(other, error)
      if (error._tag !== "InvalidArguments") return
      assert.deepStrictEqual(
        error.issues.map(({ path }) => path),
        ["end_before"]
      )
      assert.match(error.issues[0]?.message ?? "", /later than start_after, 22:00; leave it out/)
    })
  )

  it.effect("that were sold since the page before leave an empty page, which says why and what comes next", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh(venueWith({ capacity: 25 }, [{ ...party, package_id: testId.package(900) }]))
      const whole = (yield* optionsOn(venue)).options
      assert.lengthOf(whole, 3)
      const first = yield* optionsOn(venue, { limit: 1 })
      for (const { option_id, start } of whole.slice(1)) yield* book(option_id, start.slice(11, 13))
      const next = yield* optionsOn(venue, { limit: 1, cursor: first.next_cursor ?? "" })
      assert.deepStrictEqual(
        [next.options, next.none_because, next.next_available_date, next.next_cursor],
        [[], "fully_booked", "2026-12-12", undefined]
      )
      yield* importVenue({
        ...venue,
        playroom: { ...venue.playroom, overrides: [{ date: "2026-12-05", intervals: [] }] }
      })
      const closed = yield* optionsOn(venue, { limit: 1, cursor: first.next_cursor ?? "" })
      assert.deepStrictEqual([closed.options, closed.none_because], [[], "closed"])
    })
  )

  it.effect("refuse a cursor whose digest is right and whose position can't be theirs, whatever it holds", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh()
      const scope = { playroom_id: venue.playroom.playroom_id, date: "2026-12-05", children: 4 }
      const options = yield* BookingOptions
      const ask = (cursor: string) => options.list({ ...scope, limit: 3, cursor })
      const noon = Date.parse("2026-12-05T12:00:00Z")
      assert.isAbove((yield* ask(encodeCursor(scope, [noon, 0]))).options.length, 0)
      const positions = [
        [],
        [noon],
        [noon, 0, 0],
        [noon, -1],
        [noon, 0.5],
        [noon, "0"],
        [noon, 10_001],
        ["noon", 0],
        ["a\u0000b", 0],
        [noon + 0.5, 0],
        [noon + 86_400_000, 0],
        [noon - 86_400_000, 0],
        [99_999_999_999_999, 0],
        [Number.MAX_SAFE_INTEGER, 0],
        [1e300, 0],
        [-1e300, 0]
      ]
      for (const position of positions) {
        const refused = yield* Effect.flip(ask(encodeCursor(scope, position)))
        assert.strictEqual(refused._tag, "InvalidArguments", JSON.stringify(position))
      }
    })
  )

  it.effect("leave out what a closure covers, set-up included", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh()
      const file = yield* CatalogueFile
      const closure = {
        closure_id: `closure_01h4${"1".padStart(22, "0")}`,
        from: "2026-12-05T12:30:00+00:00",
        to: "2026-12-05T14:00:00+00:00",
        reason: "Boiler"
      }
      yield* file.importFile({
        version: 1,
        operators: [venue.operator],
        playrooms: [{ ...venue.playroom, packages: venue.packages, add_ons: venue.add_ons, closures: [closure] }]
      })
      const starts = (yield* optionsOn(venue)).options.map(({ mode, start }) => `${mode} ${start.slice(11, 16)}`)
      assert.notInclude(starts, "exclusive 12:30")
      assert.include(starts, "exclusive 10:00")
      assert.notInclude(starts, "shared 12:00")
      assert.include(starts, "shared 11:30")
      assert.include(starts, "shared 14:00")
    })
  )
})
