/** `/b/{token}`: the family's page of a booking. */
import type { HttpServerResponse } from "effect/http"
import { toView } from "../../booking/BookingViews.ts"
import { nextActor, payBefore, type Standing, standingOf } from "../../booking/Standing.ts"
import { html, type Html } from "../../kernel/Html.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import {
  dateIn,
  dateTimeIn,
  durationIn,
  momentIn,
  moneyIn,
  partyIn,
  timesIn,
  zoneNameIn
} from "../../i18n/Localized.ts"
import { dayMs, localDateOf } from "../../kernel/LocalTime.ts"
import type { ShownBooking } from "./ShownBookings.ts"
import { page } from "../Layout.ts"
import {
  actions,
  buttonLink,
  dataTable,
  type Fact,
  facts,
  hero,
  isolated,
  notice,
  paragraphs,
  type Picture,
  section
} from "../Parts.ts"
import { askVenue } from "../AskVenue.ts"
import { deadline, deadlineScript } from "../Deadline.ts"
import { type OpenedBooking, stepAddress, type StepParts } from "./BookingStep.ts"
import { termsParagraphs } from "./Terms.ts"

/** The playroom's first picture with an https address: the only external resource of the page. */
export const pictureOf = ({ playroom }: ShownBooking): (Picture & { readonly origin: string }) | undefined => {
  for (const { alt, url } of playroom?.photos ?? []) {
    const parsed = URL.parse(url)
    if (parsed?.protocol === "https:") return { url: parsed.href, alt, origin: parsed.origin }
  }
  return undefined
}

const mapAddress = ({ booking, playroom }: ShownBooking): string =>
  playroom === undefined
    ? `https://www.openstreetmap.org/search?query=${encodeURIComponent(booking.terms.address)}`
    : `https://www.openstreetmap.org/?mlat=${playroom.latitude}&mlon=${playroom.longitude}#map=17/${playroom.latitude}/${playroom.longitude}`

/** When the visit is, with its time zone. */
export const whenOf = ({ booking }: ShownBooking, language: Language): Html => {
  const { ends_at, starts_at, terms } = booking
  const { time_zone: zone } = terms
  const sameDay = localDateOf(zone, starts_at) === localDateOf(zone, ends_at)
  const times = sameDay
    ? html`${dateIn(language, zone, starts_at)}<br>${timesIn(language, zone, starts_at, ends_at)}`
    : html`${dateTimeIn(language, zone, starts_at)} –<br>${dateTimeIn(language, zone, ends_at)}`
  return html`${times}<br><span class="soft">${zoneNameIn(language, zone, starts_at)}</span>`
}

type BookedPrice = ShownBooking["booking"]["terms"]["price"]

/** The label of a price line. Labels that don't come from the catalogue are translated. */
const lineLabel = (
  { billed_children, kind, label, waived }: BookedPrice["lines"][number],
  { rate_percent }: BookedPrice["tax"],
  language: Language
): string => {
  const { lines } = messages[language].booking
  const billed = billed_children === undefined ? "" : ` (${lines.billedAs(String(billed_children))})`
  switch (kind) {
    case "children":
      return lines.children + billed
    case "extra_children":
      return lines.extraChildren + billed
    case "adults":
      return lines.adults
    case "extra_adults":
      return lines.extraAdults
    case "tax":
      return lines.tax(percentIn(language, rate_percent))
    case "rule":
      return waived === true ? lines.waived : label
    case "package":
    case "add_on":
      return label
  }
}

const percentIn = (language: Language, percent: number): string =>
  new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 3 }).format(percent / 100)

const priceTable = ({ booking }: ShownBooking, language: Language): Html => {
  const { booking: text, words } = messages[language]
  const { currency, terms, total } = booking
  const { lines, tax } = terms.price
  const money = (amount: number) => html`<span class="amount">${moneyIn(language, amount, currency)}</span>`
  const note =
    tax.amount === 0
      ? ""
      : html`<p class="soft">${text.tax(percentIn(language, tax.rate_percent), moneyIn(language, tax.amount, currency), tax.included)}</p>`
  return html`${dataTable(
    words.price,
    [text.what, text.quantity, text.amount],
    [
      ...lines.map((line) => [isolated(lineLabel(line, tax, language)), line.quantity, money(line.amount)]),
      [html`<strong>${words.total}</strong>`, "", html`<strong>${money(total)}</strong>`]
    ]
  )}${note}`
}

/** What is paid, due, and went back. */
export const moneyFacts = (
  { booking, summary }: ShownBooking,
  { kind }: Standing,
  language: Language
): ReadonlyArray<Fact> => {
  const { booking: text, words } = messages[language]
  const { balance, due_now, paid, refund_on_its_way, refunded } = toView(booking, summary)
  const money = (amount: number) => moneyIn(language, amount, booking.currency)
  const by = (moment: number) => {
    const left = moment - summary.now
    return [
      text.by(momentIn(language, booking.terms.time_zone, moment)),
      ...(left < dayMs ? [] : [messages[language].deadlines.left(durationIn(language, left))])
    ]
  }
  const fact = (
    term: string,
    amount: { readonly amount: number } | undefined,
    more: ReadonlyArray<string>
  ): ReadonlyArray<Fact> =>
    amount === undefined || amount.amount === 0
      ? []
      : [
          {
            term,
            is: html`<strong>${money(amount.amount)}</strong>${more.map((line) => html`<br><span class="soft">${line}</span>`)}`
          }
        ]
  const presented = (summary.presented ?? []).map((one) =>
    words.presented(moneyIn(language, one.amount, one.currency), money(one.paid))
  )
  return [
    ...fact(words.paid, paid, presented),
    ...fact(words.refunded, refunded, []),
    ...fact(words.refunding, refund_on_its_way, []),
    ...(kind === "to_pay" || kind === "payment_failed" ? fact(words.dueNow, due_now, []) : []),
    ...fact(words.balance, balance?.amount, balance === undefined ? [] : by(Date.parse(balance.due_at)))
  ]
}

