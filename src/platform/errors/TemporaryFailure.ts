/** Which failures of the database pass by themselves. */
import { SqlError } from "effect/sql"
import { codeOf } from "./ErrorCode.ts"

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
