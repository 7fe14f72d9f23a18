/** What a wait for a lock in vain fails with. */
import { SqlError } from "effect/sql"

/** Whether a statement failed because others kept a lock for longer than it may wait. */
export const isLockTimeout = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && error.reason._tag === "LockTimeoutError"
