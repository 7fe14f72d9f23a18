/**
 * The words and needs of a query as SQL conditions, from the best match to the least. What meets all needs comes first.
 * If nothing does, playrooms come that have some of the words, and at last any: each says what was not found.
 */
import type { SqlClient, Statement } from "effect/sql"
import type { Need } from "./AmenityNames.ts"
import type { Word, Words } from "./SearchWords.ts"

type Fragment = Statement.Fragment

/** A condition of a ranking. */
export interface WordCondition {
  /** For a row `s` with the vectors of a playroom. */
  readonly fits: ReadonlyArray<Fragment>
  /** The same for a row `p`, as a condition that the text index answers. It may match more rows; undefined: all. */
  readonly indexed: Fragment | undefined
  /** A condition of a higher level counts only if nothing matched those below. */
  readonly level: number
}

type Joint = "&" | "|"

/** A query of the text index for words: for all of them, or for any. */
const queryOfWords = (sql: SqlClient.SqlClient, words: ReadonlyArray<Word>, joint: Joint): ReadonlyArray<Fragment> => {
  const text = (kind: Word["kind"]) =>
    words.flatMap((word) => (word.kind === kind ? [`(${word.text})`] : [])).join(` ${joint} `)
  const [segmented, letters] = [text("words"), text("letters")]
  return [
    ...(segmented === "" ? [] : [sql`to_tsquery('english'::regconfig, ${segmented})`]),
    ...(letters === "" ? [] : [sql`${letters}::tsquery`])
  ]
}

/** A query of the text index for any of some needs, by what `search_playroom` in the database writes for them. */
export const queryOfNeeds = (needs: ReadonlyArray<Need>): string => needs.map((need) => `'need:${need}'`).join(" | ")

/** The conditions in order. `namesFirst`: playrooms with all words in their names and cities come first. */
export const wordConditions = (
  sql: SqlClient.SqlClient,
  { needs, words }: Words,
  namesFirst: boolean
): ReadonlyArray<WordCondition> => {
  /**
   * As a subquery, which is computed once and not for each row, and of which the planner expects few rows whatever the words
   * are. By statistics it would read the whole table for several common words, though no row may have them all.
   */
  const has = (row: "s" | "p", vector: "names" | "search", asked: ReadonlyArray<Fragment>, joint: "&&" | "||" = "&&") =>
    sql`${sql.literal(`${row}.${vector}_vector`)} @@ (select ${sql.join(` ${joint} `)(asked)})`
  const [allWords, anyWord] = [queryOfWords(sql, words, "&"), queryOfWords(sql, words, "|")]
  const needed = (joint: Joint): ReadonlyArray<Fragment> =>
    needs.length === 0
      ? []
      : [sql`${needs.map((asked) => `(${queryOfNeeds(asked.needs)})`).join(` ${joint} `)}::tsquery`]
  const [allNeeds, anyNeed] = [needed("&"), needed("|")]

  /** What has all or any of the words, and all needs; first what has the words in its names. */
  const matches = (asked: ReadonlyArray<Fragment>, joint: "&&" | "||", level: number): ReadonlyArray<WordCondition> => {
    const all = (row: "s" | "p", vector: "names" | "search") =>
      sql.and([
        ...(asked.length === 0 ? [] : [has(row, vector, asked, joint)]),
        ...(allNeeds.length === 0 ? [] : [has(row, "search", allNeeds)])
      ])
    const anywhere = { fits: [all("s", "search")], indexed: all("p", "search"), level }
    return namesFirst && asked.length > 0
      ? [
          { fits: [all("s", "names")], indexed: all("p", "names"), level },
          { ...anywhere, fits: [...anywhere.fits, sql`not ${has("s", "names", asked, joint)}`] }
        ]
      : [anywhere]
  }

  const full = matches(allWords, "&&", 0)
  const some = words.length > 1 ? matches(anyWord, "||", 1) : []
  if (needs.length === 0) return [...full, ...some]
  const any = [...anyWord, ...anyNeed]
  const meetsAll = has("s", "search", allNeeds)
  const unmet = sql`not ${meetsAll}`
  const named = has("s", "names", anyWord, "||")
  return [
    ...full,
    ...some,
    ...(words.length === 0
      ? []
      : [
          {
            fits: [meetsAll, sql`not ${has("s", "search", anyWord, "||")}`],
            indexed: has("p", "search", allNeeds),
            level: 1
          }
        ]),
    ...(words.length + needs.length === 1
      ? []
      : [
          // A city is most often what the words name.
          ...(!namesFirst || words.length === 0
            ? []
            : [{ fits: [named, unmet], indexed: has("p", "names", anyWord, "||"), level: 1 }]),
          {
            fits: [
              has("s", "search", any, "||"),
              unmet,
              ...(!namesFirst || words.length === 0 ? [] : [sql`not ${named}`])
            ],
            indexed: has("p", "search", any, "||"),
            level: 1
          }
        ]),
    { fits: [], indexed: undefined, level: 2 }
  ]
}
