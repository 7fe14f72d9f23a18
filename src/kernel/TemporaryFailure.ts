/** Which failures of the database pass by themselves. */
import { SqlError } from "effect/sql"
import { codeOf } from "./ErrorCode.ts"

// SQLSTATEs of a server that is busy, starting, stopping or failing over, and that the driver does not classify:
// insufficient resources, operator intervention, system errors, read-only transaction
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const temporaryState = /^(53|57P|58|25006)/

/**
 * Whether a database failure is temporary, so that a retry may succeed: lost connections, timeouts, deadlocks,
 * conflicts. All others (syntax, constraints) are bugs of this service.
 */
export const isTemporary = ({ reason }: SqlError.SqlError): boolean =>
  reason.isRetryable || reason._tag === "AuthenticationError" || temporaryState.test(codeOf(reason.cause) ?? "")

/** Whether a statement failed because others kept a lock for longer than it may wait. */
export const isLockTimeout = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && error.reason._tag === "LockTimeoutError"
