/** Cleans and compares texts from outside, and counts in English. */

import { Result } from "effect"

// Web addresses that other programs read, too. Programs parse an irregular address differently:
// `http://localhost:1\@evil.example/` is on localhost for a browser, and on evil.example for others. So an address is
// accepted only if all parsers agree.

// Characters that parsers drop, turn into a slash or don't show: controls, invisible ones, lone surrogates, spaces.
const irregular = /[\p{C}\p{Z}\\]/u
// A scheme, a host in letters, digits, dots or brackets, a port. No user name before an @, no escapes.
const plain = /^https?:\/\/[a-z0-9.:[\]_-]+(?:[/?#]|$)/i

/** The URL; undefined unless `text` is `http(s)://host[:port]…` that every parser reads the same. */
export const webAddress = (text: string): URL | undefined =>
  plain.test(text) && !irregular.test(text) ? (URL.parse(text) ?? undefined) : undefined

/** Whether a host of a URL or a listener is this machine (RFC 6761, 6.3; RFC 5735). */
export const isLoopback = (host: string): boolean => {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1")
  return /^(?:.+\.)?localhost\.?$/.test(name) || name === "::1" || /^127(?:\.\d{1,3}){3}$/.test(name)
}

// The bytes of a text file as text. Every file that a person names is UTF-8 (RFC 3629). Pure.

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

// Telephone numbers as people write them. Pure.

// A plus sign, and digits with what people put between them. It ends at words: opening times, an extension.
const number = /\+?[\s(]*\d[\d\s()./\u2010-\u2015-]*/u
// Words that are dialled by their letters' keys (ITU-T E.161), in capitals: 1-800-PLAYDAY. Behind a space only after
// few digits, since a whole number may have a word behind it. What follows in brackets is the word in digits.
const keyed = /(?<=\d\)?([-.\u2010-\u2015 ]))[A-Z]{3,}(?:[- ][A-Z]{2,})*(?!\p{L})(?:\s*\([^)]*\))?/gu
const keyOf = new Map(
  [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter, i) => [letter, "22233344455566677778889999"[i] ?? ""])
)
const mostBeforeWord = 5
const fewestDigits = 3
// https://www.itu.int/rec/T-REC-E.164: with the country code.
const mostDigits = 15

const digitsIn = (text: string): number => text.replaceAll(/\D/g, "").length

const withoutWords = (text: string): string =>
  text.replaceAll(keyed, (word, mark: string, at: number) =>
    mark === " " && digitsIn(text.slice(0, at)) > mostBeforeWord
      ? word
      : word.replace(/\s*\(.*$/s, "").replaceAll(/[A-Z]/g, (letter) => keyOf.get(letter) ?? letter)
  )

/**
 * The first number in a text, for dialling: without spaces, brackets and the (0) after a country code; words in it as
 * their keys (1-800-PLAYDAY). Undefined if the text has none.
 */
export const dialled = (text: string): string | undefined => {
  const [found] = number.exec(withoutWords(text.normalize("NFKC"))) ?? []
  if (found === undefined) return undefined
  const dials = found.replace(/^(\s*\+[\d\s.-]*)\(0\)/, "$1").replaceAll(/[^\d+]/g, "")
  const digits = digitsIn(dials)
  return digits < fewestDigits || digits > mostDigits ? undefined : dials
}

/** A number with its noun: `1 account`, `3 accounts`, `2 children`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** `1 child`, `3 children`, `4 to 10 children`. */
export const childrenText = (least: number, most = least): string =>
  `${least < most ? `${least} to ` : ""}${counted(most, "child", "children")}`

/** The items of a list in a text: trimmed, without empty ones. */
export const itemsIn = (text: string, separator: string | RegExp): ReadonlyArray<string> =>
  text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== "")

/**
 * The text as one line that databases, logs and terminals can hold: well-formed, without control characters (PostgreSQL
 * refuses U+0000), at most `length` UTF-16 units.
 */
export const plainText = (text: string, length = 500): string =>
  text
    .slice(0, length * 2)
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .slice(0, length)
    .toWellFormed()

// Zero-width marks, tags and soft hyphens (https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point),
// bidirectional controls (Cf), and what no font has (Cs, Co, Cn). They come along when people copy from elsewhere.
// Persian and Indian scripts spell with U+200C and U+200D, which are seen nowhere between other letters.
const invisible =
  /[[\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]--[\u200C\u200D]]|(?<![[\p{L}\p{M}]--[\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]])[\u200C\u200D]|[\u200C\u200D](?!\p{L})/gv

/** The text without characters that nobody sees. Control characters (Cc) stay, for who reads lines and tabs. */
export const withoutInvisible = (text: string): string => text.replaceAll(invisible, "")

/** A word to compare as people type it: small letters without their marks. */
export const folded = (text: string): string =>
  text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll("ł", "l").trim()

/**
 * The number of edits between two words: insert, delete, replace, or swap two neighbours (optimal string alignment).
 */
export const editDistance = (from: string, to: string): number => {
  const a = Array.from(from)
  const b = Array.from(to)
  let previous: ReadonlyArray<number> = []
  let row: ReadonlyArray<number> = b.map((_, j) => j).concat(b.length)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + same,
        swapped ? (previous[j - 2] ?? 0) + 1 : Infinity
      )
    }
    previous = row
    row = next
  }
  return row[b.length] ?? 0
}
