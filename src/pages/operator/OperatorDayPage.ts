/** `/o/{token}`: the day of an operator, to read on a telephone and to print. */
import type { HttpServerResponse } from "effect/http"
import { isErased } from "../../booking/ErasedPerson.ts"
import type { Extra } from "../../booking/Extras.ts"
import type { DayCount } from "../../booking/OperatorVisits.ts"
import { escape } from "../../kernel/Html.ts"
import type { Language } from "../../kernel/Language.ts"
import { addDays, dayRange, type LocalDate, localDateOf } from "../../kernel/LocalTime.ts"
import { dateIn, dateTimeIn, moneyIn, timeIn, zoneNameIn } from "../../kernel/Localized.ts"
import type { ExpectedVisit, OperatorDay } from "../../payment/OperatorDays.ts"
import { copyable, page } from "../Layout.ts"
import { buttonLink, emailLink, notice } from "../Parts.ts"
import { messages, type Messages } from "./OperatorMessages.ts"

/** The day as a link on the page itself, whose address is a secret that it need not repeat. */
const dayLink = (date: LocalDate, cursor?: string): string =>
  `?day=${date}${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`

/** A date as an instant at which it is that date in UTC, for formatting. */
const noon = (date: LocalDate): number => Date.parse(`${date}T12:00:00Z`)
const dateText = (language: Language, date: LocalDate): string => dateIn(language, "UTC", noon(date))

const times = (language: Language, zone: string, start: number, end: number): string =>
  `${timeIn(language, zone, start)}–${timeIn(language, zone, end)}`

const timesOf = (language: Language, visit: ExpectedVisit): string =>
  times(language, visit.time_zone, visit.starts_at, visit.ends_at)

const extraText = ({ name, quantity }: Extra): string => `${quantity} × ${name}`

/** A number as it is dialled: without spaces and brackets, and without the (0) that nobody dials after a country's prefix. */
const dialled = (phone: string): string => phone.replace(/^(\s*\+[\d\s.-]*)\(0\)/, "$1").replace(/[^\d+]/g, "")

const moneyText = (text: Messages, language: Language, visit: ExpectedVisit): string => {
  if (visit.outstanding > 0) return text.toPay(moneyIn(language, visit.outstanding, visit.currency))
  if (visit.payment_status === "paid") return text.paid
  return visit.total === 0 ? text.nothingToPay : text.givenBack
}

const heldText = (text: Messages, language: Language, visit: ExpectedVisit): string =>
  visit.payment_status === "processing" || visit.hold_expires_at === null
    ? text.onItsWay
    : text.keptUntil(
        localDateOf(visit.time_zone, visit.hold_expires_at) === localDateOf(visit.time_zone, visit.starts_at)
          ? timeIn(language, visit.time_zone, visit.hold_expires_at)
          : dateTimeIn(language, visit.time_zone, visit.hold_expires_at)
      )

const contactOf = ({ contact_email, contact_phone }: ExpectedVisit): string =>
  isErased({ contact_email })
    ? ""
    : [
        ...(contact_phone === null
          ? []
          : [`<a href="tel:${escape(dialled(contact_phone))}">${escape(contact_phone)}</a>`]),
        emailLink(contact_email)
      ].join(" · ")

const nameOf = (text: Messages, visit: ExpectedVisit): string => (isErased(visit) ? text.erased : visit.contact_name)

const visitOf = (text: Messages, language: Language, visit: ExpectedVisit): string => {
  const ages = visit.child_ages.length === 0 ? "" : ` (${text.ages(visit.child_ages.join(", "))})`
  const money = visit.status === "held" ? heldText(text, language, visit) : moneyText(text, language, visit)
  const due = visit.status === "held" || visit.outstanding > 0
  return `<article class="visit${visit.status === "held" ? " unsure" : ""}">
<h4><span class="time">${escape(timesOf(language, visit))}</span> <bdi>${escape(nameOf(text, visit))}</bdi></h4>
<p><bdi>${escape(visit.package_name)}</bdi><span class="then">${escape(text.party(visit.children, visit.adults) + ages)}</span></p>
${visit.extras.length === 0 ? "" : `<p>${escape(text.extras)}: <b>${visit.extras.map((extra) => escape(extraText(extra))).join(", ")}</b></p>`}
${visit.notes === null || visit.notes.trim() === "" ? "" : `<p class="note"><span class="soft">${escape(text.notes)}:</span> <bdi>${escape(visit.notes)}</bdi></p>`}
<p>${due ? `<b class="due">${escape(money)}</b>` : escape(money)}</p>
<p class="contact">${contactOf(visit)}<span class="then soft">${escape(text.reference)} <span class="code">${escape(visit.reference)}</span></span></p>
</article>`
}

