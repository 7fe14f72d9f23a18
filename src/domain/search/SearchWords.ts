/**
 * Turns a query's words into a query for the text index. Drops filler words, keeps known words, and replaces misspelt
 * words by the nearest known ones.
 */

import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { decodeRows } from "../../platform/database/Rows.ts"
import { editDistance } from "../../platform/text/Text.ts"
import { foldName, type Need, concepts, keysOf } from "./AmenityNames.ts"
import {
  withoutElsewhere,
  withoutFillers,
  type AskedConcept,
  namesIn,
  needsNamed,
  sayingEndings,
  sayingWords
} from "./QueryNames.ts"

// Misspelt words of needs: "wheelchiar", "glutenfrie", "alergy". Such a word is read as the need, so that nobody with
// an allergy is shown a playroom for the rest of their words only. Pure.

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

/** A word of a query, or a name of several words. */
export interface Word {
  /** As it is told: a misspelt word with what it was read as. */
  readonly shown: string
  /** The texts of queries that find it: of `to_tsquery` for words, of a `tsquery` of pairs of letters. */
  readonly text: string
  readonly kind: "words" | "letters"
  /** No playroom has it: it is none of the words that any has. */
  readonly isNowhere?: boolean
}

/** A need that a query asks for. */
interface AskedNeed {
  readonly shown: string
  /** One of them is enough. */
  readonly needs: ReadonlyArray<Need>
}

/** What a query asks for. */
export interface Words {
  readonly words: ReadonlyArray<Word>
  readonly needs: ReadonlyArray<AskedNeed>
  /** Days, ages, numbers, prices and a whole room: a search has arguments for them. */
  readonly elsewhere: ReadonlyArray<string>
  /** "At home": no playroom comes to a family. */
  readonly atHome: ReadonlyArray<string>
  /** Words that are not looked for: there are too many, or they say nothing alone. */
  readonly ignored: ReadonlyArray<string>
}

const WordRows = Schema.Array(
  Schema.Struct({
    word: Schema.String,
    known: Schema.Boolean,
    longer: Schema.Array(Schema.String),
    /** Known words that it forms together with a neighbouring word. */
    joined: Schema.Array(Schema.String),
    near: Schema.Array(Schema.String),
    /** False for words after the first `maxWords`, of which nothing else is read. */
    looked: Schema.Boolean
  })
)

/**
 * The length from which a word may be misspelt, and the most unknown words of a query for which known ones are sought.
 */
const [leastCorrected, maxCorrected] = [5, 4]

/** The number of edits allowed for a typo: none in short words, because every short word is near another. */
const allowedEdits = (word: string): number => (word.length < leastCorrected ? 0 : word.length < 8 ? 1 : 2)

const quoted = (word: string): string => `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`

const wordOf = (shown: string, any: ReadonlyArray<string>): Word => ({
  shown,
  text: [...new Set(any)].map(quoted).join(" | "),
  kind: "words"
})

type WordRow = (typeof WordRows.Type)[number]

/**
 * The known words that a word may be a misspelling of. A short word is near too many: "late" is no gate, and "halal" no
 * hall.
 */
const nearestOf = ({ near, word }: WordRow): ReadonlyArray<string> => {
  const distances = near
    .filter((other) => other.length >= leastCorrected)
    .map((other) => [other, editDistance(word, other)] as const)
  const least = Math.min(...distances.map(([, distance]) => distance))
  return least <= allowedEdits(word)
    ? distances.flatMap(([other, distance]) => (distance === least ? [other] : []))
    : []
}

/** The word of a need that an unknown word means; undefined if it means something else. */
const needMeant = (row: WordRow): string | undefined => {
  const { joined, known, longer, word } = row
  if (known || joined.length > 0) return undefined
  const [first, ...others] = longer.length > 0 ? longer : nearestOf(row)
  const isNeed = first !== undefined && [first, ...others].every(isNeedWord)
  return isNeed ? first : longer.length > 0 ? undefined : nearestNeedWord(word)
}

