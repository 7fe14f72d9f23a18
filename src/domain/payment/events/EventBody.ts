/**
 * What is read of an event's text, when it arrives and when it is applied, and what is kept of it without its object.
 * The provider sends two kinds of events. A snapshot event holds a copy of its object, of one API release. A
 * thin event only names its object (https://docs.stripe.com/event-destinations#thin-payload). It is read as a notice
 * without a copy, like an event of another API release: its object is fetched.
 */
import { Option, Predicate, Result, Schema } from "effect"
import { BookingId, PaymentSessionId } from "../../../platform/ids/Ids.ts"
import { plainText } from "../../../platform/text/Text.ts"
import { ProviderId, readPaymentOf } from "../provider/StripeMessages.ts"

/** The fields of a provider's snapshot event that are read. `created` is in seconds since 1970. */
const ProviderEvent = Schema.Struct({
  // Ids and types go into text columns and logs: printable ASCII, as the provider's are.
  id: ProviderId,
  object: Schema.Literal("event"),
  type: ProviderId,
  /** The connected account; absent on events of the platform's own account. */
  account: Schema.optionalKey(ProviderId),
  livemode: Schema.Boolean,
  api_version: Schema.NullOr(ProviderId),
  created: Schema.Int,
  // Its members are checked when the event is applied: checking them here would double the cost.
  data: Schema.Struct({
    object: Schema.ObjectKeyword.check(
      Schema.makeFilter((object) => !Array.isArray(object), { expected: "an object, not a list" })
    )
  })
})
type ProviderEvent = typeof ProviderEvent.Type

const memberOf = (object: unknown, name: string): unknown =>
  Predicate.hasProperty(object, name) ? object[name] : undefined

const thinObject = "v2.core.event"

/** The fields of a thin event that are read. */
const ThinEvent = Schema.Struct({
  id: ProviderId,
  object: Schema.Literal(thinObject),
  type: ProviderId,
  /** The connected account; absent on events of the platform's own account. */
  context: Schema.optionalKey(Schema.NullOr(ProviderId)),
  livemode: Schema.Boolean,
  created: Schema.String.check(
    Schema.makeFilter((text) => Number.isFinite(Date.parse(text)), {
      expected: "an instant, like 2026-12-01T10:00:00Z"
    })
  ),
  related_object: Schema.optionalKey(Schema.NullOr(Schema.Struct({ id: ProviderId, type: ProviderId })))
})

const decodeSnapshot = Schema.decodeUnknownResult(ProviderEvent)
const decodeThin = Schema.decodeUnknownResult(ThinEvent)

/** What a thin event tells of its object. */
const notice = (related: unknown): object =>
  Predicate.isObject(related) ? { id: memberOf(related, "id"), object: memberOf(related, "type") } : {}

/** A text that isn't an event (not JSON, `null`, a list, a missing field). */
export class EventMalformed extends Schema.TaggedError<EventMalformed>()("EventMalformed", { reason: Schema.String }) {
  readonly code = "event_malformed"
  override get message(): string {
    return `The event is signed, but is no event: ${this.reason}`
  }
}

// Without a schema: what it adds to parsing costs more than the parsing.
const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** An event of either kind. `thin`: its object is only named. */
export interface ReadEvent {
  readonly event: ProviderEvent
  readonly thin: boolean
}

const readJson = (json: unknown): Result.Result<ReadEvent, Schema.SchemaError> =>
  Predicate.hasProperty(json, "object") && json.object === thinObject
    ? Result.map(decodeThin(json), ({ context, created, id, livemode, related_object, type }) => ({
        thin: true,
        event: {
          id,
          object: "event",
          type,
          ...(typeof context === "string" ? { account: context } : {}),
          livemode,
          api_version: null,
          created: Math.floor(Date.parse(created) / 1000),
          data: { object: notice(related_object) }
        }
      }))
    : Result.map(decodeSnapshot(json), (event) => ({ thin: false, event }))

/**
 * Reads the text of an event of either kind, or what was kept of it. A thin event has no API release, and its object no
 * members but `id` and `object`.
 */
export const readEvent = (text: string): Result.Result<ReadEvent, EventMalformed> => {
  const json = parseJson(text)
  if (Option.isNone(json)) return Result.fail(new EventMalformed({ reason: "the body is not JSON" }))
  return Result.mapError(readJson(json.value), (error) => new EventMalformed({ reason: plainText(error.message) }))
}

/**
 * The object of an event's text, which was read whole when it arrived; `undefined` if there is none. Of a thin event,
 * what it tells of its object. `created`: when the provider made the event, in seconds since 1970.
 */
export const objectOf = (text: string): { readonly object: unknown; readonly created: number } => {
  const event = Option.getOrUndefined(parseJson(text))
  if (!Predicate.isObject(event)) return { object: undefined, created: 0 }
  const { created, object } = event
  if (object === thinObject) return { object: notice(event["related_object"]), created: secondsOf(created) }
  return { object: memberOf(event["data"], "object"), created: secondsOf(created) }
}

/** A thin event's `created` is text, a snapshot event's is a number of seconds. */
const secondsOf = (created: unknown): number =>
  typeof created === "number" ? created : Math.floor(Date.parse(String(created)) / 1000) || 0

const Reference = Schema.decodeUnknownOption(Schema.Struct({ client_reference_id: PaymentSessionId }))
const OfSession = Schema.decodeUnknownOption(
  Schema.Struct({ metadata: Schema.Struct({ payment_session_id: PaymentSessionId }) })
)
const OfBooking = Schema.decodeUnknownOption(Schema.Struct({ metadata: Schema.Struct({ booking_id: BookingId }) }))

/**
 * Our payment session that an object of any API release names. The reference takes precedence: the operator can change
 * the metadata.
 */
export const sessionNamed = (object: unknown): PaymentSessionId | undefined =>
  Option.getOrUndefined(
    Option.orElse(
      Option.map(Reference(object), ({ client_reference_id }) => client_reference_id),
      () => Option.map(OfSession(object), ({ metadata }) => metadata.payment_session_id)
    )
  )

/** Our booking that an object of any API release names. */
export const bookingNamed = (object: unknown): BookingId | undefined =>
  Option.getOrUndefined(OfBooking(object))?.metadata.booking_id

/** The value, if it may be an id or a kind of the provider's. */
const wordOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^[\w.-]{1,255}$/.test(value) ? value : undefined

/**
 * The text that is kept of an event that isn't ours, whose booking is unknown, or that is only a notice: the event
 * without its object, but for its id and kind and the ids of the payment and the booking in it. It has no personal
 * data.
 */
export const envelopeOf = ({ data: { object }, ...event }: ProviderEvent): string => {
  const metadata = {
    booking_id: bookingNamed(object),
    payment_session_id: Option.getOrUndefined(OfSession(object))?.metadata.payment_session_id
  }
  const named = {
    id: wordOf(memberOf(object, "id")),
    object: wordOf(memberOf(object, "object")),
    client_reference_id: Option.getOrUndefined(Reference(object))?.client_reference_id,
    payment_intent: wordOf(Option.getOrUndefined(readPaymentOf(object))),
    metadata: Object.values(metadata).some((id) => id !== undefined) ? metadata : undefined
  }
  return JSON.stringify({ ...event, data: { object: named } })
}

/** What is kept of a stored event without its object. */
export const envelopeOfStored = ({ payload }: { readonly payload: string }): string =>
  Result.match(readEvent(payload), { onSuccess: ({ event }) => envelopeOf(event), onFailure: () => "{}" })
