import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { busyTimes } from "../../../src/domain/calendars/BusyTimes.ts"
import { readCalendar } from "../../../src/domain/calendars/CalendarText.ts"
import { fixedRules, westEurope, zoneRules } from "../../support/CalendarWorld.ts"

const lines = (...all: ReadonlyArray<string>): string => all.join("\r\n")
const event = (...its: ReadonlyArray<string>): string => lines("BEGIN:VEVENT", "UID:a", ...its, "END:VEVENT")
const calendar = (...parts: ReadonlyArray<string>): string =>
  lines("BEGIN:VCALENDAR", "VERSION:2.0", ...parts, "END:VCALENDAR", "")

const read = (text: string, time_zone = "Europe/London", from = "2026-11-26", to = "2027-11-26") =>
  Effect.flatMap(readCalendar(text), (it) =>
    busyTimes(it, () => false, {
      time_zone,
      from: Date.parse(`${from}T00:00:00Z`),
      to: Date.parse(`${to}T00:00:00Z`)
    })
  )

/** The times of a calendar, in UTC. */
const times = (...args: Parameters<typeof read>) =>
  Effect.map(read(...args), ({ busy }) =>
    busy.map(({ end, start }) => [start, end].map((at) => new Date(at).toISOString().slice(0, 16)).join(" "))
  )

