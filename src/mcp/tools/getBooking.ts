import { Effect, Schema } from "effect"
import { Tool } from "effect/ai"
import { SqlError } from "effect/sql"
import { BookingNotFound, BookingView, HistoryEntry } from "../../booking/Booking.ts"
import { askForReference, BookingLookup } from "../../booking/BookingRequest.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { InvalidArguments } from "../../kernel/InvalidArguments.ts"
import { PaymentSummaries } from "../../payment/PaymentSummaries.ts"
import { CurrentPrincipal, keyedTool, readHints } from "./McpTool.ts"
import { bookingWithNextStep, nextStepField } from "./NextSteps.ts"

const definition = Tool.make("get_booking", {
  description:
    "A booking made with this API key, by booking_id or reference: status, what is paid, due, refundable, who can change it, history. Needs an API key. Amounts are minor units of price.currency; times carry the playroom's UTC offset. Shows whether a payment arrived. Next: create_payment_session while held and unpaid.",
  parameters: BookingLookup,
  success: Schema.Struct({
    booking: BookingView.annotate({ description: "The booking." }),
    next_step: nextStepField,
    history: Schema.Array(HistoryEntry).annotate({ description: "What happened, oldest first." })
  }),
  failure: Schema.Union([BookingNotFound, InvalidArguments, SqlError.SqlError]),
  dependencies: [CurrentPrincipal]
})
  .annotate(Tool.Title, "Get booking")
  .annotateMerge(readHints)

export const getBooking = keyedTool(definition, "bookings:read", {
  showsCard: true,
  descriptions: {
    booking_id: "From create_booking. Either this,",
    reference: "or this: the reference, like K7M2-9QXD."
  },
  unknownFieldHint: `: ${askForReference}`,
  handler: Effect.gen(function* () {
    const bookings = yield* Bookings
    const bookingRecords = yield* BookingRecords
    const summaries = yield* PaymentSummaries
    return ({ booking_id, reference }) =>
      Effect.gen(function* () {
        const principal = yield* CurrentPrincipal
        // The input has exactly one of them.
        const by = booking_id === undefined ? { reference: reference ?? "" } : { booking_id }
        const row = yield* bookings.find(principal, by)
        const [{ outdated, summary }, history] = yield* Effect.all(
          [summaries.refresh(row), bookingRecords.history(row)],
          {
            concurrency: 2
          }
        )
        if (!outdated) return { ...bookingWithNextStep(row, summary), history }
        const after = yield* bookings.find(principal, by)
        const [fresh, lines] = yield* Effect.all([summaries.read(after), bookingRecords.history(after)], {
          concurrency: 2
        })
        return { ...bookingWithNextStep(after, fresh), history: lines }
      })
  })
})
