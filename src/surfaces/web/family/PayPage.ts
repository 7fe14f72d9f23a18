/**
 * `/p/{token}`: the page where a booking can be paid, and nothing else can be done or read: who gets what for what, on
 * which terms, and one button, which leads on to the provider's page. Whoever has its address may pay, so it says no
 * more than a payment page does: no name, no notes, and no way to the family's page.
 */
import type { HttpServerResponse } from "effect/http"
import { nextActor, standingOf } from "../../../domain/booking/Standing.ts"
import { messages } from "../../../words/Languages.ts"
import { partyIn } from "../../../words/Localized.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { askVenue } from "../frame/AskVenue.ts"
import { deadlineScript } from "../frame/Deadline.ts"
import { page } from "../frame/Layout.ts"
import { actions, buttonLink, facts, hero, isolated, section } from "../frame/Parts.ts"
import { afterPaying } from "./AfterPaying.ts"
import { leadOf, payDeadline } from "./BookingPage.ts"
import { type OpenedBooking, payAddress } from "./BookingStep.ts"
import { moneyFacts } from "./MoneyFacts.ts"
import { termsParagraphs } from "./Terms.ts"
import { pictureOf, whenAndWhere } from "./Visit.ts"

/**
 * The page. `payButton` leads to the payment, if something can be paid now. `formsLeadTo` is the allowed form target.
 * `fault` says why the payment could not be opened.
 */
export const payPage = (
  opened: OpenedBooking,
  payButton: Html | undefined,
  formsLeadTo: string,
  fault?: string
): HttpServerResponse.HttpServerResponse => {
  const { asked, booking, summary } = opened
  const { language } = asked
  const { terms } = booking
  const { booking: text, payPage: own, words } = messages[language]
  const standing = standingOf(booking, summary)
  const paid = afterPaying(opened, standing, asked, payAddress(asked))
  const button = paid.kind === "waiting" ? undefined : payButton
  const { heading, lead } = paid.lead ?? leadOf(opened, standing, language)
  const title = button === undefined ? heading : own.title
  const picture = pictureOf(opened.playroom)
  const waiting = nextActor(standing) === "provider" && paid.notice === undefined
  const end = paid.kind === "waiting" ? undefined : payDeadline(opened, standing, language)
  return page(
    `${title}: ${terms.playroom_name}`,
    html`${hero({ picture, title, below: whenAndWhere(booking, language), lead })}
${fault === undefined ? "" : html`<p role="alert">${fault}</p>`}
${paid.notice}
${end}
${facts([
  ...(button === undefined ? [] : [{ term: own.payee, is: isolated(summary.operator.name) }]),
  { term: text.what, is: isolated(terms.package_name) },
  { term: text.who, is: partyIn(language, { children: booking.children, adults: booking.adults }) },
  ...moneyFacts(opened, standing, language),
  { term: words.reference, is: html`<span class="reference">${booking.reference}</span>` }
])}
${section(text.terms, button === undefined ? [] : termsParagraphs(booking, summary, language))}
${actions(button, waiting ? buttonLink(payAddress(asked), words.lookAgain) : undefined)}
${button === undefined ? "" : html`<p class="soft">${text.payNote} ${booking.status === "held" ? own.thenConfirmed : own.thenPaid}</p>`}
${section(text.questions, [askVenue(summary.operator, language)])}`,
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
