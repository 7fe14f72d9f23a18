/** Failures as sentences for people: what happened, and no stack. */
import { Cause, Predicate } from "effect"
import { SqlError } from "effect/sql"
import { withoutValues } from "./TelemetryPrivacy.ts"

const member = (error: unknown, name: string): unknown => (Predicate.hasProperty(error, name) ? error[name] : undefined)
const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

// The innermost message says the most: "connect ECONNREFUSED 127.0.0.1:5432" rather than "Failed to connect".
const innermost = (error: unknown): string | undefined => {
  let found: string | undefined
  let at = error
  for (let depth = 0; at !== undefined && depth < 6; depth += 1) {
    found = text(member(at, "message")) ?? text(member(at, "code")) ?? found
    at = member(at, "cause") ?? member(at, "reason")
  }
  return found
}

const fieldsOf = (error: object): string =>
  Object.entries(error)
    .filter(
      ([name, value]) =>
        !name.startsWith("_") && (typeof value === "string" || typeof value === "number") && value !== ""
    )
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(", ")

/** `BookingNotFound` becomes "booking not found". */
const words = (tag: string): string => tag.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase()

/** A message for people from whatever a command failed with. */
export const describe = (error: unknown): string => {
  const tag = text(member(error, "_tag"))
  switch (tag) {
    case "SqlError":
      return `The database refused or could not be reached: ${innermost(withoutValues(error)) ?? "no reason given"}.`
    case "ServeError": {
      const why = innermost(member(error, "cause")) ?? ""
      return why.includes("EADDRINUSE")
        ? `The port is taken (${why}). Set PORT, SANDBOX_PORT or MANAGEMENT_PORT to a free one.`
        : `Could not listen: ${why}`
    }
    default: {
      const message = text(member(error, "message"))
      if (message !== undefined && message !== "An error has occurred") return message
      if (tag === undefined || typeof error !== "object" || error === null) return String(error)
      const details = fieldsOf(error)
      return details === "" ? words(tag) : `${words(tag)}: ${details}`
    }
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
