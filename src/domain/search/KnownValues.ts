/**
 * Values for searches: cities by their names in several languages, and the values of filters, for suggestions after an
 * unknown value.
 */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { monotonicMs } from "../../platform/time/Elapsed.ts"
import { type Instant, minuteMs } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { operatorSells } from "./SearchTiers.ts"

/** The most spellings of a city for one name, and the most names in the cache. */
const [maxKeys, maxCached] = [5, 500]
/** The most cities to suggest. */
const maxNearest = 20
/** Below this similarity a name is no misspelling of another. */
const similar = 0.3
/** Limits for a text: words, words of a name, letters, letters of a name. */
const [maxWords, maxNameWords, maxLetters, maxNameLetters] = [12, 4, 24, 8]

/** Parts of a text that may be names: neighbouring words, or neighbouring letters in scripts without spaces. */
const possibleNames = (text: string): ReadonlyArray<string> => {
  const parts = (all: ReadonlyArray<string>, longest: number, least: number, between: string) =>
    all.flatMap((_, i) =>
      Array.from({ length: longest - least + 1 }, (_, n) => all.slice(i, i + least + n).join(between))
    )
  const words = text.split(/[^\p{L}\p{M}\p{N}'’.-]+/u).filter((word) => word !== "")
  const letters = Array.from(text.replaceAll(/[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu, " "))
  return [
    ...new Set([
      ...parts(words.slice(0, maxWords), maxNameWords, 1, " "),
      ...parts(letters.slice(0, maxLetters), maxNameLetters, 2, "").filter((run) => !run.includes(" "))
    ])
  ]
}

/** The names of cities in one database. */
export const cityNames = (sql: SqlClient.SqlClient) => {
  const keyRows = decodeRows(Schema.Array(Schema.Struct({ city_key: Schema.String })))
  const nearestRows = decodeRows(Schema.Array(Schema.Struct({ city: Schema.String, likeness: Schema.Finite })))
  const nameRows = decodeRows(Schema.Array(Schema.Struct({ name: Schema.String })))
  const known = new Map<string, { readonly keys: ReadonlyArray<string>; readonly until: number }>()

  /** Cities with the name, and cities whose own spelling is another name of one of them. */
  const keysOf = (city: string) =>
    Effect.map(
      keyRows(sql`
with named as (
  select city_key from city_name where name in (search_fold(${city}::text), search_fold(search_spelt_out(${city}::text))) limit ${maxKeys}::int
)
select city_key from named union
select o.city_key from named join city_name n using (city_key) join city_name o on o.name = n.name and o.city_key = n.name
limit ${maxKeys}::int`),
      (rows) => rows.map(({ city_key }) => city_key)
    )

  return {
    /**
     * The `city_key` values for a city's name in any language; empty if no playroom is there. The result may be a
     * minute old.
     */
    keys: Effect.fn("CityNames.keys")(function* (
      city: string
    ): Effect.fn.Return<ReadonlyArray<string>, SqlError.SqlError> {
      const now = yield* monotonicMs
      const before = known.get(city)
      if (before !== undefined && before.until > now) return before.keys
      const whole = yield* keysOf(city)
      // "San Francisco, CA": people add the state or country.
      const [first = ""] = city.split(",")
      const keys = whole.length > 0 || first === city || first.trim() === "" ? whole : yield* keysOf(first)
      if (keys.length > 0) {
        if (known.size >= maxCached) known.clear()
        known.set(city, { keys, until: now + minuteMs })
      }
      return keys
    }),

    /**
     * Cities with the most similar names, most similar first, and whether the first is similar enough to be a
     * misspelling.
     */
    nearest: (city: string) =>
      Effect.map(
        nearestRows(sql`
select city, max(likeness)::float8 as likeness from (
  select city, similarity(name, search_fold(${city}::text)) as likeness from city_name
  order by name <-> search_fold(${city}::text) limit ${3 * maxNearest}::int
) n group by city order by 2 desc, 1 limit ${maxNearest}::int`),
        (rows) => ({ cities: rows.map((row) => row.city), isMisspelt: (rows[0]?.likeness ?? 0) >= similar })
      ),

    /** Cities' names within a text, longest first. */
    namedIn: (text: string) =>
      Effect.map(
        nameRows(sql`
select possible as name from unnest((select ${possibleNames(text)}::text[])) as possible
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

/** The most values of a filter: as many amenities again, since needs are among them. */
const [maxValues, maxAmenities] = [20, 40]
/** The number of playrooms to read for the values. */
const sample = 300
/** The most cities to list, and how many playrooms of a city are looked at for one that is on sale. */
const [maxCities, perCity] = [60, 50]

/** The values of filters in one database; they may be a minute old. */
export const knownValues = (sql: SqlClient.SqlClient) => {
  const valueRows = decodeRows(Schema.Array(Schema.Struct({ value: Schema.String })))
  /** The values that a statement reads; kept for a minute, unless there are none. */
  const values = (
    statement: (now: Instant) => Statement.Fragment
  ): Effect.Effect<ReadonlyArray<string>, SqlError.SqlError> => {
    let before: { readonly values: ReadonlyArray<string>; readonly until: number } | undefined
    return Effect.gen(function* () {
      const now = yield* monotonicMs
      if (before !== undefined && before.until > now) return before.values
      const read = (yield* valueRows(sql`${statement(yield* Clock.currentTimeMillis)}`)).map(({ value }) => value)
      before = read.length === 0 ? undefined : { values: read, until: now + minuteMs }
      return read
    })
  }

  /** Each distinct value of a column, by leaps along the index of listed playrooms that begins with it. */
  const each = (column: "country" | "currency") => {
    const key = sql.literal(
      column === "country" ? "p.country, p.playroom_id" : "p.currency, p.from_price, p.playroom_id"
    )
    const value = sql.literal(`p.${column}`)
    return values(
      () => sql`
with recursive leap (value, n) as (
  (select ${value}, 1 from playroom p where p.listed order by ${key} limit 1)
  union all
  select (select ${value} from playroom p where p.listed and ${value} > leap.value order by ${key} limit 1), n + 1
  from leap where leap.value is not null and n <= ${maxValues}::int
)
select value from leap where value is not null limit ${maxValues}::int`
    )
  }

  return {
    countries: each("country"),
    currencies: each("currency"),
    /** Amenities of playrooms and needs that they meet, most common first. Each works in `query`, too. */
    amenities: values(
      () => sql`
select min(value) as value from (select amenities, needs from playroom p where p.listed order by p.playroom_id limit ${sample}::int) s,
  unnest(s.amenities || replace(s.needs::text, '_', ' ')::text[]) as value
group by search_fold(value) order by count(*) desc, 1 limit ${maxAmenities}::int`
    ),
    /** The first cities by name in which a listed playroom is on sale, by leaps, too. */
    cities: values(
      (now) => sql`
with recursive leap (city_key, n) as (
  (select p.city_key, 1 from playroom p where p.listed order by p.city_key, p.playroom_id limit 1)
  union all
  select (select p.city_key from playroom p where p.listed and p.city_key > leap.city_key order by p.city_key, p.playroom_id limit 1), n + 1
  from leap where leap.city_key is not null and n < ${maxCities}::int
)
select c.city as value from leap cross join lateral (
  select p.city from (select playroom_id, operator_id, city from playroom where listed and city_key = leap.city_key order by playroom_id limit ${perCity}::int) p
  where ${operatorSells(sql, "p", now)} order by p.playroom_id limit 1) c
order by leap.city_key`
    ),
    /** Lengths of visits, shortest first. */
    lengths: values(
      () => sql`
select distinct duration_minutes::text as value, duration_minutes from (select duration_minutes from search_visit limit ${sample}::int) s
order by duration_minutes limit ${maxValues}::int`
    )
  }
}
