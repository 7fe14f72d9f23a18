/**
 * The standing of a booking: one closed set of cases. Each surface only words them: the tools' `next_step`, the
 * family's page, the operator's day. Pure.
 */
import type { Instant } from "../../platform/time/LocalTime.ts"
import type { BookingRow, PaymentSessionView } from "./Booking.ts"
import { isLiveBooking } from "./Lifecycle.ts"

/**
 * An unsuccessful try to pay. `declined`: on an open page, which takes another card or way to pay. `failed`: a delayed
 * payment did not arrive, and its page is closed.
 */
interface FailedAttempt {
  readonly at: Instant
  readonly outcome: "declined" | "failed"
}

/**
 * Money that was not what was asked for, and was sent back. `failed`: it did not reach the payer, and is still owed.
 * `blocked`: it is sent once the operator's account takes payments again.
 */
export interface SentBack {
  /** Minor units of `currency`. */
  readonly amount: number
  readonly currency: string
  readonly state: "going_back" | "blocked" | "went_back" | "failed"
}

/** The payments of a booking at `now`. Amounts are minor units. */
export interface PaymentFacts {
  readonly now: Instant
  /** The payer's last try, if it was unsuccessful and none is under way. */
  readonly last_attempt?: FailedAttempt
  /** The latest payment session. `payable_until`: set while it can be paid. */
  readonly session?: Pick<PaymentSessionView, "purpose" | "status">
  readonly payable_until?: Instant
  /** Money that is not what was asked for has come, or is on its way, and a person has to decide about it. */
  readonly under_review?: {
    readonly purpose: PaymentSessionView["purpose"]
    readonly amount: number
    readonly currency: string
  }
  /** Such money that was sent back, oldest first; absent: none. It is no part of the booking's money. */
  readonly sent_back?: ReadonlyArray<SentBack>
  readonly refund_on_its_way: number
  readonly balance_paid: boolean
  /** Whether the balance can be paid online. */
  readonly balance_online: boolean
  /** What is due for a hold can't be paid now: the venue takes no payments. */
  readonly hold_not_payable?: true
}

/** The fields of a booking that decide its standing, at `now` (`asOf`). */
type StandingBooking = Pick<
  BookingRow,
  | "status"
  | "payment_status"
  | "hold_expires_at"
  | "ends_at"
  | "total"
  | "due_now"
  | "paid"
  | "refunded"
  | "kept_refunded"
  | "attendance"
> & {
  readonly terms: {
    readonly price: Pick<BookingRow["terms"]["price"], "balance_due_at">
    readonly balance_at_venue?: true
    readonly released_at?: Instant
  }
}

type StandingMoney = Pick<StandingBooking, "kept_refunded" | "paid" | "refunded" | "status" | "total">

/** The terms of a booking that was read with no more of its balance than this. `balance_due_at`: RFC 3339. */
export const termsDueAt = ({
  balance_at_venue,
  balance_due_at
}: {
  readonly balance_due_at: string | null
  readonly balance_at_venue: boolean
}): StandingBooking["terms"] => ({
  price: balance_due_at === null ? {} : { balance_due_at },
  ...(balance_at_venue ? { balance_at_venue } : {})
})

/** The payment page of a hold. `unanswered`: it has expired, and the provider has not yet said whether it was paid. */
type HoldPage = "none" | "open" | "unanswered" | "closed"

/** The unpaid balance of a confirmed booking. */
export interface Balance {
  /** Minor units. */
  readonly amount: number
  readonly due_at: Instant
  /** Never at the venue: there it is paid while the visit lasts. */
  readonly overdue: boolean
  /** By the terms, it is paid at the venue only. */
  readonly at_venue: boolean
  /** Whether it can be paid online; if not, at the venue. */
  readonly online: boolean
  /** A page for it is open, or its payment is being processed. */
  readonly payment: "none" | "open" | "processing"
}

/** Where the money is after a booking ended without a visit. */
type EndedMoney = "processing" | "going_back" | "paid_back" | "under_review"

/** The standings of a booking that ended without a visit. `kept`: by the terms, nothing is refunded. */
type EndedKind = "expired" | `expired_${EndedMoney}` | "cancelled" | "cancelled_kept" | `cancelled_${EndedMoney}`

