/**
 * The terms of a visit as they stand at a moment, in dates and amounts. Pure: the amounts are those of `refundDue` at each deadline, so
 * that the terms never promise another refund than the one that is then made.
 */
import type { CancellationTier } from "../catalogue/Package.ts"
import { type Deposit, type RefundView, refundSteps, shownDeposit, type TermsView } from "../catalogue/Terms.ts"
import { format, hourMs, type Instant, shortDateTime } from "../kernel/LocalTime.ts"
import { display, money } from "../kernel/Money.ts"
import { refundDue } from "./Cancellation.ts"

/** A visit's terms and its money, in minor units of `currency`. */
export interface VisitMoney {
  readonly currency: string
  readonly cancellation: ReadonlyArray<CancellationTier>
  readonly non_refundable: number
  readonly deposit?: Deposit | undefined
  readonly final_headcount_hours_before?: number | undefined
  readonly free_reschedule_hours_before?: number | undefined
  readonly total: number
  /** What is to be paid to get it, as long as that is not paid. */
  readonly due_now: number
  /** What is not paid yet in all. */
  readonly outstanding: number
  readonly paid: number
  /** What of it was given back or is on its way, and what is left of it. */
  readonly given_back: number
  readonly left: number
  readonly starts_at: Instant
  readonly time_zone: string
}

/** Who cancels until then gets so much back. */
interface Deadline {
  readonly until: Instant
  readonly refund: number
}

/** What comes back of `paid`, deadline by deadline from `now` on; after the last one nothing does. */
const deadlinesOf = (visit: VisitMoney, paid: number, now: Instant): ReadonlyArray<Deadline> => {
  const deadlines: Array<Deadline> = []
  for (const { hours_before } of refundSteps(visit.cancellation).toReversed()) {
    const until = visit.starts_at - hours_before * hourMs
    if (until < now) continue
    const due = refundDue({ ...visit, paid, refunded: visit.given_back, now: until })
    const refund = Math.min(due.amount, visit.left + paid - visit.paid)
    // Of two deadlines for the same amount only the later one counts.
    if (refund !== (deadlines.at(-1)?.refund ?? 0)) deadlines.push({ until, refund })
  }
  return deadlines.reverse()
}

const deadlineText = ({ refund, until }: Deadline, { currency, time_zone }: VisitMoney): string =>
  `until ${shortDateTime(time_zone, until)}: ${refund === 0 ? "nothing" : display(refund, currency)} back`

const changesText = (visit: VisitMoney, now: Instant): string => {
  const { final_headcount_hours_before: headcount, free_reschedule_hours_before: moving, starts_at, time_zone } = visit
  const by = (hours: number) => shortDateTime(time_zone, starts_at - hours * hourMs)
  const isOver = (hours: number) => starts_at - hours * hourMs < now
  return [
    ...(headcount === undefined
      ? []
      : [isOver(headcount) ? " The headcount is final." : ` Final headcount by ${by(headcount)}.`]),
    ...(moving === undefined || isOver(moving) ? [] : [` Free to move until ${by(moving)}.`])
  ].join("")
}

/**
 * The terms at `now`: what comes back of what was paid (where nothing was, of what is due now), and what comes back of the whole total,
 * where more is to be paid later. Deadlines that have passed are left out. The text is at most 900 characters where a catalogue file's
 * bounds are kept.
 */
export const visitTerms = (visit: VisitMoney, now: Instant): TermsView => {
  const { currency, deposit, paid, time_zone } = visit
  const text = (amount: number) => display(amount, currency)
  const sums = [...new Set([paid + visit.due_now, paid + visit.outstanding])].filter((sum) => sum > 0)
  const parts = sums.map((sum) => ({ sum, deadlines: deadlinesOf(visit, sum, now) }))
  const [first] = parts
  const sentenceOf = ({ deadlines, sum }: (typeof parts)[number]): string => {
    const of =
      sum === paid
        ? `If cancelled, of the ${text(sum)} paid`
        : sum === visit.due_now
          ? `If cancelled, of the ${text(sum)} due now`
          : `If cancelled once all ${text(sum)} is paid`
    return `${of}: ${[...deadlines.map((deadline) => deadlineText(deadline, visit)), "afterwards: nothing"].join("; ")}.`
  }
  const refunding = parts.filter(({ deadlines }) => deadlines.length > 0)
  const keeps = deposit !== undefined && !deposit.refundable && refunding.length > 0
  const sentences = [
    ...(deposit === undefined ? [] : [`${text(deposit.amount)} deposit${keeps ? ", not refunded" : ""}.`]),
    ...(visit.given_back === 0 ? [] : [`${text(visit.given_back)} went back before.`]),
    ...(refunding.length > 0
      ? refunding.map(sentenceOf)
      : [visit.given_back === 0 ? "Nothing that is paid is refunded." : "Nothing more is refunded."])
  ]
  const refundsOf = (deadlines: ReadonlyArray<Deadline>): ReadonlyArray<RefundView> => [
    ...deadlines.map((deadline) => ({
      until: format(time_zone, deadline.until),
      refund: money(deadline.refund, currency),
      text: deadlineText(deadline, visit)
    })),
    { refund: money(0, currency), text: deadlines.length === 0 ? "nothing" : "afterwards: nothing" }
  ]
  const { final_headcount_hours_before: headcount, free_reschedule_hours_before: moving } = visit
  return {
    ...(deposit === undefined ? {} : { deposit: shownDeposit(deposit, currency) }),
    ...(headcount === undefined ? {} : { final_headcount_hours: headcount }),
    ...(moving === undefined ? {} : { free_reschedule_hours: moving }),
    ...(first === undefined ? {} : { refunds: refundsOf(first.deadlines) }),
    text: (visit.total === 0 ? "Nothing is to be paid." : sentences.join(" ")) + changesText(visit, now)
  }
}
