/** The rows of a ranking of playrooms, and how the text index is read. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { AccessibilityFeature } from "../catalogue/Playroom.ts"
import { reading } from "../database/Transactions.ts"
import { PlayroomId } from "../kernel/Ids.ts"

/** What names a playroom, with its lowest price. */
export const NamedRow = Schema.Struct({
  playroom_id: PlayroomId,
  name: Schema.String,
  city: Schema.String,
  time_zone: Schema.String,
  currency: Schema.String,
  from_price: Schema.Int,
  /** Whether it is today's lowest price. It is recomputed when the calendar changes it. */
  from_price_holds: Schema.Boolean
})
export type NamedRow = typeof NamedRow.Type

/** A row of a ranking, with all that a page shows. */
export const CandidateRow = Schema.Struct({
  ...NamedRow.fields,
  summary: Schema.String,
  operator_name: Schema.String,
  address: Schema.String,
  country: Schema.String,
  latitude: Schema.Finite,
  longitude: Schema.Finite,
  capacity: Schema.Int,
  age_min: Schema.Int,
  age_max: Schema.Int,
  amenities: Schema.Array(Schema.String),
  accessibility_features: Schema.NullOr(Schema.Array(AccessibilityFeature)),
  accessibility_lacks: Schema.NullOr(Schema.Array(AccessibilityFeature)),
  from_price_for: Schema.NullOr(Schema.String),
  photo_url: Schema.NullOr(Schema.String),
  distance_km: Schema.NullOr(Schema.Finite),
  /** Its number among the examined rows, from 1. */
  place: Schema.Int,
  /** False only for the last examined row, which then only marks the end of the read. */
  fits: Schema.Boolean
})
export type CandidateRow = typeof CandidateRow.Type

const withoutPlans = <A, E, R>(
  sql: SqlClient.SqlClient,
  way: "enable_seqscan" | "enable_bitmapscan",
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  reading(sql, Effect.andThen(sql`select set_config(${way}, 'off', true)`, effect))

/**
 * Has the statements of an effect read the index of places row by row, until they have enough. The planner takes any box for
 * a small one, and would first collect all that is in it.
 */
export const byPlaceIndex = <A, E, R>(sql: SqlClient.SqlClient, effect: Effect.Effect<A, E, R>) =>
  withoutPlans(sql, "enable_bitmapscan", effect)

/**
 * Has the statements of an effect read the text index, which collects all matches before it reads a row. The planner
 * assumes that combined words and filters are independent. If no row has them all, it would read the whole table
 * because it expects enough rows soon.
 */
export const byTextIndex = <A, E, R>(sql: SqlClient.SqlClient, effect: Effect.Effect<A, E, R>) =>
  withoutPlans(sql, "enable_seqscan", effect)
