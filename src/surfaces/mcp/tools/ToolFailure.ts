/** The failures of tool calls, and about which of them a venue is asked. `ToolErrors.ts` has their messages. */
import { Data, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type {
  ApiKeyInvalid,
  ApiKeyMissing,
  ApiKeyScope,
  ApiKeysDiffer,
  RateLimited
} from "../../../platform/access/ApiKey.ts"
import type {
  AlreadyBooked,
  BookingCancelled,
  BookingNotFound,
  HoldExpired,
  IdempotencyConflict,
  KeepsChanging,
  NothingDue,
  TooManyHolds,
  TooManyLookups
} from "../../../domain/booking/Booking.ts"
import type { OptionInvalid, PriceChanged } from "../../../domain/availability/BookingOption.ts"
import type { SlotUnavailable } from "../../../domain/availability/OptionPage.ts"
import type { VenueContact } from "../../../domain/catalogue/Operator.ts"
import type { OperatorUnavailable, PackageNotFound, PlayroomNotFound } from "../../../domain/catalogue/Playroom.ts"
import type { InvalidArguments } from "../../../platform/errors/InvalidArguments.ts"
import type { ProviderUnavailable } from "../../../domain/payment/provider/PaymentGateway.ts"

/** The call exceeded its timeout. It was interrupted, and uncommitted work was rolled back. */
export class CallTimedOut extends Schema.TaggedError<CallTimedOut>()("CallTimedOut", {}) {
  override get message(): string {
    return "The call took longer than it may."
  }
}

/** A failure that the person may take up with the venue of the call, which is reached there. */
export class VenueAsked extends Data.TaggedError("VenueAsked")<{
  readonly contact: VenueContact
  readonly failure: Exclude<ToolFailure, VenueAsked>
}> {
  override get message(): string {
    return this.failure.message
  }
}

/** All failures of a tool call. */
export type ToolFailure =
  | VenueAsked
  | ApiKeyMissing
  | ApiKeyInvalid
  | ApiKeysDiffer
  | ApiKeyScope
  | RateLimited
  | InvalidArguments
  | PlayroomNotFound
  | PackageNotFound
  | BookingNotFound
  | TooManyLookups
  | AlreadyBooked
  | OptionInvalid
  | PriceChanged
  | SlotUnavailable
  | HoldExpired
  | BookingCancelled
  | NothingDue
  | OperatorUnavailable
  | IdempotencyConflict
  | TooManyHolds
  | KeepsChanging
  | CallTimedOut
  | ProviderUnavailable
  | SqlError.SqlError

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
