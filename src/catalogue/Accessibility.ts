/** What a playroom has, or is known to lack, for people with disabilities: a small vocabulary, so that it can be asked for and answered. */
import { Schema } from "effect"

export const AccessibilityFeature = Schema.Literals([
  "step_free_access",
  "ramp_on_request",
  "lift",
  "accessible_toilet",
  "changing_places_toilet",
  "accessible_parking",
  "hearing_loop",
  "quiet_hours",
  "sensory_room"
])
export type AccessibilityFeature = typeof AccessibilityFeature.Type
