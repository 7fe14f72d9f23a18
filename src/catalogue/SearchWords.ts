/** From a query's words to what the text index is asked: known words as they are, misspelt ones as the nearest known. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { decoded } from "../kernel/Rows.ts"

/** `tsquery` texts. */
export interface Words {
  readonly all: string
  /** Where there is more than one word. */
  readonly any: string | undefined
}

const WordRows = Schema.Array(
  Schema.Struct({
    word: Schema.String,
    known: Schema.Boolean,
    longer: Schema.Array(Schema.String),
    near: Schema.Array(Schema.String)
  })
)

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

/** How many edits a typo may have: none in short words, where every word is near another. */
const forgiven = (word: string): number => (word.length < 4 ? 0 : word.length < 8 ? 1 : 2)

/** What a word stands for: itself and words that begin with it, or else the nearest known words. */
const meanings = ({ word, known, longer, near }: (typeof WordRows.Type)[number]): ReadonlyArray<string> => {
  if (known || longer.length > 0) return [...new Set([word, ...longer])]
  const distances = near.map((other) => [other, editDistance(word, other)] as const)
  const least = Math.min(...distances.map(([, distance]) => distance))
  const nearest = least <= forgiven(word) ? distances.filter(([, distance]) => distance === least) : []
  return nearest.length === 0 ? [word] : nearest.map(([other]) => other)
}

const quoted = (word: string): string => `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`

const mostWords = 12
const longestWord = 40

/** Reads a query's words; undefined where it has none that say anything ("the"). One statement, whose cost follows the vocabulary. */
export const readWords = (sql: SqlClient.SqlClient) => {
  const wordRows = decoded(WordRows)
  return Effect.fn("SearchWords.read")(function* (
    query: string
  ): Effect.fn.Return<Words | undefined, SqlError.SqlError> {
    const rows = yield* wordRows(sql`
select word, known, longer, case when known or longer <> '{}' then '{}' else array(
  select w.word from search_word w order by w.word <-> asked.word limit 40) end as near
from (
  select word, exists (select from search_word w where w.word = q.word)
    or exists (select from search_word w where w.stem = (tsvector_to_array(to_tsvector('english'::regconfig, q.word)))[1]) as known,
    case when length(q.word) < 4 then '{}' else array(
      select w.word from search_word w where w.word > q.word and w.word < q.word || chr(1114111) order by w.word limit 12) end as longer
  from unnest(tsvector_to_array(to_tsvector('simple'::regconfig, search_fold(${query}::text)))) as q (word)
  where to_tsvector('english'::regconfig, q.word) <> ''::tsvector and length(q.word) <= ${longestWord}::int
  limit ${mostWords}::int
) as asked`)
    if (rows.length === 0) return undefined
    const words = rows.map((row) => `(${meanings(row).map(quoted).join(" | ")})`)
    return { all: words.join(" & "), any: words.length > 1 ? words.join(" | ") : undefined }
  })
}
