import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  clockText,
  dateText,
  decimalComma,
  hoursText,
  weekdaysText,
  yesNoText
} from "../../../src/domain/import/CellText.ts"
import { amountText } from "../../../src/platform/money/Money.ts"
import { openingHoursFrom, weekdaysFrom } from "../../../src/domain/import/CatalogueSchema.ts"

const said = (reading: Result.Result<string, string>): string => Result.merge(reading)

describe("V6: what people write in spreadsheets", () => {
  it("are amounts with their currency's sign, a decimal comma and marks of thousands", () => {
    for (const [cell, currency, text] of [
      ["€ 12,50", "EUR", "12.50"],
      ["12,50 €", "EUR", "12.50"],
      ["EUR 12.5", "EUR", "12.5"],
      ["12 euros", "EUR", "12"],
      ["1.234,50\u00A0€", "EUR", "1234.50"],
      ["1\u202F234,50 €", "EUR", "1234.50"],
      ["1.234", "EUR", "1234"],
      ["1,234", "GBP", "1234"],
      ["1,234,567.00", "USD", "1234567.00"],
      ["1'234.50", "CHF", "1234.50"],
      ["£220", "GBP", "220"],
      ["1 234,50 zł", "PLN", "1234.50"],
      ["￥12,000", "JPY", "12000"],
      ["12000円", "JPY", "12000"],
      ["12.500", "KWD", "12.500"],
      ["0,500", "KWD", 'Expected 0.500 or 0500, since "0,500" may be either'],
      // What is no such amount stays as it is, and is refused as that.
      ["€ 12,50", "GBP", "€ 12,50"],
      ["12,34,56", "EUR", "12,34,56"],
      ["1.23.456", "EUR", "1.23.456"],
      ["ab 12", "EUR", "ab 12"]
    ] as const)
      assert.strictEqual(said(amountText(cell, currency)), text, cell)
    assert.strictEqual(decimalComma("51,5"), "51.5")
    assert.strictEqual(decimalComma("5,5 %"), "5.5 %")
  })

  it("are dates in any order, but none that two countries read differently", () => {
    for (const cell of [
      "24/12/2026",
      "24.12.2026",
      "24-12-26",
      "12/24/2026",
      "2026年12月24日",
      "2026/12/24",
      "2026. 12. 24."
    ])
      assert.strictEqual(said(dateText(cell, "ES")), "2026-12-24", cell)
    assert.strictEqual(said(dateText("3/4/2026", "GB")), "2026-04-03")
    assert.strictEqual(
      said(dateText("3/4/2026", "US")),
      'Expected 2026-03-04 or 2026-04-03, since "3/4/2026" may be either'
    )
    assert.strictEqual(said(dateText("Christmas", "GB")), "Christmas")
  })

  it("are times and truths", () => {
    for (const [cell, text] of [
      ["9:00", "09:00"],
      ["9.30", "09:30"],
      ["9h30", "09:30"],
      ["18 Uhr", "18:00"],
      ["18h", "18:00"],
      ["6 pm", "18:00"],
      ["12 am", "00:00"],
      ["10:00:00", "10:00"],
      ["17時30分", "17:30"],
      ["9", "9"],
      ["13 pm", "13 pm"]
    ] as const)
      assert.strictEqual(clockText(cell), text, cell)
    for (const cell of ["yes", "sí", "Sí", "ja", "WAHR", "VERDADERO", "oui", "VRAI", "tak", "PRAWDA", "はい", "TRUE"])
      assert.strictEqual(yesNoText(cell), "yes", cell)
    for (const cell of ["no", "Nein", "FALSCH", "FALSO", "non", "FAUX", "nie", "FAŁSZ", "いいえ", "false"])
      assert.strictEqual(yesNoText(cell), "no", cell)
    assert.strictEqual(yesNoText("maybe"), "maybe")
  })

  it("are weekdays of six languages, but none that two languages read differently", () => {
    const days = (cell: string) => Result.getOrElse(Result.flatMap(weekdaysText(cell), weekdaysFrom), (why) => why)
    const week = days("mon-fri")
    assert.lengthOf(week, 5)
    for (const cell of [
      "Lun-Vie",
      "lunes a viernes",
      "L-V",
      "Mo-Fr",
      "Montag bis Freitag",
      "lun. – ven.",
      "lundi au vendredi",
      "pon.-pt.",
      "poniedziałek do piątek",
      "月〜金",
      "月曜日から金曜日",
      "Mon to Fri"
    ])
      assert.deepStrictEqual(days(cell), week, cell)
    assert.deepStrictEqual(days("sáb y dom"), ["saturday", "sunday"])
    assert.deepStrictEqual(days("Sa-So"), ["saturday", "sunday"])
    assert.strictEqual(days("Di"), 'Expected tuesday or sunday, since "Di" may be either')
    const hours = (cell: string) => Result.flatMap(hoursText(cell), openingHoursFrom)
    const expected = hours("mon-fri 09:00-18:00; sat 10:00-14:00, 15:00-20:00")
    for (const cell of [
      "Lun-Vie: 9:00-18:00\nSáb: 10:00-14:00, 15:00-20:00",
      "Mo–Fr 9 Uhr – 18 Uhr; Sa 10.00 – 14.00, 15.00 – 20.00",
      "lun.-ven. 9h-18h; sam. 10h-14h, 15h-20h",
      "Mon-Fri 9am-6pm; Sat 10am-2pm, 3pm-8pm"
    ])
      assert.deepStrictEqual(hours(cell), expected, cell)
  })
})
