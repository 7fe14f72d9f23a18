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

/** What became of an event. `later`: our own row may not be committed yet; the event is tried again. */
export type EventOutcome = {
  readonly status: Outcome["status"] | "later"
  readonly text: string
  /** Where it was found. */
  readonly subject?: EventSubject
}

/** The outcome of an event that is not ours, or that we can't read. */
export const ignored = (text: string): EventOutcome => ({ status: "ignored", text })

/** Why an event is not ours, in words for the operator's list. */
export interface Foreign {
  readonly foreign: string
}

/** An event as its handler sees it. */
export interface EventToApply {
  /** The connected account; empty for an event of the platform's. */
  readonly account: string
  /** The event's own copy of the object, as the provider had it when the event was made. */
  readonly object: unknown
  /** The session of this account that the event names, where it was known when the event was stored. */
  readonly subject: EventSubject | undefined
}

/** Does what an event asks for, inside the caller's transaction; answers what became of the event. */
export type EventEffect = Effect.Effect<EventOutcome, SqlError.SqlError>

/** How events of one type are handled. */
export interface EventHandler {
  /** The payment session that the object names, if any, or why the object is not ours. Reads nothing but the object. */
  readonly identify: (object: unknown) => Foreign | { readonly payment_session_id: PaymentSessionId | undefined }
  /** Applies the object as the event brings it. */
  readonly apply: (event: EventToApply) => EventEffect
  /**
   * Asks the provider for the object as it is now, outside any transaction; answers how that is applied. For events whose own copy
   * is not to be read: of another release of the provider's API, or not kept.
   */
  readonly fetch: (event: EventToApply) => Effect.Effect<EventEffect, GatewayError | SqlError.SqlError>
}