/**
 * - `to_pay`, `payment_failed`: the payer has until `until` to pay `amount`; the places are held. `payment_failed`: the
 *   last try was unsuccessful.
 * - `not_payable`: the places are held until `until`, and the venue can't take payments online now.
 * - `payment_processing`: the provider is processing the payment; the places are held.
 * - `payment_under_review`, `…_under_review`: money has come, or is on its way, that is not what was asked for, and a
 *   person decides about it. The places of a hold are kept, and nobody is asked to pay meanwhile.
 * - `arriving`: the time to pay ended at `until`, or a paid page is being processed; check again in a minute.
 * - `free`, `paid`, `balance_…`: confirmed. `free`: nothing to pay. `paid`: fully paid.
 * - `confirmed_paid_back`: confirmed and fully paid, and all of it went back or is on its way. The venue has to say
 *   whether the visit takes place; nobody is asked to pay again.
 * - `over`: the visit has ended. `balance`: the amount still unpaid. `under_review`: as above, even if all is paid.
 * - `did_not_come`: the venue says so; `balance` as of a visit that is over.
 * - `released`: the balance was not paid in time, and the places were released. `money`: where the payments are;
 *   `kept`: by the terms, nothing is refunded.
 * - `expired…`, `cancelled…`: ended without a visit, by where the money is. `…_processing`: a payment may still arrive.
 *
 * `refund`: whether money was refunded or a refund is under way, even of a confirmed booking. Disputes and unaccounted
 * money are separate notices, with any standing.
 */
export type Standing = { readonly refund: "none" | "going_back" | "paid_back" } & (
  | {
      readonly kind: "to_pay" | "payment_failed"
      /** Minor units. */
      readonly amount: number
      readonly until: Instant
      readonly page: HoldPage
    }
  | { readonly kind: "not_payable"; readonly until: Instant }
  | { readonly kind: "payment_processing" | "payment_under_review" }
  | { readonly kind: "arriving"; readonly page_paid: boolean; readonly until: Instant | null }
  | { readonly kind: "free" | "paid" | "confirmed_paid_back" }
  | {
      readonly kind: "balance_due" | "balance_overdue" | "balance_processing"
      readonly balance: Balance
    }
  | { readonly kind: "confirmed_under_review"; readonly balance?: Balance }
  | { readonly kind: "over" | "did_not_come"; readonly balance?: Balance; readonly under_review?: true }
  | { readonly kind: "released"; readonly money: "none" | "kept" | EndedMoney }
  | { readonly kind: EndedKind }
)
export type StandingKind = Standing["kind"]

/** The amounts still to pay, in total and now, in minor units. An amount that is being processed is not due again. */
export const amountsToPay = (
  { due_now, payment_status, status, total }: Pick<BookingRow, "due_now" | "payment_status" | "status" | "total">,
  { balance_paid }: Pick<PaymentFacts, "balance_paid">
): { readonly outstanding: number; readonly due_now: number } => {
  if (status === "held") return { outstanding: total, due_now: payment_status === "processing" ? 0 : due_now }
  return { outstanding: status === "confirmed" && !balance_paid ? total - due_now : 0, due_now: 0 }
}

/** The balance of a live booking, and when it is due (RFC 3339). Undefined if there is none or it is paid. */
export const laterPayment = (
  { due_now, status, terms, total }: Pick<StandingBooking, "due_now" | "status" | "terms" | "total">,
  { balance_paid }: Pick<PaymentFacts, "balance_paid">
): { readonly amount: number; readonly due_at: string } | undefined => {
  const due_at = terms.price.balance_due_at
  return !isLiveBooking({ status }) || balance_paid || total === due_now || due_at === undefined
    ? undefined
    : { amount: total - due_now, due_at }
}

/** The end of a hold to show: the open payment page's end, if there is one. */
const holdEnd = (
  { hold_expires_at, status }: Pick<BookingRow, "hold_expires_at" | "status">,
  { payable_until, session }: Pick<PaymentFacts, "payable_until" | "session">
): Instant | null =>
  status === "held" && session?.purpose === "due_now" && payable_until !== undefined ? payable_until : hold_expires_at

