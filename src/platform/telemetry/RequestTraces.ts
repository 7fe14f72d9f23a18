/**
 * Each request starts a trace of its own and links the caller's span. Callers are not trusted with our traces: one id
 * sent with every call would make one endless trace, another caller's id would add to that caller's trace, and "not
 * sampled" would hide a call.
 */
import { Option, Tracer } from "effect"

/** The same tracer, with each received request as a root span that links the caller's. */
export const requestTraces = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    context: tracer.context,
    span: (options) =>
      options.kind === "server" && Option.isSome(options.parent)
        ? tracer.span({
            ...options,
            parent: Option.none(),
            root: true,
            links: [...options.links, { span: options.parent.value, attributes: {} }],
            sampled: true
          })
        : tracer.span(options)
  })
