/** What the text index is asked for a query's words: for known words themselves, for misspelt ones the nearest known words. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { editDistance } from "../kernel/EditDistance.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { foldName, namesIn } from "./AmenityNames.ts"
import { withoutFillers } from "./FillerWords.ts"

/** A query's words as the text index is asked; at least one of the two is there. */
export interface Words {
  /** Of scripts that put spaces between words: texts for `to_tsquery`. */
  readonly segmented: Asked | undefined
  /** Of scripts that put none: texts of a `tsquery`, whose words are the pairs of neighbouring letters. */
  readonly unsegmented: Asked | undefined
}

/** All of some words, or any of them; with one word, both are the same. */
export interface Asked {
  readonly all: string
  readonly any: string
}

const WordRows = Schema.Array(
  Schema.Struct({
    word: Schema.String,
    known: Schema.Boolean,
    longer: Schema.Array(Schema.String),
    /** Known words that it makes with a word beside it. */
    joined: Schema.Array(Schema.String),
    near: Schema.Array(Schema.String)
  })
)

/** How many edits a typo may have: none in short words, where every word is near another. */
const allowedEdits = (word: string): number => (word.length < 4 ? 0 : word.length < 8 ? 1 : 2)

/** What a word stands for: itself and words that begin with it, or else the nearest known words. */
const meanings = ({ word, known, longer, joined, near }: (typeof WordRows.Type)[number]): ReadonlyArray<string> => {
  if (known || longer.length > 0 || joined.length > 0) return [...new Set([word, ...longer, ...joined])]
  const distances = near.map((other) => [other, editDistance(word, other)] as const)
  const least = Math.min(...distances.map(([, distance]) => distance))
  const nearest = least <= allowedEdits(word) ? distances.filter(([, distance]) => distance === least) : []
  return nearest.length === 0 ? [word] : nearest.map(([other]) => other)
}

const quoted = (word: string): string => `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`

/** Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese: `search_bigrams` in the database has the same ranges. */
const unsegmentedRuns =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+/g

const askedFor = (words: ReadonlyArray<string>): Asked | undefined =>
  words.length === 0 ? undefined : { all: words.join(" & "), any: words.join(" | ") }

/** Every two neighbouring letters of each run; of a letter alone, every pair that begins with it. At most `mostPairs` in all. */
const bigramsOf = (runs: ReadonlyArray<string>): Asked | undefined => {
  const seen = new Set<string>()
  const words = runs.flatMap((run) => {
    const pairs =
      run.length === 1 ? [`${quoted(run)}:*`] : Array.from(run.slice(1), (letter, i) => quoted(`${run[i]}${letter}`))
    const fresh = [...new Set(pairs)].filter((pair) => !seen.has(pair)).slice(0, mostPairs - seen.size)
    for (const pair of fresh) seen.add(pair)
    return fresh.length === 0 ? [] : [`(${fresh.join(" & ")})`]
  })
  return askedFor(words)
}

/** Any of several names, each with all its words; names in scripts without spaces are not asked for. */
const anyName = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const asked = names
    .filter((name) => name.search(unsegmentedRuns) < 0)
    .map((name) => foldName(name).split(" ").map(quoted).join(" & "))
  return asked.length === 0 ? [] : [`(${[...new Set(asked)].map((one) => `(${one})`).join(" | ")})`]
}

const mostWords = 12
const mostNames = 4
const mostPairs = 24
const longestWord = 40

/** Reads a query's words; undefined where all of them say nothing ("the"). One statement; its cost grows with the number of known words. */
export const readWords = (sql: SqlClient.SqlClient) => {
  const wordRows = decodeRows(WordRows)
  return Effect.fn("SearchWords.read")(function* (
    query: string
  ): Effect.fn.Return<Words | undefined, SqlError.SqlError> {
    const asked = namesIn(query)
    const unsegmented = bigramsOf(withoutFillers(asked.rest).match(unsegmentedRuns) ?? [])
    const segmented = withoutFillers(asked.rest).replace(unsegmentedRuns, " ")
    const rows =
      segmented.trim() === ""
        ? []
        : yield* wordRows(sql`
with pair as (
  select a, b, a || b as word from (
    select word as a, lead(word) over (order by n) as b
    from unnest(string_to_array(search_fold(${segmented}::text), ' ')) with ordinality as w (word, n) limit ${2 * mostWords}::int) p
  where exists (select from search_word w where w.word = a || b)
)
select word, known, longer, joined, case when known or longer <> '{}' or joined <> '{}' then '{}' else array(
  select w.word from search_word w order by w.word <-> asked.word limit 40) end as near
from (
  select word, exists (select from search_word w where w.word = q.word)
    or exists (select from search_word w where w.stem = (tsvector_to_array(to_tsvector('english'::regconfig, q.word)))[1]) as known,
    case when length(q.word) < 4 then '{}' else array(
      select w.word from search_word w where w.word > q.word and w.word < q.word || chr(1114111) order by w.word limit 12) end as longer,
    array(select p.word from pair p where q.word in (p.a, p.b)) as joined
  from unnest(tsvector_to_array(to_tsvector('simple'::regconfig, search_fold(${segmented}::text)))) as q (word)
  where to_tsvector('english'::regconfig, q.word) <> ''::tsvector and length(q.word) <= ${longestWord}::int
  limit ${mostWords}::int
) as asked`)
    const words = [
      ...rows.map((row) => `(${meanings(row).map(quoted).join(" | ")})`),
      ...asked.found.slice(0, mostNames).flatMap(anyName)
    ]
    if (words.length === 0 && unsegmented === undefined) return undefined
    return { segmented: askedFor(words), unsegmented }
  })
}
