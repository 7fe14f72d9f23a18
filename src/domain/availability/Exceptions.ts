/**
 * The rules of a venue that only the venue may set aside, when it books by itself: its ages, the sizes of a package's
 * party, and how early or late one books. Places, stock, opening times and money are none of them. Pure.
 */
import { Schema } from "effect"
import { addDays, type Instant, startOfDay } from "../../platform/time/LocalTime.ts"
import { maxAdvanceDays, type Venue } from "../catalogue/Playroom.ts"
import { agesOutside } from "./Availability.ts"
import type { VisitRequest } from "./Decision.ts"
import { window } from "./Starts.ts"

/** A rule that a booking breaks. `party_too_large`: for the package; the room has places for it. */
export const Exception = Schema.Literals(["ages", "party_too_small", "party_too_large", "too_soon", "too_far_ahead"])
export type Exception = typeof Exception.Type

const texts: Readonly<Record<Exception, string>> = {
  ages: "an age that the playroom is not for",
  party_too_small: "fewer children than the package is for",
  party_too_large: "more children or adults than the package is for",
  too_soon: "later than the venue takes bookings",
  too_far_ahead: "earlier than the venue takes bookings"
}

/** Exceptions in words, for the command line and the record. */
export const exceptionsText = (exceptions: ReadonlyArray<Exception>): string =>
  exceptions.map((one) => texts[one]).join("; ")

/** What of a visit is an exception at `now`, in the order in which it is told. */
export const exceptionsOf = (
  { party, pkg, start, venue }: Pick<VisitRequest, "party" | "pkg" | "start" | "venue">,
  child_ages: ReadonlyArray<number>,
  now: Instant
): ReadonlyArray<Exception> => {
  const { earliest, lastDate } = window(venue, now)
  const { adults, children } = party
  const breaks: Readonly<Record<Exception, boolean>> = {
    ages: agesOutside(venue.playroom, child_ages).length > 0,
    party_too_small: children < pkg.min_children,
    party_too_large: children > pkg.max_children || adults > (pkg.max_adults ?? Infinity),
    too_soon: start < earliest,
    too_far_ahead: start >= startOfDay(venue.playroom.time_zone, addDays(lastDate, 1))
  }
  return Exception.literals.filter((one) => breaks[one])
}

/** The exceptions that another party can be, at a booking's own start. */
export const partyExceptions = [
  "ages",
  "party_too_small",
  "party_too_large"
] as const satisfies ReadonlyArray<Exception>

/** A venue without the rules that an exception sets aside, for all of its packages. */
export const settingAside = (venue: Venue, exceptions: ReadonlyArray<Exception>): Venue => {
  const has = (one: Exception) => exceptions.includes(one)
  const { playroom } = venue
  return {
    ...venue,
    playroom: {
      ...playroom,
      ...(has("ages") ? { age_min: 0, age_max: 17 } : {}),
      ...(has("too_soon") ? { lead_time_minutes: 0 } : {}),
      ...(has("too_far_ahead") ? { max_advance_days: maxAdvanceDays } : {})
    },
    packages: venue.packages.map(({ max_adults, ...pkg }) => ({
      ...pkg,
      ...(max_adults === undefined || has("party_too_large") ? {} : { max_adults }),
      ...(has("party_too_large") ? { max_children: playroom.capacity } : {}),
      ...(has("party_too_small") ? { min_children: 1 } : {})
    }))
  }
}
