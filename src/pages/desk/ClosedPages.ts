/** `/desk/closed`: the bookings in closed time; what cancelling some or all of them gives back; and what was done. */
import type { HttpServerResponse } from "effect/http"
import type { ClosedBooking } from "../../booking/BookingList.ts"
import { isErased } from "../../booking/ErasedPerson.ts"
import { html, type Html } from "../../kernel/Html.ts"
import type { Money } from "../../kernel/Money.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import { moneyIn, pluralIn, visitTimeIn } from "../../i18n/Localized.ts"
import { deskPaths } from "../../staff/DeskSite.ts"
import { nameOf } from "../operator/DayParts.ts"
import { actions, buttonLink, dataTable, emailLink, facts, isolated, notice, phoneLink } from "../Parts.ts"
import { deskAddress, formField, hiddenInputs } from "./DeskAction.ts"
import { deskPage, type DeskRequest } from "./DeskFrame.ts"
import type { ClosedDone, ClosedPage, ClosedPlan } from "./ClosedVisits.ts"
import { moveName } from "./MoveAction.ts"

/** Whose booking it is. */
export const whoOf = (visit: ClosedBooking, language: Language): Html =>
  html`<a href="${deskAddress(visit.booking_id)}">${isolated(nameOf(language, visit))}</a><br><span class="soft code">${visit.reference}</span>`
/** When and where a booking is. */
export const whenOf = ({ ends_at, playroom_name, starts_at, time_zone }: ClosedBooking, language: Language): Html =>
  html`${visitTimeIn(language, time_zone, starts_at, ends_at)}<br><span class="soft">${isolated(playroom_name)}</span>`
/** Whom to call. */
export const contactOf = (visit: ClosedBooking): Html =>
  isErased(visit)
    ? html`–`
    : visit.contact_phone === null
      ? emailLink(visit.contact_email)
      : phoneLink(visit.contact_phone)

const chosenInputs = (ids: ReadonlyArray<string>): ReadonlyArray<Html> =>
  ids.map((id) => html`<input type="hidden" name="cancel" value="${id}">`)

/** The sums by currency. */
const sumsOf = (refunds: ReadonlyArray<Money>, language: Language): Html => {
  const sums = new Map<string, number>()
  for (const { amount, currency } of refunds) sums.set(currency, (sums.get(currency) ?? 0) + amount)
  return facts(
    [...sums].map(([currency, amount]) => ({
      term: messages[language].desk.closed.inAll,
      is: html`<strong>${moneyIn(language, amount, currency)}</strong>`
    }))
  )
}

const backToList = (language: Language) => buttonLink(deskPaths.closed, messages[language].desk.closed.toList, true)

export const closedPage = (request: DeskRequest, found: ClosedPage): HttpServerResponse.HttpServerResponse => {
  const { form, language } = request
  const { desk, operator, words } = messages[language]
  const { closed, contact, move } = desk
  const { continued, next_cursor, visits } = found
  const rows = visits.map((visit) => [
    whoOf(visit, language),
    contactOf(visit),
    whenOf(visit, language),
    html`${moneyIn(language, visit.paid - visit.refunded, visit.currency)}`,
    html`${visit.closed_because === "" ? operator.closed : isolated(visit.closed_because)}`,
    html`<label class="check"><input type="checkbox" name="cancel" value="${visit.booking_id}"> ${closed.cancel}<span class="unseen"> ${visit.reference}</span></label><a href="${deskAddress(visit.booking_id, moveName)}">${move.title}<span class="unseen"> ${visit.reference}</span></a>`
  ])
  return deskPage(request, {
    title: closed.title,
    head: html`<header>
<h1>${closed.title}</h1>
<p class="lead">${visits.length === 0 ? closed.none : closed.lead}</p>
</header>`,
    body:
      visits.length === 0
        ? html`${actions(continued ? backToList(language) : undefined)}`
        : html`<form method="post" action="${deskPaths.closed}">
${hiddenInputs({ [formField]: form })}
${dataTable(desk.visits, [closed.who, contact, words.visit, words.paid, closed.because, closed.what], rows)}
${actions(html`<button>${closed.go}</button>`)}
</form>
<form method="post" action="${deskPaths.closed}">
${hiddenInputs({ [formField]: form })}
${chosenInputs(visits.map(({ booking_id }) => booking_id))}
${actions(
  html`<button class="second">${pluralIn(language, visits.length, closed.all)}</button>`,
  next_cursor === undefined
    ? undefined
    : buttonLink(`${deskPaths.closed}?cursor=${encodeURIComponent(next_cursor)}`, closed.more, true),
  continued ? backToList(language) : undefined
)}
</form>`
  })
}

