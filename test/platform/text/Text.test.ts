import { assert, describe, it } from "@effect/vitest"
import { childrenText, counted, textOfBytes } from "../../../src/platform/text/Text.ts"
import { Result } from "effect"

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

const faultOf = (bytes: Uint8Array): string => {
  const read = textOfBytes(bytes)
  return Result.isFailure(read) ? read.failure : "none"
}
const text = "version: 1\nname: Café Müller – 遊び場\n"

describe("the bytes of a text file", () => {
  it("are the text that was written, with or without a byte-order mark", () => {
    for (const written of [text, `\uFEFF${text}`, "", "\r\n"])
      assert.deepStrictEqual(textOfBytes(Buffer.from(written)), Result.succeed(written.replace("\uFEFF", "")))
  })

  it("are refused if they are not UTF-8, and the message says what to do", () => {
    for (const [before, bytes] of [
      ["version: 1\nname: Caf", [0xe9, 0x0a]],
      ["a\rb\rM", [0xfc, 0x6c, 0x6c, 0x65, 0x72]],
      ["", [0xff]],
      ["surrogate ", [0xed, 0xa0, 0x80]],
      ["cut off ", [0xe2, 0x80]]
    ] as const)
      assert.strictEqual(
        faultOf(Buffer.concat([Buffer.from(before), Buffer.from(bytes)])),
        'is not UTF-8: save it as UTF-8 (in a spreadsheet: "CSV UTF-8").'
      )
  })

  it("are refused as UTF-16, with a byte-order mark and without", () => {
    for (const written of ["version: 1\n", text, `\uFEFF${text}`]) {
      const bytes = Buffer.from(written, "utf16le")
      for (const its of [bytes, Buffer.from(bytes).swap16()]) assert.include(faultOf(its), "save it as UTF-8")
    }
  })

  it("are refused if they are no text, or if a character was lost before", () => {
    assert.include(faultOf(Buffer.from("a: 1\nb: \0\n")), "is no text in UTF-8")
    assert.include(
      faultOf(Buffer.from("a: 1\r\nb: Caf\uFFFD\n")),
      "line 2 has U+FFFD in its place. Write the character again"
    )
  })
})
