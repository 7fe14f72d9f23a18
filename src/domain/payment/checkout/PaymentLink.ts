/** The address that a person gets to pay at. */
import { Effect } from "effect"
import { LinkTokens } from "../../../platform/access/LinkTokens.ts"
import type { BookingRow, PaymentSessionView } from "../../booking/Booking.ts"
import { bookingLink } from "../../booking/BookingLinks.ts"
import { AppConfig } from "../../../platform/config/AppConfig.ts"

/**
 * Makes the function that puts this address into a session that can be paid. With `PAYMENT_LINK=own` it is the booking's
 * pay page.
 */
export const makePaymentLink = Effect.gen(function* () {
  const { paymentLink } = yield* AppConfig
  const links = yield* LinkTokens
  return (session: PaymentSessionView, booking: Pick<BookingRow, "booking_id" | "link_counter">) =>
    paymentLink === "provider" || session.url === undefined
      ? Effect.succeed(session)
      : Effect.map(links.address(bookingLink("pay", booking)), (url): PaymentSessionView => ({ ...session, url }))
})
