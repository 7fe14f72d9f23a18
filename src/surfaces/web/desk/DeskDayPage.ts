/** `/desk`: the day at the desk, and what a search finds. */
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { PlayroomClosure } from "../../../domain/catalogue/Catalogue.ts"
import { html } from "../../../platform/text/Html.ts"
import { messages } from "../../../words/Languages.ts"
import { pluralIn } from "../../../words/Localized.ts"
import { deskPaths, mayDo } from "../../../domain/people/staff/StaffMember.ts"
import { dateText, dayParts, visitPart } from "../operator/DayParts.ts"
import { type ExpectedVisit, type FoundVisits, type OperatorDay, OperatorDays } from "../operator/OperatorDays.ts"
import { actions, buttonLink, section } from "../frame/Parts.ts"
import { closureMadeBy, mayReopen } from "./Closing.ts"
import { deskPage, type DeskRequest, type DeskScreen, maxSearchLength } from "./DeskFrame.ts"
import { markButtons } from "./Presses.ts"

const href = ({ booking_id }: ExpectedVisit): string => `${deskPaths.booking}${booking_id}`

const deskDayPage = (request: DeskRequest, day: OperatorDay): HttpServerResponse.HttpServerResponse => {
  const { language } = request
  const view = {
    language,
    zone: day.time_zone,
    href,
    closure: (closure: PlayroomClosure) => closureMadeBy(language, closure, mayReopen(request, closure)),
    buttons: (visit: ExpectedVisit) => markButtons(request, visit, day.now, { from: "day" })
  }
  const { body, head } = dayParts(day, view)
  const { book: newBooking, closing } = messages[language].desk
  const { role } = request.member
  const book = html`<div class="actions noprint">${mayDo(role, "book") ? buttonLink(deskPaths.book, newBooking.title) : ""}${mayDo(role, "close_time") ? buttonLink(`${deskPaths.closing}?day=${day.date}`, closing.title, true) : ""}</div>`
  return deskPage(request, { title: dateText(language, day.date), words: "", head: html`${head}\n${book}`, body })
}

const foundPage = (
  request: DeskRequest,
  words: string,
  { more, visits }: FoundVisits
): HttpServerResponse.HttpServerResponse => {
  const { language } = request
  const text = messages[language].desk
  const title = text.foundTitle(words)
  const lead = visits.length === 0 ? text.nothingFound : pluralIn(language, visits.length, text.found)
  return deskPage(request, {
    title,
    words,
    head: html`<h1>${title}</h1>
<p class="lead">${lead}</p>`,
    body: html`${section(
      text.visits,
      visits.map((visit) => visitPart(visit, { language, zone: visit.time_zone, href, dated: true }))
    )}
${more ? html`<p>${text.moreFound}</p>` : ""}
${actions(buttonLink(deskPaths.desk, text.toDay, true))}`
  })
}

/** The screen. */
export const day = Effect.map(OperatorDays, (days): DeskScreen => ({
  path: deskPaths.desk,
  show: (desk, { cursor, day, find = "" }) => {
    const { operator_id } = desk.member
    const words = find.replaceAll("\0", "").trim().slice(0, maxSearchLength)
    return words === ""
      ? Effect.map(days.dayOf(operator_id, { day, cursor }), (shown) => deskDayPage(desk, shown))
      : Effect.map(days.search(operator_id, words), (found) => foundPage(desk, words, found))
  }
}))
