/**
 * The two kinds of events that the provider sends. A snapshot event holds a copy of its object, of one API release. A
 * thin event only names its object (https://docs.stripe.com/event-destinations#thin-payload). It is read as a notice
 * without a copy, like an event of another API release: its object is fetched.
 */
import { Effect, Option, Predicate, Schema } from "effect"
import { ProviderId } from "../provider/ProviderSchema.ts"

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

const thinObject = "v2.core.event"

const RelatedObject = Schema.optionalKey(Schema.NullOr(Schema.Struct({ id: ProviderId, type: ProviderId })))

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
  related_object: RelatedObject
})

const decodeSnapshot = Schema.decodeUnknownEffect(ProviderEvent)
const decodeThin = Schema.decodeUnknownEffect(ThinEvent)

/** What a thin event tells of its object. */
const notice = (related: { readonly id: string; readonly type: string } | null | undefined): object =>
  related === undefined || related === null ? {} : { id: related.id, object: related.type }

/** An event of either kind. `thin`: its object is only named. */
export interface ReadEvent {
  readonly event: ProviderEvent
  readonly thin: boolean
}

/** Reads a parsed body. A thin event has no API release, and its object no members but `id` and `object`. */
export const readEvent = (json: unknown): Effect.Effect<ReadEvent, Schema.SchemaError> =>
  Predicate.hasProperty(json, "object") && json.object === thinObject
    ? Effect.map(decodeThin(json), ({ context, created, id, livemode, related_object, type }) => ({
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
    : Effect.map(decodeSnapshot(json), (event) => ({ thin: false, event }))

const StoredBody = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      created: Schema.optionalKey(Schema.Unknown),
      data: Schema.optionalKey(Schema.NullOr(Schema.Struct({ object: Schema.optionalKey(Schema.Unknown) }))),
      related_object: RelatedObject
    })
  )
)

/** The object of a stored body, of either kind or an envelope; none if it has none. */
export const objectOfStored = (
  payload: string
): Option.Option<{ readonly created: unknown; readonly object: unknown }> =>
  Option.flatMap(StoredBody(payload), ({ created, data, related_object }) => {
    const object = data?.object ?? (related_object === undefined ? undefined : notice(related_object))
    return object === undefined ? Option.none() : Option.some({ created, object })
  })
