/** What the handler of a provider event is to the inbox. `Events.ts` lists the handlers. */
import type { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingId, PaymentSessionId } from "../../kernel/Ids.ts"
import type { GatewayError } from "../provider/PaymentGateway.ts"
import type { Outcome } from "../settlement/Settlement.ts"

/** The payment session, and its booking, that an event is about. */
export interface EventSubject {
  readonly payment_session_id: PaymentSessionId
  readonly booking_id: BookingId
}

/**
 * What became of an event. `later`: our own row may not be committed yet; the event is tried again, and in the end it is `ignored`, or
 * what `otherwise` says.
 */
export type EventOutcome = {
  readonly status: Outcome["status"] | "later"
  readonly text: string
  readonly otherwise?: "ignored" | "rejected"
  /** The booking that it names, where its payment session is not known. Of the event, only its envelope is kept in the end. */
  readonly names?: BookingId
  /** Where it was found. */
  readonly subject?: EventSubject
}

/** The outcome of an event that is not ours, or that we can't read. */
export const ignored = (text: string): EventOutcome => ({ status: "ignored", text })

/** The event is not ours: it is stored as `ignored`, only its envelope is kept, and it hangs on no booking. Why, for `webhook list`. */
export interface Foreign {
  readonly foreign: string
}

/** The event is ours, and about this payment session: it is shown with its booking. Whether the session exists is not known yet. */
export interface AboutSession {
  readonly payment_session_id: PaymentSessionId
}

/** The event is ours, and about no payment session, such as an invoice to an operator. */
export const aboutNoSession = { payment_session_id: undefined } as const

/** An event as its handler sees it. */
export interface EventToApply {
  /** The connected account; empty for an event of the platform's. */
  readonly account: string
  /** The event's own copy of the object, as the provider had it when the event was made. */
  readonly object: unknown
  /** The session of this account that the event names, where it was known when the event was stored. */
  readonly subject: EventSubject | undefined
}

/**
 * Does what an event asks for, inside the caller's transaction, in which the outcome is written down too; answers what became of the
 * event. It runs any number of times for one event (after a failure, a crash, `playroom webhook retry`, and for a second event that says
 * the same), in any order with other events: a repeat must change nothing. It calls nothing outside the database.
 */
export type EventEffect = Effect.Effect<EventOutcome, SqlError.SqlError>

/** How events of one type are handled. */
export interface EventHandler {
  /** Whose event it is, before it is stored. It reads nothing but the object, of whatever release of the provider's API. */
  readonly identify: (object: unknown) => Foreign | AboutSession | typeof aboutNoSession
  /** Applies the object as the event brings it, of the release that this service was written for. */
  readonly apply: (event: EventToApply) => EventEffect
  /**
   * Asks the provider for the object as it is now (a `get…` of `PaymentGateway`), outside any transaction; answers how that is applied.
   * For events whose own copy is not to be read: of another release of the provider's API, or not kept.
   */
  readonly fetch: (event: EventToApply) => Effect.Effect<EventEffect, GatewayError | SqlError.SqlError>
}
