/** The parts of a day at an operator, for its read-only page and for the desk. */
import { isErased } from "../../../domain/booking/BookingRecords.ts"
import type { Extra } from "../../../domain/booking/BookingRequest.ts"
import { type DayCount, noVisits } from "../../../domain/booking/OperatorVisits.ts"
import { html, type Html, joined } from "../../../platform/text/Html.ts"
import type { PlayroomClosure } from "../../../domain/catalogue/Catalogue.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { addDays, dayRange, type Instant, type LocalDate, localDateOf } from "../../../platform/time/LocalTime.ts"
import {
  pluralIn,
  dateIn,
  dateTimeIn,
  moneyIn,
  partyIn,
  timeIn,
  timesIn,
  zoneNameIn
} from "../../../words/Localized.ts"
import type { ExpectedVisit, OperatorDay, ShownNotice } from "./OperatorDays.ts"
import { actions, buttonLink, emailLink, isolated, notice, phoneLink } from "../frame/Parts.ts"
import { sumsByCurrency } from "../../../platform/money/Money.ts"

/** A relative link to a day, which keeps the page's secret address out of the markup. */
const dayLink = (date: LocalDate, cursor?: string): string =>
  `?day=${date}${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`

/** Noon UTC of a date, for formatting. */
const noon = (date: LocalDate): number => Date.parse(`${date}T12:00:00Z`)
export const dateText = (language: Language, date: LocalDate): string => dateIn(language, "UTC", noon(date))

const timesOf = (language: Language, visit: ExpectedVisit): string =>
  timesIn(language, visit.time_zone, visit.starts_at, visit.ends_at)

const extraText = ({ name, quantity }: Extra): string => `${quantity} × ${name}`

const settledText = (language: Language, { standing, total }: Pick<ExpectedVisit, "standing" | "total">): string => {
  const { operator: text, words } = messages[language]
  return standing.refund !== "none" ? text.givenBack : total === 0 ? text.nothingToPay : words.paid
}

type VisitMoney = Pick<ExpectedVisit, "currency" | "standing" | "starts_at" | "time_zone" | "total">

/** The payment text of a visit, and whether anything is due. */
export const moneyOf = (language: Language, visit: VisitMoney): { readonly due: boolean; readonly money: string } => {
  const text = messages[language].operator
  const { currency, standing, starts_at, time_zone: zone } = visit
  const keptUntil = (until: Instant) => {
    const sameDay = localDateOf(zone, until) === localDateOf(zone, starts_at)
    return text.keptUntil(sameDay ? timeIn(language, zone, until) : dateTimeIn(language, zone, until))
  }
  switch (standing.kind) {
    case "to_pay":
    case "payment_failed":
    case "not_payable":
      return { due: true, money: keptUntil(standing.until) }
    case "payment_under_review":
    case "balance_under_review":
    case "expired_under_review":
    case "cancelled_under_review":
      return { due: true, money: text.inQuestion }
    case "payment_processing":
      return { due: true, money: text.onItsWay }
    case "arriving":
      return { due: true, money: standing.until === null ? text.onItsWay : keptUntil(standing.until) }
    case "balance_due":
    case "balance_processing":
      return { due: true, money: text.toPay(moneyIn(language, standing.balance.amount, currency)) }
    case "confirmed_paid_back":
      return { due: true, money: text.allGivenBack }
    case "balance_overdue": {
      const { amount, due_at } = standing.balance
      return { due: true, money: text.overdue(moneyIn(language, amount, currency), dateTimeIn(language, zone, due_at)) }
    }
    case "over":
    case "did_not_come":
      if (standing.balance?.payment === "under_review") return { due: true, money: text.inQuestion }
      return standing.balance === undefined
        ? { due: false, money: settledText(language, visit) }
        : { due: true, money: text.toPay(moneyIn(language, standing.balance.amount, currency)) }
    case "free":
    case "paid":
      return { due: false, money: settledText(language, visit) }
    case "released":
    case "expired":
    case "expired_processing":
    case "expired_going_back":
    case "expired_paid_back":
    case "cancelled":
    case "cancelled_kept":
    case "cancelled_processing":
    case "cancelled_going_back":
    case "cancelled_paid_back":
      return { due: false, money: "" }
  }
}

