/** The cities that a name stands for: a city has names in several languages, and playrooms write it in several ways. */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { minuteMs } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"

/** A name stands for so many spellings of a city at most. */
const mostKeys = 5
const mostKept = 500

/** From a city's name, in whichever language, to `city_key` of playrooms; empty for one that no playroom has. What it answers may be a minute old. */
export const readCity = (sql: SqlClient.SqlClient) => {
  const keyRows = decodeRows(Schema.Array(Schema.Struct({ city_key: Schema.String })))
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
  return Effect.fn("CityNames.read")(function* (
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
  })
}