describe("when a calendar is busy", () => {
  it.effect("is told by instants, by local times of named zones, and by times of the playroom", () =>
    Effect.gen(function* () {
      const text = calendar(
        event("DTSTART:20261201T100000Z", "DTEND:20261201T110000Z"),
        event("DTSTART;TZID=America/New_York:20261202T100000", "DTEND;TZID=America/New_York:20261202T113000"),
        event("DTSTART:20261203T100000", "DURATION:PT45M"),
        event("DTSTART;VALUE=DATE:20261204"),
        event("DTSTART;VALUE=DATE:20261224", "DTEND;VALUE=DATE:20261227")
      )
      assert.deepStrictEqual(yield* times(text, "Europe/Berlin"), [
        "2026-12-01T10:00 2026-12-01T11:00",
        "2026-12-02T15:00 2026-12-02T16:30",
        "2026-12-03T09:00 2026-12-03T09:45",
        "2026-12-03T23:00 2026-12-04T23:00",
        "2026-12-23T23:00 2026-12-26T23:00"
      ])
    })
  )

  // Data::ICal 0.24 (Perl, Debian 12) escapes the commas of lists, as if they were in a text.
  it.effect("is read from lists whose commas are escaped", () =>
    Effect.gen(function* () {
      const text = calendar(
        event(
          "DTSTART:20261205T140000",
          "DURATION:PT2H",
          "RRULE:FREQ=WEEKLY;COUNT=3",
          "EXDATE:20261212T140000\\,20261219T140000",
          "RDATE:20261207T140000\\,20261208T140000"
        )
      )
      const { unread } = yield* read(text)
      assert.deepStrictEqual(unread, [])
      assert.deepStrictEqual(yield* times(text), [
        "2026-12-05T14:00 2026-12-05T16:00",
        "2026-12-07T14:00 2026-12-07T16:00",
        "2026-12-08T14:00 2026-12-08T16:00"
      ])
    })
  )

  // sabre/vobject 2.1.7 (PHP, Debian 12) names the zone of a time with an offset by that offset.
  it.effect("is read in zones that are named by their offset", () =>
    Effect.gen(function* () {
      for (const [name, start] of [
        ['"+02:00"', "2026-12-05T12:00"],
        ["-0330", "2026-12-05T17:30"],
        ["UTC+05:30", "2026-12-05T08:30"],
        ["GMT-08:00", "2026-12-05T22:00"]
      ]) {
        const text = calendar(event(`DTSTART;VALUE=DATE-TIME;TZID=${name}:20261205T140000`, "DURATION:PT1H"))
        const { unread } = yield* read(text)
        assert.deepStrictEqual(unread, [], name)
        assert.strictEqual((yield* times(text))[0]?.slice(0, 16), start, name)
      }
    })
  )

  for (const [what, text, why] of [
    [
      "an end",
      event("DTSTART:20261210T110000Z", "DTEND:20261210T100000Z"),
      "it ends before it begins: it closes nothing"
    ],
    ["a length", event("DTSTART:20261210T110000Z", "DURATION:-PT1H"), "it ends before it begins: it closes nothing"],
    [
      "a date that is a period",
      event("DTSTART:20261210T110000Z", "RDATE;VALUE=PERIOD:20261211T110000Z/20261211T100000Z"),
      'it has an RDATE that can\'t be read: that time is not closed ("RDATE;VALUE=PERIOD:20261211T110000Z/20261211T100000Z")'
    ],
    [
      "a listed time",
      lines("BEGIN:VFREEBUSY", "UID:a", "FREEBUSY:20261210T110000Z/20261210T100000Z", "END:VFREEBUSY"),
      'it has a FREEBUSY that can\'t be read: that time is not closed ("FREEBUSY:20261210T110000Z/20261210T100000Z")'
    ]
  ] as const) {
    it.effect(`is not known where ${what} lies before the beginning, and that is said`, () =>
      Effect.gen(function* () {
        const { unread } = yield* read(calendar(text))
        assert.deepStrictEqual(
          unread.map((one) => one.why),
          [why]
        )
      })
    )
  }

  it.effect("keeps to the clock of a zone when it changes, in London and in New York", () =>
    Effect.gen(function* () {
      const weekly = (zone: string, day: string) =>
        calendar(
          event(`DTSTART;TZID=${zone}:${day}T100000`, `DTEND;TZID=${zone}:${day}T120000`, "RRULE:FREQ=WEEKLY;COUNT=3")
        )
      assert.deepStrictEqual(yield* times(weekly("Europe/London", "20270321")), [
        "2027-03-21T10:00 2027-03-21T12:00",
        "2027-03-28T09:00 2027-03-28T11:00",
        "2027-04-04T09:00 2027-04-04T11:00"
      ])
      assert.deepStrictEqual(yield* times(weekly("America/New_York", "20271024")), [
        "2027-10-24T14:00 2027-10-24T16:00",
        "2027-10-31T14:00 2027-10-31T16:00",
        "2027-11-07T15:00 2027-11-07T17:00"
      ])
      // A whole day has 23 hours when the clocks go forward, and 25 when they go back.
      assert.deepStrictEqual(
        yield* times(calendar(event("DTSTART;VALUE=DATE:20270328"), event("DTSTART;VALUE=DATE:20271031"))),
        ["2027-03-28T00:00 2027-03-28T23:00", "2027-10-30T23:00 2027-11-01T00:00"]
      )
      // 01:30 is skipped on that day in London: counted by the offset before, it is 02:30 of the new time.
      assert.deepStrictEqual(
        yield* times(calendar(event("DTSTART;TZID=Europe/London:20270328T013000", "DURATION:PT1H"))),
        ["2027-03-28T01:30 2027-03-28T02:30"]
      )
    })
  )

  it.effect("lasts as long in all of a series that begins in the hour that the clocks skip, or spans it", () =>
    Effect.gen(function* () {
      const weekly = (zone: string, from: string, to: string) =>
        times(
          calendar(event(`DTSTART;TZID=${zone}:${from}`, `DTEND;TZID=${zone}:${to}`, "RRULE:FREQ=WEEKLY;COUNT=2")),
          zone
        )
      // Wholly in it; into it; from it to after it.
      for (const [from, to, first, second] of [
        ["20270328T011500", "20270328T014500", "01:15 01:45", "00:15 00:45"],
        ["20270328T003000", "20270328T013000", "00:30 01:30", "23:30 00:30"],
        ["20270328T013000", "20270328T023000", "01:30 02:30", "00:30 01:30"],
        ["20270328T014500", "20270328T020000", "01:45 02:00", "00:45 01:00"]
      ] as const)
        assert.deepStrictEqual(
          (yield* weekly("Europe/London", from, to)).map((one) => one.replaceAll(/\d{4}-\d\d-\d\dT/g, "")),
          [first, second],
          from
        )
      // Closed over the night: the first is an hour shorter on the clock's own night, the others are not.
      assert.deepStrictEqual(yield* weekly("America/New_York", "20270313T200000", "20270314T080000"), [
        "2027-03-14T01:00 2027-03-14T12:00",
        "2027-03-21T00:00 2027-03-21T12:00"
      ])
      // Half an hour is skipped there.
      assert.deepStrictEqual(yield* weekly("Australia/Lord_Howe", "20271003T020000", "20271003T023000"), [
        "2027-10-02T15:30 2027-10-02T16:00",
        "2027-10-09T15:00 2027-10-09T15:30"
      ])
    })
  )

  it.effect("is told by the zone rules of the file, if nobody else knows the name", () =>
    Effect.gen(function* () {
      const zone = "TZID=W. Europe Standard Time"
      const text = calendar(
        event(`DTSTART;${zone}:20270323T100000`, `DTEND;${zone}:20270323T110000`, "RRULE:FREQ=WEEKLY;COUNT=2"),
        westEurope
      )
      assert.deepStrictEqual(yield* times(text), [
        "2027-03-23T09:00 2027-03-23T10:00",
        "2027-03-30T08:00 2027-03-30T09:00"
      ])
      const prefixed = event("DTSTART;TZID=/citadel.org/20260101_1/Europe/Berlin:20270323T100000", "DURATION:PT1H")
      assert.deepStrictEqual(yield* times(calendar(prefixed)), ["2027-03-23T09:00 2027-03-23T10:00"])
    })
  )

  it.effect(
    "A5, X1: is told by the zone rules of the file for a name without a region, and by the runtime's for one with it",
    () =>
      Effect.gen(function* () {
        const hours = (zone: string, playroom: string, ...parts: ReadonlyArray<string>) =>
          times(
            calendar(...parts, event(`DTSTART;TZID=${zone}:20270612T100000`, `DTEND;TZID=${zone}:20270612T120000`)),
            playroom
          )
        // python3-vobject 0.9.6.1 (Debian 12) names zones by their abbreviations, and writes their rules.
        assert.deepStrictEqual(yield* hours("GMT", "Europe/London", zoneRules("GMT", "GMT", "BST", 0)), [
          "2027-06-12T09:00 2027-06-12T11:00"
        ])
        assert.deepStrictEqual(yield* hours("PST", "Asia/Manila", fixedRules("PST", "+0800")), [
          "2027-06-12T02:00 2027-06-12T04:00"
        ])
        assert.deepStrictEqual(yield* hours("EST", "America/New_York", zoneRules("EST", "EST", "EDT", -5)), [
          "2027-06-12T14:00 2027-06-12T16:00"
        ])
        // A name of its own, in quotes in one place and not in the other.
        assert.deepStrictEqual(yield* hours("Here", "Europe/London", fixedRules('"Here"', "+0300")), [
          "2027-06-12T07:00 2027-06-12T09:00"
        ])
        assert.deepStrictEqual(yield* hours("Europe/Berlin", "Europe/London", fixedRules("Europe/Berlin", "+0700")), [
          "2027-06-12T08:00 2027-06-12T10:00"
        ])
      })
  )

  it.effect(
    "is told by the playroom's clock, in summer and in winter, where nobody knows the zone; and that is said",
    () =>
      Effect.gen(function* () {
        const meeting = (zone: string, day: string) =>
          calendar(event(`DTSTART;TZID=${zone}:${day}T100000`, `DTEND;TZID=${zone}:${day}T120000`))
        // python3-icalendar 4.0.3 (Debian 12) writes the abbreviation alone; to the runtime, BST is Dhaka.
        for (const [zone, day, busy] of [
          ["BST", "20270612", "2027-06-12T09:00 2027-06-12T12:00"],
          ["Narnia", "20270112", "2027-01-12T09:00 2027-01-12T12:00"]
        ] as const) {
          assert.deepStrictEqual(yield* times(meeting(zone, day)), [busy])
          assert.deepStrictEqual((yield* read(meeting(zone, day))).unread, [
            {
              at: `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T10:00:00`,
              why: `its time zone ${zone} is not known: taken for Europe/London, by its summer and by its winter time ("DTSTART;TZID=${zone}:${day}T100000")`
            }
          ])
        }
        // Where the clocks never change, it has one meaning; it is said all the same.
        assert.deepStrictEqual(yield* times(meeting("IST", "20270612"), "Asia/Kolkata"), [
          "2027-06-12T04:30 2027-06-12T06:30"
        ])
        assert.include(
          (yield* read(meeting("IST", "20270612"), "Asia/Kolkata")).unread[0]?.why ?? "",
          "its time zone IST is not known: taken for Asia/Kolkata ("
        )
      })
  )

  // Outlook and Exchange write these names; CLDR 48.2 (cldr-core) says which zones they are. A file need not have rules.
  it.effect("A4, A6: is told by the names of Windows, and by the offsets that Windows shows before them", () =>
    Effect.gen(function* () {
      for (const [zone, day, busy, doubt] of [
        ["W. Europe Standard Time", "20261205", "2026-12-05T13:00 2026-12-05T15:00", false],
        ["w. europe standard time", "20270612", "2027-06-12T12:00 2027-06-12T14:00", false],
        ["India Standard Time", "20270612", "2027-06-12T08:30 2027-06-12T10:30", false],
        ["UTC-02", "20270612", "2027-06-12T16:00 2027-06-12T18:00", false],
        ["tzone://Microsoft/Utc", "20270612", "2027-06-12T14:00 2027-06-12T16:00", false],
        ["(UTC) Coordinated Universal Time", "20270612", "2027-06-12T14:00 2027-06-12T16:00", false],
        ['"(UTC+01:00) Amsterdam, Berlín, Berna, Roma"', "20261205", "2026-12-05T13:00 2026-12-05T15:00", false],
        // In summer it may be Berlin, or Lagos.
        ['"(UTC+01:00) Amsterdam, Berlín, Berna, Roma"', "20270612", "2027-06-12T12:00 2027-06-12T15:00", true],
        ['"(GMT) Greenwich Mean Time : Dublin, London"', "20261205", "2026-12-05T14:00 2026-12-05T16:00", false],
        ['"(UTC+05:30) Chennai, Kolkata"', "20270612", "2027-06-12T08:30 2027-06-12T10:30", false],
        ["tzone://Microsoft/Custom", "20261205", "2026-12-05T13:00 2026-12-05T16:00", true]
      ] as const) {
        const text = calendar(event(`DTSTART;TZID=${zone}:${day}T140000`, `DTEND;TZID=${zone}:${day}T160000`))
        assert.deepStrictEqual(yield* times(text), [busy], `${zone} ${day}`)
        assert.strictEqual((yield* read(text)).unread.length > 0, doubt, `${zone} ${day}`)
      }
      const own = event("DTSTART;TZID=tzone://Microsoft/Custom:20261205T140000", "DURATION:PT1H")
      assert.deepStrictEqual(yield* times(calendar(fixedRules("tzone://Microsoft/Custom", "+0300"), own)), [
        "2026-12-05T11:00 2026-12-05T12:00"
      ])
      const excluded = "EXDATE;TZID=tzone://Microsoft/Utc:20261206T140000"
      const daily = event("DTSTART:20261205T140000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=2", excluded)
      assert.deepStrictEqual(yield* times(calendar(daily)), ["2026-12-05T14:00 2026-12-05T15:00"])
    })
  )

  it.effect(
    "A7: is told by the calendar's own zone (X-WR-TIMEZONE) for times without one, and never for whole days",
    () =>
      Effect.gen(function* () {
        const meeting = event("DTSTART:20261205T140000", "DTEND:20261205T160000", "EXDATE:20261206T140000")
        for (const [zone, busy, doubt] of [
          ["America/New_York", "2026-12-05T19:00 2026-12-05T21:00", false],
          ["Eastern Standard Time", "2026-12-05T19:00 2026-12-05T21:00", false],
          ["", "2026-12-05T14:00 2026-12-05T16:00", false],
          ["Narnia", "2026-12-05T13:00 2026-12-05T16:00", true]
        ] as const) {
          const text = calendar(`X-WR-TIMEZONE:${zone}`, meeting)
          assert.deepStrictEqual(yield* times(text), [busy], zone)
          assert.strictEqual((yield* read(text)).unread.length > 0, doubt, zone)
        }
        const others = calendar(
          "X-WR-TIMEZONE:America/New_York",
          event("DTSTART;VALUE=DATE:20261207"),
          event("DTSTART:20261208T140000Z", "DURATION:PT1H"),
          event("DTSTART;TZID=Europe/Paris:20261209T140000", "DURATION:PT1H")
        )
        assert.deepStrictEqual(yield* times(others), [
          "2026-12-07T00:00 2026-12-08T00:00",
          "2026-12-08T14:00 2026-12-08T15:00",
          "2026-12-09T13:00 2026-12-09T14:00"
        ])
        // A file may have several calendars.
        assert.deepStrictEqual(yield* times(others + calendar(event("DTSTART:20261210T140000", "DURATION:PT1H"))), [
          "2026-12-07T00:00 2026-12-08T00:00",
          "2026-12-08T14:00 2026-12-08T15:00",
          "2026-12-09T13:00 2026-12-09T14:00",
          "2026-12-10T14:00 2026-12-10T15:00"
        ])
      })
  )

  it.effect("A8: is not when Outlook shows it as free, unless the standard's own line says that it is busy", () =>
    Effect.gen(function* () {
      const shown = (...its: ReadonlyArray<string>) =>
        times(calendar(event("DTSTART:20261205T140000Z", "DURATION:PT1H", ...its)))
      assert.deepStrictEqual(yield* shown("X-MICROSOFT-CDO-BUSYSTATUS:FREE"), [])
      for (const its of [
        ["X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE"],
        ["X-MICROSOFT-CDO-BUSYSTATUS:FREE", "TRANSP:OPAQUE"]
      ])
        assert.lengthOf(yield* shown(...its), 1)
    })
  )

  it.effect(
    "X2: is told by GMT, EST, MST and HST where the playroom's clock is that then; else by both, and that is said",
    () =>
      Effect.gen(function* () {
        for (const [zone, playroom, day, busy, doubt] of [
          ["GMT", "Europe/London", "20270112", ["2027-01-12T10:00 2027-01-12T12:00"], false],
          ["GMT", "Europe/London", "20270612", ["2027-06-12T09:00 2027-06-12T12:00"], true],
          ["EST", "America/New_York", "20270112", ["2027-01-12T15:00 2027-01-12T17:00"], false],
          ["EST", "America/New_York", "20270612", ["2027-06-12T14:00 2027-06-12T17:00"], true],
          ["MST", "America/Phoenix", "20270612", ["2027-06-12T17:00 2027-06-12T19:00"], false],
          ["HST", "Pacific/Honolulu", "20270612", ["2027-06-12T20:00 2027-06-12T22:00"], false],
          // Sydney's, or New York's?
          [
            "EST",
            "Australia/Sydney",
            "20270612",
            ["2027-06-12T00:00 2027-06-12T02:00", "2027-06-12T15:00 2027-06-12T17:00"],
            true
          ],
          ["CET", "Europe/Berlin", "20270612", ["2027-06-12T08:00 2027-06-12T10:00"], false]
        ] as const) {
          const text = calendar(event(`DTSTART;TZID=${zone}:${day}T100000`, `DTEND;TZID=${zone}:${day}T120000`))
          assert.deepStrictEqual(yield* times(text, playroom), [...busy], `${zone} ${playroom} ${day}`)
          assert.strictEqual((yield* read(text, playroom)).unread.length > 0, doubt, `${zone} ${playroom} ${day}`)
        }
        // A series that begins in winter goes on in summer.
        const weekly = event("DTSTART;TZID=GMT:20270321T100000", "DURATION:PT1H", "RRULE:FREQ=WEEKLY;COUNT=2")
        assert.deepStrictEqual(yield* times(calendar(weekly)), [
          "2027-03-21T10:00 2027-03-21T11:00",
          "2027-03-28T09:00 2027-03-28T11:00"
        ])
        assert.include(
          (yield* read(calendar(weekly))).unread[0]?.why ?? "",
          "its time zone GMT may mean other clocks: taken for Europe/London, and for GMT"
        )
      })
  )

  it.effect("has no occurrence that is excluded, and those that were changed as they are now", () =>
    Effect.gen(function* () {
      const series = [
        "DTSTART;TZID=Europe/London:20261207T100000",
        "DTEND;TZID=Europe/London:20261207T110000",
        "RRULE:FREQ=DAILY;UNTIL=20261214T100000Z"
      ]
      const text = calendar(
        // A change may come before its series.
        event(
          "RECURRENCE-ID;TZID=Europe/London:20261209T100000",
          "DTSTART;TZID=Europe/London:20261209T150000",
          "DTEND;TZID=Europe/London:20261209T160000"
        ),
        event(...series, "EXDATE;TZID=Europe/London:20261208T100000,20261210T100000", "EXDATE;VALUE=DATE:20261213"),
        event("RECURRENCE-ID:20261211T100000Z", "DTSTART:20261211T100000Z", "DURATION:PT1H", "STATUS:CANCELLED"),
        event("RECURRENCE-ID:20261212T100000Z", "DTSTART:20261212T100000Z", "DURATION:PT1H", "TRANSP:TRANSPARENT")
      )
      assert.deepStrictEqual(yield* times(text), [
        "2026-12-07T10:00 2026-12-07T11:00",
        "2026-12-09T15:00 2026-12-09T16:00",
        "2026-12-14T10:00 2026-12-14T11:00"
      ])
    })
  )

  // Of readers that were tried, ical.js 2.2.1 moves those that follow; node-ical 0.27.2 and recurring-ical-events 2.0.1
  // leave them where they were.
  it.effect("has those that follow a change of all that follow as they were, and as they are by it", () =>
    Effect.gen(function* () {
      for (const id of [
        "RANGE=THISANDFUTURE:20270327T100000Z",
        "RANGE=THISANDFUTURE;TZID=Europe/London:20270327T100000"
      ]) {
        const text = calendar(
          event(
            `RECURRENCE-ID;${id}`,
            "DTSTART;TZID=Europe/London:20270327T150000",
            "DTEND;TZID=Europe/London:20270327T163000"
          ),
          event(
            "DTSTART;TZID=Europe/London:20270326T100000",
            "DTEND;TZID=Europe/London:20270326T110000",
            "RRULE:FREQ=DAILY;COUNT=4",
            "EXDATE;TZID=Europe/London:20270329T100000"
          )
        )
        assert.deepStrictEqual(yield* times(text), [
          "2027-03-26T10:00 2027-03-26T11:00",
          "2027-03-27T15:00 2027-03-27T16:30",
          "2027-03-28T09:00 2027-03-28T10:00",
          "2027-03-28T14:00 2027-03-28T15:30"
        ])
        const { unread } = yield* read(text)
        assert.match(
          unread.map((one) => one.why).join(),
          /changes all that follow it \(RANGE\): they count as they were/
        )
      }
    })
  )

  it.effect("has a following one that began before the window and was moved into it", () =>
    Effect.gen(function* () {
      const text = calendar(
        event("DTSTART:20261005T100000Z", "DURATION:PT1H", "RRULE:FREQ=WEEKLY;UNTIL=20261123T100000Z"),
        event("RECURRENCE-ID;RANGE=THISANDFUTURE:20261012T100000Z", "DTSTART:20261016T100000Z", "DURATION:PT2H")
      )
      assert.deepStrictEqual(yield* times(text), ["2026-11-27T10:00 2026-11-27T12:00"])
    })
  )

  it.effect("X5: has no whole day that is excluded or cancelled, however its date is written", () =>
    Effect.gen(function* () {
      for (const date of [
        ";VALUE=DATE:20270327",
        ":20270327",
        ":20270327T000000",
        ";TZID=Europe/London:20270327T000000",
        ":20270327T000000Z",
        // Its midnight in Berlin.
        ":20270326T230000Z"
      ]) {
        const series = ["DTSTART;VALUE=DATE:20270326", "RRULE:FREQ=DAILY;COUNT=3"]
        for (const text of [
          calendar(event(...series, `EXDATE${date}`)),
          calendar(event(...series), event(`RECURRENCE-ID${date}`, "DTSTART;VALUE=DATE:20270327", "STATUS:CANCELLED"))
        ])
          assert.deepStrictEqual(
            yield* times(text, "Europe/Berlin"),
            ["2027-03-25T23:00 2027-03-26T23:00", "2027-03-27T23:00 2027-03-28T22:00"],
            date
          )
      }
    })
  )

  it.effect("has the further dates of an event, and its periods", () =>
    Effect.gen(function* () {
      const text = calendar(
        event(
          "DTSTART:20261207T100000Z",
          "DTEND:20261207T110000Z",
          "RDATE:20261209T100000Z,20261210T100000Z",
          "RDATE;VALUE=PERIOD:20261211T100000Z/20261211T140000Z,20261212T100000Z/PT2H",
          "EXDATE:20261210T100000Z"
        )
      )
      assert.deepStrictEqual(yield* times(text), [
        "2026-12-07T10:00 2026-12-07T11:00",
        "2026-12-09T10:00 2026-12-09T11:00",
        "2026-12-11T10:00 2026-12-11T14:00",
        "2026-12-12T10:00 2026-12-12T12:00"
      ])
    })
  )

  it.effect(
    "is told by lists of busy times: each kind but free, by its end or its length, and none that can't be read",
    () =>
      Effect.gen(function* () {
        const list = lines(
          "BEGIN:VFREEBUSY",
          "UID:b",
          "DTSTART:20261201T000000Z",
          "DTEND:20270101T000000Z",
          "FREEBUSY:20261207T100000Z/20261207T110000Z,20261208T100000Z/PT90M",
          "FREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20261209T100000Z/PT1H",
          "FREEBUSY;FBTYPE=BUSY-TENTATIVE:20261210T100000Z/PT1H",
          "FREEBUSY;FBTYPE=X-OF-ANOTHER-PROGRAM:20261211T100000Z/PT1H",
          "FREEBUSY;FBTYPE=FREE:20261212T100000Z/PT1H",
          "freebusy;fbtype=free:20261213T100000Z/PT1H",
          "FREEBUSY:20261214T100000Z",
          "FREEBUSY:20261215T100000Z/20261215T090000Z",
          "FREEBUSY:20261216T100000Z/PT1H",
          "END:VFREEBUSY"
        )
        assert.deepStrictEqual(yield* times(calendar(list)), [
          "2026-12-07T10:00 2026-12-07T11:00",
          "2026-12-08T10:00 2026-12-08T11:30",
          "2026-12-09T10:00 2026-12-09T11:00",
          "2026-12-10T10:00 2026-12-10T11:00",
          "2026-12-11T10:00 2026-12-11T11:00",
          "2026-12-16T10:00 2026-12-16T11:00"
        ])
        const { unread } = yield* read(calendar(list))
        assert.deepStrictEqual(unread, [
          {
            at: "2026-12-01T00:00:00Z",
            why: 'it has a FREEBUSY that can\'t be read: that time is not closed ("FREEBUSY:20261214T100000Z")'
          },
          {
            at: "2026-12-01T00:00:00Z",
            why: 'it has a FREEBUSY that can\'t be read: that time is not closed ("FREEBUSY:20261215T100000Z/20261215T090000Z")'
          }
        ])
      })
  )

  it.effect("is known of an event of which a date can't be read: the rest of it is busy, and it is named", () =>
    Effect.gen(function* () {
      const series = ["DTSTART:20261207T100000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=2"]
      const text = calendar(
        event(...series, "EXDATE:yesterday"),
        event("DTSTART:20261217T100000Z", "DURATION:PT1H", "RDATE:tomorrow", "RDATE;VALUE=PERIOD:never/PT1H")
      )
      assert.deepStrictEqual(yield* times(text), [
        "2026-12-07T10:00 2026-12-07T11:00",
        "2026-12-08T10:00 2026-12-08T11:00",
        "2026-12-17T10:00 2026-12-17T11:00"
      ])
      assert.deepStrictEqual(
        (yield* read(text)).unread.map(({ why }) => why),
        [
          'it has an EXDATE that can\'t be read: what it leaves out counts ("EXDATE:yesterday")',
          'it has an RDATE that can\'t be read: that time is not closed ("RDATE:tomorrow")',
          'it has an RDATE that can\'t be read: that time is not closed ("RDATE;VALUE=PERIOD:never/PT1H")'
        ]
      )
    })
  )

  it.effect(
    "is all the time of an event of decades, whatever year it ends in, and stays a time that can be stored",
    () =>
      Effect.gen(function* () {
        const decades = event("DTSTART:19900101T000000Z", "DTEND:20300101T000000Z")
        assert.deepStrictEqual(yield* times(calendar(decades)), ["1990-01-01T00:00 2030-01-01T00:00"])
        const endless = event("DTSTART:20261207T100000Z", "DURATION:P9999999D")
        assert.deepStrictEqual(yield* times(calendar(endless, decades)), ["1990-01-01T00:00 9999-01-01T00:00"])
        const beyond = event("DTSTART;TZID=Europe/London:20261207T100000", "DURATION:P99999999999D")
        assert.deepStrictEqual(yield* times(calendar(beyond)), ["2026-12-07T10:00 9999-01-01T00:00"])
      })
  )

  it.effect("is not when an event is free, cancelled, over or without a length; what touches is one time", () =>
    Effect.gen(function* () {
      const text = calendar(
        event("DTSTART:20261201T100000Z", "DTEND:20261201T110000Z", "TRANSP:TRANSPARENT"),
        event("DTSTART:20261201T120000Z", "DTEND:20261201T130000Z", "STATUS:CANCELLED"),
        event("DTSTART:20261201T140000Z"),
        event("DTSTART:20261201T160000Z", "DTEND:20261201T150000Z"),
        event("DTSTART:20261101T100000Z", "DTEND:20261101T110000Z"),
        event("DTSTART:20301101T100000Z", "DTEND:20301101T110000Z"),
        event("DTSTART:20261125T220000Z", "DTEND:20261126T020000Z"),
        event("DTSTART:20261202T100000Z", "DTEND:20261202T110000Z", "STATUS:TENTATIVE"),
        event("DTSTART:20261202T110000Z", "DTEND:20261202T130000Z"),
        event("DTSTART:20261202T120000Z", "DTEND:20261202T123000Z")
      )
      assert.deepStrictEqual(yield* times(text), [
        "2026-11-25T22:00 2026-11-26T02:00",
        "2026-12-02T10:00 2026-12-02T13:00"
      ])
    })
  )

  it.effect("has the last day of a series of whole days, wherever the playroom is", () =>
    Effect.gen(function* () {
      const text = calendar(
        event("DTSTART;VALUE=DATE:20261201", "RRULE:FREQ=DAILY;UNTIL=20261203T000000Z"),
        event("DTSTART;VALUE=DATE:20270101", "RRULE:FREQ=DAILY;UNTIL=20270103")
      )
      assert.deepStrictEqual(yield* times(text, "America/New_York"), [
        "2026-12-01T05:00 2026-12-04T05:00",
        "2027-01-01T05:00 2027-01-04T05:00"
      ])
      // Outlook writes the last day's midnight in UTC. In Beirut the clocks skip it.
      for (const [zone, until, expected] of [
        ["Europe/Berlin", "20270327T230000Z", "2027-03-25T23:00 2027-03-28T22:00"],
        ["Pacific/Kiritimati", "20270327T100000Z", "2027-03-25T10:00 2027-03-28T10:00"],
        ["Asia/Kolkata", "20270327T183000Z", "2027-03-25T18:30 2027-03-28T18:30"],
        ["Asia/Beirut", "20270327T220000Z", "2027-03-25T22:00 2027-03-28T21:00"],
        ["America/New_York", "20270328T040000Z", "2027-03-26T04:00 2027-03-29T04:00"],
        ["Europe/London", "20270328T000000Z", "2027-03-26T00:00 2027-03-28T23:00"],
        ["Asia/Kolkata", "20270328T235959Z", "2027-03-25T18:30 2027-03-28T18:30"]
      ] as const) {
        const series = calendar(event("DTSTART;VALUE=DATE:20270326", `RRULE:FREQ=DAILY;UNTIL=${until}`))
        assert.deepStrictEqual(yield* times(series, zone), [expected], `${zone} ${until}`)
      }
    })
  )

  it.effect("is known of an event that is not understood whole as far as it goes, and the event is named", () =>
    Effect.gen(function* () {
      const hourly = event("DTSTART:20261207T100000Z", "DURATION:PT30M", "RRULE:FREQ=HOURLY", "SUMMARY:Ana's party")
      const nothing = event("DTSTART:soon", "DURATION:PT30M")
      const { busy, unread } = yield* read(calendar(hourly, nothing, event("SUMMARY:no time")))
      // Half hours from ten o'clock, of which the last one may begin at midnight.
      assert.deepStrictEqual(
        busy.map(({ end, start }) => [start, end].map((at) => new Date(at).toISOString())),
        [["2026-12-07T10:00:00.000Z", "2027-11-26T00:30:00.000Z"]]
      )
      assert.deepStrictEqual(unread, [
        {
          at: "2026-12-07T10:00:00Z",
          why: 'its RRULE has FREQ=HOURLY, which is not understood: it counts for whole days ("RRULE:FREQ=HOURLY")'
        },
        { at: '"soon"', why: 'it has no DTSTART that can be read: it closes nothing ("DTSTART:soon")' },
        { at: "no known time", why: "it has no DTSTART that can be read: it closes nothing" }
      ])
      assert.notInclude(JSON.stringify(unread), "Ana")
    })
  )

  it.effect("A1, A3: goes on without an end that can't be read, and that is named with its line", () =>
    Effect.gen(function* () {
      const saturdays = (until: string) =>
        calendar(event("DTSTART;TZID=Europe/London:20261205T140000", "DURATION:PT2H", `RRULE:FREQ=WEEKLY${until}`))
      const starts = (until: string) => Effect.map(times(saturdays(until)), (all) => all.map((one) => one.slice(0, 10)))
      const december = ["2026-12-05", "2026-12-12", "2026-12-19", "2026-12-26"]
      // kewisch/ical.js 197 (hyphens); libical PR 191 (a semicolon at the end).
      for (const until of [
        ";UNTIL=2026-12-31",
        ";UNTIL=20261231;",
        ";until=2026-12-31T23:59:59Z",
        ";COUNT=4;BYDAY=SA;"
      ]) {
        assert.deepStrictEqual(yield* starts(until), december, until)
        assert.lengthOf((yield* read(saturdays(until))).unread, 0, until)
      }
      for (const until of [";UNTIL=31.12.2026", ";UNTIL=NEVER", ";COUNT=0", ";COUNT=four", ";UNTIL="]) {
        assert.lengthOf(yield* starts(until), 51, until)
        const { unread } = yield* read(saturdays(until))
        assert.deepStrictEqual(
          unread.map(({ at, why }) => [at, why]),
          [
            [
              "2026-12-05T14:00:00",
              `its RRULE has ${until.slice(1).toUpperCase()}, which is not understood: it goes on without that end ("RRULE:FREQ=WEEKLY${until}")`
            ]
          ]
        )
      }
      // Which days, is not understood: each one, up to the end, which is.
      assert.lengthOf(yield* starts(";BYDAY=SATURDAYS;UNTIL=20261231"), 27)
      assert.lengthOf(yield* starts(";X-FULL-MOON=1;UNTIL=20261231"), 27)
    })
  )

  it.effect("is never shorter than what can't be read of an event might mean", () =>
    Effect.gen(function* () {
      const start = "DTSTART;TZID=Europe/London:20261205T140000"
      for (const end of ["DTEND:later", "DTEND;TZID=Europe/London:2026", "DURATION:two hours"]) {
        const { unread } = yield* read(calendar(event(start, end)))
        assert.deepStrictEqual(yield* times(calendar(event(start, end))), ["2026-12-05T14:00 2026-12-06T00:00"], end)
        assert.include(unread[0]?.why ?? "", `can't be read: it counts until the end of the day ("${end}")`)
      }
      for (const hours of [["DURATION:PT2H"], ["DTEND:20261205T160000"], ["DTEND:4 pm"]]) {
        const text = calendar(event("DTSTART:20261205T2pm", ...hours))
        assert.deepStrictEqual(yield* times(text), ["2026-12-05T00:00 2026-12-06T00:00"], hours[0])
        assert.deepInclude((yield* read(text)).unread, {
          at: '"20261205T2pm"',
          why: 'it has a DTSTART that can\'t be read: it counts for its whole day ("DTSTART:20261205T2pm")'
        })
      }
      const years = event(start, "DTEND:20280101T000000Z", "RRULE:FREQ=YEARLY")
      assert.deepStrictEqual(yield* times(calendar(years)), ["2026-12-05T14:00 9999-01-01T00:00"])
      const many = event(start, "DURATION:PT2H", ...Array.from({ length: 5 }, () => "RRULE:FREQ=YEARLY;UNTIL=20261231"))
      assert.isAbove((yield* times(calendar(many))).length, 300)
      const century = event("DTSTART:18000101T100000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=99999999")
      assert.isAbove((yield* times(calendar(century))).length, 300)
      const unended = event("BEGIN:VALARM", "DURATION:PT5M", "END:VALARM", start, "DURATION:PT2H", "BEGIN:VALARM")
      assert.deepStrictEqual(yield* times(calendar(unended)), ["2026-12-05T14:00 2026-12-05T16:00"])
      assert.match((yield* read(calendar(unended))).unread[0]?.why ?? "", /a part without an end: "BEGIN:VALARM"/)
    })
  )

  it.effect("A2, X4: is read of times with more marks than the standard has, or fewer, that have one meaning", () =>
    Effect.gen(function* () {
      for (const [value, from, to] of [
        [":20261205T140000.000Z", "14:00", "15:00"],
        [":20261205T140000+0100", "13:00", "14:00"],
        [":2026-12-05T14:00:00Z", "14:00", "15:00"],
        [": 20261205T1400", "14:00", "15:00"],
        [';TZID="Europe/Paris":20261205T140000', "13:00", "14:00"],
        [";tzid=europe/paris:20261205T140000", "13:00", "14:00"]
      ] as const) {
        const text = calendar(event(`DTSTART${value}`, "DURATION:PT1H"))
        assert.deepStrictEqual(yield* times(text), [`2026-12-05T${from} 2026-12-05T${to}`], value)
        assert.lengthOf((yield* read(text)).unread, 0, value)
      }
      const day = calendar(event("DTSTART:20261205", "DTEND:20261206"), event("DTSTART:20261207", "DTEND:"))
      assert.deepStrictEqual(yield* times(day), [
        "2026-12-05T00:00 2026-12-06T00:00",
        "2026-12-07T00:00 2026-12-08T00:00"
      ])
      const named = calendar(event("DTSTART;VALUE=DATE-TIME:20261205", "DTEND;VALUE=DATE-TIME:20261206"))
      assert.deepStrictEqual(yield* times(named), ["2026-12-05T00:00 2026-12-06T00:00"])
    })
  )

  it.effect("is read of folded lines, bare line feeds, and a file that begins with a byte order mark", () =>
    Effect.gen(function* () {
      const text = `\uFEFF${calendar(event("DTSTART:2026\r\n 1207T1000\r\n\t00Z", "DURATION:PT1H"))}`
      for (const it of [text, text.replaceAll("\r\n", "\n")])
        assert.deepStrictEqual(yield* times(it), ["2026-12-07T10:00 2026-12-07T11:00"])
    })
  )
})