const contactOf = ({ contact_email, contact_phone }: ExpectedVisit): Html | undefined => {
  if (isErased({ contact_email })) return undefined
  const phone = contact_phone === null ? [] : [phoneLink(contact_phone)]
  return joined([...phone, emailLink(contact_email)], " · ")
}

export const nameOf = (language: Language, visit: Pick<ExpectedVisit, "contact_email" | "contact_name">): string =>
  isErased(visit) ? messages[language].operator.erased : visit.contact_name

/** How a day is shown: in which language, and whether a visit's name leads to its booking. */
interface DayView {
  readonly language: Language
  readonly zone: string
  readonly href?: (visit: ExpectedVisit) => string
  /** What can be done with a visit. */
  readonly buttons?: (visit: ExpectedVisit) => Html | undefined
  /** Who closed a time, and what can be done about it. */
  readonly closure?: (closure: PlayroomClosure) => Html
  /** Whether visits are of several days. */
  readonly dated?: true
}

/** A visit: who comes when, with whom, what to prepare, and what is still to be paid. */
export const visitPart = (visit: ExpectedVisit, { buttons, dated, href, language, zone }: DayView): Html => {
  const { desk, operator: text, words } = messages[language]
  const { attendance, status, time_zone } = visit
  const { due, money } = moneyOf(language, visit)
  const name = isolated(nameOf(language, visit))
  const date = dated === undefined ? "" : html`${dateIn(language, time_zone, visit.starts_at)}, `
  const abroad =
    time_zone === zone
      ? ""
      : html` <span class="soft">(${zoneNameIn(language, time_zone, visit.starts_at)}, ${time_zone})</span>`
  const standing =
    status === "cancelled"
      ? words.cancelled
      : status === "held"
        ? text.unsure
        : attendance === null
          ? undefined
          : desk.marks[attendance]
  const blocked = visit.blocked === null ? "" : html`<b class="due">${text.blocked[visit.blocked]}</b> · `
  const extras =
    visit.extras.length === 0 ? "" : html`<p>${text.extras}: <b>${visit.extras.map(extraText).join(", ")}</b></p>`
  const notes =
    visit.notes === null || visit.notes.trim() === ""
      ? ""
      : html`<p class="note"><span class="soft">${text.notes}:</span> ${isolated(visit.notes)}</p>`
  return html`<article id="${visit.reference}" class="visit${status === "confirmed" ? "" : " unsure"}">
<div>
<h3>${date}<span class="time">${timesOf(language, visit)}</span>${abroad} ${href === undefined ? name : html`<a href="${href(visit)}">${name}</a>`}</h3>
<p>${blocked}${standing === undefined ? "" : html`<b>${standing}</b> · `}${isolated(visit.playroom_name)} · ${isolated(visit.package_name)}</p>
<p>${partyIn(language, visit)}</p>
</div>
<div>
${extras}
${notes}
</div>
<div>
<p>${due ? html`<b class="due">${money}</b>` : money}</p>
<p class="contact">${contactOf(visit)}<span class="then soft">${words.reference} <span class="code">${visit.reference}</span></span></p>
${buttons?.(visit)}
</div>
</article>`
}

