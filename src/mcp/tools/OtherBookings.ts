/** How the tools tell of the other live bookings of the same e-mail address, before one of them is paid. */
import { Schema } from "effect"
import { type LiveBooking, OtherBooking } from "../../booking/Booking.ts"
import { format, whenInWords } from "../../kernel/LocalTime.ts"

/** The result field. */
export const otherBookingsField = Schema.optionalKey(
  Schema.Array(OtherBooking).annotate({ description: "Of this e-mail." })
)

/** The field in a result; absent if there are none. */
export interface OtherBookings {
  readonly other_bookings?: ReadonlyArray<OtherBooking>
}

/** The field with these bookings. */
export const withOthers = (live: ReadonlyArray<LiveBooking>): OtherBookings =>
  live.length === 0
    ? {}
    : {
        other_bookings: live.map(({ playroom_name, starts_at, status, time_zone }) => ({
          playroom_name,
          status,
          when: whenInWords(time_zone, starts_at),
          start: format(time_zone, starts_at)
        }))
      }

/** What to ask the person because of them; none if there are none. */
export const otherBookingsText = ({ other_bookings }: OtherBookings): ReadonlyArray<string> => {
  if (other_bookings === undefined) return []
  const list = other_bookings.map(({ status, when }) => `${when} (${status})`).join(", ")
  return [
    `This e-mail address also has bookings at ${list}: ask the person whether one of them is the same wish before this one is paid, and let this one lapse if so.`
  ]
}
