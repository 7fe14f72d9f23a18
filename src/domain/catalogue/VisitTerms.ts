/**
 * The terms of a visit at a moment, in dates and amounts. Pure. The amounts are those of `refundDue` at each deadline,
 * so that the terms never promise another refund than the one made.
 */
import { Schema } from "effect"
import { format, hourMs, type Instant, shortDateTime } from "../../platform/time/LocalTime.ts"
import { display, money } from "../../platform/money/Money.ts"
import { deadlineStart, refundDue, refundSchedule, type RefundBasis } from "./RefundSchedule.ts"
import { atVenueText, growsText, type Deposit, type RefundView, shownDeposit, type TermsView } from "./Terms.ts"

/** A visit's terms and its money, in minor units of `currency`. */
export interface VisitMoney extends Omit<RefundBasis, "refunded" | "now"> {
  readonly currency: string
  readonly deposit?: Deposit | undefined
  readonly final_headcount_hours_before?: number | undefined
  readonly party_may_shrink?: boolean | undefined
  readonly free_reschedule_hours_before?: number | undefined
  readonly release_unpaid_after_hours?: number | undefined
  readonly balance_at_venue?: boolean | undefined
  readonly price?: { readonly balance_due_at?: string | undefined } | undefined
  readonly total: number
  /** The amount to pay for the booking now, until it is paid. */
  readonly due_now: number
  /** The whole amount not yet paid. */
  readonly outstanding: number
  /** The part of the payments that was refunded or is on its way, and the remainder. */
  readonly given_back: number
  readonly left: number
  readonly time_zone: string
}

/** A cancellation until `until` refunds this amount. */
interface Deadline {
  readonly until: Instant
  readonly refund: number
}

/** The deadline for free rescheduling; undefined if the terms don't have it. */
export const freeRescheduleUntil = (
  starts_at: Instant,
  terms: Pick<VisitMoney, "free_reschedule_hours_before" | "earliest_start">
): Instant | undefined =>
  terms.free_reschedule_hours_before === undefined
    ? undefined
    : Math.min(starts_at, deadlineStart(starts_at, terms) - terms.free_reschedule_hours_before * hourMs)

/** Until when the party may change: the final headcount; without one, until the visit begins. */
export const partyChangeUntil = (
  starts_at: Instant,
  { final_headcount_hours_before: hours = 0 }: Pick<VisitMoney, "final_headcount_hours_before">
): Instant => starts_at - hours * hourMs

/**
 * When the places of a visit are released because its balance is unpaid: so many hours after it was due. Undefined if
 * the terms keep them, or if that would be after the start.
 */
export const unpaidReleaseAt = (
  starts_at: Instant,
  { price, release_unpaid_after_hours: hours }: Pick<VisitMoney, "price" | "release_unpaid_after_hours">
): Instant | undefined => {
  if (hours === undefined || price?.balance_due_at === undefined) return undefined
  const at = Date.parse(price.balance_due_at) + hours * hourMs
  return at < starts_at ? at : undefined
}

/** The refunds of `paid` by deadline from `now` on. After the last one there is none. */
const deadlinesOf = (visit: VisitMoney, paid: number, now: Instant): ReadonlyArray<Deadline> => {
  const deadlines: Array<Deadline> = []
  for (const { until } of refundSchedule(visit).toReversed()) {
    if (until < now) continue
    const due = refundDue({ ...visit, paid, refunded: visit.given_back, now: until })
    const refund = Math.min(due.amount, visit.left + paid - visit.paid)
    // Of two deadlines with the same amount, only the later one counts.
    if (refund !== (deadlines.at(-1)?.refund ?? 0)) deadlines.push({ until, refund })
  }
  return deadlines.reverse()
}

/** What a cancellation gives back of the amount due now, until the next deadline. `refund` is in minor units. */
export const BackIfCancelled = Schema.Struct({
  until: Schema.String.annotate({ description: "RFC 3339." }),
  refund: Schema.Int.annotate({ description: "Minor units." }),
  display: Schema.String.annotate({ description: "Text." })
}).annotate({ description: "Of due_now; absent: nothing." })
export type BackIfCancelled = typeof BackIfCancelled.Type

/** The same for a visit that nothing was paid for yet; undefined if nothing ever comes back. */
export const backIfCancelled = (visit: VisitMoney, now: Instant): BackIfCancelled | undefined => {
  const [next] = deadlinesOf(visit, visit.paid + visit.due_now, now)
  if (next === undefined) return undefined
  const { refund, until } = next
  return { until: format(visit.time_zone, until), refund, display: display(refund, visit.currency) }
}

const deadlineText = ({ refund, until }: Deadline, { currency, time_zone }: VisitMoney): string =>
  `until ${shortDateTime(time_zone, until)}: ${refund === 0 ? "nothing" : display(refund, currency)} back`

/**
 * The refunds of a sum: of the payments made, of those plus the amount due now, or of everything to be paid in the end.
 */
interface RefundsOfSum {
  readonly of: "paid" | "due_now" | "all"
  readonly sum: number
  /** Empty if nothing is refunded. */
  readonly deadlines: ReadonlyArray<Deadline>
}

