/** Cleaning text from outside before it is stored. */

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
