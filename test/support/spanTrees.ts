/** Spans as an OTLP collector gets them, and what hangs together in them. */
import { Schema } from "effect"

const Value = Schema.Struct({
  stringValue: Schema.optionalKey(Schema.NullOr(Schema.String)),
  intValue: Schema.optionalKey(Schema.Unknown),
  doubleValue: Schema.optionalKey(Schema.Unknown),
  boolValue: Schema.optionalKey(Schema.Unknown)
})

const Exported = Schema.Struct({
  traceId: Schema.String,
  spanId: Schema.String,
  parentSpanId: Schema.optionalKey(Schema.String),
  name: Schema.String,
  attributes: Schema.Array(Schema.Struct({ key: Schema.String, value: Value })),
  links: Schema.Array(Schema.Struct({ traceId: Schema.String, spanId: Schema.String }))
})

const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      resourceSpans: Schema.Array(
        Schema.Struct({ scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Exported) })) })
      )
    })
  )
)

export interface Span extends Omit<typeof Exported.Type, "attributes"> {
  readonly attributes: ReadonlyMap<string, string>
}

/** All spans of these export requests. */
export const spansOf = (bodies: ReadonlyArray<string>): ReadonlyArray<Span> =>
  bodies.flatMap((body) =>
    decode(body).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map((span) => ({
          ...span,
          attributes: new Map(
            span.attributes.map(({ key, value }) => [
              key,
              String(value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue)
            ])
          )
        }))
      )
    )
  )

/** The names from the root of a span's trace down to it. */
export const pathTo = (spans: ReadonlyArray<Span>, span: Span): ReadonlyArray<string> => {
  const parent = spans.find(({ spanId, traceId }) => traceId === span.traceId && spanId === span.parentSpanId)
  return parent === undefined ? [span.name] : [...pathTo(spans, parent), span.name]
}
