/** Arrived, did not come, and taking either back: one press, since it changes no money and can be undone. */
import { Effect, Schema } from "effect"
import { attendanceProblem } from "../../../domain/booking/Attendance.ts"
import { Attendance, type BookingRow } from "../../../domain/booking/Booking.ts"
import { markAttendance } from "../../../domain/payment/changes/Presses.ts"
import { deskPaths } from "../../../domain/people/staff/DeskSite.ts"
import { mayDo } from "../../../domain/people/staff/Rights.ts"
import { messages } from "../../../words/Languages.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { type Instant, localDateOf } from "../../../platform/time/LocalTime.ts"
import { buttonForm } from "../frame/Parts.ts"
import { deskPress } from "./ActForm.ts"
import { type DeskAction, deskAddress, hiddenFields, seenField } from "./DeskAction.ts"
import type { DeskRequest } from "./DeskFrame.ts"

const Fields = Schema.Struct({
  mark: Attendance,
  undo: Schema.optionalKey(Schema.Literal("yes")),
  /** Where the button was: on the day, to which it leads back. */
  from: Schema.optionalKey(Schema.Literal("day"))
})

/** The buttons that can be pressed now; undefined if there are none. */
export const markButtons = (
  desk: DeskRequest,
  visit: Pick<BookingRow, "attendance" | "booking_id" | "ends_at" | "starts_at" | "status">,
  now: Instant,
  more: { readonly from: "day" } | { readonly [seenField]: string }
): Html | undefined => {
  const { marks, undo } = messages[desk.language].desk
  const { attendance, booking_id } = visit
  const possible = Attendance.literals.filter((mark) => attendanceProblem(visit, mark, now) === undefined)
  if (!mayDo(desk.member.role, "mark") || possible.length === 0) return undefined
  const buttons = possible.map((mark) => {
    const fields = { mark, ...(attendance === null ? {} : { undo: "yes" }), ...more }
    const label = attendance === null ? marks[mark] : undo(marks[mark])
    return buttonForm(deskAddress(booking_id), hiddenFields(desk, markAttendance.step, fields), label, true)
  })
  return html`<div class="actions noprint">${buttons}</div>`
}

export const markAction = Effect.map(
  deskPress(
    markAttendance,
    Fields,
    ({ mark, undo }) => ({ mark, undo: undo !== undefined }),
    ({ from }, { booking: { row } }) =>
      from === undefined
        ? deskAddress(row.booking_id)
        : `${deskPaths.desk}?day=${localDateOf(row.terms.time_zone, row.starts_at)}#${row.reference}`
  ),
  (act): DeskAction => ({
    right: markAttendance.right,
    offer: ({ booking, desk }, now) =>
      markButtons(desk, booking.row, now, { [seenField]: String(booking.history.length) }),
    act
  })
)
