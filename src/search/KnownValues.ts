/** What searches can be asked for: cities by their names in several languages, and the values that filters can have, for a caller who asked for another one. */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { minuteMs } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { namesOf } from "./AmenityNames.ts"
import { byTextIndex } from "./Candidates.ts"

/** A name stands for so many spellings of a city at most; what so many names stand for is kept. */
const [mostKeys, mostKept] = [5, 500]
/** So many cities are named as those that may have been meant. */
const mostNearest = 20
/** Names that have less in common are no misspelling of each other. */
const similar = 0.3
/** Of a text, so many words and letters are looked at, and names of so many. */
const [mostWords, longestName, mostLetters, longestRun] = [12, 4, 24, 8]

/** Parts of a text that may be names: some words, or, in scripts without spaces, some letters that stand side by side. */
const possibleNames = (text: string): ReadonlyArray<string> => {
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

/** The names of cities in one database. */
export const cityNames = (sql: SqlClient.SqlClient) => {
  const keyRows = decodeRows(Schema.Array(Schema.Struct({ city_key: Schema.String })))
  const nearestRows = decodeRows(Schema.Array(Schema.Struct({ city: Schema.String, likeness: Schema.Finite })))
  const nameRows = decodeRows(Schema.Array(Schema.Struct({ name: Schema.String })))
  const known = new Map<string, { readonly keys: ReadonlyArray<string>; readonly until: number }>()

  /** Those that have the name; and those whose own spelling is a name of one of them. */
  const keysOf = (city: string) =>
    Effect.map(
      keyRows(sql`
with named as (
  select city_key from city_name where name in (search_fold(${city}::text), search_fold(search_spelt_out(${city}::text))) limit ${mostKeys}::int
)
select city_key from named union
select o.city_key from named join city_name n using (city_key) join city_name o on o.name = n.name and o.city_key = n.name
limit ${mostKeys}::int`),
      (rows) => rows.map(({ city_key }) => city_key)
    )

  return {
    /**
     * From a city's name, in whichever language, to `city_key` of playrooms; empty for one that no playroom has. The answer may be
     * a minute old.
     */
    keys: Effect.fn("CityNames.keys")(function* (
      city: string
    ): Effect.fn.Return<ReadonlyArray<string>, SqlError.SqlError> {
      const now = yield* Clock.currentTimeMillis
      const before = known.get(city)
      if (before !== undefined && before.until > now) return before.keys
      const whole = yield* keysOf(city)
      // "San Francisco, CA": people add where the city is.
      const [first = ""] = city.split(",")
      const keys = whole.length > 0 || first === city || first.trim() === "" ? whole : yield* keysOf(first)
      if (keys.length > 0) {
        if (known.size >= mostKept) known.clear()
        known.set(city, { keys, until: now + minuteMs })
      }
      return keys
    }),

    /** Cities whose names are nearest to one, nearest first, and whether the first is near enough to be what was meant. */
    nearest: (city: string) =>
      Effect.map(
        nearestRows(sql`
select city, max(likeness)::float8 as likeness from (
  select city, similarity(name, search_fold(${city}::text)) as likeness from city_name
  order by name <-> search_fold(${city}::text) limit ${3 * mostNearest}::int
) n group by city order by 2 desc, 1 limit ${mostNearest}::int`),
        (rows) => ({ cities: rows.map((row) => row.city), isMisspelt: (rows[0]?.likeness ?? 0) >= similar })
      ),

    /** Cities' names that stand in a text, the longest first. */
    namedIn: (text: string) =>
      Effect.map(
        nameRows(sql`
select possible as name from unnest(${possibleNames(text)}::text[]) as possible
where exists (select from city_name where name in (search_fold(possible), search_fold(search_spelt_out(possible))))
order by length(possible) desc`),
        (rows) =>
          rows
            .map(({ name }) => name)
            .filter((name, i, names) => !names.slice(0, i).some((longer) => longer.includes(name)))
      )
  }
}
export type CityNames = ReturnType<typeof cityNames>

const mostValues = 20
/** So many playrooms are looked at for what they have. */
const sample = 300

/** The values of searches in one database. */
export const knownValues = (sql: SqlClient.SqlClient) => {
  const valueRows = decodeRows(Schema.Array(Schema.Struct({ value: Schema.String })))
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
  from leap where leap.value is not null and n <= ${mostValues}::int
)
select value from leap where value is not null limit ${mostValues}::int`)
  }

  return {
    countries: each("country"),
    currencies: each("currency"),
    /** Where the playroom is that is closest to a point, by degrees. */
    closest: ({ latitude, longitude }: { readonly latitude: number; readonly longitude: number }) =>
      placeRows(sql`select latitude, longitude from playroom p where p.listed
        order by point(p.longitude, p.latitude) <-> point(${longitude}::float8, ${latitude}::float8) limit 1`),
    /** What playrooms have, the most common first. */
    amenities: values(sql`
select value from (select amenities from playroom p where p.listed order by p.playroom_id limit ${sample}::int) s, unnest(s.amenities) as value
group by value order by count(*) desc, value limit ${mostValues}::int`),
    /** Lengths of visits, the shortest first. */
    lengths: values(sql`
select distinct duration_minutes::text as value, duration_minutes from (select duration_minutes from search_visit limit ${sample}::int) s
order by duration_minutes limit ${mostValues}::int`),
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
export type KnownValues = ReturnType<typeof knownValues>
