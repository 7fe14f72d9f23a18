/**
 * The slips of someone who copies an id: edits by one letter, letters of like shape, another case, halves of two ids.
 */
import * as fc from "fast-check"
import { createHash } from "node:crypto"

const base64Url = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"]
/** The letters of TypeIDs. */
export const base32 = [..."0123456789abcdefghjkmnpqrstvwxyz"]
/** The letters of references. */
export const crockford = base32.map((letter) => letter.toUpperCase())

/** Texts that are read for one another. */
const alike: ReadonlyArray<ReadonlyArray<string>> = [
  ["0", "o", "O"],
  ["1", "l", "I"],
  ["5", "s", "S"],
  ["8", "b", "B"],
  ["2", "z", "Z"],
  ["u", "v"],
  ["U", "V"],
  ["9", "g", "q"],
  ["-", "_"],
  ["rn", "m"],
  ["vv", "w"],
  ["cl", "d"]
]

const put = (text: string, at: number, length: number, other: string): string =>
  text.slice(0, at) + other + text.slice(at + length)

/**
 * All texts at one letter from a text: another one, one more, one less, two turned; and those with letters of like
 * shape.
 */
export const slipsOf = (text: string, letters: ReadonlyArray<string> = base64Url): ReadonlySet<string> => {
  const found = new Set<string>()
  for (let at = 0; at <= text.length; at++) {
    for (const letter of letters) found.add(put(text, at, 0, letter)).add(put(text, at, 1, letter))
    found.add(put(text, at, 1, ""))
    found.add(put(text, at, 2, text.charAt(at + 1) + text.charAt(at)))
    for (const group of alike) {
      for (const one of group) {
        if (text.startsWith(one, at)) for (const other of group) found.add(put(text, at, one.length, other))
      }
    }
    const letter = text.charAt(at)
    found.add(put(text, at, 1, letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()))
  }
  found.add(text.toUpperCase()).add(text.toLowerCase())
  found.delete(text)
  return found
}

const edits = (letters: ReadonlyArray<string>) =>
  fc.tuple(
    fc.constantFrom("another", "more", "less", "turned", "alike"),
    fc.nat(200),
    fc.constantFrom(...letters),
    fc.nat(50)
  )

/** A text with one or two slips at random; now and then the text itself, where one takes back the other. */
export const withSlips = (text: string, letters: ReadonlyArray<string> = base64Url): fc.Arbitrary<string> =>
  fc.array(edits(letters), { minLength: 1, maxLength: 2 }).map((slips) =>
    slips.reduce((text, [how, place, letter, which]) => {
      const at = place % (text.length + 1)
      switch (how) {
        case "another":
          return put(text, at, 1, letter)
        case "more":
          return put(text, at, 0, letter)
        case "less":
          return put(text, at, 1, "")
        case "turned":
          return put(text, at, 2, text.charAt(at + 1) + text.charAt(at))
        case "alike": {
          const group = alike[which % alike.length] ?? []
          const one = group[place % group.length] ?? ""
          const from = text.indexOf(one)
          return from === -1
            ? put(text, at, 1, letter)
            : put(text, from, one.length, group[letter.charCodeAt(0) % group.length] ?? "")
        }
      }
    }, text)
  )

// Option ids whose check is right and whose content is not, as nobody writes by mistake.

const checkBytes = 5

/** The bytes of an id before its check. */
export const contentOf = (option_id: string): Buffer =>
  Buffer.from(option_id.slice("option_".length), "base64url").subarray(0, -checkBytes)

/** The id of a content, with the check that belongs to it. */
export const checked = (content: Uint8Array): string => {
  const check = createHash("sha256").update(content).digest().subarray(0, checkBytes)
  return `option_${Buffer.concat([content, check]).toString("base64url")}`
}