/** The words to search for a word: itself and words that begin with it, or otherwise the nearest known words. */
const meaning = (row: WordRow): Word => {
  const { joined, known, longer, word } = row
  if (known || longer.length > 0 || joined.length > 0) return wordOf(word, [word, ...longer, ...joined])
  const nearest = nearestOf(row).filter((one) => !isNeedWord(one))
  // Of a word with other signs than letters, its parts may be known.
  const isNowhere = nearest.length === 0 && /^\p{L}{2,}$/u.test(word)
  return nearest.length === 0
    ? { ...wordOf(word, [word]), isNowhere }
    : wordOf(`${word} (read as ${nearest.join(" or ")})`, nearest)
}

/** Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese. `search_bigrams` in the database has the same ranges. */
const unsegmentedRuns =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+/g

/**
 * All pairs of neighbouring letters of each run; for a single letter, every pair that begins with it. At most
 * `maxPairs` in all.
 */
const bigramsOf = (runs: ReadonlyArray<string>): ReadonlyArray<Word> => {
  const seen = new Set<string>()
  return runs.flatMap((run) => {
    const pairs =
      run.length === 1 ? [`${quoted(run)}:*`] : Array.from(run.slice(1), (letter, i) => quoted(`${run[i]}${letter}`))
    const fresh = [...new Set(pairs)].filter((pair) => !seen.has(pair)).slice(0, maxPairs - seen.size)
    for (const pair of fresh) seen.add(pair)
    return fresh.length === 0 ? [] : [{ shown: run, text: fresh.join(" & "), kind: "letters" as const }]
  })
}

/** The text index leaves "in" out, so all that is left of these is a word that means something else: "drop", "walk". */
const isUnindexed = (name: string): boolean => /^(?:drop|walk) in$/.test(foldName(name))

/**
 * A name as the text index has it: its words follow each other; of a script without spaces, all pairs of its letters.
 */
const phraseOf = (name: string): string => {
  if (name.search(unsegmentedRuns) < 0) return foldName(name).split(" ").map(quoted).join(" <-> ")
  return bigramsOf(name.match(unsegmentedRuns) ?? [])
    .map(({ text }) => text)
    .join(" & ")
}

/** A query for any of the names of what is asked for. */
const anyName = ({ concepts, shown }: AskedConcept): Word => {
  const phrases = [shown, ...concepts.flatMap((concept) => [...concept.names, ...concept.asked])]
    .filter((name) => !isUnindexed(name))
    .map(phraseOf)
  return { shown, text: [...new Set(phrases)].map((phrase) => `(${phrase})`).join(" | "), kind: "words" }
}

/** The most words and names of one query that are looked for. Needs are always looked for. */
const maxWords = 12
const maxPairs = 24
const maxWordLength = 40

/** What is looked for of a list, and the rest. */
const atMost = <A>(most: number, all: ReadonlyArray<A>): readonly [ReadonlyArray<A>, ReadonlyArray<A>] => [
  all.slice(0, most),
  all.slice(most)
]

const keysIn = (text: string): ReadonlyArray<string> => text.split(" ").map(foldName)

/** Whether a search is to look for anything: a query may have fillers only ("the"). */
export const isAsked = ({ needs, words }: Words): boolean => words.length + needs.length > 0

/** Whether no playroom can have any of it. */
export const isFoundNowhere = ({ needs, words }: Words): boolean =>
  needs.length === 0 && words.every(({ isNowhere = false }) => isNowhere)

/**
 * Reads a query's words. One statement; its cost grows with the number of known words. A word is found by `between`,
 * which only the primary key's index answers: for `=` the planner takes the index for misspelt words, at many times the
 * cost. The text stands in a subquery, so that the plan is the same for any number of words, and is kept. Without
 * `offset 0` each word would be looked up three times. Few people mistake the first letter: without it, the index for
 * misspelt words would compare the word with nearly all that is known.
 */
