/**
 * The refunds of a cancelled visit and their deadlines: one schedule from the package's tiers. Refunds, previews and
 * all texts of the terms use it. Pure. Amounts are minor units.
 */
import { Schema } from "effect"
import { hourMs, type Instant } from "../../platform/time/LocalTime.ts"
import { percentOf } from "../../platform/money/Charge.ts"

/**
 * `refund_percent` is refunded for a cancellation at least `hours_before` the start. The applicable tier with the most
 * hours counts; without one it is 0 %.
 */
export const CancellationTier = Schema.Struct({
  hours_before: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 87_600 }))
    .annotate({
      description: "Hours before, or more."
    })
    .annotateKey({ meaning: "Cancelled at least so many hours before the start …" }),
  refund_percent: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
    .annotate({
      description: "See terms."
    })
    .annotateKey({
      meaning:
        "… so many percent come back. The tier with the most hours that still fits counts; where none fits, nothing comes back."
    })
})
export type CancellationTier = typeof CancellationTier.Type
type Tiers = ReadonlyArray<CancellationTier>

/**
 * The steps of a refund: `refund_percent` up to `hours_before` the start, then the next step; nothing after the last
 * one. In falling order of hours. Of two tiers for the same hours, the higher refund counts.
 */
export const refundSteps = (tiers: Tiers): Tiers => {
  const steps: Array<CancellationTier> = []
  let hours: number | undefined
  for (const tier of tiers.toSorted((a, b) => a.hours_before - b.hours_before || b.refund_percent - a.refund_percent)) {
    // A tier with the same refund as the later one adds nothing to it.
    const adds = tier.refund_percent !== (steps.at(-1)?.refund_percent ?? 0)
    if (adds && tier.hours_before !== hours) steps.push(tier)
    hours = tier.hours_before
  }
  return steps.reverse()
}

/** Whether a tier refunds more than one for an earlier cancellation. */
export const refundsMoreLater = (tiers: Tiers): boolean =>
  tiers
    .toSorted((a, b) => b.hours_before - a.hours_before)
    .some((tier, i, sorted) => tier.refund_percent > (sorted[i - 1]?.refund_percent ?? 100))

/** The refund of a step for an amount, and its percentage. */
const shareOf = ({ refund_percent }: CancellationTier, amount: number, currency: string) => ({
  percent: refund_percent,
  amount: Math.min(amount, percentOf(amount, refund_percent, currency))
})

/**
 * A visit's currency, its tiers and its start. If it was rescheduled, its deadlines count from `earliest_start`: the
 * earliest start that the family ever gave it. A move by the venue leaves the deadlines where they were, so that it
 * takes no rights from the family, and gives none back that were over.
 */
interface ScheduledVisit {
  readonly currency: string
  readonly cancellation: Tiers
  readonly starts_at: Instant
  readonly earliest_start?: Instant | undefined
}

/** The start that deadlines count from. */
export const deadlineStart = (
  starts_at: Instant,
  { earliest_start }: Pick<ScheduledVisit, "earliest_start">
): Instant => earliest_start ?? starts_at

/** A cancellation until `until` refunds this much of an amount. */
interface RefundDeadline {
  readonly until: Instant
  readonly shareOf: (amount: number) => { readonly percent: number; readonly amount: number }
}

/** The deadlines of a visit, earliest first. Nothing is refunded after the last one. */
export const refundSchedule = (visit: ScheduledVisit): ReadonlyArray<RefundDeadline> => {
  const start = deadlineStart(visit.starts_at, visit)
  return refundSteps(visit.cancellation).map((step) => ({
    // After an earlier start of the venue's choice, what counts from the former one ends with the start.
    until: Math.min(start - step.hours_before * hourMs, visit.starts_at),
    shareOf: (amount) => shareOf(step, amount, visit.currency)
  }))
}

/** The next deadline at `now`; undefined if nothing is refunded any more. */
const deadlineAt = (schedule: ReadonlyArray<RefundDeadline>, now: Instant): RefundDeadline | undefined =>
  schedule.find(({ until }) => now <= until)

/** The basis of a refund: `non_refundable` of `paid` is never refunded, `refunded` already is. */
export interface RefundBasis extends ScheduledVisit {
  readonly non_refundable: number
  readonly paid: number
  readonly refunded: number
  /** What of `refunded` was given beside the price and its terms. */
  readonly goodwill?: number | undefined
  readonly now: Instant
  /**
   * For a rescheduled booking: the highest amount ever paid at once, less what moves had refunded by then; and the sum
   * of all refunds by moves.
   */
  readonly most_paid?: number | undefined
  readonly given_back_by_moves?: number | undefined
}

/**
 * The amount paid again after a move refunded it: one move went to a cheaper visit, a later one to a dearer visit.
 * Percentages are not applied to it, and the refund of that move does not count against them.
 */
const paidAgain = ({ given_back_by_moves = 0, most_paid = 0, paid }: RefundBasis): number =>
  Math.max(0, Math.min(given_back_by_moves, paid - most_paid))

/**
 * What of earlier refunds counts against a price or its terms. Goodwill stands outside: no change takes it back, and no
 * cancellation.
 */
export const countedRefunds = ({ goodwill = 0, refunded }: Pick<RefundBasis, "goodwill" | "refunded">): number =>
  Math.max(0, refunded - goodwill)

/**
 * The refund of a cancellation at `now`. `owed` in all, beside goodwill: the deadline's share of the amount paid beyond
 * the non-refundable part. `amount` now: that, less earlier refunds that count; never negative.
 */
export const refundDue = (
  basis: RefundBasis
): { readonly refund_percent: number; readonly owed: number; readonly amount: number } => {
  const again = paidAgain(basis)
  const refundable = Math.max(0, basis.paid - again - basis.non_refundable)
  const share = deadlineAt(refundSchedule(basis), basis.now)?.shareOf(refundable) ?? { percent: 0, amount: 0 }
  const owed = share.amount + again
  return { refund_percent: share.percent, owed, amount: Math.max(0, owed - countedRefunds(basis)) }
}
