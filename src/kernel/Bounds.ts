/** Schemas of what callers send: each is bounded, and its message says what is accepted, since it goes back to the caller. */
import { Schema } from "effect"

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
