/** The pages on which staff book for a family: what, when, for whom, and what will happen with the money. */
import type { HttpServerResponse } from "effect/http"
import type { PricedOption } from "../../availability/BookingOption.ts"
import type { VisitRequest } from "../../availability/Decision.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import type { PartyLimits } from "../../booking/VisitChange.ts"
import type { Package } from "../../catalogue/Package.ts"
import type { Venue } from "../../catalogue/Playroom.ts"
import type { Party } from "../../catalogue/Price.ts"
import { messages } from "../../i18n/Languages.ts"
import { durationIn, momentIn, moneyIn, partyIn, visitTimeIn } from "../../i18n/Localized.ts"
import { html, type Html } from "../../kernel/Html.ts"
import { type LocalDate, localDateOf, minuteMs } from "../../kernel/LocalTime.ts"
import type { Sold } from "../../payment/changes/VenueBookings.ts"
import { VenueWay } from "../../payment/sessions/PaymentSession.ts"
import { deskPaths } from "../../staff/DeskSite.ts"
import { alertOf, balanceHow } from "../family/ChangeParts.ts"
import { priceTable } from "../family/MoneyFacts.ts"
import type { PartyFaults } from "../family/PartyForm.ts"
import { termsParagraphs } from "../family/Terms.ts"
import { whenOf } from "../family/Visit.ts"
import {
  actions,
  buttonLink,
  choices,
  emailLink,
  facts,
  isolated,
  notice,
  paragraphs,
  phoneLink,
  section,
  hiddenInputs
} from "../Parts.ts"
import { type BookableDays, daysOfMonth, type StartStep, type StartView, timesOfDay } from "../StartChoice.ts"
import { deskPage, type DeskRequest } from "./DeskFrame.ts"
import { choice, field } from "./FormedAction.ts"
import { bookingFields, carriedFields, type NewBookingInput } from "./NewBookingForm.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The address of a step: what was chosen before, and what is chosen by it. */
const bookAddress = (chosen: Readonly<Record<string, string>>): string =>
  `${deskPaths.book}?${new URLSearchParams(chosen).toString()}`

/** A package and a party, for which a start is chosen. */
export interface ChosenVisit extends Sold {
  readonly party: Party
}

const chosenFields = ({ party, pkg }: ChosenVisit) => ({
  package: pkg.package_id,
  children: String(party.children),
  adults: String(party.adults)
})

/** What is sold, by playroom. */
export const whatPage = (desk: DeskRequest, venues: ReadonlyArray<Venue>): Response => {
  const { language } = desk
  const { book } = messages[language].desk
  const remark = ({ duration_minutes, mode }: Package) =>
    `${book.modes[mode]}${messages[language].words.comma}${durationIn(language, duration_minutes * minuteMs)}`
  const rooms = venues.filter(({ packages }) => packages.length > 0)
  return deskPage(desk, {
    title: book.title,
    head: html`<h1>${book.title}</h1>
<p class="lead">${rooms.length === 0 ? book.nothing : book.choose}</p>`,
    body: html`${rooms.map(({ packages, playroom }) =>
      section(playroom.name, [
        choices(
          packages.map((pkg) => ({
            href: bookAddress({ package: pkg.package_id }),
            label: pkg.name,
            remark: remark(pkg)
          }))
        )
      ])
    )}
${actions(buttonLink(deskPaths.desk, messages[language].desk.toDay, true))}`
  })
}

const namesOf = ({ pkg, venue }: Sold): Html => html`${isolated(pkg.name)} · ${isolated(venue.playroom.name)}`

/** The form in which the party's size is said, before the free starts for it. */
const sizeForm = (desk: DeskRequest, chosen: ChosenVisit, limits: PartyLimits): Html => {
  const { booking, desk: text } = messages[desk.language]
  const { adults, children, package: pkg } = chosenFields(chosen)
  const number = (name: string, value: string, least: number, most = 9999) =>
    html`<input id="${name}" name="${name}" type="number" inputmode="numeric" min="${least}" max="${most}" required value="${value}">`
  return html`<form class="card noprint" method="get" action="${deskPaths.book}">
${hiddenInputs({ package: pkg })}
${field("children", booking.lines.children, number("children", children, limits.least_children ?? 1, limits.most_children))}
${field("adults", booking.lines.adults, number("adults", adults, 0, limits.most_adults))}
${actions(html`<button class="second">${text.book.times}</button>`)}
</form>`
}

const startView = (desk: DeskRequest, chosen: ChosenVisit): Omit<StartView, "none"> => ({
  language: desk.language,
  time_zone: chosen.venue.playroom.time_zone,
  href: (step: StartStep) => bookAddress({ ...chosenFields(chosen), ...step })
})

/** The party's size, and the days of a month on which something is free for it. `alert`: why another is to be chosen. */
export const daysPage = (
  desk: DeskRequest,
  chosen: ChosenVisit,
  limits: PartyLimits,
  starts: { readonly first: LocalDate; readonly bounds: BookableDays; readonly options: ReadonlyArray<PricedOption> },
  alert?: string
): Response => {
  const { book } = messages[desk.language].desk
  return deskPage(desk, {
    title: book.chooseDay,
    status: alert === undefined ? 200 : 409,
    head: html`<h1>${book.chooseDay}</h1>
${alertOf(alert)}<p class="lead">${namesOf(chosen)}</p>`,
    body: html`${sizeForm(desk, chosen, limits)}
${daysOfMonth({ ...startView(desk, chosen), none: book.noneIn }, starts.first, starts.bounds, starts.options)}
${actions(buttonLink(deskPaths.book, book.another, true))}`
  })
}

