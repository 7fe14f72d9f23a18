/** Finds whom a person can ask about a failed call, by the playroom, option or booking that its arguments name. */
import { Effect, Predicate } from "effect"
import { unpack } from "../../availability/OptionId.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import { contactOf } from "../../catalogue/Operator.ts"
import { Operators } from "../../catalogue/Operators.ts"
import type { FindContact } from "./AskVenue.ts"
import { CurrentPrincipal } from "./McpTool.ts"

/** Longer than any id, and without characters that no id has. */
const anyId = /^[\w.~-]{1,100}$/

/** An id among raw arguments; empty if there is none. */
const argument = (input: unknown, name: string): string => {
  const value = Predicate.hasProperty(input, name) ? input[name] : undefined
  return typeof value === "string" && anyId.test(value.slice(0, 110).trim()) ? value.trim() : ""
}

/** By `playroom_id`. */
export const contactAtPlayroom = Effect.map(
  Catalogue,
  (catalogue): FindContact<never> =>
    (input) =>
      catalogue.venue(argument(input, "playroom_id")).pipe(
        Effect.map(({ operator }) => contactOf(operator)),
        Effect.catchTag("PlayroomNotFound", () => Effect.undefined)
      )
)

/** By `option_id`. */
export const contactAtOption = Effect.map(Catalogue, (catalogue): FindContact<never> => (input) => {
  const option = unpack(argument(input, "option_id"))
  return option === undefined
    ? Effect.undefined
    : catalogue.venueOfPackage(option.package_id).pipe(
        Effect.map(({ venue }) => contactOf(venue.operator)),
        Effect.catchTag("PackageNotFound", () => Effect.undefined)
      )
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
