/**
 * A booking's two state machines: its status and its payment status. Pure: `(state, event) → state | undefined`. A
 * refused event (late, repeated or out of order) changes nothing.
 */

import { Schema } from "effect"
import { BookingId } from "../../platform/ids/Ids.ts"
import { type Instant, dayMs, hourMs, shortDateTime } from "../../platform/time/LocalTime.ts"
import { unpaidReleaseAt } from "../catalogue/VisitTerms.ts"
import type { BookingRow, BookingStatus, PaymentStatus, Attendance } from "./Booking.ts"

// Whether a family may be marked as there, or as not come. A mark changes no money. An undone one leaves nothing but
// the history. Pure.

/** How long before the start a family may be there, and for how long after the visit a mark can be set or undone. */
export const attendanceWindow = { earlyMs: 2 * hourMs, lateMs: 31 * dayMs } as const

/** Why a mark can't be set or undone. `marked_otherwise`: another mark stands. */
const AttendanceProblem = Schema.Literals(["not_confirmed", "too_early", "too_late", "marked_otherwise"])
type AttendanceProblem = typeof AttendanceProblem.Type

/** From when on a mark can be set: nobody has failed to come before the start. */
const marksFrom = ({ starts_at }: Pick<BookingRow, "starts_at">, mark: Attendance): Instant =>
  mark === "arrived" ? starts_at - attendanceWindow.earlyMs : starts_at

/** Why a mark can't be set or undone now; undefined if it can. Pure. */
export const attendanceProblem = (
  booking: Pick<BookingRow, "attendance" | "ends_at" | "starts_at" | "status">,
  mark: Attendance,
  now: Instant
): AttendanceProblem | undefined => {
  if (booking.status !== "confirmed") return "not_confirmed"
  if (booking.attendance !== null && booking.attendance !== mark) return "marked_otherwise"
  if (now < marksFrom(booking, mark)) return "too_early"
  return now >= booking.ends_at + attendanceWindow.lateMs ? "too_late" : undefined
}

const inWords: Record<Attendance, string> = { arrived: "arrived", no_show: "did not come" }

export class AttendanceRefused extends Schema.TaggedError<AttendanceRefused>()("AttendanceRefused", {
  booking_id: BookingId,
  reason: AttendanceProblem,
  /** The problem in words, and what to do. */
  why: Schema.String
}) {
  override get message(): string {
    return `${this.booking_id} is not marked. ${this.why}`
  }
}

/** The refusal in words. */
export const attendanceRefusal = (
  { attendance, booking_id, starts_at, terms }: BookingRow,
  mark: Attendance,
  reason: AttendanceProblem
): AttendanceRefused => {
  const days = attendanceWindow.lateMs / dayMs
  const why: Record<AttendanceProblem, string> = {
    not_confirmed: "It is not confirmed: pay what is due first.",
    marked_otherwise: `It is marked "${attendance === null ? "" : inWords[attendance]}": undo that first.`,
    too_early: `That can be marked from ${shortDateTime(terms.time_zone, marksFrom({ starts_at }, mark))} on.`,
    too_late: `Its visit was over more than ${days} days ago.`
  }
  return new AttendanceRefused({ booking_id, reason, why: why[reason] })
}

/** Events of the booking's status. */
export type StatusEvent = "due_paid" | "paid_late_places_free" | "hold_lapsed" | "balance_lapsed" | "cancelled"

const statusTable: Record<BookingStatus, Partial<Record<StatusEvent, BookingStatus>>> = {
  held: { due_paid: "confirmed", hold_lapsed: "expired", cancelled: "cancelled" },
  confirmed: { balance_lapsed: "expired", cancelled: "cancelled" },
  expired: { paid_late_places_free: "confirmed" },
  cancelled: {}
}

/** Events of its payment status. */
export type PaymentEvent =
  | "payment_processing"
  | "payment_failed"
  | "session_closed"
  | "deposit_paid"
  | "all_paid"
  | "more_due"
  // A payment at the venue was recorded by mistake: a part of the price is paid without it, or nothing.
  | "undone_in_part"
  | "undone_in_full"
  | "refund_requested"
  | "refunded_in_part"
  | "refunded_in_full"
  // What had gone back is with the operator again: all, or the deposit.
  | "all_kept"
  | "deposit_kept"

const refunding = {
  refund_requested: "refund_pending",
  refunded_in_part: "partially_refunded",
  refunded_in_full: "refunded"
} as const satisfies Partial<Record<PaymentEvent, PaymentStatus>>

/** What the provider says of a refund or a dispute can turn, so that no status after one is final. */
const reversals = {
  ...refunding,
  all_kept: "paid",
  deposit_kept: "deposit_paid"
} as const satisfies Partial<Record<PaymentEvent, PaymentStatus>>

const paying = {
  payment_processing: "processing",
  payment_failed: "failed",
  deposit_paid: "deposit_paid",
  all_paid: "paid",
  // A payment for a booking without places is refunded at once.
  refund_requested: "refund_pending"
} as const satisfies Partial<Record<PaymentEvent, PaymentStatus>>

