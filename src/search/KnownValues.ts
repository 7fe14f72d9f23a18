/** What can be searched for, told to who asked for something else. Each answer is one bounded look into an index. */
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { decodeRows } from "../kernel/Rows.ts"
import { byTextIndex } from "./Candidates.ts"
import { namesOf } from "./AmenityNames.ts"

const most = 20
const mostCities = 20
/** Names that have less in common are no misspelling of each other. */
const similar = 0.3
/** So many playrooms are looked at for what they have. */
const sample = 300

/** Of a text, so many words and letters are looked at, and names of so many. */
const [mostWords, longestName, mostLetters, longestRun] = [12, 4, 24, 8]

/** Parts of a text that may be names: some words, or, in scripts without spaces, some letters that stand side by side. */
const mayBeNames = (text: string): ReadonlyArray<string> => {
  const parts = (all: ReadonlyArray<string>, longest: number, least: number, between: string) =>
    all.flatMap((_, i) =>
      Array.from({ length: longest - least + 1 }, (_, n) => all.slice(i, i + least + n).join(between))
    )
  const words = text.split(/[^\p{L}\p{M}\p{N}'’.-]+/u).filter((word) => word !== "")
  const letters = Array.from(text.replaceAll(/[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu, " "))
  return [
    ...new Set([
      ...parts(words.slice(0, mostWords), longestName, 1, " "),
      ...parts(letters.slice(0, mostLetters), longestRun, 2, "").filter((run) => !run.includes(" "))
    ])
  ]
}

/** The values of searches in one database. */
export const knownValues = (sql: SqlClient.SqlClient) => {
  const valueRows = decodeRows(Schema.Array(Schema.Struct({ value: Schema.String })))
  const cityRows = decodeRows(Schema.Array(Schema.Struct({ value: Schema.String, likeness: Schema.Finite })))
  const placeRows = decodeRows(Schema.Array(Schema.Struct({ latitude: Schema.Finite, longitude: Schema.Finite })))
  const values = (statement: Statement.Fragment) =>
    Effect.map(valueRows(sql`${statement}`), (rows) => rows.map(({ value }) => value))

  /** Each value of a column once, by leaps along the index of listed playrooms that begins with it. */
  const each = (column: "country" | "currency") => {
    const key = sql.literal(
      column === "country" ? "p.country, p.playroom_id" : "p.currency, p.from_price, p.playroom_id"
    )
    const value = sql.literal(`p.${column}`)
    return values(sql`
with recursive leap (value, n) as (
  (select ${value}, 1 from playroom p where p.listed order by ${key} limit 1)
  union all
  select (select ${value} from playroom p where p.listed and ${value} > leap.value order by ${key} limit 1), n + 1
  from leap where leap.value is not null and n <= ${most}::int
)
select value from leap where value is not null limit ${most}::int`)
  }

  return {
    countries: each("country"),
    currencies: each("currency"),
    /** Cities whose names are nearest to one, nearest first, and whether the first may be the one that was meant. */
    cities: (city: string) =>
      Effect.map(
        cityRows(sql`
select value, max(likeness)::float8 as likeness from (
  select city as value, similarity(name, search_fold(${city}::text)) as likeness from city_name
  order by name <-> search_fold(${city}::text) limit ${3 * mostCities}::int
) n group by value order by 2 desc, 1 limit ${mostCities}::int`),
        (rows) => ({ cities: rows.map(({ value }) => value), meant: (rows[0]?.likeness ?? 0) >= similar })
      ),
    /** Cities' names that stand in a text, the longest first. */
    citiesIn: (text: string) =>
      Effect.map(
        values(sql`
select asked as value from unnest(${mayBeNames(text)}::text[]) as asked
where exists (select from city_name where name in (search_fold(asked), search_fold(search_spelt_out(asked))))
order by length(asked) desc`),
        (names) => names.filter((name, i) => !names.slice(0, i).some((longer) => longer.includes(name)))
      ),
    /** Where the playroom is that is closest to a point, by degrees. */
    closest: ({ latitude, longitude }: { readonly latitude: number; readonly longitude: number }) =>
      placeRows(sql`select latitude, longitude from playroom p where p.listed
        order by point(p.longitude, p.latitude) <-> point(${longitude}::float8, ${latitude}::float8) limit 1`),
    /** What playrooms have, the most common first. */
    amenities: values(sql`
select value from (select amenities from playroom p where p.listed order by p.playroom_id limit ${sample}::int) s, unnest(s.amenities) as value
group by value order by count(*) desc, value limit ${most}::int`),
    /** Lengths of visits, the shortest first. */
    lengths: values(sql`
select distinct duration_minutes::text as value, duration_minutes from (select duration_minutes from search_visit limit ${sample}::int) s
order by duration_minutes limit ${most}::int`),
    /** Whether a playroom has what is asked for, by any of its names. */
    hasAmenity: (amenity: string) =>
      Effect.map(
        byTextIndex(
          sql,
          values(
            sql`select 'yes' as value from playroom p where p.listed and p.amenity_keys && search_fold(${namesOf(amenity)}::text[]) limit 1`
          )
        ),
        (rows) => rows.length > 0
      )
  }
}
