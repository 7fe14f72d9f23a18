import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { dialled } from "../../../src/platform/text/Text.ts"

describe("a telephone number as people write it", () => {
  it.each([
    ["+44 20 7946 0018", "+442079460018"],
    ["+44 (0)20 7946 0018", "+442079460018"],
    ["(415) 555-0132", "4155550132"],
    ["030/23125 042", "03023125042"],
    ["01.99.00.12.34 (lun\u2013ven 9h\u201317h)", "0199001234"],
    ["Tel. +49 30 23125\u2013042", "+493023125042"],
    ["020 7946 0018, ext. 12", "02079460018"],
    ["\uff10\uff13-1234-5678", "0312345678"],
    ["116 117", "116117"],
    // Letters are dialled by their keys (ITU-T E.161), as google-libphonenumber 3.2.47 reads them, too.
    ["(415) 555-PLAY", "4155557529"],
    ["1-800-PLAYDAY", "18007529329"],
    ["1-800-PLAYDAY (752-9329)", "18007529329"],
    ["1-888-PLAY-123", "18887529123"],
    ["1.800.GET-PLAY (office)", "18004387529"],
    ["0800 PLAYDAY", "08007529329"],
    ["+44 800 PLAYDAY", "+448007529329"],
    ["1300 PLAY NOW", "13007529669"],
    // A word behind a whole number belongs to nobody's keys.
    ["0664 1234567 OMA", "06641234567"],
    ["0664 1234567 Oma", "06641234567"],
    ["116 117 INFO", "116117"],
    ["030 12345-B\u00fcro", "03012345"]
  ])("%s is dialled as its first number", (text, dials) => {
    assert.strictEqual(dialled(text), dials)
  })

  it.each(["", "Ask at the desk", "(2)", "+", "1234567890123456"])("%s is none", (text) => {
    assert.isUndefined(dialled(text))
  })

  it("is digits after a plus sign at most, whatever is written", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'+0123456789 ()-./,xABCDE\n"<\u2013\uff11'), maxLength: 40 }),
        (text) => {
          const dials = dialled(text)
          if (dials !== undefined) assert.match(dials, /^\+?\d{3,15}$/)
        }
      )
    )
  })
})