const undoing = {
  undone_in_part: "deposit_paid",
  undone_in_full: "not_required"
} as const satisfies Partial<Record<PaymentEvent, PaymentStatus>>

const paymentTable: Record<PaymentStatus, Partial<Record<PaymentEvent, PaymentStatus>>> = {
  not_required: { ...refunding, deposit_paid: "deposit_paid", all_paid: "paid" },
  unpaid: paying,
  // The session closed without a payment, so the booking is unpaid again.
  processing: { ...paying, session_closed: "unpaid" },
  failed: paying,
  deposit_paid: { all_paid: "paid", ...undoing, ...refunding },
  // Changed to a more expensive visit: the difference is paid like a balance.
  paid: { more_due: "deposit_paid", ...undoing, ...refunding },
  // The balance, or a part of it, is paid after a partial refund of the deposit: that refund still counts.
  refund_pending: { ...reversals, deposit_paid: "refund_pending", all_paid: "refund_pending" },
  partially_refunded: { ...reversals, deposit_paid: "partially_refunded", all_paid: "partially_refunded" },
  // Another payment for a cancelled booking is refunded, too. The balance of a confirmed booking, paid after the
  // deposit's refund, or a part of it, stays.
  refunded: { ...reversals, deposit_paid: "partially_refunded", all_paid: "partially_refunded" }
}

/** The refused transitions of a change, in words; undefined if there are none. */
export const refusedTransition = (
  before: { readonly status: BookingStatus; readonly payment_status: PaymentStatus },
  change: { readonly transition?: StatusEvent; readonly payment?: PaymentEvent }
): string | undefined => {
  const { payment_status, status } = before
  const refused = [
    ...(change.transition !== undefined && nextStatus(status, change.transition) === undefined
      ? [`its status stays ${status} (${change.transition})`]
      : []),
    ...(change.payment !== undefined && nextPaymentStatus(payment_status, change.payment) === undefined
      ? [`its payment stays ${payment_status} (${change.payment})`]
      : [])
  ]
  return refused.length === 0 ? undefined : refused.join(", ")
}

export const nextStatus = (status: BookingStatus, event: StatusEvent): BookingStatus | undefined =>
  statusTable[status][event]

export const nextPaymentStatus = (status: PaymentStatus, event: PaymentEvent): PaymentStatus | undefined =>
  paymentTable[status][event]

/** A booking that has its places, or is to have them, is live. */
export const liveStatuses = ["held", "confirmed"] as const satisfies ReadonlyArray<BookingStatus>

export const isLiveBooking = ({ status }: Pick<BookingRow, "status">): boolean =>
  liveStatuses.some((live) => live === status)

/** Whether its family is to pay for it now, as far as its row tells. */
export const isToBePaid = ({ payment_status, status }: Pick<BookingRow, "payment_status" | "status">): boolean =>
  status === "held" && payment_status !== "processing"

/** Of the bookings beside one, those that one payment can pay with it. */
export const payableWith = (
  { currency }: Pick<BookingRow, "currency">,
  others: ReadonlyArray<BookingRow>
): ReadonlyArray<BookingRow> => others.filter((one) => isToBePaid(one) && one.currency === currency)

// `sql/functions/bookings.sql` has the same three functions, for queries over many rows.

type Hold = Pick<BookingRow, "status" | "awaiting_provider" | "payment_status" | "hold_expires_at">

/** Whether a hold's time is still running. Limits on holds and new payment pages depend only on this. */
export const holdRuns = (row: Pick<Hold, "status" | "hold_expires_at">, now: Instant): boolean =>
  row.status === "held" && (row.hold_expires_at ?? now) > now

/**
 * Whether a hold's time is over and no payment is being processed. If its payment page may still be paid, ask the
 * provider first.
 */
export const holdMayEnd = (row: Hold, now: Instant): boolean =>
  row.status === "held" && !holdRuns(row, now) && row.payment_status !== "processing"

/** Whether a hold is over and no payment can arrive. Its places count as free, even if not released yet. */
export const hasLapsed = (row: Hold, now: Instant): boolean => holdMayEnd(row, now) && !row.awaiting_provider

/**
 * Whether the balance of a booking was due so long ago that its terms release the places, if it is unpaid. If its
 * payment page may still be paid, ask the provider first.
 */
export const balanceMayLapse = ({ starts_at, status, terms }: BookingRow, now: Instant): boolean =>
  status === "confirmed" && starts_at > now && now >= (unpaidReleaseAt(starts_at, terms) ?? Infinity)

/** A booking at `now`: a lapsed hold is expired, even if its places have not been released yet. */
export const asOf = (row: BookingRow, now: Instant): BookingRow =>
  hasLapsed(row, now)
    ? { ...row, status: nextStatus(row.status, "hold_lapsed") ?? row.status, hold_expires_at: null }
    : row
