/**
 * `/desk` and below: staff sign in, see the day, and act on bookings of their operator. The day with its search, and
 * the table of all screens and of what staff do with a booking.
 */
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { PlayroomClosure } from "../../../domain/catalogue/Catalogue.ts"
import { cancel } from "../../../domain/payment/changes/Cancellations.ts"
import { giveBackByHand, markAttendance, sendLink } from "../../../domain/payment/changes/Presses.ts"
import { goodwill } from "../../../domain/payment/changes/RefundDecision.ts"
import { undoPayment, payAtVenue, payByVoucher } from "../../../domain/payment/changes/VenuePayments.ts"
import { mayDo, deskPaths } from "../../../domain/people/staff/StaffMember.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { dayMs, type Instant } from "../../../platform/time/LocalTime.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateIn, pluralIn } from "../../../words/Localized.ts"
import { type PageAnswer, actions, buttonLink, section } from "../frame/Layout.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import { type PageRow, pageRoutes } from "../frame/PageTable.ts"
import {
  dateText,
  dayForm,
  dayParts,
  visitPart,
  type ExpectedVisit,
  type FoundVisits,
  type OperatorDay,
  makeOperatorDays
} from "../operator/OperatorDays.ts"
import { deskAct } from "./ActForm.ts"
import { affected } from "./AffectedBookings.ts"
import { moveAction, moveName, partyAction } from "./ChangeActions.ts"
import { partyName } from "../family/PartyStep.ts"
import { closing, closureMadeBy, mayReopen } from "./Closing.ts"
import { type DeskAction, deskBooking } from "./DeskBookingPage.ts"
import { formField, type DeskRequest, type DeskScreen, notAllowedPage, deskPage, maxSearchLength } from "./DeskFrame.ts"
import { month } from "./Month.ts"
import { newBooking } from "./NewBooking.ts"
import { owed } from "./Owed.ts"
import { people } from "./People.ts"
import { linkAction, markAction, returnedAction, markButtons } from "./Presses.ts"
import { till } from "./Till.ts"
import { vouchers } from "./Vouchers.ts"
import { waitingLists } from "./Waiting.ts"
import { walkIns } from "./WalkIns.ts"
import { signingIn } from "./SignInPages.ts"

const href = ({ booking_id }: ExpectedVisit): string => `${deskPaths.booking}${booking_id}`

const deskDayPage = (request: DeskRequest, day: OperatorDay): HttpServerResponse.HttpServerResponse => {
  const { language } = request
  const view = {
    language,
    zone: day.time_zone,
    href,
    path: deskPaths.desk,
    closure: (closure: PlayroomClosure) => closureMadeBy(language, closure, mayReopen(request, closure)),
    buttons: (visit: ExpectedVisit) => markButtons(request, visit, day.now, { from: "day" })
  }
  const { body, head } = dayParts(day, view)
  const { book: newBooking, closing, walkIn } = messages[language].desk
  const { role } = request.member
  const book = html`<div class="days noprint"><div class="actions">${mayDo(role, "book") ? html`${buttonLink(deskPaths.book, newBooking.title)}${buttonLink(deskPaths.now, walkIn.title)}` : ""}${mayDo(role, "close_time") ? buttonLink(`${deskPaths.closing}?day=${day.date}`, closing.title, true) : ""}</div></div>`
  return deskPage(request, {
    title: dateText(language, day.date),
    words: "",
    head: html`${head}\n${book}`,
    body
  })
}

/** How far a search went, and the way on. Days of UTC: the next search looks at that day again. */
const furtherBack = (language: Language, words: string, since: Instant): Html => {
  const text = messages[language].desk
  const day = new Date(since + dayMs).toISOString().slice(0, 10)
  return html`<p>${text.searchedSince(dateIn(language, "UTC", since))}</p>
${actions(buttonLink(`${deskPaths.desk}?${new URLSearchParams({ find: words, before: day })}`, text.searchBefore, true))}`
}

const foundPage = (
  request: DeskRequest,
  words: string,
  { more, since, visits }: FoundVisits
): HttpServerResponse.HttpServerResponse => {
  const { language } = request
  const text = messages[language].desk
  const title = text.foundTitle(words)
  const lead = visits.length === 0 ? text.nothingFound : pluralIn(language, visits.length, text.found)
  return deskPage(request, {
    title,
    words,
    head: html`${dayForm(language, deskPaths.desk)}
<h1>${title}</h1>
<p class="lead">${lead}</p>`,
    body: html`${section(
      text.visits,
      visits.map((visit) => visitPart(visit, { language, zone: visit.time_zone, href, dated: true }))
    )}
${more ? html`<p>${text.moreFound}</p>` : ""}
${since === undefined ? "" : furtherBack(language, words, since)}
${actions(buttonLink(deskPaths.desk, text.toDay, true))}`
  })
}

/** `/desk`: the day, and what a search finds. */
const day = Effect.map(makeOperatorDays, (days): DeskScreen => ({
  path: deskPaths.desk,
  show: (desk, { before, cursor, day, find = "" }) => {
    const { operator_id } = desk.member
    const words = find.trim().slice(0, maxSearchLength)
    return words === ""
      ? Effect.map(days.dayOf(operator_id, { day, cursor }), (shown) => deskDayPage(desk, shown))
      : Effect.map(days.search(operator_id, words, before), (found) => foundPage(desk, words, found))
  }
}))

const table = Effect.gen(function* () {
  /** What staff do with a booking, by name. */
  const actions = new Map<string, DeskAction>([
    [markAttendance.step, yield* markAction],
    [sendLink.step, yield* linkAction],
    [giveBackByHand.step, yield* returnedAction],
    [payAtVenue.step, yield* deskAct(payAtVenue)],
    [payByVoucher.step, yield* deskAct(payByVoucher)],
    [undoPayment.step, yield* deskAct(undoPayment)],
    [partyName, yield* partyAction],
    [moveName, yield* moveAction],
    [goodwill.step, yield* deskAct(goodwill)],
    [cancel.step, yield* deskAct(cancel)]
  ])

  const screens: ReadonlyArray<DeskScreen> = [
    yield* day,
    yield* deskBooking(actions),
    yield* newBooking,
    yield* walkIns,
    yield* owed,
    yield* till,
    yield* vouchers,
    yield* waitingLists,
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
