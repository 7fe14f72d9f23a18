/** Structured log lines: one message and fields, whatever arguments the log call had. */
import { Cause, Formatter, Logger, References, Predicate } from "effect"
import { SqlError } from "effect/sql"
import { withoutValues } from "./TelemetryPrivacy.ts"

// Failures as sentences for people: what happened, and no stack.

const member = (error: unknown, name: string): unknown => (Predicate.hasProperty(error, name) ? error[name] : undefined)
const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

// The innermost message says the most: "connect ECONNREFUSED 127.0.0.1:5432" rather than "Failed to connect".
const innermost = (error: unknown, names = ["message", "code"]): string | undefined => {
  let found: string | undefined
  let at = error
  for (let depth = 0; at !== undefined && depth < 6; depth += 1) {
    const here = at
    found = names.map((name) => text(member(here, name))).find(Predicate.isNotUndefined) ?? found
    at = member(at, "cause") ?? member(at, "reason")
  }
  return found
}

/** What Node says of a certificate that its authorities do not vouch for, or that is another host's. */
const unverified = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
])

/** A message for people from whatever a command failed with. */
export const describe = (error: unknown): string => {
  const tag = text(member(error, "_tag"))
  switch (tag) {
    case "SqlError": {
      const why = `The database refused or could not be reached: ${innermost(withoutValues(error)) ?? "no reason given"}.`
      return unverified.has(innermost(error, ["code"]) ?? "")
        ? `${why} Its address may name who vouches for it: sslmode=verify-full&sslrootcert=/path/of/the/authority.pem.`
        : why
    }
    case "TargetFailed":
      return `The target of the copy: ${describe(member(error, "cause"))}`
    case "ServeError": {
      const why = innermost(member(error, "cause")) ?? ""
      return why.includes("EADDRINUSE")
        ? `The port is taken (${why}). Set PORT, SANDBOX_PORT or MANAGEMENT_PORT to a free one.`
        : `Could not listen: ${why}`
    }
    default:
      return text(member(error, "message")) ?? String(error)
  }
}

/** The message for a failed command; a defect is called a bug. */
export const describeCause = <E>(cause: Cause.Cause<E>): string => {
  const failure = cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) return describe(failure.error)
  const defect = cause.reasons.find(Cause.isDieReason)?.defect
  // The database may fail anywhere, also where the error is turned into a defect.
  return SqlError.isSqlError(defect) ? describe(defect) : `A bug, please report it: ${describe(defect)}`
}

type Entry = Logger.Options<unknown>
type Fields = Record<string, unknown>

/** Reserved names. A field with such a name gets an underscore. */
const reserved = new Set(["timestamp", "level", "message", "fiberId", "cause", "spans"])

/** An error with its name, message and fields: many errors leave their message out of JSON. */
const shown = (value: unknown): unknown =>
  value instanceof Error ? { ...value, name: value.name, message: value.message } : value

const put = (fields: Fields, name: string, value: unknown): void => {
  fields[reserved.has(name) ? `${name}_` : name] = shown(value)
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" &&
  value !== null &&
  (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null)

/** The message of a line that was logged without one: the first line of its error or first value. */
const textOf = (thing: unknown): string => {
  if (thing === undefined) return ""
  const { name, message } = Object(shown(thing))
  const text = typeof message === "string" ? `${name}: ${message}` : Formatter.format(thing)
  return text.split("\n")[0] ?? ""
}

/** Splits the arguments of a log call: texts form the message, records and other values become fields. */
const parts = (message: unknown, fields: Fields): string => {
  const texts: Array<string> = []
  const rest: Array<unknown> = []
  for (const part of Array.isArray(message) ? message : [message]) {
    if (typeof part === "string") texts.push(part)
    else if (part instanceof Error && !Object.hasOwn(fields, "error")) put(fields, "error", part)
    else if (isFields(part)) for (const [name, value] of Object.entries(part)) put(fields, name, value)
    else if (part !== undefined) rest.push(shown(part))
  }
  if (rest.length > 0) fields["details"] = rest.length === 1 ? rest[0] : rest
  return texts.join(" ").trim()
}

interface Line {
  readonly timestamp: string
  readonly level: string
  readonly message: string
  readonly fiberId: string
  readonly fields: Fields
}

const lineOf = ({ cause, date, fiber, logLevel, message }: Entry): Line => {
  const fields: Fields = {}
  for (const [name, value] of Object.entries(fiber.getRef(References.CurrentLogAnnotations))) put(fields, name, value)
  const text = parts(message, fields)
  const failed = cause.reasons.length > 0
  const now = date.getTime()
  const spans = Object.fromEntries(fiber.getRef(References.CurrentLogSpans).map(([name, since]) => [name, now - since]))
  if (failed) fields["cause"] = Cause.pretty(cause)
  if (Object.keys(spans).length > 0) fields["spans"] = spans
  const shownText = text !== "" ? text : textOf(failed ? Cause.squash(cause) : (fields["error"] ?? fields["details"]))
  return {
    timestamp: date.toISOString(),
    level: logLevel.toUpperCase(),
    message: shownText === "" ? "(no message)" : shownText,
    fiberId: `#${fiber.id}`,
    fields
  }
}

/** Text, numbers and flags need none of the formatter's care for cycles, `Redacted` and what JSON cannot hold. */
const isPlain = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** JSON in one line: `{"timestamp", "level", "message", "fiberId", …fields}`. `Redacted` values stay out. */
export const jsonLines: Logger.Logger<unknown, string> = Logger.make((entry) => {
  const { fields, fiberId, level, message, timestamp } = lineOf(entry)
  const line = { timestamp, level, message, fiberId, ...fields }
  return Object.values(fields).every(isPlain) ? JSON.stringify(line) : Formatter.formatJson(line)
})

const bare = /^[^\s"=]+$/

/** The same as `name=value` pairs. */
export const logfmtLines: Logger.Logger<unknown, string> = Logger.make((entry) => {
  const { fields, ...head } = lineOf(entry)
  return Object.entries({ ...head, ...fields })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : Formatter.formatJson(value)
      return `${name.replace(/[\s="]/g, "_")}=${bare.test(text) ? text : JSON.stringify(text)}`
    })
    .join(" ")
})
