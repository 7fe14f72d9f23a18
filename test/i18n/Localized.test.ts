import { assert, describe, it } from "@effect/vitest"
import { languages } from "../../src/i18n/Languages.ts"
import { dateIn, dateTimeIn, moneyIn, timeIn, zoneNameIn } from "../../src/i18n/Localized.ts"

const zone = "Europe/London"
const start = Date.parse("2026-12-05T14:00:00Z")

describe("dates and money for people", () => {
  it("are written as their language does, by the clock of the playroom", () => {
    assert.deepStrictEqual(
      languages.map((language) => dateTimeIn(language, zone, start)),
      [
        "Saturday, 5 December 2026 at 14:00",
        "Samstag, 5. Dezember 2026 um 14:00",
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

  it("say midnight as 00:00", () => {
    for (const language of languages) {
      assert.strictEqual(timeIn(language, zone, Date.parse("2026-12-05T00:00:00Z")), "00:00")
    }
  })

  it("tell the two hours apart that the clock shows when it goes back", () => {
    const [first, second] = ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"].map(Date.parse)
    for (const language of languages) {
      assert.match(timeIn(language, zone, first ?? 0), /^01:30 \((GMT|UTC)\+1\)$/)
      assert.notStrictEqual(dateTimeIn(language, zone, first ?? 0), dateTimeIn(language, zone, second ?? 0))
    }
  })

  it("have the decimals of the currency by ISO 4217", () => {
    assert.deepStrictEqual(
      languages.map((language) => moneyIn(language, 120_050, "EUR").replace(/\s/g, " ")),
      ["€1,200.50", "1.200,50 €", "1 200,50 €", "1200,50 €", "1200,50 €", "€1,200.50"]
    )
    assert.strictEqual(moneyIn("ja", 24_000, "JPY"), "￥24,000")
    assert.strictEqual(moneyIn("en", 0, "KWD").replace(/\s/g, " "), "KWD 0.000")
    assert.strictEqual(moneyIn("en", 5, "HUF").replace(/\s/g, " "), "HUF 0.05")
  })
})
