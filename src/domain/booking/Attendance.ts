/**
 * Whether a family may be marked as there, or as not come. A mark changes no money. An undone one leaves nothing but
 * the history. Pure.
 */
import { Schema } from "effect"
import { BookingId } from "../../platform/ids/Ids.ts"
import { dayMs, hourMs, type Instant, shortDateTime } from "../../platform/time/LocalTime.ts"
import type { Attendance, BookingRow } from "./Booking.ts"

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
