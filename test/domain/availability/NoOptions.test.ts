import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { BookingOptionsQuery } from "../../../src/domain/availability/BookingOptions.ts"
import type { SearchResult } from "../../../src/domain/availability/Openings.ts"
import { explainNoOptions, type NoOptions } from "../../../src/domain/availability/NoOptions.ts"
import { foldedPage } from "../../../src/domain/availability/OptionPage.ts"
import type { Package } from "../../../src/domain/catalogue/Package.ts"
import type { Playroom, Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { addDays, weekdayOf, weekdays } from "../../../src/platform/time/LocalTime.ts"
import { bookingServices, setClock } from "../../support/BookingWorld.ts"
import { book, fresh, optionsOn, party, startsPerDay, worstVenue } from "../../support/freshVenues.ts"
import { at as moment, packageWith, party as partyOf, testId, venueWith } from "../../support/venues.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

/** The whole room at 10:00, 12:30 and 15:00 on Saturdays, for 4 to 24 children and 30 adults. */
const saturdays: Package = { ...party, package_id: testId.package(900), setup_minutes: 0, cleanup_minutes: 0 }
const room = { capacity: 25, lead_time_minutes: 120, max_advance_days: 60 }

const hall = (changes: Partial<Playroom> = {}, packages: ReadonlyArray<Package> = [saturdays]) =>
  fresh(venueWith({ ...room, ...changes }, packages))

const none = (venue: Venue, query: Partial<BookingOptionsQuery>) =>
  Effect.map(optionsOn(venue, query), (found) => {
    const { options, party: _, venue: __, ...told } = found
    assert.deepStrictEqual(options, [])
    return told
  })

const world = bookingServices({ maxHoldsPerKey: 9, maxHoldsPerEmail: 9 }).pipe(Layer.provideMerge(TestDatabase.layer))

layer(world)("an answer without options", (it) => {
  it.effect("says that a date is past, by the playroom's own day, and is no fault", () =>
    Effect.gen(function* () {
      // Sunday 00:30 in Tokyo, Saturday still in London.
      yield* setClock("2026-11-28T15:30:00Z")
      const daily = { ...saturdays, schedule: { times: ["10:00"] } }
      const tokyo = yield* hall({ time_zone: "Asia/Tokyo" }, [daily])
      const london = yield* hall({}, [daily])
      const today = { none_because: "in_the_past", next_available_date: "2026-11-29" } as const
      assert.deepStrictEqual(yield* none(tokyo, { date: "2026-11-28" }), today)
      assert.deepStrictEqual(yield* none(tokyo, { date: "1999-11-28", date_to: "1999-12-20" }), today)
      // Its last start of today has passed; that of another day is only too soon.
      assert.deepStrictEqual(yield* none(london, { date: "2026-11-28" }), today)
      assert.deepStrictEqual(yield* none(london, { date: "2026-11-20", date_to: "2026-11-28" }), today)
      yield* setClock("2026-11-28T08:30:00Z")
      const soon = { none_because: "too_soon", next_available_date: "2026-11-29" } as const
      assert.deepStrictEqual(yield* none(london, { date: "2026-11-28" }), soon)
      // Asked for the afternoon, where nothing starts, it is the times.
      assert.strictEqual(
        (yield* none(london, { date: "2026-11-29", start_after: "13:00" })).none_because,
        "outside_your_times"
      )
    })
  )

  it.effect("says when there is something for a party that is too small for what starts at the times asked for", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const play = packageWith({
        ...saturdays,
        package_id: testId.package(902),
        min_children: 1,
        schedule: { weekdays: ["monday"], times: ["10:00"] }
      })
      const venue = yield* hall({}, [saturdays, play])
      // On Saturdays from 14:00 on there are parties alone; the mornings of Mondays take one child.
      assert.deepStrictEqual(yield* none(venue, { date: "2026-12-05", start_after: "14:00", children: 1 }), {
        none_because: "party_too_small",
        opening_hours_that_day: {
          date: "2026-12-07",
          first_start: "10:00",
          hours: [{ opens: "09:00", closes: "18:00" }]
        },
        // Those of the package that starts then.
        party_limits: { min_children: 4, max_children: 24, max_adults: 30 }
      })
      // A closed day tells of another day's other times only where no day has those that were asked for.
      assert.deepStrictEqual(yield* none(venue, { date: "2026-12-04", start_after: "17:00" }), {
        none_because: "not_sold_on_these_days",
        sold_on: ["monday", "saturday"],
        opening_hours_that_day: {
          date: "2026-12-05",
          first_start: "10:00",
          hours: [{ opens: "09:00", closes: "18:00" }]
        }
      })
      assert.deepStrictEqual(yield* none(venue, { date: "2026-12-04", start_after: "14:00" }), {
        none_because: "not_sold_on_these_days",
        sold_on: ["monday", "saturday"],
        next_available_date: "2026-12-05"
      })
    })
  )

  it.effect("says that the playroom is open, but not when asked, and when on that day", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* hall()
      const evening = { date: "2026-12-04", date_to: "2026-12-06", start_after: "16:00" }
      assert.deepStrictEqual(yield* none(venue, evening), {
        none_because: "outside_your_times",
        also_because: ["not_sold_on_these_days"],
        sold_on: ["saturday"],
        opening_hours_that_day: {
          date: "2026-12-05",
          first_start: "10:00",
          hours: [{ opens: "09:00", closes: "18:00" }]
        }
      })
      // Nothing to be had at any time: not the times' fault.
      assert.strictEqual(
        (yield* none(venue, { ...evening, date_to: "2026-12-04" })).none_because,
        "not_sold_on_these_days"
      )
      for (const [i, option] of (yield* optionsOn(venue)).options.entries()) yield* book(option.option_id, `f${i}`)
      assert.strictEqual((yield* none(venue, evening)).none_because, "fully_booked")
      const morning = { date: "2026-12-05", end_before: "12:30" }
      assert.deepStrictEqual(yield* none(venue, morning), {
        none_because: "fully_booked",
        next_available_date: "2026-12-12"
      })
      const larger = yield* hall({}, [
        saturdays,
        packageWith({
          ...saturdays,
          package_id: testId.package(901),
          min_children: 1,
          max_children: 3,
          schedule: { times: ["17:00"] },
          duration_minutes: 60
        })
      ])
      // Of two packages only the other starts at that time, and is not for this party.
      assert.strictEqual(
        (yield* none(larger, { date: "2026-12-05", start_after: "16:30" })).none_because,
        "outside_your_times"
      )
    })
  )

  it.effect("tells the hours of a night that began on the day before", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const opening_hours = [{ weekday: "saturday" as const, opens: "18:00", closes: "02:00" }]
      const night = packageWith({ package_id: testId.package(902), max_children: 20 })
      const venue = yield* hall({ opening_hours }, [night])
      const hours = (date: string) =>
        Effect.map(none(venue, { date, start_after: "05:00", end_before: "07:00" }), (told) => [
          told.none_because,
          told.opening_hours_that_day?.hours
        ])
      assert.deepStrictEqual(yield* hours("2026-12-05"), ["outside_your_times", [{ opens: "18:00", closes: "02:00" }]])
      assert.deepStrictEqual(yield* hours("2026-12-06"), ["outside_your_times", [{ opens: "00:00", closes: "02:00" }]])
    })
  )

  it.effect("says up to which date bookings are taken, also where the day is closed anyway", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* hall()
      const far = { none_because: "too_far_ahead", last_bookable_date: "2027-01-19" } as const
      assert.deepStrictEqual(yield* none(venue, { date: "2027-01-23" }), far)
      assert.deepStrictEqual(yield* none(venue, { date: "2027-01-20" }), far)
      assert.strictEqual(
        (yield* none(venue, { date: "2027-01-17", date_to: "2027-01-19" })).none_because,
        "not_sold_on_these_days"
      )
      assert.strictEqual((yield* optionsOn(venue, { date: "2027-01-16" })).options.length, 3)
    })
  )

  it.effect("says which date and package takes the party, or whom the playroom takes at all", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const sundays = {
        ...saturdays,
        package_id: testId.package(901),
        max_children: 25,
        max_adults: 40,
        schedule: { weekdays: ["sunday" as const] }
      }
      const venue = yield* hall({}, [saturdays, sundays])
      const limits = { min_children: 4, max_children: 25, max_adults: 40 }
      const [saturday, sunday] = venue.packages.map(({ package_id }) => package_id)
      const taken = { date: "2026-12-06", package_id: sunday ?? assert.fail() }
      assert.deepStrictEqual(yield* none(venue, { date: "2026-12-05", children: 25 }), {
        none_because: "party_too_large",
        next_available_date: "2026-12-06",
        next_date_for_party: taken,
        // Of the package that refuses them; the other takes 25.
        party_limits: { min_children: 4, max_children: 24, max_adults: 30 }
      })
      const named = {
        date: "2026-12-05",
        date_to: "2026-12-06",
        children: 25,
        ...(saturday && { package_id: saturday })
      }
      assert.deepStrictEqual(yield* none(venue, named), {
        none_because: "party_too_large",
        also_because: ["not_sold_on_these_days"],
        sold_on: ["saturday"],
        next_date_for_party: taken,
        party_limits: { min_children: 4, max_children: 24, max_adults: 30 }
      })
      const nobody = { none_because: "party_too_large", party_limits: limits } as const
      assert.deepStrictEqual(yield* none(venue, { date: "2026-12-05", children: 26 }), nobody)
      assert.deepStrictEqual(yield* none(venue, { date: "2026-12-05", adults: 41 }), nobody)
      assert.deepStrictEqual(yield* none(venue, { date: "2026-12-05", children: 3 }), {
        ...nobody,
        none_because: "party_too_small"
      })
    })
  )

  it.effect("of days that are closed and days that are full says both", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const few = packageWith({ ...saturdays, package_id: testId.package(901), min_children: 1, max_children: 3 })
      const venue = yield* hall({}, [saturdays, few])
      for (const [i, option] of (yield* optionsOn(venue)).options.entries()) yield* book(option.option_id, `b${i}`)
      const full = { none_because: "fully_booked", next_available_date: "2026-12-12" } as const
      assert.deepStrictEqual(yield* none(venue, { date: "2026-12-05" }), full)
      const range = { date: "2026-11-30", date_to: "2026-12-06" }
      assert.deepStrictEqual(yield* none(venue, range), {
        ...full,
        also_because: ["not_sold_on_these_days"],
        sold_on: ["saturday"]
      })
      assert.deepStrictEqual(yield* none(venue, { ...range, weekdays: ["saturday"] }), full)
    })
  )
})

