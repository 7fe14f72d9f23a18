/**
 * `/checkout/return`: the address that the provider leads payers to. Its two tokens (`domain/payment/checkout/SessionRequest.ts`)
 * open the page at which the payer began, and neither is the token of that page, so that the provider never learns it. Whoever
 * may not see that page reads here how the payment stands, and nothing about people.
 */

import type { HttpServerResponse } from "effect/http"
import { nextActor, standingOf } from "../../../domain/booking/Standing.ts"
import { findBookingPath, linkPaths } from "../../../platform/access/LinkTokens.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { partyIn } from "../../../words/Localized.ts"
import { askVenue } from "../frame/LinkProblems.ts"
import { deadlineScript, leadTo } from "../frame/Forms.ts"
import { page } from "../frame/Layout.ts"
import { actions, buttonLink, facts, links, section, hero, isolated } from "../frame/Parts.ts"
import { afterPaying } from "./AfterPaying.ts"
import { leadOf, payDeadline } from "./BookingPage.ts"
import { type PaidQuery, type OpenedBooking, payAddress } from "./BookingStep.ts"
import { moneyFacts } from "./MoneyFacts.ts"
import type { PayerReturn, ReturnTokens, ShownBooking } from "./ShownBookings.ts"
import { termsParagraphs, pictureOf, whenAndWhere } from "./Visit.ts"

/**
 * `/p/{token}`: the page where a booking can be paid, and nothing else can be done or read: who gets what for what, on
 * which terms, and one button, which leads on to the provider's page. Whoever has its address may pay, so it says no
 * more than a payment page does: no name, no notes, and no way to the family's page.
 */

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

/** How the page was left (`success` or `cancel`), and how often this page has reloaded itself. */
type ReturnQuery = Pick<PaidQuery, "look" | "outcome">

/** For a payer who may not see the address of a page of the booking: how the payment stands, and nothing about people. */
const generalPage = (
  { shown, withheld }: Extract<PayerReturn, { readonly shown: ShownBooking }>,
  { booking, payment }: ReturnTokens,
  query: ReturnQuery,
  language: Language
): HttpServerResponse.HttpServerResponse => {
  const { afterPaying: text, words } = messages[language]
  const standing = standingOf(shown.booking, shown.summary)
  const address = `/checkout/return?${new URLSearchParams({ token: booking, payment })}`
  const paid = afterPaying(shown, standing, { language, query: { ...query, paid: "" } }, address)
  const { heading, lead } = paid.lead ?? leadOf(shown, standing, language)
  const end = paid.kind === "waiting" ? undefined : payDeadline(shown, standing, language)
  const payAt = paid.kind === "not_paid" && nextActor(standing) === "payer" ? shown.returned?.session.url : undefined
  return page(
    heading,
    html`<h1>${heading}</h1>
<p class="lead">${lead}</p>
${end}
${paid.notice}
${facts([{ term: words.reference, is: html`<span class="reference">${shown.booking.reference}</span>` }])}
${actions(payAt ? buttonLink(payAt, text.payAgain) : undefined)}
<p>${withheld === "renewed" ? text.linkRenewed : text.linkGiven}</p>
${section(messages[language].booking.questions, [askVenue(shown.summary.operator, language)])}`,
    { language, script: end && deadlineScript, headers: { vary: "accept-language", ...paid.headers } }
  )
}

/** Where the payer goes; `unavailable`: it can't be read now. */
export type PaymentLookup = PayerReturn | "unknown" | "unavailable"

/** The answer at `/checkout/return`. */
export const payerReturned = (
  found: PaymentLookup,
  tokens: ReturnTokens,
  query: ReturnQuery,
  language: Language
): HttpServerResponse.HttpServerResponse => {
  const { outcome } = query
  const { afterPaying: text, findBooking, words } = messages[language]
  const headers = { vary: "accept-language" }
  if (found === "unavailable") {
    const again = new URLSearchParams({
      ...(outcome === undefined ? {} : { outcome }),
      token: tokens.booking,
      payment: tokens.payment
    })
    return page(
      text.unavailable.title,
      html`<h1>${text.unavailable.title}</h1>
<p class="lead">${text.unavailable.lead}</p>
<p><a href="/checkout/return?${again.toString()}">${words.lookAgain}</a></p>
<p>${text.closing}</p>`,
      { language, status: 503, headers: { ...headers, "retry-after": "5" } }
    )
  }
  if (found === "unknown") {
    return page(
      text.unknown.title,
      html`<h1>${text.unknown.title}</h1>
<p class="lead">${text.unknown.lead}</p>
<p>${text.unknown.more}</p>
${links([html`<a href="${findBookingPath}">${findBooking.title}</a>`])}
<p>${text.closing}</p>`,
      { language, headers }
    )
  }
  if ("page" in found) {
    const landing = { paid: found.payment ?? "", ...(outcome === "success" || outcome === "cancel" ? { outcome } : {}) }
    return leadTo(`${linkPaths[found.page]}${found.token}?${new URLSearchParams(landing)}`)
  }
  return generalPage(found, tokens, query, language)
}
