/**
 * What comes back of a visit that is cancelled, and until when: one schedule, made of the package's tiers, which refunds, previews and
 * every text of the terms go by. Pure. Amounts are minor units.
 */
import { Schema } from "effect"
import { hourMs, type Instant } from "../kernel/LocalTime.ts"
import { percentOf } from "../kernel/Money.ts"

/** Cancelled at least `hours_before` the start, `refund_percent` comes back. The tier with the most hours that still fits counts; none fits: 0 %. */
export const CancellationTier = Schema.Struct({
  hours_before: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 87_600 })).annotate({
    description: "Hours before, or more."
  }),
  refund_percent: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 })).annotate({
    description: "Refunded; see terms."
  })
})
export type CancellationTier = typeof CancellationTier.Type
type Tiers = ReadonlyArray<CancellationTier>

/**
 * What comes back, step by step: up to `hours_before` the start it is `refund_percent`, then what the next step says, after the
 * last one nothing. In falling order of hours; of two tiers for the same hours, the one that refunds more counts.
 */
export const refundSteps = (tiers: Tiers): Tiers => {
  const steps: Array<CancellationTier> = []
  let hours: number | undefined
  for (const tier of tiers.toSorted((a, b) => a.hours_before - b.hours_before || b.refund_percent - a.refund_percent)) {
    // A tier that refunds what the later one does adds nothing to it.
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

/** What a step gives back of an amount, and which percentage of it that is. */
const shareOf = ({ refund_percent }: CancellationTier, amount: number) => ({
  percent: refund_percent,
  amount: percentOf(amount, refund_percent)
})

/** A visit's tiers, and when it starts; of one that was moved, `earliest_start` is the earliest start that it ever had. */
export interface ScheduledVisit {
  readonly cancellation: Tiers
  readonly starts_at: Instant
  readonly earliest_start?: Instant | undefined
}

/** The start that refunds and free moves are measured from: of a visit that was moved, the earliest that it ever had. */
export const deadlineStart = (
  starts_at: Instant,
  { earliest_start }: Pick<ScheduledVisit, "earliest_start">
): Instant => Math.min(starts_at, earliest_start ?? starts_at)

/** Who cancels until then gets so much back of an amount. */
export interface RefundDeadline {
  readonly until: Instant
  readonly shareOf: (amount: number) => { readonly percent: number; readonly amount: number }
}

/** The deadlines of a visit, earliest first; after the last one nothing comes back. */
export const refundSchedule = (visit: ScheduledVisit): ReadonlyArray<RefundDeadline> => {
  const start = deadlineStart(visit.starts_at, visit)
  return refundSteps(visit.cancellation).map((step) => ({
    until: start - step.hours_before * hourMs,
    shareOf: (amount) => shareOf(step, amount)
  }))
}

/** The deadline that a cancellation at `now` still keeps; undefined: nothing comes back. */
export const deadlineAt = (schedule: ReadonlyArray<RefundDeadline>, now: Instant): RefundDeadline | undefined =>
  schedule.find(({ until }) => now <= until)

/** What a refund is computed from: `non_refundable` of what is `paid` never comes back, `refunded` already has. */
export interface RefundBasis extends ScheduledVisit {
  readonly non_refundable: number
  readonly paid: number
  readonly refunded: number
  readonly now: Instant
  /**
   * Of a booking that was moved: the most that was ever paid at once, less what moves had given back by then; and what all its moves gave
   * back.
   */
  readonly most_paid?: number | undefined
  readonly given_back_by_moves?: number | undefined
}

/**
 * What of a booking is paid for the second time: a move to a cheaper visit gave it back, and one to a dearer visit asked for it again.
 * It is no part of what a percentage is taken of, and the refund by which it went back is not counted against that percentage.
 */
const paidAgain = ({ given_back_by_moves = 0, most_paid = 0, paid }: RefundBasis): number =>
  Math.max(0, Math.min(given_back_by_moves, paid - most_paid))

/**
 * What a cancellation at `now` refunds. `owed` in all: the deadline's share of what is paid beyond the non-refundable part.
 * `amount` now: that, less what was refunded before; never negative.
 */
export const refundDue = (
  basis: RefundBasis
): { readonly refund_percent: number; readonly owed: number; readonly amount: number } => {
  const again = paidAgain(basis)
  const refundable = Math.max(0, basis.paid - again - basis.non_refundable)
  const share = deadlineAt(refundSchedule(basis), basis.now)?.shareOf(refundable) ?? { percent: 0, amount: 0 }
  const owed = share.amount + again
  return { refund_percent: share.percent, owed, amount: Math.max(0, owed - basis.refunded) }
}