layer(world)("a package or a mode that was asked for", (it) => {
  const play = packageWith({
    package_id: testId.package(903),
    mode: "shared",
    min_children: 1,
    max_children: 20,
    schedule: { times: ["10:00"] }
  })

  it.effect("gets reasons of its own: the days on which it is sold, and whom it takes", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* hall({}, [saturdays, play])
      const friday = { date: "2026-12-04" }
      const unsold: NoOptions = {
        none_because: "not_sold_on_these_days",
        sold_on: ["saturday"],
        next_available_date: "2026-12-05"
      }
      assert.deepStrictEqual(yield* none(venue, { ...friday, mode: "exclusive" }), unsold)
      const [saturday = assert.fail()] = venue.packages
      assert.deepStrictEqual(yield* none(venue, { ...friday, package_id: saturday.package_id }), unsold)
      // The next date is told even if nothing is sold on the weekday asked for.
      assert.deepStrictEqual(yield* none(venue, { ...friday, mode: "exclusive", weekdays: ["friday"] }), unsold)
      assert.deepStrictEqual((yield* none(venue, { date: "2026-12-05", mode: "shared", children: 22 })).party_limits, {
        min_children: 1,
        max_children: 20
      })
      // A day without opening hours is closed, whatever is sold.
      const shut = yield* hall({ overrides: [{ date: "2026-12-05", intervals: [] }] }, [saturdays, play])
      assert.deepStrictEqual(yield* none(shut, { date: "2026-12-05", mode: "exclusive" }), {
        none_because: "closed",
        next_available_date: "2026-12-12"
      })
    })
  )

  it.effect("is the only one among the options, and every option says its mode and when it is in words", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* hall({}, [saturdays, play])
      const shown = (query: Partial<BookingOptionsQuery>) =>
        Effect.map(optionsOn(venue, query), (found) => foldedPage(found).options.map(({ mode, when }) => [mode, when]))
      const together = ["shared", "Sat 5 Dec 2026, 10:00–11:00"]
      const parties = ["10:00–12:00", "12:30–14:30", "15:00–17:00"].map((at) => ["exclusive", `Sat 5 Dec 2026, ${at}`])
      assert.sameDeepMembers(yield* shown({}), [together, ...parties])
      assert.deepStrictEqual(yield* shown({ mode: "shared" }), [together])
      assert.deepStrictEqual(yield* shown({ mode: "exclusive" }), parties)
    })
  )

  it.effect("that is not sold here is refused in words, with a way on", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* hall({}, [play])
      const error = yield* Effect.flip(optionsOn(venue, { mode: "exclusive" }))
      assert.deepStrictEqual(error._tag === "InvalidArguments" && error.issues, [
        {
          path: "mode",
          message:
            "This playroom sells places in open play (shared) only: tell the person so, and leave mode out, or find another playroom with search_playrooms and mode exclusive"
        }
      ])
    })
  )
})