/** The visits by time, with a line at the present moment of today. */
const visitsOf = (day: OperatorDay, view: DayView): Html | undefined => {
  if (day.visits.length === 0) return undefined
  const { continued, date, next_cursor, now, time_zone, today, visits } = day
  const { language } = view
  const { desk: text, words } = messages[language]
  const line = html`<p class="now" role="separator"><b>${text.now(timeIn(language, time_zone, now))}</b></p>`
  const coming = visits.findIndex(({ starts_at }) => starts_at > now)
  const at = coming === -1 ? (next_cursor === undefined ? visits.length : undefined) : coming
  const shown = date === today && at !== undefined && !(continued && at === 0)
  const gone = visits.filter(({ status }) => status === "cancelled")
  const items = visits.map((visit, index) => [
    ...(shown && index === at ? [line] : []),
    ...(visit.status === "cancelled" ? [] : [visitPart(visit, view)])
  ])
  const cancelled = gone.map((visit) => {
    const name = html`<s>${timesOf(language, visit)}</s> ${isolated(nameOf(language, visit))} (${visit.reference})`
    return view.href === undefined ? name : html`<a href="${view.href(visit)}">${name}</a>`
  })
  return html`<section>
<h2>${text.visits}</h2>
${items}${shown && at === visits.length ? line : ""}
${gone.length === 0 ? "" : html`<p class="soft">${words.cancelled}: ${joined(cancelled, "; ")}</p>`}
</section>`
}

/** How many children are there in each hour. */
const hoursOf = ({ hours }: OperatorDay, language: Language): Html | undefined =>
  hours.length === 0
    ? undefined
    : html`<section class="card">
<h2>${messages[language].desk.byHour}</h2>
<ol class="hours">${hours.map(({ children, hour }) => html`<li>${hour} <b>${children}</b></li>`)}</ol>
</section>`

const prepareOf = ({ extras }: OperatorDay, language: Language): Html | undefined =>
  extras.length === 0
    ? undefined
    : html`<section class="card">
<h2>${messages[language].operator.prepare}</h2>
<ul class="plain">${extras.map((extra) => html`<li>${extraText(extra)}</li>`)}</ul>
</section>`

/** What is to be collected for the whole day, in each currency. */
const collectOf = ({ continued, next_cursor, visits }: OperatorDay, language: Language): Html | undefined => {
  if (continued || next_cursor !== undefined) return undefined
  const sums = sumsByCurrency(
    visits.flatMap(({ currency, standing }) =>
      "balance" in standing && standing.balance !== undefined && standing.balance.payment !== "under_review"
        ? [{ ...standing.balance, currency }]
        : []
    )
  )
  return sums.length === 0
    ? undefined
    : html`<section class="card">
<h2>${messages[language].desk.toCollect}</h2>
${sums.map(({ amount, currency }) => html`<p class="lead"><strong>${moneyIn(language, amount, currency)}</strong></p>`)}
</section>`
}

/** When it is closed, here or by another calendar, with a warning if visits can't take place as things stand. */
const closuresOf = (
  { closure: made, language }: DayView,
  { busy, closures, date, more_closed }: OperatorDay,
  blocked: number
): Html | undefined => {
  const { desk, operator: text } = messages[language]
  const here = closures.map((closure) => ({ ...closure, beside: made?.(closure) }))
  const elsewhere = busy.map((time) => ({ ...time, beside: undefined, reason: text.otherCalendar(time.calendar) }))
  const items = [...here, ...elsewhere].map(({ beside, end, playroom_name, reason, start, time_zone }) => {
    const range = dayRange(time_zone, date)
    const when =
      start <= range.start && end >= range.end
        ? text.allDay
        : timesIn(language, time_zone, Math.max(start, range.start), Math.min(end, range.end))
    const why = reason === "" ? "" : html` <span class="soft">${isolated(reason)}</span>`
    return html`<li><b>${text.closed}: ${isolated(playroom_name)}</b>, ${when}${why}${beside === undefined ? "" : html` <span class="soft">(${beside})</span>`}</li>`
  })
  const warning =
    blocked === 0 ? "" : html`\n<p><b class="due">${pluralIn(language, blocked, text.visitsBlocked)}</b></p>`
  const more = more_closed ? html`<li>${desk.closing.furtherTimes}</li>` : ""
  return items.length === 0 && !more_closed && blocked === 0
    ? undefined
    : notice(html`<ul class="plain">${items}${more}</ul>${warning}`)
}

