/**
 * Bounded schemas for what callers send, and the error for a request that is not acceptable. Messages go back to the
 * caller, so they say what is accepted.
 */
import { Schema } from "effect"

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
