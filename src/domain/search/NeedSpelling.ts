/**
 * Misspelt words of needs: "wheelchiar", "glutenfrie", "alergy". Such a word is read as the need, so that nobody with an
 * allergy is shown a playroom for the rest of their words only. Pure.
 */
import { editDistance } from "../../platform/text/Text.ts"
import { concepts, foldName, keysOf, type Need } from "./AmenityNames.ts"
import { needsNamed, sayingEndings, sayingWords } from "./QueryNames.ts"

/** The letters of a word, as bits. */
const lettersOf = (word: string): number => {
  let bits = 0
  for (const letter of word) bits |= 1 << ((letter.codePointAt(0) ?? 0) % 32)
  return bits
}

const differing = (a: number, b: number): number => {
  let count = 0
  for (let bits = a ^ b; bits !== 0; bits &= bits - 1) count++
  return count
}

const leastLength = 5
/** Words that are spelt right and mean no need: "calle" is a street, not "calme". */
const otherWords = new Set(["calle"])

const needWords = new Set(
  concepts
    // Of "leave the children", each word alone says nothing.
    .filter(({ need }) => need !== undefined && need !== "drop_off")
    .flatMap(({ asked, names, without, withoutIfSaid }) => {
      const excluded = [...without, ...withoutIfSaid].flatMap(keysOf)
      const compounds = excluded
        .filter((word) => !word.includes(" "))
        .flatMap((word) => sayingEndings.map((ending) => word + ending))
      return [...excluded, ...compounds, ...[...names, ...asked].flatMap(keysOf)].flatMap((key) => key.split(" "))
    })
    .concat(...sayingWords)
    .filter((word) => /^[a-z]+$/.test(word))
)

/** By their first letters: few people mistake that. */
const byFirstLetter = Map.groupBy(
  [...needWords].flatMap((word) => (word.length < leastLength ? [] : [{ word, letters: lettersOf(word) }])),
  ({ word }) => word[0] ?? ""
)

/** Whether a folded word is one by which people ask for needs. */
export const isNeedWord = (word: string): boolean => needWords.has(word)

/** The word of a need that a folded word is a misspelling of: one mistake, or two in a long word. */
export const nearestNeedWord = (word: string): string | undefined => {
  if (word.length < leastLength || otherWords.has(word)) return undefined
  const most = word.length < 8 ? 1 : 2
  const letters = lettersOf(word)
  let [nearest, least]: readonly [string | undefined, number] = [undefined, most + 1]
  for (const one of byFirstLetter.get(word[0] ?? "") ?? []) {
    if (Math.abs(one.word.length - word.length) >= least || differing(one.letters, letters) > 2 * most) continue
    const distance = editDistance(word, one.word)
    if (distance < least) [nearest, least] = [one.word, distance]
  }
  return nearest
}

/** The needs that the name of an amenity is one of, misspelt or not. */
export const needsOfAmenity = (name: string): ReadonlyArray<Need> => {
  const exact = needsNamed(name)
  if (exact.length > 0) return exact
  const readAs = foldName(name)
    .split(" ")
    .flatMap((word) => {
      const need = isNeedWord(word) ? undefined : nearestNeedWord(word)
      return need === undefined ? [] : [[word, need] as const]
    })
  return readAs.length === 0 ? [] : needsNamed(name, new Map(readAs))
}
