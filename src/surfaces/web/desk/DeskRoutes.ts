/** `/desk` and below: staff sign in, see the day, and act on bookings of their operator. */
import { Effect } from "effect"
import { cancel } from "../../../domain/payment/changes/Cancellations.ts"
import { goodwill } from "../../../domain/payment/changes/Goodwill.ts"
import { giveBackByHand, markAttendance, sendLink } from "../../../domain/payment/changes/Presses.ts"
import { undoPayment } from "../../../domain/payment/changes/UndonePayments.ts"
import { payAtVenue } from "../../../domain/payment/changes/VenuePayments.ts"
import { mayDo } from "../../../domain/people/staff/StaffMember.ts"
import type { PageAnswer } from "../frame/Layout.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import { type PageRow, pageRoutes } from "../frame/PageTable.ts"
import { deskAct } from "./ActForm.ts"
import { moveAction, moveName, partyAction, partyActionName } from "./ChangeActions.ts"
import { affected } from "./AffectedBookings.ts"
import { closing } from "./Closing.ts"
import { type DeskAction, formField } from "./DeskAction.ts"
import { deskBooking } from "./DeskBookingPage.ts"
import { day } from "./DeskDayPage.ts"
import { type DeskRequest, type DeskScreen, notAllowedPage } from "./DeskFrame.ts"
import { month } from "./Month.ts"
import { newBooking } from "./NewBooking.ts"
import { owed } from "./Owed.ts"
import { people } from "./People.ts"
import { linkAction, markAction, returnedAction } from "./Presses.ts"
import { signingIn } from "./SignInPages.ts"

const table = Effect.gen(function* () {
  /** What staff do with a booking, by name. */
  const actions = new Map<string, DeskAction>([
    [markAttendance.step, yield* markAction],
    [sendLink.step, yield* linkAction],
    [giveBackByHand.step, yield* returnedAction],
    [payAtVenue.step, yield* deskAct(payAtVenue)],
    [undoPayment.step, yield* deskAct(undoPayment)],
    [partyActionName, yield* partyAction],
    [moveName, yield* moveAction],
    [goodwill.step, yield* deskAct(goodwill)],
    [cancel.step, yield* deskAct(cancel)]
  ])

  const screens: ReadonlyArray<DeskScreen> = [
    yield* day,
    yield* deskBooking(actions),
    yield* newBooking,
    yield* owed,
    yield* closing,
    yield* affected,
    ...(yield* month),
    yield* people
  ]

  const { atDesk, rows } = yield* signingIn

  return [...rows, ...screens.map(rowOf)]

  /** The row of a screen: who is signed in, what their role allows, and that a page of their session sent the form. */
  function rowOf({ act, path, right, show }: DeskScreen): PageRow {
    const allowed = (desk: DeskRequest, answer: () => PageAnswer): PageAnswer =>
      right === undefined || mayDo(desk.member.role, right) ? answer() : Effect.succeed(notAllowedPage(desk))
    return {
      path,
      show: (asked) => atDesk(asked, (desk) => allowed(desk, () => show(desk, asked.query, asked.token))),
      ...(act === undefined
        ? {}
        : {
            act: (asked, form) =>
              atDesk(asked, (desk) =>
                form.get(formField) === desk.form
                  ? allowed(desk, () => act(desk, form, asked.token))
                  : Effect.succeed(linkProblemPage("unreadable", asked.language))
              )
          })
    }
  }
})

/** The desk. */
export const deskRoutes = pageRoutes(table)
