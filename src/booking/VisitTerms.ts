/**
 * The terms of a visit as they stand at a moment, in dates and amounts. Pure: amounts are those that `refundDue` gives at each
 * deadline, so that nobody is told of another refund than the one that is then made.
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
  /** What is to be paid to have it, while that is not paid; what is not paid in all. */
  readonly due_now: number
  readonly outstanding: number
  readonly paid: number
  /** What of it went back or is on its way, and what is left of it. */
  readonly given_back: number
  readonly left: number
  readonly starts_at: Instant
  readonly time_zone: string
}

/** Cancelled until then, so much comes back. */
interface Row {
  readonly until: Instant
  readonly refund: number
}

/** What comes back of `paid`, deadline by deadline from `now` on; after the last one nothing does. */
const rowsOf = (visit: VisitMoney, paid: number, now: Instant): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  for (const { hours_before } of refundSteps(visit.cancellation).toReversed()) {
    const until = visit.starts_at - hours_before * hourMs
    if (until < now) continue
    const due = refundDue({ ...visit, paid, refunded: visit.given_back, now: until })
    const refund = Math.min(due.amount, visit.left + paid - visit.paid)
    // Of two deadlines for the same amount the later one says all.
    if (refund !== (rows.at(-1)?.refund ?? 0)) rows.push({ until, refund })
  }
  return rows.reverse()
}

const rowText = (row: Row, { currency, time_zone }: VisitMoney): string =>
  `until ${shortDateTime(time_zone, row.until)}: ${row.refund === 0 ? "nothing" : display(row.refund, currency)} back`

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
 * The terms at `now`. Of what was paid; where nothing was, of what is due now; and beside it of all, where more is to be paid later.
 * Deadlines that have passed are not named. The text is at most 900 characters where a catalogue file's bounds are kept.
 */
export const visitTerms = (visit: VisitMoney, now: Instant): TermsView => {
  const { currency, deposit, paid, time_zone } = visit
  const told = (amount: number) => display(amount, currency)
  const sums = [...new Set([paid + visit.due_now, paid + visit.outstanding])].filter((sum) => sum > 0)
  const parts = sums.map((sum) => ({ sum, rows: rowsOf(visit, sum, now) }))
  const [first] = parts
  const sentenceOf = ({ rows, sum }: (typeof parts)[number]): string => {
    const of =
      sum === paid
        ? `If cancelled, of the ${told(sum)} paid`
        : sum === visit.due_now
          ? `If cancelled, of the ${told(sum)} due now`
          : `If cancelled once all ${told(sum)} is paid`
    return `${of}: ${[...rows.map((row) => rowText(row, visit)), "afterwards: nothing"].join("; ")}.`
  }
  const speaking = parts.filter(({ rows }) => rows.length > 0)
  const keeps = deposit !== undefined && !deposit.refundable && speaking.length > 0
  const sentences = [
    ...(deposit === undefined ? [] : [`${told(deposit.amount)} deposit${keeps ? ", not refunded" : ""}.`]),
    ...(visit.given_back === 0 ? [] : [`${told(visit.given_back)} went back before.`]),
    ...(speaking.length > 0
      ? speaking.map(sentenceOf)
      : [visit.given_back === 0 ? "Nothing that is paid is refunded." : "Nothing more is refunded."])
  ]
  const refundsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<RefundView> => [
    ...rows.map((row) => ({
      until: format(time_zone, row.until),
      refund: money(row.refund, currency),
      text: rowText(row, visit)
    })),
    { refund: money(0, currency), text: rows.length === 0 ? "nothing" : "afterwards: nothing" }
  ]
  const { final_headcount_hours_before: headcount, free_reschedule_hours_before: moving } = visit
  return {
    ...(deposit === undefined ? {} : { deposit: shownDeposit(deposit, currency) }),
    ...(headcount === undefined ? {} : { final_headcount_hours: headcount }),
    ...(moving === undefined ? {} : { free_reschedule_hours: moving }),
    ...(first === undefined ? {} : { refunds: refundsOf(first.rows) }),
    text: (visit.total === 0 ? "Nothing is to be paid." : sentences.join(" ")) + changesText(visit, now)
  }
}
