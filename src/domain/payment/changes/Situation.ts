import { Result } from "effect"
import { BookingCancelled, type BookingRow, HoldExpired } from "../../booking/Booking.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import type { DisputeRow } from "../refunds/Disputes.ts"
import type { RefundRow } from "../refunds/Refund.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"

/** What a change is decided by: a booking with its payments, and what is known of refunds and disputes of them. */
export interface Situation {
  readonly booking: BookingRow
  readonly sessions: ReadonlyArray<PaymentSessionRow>
  readonly refunds: ReadonlyArray<RefundRow>
  readonly disputes: ReadonlyArray<DisputeRow>
  readonly now: Instant
}

/** Fails if the booking has ended. */
export const alive = ({
  booking: { booking_id, status }
}: Pick<Situation, "booking">): Result.Result<void, BookingCancelled | HoldExpired> => {
  if (status === "cancelled") return Result.fail(new BookingCancelled({ booking_id }))
  return status === "expired" ? Result.fail(new HoldExpired({ booking_id })) : Result.void
}
