/** `/desk/closed`: the bookings in closed time, with where each can go; what moving or cancelling them does; and what was done. */
import type { HttpServerResponse } from "effect/http"
import type { ClosedBooking } from "../../../domain/booking/BookingList.ts"
import { extrasText, isOtherRoom } from "../../../domain/booking/ChangePlan.ts"
import type { AlternativeStart } from "../../../domain/booking/OtherVisits.ts"
import { html, type Html, joined } from "../../../platform/text/Html.ts"
import { type Money, sumsByCurrency } from "../../../platform/money/Money.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { moneyIn, pluralIn, shortDateIn, timesIn, visitTimeIn } from "../../../words/Localized.ts"
import type { ChangedSincePlan, ClosedEffect, ClosedRefusal } from "../../../domain/payment/changes/ClosedBookings.ts"
import { deskPaths } from "../../../domain/people/staff/DeskSite.ts"
import { mayDo } from "../../../domain/people/staff/Rights.ts"
import { actions, buttonLink, dataTable, facts, isolated, notice, hiddenInputs } from "../frame/Parts.ts"
import { moneyTold, whyNotChanged } from "./ChangeActions.ts"
import { deskAddress, formField } from "./DeskAction.ts"
import { contactOf, deskPage, type DeskRequest, whenOf, whoOf } from "./DeskFrame.ts"
import type { ClosedChoices, ClosedDone, ClosedPage, ClosedPlan } from "./ClosedVisits.ts"
import { moveName } from "./ChangeActions.ts"

/** Why it can't take place as things stand. */
const becauseOf = ({ closed_because, overbooked }: ClosedBooking, language: Language): Html => {
  const { desk, operator } = messages[language]
  if (overbooked !== null) return isolated(desk.closed.only(overbooked.of, overbooked.units))
  return closed_because === null || closed_because === "" ? html`${operator.closed}` : isolated(closed_because)
}

/** The field in which a form chooses what happens with bookings; a booking that is kept has an empty one. */
export const choiceField = "choice"
/** Chosen for a booking that is cancelled; one that is moved has the option's id. */
export const cancelChoice = "cancel"

const choiceOf = (booking_id: string, what: string): string => `${booking_id}.${what}`

const choiceInputs = (choices: ClosedChoices): ReadonlyArray<Html> =>
  Array.from(choices, ([booking_id, deed]) => {
    const what = deed.action === "cancel" ? cancelChoice : deed.option_id
    return html`<input type="hidden" name="${choiceField}" value="${choiceOf(booking_id, what)}">`
  })

/** The sums of what goes back by currency, and that some of it may go back by hand; nothing if nothing goes back. */
const sumsOf = (refunds: ReadonlyArray<Money>, language: Language): Html => {
  const { closed } = messages[language].desk
  const sums = sumsByCurrency(refunds)
  return sums.length === 0
    ? html``
    : html`${facts(
        sums.map(({ amount, currency }) => ({
          term: closed.inAll,
          is: html`<strong>${moneyIn(language, amount, currency)}</strong>`
        }))
      )}
<p>${closed.byHand}</p>`
}

const backToList = (language: Language) => buttonLink(deskPaths.closed, messages[language].desk.toList, true)

/** A free start: when, in which room if it is another one, and the price if it is another one. */
const startOf = (
  visit: ClosedBooking,
  { option, playroom_id, playroom_name, time_zone }: AlternativeStart,
  language: Language
) => {
  const { words } = messages[language]
  const { price } = option
  const start = Date.parse(option.start)
  return [
    // Short, so that a telephone shows the time.
    shortDateIn(language, time_zone, start) + words.comma + timesIn(language, time_zone, start, Date.parse(option.end)),
    ...(playroom_id === visit.playroom_id ? [] : [playroom_name]),
    ...(price.total === visit.total ? [] : [moneyIn(language, price.total, price.currency)])
  ].join(" · ")
}

