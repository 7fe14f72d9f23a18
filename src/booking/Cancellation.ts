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
}

/** The percentage that a cancellation at `now` refunds: of the tiers that still fit the one with the most hours, else 0. */
export const refundPercent = (tiers: ReadonlyArray<CancellationTier>, starts_at: Instant, now: Instant): number =>
  refundSteps(tiers).find(({ hours_before }) => starts_at - now >= hours_before * hourMs)?.refund_percent ?? 0

/**
 * What a cancellation at `now` refunds. `owed` in all: the tier's percentage of what is paid beyond the non-refundable part.
 * `amount` now: that, less what was refunded before; never negative.
 */
export const refundDue = (
  basis: RefundBasis
): { readonly refund_percent: number; readonly owed: number; readonly amount: number } => {
  const refund_percent = refundPercent(basis.cancellation, basis.starts_at, basis.now)
  const refundable = Math.max(0, basis.paid - basis.non_refundable)
  const owed = percentOf(refundable, refund_percent)
  return { refund_percent, owed, amount: Math.max(0, owed - basis.refunded) }
}

/** What of a booking's own payments was given back or is on its way, and what is left of them: minor units. */
export interface RefundState {
  readonly given_back: number
  readonly left: number
}

/** What a cancellation of a booking at `now` refunds by its terms: the one rule of cancellations and of their previews. */
export const refundByTerms = (
  {
    paid,
    starts_at,
    terms
  }: Pick<BookingRow, "paid" | "starts_at"> & { readonly terms: Pick<BookingTerms, "cancellation" | "non_refundable"> },
  { given_back, left }: RefundState,
  now: Instant
): ReturnType<typeof refundDue> => {
  const { cancellation, non_refundable } = terms
  const due = refundDue({ cancellation, non_refundable, paid, refunded: given_back, starts_at, now })
  return { ...due, amount: Math.min(due.amount, left) }
}
