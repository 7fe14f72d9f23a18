/** `/b/{token}`: the family's page of a booking. */
import type { HttpServerResponse } from "effect/http"
import { goesBack, toView } from "../../../domain/booking/BookingViews.ts"
import { isLiveBooking } from "../../../domain/booking/Lifecycle.ts"
import { isOver, nextActor, payBefore, type Standing, standingOf } from "../../../domain/booking/Standing.ts"
import { html, type Html, sentence } from "../../../platform/text/Html.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateTimeIn, momentIn, moneyIn, partyIn } from "../../../words/Localized.ts"
import { dayMs } from "../../../platform/time/LocalTime.ts"
import type { ShownBooking } from "./ShownBookings.ts"
import { page } from "../frame/Layout.ts"
import { actions, buttonLink, facts, hero, isolated, links, notice, paragraphs, section } from "../frame/Parts.ts"
import { askVenue } from "../frame/LinkProblems.ts"
import { deadline, deadlineScript } from "../frame/Forms.ts"
import { afterPaying } from "./AfterPaying.ts"
import { type OpenedBooking, stepAddress, type StepParts, receiptName } from "./BookingStep.ts"
import { webCalendars } from "./CalendarEntry.ts"
import { howGoesBack, moneyFacts, priceTable } from "./MoneyFacts.ts"
import { termsParagraphs, pictureOf, wayThere, whenAndWhere } from "./Visit.ts"

/** That the last try to pay a balance failed. The words of an unpaid hold say it themselves (`payment_failed`). */
const lastTry = ({ summary }: ShownBooking, standing: Standing, language: Language): Html => {
  return summary.last_attempt !== undefined && nextActor(standing) === "payer" && "balance" in standing
    ? notice(html`<p>${messages[language].afterPaying.failed}</p>`)
    : html``
}

/** How long a hold can still be paid; undefined if it is none. */
export const payDeadline = (
  { booking, summary }: ShownBooking,
  standing: Standing,
  language: Language
): Html | undefined => {
  const moment = payBefore(standing)
  return moment === undefined
    ? undefined
    : deadline({ moment, now: summary.now, zone: booking.terms.time_zone }, language)
}

/** How the booking stands, in words. */
export const leadOf = (
  { booking, summary }: ShownBooking,
  standing: Standing,
  language: Language
): { readonly heading: string; readonly lead: string } => {
  const view = toView(booking, summary)
  const money = (amount: number) => (amount === 0 ? "" : moneyIn(language, amount, booking.currency))
  const of = (one: { readonly amount: number; readonly currency: string } | undefined) =>
    one === undefined ? "" : moneyIn(language, one.amount, one.currency)
  const until = booking.terms.balance_at_venue === true ? undefined : view.balance?.due_at
  const { standings, words } = messages[language]
  const { heading, lead } = standings[standing.kind]
  const how = howGoesBack({ booking, summary }, standing, true, language)
  const said = lead({
    amount: money(view.due_now.amount || (view.balance?.amount.amount ?? 0)),
    until: until === undefined ? "" : momentIn(language, booking.terms.time_zone, Date.parse(until)),
    paid: money(booking.paid),
    comes_back: money(goesBack(summary)),
    paid_back: money(booking.refunded),
    in_question: of(summary.under_review),
    sent_back: of(summary.sent_back),
    online: summary.balance_online
  })
  const sent =
    summary.sent_back === undefined || standing.kind.endsWith("under_review")
      ? []
      : [messages[language].booking.sentBack(of(summary.sent_back), summary.sent_back.arrived)]
  const more = [...(how === undefined ? [] : [how]), ...sent]
  return { heading, lead: more.reduce((before, next) => words.followedBy(before, next), said) }
}

/** How long before a balance is due paying it becomes the page's main action. */
const pressingMs = 7 * dayMs

const isPressing = (standing: Standing, now: number): boolean =>
  !("balance" in standing) || standing.balance === undefined || standing.balance.due_at - now < pressingMs

/** What stands out of the ordinary. */
const notices = (opened: OpenedBooking, standing: Standing, ahead: boolean): ReadonlyArray<Html> => {
  const { asked, booking, summary, unclear } = opened
  const { language } = asked
  const { booking: text, page } = messages[language]
  const { moved_from, moved_from_room, playroom_name, time_zone } = booking.terms
  return [
    ...(summary.disputed === true ? [notice(html`<p>${text.disputed}</p>`)] : []),
    lastTry(opened, standing, language),
    ...(unclear ? [notice(html`<p>${text.unclear}</p>`)] : []),
    ...(ahead && booking.status === "confirmed" && summary.suspended === true
      ? [notice(html`<p>${page.suspended}</p>`)]
      : []),
    ...(ahead && moved_from !== undefined && moved_from !== booking.starts_at
      ? [notice(html`<p>${page.moved(dateTimeIn(language, time_zone, moved_from))}</p>`)]
      : []),
    ...(ahead && moved_from_room !== undefined && moved_from_room !== playroom_name
      ? [notice(html`<p>${page.otherRoom(playroom_name, moved_from_room)}</p>`)]
      : [])
  ]
}

