/** The bytes of a text file as text. Every file that a person names is UTF-8 (RFC 3629). Pure. */
import { Result } from "effect"

const save = 'save it as UTF-8 (in a spreadsheet: "CSV UTF-8").'

/** The text of a file's bytes, without its byte-order mark. The failure continues the file's name: "is not UTF-8 …". */
export const textOfBytes = (bytes: Uint8Array): Result.Result<string, string> => {
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return Result.fail(`is not UTF-8: ${save}`)
  }
  // A zero byte is in no text of ours, and in every second byte of UTF-16.
  if (text.includes("\0")) return Result.fail(`is no text in UTF-8: ${save}`)
  // Programs write this character in place of one that they could not read.
  const lost = text.indexOf("\uFFFD")
  if (lost < 0) return Result.succeed(text)
  const line = text.slice(0, lost).split(/\r\n|\n|\r/).length
  return Result.fail(
    `has lost a character: line ${line} has U+FFFD in its place. Write the character again, and save the file as UTF-8.`
  )
}
