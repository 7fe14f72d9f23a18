/** The contract between the inbox and a handler of provider events. `Events.ts` lists the handlers. */
import type { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingId, PaymentSessionId } from "../../../platform/ids/Ids.ts"
import type { GatewayError } from "../provider/PaymentGateway.ts"
import type { Outcome } from "../settlement/Settlement.ts"

/** The payment session, and its booking, that an event is about. */
export interface EventSubject {
  readonly payment_session_id: PaymentSessionId
  readonly booking_id: BookingId
}

/**
 * The outcome of an event. `later`: our own row may not be committed yet, so the event is retried. After the last retry
 * its status is `fallback`.
 */
export type EventOutcome = {
  readonly status: Outcome["status"] | "later"
  readonly text: string
  /** `ignored` if absent. */
  readonly fallback?: "ignored" | "rejected"
  /** How many attempts a `later` gets; absent: as many as a payment is waited for. */
  readonly attempts?: number
  /** The booking that the event names, if its payment session is unknown. Only the event's envelope is kept then. */
  readonly names?: BookingId
  /** Absent if it was not found. */
  readonly subject?: EventSubject
}

/** The outcome of an event that is not ours, or that we can't read. */
export const ignored = (text: string): EventOutcome => ({ status: "ignored", text })

/** The outcome of an event about a known session. */
export const outcomeAbout = (
  { booking_id, payment_session_id }: EventSubject,
  { status, text }: Outcome
): EventOutcome => ({
  status,
  text: `${payment_session_id} of ${booking_id}: ${text}`,
  subject: { payment_session_id, booking_id }
})

/**
 * The event isn't ours. It is stored as `ignored`, without a booking, and only its envelope is kept. The reason is for
 * `webhook list`.
 */
export interface Foreign {
  readonly foreign: string
}

/** The event is ours. */
export interface Identified {
  /** The payment session that it names, which may not exist. Absent: it is about none, or does not name it. */
  readonly payment_session_id?: PaymentSessionId | undefined
  /** Its copy of the object says too little, so the object is fetched. Default: false. */
  readonly fetch?: boolean
  /** Only its envelope is stored: it names all that the handler needs. Default: false. */
  readonly envelopeOnly?: boolean
}

/** An event as its handler sees it. */
export interface EventToApply {
  /** The connected account; empty for events of the platform's account. */
  readonly account: string
  /** The event's own copy of the object, as the provider had it when the event was made. */
  readonly object: unknown
  /** The session of this account that the event names, if it was known when the event was stored. */
  readonly subject: EventSubject | undefined
}

/**
 * Applies an event and returns its outcome. The caller's transaction stores the outcome too. An effect must be
 * idempotent and independent of order: it may run again after a failure, a crash, `playroom webhook retry`, or a second
 * event with the same content. It calls nothing outside the database.
 */
export type EventEffect = Effect.Effect<EventOutcome, SqlError.SqlError>

/** How events of one type are handled. */
export interface EventHandler {
  /**
   * Tells whose an event is and what has to be done with it, before it is stored. It reads only the object of a
   * snapshot event, which may be from any release of the provider's API.
   */
  readonly identify: (object: unknown) => Foreign | Identified
  /**
   * Applies the event's own copy of the object. It is of the API release that this service was written for. Absent:
   * `identify` has each object fetched.
   */
  readonly apply?: (event: EventToApply) => EventEffect
  /**
   * Fetches the current object from the provider (a `get…` of `PaymentGateway`), outside any transaction; returns the
   * effect that applies it. For events without a usable copy: a thin event, one of another API release, or one whose
   * copy was not kept.
   */
  readonly fetch: (event: EventToApply) => Effect.Effect<EventEffect, GatewayError | SqlError.SqlError>
}