/** That the last try to pay a balance failed. The words of an unpaid hold say it themselves (`payment_failed`). */
const lastTry = ({ summary }: ShownBooking, standing: Standing, language: Language): Html => {
  const { lead, title } = messages[language].checkoutReturn.failed
  return summary.last_attempt !== undefined && nextActor(standing) === "payer" && "balance" in standing
    ? notice(html`<p>${title}. ${lead}</p>`)
    : html``
}

/** How long a hold can still be paid; undefined if it is none. */
export const payDeadline = (
  { booking, summary }: ShownBooking,
  standing: Standing,
  language: Language
): Html | undefined => {
  const moment = payBefore(standing)
  return moment === undefined
    ? undefined
    : deadline({ moment, now: summary.now, zone: booking.terms.time_zone }, language)
}

/** How the booking stands, in words. */
export const leadOf = (
  { booking, summary }: ShownBooking,
  { kind }: Standing,
  language: Language
): { readonly heading: string; readonly lead: string } => {
  const view = toView(booking, summary)
  const money = (amount: number) => (amount === 0 ? "" : moneyIn(language, amount, booking.currency))
  const until = view.balance?.due_at
  const { heading, lead } = messages[language].standings[kind]
  return {
    heading,
    lead: lead({
      amount: money(view.due_now.amount || (view.balance?.amount.amount ?? 0)),
      until: until === undefined ? "" : momentIn(language, booking.terms.time_zone, Date.parse(until)),
      paid: money(booking.paid),
      on_its_way: money(summary.refund_on_its_way),
      paid_back: money(booking.refunded),
      online: summary.balance_online
    })
  }
}

/**
 * The page. `parts` come from the available steps. `formsLeadTo` is the allowed form target. `fault` says why a step
 * failed.
 */
export const bookingPage = (
  opened: OpenedBooking,
  parts: ReadonlyArray<StepParts>,
  formsLeadTo: string,
  fault?: string
): HttpServerResponse.HttpServerResponse => {
  const { asked, booking, disputed, playroom, unclear } = opened
  const { language } = asked
  const { terms } = booking
  const { booking: text, words } = messages[language]
  const standing = standingOf(booking, opened.summary)
  const { heading, lead } = leadOf(opened, standing, language)
  const picture = pictureOf(opened)
  const alive = booking.status === "held" || booking.status === "confirmed"
  const ahead = alive && opened.summary.now < booking.ends_at
  const waiting = alive && nextActor(standing) === "provider"
  const main = parts.find((part) => part.main !== undefined)?.main
  const end = payDeadline(opened, standing, language)
  const changes = parts.flatMap(({ action }) => (action === undefined ? [] : [action]))
  const calendarAddress = `${stepAddress(asked)}.ics`
  const calendar =
    standing.kind === "over"
      ? undefined
      : buttonLink(
          calendarAddress,
          ahead ? text.calendar : text.calendarUpdate,
          !ahead || waiting || main !== undefined
        )
  return page(
    `${heading}: ${terms.playroom_name}`,
    html`${hero({ picture, above: terms.playroom_name, title: heading, lead })}
${fault === undefined ? "" : html`<p role="alert">${fault}</p>`}
${disputed ? notice(html`<p>${text.disputed}</p>`) : ""}
${lastTry(opened, standing, language)}
${unclear ? notice(html`<p>${text.unclear}</p>`) : ""}
${end}
${actions(main, waiting ? buttonLink(stepAddress(asked), words.lookAgain) : undefined, calendar)}
${main === undefined ? "" : html`<p class="soft noprint">${text.payNote}</p>`}
${facts([
  { term: words.reference, is: html`<span class="reference">${booking.reference}</span>` },
  { term: text.what, is: isolated(terms.package_name) },
  { term: words.when, is: whenOf(opened, language) },
  {
    term: text.where,
    is: html`${isolated(terms.playroom_name)}<br>${isolated(terms.address)}<br><a class="noprint" href="${mapAddress(opened)}" rel="noreferrer">${text.map}</a>`
  },
  ...(ahead && opened.summary.bring !== undefined ? [{ term: words.bring, is: isolated(opened.summary.bring) }] : []),
  { term: text.who, is: partyIn(language, booking) },
  { term: text.bookedBy, is: isolated(booking.contact_name) },
  ...parts.flatMap(({ facts = [] }) => facts),
  ...(booking.notes === null ? [] : [{ term: text.notes, is: paragraphs(booking.notes) }]),
  ...moneyFacts(opened, standing, language)
])}
${priceTable(opened, language)}
${section(text.terms, ahead ? termsParagraphs(booking, opened.summary, language) : [])}
${changes.length === 0 ? "" : actions(...changes)}
${section(text.rules, ahead && playroom !== undefined ? paragraphs(playroom.house_rules) : [])}
${section(text.questions, [askVenue(opened.summary.operator, language)])}
<footer class="noprint"><p>${text.secret}</p></footer>`,
    {
      language,
      status: fault === undefined ? 200 : 409,
      headers: { vary: "accept-language" },
      formAction: formsLeadTo,
      pictureFrom: picture?.origin,
      script: end && deadlineScript
    }
  )
}
