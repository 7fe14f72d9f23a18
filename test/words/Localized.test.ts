import { assert, describe, it } from "@effect/vitest"
import { languages } from "../../src/words/Languages.ts"
import { dateIn, dateTimeIn, moneyIn, timeIn, timesIn, visitTimeIn, zoneNameIn } from "../../src/words/Localized.ts"

const zone = "Europe/London"
const start = Date.parse("2026-12-05T14:00:00Z")

describe("dates and money for people", () => {
  it("are written as their language does, by the clock of the playroom", () => {
    assert.deepStrictEqual(
      languages.map((language) => dateTimeIn(language, zone, start)),
      [
        "Saturday, 5 December 2026 at 14:00",
        "Saturday, December 5, 2026 at 2:00 PM",
        "Samstag, 5. Dezember 2026 um 14:00 Uhr",
        "samedi 5 décembre 2026 à 14:00",
        "sábado, 5 de diciembre de 2026, 14:00",
        "sobota, 5 grudnia 2026 14:00",
        "2026年12月5日土曜日 14:00"
      ]
    )
    assert.strictEqual(dateTimeIn("en", "Asia/Tokyo", start), "Saturday, 5 December 2026 at 23:00")
    assert.strictEqual(dateIn("fr", zone, start), "samedi 5 décembre 2026")
    assert.strictEqual(zoneNameIn("de", zone, start), "Mittlere Greenwich-Zeit")
  })

  it("say midnight as 00:00, in American English as 12:00 AM", () => {
    assert.deepStrictEqual(
      languages.map((language) => timeIn(language, zone, Date.parse("2026-12-05T00:00:00Z"))),
      ["00:00", "12:00 AM", "00:00 Uhr", "00:00", "00:00", "00:00", "00:00"]
    )
  })

  it("X13: say the times of a visit once, with the word of the clock, and as a time by itself is said", () => {
    const end = start + 2.5 * 60 * 60_000
    assert.deepStrictEqual(
      languages.map((language) => timesIn(language, zone, start, end).replaceAll(/\s/g, " ")),
      [
        "14:00–16:30",
        "2:00 – 4:30 PM",
        "14:00–16:30 Uhr",
        "14:00 – 16:30",
        "14:00–16:30",
        "14:00–16:30",
        "14:00～16:30"
      ]
    )
    const morning = Date.parse("2026-12-05T09:00:00Z")
    for (const language of languages.filter((one) => one !== "en-US"))
      assert.match(timesIn(language, zone, morning, start), /^09:00.+14:00/, language)
    assert.strictEqual(timesIn("de", zone, end, end + 9 * 60 * 60_000), "16:30 Uhr – 01:30 Uhr")
    assert.strictEqual(visitTimeIn("de", zone, start, end), "Samstag, 5. Dezember 2026, 14:00–16:30 Uhr")
    assert.strictEqual(
      visitTimeIn("de", zone, end, end + 9 * 60 * 60_000),
      "Samstag, 5. Dezember 2026 um 16:30 Uhr – Sonntag, 6. Dezember 2026 um 01:30 Uhr"
    )
  })

  it("tell the two hours apart that the clock shows when it goes back", () => {
    const [first, second] = ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"].map(Date.parse)
    for (const language of languages) {
      assert.match(timeIn(language, zone, first ?? 0), /^(?:01:30(?: Uhr)?|1:30\sAM) \((?:GMT|UTC)\+1\)$/)
      assert.match(timesIn(language, zone, first ?? 0, (second ?? 0) + 60_000), /\+1\) – .*\((?:GMT|UTC)\+?0?\)$/)
      assert.notStrictEqual(dateTimeIn(language, zone, first ?? 0), dateTimeIn(language, zone, second ?? 0))
    }
  })

  it("have the decimals of the currency by ISO 4217", () => {
    assert.deepStrictEqual(
      languages.map((language) => moneyIn(language, 120_050, "EUR").replace(/\s/g, " ")),
      ["€1,200.50", "€1,200.50", "1.200,50 €", "1 200,50 €", "1200,50 €", "1200,50 €", "€1,200.50"]
    )
    assert.strictEqual(moneyIn("ja", 24_000, "JPY"), "￥24,000")
    assert.strictEqual(moneyIn("en", 0, "KWD").replace(/\s/g, " "), "KWD 0.000")
    assert.strictEqual(moneyIn("en", 5_000, "USD"), "US$50.00")
    assert.strictEqual(moneyIn("en-US", 5_000, "USD"), "$50.00")
    assert.strictEqual(moneyIn("en", 5, "HUF").replace(/\s/g, " "), "HUF 0.05")
  })
})
