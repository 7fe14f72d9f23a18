/** `/o/{token}`: an operator's day, for phones and for printing. */
import type { HttpServerResponse } from "effect/http"
import { isErased } from "../../booking/ErasedPerson.ts"
import type { Extra } from "../../booking/Extras.ts"
import type { DayCount } from "../../booking/OperatorVisits.ts"
import { html, type Html, joined } from "../../kernel/Html.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import { addDays, dayRange, type Instant, type LocalDate, localDateOf } from "../../kernel/LocalTime.ts"
import { pluralIn, dateIn, dateTimeIn, moneyIn, partyIn, timeIn, timesIn, zoneNameIn } from "../../i18n/Localized.ts"
import type { ExpectedVisit, OperatorDay } from "./OperatorDays.ts"
import { copyable, page } from "../Layout.ts"
import { actions, buttonLink, emailLink, isolated, notice, phoneLink } from "../Parts.ts"

/** A relative link to a day, which keeps the page's secret address out of the markup. */
const dayLink = (date: LocalDate, cursor?: string): string =>
  `?day=${date}${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`

/** Noon UTC of a date, for formatting. */
const noon = (date: LocalDate): number => Date.parse(`${date}T12:00:00Z`)
const dateText = (language: Language, date: LocalDate): string => dateIn(language, "UTC", noon(date))

const timesOf = (language: Language, visit: ExpectedVisit): string =>
  timesIn(language, visit.time_zone, visit.starts_at, visit.ends_at)

const extraText = ({ name, quantity }: Extra): string => `${quantity} × ${name}`

const settledText = (language: Language, { standing, total }: ExpectedVisit): string => {
  const { operator: text, words } = messages[language]
  return standing.refund !== "none" ? text.givenBack : total === 0 ? text.nothingToPay : words.paid
}

