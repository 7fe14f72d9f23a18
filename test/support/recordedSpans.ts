/** A tracer that keeps its spans, for tests that count what was done. */
import { Tracer } from "effect"

export const recordingTracer = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  /** The SQL statements that were run, in their order. */
  const statements = () =>
    spans.map(({ attributes }) => attributes.get("db.query.text")).filter((text) => text !== undefined)
  return { tracer, spans, statements }
}
