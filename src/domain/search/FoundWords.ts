/** What of a query was found at a playroom, and where. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { AccessibilityFeature } from "../catalogue/Playroom.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { mentionsOf } from "./Needs.ts"
import { isFoundNowhere, type Words } from "./SearchWords.ts"

const DescribedRow = Schema.Struct({
  playroom_id: Schema.String,
  name: Schema.String,
  summary: Schema.String,
  description: Schema.String,
  amenities: Schema.Array(Schema.String),
  house_rules: Schema.String,
  bring: Schema.NullOr(Schema.String),
  accessibility: Schema.String,
  packages: Schema.NullOr(Schema.String),
  accessibility_features: Schema.NullOr(Schema.Array(AccessibilityFeature)),
  accessibility_lacks: Schema.NullOr(Schema.Array(AccessibilityFeature)),
  quiet_hours: Schema.NullOr(Schema.Array(Schema.Unknown)),
  /** The numbers of the words, from 1, each with a field that has it. */
  found: Schema.Array(Schema.Tuple([Schema.Int, Schema.String]))
})

/** A word or need of a query that a playroom's fields have. */
interface FoundWord {
  readonly word: string
  readonly in: ReadonlyArray<string>
}

/** One that they don't have, or say the opposite of. */
interface MissingWord {
  readonly word: string
  readonly denied_in: ReadonlyArray<string>
}

/** The matched and the unmatched words of a query at one playroom. */
export interface Found {
  readonly matched: ReadonlyArray<FoundWord>
  readonly unmatched: ReadonlyArray<MissingWord>
}

/** The same as an answer tells it: "nut free: house_rules". */
export const foundInWords = ({ matched, unmatched }: Found) => ({
  ...(matched.length === 0 ? {} : { matched: matched.map((one) => `${one.word}: ${one.in.join(", ")}`) }),
  ...(unmatched.length === 0
    ? {}
    : {
        unmatched: unmatched.map(({ denied_in, word }) =>
          denied_in.length === 0 ? word : `${word}: ${denied_in.join(", ")} says the opposite`
        )
      })
})

/** The most fields that are told of one word. */
const maxFields = 2

const columnsOf = ({ words }: Words) => ({
  kinds: words.map(({ kind }) => kind),
  texts: words.map(({ text }) => text)
})

/**
 * Finds the words of a query in the fields of playrooms: by the same texts and comparisons as the text index. Lists
 * stand in subqueries, so that the plan is the same for any length, and is kept.
 */
export const findWords = (sql: SqlClient.SqlClient) => {
  const rows = decodeRows(Schema.Array(DescribedRow))
  return Effect.fn("FoundWords.find")(function* (
    asked: Words,
    playroom_ids: ReadonlyArray<string>
  ): Effect.fn.Return<ReadonlyMap<string, Found>, SqlError.SqlError> {
    if (playroom_ids.length === 0) return new Map()
    const { kinds, texts } = columnsOf(asked)
    const found = yield* rows(sql`
with asked as materialized (
  select n, case kind when 'words' then to_tsquery('english'::regconfig, text) else text::tsquery end as query
  from unnest((select ${kinds}::text[]), (select ${texts}::text[])) with ordinality as a (kind, text, n)
)
select p.playroom_id, p.name, p.summary, p.description, p.amenities, d.house_rules, d.bring, d.accessibility,
  to_jsonb(d.accessibility_features) as accessibility_features, d.accessibility_lacks, d.quiet_hours, p.offer_texts[1] as packages,
  case when ${asked.words.length === 0} then '[]' else (
    select coalesce(jsonb_agg(jsonb_build_array(a.n, f.field) order by a.n, f.place), '[]') from (values
      (1, 'name', p.name, search_joined(search_fold(p.name))),
      (2, 'city', p.city, search_text(d.city_aliases)),
      (3, 'address', p.address, null),
      (4, 'amenities', search_text(p.amenities), null),
      (5, 'accessibility', d.accessibility, search_text(d.accessibility_features)),
      (6, 'house_rules', d.house_rules, null),
      (7, 'bring', d.bring, null),
      (8, 'packages', p.offer_texts[1], null),
      (9, 'add_ons', p.offer_texts[2], null),
      (10, 'summary', p.summary, null),
      (11, 'description', p.description, null)
    ) as f (place, field, text, beside)
    cross join lateral (select search_fold(concat_ws(' ', f.text, f.beside, search_spelt_out(f.text))) as folded offset 0) as t
    cross join lateral (select to_tsvector('english'::regconfig, t.folded) || array_to_tsvector(search_bigrams(t.folded)) as words offset 0) as v
    join asked a on v.words @@ a.query) end as found
from playroom p
cross join lateral jsonb_to_record(p.details) as d (house_rules text, bring text, accessibility text, accessibility_features text[],
  accessibility_lacks jsonb, quiet_hours jsonb, city_aliases text[])
where p.playroom_id = any((select ${playroom_ids}::text[])::text[])`)
    return new Map(
      found.map((row) => {
        const mentions = asked.needs.length === 0 ? undefined : mentionsOf(row)
        const matched: Array<FoundWord> = []
        const unmatched: Array<MissingWord> = []
        for (const { needs, shown } of asked.needs) {
          const said = needs.flatMap((need) => mentions?.get(need) ?? [])
          const met = said.flatMap((one) => (one.denied.length === 0 ? one.met : []))
          const denied = said.flatMap((one) => one.denied)
          if (met.length > 0) matched.push({ word: shown, in: [...new Set(met)].slice(0, maxFields) })
          else unmatched.push({ word: shown, denied_in: [...new Set(denied)].slice(0, maxFields) })
        }
        for (const [i, { shown }] of asked.words.entries()) {
          const fields = row.found.flatMap(([n, field]) => (n === i + 1 ? [field] : []))
          if (fields.length > 0) matched.push({ word: shown, in: fields.slice(0, maxFields) })
          else unmatched.push({ word: shown, denied_in: [] })
        }
        return [row.playroom_id, { matched, unmatched }]
      })
    )
  })
}

