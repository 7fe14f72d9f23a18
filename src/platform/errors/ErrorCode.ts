/** The codes that the system, the database and libraries give their errors. */
import { Predicate } from "effect"

/** An error's `code`, as `ENOENT` of the system or a SQLSTATE; undefined if it has none. */
export const codeOf = (error: unknown): string | undefined =>
  Predicate.hasProperty(error, "code") && typeof error.code === "string" ? error.code : undefined
