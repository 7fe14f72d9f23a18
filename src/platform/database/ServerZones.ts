/**
 * The rules of time zones that the database's server has. Nothing is decided by them: they are compared with the
 * runtime's, as one of both is older than the law of a country where they differ.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { dayMs, type Instant, offsetAt, secondMs } from "../time/LocalTime.ts"
import { decodeRows } from "./Rows.ts"

/** Every third day of two years is compared: bookings are rarely made further ahead. */
const stepMs = 3 * dayMs
const spanMs = 2 * 366 * dayMs

const offsetsOf = decodeRows(
  Schema.Array(Schema.Struct({ time_zone: Schema.String, seconds: Schema.Array(Schema.Int) }))
)

/** A zone whose clock is another by the server: the first such instant, with both offsets from UTC in milliseconds. */
export interface ZoneOtherwise {
  readonly time_zone: string
  readonly from: Instant
  readonly here: number
  readonly there: number
}

/**
 * Those of the zones that have another offset on the database's server within two years. A zone that the server does
 * not know is none. `offset`: the runtime's.
 */
export const zonesOtherwise = Effect.fn("zonesOtherwise")(function* (
  zones: ReadonlyArray<string>,
  now: Instant,
  offset: (zone: string, at: Instant) => number = offsetAt
) {
  const sql = yield* SqlClient.SqlClient
  const known = yield* offsetsOf(sql`select z.time_zone, (
      select jsonb_agg(extract(epoch from (t at time zone z.time_zone) - (t at time zone 'UTC'))::int order by t)
      from generate_series(${new Date(now)}::timestamptz, ${new Date(now + spanMs)}::timestamptz,
        make_interval(secs => ${stepMs / secondMs}::float8)) as t) as seconds
    from unnest(${zones}::text[]) as z (time_zone)
    where z.time_zone in (select name from pg_timezone_names) order by z.time_zone collate "C"`)
  return known.flatMap(({ seconds, time_zone }): ReadonlyArray<ZoneOtherwise> => {
    for (const [n, second] of seconds.entries()) {
      const from = now + n * stepMs
      const [here, there] = [offset(time_zone, from), second * secondMs]
      if (here !== there) return [{ time_zone, from, here, there }]
    }
    return []
  })
})
