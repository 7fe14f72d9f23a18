/** When and where a visit is, as all pages show it: the picture, the times, the address and the ways there. */

import type { BookingRow } from "../../../domain/booking/Booking.ts"
import { type bookedTerms, bookedTermsFacts } from "../../../domain/booking/BookingViews.ts"
import type { Playroom } from "../../../domain/catalogue/Playroom.ts"
import type { TermsFacts } from "../../../domain/catalogue/VisitTerms.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { localDateOf, type Instant, dayMinutes } from "../../../platform/time/LocalTime.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateIn, dateTimeIn, timesIn, zoneNameIn, moneyIn, partyIn } from "../../../words/Localized.ts"
import { isolated, type HostedPicture, dataTable, hostedPicture } from "../frame/Layout.ts"
import { HttpServerResponse } from "effect/http"
import { calendarFile, calendarMediaType, type SentCalendar } from "../../../platform/time/CalendarFile.ts"
import { askVenueText } from "../frame/LinkProblems.ts"
import type { CalendarBooking } from "./ShownBookings.ts"

// A booking's terms in a language, from the same facts as the tools' `terms.text`.

/** What comes back until when: a column for each sum that is or will be paid. Undefined if nothing ever does. */
const refundTable = (
  { refunds }: TermsFacts,
  { currency, terms }: BookingRow,
  language: Language
): Html | undefined => {
  const moments = [...new Set(refunds.flatMap(({ deadlines }) => deadlines.map(({ until }) => until)))]
  if (moments.length === 0) return undefined
  const text = messages[language].refundTable
  const heads = { paid: text.ofPaid, due_now: text.ofDueNow, all: text.ofAll }
  const money = (amount = 0) =>
    amount === 0 ? text.nothing : html`<span class="amount">${moneyIn(language, amount, currency)}</span>`
  const rows = moments
    .toSorted((one, other) => one - other)
    .map((moment) => [
      // On a telephone there is no head of the column that says it.
      html`<span class="narrow">${text.until} </span>${dateTimeIn(language, terms.time_zone, moment)}`,
      ...refunds.map(({ deadlines }) => money(deadlines.find(({ until }) => moment <= until)?.refund))
    ])
  return dataTable(
    text.caption,
    [text.until, ...refunds.map(({ of, sum }) => heads[of](moneyIn(language, sum, currency)))],
    [...rows, [text.afterwards, ...refunds.map(() => text.nothing)]]
  )
}

/** The current terms of a booking; empty if it is over. */
export const termsParagraphs = (
  booking: BookingRow,
  summary: Parameters<typeof bookedTerms>[1],
  language: Language
): ReadonlyArray<Html> => {
  const facts = bookedTermsFacts(booking, summary)
  if (facts === undefined) return []
  const { deadlines, terms: text } = messages[language]
  const money = (amount: number) => moneyIn(language, amount, booking.currency)
  const when = (instant: Instant) => dateTimeIn(language, booking.terms.time_zone, instant)
  const line = (text: string) => html`<p>${text}</p>`
  const refunds = refundTable(facts, booking, language)
  const { deposit, free_reschedule_until: moving, given_back, party } = facts
  const released = facts.released_if_unpaid_at
  const wentBack = given_back - summary.refund_on_its_way
  const amounts = [
    ...(deposit === undefined || deposit.amount === 0 ? [] : [line(text.deposit(money(deposit.amount), deposit.kept))]),
    ...(wentBack > 0 ? [line(text.wentBack(money(wentBack)))] : []),
    refunds ?? line(given_back === 0 ? text.nothingBack : text.nothingMoreBack)
  ]
  const dated = moving !== undefined || !party.over || released !== undefined || refunds !== undefined
  return [
    ...(facts.nothing_to_pay ? [line(text.nothingToPay)] : amounts),
    ...(facts.rest_at_venue ? [line(text.restAtVenue)] : []),
    ...(released === undefined ? [] : [line(text.releasedAt(when(released)))]),
    ...(moving === undefined ? [] : [line(text.moveUntil(when(moving)))]),
    ...(party.over ? [] : [line((party.grows_only ? text.growsBy : text.headcountBy)(when(party.until)))]),
    ...(party.over && party.headcount ? [line(text.headcountFinal)] : []),
    ...(dated ? [html`<p class="soft">${deadlines.local}</p>`] : [])
  ]
}

/** What is shown of a visit. */
export interface Visit extends Pick<BookingRow, "starts_at" | "ends_at"> {
  readonly terms: Pick<BookingRow["terms"], "address" | "playroom_name" | "time_zone">
}

/** The playroom's first picture with an https address: the only external resource of a page. */
export const pictureOf = (playroom: Pick<Playroom, "photos">): HostedPicture | undefined => {
  for (const photo of playroom.photos) {
    const picture = hostedPicture(photo)
    if (picture !== undefined) return picture
  }
  return undefined
}

