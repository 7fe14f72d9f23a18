/**
 * How long an answer of a tool may be, in characters of its JSON. A model reads all of it. Pages end after so many
 * characters, and a cursor leads to the rest; of a single item, what is least important is left out.
 */

/** A usual answer, a page for which the caller gave a `limit`, and the alternatives in a refusal. */
export const responseBudgets = { usual: 4000, limited: 12_000, alternatives: 3300 }

/** The most characters of a page. */
export const pageBudget = (limit: number | undefined): number =>
  limit === undefined ? responseBudgets.usual : responseBudgets.limited

/** The most that hosts accept, structured content and text block together. */
export const maxResultLength = 50_000

/** Characters around the two JSON copies, rounded up. */
const envelopeLength = 300

/** The length of a result with this JSON: once plain, once quoted in the text block. */
export const resultLength = (json: string): number => json.length + JSON.stringify(json).length + envelopeLength

/**
 * The longest page of at most `most` characters, with one entry at least. `pageOf` makes the page with the first so
 * many of `count` entries, and a cursor for the others.
 */
export const fitPage = <Page>(most: number, count: number, pageOf: (entries: number) => Page): Page => {
  const whole = pageOf(count)
  let length = JSON.stringify(whole).length
  if (count <= 1 || length <= most) return whole
  let [fits, page, tooMany] = [1, pageOf(1), count]
  while (tooMany - fits > 1) {
    // Entries are mostly alike, so a share of the length is a good guess.
    const guess = Math.floor((tooMany * most) / length)
    const entries = guess > fits ? guess : (fits + tooMany) >> 1
    const tried = pageOf(entries)
    const triedLength = JSON.stringify(tried).length
    if (triedLength <= most) [fits, page] = [entries, tried]
    else [tooMany, length] = [entries, triedLength]
  }
  return page
}

/** What may be left out of an item, one after the other. */
export type Shorten<View> = (view: View) => View

/**
 * An item that is short enough: `dispensable` goes if it is longer than usual, `shorter` if hosts would not accept it.
 */
export const fitView = <View>(
  view: View,
  dispensable: ReadonlyArray<Shorten<View>>,
  shorter: ReadonlyArray<Shorten<View>>
): View => {
  const fitting = (from: View, steps: ReadonlyArray<Shorten<View>>, isLong: (json: string) => boolean): View => {
    const [step, ...rest] = steps
    return step === undefined || !isLong(JSON.stringify(from)) ? from : fitting(step(from), rest, isLong)
  }
  const usual = fitting(view, dispensable, ({ length }) => length > responseBudgets.usual)
  return fitting(usual, shorter, (json) => resultLength(json) > maxResultLength)
}