export const closedPlanPage = (
  request: DeskRequest,
  { planned, shown }: ClosedPlan
): HttpServerResponse.HttpServerResponse => {
  const { form, language } = request
  const { desk, words } = messages[language]
  const { closed } = desk
  const can = planned.filter(({ refused }) => refused === undefined)
  const refunds = planned.flatMap(({ refund }) => refund ?? [])
  const doable = shown !== undefined && can.length > 0
  return deskPage(request, {
    title: closed.planTitle,
    status: doable ? 200 : 409,
    head: html`<h1>${closed.planTitle}</h1>
${planned.length === 0 ? html`<p role="alert">${closed.nothingChosen}</p>` : ""}`,
    body: html`${
      planned.length === 0
        ? ""
        : dataTable(
            desk.visits,
            [closed.who, desk.contact, words.visit, words.comesBack],
            planned.map(({ refund, visit }) => [
              whoOf(visit, language),
              contactOf(visit),
              whenOf(visit, language),
              refund === undefined
                ? html`<b class="due">${closed.cant}</b>`
                : html`<strong>${moneyIn(language, refund.amount, refund.currency)}</strong>`
            ])
          )
    }
${can.length === 0 ? "" : sumsOf(refunds, language)}
${can.length === 0 ? "" : html`<p>${closed.byHand}</p>\n<p>${desk.cancel.places}</p>`}
<form method="post" action="${deskPaths.closed}">
${hiddenInputs({ [formField]: form, ...(shown === undefined ? {} : { shown }) })}
${chosenInputs(planned.map(({ visit }) => visit.booking_id))}
${actions(doable ? html`<button>${pluralIn(language, can.length, closed.confirm)}</button>` : undefined, backToList(language))}
</form>`
  })
}

/** `undefined`: the form is not the one that the plan's page had. */
export const closedDonePage = (
  request: DeskRequest,
  done: ClosedDone | undefined
): HttpServerResponse.HttpServerResponse => {
  const { form, language } = request
  const { desk, words } = messages[language]
  const { closed } = desk
  if (done === undefined) {
    return deskPage(request, {
      title: closed.title,
      status: 409,
      head: html`<h1>${closed.title}</h1>\n<p role="alert">${closed.changed}</p>`,
      body: html`${actions(backToList(language))}`
    })
  }
  const { cancelled, gone, left, shown, to_do } = done
  return deskPage(request, {
    title: closed.doneTitle,
    head: html`<h1>${closed.doneTitle}</h1>
<p class="lead">${pluralIn(language, cancelled.length, closed.done)}</p>
${gone === 0 ? "" : html`<p>${pluralIn(language, gone, closed.gone)}</p>`}
${to_do.length === 0 ? "" : html`<p role="alert">${closed.notAll}</p>`}`,
    body: html`${
      cancelled.length === 0
        ? ""
        : dataTable(
            desk.visits,
            [closed.who, words.visit, words.comesBack],
            cancelled.map(({ refund, visit }) => [
              whoOf(visit, language),
              whenOf(visit, language),
              html`${moneyIn(language, refund.amount, refund.currency)}`
            ])
          )
    }
${
  cancelled.length === 0
    ? ""
    : sumsOf(
        cancelled.map(({ refund }) => refund),
        language
      )
}
${
  left.length === 0
    ? ""
    : notice(html`<p>${closed.left}</p>
<ul class="plain">${left.map((visit) => html`<li>${whoOf(visit, language)}</li>`)}</ul>`)
}
<form method="post" action="${deskPaths.closed}">
${hiddenInputs({ [formField]: form, shown })}
${chosenInputs(to_do)}
${actions(to_do.length === 0 ? undefined : html`<button>${desk.goOn}</button>`, backToList(language))}
</form>`
  })
}
