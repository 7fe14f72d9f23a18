import { Effect, Schema } from "effect"
import { Tool } from "effect/ai"
import { SqlError } from "effect/sql"
import {
  BookingCancelled,
  BookingNotFound,
  HoldExpired,
  IdempotencyConflict,
  NothingDue,
  PaymentSessionView
} from "../../../domain/booking/Booking.ts"
import { PageUrl } from "../../../domain/booking/BookingViews.ts"
import { Bookings } from "../../../domain/booking/Bookings.ts"
import { besidesThose } from "../../../domain/booking/OtherBookings.ts"
import { OperatorUnavailable } from "../../../domain/catalogue/Playroom.ts"
import { InvalidArguments } from "../../../platform/errors/InvalidArguments.ts"
import { Purpose } from "../../../domain/payment/sessions/PaymentSession.ts"
import { SessionRequest } from "../../../domain/payment/checkout/SessionRequest.ts"
import { Checkout } from "../../../domain/payment/checkout/Checkout.ts"
import { ProviderUnavailable } from "../../../domain/payment/provider/PaymentGateway.ts"
import {
  beyondService,
  CurrentPrincipal,
  externalWriteHints,
  idempotencyKeyDescription,
  keyedTool,
  contactAtBooking
} from "./McpTool.ts"
import { afterSession, besideOthers, nextStepField } from "./NextSteps.ts"
import { otherBookingsText, withOthers } from "./createBooking.ts"

const definition = Tool.make("create_payment_session", {
  description:
    "Open a hosted payment page for a held booking, or for its balance. Needs an API key. Returns url (give it to the person, who pays there; never ask for card data), amount in the booking's currency and expires_at with the playroom's UTC offset; the hold lasts until then. Asking again returns the open session. Next: get_booking to see the payment arrive.",
  parameters: Schema.Struct({
    ...SessionRequest.fields,
    purpose: Schema.optionalKey(Schema.Literals([...Purpose.literals, "order"]))
  }),
  success: Schema.Struct({
    next_step: nextStepField,
    payment_session: PaymentSessionView.annotate({ description: "The page." }),
    page_url: Schema.optionalKey(PageUrl)
  }),
  failure: Schema.Union([
    BookingNotFound,
    HoldExpired,
    BookingCancelled,
    NothingDue,
    OperatorUnavailable,
    IdempotencyConflict,
    InvalidArguments,
    ProviderUnavailable,
    SqlError.SqlError
  ]),
  dependencies: [CurrentPrincipal]
})
  .annotate(Tool.Title, "Create payment session")
  .annotateMerge(externalWriteHints)

export const createPaymentSession = keyedTool(definition, "payments:write", {
  showsCard: true,
  descriptions: {
    booking_id: "From create_booking.",
    purpose: "due_now (default), order (all booked together) or balance.",
    success_url: "Where the payer lands, if not here.",
    cancel_url: "The same on giving up.",
    idempotency_key: idempotencyKeyDescription
  },
  unknownFieldHint: beyondService,
  contact: contactAtBooking,
  handler: Effect.gen(function* () {
    const payments = yield* Checkout
    const bookings = yield* Bookings
    return ({ purpose, ...asked }) =>
      Effect.gen(function* () {
        const principal = yield* CurrentPrincipal
        const request = purpose === undefined || purpose === "order" ? asked : { ...asked, purpose }
        const {
          booked,
          page_url,
          provider_url: _,
          ...payment_session
        } = yield* purpose === "order"
          ? payments.createForOrder(principal, request)
          : payments.createSession(principal, request)
        // The balance is of a booking that has been chosen: only before its first payment may it be one too many.
        const first = payment_session.purpose === "due_now" && payment_session.status === "open"
        const together = first ? yield* bookings.together(principal, booked) : []
        const live = first ? yield* bookings.others(principal, booked) : []
        const others = withOthers(besidesThose(live, together))
        const all = purpose === "order"
        const step = [
          afterSession(payment_session, booked, all ? together : []),
          besideOthers(booked, together, all ? "all" : "one"),
          ...otherBookingsText(others)
        ]
        return {
          next_step: step.filter((one) => one !== "").join(" "),
          payment_session,
          ...(page_url === undefined ? {} : { page_url })
        }
      })
  })
})
