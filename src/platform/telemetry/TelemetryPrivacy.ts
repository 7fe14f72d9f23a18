/**
 * Keeps personal data and link tokens out of logs and traces. Our own messages contain none. This covers what libraries
 * put into errors and spans: the database repeats values that it refuses, and the HTTP server records the requested
 * address.
 */
import { Cause, Exit, Logger, Predicate, Tracer } from "effect"

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)
const member = (value: unknown, name: string): unknown => (Predicate.hasProperty(value, name) ? value[name] : undefined)

const sqlState = /^[0-9A-Z]{5}$/
/**
 * An error as PostgreSQL sends it (https://www.postgresql.org/docs/current/protocol-error-fields.html), at most `depth`
 * levels inside another.
 */
const databaseErrorIn = (error: unknown, depth = 6): object | undefined => {
  if (typeof error !== "object" || error === null || depth === 0) return undefined
  if ("severity" in error && sqlState.test(text(member(error, "code")) ?? "")) return error
  return databaseErrorIn(member(error, "cause") ?? member(error, "reason"), depth - 1)
}

// Data exceptions, violated constraints and checks, and raised exceptions repeat values in their messages. All others
// name tables, columns and settings (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const quotesValues = /^(?:22|23|44|P0)/

/** The lines of a stack below its message. */
const framesOf = (error: unknown): string => (text(member(error, "stack")) ?? "").replace(/^[^]*?(?=\n\s+at )/, "")

const nameOf = (error: unknown): string =>
  text(member(error, "_tag")) ?? text(member(error, "name")) ?? (error === null ? "null" : typeof error)

const errorOf = (name: string, message: string, from: unknown): Error => {
  const error = new Error(message)
  error.name = name
  error.stack = `${name}: ${message}${framesOf(from)}`
  return error
}

/** A database error without its details and the values that it may repeat. Any other error as it is. */
export const withoutValues = (error: unknown): unknown => {
  const said = databaseErrorIn(error)
  if (said === undefined) return error
  const code = text(member(said, "code")) ?? ""
  const message = quotesValues.test(code) ? "a value was refused" : text(member(said, "message"))
  const about = ["constraint", "table", "column"].flatMap((name) => {
    const value = text(member(said, name))
    return value === undefined ? [] : [`${name} ${value}`]
  })
  return errorOf("SqlError", `${message ?? "the database failed"} (${[code, ...about].join(", ")})`, error)
}

/** The cause with its errors mapped. A reason whose error is unchanged keeps its annotations, such as spans. */
const mapErrors = <E>(cause: Cause.Cause<E>, change: (error: unknown) => unknown): Cause.Cause<unknown> =>
  Cause.fromReasons<unknown>(
    cause.reasons.map((reason) => {
      if (Cause.isFailReason(reason)) {
        const error = change(reason.error)
        return error === reason.error ? reason : Cause.makeFailReason(error)
      }
      if (Cause.isDieReason(reason)) {
        const defect = change(reason.defect)
        return defect === reason.defect ? reason : Cause.makeDieReason(defect)
      }
      return reason
    })
  )

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

const cleanPart = (part: unknown): unknown => {
  if (Cause.isCause(part)) return mapErrors(part, withoutValues)
  if (!isRecord(part)) return withoutValues(part)
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, withoutValues(value)]))
}

const isText = (part: unknown): boolean => typeof part === "string"

/** The same logger, with database errors stripped of values. */
export const privateLogger = <Output>(logger: Logger.Logger<unknown, Output>): Logger.Logger<unknown, Output> =>
  Logger.make((options) => {
    const { cause, message } = options
    // Most lines are our own words.
    if (cause.reasons.length === 0 && (Array.isArray(message) ? message.every(isText) : isText(message)))
      return logger.log(options)
    return logger.log({
      ...options,
      message: Array.isArray(message) ? message.map(cleanPart) : cleanPart(message),
      cause: mapErrors(cause, withoutValues)
    })
  })

/** Attributes of the HTTP server and client that hold whole addresses or the caller. The route remains. */
const withheld = new Set(["url.full", "url.path", "url.query", "user_agent.original", "client.address"])

/** An error as a span shows it: its name and stack, without its message. */
const nameless = (error: unknown): Error => errorOf(nameOf(error), "", error)

/** The same tracer, whose spans hold no requested address and no error message. */
export const privateTracer = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    context: tracer.context,
    span: (options) => {
      const span = tracer.span(options)
      const end = span.end.bind(span)
      const attribute = span.attribute.bind(span)
      return Object.assign(span, {
        attribute: (key: string, value: unknown) => {
          if (!withheld.has(key)) attribute(key, value)
        },
        end: (at: bigint, exit: Exit.Exit<unknown, unknown>) =>
          end(at, Exit.isFailure(exit) ? Exit.failCause(mapErrors(exit.cause, nameless)) : exit)
      })
    }
  })
