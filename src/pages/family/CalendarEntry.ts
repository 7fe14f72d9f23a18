/** `/b/{token}.ics`: a booking's calendar entry. */
import { HttpServerResponse } from "effect/http"
import { calendarFile, calendarMediaType } from "../../kernel/CalendarFile.ts"
import type { Language } from "../../kernel/Language.ts"
import type { CalendarBooking } from "../../payment/BookingPages.ts"
import { messages } from "./BookingMessages.ts"

const statuses = { held: "tentative", confirmed: "confirmed", expired: "cancelled", cancelled: "cancelled" } as const

/**
 * The entry. It has no link to the booking's page: people show their calendars to others, and invite them to parties.
 */
export const calendarEntry = (
  { booking, changed_at, changes }: CalendarBooking,
  language: Language
): HttpServerResponse.HttpServerResponse => {
  const { terms } = booking
  const text = messages[language]
  return HttpServerResponse.text(
    calendarFile({
      language,
      events: [
        {
          uid: booking.booking_id,
          sequence: changes,
          changed_at,
          status: statuses[booking.status],
          start: booking.starts_at,
          end: booking.ends_at,
          time_zone: terms.time_zone,
          summary: `${terms.package_name}, ${terms.playroom_name}`,
          description: `${text.reference}: ${booking.reference}\n${text.children(booking.children)}${booking.adults === 0 ? "" : `, ${text.adults(booking.adults)}`}`,
          location: `${terms.playroom_name}, ${terms.address}`
        }
      ]
    }),
    {
      contentType: calendarMediaType,
      headers: {
        "cache-control": "no-store",
        vary: "accept-language",
        "content-disposition": `attachment; filename="${booking.reference}.ics"`
      }
    }
  )
}