/** What can happen with a booking; `mayCancel`: whether the person may cancel it with everything going back. */
const choiceInput = (
  { alternatives, visit }: ClosedPage["visits"][number],
  mayCancel: boolean,
  language: Language
): Html => {
  const { closed, move } = messages[language].desk
  const { booking_id, reference } = visit
  const free = alternatives.map(
    (start) =>
      html`<option value="${choiceOf(booking_id, start.option.option_id)}">${startOf(visit, start, language)}</option>`
  )
  return html`<label><span class="unseen">${closed.what} ${reference}</span><select name="${choiceField}">
<option value="">${closed.keep}</option>
${mayCancel ? html`<option value="${choiceOf(booking_id, cancelChoice)}">${closed.cancel}</option>` : ""}
${free.length === 0 ? "" : html`<optgroup label="${closed.moveTo}">${free}</optgroup>`}
</select></label><a href="${deskAddress(booking_id, moveName)}">${move.title}<span class="unseen"> ${reference}</span></a>`
}

export const closedPage = (request: DeskRequest, found: ClosedPage): HttpServerResponse.HttpServerResponse => {
  const { form, language, member } = request
  const { desk, words } = messages[language]
  const { closed, contact } = desk
  const { continued, next_cursor, visits } = found
  const mayCancel = mayDo(member.role, "cancel_otherwise")
  const rows = visits.map((one) => {
    const { visit } = one
    return [
      whoOf(visit, language),
      contactOf(visit),
      whenOf(visit, language),
      html`${moneyIn(language, visit.paid - visit.refunded, visit.currency)}`,
      becauseOf(visit, language),
      choiceInput(one, mayCancel, language)
    ]
  })
  const all = new Map(visits.map(({ visit }) => [visit.booking_id, { action: "cancel" as const }]))
  const further = [
    next_cursor === undefined
      ? undefined
      : buttonLink(`${deskPaths.closed}?cursor=${encodeURIComponent(next_cursor)}`, desk.moreBookings, true),
    continued ? backToList(language) : undefined
  ]
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
${actions(html`<button>${desk.goOn}</button>`, ...(mayCancel ? [] : further))}
</form>
${
  mayCancel
    ? html`<form method="post" action="${deskPaths.closed}">
${hiddenInputs({ [formField]: form })}
${choiceInputs(all)}
${actions(html`<button class="second">${pluralIn(language, visits.length, closed.all)}</button>`, ...further)}
</form>`
    : ""
}`
  })
}

/** What happens with a booking, or did, and what of its money. */
const effectOf = (
  { change, refund }: ClosedEffect,
  language: Language
): { readonly does: Html; readonly money: Html } => {
  const { desk, words } = messages[language]
  if (change === undefined)
    return {
      does: html`${words.cancelled}`,
      money: html`${words.comesBack}: <strong>${moneyIn(language, refund.amount, refund.currency)}</strong>`
    }
  const { booking, from, without } = change
  const { ends_at, starts_at, terms } = booking
  const where = isOtherRoom(from, booking) ? html`<br>${isolated(terms.playroom_name)}` : ""
  const lost = without.length === 0 ? "" : html`<br>${desk.move.without(extrasText(without))}`
  return {
    does: html`${desk.closed.moveTo}: <strong>${visitTimeIn(language, terms.time_zone, starts_at, ends_at)}</strong>${where}${lost}`,
    money: html`${joined(
      moneyTold(change, language).map(({ is, term }) => html`${term}: ${is}`),
      html`<br>`
    )}`
  }
}

/** Why something is not done; undefined where the booking has changed. */
const whyNot = (
  why: ClosedRefusal | ChangedSincePlan,
  { time_zone }: ClosedBooking,
  language: Language
): string | undefined => {
  const { booking, desk } = messages[language]
  switch (why._tag) {
    case "WantedTwice":
      return desk.closed.twice
    case "NotAllowed":
      return desk.managersOnly
    case "ChangeUnderWay":
      return booking.underWay
    case "BookingNotFound":
    case "ChangedSincePlan":
    case "ChangedSinceShown":
      return undefined
    default:
      return whyNotChanged(why, language, time_zone)
  }
}

export const closedPlanPage = (
  request: DeskRequest,
  { letters, planned, shown }: ClosedPlan
): HttpServerResponse.HttpServerResponse => {
  const { form, language } = request
  const { desk, words } = messages[language]
  const { closed } = desk
  const rows = planned.map(({ booking, refused, wish, would }) => {
    const { does, money } = would === undefined ? { does: html``, money: html`` } : effectOf(would, language)
    const why = refused === undefined || wish.action === "cancel" ? closed.cant : whyNot(refused, booking, language)
    return [
      whoOf(booking, language),
      contactOf(booking),
      whenOf(booking, language),
      refused === undefined ? does : html`<b class="due">${why ?? closed.cant}</b>`,
      money
    ]
  })
  const can = planned.filter(({ refused }) => refused === undefined)
  const deeds: ClosedChoices = new Map(
    can.flatMap(({ booking, wish }) => (wish.action === "keep" ? [] : [[booking.booking_id, wish] as const]))
  )
  return deskPage(request, {
    title: closed.planTitle,
    status: shown === undefined ? 409 : 200,
    head: html`<h1>${closed.planTitle}</h1>
${planned.length === 0 ? html`<p role="alert">${closed.nothingChosen}</p>` : ""}`,
    body: html`${
      planned.length === 0
        ? ""
        : dataTable(desk.visits, [closed.who, desk.contact, words.visit, closed.what, closed.money], rows)
    }
${
  shown === undefined
    ? ""
    : html`${sumsOf(
        can.flatMap(({ would }) => would?.refund ?? []),
        language
      )}
${can.some(({ wish }) => wish.action === "cancel") ? html`<p>${desk.cancel.places}</p>` : ""}
<p>${letters ? closed.told : closed.notTold}</p>`
}
<form method="post" action="${deskPaths.closed}">
${hiddenInputs({ [formField]: form, ...(shown === undefined ? {} : { shown }) })}
${choiceInputs(deeds)}
${actions(shown === undefined ? undefined : html`<button>${pluralIn(language, can.length, closed.confirm)}</button>`, backToList(language))}
</form>`
  })
}

/** `undefined`: the form is not the one that the plan's page had. */
export const closedDonePage = (
  request: DeskRequest,
  found: ClosedDone | undefined
): HttpServerResponse.HttpServerResponse => {
  const { form, language } = request
  const { desk, words } = messages[language]
  const { closed } = desk
  if (found === undefined) {
    return deskPage(request, {
      title: closed.title,
      status: 409,
      head: html`<h1>${closed.title}</h1>\n<p role="alert">${closed.changed}</p>`,
      body: html`${actions(backToList(language))}`
    })
  }
  const { done, gone, left, shown, to_do } = found
  const rows = done.map(({ did, visit }) => {
    const { does, money } = effectOf(did, language)
    return [whoOf(visit, language), whenOf(visit, language), does, money]
  })
  const named = left.map(({ visit, why }) => {
    const text = why === undefined ? undefined : whyNot(why, visit, language)
    return html`<li>${whoOf(visit, language)}${text === undefined ? "" : html`<br>${text}`}</li>`
  })
  return deskPage(request, {
    title: closed.doneTitle,
    head: html`<h1>${closed.doneTitle}</h1>
<p class="lead">${pluralIn(language, done.length, closed.done)}</p>
${gone === 0 ? "" : html`<p>${pluralIn(language, gone, closed.gone)}</p>`}
${to_do.size === 0 ? "" : html`<p role="alert">${closed.notAll}</p>`}`,
    body: html`${
      done.length === 0
        ? ""
        : html`${dataTable(desk.visits, [closed.who, words.visit, closed.what, closed.money], rows)}
${sumsOf(
  done.map(({ did }) => did.refund),
  language
)}`
    }
${
  left.length === 0
    ? ""
    : notice(html`<p>${closed.left}</p>
<ul class="plain">${named}</ul>`)
}
<form method="post" action="${deskPaths.closed}">
${hiddenInputs({ [formField]: form, shown })}
${choiceInputs(to_do)}
${actions(to_do.size === 0 ? undefined : html`<button>${desk.goOn}</button>`, backToList(language))}
</form>`
  })
}
