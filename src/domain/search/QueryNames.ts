/** Finds the names of amenities and needs in the words of a query. */
import {
  byKey,
  type Concept,
  concepts,
  conceptsOf,
  foldName,
  isUnspaced,
  keysOf,
  type Need,
  withoutEnding
} from "./AmenityNames.ts"

/** What a part of a query asks for: any of these concepts. */
export interface AskedConcept {
  /** The part of the query. */
  readonly shown: string
  readonly concepts: ReadonlyArray<Concept>
}

/** The most words of a name, and the most words of a text to examine. */
const [maxNameWords, maxWords] = [5, 100]

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean).flatMap(keysOf))

/** Words beside what must not be there: "nut free", "allergisch gegen Nüsse", "sin huevo". */
const says = `free allergy allergies allergic intolerance intolerant no without
   frei freie freier freies freien allergie allergien allergiker allergisch intoleranz unverträglichkeit ohne kein keine keinen
   sans allergique allergiques intolérance intolérant pas aucun aucune
   sin alergia alergias alérgico alérgica intolerancia libre fri utan allergi`
const saying = words(says)
/** Those of them that people misspell. */
export const sayingWords: ReadonlyArray<string> = [...saying]
/** Words between these and what must not be there. */
const between = words(
  "to from of any the gegen auf von die den das à au aux la le les l de du des a al el los las con contra"
)
/** Endings of words that say the same: "Nussallergie", "glutenfrei". */
export const sayingEndings = ["free", "frei", "allergie", "allergiker", "intoleranz", "unvertraglichkeit", "fri"]
const sayingEnding =
  /(?:free|frei(?:e[mnrs]?)?|allerg(?:ie|ien|iker|isch|i)|intoleranz|unvertraglichkeit|fri(?:tt|a)?)$/
const sayingAllergy = /all?erg|アレルギー|frei\b|\bfree\b|intoler/iu

const excluded = byKey(({ without }) => without)
const excludedIfSaid = byKey(({ withoutIfSaid }) => withoutIfSaid)

/** Names of needs may be written apart: "wheel chair", "barriere frei". */
const apart = new Map(
  concepts.flatMap((one) =>
    one.need === undefined
      ? []
      : [...one.names, ...one.asked].flatMap(keysOf).map((key) => [key.replaceAll(" ", ""), one])
  )
)
const leastApart = 8
const named = (key: string): ReadonlyArray<Concept> => {
  const found = conceptsOf(key)
  const joined = key.replaceAll(" ", "")
  const one = found.length > 0 || joined.length < leastApart ? undefined : apart.get(joined)
  return one === undefined ? found : [one]
}

/** Words that German writes as one with what a party is about: "Zirkusgeburtstag", "Piratenparty". */
const partyCompound = /(?<!\p{L})(\p{L}{4,}?)(partys?|geburtstage?|geburtstagsfeier|feier)(?!\p{L})/giu
const splitParty = (word: string, about: string, what: string): string =>
  conceptsOf(word).length > 0 ? word : `${about} ${what}`

/** Names in scripts without spaces between words: first what must not be there, then longest first. */
const unspaced = concepts
  .flatMap((concept) => [
    ...[...concept.names, ...concept.asked].map((name) => ({ name, concept, isExcluded: false, ifSaid: false })),
    ...concept.without.map((name) => ({ name, concept, isExcluded: true, ifSaid: false })),
    ...concept.withoutIfSaid.map((name) => ({ name, concept, isExcluded: true, ifSaid: true }))
  ])
  .filter(({ name }) => isUnspaced(name))
  .toSorted((a, b) => Number(b.isExcluded) - Number(a.isExcluded) || b.name.length - a.name.length)
const japaneseSaying = "(?:(?:の|に|が|は|を)?(?:アレルギー|フリー|なし|無し|不使用|抜き|除去|禁止|対応))"

/**
 * Names within a text, as parts of it; and the rest of the text. Parts that mean the same are one. `readAs`: folded words
 * that are misspelt, and what they mean.
 */
