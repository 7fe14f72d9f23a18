/** When and where a visit is, as all pages show it: the picture, the times, the address and the ways there. */

import type { BookingRow } from "../../../domain/booking/Booking.ts"
import { type bookedTerms, bookedTermsFacts } from "../../../domain/booking/BookingViews.ts"
import type { Playroom } from "../../../domain/catalogue/Playroom.ts"
import type { TermsFacts } from "../../../domain/catalogue/VisitTerms.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { localDateOf, type Instant } from "../../../platform/time/LocalTime.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateIn, dateTimeIn, timesIn, zoneNameIn, moneyIn } from "../../../words/Localized.ts"
import { isolated, type Picture, dataTable } from "../frame/Layout.ts"

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
    ...(party.over ? [] : [line(text.headcountBy(when(party.until)))]),
    ...(party.over && party.headcount ? [line(text.headcountFinal)] : []),
    ...(dated ? [html`<p class="soft">${deadlines.local}</p>`] : [])
  ]
}

/** What is shown of a visit. */
export interface Visit extends Pick<BookingRow, "starts_at" | "ends_at"> {
  readonly terms: Pick<BookingRow["terms"], "address" | "playroom_name" | "time_zone">
}

/** The playroom's first picture with an https address: the only external resource of a page. */
export const pictureOf = (
  playroom: Pick<Playroom, "photos"> | undefined
): (Picture & { readonly origin: string }) | undefined => {
  for (const { alt, url } of playroom?.photos ?? []) {
    const parsed = URL.parse(url)
    if (parsed?.protocol === "https:") return { url: parsed.href, alt, origin: parsed.origin }
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
  { terms }: Visit,
  playroom: Pick<Playroom, "latitude" | "longitude"> | undefined,
  language: Language
): ReadonlyArray<Html> => {
  const text = messages[language].page
  const named = encodeURIComponent(`${terms.playroom_name}, ${terms.address}`)
  const map =
    playroom === undefined
      ? `https://www.openstreetmap.org/search?query=${encodeURIComponent(terms.address)}`
      : `https://www.openstreetmap.org/?mlat=${playroom.latitude}&mlon=${playroom.longitude}#map=17/${playroom.latitude}/${playroom.longitude}`
  const way = `https://www.google.com/maps/dir/?api=1&destination=${playroom === undefined ? named : `${playroom.latitude},${playroom.longitude}`}`
  return [
    html`<a href="${map}" rel="noreferrer">${text.map}</a>`,
    html`<a href="${way}" rel="noreferrer">${text.directions}</a>`
  ]
}
