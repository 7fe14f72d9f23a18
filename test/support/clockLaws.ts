/** Two laws of a clock: British Columbia changed its clocks twice a year, and stays at UTC-7 from 2026 on. */
import { Effect } from "effect"
import { type Instant, runtimeRules, useZoneRules, type ZoneRules } from "../../src/platform/time/LocalTime.ts"

export const vancouver = "America/Vancouver"
const pacific = runtimeRules.zone("America/Los_Angeles")
const since = Date.parse("2026-03-08T10:00:00Z")

const law = (release: string, offset: (at: Instant) => number): ZoneRules => ({
  release,
  from: "a test",
  zone: (name) => (name === vancouver ? offset : undefined)
})
const before = (at: Instant) => pacific?.(at) ?? 0
export const lawBefore = law("2025z", before)
export const lawSince = law("2026z", (at) => (at < since ? before(at) : -7 * 3_600_000))

/** The clocks of this process go by these rules while the scope is open, or until others are taken. */
export const goingBy = (rules: ZoneRules) =>
  Effect.acquireRelease(
    Effect.sync(() => useZoneRules(rules)),
    () => Effect.sync(() => useZoneRules(runtimeRules))
  )