/** The visits of one playroom: those that are sure, then those that are not, then what was cancelled. */
const roomOf = (
  text: Messages,
  language: Language,
  visits: ReadonlyArray<ExpectedVisit>,
  { date, time_zone }: OperatorDay
): string => {
  const [first] = visits
  if (first === undefined) return ""
  const shown = (status: ExpectedVisit["status"]) =>
    visits.filter((visit) => visit.status === status).map((visit) => visitOf(text, language, visit))
  const [sure, unsure] = [shown("confirmed"), shown("held")]
  const cancelled = visits.filter(({ status }) => status === "cancelled")
  const zone =
    first.time_zone === time_zone
      ? ""
      : `<p class="soft">${escape(`${zoneNameIn(language, first.time_zone, dayRange(first.time_zone, date).start)} (${first.time_zone})`)}</p>`
  return `<section>
<h2><bdi>${escape(first.playroom_name)}</bdi></h2>
${zone}
${sure.length === 0 ? "" : `<h3>${escape(text.confirmed)}</h3>\n${sure.join("\n")}`}
${unsure.length === 0 ? "" : `<h3>${escape(text.unsure)}</h3>\n${unsure.join("\n")}`}
${
  cancelled.length === 0
    ? ""
    : `<p class="soft">${escape(text.cancelled)}: ${cancelled
        .map(
          (visit) =>
            `<s>${escape(timesOf(language, visit))}</s> <bdi>${escape(nameOf(text, visit))}</bdi> (${escape(visit.reference)})`
        )
        .join("; ")}</p>`
}
</section>`
}

const closuresOf = (text: Messages, language: Language, { closures, date }: OperatorDay): string =>
  closures.length === 0
    ? ""
    : notice(
        `<ul class="plain">${closures
          .map(({ end, playroom_name, reason, start, time_zone }) => {
            const range = dayRange(time_zone, date)
            const when =
              start <= range.start && end >= range.end
                ? text.allDay
                : times(language, time_zone, Math.max(start, range.start), Math.min(end, range.end))
            return `<li><b>${escape(text.closed)}: <bdi>${escape(playroom_name)}</bdi></b>, ${escape(when)}${reason === "" ? "" : ` <span class="soft"><bdi>${escape(reason)}</bdi></span>`}</li>`
          })
          .join("")}</ul>`
      )

const summaryOf = (text: Messages, { confirmed, children, held }: DayCount): string =>
  confirmed + held === 0
    ? text.noVisits
    : `${text.visits(confirmed + held, children)}${held === 0 ? "" : ` (${text.unsureToo(held)})`}`

const shortDay = (language: Language, date: LocalDate): string =>
  new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" }).format(noon(date))

const weekOf = (text: Messages, language: Language, { date, today, week }: OperatorDay): string => {
  const days = week.map((count) => {
    const here = count.date === date ? ` aria-current="date"` : ""
    const n = count.confirmed + count.held
    const day = `<span>${escape(shortDay(language, count.date))}</span> <b>${Number(count.date.slice(8))}</b>`
    const visits = `<span class="count" aria-hidden="true">${n === 0 ? "–" : n}</span><span class="unseen">, ${escape(summaryOf(text, count))}</span>`
    return `<li><a href="${dayLink(count.date)}"${here}>${day}${visits}</a></li>`
  })
  const beside = (days: number, label: string) => buttonLink(dayLink(addDays(date, days)), label, true)
  return `<nav class="days noprint" aria-label="${escape(text.days)}">
<ol class="week">${days.join("\n")}</ol>
<div class="actions">${beside(-7, text.weekBefore)}${date === today ? "" : buttonLink(dayLink(today), text.today, true)}${beside(7, text.weekAfter)}</div>
</nav>`
}

/** The address of the feed, in the language of the page: what fetches it for a calendar has none of its own. */
const calendarPart = (text: Messages, feed: string): string => `<section class="noprint">
<h2>${escape(text.calendar)}</h2>
<p>${escape(text.calendarLead)}</p>
${copyable(feed)}
<div class="actions">${buttonLink(feed.replace(/^https?:/, "webcal:"), text.subscribe, true)}</div>
<p class="soft">${escape(text.secret)}</p>
</section>`

/** The page; `feed` is the address of the operator's calendar. */
export const operatorDayPage = (
  day: OperatorDay,
  language: Language,
  feed: string
): HttpServerResponse.HttpServerResponse => {
  const text = messages[language]
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
  return page(
    `${title}: ${operator.name}`,
    `<header>
<p class="above"><bdi>${escape(operator.name)}</bdi></p>
<h1>${escape(title)}</h1>
<p class="lead">${escape(summaryOf(text, count))}</p>
</header>
${day.misunderstood ? `<p role="alert">${escape(text.misunderstood)}</p>` : ""}
${weekOf(text, language, day)}
${closuresOf(text, language, day)}
${
  extras.length === 0
    ? ""
    : `<section class="card">\n<h2>${escape(text.prepare)}</h2>\n<ul class="plain">${extras.map((extra) => `<li>${escape(extraText(extra))}</li>`).join("")}</ul>\n</section>`
}
${[...rooms.values()].map((visits) => roomOf(text, language, visits, day)).join("\n")}
${paging.length === 0 ? "" : `<div class="actions">${paging.join("\n")}</div>`}
${calendarPart(text, feed)}`,
    { language, headers: { vary: "accept-language" } }
  )
}
