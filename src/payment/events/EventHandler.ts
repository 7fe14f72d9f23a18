/** What a kind of provider event is to the inbox: which ones are ours, and how each is applied. */
import type { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingId, PaymentSessionId } from "../../kernel/Ids.ts"
import type { Operators } from "../../catalogue/Operators.ts"
import type { GatewayError, PaymentGateway } from "../provider/PaymentGateway.ts"
import type { EventName, Receiver } from "../provider/Receivers.ts"
import type { PaymentSessions } from "../sessions/PaymentSessions.ts"
import type { Outcome, Settlement } from "../settlement/Settlement.ts"

/** The payment session, and its booking, that an event is of. */
export interface Thread {
  readonly payment_session_id: PaymentSessionId
  readonly booking_id: BookingId
}

/** What became of an event. `later`: our own row may not be committed yet; the event is tried again. */
export type EventOutcome = {
  readonly status: Outcome["status"] | "later"
  readonly text: string
  /** What it is of, where it was found. */
  readonly thread?: Thread
}

/** An event as its handler sees it. */
export interface EventToApply {
  readonly type: string
  /** The connected account; empty for an event of the platform's. */
  readonly account: string
  /** The event's own copy of the object, as the provider had it when the event was made. */
  readonly object: unknown
  /** The session of this account that the event names, where it was known when the event was stored. */
  readonly thread: Thread | undefined
}

/** An effect of an event: joins the caller's transaction, and says what became of the event. */
export type Applying = Effect.Effect<EventOutcome, SqlError.SqlError>

/** What handlers work with. */
export interface EventServices {
  readonly sessions: PaymentSessions["Service"]
  readonly operators: Operators["Service"]
  readonly settlement: Settlement["Service"]
  readonly gateway: PaymentGateway["Service"]
}

/** Events of these types, as this receiver gets them, are ours to apply. */
export interface EventKind {
  readonly receiver: Receiver
  readonly types: ReadonlyArray<EventName>
  readonly handler: (services: EventServices) => EventHandler
}

export interface EventHandler {
  /** As far as the object's own words tell: the payment session that it names, or why it is not ours. */
  readonly addressee: (
    object: unknown
  ) => { readonly names: PaymentSessionId | undefined } | { readonly foreign: string }
  /** Applies the object as the event brings it. */
  readonly apply: (event: EventToApply) => Applying
  /**
   * Asks the provider for the object as it is now, outside any transaction; answers how that is applied. For events whose own copy
   * is not to be read: of another release of the provider's API, or not kept.
   */
  readonly ask: (event: EventToApply) => Effect.Effect<Applying, GatewayError | SqlError.SqlError>
}

export const ignored = (text: string): EventOutcome => ({ status: "ignored", text })