/** When the visit is, with its time zone. */
export const whenOf = ({ ends_at, starts_at, terms: { time_zone: zone } }: Visit, language: Language): Html => {
  const sameDay = localDateOf(zone, starts_at) === localDateOf(zone, ends_at)
  const times = sameDay
    ? html`<strong>${dateIn(language, zone, starts_at)}</strong><br>${timesIn(language, zone, starts_at, ends_at)}`
    : html`<strong>${dateTimeIn(language, zone, starts_at)} –<br>${dateTimeIn(language, zone, ends_at)}</strong>`
  return html`${times} <span class="soft">(${zoneNameIn(language, zone, starts_at)})</span>`
}

/** When and where it is, below a page's heading. */
export const whenAndWhere = (visit: Visit, language: Language): Html =>
  html`<p class="when">${whenOf(visit, language)}</p>
<p class="place">${isolated(visit.terms.playroom_name)}<br>${isolated(visit.terms.address)}</p>`

/** Links to a map, and to the way there in whichever program the person chooses. */
export const wayThere = (
  { latitude, longitude }: Pick<Playroom, "latitude" | "longitude">,
  language: Language
): ReadonlyArray<Html> => {
  const text = messages[language].page
  const map = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`
  const way = `https://www.google.com/maps/dir/?api=1&destination=${latitude},${longitude}`
  return [
    html`<a href="${map}" rel="noreferrer">${text.map}</a>`,
    html`<a href="${way}" rel="noreferrer">${text.directions}</a>`
  ]
}

// A booking in calendars: its entry at `/b/{token}.ics`, and links that open the visit in calendars on the web.

const statuses = { held: "tentative", confirmed: "confirmed", expired: "cancelled", cancelled: "cancelled" } as const

/**
 * The entry's file. It does not link to the booking's page: people share calendars and invite others to parties.
 * `sent`: it goes by a letter from this address, at this time.
 */
export const calendarFileOf = (
  { booking, bring, changed_at, changes, operator }: CalendarBooking,
  language: Language,
  sent?: Pick<SentCalendar, "at" | "from">
) => {
  const { adults, children, terms } = booking
  const { words } = messages[language]
  const status = statuses[booking.status]
  const title = `${terms.package_name}, ${terms.playroom_name}`
  const method: SentCalendar["method"] = status === "cancelled" ? "CANCEL" : "PUBLISH"
  const text = calendarFile({
    language,
    ...(sent === undefined ? {} : { sent: { ...sent, method, organizer: operator.name } }),
    events: [
      {
        uid: booking.booking_id,
        sequence: changes,
        changed_at,
        status,
        start: booking.starts_at,
        end: booking.ends_at,
        time_zone: terms.time_zone,
        // Programs that read no status show the title alone (calcurse 4.7.1).
        summary: status === "cancelled" ? `${words.cancelled} – ${title}` : title,
        description: [
          `${words.reference}: ${booking.reference}`,
          partyIn(language, { adults, children }),
          ...(bring === undefined ? [] : [`${words.bring}: ${bring}`]),
          askVenueText(operator, language)
        ].join("\n"),
        location: `${terms.playroom_name}, ${terms.address}`,
        reminder_minutes: dayMinutes
      }
    ]
  })
  return { name: `${booking.reference}.ics`, text, method }
}

export const calendarEntry = (booking: CalendarBooking, language: Language): HttpServerResponse.HttpServerResponse => {
  const { name, text } = calendarFileOf(booking, language)
  return HttpServerResponse.text(text, {
    contentType: calendarMediaType,
    headers: {
      "cache-control": "no-store",
      vary: "accept-language",
      "content-disposition": `attachment; filename="${name}"`
    }
  })
}

/** `20261205T140000Z`. */
const compact = (instant: number): string => new Date(instant).toISOString().replaceAll(/[-:]|\.\d+/g, "")

/**
 * Links to calendars on the web. They carry what the page says of the visit, and no token. `title`: what the calendar
 * shows.
 */
export const webCalendars = (
  { ends_at, starts_at, terms }: Visit,
  title: string,
  language: Language
): ReadonlyArray<Html> => {
  const text = messages[language].calendars
  const location = `${terms.playroom_name}, ${terms.address}`
  const google = new URLSearchParams({
    action: "TEMPLATE",
    text: title,
    dates: `${compact(starts_at)}/${compact(ends_at)}`,
    location
  })
  const outlook = new URLSearchParams({
    path: "/calendar/action/compose",
    rru: "addevent",
    subject: title,
    startdt: new Date(starts_at).toISOString(),
    enddt: new Date(ends_at).toISOString(),
    location
  })
  return [
    html`<a href="https://calendar.google.com/calendar/render?${String(google)}" rel="noreferrer">${text.google}</a>`,
    html`<a href="https://outlook.live.com/calendar/0/deeplink/compose?${String(outlook)}" rel="noreferrer">${text.outlook}</a>`
  ]
}
