/**
 * The rules of time zones that the database's server has. Nothing is decided by them: they are compared with the
 * runtime's, as one of both is older than the law of a country where they differ.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { dayMs, type Instant, offsetAt, secondMs, zoneReadAs } from "../time/LocalTime.ts"
import { decodeRows } from "./Rows.ts"

/** Two years are compared: bookings are rarely made further ahead. */
const spanMs = 2 * 366 * dayMs
/** No clock is changed twice within so long. */
const stepMs = 14 * dayMs

/**
 * Every other week, and the seconds around each change: another clock that is the same at each of these has the same
 * changes.
 */
const momentsOf = (offset: (at: Instant) => number, now: Instant): ReadonlyArray<Instant> => {
  const from = Math.ceil(now / secondMs) * secondMs
  return Array.from({ length: Math.ceil(spanMs / stepMs) }, (_, n) => from + n * stepMs).flatMap((start) => {
    let [low, high] = [start, start + stepMs]
    const before = offset(low)
    if (before === offset(high)) return [start]
    while (high - low > secondMs) {
      const middle = low + Math.floor((high - low) / 2 / secondMs) * secondMs
      if (offset(middle) === before) low = middle
      else high = middle
    }
    return [start, low, high]
  })
}

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
 * Those of the zones that have another offset on the database's server within two years. A zone that the server or
 * the runtime does not know is none. `offset`: the runtime's.
 */
export const zonesOtherwise = Effect.fn("zonesOtherwise")(function* (
  zones: ReadonlyArray<string>,
  now: Instant,
  offset: (zone: string, at: Instant) => number = offsetAt
) {
  const sql = yield* SqlClient.SqlClient
  const read = zones.filter((zone) => zoneReadAs(zone) !== undefined)
  const moments = new Map(read.map((zone) => [zone, momentsOf((at) => offset(zone, at), now)]))
  const known = yield* offsetsOf(sql`select z.key as time_zone, (
      select jsonb_agg(extract(epoch from (m.t at time zone z.key) - (m.t at time zone 'UTC'))::int order by m.n)
      from (select to_timestamp(value::bigint / 1000) as t, n
        from jsonb_array_elements_text(z.value) with ordinality as e (value, n)) m) as seconds
    from jsonb_each(${JSON.stringify(Object.fromEntries(moments))}::jsonb) z
    where z.key in (select name from pg_timezone_names) order by z.key collate "C"`)
  return known.flatMap(({ seconds, time_zone }): ReadonlyArray<ZoneOtherwise> => {
    for (const [n, from] of (moments.get(time_zone) ?? []).entries()) {
      const [here, there] = [offset(time_zone, from), (seconds[n] ?? 0) * secondMs]
      if (here !== there) return [{ time_zone, from, here, there }]
    }
    return []
  })
})
