/** The rows of a ranking of playrooms, and how they are read: by plans that use indexes, alone or with other searches. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { PlayroomId } from "../kernel/Ids.ts"
import { AccessibilityFeature } from "../catalogue/Playroom.ts"
import { sharedReads } from "./SharedReads.ts"

/** A row that was found, with what counts, compares and names it. */
export const FoundRow = Schema.Struct({
  playroom_id: PlayroomId,
  name: Schema.String,
  city: Schema.String,
  time_zone: Schema.String,
  currency: Schema.String,
  from_price: Schema.Int,
  /** Whether it is today's lowest price. It is recomputed when the calendar changes it. */
  from_price_holds: Schema.Boolean,
  distance_km: Schema.NullOr(Schema.Finite),
  /** Its number among the examined rows, from 1. */
  place: Schema.Int,
  /** False only for the last examined row, which then only marks the end of the read. */
  fits: Schema.Boolean
})
export type FoundRow = typeof FoundRow.Type

/** The same with all that a page shows. */
export const CandidateRow = Schema.Struct({
  ...FoundRow.fields,
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
  photo_url: Schema.NullOr(Schema.String)
})
export type CandidateRow = typeof CandidateRow.Type

/**
 * Disables some kinds of scans in the plans of an effect's statements, so that they use an index. The planner assumes
 * that combined filters are independent. If no row has them all, it would read the whole table because it expects
 * enough rows soon.
 */
const plannedWithout =
  (kinds: "seqscan" | "seqscan, bitmapscan") =>
  <A, E, R>(sql: SqlClient.SqlClient, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    sql.withTransaction(
      Effect.andThen(
        sql`select set_config('enable_' || kind, 'off', true) from unnest(string_to_array(${kinds}::text, ', ')) as kind`,
        effect
      )
    )
/** With an index that is read row by row. */
export const byIndex = plannedWithout("seqscan, bitmapscan")
/** With the text index, which collects all matches before it reads a row. */
export const byTextIndex = plannedWithout("seqscan")

type Rows = (statement: Statement.Fragment) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

/** How a ranking reads; `explainReads` shares its reads with other searches. */
export interface RankingReads {
  /** Candidates. */
  readonly candidates: Rows
  /** Playrooms by what they offer. */
  readonly visits: Rows
  /** Playrooms by words. */
  readonly words: Rows
}

/**
 * Reads that are shared by the searches that run at the same time. Candidates are not prepared, so that they are
 * planned for the current filters: the best plan for a rare one is the worst for a common one.
 */
export const explainReads = (sql: SqlClient.SqlClient): RankingReads => ({
  candidates: sharedReads(sql, (read) => read),
  visits: sharedReads(sql, (read) => byIndex(sql, read)),
  words: sharedReads(sql, (read) => byTextIndex(sql, read))
})

/** Reads of one search. */
export const ownReads = (sql: SqlClient.SqlClient): RankingReads => ({
  candidates: (statement) => sql`${statement}`.unprepared,
  visits: (statement) => byIndex(sql, sql`${statement}`.unprepared),
  words: (statement) => byTextIndex(sql, sql`${statement}`.unprepared)
})
