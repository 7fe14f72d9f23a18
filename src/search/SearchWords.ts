/**
 * Turns a query's words into a query for the text index. Drops filler words, keeps known words, and replaces misspelt
 * words by the nearest known ones.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { editDistance } from "../kernel/Text.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { foldName, type Need } from "./AmenityNames.ts"
import { type AskedConcept, namesIn } from "./QueryNames.ts"

// Words that people put around what they look for, in five languages. They include words for indoor places where
// children play, because every playroom is one, and words that say little without the one before them ("nut-free").
const fillers = new Set(
  `
a an any around at by close find for free friendly from good great i in is it kid kids kiddie child children close looking me my near nearby nice of on or our please
play playroom playrooms playground playgrounds playcentre playcenter indoor indoors inside place places room search session sessions some somewhere that the there to
toddlers us want we with without where area centre center family families
am an auf bei beim bitte das dem den der des die drinnen ein eine einem einen einer es familien finde für gibt hallenspielplatz hallenspielplätze
ich im in indoorspielplatz indoorspielplätze innen ist kinder kindern kinderspielplatz kinderspielplätze kind kleine mein meine mir mit nahe nähe ohne ort raum schöne schöner
schönes spielen spielhalle spielort spielparadies spielplatz spielplätze spielraum spielräume suche und uns unsere unter von wir wo zu zum zur
à au aux avec cherche chez couvert couverte dans de des du enfant enfants en est et intérieur intérieure je jeu jeux joli l la le les lieu ludothèque
mes mon nos notre nous où par plaine pour près proche salle salles sans se sur trouver un une aire aires d
al busco buscar cerca con cubierto de del donde el en encontrar hay infantil infantiles interior juego juegos la las lo los mi mis niña niñas niño niños
nuestro nuestros para parque parques por sala salas sin sitio su un una unos y zona ludoteca
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

/** A word of a query, or a name of several words. */
export interface Word {
  /** As it is told: a misspelt word with what it was read as. */
  readonly shown: string
  /** The texts of queries that find it: of `to_tsquery` for words, of a `tsquery` of pairs of letters. */
  readonly text: string
  readonly kind: "words" | "letters"
}

/** A need that a query asks for. */
export interface AskedNeed {
  readonly shown: string
  /** One of them is enough. */
  readonly needs: ReadonlyArray<Need>
}

/** What a query asks for. There is at least one word or need. */
export interface Words {
  readonly words: ReadonlyArray<Word>
  readonly needs: ReadonlyArray<AskedNeed>
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

/** The number of edits allowed for a typo: none in short words, because every short word is near another. */
const allowedEdits = (word: string): number => (word.length < 4 ? 0 : word.length < 8 ? 1 : 2)

const quoted = (word: string): string => `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`

const wordOf = (shown: string, any: ReadonlyArray<string>): Word => ({
  shown,
  text: [...new Set(any)].map(quoted).join(" | "),
  kind: "words"
})

/** The words to search for a word: itself and words that begin with it, or otherwise the nearest known words. */
const meaning = ({ word, known, longer, joined, near }: (typeof WordRows.Type)[number]): Word => {
  if (known || longer.length > 0 || joined.length > 0) return wordOf(word, [word, ...longer, ...joined])
  const distances = near.map((other) => [other, editDistance(word, other)] as const)
  const least = Math.min(...distances.map(([, distance]) => distance))
  const nearest =
    least <= allowedEdits(word) ? distances.flatMap(([other, distance]) => (distance === least ? [other] : [])) : []
  return nearest.length === 0 ? wordOf(word, [word]) : wordOf(`${word} (read as ${nearest.join(" or ")})`, nearest)
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

/** A query for any of the names of what is asked for. All words of a name must follow each other. */
const anyName = ({ concepts, shown }: AskedConcept): Word => {
  const names = [shown, ...concepts.flatMap((concept) => [...concept.names, ...concept.asked])]
  const phrases = names
    .filter((name) => name.search(unsegmentedRuns) < 0)
    .map((name) => foldName(name).split(" ").map(quoted).join(" <-> "))
  return { shown, text: [...new Set(phrases)].map((phrase) => `(${phrase})`).join(" | "), kind: "words" }
}

/** The most words and names of one query that are looked for. Needs are always looked for. */
export const maxWords = 12
const maxPairs = 24
const maxWordLength = 40

/** What is looked for of a list, and the rest. */
const atMost = <A>(most: number, all: ReadonlyArray<A>): readonly [ReadonlyArray<A>, ReadonlyArray<A>] => [
  all.slice(0, most),
  all.slice(most)
]

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
    const needs = asked.found.flatMap(({ concepts, shown }): ReadonlyArray<AskedNeed> => {
      const keys = concepts.flatMap(({ need }) => need ?? [])
      return keys.length === 0 ? [] : [{ shown, needs: keys }]
    })
    const names = asked.found.filter(({ concepts }) => concepts.every(({ need }) => need === undefined))
    const letters = bigramsOf(withoutFillers(asked.rest).match(unsegmentedRuns) ?? [])
    const segmented = withoutFillers(asked.rest).replace(unsegmentedRuns, " ")
    const rows =
      segmented.trim() === ""
        ? []
        : yield* wordRows(sql`
with asked as materialized (
  select word, n, a || b as joined from (
    select word, n, word as a, lead(word) over (order by n) as b
    from unnest(string_to_array(search_fold(${segmented}::text), ' ')) with ordinality as w (word, n) limit 100) w
), pair as (
  select a.word as a, b.word as b, a.joined as word from asked a join asked b on b.n = a.n + 1
  where exists (select from search_word w where w.word = a.joined)
)
select word, known, longer, joined, looked, case when known or longer <> '{}' or joined <> '{}' or not looked then '{}' else array(
  select w.word from search_word w order by w.word <-> asked.word limit 40) end as near
from (
  select word, n, looked, looked and (exists (select from search_word w where w.word = q.word)
    or exists (select from search_word w where w.stem = (tsvector_to_array(to_tsvector('english'::regconfig, q.word)))[1])) as known,
    case when length(q.word) < 4 or not looked then '{}' else array(
      select w.word from search_word w where w.word > q.word and w.word < q.word || chr(1114111) order by w.word limit 12) end as longer,
    array(select p.word from pair p where looked and q.word in (p.a, p.b)) as joined
  from (
    select left(word, ${maxWordLength}::int) as word, min(n) as n,
      row_number() over (order by min(n)) <= ${maxWords}::int and length(word) <= ${maxWordLength}::int as looked
    from asked where to_tsvector('english'::regconfig, word) <> ''::tsvector group by word
  ) as q
) as asked order by n`)
    const known = rows.filter(({ looked }) => looked).map(meaning)
    const [words, others] = atMost(maxWords, [...known, ...letters, ...names.map(anyName)])
    if (words.length + needs.length === 0) return undefined
    const free = asked.rest.match(/\bfree\b/i) ?? []
    const ignored = [
      ...free,
      ...rows.flatMap(({ looked, word }) => (looked ? [] : [word])),
      ...others.map(({ shown }) => shown)
    ]
    return { words, needs, ignored }
  })
}
