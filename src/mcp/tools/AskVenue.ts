/** Adds the venue's contact to failures about which only the venue may know more. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { VenueContact } from "../../catalogue/Operator.ts"
import { type ToolFailure, VenueAsked } from "./ToolFailure.ts"

/** Finds the contact of the venue that raw arguments name; undefined if there is none. */
export type FindContact<Needs> = (input: unknown) => Effect.Effect<VenueContact | undefined, SqlError.SqlError, Needs>

/** Whether only the venue can help with a failure, or may know more. */
const isForVenue = (failure: ToolFailure): failure is VenueAsked["failure"] => {
  switch (failure._tag) {
    case "AlreadyBooked":
    case "BookingCancelled":
    case "HoldExpired":
    case "OperatorUnavailable":
    case "SlotUnavailable":
      return true
    case "InvalidArguments":
      return failure.asks_venue === true
    default:
      return false
  }
}

/** Adds the venue's contact to such a failure of a call. Without the contact, the failure stays as it is. */
export const askingVenue =
  <Needs>(find: FindContact<Needs>, input: unknown) =>
  <A, R>(answer: Effect.Effect<A, ToolFailure, R>): Effect.Effect<A, ToolFailure, R | Needs> =>
    Effect.catchIf(answer, isForVenue, (failure) =>
      Effect.flatMap(
        Effect.catchTag(find(input), "SqlError", () => Effect.undefined),
        (contact) => Effect.fail(contact === undefined ? failure : new VenueAsked({ contact, failure }))
      )
    )
