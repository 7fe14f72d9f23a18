/** What a cancellation gives back. Pure: a preview is exactly what is then refunded. */
import type { CancellationTier } from "../catalogue/Package.ts"
import { hourMs, type Instant } from "../kernel/LocalTime.ts"
import { percentOf } from "../kernel/Money.ts"

/** A booking's money and terms. Amounts in minor units: `non_refundable` of what is `paid` never comes back, `refunded` already has. */
export interface Cancelling {
  readonly cancellation: ReadonlyArray<CancellationTier>
  readonly non_refundable: number
  readonly paid: number
  readonly refunded: number
  readonly starts_at: Instant
  readonly now: Instant
}

/** The percentage that a cancellation at `now` refunds: of the tiers that still fit the one with the most hours, else 0. */
export const refundPercent = (tiers: ReadonlyArray<CancellationTier>, starts_at: Instant, now: Instant): number => {
  let best: CancellationTier | undefined
  for (const tier of tiers) {
    if (starts_at - now < tier.hours_before * hourMs) continue
    const later = best === undefined ? 1 : tier.hours_before - best.hours_before
    // Of two tiers for the same hours the kinder one counts.
    if (later > 0 || (later === 0 && tier.refund_percent > (best?.refund_percent ?? 0))) best = tier
  }
  return best?.refund_percent ?? 0
}

/**
 * What a cancellation at `now` refunds: the tier's percentage of what is paid beyond the non-refundable part, less what
 * was refunded before; never more than is left, never negative.
 */
export const refundDue = (booking: Cancelling): { readonly refund_percent: number; readonly amount: number } => {
  const refund_percent = refundPercent(booking.cancellation, booking.starts_at, booking.now)
  const refundable = Math.max(0, booking.paid - booking.non_refundable)
  return { refund_percent, amount: Math.max(0, percentOf(refundable, refund_percent) - booking.refunded) }
}