/** For a booking that ended without a visit: how to book again. */
const bookAgain = ({ asked, summary }: OpenedBooking): Html => {
  const { page } = messages[asked.language]
  return html`<section><h2>${page.bookAgain}</h2>
<p>${page.bookAgainHow}</p>
${actions(buttonLink("/", page.assistants))}
${askVenue(summary.operator, asked.language)}</section>`
}

/**
 * The page. `parts` come from the available steps. `formsLeadTo` is the allowed form target. `fault` says why a step
 * failed.
 */
export const bookingPage = (
  opened: OpenedBooking,
  parts: ReadonlyArray<StepParts>,
  formsLeadTo: string,
  fault?: string
): HttpServerResponse.HttpServerResponse => {
  const { asked, booking, playroom, summary } = opened
  const { language } = asked
  const { terms } = booking
  const { booking: text, page: more, receipt, words } = messages[language]
  const standing = standingOf(booking, summary)
  const paid = afterPaying(opened, standing, asked, stepAddress(asked))
  const { heading, lead } = paid.lead ?? leadOf(opened, standing, language)
  const picture = pictureOf(playroom)
  const alive = isLiveBooking(booking)
  const ahead = alive && summary.now < booking.ends_at
  const waiting = alive && nextActor(standing) === "provider"
  // A payment that is awaited is not begun again.
  const main = paid.kind === "waiting" ? undefined : parts.find((part) => part.main !== undefined)?.main
  const pressing = isPressing(standing, summary.now)
  const end = paid.kind === "waiting" ? undefined : payDeadline(opened, standing, language)
  const payTo = html`<p class="soft noprint">${sentence(more.payTo, isolated(summary.operator.name))}</p>`
  const changes = parts.flatMap(({ action }) => (action === undefined ? [] : [action]))
  const calendarAddress = `${stepAddress(asked)}.ics`
  const calendar = isOver(standing)
    ? undefined
    : buttonLink(calendarAddress, ahead ? text.calendar : text.calendarUpdate, !ahead || main !== undefined)
  return page(
    `${heading}: ${terms.playroom_name}`,
    html`${hero({ picture, title: heading, below: whenAndWhere(booking, language), lead })}
${fault === undefined ? "" : html`<p role="alert">${fault}</p>`}
${paid.notice}
${notices(opened, standing, ahead)}
${end}
${pressing && main !== undefined ? html`${actions(main)}${payTo}` : ""}
${actions(waiting && paid.notice === undefined ? buttonLink(stepAddress(asked), words.lookAgain) : undefined, calendar)}
${ahead ? links([...(booking.status === "confirmed" ? webCalendars(booking, `${terms.package_name}, ${terms.playroom_name}`, language) : []), ...wayThere(booking, playroom, language)]) : ""}
${alive ? "" : bookAgain(opened)}
${facts([
  { term: words.reference, is: html`<span class="reference">${booking.reference}</span>` },
  { term: text.what, is: isolated(terms.package_name) },
  ...(ahead && summary.bring !== undefined ? [{ term: words.bring, is: isolated(summary.bring) }] : []),
  { term: text.who, is: partyIn(language, booking) },
  { term: text.bookedBy, is: isolated(booking.contact_name) },
  ...parts.flatMap(({ facts = [] }) => facts),
  ...(booking.notes === null ? [] : [{ term: text.notes, is: paragraphs(booking.notes) }]),
  ...moneyFacts(opened, standing, language)
])}
${pressing || main === undefined ? "" : html`<div class="quiet">${actions(main)}${payTo}</div>`}
${alive ? priceTable(booking, language) : ""}
${booking.paid === 0 ? "" : links([html`<a href="${stepAddress(asked, receiptName)}">${receipt.title}</a>`])}
${section(text.terms, ahead ? termsParagraphs(booking, summary, language) : [])}
${changes.length === 0 ? "" : actions(...changes)}
${parts.map((part) => part.section)}
${section(text.rules, ahead && playroom !== undefined ? paragraphs(playroom.house_rules) : [])}
${alive ? section(text.questions, [askVenue(summary.operator, language)]) : ""}
<footer class="noprint"><p>${text.secret}</p></footer>`,
    {
      language,
      status: fault === undefined ? 200 : 409,
      headers: { vary: "accept-language", ...paid.headers },
      formAction: formsLeadTo,
      pictureFrom: picture?.origin,
      script: end && deadlineScript
    }
  )
}