const listOf = (words: ReadonlyArray<string>): string => words.map((word) => JSON.stringify(word)).join(", ")

/** Finds the words of a search that no playroom has. */
export const findWordsNowhere = (sql: SqlClient.SqlClient) => {
  const nowhereRows = decodeRows(Schema.Array(Schema.Struct({ n: Schema.Int })))
  return Effect.fn("FoundWords.nowhere")(function* (
    asked: Words
  ): Effect.fn.Return<ReadonlyArray<string>, SqlError.SqlError> {
    if (asked.words.length === 0) return []
    if (isFoundNowhere(asked)) return asked.words.map(({ shown }) => shown)
    const { kinds, texts } = columnsOf(asked)
    // The text index finds all that have a word, which takes long if many have it: the first playrooms are looked at
    // before.
    const rows = yield* nowhereRows(sql`
with first as materialized (select search_vector from playroom p where p.listed order by p.playroom_id limit 200)
select n::int as n from (
  select n, case kind when 'words' then to_tsquery('english'::regconfig, text) else text::tsquery end as query
  from unnest((select ${kinds}::text[]), (select ${texts}::text[])) with ordinality as a (kind, text, n) offset 0
) asked
where coalesce((select true from first where first.search_vector @@ query limit 1),
  (select true from playroom p where p.listed and p.search_vector @@ query limit 1)) is null`)
    return rows.flatMap(({ n }) => asked.words[n - 1]?.shown ?? [])
  })
}

/**
 * The sentences about the words of a search: what no playroom of the page has, what none has at all (`nowhere`), and
 * what was not looked for.
 */
export const queryHint = (
  asked: Words,
  page: ReadonlyArray<Found>,
  nowhere: ReadonlyArray<string>
): string | undefined => {
  const unmet = asked.needs
    .map(({ shown }) => shown)
    .filter((shown) => page.every(({ unmatched }) => unmatched.some(({ word }) => word === shown)))
  const said = [
    ...(unmet.length === 0 || page.length === 0
      ? []
      : [
          `None of these says that it meets ${listOf(unmet)}, so none is known to fit: tell the person, and have them ask the venue before booking.`
        ]),
    ...(nowhere.length === 0 ? [] : [`No playroom has ${listOf(nowhere)}.`]),
    ...(asked.ignored.length === 0 ? [] : [`Not looked for: ${listOf(asked.ignored)}.`]),
    ...(asked.elsewhere.length === 0
      ? []
      : [
          `Not looked for in words: ${listOf(asked.elsewhere)}. Days, ages, numbers, prices and a whole room (mode) have arguments of their own.`
        ]),
    ...(asked.atHome.length === 0
      ? []
      : [`Not looked for: ${listOf(asked.atHome)}. Families come to playrooms; none comes to a family.`])
  ]
  return said.length === 0 ? undefined : said.join(" ")
}
