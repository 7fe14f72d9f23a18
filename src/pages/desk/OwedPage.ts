/** `/desk/owed`: who owes what. */
import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "../../kernel/Html.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import { dateTimeIn, moneyIn, pluralIn } from "../../i18n/Localized.ts"
import { deskPaths } from "../../staff/DeskSite.ts"
import { actions, buttonLink, dataTable, facts, isolated } from "../Parts.ts"
import { deskPage, type DeskRequest } from "./DeskFrame.ts"
import type { OwedBooking, OwedPage } from "./OwedBookings.ts"
import { sumsByCurrency } from "../../kernel/Money.ts"
import { contactOf, whoOf } from "./BookingCells.ts"

/** What a clerk has to know beside the date: whether it has passed, and where it is paid. */
const remark = ({ balance, booking, kind }: OwedBooking, language: Language): string => {
  const { marks, owed } = messages[language].desk
  if (booking.attendance === "no_show") return marks.no_show
  if (kind === "over") return owed.over
  if (balance.payment === "processing") return owed.processing
  return balance.at_venue ? owed.atVenue : balance.overdue ? owed.overdue : ""
}

const rowOf = (one: OwedBooking, language: Language): ReadonlyArray<Html> => {
  const { balance, booking, kind } = one
  const { currency, starts_at, terms } = booking
  const when = (at: number) => dateTimeIn(language, terms.time_zone, at)
  const note = remark(one, language)
  const late = balance.overdue || kind === "over" || kind === "did_not_come"
  return [
    whoOf(booking, language),
    contactOf(booking),
    html`${when(starts_at)}<br><span class="soft">${isolated(terms.playroom_name)}</span>`,
    html`<strong>${moneyIn(language, balance.amount, currency)}</strong>`,
    html`${when(balance.due_at)}${note === "" ? "" : html`<br>${late ? html`<b class="due">${note}</b>` : html`<span class="soft">${note}</span>`}`}`
  ]
}

/** The sums by currency, if the page has all. */
const sumsOf = ({ continued, next_cursor, owed }: OwedPage, language: Language): Html | undefined => {
  if (continued || next_cursor !== undefined || owed.length < 2) return undefined
  const sums = sumsByCurrency(owed.map(({ balance, booking }) => ({ ...balance, currency: booking.currency })))
  return facts(
    sums.map(({ amount, currency }) => ({
      term: messages[language].desk.owed.sum,
      is: html`<strong>${moneyIn(language, amount, currency)}</strong>`
    }))
  )
}

export const owedPage = (request: DeskRequest, page: OwedPage): HttpServerResponse.HttpServerResponse => {
  const { language } = request
  const { desk, words } = messages[language]
  const { owed } = desk
  const whole = !page.continued && page.next_cursor === undefined
  const lead = page.owed.length === 0 ? owed.none : whole ? pluralIn(language, page.owed.length, owed.lead) : ""
  return deskPage(request, {
    title: owed.title,
    words: "",
    head: html`<header>
<h1>${owed.title}</h1>
${lead === "" ? "" : html`<p class="lead">${lead}</p>`}
</header>`,
    body: html`${
      page.owed.length === 0
        ? ""
        : dataTable(
            desk.visits,
            [owed.who, desk.contact, words.visit, owed.amount, owed.due],
            page.owed.map((one) => rowOf(one, language))
          )
    }
${sumsOf(page, language)}
${actions(
  page.next_cursor === undefined
    ? undefined
    : buttonLink(`${deskPaths.owed}?cursor=${encodeURIComponent(page.next_cursor)}`, desk.moreBookings),
  page.continued ? buttonLink(deskPaths.owed, owed.fromStart, true) : undefined
)}`
  })
}
