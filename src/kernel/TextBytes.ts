/** The bytes of a text file as text. Every file that a person names is UTF-8 (RFC 3629). Pure. */
import { Result } from "effect"

const newline = 0x0a
const carriageReturn = 0x0d

/** Decodes UTF-8 without the byte-order mark; undefined if it is not UTF-8. `stream`: the last character may be cut. */
const decoded = (bytes: Uint8Array, stream = false): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream })
  } catch {
    return undefined
  }
}

/** The offset of the first character that is not UTF-8. */
const firstBadByte = (bytes: Uint8Array): number => {
  // A newline is never part of another character, so each line can be tried alone.
  let start = 0
  let end = 0
  for (; start < bytes.length; start = end) {
    end = bytes.indexOf(newline, start) + 1 || bytes.length
    if (decoded(bytes.subarray(start, end)) === undefined) break
  }
  // The shortest beginning of the line that is wrong, whatever follows it.
  let low = start
  let high = end
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (decoded(bytes.subarray(start, middle + 1), true) === undefined) high = middle
    else low = middle + 1
  }
  // The character begins at most three bytes before the byte that makes it wrong.
  const begins = [1, 2, 3].find((n) => low - n >= start && decoded(bytes.subarray(start, low - n)) !== undefined)
  return low - (decoded(bytes.subarray(start, low)) === undefined ? (begins ?? 0) : 0)
}

/** The line of a byte, from 1. */
const lineOf = (bytes: Uint8Array, at: number): number => {
  let line = 1
  for (let i = 0; i < at; i++)
    if (bytes[i] === newline || (bytes[i] === carriageReturn && bytes[i + 1] !== newline)) line++
  return line
}

const isUtf16 = (bytes: Uint8Array): boolean => {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true
  // Without a mark: of Latin letters and line breaks, one of the two bytes is zero.
  const zeros = [0, 0]
  const beginning = bytes.subarray(0, 1000)
  for (const [i, byte] of beginning.entries()) if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1
  return Math.min(...zeros) === 0 && Math.max(...zeros) > beginning.length / 4
}

const save = 'Save it as UTF-8 (in a spreadsheet: "CSV UTF-8").'

/** The text of a file's bytes. The failure continues the file's name: "is not UTF-8: line 3 …". */
export const textOfBytes = (bytes: Uint8Array): Result.Result<string, string> => {
  if (isUtf16(bytes)) return Result.fail(`is UTF-16, which is not read here. ${save}`)
  const zero = bytes.indexOf(0)
  if (zero >= 0) return Result.fail(`is no text file: line ${lineOf(bytes, zero)} has a zero byte.`)
  const text = decoded(bytes)
  if (text === undefined) {
    const at = firstBadByte(bytes)
    const byte = (bytes[at] ?? 0).toString(16).toUpperCase()
    return Result.fail(
      `is not UTF-8: line ${lineOf(bytes, at)} has the byte ${byte} where UTF-8 never has it; perhaps the file is Latin-1 or Windows-1252. ${save}`
    )
  }
  // Programs write this character in place of one that they could not read.
  const lost = text.indexOf("\uFFFD")
  if (lost >= 0)
    return Result.fail(
      `has lost a character: line ${text.slice(0, lost).split(/\r\n|\n|\r/).length} has U+FFFD in its place. Write the character again, and save the file as UTF-8.`
    )
  return Result.succeed(text)
}
