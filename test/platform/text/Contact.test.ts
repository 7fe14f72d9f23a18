import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as fc from "fast-check"
import { Contact, digitsToFind } from "../../../src/platform/text/Contact.ts"
import { FileOperator } from "../../../src/domain/import/CatalogueSchema.ts"
import { StaffName } from "../../../src/domain/people/staff/StaffMember.ts"
import { runs } from "../../support/runs.ts"

const reader = (field: Schema.Codec<string, string>) => (text: string) =>
  Option.getOrUndefined(Schema.decodeOption(field)(text))
const name = reader(Contact.fields.name)
const email = reader(Contact.fields.email)
const support = reader(FileOperator.fields.support_email.schema)
const phone = reader(Contact.fields.phone.schema)
const hidden = ["\u200B", "\u200E", "\u202E", "\u00AD", "\u2060", "\uFEFF", "\u{E0041}", "\u180E", "\u3164"]

describe("a name", () => {
  it("S6: is one line, without what nobody sees", () => {
    assert.strictEqual(name("Ada\r\nBcc: eve@example.com"), "Ada Bcc: eve@example.com")
    assert.strictEqual(name("Ada\u001B[31m\tLovelace\u2028 "), "Ada [31m Lovelace")
    for (const one of hidden) assert.deepStrictEqual([one, name(`A${one}da`)], [one, "Ada"])
    assert.strictEqual(name("Zoe\u0308"), "Zoë")
  })

  it("C2: has a letter that is seen", () => {
    for (const one of [...hidden, "", " ", "\u2800", "--", "\u200D"]) assert.isUndefined(name(one), JSON.stringify(one))
    for (const one of ["X Æ A-12", "李", "O’Hara", "3Jane"]) assert.strictEqual(name(one), one)
  })

  it("keeps the joiners that Persian and Sinhala names are spelled with", () => {
    for (const one of ["A\u200Dna", "A\u200Cna", "Ан\u200Cя", "明\u200D子"])
      assert.strictEqual(name(one), one.replaceAll(/[\u200C\u200D]/g, ""))
    for (const one of ["علی\u200Cرضا", "ශ්\u200Dරී"]) assert.strictEqual(name(one), one)
  })

  it("of staff keeps the same rule", () => {
    assert.strictEqual(reader(StaffName)(" Bo\u202E "), "Bo")
    assert.isUndefined(reader(StaffName)("\u200B"))
    assert.isUndefined(reader(StaffName)("x".repeat(81)))
  })
})

describe("an e-mail address", () => {
  it("of a family or a venue may be unusual, in any script", () => {
    for (const one of ["ana@example.com", "o'hara+tag_%=x@ex-ample.co.uk", "a..b@docomo.example", "ユーザー@例え.jp"])
      assert.deepStrictEqual([one, email(one), support(one)], [one, one, one])
  })

  it("with a full stop copied from a sentence, or another dot too many in its domain, is refused", () => {
    for (const one of ["ana@example.com.", "ana@example..com", "ana@.example.com", "ana@example", "a b@example.com"])
      assert.deepStrictEqual([one, email(one), support(one)], [one, undefined, undefined])
  })

  it("C2: loses what nobody sees, and is written in plain letters if it was typed wide", () => {
    for (const one of hidden)
      assert.deepStrictEqual([one, email(`ana${one}@example.com${one}`)], [one, "ana@example.com"])
    assert.strictEqual(email("ａｎａ＠ｅｘａｍｐｌｅ．ｃｏｍ\r\n"), "ana@example.com")
    assert.isUndefined(email("ana@example.com\r\nbcc:eve@example.com"))
  })
})

describe("a telephone number", () => {
  it("C3: is kept as people write it", () => {
    for (const one of [
      "0664/1234567",
      "+49 (0)30 / 1234-567",
      "+49‐30‐1234567",
      "020 7946 0000 ext 12",
      "+7 (495) 123-45-67 доб. 12",
      "00 44 20 7946 0000",
      "+52 1 55 1234 5678",
      "+290 2345",
      // Whose it is: Google's library reads these words as further digits, libphonenumber-js 1.13.16 passes them over.
      "Oma: 0664 1234567",
      "0664 1234567 (Oma)",
      "+44 20 7946 0000, Dad",
      "tel:+442079460000"
    ])
      assert.strictEqual(phone(one), one)
    assert.strictEqual(phone("\u202A+44 20 7946 0000\u202C"), "+44 20 7946 0000")
    assert.strictEqual(phone("０６６４　１２３４５６７"), "0664 1234567")
    assert.strictEqual(phone("+44 20\r\n7946 0000"), "+44 20 7946 0000")
  })

  it("that nobody could call is refused", () => {
    for (const one of [
      "---------",
      "call me",
      "at 14:00",
      "+999 123456",
      "",
      "112",
      "1".repeat(30),
      "020 7946 0000 or 0770 0900123"
    ])
      assert.isUndefined(phone(one), one)
  })

  it("is found in any form", () => {
    const forms = [
      ["+44 (0)20 7946 0000", "020 7946 0000", "+442079460000", "0044 20 7946 0000 ext. 5"],
      ["+7 495 123-45-67", "8 495 123-45-67"],
      ["+36 30 123 4567", "06 30 123 4567"],
      ["+370 612 34567", "8 612 34567"],
      ["+39 06 6982 1234", "06 6982 1234"],
      ["(415) 555-2671", "+1 415.555.2671", "1-415-555-2671"]
    ]
    for (const all of forms)
      for (const stored of all)
        for (const typed of all)
          assert.include(stored.replaceAll(/\D/g, ""), digitsToFind(typed) ?? "none", `${typed} finds ${stored}`)
    for (const none of ["Ada", "K7M2-9QXD", ""]) assert.isUndefined(digitsToFind(none))
  })
})

describe("a contact", () => {
  it("is read from any text, and once read is read the same again", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc
        .array(fc.constantFrom(...hidden, "a", "@", ".", "7", "+", " ", "\u200C", "e\u0301", "ﬁ"), { maxLength: 30 })
        .map((all) => all.join(""))
    )
    fc.assert(
      fc.property(text, (any) => {
        for (const read of [name, email, phone]) {
          const once = read(any)
          if (once === undefined) continue
          assert.strictEqual(read(once), once)
          assert.notMatch(once, /[\p{Cc}\u202A-\u202E\u2028\u2029]/u)
        }
      }),
      { numRuns: runs(300) }
    )
  })
})