/** The free times of a day, with what they cost. */
export const timesPage = (
  desk: DeskRequest,
  chosen: ChosenVisit,
  date: LocalDate,
  options: ReadonlyArray<PricedOption>
): Response => {
  const { language } = desk
  const { desk: text, move } = messages[language]
  const { href, ...view } = startView(desk, chosen)
  return deskPage(desk, {
    title: move.chooseTime,
    head: html`<h1>${move.chooseTime}</h1>
<p class="lead">${namesOf(chosen)}<br>${partyIn(language, chosen.party)}</p>`,
    body: html`${timesOfDay({ ...view, href, none: text.book.noneOn }, date, options, ({ price }) =>
      moneyIn(language, price.total, price.currency)
    )}
${actions(
  buttonLink(href({ month: date.slice(0, 7) }), move.anotherDay, true),
  buttonLink(deskPaths.book, text.book.another, true)
)}`
  })
}

/** A visit with what is entered for it. */
export interface EnteredBooking {
  readonly visit: VisitRequest
  readonly option_id: string
  readonly input: NewBookingInput
}

const otherTime = ({ language }: DeskRequest, { visit }: EnteredBooking): Html => {
  const { start, venue } = visit
  const date = localDateOf(venue.playroom.time_zone, start)
  return buttonLink(bookAddress({ ...chosenFields(visit), date }), messages[language].move.anotherTime, true)
}

/** For whom it is. */
export const whoPage = (
  desk: DeskRequest,
  entered: EnteredBooking,
  faults: PartyFaults = {},
  alert?: string
): Response => {
  const { language } = desk
  const { desk: text, words } = messages[language]
  const { input, option_id, visit } = entered
  const { pkg, start, venue } = visit
  return deskPage(desk, {
    title: text.book.who,
    status: alert === undefined ? 200 : 409,
    head: html`<h1>${text.book.who}</h1>
${alertOf(alert)}`,
    body: html`${facts([
      { term: words.visit, is: namesOf(visit) },
      {
        term: words.when,
        is: visitTimeIn(language, venue.playroom.time_zone, start, start + pkg.duration_minutes * minuteMs)
      }
    ])}
<form class="card" method="post" action="${deskPaths.book}" novalidate>
${hiddenInputs({ form: desk.form, option: option_id })}
${bookingFields(input, visit, faults, language)}
${actions(html`<button name="do" value="check">${text.goOn}</button>`, otherTime(desk, entered))}
</form>`
  })
}

/** What is due now and how it may be paid. */
const payingParts = ({ language }: DeskRequest, { currency, due_now, hold_expires_at, terms, total }: BookingRow) => {
  const { desk, receipt } = messages[language]
  const { book } = desk
  const money = (amount: number) => moneyIn(language, amount, currency)
  if (hold_expires_at === null) return notice(html`<p>${book.free}</p>`)
  const ways = VenueWay.literals.map((value) => ({ value, label: receipt.paidBy[value] }))
  return html`${choice("pay", book.how, [{ value: "link", label: book.link }, ...ways], undefined)}
<p>${book.held(momentIn(language, terms.time_zone, hold_expires_at))}</p>
${
  due_now === total
    ? ""
    : choice(
        "amount",
        book.howMuch,
        [
          { value: "due_now", label: book.due(money(due_now)) },
          { value: "total", label: book.all(money(total)) }
        ],
        "due_now"
      )
}`
}

/** What will be booked, and what happens with the money. `key`: of this one call, however often it is sent. */
export const checkPage = (
  desk: DeskRequest,
  entered: EnteredBooking,
  booking: BookingRow,
  {
    agreed,
    alert,
    key,
    now
  }: { readonly agreed: string; readonly alert?: string; readonly key: string; readonly now: number }
): Response => {
  const { language } = desk
  const { booking: text, desk: words, operator, words: common } = messages[language]
  const { contact_email, contact_name, contact_phone, currency, due_now, notes, terms } = booking
  const { balance_due } = terms.price
  const money = (amount: number) => html`<strong>${moneyIn(language, amount, currency)}</strong>`
  const by = balanceHow(terms, language)
  return deskPage(desk, {
    title: words.book.check,
    status: alert === undefined ? 200 : 409,
    head: html`<h1>${words.book.check}</h1>
${alertOf(alert)}`,
    body: html`<div class="columns">
<div>
${facts([
  { term: common.visit, is: html`${isolated(terms.package_name)}<br>${isolated(terms.playroom_name)}` },
  { term: common.when, is: whenOf(booking, language) },
  { term: text.who, is: partyIn(language, booking) },
  ...(notes === null ? [] : [{ term: operator.notes, is: paragraphs(notes) }]),
  {
    term: words.contact,
    is: html`${isolated(contact_name)}<br>${contact_phone === null ? "" : html`${phoneLink(contact_phone)}<br>`}${emailLink(contact_email)}`
  },
  { term: common.dueNow, is: money(due_now) },
  ...(balance_due === undefined
    ? []
    : [
        {
          term: common.balance,
          is: html`${money(balance_due)}${by === undefined ? "" : html`<br><span class="soft">${by}</span>`}`
        }
      ])
])}
${priceTable(booking, language)}
</div>
<div>
${section(text.terms, termsParagraphs(booking, { now, given_back: 0, left: 0, refund_on_its_way: 0, balance_paid: false }, language))}
<form class="card" method="post" action="${deskPaths.book}" novalidate>
${hiddenInputs({ ...carriedFields(entered.input), form: desk.form, option: entered.option_id, agreed, key })}
${payingParts(desk, booking)}
${actions(
  html`<button name="do" value="book">${words.book.confirm}</button>`,
  html`<button class="second" name="do" value="edit">${words.book.edit}</button>`,
  otherTime(desk, entered)
)}
</form>
</div>
</div>`
  })
}