/** When the next payment is due: at the end of the hold, then the balance's date. Null if nothing is left to pay. */
export const nextDueAt = (
  booking: Pick<StandingBooking, "due_now" | "hold_expires_at" | "payment_status" | "status" | "terms" | "total">,
  facts: Pick<PaymentFacts, "balance_paid" | "payable_until" | "session">
): Instant | null => {
  if (amountsToPay(booking, facts).outstanding === 0) return null
  if (booking.status === "held") return holdEnd(booking, facts)
  const later = laterPayment(booking, facts)
  return later === undefined ? null : Date.parse(later.due_at)
}

const heldStanding = (booking: StandingBooking, facts: PaymentFacts) => {
  const { due_now, payment_status } = booking
  if (facts.under_review !== undefined) return { kind: "payment_under_review" } as const
  const session = facts.session?.purpose === "due_now" ? facts.session.status : undefined
  if (payment_status === "processing" || session === "processing") return { kind: "payment_processing" } as const
  const until = holdEnd(booking, facts)
  const page_paid = session === "paid"
  if (page_paid || until === null || until <= facts.now) return { kind: "arriving", page_paid, until } as const
  if (facts.hold_not_payable === true) return { kind: "not_payable", until } as const
  const open = facts.payable_until === undefined ? ("unanswered" as const) : ("open" as const)
  return {
    kind:
      payment_status === "failed" || facts.last_attempt !== undefined
        ? ("payment_failed" as const)
        : ("to_pay" as const),
    amount: due_now,
    until,
    page: session === undefined ? ("none" as const) : session === "open" ? open : ("closed" as const)
  }
}

const balanceOf = (booking: StandingBooking, facts: PaymentFacts): Balance | undefined => {
  const later = laterPayment(booking, facts)
  if (later === undefined) return undefined
  const session = facts.session?.purpose === "balance" ? facts.session.status : undefined
  const open = session === "open" && facts.payable_until !== undefined
  const due_at = Date.parse(later.due_at)
  const at_venue = booking.terms.balance_at_venue === true
  return {
    amount: later.amount,
    due_at,
    overdue: !at_venue && due_at <= facts.now && facts.under_review?.purpose !== "balance",
    at_venue,
    online: facts.balance_online,
    payment: session === "processing" ? "processing" : open ? "open" : "none"
  }
}

/**
 * Whether all that was paid of a confirmed and fully paid booking went back, or is on its way, and no person has said
 * that the visit takes place all the same. A visit that was moved to a free one is not meant, nor a deposit that was
 * given back before the balance was paid: that is still to be paid.
 */
export const isPaidBack = (
  { kept_refunded, paid, refunded, status, total }: StandingMoney,
  refund_on_its_way: number
): boolean =>
  status === "confirmed" &&
  total > 0 &&
  paid >= total &&
  refunded + refund_on_its_way >= paid &&
  (kept_refunded === null || kept_refunded < refunded)

const confirmedStanding = (booking: StandingBooking, facts: PaymentFacts) => {
  const balance = balanceOf(booking, facts)
  const rest = balance === undefined ? {} : { balance }
  const paidBack = isPaidBack(booking, facts.refund_on_its_way)
  // A balance can be paid while it is in question whether its deposit was paid twice.
  const asked = balance !== undefined && !paidBack
  const inQuestion = facts.under_review !== undefined && (facts.under_review.purpose === "balance" || !asked)
  const over = { ...rest, ...(inQuestion ? { under_review: true as const } : {}) }
  if (booking.attendance === "no_show") return { kind: "did_not_come", ...over } as const
  if (booking.ends_at <= facts.now) return { kind: "over", ...over } as const
  if (inQuestion) return { kind: "confirmed_under_review", ...rest } as const
  if (paidBack) return { kind: "confirmed_paid_back" } as const
  if (balance === undefined) return { kind: booking.total === 0 ? ("free" as const) : ("paid" as const) }
  if (balance.payment === "processing") return { kind: "balance_processing", balance } as const
  return { kind: balance.overdue ? ("balance_overdue" as const) : ("balance_due" as const), balance }
}

