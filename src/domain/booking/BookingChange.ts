/** A change of a booking, and what it makes of the booking's row. Pure. */
import type { Instant } from "../../platform/time/LocalTime.ts"
import type { BookingRow, BookingStatus, HistoryFacts, PaymentStatus } from "./Booking.ts"
import { nextPaymentStatus, nextStatus, type PaymentEvent, type StatusEvent } from "./Lifecycle.ts"

/**
 * A change of a booking. A transition that `Lifecycle.ts` refuses (late, repeated or out of order) leaves its field
 * unchanged. If money moved with it, the booking is flagged for a person.
 */
export interface Change {
  /** The event for the booking's status; `Lifecycle.ts` has the transitions. */
  readonly transition?: StatusEvent
  /** The event for its payment status. */
  readonly payment?: PaymentEvent
  /** Minor units to add to `paid` and `refunded`. */
  readonly paid?: number
  readonly refunded?: number
  readonly hold_expires_at?: Instant
  readonly awaiting_provider?: boolean
  /** Writes a history line even if no field changes. */
  readonly note?: true
  /** The event's name in the history, in the past tense. `detail`: a sentence for people. */
  readonly event: string
  readonly detail?: string
  /**
   * The same in parts, for a page that says it in the reader's language. Not without `detail`, with which it is erased.
   */
  readonly facts?: HistoryFacts
  /** Who at the venue did it. The family and its assistants are not told. */
  readonly done_by?: string
}

/** A hold never outlives the start of its visit. */
const holdEnd = (row: BookingRow, wanted: Instant | null): Instant => Math.min(wanted ?? row.starts_at, row.starts_at)

/** The row after a change; the same row if there is nothing to write. */
export const changedBy = (row: BookingRow, wanted: Change): BookingRow => {
  const status: BookingStatus =
    (wanted.transition === undefined ? undefined : nextStatus(row.status, wanted.transition)) ?? row.status
  const payment_status: PaymentStatus =
    (wanted.payment === undefined ? undefined : nextPaymentStatus(row.payment_status, wanted.payment)) ??
    row.payment_status
  const next: BookingRow = {
    ...row,
    status,
    payment_status,
    paid: row.paid + (wanted.paid ?? 0),
    refunded: row.refunded + (wanted.refunded ?? 0),
    hold_expires_at: status === "held" ? holdEnd(row, wanted.hold_expires_at ?? row.hold_expires_at) : null,
    awaiting_provider: wanted.awaiting_provider ?? row.awaiting_provider
  }
  const same =
    next.status === row.status &&
    next.payment_status === row.payment_status &&
    next.paid === row.paid &&
    next.refunded === row.refunded &&
    next.hold_expires_at === row.hold_expires_at &&
    next.awaiting_provider === row.awaiting_provider
  return same && wanted.note !== true ? row : next
}
