/** Cities by their names: a city has names in several languages, and playrooms write it in several ways. */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { minuteMs } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"

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
