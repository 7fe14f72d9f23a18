/** `/desk/closed`: managers deal with the bookings in closed time. */
import { Effect } from "effect"
import { maxClosedShown } from "../../booking/BookingList.ts"
import { mayDo } from "../../staff/Rights.ts"
import { closedDonePage, closedPage, closedPlanPage } from "./ClosedPages.ts"
import { ClosedVisits } from "./ClosedVisits.ts"
import type { DeskAnswer } from "./DeskAction.ts"
import type { DeskRequest } from "./DeskFrame.ts"
import { notAllowedPage } from "./NotAllowedPage.ts"

export const closedBookings = Effect.gen(function* () {
  const closed = yield* ClosedVisits

  const forManagers = (desk: DeskRequest, answer: DeskAnswer): DeskAnswer =>
    mayDo(desk.member.role, "deal_with_closed") ? answer : Effect.succeed(notAllowedPage(desk))

  const show = (desk: DeskRequest, cursor: string | undefined): DeskAnswer =>
    forManagers(
      desk,
      Effect.map(closed.page(desk.member.operator_id, cursor), (found) => closedPage(desk, found))
    )

  const act = (desk: DeskRequest, form: URLSearchParams): DeskAnswer => {
    const { name, operator_id } = desk.member
    const chosen = form.getAll("cancel").slice(0, maxClosedShown)
    const shown = form.get("shown")
    return forManagers(
      desk,
      shown === null
        ? Effect.map(closed.plan(operator_id, chosen), (plan) => closedPlanPage(desk, plan))
        : Effect.map(closed.cancel(operator_id, chosen, { shown, done_by: name }), (done) => closedDonePage(desk, done))
    )
  }

  return { show, act }
})
