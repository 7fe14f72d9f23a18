/** Rules of time zones from compiled files, as systems have them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dayMs, format, hourMs, runtimeRules, zoneRules } from "../../../src/platform/time/LocalTime.ts"
import { calendarFile } from "../../../src/platform/time/CalendarFile.ts"
import { useNewerRules, zoneFile } from "../../../src/platform/time/ZoneInfo.ts"
import { compiled, writeZones, zoneFolder } from "../../support/zoneFiles.ts"
import { dateTimeIn, timesIn, zoneNameIn } from "../../../src/words/Localized.ts"

const inFolder = (release: string, files: Readonly<Record<string, Buffer>>, then: (folder: string) => void): void =>
  Effect.runSync(
    Effect.scoped(
      Effect.map(zoneFolder, (folder) => {
        writeZones(folder, release, files)
        then(folder)
      })
    )
  )

const [first, last] = [Date.UTC(2026, 0, 1), Date.UTC(2038, 0, 1)]

describe("rules of time zones in a folder", () => {
  it("say the same as the runtime's, by the rules that files end with", () => {
    for (const [zone, rule] of Object.entries({
      "America/New_York": "EST5EDT,M3.2.0,M11.1.0",
      "Europe/Paris": "CET-1CEST,M3.5.0,M10.5.0/3",
      "Europe/Dublin": "IST-1GMT0,M10.5.0,M3.5.0/1",
      "Australia/Lord_Howe": "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
      "Pacific/Auckland": "NZST-12NZDT,M9.5.0,M4.1.0/3",
      "Asia/Jerusalem": "IST-2IDT,M3.4.4/26,M10.5.0",
      "America/Nuuk": "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
      "Asia/Kolkata": "IST-5:30"
    })) {
      const [here, there] = [zoneFile(compiled(rule)), runtimeRules.zone(zone)]
      // Hour by hour on days on which a clock changes.
      for (let day = first, offset = here?.(first); day < last; day += dayMs) {
        const changes = here?.(day + dayMs) !== offset
        offset = here?.(day + dayMs)
        for (let at = day; at <= (changes ? day + dayMs : day); at += hourMs)
          assert.strictEqual(here?.(at), there?.(at), `${zone} ${new Date(at).toISOString()}`)
      }
    }
    // Days of the year, with and without the 29 February.
    const [counted, all] = ["J60/0,J90/0", "59/0,90/0"].map((days) => zoneFile(compiled(`AAA0BBB,${days}`)))
    const noons = ["2027-02-28", "2027-03-01", "2028-02-29", "2028-03-01"].map((day) => Date.parse(`${day}T12:00:00Z`))
    assert.deepStrictEqual(
      noons.map((noon) => [counted?.(noon), all?.(noon)]),
      [
        [0, 0],
        [hourMs, hourMs],
        [0, hourMs],
        [hourMs, hourMs]
      ]
    )
    assert.strictEqual(zoneFile(Buffer.from("no such file")), undefined)
    assert.strictEqual(zoneFile(compiled("nonsense,")), undefined)
  })

  it("are used where they are newer: for instants, words and calendars; what they lack goes by the runtime's", () => {
    const files = { "America/Vancouver": compiled("PST8PDT,M3.2.0,M11.1.0") }
    const at = Date.parse("2027-01-16T22:00:00Z")
    inFolder("2099a", files, (folder) => {
      useNewerRules(folder)
      assert.deepInclude(zoneRules(), { release: "2099a", from: folder })
      assert.strictEqual(format("America/Vancouver", at), "2027-01-16T14:00:00-08:00")
      assert.include(dateTimeIn("en", "America/Vancouver", at), "14:00")
      assert.include(timesIn("de", "America/Vancouver", at, at + hourMs), "14:00–15:00")
      assert.include(["GMT-8", "Pacific Standard Time"], zoneNameIn("en", "America/Vancouver", at))
      assert.strictEqual(format("Europe/London", at), "2027-01-16T22:00:00+00:00")
      const text = calendarFile({
        language: "en",
        events: [
          {
            uid: "a",
            sequence: 0,
            changed_at: at,
            status: "confirmed",
            start: at,
            end: at + hourMs,
            time_zone: "America/Vancouver",
            summary: "Party"
          }
        ]
      })
      assert.match(text, /DTSTART:20270116T220000Z|TZOFFSETTO:-0800[\s\S]*DTSTART;TZID=\S+:20270116T140000/)
    })
    inFolder("2000a", files, (folder) => {
      useNewerRules(folder)
      assert.strictEqual(zoneRules().release, runtimeRules.release)
    })
    useNewerRules("/nowhere")
    assert.strictEqual(zoneRules().release, runtimeRules.release)
  })
})