layer(world)("weekdays", (it) => {
  it.effect("are the only days that a question is about, its next date too", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const daily = { ...saturdays, schedule: { times: ["10:00"] } }
      const venue = yield* hall({ overrides: [{ date: "2026-12-05", intervals: [] }] }, [daily])
      const dates = (query: Partial<BookingOptionsQuery>) =>
        Effect.map(optionsOn(venue, query), ({ options }) => options.map(({ start }) => start.slice(0, 10)))
      const december = { date: "2026-12-01", date_to: "2026-12-31" }
      assert.deepStrictEqual(yield* dates({ ...december, weekdays: ["saturday"] }), [
        "2026-12-12",
        "2026-12-19",
        "2026-12-26"
      ])
      assert.deepStrictEqual(
        yield* dates({ date: "2026-12-01", weekdays: ["saturday"] }),
        yield* dates({ ...december, date_to: "2027-01-01", weekdays: ["saturday"] })
      )
      assert.deepStrictEqual(yield* dates({ ...december, weekdays: [] }), yield* dates(december))
      assert.lengthOf(yield* dates({ ...december, weekdays: [...weekdays] }), 30)
      assert.lengthOf(yield* dates({ date: "2026-12-03", weekdays: [] }), 1)
      const { next_available_date, none_because } = yield* optionsOn(venue, {
        date: "2026-12-05",
        date_to: "2026-12-09",
        weekdays: ["saturday"]
      })
      assert.deepStrictEqual([none_because, next_available_date], ["closed", "2026-12-12"])
      const paged = yield* optionsOn(venue, { ...december, weekdays: ["saturday", "sunday"], limit: 1 })
      const next = yield* optionsOn(venue, {
        ...december,
        weekdays: ["saturday", "sunday"],
        limit: 1,
        cursor: paged.next_cursor ?? ""
      })
      assert.deepStrictEqual(
        [...paged.options, ...next.options].map(({ start }) => start.slice(0, 10)),
        ["2026-12-06", "2026-12-12"]
      )
    })
  )

  it.effect("that no date of the range is on are refused in words", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* hall()
      const error = yield* Effect.flip(
        optionsOn(venue, { date: "2026-12-01", date_to: "2026-12-03", weekdays: ["saturday"] })
      )
      assert.deepStrictEqual(error._tag === "InvalidArguments" && error.issues, [
        { path: "weekdays", message: "None of these days is from 2026-12-01 to 2026-12-03: leave weekdays out" }
      ])
    })
  )
})

