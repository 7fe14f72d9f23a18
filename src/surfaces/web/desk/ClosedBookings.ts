/** `/desk/closed`: staff deal with the bookings in closed time: each is kept, moved, or cancelled with everything going back. */
import type { PageAnswer } from "../frame/Layout.ts"
import { Effect, Schema } from "effect"
import { OptionId } from "../../../domain/availability/BookingOption.ts"
import { maxClosedShown } from "../../../domain/booking/BookingList.ts"
import { BookingId } from "../../../platform/ids/Ids.ts"
import type { ClosedDeed } from "../../../domain/payment/changes/ClosedBookings.ts"
import { deskPaths } from "../../../domain/people/staff/DeskSite.ts"
import { type DeskRight, mayDo } from "../../../domain/people/staff/Rights.ts"
import type { PageRequest } from "../frame/PageTable.ts"
import { cancelChoice, choiceField, closedDonePage, closedPage, closedPlanPage } from "./ClosedPages.ts"
import { type ClosedChoices, closedVisits } from "./ClosedVisits.ts"
import { staffActor } from "./DeskAction.ts"
import { type DeskRequest, type DeskScreen, notAllowedPage } from "./DeskFrame.ts"

const isBooking = Schema.is(BookingId)
const isOption = Schema.is(OptionId)

/** What a form chooses: `BOOKING.cancel` or `BOOKING.OPTION`; anything else, as what is kept, is no choice. */
const choicesIn = (form: URLSearchParams): ClosedChoices => {
  const chosen = new Map<BookingId, ClosedDeed>()
  for (const text of form.getAll(choiceField).slice(0, maxClosedShown)) {
    const [booking_id, what] = text.split(".")
    if (!isBooking(booking_id)) continue
    if (what === cancelChoice) chosen.set(booking_id, { action: "cancel" })
    else if (isOption(what)) chosen.set(booking_id, { action: "move", option_id: what })
  }
  return chosen
}

/** What the role has to allow: the same as for one booking. */
const rightFor = ({ action }: ClosedDeed): DeskRight => (action === "cancel" ? "cancel_otherwise" : "move")

export const closedBookings = Effect.gen(function* () {
  const closed = yield* closedVisits

  const show = (desk: DeskRequest, { cursor }: PageRequest["query"]): PageAnswer =>
    Effect.map(closed.page(desk.member.operator_id, cursor), (found) => closedPage(desk, found))

  const act = (desk: DeskRequest, form: URLSearchParams): PageAnswer => {
    const { operator_id, role } = desk.member
    const who = staffActor(desk.member)
    const choices = choicesIn(form)
    const shown = form.get("shown")
    if (![...choices.values()].every((deed) => mayDo(role, rightFor(deed)))) return Effect.succeed(notAllowedPage(desk))
    return shown === null
      ? Effect.map(closed.plan(operator_id, choices, who), (plan) => closedPlanPage(desk, plan))
      : Effect.map(closed.carryOut(operator_id, choices, { shown, who }), (done) => closedDonePage(desk, done))
  }

  return { path: deskPaths.closed, show, act } satisfies DeskScreen
})
