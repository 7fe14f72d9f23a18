/**
 * The provider events that this service handles. To add a type, write a handler (`EventHandler.ts` has the contract;
 * the types of one object share a file) and add a line here. Then run `playroom provider setup`, so that the provider's
 * endpoints send it.
 */
import { type Effect, Layer, Struct } from "effect"
import { Operators } from "../../catalogue/Operators.ts"
import type { EventName, Receiver } from "../provider/Receivers.ts"
import { declinedPayment, sessionCompleted, sessionExpired, sessionFailed, sessionPaid } from "./CheckoutSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { Settlement } from "../settlement/Settlement.ts"
import type { EventHandler } from "./EventHandler.ts"
import { invoicePaid } from "./InvoicePaid.ts"
import { refundOrDispute } from "./RefundOrDispute.ts"

/** The receiver and handler of a type of event. */
interface Registration {
  readonly receiver: Receiver
  readonly handler: Effect.Effect<EventHandler, never, unknown>
}

/**
 * By type, as the provider names it (https://docs.stripe.com/api/events/types). Thin events of these types have the same
 * names behind `v1.`, and go to the same handlers.
 */
export const events = {
  "checkout.session.completed": { receiver: "connected", handler: sessionCompleted },
  "checkout.session.async_payment_succeeded": { receiver: "connected", handler: sessionPaid },
  "checkout.session.async_payment_failed": { receiver: "connected", handler: sessionFailed },
  "checkout.session.expired": { receiver: "connected", handler: sessionExpired },
  "payment_intent.payment_failed": { receiver: "connected", handler: declinedPayment },
  "refund.created": { receiver: "connected", handler: refundOrDispute },
  "refund.updated": { receiver: "connected", handler: refundOrDispute },
  "refund.failed": { receiver: "connected", handler: refundOrDispute },
  "charge.refunded": { receiver: "connected", handler: refundOrDispute },
  "charge.refund.updated": { receiver: "connected", handler: refundOrDispute },
  "charge.dispute.created": { receiver: "connected", handler: refundOrDispute },
  "charge.dispute.updated": { receiver: "connected", handler: refundOrDispute },
  "charge.dispute.closed": { receiver: "connected", handler: refundOrDispute },
  "charge.dispute.funds_withdrawn": { receiver: "connected", handler: refundOrDispute },
  "charge.dispute.funds_reinstated": { receiver: "connected", handler: refundOrDispute },
  "invoice.paid": { receiver: "platform", handler: invoicePaid }
} as const satisfies { readonly [Type in EventName]?: Registration }

/** The services of the handlers. */
export const handlerServices = Layer.mergeAll(Operators.layer, PaymentSessions.layer, Settlement.layer)

/** The documentation of these events, by receiver. */
export const eventsInWords: Readonly<Record<Receiver, string>> = {
  platform:
    "`invoice.paid` extends an operator's subscription, as a snapshot or a thin event. Other types are stored and ignored.",
  connected:
    "`checkout.session.completed`, `.async_payment_succeeded`, `.async_payment_failed` and `.expired` move the payment session and its booking. After `payment_intent.payment_failed` the session is fetched, and its booking says that a try to pay was declined. `refund.created`, `.updated` and `.failed`, `charge.refunded`, `charge.refund.updated`, and `charge.dispute.created`, `.updated`, `.closed`, `.funds_withdrawn` and `.funds_reinstated` have the provider asked what went back of the payment. They may be snapshot or thin events. Other types are stored and ignored."
}

const typesFor = (receiver: Receiver): ReadonlyArray<EventName> =>
  Struct.keys(events).filter((type) => events[type].receiver === receiver)

/** The types of events that the provider's endpoints have to send, by receiver. */
export const usedEvents: Readonly<Record<Receiver, ReadonlyArray<EventName>>> = {
  platform: typesFor("platform"),
  connected: typesFor("connected")
}
