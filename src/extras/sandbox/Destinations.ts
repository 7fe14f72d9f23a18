/** Event destinations (`/v2/core/event_destinations`): webhook endpoints that get thin events. Their API speaks JSON. */
import { Effect, Schema } from "effect"
import type { ApiHandler } from "./Endpoint.ts"
import { invalid, readForm, type Refusal } from "./Form.ts"
import { Metadata } from "./Objects.ts"
import * as Platform from "./Platform.ts"
import type { EndpointRow } from "./PlatformObjects.ts"

const Include = Schema.optionalKey(
  Schema.Array(Schema.Literals(["webhook_endpoint.url", "webhook_endpoint.signing_secret"]))
)
const EventTypes = Schema.NonEmptyArray(Schema.String.check(Schema.isPattern(/^v[12](\.[a-z0-9_[\]]+)+$/)))

const NewDestination = Schema.Struct({
  name: Schema.NonEmptyString,
  type: Schema.Literal("webhook_endpoint"),
  event_payload: Schema.Literal("thin"),
  enabled_events: EventTypes,
  events_from: Schema.optionalKey(Schema.Tuple([Schema.Literals(["@self", "@accounts"])])),
  metadata: Schema.optionalKey(Metadata),
  webhook_endpoint: Schema.Struct({ url: Schema.String.check(Schema.isPattern(/^https?:\/\//)) }),
  include: Include
})
const Changes = Schema.Struct({
  enabled_events: Schema.optionalKey(EventTypes),
  metadata: Schema.optionalKey(Metadata),
  include: Include
})

/** Reads a JSON body. Unknown and malformed parameters are refused. */
const readJson = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(schema), { onExcessProperty: "error" })
  return (body: string): Effect.Effect<A, Refusal> =>
    Effect.mapError(decode(body === "" ? "{}" : body), ({ message }) => invalid(message.replaceAll("\n", " ")))
}
const readNew = readJson(NewDestination)
const readChanges = readJson(Changes)

const destination = (row: EndpointRow, include: ReadonlyArray<string> = [], secret?: string): object => ({
  id: row.endpoint_id,
  object: "v2.core.event_destination",
  created: new Date(row.created_at).toISOString(),
  description: "",
  enabled_events: row.enabled_events,
  event_payload: "thin",
  events_from: [row.connect ? "@accounts" : "@self"],
  livemode: false,
  metadata: row.metadata,
  name: row.description ?? "",
  status: row.disabled ? "disabled" : "enabled",
  type: "webhook_endpoint",
  updated: new Date(row.created_at).toISOString(),
  webhook_endpoint: {
    ...(include.includes("webhook_endpoint.url") ? { url: row.url } : {}),
    ...(secret !== undefined && include.includes("webhook_endpoint.signing_secret") ? { signing_secret: secret } : {})
  }
})

const path = "/v2/core/event_destinations"
const switched = (disabled: boolean): ApiHandler =>
  Effect.fnUntraced(function* ({ id }) {
    return destination(yield* Platform.changeEndpoint(id, { disabled, metadata: {} }))
  })

/** The routes, on the platform's own account. */
export const destinationRoutes: ReadonlyArray<readonly ["GET" | "POST", `/v2/${string}`, ApiHandler]> = [
  [
    "POST",
    path,
    Effect.fnUntraced(function* ({ body }) {
      const wanted = yield* readNew(body)
      const made = yield* Platform.createEndpoint({
        url: wanted.webhook_endpoint.url,
        connect: wanted.events_from?.[0] === "@accounts",
        api_version: null,
        enabled_events: wanted.enabled_events,
        description: wanted.name,
        metadata: wanted.metadata ?? {},
        thin: true
      })
      return destination(made.endpoint, wanted.include, made.secret)
    })
  ],
  [
    "GET",
    path,
    Effect.fnUntraced(function* ({ query }) {
      const form = yield* readForm(query, {
        limit: { kind: "integer" },
        "include[#]": { kind: "text", oneOf: ["webhook_endpoint.url"] }
      })
      const include = form.count("include") > 0 ? ["webhook_endpoint.url"] : []
      const all = yield* Platform.listEndpoints(true)
      return { data: all.map((row) => destination(row, include)), next_page_url: null, previous_page_url: null }
    })
  ],
  [
    "POST",
    `${path}/:id`,
    Effect.fnUntraced(function* ({ body, id }) {
      const { enabled_events, include, metadata = {} } = yield* readChanges(body)
      const row = yield* Platform.changeEndpoint(id, {
        metadata,
        ...(enabled_events === undefined ? {} : { enabled_events })
      })
      return destination(row, include)
    })
  ],
  ["POST", `${path}/:id/disable`, switched(true)],
  ["POST", `${path}/:id/enable`, switched(false)]
]
