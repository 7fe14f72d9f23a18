/** A booking in calendars: its entry at `/b/{token}.ics`, and links that open the visit in calendars on the web. */
import { HttpServerResponse } from "effect/http"
import { calendarFile, calendarMediaType } from "../../../platform/time/CalendarFile.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { dayMinutes } from "../../../platform/time/LocalTime.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { partyIn } from "../../../words/Localized.ts"
import { askVenueText } from "../frame/LinkProblems.ts"
import type { CalendarBooking } from "./ShownBookings.ts"
import type { Visit } from "./Visit.ts"

const statuses = { held: "tentative", confirmed: "confirmed", expired: "cancelled", cancelled: "cancelled" } as const

/** The entry's file. It does not link to the booking's page: people share calendars and invite others to parties. */
export const calendarFileOf = (
  { booking, bring, changed_at, changes, operator }: CalendarBooking,
  language: Language
): { readonly name: string; readonly text: string } => {
  const { adults, children, terms } = booking
  const { words } = messages[language]
  const status = statuses[booking.status]
  const title = `${terms.package_name}, ${terms.playroom_name}`
  const text = calendarFile({
    language,
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
  return { name: `${booking.reference}.ics`, text }
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
