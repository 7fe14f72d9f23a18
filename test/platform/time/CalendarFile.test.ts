import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { convertIcsCalendar, type IcsEvent } from "ts-ics"
import { type CalendarEvent, calendarFile } from "../../../src/platform/time/CalendarFile.ts"
import { format, hourMs, type Instant, minuteMs, offsetAt } from "../../../src/platform/time/LocalTime.ts"
import { runs } from "../../support/runs.ts"

const event = (more: Partial<CalendarEvent>): CalendarEvent => ({
  uid: "booking_01h455vb4pex5vsknk084sn02q",
  sequence: 2,
  changed_at: Date.parse("2026-11-01T09:30:00Z"),
  status: "confirmed",
  start: Date.parse("2026-12-05T14:00:00Z"),
  end: Date.parse("2026-12-05T16:00:00Z"),
  time_zone: "Europe/London",
  summary: "Party",
  ...more
})

const fileOf = (...events: ReadonlyArray<Partial<CalendarEvent>>) =>
  calendarFile({ language: "en", events: events.map(event) })

/** Read by another library than the one that writes, by the rules in the file. */
const read = (text: string): ReadonlyArray<IcsEvent> => convertIcsCalendar(undefined, text).events ?? []

const linesOf = (text: string): ReadonlyArray<string> => text.split("\r\n")

const seasons = ["2026-12-05T14:00:00Z", "2027-02-20T09:00:00Z", "2027-07-10T03:00:00Z"].map((at) => Date.parse(at))

