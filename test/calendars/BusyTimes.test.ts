import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { busyTimes } from "../../src/calendars/BusyTimes.ts"
import { readCalendar } from "../../src/calendars/CalendarText.ts"
import { westEurope } from "../support/outlookZone.ts"

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

  for (const [what, text, why] of [
    ["an end", event("DTSTART:20261210T110000Z", "DTEND:20261210T100000Z"), "it ends before it begins"],
    ["a length", event("DTSTART:20261210T110000Z", "DURATION:-PT1H"), "it ends before it begins"],
    [
      "a date that is a period",
      event("DTSTART:20261210T110000Z", "RDATE;VALUE=PERIOD:20261211T110000Z/20261211T100000Z"),
      "it has an RDATE that can't be read"
    ],
    [
      "a listed time",
      lines("BEGIN:VFREEBUSY", "UID:a", "FREEBUSY:20261210T110000Z/20261210T100000Z", "END:VFREEBUSY"),
      "it has a FREEBUSY that can't be read"
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
      const unknown = yield* read(calendar(event("DTSTART;TZID=Narnia:20270323T100000", "DURATION:PT1H")))
      assert.lengthOf(unknown.busy, 1)
      assert.match(unknown.unread[0]?.why ?? "", /time zone Narnia is not known/)
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

  it.effect("has no whole day that is excluded or cancelled, however its date is written", () =>
    Effect.gen(function* () {
      for (const date of [
        ";VALUE=DATE:20270327",
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
          { at: "2026-12-01T00:00:00Z", why: "it has lines that can't be read" },
          { at: "2026-12-01T00:00:00Z", why: "it has a FREEBUSY that can't be read" }
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
        ["it has an EXDATE that can't be read", "it has an RDATE that can't be read"]
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
        assert.match((yield* read(calendar(beyond))).unread[0]?.why ?? "", /can't be read/)
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
      assert.lengthOf(busy, 1)
      assert.deepStrictEqual(
        unread.map(({ why }) => why),
        ["its RRULE has the frequency HOURLY", "it has a time that can't be read", "it has no DTSTART that can be read"]
      )
      assert.notInclude(JSON.stringify(unread), "Ana")
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
      assert.strictEqual(
        yield* why(calendar(event("DTSTART:20261207T100000Z", `RDATE:${"2".repeat(200_000)}`))),
        "read"
      )
    })
  )
})
