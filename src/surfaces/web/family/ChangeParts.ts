/** What the pages for moving a booking and for changing its party have in common. */
import type { HttpServerResponse } from "effect/http"
import type { ChangedBooking } from "../../../domain/booking/VisitChange.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateTimeIn, moneyIn } from "../../../words/Localized.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { askVenue } from "../frame/LinkProblems.ts"
import { page } from "../frame/Layout.ts"
import { actions, buttonLink, type Fact, section } from "../frame/Parts.ts"
import { type OpenedBooking, stepAddress } from "./BookingStep.ts"
import { howBack } from "./MoneyFacts.ts"
import { termsParagraphs } from "./Visit.ts"
import type { BookingRow } from "../../../domain/booking/Booking.ts"

/** A sentence that is read out at once; nothing without one. */
export const alertOf = (text: string | undefined): Html | undefined =>
  text === undefined ? undefined : html`<p role="alert">${text}</p>\n`

/** That it can't be changed here now, why, and whom to ask. */
export const sorryPage = (
  { asked, summary }: OpenedBooking,
  title: string,
  why: string
): HttpServerResponse.HttpServerResponse => {
  const { language } = asked
  return page(
    title,
    html`<h1>${title}</h1>
<p class="lead">${why}</p>
${askVenue(summary.operator, language)}
${actions(buttonLink(stepAddress(asked), messages[language].words.toBooking, true))}`,
    { language, status: 409, headers: { vary: "accept-language" } }
  )
}

/** How a refund would go back; `disputed`: what is not given back by hand waits for a bank's decision. */
export const backOf = (
  { by_hand, refund }: Pick<ChangedBooking, "by_hand" | "refund">,
  disputed: boolean,
  language: Language
): string => {
  const { amount, currency } = refund
  return howBack(
    { amount, by_hand: by_hand.amount, disputed: disputed ? amount - by_hand.amount : 0 },
    currency,
    language
  )
}

/** The refund, and how it goes back; undefined if the price stays or rises. */
const refundOf = (change: ChangedBooking, disputed: boolean, language: Language): Html | string | undefined => {
  const { balance, difference, refund } = change
  if (refund.amount > 0)
    return html`<strong>${moneyIn(language, refund.amount, refund.currency)}</strong><br><span class="soft">${backOf(change, disputed, language)}</span>`
  return difference < 0 && balance.amount === 0 ? messages[language].move.nothingBack : undefined
}

/** When or where a balance is paid; undefined if nothing says so. */
export const balanceHow = (
  { balance_at_venue, price, time_zone }: BookingRow["terms"],
  language: Language
): string | undefined => {
  const { booking: text } = messages[language]
  if (balance_at_venue === true) return text.atVenue
  const due = price.balance_due_at
  return due === undefined ? undefined : text.by(dateTimeIn(language, time_zone, Date.parse(due)))
}

/** The balance, and when or where it is paid. */
export const balanceOf = ({ balance, booking }: ChangedBooking, language: Language): Html | undefined => {
  if (balance.amount === 0) return undefined
  const how = balanceHow(booking.terms, language)
  const by = how === undefined ? "" : html`<br><span class="soft">${how}</span>`
  return html`<strong>${moneyIn(language, balance.amount, booking.currency)}</strong>${by}`
}

/** The new price, and by how much it is another. */
export const priceOf = ({ booking, difference, from }: ChangedBooking, language: Language): Html => {
  const { move: text } = messages[language]
  const money = (amount: number) => moneyIn(language, amount, booking.currency)
  if (difference === 0) return html`${text.stays(money(from.total))}`
  const by = difference > 0 ? text.more(money(difference)) : text.less(money(-difference))
  return html`${text.instead(money(booking.total), money(from.total))}<br><strong>${by}</strong>`
}

/** What a change costs: the price, what comes back, and what is paid later. */
export const moneyOfChange = (
  { summary }: Pick<OpenedBooking, "summary">,
  change: ChangedBooking,
  language: Language
): ReadonlyArray<Fact> => {
  const { move: text, words } = messages[language]
  const { waived } = change
  const little = moneyIn(language, waived.amount, waived.currency)
  const back = refundOf(change, summary.disputed === true, language)
  const balance = balanceOf(change, language)
  return [
    {
      term: words.price,
      is: html`${priceOf(change, language)}${
        waived.amount === 0 ? "" : html`<br><span class="soft">${text.waived(little)}</span>`
      }`
    },
    ...(back === undefined ? [] : [{ term: words.comesBack, is: back }]),
    ...(balance === undefined ? [] : [{ term: words.balance, is: balance }])
  ]
}

/** The terms after a change. */
export const termsAfter = (
  { summary }: OpenedBooking,
  { balance, booking, refund }: ChangedBooking,
  language: Language
): Html | undefined => {
  const after = {
    ...summary,
    given_back: summary.given_back + refund.amount,
    left: summary.left - refund.amount,
    refund_on_its_way: summary.refund_on_its_way + refund.amount,
    balance_paid: balance.amount === 0
  }
  return section(messages[language].booking.terms, termsParagraphs(booking, after, language))
}
