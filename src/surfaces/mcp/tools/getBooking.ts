import { Effect, Schema, Struct } from "effect"
import { Tool } from "effect/ai"
import { SqlError } from "effect/sql"
import { BookingNotFound, type BookingRow, HistoryEntry, TooManyLookups } from "../../../domain/booking/Booking.ts"
import { askForReference, BookingLookup } from "../../../domain/booking/BookingRequest.ts"
import { BookingRecords } from "../../../domain/booking/BookingRecords.ts"
import { Bookings } from "../../../domain/booking/Bookings.ts"
import type { OwnChanges } from "../../../domain/booking/OtherVisits.ts"
import {
  BookingView,
  type PaymentSummary,
  withoutOtherStarts,
  withoutStepTexts,
  withTogether
} from "../../../domain/booking/BookingViews.ts"
import { InvalidArguments } from "../../../platform/errors/InvalidArguments.ts"
import { VisitOffers } from "../../../domain/payment/changes/VisitChanges.ts"
import { fitView } from "../../../platform/text/ResponseBudget.ts"
import { PaymentSummaries } from "../../../domain/payment/PaymentSummaries.ts"
import { CurrentPrincipal, keyedTool, readHints } from "./McpTool.ts"
import { besideOthers, bookingWithNextStep, nextStepField, spendsVoucher } from "./NextSteps.ts"

type Shown = ReturnType<typeof bookingWithNextStep>
type History = ReadonlyArray<typeof HistoryEntry.Type>

/** Only the newest lines of a booking's history. */
const newest =
  (lines: number) =>
  <View extends { readonly history: History }>(view: View): View => ({ ...view, history: view.history.slice(-lines) })

/** A page that is paid says nothing that the booking's sums don't. */
const withoutPaidPage = <B extends Shown["booking"]>(booking: B) =>
  booking.payment_session?.status === "paid" ? Struct.omit(booking, ["payment_session"]) : booking

/** An answer; if it would be longer than usual, without the least important of it. `short`: without `OwnChanges`. */
const fitting = (whole: Shown, short: Shown, history: History) =>
  fitView<Shown & { readonly history: History }>(
    { ...whole, history },
    [
      ({ history }) => ({ ...short, history }),
      (view) => ({ ...view, booking: withoutOtherStarts(view.booking) }),
      newest(12),
      (view) => ({ ...view, booking: withoutStepTexts(withoutPaidPage(view.booking)) }),
      newest(4)
    ],
    []
  )

const definition = Tool.make("get_booking", {
  description:
    "A booking made with this API key, by booking_id, or by reference and contact_email: status, what is paid, due, refundable, who can change it, history. Needs an API key. Amounts are minor units of price.currency; times carry the playroom's UTC offset. Shows whether a payment arrived. Next: create_payment_session while held and unpaid.",
  parameters: BookingLookup,
  success: Schema.Struct({
    next_step: nextStepField,
    booking: BookingView.annotate({ description: "The booking." }),
    history: Schema.Array(HistoryEntry).annotate({ description: "Oldest first." })
  }),
  failure: Schema.Union([BookingNotFound, TooManyLookups, InvalidArguments, SqlError.SqlError]),
  dependencies: [CurrentPrincipal]
})
  .annotate(Tool.Title, "Get booking")
  .annotateMerge(readHints)

export const getBooking = keyedTool(definition, "bookings:read", {
  showsCard: true,
  descriptions: {
    booking_id: "From create_booking.",
    reference: "K7M2-9QXD, with contact_email.",
    contact_email: "Of the booking."
  },
  unknownFieldHint: `: ${askForReference}`,
  handler: Effect.gen(function* () {
    const bookings = yield* Bookings
    const bookingRecords = yield* BookingRecords
    const summaries = yield* PaymentSummaries
    const offers = yield* VisitOffers
    const hasVoucher = yield* spendsVoucher
    return ({ booking_id, contact_email, reference }) =>
      Effect.gen(function* () {
        const principal = yield* CurrentPrincipal
        // The input has exactly one of them.
        const found = yield* booking_id === undefined
          ? bookings.lookUp(principal, { reference: reference ?? "", contact_email })
          : bookings.find(principal, booking_id)
        const { may_change, row } = found
        const voucher = yield* hasVoucher(row)
        const shown = (
          booking: BookingRow,
          summary: PaymentSummary,
          others: ReadonlyArray<BookingRow>,
          own: OwnChanges
        ) => {
          const seen = may_change ? summary : Struct.omit(summary, ["page_url"])
          const view = bookingWithNextStep(booking, seen, own, voucher)
          return others.length === 0
            ? view
            : {
                next_step: `${view.next_step} ${besideOthers(booking, others)}`,
                booking: withTogether(view.booking, others)
              }
        }
        const besides = (booking: BookingRow) =>
          Effect.all([
            may_change ? offers.ownChanges(booking) : Effect.succeed({}),
            bookingRecords.history(booking),
            bookings.together(principal, booking)
          ])
        const two = { concurrency: 2 } as const
        const [{ outdated, summary }, [own, history, others]] = yield* Effect.all(
          [summaries.refresh(row), besides(row)],
          two
        )
        if (!outdated) return fitting(shown(row, summary, others, own), shown(row, summary, others, {}), history)
        const after = yield* bookings.find(principal, row.booking_id)
        const [fresh, [changes, lines, rest]] = yield* Effect.all([summaries.read(after.row), besides(after.row)], two)
        return fitting(shown(after.row, fresh, rest, changes), shown(after.row, fresh, rest, {}), lines)
      })
  })
})
