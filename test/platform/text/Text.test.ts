import { assert, describe, it } from "@effect/vitest"
import { childrenText, counted } from "../../../src/platform/text/Text.ts"

describe("numbers with their nouns", () => {
  it("one of a thing is not several", () => {
    assert.deepStrictEqual(
      [0, 1, 2].map((n) => counted(n, "adult")),
      ["0 adults", "1 adult", "2 adults"]
    )
    assert.deepStrictEqual(
      [1, 3].map((n) => counted(n, "try", "tries")),
      ["1 try", "3 tries"]
    )
    assert.deepStrictEqual(
      [childrenText(1), childrenText(4), childrenText(4, 10), childrenText(1, 1)],
      ["1 child", "4 children", "4 to 10 children", "1 child"]
    )
  })
})
