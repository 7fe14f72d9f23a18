/** Arrived, did not come, and taking either back: one press, since it changes no money and can be undone. */
import { Effect, Schema } from "effect"
import { attendanceProblem, AttendanceMarks } from "../../booking/Attendance.ts"
import { Attendance, type BookingRow } from "../../booking/Booking.ts"
import { deskPaths } from "../../staff/DeskSite.ts"
import { mayDo } from "../../staff/Rights.ts"
import { messages } from "../../i18n/Languages.ts"
import { html, type Html } from "../../kernel/Html.ts"
import { type Instant, localDateOf } from "../../kernel/LocalTime.ts"
import { linkProblemPage } from "../LinkProblems.ts"
import { buttonForm } from "../Parts.ts"
import { type DeskAction, deskAddress, hiddenFields, NotDone, seenField } from "./DeskAction.ts"
import type { DeskRequest } from "./DeskFrame.ts"
import { leadTo } from "../Forms.ts"

/** The action's name in forms. */
export const markName = "mark"

const decode = Schema.decodeUnknownEffect(
  Schema.Struct({
    mark: Attendance,
    undo: Schema.optionalKey(Schema.Literal("yes")),
    /** Where the button was: on the day, to which it leads back. */
    from: Schema.optionalKey(Schema.Literal("day"))
  })
)

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
    return buttonForm(deskAddress(booking_id), hiddenFields(desk, markName, fields), label, true)
  })
  return html`<div class="actions noprint">${buttons}</div>`
}

export const markAction = Effect.gen(function* () {
  const marks = yield* AttendanceMarks

  const act: DeskAction["act"] = ({ booking, desk }, form) => {
    const { booking_id, starts_at, terms } = booking.row
    return Effect.gen(function* () {
      const { from, mark, undo } = yield* decode(Object.fromEntries(form))
      const { booking: marked } = yield* marks.mark(booking_id, {
        mark,
        undo: undo !== undefined,
        done_by: desk.member.name
      })
      return leadTo(
        from === undefined
          ? deskAddress(booking_id)
          : `${deskPaths.desk}?day=${localDateOf(terms.time_zone, starts_at)}#${marked.reference}`
      )
    }).pipe(
      Effect.catchTags({
        SchemaError: () => Effect.succeed(linkProblemPage("unreadable", desk.language)),
        BookingNotFound: () => Effect.succeed(linkProblemPage("nothing", desk.language)),
        AttendanceRefused: () => Effect.fail(new NotDone({ why: messages[desk.language].desk.notMarked }))
      })
    )
  }

  return {
    right: "mark",
    offer: ({ booking, desk }, now) =>
      markButtons(desk, booking.row, now, { [seenField]: String(booking.history.length) }),
    act
  } satisfies DeskAction
})