const noticeText = (language: Language, notice: ShownNotice, zone: string): string => {
  const { calendarNotices, notices } = messages[language].operator
  switch (notice.kind) {
    case "calendar_not_read":
      return calendarNotices.notRead(notice.calendar, notice.playroom_name, dateTimeIn(language, zone, notice.since))
    case "calendar_event_not_read":
      return calendarNotices.eventNotRead(notice.calendar, notice.playroom_name)
    case "booking_when_calendar_is_busy":
      return calendarNotices.booking(notice.reference, notice.playroom_name, notice.calendar)
    default:
      return notices[notice.kind](moneyIn(language, notice.amount, notice.currency), notice.reference)
  }
}

/** What the operator can act on now, whichever day is shown. */
const noticesOf = (language: Language, { notices, time_zone }: OperatorDay): Html | undefined => {
  const text = messages[language].operator
  const items = notices.map((one) => html`<li>${noticeText(language, one, time_zone)}</li>`)
  return items.length === 0
    ? undefined
    : html`<section class="card noprint">\n<h2>${text.toDo}</h2>\n<ul class="plain">${items}</ul>\n</section>`
}

const summaryOf = (language: Language, { blocked, confirmed, children, held }: DayCount): string => {
  const { operator: text, words } = messages[language]
  const visits = confirmed + held
  if (visits === 0) return text.noVisits
  const comers = [pluralIn(language, visits, text.visits), pluralIn(language, children, words.children)]
  const remarks = [...(held === 0 ? [] : [text.unsureToo(held)]), ...(blocked === 0 ? [] : [text.blockedToo(blocked)])]
  return `${comers.join(words.comma)}${remarks.length === 0 ? "" : ` (${remarks.join(words.comma)})`}`
}

const shortDay = (language: Language, date: LocalDate): string =>
  new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" }).format(noon(date))

const weekOf = (language: Language, { date, today, week }: OperatorDay): Html => {
  const text = messages[language].operator
  const days = week.map((count) => {
    const here = count.date === date ? html` aria-current="date"` : ""
    const n = count.confirmed + count.held
    const day = html`<span>${shortDay(language, count.date)}</span> <b>${Number(count.date.slice(8))}</b>`
    const visits = html`<span class="count" aria-hidden="true">${n === 0 ? "–" : n}${count.blocked === 0 ? "" : "!"}</span><span class="unseen">, ${summaryOf(language, count)}</span>`
    return html`<li><a href="${dayLink(count.date)}"${here}>${day}${visits}</a></li>`
  })
  const beside = (days: number, label: string) => buttonLink(dayLink(addDays(date, days)), label, true)
  const toToday = date === today ? "" : buttonLink(dayLink(today), text.today, true)
  return html`<nav class="days noprint" aria-label="${text.days}">
<ol class="week">${days}</ol>
<div class="actions">${beside(-7, text.weekBefore)}${toToday}${beside(7, text.weekAfter)}</div>
</nav>`
}

/** The head of a day's page, and everything on it. */
export const dayParts = (day: OperatorDay, view: DayView): { readonly head: Html; readonly body: Html } => {
  const { language } = view
  const text = messages[language].operator
  const { date, next_cursor, operator, week } = day
  const count = week.find((one) => one.date === date) ?? noVisits(date)
  const paging = [
    ...(day.next_date === undefined
      ? []
      : [buttonLink(dayLink(day.next_date), text.nextVisit(dateText(language, day.next_date)))]),
    ...(day.continued ? [buttonLink(dayLink(date), text.fromStart, true)] : []),
    ...(next_cursor === undefined ? [] : [buttonLink(dayLink(date, next_cursor), text.more, true)])
  ]
  return {
    head: html`<header>
<p class="above">${isolated(operator.name)}</p>
<h1>${dateText(language, date)}</h1>
<p class="lead">${summaryOf(language, count)}</p>
</header>
${day.misunderstood ? html`<p role="alert">${text.misunderstood}</p>` : ""}`,
    body: html`${weekOf(language, day)}
${noticesOf(language, day)}
${closuresOf(view, day, count.blocked)}
<div class="overview">
${hoursOf(day, language)}
${prepareOf(day, language)}
${collectOf(day, language)}
</div>
${visitsOf(day, view)}
${actions(...paging)}`
  }
}
