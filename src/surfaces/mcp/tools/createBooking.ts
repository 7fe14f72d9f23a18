import { Effect, Schema } from "effect"
import { Tool } from "effect/ai"
import { SqlError } from "effect/sql"
import { AlreadyBooked, IdempotencyConflict, KeepsChanging, TooManyHolds } from "../../../domain/booking/Booking.ts"
import { BookingView } from "../../../domain/booking/BookingViews.ts"
import { OptionInvalid, PriceChanged } from "../../../domain/availability/BookingOption.ts"
import { SlotUnavailable } from "../../../domain/availability/OptionPage.ts"
import { BookingRequest } from "../../../domain/booking/BookingRequest.ts"
import { Bookings } from "../../../domain/booking/Bookings.ts"
import { isLiveBooking } from "../../../domain/booking/Lifecycle.ts"
import { OperatorUnavailable } from "../../../domain/catalogue/Playroom.ts"
import { InvalidArguments } from "../../../platform/errors/InvalidArguments.ts"
import { PaymentSummaries } from "../../../domain/payment/PaymentSummaries.ts"
import { beyondService, CurrentPrincipal, idempotencyKeyDescription, keyedTool, writeHints } from "./McpTool.ts"
import { contactAtOption } from "./VenueContacts.ts"
import { bookingWithNextStep, nextStepField } from "./NextSteps.ts"
import { type OtherBookings, otherBookingsField, otherBookingsText, withOthers } from "./OtherBookings.ts"

const definition = Tool.make("create_booking", {
  description:
    "Book the option that the person chose, once they agreed to its price and terms. Needs an API key. Returns the booking: held for free until hold_expires_at, when it lapses by itself if unpaid; with nothing due now confirmed at once. Amounts are minor units of price.currency; times carry the playroom's UTC offset. Asked again for the same option, e-mail and name, it is the same booking (already_existed). Next: create_payment_session if held.",
  parameters: BookingRequest,
  success: Schema.Struct({
    booking: BookingView.annotate({ description: "The booking." }),
    already_existed: Schema.Boolean.annotate({ description: "Made by an earlier call." }),
    other_bookings: otherBookingsField,
    next_step: nextStepField
  }),
  failure: Schema.Union([
    OptionInvalid,
    PriceChanged,
    SlotUnavailable,
    OperatorUnavailable,
    AlreadyBooked,
    IdempotencyConflict,
    TooManyHolds,
    KeepsChanging,
    InvalidArguments,
    SqlError.SqlError
  ]),
  dependencies: [CurrentPrincipal]
})
  .annotate(Tool.Title, "Create booking")
  .annotateMerge(writeHints)

/** The arguments that differ from the existing booking. It stays unchanged. */
const ignoredChanges = (
  { child_ages, contact, notes }: BookingRequest,
  booking: BookingView
): ReadonlyArray<string> => [
  ...(notes === undefined || notes === booking.notes ? [] : ["notes"]),
  ...(contact.phone === undefined || contact.phone === booking.contact.phone ? [] : ["contact.phone"]),
  ...(child_ages === undefined || String(child_ages) === String(booking.child_ages ?? []) ? [] : ["child_ages"])
]

const alreadyExistedText = (request: BookingRequest, booking: BookingView): ReadonlyArray<string> => {
  const kept = ignoredChanges(request, booking)
  return [
    "An earlier call made this booking, and this one made none.",
    ...(kept.length === 0 ? [] : [`It stays as it was, without what this call gave otherwise: ${kept.join(", ")}.`]),
    ...(isLiveBooking(booking)
      ? [
          "Only where the person wants one more of the same: repeat this call with another true and a new idempotency_key."
        ]
      : [])
  ]
}

const freeHoldText = (booking: BookingView): ReadonlyArray<string> =>
  booking.status === "held" && booking.payment_status === "unpaid" && booking.payment_session === undefined
    ? ["Holding costs nothing: what the person did not choose, or does not pay, lapses by itself then."]
    : []

/** Notes are no agreement, whatever a person wrote into them: a discount code, a price, a promise. */
const notesText = ({ notes }: BookingView): ReadonlyArray<string> =>
  notes === undefined
    ? []
    : [
        "The notes go to the operator as a wish, which nobody has agreed to: tell the person so, and the price as it is."
      ]

/** What follows the next step: that holding is free, that notes promise nothing, what an earlier call made, other bookings. */
const bookingNotes = (
  request: BookingRequest,
  answer: {
    readonly booking: BookingView
    readonly already_existed: boolean
    readonly others: OtherBookings
  }
): string =>
  [
    ...freeHoldText(answer.booking),
    ...notesText(answer.booking),
    ...(answer.already_existed ? alreadyExistedText(request, answer.booking) : []),
    ...otherBookingsText(answer.others)
  ].join(" ")

export const createBooking = keyedTool(definition, "bookings:write", {
  showsCard: true,
  descriptions: {
    option_id: "From get_booking_options.",
    contact: "The person who books.",
    child_ages: "Their ages in years.",
    notes: "Wishes for the operator.",
    another: "true: a further booking of the same.",
    idempotency_key: idempotencyKeyDescription
  },
  unknownFieldHint: `${beyondService}; put it into notes only as a wish that nobody has agreed to`,
  contact: contactAtOption,
  handler: Effect.gen(function* () {
    const bookings = yield* Bookings
    const summaries = yield* PaymentSummaries
    return (request) =>
      Effect.gen(function* () {
        const { already_existed, others: live, row } = yield* bookings.create(yield* CurrentPrincipal, request)
        const { booking, next_step } = bookingWithNextStep(row, yield* summaries.read(row))
        const others = withOthers(live)
        return {
          booking,
          already_existed,
          ...others,
          next_step: `${next_step} ${bookingNotes(request, { booking, already_existed, others })}`.trimEnd()
        }
      })
  })
})
