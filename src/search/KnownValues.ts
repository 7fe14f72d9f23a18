/** The values that a search's filters can have, for a caller who asked for another one. Each answer is one bounded look into an index. */
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { decodeRows } from "../kernel/Rows.ts"
import { namesOf } from "./AmenityNames.ts"
import { byTextIndex } from "./Candidates.ts"

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
