/** Finds whom a person can ask about a failed call, by the playroom, option or booking that its arguments name. */
import { Effect, Option, Predicate } from "effect"
import { unpack } from "../../../domain/availability/OptionId.ts"
import { Bookings } from "../../../domain/booking/Bookings.ts"
import { contactOf } from "../../../domain/catalogue/Operator.ts"
import { Operators } from "../../../domain/catalogue/Operators.ts"
import { type FindContact, CurrentPrincipal } from "./McpTool.ts"

/** Longer than any id, and without characters that no id has. */
const anyId = /^[\w.~-]{1,100}$/

/** An id among raw arguments; empty if there is none. */
const argument = (input: unknown, name: string): string => {
  const value = Predicate.hasProperty(input, name) ? input[name] : undefined
  return typeof value === "string" && anyId.test(value.slice(0, 110).trim()) ? value.trim() : ""
}

const contactOfListed = (by: (input: unknown) => Parameters<Operators["Service"]["ofListed"]>[0] | undefined) =>
  Effect.map(Operators, (operators): FindContact<never> => (input) => {
    const named = by(input)
    return named === undefined
      ? Effect.undefined
      : Effect.map(operators.ofListed(named), (found) => Option.getOrUndefined(Option.map(found, contactOf)))
  })

/** By `playroom_id`. */
export const contactAtPlayroom = contactOfListed((input) => ({ playroom_id: argument(input, "playroom_id") }))

/** By `option_id`. */
export const contactAtOption = contactOfListed((input) => {
  const option = unpack(argument(input, "option_id"))
  return option && { package_id: option.package_id }
})

/** By `booking_id`, of a booking that the caller sees. */
export const contactAtBooking = Effect.gen(function* () {
  const bookings = yield* Bookings
  const operators = yield* Operators
  const find: FindContact<CurrentPrincipal> = Effect.fnUntraced(
    function* (input) {
      const { row } = yield* bookings.find(yield* CurrentPrincipal, argument(input, "booking_id"))
      return contactOf(yield* operators.get(row.operator_id))
    },
    Effect.catchTag(["BookingNotFound", "OperatorNotFound"], () => Effect.undefined)
  )
  return find
})
