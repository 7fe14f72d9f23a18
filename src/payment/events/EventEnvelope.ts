/** What is kept of an event without its object: nothing personal. */
import { Option, Schema } from "effect"
import { BookingId, PaymentSessionId } from "../../kernel/Ids.ts"
import type { Receiver } from "../provider/Receivers.ts"
import { readPaymentOf } from "../provider/StripeMessages.ts"
import { objectOfStored } from "./EventBody.ts"

const NamedObject = Schema.decodeUnknownOption(
  Schema.Struct({
    id: Schema.optionalKey(Schema.Unknown),
    object: Schema.optionalKey(Schema.Unknown),
    client_reference_id: Schema.optionalKey(Schema.Unknown),
    payment_intent: Schema.optionalKey(Schema.Unknown),
    metadata: Schema.optionalKey(Schema.Unknown)
  })
)
const nameOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^[\w.-]{1,255}$/.test(value) ? value : undefined

/** An event without its object. */
export interface Envelope {
  readonly event_id: string
  readonly receiver: Receiver
  readonly type: string
  readonly account: string | null
  readonly livemode: boolean | null
  readonly api_version: string | null
}

const isPaymentSessionId = Schema.is(PaymentSessionId)
const namesBooking = Schema.is(Schema.Struct({ booking_id: BookingId }))
const namesSession = Schema.is(Schema.Struct({ payment_session_id: PaymentSessionId }))

/** What a provider's object says of the payment and the booking that it is about. */
type Named = {
  readonly client_reference_id?: unknown
  readonly payment_intent?: unknown
  readonly metadata?: unknown
}

/** The ids of this service that a provider's object names, and the provider's id of its payment. */
const ownNames = ({ client_reference_id, metadata, payment_intent }: Named): object => {
  const payment = nameOf(Option.getOrUndefined(readPaymentOf({ payment_intent })))
  const ids = {
    ...(namesBooking(metadata) ? { booking_id: metadata.booking_id } : {}),
    ...(namesSession(metadata) ? { payment_session_id: metadata.payment_session_id } : {})
  }
  return {
    ...(isPaymentSessionId(client_reference_id) ? { client_reference_id } : {}),
    ...(payment === undefined ? {} : { payment_intent: payment }),
    ...(Object.keys(ids).length === 0 ? {} : { metadata: ids })
  }
}

/**
 * The text that is kept of an event that isn't ours, whose booking is unknown, or that is only a notice: its id and
 * type, its object's, and the ids of the payment and the booking in it. It has no personal data.
 */
export const envelopeOf = (
  { account, api_version, event_id: id, livemode, type }: Envelope,
  body: {
    readonly created?: unknown
    readonly object?: Named & { readonly id?: unknown; readonly object?: unknown }
  }
): string =>
  JSON.stringify({
    id,
    object: "event",
    type,
    ...(account === null ? {} : { account }),
    livemode,
    api_version,
    ...(typeof body.created === "number" ? { created: body.created } : {}),
    data: {
      object: { id: nameOf(body.object?.id), object: nameOf(body.object?.object), ...ownNames(body.object ?? {}) }
    }
  })

/** The envelope of an event that was stored whole. */
export const envelopeOfStored = (event: Envelope & { readonly payload: string }): string => {
  const stored = Option.getOrUndefined(objectOfStored(event.payload))
  const object = Option.getOrUndefined(NamedObject(stored?.object))
  return envelopeOf(event, stored === undefined || object === undefined ? {} : { created: stored.created, object })
}