describe("a calendar file", () => {
  it("holds what an event is, when it was changed, and how often", () => {
    const text = calendarFile({
      name: "Jolly Jumpers, Leeds",
      refresh_minutes: 60,
      language: "de",
      events: [
        event({
          status: "tentative",
          description: "8 children",
          location: "1 High Street; Leeds"
        }),
        event({ uid: "booking_2", status: "cancelled" })
      ]
    })
    const calendar = convertIcsCalendar(undefined, text)
    assert.strictEqual(calendar.version, "2.0")
    assert.includeMembers(
      [...linesOf(text)],
      [
        "PRODID:-//Playroom booking//Bookings//DE",
        "X-WR-CALNAME:Jolly Jumpers\\, Leeds",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
        "X-PUBLISHED-TTL:PT1H",
        "DTSTART;TZID=Europe/London:20261205T140000",
        "DTEND;TZID=Europe/London:20261205T160000",
        "LAST-MODIFIED:20261101T093000Z"
      ]
    )
    const [held, cancelled] = read(text)
    assert.strictEqual(held?.uid, "booking_01h455vb4pex5vsknk084sn02q")
    assert.strictEqual(held?.sequence, 2)
    assert.strictEqual(held?.status, "TENTATIVE")
    assert.strictEqual(held?.stamp.date.toISOString(), "2026-11-01T09:30:00.000Z")
    assert.strictEqual(held?.location, "1 High Street; Leeds")
    assert.strictEqual(cancelled?.status, "CANCELLED")
    assert.strictEqual(cancelled?.timeTransparent, "TRANSPARENT")
    assert.strictEqual(linesOf(text).filter((line) => line === "BEGIN:VTIMEZONE").length, 1)
  })

  it("has METHOD, ORGANIZER and the time of the message if it goes by letter, and neither if it is opened", () => {
    const sent = { method: "CANCEL", from: "b+o#k%@example.org", at: Date.parse("2026-11-02T08:00:00Z") } as const
    const file = (organizer: string) =>
      calendarFile({ language: "en", events: [event({ status: "cancelled" })], sent: { ...sent, organizer } })
    const text = file('Jolly; "Jumpers"\r\nMETHOD:REQUEST')
    const calendar = convertIcsCalendar(undefined, text)
    assert.strictEqual(calendar.method, "CANCEL")
    const [found] = calendar.events ?? []
    assert.strictEqual(found?.stamp.date.getTime(), sent.at)
    assert.strictEqual(found?.organizer?.email, "b+o%23k%25@example.org")
    const lines = linesOf(text.replaceAll("\r\n ", ""))
    assert.deepStrictEqual(
      lines.filter((line) => line.startsWith("ORGANIZER")),
      [`ORGANIZER;CN="Jolly; ^'Jumpers^' METHOD:REQUEST":mailto:b+o%23k%25@example.org`]
    )
    assert.deepStrictEqual(
      lines.filter((line) => line.startsWith("METHOD")),
      ["METHOD:CANCEL"]
    )
    assert.notMatch(fileOf({}), /METHOD|ORGANIZER/)
  })

  it("says the right instant by its own rules on both sides of each clock change", () => {
    const changes: ReadonlyArray<readonly [zone: string, change: string]> = [
      ["Europe/London", "2027-03-28T01:00:00Z"],
      ["Europe/London", "2027-10-31T01:00:00Z"],
      ["America/Los_Angeles", "2027-03-14T10:00:00Z"],
      ["America/Los_Angeles", "2027-11-07T09:00:00Z"],
      ["Australia/Sydney", "2027-04-03T16:00:00Z"],
      ["Australia/Sydney", "2027-10-02T16:00:00Z"],
      ["Australia/Lord_Howe", "2027-04-03T15:00:00Z"],
      ["Australia/Lord_Howe", "2027-10-02T15:30:00Z"]
    ]
    for (const [time_zone, change] of changes) {
      const at = Date.parse(change)
      assert.notStrictEqual(offsetAt(time_zone, at - 1), offsetAt(time_zone, at), `${time_zone} ${change}`)
      // The hours close by are written in UTC where the clock shows them twice, and this reader knows changes by the
      // day only.
      for (const hours of [-240, -48, -30, 30, 48, 240]) {
        const start = at + hours * hourMs
        const [found] = read(fileOf({ time_zone, start, end: start + 2 * hourMs }))
        assert.strictEqual(found?.start.local?.timezone, time_zone)
        assert.strictEqual(found?.start.date.getTime(), start, format(time_zone, start))
        assert.strictEqual(found?.end?.date.getTime(), start + 2 * hourMs)
      }
    }
  })

  it("has local times as the wall shows them, and UTC for both times where the wall shows one of them twice", () => {
    const change = Date.parse("2027-10-31T01:00:00Z")
    const times = (start: Instant, minutes: number) =>
      linesOf(fileOf({ start, end: start + minutes * minuteMs })).filter((line) => /^DT(START|END).*:2027/.test(line))
    assert.deepStrictEqual(times(change - 180 * minuteMs, 60), [
      "DTSTART;TZID=Europe/London:20271030T230000",
      "DTEND;TZID=Europe/London:20271031T000000"
    ])
    assert.deepStrictEqual(times(change - 30 * minuteMs, 60), ["DTSTART:20271031T003000Z", "DTEND:20271031T013000Z"])
    assert.deepStrictEqual(times(change + 30 * minuteMs, 60), ["DTSTART:20271031T013000Z", "DTEND:20271031T023000Z"])
    assert.deepStrictEqual(times(change + 60 * minuteMs, 60), [
      "DTSTART;TZID=Europe/London:20271031T020000",
      "DTEND;TZID=Europe/London:20271031T030000"
    ])
  })

  it("has local times and rules for every zone that a playroom may name", () => {
    const zones = [
      ...Intl.supportedValuesOf("timeZone"),
      "GB",
      "US/Pacific",
      "Asia/Calcutta",
      "Europe/Kiev",
      "UTC",
      "EST"
    ]
    for (const time_zone of zones) {
      const text = fileOf(...seasons.map((start) => ({ time_zone, start, end: start + hourMs })))
      assert.include(text, "BEGIN:VTIMEZONE", time_zone)
      const local = seasons.map((start) => format(time_zone, start).slice(0, 19).replaceAll(/[-:]/g, ""))
      assert.deepStrictEqual(
        [...text.matchAll(/DTSTART;TZID=.*:(\S+)/g)].map(([, time]) => time),
        local,
        time_zone
      )
    }
  })

  it("is read with the right instants in each season by rules of every kind", () => {
    const zones =
      "Europe/London America/Los_Angeles Australia/Sydney Australia/Lord_Howe Asia/Tokyo Africa/Casablanca America/Santiago Pacific/Chatham Africa/Cairo Asia/Jerusalem America/St_Johns Antarctica/Troll America/Havana Europe/Dublin"
    for (const time_zone of zones.split(" ")) {
      const text = fileOf(...seasons.map((start) => ({ time_zone, start, end: start + hourMs })))
      assert.deepStrictEqual(
        read(text).map(({ start }) => start.date.getTime()),
        seasons,
        time_zone
      )
    }
  })

  it("has UTC times where a zone's rules differ from the runtime's data, and where there are none", () => {
    // The rules in the file have Israel's change of spring 2028 a week late.
    const start = Date.parse("2028-03-28T14:00:00Z")
    for (const time_zone of ["Asia/Jerusalem", "JST"]) {
      assert.include(fileOf({ time_zone, start, end: start + hourMs }), "DTSTART:20280328T140000Z")
    }
  })

  it("folds lines at 75 octets, ends them with CRLF, and lets no text break out of its own", () => {
    const hostile = fc.string({
      unit: fc.constantFrom(
        "a",
        ",",
        ";",
        "\\",
        ":",
        "\n",
        "\r\n",
        "\r",
        "\t",
        "\u0000",
        "\u001b",
        "\u007f",
        "\u0085",
        "\u2028",
        "é",
        "🎈",
        "👩‍👧",
        "\ud800",
        '"',
        "BEGIN:VEVENT",
        "END:VCALENDAR",
        "\\n",
        " "
      ),
      maxLength: 120
    })
    fc.assert(
      fc.property(hostile, hostile, hostile, (summary, description, location) => {
        const text = fileOf({ summary, description, location })
        assert.isTrue(text.endsWith("END:VCALENDAR\r\n"))
        for (const line of linesOf(text)) {
          assert.isAtMost(Buffer.byteLength(line), 75)
          // oxlint-disable-next-line no-control-regex -- what must not be there
          assert.notMatch(line, /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/)
        }
        const events = read(text)
        assert.strictEqual(events.length, 1)
        assert.strictEqual(events[0]?.uid, "booking_01h455vb4pex5vsknk084sn02q")
        const unfolded = text.replaceAll("\r\n ", "")
        assert.strictEqual(unfolded.match(/^SUMMARY:/gm)?.length, 1)
        assert.strictEqual(unfolded.match(/^(BEGIN|END):VEVENT$/gm)?.length, 2)
      }),
      { numRuns: runs(30) }
    )
  })

  it("gives people's texts back as they were", () => {
    const description = "Two lines,\nwith; a \\ and a 🎈 at the fold: ".repeat(4)
    assert.strictEqual(read(fileOf({ description }))[0]?.description?.trim(), description.trim())
  })

  it("is the same text for the same events", () => {
    assert.strictEqual(fileOf({}, { uid: "booking_2" }), fileOf({}, { uid: "booking_2" }))
  })
})
