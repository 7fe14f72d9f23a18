/** Texts from outside: cleaned before they are stored, and compared. */

/**
 * The text as a database, a log and a terminal can hold it: one line of whole characters, without control characters (PostgreSQL
 * refuses U+0000), at most `length` UTF-16 units long.
 */
export const plainText = (text: string, length = 500): string =>
  text
    .slice(0, length * 2)
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .slice(0, length)
    .toWellFormed()

/** Edits from one word to another: insert, delete, replace, or swap two neighbours (optimal string alignment). */
export const editDistance = (from: string, to: string): number => {
  const a = Array.from(from)
  const b = Array.from(to)
  let before: ReadonlyArray<number> = []
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
        swapped ? (before[j - 2] ?? 0) + 1 : Infinity
      )
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