export const namesIn = (
  text: string,
  readAs: ReadonlyMap<string, string> = new Map()
): { readonly found: ReadonlyArray<AskedConcept>; readonly rest: string } => {
  const found: Array<AskedConcept> = []
  let spaced = text.normalize("NFKC")
  for (const { concept, ifSaid, isExcluded, name } of unspaced) {
    if (!spaced.includes(name)) continue
    const pattern = new RegExp(isExcluded ? `${name}${japaneseSaying}${ifSaid ? "+" : "*"}` : name, "gu")
    const shown = spaced.match(pattern)?.[0]
    if (shown === undefined) continue
    spaced = spaced.replaceAll(pattern, " ")
    const same = unspaced.filter((other) => other.name === name).map((other) => other.concept)
    found.push({ shown, concepts: isExcluded ? [concept] : same })
  }
  const tokens = spaced
    .replaceAll(partyCompound, splitParty)
    .split(/[^\p{L}\p{M}\p{N}ー]+/u)
    .filter((word) => word !== "")
    .slice(0, maxWords)
  const typed = tokens.map(foldName)
  const keys = typed.map((key) => readAs.get(key) ?? key)
  const saysSo = sayingAllergy.test(spaced) || keys.some((key) => sayingAllergy.test(key))
  const rest: Array<string> = []
  /** The words around those from `from` to `to` that belong to them, since they say that something must not be there. */
  const around = (from: number, to: number, least: number): readonly [number, number] => {
    let [first, last] = [from, to]
    for (let i = from - 1; i >= least; i--) {
      const key = keys[i] ?? ""
      if (saying.has(key)) first = i
      else if (!between.has(key)) break
    }
    while (last < tokens.length && saying.has(keys[last] ?? "")) last++
    return [first, last]
  }
  let done = 0
  for (let i = 0; i < tokens.length;) {
    let taken = 0
    for (let length = Math.min(maxNameWords, tokens.length - i); length > 0 && taken === 0; length--) {
      const key = keys.slice(i, i + length).join(" ")
      const bare = key.replace(sayingEnding, "")
      const isSaid = bare !== key && bare !== ""
      const at = (keyed: ReadonlyMap<string, ReadonlyArray<Concept>>) =>
        keyed.get(key) ?? (isSaid ? (keyed.get(bare) ?? keyed.get(withoutEnding(bare))) : undefined)
      const [first, last] = around(i, i + length, done)
      const isAround = first < i || last > i + length
      const substance = at(excluded) ?? (isSaid || isAround || saysSo ? at(excludedIfSaid) : undefined)
      const asked = substance ?? named(key)
      if (asked.length === 0) continue
      const [from, to] = substance === undefined ? [i, i + length] : [first, last]
      rest.splice(rest.length - (i - from), i - from)
      const [shown, read] = [tokens, keys].map((all) => all.slice(from, to).join(" "))
      const isMisspelt = keys.slice(from, to).some((one, n) => one !== typed[from + n])
      found.push({ shown: `${shown}${isMisspelt ? ` (read as ${read})` : ""}`, concepts: asked })
      taken = to - i
      done = to
    }
    if (taken === 0) rest.push(tokens[i] ?? "")
    i += Math.max(1, taken)
  }
  return { found: merged(found), rest: rest.join(" ") }
}

const isAllergy = ({ concepts: [first] }: AskedConcept): boolean =>
  (first?.without.length ?? 0) > 0 || (first?.withoutIfSaid.length ?? 0) > 0

/** One part for each meaning. An allergy to something known is no further need of allergies. */
const merged = (found: ReadonlyArray<AskedConcept>): ReadonlyArray<AskedConcept> => {
  const byMeaning = new Map<string, AskedConcept>()
  const isNamed = found.some(isAllergy)
  for (const { concepts: asked, shown } of found) {
    if (isNamed && asked.some(({ need }) => need === "allergy_aware")) continue
    const key = asked.map((concept) => concepts.indexOf(concept)).join()
    const before = byMeaning.get(key)
    byMeaning.set(key, { shown: before === undefined ? shown : `${before.shown} ${shown}`, concepts: asked })
  }
  return [...byMeaning.values()]
}

/** The needs that a name is one of, entirely: "nut-free", "wheelchair accessible". `readAs`: as for `namesIn`. */
export const needsNamed = (name: string, readAs?: ReadonlyMap<string, string>): ReadonlyArray<Need> => {
  const { found, rest } = namesIn(name, readAs)
  return found.length === 1 && rest === "" ? (found[0]?.concepts.flatMap(({ need }) => need ?? []) ?? []) : []
}
