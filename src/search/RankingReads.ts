/** The rows of a ranking of playrooms. */
import { Schema } from "effect"
import { AccessibilityFeature } from "../catalogue/Playroom.ts"
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
