import type { BookingRow } from "../../booking/Booking.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
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
