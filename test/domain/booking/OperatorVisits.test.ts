import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { makeOperatorVisits } from "../../../src/domain/booking/OperatorVisits.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { addDays, weekdays } from "../../../src/platform/time/LocalTime.ts"
import { bookingServices, contact, importVenue, principal, setClock } from "../../support/BookingWorld.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { packageWith, testId, venueWith } from "../../support/venues.ts"

/** Open day and night; two hours of play cost nothing. */
const venueIn = (time_zone: string, n: number): Venue => {
  const operator_id = testId.operator(n)
  const venue = venueWith(
    {
      playroom_id: testId.playroom(n),
      operator_id,
      time_zone,
      opening_hours: weekdays.map((weekday) => ({ weekday, opens: "00:00", closes: "24:00" })),
      max_advance_days: 500
    },
    [
      packageWith({
        package_id: testId.package(n),
        duration_minutes: 120,
        pricing: { base: 0, included_children: 10, extra_child: 0, adult: 0, rules: [] }
      })
    ]
  )
  return { ...venue, operator: { ...venue.operator, operator_id, connected_account_id: `acct_${n}` } }
}

const bookAt = Effect.fnUntraced(function* ({ playroom: { playroom_id } }: Venue, date: string, time: string) {
  const { options } = yield* BookingOptions.use((service) =>
    service.list({ playroom_id, date, children: 8, limit: 100 })
  )
  const option = options.find(({ start }) => start.slice(11, 16) === time) ?? assert.fail(`no ${time} on ${date}`)
  yield* Bookings.use((bookings) =>
    bookings.create(principal(`key_${playroom_id}`), {
      option_id: option.option_id,
      contact: contact(`${playroom_id}.${date}.${time.replace(":", "")}`)
    })
  )
})

layer(bookingServices().pipe(Layer.provideMerge(TestDatabase.layer)))("the hours of a day", (it) => {
  it.effect("are those of the venue's clock when it changes, each once, with the visits of the evening before", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-27T09:00:00Z")
      // Eight children each, from `visits`; the evening before at 23:00. `hours`: of the day itself.
      const cases = [
        { zone: "Asia/Tokyo", date: "2027-03-14", visits: ["10:00"], hours: "00:00 8, 10:00 8, 11:00 8" },
        // 02:00 is skipped, and comes twice.
        { zone: "America/New_York", date: "2027-03-14", visits: ["01:00"], hours: "00:00 8, 01:00 8, 03:00 8" },
        { zone: "America/New_York", date: "2027-11-07", visits: ["01:00"], hours: "00:00 8, 01:00 8" },
        // Half an hour is skipped, and comes twice.
        { zone: "Australia/Lord_Howe", date: "2027-10-03", visits: ["10:00"], hours: "00:00 8, 10:00 8, 11:00 8" },
        { zone: "Australia/Lord_Howe", date: "2027-04-04", visits: ["10:00"], hours: "00:00 8, 10:00 8, 11:00 8" },
        // The first hour is skipped; the last one comes twice.
        { zone: "America/Santiago", date: "2027-09-05", visits: ["10:00"], hours: "01:00 8, 10:00 8, 11:00 8" },
        { zone: "America/Santiago", date: "2027-04-03", visits: ["23:00"], hours: "00:00 8, 23:00 8" },
        { zone: "Pacific/Kiritimati", date: "2027-03-14", visits: ["22:30"], hours: "00:00 8, 22:00 8, 23:00 8" }
      ]
      const zones = [...new Set(cases.map(({ zone }) => zone))]
      const venues = new Map(zones.map((zone, i) => [zone, venueIn(zone, 60 + i)]))
      yield* importVenue(...venues.values())
      const { hours } = yield* makeOperatorVisits
      for (const { date, hours: expected, visits, zone } of cases) {
        const venue = venues.get(zone) ?? assert.fail(zone)
        yield* bookAt(venue, addDays(date, -1), "23:00")
        for (const time of visits) yield* bookAt(venue, date, time)
        const found = yield* hours(venue.operator.operator_id, date)
        assert.strictEqual(
          found.map(({ children, hour }) => `${hour} ${children}`).join(", "),
          expected,
          `${zone} ${date}`
        )
      }
    })
  )
})

layer(bookingServices().pipe(Layer.provideMerge(TestDatabase.layer)))("a search of visits", (it) => {
  it.effect("finds those of any time, by parts of a name, by e-mail, telephone in any form and reference", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-27T09:00:00Z")
      const venue = venueIn("Europe/London", 80)
      yield* importVenue(venue)
      const { playroom_id } = venue.playroom
      const [ana, bea, anna] = ["Ana Lima", "Bea Lang", "Anna Limanowa"] as const
      const families = [
        { name: ana, email: "Ana.Lima@example.com", phone: "07700 900123", date: "2026-12-05" },
        { name: bea, email: "bea@example.org", phone: "+49 (0)30 / 901820", date: "2027-03-06" },
        { name: anna, email: "anna@example.net", phone: "07700 900456", date: "2027-09-04" }
      ]
      const references: Array<string> = []
      for (const { date, ...contact } of families) {
        const { options } = yield* BookingOptions.use((its) => its.list({ playroom_id, date, children: 8 }))
        const option_id = options[0]?.option_id ?? assert.fail(`nothing on ${date}`)
        const { row } = yield* Bookings.use((bookings) => bookings.create(principal("key_a"), { option_id, contact }))
        references.push(row.reference)
      }
      const { search } = yield* makeOperatorVisits
      const names = (words: string, more: { readonly among?: number; readonly before?: number } = {}) =>
        Effect.map(search(venue.operator.operator_id, words, { limit: 10, ...more }), ({ since, visits }) => [
          visits.map(({ contact_name }) => contact_name),
          since
        ])
      // More than half a year after the first visit.
      yield* setClock("2027-08-01T09:00:00Z")
      for (const [words, found] of [
        ["lima", [anna, ana]],
        ["ana lima", [ana]],
        ["ana.lima@EXAMPLE.com", [ana]],
        ["example.org", [bea]],
        ["+44 7700 900123", [ana]],
        ["07700900123", [ana]],
        ["030 901820", [bea]],
        [references[0]?.toLowerCase() ?? "", [ana]],
        ["nobody", []]
      ] as const)
        assert.deepStrictEqual(yield* names(words), [[...found], undefined], words)
      // What is looked at in one search is bounded, and it says from when on it has looked.
      const since = Date.parse("2027-09-04T00:00:00+01:00")
      assert.deepStrictEqual(yield* names("lima", { among: 1 }), [[anna], since])
      assert.deepStrictEqual(yield* names("lima", { among: 2, before: since }), [
        [ana],
        Date.parse("2026-12-05T00:00:00Z")
      ])
      assert.deepStrictEqual(yield* names("bea@example.org", { among: 1 }), [[bea], since])
      assert.deepStrictEqual(yield* names(references[0] ?? "", { among: 1 }), [[ana], since])
    })
  )
})
