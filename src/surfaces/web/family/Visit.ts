/** When and where a visit is, as all pages show it: the picture, the times, the address and the ways there. */
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import type { Playroom } from "../../../domain/catalogue/Playroom.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateIn, dateTimeIn, timesIn, zoneNameIn } from "../../../words/Localized.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { localDateOf } from "../../../platform/time/LocalTime.ts"
import { isolated, type Picture } from "../frame/Parts.ts"

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
