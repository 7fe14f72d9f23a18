/** What a cancellation refunds. Pure: a preview shows exactly what is then refunded. */
import type { CancellationTier } from "../catalogue/Package.ts"
import { refundSteps } from "../catalogue/Terms.ts"
import { hourMs, type Instant } from "../kernel/LocalTime.ts"
import { percentOf } from "../kernel/Money.ts"
import type { BookingRow, BookingTerms } from "./Booking.ts"

/** What a refund is computed from. Amounts in minor units: `non_refundable` of what is `paid` never comes back, `refunded` already has. */
export interface RefundBasis {
  readonly cancellation: ReadonlyArray<CancellationTier>
  readonly non_refundable: number
  readonly paid: number
  readonly refunded: number
  readonly starts_at: Instant
  readonly now: Instant
  /** As in `BookingTerms`. */
  readonly most_paid?: number | undefined
  readonly given_back_by_moves?: number | undefined
}

/** The percentage that a cancellation at `now` refunds: of the tiers that still fit the one with the most hours, else 0. */
export const refundPercent = (tiers: ReadonlyArray<CancellationTier>, starts_at: Instant, now: Instant): number =>
  refundSteps(tiers).find(({ hours_before }) => starts_at - now >= hours_before * hourMs)?.refund_percent ?? 0

/**
 * What of a booking is paid for the second time: a move to a cheaper visit gave it back, and one to a dearer visit asked for it again.
 * It is no part of what a percentage is taken of, and the refund by which it went back is not counted against that percentage.
 */
const paidAgain = ({ given_back_by_moves = 0, most_paid = 0, paid }: RefundBasis): number =>
  Math.max(0, Math.min(given_back_by_moves, paid - most_paid))

/**
 * What a cancellation at `now` refunds. `owed` in all: the tier's percentage of what is paid beyond the non-refundable part.
 * `amount` now: that, less what was refunded before; never negative.
 */
export const refundDue = (
  basis: RefundBasis
): { readonly refund_percent: number; readonly owed: number; readonly amount: number } => {
  const refund_percent = refundPercent(basis.cancellation, basis.starts_at, basis.now)
  const again = paidAgain(basis)
  const refundable = Math.max(0, basis.paid - again - basis.non_refundable)
  const owed = percentOf(refundable, refund_percent) + again
  return { refund_percent, owed, amount: Math.max(0, owed - basis.refunded) }
}

/** What of a booking's own payments was given back or is on its way, and what is left of them: minor units. */
export interface RefundState {
  readonly given_back: number
  readonly left: number
}

/** The start that refunds and free moves are measured from: of a visit that was moved, the earliest that it ever had. */
export const deadlineStart = (starts_at: Instant, { earliest_start }: Pick<BookingTerms, "earliest_start">): Instant =>
  Math.min(starts_at, earliest_start ?? starts_at)

/** What a cancellation of a booking at `now` refunds by its terms: the one rule of cancellations and of their previews. */
export const refundByTerms = (
  booking: Pick<BookingRow, "paid" | "starts_at"> & {
    readonly terms: Pick<
      BookingTerms,
      "cancellation" | "non_refundable" | "earliest_start" | "most_paid" | "given_back_by_moves"
    >
  },
  { given_back, left }: RefundState,
  now: Instant
): ReturnType<typeof refundDue> => {
  const { paid, terms } = booking
  const starts_at = deadlineStart(booking.starts_at, terms)
  const due = refundDue({ ...terms, paid, refunded: given_back, starts_at, now })
  return { ...due, amount: Math.min(due.amount, left) }
}
