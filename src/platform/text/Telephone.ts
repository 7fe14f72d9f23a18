/** Telephone numbers as people write them. Pure. */

// A plus sign, and digits with what people put between them. It ends at words: opening times, an extension.
const number = /\+?[\s(]*\d[\d\s()./\u2010-\u2015-]*/u
const fewestDigits = 3
// https://www.itu.int/rec/T-REC-E.164: with the country code.
const mostDigits = 15

/**
 * The first number in a text, for dialling: without spaces, brackets and the (0) after a country code. Undefined if the
 * text has none.
 */
export const dialled = (text: string): string | undefined => {
  const [found] = number.exec(text.normalize("NFKC")) ?? []
  if (found === undefined) return undefined
  const dials = found.replace(/^(\s*\+[\d\s.-]*)\(0\)/, "$1").replaceAll(/[^\d+]/g, "")
  const digits = dials.replace("+", "").length
  return digits < fewestDigits || digits > mostDigits ? undefined : dials
}
