/** What `create_booking` says of a booking beyond what comes next: whether it is new, and what else is alive of the same person. */
import type { BookingView, OtherBooking } from "../booking/Booking.ts"
import type { BookingRequest } from "../booking/BookingRequest.ts"
import type { Beside } from "../booking/Wishes.ts"
import { format } from "../kernel/LocalTime.ts"

/** A booking that stands beside the one asked for, as it is told. */
export const otherBooking = ({ booking_id, reference, starts_at, status, time_zone }: Beside): OtherBooking => ({
  booking_id,
  reference,
  status,
  start: format(time_zone, starts_at)
})

/** What a call gave that the booking from before it does not have. */
const notTaken = ({ child_ages, contact, notes }: BookingRequest, booking: BookingView): ReadonlyArray<string> => [
  ...(notes === undefined || notes === booking.notes ? [] : ["notes"]),
  ...(contact.phone === undefined || contact.phone === booking.contact.phone ? [] : ["contact.phone"]),
  ...(child_ages === undefined || String(child_ages) === String(booking.child_ages ?? []) ? [] : ["child_ages"])
]

const existed = (request: BookingRequest, booking: BookingView): ReadonlyArray<string> => {
  const kept = notTaken(request, booking)
  return [
    "An earlier call made this booking, and this one made none.",
    ...(kept.length === 0 ? [] : [`It stays as it was, without what this call gave otherwise: ${kept.join(", ")}.`]),
    ...(booking.status === "held" || booking.status === "confirmed"
      ? [
          "Only where the person wants one more of the same: repeat this call with another true and a new idempotency_key."
        ]
      : [])
  ]
}

const free = (booking: BookingView): ReadonlyArray<string> =>
  booking.status === "held" && booking.payment_status === "unpaid" && booking.payment_session === undefined
    ? ["Holding costs nothing: what the person did not choose, or does not pay, lapses by itself then."]
    : []

const beside = (others: ReadonlyArray<OtherBooking>): ReadonlyArray<string> => {
  if (others.length === 0) return []
  const told = others.map(({ reference, start, status }) => `${reference} (${status}, ${start})`).join(", ")
  return [
    `This e-mail address also has ${told}: where one of them is the same wish, have only one paid and let the other lapse.`
  ]
}

/** The sentences that follow `next_step`'s first ones. */
export const ofTheWish = (
  request: BookingRequest,
  answer: {
    readonly booking: BookingView
    readonly already_existed: boolean
    readonly others: ReadonlyArray<OtherBooking>
  }
): string =>
  [
    ...free(answer.booking),
    ...(answer.already_existed ? existed(request, answer.booking) : []),
    ...beside(answer.others)
  ].join(" ")
