import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { textOfBytes } from "../../src/kernel/TextBytes.ts"

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

  it("are refused if they are not UTF-8, by the line and the byte, and the message says what to do", () => {
    for (const [before, bytes, line, byte] of [
      ["version: 1\nname: Caf", [0xe9, 0x0a], 2, "E9"],
      ["version: 1\r\na: b\r\nname: Caf", [0xe9, 0x20, 0x4d], 3, "E9"],
      ["a\rb\rM", [0xfc, 0x6c, 0x6c, 0x65, 0x72], 3, "FC"],
      ["Café ", [0xe9], 1, "E9"],
      ["", [0xff], 1, "FF"],
      ["surrogate ", [0xed, 0xa0, 0x80], 1, "ED"],
      ["cut off ", [0xe2, 0x80], 1, "E2"]
    ] as const) {
      const fault = faultOf(Buffer.concat([Buffer.from(before), Buffer.from(bytes)]))
      assert.include(fault, `is not UTF-8: line ${line} has the byte ${byte} `)
      assert.include(fault, "Save it as UTF-8")
    }
  })

  it("are refused by the byte that was changed, wherever it is", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.array(fc.string()), (before, after) => {
        const [first, rest] = [before.join("\n").replaceAll(/[\0\uFFFD]/g, ""), after.join("\n").replaceAll("\0", "")]
        const fault = faultOf(Buffer.concat([Buffer.from(first), Buffer.from([0xf8]), Buffer.from(rest)]))
        assert.include(fault, `line ${first.split(/\r\n|\n|\r/).length} has the byte F8`)
      })
    )
  })

  it("are refused as UTF-16 if they are, with a byte-order mark and without", () => {
    for (const written of [text, `\uFEFF${text}`]) {
      const bytes = Buffer.from(written, "utf16le")
      for (const its of [bytes, Buffer.from(bytes).swap16()])
        assert.strictEqual(
          faultOf(its),
          'is UTF-16, which is not read here. Save it as UTF-8 (in a spreadsheet: "CSV UTF-8").'
        )
    }
  })

  it("are refused if they are no text, or if a character was lost before", () => {
    assert.strictEqual(faultOf(Buffer.from("a: 1\nb: \0\n")), "is no text file: line 2 has a zero byte.")
    assert.include(
      faultOf(Buffer.from("a: 1\r\nb: Caf\uFFFD\n")),
      "line 2 has U+FFFD in its place. Write the character again"
    )
  })
})