describe("looking for reasons", () => {
  it.effect("takes three bounded looks at most, and little more, for the largest catalogue", () =>
    Effect.gen(function* () {
      const looks: Array<readonly [string, string]> = []
      const nothing: SearchResult = {
        openings: [],
        refusals: new Set(["fully_booked"]),
        examined: 0,
        rows: 0,
        bounded: false
      }
      const searchDates = (_: object, __: object, dates: { readonly from: string; readonly to: string }) =>
        Effect.sync(() => {
          looks.push([dates.from, dates.to])
          return nothing
        })
      const [from, to] = ["2026-11-20", addDays("2026-11-20", 31)]
      const now = moment(from, "23:58")
      // As often as a start is held against the times that were asked for.
      let compared = 0
      for (const refusals of [
        new Set(["party_too_large" as const]),
        new Set(["too_soon" as const]),
        new Set<never>()
      ]) {
        looks.length = 0
        const request = {
          venue: worstVenue,
          party: partyOf(4),
          weekdays: [weekdayOf(from)],
          get start_after() {
            compared++
            return "23:30"
          }
        }
        const told = yield* explainNoOptions(
          { request, packages: worstVenue.packages, from, to, refusals, now },
          searchDates
        )
        assert.isDefined(told.none_because)
        assert.isAtMost(looks.length, 3)
      }
      // 12 packages of 288 starts on 32 days would be 110,592 times for each.
      assert.isAtMost(compared, 2 * startsPerDay)
    })
  )
})