describe("a hostile calendar", () => {
  const why = (text: string) =>
    Effect.map(Effect.result(read(text)), (it) => (Result.isFailure(it) ? it.failure.message : "read"))

  it.effect("is refused if it is none, or breaks off", () =>
    Effect.gen(function* () {
      assert.match(yield* why("<html></html>"), /no calendar/)
      assert.match(yield* why("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n"), /breaks off/)
      assert.match(yield* why(calendar(event("DTSTART:20261207T100000Z")).slice(0, -20)), /breaks off/)
    })
  )

  it.effect(
    "is stored in 2000 times at most: the shortest gaps between them count as busy, too, and that is said",
    () =>
      Effect.gen(function* () {
        const minutes = (i: number) => new Date(Date.UTC(2026, 11, 1) + i * 60_000).toISOString().slice(0, 16)
        const at = (i: number) => `${minutes(i).replaceAll(/[-:]/g, "")}00Z`
        // Half hours, with gaps of ten minutes and of two hours in turn.
        const begins = Array.from({ length: 2100 }, (_, i) => Math.floor(i / 2) * 190 + (i % 2) * 40)
        const text = calendar(...begins.map((begin) => event(`DTSTART:${at(begin)}`, "DURATION:PT30M")))
        const found = yield* times(text)
        assert.lengthOf(found, 1050)
        assert.strictEqual(found[1], `${minutes(190)} ${minutes(260)}`)
        assert.deepStrictEqual((yield* read(text)).unread, [
          {
            at: "2026-12-01T00:00",
            why: "it is one of more than 2000 busy times: gaps between them of up to 10 minutes count as busy, too"
          }
        ])
      })
  )

  it.effect("takes no more than its share of time: endless rules, many events, many changes of one series", () =>
    Effect.gen(function* () {
      const endless = event("DTSTART:20200101T100000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31")
      const daily = event("DTSTART:20200101T100000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY")
      const series = event("DTSTART:20200101T100000Z", "DURATION:PT1H")
      const change = event("RECURRENCE-ID:20270101T100000Z", "DTSTART:20270101T100000Z", "DURATION:PT1H")
      const many = (text: string, n: number) => Array.from({ length: n }, () => text)
      assert.strictEqual(yield* why(calendar(endless)), "read")
      assert.match(yield* why(calendar(...many(endless, 15_000))), /too long/)
      assert.match(yield* why(calendar(...many(daily, 15_000))), /too long|more than 20000 times/)
      assert.match(yield* why(calendar(...many(series, 9_000), ...many(change, 9_000))), /too long/)
      const changeOfAll = change.replace("RECURRENCE-ID", "RECURRENCE-ID;RANGE=THISANDFUTURE")
      assert.match(yield* why(calendar(daily, ...many(changeOfAll, 9_000))), /too long/)
      assert.match(
        yield* why(calendar(many(event("DTSTART:20261207"), 100_000).join("\r\n"))),
        /more than 20000 events/
      )
      const rules = many("RRULE:FREQ=DAILY", 10_000)
      assert.strictEqual(yield* why(calendar(event("DTSTART:20200101T100000Z", "DURATION:PT1H", ...rules))), "read")
      const zone = westEurope.replaceAll("INTERVAL=1;BYDAY=-1SU;BYMONTH=10", "BYMONTH=2;BYMONTHDAY=30")
      const zoned = event("DTSTART;TZID=W. Europe Standard Time:20270323T100000", "DURATION:PT1H")
      assert.strictEqual(yield* why(calendar(zoned, zone)), "read")
      assert.strictEqual(
        yield* why(calendar(event("DTSTART:20261207T100000Z", `SUMMARY:${"x".repeat(4_000_000)}`))),
        "read"
      )
    })
  )

  it.effect("S2: is bounded by line, by event and in all: lines about time, parts, and what lists have", () =>
    Effect.gen(function* () {
      const start = "DTSTART:20261207T100000Z"
      const many = (text: string, n: number) => Array.from({ length: n }, () => text)
      const list = (n: number) => `EXDATE:${many("20270101T100000Z", n).join(",")}`
      assert.strictEqual(yield* why(calendar(event(start, list(5000)))), "read")
      assert.match(yield* why(calendar(event(start, list(6000)))), /more than 100000 characters/)
      const folded = list(6000).replaceAll(",", ",\r\n ")
      assert.match(yield* why(calendar(event(start, folded))), /more than 100000 characters/)
      // What says nothing about time may be as long as it likes.
      assert.strictEqual(yield* why(calendar(event(start, `ATTACH:${"x".repeat(4_000_000)}`))), "read")
      assert.match(yield* why(calendar(event(start, ...many("EXDATE:20270101", 20_001)))), /more than 20000 lines/)
      assert.match(yield* why(calendar(event(start, ...many("BEGIN:VALARM", 20_002)))), /more than 20000 lines/)
      assert.strictEqual(yield* why(calendar(...many(event(start, list(2500)), 70))), "read")
      assert.match(yield* why(calendar(...many(event(start, list(2500)), 90))), /too long/)
    })
  )
})
