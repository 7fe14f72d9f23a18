/**
 * What callers may send, and what they hear of a request that is not acceptable. Each schema is bounded, and its message says what is
 * accepted, since it goes back to the caller.
 */
import { Schema } from "effect"

/** One thing that is wrong with a request: where, like `contact.email` or `child_ages[2]` ("" is the whole), and what is accepted there. */
export const ArgumentIssue = Schema.Struct({ path: Schema.String, message: Schema.String })
export type ArgumentIssue = typeof ArgumentIssue.Type

/** A request is not acceptable: malformed, or well formed and still wrong. Tools show it as `invalid_arguments`. */
export class InvalidArguments extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
  issues: Schema.Array(ArgumentIssue)
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
