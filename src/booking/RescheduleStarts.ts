/** Alternative starts for a booking with the same package, party and add-ons. */
import { Clock, Effect, Option } from "effect"
import { Catalogue } from "../catalogue/Catalogue.ts"
import type { Party } from "../catalogue/Price.ts"
import { window } from "../availability/Starts.ts"
import { minimumCharge } from "../kernel/Charge.ts"
import { dayRange, instantOf, type LocalDate, localDateOf, minutesOf } from "../kernel/LocalTime.ts"
import { addOnIssues } from "../availability/Availability.ts"
import type { BookingRow } from "./Booking.ts"
import { OptionInvalid, type PricedOption, priceOption } from "../availability/BookingOption.ts"
import { nextDateLimits } from "../availability/BookingOptions.ts"
import { venueProblem } from "../availability/Decision.ts"
import { Occupancy } from "../availability/Occupancy.ts"
import { packageOf } from "../catalogue/Playroom.ts"
import { inSlices, margin, searchDays } from "../availability/Openings.ts"

/** Pricing an option costs about as much as examining this many starts. */
const startsPerPrice = 20

/**
 * `atNoHigherPrice`: available starts in a range of dates that cost no more than the booking, in order; its own places
 * count as free. None if the operator, the playroom or the package no longer sells such visits. `optionAt`: the option
 * of one start, available or not.
 */
export const rescheduleStarts = Effect.gen(function* () {
  const catalogue = yield* Catalogue
  const occupancy = yield* Occupancy

  /** The venue, package and party of a booking; none if they are no longer sold. */
  const soldNow = Effect.fnUntraced(function* ({ adults, children, package_id, playroom_id, terms }: BookingRow) {
    const found = yield* catalogue.venue(playroom_id).pipe(
      Effect.asSome,
      Effect.catchTag("PlayroomNotFound", () => Effect.succeedNone)
    )
    const party: Party = { children, adults, add_ons: terms.add_ons }
    return Option.flatMap(found, (venue) =>
      addOnIssues(venue, party).length > 0
        ? Option.none()
        : Option.map(packageOf(venue, package_id), (pkg) => ({ venue, pkg, party }))
    )
  })

  const optionAt = Effect.fn("rescheduleStarts.optionAt")(function* (
    booking: BookingRow,
    date: LocalDate,
    time: string
  ) {
    const sold = yield* soldNow(booking)
    if (Option.isNone(sold)) return yield* new OptionInvalid({ reason: "unknown" })
    const { party, pkg, venue } = sold.value
    const start = instantOf(venue.playroom.time_zone, date, minutesOf(time))
    if (start === undefined) return yield* new OptionInvalid({ reason: "unknown" })
    const now = yield* Clock.currentTimeMillis
    return priceOption(venue, party, { pkg, start, places_left: 0 }, now).option_id
  })

  const atNoHigherPrice = Effect.fn("rescheduleStarts.atNoHigherPrice")(function* (
    booking: BookingRow,
    dates: { readonly from: LocalDate; readonly to: LocalDate }
  ) {
    const { booking_id, playroom_id } = booking
    const now = yield* Clock.currentTimeMillis
    const sold = yield* soldNow(booking)
    if (Option.isNone(sold)) return Option.none<ReadonlyArray<PricedOption>>()
    const { party, pkg, venue } = sold.value
    if (venueProblem(venue, party, now) !== undefined) return Option.none<ReadonlyArray<PricedOption>>()
    const { time_zone } = venue.playroom
    const { lastDate } = window(venue, now)
    const today = localDateOf(time_zone, now)
    const slack = margin([pkg])
    // A fully paid booking does not pay a difference that is too little to be charged (`Reschedule.ts`).
    const waived = booking.payment_status === "paid" ? minimumCharge(booking.currency) - 1 : 0
    const most = booking.total + waived
    const { openings } = yield* searchDays(
      { venue, party },
      [pkg],
      { from: dates.from < today ? today : dates.from, to: dates.to > lastDate ? lastDate : dates.to },
      (first, last) =>
        occupancy.calendar(
          playroom_id,
          dayRange(time_zone, first).start - slack,
          dayRange(time_zone, last).end + slack,
          now,
          booking_id
        ),
      now,
      { enough: () => false, reasons: false, limits: nextDateLimits }
    )
    const priced = function* () {
      const options: Array<PricedOption> = []
      for (const opening of openings) {
        if (opening.start === booking.starts_at) continue
        const option = priceOption(venue, party, opening, now)
        const { currency, total } = option.price
        if (currency === booking.currency && total <= most) options.push(option)
        yield startsPerPrice
      }
      return options
    }
    return Option.some<ReadonlyArray<PricedOption>>(yield* inSlices(priced()))
  })

  return { atNoHigherPrice, optionAt }
})
