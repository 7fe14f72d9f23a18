/** How the tools tell of the other live bookings of the same e-mail address, before one of them is paid. */
import { Schema } from "effect"
import { WhenInWords } from "../../../domain/availability/BookingOption.ts"
import { BookingStatus } from "../../../domain/booking/Booking.ts"
import type { LiveOther } from "../../../domain/booking/OtherBookings.ts"
import { format, whenInWords } from "../../../platform/time/LocalTime.ts"

/** A `LiveOther` as the tools show it: one shape, as hosts choke on alternatives. */
const OtherBooking = Schema.Struct({
  playroom_name: Schema.optionalKey(Schema.String.annotate({ description: "Playroom." })),
  status: Schema.optionalKey(BookingStatus.annotate({ description: "Of it." })),
  when: Schema.optionalKey(WhenInWords),
  start: Schema.optionalKey(Schema.String.annotate({ description: "RFC 3339." })),
  other_name: Schema.optionalKey(Schema.Boolean.annotate({ description: "No more." })),
  same_playroom: Schema.optionalKey(Schema.Boolean.annotate({ description: "That day." }))
})
type OtherBooking = typeof OtherBooking.Type

/** The result field. */
export const otherBookingsField = Schema.optionalKey(
  Schema.Array(OtherBooking).annotate({ description: "Of this e-mail." })
)

/** The field in a result; absent if there are none. */
export interface OtherBookings {
  readonly other_bookings?: ReadonlyArray<OtherBooking>
}

/** The field with these bookings. */
export const withOthers = (live: ReadonlyArray<LiveOther>): OtherBookings =>
  live.length === 0
    ? {}
    : {
        other_bookings: live.map((one) =>
          "other_name" in one
            ? one
            : {
                playroom_name: one.playroom_name,
                status: one.status,
                when: whenInWords(one.time_zone, one.starts_at),
                start: format(one.time_zone, one.starts_at)
              }
        )
      }

/** What to ask the person because of them; none if there are none. */
export const otherBookingsText = ({ other_bookings }: OtherBookings): ReadonlyArray<string> => {
  if (other_bookings === undefined) return []
  const named = other_bookings.filter(({ other_name }) => other_name !== true)
  const otherwise = other_bookings.find(({ other_name }) => other_name === true)
  const list = named.map(({ status, when }) => `${when} (${status})`).join(", ")
  return [
    ...(named.length === 0
      ? []
      : [
          `This e-mail address also has bookings at ${list}: ask the person whether one of them is the same wish before this one is paid, and let this one lapse if so.`
        ]),
    ...(otherwise === undefined
      ? []
      : otherwise.same_playroom === true
        ? [
            "This e-mail address also has a booking under another name at this playroom on this day: ask the person whether it is the same visit before this one is paid."
          ]
        : [
            "This e-mail address also has a booking under another name: ask the person whether the address is their own, and whether somebody of the family has booked already, before this one is paid."
          ])
  ]
}