/** The payment text of a visit, and whether anything is due. */
const moneyOf = (language: Language, visit: ExpectedVisit): { readonly due: boolean; readonly money: string } => {
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

const nameOf = (language: Language, visit: ExpectedVisit): string =>
  isErased(visit) ? messages[language].operator.erased : visit.contact_name

const visitOf = (language: Language, visit: ExpectedVisit): Html => {
  const { operator: text, words } = messages[language]
  const { due, money } = moneyOf(language, visit)
  const extras =
    visit.extras.length === 0 ? "" : html`<p>${text.extras}: <b>${visit.extras.map(extraText).join(", ")}</b></p>`
  const notes =
    visit.notes === null || visit.notes.trim() === ""
      ? ""
      : html`<p class="note"><span class="soft">${text.notes}:</span> ${isolated(visit.notes)}</p>`
  return html`<article class="visit${visit.status === "held" ? " unsure" : ""}">
<h4><span class="time">${timesOf(language, visit)}</span> ${isolated(nameOf(language, visit))}</h4>
<p>${isolated(visit.package_name)}<span class="then">${partyIn(language, visit)}</span></p>
${extras}
${notes}
<p>${due ? html`<b class="due">${money}</b>` : money}</p>
<p class="contact">${contactOf(visit)}<span class="then soft">${words.reference} <span class="code">${visit.reference}</span></span></p>
</article>`
}

/** The visits of one playroom: confirmed, then held, then cancelled. */
const roomOf = (
  language: Language,
  visits: ReadonlyArray<ExpectedVisit>,
  { date, time_zone }: OperatorDay
): Html | undefined => {
  const { operator: text, words } = messages[language]
  const [first] = visits
  if (first === undefined) return undefined
  const shown = (status: ExpectedVisit["status"]) =>
    visits.filter((visit) => visit.status === status).map((visit) => visitOf(language, visit))
  const [sure, unsure] = [shown("confirmed"), shown("held")]
  const cancelled = visits
    .filter(({ status }) => status === "cancelled")
    .map((visit) => html`<s>${timesOf(language, visit)}</s> ${isolated(nameOf(language, visit))} (${visit.reference})`)
  const zone =
    first.time_zone === time_zone
      ? ""
      : html`<p class="soft">${zoneNameIn(language, first.time_zone, dayRange(first.time_zone, date).start)} (${first.time_zone})</p>`
  return html`<section>
<h2>${isolated(first.playroom_name)}</h2>
${zone}
${sure.length === 0 ? "" : html`<h3>${words.confirmed}</h3>\n${sure}`}
${unsure.length === 0 ? "" : html`<h3>${text.unsure}</h3>\n${unsure}`}
${cancelled.length === 0 ? "" : html`<p class="soft">${words.cancelled}: ${joined(cancelled, "; ")}</p>`}
</section>`
}

const closuresOf = (language: Language, { closures, date }: OperatorDay): Html | undefined => {
  const text = messages[language].operator
  const items = closures.map(({ end, playroom_name, reason, start, time_zone }) => {
    const range = dayRange(time_zone, date)
    const when =
      start <= range.start && end >= range.end
        ? text.allDay
        : timesIn(language, time_zone, Math.max(start, range.start), Math.min(end, range.end))
    const why = reason === "" ? "" : html` <span class="soft">${isolated(reason)}</span>`
    return html`<li><b>${text.closed}: ${isolated(playroom_name)}</b>, ${when}${why}</li>`
  })
  return items.length === 0 ? undefined : notice(html`<ul class="plain">${items}</ul>`)
}

/** What the operator can act on now, whichever day is shown. */
const noticesOf = (language: Language, { notices }: OperatorDay): Html | undefined => {
  const text = messages[language].operator
  const items = notices.map(
    ({ amount, currency, kind, reference }) =>
      html`<li>${text.notices[kind](moneyIn(language, amount, currency), reference)}</li>`
  )
  return items.length === 0
    ? undefined
    : html`<section class="card noprint">\n<h2>${text.toDo}</h2>\n<ul class="plain">${items}</ul>\n</section>`
}

const summaryOf = (language: Language, { confirmed, children, held }: DayCount): string => {
  const { operator: text, words } = messages[language]
  const visits = confirmed + held
  if (visits === 0) return text.noVisits
  const comers = [pluralIn(language, visits, text.visits), pluralIn(language, children, words.children)]
  return `${comers.join(words.comma)}${held === 0 ? "" : ` (${text.unsureToo(held)})`}`
}

const shortDay = (language: Language, date: LocalDate): string =>
  new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" }).format(noon(date))

const weekOf = (language: Language, { date, today, week }: OperatorDay): Html => {
  const text = messages[language].operator
  const days = week.map((count) => {
    const here = count.date === date ? html` aria-current="date"` : ""
    const n = count.confirmed + count.held
    const day = html`<span>${shortDay(language, count.date)}</span> <b>${Number(count.date.slice(8))}</b>`
    const visits = html`<span class="count" aria-hidden="true">${n === 0 ? "–" : n}</span><span class="unseen">, ${summaryOf(language, count)}</span>`
    return html`<li><a href="${dayLink(count.date)}"${here}>${day}${visits}</a></li>`
  })
  const beside = (days: number, label: string) => buttonLink(dayLink(addDays(date, days)), label, true)
  const toToday = date === today ? "" : buttonLink(dayLink(today), text.today, true)
  return html`<nav class="days noprint" aria-label="${text.days}">
<ol class="week">${days}</ol>
<div class="actions">${beside(-7, text.weekBefore)}${toToday}${beside(7, text.weekAfter)}</div>
</nav>`
}

/** The feed's address in the page's language, since calendar clients send none. */
const calendarPart = (language: Language, feed: string): Html => {
  const text = messages[language].operator
  return html`<section class="noprint">
<h2>${text.calendar}</h2>
<p>${text.calendarLead}</p>
${copyable(feed)}
<div class="actions">${buttonLink(feed.replace(/^https?:/, "webcal:"), text.subscribe, true)}</div>
<p class="soft">${text.secret}</p>
</section>`
}

/** The page. `feed` is the address of the operator's calendar. */
export const operatorDayPage = (
  day: OperatorDay,
  language: Language,
  feed: string
): HttpServerResponse.HttpServerResponse => {
  const text = messages[language].operator
  const { date, extras, next_cursor, operator, visits, week } = day
  const title = dateText(language, date)
  const count = week.find((one) => one.date === date) ?? { date, confirmed: 0, held: 0, children: 0 }
  const rooms = Map.groupBy(visits, ({ playroom_id }) => playroom_id)
  const paging = [
    ...(day.next_date === undefined
      ? []
      : [buttonLink(dayLink(day.next_date), text.nextVisit(dateText(language, day.next_date)))]),
    ...(day.continued ? [buttonLink(dayLink(date), text.fromStart, true)] : []),
    ...(next_cursor === undefined ? [] : [buttonLink(dayLink(date, next_cursor), text.more, true)])
  ]
  const prepare = extras.map((extra) => html`<li>${extraText(extra)}</li>`)
  return page(
    `${title}: ${operator.name}`,
    html`<header>
<p class="above">${isolated(operator.name)}</p>
<h1>${title}</h1>
<p class="lead">${summaryOf(language, count)}</p>
</header>
${day.misunderstood ? html`<p role="alert">${text.misunderstood}</p>` : ""}
${noticesOf(language, day)}
${weekOf(language, day)}
${closuresOf(language, day)}
${extras.length === 0 ? "" : html`<section class="card">\n<h2>${text.prepare}</h2>\n<ul class="plain">${prepare}</ul>\n</section>`}
${[...rooms.values()].map((visits) => roomOf(language, visits, day))}
${actions(...paging)}
${calendarPart(language, feed)}`,
    { language, headers: { vary: "accept-language" } }
  )
}
