/**
 * Whose trace a request belongs to: ours. Whoever calls is not trusted with it. One id sent with every call would make a single trace
 * without end, an id of another caller would add to theirs, and "not sampled" would hide a call. So a request begins a trace, and names
 * the caller's span as a link.
 */
import { Option, Tracer } from "effect"

/** The same tracer, in which requests that the server receives are roots, and what they came from is linked. */
export const ownTraces = (tracer: Tracer.Tracer): Tracer.Tracer =>
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
