/**
 * Bounded schemas for what callers send, and the error for a request that is not acceptable. Messages go back to the
 * caller, so they say what is accepted.
 */

import { Schema, Predicate } from "effect"
import { SqlError } from "effect/sql"

/** The codes that the system, the database and libraries give their errors. */

/** An error's `code`, as `ENOENT` of the system or a SQLSTATE; undefined if it has none. */
export const codeOf = (error: unknown): string | undefined =>
  Predicate.hasProperty(error, "code") && typeof error.code === "string" ? error.code : undefined

/**
 * One issue of a request: its path, like `contact.email` or `child_ages[2]` ("" for the whole), and what is accepted.
 */
export const ArgumentIssue = Schema.Struct({ path: Schema.String, message: Schema.String })
export type ArgumentIssue = typeof ArgumentIssue.Type

/** The request is malformed, or well formed and still wrong. Tools report it as `invalid_arguments`. */
export class InvalidArguments extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
  issues: Schema.Array(ArgumentIssue),
  /** Something was asked for that this service can't do; the venue may. */
  asks_venue: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message(): string {
    return this.issues.map(({ message, path }) => `${path}: ${message}`).join("; ")
  }
}

/** Text of `minimum` to `maximum` characters (Unicode code points). */
export const boundedText = (maximum: number, minimum = 0) =>
  Schema.String.check(
    Schema.isBetweenCodePoints(minimum, maximum, {
      message: `Expected text of ${minimum === 0 ? "at most" : `${minimum} to`} ${maximum} characters`
    })
  )

/** A whole number from `minimum` to `maximum`. */
export const boundedInt = (minimum: number, maximum: number) =>
  Schema.Int.check(
    Schema.isBetween({ minimum, maximum }, { message: `Expected a whole number from ${minimum} to ${maximum}` })
  )

/** A number from `minimum` to `maximum`. */
export const boundedNumber = (
  minimum: number,
  maximum: number,
  message = `Expected a number from ${minimum} to ${maximum}`
) => Schema.Finite.check(Schema.isBetween({ minimum, maximum }, { message }))

/** A list of at most `maximum` items. */
export const boundedList = <S extends Schema.Constraint>(item: S, maximum: number) =>
  Schema.Array(item).check(Schema.isMaxLength(maximum, { message: `Expected a list of at most ${maximum}` }))

// Which failures of the database pass by themselves.

// SQLSTATEs of a server that is busy, starting, stopping or failing over, and that the driver does not classify:
// insufficient resources, operator intervention, system errors, read-only transaction
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const temporaryState = /^(53|57P|58|25006)/
// Of these, a server that ends a session, or makes none: it stops, fails over, or the session's transaction took too
// long.
const endedSession = /^(57P0|25P03|25P04)/

/** Whether a statement failed because the connection was lost or refused, or the server has ended it. */
export const connectionGone = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "ConnectionError" ||
  reason._tag === "AuthenticationError" ||
  endedSession.test(codeOf(reason.cause) ?? "")

/**
 * Whether a database failure is temporary, so that a retry may succeed: lost connections, timeouts, deadlocks,
 * conflicts. All others (syntax, constraints) are bugs of this service.
 */
export const isTemporary = (error: SqlError.SqlError): boolean =>
  error.reason.isRetryable || connectionGone(error) || temporaryState.test(codeOf(error.reason.cause) ?? "")

/** Whether a statement failed because others kept a lock for longer than it may wait. */
export const isLockTimeout = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && error.reason._tag === "LockTimeoutError"