const refundOf = ({ payment_status, refunded }: StandingBooking, { refund_on_its_way }: PaymentFacts) => {
  if (refund_on_its_way > 0 || payment_status === "refund_pending") return "going_back"
  const paidBack = payment_status === "refunded" || payment_status === "partially_refunded" || refunded > 0
  return paidBack ? "paid_back" : "none"
}

/** Where the payments of released places are. */
const releasedMoney = (
  { paid }: StandingBooking,
  { session, under_review }: PaymentFacts,
  refund: Standing["refund"]
) => {
  if (under_review !== undefined) return "under_review"
  if (refund !== "none") return refund
  if (session?.status === "processing") return "processing"
  return paid === 0 ? "none" : "kept"
}

const endedKind = (
  status: "expired" | "cancelled",
  { paid, payment_status }: StandingBooking,
  { session, under_review }: PaymentFacts,
  refund: Standing["refund"]
): EndedKind => {
  if (under_review !== undefined) return `${status}_under_review`
  if (refund !== "none") return `${status}_${refund}`
  if (payment_status === "processing" || session?.status === "processing") return `${status}_processing`
  if (paid === 0) return status
  // A payment for lost places is refunded; the refund may not be stored yet.
  return status === "expired" ? "expired_going_back" : "cancelled_kept"
}

/** The standing of a booking at `facts.now`. */
export const standingOf = (booking: StandingBooking, facts: PaymentFacts): Standing => {
  const refund = refundOf(booking, facts)
  switch (booking.status) {
    case "held":
      return { refund, ...heldStanding(booking, facts) }
    case "confirmed":
      return { refund, ...confirmedStanding(booking, facts) }
    case "expired":
      return booking.terms.released_at === undefined
        ? { refund, kind: endedKind("expired", booking, facts, refund) }
        : { refund, kind: "released", money: releasedMoney(booking, facts, refund) }
    case "cancelled":
      return { refund, kind: endedKind(booking.status, booking, facts, refund) }
  }
}

/** Whether the visit is no longer to come, though it was not cancelled. */
export const isOver = ({ kind }: Standing): boolean => kind === "over" || kind === "did_not_come"

/** When the hold ends: the one deadline of a booking that is still to be paid. Undefined if nobody has to meet it. */
export const payBefore = (standing: Standing): Instant | undefined =>
  standing.kind === "to_pay" || standing.kind === "payment_failed" || standing.kind === "not_payable"
    ? standing.until
    : undefined

/** What the open payment page of a booking takes now: its address is given to the payer only then. */
export const openPage = (standing: Standing): PaymentSessionView["purpose"] | undefined => {
  if (nextActor(standing) !== "payer") return undefined
  if ("page" in standing) return standing.page === "open" ? "due_now" : undefined
  return "balance" in standing && standing.balance?.payment === "open" ? "balance" : undefined
}

/**
 * Who acts next. `payer`: pays online. `venue`: collects the rest. `provider`: settles a payment or refund. `nobody`:
 * nothing is open. `service`: a person who runs this service decides about money that is not what was asked for.
 */
export const nextActor = (standing: Standing): "payer" | "venue" | "provider" | "service" | "nobody" => {
  switch (standing.kind) {
    case "to_pay":
    case "payment_failed":
      return "payer"
    case "balance_due":
    case "balance_overdue":
      return standing.balance.online ? "payer" : "venue"
    case "confirmed_paid_back":
    case "not_payable":
      return "venue"
    case "payment_under_review":
    case "confirmed_under_review":
    case "expired_under_review":
    case "cancelled_under_review":
      return "service"
    case "payment_processing":
    case "arriving":
    case "balance_processing":
    case "expired_processing":
    case "expired_going_back":
    case "cancelled_processing":
    case "cancelled_going_back":
      return "provider"
    case "over":
    case "did_not_come":
      if (standing.under_review) return "service"
      return standing.balance === undefined ? "nobody" : "venue"
    case "released":
      if (standing.money === "under_review") return "service"
      return standing.money === "going_back" || standing.money === "processing" ? "provider" : "nobody"
    case "free":
    case "paid":
    case "expired":
    case "expired_paid_back":
    case "cancelled":
    case "cancelled_kept":
    case "cancelled_paid_back":
      return "nobody"
  }
}
