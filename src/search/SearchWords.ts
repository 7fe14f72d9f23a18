/**
 * Turns a query's words into a query for the text index. Drops filler words, keeps known words, and replaces misspelt
 * words by the nearest known ones.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { editDistance } from "../kernel/Text.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { foldName, namesIn } from "./AmenityNames.ts"

// Words that people put around what they look for, in five languages. They include words for indoor places where
// children play, because every playroom is one.
const fillers = new Set(
  `
a an any around at by close find for from good great i in is it kid kids kiddie child children close looking me my near nearby nice of on or our please
play playroom playrooms playground playgrounds playcentre playcenter indoor indoors inside place places room search some somewhere that the there to toddlers us want
we with where area centre center family families
am an auf bei beim bitte das dem den der des die drinnen ein eine einem einen einer es familien finde für gibt hallenspielplatz hallenspielplätze
ich im in indoorspielplatz indoorspielplätze innen ist kinder kindern kinderspielplatz kinderspielplätze kind kleine mein meine mir mit nahe nähe ort raum schöne schöner schönes spielen spielhalle
spielort spielparadies spielplatz spielplätze spielraum spielräume suche und uns unsere unter von wir wo zu zum zur
à au aux avec cherche chez couvert couverte dans de des du enfant enfants en est et intérieur intérieure je jeu jeux joli l la le les lieu ludothèque
mes mon nos notre nous où par plaine pour près proche salle salles se sur trouver un une aire aires d
al busco buscar cerca con cubierto de del donde el en encontrar hay infantil infantiles interior juego juegos la las lo los mi mis niña niñas niño niños
nuestro nuestros para parque parques por sala salas sitio su un una unos y zona ludoteca
`
    .split(/\s+/)
    .map(foldName)
)

const japanese =
  /室内|屋内|インドア|遊び場|遊べる|遊ぶ|遊びたい|あそび場|あそべる|キッズルーム|キッズスペース|プレイルーム|プレイランド|子供|子ども|こども|子連れ|近く|近所|周辺|付近|場所|ところ|おすすめ|探して|教えて|ください|できる|ために|ための|向け/g
const particles =
  /(?<=[\p{Script=Han}\p{Script=Katakana}ー])(?:の|で|に|を|へ|と|は|が|も|から|まで|や)(?=$|[^\p{L}]|[\p{Script=Han}\p{Script=Katakana}])/gu

/** A text without filler words. */
const withoutFillers = (text: string): string =>
  text
    .replaceAll(japanese, " ")
    .replaceAll(particles, " ")
    .replaceAll(/(?<=^|\s)[のでにをへとはがもや](?=$|\s)/gu, " ")
    .split(/\s+/)
    .filter((word) => !fillers.has(foldName(word)))
    .join(" ")

/** A query's words for the text index. At least one of the two is present. */
export interface Words {
  /** Words of scripts with spaces: texts for `to_tsquery`. */
  readonly segmented: Asked | undefined
  /** Words of scripts without spaces: texts of a `tsquery` of pairs of neighbouring letters. */
  readonly unsegmented: Asked | undefined
}

/** A query for all of some words, and one for any of them. With one word, both are the same. */
export interface Asked {
  readonly all: string
  readonly any: string
}

const WordRows = Schema.Array(
  Schema.Struct({
    word: Schema.String,
    known: Schema.Boolean,
    longer: Schema.Array(Schema.String),
    /** Known words that it forms together with a neighbouring word. */
    joined: Schema.Array(Schema.String),
    near: Schema.Array(Schema.String)
  })
)

/** The number of edits allowed for a typo: none in short words, because every short word is near another. */
const allowedEdits = (word: string): number => (word.length < 4 ? 0 : word.length < 8 ? 1 : 2)

/** The words to search for a word: itself and words that begin with it, or otherwise the nearest known words. */
const meanings = ({ word, known, longer, joined, near }: (typeof WordRows.Type)[number]): ReadonlyArray<string> => {
  if (known || longer.length > 0 || joined.length > 0) return [...new Set([word, ...longer, ...joined])]
  const distances = near.map((other) => [other, editDistance(word, other)] as const)
  const least = Math.min(...distances.map(([, distance]) => distance))
  const nearest = least <= allowedEdits(word) ? distances.filter(([, distance]) => distance === least) : []
  return nearest.length === 0 ? [word] : nearest.map(([other]) => other)
}

const quoted = (word: string): string => `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`

/** Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese. `search_bigrams` in the database has the same ranges. */
const unsegmentedRuns =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+/g

const askedFor = (words: ReadonlyArray<string>): Asked | undefined =>
  words.length === 0 ? undefined : { all: words.join(" & "), any: words.join(" | ") }

/**
 * All pairs of neighbouring letters of each run; for a single letter, every pair that begins with it. At most
 * `maxPairs` in all.
 */
const bigramsOf = (runs: ReadonlyArray<string>): Asked | undefined => {
  const seen = new Set<string>()
  const words = runs.flatMap((run) => {
    const pairs =
      run.length === 1 ? [`${quoted(run)}:*`] : Array.from(run.slice(1), (letter, i) => quoted(`${run[i]}${letter}`))
    const fresh = [...new Set(pairs)].filter((pair) => !seen.has(pair)).slice(0, maxPairs - seen.size)
    for (const pair of fresh) seen.add(pair)
    return fresh.length === 0 ? [] : [`(${fresh.join(" & ")})`]
  })
  return askedFor(words)
}

/** A query for any of several names, each with all its words. Skips names in scripts without spaces. */
const anyName = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const asked = names
    .filter((name) => name.search(unsegmentedRuns) < 0)
    .map((name) => foldName(name).split(" ").map(quoted).join(" & "))
  return asked.length === 0 ? [] : [`(${[...new Set(asked)].map((one) => `(${one})`).join(" | ")})`]
}

const maxWords = 12
const maxNames = 4
const maxPairs = 24
const maxWordLength = 40

/**
 * Reads a query's words; undefined if all of them are fillers ("the"). One statement; its cost grows with the number of
 * known words.
 */
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
    from unnest(string_to_array(search_fold(${segmented}::text), ' ')) with ordinality as w (word, n) limit ${2 * maxWords}::int) p
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
  where to_tsvector('english'::regconfig, q.word) <> ''::tsvector and length(q.word) <= ${maxWordLength}::int
  limit ${maxWords}::int
) as asked`)
    const words = [
      ...rows.map((row) => `(${meanings(row).map(quoted).join(" | ")})`),
      ...asked.found.slice(0, maxNames).flatMap(anyName)
    ]
    if (words.length === 0 && unsegmented === undefined) return undefined
    return { segmented: askedFor(words), unsegmented }
  })
}