export const readWords = (sql: SqlClient.SqlClient) => {
  const wordRows = decodeRows(WordRows)
  return Effect.fn("SearchWords.read")(function* (query: string): Effect.fn.Return<Words, SqlError.SqlError> {
    const { atHome, elsewhere, rest: text } = withoutElsewhere(query.normalize("NFKC"))
    const first = namesIn(text)
    const segmentedIn = (rest: string) => withoutFillers(rest).replace(unsegmentedRuns, " ")
    const segmented = segmentedIn(first.rest)
    const rows =
      segmented.trim() === ""
        ? []
        : yield* wordRows(sql`
with asked as materialized (
  select word, n, a || b as joined from (
    select word, n, word as a, lead(word) over (order by n) as b
    from unnest(string_to_array(search_fold((select ${segmented}::text)), ' ')) with ordinality as w (word, n) limit 100) w
), pair as (
  select a.word as a, b.word as b, a.joined as word from asked a join asked b on b.n = a.n + 1
  where exists (select from search_word w where w.word between a.joined and a.joined)
)
select word, known, longer, joined, looked, case when unlike and count(*) filter (where unlike) over (order by n) <= ${maxCorrected}::int then array(
  select w.word from search_word w where w.word like left(asked.word, 1) || '%' order by w.word <-> asked.word limit 40) else '{}' end as near
from (select *, looked and not known and longer = '{}' and joined = '{}' and length(word) >= ${leastCorrected}::int as unlike from (
  select word, n, looked, looked and (exists (select from search_word w where w.word between q.word and q.word)
    or exists (select from search_word w where w.stem = (tsvector_to_array(to_tsvector('english'::regconfig, q.word)))[1])) as known,
    case when length(q.word) < 4 or not looked then '{}' else array(
      select w.word from search_word w where w.word > q.word and w.word < q.word || chr(1114111) order by w.word limit 12) end as longer,
    array(select p.word from pair p where looked and q.word in (p.a, p.b)) as joined
  from (
    select left(word, ${maxWordLength}::int) as word, min(n) as n,
      row_number() over (order by min(n)) <= ${maxWords}::int and length(word) <= ${maxWordLength}::int as looked
    from asked where to_tsvector('english'::regconfig, word) <> ''::tsvector group by word
  ) as q offset 0
) as read) as asked order by n`)
    const misspelt = new Map(
      rows.flatMap((row) => {
        const need = row.looked ? needMeant(row) : undefined
        return need === undefined ? [] : [[row.word, need] as const]
      })
    )
    const asked = misspelt.size === 0 ? first : namesIn(text, misspelt)
    const left = new Set(keysIn(asked.rest))
    const ofNeeds = new Set(keysIn(first.rest).filter((key) => !left.has(key)))
    const needs = asked.found.flatMap(({ concepts, shown }): ReadonlyArray<AskedNeed> => {
      const keys = concepts.flatMap(({ need }) => need ?? [])
      return keys.length === 0 ? [] : [{ shown, needs: keys }]
    })
    const names = asked.found.filter(({ concepts }) => concepts.every(({ need }) => need === undefined))
    const letters = bigramsOf(withoutFillers(asked.rest).match(unsegmentedRuns) ?? [])
    const its = rows.filter(({ word }) => !ofNeeds.has(word))
    const known = its.filter(({ looked }) => looked).map(meaning)
    const [words, others] = atMost(maxWords, [...known, ...letters, ...names.map(anyName)])
    const free = asked.rest.match(/\bfree\b/i) ?? []
    const ignored = [
      ...free,
      ...its.flatMap(({ looked, word }) => (looked ? [] : [word])),
      ...others.map(({ shown }) => shown)
    ]
    return { words, needs, elsewhere, atHome, ignored }
  })
}