/** The terms of a visit at a moment, in minor units and instants. Tools and pages each have their own words. */
export interface TermsFacts {
  readonly nothing_to_pay: boolean
  /** `kept`: it is not refunded, but other payments are. */
  readonly deposit?: { readonly amount: number; readonly kept: boolean }
  readonly given_back: number
  readonly refunds: ReadonlyArray<RefundsOfSum>
  /**
   * Until when the family may change its party. `headcount`: the terms name a final headcount. `grows_only`: the party
   * may not become smaller.
   */
  readonly party: {
    readonly until: Instant
    readonly over: boolean
    readonly headcount: boolean
    readonly grows_only: boolean
  }
  /** The deadline for free rescheduling, until it passes. */
  readonly free_reschedule_until?: Instant
  /** What is not due now is paid at the venue. */
  readonly rest_at_venue: boolean
  /** When the places are released if the balance is still unpaid. */
  readonly released_if_unpaid_at?: Instant
}

/**
 * The terms at `now`: the refund of the payments made (without payments, of the amount due now), and the refund of the
 * whole total if more is to be paid later. Past deadlines are left out.
 */
export const termsFacts = (visit: VisitMoney, now: Instant): TermsFacts => {
  const { deposit, paid } = visit
  const sums = [...new Set([paid + visit.due_now, paid + visit.outstanding])].filter((sum) => sum > 0)
  const refunds = sums.map((sum) => ({
    of: sum === paid ? ("paid" as const) : sum === visit.due_now ? ("due_now" as const) : ("all" as const),
    sum,
    deadlines: deadlinesOf(visit, sum, now)
  }))
  const until = partyChangeUntil(visit.starts_at, visit)
  const free = freeRescheduleUntil(visit.starts_at, visit)
  const released = visit.outstanding > visit.due_now ? unpaidReleaseAt(visit.starts_at, visit) : undefined
  const refunding = refunds.some(({ deadlines }) => deadlines.length > 0)
  return {
    nothing_to_pay: visit.total === 0,
    ...(deposit === undefined ? {} : { deposit: { amount: deposit.amount, kept: !deposit.refundable && refunding } }),
    given_back: visit.given_back,
    refunds,
    rest_at_venue: visit.balance_at_venue === true && visit.outstanding > visit.due_now,
    party: {
      until,
      over: until < now,
      headcount: visit.final_headcount_hours_before !== undefined,
      grows_only: visit.party_may_shrink === false
    },
    ...(free === undefined || free < now ? {} : { free_reschedule_until: free }),
    ...(released === undefined ? {} : { released_if_unpaid_at: released })
  }
}

const changesText = (
  { free_reschedule_until, party, released_if_unpaid_at: released, rest_at_venue }: TermsFacts,
  zone: string
): string =>
  [
    ...(party.headcount
      ? [party.over ? " The headcount is final." : ` Final headcount by ${shortDateTime(zone, party.until)}.`]
      : []),
    ...(party.grows_only && !party.over ? [` ${growsText.charAt(0).toUpperCase()}${growsText.slice(1)}.`] : []),
    ...(free_reschedule_until === undefined
      ? []
      : [` Free to move until ${shortDateTime(zone, free_reschedule_until)}.`]),
    ...(released === undefined
      ? []
      : [` If the rest is not paid by ${shortDateTime(zone, released)}, the places are released.`]),
    ...(rest_at_venue ? [atVenueText] : [])
  ].join("")

/** The terms at `now` for the tools. The text has at most 900 characters within a catalogue file's limits. */
export const visitTerms = (visit: VisitMoney, now: Instant): TermsView => {
  const { currency, deposit, time_zone } = visit
  const facts = termsFacts(visit, now)
  const text = (amount: number) => display(amount, currency)
  const [first] = facts.refunds
  const sentenceOf = ({ deadlines, of, sum }: RefundsOfSum): string => {
    const start = {
      paid: `If cancelled, of the ${text(sum)} paid`,
      due_now: `If cancelled, of the ${text(sum)} due now`,
      all: `If cancelled once all ${text(sum)} is paid`
    }[of]
    return `${start}: ${[...deadlines.map((deadline) => deadlineText(deadline, visit)), "afterwards: nothing"].join("; ")}.`
  }
  const refunding = facts.refunds.filter(({ deadlines }) => deadlines.length > 0)
  const sentences = [
    ...(facts.deposit === undefined
      ? []
      : [`${text(facts.deposit.amount)} deposit${facts.deposit.kept ? ", not refunded" : ""}.`]),
    ...(visit.given_back === 0 ? [] : [`${text(visit.given_back)} went back or is still to go back.`]),
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
  const released = facts.released_if_unpaid_at
  return {
    ...(deposit === undefined ? {} : { deposit: shownDeposit(deposit, currency) }),
    ...(headcount === undefined ? {} : { final_headcount_hours: headcount }),
    ...(facts.party.grows_only ? { grows_only: true as const } : {}),
    ...(moving === undefined ? {} : { free_reschedule_hours: moving }),
    ...(first === undefined ? {} : { refunds: refundsOf(first.deadlines) }),
    ...(released === undefined ? {} : { unpaid_balance: format(time_zone, released) }),
    text: (facts.nothing_to_pay ? "Nothing is to be paid." : sentences.join(" ")) + changesText(facts, time_zone)
  }
}
