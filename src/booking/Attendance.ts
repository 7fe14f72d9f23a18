/**
 * Marks whether a family came. A mark changes no money. An undone one leaves nothing but the history. To replace a mark,
 * it is undone first, so that of two people at a desk nobody overrules the other unnoticed. Besides `BookingRecords.ts`,
 * this writes the column `attendance`.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingId } from "../kernel/Ids.ts"
import { dayMs, hourMs, type Instant, shortDateTime } from "../kernel/LocalTime.ts"
import { type Attendance, BookingNotFound, type BookingRow } from "./Booking.ts"
import { BookingRecords } from "./BookingRecords.ts"
import { Bookings } from "./Bookings.ts"

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

class AttendanceRefused extends Schema.TaggedError<AttendanceRefused>()("AttendanceRefused", {
  booking_id: BookingId,
  reason: AttendanceProblem,
  /** The problem in words, and what to do. */
  why: Schema.String
}) {
  override get message(): string {
    return `${this.booking_id} is not marked. ${this.why}`
  }
}

const refusal = (
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

/** A mark to set, or to undo. */
interface AttendanceMark {
  readonly mark: Attendance
  readonly undo: boolean
  /** Who does it, for the history. */
  readonly done_by?: string
}

/** `changed`: false if it was so already. */
interface MarkedBooking {
  readonly booking: BookingRow
  readonly changed: boolean
}

export class AttendanceMarks extends Context.Service<
  AttendanceMarks,
  {
    /** Sets or undoes a mark, once: a repeat changes nothing. `booking_id` may also be a reference. */
    readonly mark: (
      booking_id: string,
      how: AttendanceMark
    ) => Effect.Effect<MarkedBooking, BookingNotFound | AttendanceRefused | SqlError.SqlError>
  }
>()("playroom/booking/AttendanceMarks") {
  static readonly layer = Layer.effect(
    AttendanceMarks,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* Bookings
      const records = yield* BookingRecords

      const perform = Effect.fnUntraced(function* (id: BookingId, { done_by, mark, undo }: AttendanceMark) {
        const found = yield* records.lock(id)
        if (Option.isNone(found)) return yield* new BookingNotFound()
        const booking = found.value
        const wanted = undo ? null : mark
        if (booking.attendance === wanted) return { booking, changed: false }
        const problem = attendanceProblem(booking, mark, yield* Clock.currentTimeMillis)
        if (problem !== undefined) return yield* refusal(booking, mark, problem)
        yield* sql`update booking set attendance = ${wanted}::text where booking_id = ${id}`
        const event = undo ? (`${mark}_undone` as const) : mark
        const marked = { ...booking, attendance: wanted }
        yield* records.change(marked, { note: true, event, ...(done_by === undefined ? {} : { done_by }) })
        return { booking: marked, changed: true }
      }, sql.withTransaction)

      const mark = Effect.fn("AttendanceMarks.mark")(function* (id: string, how: AttendanceMark) {
        const { booking_id } = yield* bookings.get(id)
        return yield* perform(booking_id, how)
      })

      return AttendanceMarks.of({ mark })
    })
  ).pipe(Layer.provide([BookingRecords.layer, Bookings.layer]))
}
