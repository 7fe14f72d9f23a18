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
    ["116 117", "116117"]
  ])("%s is dialled as its first number", (text, dials) => {
    assert.strictEqual(dialled(text), dials)
  })

  it.each(["", "Ask at the desk", "(2)", "+", "1234567890123456"])("%s is none", (text) => {
    assert.isUndefined(dialled(text))
  })

  it("is digits after a plus sign at most, whatever is written", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'+0123456789 ()-./,x\n"<\u2013\uff11'), maxLength: 40 }),
        (text) => {
          const dials = dialled(text)
          if (dials !== undefined) assert.match(dials, /^\+?\d{3,15}$/)
        }
      )
    )
  })
})
