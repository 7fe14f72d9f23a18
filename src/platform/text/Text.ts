/** Cleans and compares texts from outside, and counts in English. */

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
